"""Contact in image space: what a camera before and one behind the body see (Vassilev et al. 2001).

Each map pixel knows the skin's depth, normal and velocity there, so a look-up costs the same whatever the
body's number of triangles. See docs/collider-maps.md for the equations and for what the method cannot see.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.errors import ToileError
from toile.mesh.geometry import vertex_normals
from toile.mesh.raster import rasterise
from toile.types import Body, Bools, Contacts, Floats, Ints, PosedBody

NEIGHBOURS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


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

    def __post_init__(self) -> None:
        if not 16 <= self.size <= 4096:
            raise ToileError(f"map size is {self.size} pixels: choose between 16 and 4096")
        if not 0 <= self.rim <= 16:
            raise ToileError(f"rim is {self.rim} pixels: choose between 0 and 16")
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
    offset: Floats
    """n · s of the plane that touches the skin at the pixel, tolerance added [m], (h, w)"""


@dataclass(frozen=True, eq=False, slots=True)
class Maps:
    """A body at one instant, from the front and from the back."""

    frame: MapFrame
    front: View
    back: View
    reach: float
    """[m]"""

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3)."""
        inside, cell, back = self._pick(position)
        values = {k: self._look(k, cell, back) for k in ("depth", "normal", "offset")}
        gap = np.einsum("nk,nk->n", values["normal"], position) - values["offset"]
        # how far before the seen skin, along the camera's axis
        before = (position[:, 2] - values["depth"]) * np.where(back, -1, 1)
        with np.errstate(invalid="ignore"):
            near = np.flatnonzero(inside & (gap < self.reach) & (before < self.reach)).astype(np.int32)
        return Contacts(
            particle=near,
            gap=gap[near],
            normal=values["normal"][near],
            velocity=self._look("velocity", cell[near], back[near]),
        )

    def collides(self, position: Floats) -> Bools:
        """Return which points lie under the skin of the maps, equation 12, (n,)."""
        inside, cell, back = self._pick(position)
        depth = self._look("depth", cell, back)
        with np.errstate(invalid="ignore"):
            return np.asarray(inside & np.where(back, position[:, 2] > depth, position[:, 2] < depth))

    def _look(self, name: str, cell: Ints, back: Bools) -> Floats:
        """Return a map's values at flat pixels, of the back map where back is set."""
        front_map, back_map = getattr(self.front, name), getattr(self.back, name)
        flat = (self.frame.rows * self.frame.columns, *front_map.shape[2:])
        choose = back.reshape(-1, *(1,) * (len(flat) - 1))
        return np.asarray(np.where(choose, back_map.reshape(flat)[cell], front_map.reshape(flat)[cell]))

    def _pick(self, position: Floats) -> tuple[Bools, Ints, Bools]:
        """Return which points a map knows, their flat pixel and whether the back map speaks for them."""
        frame = self.frame
        row, column = frame.rows_of(position[:, 1]), frame.columns_of(position[:, 0], False)
        with np.errstate(invalid="ignore"):
            inside = (row >= 0) & (row < frame.rows) & (column > 0) & (column < frame.columns)
        r = np.where(inside, row, 0).astype(np.int32)
        c = np.where(inside, column, 0).astype(np.int32)
        mirrored = frame.columns - 1 - c
        inside &= self.front.seen[r, c]
        middle = 0.5 * (self.front.depth[r, c] + self.back.depth[r, mirrored])
        with np.errstate(invalid="ignore"):
            back = np.asarray(position[:, 2] < middle)
        return inside, (r * frame.columns + np.where(back, mirrored, c)).astype(np.int32), back


class MapCollider:
    """Contact with one body through its front and back maps."""

    def __init__(self, body: Body, settings: MapSettings | None = None) -> None:
        """Nothing is prepared: the maps are drawn per body step."""
        self.settings = settings or MapSettings()
        self.body = body

    def at(self, body: PosedBody) -> Maps:
        """Return the maps of the body at one instant."""
        return draw_maps(body, self.settings)


