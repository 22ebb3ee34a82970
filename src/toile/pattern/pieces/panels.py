"""Pieces as CAD and drawing files have them: outline curves, fold, grain, notches, quantity → panels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import shapely
from scipy.spatial import cKDTree

from toile.core.errors import ToileError
from toile.core.records import CurveKind, Edge, Floats, Mark, Notch, Panel
from toile.pattern.model import curves
from toile.pattern.model.mirror import mirror_panel
from toile.pattern.understand.upright import upright

Curve = tuple[CurveKind, Floats]
"""kind and start, controls, end [m]"""

CORNER = math.radians(20.0)
"""an outline that turns more than this has a corner"""
WINDOW = 0.004
"""the direction of an outline is taken over this length [m]"""
JOIN = 0.0005
"""ends nearer than this are one point [m]"""
NOTCH_REACH = 0.03
"""a notch belongs to an outline within this distance [m]"""
FOLD_REACH = 0.001
RING_LIMIT = 20_000
CHAIN_LIMIT = 1_500


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece before it is unfolded and doubled."""

    name: str
    outline: list[Curve]
    """closed, each curve starts where the one before ends"""
    fold: Floats | None = None
    """(2, 2): half a piece, to be mirrored at this line"""
    grain: Floats | None = None
    """(2, 2): a line along the warp"""
    quantity: int = 1
    """2: also the mirrored twin"""
    notches: list[tuple[Floats, str]] = field(default_factory=list)
    """place and name; notches of one name meet"""
    marks: list[Mark] = field(default_factory=list)
    label: str = ""


def panels_from_pieces(pieces: Sequence[Piece], *, turn: bool = False) -> tuple[Panel, ...]:
    """Return panels: half pieces unfolded, twins added, names made unique; turned to their grain if asked."""
    panels: list[Panel] = []
    used: set[str] = set()
    for piece in pieces:
        panel = upright(panel_from_piece(piece)) if turn else panel_from_piece(piece)
        panel = replace(panel, name=_unique(panel.name, used))
        panels.append(panel)
        if piece.quantity == 2:
            panels.append(mirror_panel(panel, _unique(f"{panel.name}_mirrored", used)))
    return tuple(panels)


def panel_from_piece(piece: Piece) -> Panel:
    """Return the panel of one piece."""
    outline = drop_short_curves(piece.outline)
    marks = list(piece.marks)
    notches = list(piece.notches)
    if piece.fold is not None:
        unfolded = unfold_outline(outline, piece.fold)
        if unfolded is None:
            marks.append(Mark("fold", piece.fold))
        else:
            outline = unfolded
            notches += [(_reflect(point, piece.fold), name) for point, name in notches]
            marks += [replace(mark, points=_reflect(mark.points, piece.fold)) for mark in marks]
    if len(outline) < 2:
        raise ToileError(f"piece '{piece.name}': its outline has {len(outline)} edges, it encloses nothing")
    vertices, edges = curves.make_edges(outline)
    panel = Panel(
        piece.name, vertices, edges, grain=_grain(piece.grain), label=piece.label, marks=tuple(marks)
    )
    return replace(panel, notches=notches_on(panel, notches))


def _unique(name: str, used: set[str]) -> str:
    """Return a printable name that no other panel has."""
    clean = "".join(c for c in name if c.isprintable()).strip()[:100] or "piece"
    result, number = clean, 2
    while result in used:
        result, number = f"{clean}_{number}", number + 1
    used.add(result)
    return result


def _grain(line: Floats | None) -> float:
    """Return the angle of the warp from the y axis, in (-90°, 90°]."""
    if line is None:
        return 0.0
    dx, dy = line[1] - line[0]
    angle = math.atan2(-dx, dy)
    angle -= math.pi * math.floor(angle / math.pi + 0.5)
    return 0.0 if abs(angle) < 1e-9 else angle


# ---------------------------------------------------------------------------- outlines


def drop_short_curves(outline: Sequence[Curve], shortest: float = 1e-4) -> list[Curve]:
    """Return the outline without curves shorter than 0.1 mm; the ends of the rest close up."""
    kept = [
        (kind, np.array(points)) for kind, points in outline if curves.curve_length(kind, points) >= shortest
    ]
    for i, (_, points) in enumerate(kept):
        points[-1] = kept[(i + 1) % len(kept)][1][0]
    return kept


