"""The garment text file: patterns written by hand, line by line. Reference: docs/text-format.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from toile.errors import ToileError
from toile.pattern.check import EDGE_LIMIT, MARKS, NAME_LIMIT, ORIGINS, PANEL_LIMIT, SEAM_LIMIT
from toile.pattern.mirror import mirror_panel
from toile.pattern.rotation import rotation_from_degrees
from toile.pattern.text_joins import (
    Words,
    edge_index,
    elastics_of,
    grades_of,
    pins_of,
    seam_of,
    split_at,
    take,
)
from toile.pattern.words import METRES, Token, angle_of, length_of, name_of, number_of, tokens_of
from toile.types import Edge, Floats, Grade, Hold, Mark, Notch, Panel, Pattern, Placement, Seam

FIRST_WORDS = frozenset({"garment", "panel", "units", "origin", "layer", "fabric", "seam", "sizes", "tuck"})
"""how a garment text file may begin"""


@dataclass(slots=True)
class _Draft:
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
    base: Panel | None = None
    """panel that this one copies, mirrors or adds to"""


@dataclass(slots=True)
class _Reader:
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
    draft: _Draft | None = None
    panels: dict[str, Panel] = field(default_factory=dict)
    joins: list[tuple[int, Words]] = field(default_factory=list)
    seams: list[Seam] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)
    tuck: str = ""
    sizes: tuple[str, ...] = ()
    size: str = ""
    recipe: str = ""
    grades: list[Grade] = field(default_factory=list)
    started: bool = False
    notes: list[str] = field(default_factory=list)


# ---------------------------------------------------------------------------- whole files


def parse(text: str, name: str, source: str) -> Pattern:
    """Return the one garment of a text file; ``source`` is the file's name for errors."""
    garments = parse_outfit(text, name, source)
    if len(garments) != 1:
        raise ToileError(
            f"{source}: holds {len(garments)} garments where one is wanted: read it as an outfit"
        )
    return garments[0]


def parse_outfit(text: str, name: str, source: str) -> tuple[Pattern, ...]:
    """Return the garments of a text file in the order written; each starts with a line ``garment``."""
    garments: list[Pattern] = []
    reader = _Reader(source, name)
    for number, words in _lines(text, source):
        if words[0].text == "garment" and reader.started:
            garments.append(_finish(reader))
            reader = _Reader(source, name, unit=reader.unit)
        reader.started = True
        _read_line(reader, number, words)
    if not reader.started:
        raise ToileError(f"{source}: no garment in this file: begin with 'garment NAME' and 'panel NAME'")
    return (*garments, _finish(reader))


def add_seams(text: str, pattern: Pattern, source: str) -> Pattern:
    """Return the pattern with the seams, holds, placements and edge names of a seam file added."""
    reader = _Reader(source, pattern.name, origin=pattern.origin, layer=pattern.layer, adding=True)
    reader.panels = {panel.name: panel for panel in pattern.panels}
    for number, words in _lines(text, source):
        _read_line(reader, number, words)
    added = _finish(reader)
    return replace(
        added,
        seams=pattern.seams + added.seams,
        holds=pattern.holds + added.holds,
        notes=pattern.notes + added.notes,
        grades=pattern.grades + added.grades,
        sizes=added.sizes or pattern.sizes,
        size=added.size or pattern.size,
        recipe=pattern.recipe,
    )


def _lines(text: str, source: str) -> list[tuple[int, Words]]:
    """Return the lines that say something; a backslash at the end joins a line to the next."""
    result: list[tuple[int, Words]] = []
    held, first = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        first = first or number
        if line.rstrip().endswith("\\") and "#" not in line:
            held += line.rstrip()[:-1] + " "
            continue
        try:
            words = tokens_of(held + line)
        except ToileError as error:
            raise ToileError(f"{source}, line {first}: {error}") from None
        if words:
            result.append((first, words))
        held, first = "", 0
    return result


def _read_line(reader: _Reader, number: int, words: Words) -> None:
    reader.line = number
    handler = _HANDLERS.get(words[0].text)
    with _located(reader):
        if handler is None:
            raise ToileError(f"'{words[0].text[:30]}' is unknown: a line starts with {', '.join(_HANDLERS)}")
        handler(reader, words[1:])


@contextmanager
def _located(reader: _Reader) -> Iterator[None]:
    """Put file and line before any error raised inside."""
    try:
        yield
    except ToileError as error:
        raise ToileError(f"{reader.source}, line {reader.line}: {error}") from None


def _finish(reader: _Reader) -> Pattern:
    with _located(reader):
        _close_panel(reader)
    for number, words in reader.joins:
        reader.line = number
        with _located(reader):
            _JOINS[words[0].text](reader, words[1:])
    return Pattern(
        reader.name,
        tuple(reader.panels.values()),
        tuple(reader.seams),
        tuple(reader.holds),
        reader.layer,
        reader.origin,
        tuple(reader.notes),
        tuck=reader.tuck,
        sizes=reader.sizes,
        size=reader.size,
        grades=tuple(reader.grades),
        recipe=reader.recipe,
    )


