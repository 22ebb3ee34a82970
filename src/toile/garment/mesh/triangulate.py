"""Panels → triangles, with matching vertices on both sides of every seam.

Outlines are cut first (`sample`), then filled (`fill`). Where triangles sharper than 20° remain although the
outline's own corners are wider, the steps of the outline next to them are halved, on both sides of a seam,
and the panels filled again. What still remains is written down as a warning with panel and place: there the
outline itself is too sharp or too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import shapely

from toile.core.errors import ToileError
from toile.core.records import Floats, Ints, Panel, PanelMesh, Pattern
from toile.core.units import cm
from toile.core.work import may_go_on
from toile.garment.mesh.fill import GOOD_ANGLE, Frame, double_areas, fill, smallest_angles
from toile.garment.mesh.marks import FOLLOWED, cutouts, lines, resample
from toile.garment.mesh.sample import EdgeKey, Step, cut_outlines, edge_fractions, split_steps
from toile.pattern.model.curves import sample_edge

__all__ = ["GOOD_ANGLE", "mesh_panel", "mesh_pattern", "mesh_warnings", "smallest_angles"]

_ROUNDS = 8
"""how often outlines are refined at most"""
_FINEST = 0.1
"""steps of the outline are not cut shorter than this share of the edge length"""
_MAX_VERTICES = 2_000_000
_NO_AREA = 1e-12
"""twice the area of a triangle that no engine can move [m²]"""


def mesh_pattern(pattern: Pattern, edge_length: float) -> dict[str, PanelMesh]:
    """Return a mesh per panel for a target edge length [m]; both sides of a seam have matching vertices."""
    if not (math.isfinite(edge_length) and edge_length > 0.0):
        raise ToileError(f"edge length {edge_length} m: give a positive length such as 1.5cm")
    stretches = cut_outlines(pattern, edge_length)
    meshes: dict[str, PanelMesh] = {}
    before: Mapping[EdgeKey, Floats] = {}
    for _ in range(_ROUNDS):
        fractions = edge_fractions(stretches)
        for panel in pattern.panels:
            may_go_on("cutting")
            if _is_cut_anew(panel, before, fractions):
                meshes[panel.name] = mesh_panel(panel, fractions, edge_length)
        coarse = [step for panel in pattern.panels for step in _coarse_steps(panel, meshes, edge_length)]
        if not coarse:
            break
        before, stretches = fractions, split_steps(stretches, coarse)
    return meshes


def mesh_panel(panel: Panel, fractions: Mapping[EdgeKey, Floats], edge_length: float) -> PanelMesh:
    """Return the mesh of one panel whose edges have vertices at the given fractions of their lengths."""
    outline, edge_vertices = _outline(panel, fractions)
    frame, mark_edges = _frame(panel, outline, edge_length)
    uv, triangles = fill(frame)
    _refuse_needles(panel, uv, triangles)
    angles = smallest_angles(uv, triangles)
    return PanelMesh(
        uv=uv,
        triangles=triangles,
        edge_vertices=edge_vertices,
        smallest_angle=float(angles.min()),
        warnings=_sharp_places(panel, uv, triangles, angles),
        mark_edges=mark_edges,
    )


def mesh_warnings(meshes: Mapping[str, PanelMesh]) -> list[str]:
    """Return the warnings of all panels: where the outline allows no triangles of 20° and more."""
    return [line for mesh in meshes.values() for line in mesh.warnings]


def _is_cut_anew(panel: Panel, before: Mapping[EdgeKey, Floats], now: Mapping[EdgeKey, Floats]) -> bool:
    keys = [(panel.name, edge) for edge in range(len(panel.edges))]
    return any(key not in before or len(before[key]) != len(now[key]) for key in keys)


def _outline(panel: Panel, fractions: Mapping[EdgeKey, Floats]) -> tuple[Floats, tuple[Ints, ...]]:
    """Return the outline's vertices (m, 2) in the panel's own direction, and those of each edge."""
    points, edge_vertices, first = [], [], 0
    for index in range(len(panel.edges)):
        sampled = sample_edge(panel, index, fractions[panel.name, index])
        points.append(sampled[:-1])
        edge_vertices.append(np.arange(first, first + len(sampled), dtype=np.int32))
        first += len(sampled) - 1
    return np.concatenate(points), tuple(np.mod(e, first).astype(np.int32) for e in edge_vertices)


def _frame(panel: Panel, outline: Floats, edge_length: float) -> tuple[Frame, tuple[Ints, ...]]:
    """Return the fixed points and edges of a panel, and per mark the fixed edges along it."""
    rings = [resample(ring, edge_length, closed=True) for ring in cutouts(panel)]
    polygon = _polygon(panel, outline, rings, edge_length)
    loops, first = [], 0
    for ring in (outline, *rings):
        loop = np.arange(first, first + len(ring))
        loops.append(np.stack([loop, np.roll(loop, -1)], axis=1))
        first += len(ring)
    points = [*outline.tolist(), *(p for ring in rings for p in ring.tolist())]
    mark_edges: list[list[tuple[int, int]]] = [[] for _ in panel.marks]
    followed: list[tuple[int, int]] = []
    _check_crowd(panel, polygon, edge_length)
    for line in lines(panel, polygon):
        chain = _add_line(points, resample(line.points, edge_length), 0.3 * edge_length)
        followed += chain
        for mark in line.marks:
            mark_edges[mark] += chain
    edges = np.concatenate([*loops, np.array(sorted(set(followed)), dtype=np.int64).reshape(-1, 2)])
    frame = Frame(panel.name, np.array(points), edges.astype(np.int32), polygon, edge_length)
    return frame, tuple(np.array(e, dtype=np.int32).reshape(-1, 2) for e in mark_edges)


def _check_crowd(panel: Panel, polygon: shapely.Polygon, edge_length: float) -> None:
    """Refuse lines inside a piece that lie closer together, on the mean, than the mesh has rows."""
    drawn = [mark.points for mark in panel.marks if mark.kind in FOLLOWED]
    length = sum(float(np.hypot(*np.diff(points, axis=0).T).sum()) for points in drawn if len(points) > 1)
    if length * edge_length > polygon.area:
        raise ToileError(
            f"panel '{panel.name}': {len(drawn)} lines of {length:.0f} m in all lie closer together than the "
            f"mesh's edges of {cm(edge_length)}: leave lines out, or use a shorter edge length"
        )


def _add_line(points: list[list[float]], line: Floats, near: float) -> list[tuple[int, int]]:
    """Add a line's points, joined to points that are there already where they are near; return its edges."""
    here = np.array(points)
    is_ring = bool(np.allclose(line[0], line[-1], rtol=0.0, atol=1e-9))
    chain: list[int] = []
    for number, point in enumerate(line[:-1] if is_ring else line):
        distance = np.hypot(*(here - point).T)
        nearest = int(np.argmin(distance))
        is_end = not is_ring and number in (0, len(line) - 1)
        if distance[nearest] < (near if is_end else 0.2 * near):
            chain.append(nearest)
        else:
            chain.append(len(points))
            points.append(point.tolist())
    chain += chain[:1] if is_ring else []
    return [(min(a, b), max(a, b)) for a, b in pairwise(chain) if a != b]


