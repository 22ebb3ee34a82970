"""Rectangular topology: a grid of rows and columns fitted to a panel's outline.

Mass-spring cloth in the manner of Vassilev et al. (2001) uses such grids: every inner vertex has four
neighbours, stored as an image. Four points of the outline become the grid's corners; the sides are cut
evenly; the inside starts as a Coons patch (Coons 1967) and is smoothed with Winslow's equations (1966), which
keep grid lines from crossing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Ints, Panel
from toile.pattern.model.curves import edge_length as length_of_edge
from toile.pattern.model.curves import orientation, sample_edge

_SWEEPS = 200
_STILL = 1e-4
"""smoothing ends when no vertex moves by more than this share of the edge length"""
_MAX_CORNERS = 24
"""outlines with more corners than this are reduced to their sharpest before the best four are sought"""


@dataclass(frozen=True, eq=False, slots=True)
class GridMesh:
    """A panel as rows and columns of vertices."""

    uv: Floats
    """rest positions in the panel's plane [m], (rows + 1, columns + 1, 2), counter-clockwise cells"""
    corners: tuple[float, float, float, float]
    """where the grid's corners lie on the outline: edge index + fraction of its length"""

    @property
    def triangles(self) -> Ints:
        """Return two triangles per cell with alternating diagonals, (t, 3), into uv.reshape(-1, 2)."""
        return cell_triangles(self.uv.shape[1] - 1, self.uv.shape[0] - 1)

    @property
    def smallest_angle(self) -> float:
        """Return the smallest corner angle of all cells [rad]."""
        return float(_cell_angles(self.uv).min())


def cell_triangles(columns: int, rows: int, *, alternate: bool = True) -> Ints:
    """Return two counter-clockwise triangles per cell of a grid stored row by row, (t, 3)."""
    i, j = (a.ravel() for a in np.meshgrid(np.arange(columns), np.arange(rows)))
    a = j * (columns + 1) + i
    b, c, d = a + 1, a + columns + 2, a + columns + 1
    rising = (i + j) % 2 == 0 if alternate else np.ones(len(a), dtype=bool)
    first = np.where(rising[:, None], np.stack([a, b, c], axis=1), np.stack([a, b, d], axis=1))
    second = np.where(rising[:, None], np.stack([a, c, d], axis=1), np.stack([b, c, d], axis=1))
    return np.stack([first, second], axis=1).reshape(-1, 3).astype(np.int32)


def fit_grid(
    panel: Panel,
    edge_length: float,
    *,
    corners: Sequence[float] | None = None,
    columns: int | None = None,
    rows: int | None = None,
) -> GridMesh:
    """Return a grid that fills a panel, with cells of about edge_length [m].

    corners: four places on the outline, as edge index + fraction of its length, in the order of the edges;
    left out, the four corners that look most like those of a rectangle. columns and rows may be given, so
    that panels that are sewn together agree. Pieces with three corners have no such grid.
    """
    if not (math.isfinite(edge_length) and edge_length > 0.0):
        raise ToileError(f"edge length {edge_length} m: give a positive length such as 1.5cm")
    places = _checked_corners(panel, corners) if corners is not None else _best_corners(panel)
    if orientation(panel) < 0:
        places = (places[0], places[3], places[2], places[1])
    lengths = [_side_length(panel, a, b) for a, b in grid_sides(places)]
    columns = columns or max(1, round(0.5 * (lengths[0] + lengths[2]) / edge_length))
    rows = rows or max(1, round(0.5 * (lengths[1] + lengths[3]) / edge_length))
    counts = (columns, rows, columns, rows)
    sides = [_sample_side(panel, a, b, n) for (a, b), n in zip(grid_sides(places), counts, strict=True)]
    uv = fill_sides(sides, edge_length)
    if uv is None:
        raise ToileError(
            f"panel '{panel.name}': no grid of {columns} × {rows} cells fits its outline without folding; "
            "choose other corners, more cells, or triangles"
        )
    return GridMesh(uv=uv, corners=places)


def fill_sides(sides: Sequence[Floats], edge_length: float) -> Floats | None:
    """Return the grid between four sides that run round it counter-clockwise [m]; None if it folds."""
    bottom, right, top, left = sides
    uv = _winslow(_coons(bottom, right, top[::-1], left[::-1]), edge_length)
    return uv if _cells_are_convex(uv) else None


