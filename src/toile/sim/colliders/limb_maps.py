"""Contact in image space, limb by limb (Rodríguez-Navarro et al. 2005): 14 parts, two cameras each.

Each part of the body has a camera before and one behind it that move with it, so that an arm before the chest
hides nothing. A pixel knows depth, normal and velocity of the skin on both sides; see
docs/collider-limb-maps.md. The hot loops are engine/contact/limb_maps.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from toile._kernels import PartMaps
from toile.body.model.limbs import limb_joints
from toile.body.model.skeleton import rigid_inverse
from toile.body.model.skin import vertex_faces, vertex_normals
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, Bools, ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.geometry.topology import unique_edges
from toile.gpu import limb_maps as gpu
from toile.gpu.device import check_device, open_device
from toile.sim.colliders.base import Collider
from toile.sim.colliders.maps import NOTHING_BEHIND

PARTS: dict[str, tuple[str, ...]] = {
    "head": ("head", "neck"),
    "torso": ("torso", "pelvis"),
    **{name: (name,) for name in LIMBS[4:]},
}
"""the 14 anatomical parts and the limbs that they show: head, torso, three segments of each arm and leg"""

ROOM = 1.25
"""device: textures are so many times as large as the largest limb at rest, for limbs that bend"""
LARGEST = 2048
"""device: pixels a side of a map"""
FLAT = 0.7
"""a part that is thinner than this share of its breadth is seen across its flat side"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimbMapSettings:
    """Settings of the limb map collider."""

    pixel: float = 0.005
    """side of a pixel [m]"""
    tolerance: float = 0.0
    """the skin in the maps lies so far outside the real one [m]; adds to the solver's thickness"""
    rim: int = 2
    """layers of pixels added round each silhouette"""
    reach: float = 0.02
    """points farther than this from the skin have no contact [m]"""
    silhouette: float = 0.005
    """where front and back are equally deep up to this, their normals are averaged [m]"""
    colliding: bool = True
    """draw and test only parts whose oriented box the cloth has entered; off: always all parts"""
    every: int = 1
    """boxes are tested with every n-th cloth point; the paper: 8"""
    refine: bool = True
    """look a second time where the first look says the skin is: better depths; the paper looks once"""
    by_depth: bool = False
    """the gap is the difference in depth (equation 3); off: the distance from the pixel's plane"""
    closed: bool = True
    """where only one camera of a part sees its skin, at the cut to a neighbour, the other side is the
    neighbour's; the paper does not say; without, there is no inside and cloth sinks in"""
    overlap: int = 2
    """rings of triangles that a part shows of its neighbours"""
    device: str = "cpu"
    """where maps are drawn and asked: cpu or gpu (extra gpu)"""

    def __post_init__(self) -> None:
        check_device("collider limb_maps", self.device)
        if not 0.0005 <= self.pixel <= 0.1:
            raise ToileError(f"pixel is {self.pixel} m: choose between 0.5 mm and 0.1 m")
        if not (0 <= self.rim <= 16 and 0 <= self.overlap <= 16):
            raise ToileError("rim and overlap: choose between 0 and 16")
        if not (0 <= self.tolerance < 0.1 and 0 <= self.silhouette < 0.1 and 0 < self.reach < 1):
            raise ToileError("choose tolerance and silhouette from 0 to 0.1 m, a reach between 0 and 1 m")
        if not 1 <= self.every <= 1000:
            raise ToileError(f"every is {self.every}: choose between 1 and 1000")