def _polygon(panel: Panel, outline: Floats, rings: list[Floats], edge_length: float) -> shapely.Polygon:
    """Return the outline as a polygon, or say why it is none."""
    if len(outline) < 3:
        raise ToileError(
            f"panel '{panel.name}': its outline has only {len(outline)} points; a piece needs three"
        )
    polygon = shapely.Polygon(outline, rings)
    if not polygon.is_valid:
        why = shapely.is_valid_reason(polygon)
        raise ToileError(
            f"panel '{panel.name}': cut every {edge_length * 100:.2g} cm, its outline crosses itself "
            f"({why}, in metres); use a shorter edge length or correct the outline"
        )
    if polygon.area / edge_length**2 > _MAX_VERTICES:
        raise ToileError(f"panel '{panel.name}': over {_MAX_VERTICES} vertices; use a longer edge length")
    return polygon


def _coarse_steps(panel: Panel, meshes: Mapping[str, PanelMesh], edge_length: float) -> list[Step]:
    """Return the steps of the outline that are too long for the narrow place where a sharp triangle lies."""
    mesh = meshes[panel.name]
    if not mesh.warnings:
        return []
    step_of = _steps_by_vertex(panel, mesh)
    hopeless = _sharp_corners(mesh)
    found = []
    for triangle in mesh.triangles[smallest_angles(mesh.uv, mesh.triangles) < GOOD_ANGLE]:
        corners = mesh.uv[triangle]
        sides = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
        # the smallest angle lies opposite the shortest side
        if int(triangle[(int(np.argmin(sides)) + 2) % 3]) in hopeless:
            continue
        steps = {step for vertex in triangle.tolist() for step in step_of.get(vertex, ())}
        long = [(length, step) for length, step in steps if length > 1.5 * sides.min()]
        if long and (longest := max(long))[0] > 2.0 * _FINEST * edge_length:
            found.append(longest[1])
    return found


