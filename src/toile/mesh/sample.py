"""Cuts the outlines of a pattern into short straight pieces, alike on both sides of every seam.

The unit is a *stretch*: a piece of one unseamed edge, or two pieces of edges that are sewn together. Both
sides of a stretch get the same number of steps, so that seams join vertex to vertex, with ease and gathers
shared out evenly. Where a chain of edges is sewn to another (many to one), the corners of each chain also
cut the other one, at the same fraction of its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from toile.errors import ToileError
from toile.pattern.curves import edge_length as length_of_edge
from toile.types import EdgeRef, Floats, Pattern, Seam

EdgeKey = tuple[str, int]
"""panel name, edge index"""

_SAME_CORNER = 0.3
"""corners of two chains closer than this share of the edge length are taken as one"""

_SHORTEST = 1e-6
"""edges shorter than this are mistakes [m]"""


@dataclass(frozen=True, slots=True)
class Side:
    """A piece of one edge."""

    panel: str
    edge: int
    begin: float
    """fraction of the edge's length, in the seam's direction: may be greater than end"""
    end: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """Pieces of edges that are cut into the same number of steps."""

    sides: tuple[Side, ...]
    length: float
    """mean of the sides [m]"""
    count: int
    """number of steps"""


def cut_outlines(pattern: Pattern, edge_length: float) -> list[Stretch]:
    """Return the stretches of all edges of a pattern for a target edge length [m]."""
    seamed: dict[EdgeKey, str] = {}
    stretches: list[Stretch] = []
    for index, seam in enumerate(pattern.seams):
        _claim_edges(pattern, seam, index, seamed)
        stretches += _cut_seam(pattern, seam, edge_length)
    for panel in pattern.panels:
        for edge in range(len(panel.edges)):
            if (panel.name, edge) not in seamed:
                sides = (Side(panel.name, edge, 0.0, 1.0),)
                stretches.append(_stretch(sides, [_length(pattern, panel.name, edge)], edge_length))
    return stretches


def edge_fractions(stretches: Sequence[Stretch]) -> dict[EdgeKey, Floats]:
    """Return, per edge, the ascending fractions of its length at which it has vertices, 0 and 1 included."""
    pieces: dict[EdgeKey, list[Floats]] = {}
    for stretch in stretches:
        for side in stretch.sides:
            cuts = np.linspace(side.begin, side.end, stretch.count + 1)
            pieces.setdefault((side.panel, side.edge), []).append(np.sort(cuts))
    fractions = {}
    for key, cuts_of_edge in pieces.items():
        cuts_of_edge.sort(key=lambda cuts: float(cuts[0]))
        fractions[key] = np.concatenate([cuts[:-1] for cuts in cuts_of_edge] + [cuts_of_edge[-1][-1:]])
    return fractions


def refine(stretch: Stretch) -> Stretch:
    """Return the stretch with twice as many steps."""
    return replace(stretch, count=2 * stretch.count)


def seam_title(seam: Seam, index: int) -> str:
    """Return what messages call a seam."""
    return seam.name or f"seam {index + 1}"


def _claim_edges(pattern: Pattern, seam: Seam, index: int, seamed: dict[EdgeKey, str]) -> None:
    """Note which seam uses each edge; an edge can be sewn once only."""
    title = seam_title(seam, index)
    for ref in (*seam.a, *seam.b):
        panel = pattern.panel(ref.panel)
        if not 0 <= ref.edge < len(panel.edges):
            raise ToileError(
                f"{title}: panel '{ref.panel}' has no edge {ref.edge}, only 0 to {len(panel.edges) - 1}"
            )
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


def _cut_seam(pattern: Pattern, seam: Seam, edge_length: float) -> list[Stretch]:
    """Return the stretches of one seam: cut at the corners of both chains."""
    lengths_a, lengths_b = (
        np.array([_length(pattern, ref.panel, ref.edge) for ref in chain]) for chain in (seam.a, seam.b)
    )
    total_a, total_b = float(lengths_a.sum()), float(lengths_b.sum())
    corners_a, corners_b = np.cumsum(lengths_a)[:-1] / total_a, np.cumsum(lengths_b)[:-1] / total_b
    near = _SAME_CORNER * edge_length / (0.5 * (total_a + total_b))
    knots = _common_knots(corners_a, corners_b, near)
    stretches = []
    for (a0, b0), (a1, b1) in pairwise(knots):
        sides = (_side(seam.a, lengths_a / total_a, a0, a1), _side(seam.b, lengths_b / total_b, b0, b1))
        stretches.append(_stretch(sides, [(a1 - a0) * total_a, (b1 - b0) * total_b], edge_length))
    return stretches


def _common_knots(corners_a: Floats, corners_b: Floats, near: float) -> list[tuple[float, float]]:
    """Return ascending pairs of fractions (of chain a, of chain b) that meet.

    Corners nearer than `near` meet each other; between such anchors, fractions correspond linearly.
    """
    anchors, lone_a, lone_b = [(0.0, 0.0)], [], []
    a, b = corners_a.tolist(), corners_b.tolist()
    while a or b:
        if a and b and abs(a[0] - b[0]) <= near:
            anchors.append((a.pop(0), b.pop(0)))
        elif a and (not b or a[0] < b[0]):
            lone_a.append(a.pop(0))
        else:
            lone_b.append(b.pop(0))
    anchors.append((1.0, 1.0))
    anchor_a, anchor_b = np.array(anchors).T
    knots = anchors + [(f, float(np.interp(f, anchor_a, anchor_b))) for f in lone_a]
    knots += [(float(np.interp(f, anchor_b, anchor_a)), f) for f in lone_b]
    return sorted(knots)


def _side(chain: Sequence[EdgeRef], shares: Floats, begin: float, end: float) -> Side:
    """Return the piece of the one edge of a chain that lies between two fractions of the chain's length."""
    ends = np.cumsum(shares)
    which = min(int(np.searchsorted(ends, 0.5 * (begin + end))), len(chain) - 1)
    ref, start = chain[which], float(ends[which] - shares[which])
    local = [min(max((f - start) / float(shares[which]), 0.0), 1.0) for f in (begin, end)]
    # a corner is exactly at the end of its edge, whatever the rounding
    local = [round(f) if abs(f - round(f)) < 1e-9 else f for f in local]
    if ref.reversed:
        local = [1.0 - f for f in local]
    return Side(ref.panel, ref.edge, float(local[0]), float(local[1]))


def _stretch(sides: tuple[Side, ...], lengths: list[float], edge_length: float) -> Stretch:
    """Return a stretch with as many steps as fit its mean length."""
    mean = float(np.mean(lengths))
    return Stretch(sides, mean, max(1, round(mean / edge_length)))
