"""Edges as curves: sampling by arc length, length, splitting; outline and area of a panel.

Everything is in metres in the panel's plane. Bézier arc lengths are integrated with Gauss–Legendre
quadrature, arcs are handled by their turning angle, so that nearly straight arcs stay exact.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from toile.core.errors import ToileError
from toile.core.records import CurveKind, Edge, Floats, Panel

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_NODES, _WEIGHTS = (_NODES + 1.0) / 2.0, _WEIGHTS / 2.0  # on [0, 1]
_PIECES = 32  # a Bézier edge is integrated in that many pieces
_STRAIGHT = 1e-9  # turning angle [rad] under which an arc is a line


def edge_points(panel: Panel, edge_index: int) -> Floats:
    """Return start, control points and end of an edge [m], (k + 2, 2)."""
    edge = panel.edges[edge_index]
    return np.vstack([panel.vertices[edge.start], edge.controls, panel.vertices[edge.end]])


def edge_length(panel: Panel, edge_index: int) -> float:
    """Return the length of an edge along its curve [m]."""
    return curve_length(panel.edges[edge_index].kind, edge_points(panel, edge_index))


def sample_edge(panel: Panel, edge_index: int, fractions: ArrayLike) -> Floats:
    """Return the points at these fractions of the edge's length, 0 start … 1 end [m], (k, 2).

    Fractions 0 and 1 give the corners themselves, bit for bit.
    """
    return sample_curve(panel.edges[edge_index].kind, edge_points(panel, edge_index), fractions)


def curve_length(kind: CurveKind, points: Floats) -> float:
    """Return the length of a curve given by start, controls, end [m]."""
    if kind in ("quadratic", "cubic"):
        return float(_bezier_lengths(points)[1][-1])
    if kind == "arc":
        chord, turn = points[2] - points[0], arc_turn(points)
        half = abs(turn) / 2.0
        return float(np.hypot(*chord)) * (half / math.sin(half) if half > _STRAIGHT else 1.0)
    return float(np.hypot(*np.diff(points, axis=0).T).sum())


def sample_curve(kind: CurveKind, points: Floats, fractions: ArrayLike) -> Floats:
    """Return points at fractions of the arc length of a curve given by start, controls, end [m], (k, 2)."""
    f = np.clip(np.asarray(fractions, dtype=np.float64).ravel(), 0.0, 1.0)
    if kind in ("quadratic", "cubic"):
        result = _bezier(points, bezier_parameters(points, f))
    elif kind == "arc":
        result = _arc(points, f)
    else:
        result = _polyline(points, f)
    result[f == 0.0], result[f == 1.0] = points[0], points[-1]
    return result


# ---------------------------------------------------------------------------- Bézier


def _bezier(points: Floats, t: Floats) -> Floats:
    """Evaluate by de Casteljau, which is stable and exact at both ends."""
    rows = [np.broadcast_to(p, (len(t), 2)) for p in points]
    s = t[:, None]
    while len(rows) > 1:
        rows = [(1.0 - s) * a + s * b for a, b in pairwise(rows)]
    return np.array(rows[0])


def _bezier_speed(points: Floats, t: Floats) -> Floats:
    velocity = _bezier((len(points) - 1) * np.diff(points, axis=0), t.ravel())
    return np.hypot(velocity[:, 0], velocity[:, 1]).reshape(t.shape)


def _knots(points: Floats) -> Floats:
    """Return where the integration of the speed is divided: evenly, and finely round sharp turns.

    A curve that nearly or truly turns back has a kink in its speed where speed² is smallest.
    """
    degree = len(points) - 1
    even = np.linspace(0.0, 1.0, _PIECES + 1)
    # velocity as a polynomial in t, highest power first; roots of velocity · acceleration
    x, y = (np.array(_POWERS[degree]) @ (degree * np.diff(points, axis=0))).T
    slope = np.polyadd(np.polymul(x, np.polyder(x)), np.polymul(y, np.polyder(y)))
    roots = np.roots(slope) if np.any(np.abs(slope) > 1e-30) else np.zeros(0)
    turns = np.real(roots[np.abs(np.imag(roots)) < 1e-6])
    turns = turns[(turns > 0.0) & (turns < 1.0)]
    if len(turns):
        turns = turns[_bezier_speed(points, turns) < 0.2 * _bezier_speed(points, even).max()]
    if not len(turns):
        return even
    near = np.clip((turns[:, None] + _GRADED).ravel(), 0.0, 1.0)
    return np.unique(np.concatenate([even, turns, near]))


_POWERS = {2: [[-1.0, 1.0], [1.0, 0.0]], 3: [[1.0, -2.0, 1.0], [-2.0, 2.0, 0.0], [1.0, 0.0, 0.0]]}
_GRADED = np.concatenate([sign * 0.25 ** np.arange(3, 13) for sign in (-1.0, 1.0)])


def _bezier_lengths(points: Floats) -> tuple[Floats, Floats]:
    """Return knots and the cumulative arc length at them [m]."""
    knots = _knots(points)
    width = np.diff(knots)
    speed = _bezier_speed(points, knots[:-1, None] + width[:, None] * _NODES)
    return knots, np.concatenate([[0.0], np.cumsum(speed @ _WEIGHTS * width)])


def bezier_parameters(points: Floats, fractions: Floats) -> Floats:
    """Return the curve parameters at fractions of the arc length: Newton steps kept inside a bracket."""
    knots, lengths = _bezier_lengths(points)
    target = fractions * lengths[-1]
    piece = np.clip(np.searchsorted(lengths, target, side="right") - 1, 0, len(knots) - 2)
    low, high = knots[piece], knots[piece + 1]
    gap = lengths[piece + 1] - lengths[piece]
    t = low + (high - low) * np.divide(target - lengths[piece], gap, out=np.zeros_like(gap), where=gap > 0.0)
    left, right = low.copy(), high.copy()
    for _ in range(8):
        width = t - low
        inside = _bezier_speed(points, low[:, None] + width[:, None] * _NODES) @ _WEIGHTS * width
        miss = lengths[piece] + inside - target
        left, right = np.where(miss < 0.0, t, left), np.where(miss > 0.0, t, right)
        speed = _bezier_speed(points, t)
        step = np.divide(miss, speed, out=np.full_like(t, np.inf), where=speed > 1e-300)
        guess = t - step
        t = np.where((guess >= left) & (guess <= right), guess, (left + right) / 2.0)
    return np.asarray(t, dtype=np.float64)


# ---------------------------------------------------------------------------- arc, polyline


def arc_turn(points: Floats) -> float:
    """Return the signed turning angle of the circular arc through three points [rad], clockwise positive.

    By the inscribed angle theorem it is twice the angle between the two chords at the middle point.
    """
    first, second = points[1] - points[0], points[2] - points[1]
    cross = float(first[1] * second[0] - first[0] * second[1])
    return 2.0 * math.atan2(cross, float(first @ second))


def _arc(points: Floats, f: Floats) -> Floats:
    chord, turn = points[2] - points[0], arc_turn(points)
    if abs(turn) < _STRAIGHT:
        return np.asarray(points[0] + f[:, None] * chord)
    # the chord to the point at fraction f makes the angle (1 - f)·turn/2 with the whole chord
    size = np.sin(f * turn / 2.0) / math.sin(turn / 2.0)
    angle = (1.0 - f) * turn / 2.0
    cos, sin = np.cos(angle), np.sin(angle)
    offset = np.stack([cos * chord[0] - sin * chord[1], sin * chord[0] + cos * chord[1]], axis=1)
    return np.asarray(points[0] + size[:, None] * offset)


def _polyline(points: Floats, f: Floats) -> Floats:
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = f * lengths[-1]
    return np.stack([np.interp(at, lengths, points[:, k]) for k in (0, 1)], axis=1)


# ---------------------------------------------------------------------------- split


def split_curve(kind: CurveKind, points: Floats, fractions: ArrayLike) -> list[tuple[CurveKind, Floats]]:
    """Cut a curve at ascending inner fractions of its length; each part has start, controls, end [m]."""
    cuts = np.asarray(fractions, dtype=np.float64).ravel()
    bounds = np.concatenate([[0.0], cuts, [1.0]])
    if np.any(np.diff(bounds) <= 0.0):
        raise ToileError("an edge can only be cut at ascending places between 0 and 1")
    parts: list[tuple[CurveKind, Floats]]
    if kind in ("quadratic", "cubic"):
        t = np.concatenate([[0.0], bezier_parameters(points, cuts), [1.0]])
        parts = [(kind, _bezier_part(points, a, b)) for a, b in pairwise(t)]
    elif kind == "polyline":
        parts = [_polyline_part(points, a, b) for a, b in pairwise(bounds)]
    else:
        middle = (bounds[1:] + bounds[:-1]) / 2.0
        ends, inner = sample_curve(kind, points, bounds), sample_curve(kind, points, middle)
        parts = [
            (kind, np.stack([a, m, b]) if kind == "arc" else np.stack([a, b]))
            for a, m, b in zip(ends, inner, ends[1:], strict=False)
        ]
    # neighbours share their corner exactly
    for before, after in pairwise(parts):
        after[1][0] = before[1][-1]
    return parts


def _bezier_part(points: Floats, low: float, high: float) -> Floats:
    """Return the control points of the part between two parameters (blossoming)."""
    degree = len(points) - 1
    rows = []
    for k in range(degree + 1):
        row = [np.array(p) for p in points]
        for t in [low] * (degree - k) + [high] * k:
            row = [(1.0 - t) * a + t * b for a, b in pairwise(row)]
        rows.append(row[0])
    return np.array(rows)


def _polyline_part(points: Floats, low: float, high: float) -> tuple[CurveKind, Floats]:
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    slack = 1e-9 * lengths[-1]
    keep = (lengths > low * lengths[-1] + slack) & (lengths < high * lengths[-1] - slack)
    ends = sample_curve("polyline", points, [low, high])
    part = np.vstack([ends[0], points[keep], ends[1]])
    return ("polyline" if len(part) > 2 else "line"), part


# ---------------------------------------------------------------------------- panel


def flatten_edge(panel: Panel, edge_index: int, tolerance: float = 1e-4) -> Floats:
    """Return points along an edge, both corners included, within tolerance [m] of the curve, (k, 2)."""
    kind, points = panel.edges[edge_index].kind, edge_points(panel, edge_index)
    if kind in ("line", "polyline"):
        return points
    if kind == "arc":
        turn, length = abs(arc_turn(points)), curve_length(kind, points)
        # sagitta of a piece that turns by a: length/turn · a²/8
        count = math.sqrt(length * turn / (8.0 * tolerance))
        pieces = int(min(max(math.ceil(count), math.ceil(turn / 0.5), 1), 512))
        return _with_ends(_arc(points, np.linspace(0.0, 1.0, pieces + 1)), points)
    degree = len(points) - 1
    bend = np.hypot(*np.diff(points, n=2, axis=0).T).max() * degree * (degree - 1)
    pieces = int(min(max(math.ceil(math.sqrt(bend / (8.0 * tolerance))), 1), 512))
    return _with_ends(_bezier(points, np.linspace(0.0, 1.0, pieces + 1)), points)


def _with_ends(samples: Floats, points: Floats) -> Floats:
    samples[0], samples[-1] = points[0], points[-1]
    return samples


def outline(panel: Panel, tolerance: float = 1e-4) -> Floats:
    """Return the panel's closed outline in edge order, without repeating the first point [m], (k, 2)."""
    parts = [flatten_edge(panel, i, tolerance)[:-1] for i in range(len(panel.edges))]
    return np.concatenate(parts) if parts else np.zeros((0, 2))


