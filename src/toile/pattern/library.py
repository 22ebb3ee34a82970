"""Patterns: flat pieces, seams and holds; one reader and one writer a file format."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.io.untrusted_files import decode, read_bytes, write_bytes
from toile.pattern.formats import garmentcode, hpgl, seamly
from toile.pattern.formats.dxf import read as dxf
from toile.pattern.formats.dxf.grade_rules import RuleTable, parse_rules
from toile.pattern.formats.dxf.write import to_dxf
from toile.pattern.formats.pdf import to_pdf
from toile.pattern.formats.svg import read as svg
from toile.pattern.formats.svg.write import to_svg_pattern
from toile.pattern.formats.text import read as text
from toile.pattern.formats.text.write import outfit_to_text, seams_to_text, to_text
from toile.pattern.grading.rules import graded
from toile.pattern.model.check import check_pattern
from toile.pattern.model.outfits import in_wearing_order
from toile.pattern.pieces.panels import UNIT_METRES

__all__ = [
    "READERS", "WRITERS", "check_pattern", "convert", "pattern_sizes", "read_outfit", "read_pattern",
    "read_seams", "write_outfit", "write_pattern", "write_seams",
]  # fmt: skip

SEAM_ENDING = ".seams"
"""ending of the seam file beside a DXF, SVG or HPGL file"""
GRADE_ENDINGS = (".rul", ".RUL")
"""endings of the grade rule table beside a DXF file"""


def _read_garmentcode(data: bytes, name: str, source: str, **_: Any) -> Pattern:
    return garmentcode.parse(decode(data, source), name, source)


def _read_text(data: bytes, name: str, source: str, **_: Any) -> Pattern:
    return text.parse(decode(data, source), name, source)


def _read_svg(data: bytes, name: str, source: str, *, units: str = "", **_: Any) -> Pattern:
    return svg.parse(data, name, source, units=units)


def _read_hpgl(data: bytes, name: str, source: str, **_: Any) -> Pattern:
    return hpgl.parse(data, name, source)


def _read_seamly(data: bytes, name: str, source: str, **_: Any) -> Pattern:
    return seamly.parse(data, name, source)


READERS: dict[str, Callable[..., Pattern]] = {
    "seamly": _read_seamly,
    "garmentcode": _read_garmentcode, "text": _read_text, "dxf": dxf.parse, "svg": _read_svg,
    "hpgl": _read_hpgl,
}  # fmt: skip
"""format → reader of (bytes, name for the pattern, file name for errors, size=, units=)"""
WRITERS: dict[str, Callable[[Pattern], str | bytes]] = {
    ".json": garmentcode.to_json, ".txt": to_text, ".dxf": to_dxf, ".svg": to_svg_pattern,
    ".pdf": to_pdf,
}  # fmt: skip
"""file ending → writer"""
_WITHOUT_SEAMS = ("dxf", "svg", "hpgl")


def read_pattern(
    path: str | os.PathLike[str],
    *,
    size: str = "",
    units: str = "",
    seams: str | os.PathLike[str] | None = None,
    alone: bool = False,
) -> Pattern:
    """Read a pattern file of any known format, told by its content, and check it.

    ``size`` picks one of the sizes of a DXF file or of the ``.rul`` grade rules beside it; ``units`` (mm, cm,
    in, m) overrides what a DXF or SVG file says; ``seams`` is a seam file to add. Without it a file of the
    same name ending in ``.seams`` beside a DXF, SVG or HPGL file is used, unless ``alone``. What had to be
    assumed stands in the pattern's notes.
    """
    return _one_garment(path, read_bytes(path), size=size, units=units, seams=seams, alone=alone)


def _one_garment(
    path: str | os.PathLike[str],
    data: bytes,
    *,
    size: str = "",
    units: str = "",
    seams: str | os.PathLike[str] | None = None,
    alone: bool = False,
) -> Pattern:
    """Return the one garment of a file that was read (see read_pattern)."""
    source = Path(path).name
    if units and units not in UNIT_METRES:
        raise ToileError(f"units '{units[:20]}' are unknown: write {', '.join(UNIT_METRES)}")
    kind = _format(data, source)
    table = _grade_table(path) if kind == "dxf" else None
    more = {"rules": table} if table else {}
    pattern = READERS[kind](data, Path(path).stem, source, size=size, units=units, **more)
    check_pattern(pattern, source)
    if size and pattern.sizes:
        pattern = graded(pattern, size)
    beside = Path(path).with_suffix(SEAM_ENDING)
    if seams is not None:
        return read_seams(seams, pattern)
    if alone or kind not in _WITHOUT_SEAMS or not beside.is_file():
        return pattern
    return read_seams(beside, pattern)


def read_seams(path: str | os.PathLike[str], pattern: Pattern) -> Pattern:
    """Return the pattern with the seams, holds, placements and names of a seam file added."""
    source = Path(path).name
    added = text.add_seams(decode(read_bytes(path), source), pattern, source)
    check_pattern(added, source)
    return added


def write_seams(
    pattern: Pattern,
    path: str | os.PathLike[str],
    *,
    remarks: Sequence[str] = (),
    base: Pattern | None = None,
    unsure: Collection[int] = (),
    told: Sequence[str] = (),
) -> None:
    """Write the seam file of a pattern: what a DXF, SVG or HPGL file cannot hold.

    ``remarks`` become comments behind the seams, such as the reasons of suggestions. ``base`` is the file's
    own content, without a seam file: twins that were added and pieces that were removed are then written too.
    Seams at the places in ``unsure`` are marked, with what else they may be; ``told`` stands above all.
    """
    write_bytes(path, seams_to_text(pattern, remarks, base, unsure, told).encode("utf-8"))


def convert(
    source: str | os.PathLike[str], target: str | os.PathLike[str], **options: Any
) -> tuple[Pattern, ...]:
    """Read a pattern file and write it in the format of another's ending; options as for read_pattern."""
    garments = read_outfit(source, **options)
    write_outfit(garments, target)
    return garments


