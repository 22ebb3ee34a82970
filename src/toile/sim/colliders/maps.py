"""Contact in image space: what a camera before and one behind the body see (Vassilev et al. 2001).

Each map pixel knows the skin's depth, normal and velocity there, so a look-up costs the same whatever the
body's number of triangles. See docs/collider-maps.md for the equations and for what the method cannot see.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from toile import _kernels
from toile.body.model.skin import vertex_faces, vertex_normals
from toile.core.errors import ToileError
from toile.core.records import Body, Bools, ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.geometry.raster import Floats32
from toile.gpu import limb_maps as gpu
from toile.gpu.device import check_device, open_device
from toile.sim.colliders.base import Collider

WORLD = np.concatenate([np.eye(3), np.zeros((1, 3))])[None]
"""the maps' own frame: axes, origin"""


NOTHING_BEHIND = (np.zeros((0, 3), np.int32), np.zeros(0, np.int32))
"""a part that is shown as it is: no triangles of others"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapSettings:
    """Settings of the map collider."""

    size: int = 340
    """pixels along the body's height: 5 mm each for an average person"""
    tolerance: float = 0.0
    """the skin in the maps lies so far outside the real one [m]; adds to the solver's thickness"""
    rim: int = 1
    """layers of pixels added round the silhouette"""
    reach: float = 0.02
    """points farther than this from the skin have no contact [m]"""
    refine: bool = True
    """look a second time where the first look says the skin is: better depths; the papers look once"""
    by_depth: bool = False
    """the gap is the difference in depth (equation 12); off: the distance from the pixel's plane"""
    depth_bits: int = 0
    """depths are rounded as a depth buffer of so many bits does; the papers: 24; 0: not"""
    colour_bits: int = 0
    """normals and velocities are rounded as colours of so many bits are (equations 7 to 10); 0: not"""
    stored: int = 0
    """maps of so many poses are kept and used again when the body comes back to a pose: for known motions"""
    device: str = "cpu"
    """where maps are drawn: cpu or gpu (extra gpu: render passes, read back as in the papers)"""

    def __post_init__(self) -> None:
        check_device("collider maps", self.device)
        if not 16 <= self.size <= 4096:
            raise ToileError(f"map size is {self.size} pixels: choose between 16 and 4096")
        if not 0 <= self.rim <= 16:
            raise ToileError(f"rim is {self.rim} pixels: choose between 0 and 16")
        if not (0 <= self.depth_bits <= 32 and 0 <= self.colour_bits <= 16):
            raise ToileError("choose 0 to 32 depth_bits and 0 to 16 colour_bits; 0 does not round")
        if not 0 <= self.stored <= 100000:
            raise ToileError(f"stored is {self.stored}: choose between 0 and 100000 poses")
        if not (0 <= self.tolerance < 0.1 and 0 < self.reach < 1):
            raise ToileError("choose a tolerance between 0 and 0.1 m and a reach between 0 and 1 m")