def ring_to_curves(ring: Floats, corners: Floats | None = None) -> list[Curve]:
    """Return a closed polygon (k, 2) as curves between its corners.

    ``corners`` are the turn points of the file, if it has any; else corners are where the outline turns.
    """
    ring = tidy_ring(ring)
    if len(ring) > RING_LIMIT:
        raise ToileError(f"an outline has {len(ring)} points, at most {RING_LIMIT} are accepted")
    if len(ring) < 3:
        return []
    if corners is not None and len(corners) >= 2:
        at = nearest_points(ring, corners)
    else:
        at = [int(i) for i in np.flatnonzero(turning(ring) > CORNER)]
    if len(at) < 2:  # a round piece: cut it in two at its highest and lowest point
        at = sorted({int(ring[:, 1].argmin()), int(ring[:, 1].argmax())})
    result: list[Curve] = []
    for low, high in pairwise([*at, at[0] + len(ring)]):
        points = ring[np.arange(low, high + 1) % len(ring)]
        result.append(("polyline" if len(points) > 2 else "line", points))
    return result


def tidy_ring(ring: Floats) -> Floats:
    """Return a polygon without its repeated end and without points that lie on one another."""
    ring = np.asarray(ring, dtype=np.float64).reshape(-1, 2)
    gap = np.hypot(*(ring - np.roll(ring, 1, axis=0)).T)
    kept = ring[gap > 1e-5]
    return kept if len(kept) else ring[:0]


def nearest_points(ring: Floats, corners: Floats) -> list[int]:
    """Return the sorted indices of points that are turn points of the file."""
    distance, near = cKDTree(ring).query(corners)
    return sorted({int(i) for i in near[distance < 4 * JOIN]})


def turning(ring: Floats) -> Floats:
    """Return how sharply a polygon turns at each point, 0 … π, zero beside a sharper point nearby."""
    closed = np.vstack([ring, ring[:1]])
    steps = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    total = steps[-1]
    window = min(WINDOW, total / 20.0)

    def at(place: Floats) -> Floats:
        place = np.mod(place, total)
        return np.stack([np.interp(place, steps, closed[:, k]) for k in (0, 1)], axis=1)

    here = steps[:-1]
    before, after = ring - at(here - window), at(here + window) - ring
    angle = np.abs(
        np.arctan2(
            before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0],
            (before * after).sum(axis=1),
        )
    )
    for i in np.argsort(-angle, kind="stable"):
        if angle[i] > CORNER:
            apart = np.abs(here - here[i])
            beside = np.minimum(apart, total - apart) < window
            beside[i] = False
            angle[beside & (angle <= angle[i])] = 0.0
    return np.asarray(angle)


def join_curves(parts: Sequence[Curve]) -> list[Curve] | None:
    """Return open curves head to tail as one closed outline; None if they do not meet."""
    if len(parts) > CHAIN_LIMIT:
        raise ToileError(f"an outline is made of {len(parts)} lines, at most {CHAIN_LIMIT} are accepted")
    rest = [(kind, np.array(points)) for kind, points in parts]
    result = [rest.pop(0)]
    while rest:
        end = result[-1][1][-1]
        if np.hypot(*(rest[0][1][0] - end)) < JOIN:  # the file's own order wins where it fits
            result.append(rest.pop(0))
            continue
        ends = np.array([[points[0], points[-1]] for _, points in rest])
        distance = np.hypot(*(ends - end).transpose(2, 0, 1))
        k, side = divmod(int(distance.argmin()), 2)
        if distance[k, side] > 4 * JOIN:
            return None
        kind, points = rest.pop(k)
        result.append((kind, points[::-1] if side else points))
    if np.hypot(*(result[-1][1][-1] - result[0][1][0])) > 4 * JOIN:
        return None
    for i, (_, points) in enumerate(result):
        points[-1] = result[(i + 1) % len(result)][1][0]
    return result


def outline_ring(outline: Sequence[Curve], tolerance: float = 2e-4) -> Floats:
    """Return an outline as a polygon [m], (k, 2)."""
    vertices, edges = curves.make_edges(list(outline))
    return curves.outline(Panel("", vertices, edges), tolerance)


def flat_curve(curve: Curve) -> Floats:
    """Return a curve as a polyline [m], both ends included."""
    kind, points = curve
    edge = Edge(0, 1, kind, points[1:-1])
    return curves.flatten_edge(Panel("", points[[0, -1]], (edge,)), 0, 2e-4)


def merge_lines(outline: Sequence[Curve], many: int = 24) -> list[Curve]:
    """Return an outline made of many short straight lines as polylines between its corners."""
    if sum(kind == "line" for kind, _ in outline) < many or any(kind != "line" for kind, _ in outline):
        return list(outline)
    return ring_to_curves(np.array([points[0] for _, points in outline]))


# ---------------------------------------------------------------------------- fold


