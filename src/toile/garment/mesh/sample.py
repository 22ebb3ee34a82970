"""Cuts the outlines of a pattern into short straight steps, alike on both sides of every seam.

The unit is a *stretch*: a piece of one unseamed edge, or two pieces of edges that are sewn together. Both
sides of a stretch are cut at the same fractions, so that seams join vertex to vertex, with ease and gathers
shared out evenly. Where a chain of edges is sewn to another (many to one), the corners of each chain also cut
the other one, at the same fraction of its length. Notches of one name meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Floats, Pattern, Seam
from toile.garment.mesh.marks import ends_on_edges
from toile.pattern.model.curves import edge_length as length_of_edge

EdgeKey = tuple[str, int]
"""panel name, edge index"""
Step = tuple[str, int, int]
"""panel name, edge index, number of the step along the edge"""

_SAME_PLACE = 0.3
"""cuts of two chains closer than this share of the edge length are taken as one"""
_SHORTEST = 1e-6
"""edges shorter than this are mistakes [m]"""


@dataclass(frozen=True, slots=True)
class EdgeSpan:
    """A piece of one edge."""

    panel: str
    edge: int
    begin: float
    """fraction of the edge's length, in the seam's direction: may be greater than end"""
    end: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """Pieces of edges that are cut alike."""

    sides: tuple[EdgeSpan, ...]
    length: float
    """mean of the sides [m]"""
    cuts: tuple[float, ...]
    """fractions of the stretch from 0 to 1, both included"""


def cut_outlines(pattern: Pattern, edge_length: float) -> list[Stretch]:
    """Return the stretches of all edges of a pattern for a target edge length [m]."""
    seamed: dict[EdgeKey, str] = {}
    marked = {
        (panel.name, edge): fractions
        for panel in pattern.panels
        for edge, fractions in ends_on_edges(panel).items()
    }
    stretches: list[Stretch] = []
    for index, seam in enumerate(pattern.seams):
        _claim_edges(pattern, seam, index, seamed)
        stretches += _cut_seam(pattern, seam, edge_length, marked)
    for panel in pattern.panels:
        for edge in range(len(panel.edges)):
            if (panel.name, edge) not in seamed:
                stretches += _cut_edge(pattern, panel.name, edge, edge_length, marked)
    return stretches


def edge_fractions(stretches: Iterable[Stretch]) -> dict[EdgeKey, Floats]:
    """Return, per edge, the ascending fractions of its length at which it has vertices, 0 and 1 included."""
    pieces: dict[EdgeKey, list[Floats]] = {}
    for stretch in stretches:
        for side in stretch.sides:
            at = side.begin + np.array(stretch.cuts) * (side.end - side.begin)
            at[-1] = side.end
            pieces.setdefault((side.panel, side.edge), []).append(np.sort(at))
    fractions = {}
    for key, parts in pieces.items():
        parts.sort(key=lambda part: float(part[0]))
        fractions[key] = np.concatenate([part[:-1] for part in parts] + [parts[-1][-1:]])
    return fractions


def split_steps(stretches: Sequence[Stretch], steps: Iterable[Step]) -> list[Stretch]:
    """Return the stretches with these steps halved, on both sides of a seam."""
    fractions = edge_fractions(stretches)
    result = list(stretches)
    where: dict[EdgeKey, list[int]] = {}
    for index, stretch in enumerate(stretches):
        for side in stretch.sides:
            where.setdefault((side.panel, side.edge), []).append(index)
    for panel, edge, step in sorted(set(steps)):
        middle = 0.5 * float(fractions[panel, edge][step] + fractions[panel, edge][step + 1])
        for index in where[panel, edge]:
            result[index] = _halved_at(result[index], panel, edge, middle)
    return result


def _halved_at(stretch: Stretch, panel: str, edge: int, fraction: float) -> Stretch:
    """Return the stretch with the step halved that holds a fraction of an edge, if any does."""
    for side in stretch.sides:
        if (side.panel, side.edge) != (panel, edge):
            continue
        local = (fraction - side.begin) / (side.end - side.begin)
        if 0.0 < local < 1.0:
            at = int(np.searchsorted(stretch.cuts, local))
            middle = 0.5 * (stretch.cuts[at - 1] + stretch.cuts[at])
            return replace(stretch, cuts=(*stretch.cuts[:at], middle, *stretch.cuts[at:]))
    return stretch


def seam_title(seam: Seam, index: int) -> str:
    """Return what messages call a seam."""
    return seam.name or str(index + 1)


def _claim_edges(pattern: Pattern, seam: Seam, index: int, seamed: dict[EdgeKey, str]) -> None:
    """Note which seam uses each edge; an edge can be sewn once only."""
    title = seam.name or f"seam {index + 1}"
    for ref in (*seam.a, *seam.b):
        panel = pattern.panel(ref.panel)
        if not 0 <= ref.edge < len(panel.edges):
            last = len(panel.edges) - 1
            raise ToileError(f"{title}: panel '{ref.panel}' has no edge {ref.edge}, only 0 to {last}")
        key = (ref.panel, ref.edge)
        if key in seamed:
            raise ToileError(
                f"{title}: edge {ref.edge} of panel '{ref.panel}' is sewn in {seamed[key]} already; split it"
            )
        seamed[key] = title
    if not seam.a or not seam.b:
        raise ToileError(f"{title}: one side names no edge")


def _length(pattern: Pattern, panel: str, edge: int) -> float:
    """Return the length of an edge [m]; an edge without length cannot be cut."""
    length = length_of_edge(pattern.panel(panel), edge)
    if not length > _SHORTEST:
        raise ToileError(f"panel '{panel}': edge {edge} is only {length * 100:.5f} cm long; remove it")
    return length


def _cut_edge(
    pattern: Pattern, panel: str, edge: int, edge_length: float, marked: Mapping[EdgeKey, list[float]]
) -> list[Stretch]:
    """Return the stretches of an unseamed edge: cut where internal lines end."""
    length = _length(pattern, panel, edge)
    near = _SAME_PLACE * edge_length / length
    knots = [0.0]
    for fraction in marked.get((panel, edge), []):
        if fraction - knots[-1] > near and 1.0 - fraction > near:
            knots.append(fraction)
    return [
        _stretch((EdgeSpan(panel, edge, a, b),), [(b - a) * length], edge_length)
        for a, b in pairwise([*knots, 1.0])
    ]


@dataclass(frozen=True, eq=False, slots=True)
class _Chain:
    """One side of a seam."""

    refs: tuple[EdgeRef, ...]
    ends: Floats
    """fraction of the chain's length at which each edge ends"""
    length: float
    """[m]"""
    corners: list[float]
    """fractions of the inner corners and of internal lines that end here"""
    notches: dict[str, float]
    """fractions of named notches"""


