"""The garment text file: patterns written by hand, line by line. Reference: docs/text-format.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from toile.core.errors import ToileError
from toile.core.records import Panel, Pattern
from toile.pattern.formats.text.joins import (
    Words,
    elastics_of,
    grades_of,
    pins_of,
    pleat_of,
    seam_of,
    take,
    without_pleats,
)
from toile.pattern.formats.text.panel import PANEL_LINES, PanelDraft, Reader, close_panel
from toile.pattern.formats.text.words import METRES, Token, name_of, number_of, tokens_of
from toile.pattern.model.check import NAME_LIMIT, ORIGINS, PANEL_LIMIT, SEAM_LIMIT
from toile.pattern.model.mirror import mirror_panel
from toile.pattern.model.split import cut_parts
from toile.pattern.pieces.worded import OTHER_SIDE, placed_by_words

FIRST_WORDS = frozenset({"garment", "panel", "units", "origin", "layer", "fabric", "seam", "sizes", "tuck"})
"""how a garment text file may begin"""


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
    reader = Reader(source, name)
    for number, words in _lines(text, source):
        if words[0].text == "garment" and reader.started:
            garments.append(cut_parts(_finish(reader)))
            reader = Reader(source, name, unit=reader.unit)
        reader.started = True
        _read_line(reader, number, words)
    if not reader.started:
        raise ToileError(f"{source}: no garment in this file: begin with 'garment NAME' and 'panel NAME'")
    return (*garments, cut_parts(_finish(reader)))


def add_seams(text: str, pattern: Pattern, source: str) -> Pattern:
    """Return the pattern with the seams, holds, placements and edge names of a seam file added."""
    reader = Reader(source, pattern.name, origin=pattern.origin, layer=pattern.layer, adding=True)
    reader.panels = {panel.name: panel for panel in pattern.panels}
    for number, words in _lines(text, source):
        _read_line(reader, number, words)
    added = _finish(reader, placed=False)
    whole = replace(
        added,
        seams=pattern.seams + added.seams,
        holds=pattern.holds + added.holds,
        notes=pattern.notes + added.notes,
        grades=pattern.grades + added.grades,
        sizes=added.sizes or pattern.sizes,
        size=added.size or pattern.size,
        recipe=pattern.recipe,
    )
    return cut_parts(placed_by_words(whole, reader.places))


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


def _read_line(reader: Reader, number: int, words: Words) -> None:
    reader.line = number
    handler = _HANDLERS.get(words[0].text)
    with _located(reader):
        if handler is None:
            raise ToileError(f"'{words[0].text[:30]}' is unknown: a line starts with {', '.join(_HANDLERS)}")
        handler(reader, words[1:])


@contextmanager
def _located(reader: Reader) -> Iterator[None]:
    """Put file and line before any error raised inside."""
    try:
        yield
    except ToileError as error:
        raise ToileError(f"{reader.source}, line {reader.line}: {error}") from None


def _finish(reader: Reader, *, placed: bool = True) -> Pattern:
    """Return what was read; placed: also where words say that panels go, which takes all seams."""
    with _located(reader):
        close_panel(reader)
    for number, words in reader.joins:
        reader.line = number
        with _located(reader):
            _JOINS[words[0].text](reader, words[1:])
    with _located(reader):
        seams, holds = without_pleats(reader.seams, reader.holds, reader.pleats)
    pattern = Pattern(
        reader.name,
        tuple(reader.panels.values()),
        (*seams, *reader.pleats),
        tuple(holds),
        reader.layer,
        reader.origin,
        tuple(reader.notes),
        tuck=reader.tuck,
        sizes=reader.sizes,
        size=reader.size,
        grades=tuple(reader.grades),
        recipe=reader.recipe,
    )
    return placed_by_words(pattern, reader.places) if placed else pattern


# ---------------------------------------------------------------------------- garment lines


def _on_garment(reader: Reader, words: Words) -> None:
    reader.name = name_of(take(words, 1, "garment NAME")[0])


def _on_units(reader: Reader, words: Words) -> None:
    unit = take(words, 1, "units cm")[0].text
    if unit not in METRES:
        raise ToileError(f"'{unit[:20]}' is no unit: write {', '.join(METRES)}")
    reader.unit = METRES[unit]


def _on_origin(reader: Reader, words: Words) -> None:
    origin = take(words, 1, "origin floor")[0].text
    if origin not in ORIGINS:
        raise ToileError(f"origin '{origin[:20]}' is unknown: write {', '.join(ORIGINS)}")
    reader.origin = origin


def _on_layer(reader: Reader, words: Words) -> None:
    value = number_of(take(words, 1, "layer NUMBER")[0])
    if value != int(value) or abs(value) > 1000:
        raise ToileError("a layer is a whole number: 0 next to the skin, 1 over it …")
    reader.layer = int(value)


def _on_note(reader: Reader, words: Words) -> None:
    reader.notes.append(name_of(take(words, 1, 'note "TEXT"')[0]))


def _on_tuck(reader: Reader, words: Words) -> None:
    into, garment = take(words, 2, "tuck into GARMENT")
    if into.text != "into":
        raise ToileError("write 'tuck into GARMENT'")
    reader.tuck = name_of(garment)


def _on_sizes(reader: Reader, words: Words) -> None:
    if not words:
        raise ToileError("write 'sizes S M L', in order")
    reader.sizes = tuple(name_of(word) for word in words)


def _on_size(reader: Reader, words: Words) -> None:
    reader.size = name_of(take(words, 1, "size NAME")[0])


def _on_drafted(reader: Reader, words: Words) -> None:
    reader.recipe = name_of(take(words, 1, 'drafted "NAME OPTION=VALUE …"')[0])


def _on_panel(reader: Reader, words: Words) -> None:
    close_panel(reader)
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
    reader.draft = PanelDraft(name, reader.line, base=base, fabric=base.fabric if base else reader.fabric)
    if len(words) == 4 and (said := reader.places.get(name_of(words[3]))):
        turned = words[1].text == "mirror"
        reader.places[name] = tuple(OTHER_SIDE.get(word, word) if turned else word for word in said)


def _on_remove(reader: Reader, words: Words) -> None:
    close_panel(reader)
    for word in words:
        if reader.panels.pop(name_of(word), None) is None:
            raise ToileError(f"there is no panel '{name_of(word)[:40]}' to remove")


def _base(reader: Reader, words: Words) -> Panel:
    other = reader.panels.get(name_of(words[3]))
    if other is None:
        raise ToileError(f"panel '{words[3].text[:40]}' must be written before its copy")
    if words[1].text not in ("copy", "mirror"):
        raise ToileError("write 'copy of' or 'mirror of'")
    return mirror_panel(other, other.name) if words[1].text == "mirror" else other


def _on_fabric(reader: Reader, words: Words) -> None:
    name = name_of(take(words, 1, "fabric NAME")[0])
    if reader.draft is None:
        reader.fabric = name
    else:
        reader.draft.fabric = name


# ---------------------------------------------------------------------------- seams, holds


def _later(word: str) -> Callable[[Reader, Words], None]:
    """Keep the line until all panels are known."""

    def handle(reader: Reader, words: Words) -> None:
        if len(reader.joins) > 2 * SEAM_LIMIT:
            raise ToileError(f"more than {SEAM_LIMIT} seams")
        reader.joins.append((reader.line, [Token("word", word), *words]))

    return handle


def _on_seam(reader: Reader, words: Words) -> None:
    reader.seams.append(seam_of(reader.panels, words, reader.unit))


def _on_pin(reader: Reader, words: Words) -> None:
    reader.holds += pins_of(reader.panels, words, reader.unit)


def _on_elastic(reader: Reader, words: Words) -> None:
    reader.holds += elastics_of(reader.panels, words, reader.unit)


def _on_pleat(reader: Reader, words: Words) -> None:
    seam, marks = pleat_of(reader.panels, words, reader.unit)
    reader.pleats.append(seam)
    panel = reader.panels[seam.a[0].panel]
    reader.panels[panel.name] = replace(panel, marks=(*panel.marks, *marks))


def _on_grade(reader: Reader, words: Words) -> None:
    reader.grades += grades_of(reader.panels, words, reader.unit)


_JOINS = {
    "seam": _on_seam, "pin": _on_pin, "elastic": _on_elastic, "grade": _on_grade, "pleat": _on_pleat,
}  # fmt: skip
_HANDLERS: dict[str, Callable[[Reader, Words], None]] = {
    "garment": _on_garment, "units": _on_units, "origin": _on_origin, "layer": _on_layer, "panel": _on_panel,
    "fabric": _on_fabric, "note": _on_note, "tuck": _on_tuck, "sizes": _on_sizes, "size": _on_size,
    "drafted": _on_drafted, "remove": _on_remove,
    **PANEL_LINES,
    **{word: _later(word) for word in _JOINS},
}  # fmt: skip
