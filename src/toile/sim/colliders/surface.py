"""Contact with the skin itself: the nearest triangle of each limb, found in a tree of boxes.

The tree is built once per body and refitted per pose. A point between two limbs gets one contact for each,
so that it is never chased from one limb into the other. Inside and outside follow from angle-weighted
pseudonormals (Bærentzen & Aanæs 2005).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from toile._kernels import SkinContact, SurfaceTree
from toile.core.arrays import as_kernel_arrays
from toile.core.choices import FORMERLY
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, ContactQuery, Contacts, Floats, Ints, PosedBody
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceSettings:
    """Settings of the surface collider."""

    radius: float = 0.02
    """points farther than this from the skin have no contact [m]"""
    by_limb: bool = True
    """one contact per limb; off: only the nearest of all"""
    tip_proxies: bool = field(default=True, metadata={FORMERLY: "tents"})
    """contact sees tips of the skin under cones (sim/colliders/tip_proxy.py)"""
    hand_proxies: bool = field(default=True, metadata={FORMERLY: "mittens"})
    """contact sees the convex hulls of hands (sim/colliders/hand_proxy.py)"""
    hand_grip: float = 0.0
    """share of the fabric's friction on hands: cloth bends round a fingertip, edges longer than it is wide
    cannot, and hook it"""

    def __post_init__(self) -> None:
        if not 0 <= self.hand_grip <= 1:
            raise ToileError(f"hand_grip is {self.hand_grip}: choose 0 to 1, a share of the friction")
        if not 0 < self.radius < 1:
            raise ToileError(f"contact radius is {self.radius} m: choose between 0 and 1 m")


class SurfaceCollider(Collider):
    """Contact with one body's skin."""

    follows = True
    """solvers may follow its contacts over the skin instead of asking again"""

    skin: SkinContact

    def __init__(self, body: Body, settings: SurfaceSettings | None = None) -> None:
        """Prepare for the body in its rest pose; trees are fitted to the poses that are asked for."""
        self.settings = settings or SurfaceSettings()
        self.body = body
        self.skin = SkinContact(skin_arrays(body, self.settings))

    def at(self, body: PosedBody) -> SurfaceQuery:
        """Return the skin at one instant. Asking an older query again is allowed, but costs a refit."""
        return SurfaceQuery(self, body)

    def meanwhile(self, body: PosedBody, since: float, boxes: Floats) -> SurfaceQuery:
        """Return the skin since [s] after the last instant at which it was asked as a whole.

        Contacts are followed from there; points in boxes (k, 2, 3) [m] and those that hurry are searched.
        """
        return SurfaceQuery(self, body, since, boxes)

    def tree(self, body: PosedBody) -> SurfaceTree:
        """Return the tree over the skin of a posed body, until another pose is asked for."""
        tree: SurfaceTree = self.skin.tree(body.vertices)
        return tree

    def ask(self, body: PosedBody, position: Floats) -> Contacts:
        """Return the contacts of points [m], (n, 3), with the skin of a posed body."""
        return Contacts(*self.skin.find(body.vertices, body.velocity, position))

    def ask_meanwhile(self, body: PosedBody, position: Floats, since: float, boxes: Floats) -> Contacts:
        """Return the contacts of points [m], (n, 3), since [s] after all were asked for.

        They are followed from there where nothing else can have come near: not in boxes (k, 2, 3) [m].
        """
        return Contacts(*self.skin.follow(body.vertices, body.velocity, position, since, boxes))


def skin_arrays(body: Body, settings: SurfaceSettings) -> dict[str, Any]:
    """Return the skin as contact sees it, as the arrays that the engine reads (scene_arrays.h)."""
    arrays: dict[str, Any] = {
        "body.vertices": body.vertices,
        "skin.radius": np.array([settings.radius]),
        "skin.triangles": body.triangles,
        "skin.grip": triangle_grips(body, body.triangles, settings.hand_grip),
    }
    if settings.by_limb:
        arrays["skin.group"] = triangle_groups(body)
    hands = hand_proxies(body) if settings.hand_proxies else None
    if hands is not None:
        arrays |= {
            "hands.triangles": hands.triangles,
            "hands.group": triangle_groups(body, hands.triangles),
            "hands.grip": triangle_grips(body, hands.triangles, settings.hand_grip),
            "hands.watched": hands.watched,
            "hands.apart": hands.apart,
        }
    tips = tip_proxies(body) if settings.tip_proxies else None
    if tips is not None and len(tips.vertex):
        arrays |= {
            "tips.vertex": tips.vertex,
            "tips.rise": tips.rise,
            "tips.tip": tips.cone,
            "tips.frame": tips.frame,
        }
    return as_kernel_arrays(arrays)


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
