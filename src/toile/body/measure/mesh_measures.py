"""Measuring a body of unknown mesh, from its geometry alone: scans, foreign avatars.

The surface stands in A- or T-pose: metres, y up, facing ±z, feet down. Sections are split into closed
outlines; the one across the middle plane is the trunk, those beside it are arms and legs. The waist is the
least girth, the bust where the trunk reaches furthest forward, the hips where it reaches furthest back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from toile.body.measure.measures import DENSITY, volume
from toile.core.errors import ToileError
from toile.core.records import Bools, Floats, Ints
from toile.geometry.section import plane_axes, tape_length

UP = np.array([0.0, 1.0, 0.0])
LEVEL_NAMES = {"hips": "hip"}


@dataclass(frozen=True, eq=False, slots=True)
class Outline:
    """One closed curve of a section, seen along the plane's normal."""

    points: Floats
    """in space [m], (p, 3)"""
    girth: float
    """of a tight tape [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class Surface:
    """A triangle mesh standing on y = 0."""

    vertices: Floats
    """[m], (n, 3)"""
    triangles: Ints
    low: Floats
    """least height of each triangle [m], (t,)"""
    high: Floats
    """greatest [m], (t,)"""

    @property
    def height(self) -> float:
        """Return the height of the highest point [m]."""
        return float(self.vertices[:, 1].max())


def outlines(surface: Surface, origin: Floats, normal: Floats, keep: Bools | None = None) -> list[Outline]:
    """Return the closed curves in which a plane cuts a surface; keep: triangles that count."""
    triangles = surface.triangles if keep is None else surface.triangles[keep]
    above = (surface.vertices - origin) @ normal > 0
    a, b, c = above[triangles].T
    crossed = triangles[(a != b) | (b != c)].astype(np.int64)
    if not len(crossed):
        return []
    # the two cut edges of each triangle join: outlines are the connected parts
    pairs = np.stack([crossed, np.roll(crossed, -1, axis=1)], axis=2)
    cut = above[pairs[:, :, 0]] != above[pairs[:, :, 1]]
    code = pairs.min(axis=2) * len(surface.vertices) + pairs.max(axis=2)
    edges, place = np.unique(code[cut], return_inverse=True)
    links = place.reshape(-1, 2)
    graph = coo_matrix((np.ones(len(links)), links.T), shape=(len(edges),) * 2)
    count, label = connected_components(graph, directed=False)
    points = _cut_points(surface.vertices, edges, origin, normal)
    flat = (points - origin) @ plane_axes(normal).T
    return [
        Outline(points[label == i], tape_length(flat[label == i]))
        for i in range(count)
        if (label == i).sum() > 2
    ]


def _cut_points(vertices: Floats, edges: Ints, origin: Floats, normal: Floats) -> Floats:
    a, b = vertices[edges // len(vertices)], vertices[edges % len(vertices)]
    low, high = (a - origin) @ normal, (b - origin) @ normal
    points: Floats = a + (low / (low - high))[:, None] * (b - a)
    return points


def level(surface: Surface, height: float) -> list[Outline]:
    """Return the outlines of a horizontal section, greatest girth first."""
    near = (surface.low <= height) & (surface.high >= height)
    found = outlines(surface, np.array([0.0, height, 0.0]), UP, near)
    return sorted(found, key=lambda o: -o.girth)


def trunk_at(surface: Surface, height: float) -> Outline | None:
    """Return the greatest outline across the middle plane, if there is one."""
    for outline in level(surface, height):
        if outline.points[:, 0].min() < 0 < outline.points[:, 0].max():
            return outline
    return None


def measure_mesh(vertices: Floats, triangles: Ints, name: str = "body") -> dict[str, float]:
    """Return what the geometry alone tells of a body [m; kg]: height, girths, levels, weight."""
    lowest, middle = vertices[:, 1].min(), np.median(vertices[:, 0])
    stood = vertices - np.array([middle, lowest, 0.0])
    heights = stood[triangles, 1]
    surface = Surface(stood, triangles, heights.min(axis=1), heights.max(axis=1))
    tall = surface.height
    crotch = _crotch(surface, name)
    armpit = _armpit(surface, crotch, name)
    found = {"height": tall, "crotch_height": crotch, "inseam": crotch, "armpit_height": armpit}
    # the waist is the least girth between hips and ribs, the hips the greatest below it
    _put(found, surface, "waist", np.linspace(crotch + 0.09 * tall, armpit - 0.08 * tall, 40), least=True)
    waist = found["waist_height"]
    front = _facing(surface)
    found["hip_height"] = _foremost(
        surface, -front, np.linspace(crotch + 0.02 * tall, waist - 0.03 * tall, 30)
    )
    found["bust_height"] = _foremost(surface, front, np.linspace(waist + 0.04 * tall, armpit, 30))
    _put(found, surface, "hips", np.array([found["hip_height"]]))
    _put(found, surface, "bust", np.array([found["bust_height"]]))
    _put(found, surface, "underbust", np.linspace(waist, found["bust_height"], 24)[4:], least=True)
    found["neck"] = _neck(surface, front)
    found["thigh"] = _leg(surface, crotch - 0.025)
    found["calf"] = max(_leg(surface, y) for y in np.linspace(0.14 * tall, 0.24 * tall, 20))
    found |= _arm(surface, armpit)
    found["weight"] = abs(volume(surface.vertices, triangles)) * DENSITY
    return found


def _put(found: dict[str, float], surface: Surface, name: str, heights: Floats, least: bool = False) -> None:
    """Add the least or greatest trunk girth between levels, and its level."""
    girths = [o.girth if (o := trunk_at(surface, y)) else np.nan for y in heights]
    if not np.isfinite(girths).any():
        raise ToileError(
            f"cannot measure the {name}: no closed section there; close holes in the surface first"
        )
    i = int(np.nanargmin(girths) if least else np.nanargmax(girths))
    found[name] = float(girths[i])
    found[f"{LEVEL_NAMES.get(name, name)}_height"] = float(heights[i])


def _facing(surface: Surface) -> float:
    """Return 1 where the toes point to +z, else -1: a foot reaches further forward of the ankle than back."""
    tall, height = surface.height, surface.vertices[:, 1]
    ankle = surface.vertices[(height > 0.05 * tall) & (height < 0.08 * tall), 2].mean()
    foot = surface.vertices[height < 0.03 * tall, 2]
    return 1.0 if foot.max() - ankle > ankle - foot.min() else -1.0


def _foremost(surface: Surface, sign: float, heights: Floats) -> float:
    """Return the level at which the trunk reaches furthest along ±z [m]."""
    reach = [(sign * o.points[:, 2]).max() if (o := trunk_at(surface, y)) else -np.inf for y in heights]
    return float(heights[int(np.argmax(reach))])


def _crotch(surface: Surface, name: str) -> float:
    """Return the level above which the legs are one [m]."""
    for height in np.linspace(0.38, 0.56, 90) * surface.height:
        if trunk_at(surface, height):
            return float(height)
    raise ToileError(f"{name}: no level where two legs meet: is it a standing person, y up?")


def _armpit(surface: Surface, crotch: float, name: str) -> float:
    """Return the level above which the arms are one with the trunk [m]: there it grows wider at once."""
    before = np.inf
    for height in np.arange(crotch + 0.2 * surface.height, 0.86 * surface.height, 0.003):
        trunk = trunk_at(surface, height)
        width = float(np.ptp(trunk.points[:, 0])) if trunk else np.inf
        if width > 1.25 * before:
            return float(height - 0.003)
        before = width
    raise ToileError(f"{name}: no level where arms leave the trunk: is it in A- or T-pose?")


def _neck(surface: Surface, front: float) -> float:
    """Return the least girth round the neck [m], which leans forward by up to 30°."""
    least = np.inf
    for height in np.linspace(0.82, 0.88, 12) * surface.height:
        trunk = trunk_at(surface, height)
        if not trunk:
            continue
        origin = np.array([0.0, height, trunk.points[:, 2].mean()])
        for lean in np.radians([0.0, 10.0, 20.0, 30.0]):
            normal = np.array([0.0, np.cos(lean), front * np.sin(lean)])
            near = (surface.low < height + 0.1) & (surface.high > height - 0.1)
            for outline in outlines(surface, origin, normal, near):
                sides = outline.points[:, 0]
                if sides.min() < -0.03 and sides.max() > 0.03:
                    least = min(least, outline.girth)
    return float(least)


def _leg(surface: Surface, height: float) -> float:
    """Return the girth of the left leg at a level [m]."""
    left = [o.girth for o in level(surface, height) if o.points[:, 0].mean() > 0.02]
    return float(max(left, default=np.nan))


def _arm(surface: Surface, armpit: float) -> dict[str, float]:
    """Return upper arm and wrist girth [m], across the straight line of the left arm."""
    trunk = trunk_at(surface, armpit - 0.01)
    side = float(trunk.points[:, 0].max()) if trunk else 0.15
    mask = surface.vertices[:, 0] > side + 0.03
    points = surface.vertices[mask & (surface.vertices[:, 1] > 0.4 * surface.height)]
    if len(points) < 30:
        return {}
    centre = points.mean(axis=0)
    axis = np.linalg.svd(points - centre, full_matrices=False)[2][0]
    axis *= np.sign(axis[0])
    along = (points - centre) @ axis
    low, high = float(along.min()), float(along.max())
    keep: Bools = np.all((surface.vertices[:, 0] > 0.5 * side)[surface.triangles], axis=1)

    def girth(share: float) -> float:
        origin = centre + (low + share * (high - low)) * axis
        near = [o for o in outlines(surface, origin, axis, keep) if np.abs(o.points - origin).max() < 0.2]
        return max((o.girth for o in near), default=np.nan)

    return {
        "upper_arm": float(girth(0.3)),
        "wrist": float(np.nanmin([girth(s) for s in np.linspace(0.5, 0.8, 25)])),
    }
