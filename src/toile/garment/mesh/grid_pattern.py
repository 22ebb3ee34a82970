"""A whole pattern as grids of quads, with matching vertices on both sides of every seam.

Opposite sides of a grid have as many cells, and so have the two sides of a seam. The counts of all pieces of
outline are found together, as near as possible to the wanted cell length, by a small integer programme.
Panels that no grid fits (darts, cut-outs, three corners) stay triangles with the same vertices at the seams.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from toile.core.errors import ToileError
from toile.core.records import Floats, Ints, Panel, PanelMesh, Pattern
from toile.garment.mesh.fill import smallest_angles
from toile.garment.mesh.grid import (
    Places,
    cell_triangles,
    corner_choices,
    fill_sides,
    grid_sides,
    outline_pieces,
)
from toile.garment.mesh.sample import EdgeKey
from toile.garment.mesh.triangulate import mesh_panel
from toile.pattern.model.curves import edge_length as length_of_edge
from toile.pattern.model.curves import orientation, sample_edge

SHARPEST = math.radians(12.0)
"""a grid with a sharper triangle is no good: the panel stays triangles"""
_TRIAL = 10
"""cells along the longer side when corners are tried out"""
_OPEN = 1000.0
"""cost of a seam whose sides do not match, against cells that are a length too many"""
_TANGENTS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0, 2.0, 4.0, 8.0)
_MAX_CELLS = 4000
"""along one piece of outline"""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of one edge that gets a whole number of cells."""

    panel: str
    edge: int
    start: float
    end: float
    """fractions of the edge's length; start > end: the grid's side runs against the edge"""
    side: int
    """of the grid: 0 bottom, 1 right, 2 top, 3 left; -1: the panel is no grid"""
    wanted: float
    """length of the piece / wanted cell length"""


def grid_pattern(pattern: Pattern, edge_length: float) -> dict[str, PanelMesh]:
    """Return a mesh per panel with cells of about edge_length [m]; `PanelMesh.grid` tells which are grids."""
    if not (math.isfinite(edge_length) and edge_length > 0.0):
        raise ToileError(f"edge length {edge_length} m: give a positive length such as 1.5cm")
    places = {panel.name: _places(panel) for panel in pattern.panels}
    while True:
        pieces, counts, open_seams = _counted(pattern, places, edge_length)
        meshes = {
            panel.name: _mesh(panel, places[panel.name], pieces, counts, edge_length)
            for panel in pattern.panels
        }
        bad = {name for name, mesh in meshes.items() if mesh is None} | open_seams
        gridded = {name for name in bad if places[name] is not None}
        if not gridded:
            return {name: mesh for name, mesh in meshes.items() if mesh is not None}
        places = {name: None if name in gridded else place for name, place in places.items()}


def _places(panel: Panel) -> Places | None:
    """Return the corners that give the best grid, None if none is good."""
    if panel.marks:
        return None
    best: tuple[float, Places] | None = None
    for places in corner_choices(panel):
        lengths = [_length(panel, side) for side in grid_sides(_turned(panel, places))]
        step = max(lengths) / _TRIAL
        counts = [max(2, round(0.5 * (lengths[k] + lengths[k + 2]) / step)) for k in (0, 1)]
        sides = [
            _even_points(panel, side, counts[k % 2])
            for k, side in enumerate(grid_sides(_turned(panel, places)))
        ]
        uv = fill_sides(sides, step)
        angle = 0.0 if uv is None else _smallest(uv)
        if angle > SHARPEST and (best is None or angle > 1.1 * best[0]):
            best = angle, _turned(panel, places)
    return best[1] if best else None


def _turned(panel: Panel, places: Places) -> Places:
    """Return the corners counter-clockwise."""
    return (places[0], places[3], places[2], places[1]) if orientation(panel) < 0 else places


def _smallest(uv: Floats) -> float:
    rows, columns = uv.shape[0] - 1, uv.shape[1] - 1
    return float(smallest_angles(uv.reshape(-1, 2), cell_triangles(columns, rows)).min())


def _length(panel: Panel, side: tuple[float, float]) -> float:
    return sum(abs(b - a) * length_of_edge(panel, e) for e, a, b in outline_pieces(panel, *side))


