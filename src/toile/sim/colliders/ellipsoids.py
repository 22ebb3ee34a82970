"""The body as a hierarchy of ellipsoids (Rudomín & Castillo 2002): very fast, and only roughly the body.

Each limb is a row of scaled spheres that move with it. The distance of a point is measured along the ray from
the centre, in one matrix product (engine/contact/ellipsoids.cpp). Ellipsoids belong to
groups; a particle remembers its nearest ellipsoid, the parent, and is tested only against the parent's group
and the groups next to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from toile import _kernels
from toile.body.model.limbs import limb_joints
from toile.body.model.skeleton import rigid_inverse
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, Bools, ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.sim.colliders.base import Collider
from toile.sim.colliders.limb_frames import LimbMotion, LimbTracker
from toile.sim.colliders.surface import GROUPS, LIMB_GROUP

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
    per_limb: int = 4
    """ellipsoids in a row along each limb's bone"""
    cover: float = 0.0
    """share of each slice's skin that its ellipsoid encloses: no patches of skin; 0: fitted through it"""
    along_ray: bool = False
    """contacts lie on the ray from the centre, where the paper moves particles to; off: on the plane there"""
    neighbours: tuple[tuple[str, str], ...] = NEIGHBOURS
    """pairs of adjacent groups"""

    def __post_init__(self) -> None:
        if not 0 < self.radius < 1:
            raise ToileError(f"contact radius is {self.radius} m: choose between 0 and 1 m")
        if not 1 <= self.per_limb <= 12:
            raise ToileError(f"per_limb is {self.per_limb}: choose between 1 and 12")
        if not 0 <= self.cover <= 1:
            raise ToileError(f"cover is {self.cover}: choose a share from 0 to 1")
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


