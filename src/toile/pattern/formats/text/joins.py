"""Seam and hold lines of the garment text file, and how edges are named in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Edge, EdgeRef, Grade, Hold, Mark, Panel, Seam
from toile.core.units import cm
from toile.pattern.formats.text.words import Token, length_of, name_of, number_of, ref_of
from toile.pattern.model import curves
from toile.pattern.model.split import PartRef

Words = list[Token]
Panels = Mapping[str, Panel]

SHORTEST = 1e-4
"""parts of edges are at least this long [m]"""
PRESSED = math.radians(150.0)
"""how far the creases of a pleat are folded; cloth that is folded flat springs back a little"""


def take(words: Words, count: int, usage: str) -> Words:
    """Return the words if they are as many as the usage says."""
    if len(words) != count:
        raise ToileError(f"write '{usage}'")
    return words


def split_at(words: Words, key: str) -> tuple[Words, Words]:
    """Return the words before and after a key word; the second is empty when the key is missing."""
    for i, word in enumerate(words):
        if word.kind == "word" and word.text == key:
            return words[:i], words[i + 1 :]
    return words, []


def edge_index(edges: list[Edge] | tuple[Edge, ...], word: Token) -> int:
    """Return the edge of that number or name."""
    if word.kind == "word" and word.text.isascii() and word.text.isdigit():
        if int(word.text[:9]) >= len(edges):
            raise ToileError(f"there is no edge {word.text[:9]}: the panel has edges 0 to {len(edges) - 1}")
        return int(word.text[:9])
    return edge_by_name(edges, name_of(word))


def edge_by_name(edges: list[Edge] | tuple[Edge, ...], name: str) -> int:
    """Return the only edge of that name."""
    found = [i for i, edge in enumerate(edges) if edge.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise ToileError(f"{len(found)} edges are called '{name}': use their numbers {found}")
    known = ", ".join(sorted({e.name for e in edges if e.name})[:10])
    raise ToileError(f"there is no edge '{name[:40]}'" + (f": the edges are {known}" if known else ""))


def _refs(panels: Panels, word: Token, unit: Decimal) -> list[EdgeRef]:
    """Return the edges of one reference; a range may be several."""
    ref = ref_of(word)
    panel = panels.get(ref.panel)
    if panel is None:
        known = ", ".join(list(panels)[:8])
        raise ToileError(f"there is no panel '{ref.panel[:40]}': the panels are {known}")
    if ref.low < 0:
        try:
            edge = EdgeRef(ref.panel, edge_by_name(panel.edges, ref.name), ref.backwards)
            return [_part(panel, edge, ref.part, unit)]
        except ToileError as error:
            raise ToileError(f"panel '{ref.panel}': {error}") from None
    if max(ref.low, ref.high) >= len(panel.edges):
        raise ToileError(
            f"there is no edge {max(ref.low, ref.high)} in panel '{ref.panel}': "
            f"it has edges 0 to {len(panel.edges) - 1}"
        )
    if ref.low > ref.high or (ref.backwards and ref.high > ref.low):
        numbers = range(max(ref.low, ref.high), min(ref.low, ref.high) - 1, -1)
        return [EdgeRef(ref.panel, i, True) for i in numbers]
    edges = [EdgeRef(ref.panel, i, ref.backwards) for i in range(ref.low, ref.high + 1)]
    return [_part(panel, edge, ref.part, unit) for edge in edges]


def _part(panel: Panel, edge: EdgeRef, part: str, unit: Decimal) -> EdgeRef:
    """Return the part LOW..HIGH of an edge, lengths from its start or per cent; open ends are its ends."""
    if not part:
        return edge
    length = curves.edge_length(panel, edge.edge)
    low, high = (
        _place(text, length, unit) if text else end
        for text, end in zip(part.split("..", 1), (0.0, 1.0), strict=True)
    )
    if not (low >= 0.0 and high <= 1.0 + 1e-6 and (high - low) * length >= SHORTEST):
        raise ToileError(
            f"{panel.name}.{panel.edges[edge.edge].name or edge.edge}[{part}] is no part of this edge, which "
            f"is {float(length / float(unit)):.2f} long: write its beginning, two dots and its end"
        )
    return PartRef(edge.panel, edge.edge, edge.reversed, low, min(high, 1.0))


def _place(text: str, length: float, unit: Decimal) -> float:
    if text.endswith("%"):
        return number_of(Token("word", text[:-1])) / 100.0
    return length_of(Token("word", text), unit) / length


def _chain(panels: Panels, words: Words, unit: Decimal) -> tuple[EdgeRef, ...]:
    refs: list[EdgeRef] = []
    for i, word in enumerate(words):
        if i % 2:
            if word.text != ",":
                raise ToileError("separate the edges of a side with commas")
        else:
            refs += _refs(panels, word, unit)
    if not refs or len(words) % 2 == 0:
        raise ToileError("write 'seam NAME: PANEL.EDGE, … = PANEL.EDGE, …'")
    return tuple(refs)


def seam_of(panels: Panels, words: Words, unit: Decimal) -> Seam:
    """Return the seam of ``NAME: PANEL.EDGE, … = PANEL.EDGE, … ease RATIO``."""
    name = ""
    if len(words) > 1 and words[1] == Token("sign", ":"):
        name, words = name_of(words[0]), words[2:]
    ease = None
    for key in ("ease", "gather"):
        words, rest = split_at(words, key)
        if rest:
            ease = number_of(take(rest, 1, f"{key} RATIO")[0])
            if not math.isfinite(ease) or ease <= 0.0:
                raise ToileError("ease is the length of the second side / the first, such as 1.05")
    equals = [i for i, word in enumerate(words) if word == Token("sign", "=")]
    if len(equals) != 1:
        raise ToileError("write 'seam NAME: PANEL.EDGE, … = PANEL.EDGE, …'")
    a, b = (_chain(panels, side, unit) for side in (words[: equals[0]], words[equals[0] + 1 :]))
    return Seam(a, b, ease, name)


def pleat_of(panels: Panels, words: Words, unit: Decimal) -> tuple[Seam, list[Mark]]:
    """Return seam and creases of ``PANEL.EDGE at PLACE depth DEPTH length LENGTH``.

    The cloth turns under at PLACE, back again DEPTH further on and goes on where it turned: the two halves of
    2 DEPTH are sewn to each other. LENGTH is how far both creases are pressed into the cloth.
    """
    usage = "pleat PANEL.EDGE at PLACE depth DEPTH", "pleat PANEL.EDGE at PLACE depth DEPTH length LENGTH"
    words, long = split_at(words, "length")
    words, deep = split_at(words, "depth")
    words, place = split_at(words, "at")
    (ref,) = _refs(panels, take(words, 1, usage[0])[0], unit)
    if isinstance(ref, PartRef):
        raise ToileError("a pleat is measured along the whole edge: leave out the brackets")
    panel = panels[ref.panel]
    length = curves.edge_length(panel, ref.edge)
    at, depth = (length_of(take(w, 1, usage[0])[0], unit) / length for w in (place, deep))
    if not (at >= 0.0 and depth * length >= SHORTEST and at + 2.0 * depth <= 1.0 + 1e-9):
        raise ToileError(
            f"a pleat from {at * length * 100:.1f} to {(at + 2 * depth) * length * 100:.1f} cm does not lie "
            f"on the edge, which is {cm(length)} long"
        )
    parts = [
        PartRef(ref.panel, ref.edge, back, at + k * depth, at + (k + 1) * depth)
        for k, back in ((0, False), (1, True))
    ]
    marks = []
    if long:
        reach = length_of(take(long, 1, usage[1])[0], unit)
        marks = [_crease(panel, ref.edge, at + k * depth, reach, turn) for k, turn in ((0, -1.0), (1, 1.0))]
    return Seam((parts[0],), (parts[1],), None, "pleat"), marks


def _crease(panel: Panel, edge: int, at: float, reach: float, turn: float) -> Mark:
    """Return the pressed line of a pleat, square to the edge; the first turns the cloth under."""
    point, low, high = curves.sample_edge(panel, edge, [at, max(at - 0.01, 0.0), min(at + 0.01, 1.0)])
    along = (high - low) / float(np.hypot(*(high - low)))
    inward = np.array([-along[1], along[0]]) * curves.orientation(panel)
    return Mark("fold", np.stack([point, point + reach * inward]), turn * PRESSED, "pleat")


def without_pleats(seams: list[Seam], holds: list[Hold], pleats: list[Seam]) -> tuple[list[Seam], list[Hold]]:
    """Return seams and holds that pass over the pleats of their edges: these parts lie under the cloth."""
    taken: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for pleat in pleats:
        for ref in (*pleat.a, *pleat.b):
            assert isinstance(ref, PartRef)
            taken.setdefault((ref.panel, ref.edge), []).append((ref.low, ref.high))
    for (panel, _), spans in taken.items():
        ordered = sorted(spans)
        if any(after[0] < before[1] - 1e-9 for before, after in pairwise(ordered)):
            raise ToileError(f"panel '{panel}': two pleats overlap: move one")

    def chain(refs: tuple[EdgeRef, ...]) -> tuple[EdgeRef, ...]:
        return tuple(
            free for ref in refs for free in _free(ref, sorted(taken.get((ref.panel, ref.edge), [])))
        )

    open_holds = [replace(hold, edge=ref) for hold in holds for ref in chain((hold.edge,))]
    return [replace(seam, a=chain(seam.a), b=chain(seam.b)) for seam in seams], open_holds


def _free(ref: EdgeRef, spans: list[tuple[float, float]]) -> list[EdgeRef]:
    """Return the parts of an edge between its pleats, in the direction of the seam."""
    if not spans:
        return [ref]
    low, high = (ref.low, ref.high) if isinstance(ref, PartRef) else (0.0, 1.0)
    bounds = [low, *[min(max(at, low), high) for span in spans for at in span], high]
    pairs = list(zip(bounds[::2], bounds[1::2], strict=True))
    parts: list[EdgeRef] = [
        PartRef(ref.panel, ref.edge, ref.reversed, a, b) for a, b in pairs if b - a > 1e-6
    ]
    return parts[::-1] if ref.reversed else parts


def grades_of(panels: Panels, words: Words, unit: Decimal) -> list[Grade]:
    """Return the grade rules of ``PANEL.EDGE, … out LENGTH`` or ``PANEL.EDGE, … start|end X Y``."""
    for where, count in (("out", 1), ("start", 2), ("end", 2)):
        refs, rest = split_at(words, where)
        if rest:
            values = [length_of(w, unit) for w in take(rest, count, f"grade PANEL.EDGE {_USAGE[where]}")]
            chain = _chain(panels, refs, unit)
            if any(isinstance(ref, PartRef) for ref in chain):
                raise ToileError("a grade rule belongs to a whole edge: leave out the brackets")
            return [Grade(EdgeRef(r.panel, r.edge), where, *values) for r in chain]  # type: ignore[arg-type]
    raise ToileError("write 'grade PANEL.EDGE out LENGTH', 'grade PANEL.EDGE start X Y' or '… end X Y'")


_USAGE = {"out": "out LENGTH", "start": "start X Y", "end": "end X Y"}


def pins_of(panels: Panels, words: Words, unit: Decimal) -> list[Hold]:
    """Return the holds of ``PANEL.EDGE, …``."""
    ratio = 1.0
    if len(words) > 1 and words[-2].kind == "ref" and words[-1].kind != "sign":
        ratio, words = number_of(words[-1]), words[:-1]
    return [Hold(ref, "pin", ratio) for ref in _chain(panels, words, unit)]


def elastics_of(panels: Panels, words: Words, unit: Decimal) -> list[Hold]:
    """Return the holds of ``PANEL.EDGE, … RATIO``."""
    if not words:
        raise ToileError("write 'elastic PANEL.EDGE RATIO'")
    ratio = number_of(words[-1])
    return [Hold(ref, "elastic", ratio) for ref in _chain(panels, words[:-1], unit)]
