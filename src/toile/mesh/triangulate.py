"""Panels → triangles: matched outlines, a hexagonal lattice inside, constrained Delaunay, smoothing.

The outline is cut first (`toile.mesh.sample`) and never touched again, so that both sides of a seam keep
the same vertices. Inner vertices start on a hexagonal lattice and settle in about ten smoothing sweeps.
Where triangles stay sharper than 20° the inner vertices are thinned out or filled in; what remains is
written down as a warning with panel and place, because then the outline itself is too sharp or too narrow
for the edge length.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pythoncdt
import shapely

from toile.errors import ToileError
from toile.mesh.sample import EdgeKey, cut_outlines, edge_fractions
from toile.pattern.curves import sample_edge
from toile.types import Bools, Floats, Ints, Panel, PanelMesh, Pattern

GOOD_ANGLE = math.radians(20.0)
"""smallest angle that a triangle should have [rad]"""

_CLEARANCE = 0.6
"""lattice points keep this share of the edge length away from the outline"""
_SWEEPS = 10
_REPAIRS = 6
_MAX_VERTICES = 2_000_000


def mesh_pattern(pattern: Pattern, edge_length: float) -> dict[str, PanelMesh]:
    """Return a mesh per panel for a target edge length [m]; both sides of a seam have matching vertices."""
    if not (math.isfinite(edge_length) and edge_length > 0.0):
        raise ToileError(f"edge length {edge_length} m: give a positive length such as 1.5cm")
    fractions = edge_fractions(cut_outlines(pattern, edge_length))
    return {panel.name: mesh_panel(panel, fractions, edge_length) for panel in pattern.panels}


def mesh_panel(panel: Panel, fractions: Mapping[EdgeKey, Floats], edge_length: float) -> PanelMesh:
    """Return the mesh of one panel whose edges have vertices at the given fractions of their lengths."""
    outline, edge_vertices = _outline(panel, fractions)
    polygon = _polygon(panel, outline, edge_length)
    uv, triangles = _fill(panel, outline, polygon, edge_length)
    angles = smallest_angles(uv, triangles)
    return PanelMesh(
        uv=uv,
        triangles=triangles,
        edge_vertices=edge_vertices,
        smallest_angle=float(angles.min()),
        warnings=_sharp_places(panel, uv, triangles, angles),
    )


def smallest_angles(uv: Floats, triangles: Ints) -> Floats:
    """Return the smallest angle of each triangle [rad], (t,)."""
    corners = uv[triangles]
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    a, b, c = np.sort(sides, axis=1).T
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = (b * b + c * c - a * a) / (2.0 * b * c)
    return np.asarray(np.arccos(np.clip(np.nan_to_num(cosine, nan=1.0), -1.0, 1.0)))


def _outline(panel: Panel, fractions: Mapping[EdgeKey, Floats]) -> tuple[Floats, tuple[Ints, ...]]:
    """Return the outline's vertices (m, 2) in the panel's own direction, and those of each edge."""
    points, edge_vertices, first = [], [], 0
    for index in range(len(panel.edges)):
        sampled = sample_edge(panel, index, fractions[panel.name, index])
        points.append(sampled[:-1])
        edge_vertices.append(np.arange(first, first + len(sampled), dtype=np.int32))
        first += len(sampled) - 1
    return np.concatenate(points), tuple(np.mod(e, first).astype(np.int32) for e in edge_vertices)


def _polygon(panel: Panel, outline: Floats, edge_length: float) -> shapely.Polygon:
    """Return the outline as a polygon, or say why it is none."""
    if len(outline) < 3:
        raise ToileError(
            f"panel '{panel.name}': its outline has only {len(outline)} points; a piece needs three"
        )
    polygon = shapely.Polygon(outline)
    if not polygon.is_valid:
        why = shapely.is_valid_reason(polygon)
        raise ToileError(
            f"panel '{panel.name}': cut every {edge_length * 100:.2g} cm, its outline crosses itself "
            f"({why}, in metres); use a shorter edge length or correct the outline"
        )
    if polygon.area / edge_length**2 > _MAX_VERTICES:
        raise ToileError(f"panel '{panel.name}': over {_MAX_VERTICES} vertices; use a longer edge length")
    return polygon


def _fill(panel: Panel, outline: Floats, polygon: shapely.Polygon, edge_length: float) -> tuple[Floats, Ints]:
    """Return all vertices, outline first, and the triangles."""
    inner = _lattice(polygon, edge_length)
    uv, triangles = _settle(panel, outline, inner, _SWEEPS)
    best = (_badness(uv, triangles), uv, triangles)
    for _ in range(_REPAIRS):
        if best[0] == (0, 0.0):
            break
        inner = _repair(uv, triangles, len(outline), polygon, edge_length)
        uv, triangles = _settle(panel, outline, inner, _SWEEPS // 2)
        best = min(best, (_badness(uv, triangles), uv, triangles), key=lambda b: b[0])
    return best[1], best[2]


def _badness(uv: Floats, triangles: Ints) -> tuple[int, float]:
    """Return how many triangles are too sharp, and how much."""
    angles = smallest_angles(uv, triangles)
    sharp = angles < GOOD_ANGLE
    return int(sharp.sum()), float((GOOD_ANGLE - angles[sharp]).sum())


def _lattice(polygon: shapely.Polygon, edge_length: float) -> Floats:
    """Return the points of a hexagonal lattice inside the polygon, clear of its outline, (k, 2)."""
    room = polygon.buffer(-_CLEARANCE * edge_length)
    if room.is_empty:
        return np.zeros((0, 2))
    # centred on the panel, so that a symmetric panel gets a symmetric mesh wherever it lies
    x0, y0, x1, y1 = polygon.bounds
    rise = edge_length * math.sqrt(0.75)
    columns, rows = int((x1 - x0) / edge_length) // 2 + 2, int((y1 - y0) / rise) // 2 + 2
    i, j = np.meshgrid(np.arange(-columns, columns + 1), np.arange(-rows, rows + 1))
    x = 0.5 * (x0 + x1) + (i + 0.5 * (j & 1)) * edge_length
    y = 0.5 * (y0 + y1) + j * rise
    shapely.prepare(room)
    inside = shapely.contains_xy(room, x, y)
    return np.stack([x[inside], y[inside]], axis=1)


def _delaunay(panel: Panel, uv: Floats, outline_count: int) -> Ints:
    """Return the constrained Delaunay triangles inside the outline, counter-clockwise, in a fixed order."""
    loop = np.arange(outline_count, dtype=np.uint32)
    points: Any = np.ascontiguousarray(uv)
    edges: Any = np.ascontiguousarray(np.stack([loop, np.roll(loop, -1)], axis=1))
    mesh = pythoncdt.Triangulation(
        pythoncdt.VertexInsertionOrder.AUTO, pythoncdt.IntersectingConstraintEdges.NOT_ALLOWED, 0.0
    )
    try:
        mesh.insert_vertices(points)
        mesh.insert_edges(edges)
        mesh.erase_outer_triangles()
    except RuntimeError as error:
        raise ToileError(
            f"panel '{panel.name}' cannot be triangulated: {error}; check its outline"
        ) from error
    return np.asarray(mesh.triangles_array()["vertices"]).astype(np.int32)


def _settle(panel: Panel, outline: Floats, inner: Floats, sweeps: int) -> tuple[Floats, Ints]:
    """Return vertices and triangles after smoothing the inner vertices."""
    uv = np.concatenate([outline, inner])
    triangles = _delaunay(panel, uv, len(outline))
    for sweep in range(sweeps if len(inner) else 0):
        uv = _smooth(uv, triangles, len(outline))
        if sweep % 3 == 2 or sweep == sweeps - 1:
            triangles = _delaunay(panel, uv, len(outline))
    if not len(triangles):
        raise ToileError(f"panel '{panel.name}' has no area")
    return uv, triangles


def _smooth(uv: Floats, triangles: Ints, outline_count: int) -> Floats:
    """Return the vertices after moving each inner one to the mean centre of its triangles, weighted by area.

    The optimal Delaunay triangulation moves a vertex to the area-weighted mean of circumcentres (Chen
    2004); the centroids used here need no care at obtuse triangles near the outline.
    """
    corners = uv[triangles]
    area = _double_areas(corners)
    weighted = corners.mean(axis=1) * area[:, None]
    flat = triangles.ravel()
    total = np.bincount(flat, np.repeat(area, 3), len(uv))
    moved = np.stack(
        [np.bincount(flat, np.repeat(weighted[:, k], 3), len(uv)) for k in (0, 1)], axis=1
    ) / np.maximum(total, 1e-30)[:, None]  # fmt: skip
    moved[:outline_count] = uv[:outline_count]
    return np.asarray(moved)


def _double_areas(corners: Floats) -> Floats:
    """Return twice the area of each triangle, positive counter-clockwise, (t,)."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _repair(
    uv: Floats, triangles: Ints, outline_count: int, polygon: shapely.Polygon, edge_length: float
) -> Floats:
    """Return other inner vertices: fewer where they crowd a sharp triangle, more where there is a gap."""
    sharp = triangles[smallest_angles(uv, triangles) < GOOD_ANGLE]
    corners = uv[sharp]
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    shortest = np.argmin(sides, axis=1)
    rows = np.arange(len(sharp))
    ends = np.stack([sharp[rows, shortest], sharp[rows, (shortest + 1) % 3]], axis=1)
    # a needle: its short side has an inner end, which goes
    crowded = np.unique(ends.max(axis=1)[ends.max(axis=1) >= outline_count])
    # a sliver between outline vertices: the middle of its longest side, where there is room
    middle = 0.5 * (
        corners[rows, np.argmax(sides, axis=1)] + corners[rows, (np.argmax(sides, axis=1) + 1) % 3]
    )
    gaps = middle[(ends.max(axis=1) < outline_count) & _has_room(middle, polygon, uv, edge_length)]
    keep = np.ones(len(uv), dtype=bool)
    keep[:outline_count] = False
    keep[crowded] = False
    return np.concatenate([uv[keep], gaps])