Places = tuple[float, float, float, float]
"""where a grid's corners lie on the outline: edge index + fraction of its length"""


def grid_sides(places: Places) -> list[tuple[float, float]]:
    """Return where each of the four sides starts and ends on the outline."""
    return [(places[k], places[(k + 1) % 4]) for k in range(4)]


def _checked_corners(panel: Panel, corners: Sequence[float]) -> Places:
    """Return four ascending places on the outline."""
    count = len(panel.edges)
    values = [float(c) for c in corners]
    turned = values[values.index(min(values)) :] + values[: values.index(min(values))] if values else []
    inside = all(math.isfinite(c) and 0.0 <= c < count for c in values)
    if len(values) != 4 or not inside or sorted(set(turned)) != turned:
        raise ToileError(
            f"panel '{panel.name}': corners must be four different places from 0 to {count}, in the order of "
            "its edges"
        )
    return values[0], values[1], values[2], values[3]


def _best_corners(panel: Panel) -> Places:
    """Return the four corners of the outline whose turns are nearest to right angles."""
    turns = _turns(panel)
    candidates = sorted(sorted(range(len(turns)), key=lambda i: -turns[i])[:_MAX_CORNERS])
    if len(candidates) < 4:
        return _even_places(panel)
    misfit = {i: (turns[i] - 0.5 * math.pi) ** 2 for i in candidates}
    best = min(itertools.combinations(candidates, 4), key=lambda four: sum(misfit[i] for i in four))
    if any(turns[i] < math.radians(15.0) for i in best):
        return _even_places(panel)
    return float(best[0]), float(best[1]), float(best[2]), float(best[3])


def corner_choices(panel: Panel, most: int = 8) -> list[Places]:
    """Return choices of four corners, the likeliest first.

    Likely are corners that turn by about 90° and opposite sides of about the same length.
    """
    turns = _turns(panel)
    convex = [i for i in range(len(turns)) if turns[i] > math.radians(15.0)]
    convex = sorted(sorted(convex, key=lambda i: -turns[i])[:12])
    length = [length_of_edge(panel, e) for e in range(len(panel.edges))]
    ends = np.concatenate([[0.0], np.cumsum(length)])

    def misfit(four: tuple[int, ...]) -> float:
        at = ends[list(four)]
        side = np.diff(np.append(at, at[0] + ends[-1]))
        uneven = float(np.log(side[0] / side[2]) ** 2 + np.log(side[1] / side[3]) ** 2)
        return uneven + sum((turns[i] - 0.5 * math.pi) ** 2 for i in four)

    found = sorted(itertools.combinations(convex, 4), key=misfit)[:most]
    choices: list[Places] = [(float(a), float(b), float(c), float(d)) for a, b, c, d in found]
    return choices or [_even_places(panel)]


def _turns(panel: Panel) -> list[float]:
    """Return by how much the outline turns at the start of each edge [rad], positive at convex corners."""
    heading = []
    for edge in range(len(panel.edges)):
        ends = sample_edge(panel, edge, [0.0, 0.02, 0.98, 1.0])
        heading.append([math.atan2(*(ends[k + 1] - ends[k])[::-1]) for k in (0, 2)])
    turn = orientation(panel)
    return [
        turn * (((heading[i][0] - heading[i - 1][1]) + math.pi) % (2.0 * math.pi) - math.pi)
        for i in range(len(heading))
    ]


def _even_places(panel: Panel) -> Places:
    """Return four places a quarter of the outline apart: for round pieces."""
    lengths = np.array([length_of_edge(panel, e) for e in range(len(panel.edges))])
    ends = np.cumsum(lengths)
    places = []
    for quarter in range(4):
        at = quarter / 4 * float(ends[-1])
        edge = min(int(np.searchsorted(ends, at, side="right")), len(lengths) - 1)
        places.append(edge + (at - float(ends[edge] - lengths[edge])) / float(lengths[edge]))
    return places[0], places[1], places[2], places[3]


def outline_pieces(panel: Panel, start: float, end: float) -> list[tuple[int, float, float]]:
    """Return the pieces (edge, from, to) of the outline between two places, the short way of its direction.

    In a clockwise panel the grid's sides run against the outline.
    """
    count = len(panel.edges)
    if orientation(panel) < 0:
        return [(edge, b, a) for edge, a, b in reversed(_forward(count, end, start))]
    return _forward(count, start, end)