@dataclass(frozen=True, eq=False, slots=True)
class MapFrame:
    """Where the maps lie in the world."""

    left: float
    """x of the front map's left border [m]"""
    top: float
    """y of the upper border [m]"""
    pixel: float
    """side of a pixel [m], the error in x and y (equation 14)"""
    columns: int
    rows: int

    def columns_of(self, x: Floats, back: Bools | bool) -> Floats:
        """Return X in pixels, equation 11: the back camera sees left and right exchanged."""
        front = (x - self.left) / self.pixel
        return np.asarray(np.where(back, self.columns - front, front))

    def rows_of(self, y: Floats) -> Floats:
        """Return Y in pixels, downward from the top (equation 11 counts upward from the feet)."""
        return np.asarray((self.top - y) / self.pixel)

    def centres(self, pixel: Ints, back: bool) -> tuple[Floats, Floats]:
        """Return x and y of the centres of flat pixel indices [m]."""
        column = (pixel % self.columns).astype(np.float64) + 0.5
        row = (pixel // self.columns).astype(np.float64)
        across = self.columns - column if back else column
        return self.left + across * self.pixel, self.top - (row + 0.5) * self.pixel


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """What one camera sees, and the rim round it."""

    seen: Bools
    """pixels with skin or rim, (h, w)"""
    depth: Floats
    """z of the skin with the tolerance added outward [m], NaN where nothing is seen, (h, w)"""
    normal: Floats
    """unit, out of the body, (h, w, 3)"""
    velocity: Floats
    """of the skin [m/s], (h, w, 3)"""


@dataclass(frozen=True, eq=False, slots=True)
class Maps(ContactQuery):
    """A body at one instant, from the front and from the back."""

    frame: MapFrame
    texels: Floats32
    """per pixel of the front camera what both see: normal, plane offset, depth (infinite: unseen), velocity;
    front first, (h, w, 2, 8)"""
    reach: float
    """[m]"""
    refine: bool
    by_depth: bool = False

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3)."""
        f = self.frame
        points = np.ascontiguousarray(position, dtype=np.float64)
        found = _kernels.look_up_map(
            points, self.texels, f.left, f.top, f.pixel, self.reach, 0.0, self.refine, self.by_depth
        )
        return Contacts(*found)

    @property
    def front(self) -> View:
        """What the camera before the body sees."""
        return _view(self.texels[:, :, 0])

    @property
    def back(self) -> View:
        """What the camera behind the body sees: left and right exchanged."""
        return _view(self.texels[:, ::-1, 1])

    def collides(self, position: Floats) -> Bools:
        """Return which points lie under the skin of the maps, equation 12, (n,)."""
        frame, z = self.frame, position[:, 2]
        row, column = frame.rows_of(position[:, 1]), frame.columns_of(position[:, 0], False)
        with np.errstate(invalid="ignore"):
            inside = (row >= 0) & (row < frame.rows) & (column >= 0) & (column < frame.columns)
        r, c = (np.where(inside, a, 0).astype(np.int32) for a in (row, column))
        front, back = self.texels[r, c, 0, 4], self.texels[r, c, 1, 4]
        # the nearer map decides: before the middle the front one, behind it the back one
        return np.asarray(inside & (z < front) & (z > back))


def _view(texels: Floats32) -> View:
    values = texels.astype(np.float64)
    seen = np.isfinite(values[..., 4])
    return View(seen, np.where(seen, values[..., 4], np.nan), values[..., :3], values[..., 5:])


class MapCollider(Collider):
    """Contact with one body through its front and back maps."""

    def __init__(self, body: Body, settings: MapSettings | None = None) -> None:
        """Sort the triangles; the maps are drawn per body step, or before a known motion."""
        self.settings = settings or MapSettings()
        self.body = body
        part = np.zeros(len(body.triangles), np.int32)
        self._maps = _kernels.PartMaps(body.triangles, part, 1, len(body.vertices), *NOTHING_BEHIND)
        self._store: OrderedDict[bytes, Maps] = OrderedDict()
        self._device: DrawnByDevice | None = DrawnByDevice(body) if self.settings.device == "gpu" else None

    def at(self, body: PosedBody) -> Maps:
        """Return the maps of the body at one instant: stored ones if the pose is known, else drawn ones."""
        if not self.settings.stored:
            return self._draw(body)
        key = pose_key(body)
        if key not in self._store:
            self._store[key] = self._draw(body)
        self._store.move_to_end(key)
        while len(self._store) > self.settings.stored:
            self._store.popitem(last=False)
        return self._store[key]

    def precompute(self, poses: Iterable[PosedBody]) -> int:
        """Draw and keep the maps of a known motion; return how many are stored."""
        if not self.settings.stored:
            raise ToileError("maps are not kept: set `stored` to the number of poses of the motion")
        for pose in poses:
            self.at(pose)
        return len(self._store)

    def _draw(self, body: PosedBody) -> Maps:
        s = self.settings
        pixel = pixel_size(body.vertices, s)
        if self._device is not None:
            left, top, texels = self._device.draw(body, s, pixel)
            return self._framed(left, top, texels, pixel)
        self._maps.set_options(pixel, s.tolerance, s.reach, 0.0, s.rim, s.refine, s.by_depth)
        self._maps.pose(np.ascontiguousarray(body.vertices), np.ascontiguousarray(body.velocity), WORLD)
        self._maps.draw(np.ones(1, dtype=bool))
        return self._framed(*self._maps.texels(0), pixel)

    def _framed(self, left: float, top: float, texels: Floats32, pixel: float) -> Maps:
        s = self.settings
        rows, columns = texels.shape[:2]
        frame = MapFrame(left, top, pixel, columns, rows)
        return Maps(frame, through_buffers(texels, frame, s), s.reach, s.refine, s.by_depth)


class DrawnByDevice:
    """Front and back maps of a whole body from render passes, read back into main memory as in the papers."""

    def __init__(self, body: Body) -> None:
        self._triangles = body.triangles
        self._faces = vertex_faces(body.triangles, len(body.vertices))
        self._maps: gpu.PartMaps | None = None

    def draw(self, body: PosedBody, settings: MapSettings, pixel: float) -> tuple[float, float, Floats32]:
        """Return left and top border [m] and the texels, (h, w, 2, 8)."""
        size = np.ptp(body.vertices, axis=0)[:2].max() / pixel + 2 * (settings.rim + 2)
        if self._maps is None or size > self._maps.size:
            part = np.zeros(len(self._triangles), np.int32)
            texture = 16 * int(np.ceil(size / 16))
            self._maps = gpu.PartMaps(open_device(), (self._triangles, part), NOTHING_BEHIND, 1, texture)
        maps, device = self._maps, self._maps.gpu
        maps.set_options(
            gpu.MapOptions(pixel=pixel, tolerance=settings.tolerance, rim=settings.rim, colliding=False)
        )
        normals = vertex_normals(body.vertices, self._triangles, self._faces)
        maps.pose(body.vertices, normals, body.velocity, WORLD)
        encoder = device.device.create_command_encoder()
        maps.encode_drawing(encoder, device.buffer(16), 1)
        device.device.queue.submit([encoder.finish()])
        frame, planes, motions = maps.read(0)
        depth = motions[..., 3:]
        depth = np.where(np.abs(depth) < 0.5 * gpu.FAR, depth, np.copysign(np.inf, depth))
        texels = np.concatenate([planes, depth, motions[..., :3]], axis=3)
        return float(frame[0]), float(frame[1]), texels.astype(np.float32)


def through_buffers(texels: Floats32, frame: MapFrame, settings: MapSettings) -> Floats32:
    """Return texels as they come back from a frame buffer: rounded to its bits (equations 7 to 10, 13)."""
    if not (settings.depth_bits or settings.colour_bits):
        return texels
    found, seen = np.array(texels, dtype=np.float64), np.isfinite(texels[..., 4])
    if not seen.any():
        return texels
    depth, normal, velocity = found[seen][:, 4], found[seen][:, :3], found[seen][:, 5:]
    if settings.depth_bits:
        near, far, steps = depth.max(), depth.min(), 2.0**settings.depth_bits - 1
        grey = np.rint(depth_to_grey(depth, near, far) * steps) / steps if near > far else 0.0 * depth
        depth = near + grey * (far - near)
    if settings.colour_bits:
        steps, largest = 2.0**settings.colour_bits - 1, max(float(np.abs(velocity).max()), 1e-9)
        normal = colour_to_normal(np.rint(normal_to_colour(normal) * steps) / steps)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        velocity = colour_to_velocity(np.rint(velocity_to_colour(velocity, largest) * steps) / steps, largest)
    row, column, _ = np.nonzero(seen)
    x, y = frame.centres(row * frame.columns + column, back=False)
    # tolerance is in the depths already
    offset = np.einsum("pa,pa->p", normal, np.stack([x, y, depth], axis=1))
    found[seen] = np.concatenate([normal, offset[:, None], depth[:, None], velocity], axis=1)
    return found.astype(np.float32)


def pose_key(body: PosedBody) -> bytes:
    """Return a fingerprint of where the skin is and how it moves."""
    digest = hashlib.blake2b(np.ascontiguousarray(body.vertices).tobytes(), digest_size=16)
    digest.update(np.ascontiguousarray(body.velocity).tobytes())
    return digest.digest()


def draw_maps(body: PosedBody, settings: MapSettings) -> Maps:
    """Return depth, normal and velocity maps of a posed body from the front and from the back."""
    return MapCollider(body.body, settings).at(body)


def pixel_size(vertices: Floats, settings: MapSettings) -> float:
    """Return the side of a pixel [m], equation 14: the body's height over the map's size."""
    size = np.ptp(vertices, axis=0)
    pixel = float(size[1]) / settings.size
    if not pixel > 0 or not size[0] < 10 * size[1]:
        raise ToileError("maps need a standing body: it is more than ten times as wide as high")
    return pixel


def normal_to_colour(normal: Floats) -> Floats:
    """Return normals as colours from 0 to 1, equation 7."""
    return 0.5 * normal + 0.5


def colour_to_normal(colour: Floats) -> Floats:
    """Return the normals that colours stand for, equation 8."""
    return 2.0 * colour - 1.0


def velocity_to_colour(velocity: Floats, largest: float) -> Floats:
    """Return velocities as colours from 0 to 1, equation 9 as it must read: 0.5 v / maxv + 0.5."""
    return 0.5 * velocity / largest + 0.5


def colour_to_velocity(colour: Floats, largest: float) -> Floats:
    """Return the velocities that colours stand for [m/s], equation 10."""
    return largest * (2.0 * colour - 1.0)


def depth_to_grey(depth: Floats, near: float, far: float) -> Floats:
    """Return z values as the depth buffer holds them: 0 at the near plane, 1 at the far plane."""
    return (depth - near) / (far - near)
