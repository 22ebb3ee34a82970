"""Sides of a piece between its corners, darts, and the loops that stay open when some seams are sewn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from toile.core.records import EdgeRef, Floats, Panel, Pattern, Seam
from toile.pattern.model import curves

CORNER = math.radians(25.0)
_SAMPLES = 33


@dataclass(frozen=True, eq=False, slots=True)
class Side:
    """A chain of edges of one panel, run counter-clockwise as seen from outside."""

    panel: Panel
    refs: tuple[EdgeRef, ...]
    length: float
    """[m]"""
    points: Floats
    """evenly along the side, as seen from outside [m], (33, 2)"""
    normal: Floats
    """unit vector out of the cloth, as seen from outside, (2,)"""
    height: float
    """of its middle within the panel, 0 lowest … 1 highest"""
    notches: tuple[tuple[float, str], ...]
    """place 0 … 1 along the side, name"""

    @property
    def bulge(self) -> float:
        """Return how far the side bulges out of its chord / length; negative: it curves into the cloth."""
        offset = (self.points - self.points[0]) @ self.normal
        return float(offset.mean()) / self.length

    @property
    def straight(self) -> float:
        """Return chord / length: 1 for a straight side."""
        return float(np.hypot(*(self.points[-1] - self.points[0]))) / self.length


def reversed_chain(refs: Sequence[EdgeRef]) -> tuple[EdgeRef, ...]:
    """Return a chain run from its end to its start."""
    return tuple(EdgeRef(ref.panel, ref.edge, not ref.reversed) for ref in reversed(refs))


def outer_face(panel: Panel) -> int:
    """Return 1 if the drawing shows a panel's outer face, -1 if its inner one.

    Pieces are drawn with the right side up. Panels that stand flat in space (GarmentCode) have their outlines
    counter-clockwise seen from outside, whatever their plane.
    """
    flat = panel.placement is not None and not panel.placement.around
    return curves.orientation(panel) if flat else 1


@lru_cache(maxsize=512)
def panel_box(panel: Panel) -> Floats:
    """Return lowest and highest corner of a panel's outline [m], (2, 2)."""
    ring = curves.outline(panel, 1e-3)
    return np.stack([ring.min(axis=0), ring.max(axis=0)])


@lru_cache(maxsize=4096)
def make_side(panel: Panel, edges: tuple[int, ...]) -> Side:
    """Return a chain of neighbouring edges as a side."""
    lengths = np.array([curves.edge_length(panel, i) for i in edges])
    starts = np.concatenate([[0.0], np.cumsum(lengths)])
    total = float(starts[-1])
    at = np.linspace(0.0, total, _SAMPLES)
    edge = np.clip(np.searchsorted(starts, at, side="right") - 1, 0, len(edges) - 1)
    points = np.vstack(
        [
            curves.sample_edge(panel, edges[k], (at[edge == k] - starts[k]) / lengths[k])
            for k in range(len(edges))
            if np.any(edge == k)
        ]
    )
    out = points[-1] - points[0]
    normal = np.array([out[1], -out[0]]) * curves.orientation(panel)
    flip = np.array([outer_face(panel), 1.0])
    low, high = panel_box(panel)[:, 1]
    notches = tuple(
        (float((starts[k] + n.fraction * lengths[k]) / total), n.name)
        for k, i in enumerate(edges)
        for n in panel.notches
        if n.edge == i
    )
    refs = tuple(EdgeRef(panel.name, i) for i in edges)
    if curves.orientation(panel) * outer_face(panel) < 0:
        refs, points = reversed_chain(refs), points[::-1]
        notches = tuple((1.0 - place, name) for place, name in reversed(notches))
    return Side(
        panel,
        refs,
        total,
        points * flip,
        normal * flip / max(float(np.hypot(*normal)), 1e-12),
        float((points[:, 1].mean() - low) / (high - low)),
        notches,
    )


def _ways(panel: Panel, index: int) -> tuple[Floats, Floats]:
    """Return the directions in which an edge leaves its start and reaches its end."""
    reach = min(0.5, 0.005 / curves.edge_length(panel, index))
    points = curves.sample_edge(panel, index, [0.0, reach, 1.0 - reach, 1.0])
    return points[1] - points[0], points[3] - points[2]


def _turn(before: Floats, after: Floats) -> float:
    return math.atan2(before[0] * after[1] - before[1] * after[0], float(before @ after))


@lru_cache(maxsize=512)
def corner_turns(panel: Panel) -> list[float]:
    """Return how the outline turns at the start of each edge, positive at outer corners [rad]."""
    ways = [_ways(panel, i) for i in range(len(panel.edges))]
    sign = curves.orientation(panel)
    return [sign * _turn(ways[i - 1][1], ways[i][0]) for i in range(len(ways))]


