"""What the readers of surfaces share: caps, rows of numbers out of text, polygons cut into triangles."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toile.core.errors import ToileError
from toile.core.reading import read_plain
from toile.core.records import Floats

MAX_BYTES = 128 * 2**20
MAX_VERTICES = 2_000_000
MAX_TRIANGLES = 2_000_000
MAX_NUMBERS = 8_000_000
"""in the text of one kind of lines"""
MAX_CORNERS = 64
"""of one polygon; what is beyond them is left out"""

Polygons = tuple[Floats, NDArray[np.int64]]
"""points (n, 3) and triangles (t, 3)"""


def file_bytes(path: Path) -> bytes:
    """Return the content of a file that is not too large."""
    return read_plain(path, MAX_BYTES, "reduce the scan")


def limited(count: int, name: str) -> int:
    """Return a number of points or faces; too many are refused."""
    if not 0 <= count <= MAX_TRIANGLES:
        raise ToileError(f"{name}: too many points or triangles (2 million each): reduce the scan")
    return count


def lines_after(raw: bytes, word: bytes, name: str) -> bytes:
    """Return what follows a word at the start of lines, one line each; too many lines are refused."""
    found = re.findall(rb"^[ \t]*" + word + rb"[ \t]+([^\r\n]*)", raw, re.MULTILINE)
    limited(len(found) // (3 if word == b"vertex" else 1), name)
    return b"\n".join(found)


def flat_numbers(text: bytes) -> Floats:
    """Return all numbers of a text."""
    if not text.strip():
        return np.zeros(0)
    if len(text) > 2 * MAX_NUMBERS and word_counts(text).sum() > MAX_NUMBERS:
        raise ValueError("too many numbers: reduce the scan")
    with warnings.catch_warnings():
        # text that is no number is noticed by the callers, who count
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(text.decode("ascii", "replace"), dtype=np.float64, sep=" ")
        except DeprecationWarning:
            raise ValueError("not a number") from None


def whole_numbers(text: bytes) -> NDArray[np.int64]:
    """Return all numbers of a text, which are whole."""
    values = flat_numbers(text)
    if not (np.abs(values) < 2**40).all():
        raise ValueError("a number that is far too large")
    return values.astype(np.int64)


def word_counts(text: bytes) -> NDArray[np.int64]:
    """Return how many words each line of a text holds."""
    letter = np.frombuffer(text, dtype=np.uint8)
    space = letter <= 32
    first = ~space & np.concatenate([[True], space[:-1]])
    line = np.cumsum(letter == 10)
    return np.bincount(line[first], minlength=int(line[-1]) + 1 if len(line) else 0)


def point_rows(text: bytes) -> Floats:
    """Return the first three numbers of each line, (n, 3)."""
    counts = word_counts(text)
    if len(counts) and counts.min() < 3:
        raise ValueError("a point without x, y, z")
    values = flat_numbers(text)
    if len(values) != counts.sum():
        raise ValueError("not a number")
    start = np.cumsum(counts) - counts
    return values[start[:, None] + np.arange(3)] if len(counts) else np.zeros((0, 3))


def triangulate_fans(corners: NDArray[np.int64], counts: NDArray[np.int64], name: str) -> NDArray[np.int64]:
    """Return the triangles (t, 3) of polygons: all corners in a row, how many each polygon has."""
    start = np.cumsum(counts) - counts
    pieces = np.clip(np.minimum(counts, MAX_CORNERS) - 2, 0, None)
    limited(int(pieces.sum()), name)
    polygon = np.repeat(np.arange(len(counts)), pieces)
    step = np.arange(len(polygon)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    first = start[polygon]
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=1)
