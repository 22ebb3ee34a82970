"""Contact with the skin itself: the nearest triangle of each limb, found in a tree of boxes.

The tree is built once per body and refitted per pose. A point between two limbs gets one contact for each,
so that it is never chased from one limb into the other. Inside and outside follow from angle-weighted
pseudonormals (Bærentzen & Aanæs 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from toile._kernels import SurfaceTree, TrackedContacts
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.geometry.topology import packet_order
from toile.sim.colliders.base import Collider
from toile.sim.colliders.hand_proxy import HANDS, hand_proxies
from toile.sim.colliders.tip_proxy import tip_proxies

GROUPS = ("torso", "left_arm", "right_arm", "left_leg", "right_leg")
"""parts of the body that can press on the same point from different sides; torso includes neck and head"""

_GROUP_WORDS = {"arm": "arm", "hand": "arm", "forearm": "arm", "thigh": "leg", "shin": "leg", "foot": "leg"}


def _group_of_limb(limb: str) -> int:
    side, _, part = limb.partition("_")
    word = _GROUP_WORDS.get(part.rpartition("_")[2])
    return GROUPS.index(f"{side}_{word}") if word else 0


LIMB_GROUP = np.array([_group_of_limb(limb) for limb in LIMBS], dtype=np.int32)
"""index into GROUPS of each limb"""


def triangle_groups(body: Body, triangles: Ints | None = None) -> Ints:
    """Return the group of each triangle of skin, (t,): that of most of its corners."""
    groups = LIMB_GROUP[body.limb][body.triangles if triangles is None else triangles]
    return np.where(groups[:, 1] == groups[:, 2], groups[:, 1], groups[:, 0]).astype(np.int32)


def triangle_grips(body: Body, triangles: Ints, hand: float) -> Floats:
    """Return the share of a fabric's friction that acts on each triangle of skin, (t,): `hand` on hands."""
    hands = [LIMBS.index(name) for name in HANDS]
    return np.where(np.isin(body.limb[triangles], hands).any(axis=1), hand, 1.0)