def _reflect(points: Floats, line: Floats) -> Floats:
    direction = (line[1] - line[0]) / np.hypot(*(line[1] - line[0]))
    offset = np.asarray(points) - line[0]
    along = (
        (offset @ direction)[..., None] * direction if offset.ndim > 1 else (offset @ direction) * direction
    )
    return np.asarray(line[0] + 2.0 * along - offset)


def unfold_outline(outline: Sequence[Curve], line: Floats) -> list[Curve] | None:
    """Return half a piece and its mirror image as one outline; None if no edge lies on the fold line."""
    if np.hypot(*(line[1] - line[0])) < JOIN:
        return None
    direction = (line[1] - line[0]) / np.hypot(*(line[1] - line[0]))
    normal = np.array([-direction[1], direction[0]])
    on_fold = [bool(np.all(np.abs((points - line[0]) @ normal) < FOLD_REACH)) for _, points in outline]
    if not any(on_fold) or all(on_fold):
        return None
    # start after the fold; the edges on it must be neighbours
    first = next(i for i in range(len(outline)) if on_fold[i - 1] and not on_fold[i])
    turned = [*range(first, len(outline)), *range(first)]
    half = [(outline[i][0], np.array(outline[i][1])) for i in turned if not on_fold[i]]
    if any(on_fold[i] for i in turned[: len(half)]):
        return None
    # both ends exactly on the fold line
    for points, index in ((half[0][1], 0), (half[-1][1], -1)):
        points[index] -= ((points[index] - line[0]) @ normal) * normal
    other: list[Curve] = [(kind, _reflect(points, line)[::-1]) for kind, points in reversed(half)]
    joined = half + other
    for i, (_, points) in enumerate(joined):
        points[-1] = joined[(i + 1) % len(joined)][1][0]
    return joined


# ---------------------------------------------------------------------------- notches


def notches_on(panel: Panel, points: Sequence[tuple[Floats, str]]) -> tuple[Notch, ...]:
    """Return notches at the places of the outline that are nearest to named points [m]."""
    if not points:
        return ()
    lines = [shapely.LineString(curves.flatten_edge(panel, i, 1e-5)) for i in range(len(panel.edges))]
    found: set[tuple[int, float, str]] = set()
    for point, name in points:
        at = shapely.Point(float(point[0]), float(point[1]))
        distance = [line.distance(at) for line in lines]
        k = int(np.argmin(distance))
        if distance[k] < NOTCH_REACH:
            found.add((k, round(float(lines[k].project(at, normalized=True)), 6), name))
    return tuple(Notch(edge, fraction, name) for edge, fraction, name in sorted(found))


# ---------------------------------------------------------------------------- units, sew line


PLAUSIBLE = (0.12, 3.0)
"""size of a garment's largest piece [m]"""
UNIT_METRES = {"mm": 0.001, "cm": 0.01, "in": 0.0254, "m": 1.0}


def choose_unit(largest: float, declared: str, said: str) -> tuple[float, str]:
    """Return metres per unit and a note, from the size of the largest piece in file units.

    ``declared`` lists units that the file allows, best first, such as "mm cm"; ``said`` is where that stands.
    """
    order = [*declared.split(), *[unit for unit in UNIT_METRES if unit not in declared.split()]]
    fits = [unit for unit in order if PLAUSIBLE[0] <= largest * UNIT_METRES[unit] <= PLAUSIBLE[1]]
    unit = fits[0] if fits else order[0]
    size = f"the largest piece is then {largest * UNIT_METRES[unit] * 100:.0f} cm long"
    if unit in declared.split():
        return UNIT_METRES[unit], f"units: {unit} ({said}), {size}"
    why = f"with {declared.split()[0]} ({said}) it would fit no person"
    return UNIT_METRES[unit], f"units: {unit} assumed, {why}; {size}"


def is_sew_line(cut: Floats, inner: Floats) -> bool:
    """Return whether a closed line runs inside a cutting line at the distance of a seam allowance [m]."""
    if min(len(cut), len(inner)) < 3:
        return False
    outside, inside = shapely.Polygon(cut), shapely.Polygon(inner)
    if not (outside.is_valid and inside.is_valid) or inside.area < 0.3 * outside.area:
        return False
    gaps = shapely.distance(outside.exterior, shapely.points(inner))
    return bool(
        outside.buffer(0.001).contains(inside)
        and np.median(gaps) > 0.002
        and np.quantile(gaps, 0.9) < 0.06
        and np.median(gaps) < 0.035
    )


def largest_extent(rings: Sequence[Floats]) -> float:
    """Return the largest width or height of some polygons, in their unit."""
    return max((float(np.ptp(ring, axis=0).max()) for ring in rings if len(ring)), default=0.0)