def area(panel: Panel) -> float:
    """Return the area [m²], positive when the outline runs counter-clockwise, negative when clockwise."""
    if not panel.edges:
        return 0.0
    origin = panel.vertices[panel.edges[0].start]
    total = 0.0
    for i, edge in enumerate(panel.edges):
        total += _swept_area(edge.kind, edge_points(panel, i) - origin)
    return total


def orientation(panel: Panel) -> int:
    """Return 1 for a counter-clockwise outline, -1 for a clockwise one."""
    return 1 if area(panel) >= 0.0 else -1


def _swept_area(kind: CurveKind, points: Floats) -> float:
    """Return ½∫ x dy − y dx along the curve [m²]."""
    if kind in ("quadratic", "cubic"):
        at = _bezier(points, _NODES)
        velocity = _bezier((len(points) - 1) * np.diff(points, axis=0), _NODES)
        return float((at[:, 0] * velocity[:, 1] - at[:, 1] * velocity[:, 0]) @ _WEIGHTS) / 2.0
    corners = points[[0, -1]] if kind == "arc" else points
    total = float((corners[:-1, 0] * corners[1:, 1] - corners[:-1, 1] * corners[1:, 0]).sum()) / 2.0
    if kind == "arc":
        turn = arc_turn(points)
        chord = points[-1] - points[0]
        # segment between arc and chord: R²/2 (a − sin a), R = chord / (2 sin a/2)
        if abs(turn) > 1e-4:
            scale = float(chord @ chord) / (8.0 * math.sin(turn / 2.0) ** 2)
            total -= scale * (turn - math.sin(turn))
        else:
            total -= float(chord @ chord) * turn / 12.0
    return total


def make_edges(
    parts: list[tuple[CurveKind, Floats]], names: list[str] | None = None
) -> tuple[Floats, tuple[Edge, ...]]:
    """Return corners and edges of a closed outline from curves that follow one another.

    Each curve is given by start, controls, end [m]; its end is taken from the next curve's start.
    """
    vertices = np.array([points[0] for _, points in parts])
    count = len(parts)
    edges = tuple(
        Edge(i, (i + 1) % count, kind, points[1:-1], names[i] if names else "")
        for i, (kind, points) in enumerate(parts)
    )
    return vertices, edges
