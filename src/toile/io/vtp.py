"""VTP files (VTK XML polygons): text, base64 or appended data, zlib-compressed or not.

Only what surfaces need: Points, Polys and Strips of every Piece. Documents with a DOCTYPE are refused, so
that no entity is ever expanded; lengths are checked before anything is unpacked.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from toile.core.errors import ToileError
from toile.core.records import Floats
from toile.io.polygons import MAX_BYTES, Polygons, file_bytes, flat_numbers, limited, triangulate_fans

TYPES = {
    "Int8": "i1", "UInt8": "u1", "Int16": "i2", "UInt16": "u2", "Int32": "i4", "UInt32": "u4", "Int64": "i8",
    "UInt64": "u8", "Float32": "f4", "Float64": "f8",
}  # fmt: skip
HEADERS = {"UInt32": "u4", "UInt64": "u8"}


@dataclass(frozen=True, eq=False, slots=True)
class _File:
    """What is needed to understand one DataArray."""

    name: str
    order: str
    """byte order, < or >"""
    header: str
    """type of the lengths before binary data"""
    packed: bool
    """zlib"""
    appended: bytes
    """data behind the tree"""
    raw: bool
    """the appended data is not base64"""


def read_vtp(path: Path) -> Polygons:
    """Return the surface in a VTP file."""
    content = file_bytes(path)
    if b"<!DOCTYPE" in content[:4096] or b"<!ENTITY" in content[:65536]:
        raise ToileError(f"{path.name}: has a DOCTYPE, which is not read: export it again")
    tree, file = _parts(content, path.name)
    places, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for piece in tree.iterfind("PolyData/Piece"):
        points = _points(file, piece)
        faces.append(count + _triangles(file, piece))
        places.append(points)
        count = limited(count + len(points), path.name)
    return np.concatenate(places), np.concatenate(faces)


def _parts(content: bytes, name: str) -> tuple[ElementTree.Element, _File]:
    """Return the tree without its appended data, and how data is stored."""
    start = content.find(b"<AppendedData")
    head = content if start < 0 else content[:start] + b"</VTKFile>"
    try:
        tree = ElementTree.fromstring(head)
    except (ElementTree.ParseError, RecursionError):
        raise ToileError(f"{name}: its XML is broken: export it again") from None
    kind, header = tree.get("type", ""), HEADERS.get(tree.get("header_type", "UInt32"), "")
    if kind != "PolyData" or not header:
        raise ToileError(f"{name}: holds {kind[:30] or 'no data'}, not PolyData: export a surface")
    packing = tree.get("compressor", "")
    if packing not in ("", "vtkZLibDataCompressor"):
        raise ToileError(f"{name}: packed by {packing[:30]}: export it with zlib or without compression")
    order = ">" if tree.get("byte_order") == "BigEndian" else "<"
    raw, appended = False, b""
    if start >= 0:
        raw = b'"raw"' in content[start : start + 200]
        first = content.find(b"_", content.find(b">", start)) + 1
        appended = content[first:]
    return tree, _File(name, order, header, bool(packing), appended, raw)


def _points(file: _File, piece: ElementTree.Element) -> Floats:
    array = piece.find("Points/DataArray")
    if array is None:
        return np.zeros((0, 3))
    values = _values(file, array).astype(np.float64)
    limited(len(values) // 3, file.name)
    return values[: len(values) // 3 * 3].reshape(-1, 3)


def _triangles(file: _File, piece: ElementTree.Element) -> NDArray[np.int64]:
    found = [np.zeros((0, 3), dtype=np.int64)]
    for kind in ("Polys", "Strips"):
        arrays = {a.get("Name"): a for a in piece.iterfind(f"{kind}/DataArray")}
        if "connectivity" not in arrays or "offsets" not in arrays:
            continue
        corners = _values(file, arrays["connectivity"]).astype(np.int64)
        ends = _values(file, arrays["offsets"]).astype(np.int64)
        counts = np.diff(ends, prepend=0)
        if len(ends) and ((counts < 0).any() or ends[-1] > len(corners)):
            raise ToileError(f"{file.name}: its {kind} end behind their data: export it again")
        found.append(
            triangulate_fans(corners, counts, file.name)
            if kind == "Polys"
            else _strips(corners, counts, file)
        )
    return np.concatenate(found)


def _strips(corners: NDArray[np.int64], counts: NDArray[np.int64], file: _File) -> NDArray[np.int64]:
    """Return the triangles of strips: every three neighbours, each second one turned over."""
    pieces = np.clip(counts - 2, 0, None)
    limited(int(pieces.sum()), file.name)
    step = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    at = np.repeat(np.cumsum(counts) - counts, pieces) + step
    odd = step % 2
    return np.stack([corners[at + odd], corners[at + 1 - odd], corners[at + 2]], axis=1)


def _values(file: _File, array: ElementTree.Element) -> NDArray[np.generic]:
    """Return the numbers of a DataArray in a row."""
    kind = TYPES.get(array.get("type", ""))
    if kind is None:
        raise ToileError(f"{file.name}: unknown data type '{array.get('type', '')[:20]}'")
    form, text = array.get("format", "ascii"), (array.text or "").strip()
    if form == "ascii":
        return flat_numbers(text.encode("ascii", "replace"))
    if form == "binary":
        data = _from_base64(text.encode("ascii", "replace"), file)
    elif form == "appended":
        offset = int(array.get("offset", "-1"))
        if not 0 <= offset < len(file.appended):
            raise ToileError(f"{file.name}: data at {offset}, where the file has ended: export it again")
        behind = file.appended[offset:]
        data = _from_raw(behind, file) if file.raw else _from_base64(behind, file)
    else:
        raise ToileError(f"{file.name}: unknown data format '{form[:20]}'")
    width = np.dtype(kind).itemsize
    return np.frombuffer(data[: len(data) // width * width], dtype=file.order + kind)


def _lengths(file: _File, data: bytes, count: int) -> list[int]:
    width = np.dtype(file.header).itemsize
    if len(data) < width * count:
        raise ToileError(f"{file.name}: its data ends too early: export it again")
    return [int(v) for v in np.frombuffer(data, dtype=file.order + file.header, count=count)]


def _from_raw(data: bytes, file: _File) -> bytes:
    """Return what follows a header of lengths."""
    width = np.dtype(file.header).itemsize
    if not file.packed:
        (size,) = _lengths(file, data, 1)
        return _cut(data[width:], size, file)
    header = _blocks(file, data)
    return _unpacked(data[width * len(header) :], header, file)


def _from_base64(text: bytes, file: _File) -> bytes:
    """Return data behind its header; packed data codes the header apart from the blocks."""
    width = np.dtype(file.header).itemsize
    if not file.packed:
        (size,) = _lengths(file, _decoded(text[: _coded(width)], file), 1)
        if size > MAX_BYTES:
            raise ToileError(f"{file.name}: claims {size} bytes, more than the file holds")
        return _cut(_decoded(text[: _coded(width + size)], file)[width:], size, file)
    (count,) = _lengths(file, _decoded(text[: _coded(width)], file), 1)
    if count > MAX_BYTES // 64:
        raise ToileError(f"{file.name}: claims {count} blocks, more than the file holds")
    length = width * (3 + count)
    header = _blocks(file, _decoded(text[: _coded(length)], file))
    size = sum(header[3:])
    if size > MAX_BYTES:
        raise ToileError(f"{file.name}: claims {size} bytes, more than the file holds")
    start = _coded(length)
    return _unpacked(_decoded(text[start : start + _coded(size)], file), header, file)


def _blocks(file: _File, data: bytes) -> list[int]:
    """Return number of blocks, size of a block, size of the last one, and the packed sizes."""
    (count,) = _lengths(file, data, 1)
    if count * np.dtype(file.header).itemsize > len(data):
        raise ToileError(f"{file.name}: claims {count} blocks, more than the file holds")
    return _lengths(file, data, 3 + count)


def _unpacked(data: bytes, header: list[int], file: _File) -> bytes:
    count, size, last = header[:3]
    if max(count - 1, 0) * size + (last or size) > MAX_BYTES and count:
        raise ToileError(f"{file.name}: unpacks to more than {MAX_BYTES >> 20} MB: reduce the scan")
    found, at = [], 0
    for i, length in enumerate(header[3:]):
        most = last if i == count - 1 and last else size
        try:
            found.append(zlib.decompressobj().decompress(_cut(data[at:], length, file), most))
        except zlib.error:
            raise ToileError(f"{file.name}: its packed data is damaged: export it again") from None
        at += length
    return b"".join(found)


def _cut(data: bytes, size: int, file: _File) -> bytes:
    if size > len(data):
        raise ToileError(f"{file.name}: claims {size} bytes, more than the file holds")
    return data[:size]


def _coded(size: int) -> int:
    """Return how many letters of base64 hold so many bytes."""
    return (size + 2) // 3 * 4


def _decoded(text: bytes, file: _File) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ToileError(f"{file.name}: its data is not base64: export it again") from None
