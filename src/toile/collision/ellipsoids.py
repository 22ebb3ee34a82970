"""The body as a hierarchy of ellipsoids (Rudomín & Castillo 2002): very fast, and only roughly the body.

Each limb is one scaled sphere that moves with it. The distance of a point is measured along the ray from the
centre, in one matrix product. Ellipsoids belong to groups; a particle remembers its nearest ellipsoid, the
parent, and is tested only against the parent's group and the groups next to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.body.limbs import limb_shapes
from toile.collision.frames import LimbMotion, LimbTracker
from toile.collision.surface import GROUPS, LIMB_GROUP
from toile.errors import ToileError
from toile.types import LIMBS, Body, Bools, Contacts, Floats, Ints, PosedBody

NEIGHBOURS = (
    ("torso", "left_arm"),
    ("torso", "right_arm"),
    ("torso", "left_leg"),
    ("torso", "right_leg"),
    ("left_leg", "right_leg"),
)
"""groups that a particle may feel at the same time, and change between"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EllipsoidSettings:
    """Settings of the ellipsoid collider."""

    radius: float = 0.02
    """points farther than this from an ellipsoid have no contact [m]"""
    scale: float = 1.0
    """factor on the half axes"""
    neighbours: tuple[tuple[str, str], ...] = NEIGHBOURS
    """pairs of adjacent groups"""

    def __post_init__(self) -> None:
        if not 0 < self.radius < 1:
            raise ToileError(f"contact radius is {self.radius} m: choose between 0 and 1 m")
        if not 0.1 <= self.scale <= 10:
            raise ToileError(f"scale is {self.scale}: choose between 0.1 and 10")
        for name in (name for pair in self.neighbours for name in pair):
            if name not in GROUPS:
                raise ToileError(f"neighbours: no group '{name}': choose from {', '.join(GROUPS)}")


def adjacency(neighbours: tuple[tuple[str, str], ...]) -> Bools:
    """Return which groups are tested together; each with itself, (5, 5)."""
    matrix = np.eye(len(GROUPS), dtype=bool)
    for a, b in neighbours:
        i, j = GROUPS.index(a), GROUPS.index(b)
        matrix[i, j] = matrix[j, i] = True
    return matrix


def ray_distance(points: Floats, world_from_unit: Floats) -> tuple[Floats, Floats, Floats]:
    """Return distance along the ray from the centre [m], (k,), where the ray leaves, and the normal there.

    world_from_unit (4, 4) takes the unit sphere to the ellipsoid. With u = unit_from_world p the point on
    the ellipsoid is world_from_unit (u / |u|): not the nearest, but near it. Negative inside.
    """
    axes, centre = world_from_unit[:3, :3], world_from_unit[:3, 3]
    inverse = np.linalg.inv(axes)
    u = (points - centre) @ inverse.T
    size = np.sqrt(np.einsum("ij,ij->i", u, u))
    # from the very centre every way out is allowed: take up
    unit = np.where(size[:, None] > 1e-9, u / np.maximum(size, 1e-9)[:, None], [0.0, 1.0, 0.0])
    surface = unit @ axes.T + centre
    normal = unit @ inverse
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    distance = np.where(size < 1, -1.0, 1.0) * np.linalg.norm(points - surface, axis=1)
    return distance, surface, normal


class EllipsoidCollider:
    """Contact with the ellipsoids of one body."""

    def __init__(self, body: Body, settings: EllipsoidSettings | None = None) -> None:
        """Fit one ellipsoid to each limb in the rest pose."""
        self.settings = settings or EllipsoidSettings()
        shapes = limb_shapes(body)
        self.limbs = [k for k in range(len(LIMBS)) if (shapes.half_axes[k] > 1e-6).all()]
        if not self.limbs:
            raise ToileError(f"body {body.name}: no limb has skin to fit an ellipsoid to")
        self.rest_from_unit = body.skeleton.world_from_joint[shapes.joint].copy()
        for limb, frame in enumerate(self.rest_from_unit):
            frame[:3, 3] += frame[:3, :3] @ shapes.centre[limb]
            frame[:3, :3] *= self.settings.scale * shapes.half_axes[limb]
        self.adjacent = adjacency(self.settings.neighbours)
        self._tracker = LimbTracker(body)
        self.parent: Ints | None = None
        """limb whose ellipsoid was last nearest to each particle, (n,)"""

    def at(self, body: PosedBody) -> EllipsoidQuery:
        """Return the ellipsoids at one instant."""
        motion = self._tracker.at(body)
        return EllipsoidQuery(self, motion, motion.posed_from_rest @ self.rest_from_unit)

    def fit_error(self, body: Body) -> dict[str, float]:
        """Return per limb the root mean square distance of the resting skin from its ellipsoid [m]."""
        errors = {}
        for limb in self.limbs:
            distance = ray_distance(body.vertices[body.limb == limb], self.rest_from_unit[limb])[0]
            errors[LIMBS[limb]] = float(np.sqrt((distance**2).mean()))
        return errors

    def candidates(self, count: int) -> Bools:
        """Return which limbs each particle is tested against, (n, 16); all while parents are unknown."""
        if self.parent is None or len(self.parent) != count:
            return np.ones((count, len(LIMBS)), dtype=bool)
        return np.asarray(self.adjacent[LIMB_GROUP[self.parent]][:, LIMB_GROUP])


@dataclass(frozen=True, eq=False, slots=True)
class EllipsoidQuery:
    """The ellipsoids at one instant."""

    collider: EllipsoidCollider
    motion: LimbMotion
    world_from_unit: Floats
    """(16, 4, 4)"""

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3): the nearest ellipsoid of each group in reach."""
        tested = self.collider.candidates(len(position))
        shape = (len(position), len(LIMBS))
        distance, gap = np.full(shape, np.inf), np.full(shape, np.inf)
        normal, surface = np.zeros((*shape, 3)), np.zeros((*shape, 3))
        for limb in self.collider.limbs:
            near = np.flatnonzero(tested[:, limb])
            way, point, out = ray_distance(position[near], self.world_from_unit[limb])
            distance[near, limb], surface[near, limb], normal[near, limb] = way, point, out
            gap[near, limb] = np.einsum("ij,ij->i", position[near] - point, out)
        self.collider.parent = distance.argmin(axis=1).astype(np.int32)
        return self._contacts(gap, normal, surface)

    def _contacts(self, gap: Floats, normal: Floats, surface: Floats) -> Contacts:
        """Return one contact per particle and group, where the plane at the surface point is in reach."""
        particle, chosen = [], []
        for group in range(len(GROUPS)):
            limbs = np.flatnonzero(group == LIMB_GROUP)
            best = limbs[gap[:, limbs].argmin(axis=1)]
            rows = np.flatnonzero(gap[np.arange(len(gap)), best] < self.collider.settings.radius)
            particle.append(rows)
            chosen.append(best[rows])
        p, limb = np.concatenate(particle), np.concatenate(chosen)
        order = np.argsort(p, kind="stable")
        p, limb = p[order], limb[order]
        velocity = np.zeros((len(p), 3))
        for k in np.unique(limb):
            velocity[limb == k] = self.motion.velocity_at(int(k), surface[p[limb == k], k])
        return Contacts(p.astype(np.int32), gap[p, limb], normal[p, limb], velocity)