def fit_row(points: Floats, count: int, cover: float = 0.0) -> Floats:
    """Return joint_from_unit of a row of ellipsoids along y for skin points in the joint's frame, (k, 4, 4).

    One alone is the box of the points. In a row each reaches a slice beyond its own, the outer ones end where
    the limb ends, and the half axes across are a least-squares fit of (x/a)² + (z/c)² = 1 − (y/b)², widened
    until they hold the share `cover` of their slice.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    if count == 1:
        return _scaled((low + high) / 2, (high - low) / 2)[None]
    step = float(high[1] - low[1]) / count
    found = []
    for k in range(count):
        own = points[np.abs(points[:, 1] - low[1] - (k + 0.5) * step) <= 0.55 * step]
        if len(own) < 6:
            continue
        middle = (own.min(axis=0) + own.max(axis=0)) / 2
        y = low[1] + (1.0 if k == 0 else count - 1.0 if k == count - 1 else k + 0.5) * step
        centre = np.array([middle[0], y, middle[2]])
        half = _half_axes(own - centre, step)
        found.append(_scaled(centre, _widened(own - centre, half, cover) if cover else half))
    return np.array(found) if found else _scaled((low + high) / 2, (high - low) / 2)[None]


def _half_axes(points: Floats, along: float) -> Floats:
    """Return a, b, c of an ellipsoid round the origin with b given; the box where the fit has no answer."""
    box = np.maximum(np.abs(points).max(axis=0), 1e-4)
    level = np.maximum(1 - (points[:, 1] / along) ** 2, 0.05)
    inverse = np.linalg.lstsq(points[:, [0, 2]] ** 2, level, rcond=None)[0]
    across = np.where(inverse > 1e-9, 1 / np.sqrt(np.maximum(inverse, 1e-9)), box[[0, 2]])
    across = np.clip(across, 0.5 * box[[0, 2]], 1.1 * box[[0, 2]])
    return np.array([across[0], along, across[1]])


def _widened(points: Floats, half: Floats, cover: float) -> Floats:
    """Return half axes across that hold a share of the points, those along as they are."""
    level = 1 - (points[:, 1] / half[1]) ** 2
    # the rounded end of a limb is not to be reached from the side
    inner = level > 0.5
    if not inner.any():
        return half
    size = ((points[inner][:, [0, 2]] / half[[0, 2]]) ** 2).sum(axis=1) / level[inner]
    wider = max(1.0, float(np.sqrt(np.quantile(size, cover))))
    return half * [wider, 1.0, wider]


def _scaled(centre: Floats, half: Floats) -> Floats:
    frame = np.diag([*half, 1.0])
    frame[:3, 3] = centre
    return frame


def union_distance(points: Floats, frames: Floats) -> Floats:
    """Return the distance from several ellipsoids together [m], (n,): negative inside any."""
    return np.asarray(np.min([ray_distance(points, frame)[0] for frame in frames], axis=0))


class EllipsoidCollider(Collider):
    """Contact with the ellipsoids of one body."""

    def __init__(self, body: Body, settings: EllipsoidSettings | None = None) -> None:
        """Fit ellipsoids to each limb in the rest pose."""
        self.settings = settings or EllipsoidSettings()
        joint, frames, limbs = limb_joints(body), [], []
        for limb in range(len(LIMBS)):
            chosen = body.vertices[body.limb == limb]
            world_from_joint = body.skeleton.world_from_joint[joint[limb]]
            own = (chosen - world_from_joint[:3, 3]) @ world_from_joint[:3, :3]
            if len(own) < 4 or not (np.ptp(own, axis=0) > 1e-5).all():
                continue
            row = fit_row(own, self.settings.per_limb, self.settings.cover)
            row[:, :3, :3] *= self.settings.scale
            frames.append(world_from_joint @ row)
            limbs += [limb] * len(row)
        if not limbs:
            raise ToileError(f"body {body.name}: no limb has skin to fit an ellipsoid to")
        self.rest_from_unit, self.limb = np.concatenate(frames), np.array(limbs, dtype=np.int32)
        self._unit_from_rest = np.linalg.inv(self.rest_from_unit)
        self.group = LIMB_GROUP[self.limb]
        self.adjacent = adjacency(self.settings.neighbours)
        self._tracker = LimbTracker(body)
        self._frames = np.full((len(LIMBS), 4, 4), np.nan)
        self._world_from_unit, self._unit_from_world = np.zeros((2, len(limbs), 3, 4))
        self.updated = 0
        """ellipsoids whose transforms the last pose changed"""
        self.parent: Ints | None = None
        """ellipsoid that was last nearest to each particle, (n,)"""

    def at(self, body: PosedBody) -> EllipsoidQuery:
        """Return the ellipsoids at one instant; transforms of limbs that have not moved are kept."""
        motion = self._tracker.at(body)
        still = np.abs(motion.posed_from_rest - self._frames).max(axis=(1, 2)) < 1e-12
        moved = np.flatnonzero(~still[self.limb])
        if len(moved):
            frame = motion.posed_from_rest[self.limb[moved]]
            forth, back = self._world_from_unit.copy(), self._unit_from_world.copy()
            forth[moved] = (frame @ self.rest_from_unit[moved])[:, :3]
            back[moved] = (self._unit_from_rest[moved] @ rigid_inverse(frame))[:, :3]
            self._world_from_unit, self._unit_from_world = forth, back
            self._frames = motion.posed_from_rest
        self.updated = len(moved)
        return EllipsoidQuery(self, motion, self._world_from_unit, self._unit_from_world)

    def fit_error(self, body: Body) -> dict[str, float]:
        """Return per limb the root mean square distance of the resting skin from its ellipsoids [m]."""
        errors = {}
        for limb in np.unique(self.limb):
            own = self.rest_from_unit[self.limb == limb]
            distance = union_distance(body.vertices[body.limb == limb], own)
            errors[LIMBS[limb]] = float(np.sqrt((distance**2).mean()))
        return errors

    def ask(self, query: EllipsoidQuery, position: Floats) -> Contacts:
        """Return the contacts of points [m], (n, 3), and remember their parents."""
        points = np.ascontiguousarray(position, dtype=np.float64)
        if self.parent is None or len(self.parent) != len(points):
            self.parent = np.full(len(points), -1, dtype=np.int32)
        motion = query.motion
        particle, gap, normal, velocity, self.parent = _kernels.ellipsoid_contacts(
            points, query.world_from_unit, query.unit_from_world, self.group, self.limb, self.adjacent,
            self.parent, self.settings.radius, motion.centre, motion.velocity, motion.spin,
            self.settings.along_ray,
        )  # fmt: skip
        return Contacts(particle, gap, normal, velocity)


@dataclass(frozen=True, eq=False, slots=True)
class EllipsoidQuery(ContactQuery):
    """The ellipsoids at one instant."""

    collider: EllipsoidCollider
    motion: LimbMotion
    world_from_unit: Floats
    """(e, 3, 4)"""
    unit_from_world: Floats
    """(e, 3, 4)"""

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3): the nearest ellipsoid of each group in reach."""
        return self.collider.ask(self, position)

    def carry(self, x: Floats, v: Floats, near: float, dt: float) -> tuple[Floats, Floats]:
        """Return position and velocity, (n, 3), of particles that moved with their ellipsoids for dt [s].

        Children lie nearer than `near` [m] to their parent and move and turn with it; the others stay (§2.4).
        """
        found = self(x)
        child = np.unique(found.particle[found.gap < near])
        assert self.collider.parent is not None
        limb = self.collider.limb[self.collider.parent[child]]
        rotation = Rotation.from_rotvec(self.motion.spin[limb] * dt)
        x, v, centre = x.copy(), v.copy(), self.motion.centre[limb]
        x[child] = centre + self.motion.velocity[limb] * dt + rotation.apply(x[child] - centre)
        v[child] = rotation.apply(v[child])
        return x, v

    def after(self, dt: float) -> EllipsoidQuery:
        """Return the ellipsoids dt [s] later, at rest: where particles are that have been carried."""
        motion = self.motion
        step = np.tile(np.eye(4), (len(motion.centre), 1, 1))
        step[:, :3, :3] = Rotation.from_rotvec(motion.spin * dt).as_matrix()
        centre = motion.centre + motion.velocity * dt
        step[:, :3, 3] = centre - np.einsum("lij,lj->li", step[:, :3, :3], motion.centre)
        still = np.zeros_like(motion.velocity)
        later = LimbMotion(step @ motion.posed_from_rest, centre, still, still)
        world = step[self.collider.limb] @ _square(self.world_from_unit)
        unit = _square(self.unit_from_world) @ rigid_inverse(step[self.collider.limb])
        return EllipsoidQuery(self.collider, later, world[:, :3].copy(), unit[:, :3].copy())


def _square(frames: Floats) -> Floats:
    """Return (e, 3, 4) transforms with their last row, (e, 4, 4)."""
    last = np.tile([0.0, 0.0, 0.0, 1.0], (len(frames), 1, 1))
    return np.concatenate([frames, last], axis=1)
