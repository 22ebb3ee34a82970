"""The distance to the skeleton, with a radius field from the skin (Shi et al. 2010, after Mao et al. 2006).

Round the bone of each limb the resting skin is a table: radius over the place along the bone and the angle
round it. A particle's contact costs one look into the table of each limb that is near.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from toile.body.model.limbs import limb_shapes
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.sim.colliders.base import Collider
from toile.sim.colliders.limb_frames import LimbMotion, LimbTracker
from toile.sim.colliders.surface import LIMB_GROUP


@dataclass(frozen=True, slots=True, kw_only=True)
class BoneSettings:
    """Settings of the bone collider."""

    radius: float = 0.02
    """points farther than this from the skin have no contact [m]"""
    along: int = 24
    """places along a bone"""
    around: int = 24
    """angles round a bone"""

    def __post_init__(self) -> None:
        if not 0 < self.radius < 1:
            raise ToileError(f"contact radius is {self.radius} m: choose between 0 and 1 m")
        if not (4 <= self.along <= 1000 and 4 <= self.around <= 1000):
            raise ToileError("along and around must be between 4 and 1000")


@dataclass(frozen=True, eq=False, slots=True)
class RadiusField:
    """The skin of one limb round its bone, the y axis of its own frame."""

    rest_from_bone: Floats
    """(4, 4)"""
    low: float
    """where the skin begins along the bone [m]"""
    high: float
    """where it ends [m]"""
    radius: Floats
    """[m], (along, around); the first angle is +z, the next towards +x"""

    def gap(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the distance from the skin [m], (k,), and the way out, (k, 3); points in the bone's frame.

        F = r − R(t, φ) over its own slope: exact to first order. Infinite beyond the ends.
        """
        x, t, z = points.T
        r = np.maximum(np.hypot(x, z), 1e-9)
        value, by_t, by_angle = self._look_up(t, np.arctan2(x, z))
        e_r = np.stack([x / r, np.zeros_like(r), z / r], axis=1)
        e_angle = np.stack([z / r, np.zeros_like(r), -x / r], axis=1)
        # near the bone the angle turns too fast to mean anything
        slope = e_r - (by_angle / np.maximum(r, 0.5 * value))[:, None] * e_angle
        slope[:, 1] -= by_t
        size = np.linalg.norm(slope, axis=1)
        inside = (t >= self.low) & (t <= self.high)
        return np.where(inside, (r - value) / size, np.inf), slope / size[:, None]

    def _look_up(self, t: Floats, angle: Floats) -> tuple[Floats, Floats, Floats]:
        """Return R and its slopes along t and φ by bilinear interpolation."""
        rows, columns = self.radius.shape
        step, turn = (self.high - self.low) / (rows - 1), 2 * np.pi / columns
        a = np.clip((t - self.low) / step, 0, rows - 1 - 1e-9)
        b = np.mod(angle, 2 * np.pi) / turn
        i, j = a.astype(np.int64), b.astype(np.int64)
        f, g = a - i, b - j
        j, k = j % columns, (j + 1) % columns
        p, q, u, v = self.radius[i, j], self.radius[i, k], self.radius[i + 1, j], self.radius[i + 1, k]
        lower, upper = p + g * (q - p), u + g * (v - u)
        return lower + f * (upper - lower), (upper - lower) / step, ((1 - f) * (q - p) + f * (v - u)) / turn


def radius_field(points: Floats, rest_from_bone: Floats, settings: BoneSettings) -> RadiusField:
    """Return the field of skin points in the bone's frame [m], (k, 3): the mean of the four nearest."""
    r = np.hypot(points[:, 0], points[:, 2])
    low, high, mean = float(points[:, 1].min()), float(points[:, 1].max()), float(r.mean())
    angle = np.arange(settings.around) * 2 * np.pi / settings.around
    t, phi = np.meshgrid(np.linspace(low, high, settings.along), angle, indexing="ij")
    own = np.arctan2(points[:, 0], points[:, 2])
    tree = cKDTree(np.stack([mean * np.sin(own), points[:, 1], mean * np.cos(own)], axis=1))
    cells = np.stack([mean * np.sin(phi), t, mean * np.cos(phi)], axis=-1)
    distance, nearest = tree.query(cells, k=min(4, len(points)))
    weight = 1 / (distance + 1e-4) ** 2
    return RadiusField(rest_from_bone, low, high, (weight * r[nearest]).sum(-1) / weight.sum(-1))


class BoneCollider(Collider):
    """Contact with the radius fields of one body."""

    def __init__(self, body: Body, settings: BoneSettings | None = None) -> None:
        """Make the table of each limb from the resting skin."""
        self.settings = settings or BoneSettings()
        self._tracker = LimbTracker(body)
        shapes = limb_shapes(body)
        self.fields: dict[int, RadiusField] = {}
        for limb in range(len(LIMBS)):
            chosen = body.vertices[body.limb == limb]
            if len(chosen) < 4 or not (shapes.half_axes[limb] > 1e-6).all():
                continue
            frame = body.skeleton.world_from_joint[shapes.joint[limb]].copy()
            frame[:3, 3] += frame[:3, :3] @ shapes.centre[limb]
            own = (chosen - frame[:3, 3]) @ frame[:3, :3]
            self.fields[limb] = radius_field(own, frame, self.settings)
        if not self.fields:
            raise ToileError(f"body {body.name}: no limb has skin to measure from its bone")

    def at(self, body: PosedBody) -> BoneQuery:
        """Return the limbs at one instant."""
        return BoneQuery(self, self._tracker.at(body))


@dataclass(frozen=True, eq=False, slots=True)
class BoneQuery(ContactQuery):
    """The radius fields at one instant."""

    collider: BoneCollider
    motion: LimbMotion

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3): the deepest limb of each group in reach."""
        found = [self._limb(limb, position) for limb in self.collider.fields]
        particle, gap = np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])
        normal, velocity = np.concatenate([f[2] for f in found]), np.concatenate([f[3] for f in found])
        limbs = np.repeat(list(self.collider.fields), [len(f[0]) for f in found])
        group = LIMB_GROUP[limbs]
        order = np.lexsort((gap, group, particle))
        p, g = particle[order], group[order]
        first = np.ones(len(p), dtype=bool)
        first[1:] = (p[1:] != p[:-1]) | (g[1:] != g[:-1])
        keep = order[first]
        return Contacts(particle[keep].astype(np.int32), gap[keep], normal[keep], velocity[keep])

    def _limb(self, limb: int, position: Floats) -> tuple[Ints, Floats, Floats, Floats]:
        """Return particles, gaps, normals and skin velocities of one limb; first by its box, then exactly."""
        field, reach = self.collider.fields[limb], self.collider.settings.radius
        frame = self.motion.posed_from_rest[limb] @ field.rest_from_bone
        own = (position - frame[:3, 3]) @ frame[:3, :3]
        widest = float(field.radius.max()) + reach
        half = np.array([widest, max(field.high, -field.low), widest])
        near = np.flatnonzero((np.abs(own) <= half).all(axis=1))
        gap, out = field.gap(own[near])
        close = gap < reach
        near, gap, out = near[close], gap[close], out[close] @ frame[:3, :3].T
        return (
            near.astype(np.int32),
            gap,
            out,
            self.motion.velocity_at(limb, position[near] - gap[:, None] * out),
        )
