"""The object-space baseline of Vassilev et al. (2001): boxes in a tree over the faces of five body parts.

What the image-space methods are measured against: every cloth point is tested against the faces of torso,
arms and legs in the boxes around it. The cost grows with the body's faces. See docs/collider-boxes.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile._kernels import BoxTrees
from toile.core.errors import ToileError
from toile.core.records import Body, ContactQuery, Contacts, Floats, PosedBody
from toile.sim.colliders.base import Collider
from toile.sim.colliders.surface import GROUPS, triangle_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxSettings:
    """Settings of the box collider."""

    reach: float = 0.02
    """points farther than this from the skin have no contact [m]"""

    def __post_init__(self) -> None:
        if not 0 < self.reach < 1:
            raise ToileError(f"reach is {self.reach} m: choose between 0 and 1 m")


class BoxCollider(Collider):
    """Contact with the faces of one body."""

    def __init__(self, body: Body, settings: BoxSettings | None = None) -> None:
        """Build the five trees over the body in its rest pose."""
        self.settings = settings or BoxSettings()
        self.body = body
        self.trees = BoxTrees(body.triangles, body.vertices, triangle_groups(body), len(GROUPS))
        self._posed: PosedBody | None = None

    def at(self, body: PosedBody) -> BoxQuery:
        """Return the faces at one instant. Asking an older query again is allowed, but costs a refit."""
        self._fit(body)
        return BoxQuery(self, body)

    def _fit(self, body: PosedBody) -> None:
        if self._posed is not body:
            self.trees.refit(np.ascontiguousarray(body.vertices))
            self._posed = body

    def ask(self, body: PosedBody, position: Floats) -> Contacts:
        """Return the contacts of points [m], (n, 3): the nearest face of each part in reach."""
        self._fit(body)
        points = np.ascontiguousarray(position, dtype=np.float64)
        particle, gap, normal, face, weight = self.trees.contacts(points, self.settings.reach)
        velocity = np.einsum("ck,cka->ca", weight, body.velocity[self.body.triangles[face]])
        return Contacts(particle=particle, gap=gap, normal=normal, velocity=velocity)


@dataclass(frozen=True, eq=False, slots=True)
class BoxQuery(ContactQuery):
    """The faces at one instant."""

    collider: BoxCollider
    body: PosedBody

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3)."""
        return self.collider.ask(self.body, position)