@lru_cache(maxsize=512)
def side_chains(panel: Panel) -> list[tuple[int, ...]]:
    """Return the edges of a panel grouped between its corners, in the order of the outline."""
    count = len(panel.edges)
    corners = [i for i, turn in enumerate(corner_turns(panel)) if abs(turn) > CORNER]
    if not corners:
        return [tuple(range(count))]
    bounds = [*corners, corners[0] + count]
    return [tuple(i % count for i in range(a, b)) for a, b in pairwise(bounds)]


@lru_cache(maxsize=512)
def dart_pairs(panel: Panel) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the two legs of each dart: equal sides that meet in a sharp inner corner."""
    chains = side_chains(panel)
    turns = corner_turns(panel)
    found = []
    for k, second in enumerate(chains):
        first = chains[k - 1]
        a, b = make_side(panel, first), make_side(panel, second)
        ends = panel.vertices[[panel.edges[first[0]].start, panel.edges[second[-1]].end]]
        opening = float(np.hypot(*(ends[1] - ends[0])))
        deep = turns[second[0]] < -math.radians(95.0)
        equal = abs(a.length - b.length) < 0.12 * max(a.length, b.length)
        if len(chains) > 3 and deep and equal and opening < 0.12 and a.length < 0.25:
            found.append((first, second))
    return found


def free_sides(panel: Panel, used: set[int]) -> list[Side]:
    """Return the sides without used edges; sides on both shores of a used dart become one."""
    darts = {edge for pair in dart_pairs(panel) for chain in pair for edge in chain if edge in used}
    chains = [chain for chain in side_chains(panel) if not set(chain) <= darts]
    # where a dart lies between two chains they are one side, if they run on
    joined: list[list[int]] = []
    for k, chain in enumerate(chains):
        before = chains[k - 1]
        gap = {
            (before[-1] + step) % len(panel.edges) for step in range(1, _gap(panel, before[-1], chain[0]) + 1)
        }
        if joined and gap and gap <= darts:
            joined[-1] += chain
        else:
            joined.append(list(chain))
    if len(joined) > 1 and _meets_over_dart(panel, joined[-1][-1], joined[0][0], darts):
        joined[0] = joined.pop() + joined[0]
    sides = [chain for chain in joined if not set(chain) & used]
    return [make_side(panel, tuple(chain)) for chain in sides]


def _gap(panel: Panel, last: int, first: int) -> int:
    """Return how many edges lie between two edges of the outline."""
    return (first - last - 1) % len(panel.edges)


def _meets_over_dart(panel: Panel, last: int, first: int, darts: set[int]) -> bool:
    gap = {(last + step) % len(panel.edges) for step in range(1, _gap(panel, last, first) + 1)}
    return bool(gap) and gap <= darts


# ---------------------------------------------------------------------------- what stays open


class SewnCorners:
    """Corners of all panels, joined where seams put them together."""

    def __init__(self, pattern: Pattern, seams: Sequence[Seam]) -> None:
        self.pattern = pattern
        self.parent: dict[tuple[str, int], tuple[str, int]] = {}
        for seam in seams:
            for end in (0, -1):
                self.join(self.end(seam.a[end], end), self.end(seam.b[end], end))
            for refs in (seam.a, seam.b):
                for before, after in pairwise(refs):
                    self.join(self.end(before, -1), self.end(after, 0))

    def end(self, ref: EdgeRef, end: int) -> tuple[str, int]:
        """Return the corner where a chain's edge starts (0) or ends (-1)."""
        edge = self.pattern.panel(ref.panel).edges[ref.edge]
        first = (end == 0) != ref.reversed
        return ref.panel, edge.start if first else edge.end

    def find(self, corner: tuple[str, int]) -> tuple[str, int]:
        """Return the corner that stands for all joined to this one."""
        while self.parent.get(corner, corner) != corner:
            corner = self.parent[corner]
        return corner

    def join(self, a: tuple[str, int], b: tuple[str, int]) -> None:
        """Put two corners together."""
        self.parent[self.find(a)] = self.find(b)


def open_loops(pattern: Pattern, sides: Sequence[Side], points: SewnCorners) -> list[list[Side]]:
    """Return free sides in closed loops: neckline, armholes, hem … of a partly sewn garment."""
    start: dict[tuple[str, int], list[Side]] = {}
    for side in sides:
        start.setdefault(points.find(points.end(side.refs[0], 0)), []).append(side)
    loops = []
    left = list(sides)
    while left:
        loop = [left.pop(0)]
        first = points.find(points.end(loop[0].refs[0], 0))
        while True:
            end = points.find(points.end(loop[-1].refs[-1], -1))
            if end == first:
                loops.append(loop)
                break
            onward = [side for side in start.get(end, []) if side in left]
            if len(onward) != 1:
                break
            loop.append(onward[0])
            left.remove(onward[0])
    return loops