class LimbMapCollider(Collider):
    """Contact with one body through the maps of its parts."""

    def __init__(self, body: Body, settings: LimbMapSettings | None = None) -> None:
        """Give every triangle to its parts and every part a camera."""
        s = self.settings = settings or LimbMapSettings()
        self.body = body
        triangles, part = part_triangles(body, s.overlap)
        if not len(triangles):
            raise ToileError(f"body {body.name}: no part has skin to draw maps of")
        behind = neighbour_triangles(body, triangles, part) if s.closed else NOTHING_BEHIND
        if s.device == "gpu":
            self.on_device = device_maps(body, s, (triangles, part), behind)
        self.maps = PartMaps(triangles, part, len(PARTS), len(body.vertices), *behind)
        self.maps.set_options(s.pixel, s.tolerance, s.reach, s.silhouette, s.rim, s.refine, s.by_depth)
        self._joint, self._joint_from_part = part_cameras(body)
        self._posed: PosedBody | None = None
        self._faces = vertex_faces(body.triangles, len(body.vertices))

    on_device: gpu.PartMaps | None = None
    """maps on the graphics device, instead of the compiled ones"""

    def at(self, body: PosedBody) -> LimbMapQuery:
        """Return the parts at one instant. Asking an older query again is allowed, but draws again."""
        self._pose(body)
        return LimbMapQuery(self, body)

    def _pose(self, body: PosedBody) -> None:
        if self._posed is body:
            return
        frames = world_from_parts(body, self._joint, self._joint_from_part)
        axes = np.concatenate([frames[:, :3, :3].transpose(0, 2, 1), frames[:, None, :3, 3]], axis=1)
        if self.on_device is not None:
            normals = vertex_normals(body.vertices, self.body.triangles, self._faces)
            self.on_device.pose(body.vertices, normals, body.velocity, axes)
        else:
            self.maps.pose(
                np.ascontiguousarray(body.vertices),
                np.ascontiguousarray(body.velocity),
                np.ascontiguousarray(axes),
            )
        self._posed = body

    def wanted(self, position: Floats) -> Bools:
        """Return which parts the points can touch: all, or those whose box they have entered, (14,)."""
        if not self.settings.colliding:
            return np.ones(len(PARTS), dtype=bool)
        found: Bools = self.maps.touched(position, self.settings.every)
        return found

    def ask(self, body: PosedBody, position: Floats) -> Contacts:
        """Return the contacts of points [m], (n, 3), with the parts of a posed body."""
        self._pose(body)
        points = np.ascontiguousarray(position, dtype=np.float64)
        if self.on_device is not None:
            return Contacts(*self.on_device.find(points))
        self.maps.draw(self.wanted(points))
        particle, gap, normal, velocity, _ = self.maps.look_up(points, self.settings.colliding)
        return Contacts(particle, gap, normal, velocity)


@dataclass(frozen=True, eq=False, slots=True)
class LimbMapQuery(ContactQuery):
    """The parts at one instant."""

    collider: LimbMapCollider
    body: PosedBody

    @property
    def on_device(self) -> gpu.PartMaps | None:
        """Return the maps on the graphics device, posed as this query says; None: they are compiled ones."""
        self.collider._pose(self.body)
        return self.collider.on_device

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3); one per part in reach."""
        return self.collider.ask(self.body, position)


def device_maps(
    body: Body, settings: LimbMapSettings, own: tuple[Ints, Ints], behind: tuple[Ints, Ints]
) -> gpu.PartMaps:
    """Return the maps of a body's parts on the graphics device, in textures with room for bent limbs."""
    widest = max(float(np.ptp(body.vertices[own[0][own[1] == k]].reshape(-1, 3), axis=0).max(initial=0.0))
                 for k in range(len(PARTS)))  # fmt: skip
    pixels = ROOM * widest / settings.pixel + 2 * (settings.rim + 1)
    size = 16 * int(np.ceil(pixels / 16))
    if size > LARGEST:
        raise ToileError(f"pixel is {settings.pixel} m: a map would have more than {LARGEST} pixels a side")
    maps = gpu.PartMaps(open_device(), own, behind, len(PARTS), size)
    names = {f.name for f in fields(gpu.MapOptions)}
    maps.set_options(gpu.MapOptions(**{n: getattr(settings, n) for n in names}))
    return maps


