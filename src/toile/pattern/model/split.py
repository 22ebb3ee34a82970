"""Cutting edges in pieces, with the seams, holds and notches that run along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from toile.core.records import CurveKind, EdgeRef, Floats, Grade, Hold, Notch, Panel, Pattern, Seam
from toile.pattern.model import curves
from toile.pattern.model.check import EDGE_SHORTEST
from toile.pattern.model.lengths import seam_lengths

Cuts = Mapping[tuple[str, int], Sequence[float]]
"""(panel, edge) → ascending fractions of the edge's length where it is cut"""

_SAME = 1e-6  # places on a seam nearer than this share of its length are one


@dataclass(frozen=True, slots=True)
class PartRef(EdgeRef):
    """A part of an edge, until the edge is cut there."""

    low: float = 0.0
    """fraction of the edge's length where the part begins"""
    high: float = 1.0
    """… and where it ends"""


def cut_parts(pattern: Pattern) -> Pattern:
    """Return the pattern with edges cut where its seams and holds take only a part of them."""
    cuts: dict[tuple[str, int], set[float]] = {}
    refs = [ref for seam in pattern.seams for ref in (*seam.a, *seam.b)]
    for ref in [*refs, *[hold.edge for hold in pattern.holds]]:
        if isinstance(ref, PartRef):
            cuts.setdefault((ref.panel, ref.edge), set()).update((ref.low, ref.high))
    inner = {key: _apart(places) for key, places in cuts.items()}
    return split_edges(pattern, inner) if inner else pattern


def _apart(places: set[float]) -> list[float]:
    """Return places in order, without the ends and without what lies on the place before."""
    kept: list[float] = []
    for place in sorted(places):
        if _SAME < place < 1.0 - _SAME and (not kept or place - kept[-1] > _SAME):
            kept.append(place)
    return kept


def split_edges(pattern: Pattern, cuts: Cuts) -> Pattern:
    """Return the same garment with edges cut in pieces; names, seams, holds and notches follow."""
    first = {
        panel.name: np.concatenate(
            [[0], np.cumsum([1 + len(cuts.get((panel.name, i), ())) for i in range(len(panel.edges))])]
        )
        for panel in pattern.panels
    }

    def pieces(ref: EdgeRef) -> tuple[EdgeRef, ...]:
        low, high = (int(i) for i in first[ref.panel][ref.edge : ref.edge + 2])
        if isinstance(ref, PartRef):
            bounds = np.array([0.0, *cuts.get((ref.panel, ref.edge), ()), 1.0])
            begin, end = (int(np.abs(bounds - place).argmin()) for place in (ref.low, ref.high))
            low, high = low + begin, low + end
        numbers = range(high - 1, low - 1, -1) if ref.reversed else range(low, high)
        return tuple(EdgeRef(ref.panel, i, ref.reversed) for i in numbers)

    def chain(refs: tuple[EdgeRef, ...]) -> tuple[EdgeRef, ...]:
        return tuple(piece for ref in refs for piece in pieces(ref))

    return replace(
        pattern,
        panels=tuple(_split_panel(panel, cuts, first[panel.name]) for panel in pattern.panels),
        seams=tuple(replace(seam, a=chain(seam.a), b=chain(seam.b)) for seam in pattern.seams),
        holds=tuple(Hold(ref, h.kind, h.ratio) for h in pattern.holds for ref in pieces(h.edge)),
        grades=tuple(rule for g in pattern.grades for rule in _split_grade(g, pieces(g.edge))),
    )


def _split_grade(grade: Grade, refs: tuple[EdgeRef, ...]) -> list[Grade]:
    """Return a grade rule for the pieces of its edge: all move outward, or an end of the first or last."""
    if grade.where == "out":
        return [replace(grade, edge=ref) for ref in refs]
    return [replace(grade, edge=refs[0 if grade.where == "start" else -1])]


