"""Patterns: flat pieces, seams and holds; one reader and one writer a file format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from toile.errors import ToileError
from toile.pattern import garmentcode, text, text_write
from toile.pattern.check import check_pattern
from toile.pattern.files import decode, read_bytes, write_bytes
from toile.types import Pattern

__all__ = ["READERS", "WRITERS", "check_pattern", "read_outfit", "read_pattern", "write_pattern"]

Reader = Callable[[bytes, str, str], Pattern]
"""(bytes of the file, name for the pattern, file name for errors) → pattern"""


def _read_garmentcode(data: bytes, name: str, source: str) -> Pattern:
    return garmentcode.parse(decode(data, source), name, source)


def _read_text(data: bytes, name: str, source: str) -> Pattern:
    return text.parse(decode(data, source), name, source)


READERS: dict[str, Reader] = {"garmentcode": _read_garmentcode, "text": _read_text}
"""format → reader"""
WRITERS: dict[str, Callable[[Pattern], str]] = {".json": garmentcode.to_json, ".txt": text_write.to_text}
"""file ending → writer"""


def read_pattern(path: str | os.PathLike[str]) -> Pattern:
    """Read a pattern file of any known format, told by its content, and check it."""
    source, data = Path(path).name, read_bytes(path)
    pattern = READERS[_format(data, source)](data, Path(path).stem, source)
    check_pattern(pattern, source)
    return pattern


def read_outfit(path: str | os.PathLike[str]) -> tuple[Pattern, ...]:
    """Read all garments of a file, inner first; only the text format holds more than one."""
    source, data = Path(path).name, read_bytes(path)
    if _format(data, source) != "text":
        return (read_pattern(path),)
    garments = text.parse_outfit(decode(data, source), Path(path).stem, source)
    for garment in garments:
        check_pattern(garment, source)
    return garments


def write_pattern(pattern: Pattern, path: str | os.PathLike[str]) -> None:
    """Write a pattern in the format that the file's ending names; the file appears whole or not at all."""
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise ToileError(
            f"{Path(path).name}: patterns are written as {', '.join(WRITERS)}: change the ending"
        )
    check_pattern(pattern, f"pattern '{pattern.name}'")
    write_bytes(path, WRITERS[ending](pattern).encode("utf-8"))


def _format(data: bytes, source: str) -> str:
    """Return the format of a file from its first bytes."""
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] in (b"{", b"["):
        return "garmentcode"
    if b"\0" in head:
        raise ToileError(f"{source}: not a pattern file (it holds binary data)")
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    words = next((line.split() for line in lines if line and not line.startswith("#")), ["#"])
    if words[0] in text.FIRST_WORDS or words[0] == "#":
        return "text"
    raise ToileError(f"{source}: not a pattern file: known are garment text and GarmentCode JSON")