# ---------------------------------------------------------------------------- helpers


def _panel(reader: _Reader) -> _Draft:
    if reader.draft is None:
        raise ToileError("this line belongs to a panel: write 'panel NAME' before it")
    return reader.draft


def _lengths(reader: _Reader, words: Words) -> Floats:
    return np.array([length_of(word, reader.unit) for word in words])


def _named(words: Words) -> tuple[Words, str]:
    """Return the words without a trailing ``as NAME``, and that name."""
    if len(words) >= 2 and words[-2] == Token("word", "as"):
        return words[:-2], name_of(words[-1])
    return words, ""


def _point(reader: _Reader, draft: _Draft, words: Words) -> int:
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


# ---------------------------------------------------------------------------- garment lines


def _on_garment(reader: _Reader, words: Words) -> None:
    reader.name = name_of(take(words, 1, "garment NAME")[0])


def _on_units(reader: _Reader, words: Words) -> None:
    unit = take(words, 1, "units cm")[0].text
    if unit not in METRES:
        raise ToileError(f"'{unit[:20]}' is no unit: write {', '.join(METRES)}")
    reader.unit = METRES[unit]


def _on_origin(reader: _Reader, words: Words) -> None:
    origin = take(words, 1, "origin floor")[0].text
    if origin not in ORIGINS:
        raise ToileError(f"origin '{origin[:20]}' is unknown: write {', '.join(ORIGINS)}")
    reader.origin = origin


def _on_layer(reader: _Reader, words: Words) -> None:
    value = number_of(take(words, 1, "layer NUMBER")[0])
    if value != int(value) or abs(value) > 1000:
        raise ToileError("a layer is a whole number: 0 next to the skin, 1 over it …")
    reader.layer = int(value)


def _on_note(reader: _Reader, words: Words) -> None:
    reader.notes.append(name_of(take(words, 1, 'note "TEXT"')[0]))


def _on_tuck(reader: _Reader, words: Words) -> None:
    into, garment = take(words, 2, "tuck into GARMENT")
    if into.text != "into":
        raise ToileError("write 'tuck into GARMENT'")
    reader.tuck = name_of(garment)


def _on_sizes(reader: _Reader, words: Words) -> None:
    if not words:
        raise ToileError("write 'sizes S M L', in order")
    reader.sizes = tuple(name_of(word) for word in words)


def _on_size(reader: _Reader, words: Words) -> None:
    reader.size = name_of(take(words, 1, "size NAME")[0])


def _on_drafted(reader: _Reader, words: Words) -> None:
    reader.recipe = name_of(take(words, 1, 'drafted "NAME OPTION=VALUE …"')[0])


def _on_panel(reader: _Reader, words: Words) -> None:
    _close_panel(reader)
    if len(words) not in (1, 4) or (len(words) == 4 and words[2].text != "of"):
        raise ToileError("write 'panel NAME', 'panel NAME copy of OTHER' or 'panel NAME mirror of OTHER'")
    name = name_of(words[0])
    if not name or len(name) > NAME_LIMIT:
        raise ToileError(f"a panel's name has 1 to {NAME_LIMIT} characters")
    if name in reader.panels and (not reader.adding or len(words) > 1):
        raise ToileError(f"two panels are called '{name}': rename one")
    if len(reader.panels) >= PANEL_LIMIT:
        raise ToileError(f"more than {PANEL_LIMIT} panels")
    base = _base(reader, words) if len(words) == 4 else reader.panels.get(name)
    reader.draft = _Draft(name, reader.line, base=base, fabric=base.fabric if base else reader.fabric)


def _on_remove(reader: _Reader, words: Words) -> None:
    _close_panel(reader)
    for word in words:
        if reader.panels.pop(name_of(word), None) is None:
            raise ToileError(f"there is no panel '{name_of(word)[:40]}' to remove")


def _base(reader: _Reader, words: Words) -> Panel:
    other = reader.panels.get(name_of(words[3]))
    if other is None:
        raise ToileError(f"panel '{words[3].text[:40]}' must be written before its copy")
    if words[1].text not in ("copy", "mirror"):
        raise ToileError("write 'copy of' or 'mirror of'")
    return mirror_panel(other, other.name) if words[1].text == "mirror" else other


def _on_fabric(reader: _Reader, words: Words) -> None:
    name = name_of(take(words, 1, "fabric NAME")[0])
    if reader.draft is None:
        reader.fabric = name
    else:
        reader.draft.fabric = name


# ---------------------------------------------------------------------------- panel lines


def _on_at(reader: _Reader, words: Words) -> None:
    _panel(reader).translation = _lengths(reader, take(words, 3, "at X Y Z"))


def _on_turn(reader: _Reader, words: Words) -> None:
    x, y, z = (number_of(word) for word in take(words, 3, "turn RX RY RZ (degrees)"))
    _panel(reader).rotation = rotation_from_degrees(x, y, z)


