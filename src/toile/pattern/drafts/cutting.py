"""Drawing pieces: sides with tailor's words, folded halves, mirrored twins, seams by name.

A piece is drawn counter-clockwise with its outer face towards the reader. Two such pieces run in opposite
directions along their common seam, so that a seam goes forward along the one and backward along the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from toile.core.errors import ToileError
from toile.core.records import CurveKind, Edge, EdgeRef, Hold, Panel, Placement, Seam
from toile.pattern.model.curves import curve_length, edge_length

Point = tuple[float, float]

FACING = {"front": 0.0, "left": math.pi / 2, "back": math.pi, "right": -math.pi / 2}
"""where the outer face of a piece looks: angle about the vertical axis [rad], 0 is +z, left is +x"""

_KINDS: tuple[CurveKind, ...] = ("line", "quadratic", "cubic")


@dataclass(frozen=True, slots=True)
class DraftSide:
    """One side of a piece: its word, where it starts, and its control points [m]."""

    word: str
    start: Point
    controls: tuple[Point, ...] = ()
    kind: CurveKind = "line"


def side(word: str, start: Point, *controls: Point) -> DraftSide:
    """Return a straight side, or a Bézier curve with one or two control points [m]."""
    return DraftSide(word, start, controls, _KINDS[len(controls)])


def arc(word: str, start: Point, through: Point) -> DraftSide:
    """Return a side along the circle through start, this point and the next side's start [m]."""
    return DraftSide(word, start, (through,), "arc")


def moved(one: DraftSide, x: float) -> DraftSide:
    """Return a side moved along x [m]."""
    shift = tuple((cx + x, cy) for cx, cy in one.controls)
    return replace(one, start=(one.start[0] + x, one.start[1]), controls=shift)


def length_between(start: DraftSide, end: Point) -> float:
    """Return the length of a side that ends there [m]."""
    return curve_length(start.kind, np.array([start.start, *start.controls, end]))


def piece(
    name: str,
    sides: Sequence[DraftSide],
    *,
    around: str = "torso",
    faces: str | float = "front",
    height: float = 0.0,
    label: str = "",
) -> Panel:
    """Return the panel that these sides enclose.

    height: of the piece's y = 0 above the floor [m], with the arms hanging down; faces: a word of FACING
    or an angle [rad].
    """
    count = len(sides)
    angle = FACING[faces] if isinstance(faces, str) else faces
    edges = tuple(
        Edge(i, (i + 1) % count, s.kind, np.array(s.controls).reshape(-1, 2), s.word)
        for i, s in enumerate(sides)
    )
    placement = Placement(np.array([0.0, height, 0.0]), turn_about_y(angle), around)
    return Panel(name, np.array([s.start for s in sides]), edges, placement, label=label)


def turn_about_y(angle: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the rotation about the vertical axis that turns +z towards +x [rad], (3, 3)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def unfold(
    half: Sequence[DraftSide], end: Point, *, plus: str = "left", minus: str = "right"
) -> list[DraftSide]:
    """Return the whole piece from the half at x ≥ 0, which starts and ends on the fold x = 0.

    Words get a prefix: `plus` at x > 0 (the wearer's left on a front piece), `minus` on the other half.
    """
    right = [replace(s, word=f"{plus}_{s.word}") for s in half]
    left = [replace(s, word=f"{minus}_{s.word}") for s in reflect(half, end)]
    return right + left


def unfold_facing(half: Sequence[DraftSide], end: Point, faces: str) -> list[DraftSide]:
    """Return a whole front or back, its words with the wearer's left and right."""
    plus, minus = ("left", "right") if faces == "front" else ("right", "left")
    return unfold(half, end, plus=plus, minus=minus)


def reflect(sides: Sequence[DraftSide], end: Point) -> list[DraftSide]:
    """Return an open run of sides mirrored at x = 0 and run backwards, from the mirror image of its end."""
    ends = [*(s.start for s in sides[1:]), end]
    return [
        replace(s, start=(-e[0], e[1]), controls=tuple((-x, y) for x, y in reversed(s.controls)))
        for s, e in zip(reversed(sides), reversed(ends), strict=True)
    ]


def mirror(panel: Panel, name: str, around: str = "") -> Panel:
    """Return the twin for the other side of the body; sides keep their words."""
    sides = [
        DraftSide(e.name, tuple(panel.vertices[e.start]), tuple(map(tuple, e.controls)), e.kind)
        for e in panel.edges
    ]
    assert panel.placement is not None
    faces = panel.placement.rotation @ (0.0, 0.0, 1.0)
    return piece(
        name,
        reflect(sides, sides[0].start),
        around=around or panel.placement.around,
        faces=math.atan2(-faces[0], faces[2]),
        height=float(panel.placement.translation[1]),
        label=panel.label,
    )


def has_edge(panels: Iterable[Panel], name: str) -> bool:
    """Say whether there is an edge called ``panel.edge``."""
    panel_name, _, word = name.partition(".")
    return any(p.name == panel_name and any(e.name == word for e in p.edges) for p in panels)


def find_edge(panels: Iterable[Panel], name: str) -> EdgeRef:
    """Return the edge called ``panel.edge``."""
    panel_name, _, word = name.strip().partition(".")
    for panel in panels:
        if panel.name == panel_name:
            for i, edge in enumerate(panel.edges):
                if edge.name == word:
                    return EdgeRef(panel_name, i)
    raise ToileError(f"draft: there is no edge '{name}'")


def length_of(panels: Sequence[Panel], names: str) -> float:
    """Return the length of a chain ``panel.edge + panel.edge`` [m]."""
    table = {p.name: p for p in panels}
    refs = [find_edge(panels, name) for name in names.split("+")]
    return sum(edge_length(table[r.panel], r.edge) for r in refs)


def sew(panels: Sequence[Panel], a: str, b: str, *, name: str = "", fold: bool = False) -> Seam:
    """Return the seam of two chains of edges ``panel.edge + panel.edge``; a runs forward, b backward.

    Unequal lengths become declared ease. fold: b lies turned down on a, as a collar, and runs forward too.
    """
    forward = tuple(find_edge(panels, n) for n in a.split("+"))
    backward = tuple(replace(find_edge(panels, n), reversed=not fold) for n in b.split("+"))
    ratio = length_of(panels, b) / length_of(panels, a)
    ease = None if abs(ratio - 1.0) < 1e-4 else ratio
    return Seam(forward, backward, ease, name or a.split("+")[0].strip().replace(".", " "))


def hold(panels: Sequence[Panel], *names: str, elastic: float | None = None) -> tuple[Hold, ...]:
    """Return holds on these edges: pinned, or an elastic with relaxed length / cut length."""
    return tuple(
        Hold(find_edge(panels, name), "pin" if elastic is None else "elastic", elastic or 1.0)
        for name in names
    )


def solve(function: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return where a growing function reaches the target; the nearer end if it never does."""
    if function(low) >= target:
        return low
    if function(high) <= target:
        return high
    return float(brentq(lambda x: function(x) - target, low, high, xtol=1e-7))