def _steps_by_vertex(panel: Panel, mesh: PanelMesh) -> dict[int, list[tuple[float, Step]]]:
    """Return, per vertex of the outline, the length and name of the steps that begin or end there."""
    steps: dict[int, list[tuple[float, Step]]] = {}
    for edge, vertices in enumerate(mesh.edge_vertices):
        lengths = np.hypot(*np.diff(mesh.uv[vertices], axis=0).T)
        for i, length in enumerate(lengths.tolist()):
            for vertex in vertices[i : i + 2].tolist():
                steps.setdefault(vertex, []).append((length, (panel.name, edge, i)))
    return steps


def _sharp_corners(mesh: PanelMesh) -> set[int]:
    """Return the vertices of the outline whose own angle allows no good triangle."""
    loop = np.concatenate([vertices[:-1] for vertices in mesh.edge_vertices])
    here, before, after = mesh.uv[loop], mesh.uv[np.roll(loop, 1)], mesh.uv[np.roll(loop, -1)]
    a, b = before - here, after - here
    cosine = (a * b).sum(axis=1) / np.maximum(np.hypot(*a.T) * np.hypot(*b.T), 1e-30)
    return set(loop[np.arccos(np.clip(cosine, -1.0, 1.0)) < GOOD_ANGLE * 1.001].tolist())


def _refuse_needles(panel: Panel, uv: Floats, triangles: Ints) -> None:
    """Raise where a triangle has practically no area: points of the outline or of a line nearly coincide."""
    area = double_areas(uv[triangles])
    if area.min() < _NO_AREA:
        x, y = 100.0 * uv[triangles[int(np.argmin(area))]].mean(axis=0)
        raise ToileError(
            f"panel '{panel.name}': points lie on each other near ({x:.2f}, {y:.2f}) cm; remove one of them"
        )


def _sharp_places(panel: Panel, uv: Floats, triangles: Ints, angles: Floats) -> tuple[str, ...]:
    """Return one line for each triangle that is sharper than it should be, the sharpest first."""
    order = [int(t) for t in np.argsort(angles, kind="stable") if angles[t] < GOOD_ANGLE]
    return tuple(_sharp_place(panel, uv[triangles[t]], float(angles[t])) for t in order)


def _sharp_place(panel: Panel, corners: Floats, angle: float) -> str:
    x, y = 100.0 * corners.mean(axis=0)
    return f"panel '{panel.name}': a triangle of {math.degrees(angle):.1f}° at ({x:.1f}, {y:.1f}) cm"