def _on_matrix(reader: _Reader, words: Words) -> None:
    values = [number_of(word) for word in take(words, 9, "matrix and nine numbers, row by row")]
    _panel(reader).rotation = np.array(values).reshape(3, 3)


def _on_around(reader: _Reader, words: Words) -> None:
    _panel(reader).around = name_of(take(words, 1, "around torso")[0])


def _on_grain(reader: _Reader, words: Words) -> None:
    if not 1 <= len(words) <= 2:
        raise ToileError("write 'grain DEGREES'")
    _panel(reader).grain = angle_of(words)


def _on_label(reader: _Reader, words: Words) -> None:
    _panel(reader).label = name_of(take(words, 1, 'label "TEXT"')[0])


def _on_corner(reader: _Reader, words: Words) -> None:
    draft, (name, *at) = _panel(reader), take(words, 3, "corner NAME X Y")
    if name_of(name) in draft.corner_index or name.text == "start":
        raise ToileError(f"corner '{name.text[:40]}' exists already")
    draft.corner_index[name_of(name)] = _point(reader, draft, at)


def _on_from(reader: _Reader, words: Words) -> None:
    draft = _panel(reader)
    if draft.first >= 0:
        raise ToileError(f"panel '{draft.name}' has a 'from' already: one outline per panel")
    if draft.base is not None:
        raise ToileError(f"panel '{draft.name}' has an outline already")
    draft.first = draft.last = _point(reader, draft, words)


def _edge_handler(word: str) -> Callable[[_Reader, Words], None]:
    def handle(reader: _Reader, words: Words) -> None:
        _on_edge(reader, word, words)

    return handle


def _on_edge(reader: _Reader, word: str, words: Words) -> None:
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


def _on_name(reader: _Reader, words: Words) -> None:
    draft = _panel(reader)
    number, _, name = take(words, 3, "edge NUMBER as NAME")
    edges = list(draft.base.edges) if draft.base else draft.edges
    index = edge_index(edges, number)
    edges[index] = replace(edges[index], name=name_of(name))
    if draft.base:
        draft.base = replace(draft.base, edges=tuple(edges))


def _on_notch(reader: _Reader, words: Words) -> None:
    draft = _panel(reader)
    words, name = _named(words)
    edge, place = take(words, 2, "notch EDGE FRACTION [as NAME]")
    edges = draft.base.edges if draft.base else draft.edges
    draft.notches.append(Notch(edge_index(edges, edge), number_of(place), name))


def _on_mark(reader: _Reader, words: Words) -> None:
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


def _close_panel(reader: _Reader) -> None:
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


def _close_outline(draft: _Draft, where: str) -> None:
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


def _placement(draft: _Draft, base: Placement | None) -> Placement | None:
    if draft.translation is None and draft.rotation is None and not draft.around:
        return base
    base = base or Placement(np.zeros(3), np.eye(3))
    return Placement(
        base.translation if draft.translation is None else draft.translation,
        base.rotation if draft.rotation is None else draft.rotation,
        draft.around or base.around,
    )


# ---------------------------------------------------------------------------- seams, holds


def _later(word: str) -> Callable[[_Reader, Words], None]:
    """Keep the line until all panels are known."""

    def handle(reader: _Reader, words: Words) -> None:
        if len(reader.joins) > 2 * SEAM_LIMIT:
            raise ToileError(f"more than {SEAM_LIMIT} seams")
        reader.joins.append((reader.line, [Token("word", word), *words]))

    return handle


def _on_seam(reader: _Reader, words: Words) -> None:
    reader.seams.append(seam_of(reader.panels, words))


def _on_pin(reader: _Reader, words: Words) -> None:
    reader.holds += pins_of(reader.panels, words)


def _on_elastic(reader: _Reader, words: Words) -> None:
    reader.holds += elastics_of(reader.panels, words)


def _on_grade(reader: _Reader, words: Words) -> None:
    reader.grades += grades_of(reader.panels, words, reader.unit)


_JOINS = {"seam": _on_seam, "pin": _on_pin, "elastic": _on_elastic, "grade": _on_grade}
_HANDLERS: dict[str, Callable[[_Reader, Words], None]] = {
    "garment": _on_garment, "units": _on_units, "origin": _on_origin, "layer": _on_layer, "panel": _on_panel,
    "fabric": _on_fabric, "at": _on_at, "turn": _on_turn, "matrix": _on_matrix, "around": _on_around,
    "grain": _on_grain, "label": _on_label, "corner": _on_corner, "from": _on_from, "notch": _on_notch,
    "mark": _on_mark, "note": _on_note, "tuck": _on_tuck, "sizes": _on_sizes, "size": _on_size,
    "drafted": _on_drafted, "remove": _on_remove, "edge": _on_name,
    **{word: _edge_handler(word) for word in _USAGE},
    **{word: _later(word) for word in _JOINS},
}  # fmt: skip