def _chain(pattern: Pattern, refs: tuple[EdgeRef, ...], marked: Mapping[EdgeKey, list[float]]) -> _Chain:
    lengths = np.array([_length(pattern, ref.panel, ref.edge) for ref in refs])
    ends = np.cumsum(lengths) / lengths.sum()
    ends[-1] = 1.0
    starts = np.concatenate([[0.0], ends[:-1]])
    corners, notches = ends[:-1].tolist(), {}
    for ref, start, end in zip(refs, starts.tolist(), ends.tolist(), strict=True):

        def along(f: float, ref: EdgeRef = ref, start: float = start, end: float = end) -> float:
            return start + (1.0 - f if ref.reversed else f) * (end - start)

        corners += [along(f) for f in marked.get((ref.panel, ref.edge), [])]
        for notch in pattern.panel(ref.panel).notches:
            if notch.edge == ref.edge and notch.name:
                notches[notch.name] = along(notch.fraction)
    return _Chain(refs, ends, float(lengths.sum()), sorted(corners), notches)


def _cut_seam(
    pattern: Pattern, seam: Seam, edge_length: float, marked: Mapping[EdgeKey, list[float]]
) -> list[Stretch]:
    """Return the stretches of one seam: cut at the corners of both chains."""
    a, b = _chain(pattern, seam.a, marked), _chain(pattern, seam.b, marked)
    near = _SAME_PLACE * edge_length / (0.5 * (a.length + b.length))
    return [
        _stretch(
            (_side(a, a0, a1), _side(b, b0, b1)), [(a1 - a0) * a.length, (b1 - b0) * b.length], edge_length
        )
        for (a0, b0), (a1, b1) in pairwise(_common_knots(a, b, near))
    ]