def _even_points(panel: Panel, side: tuple[float, float], count: int) -> Floats:
    """Return count + 1 points along a side, spread over its pieces by length [m]."""
    pieces = outline_pieces(panel, *side)
    lengths = np.array([abs(b - a) * length_of_edge(panel, e) for e, a, b in pieces])
    at = np.linspace(0.0, 1.0, count + 1) * lengths.sum()
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    points = []
    for distance in at.tolist():
        k = min(int(np.searchsorted(ends, distance, side="right")) - 1, len(pieces) - 1)
        edge, a, b = pieces[k]
        share = min(max((distance - float(ends[k])) / max(float(lengths[k]), 1e-12), 0.0), 1.0)
        points.append(sample_edge(panel, edge, [a + share * (b - a)])[0])
    return np.array(points)


Counts = list[int]


def _counted(
    pattern: Pattern, places: Mapping[str, Places | None], edge_length: float
) -> tuple[list[_Piece], Counts, set[str]]:
    """Return all pieces, their cells and the panels whose seams found no matching counts."""
    pieces = [p for panel in pattern.panels for p in _pieces_of(panel, places[panel.name], edge_length)]
    level, seams = _constraints(pattern, places, pieces)
    counts, slack = _whole_numbers(np.array([p.wanted for p in pieces]), level, seams)
    loose = {
        ref.panel
        for seam, gap in zip(pattern.seams, slack.tolist(), strict=True)
        if abs(gap) > 0.5
        for ref in (*seam.a, *seam.b)
    }
    if loose and not any(places[name] for name in loose):
        raise ToileError(f"panel '{sorted(loose)[0]}': its seams allow no matching vertices; use triangles")
    return pieces, counts, loose


def _pieces_of(panel: Panel, places: Places | None, edge_length: float) -> list[_Piece]:
    if places is None:
        whole = [(edge, 0.0, 1.0, -1) for edge in range(len(panel.edges))]
    else:
        whole = [
            (edge, a, b, side)
            for side, ends in enumerate(grid_sides(places))
            for edge, a, b in outline_pieces(panel, *ends)
        ]
    found = []
    for edge, a, b, side in whole:
        wanted = abs(b - a) * length_of_edge(panel, edge) / edge_length
        if wanted > _MAX_CELLS:
            raise ToileError(f"panel '{panel.name}': edge length {edge_length} m is too short for its size")
        found.append(_Piece(panel.name, edge, a, b, side, wanted))
    return found


def _constraints(
    pattern: Pattern, places: Mapping[str, Places | None], pieces: list[_Piece]
) -> tuple[Floats, Floats]:
    """Return what must be zero: opposite sides of grids and the chains of seams, (…, pieces)."""
    level = []
    for name in (n for n, place in places.items() if place is not None):
        for side in (0, 1):
            signs = {side: 1.0, side + 2: -1.0}
            level.append([signs.get(p.side, 0.0) if p.panel == name else 0.0 for p in pieces])
    seams = np.zeros((len(pattern.seams), len(pieces)))
    for row, seam in enumerate(pattern.seams):
        for sign, chain in ((1.0, seam.a), (-1.0, seam.b)):
            for ref in chain:
                of_edge = [k for k, p in enumerate(pieces) if (p.panel, p.edge) == (ref.panel, ref.edge)]
                seams[row, of_edge] += sign
    return np.array(level).reshape(-1, len(pieces)), seams