def draw_maps(body: PosedBody, settings: MapSettings) -> Maps:
    """Return depth, normal and velocity maps of a posed body from the front and from the back."""
    frame = map_frame(body.vertices, settings)
    normals = vertex_normals(body.vertices, body.body.triangles)
    views = [_view(body, normals, frame, settings, back) for back in (False, True)]
    return Maps(frame, views[0], views[1], settings.reach)


def map_frame(vertices: Floats, settings: MapSettings) -> MapFrame:
    """Return the frame of the body's bounding box, with room for the rim."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    pixel = float(high[1] - low[1]) / settings.size
    if not pixel > 0 or not (high[0] - low[0]) < 10 * (high[1] - low[1]):
        raise ToileError("maps need a standing body: it is more than ten times as wide as high")
    margin = settings.rim + 1
    columns = int(np.ceil((high[0] - low[0]) / pixel)) + 2 * margin
    left = 0.5 * float(low[0] + high[0]) - 0.5 * columns * pixel
    return MapFrame(left, float(high[1]) + margin * pixel, pixel, columns, settings.size + 2 * margin)


def _view(body: PosedBody, normals: Floats, frame: MapFrame, settings: MapSettings, back: bool) -> View:
    """Return what one camera sees, with the rim and the tolerance."""
    x, y, z = body.vertices.T
    points = np.stack([frame.columns_of(x, back), frame.rows_of(y), z], axis=1)
    # the front camera sees the largest z, the back camera the smallest
    drawn = rasterise(points, body.body.triangles, frame.columns, frame.rows, farthest=not back)
    values = np.zeros((frame.rows * frame.columns, 9))
    mixed = drawn.mix(np.concatenate([normals, body.velocity], axis=1))
    cx, cy = frame.centres(drawn.pixel, back)
    values[drawn.pixel, :6] = mixed
    values[drawn.pixel, 6:] = np.stack([cx, cy, drawn.depth.reshape(-1)[drawn.pixel]], axis=1)
    seen = drawn.triangle >= 0
    for _ in range(settings.rim):
        seen = _grow(values, seen)
    return _finished(values, seen, settings.tolerance, back)


def _grow(values: Floats, seen: Bools) -> Bools:
    """Add a layer of pixels with the mean of their seen neighbours, in place; return what is seen then."""
    grown = seen.copy()
    grown[1:] |= seen[:-1]
    grown[:-1] |= seen[1:]
    down = grown.copy()
    grown[:, 1:] |= down[:, :-1]
    grown[:, :-1] |= down[:, 1:]
    row, column = np.nonzero(grown & ~seen)
    height, width = seen.shape
    total, count = np.zeros((len(row), values.shape[1])), np.zeros((len(row), 1))
    for below, right in NEIGHBOURS:
        r, c = np.clip(row + below, 0, height - 1), np.clip(column + right, 0, width - 1)
        has = seen[r, c][:, None]
        total += has * values[r * width + c]
        count += has
    values[row * width + column] = total / count
    return grown


def _finished(values: Floats, seen: Bools, tolerance: float, back: bool) -> View:
    """Return the view: unit normals, planes through the skin, tolerance outward."""
    at = np.flatnonzero(seen)
    normal, place = values[at, :3], values[at, 6:]
    normal /= np.maximum(np.sqrt(np.einsum("pk,pk->p", normal, normal)), 1e-12)[:, None]
    values[at, :3] = normal
    depth, offset = np.full(len(values), np.nan), np.zeros(len(values))
    depth[at] = place[:, 2] + (-tolerance if back else tolerance)
    offset[at] = np.einsum("pk,pk->p", normal, place) + tolerance
    return View(
        seen=seen,
        depth=depth.reshape(seen.shape),
        normal=values[:, :3].reshape(*seen.shape, 3),
        velocity=values[:, 3:6].reshape(*seen.shape, 3),
        offset=offset.reshape(seen.shape),
    )


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