def _split_panel(panel: Panel, cuts: Cuts, first: NDArray[np.int64]) -> Panel:
    if first[-1] == len(panel.edges):
        return panel
    parts: list[tuple[CurveKind, Floats]] = []
    names: list[str] = []
    for i, edge in enumerate(panel.edges):
        new = curves.split_curve(edge.kind, curves.edge_points(panel, i), cuts.get((panel.name, i), ()))
        parts += new
        names += [edge.name] * len(new)
    vertices, edges = curves.make_edges(parts, names)
    notches = tuple(
        _move_notch(n, cuts.get((panel.name, n.edge), ()), int(first[n.edge])) for n in panel.notches
    )
    return replace(panel, vertices=vertices, edges=edges, notches=notches)


def _move_notch(notch: Notch, cuts: Sequence[float], first: int) -> Notch:
    bounds = [0.0, *cuts, 1.0]
    piece = min(int(np.searchsorted(bounds[1:], notch.fraction)), len(cuts))
    fraction = (notch.fraction - bounds[piece]) / (bounds[piece + 1] - bounds[piece])
    return Notch(first + piece, min(max(fraction, 0.0), 1.0), notch.name)


def explode_polylines(pattern: Pattern) -> Pattern:
    """Return the pattern with each polyline edge cut at its points into straight edges."""
    cuts = {}
    for panel in pattern.panels:
        for i, edge in enumerate(panel.edges):
            if edge.kind == "polyline" and len(edge.controls):
                steps = np.hypot(*np.diff(curves.edge_points(panel, i), axis=0).T)
                at = np.cumsum(steps)[:-1] / steps.sum()
                cuts[panel.name, i] = [float(f) for f in at[steps[:-1] > 0.0]]
    return split_edges(pattern, cuts)


def one_to_one(pattern: Pattern) -> Pattern:
    """Return the pattern with every seam between exactly two edges, cutting edges where partners end."""
    cuts: dict[tuple[str, int], list[float]] = {}
    for seam in pattern.seams:
        a, b = _ends(pattern, seam.a), _ends(pattern, seam.b)
        # corners that nearly meet are one: a cut beside a corner would leave an edge too short to keep
        same = 1.2 * EDGE_SHORTEST / min(seam_lengths(pattern, seam))
        met = _meeting(a, b, max(same, _SAME))
        _cut_at(cuts, seam.a, a, np.delete(b, [j for _, j in met]))
        _cut_at(cuts, seam.b, b, np.delete(a, [i for i, _ in met]))
    divided = split_edges(pattern, {key: sorted(places) for key, places in cuts.items()})
    seams = [
        Seam((a,), (b,), seam.ease, seam.name)
        for seam in divided.seams
        for a, b in zip(seam.a, seam.b, strict=True)
    ]
    return replace(divided, seams=tuple(seams))


def _ends(pattern: Pattern, chain: tuple[EdgeRef, ...]) -> Floats:
    """Return where each edge of a chain starts and the last ends, 0 … 1."""
    lengths = [curves.edge_length(pattern.panel(ref.panel), ref.edge) for ref in chain]
    at = np.concatenate([[0.0], np.cumsum(lengths)]) / sum(lengths)
    at[-1] = 1.0
    return at


def _meeting(a: Floats, b: Floats, same: float) -> list[tuple[int, int]]:
    """Return the places of both sides that meet within a share of the seam, each once; both ends always."""
    found = [(0, 0), (len(a) - 1, len(b) - 1)]
    i = j = 1
    while i < len(a) - 1 and j < len(b) - 1:
        if abs(a[i] - b[j]) <= same:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return found


def _cut_at(
    cuts: dict[tuple[str, int], list[float]], chain: tuple[EdgeRef, ...], own: Floats, places: Floats
) -> None:
    for at in places:
        k = min(max(int(np.searchsorted(own, at)) - 1, 0), len(chain) - 1)
        fraction = float((at - own[k]) / (own[k + 1] - own[k]))
        ref = chain[k]
        cuts.setdefault((ref.panel, ref.edge), []).append(1.0 - fraction if ref.reversed else fraction)
