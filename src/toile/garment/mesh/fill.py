"""Fills an outline with good triangles: hexagonal lattice, constrained Delaunay, smoothing, repair.

The given points and edges (outline, cut-outs, internal lines) are never moved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pythoncdt
import shapely

from toile.core.errors import ToileError
from toile.core.records import Bools, Floats, Ints

GOOD_ANGLE = math.radians(20.0)
"""smallest angle that a triangle should have [rad]"""

_CLEARANCE = 0.6
"""lattice points keep this share of the edge length away from fixed edges"""
_SWEEPS = 10
_REPAIRS = 8
_THINNING = 3
"""repairs that may also take vertices away"""


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """What the triangles must respect."""

    name: str
    """for messages: the panel"""
    points: Floats
    """fixed vertices [m], (f, 2)"""
    edges: Ints
    """fixed edges between them, (k, 2)"""
    polygon: shapely.Polygon
    """the cloth, with its cut-outs [m]"""
    edge_length: float
    """target [m]"""


def fill(frame: Frame) -> tuple[Floats, Ints]:
    """Return all vertices, the fixed ones first, and counter-clockwise triangles."""
    uv, triangles = _settle(frame, _lattice(frame), _SWEEPS)
    best = (_badness(uv, triangles), uv, triangles)
    for attempt in range(_REPAIRS):
        if best[0] == (0, 0.0):
            break
        inner = _repair(frame, uv, triangles, thin=attempt < _THINNING)
        if inner is None:
            break
        uv, triangles = _settle(frame, inner, _SWEEPS // 2 if attempt < _THINNING else 1)
        best = min(best, (_badness(uv, triangles), uv, triangles), key=lambda b: b[0])
    return best[1], best[2]


def smallest_angles(uv: Floats, triangles: Ints) -> Floats:
    """Return the smallest angle of each triangle [rad], (t,)."""
    a, b, c = np.sort(_sides(uv, triangles), axis=1).T
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = (b * b + c * c - a * a) / (2.0 * b * c)
    return np.asarray(np.arccos(np.clip(np.nan_to_num(cosine, nan=1.0), -1.0, 1.0)))


def _sides(uv: Floats, triangles: Ints) -> Floats:
    """Return the lengths of the sides from each corner to the next, (t, 3)."""
    corners = uv[triangles]
    return np.asarray(np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2))


def _badness(uv: Floats, triangles: Ints) -> tuple[int, float]:
    """Return how many triangles are too sharp, and how much."""
    angles = smallest_angles(uv, triangles)
    sharp = angles < GOOD_ANGLE
    return int(sharp.sum()), float((GOOD_ANGLE - angles[sharp]).sum())


def _lattice(frame: Frame) -> Floats:
    """Return the points of a hexagonal lattice inside the cloth, clear of fixed edges, (k, 2)."""
    h = frame.edge_length
    inner = frame.polygon.buffer(-_CLEARANCE * h)
    outline_count = sum(len(r.coords) - 1 for r in (frame.polygon.exterior, *frame.polygon.interiors))
    if inner.is_empty:
        return np.zeros((0, 2))
    # centred on the panel, so that a symmetric panel gets a symmetric mesh wherever it lies
    x0, y0, x1, y1 = frame.polygon.bounds
    rise = h * math.sqrt(0.75)
    columns, rows = int((x1 - x0) / h) // 2 + 2, int((y1 - y0) / rise) // 2 + 2
    i, j = np.meshgrid(np.arange(-columns, columns + 1), np.arange(-rows, rows + 1))
    x = 0.5 * (x0 + x1) + (i + 0.5 * (j & 1)) * h
    y = 0.5 * (y0 + y1) + j * rise
    shapely.prepare(inner)
    inside = shapely.contains_xy(inner, x, y)
    lattice = np.stack([x[inside], y[inside]], axis=1)
    if len(frame.edges) > outline_count:
        # lines inside the piece: a union of strips round very many of them would take minutes
        tree = shapely.STRtree(shapely.linestrings(frame.points[frame.edges[outline_count:]]))
        near, _ = tree.query(shapely.points(lattice), predicate="dwithin", distance=_CLEARANCE * h)
        lattice = np.delete(lattice, np.unique(near), axis=0)
    return lattice


def _delaunay(frame: Frame, uv: Floats) -> Ints:
    """Return the constrained Delaunay triangles of the cloth, counter-clockwise."""
    points: Any = np.ascontiguousarray(uv)
    edges: Any = np.ascontiguousarray(frame.edges.astype(np.uint32))
    mesh = pythoncdt.Triangulation(
        pythoncdt.VertexInsertionOrder.AUTO, pythoncdt.IntersectingConstraintEdges.NOT_ALLOWED, 0.0
    )
    try:
        mesh.insert_vertices(points)
        mesh.insert_edges(edges)
        mesh.erase_outer_triangles()
    except RuntimeError as error:
        raise ToileError(
            f"panel '{frame.name}' cannot be triangulated: {str(error).splitlines()[0]}; check its outline"
        ) from error
    triangles = np.asarray(mesh.triangles_array()["vertices"]).astype(np.int32)
    if frame.polygon.interiors:
        centre = uv[triangles].mean(axis=1)
        triangles = triangles[shapely.contains_xy(frame.polygon, centre[:, 0], centre[:, 1])]
    return triangles


def _settle(frame: Frame, inner: Floats, sweeps: int) -> tuple[Floats, Ints]:
    """Return vertices and triangles after smoothing the inner vertices."""
    uv = np.concatenate([frame.points, inner])
    triangles = _delaunay(frame, uv)
    for sweep in range(sweeps if len(inner) else 0):
        uv = _smooth(uv, triangles, len(frame.points))
        if sweep % 3 == 2 or sweep == sweeps - 1:
            triangles = _delaunay(frame, uv)
    if not len(triangles):
        raise ToileError(f"panel '{frame.name}' has no area")
    return uv, triangles


def _smooth(uv: Floats, triangles: Ints, fixed_count: int) -> Floats:
    """Return the vertices after moving each inner one to the mean centre of its triangles, weighted by area.

    The optimal Delaunay triangulation moves a vertex to the area-weighted mean of circumcentres (Chen
    2004); the centroids used here need no care at obtuse triangles near the outline.
    """
    corners = uv[triangles]
    area = double_areas(corners)
    weighted = corners.mean(axis=1) * area[:, None]
    flat = triangles.ravel()
    total = np.bincount(flat, np.repeat(area, 3), len(uv))
    sums = [np.bincount(flat, np.repeat(weighted[:, k], 3), len(uv)) for k in (0, 1)]
    moved = np.stack(sums, axis=1) / np.maximum(total, 1e-30)[:, None]
    moved[:fixed_count] = uv[:fixed_count]
    return np.asarray(moved)


def double_areas(corners: Floats) -> Floats:
    """Return twice the area of each triangle (t, 3, 2), positive counter-clockwise, (t,)."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def circumcentres(corners: Floats) -> Floats:
    """Return the centre of the circle through each triangle's corners (t, 3, 2), (t, 2)."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    aa, bb = (a * a).sum(axis=1), (b * b).sum(axis=1)
    twice = 2.0 * np.maximum(double_areas(corners), 1e-30)
    x = (b[:, 1] * aa - a[:, 1] * bb) / twice
    y = (a[:, 0] * bb - b[:, 0] * aa) / twice
    return np.asarray(corners[:, 0] + np.stack([x, y], axis=1))


def _repair(frame: Frame, uv: Floats, triangles: Ints, *, thin: bool) -> Floats | None:
    """Return other inner vertices: fewer where they crowd a sharp triangle, one more where there is a gap.

    None: nothing can be done without touching the outline.
    """
    fixed = len(frame.points)
    sharp = triangles[smallest_angles(uv, triangles) < GOOD_ANGLE]
    keep = np.ones(len(uv), dtype=bool)
    keep[:fixed] = False
    # a needle: its short side has an inner end, which goes
    if thin:
        shortest = np.argmin(_sides(uv, sharp), axis=1)
        rows = np.arange(len(sharp))
        end = np.maximum(sharp[rows, shortest], sharp[rows, (shortest + 1) % 3])
        keep[end[end >= fixed]] = False
        sharp = sharp[end < fixed]
    # a gap: a new vertex in the middle of the triangle's circle, as Chew (1993) does
    centres = circumcentres(uv[sharp])
    new = _spaced(centres[_has_room(frame, centres, uv[sharp])], 0.3 * frame.edge_length)
    if not len(new) and keep[fixed:].all():
        return None
    return np.concatenate([uv[keep], new])


def _has_room(frame: Frame, centres: Floats, corners: Floats) -> Bools:
    """Return which circumcentres lie in the cloth and clear of its outline, in proportion to their radii."""
    if not len(centres):
        return np.zeros(0, dtype=bool)
    radius = np.linalg.norm(centres - corners[:, 0], axis=1)
    shapely.prepare(frame.polygon)
    inner = np.asarray(shapely.contains_xy(frame.polygon, centres[:, 0], centres[:, 1]))
    inside = np.flatnonzero(inner)
    # through a tree of the outline's sides: long thin pieces have very many of them, and of sharp triangles
    rings = (frame.polygon.exterior, *frame.polygon.interiors)
    loops = [shapely.get_coordinates(ring) for ring in rings]
    sides = np.concatenate([np.stack([loop[:-1], loop[1:]], axis=1) for loop in loops])
    tree = shapely.STRtree(shapely.linestrings(sides))
    touched, _ = tree.query(
        shapely.points(centres[inside]), predicate="dwithin", distance=0.4 * radius[inside]
    )
    inner[inside[touched]] = False
    return inner


def _spaced(points: Floats, distance: float) -> Floats:
    """Return the points without those too near an earlier one."""
    kept: list[Floats] = []
    for point in points:
        if all(np.hypot(*(point - other)) > distance for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 2)
