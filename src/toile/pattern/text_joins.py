"""Seam and hold lines of the garment text file, and how edges are named in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

from toile.errors import ToileError
from toile.pattern.words import Token, length_of, name_of, number_of, ref_of
from toile.types import Edge, EdgeRef, Grade, Hold, Panel, Seam

Words = list[Token]
Panels = Mapping[str, Panel]


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


def _refs(panels: Panels, word: Token) -> list[EdgeRef]:
    """Return the edges of one reference; a range may be several."""
    ref = ref_of(word)
    panel = panels.get(ref.panel)
    if panel is None:
        known = ", ".join(list(panels)[:8])
        raise ToileError(f"there is no panel '{ref.panel[:40]}': the panels are {known}")
    if ref.low < 0:
        try:
            return [EdgeRef(ref.panel, edge_by_name(panel.edges, ref.name), ref.backwards)]
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
    return [EdgeRef(ref.panel, i, ref.backwards) for i in range(ref.low, ref.high + 1)]


def _chain(panels: Panels, words: Words) -> tuple[EdgeRef, ...]:
    refs: list[EdgeRef] = []
    for i, word in enumerate(words):
        if i % 2:
            if word.text != ",":
                raise ToileError("separate the edges of a side with commas")
        else:
            refs += _refs(panels, word)
    if not refs or len(words) % 2 == 0:
        raise ToileError("write 'seam NAME: PANEL.EDGE, … = PANEL.EDGE, …'")
    return tuple(refs)


def seam_of(panels: Panels, words: Words) -> Seam:
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
    a, b = _chain(panels, words[: equals[0]]), _chain(panels, words[equals[0] + 1 :])
    return Seam(a, b, ease, name)


def grades_of(panels: Panels, words: Words, unit: Decimal) -> list[Grade]:
    """Return the grade rules of ``PANEL.EDGE, … out LENGTH`` or ``PANEL.EDGE, … start|end X Y``."""
    for where, count in (("out", 1), ("start", 2), ("end", 2)):
        refs, rest = split_at(words, where)
        if rest:
            values = [length_of(w, unit) for w in take(rest, count, f"grade PANEL.EDGE {_USAGE[where]}")]
            chain = _chain(panels, refs)
            return [Grade(EdgeRef(r.panel, r.edge), where, *values) for r in chain]  # type: ignore[arg-type]
    raise ToileError("write 'grade PANEL.EDGE out LENGTH', 'grade PANEL.EDGE start X Y' or '… end X Y'")


_USAGE = {"out": "out LENGTH", "start": "start X Y", "end": "end X Y"}


def pins_of(panels: Panels, words: Words) -> list[Hold]:
    """Return the holds of ``PANEL.EDGE, …``."""
    ratio = 1.0
    if len(words) > 1 and words[-2].kind == "ref" and words[-1].kind != "sign":
        ratio, words = number_of(words[-1]), words[:-1]
    return [Hold(ref, "pin", ratio) for ref in _chain(panels, words)]


def elastics_of(panels: Panels, words: Words) -> list[Hold]:
    """Return the holds of ``PANEL.EDGE, … RATIO``."""
    if not words:
        raise ToileError("write 'elastic PANEL.EDGE RATIO'")
    ratio = number_of(words[-1])
    return [Hold(ref, "elastic", ratio) for ref in _chain(panels, words[:-1])]
