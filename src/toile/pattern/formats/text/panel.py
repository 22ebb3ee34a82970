"""The lines of one panel in a garment text file: outline, place, marks. Reference: docs/text-format.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Edge, Floats, Grade, Hold, Mark, Notch, Panel, Placement, Seam
from toile.pattern.formats.text.joins import Words, edge_index, split_at, take
from toile.pattern.formats.text.words import METRES, Token, angle_of, length_of, name_of, number_of
from toile.pattern.grading.rules import moved_out
from toile.pattern.model.angles import rotation_from_degrees
from toile.pattern.model.check import EDGE_LIMIT, MARKS
from toile.pattern.pieces.worded import limb_and_angle


@dataclass(slots=True)
class PanelDraft:
    """A panel while it is being read."""

    name: str
    line: int
    corners: list[tuple[float, float]] = field(default_factory=list)
    corner_index: dict[str, int] = field(default_factory=dict)
    first: int = -1
    last: int = -1
    closed: bool = False
    edges: list[Edge] = field(default_factory=list)
    translation: Floats | None = None
    rotation: Floats | None = None
    around: str = ""
    fabric: str = ""
    grain: float = 0.0
    label: str = ""
    notches: list[Notch] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    moves: list[tuple[int, float]] = field(default_factory=list)
    """edges that are moved outward by so much [m]"""
    base: Panel | None = None
    """panel that this one copies, mirrors or adds to"""


@dataclass(slots=True)
class Reader:
    """A garment while it is being read."""

    source: str
    name: str
    line: int = 0
    unit: Any = METRES["cm"]
    origin: Any = "unknown"
    layer: int = 0
    fabric: str = ""
    adding: bool = False
    """the panels exist already: this is the seam file of another pattern file"""
    draft: PanelDraft | None = None
    panels: dict[str, Panel] = field(default_factory=dict)
    places: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """where panels go, in words"""
    joins: list[tuple[int, Words]] = field(default_factory=list)
    seams: list[Seam] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)
    pleats: list[Seam] = field(default_factory=list)
    tuck: str = ""
    sizes: tuple[str, ...] = ()
    size: str = ""
    recipe: str = ""
    grades: list[Grade] = field(default_factory=list)
    started: bool = False
    notes: list[str] = field(default_factory=list)


def _panel(reader: Reader) -> PanelDraft:
    if reader.draft is None:
        raise ToileError("this line belongs to a panel: write 'panel NAME' before it")
    return reader.draft


def _lengths(reader: Reader, words: Words) -> Floats:
    return np.array([length_of(word, reader.unit) for word in words])


def _named(words: Words) -> tuple[Words, str]:
    """Return the words without a trailing ``as NAME``, and that name."""
    if len(words) >= 2 and words[-2] == Token("word", "as"):
        return words[:-2], name_of(words[-1])
    return words, ""


def _point(reader: Reader, draft: PanelDraft, words: Words) -> int:
    """Return the corner at ``X Y`` or of that name."""
    if len(words) == 1 and words[0].kind != "sign":
        name = name_of(words[0])
        if name == "start" and words[0].kind == "word":
            return draft.first
        if name not in draft.corner_index:
            raise ToileError(f"there is no corner '{name[:40]}': write 'corner NAME X Y' first, or X Y here")
        return draft.corner_index[name]
    if len(words) != 2:
        raise ToileError("a corner is wanted: X Y, the name of a corner, or start")
    x, y = _lengths(reader, words)
    draft.corners.append((float(x), float(y)))
    return len(draft.corners) - 1


def _on_at(reader: Reader, words: Words) -> None:
    _panel(reader).translation = _lengths(reader, take(words, 3, "at X Y Z"))


def _on_turn(reader: Reader, words: Words) -> None:
    x, y, z = (number_of(word) for word in take(words, 3, "turn RX RY RZ (degrees)"))
    _panel(reader).rotation = rotation_from_degrees(x, y, z)


def _on_matrix(reader: Reader, words: Words) -> None:
    values = [number_of(word) for word in take(words, 9, "matrix and nine numbers, row by row")]
    _panel(reader).rotation = np.array(values).reshape(3, 3)


def _on_around(reader: Reader, words: Words) -> None:
    _panel(reader).around = name_of(take(words, 1, "around torso")[0])


def _on_place(reader: Reader, words: Words) -> None:
    said = tuple(name_of(word).lower() for word in words)
    limb_and_angle(said)
    reader.places[_panel(reader).name] = said


def _on_grain(reader: Reader, words: Words) -> None:
    if not 1 <= len(words) <= 2:
        raise ToileError("write 'grain DEGREES'")
    _panel(reader).grain = angle_of(words)


def _on_label(reader: Reader, words: Words) -> None:
    _panel(reader).label = name_of(take(words, 1, 'label "TEXT"')[0])


def _on_corner(reader: Reader, words: Words) -> None:
    draft, (name, *at) = _panel(reader), take(words, 3, "corner NAME X Y")
    if name_of(name) in draft.corner_index or name.text == "start":
        raise ToileError(f"corner '{name.text[:40]}' exists already")
    draft.corner_index[name_of(name)] = _point(reader, draft, at)


def _on_from(reader: Reader, words: Words) -> None:
    draft = _panel(reader)
    if draft.first >= 0:
        raise ToileError(f"panel '{draft.name}' has a 'from' already: one outline per panel")
    if draft.base is not None:
        raise ToileError(f"panel '{draft.name}' has an outline already")
    draft.first = draft.last = _point(reader, draft, words)


def _edge_handler(word: str) -> Callable[[Reader, Words], None]:
    def handle(reader: Reader, words: Words) -> None:
        _on_edge(reader, word, words)

    return handle


def _on_edge(reader: Reader, word: str, words: Words) -> None:
    draft = _panel(reader)
    if draft.first < 0:
        raise ToileError("the outline starts with a line 'from X Y'")
    if draft.closed:
        raise ToileError(
            f"the outline of panel '{draft.name}' is closed already: nothing comes after 'to start'"
        )
    words, name = _named(words)
    before, after = split_at(words, "to")
    numbers = _lengths(reader, before)
    if len(numbers) % 2:
        raise ToileError("points come in pairs X Y")
    kind = _KINDS.get((word, len(numbers) // 2), "polyline" if word == "polyline" else None)
    if kind is None:
        raise ToileError(f"write {_USAGE[word]}")
    end = _point(reader, draft, after)
    draft.edges.append(Edge(draft.last, end, kind, numbers.reshape(-1, 2), name))
    draft.last, draft.closed = end, end == draft.first
    if len(draft.edges) > EDGE_LIMIT:
        raise ToileError(f"more than {EDGE_LIMIT} edges in one panel")


_KINDS: dict[tuple[str, int], Any] = {
    ("line", 0): "line", ("curve", 1): "quadratic", ("curve", 2): "cubic", ("arc", 1): "arc",
}  # fmt: skip
_USAGE = {
    "line": "'line to X Y'",
    "curve": "'curve X Y to X Y' with one or two control points",
    "arc": "'arc X Y to X Y' with one point that the arc passes",
    "polyline": "'polyline X Y X Y … to X Y'",
}


def _on_name(reader: Reader, words: Words) -> None:
    draft = _panel(reader)
    number, _, name = take(words, 3, "edge NUMBER as NAME")
    edges = list(draft.base.edges) if draft.base else draft.edges
    index = edge_index(edges, number)
    edges[index] = replace(edges[index], name=name_of(name))
    if draft.base:
        draft.base = replace(draft.base, edges=tuple(edges))


def _on_notch(reader: Reader, words: Words) -> None:
    draft = _panel(reader)
    words, name = _named(words)
    edge, place = take(words, 2, "notch EDGE FRACTION [as NAME]")
    edges = draft.base.edges if draft.base else draft.edges
    draft.notches.append(Notch(edge_index(edges, edge), number_of(place), name))


def _on_move(reader: Reader, words: Words) -> None:
    draft = _panel(reader)
    edge, out, distance = take(words, 3, "move EDGE out LENGTH")
    if out.text != "out":
        raise ToileError("write 'move EDGE out LENGTH', a negative length moves it inward")
    edges = draft.base.edges if draft.base else draft.edges
    draft.moves.append((edge_index(edges, edge), length_of(distance, reader.unit)))


def _on_mark(reader: Reader, words: Words) -> None:
    words, name = _named(words)
    if not words or words[0].text not in MARKS:
        raise ToileError(f"write 'mark KIND X Y …' with one of the kinds {', '.join(MARKS)}")
    kind, words, angle = words[0].text, words[1:], 0.0
    if words and words[0].text == "angle":
        used = 3 if len(words) > 2 and words[2].text == "rad" else 2
        angle, words = angle_of(words[1:used] or words), words[used:]
    if not words or len(words) % 2:
        raise ToileError("points come in pairs X Y")
    points = _lengths(reader, words).reshape(-1, 2)
    _panel(reader).marks.append(Mark(kind, points, angle, name))  # type: ignore[arg-type]


def close_panel(reader: Reader) -> None:
    """Make the panel that was being read."""
    draft, reader.draft = reader.draft, None
    if draft is None:
        return
    base = draft.base
    if base is None:
        line, reader.line = reader.line, draft.line
        _close_outline(draft, f"panel '{draft.name}'")
        reader.line = line
        base = Panel(draft.name, np.array(draft.corners), tuple(draft.edges))
    for edge, distance in draft.moves:
        base = moved_out(base, edge, distance)
    placement = _placement(draft, base.placement)
    reader.panels[draft.name] = replace(
        base,
        name=draft.name,
        placement=placement,
        fabric=draft.fabric,
        grain=draft.grain or base.grain,
        label=draft.label or base.label,
        notches=base.notches + tuple(draft.notches),
        marks=base.marks + tuple(draft.marks),
    )


def _close_outline(draft: PanelDraft, where: str) -> None:
    if not draft.edges:
        raise ToileError(f"{where} has no outline: write 'from X Y' and its edges")
    # a last corner written at the place of the first is the first
    last = len(draft.corners) - 1
    if (
        not draft.closed
        and draft.last == last > draft.first
        and draft.corners[last] == draft.corners[draft.first]
    ):
        draft.edges[-1] = replace(draft.edges[-1], end=draft.first)
        draft.corners.pop()
        draft.closed = True
    if not draft.closed:
        raise ToileError(f"{where}: the outline is open: end its last edge with 'to start'")


def _placement(draft: PanelDraft, base: Placement | None) -> Placement | None:
    if draft.translation is None and draft.rotation is None and not draft.around:
        return base
    base = base or Placement(np.zeros(3), np.eye(3))
    return Placement(
        base.translation if draft.translation is None else draft.translation,
        base.rotation if draft.rotation is None else draft.rotation,
        draft.around or base.around,
    )


PANEL_LINES: dict[str, Callable[[Reader, Words], None]] = {
    "at": _on_at, "turn": _on_turn, "matrix": _on_matrix, "around": _on_around, "grain": _on_grain,
    "place": _on_place, "label": _on_label,
    "corner": _on_corner, "from": _on_from, "notch": _on_notch, "mark": _on_mark,
    "edge": _on_name, "move": _on_move, **{word: _edge_handler(word) for word in _USAGE},
}  # fmt: skip
"""first word → what reads the line"""
