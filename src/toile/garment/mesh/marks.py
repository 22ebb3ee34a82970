"""Internal lines, folds and cut-outs of a panel, made ready for meshing.

Lines are clipped to the cloth and cut where they cross each other; mesh edges will follow them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely

from toile.core.errors import ToileError
from toile.core.records import Floats, Mark, Panel
from toile.pattern.model.curves import edge_length as length_of_edge
from toile.pattern.model.curves import sample_edge

FOLLOWED = ("internal", "fold")
"""kinds of marks that mesh edges follow"""

_CORNER = math.radians(30.0)
"""a line that turns by more keeps a vertex there"""
_ON = 1e-5
"""a point this near an edge lies on it [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class MarkLine:
    """A piece of a mark between corners and crossings."""

    points: Floats
    """[m], (k, 2)"""
    marks: tuple[int, ...]
    """which marks of the panel run along it"""


def cutouts(panel: Panel) -> list[Floats]:
    """Return the closed outlines of the panel's cut-outs, first point not repeated [m], each (k, 2)."""
    rings = []
    for mark in panel.marks:
        if mark.kind != "cutout":
            continue
        ring = mark.points[:-1] if np.allclose(mark.points[0], mark.points[-1]) else mark.points
        if len(ring) < 3:
            raise ToileError(f"panel '{panel.name}': cut-out {mark.name or ''} needs at least three points")
        rings.append(np.asarray(ring))
    return rings


def lines(panel: Panel, cloth: shapely.Polygon) -> list[MarkLine]:
    """Return the internal and fold lines inside the cloth, split at corners and where they cross."""
    followed = {i: m for i, m in enumerate(panel.marks) if m.kind in FOLLOWED and len(m.points) > 1}
    if not followed:
        return []
    whole = {i: shapely.LineString(mark.points) for i, mark in followed.items()}
    noded = shapely.unary_union(list(whole.values())).intersection(cloth)
    pieces = []
    for part in shapely.get_parts(shapely.line_merge(noded) if len(whole) == 1 else noded):
        if part.geom_type == "LineString" and part.length > _ON:
            pieces += _split_at_corners(np.array(part.coords))
    return [MarkLine(piece, _owners(piece, whole)) for piece in pieces]


def _owners(piece: Floats, whole: dict[int, shapely.LineString]) -> tuple[int, ...]:
    """Return the marks that run along a piece."""
    middle = shapely.LineString(piece).interpolate(0.5, normalized=True)
    return tuple(i for i, line in whole.items() if shapely.distance(line, middle) < _ON)


def _split_at_corners(points: Floats) -> list[Floats]:
    """Return the parts of a polyline between sharp turns."""
    step = np.diff(points, axis=0)
    heading = np.arctan2(step[:, 1], step[:, 0])
    turn = np.abs((np.diff(heading) + math.pi) % (2.0 * math.pi) - math.pi)
    cuts = [0, *(np.flatnonzero(turn > _CORNER) + 1).tolist(), len(points) - 1]
    return [points[a : b + 1] for a, b in pairwise(cuts)]


def resample(points: Floats, edge_length: float, *, closed: bool = False) -> Floats:
    """Return points evenly spaced along a polyline (both ends included) or ring (corners kept) [m]."""
    if closed:
        ring = np.concatenate([points, points[:1]])
        parts = _split_at_corners(ring)
        if len(parts) == 1:
            parts = [ring[: len(ring) // 2 + 1], ring[len(ring) // 2 :]]
        return np.concatenate([resample(part, edge_length)[:-1] for part in parts])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    count = max(1, round(float(along[-1]) / edge_length))
    at = np.linspace(0.0, along[-1], count + 1)
    return np.stack([np.interp(at, along, points[:, k]) for k in (0, 1)], axis=1)


def ends_on_edges(panel: Panel) -> dict[int, list[float]]:
    """Return, per edge, the fractions of its length at which an internal line ends on it."""
    followed = [m for m in panel.marks if m.kind in FOLLOWED and len(m.points) > 1]
    if not followed:
        return {}
    found: dict[int, list[float]] = {}
    for edge in range(len(panel.edges)):
        fractions = np.linspace(0.0, 1.0, max(2, int(length_of_edge(panel, edge) / 0.001)))
        curve = shapely.LineString(sample_edge(panel, edge, fractions))
        places = [_meeting(mark, curve) for mark in followed]
        if fractions_here := sorted({f for place in places for f in place if 1e-6 < f < 1.0 - 1e-6}):
            found[edge] = fractions_here
    return found


def _meeting(mark: Mark, curve: shapely.LineString) -> list[float]:
    """Return the fractions of a curve's length where a mark crosses it or ends on it."""
    near = [p for p in shapely.points(mark.points[[0, -1]]) if shapely.distance(curve, p) < 10 * _ON]
    crossing = shapely.get_parts(shapely.intersection(curve, shapely.LineString(mark.points)))
    spots = near + [p for p in crossing if p.geom_type == "Point"]
    return [round(float(shapely.line_locate_point(curve, p, normalized=True)), 9) for p in spots]