PACKET = 32
"""points search the skin together by so many"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceSettings:
    """Settings of the surface collider."""

    radius: float = 0.02
    """points farther than this from the skin have no contact [m]"""
    by_limb: bool = True
    """one contact per limb; off: only the nearest of all"""
    tents: bool = True
    """contact sees tips of the skin under tents (sim/colliders/tip_proxy.py)"""
    mittens: bool = True
    """contact sees hands in mittens (sim/colliders/hand_proxy.py)"""
    hand_grip: float = 0.0
    """share of the fabric's friction on hands: cloth bends round a fingertip, edges longer than it is wide
    cannot, and hook it"""

    def __post_init__(self) -> None:
        if not 0 <= self.hand_grip <= 1:
            raise ToileError(f"hand_grip is {self.hand_grip}: choose 0 to 1, a share of the friction")
        if not 0 < self.radius < 1:
            raise ToileError(f"contact radius is {self.radius} m: choose between 0 and 1 m")


HURRY = 0.3
"""of the radius: points that have gone farther than this past the body are searched again, while the contacts
of others are followed over the skin from where they were"""


class SurfaceCollider(Collider):
    """Contact with one body's skin."""

    follows = True
    """solvers may follow its contacts over the skin instead of asking again"""

    def __init__(self, body: Body, settings: SurfaceSettings | None = None) -> None:
        """Build the tree over the body in its rest pose."""
        self.settings = settings or SurfaceSettings()
        self.body = body
        self._mittens = hand_proxies(body) if self.settings.mittens else None
        self._trees: dict[bool, SurfaceTree] = {}
        self._grips: dict[SurfaceTree, Floats | None] = {}
        """by triangle; None: all skin grips alike"""
        self.tree = self._tree(self._mittens is not None)
        made = tip_proxies(body) if self.settings.tents else None
        self._tents = made if made is not None and len(made.vertex) else None
        self._posed: Floats | None = None
        self._hint: Ints | None = None
        self._order: Ints | None = None
        self._found: _Found | None = None

    def _tree(self, gloved: bool) -> SurfaceTree:
        """Return the tree over the skin with or without mittens, built when it is first asked for."""
        if gloved not in self._trees:
            triangles = self._mittens.triangles if gloved and self._mittens else self.body.triangles
            group = triangle_groups(self.body, triangles) if self.settings.by_limb else None
            tree = self._trees[gloved] = SurfaceTree(triangles, self.body.vertices, group)
            grips = triangle_grips(self.body, triangles, self.settings.hand_grip)
            self._grips[tree] = grips if (grips < 1.0).any() else None
        return self._trees[gloved]

    def at(self, body: PosedBody) -> SurfaceQuery:
        """Return the skin at one instant. Asking an older query again is allowed, but costs a refit."""
        self._fit(body)
        return SurfaceQuery(self, body)

    def meanwhile(self, body: PosedBody, since: float, boxes: Floats) -> SurfaceQuery:
        """Return the skin since [s] after the last instant at which it was asked as a whole.

        Contacts are followed from there; points in boxes (k, 2, 3) [m] and those that hurry are searched.
        """
        self._fit(body)
        return SurfaceQuery(self, body, since, boxes)

    def _fit(self, body: PosedBody) -> None:
        # one frame ends in the pose with which the next begins
        if self._posed is not body.vertices:
            tree = self._tree(self._mittens is not None and self._mittens.fit(body.vertices))
            if tree is not self.tree:
                self.tree, self._hint = tree, None
            if self._tents is None:
                self.tree.refit(body.vertices)
            else:
                self.tree.refit(body.vertices, self._tents.vertex, self._tents.over(body.vertices))
            self._posed = body.vertices

    def ask(self, body: PosedBody, position: Floats) -> Contacts:
        """Return the contacts of points [m], (n, 3), with the skin of a posed body."""
        self._fit(body)
        hint = self._known(position)
        if self._order is None or hint is None:
            self._order = packet_order(position, PACKET)
        found = self.tree.contacts(position, self.settings.radius, body.velocity, hint, self._order)
        self._found = _Found(self.tree, found[0], found[4], position)
        return self._contacts(body, found)

    def ask_meanwhile(self, body: PosedBody, position: Floats, since: float, boxes: Floats) -> Contacts:
        """Return the contacts of points [m], (n, 3), since [s] after all were asked for.

        They are followed from there where nothing else can have come near: not in boxes (k, 2, 3) [m].
        """
        self._fit(body)
        hint, last, radius = self._known(position), self._found, self.settings.radius
        if hint is None or last is None or last.tree is not self.tree:
            return self.ask(body, position)
        found = self.tree.contacts_tracked(
            position, radius, body.velocity, last.particle, last.triangle, last.position,
            since, HURRY * radius, boxes, hint, self._order,
        )  # fmt: skip
        return self._contacts(body, found)

    def _known(self, position: Floats) -> Ints | None:
        """Return near which triangles points probably are, where they were last time.

        That shortens the search and never changes the answer.
        """
        return self._hint if self._hint is not None and len(self._hint) == len(position) else None

    def _contacts(self, body: PosedBody, found: tuple[Any, ...]) -> Contacts:
        particle, gap, normal, velocity, triangle, self._hint = found
        radius = self.settings.radius
        tracked = TrackedContacts(self.tree, triangle, body.velocity, radius, HURRY * radius, self._hint)
        grips = self._grips[self.tree]
        grip = None if grips is None else grips[triangle]
        if grip is not None and (grip == 1.0).all():
            grip = None
        return Contacts(particle, gap, normal, velocity, tracked, grip)


@dataclass(frozen=True, eq=False, slots=True)
class _Found:
    """What the last search of all points found."""

    tree: SurfaceTree
    particle: Ints
    triangle: Ints
    position: Floats
    """of all points [m], (n, 3)"""


@dataclass(frozen=True, eq=False, slots=True)
class SurfaceQuery(ContactQuery):
    """The skin at one instant."""

    collider: SurfaceCollider
    body: PosedBody
    since: float = 0.0
    """after the skin was asked as a whole [s]"""
    boxes: Floats | None = None
    """where points are searched even so (k, 2, 3) [m]; None: all are"""

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3)."""
        if self.boxes is None:
            return self.collider.ask(self.body, position)
        return self.collider.ask_meanwhile(self.body, position, self.since, self.boxes)