def _forward(count: int, start: float, end: float) -> list[tuple[int, float, float]]:
    stop = end if end > start else end + count
    pieces, here = [], start
    while here < stop - 1e-12:
        edge = math.floor(here + 1e-12)
        after = min(edge + 1.0, stop)
        pieces.append((edge % count, max(here - edge, 0.0), after - edge))
        here = after
    return pieces


def _side_length(panel: Panel, start: float, end: float) -> float:
    return sum(abs(b - a) * length_of_edge(panel, edge) for edge, a, b in outline_pieces(panel, start, end))


def _sample_side(panel: Panel, start: float, end: float, count: int) -> Floats:
    """Return count + 1 points evenly spaced along a side of the grid [m]."""
    pieces = outline_pieces(panel, start, end)
    lengths = np.array([abs(b - a) * length_of_edge(panel, edge) for edge, a, b in pieces])
    ends = np.cumsum(lengths)
    at = np.linspace(0.0, float(ends[-1]), count + 1)
    which = np.minimum(np.searchsorted(ends, at - 1e-12), len(pieces) - 1)
    points = []
    for distance, k in zip(at.tolist(), which.tolist(), strict=True):
        edge, a, b = pieces[k]
        share = (distance - float(ends[k] - lengths[k])) / float(lengths[k])
        points.append(sample_edge(panel, edge, [a + min(max(share, 0.0), 1.0) * (b - a)])[0])
    return np.array(points)


def _coons(bottom: Floats, right: Floats, top: Floats, left: Floats) -> Floats:
    """Return the Coons patch between four sides; bottom and top run left to right, left and right upwards."""
    s = np.linspace(0.0, 1.0, len(bottom))[None, :, None]
    t = np.linspace(0.0, 1.0, len(left))[:, None, None]
    ruled = (1 - t) * bottom[None] + t * top[None] + (1 - s) * left[:, None] + s * right[:, None]
    corners = (1 - t) * ((1 - s) * bottom[0] + s * bottom[-1]) + t * ((1 - s) * top[0] + s * top[-1])
    return np.asarray(ruled - corners)


def _winslow(uv: Floats, edge_length: float) -> Floats:
    """Return the grid after smoothing its inside: α x_ss − 2 β x_st + γ x_tt = 0."""
    uv = uv.copy()
    for _ in range(_SWEEPS if min(uv.shape[:2]) > 2 else 0):
        d_s = 0.5 * (uv[1:-1, 2:] - uv[1:-1, :-2])
        d_t = 0.5 * (uv[2:, 1:-1] - uv[:-2, 1:-1])
        cross = 0.25 * (uv[2:, 2:] - uv[2:, :-2] - uv[:-2, 2:] + uv[:-2, :-2])
        alpha, gamma = ((d * d).sum(axis=2, keepdims=True) for d in (d_t, d_s))
        beta = (d_s * d_t).sum(axis=2, keepdims=True)
        row, column = uv[1:-1, 2:] + uv[1:-1, :-2], uv[2:, 1:-1] + uv[:-2, 1:-1]
        moved = (alpha * row + gamma * column - 2 * beta * cross) / np.maximum(2 * (alpha + gamma), 1e-30)
        step = moved - uv[1:-1, 1:-1]
        uv[1:-1, 1:-1] += 0.9 * step
        if np.abs(step).max() < _STILL * edge_length:
            break
    return uv


def _cell_corners(uv: Floats) -> Floats:
    """Return the corners of each cell, counter-clockwise, (rows, columns, 4, 2)."""
    return np.stack([uv[:-1, :-1], uv[:-1, 1:], uv[1:, 1:], uv[1:, :-1]], axis=2)


def _cells_are_convex(uv: Floats) -> bool:
    cells = _cell_corners(uv)
    onward = np.roll(cells, -1, axis=2) - cells
    back = np.roll(cells, 1, axis=2) - cells
    return bool((onward[..., 0] * back[..., 1] - onward[..., 1] * back[..., 0] > 0.0).all())


def _cell_angles(uv: Floats) -> Floats:
    """Return the angle at each corner of each cell [rad], (rows, columns, 4)."""
    cells = _cell_corners(uv)
    onward = np.roll(cells, -1, axis=2) - cells
    back = np.roll(cells, 1, axis=2) - cells
    sine = onward[..., 0] * back[..., 1] - onward[..., 1] * back[..., 0]
    return np.asarray(np.arctan2(sine, (onward * back).sum(axis=-1)))