def _has_room(points: Floats, polygon: shapely.Polygon, uv: Floats, edge_length: float) -> Bools:
    """Return which points lie inside and not too near any vertex or the outline."""
    if not len(points):
        return np.zeros(0, dtype=bool)
    spots = shapely.points(points)
    clear = shapely.distance(polygon.exterior, spots) > 0.25 * edge_length
    nearest = np.linalg.norm(points[:, None] - uv[None], axis=2).min(axis=1)
    return np.asarray(shapely.contains(polygon, spots) & clear & (nearest > 0.4 * edge_length))


def _sharp_places(panel: Panel, uv: Floats, triangles: Ints, angles: Floats) -> tuple[str, ...]:
    """Return one line for each triangle that is sharper than it should be, the sharpest first."""
    order = [int(t) for t in np.argsort(angles, kind="stable") if angles[t] < GOOD_ANGLE]
    return tuple(_sharp_place(panel, uv[triangles[t]], float(angles[t])) for t in order)


def _sharp_place(panel: Panel, corners: Floats, angle: float) -> str:
    x, y = 100.0 * corners.mean(axis=0)
    return f"panel '{panel.name}': a triangle of {math.degrees(angle):.1f}° at ({x:.1f}, {y:.1f}) cm"


def mesh_warnings(meshes: Mapping[str, PanelMesh]) -> Sequence[str]:
    """Return the warnings of all panels: where the outline allows no triangles of 20° and more."""
    return [line for mesh in meshes.values() for line in mesh.warnings]