def _whole_numbers(wanted: Floats, level: Floats, seams: Floats) -> tuple[Counts, Floats]:
    """Return whole numbers from 1 on near the wanted ones that obey the constraints; and each seam's miss.

    Unknowns: counts n, cost d ≥ (n − w)² / w by its tangents, misses of seams s⁺ and s⁻. The square spreads
    a difference evenly over the pieces of a side.
    """
    n, m = len(wanted), len(seams)
    size, eye, wanted = 2 * n + 2 * m, np.eye(n), np.maximum(wanted, 0.5)
    cost = np.concatenate([np.zeros(n), np.ones(n), np.full(2 * m, _OPEN)])
    rows = [
        # d ≥ ±2 r (n − w) − w r², the tangents where n is off by the share r
        LinearConstraint(_sparse([-slope * eye, eye], size), -slope * wanted - wanted * slope**2 / 4, np.inf)
        for share in _TANGENTS
        for slope in (2 * share, -2 * share)
    ]
    if len(level):
        rows.append(LinearConstraint(_sparse([level], size), 0.0, 0.0))
    if m:
        rows.append(
            LinearConstraint(_sparse([seams, np.zeros((m, n)), np.eye(m), -np.eye(m)], size), 0.0, 0.0)
        )
    low = np.concatenate([np.ones(n), np.zeros(n + 2 * m)])
    found = milp(
        cost,
        constraints=rows,
        bounds=Bounds(low, np.inf),
        integrality=np.concatenate([np.ones(n), np.zeros(size - n)]),
        options={"mip_rel_gap": 0.01, "time_limit": 20.0},
    )
    if found.x is None:
        raise ToileError("no whole numbers of cells fit this pattern; use triangles or a shorter edge length")
    slack = found.x[2 * n : 2 * n + m] - found.x[2 * n + m :]
    return [round(v) for v in found.x[:n].tolist()], slack


def _sparse(blocks: list[Floats], width: int) -> coo_array:
    """Return blocks side by side, padded with zeros to a width."""
    full = np.concatenate(blocks, axis=1)
    padded = np.zeros((len(full), width))
    padded[:, : full.shape[1]] = full
    return coo_array(padded).tocsr()


def _mesh(
    panel: Panel, places: Places | None, pieces: list[_Piece], counts: Counts, edge_length: float
) -> PanelMesh | None:
    """Return a panel's mesh; None where a grid was wanted and folds."""
    own = [(p, n) for p, n in zip(pieces, counts, strict=True) if p.panel == panel.name]
    if places is None:
        fractions: dict[EdgeKey, Floats] = {
            (panel.name, p.edge): np.linspace(0.0, 1.0, n + 1) for p, n in own
        }
        return mesh_panel(panel, fractions, edge_length)
    sides = [_side_points(panel, [(p, n) for p, n in own if p.side == k]) for k in range(4)]
    uv = fill_sides(sides, edge_length)
    if uv is None:
        return None
    rows, columns = uv.shape[:2]
    triangles, flat = cell_triangles(columns - 1, rows - 1), uv.reshape(-1, 2)
    angle = float(smallest_angles(flat, triangles).min())
    if angle < 0.5 * SHARPEST:
        return None
    return PanelMesh(
        uv=flat,
        triangles=triangles,
        edge_vertices=_edge_vertices(len(panel.edges), own, rows, columns),
        smallest_angle=angle,
        grid=(rows, columns),
    )


def _side_points(panel: Panel, own: list[tuple[_Piece, int]]) -> Floats:
    """Return the points along one side of the grid, each piece cut evenly [m], (k, 2)."""
    parts = [sample_edge(panel, p.edge, np.linspace(p.start, p.end, n + 1).tolist()) for p, n in own]
    return np.concatenate([part[:-1] for part in parts] + [parts[-1][-1:]])


def _edge_vertices(
    edge_count: int, own: list[tuple[_Piece, int]], rows: int, columns: int
) -> tuple[Ints, ...]:
    """Return the grid's vertices along each edge of the panel, from its start to its end."""
    index = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    border = [index[0], index[:, -1], index[-1, ::-1], index[::-1, 0]]
    runs: dict[int, list[tuple[float, Ints]]] = {edge: [] for edge in range(edge_count)}
    for side in range(4):
        here = [(p, n) for p, n in own if p.side == side]
        for (p, _), (a, b) in zip(here, pairwise(np.cumsum([0, *(n for _, n in here)])), strict=True):
            run = border[side][a : b + 1]
            forward = p.start < p.end
            runs[p.edge].append((min(p.start, p.end), run if forward else run[::-1]))
    ordered = [[run for _, run in sorted(parts, key=lambda part: part[0])] for parts in runs.values()]
    return tuple(np.concatenate([run[:-1] for run in parts] + [parts[-1][-1:]]) for parts in ordered)