def part_triangles(body: Body, overlap: int) -> tuple[Ints, Ints]:
    """Return the triangles that each part shows, (t, 3), and their parts, (t,); neighbours share some."""
    edges, _ = unique_edges(body.triangles)
    found, parts = [], []
    for index, limbs in enumerate(PARTS.values()):
        own = np.isin(body.limb, [LIMBS.index(limb) for limb in limbs])
        for _ in range(overlap):
            grown = own.copy()
            grown[edges[own[edges[:, 0]], 1]] = True
            grown[edges[own[edges[:, 1]], 0]] = True
            own = grown
        # without overlap a triangle belongs where most of its corners do
        corners = own[body.triangles].sum(axis=1)
        chosen = body.triangles[corners >= (3 if overlap else 2)]
        found.append(chosen)
        parts.append(np.full(len(chosen), index, dtype=np.int32))
    return np.ascontiguousarray(np.concatenate(found)), np.concatenate(parts)


def neighbour_triangles(body: Body, triangles: Ints, part: Ints) -> tuple[Ints, Ints]:
    """Return the triangles that each part's neighbours show and it does not, (t, 3), and that part, (t,)."""
    owners = np.zeros((len(PARTS), len(body.vertices)), dtype=bool)
    owners[np.repeat(part, 3), triangles.ravel()] = True
    meet = (owners.astype(np.int64) @ owners.T.astype(np.int64)) > 0
    # each triangle of the body by the parts that show it
    shown = np.array([owners[k][body.triangles].all(axis=1) for k in range(len(PARTS))])
    found, parts = [], []
    for index in range(len(PARTS)):
        others = meet[index] & (np.arange(len(PARTS)) != index)
        chosen = body.triangles[shown[others].any(axis=0) & ~shown[index]]
        found.append(chosen)
        parts.append(np.full(len(chosen), index, dtype=np.int32))
    return np.ascontiguousarray(np.concatenate(found)), np.concatenate(parts)


def part_cameras(body: Body) -> tuple[Ints, Floats]:
    """Return the joint that carries each part, (14,), and joint_from_part, (14, 4, 4).

    In a part's frame y runs up along the bone and the front camera looks along −z.
    """
    carrier = limb_joints(body)
    joints = np.array([carrier[LIMBS.index(limbs[0])] for limbs in PARTS.values()], dtype=np.int32)
    frames = np.tile(np.eye(4), (len(PARTS), 1, 1))
    for part, (name, limbs) in enumerate(PARTS.items()):
        bone = body.skeleton.world_from_joint[joints[part], :3, 1]
        points = body.vertices[np.isin(body.limb, [LIMBS.index(limb) for limb in limbs])]
        upright = name in ("head", "torso")
        frames[part, :3, :3] = _camera_axes(np.array([0.0, 1.0, 0.0]) if upright else bone, points)
    return joints, rigid_inverse(body.skeleton.world_from_joint[joints]) @ frames


def _camera_axes(bone: Floats, points: Floats) -> Floats:
    """Return x, y, z as columns, (3, 3): y along the bone, z to the front (foot: up) or across the flat."""
    y = bone / np.linalg.norm(bone)
    y = y if y[1] >= -0.1 else -y
    front = np.array([0.0, 0.0, 1.0]) if abs(y[2]) < 0.7 else np.array([0.0, 1.0, 0.0])
    z = front - (front @ y) * y
    z /= np.linalg.norm(z)
    x = np.cross(y, z)
    if len(points) > 3:
        across = (points - points.mean(axis=0)) @ np.stack([x, z], axis=1)
        size, direction = np.linalg.eigh(across.T @ across)
        if size[0] < FLAT**2 * size[1]:
            thin = direction[0, 0] * x + direction[1, 0] * z
            z = thin if thin @ front >= 0 else -thin
    return np.stack([np.cross(y, z), y, z], axis=1)


def world_from_parts(posed: PosedBody, joint: Ints, joint_from_part: Floats) -> Floats:
    """Return the frames of the parts' cameras in a pose, (14, 4, 4)."""
    frames: Floats = posed.world_from_joint[joint] @ joint_from_part
    return frames