def _common_knots(a: _Chain, b: _Chain, near: float) -> list[tuple[float, float]]:
    """Return ascending pairs of fractions (of chain a, of chain b) that meet.

    Notches of one name meet, and so do corners nearer than `near`; in between, fractions correspond
    linearly.
    """
    anchors = _anchors(a, b, near)
    anchor_a, anchor_b = np.array(anchors).T
    lone = [(f, float(np.interp(f, anchor_a, anchor_b))) for f in a.corners]
    lone += [(float(np.interp(f, anchor_b, anchor_a)), f) for f in b.corners]
    must = {*a.ends.tolist()}, {*b.ends.tolist()}
    knots = list(anchors)
    for fa, fb in sorted(lone):
        # an end of an internal line near another knot gives way; a corner never does
        close = any(abs(fa - ka) <= near or abs(fb - kb) <= near for ka, kb in knots)
        known = any(fa == ka or fb == kb for ka, kb in knots)
        if not known and (not close or fa in must[0] or fb in must[1]):
            knots.append((fa, fb))
    return sorted(knots)


def _anchors(a: _Chain, b: _Chain, near: float) -> list[tuple[float, float]]:
    """Return the pairs of fractions that are told to meet, ascending on both sides."""
    wanted = [(f, b.notches[name]) for name, f in a.notches.items() if name in b.notches]
    ends_b = [f for f in b.ends.tolist() if f < 1.0]
    for f in (f for f in a.ends.tolist() if f < 1.0):
        nearest = min(ends_b, key=lambda g: abs(f - g), default=None)
        if nearest is not None and abs(f - nearest) <= near:
            wanted.append((f, nearest))
    anchors = [(0.0, 0.0)]
    for fa, fb in sorted(wanted):
        if anchors[-1][0] < fa < 1.0 and anchors[-1][1] < fb < 1.0:
            anchors.append((fa, fb))
    return [*anchors, (1.0, 1.0)]


def _side(chain: _Chain, begin: float, end: float) -> EdgeSpan:
    """Return the piece of the one edge of a chain that lies between two fractions of the chain's length."""
    which = min(int(np.searchsorted(chain.ends, 0.5 * (begin + end))), len(chain.refs) - 1)
    ref, start = chain.refs[which], float(chain.ends[which - 1]) if which else 0.0
    share = float(chain.ends[which]) - start
    local = [min(max((f - start) / share, 0.0), 1.0) for f in (begin, end)]
    # a corner is exactly at the end of its edge, whatever the rounding
    local = [float(round(f)) if abs(f - round(f)) < 1e-9 else f for f in local]
    if ref.reversed:
        local = [1.0 - f for f in local]
    return EdgeSpan(ref.panel, ref.edge, local[0], local[1])


def _stretch(sides: tuple[EdgeSpan, ...], lengths: list[float], edge_length: float) -> Stretch:
    """Return a stretch with as many equal steps as fit its mean length."""
    mean = float(np.mean(lengths))
    count = max(1, round(mean / edge_length))
    return Stretch(sides, mean, tuple(i / count for i in range(count + 1)))
