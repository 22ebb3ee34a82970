"""PLY files: text or binary, polygons of any number of corners; counts are checked before use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toile.core.errors import ToileError
from toile.core.records import Floats
from toile.io.polygons import (
    Polygons,
    file_bytes,
    flat_numbers,
    limited,
    point_rows,
    triangulate_fans,
    whole_numbers,
    word_counts,
)

TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4",
    "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip

Property = tuple[str, str, str]
"""name, type, type of the count (empty: no list)"""
Element = tuple[str, int, list[Property]]
"""name, count, properties"""


def read_ply(path: Path) -> Polygons:
    """Return the surface in a PLY file."""
    raw = file_bytes(path)
    end = raw.find(b"end_header", 0, 65536)
    if not raw.startswith(b"ply") or end < 0:
        raise ToileError(f"{path.name}: has no PLY header: export it again")
    order, elements = _header(raw[:end].decode("ascii", "replace"), path.name)
    start = raw.index(b"\n", end) + 1
    reader = _Text(raw[start:], path.name) if order == "ascii" else _Binary(raw, start, order, path.name)
    points: Floats = np.zeros((0, 3))
    for name, count, properties in elements:
        if name == "vertex":
            points = reader.points(limited(count, path.name), properties)
        elif name == "face" and properties and properties[0][2]:
            return points, triangulate_fans(*reader.lists(limited(count, path.name), properties), path.name)
        else:
            reader.skip(count, properties)
    return points, np.zeros((0, 3), dtype=np.int64)


def _header(text: str, name: str) -> tuple[str, list[Element]]:
    order, elements = "", list[Element]()
    for line in text.splitlines()[1:200]:
        words = line.split()
        if words[:1] == ["format"]:
            known = {"ascii": "ascii", "binary_little_endian": "<", "binary_big_endian": ">"}
            order = known.get(words[1], "")
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"] and elements:
            kinds = [TYPES.get(w) for w in words[1:-1] if w != "list"]
            if None in kinds:
                raise ToileError(f"{name}: unknown PLY type in '{line[:40]}'")
            elements[-1][2].append((words[-1], str(kinds[-1]), str(kinds[0]) if words[1] == "list" else ""))
    if not order:
        raise ToileError(f"{name}: unknown PLY format: export as binary or text")
    return order, elements


def _columns(properties: list[Property], name: str) -> list[int]:
    names = [p[0] for p in properties]
    if not {"x", "y", "z"} <= set(names) or any(p[2] for p in properties):
        raise ToileError(f"{name}: its points have no x, y, z")
    return [names.index(c) for c in "xyz"]


class _Text:
    """The body of a text PLY: one item per line."""

    def __init__(self, raw: bytes, name: str) -> None:
        self.raw, self.name, self.at = raw, name, 0
        letter = np.frombuffer(raw, dtype=np.uint8)
        self.ends = np.flatnonzero(letter == 10) + 1
        if not raw.endswith(b"\n"):
            self.ends = np.append(self.ends, len(raw))
        self.line = 0

    def _take(self, count: int, what: str) -> bytes:
        if not 0 <= count <= len(self.ends) - self.line:
            raise ToileError(f"{self.name}: claims {count} {what}, more than the file holds")
        if count == 0:
            return b""
        start, self.line = self.at, self.line + count
        self.at = int(self.ends[self.line - 1])
        return self.raw[start : self.at].rstrip()

    def points(self, count: int, properties: list[Property]) -> Floats:
        """Return x, y, z of the points, (count, 3)."""
        columns = _columns(properties, self.name)
        text = self._take(count, "points")
        if columns == [0, 1, 2]:
            return point_rows(text)
        values = flat_numbers(text)
        return values.reshape(count, len(properties))[:, columns]

    def lists(self, count: int, properties: list[Property]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the corners of the faces in a row, and how many each has."""
        text = self._take(count, "faces")
        words, values = word_counts(text), whole_numbers(text)
        start = np.cumsum(words) - words
        if len(values) != words.sum() or (len(words) and words.min() < 1):
            raise ValueError("not a number")
        counts = values[start]
        if (counts < 0).any() or (counts + 1 > words).any():
            raise ValueError("a face with too few corners")
        place = np.repeat(start + 1 - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        return values[place], counts

    def skip(self, count: int, properties: list[Property]) -> None:
        """Leave out an element that is neither points nor faces."""
        self._take(count, "items")


class _Binary:
    """The body of a binary PLY."""

    def __init__(self, raw: bytes, start: int, order: str, name: str) -> None:
        self.raw, self.at, self.order, self.name = raw, start, order, name

    def _take(self, kinds: list[tuple[str, str]], count: int) -> NDArray[np.void]:
        record = np.dtype([(f"{i}{n}", self.order + k) for i, (n, k) in enumerate(kinds)])
        if not 0 <= count * record.itemsize <= len(self.raw) - self.at:
            raise ToileError(f"{self.name}: claims {count} items, more than the file holds")
        found = np.frombuffer(self.raw, record, count, self.at)
        self.at += count * record.itemsize
        return found

    def points(self, count: int, properties: list[Property]) -> Floats:
        """Return x, y, z of the points, (count, 3)."""
        columns = _columns(properties, self.name)
        found = self._take([(n, k) for n, k, _ in properties], count)
        return np.stack([found[f"{i}{properties[i][0]}"].astype(np.float64) for i in columns], axis=1)

    def lists(self, count: int, properties: list[Property]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the corners of the faces in a row, and how many each has."""
        (_, kind, kind_of_count), *more = properties
        if any(p[2] for p in more) or kind_of_count[0] == "f" or kind[0] == "f":
            raise ToileError(f"{self.name}: faces with more than one list: export points and faces only")
        behind = sum(np.dtype(k).itemsize for _, k, _ in more)
        size, head = np.dtype(kind).itemsize, np.dtype(kind_of_count).itemsize
        starts, counts = self._walk(count, head, size, behind, "u" if kind_of_count[0] == "u" else "i")
        # corner by corner: where its bytes begin
        first = np.repeat(starts - (np.cumsum(counts) - counts) * size, counts)
        place = first + np.arange(counts.sum()) * size
        letters = np.frombuffer(self.raw, dtype=np.uint8)
        corners = np.ascontiguousarray(letters[place[:, None] + np.arange(size)])
        return corners.view(self.order + kind)[:, 0].astype(np.int64), counts

    def _walk(
        self, count: int, head: int, size: int, behind: int, sign: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the corners of each face begin and how many there are."""
        byte_order, signed = "little" if self.order == "<" else "big", sign == "i"
        starts, counts = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        raw, at, end = self.raw, self.at, len(self.raw)
        for face in range(count):
            corners = int.from_bytes(raw[at : at + head], byte_order, signed=signed)  # type: ignore[arg-type]
            starts[face], counts[face] = at + head, corners
            at += head + corners * size + behind
            if corners < 0 or at > end:
                raise ToileError(f"{self.name}: claims {count} faces, more than the file holds")
        self.at = at
        return starts, counts

    def skip(self, count: int, properties: list[Property]) -> None:
        """Leave out an element that is neither points nor faces."""
        if any(p[2] for p in properties):
            raise ToileError(f"{self.name}: a list before the faces: export points and faces only")
        self._take([(n, k) for n, k, _ in properties], count)