def pattern_sizes(path: str | os.PathLike[str]) -> list[str]:
    """Return the sizes that a DXF file holds, or that grade rules lead to: its own, or a .rul file's."""
    source, data = Path(path).name, read_bytes(path)
    if _format(data, source) == "dxf":
        own, table = dxf.sizes(data, source), _grade_table(path)
        return list(table.sizes) if table and len(own) < 2 else own
    garments = read_outfit(path)
    return list(garments[0].sizes) if len(garments) == 1 else []


def _grade_table(path: str | os.PathLike[str]) -> RuleTable | None:
    """Return the grade rules in a .rul file of the same name beside a DXF file."""
    for ending in GRADE_ENDINGS:
        beside = Path(path).with_suffix(ending)
        if beside.is_file():
            return parse_rules(read_bytes(beside), beside.name)
    return None


def read_outfit(path: str | os.PathLike[str], **options: Any) -> tuple[Pattern, ...]:
    """Read all garments of a file, inner first; only the text format holds more than one.

    Options are those of read_pattern; a seam file goes with a single garment.
    """
    source, data = Path(path).name, read_bytes(path)
    if _format(data, source) != "text" or options.get("seams") is not None:
        return (_one_garment(path, data, **options),)
    size = options.get("size", "")
    garments = text.parse_outfit(decode(data, source), Path(path).stem, source)
    for garment in garments:
        check_pattern(garment, source)
    garments = tuple(graded(g, size) if size and size in g.sizes else g for g in garments)
    return in_wearing_order(garments, source)


def write_outfit(garments: Sequence[Pattern], path: str | os.PathLike[str]) -> None:
    """Write several garments as one text file, inner first; single ones in any format."""
    if len(garments) == 1:
        return write_pattern(garments[0], path)
    if Path(path).suffix.lower() != ".txt":
        raise ToileError(
            f"{Path(path).name}: {len(garments)} garments go into a .txt file only: change the ending"
        )
    for garment in garments:
        check_pattern(garment, f"pattern '{garment.name}'")
    write_bytes(path, outfit_to_text(tuple(garments)).encode("utf-8"))
    return None


def write_pattern(pattern: Pattern, path: str | os.PathLike[str]) -> None:
    """Write a pattern in the format that the file's ending names; the file appears whole or not at all.

    Beside a DXF or SVG file goes a seam file of the same name, if there is anything to put into it.
    """
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise ToileError(
            f"{Path(path).name}: patterns are written as {', '.join(WRITERS)}: change the ending"
        )
    check_pattern(pattern, f"pattern '{pattern.name}'")
    data = WRITERS[ending](pattern)
    write_bytes(path, data.encode("utf-8") if isinstance(data, str) else data)
    placed = any(panel.placement for panel in pattern.panels)
    if ending in (".dxf", ".svg") and (pattern.seams or pattern.holds or placed):
        write_seams(replace(pattern, notes=()), Path(path).with_suffix(SEAM_ENDING))


def _format(data: bytes, source: str) -> str:
    """Return the format of a file from its first bytes."""
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] in (b"{", b"["):
        return "garmentcode"
    if head.startswith(b"AutoCAD Binary DXF"):
        return "dxf"
    if head[:1] == b"<":
        return "seamly" if seamly.looks_like(head) else "svg"
    if b"\0" in head:
        raise ToileError(f"{source}: not a pattern file (it holds binary data)")
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    words = next((line.split() for line in lines if line and not line.startswith("#")), ["#"])
    if words[0] in text.FIRST_WORDS or words[0] == "#":
        return "text"
    if lines and lines[0] in ("0", "999") and len(lines) > 1:
        return "dxf"
    if hpgl.looks_like(head):
        return "hpgl"
    known = "garment text, GarmentCode JSON, DXF, SVG and HPGL"
    raise ToileError(f"{source}: not a pattern file: known are {known}")
