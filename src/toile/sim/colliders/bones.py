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
from toile.core.records import LIMBS, Body, Bools, ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.gpu import bones as gpu
from toile.gpu.device import check_device, open_device
from toile.sim.colliders.base import Collider
from toile.sim.colliders.limb_frames import LimbMotion, LimbTracker
from toile.sim.colliders.surface import LIMB_GROUP

CUBE = 0.08
"""side of the cubes by which particles are put into blocks [m]: about as thick as an arm"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoneSettings:
    """Settings of the bone collider."""

    radius: float = 0.02
    """points farther than this from the skin have no contact [m]"""
    along: int = 24
    """places along a bone"""
    around: int = 24
    """angles round a bone"""
    device: str = "cpu"
    """where candidates are chosen and measured: cpu or gpu (extra gpu)"""

    def __post_init__(self) -> None:
        check_device("collider bones", self.device)
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
        step, column_width = (self.high - self.low) / (rows - 1), 2 * np.pi / columns
        a = np.clip((t - self.low) / step, 0, rows - 1 - 1e-9)
        b = np.mod(angle, 2 * np.pi) / column_width
        i, j = a.astype(np.int64), b.astype(np.int64)
        f, g = a - i, b - j
        j, k = j % columns, (j + 1) % columns
        p, q, u, v = self.radius[i, j], self.radius[i, k], self.radius[i + 1, j], self.radius[i + 1, k]
        lower, upper = p + g * (q - p), u + g * (v - u)
        return (
            lower + f * (upper - lower),
            (upper - lower) / step,
            ((1 - f) * (q - p) + f * (v - u)) / column_width,
        )


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

        self.on_device: gpu.BoneFields | None = None
        if self.settings.device == "gpu":
            tables = np.stack([field.radius for field in self.fields.values()])
            self.on_device = gpu.BoneFields(open_device(), tables)
        self._blocks: Blocks | None = None
        self.tested = 0
        """particles whose distance from a limb was measured in the last look"""

    def at(self, body: PosedBody) -> BoneQuery:
        """Return the limbs at one instant."""
        return BoneQuery(self, self._tracker.at(body))

    def frame(self, motion: LimbMotion, limb: int) -> Floats:
        """Return world_from_bone of a limb, (4, 4)."""
        frame: Floats = motion.posed_from_rest[limb] @ self.fields[limb].rest_from_bone
        return frame

    def candidates(self, motion: LimbMotion, position: Floats) -> dict[int, Ints]:
        """Return per limb the particles that may touch it, in two levels: blocks by their boxes, then points.

        Both bodies are divided: cloth into blocks of neighbours, the body into the boxes of its limbs. Only
        particles of blocks whose box meets a limb's are asked one by one (candidate sets after Zhu 2008).
        """
        blocks = self._divided(position)
        middle, half = blocks.boxes(position)
        found, self.tested = {}, 0
        for limb, field in self.fields.items():
            frame = self.frame(motion, limb)
            widest = float(field.radius.max()) + self.settings.radius
            low, high = np.array([-widest, field.low, -widest]), np.array([widest, field.high, widest])
            reach = half @ np.abs(frame[:3, :3])
            at = (middle - frame[:3, 3]) @ frame[:3, :3]
            near = blocks.members(np.all((at + reach >= low) & (at - reach <= high), axis=1))
            own = (position[near] - frame[:3, 3]) @ frame[:3, :3]
            found[limb] = near[((own >= low) & (own <= high)).all(axis=1)]
            self.tested += len(near)
        return found

    def _divided(self, position: Floats) -> Blocks:
        if self._blocks is None or len(self._blocks.order) != len(position):
            self._blocks = Blocks.of(position)
        return self._blocks

    def ask_device(self, device: gpu.BoneFields, motion: LimbMotion, position: Floats) -> Contacts:
        """Return the contacts of points [m], (n, 3): both levels and the distances on the device."""
        blocks, reach = self._divided(position), self.settings.radius
        limbs = np.zeros(len(self.fields), gpu.LIMB)
        for row, (limb, field) in zip(limbs, self.fields.items(), strict=True):
            frame, widest = self.frame(motion, limb), float(field.radius.max()) + reach
            row["x"][:3], row["y"][:3], row["z"][:3] = frame[:3, :3].T
            row["origin"][:3] = frame[:3, 3]
            row["low"][:3], row["high"][:3] = (-widest, field.low, -widest), (widest, field.high, widest)
            row["centre"][:3], row["velocity"][:3] = motion.centre[limb], motion.velocity[limb]
            row["spin"][:3] = motion.spin[limb]
            row["ends"][:3] = field.low, field.high, LIMB_GROUP[limb]
        planes, speeds = device.find(
            position[blocks.order], blocks.start, limbs, int(LIMB_GROUP.max()) + 1, reach
        )
        self.tested = device.tested
        order = np.argsort(blocks.order)
        planes, speeds = planes[order].astype(np.float64), speeds[order].astype(np.float64)
        particle, group = np.nonzero(planes[..., 3] < reach)
        hit = planes[particle, group]
        return Contacts(
            particle.astype(np.int32),
            hit[:, 3].copy(),
            hit[:, :3].copy(),
            speeds[particle, group][:, :3].copy(),
        )


@dataclass(frozen=True, eq=False, slots=True)
class BoneQuery(ContactQuery):
    """The radius fields at one instant."""

    collider: BoneCollider
    motion: LimbMotion

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3): the deepest limb of each group in reach."""
        if self.collider.on_device is not None:
            return self.collider.ask_device(self.collider.on_device, self.motion, position)
        candidates = self.collider.candidates(self.motion, position)
        found = [self._limb(limb, position, near) for limb, near in candidates.items()]
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

    def _limb(self, limb: int, position: Floats, near: Ints) -> tuple[Ints, Floats, Floats, Floats]:
        """Return particles, gaps, normals and skin velocities of one limb, of its candidates."""
        field, frame = self.collider.fields[limb], self.collider.frame(self.motion, limb)
        gap, out = field.gap((position[near] - frame[:3, 3]) @ frame[:3, :3])
        close = gap < self.collider.settings.radius
        near, gap, out = near[close], gap[close], out[close] @ frame[:3, :3].T
        return (
            near.astype(np.int32),
            gap,
            out,
            self.motion.velocity_at(limb, position[near] - gap[:, None] * out),
        )


@dataclass(frozen=True, eq=False, slots=True)
class Blocks:
    """Particles that lie together, by number: the first level of the candidate sets."""

    order: Ints
    """particles, block after block, (n,)"""
    start: Ints
    """where each block begins, (b,)"""

    @staticmethod
    def of(position: Floats) -> Blocks:
        """Return blocks of neighbours: cubes of space, made of how the cloth lies at first."""
        cell = np.floor(position / CUBE).astype(np.int64)
        order = np.lexsort(cell.T)
        changes = np.any(np.diff(cell[order], axis=0) != 0, axis=1)
        return Blocks(
            order.astype(np.int32), np.concatenate([[0], np.flatnonzero(changes) + 1]).astype(np.int32)
        )

    def boxes(self, position: Floats) -> tuple[Floats, Floats]:
        """Return centres and half sides of the blocks' boxes [m], (b, 3) each."""
        own = position[self.order]
        low, high = np.minimum.reduceat(own, self.start), np.maximum.reduceat(own, self.start)
        return (low + high) / 2, (high - low) / 2

    def members(self, wanted: Bools) -> Ints:
        """Return the particles of some blocks, ascending."""
        size = np.diff(np.append(self.start, len(self.order)))
        return np.sort(self.order[np.repeat(wanted, size)])
