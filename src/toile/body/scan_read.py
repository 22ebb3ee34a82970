"""Triangle files (OBJ, PLY, STL, GLB) read with caps: nothing is allocated on a file's word alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toile.body.glb_read import accessor, read_glb
from toile.body.nodes import read_nodes, rest_matrices
from toile.errors import ToileError
from toile.types import Floats, Ints

MAX_BYTES = 128 * 2**20
MAX_VERTICES = 2_000_000
MAX_TRIANGLES = 2_000_000
MAX_CORNERS = 64
"""of one polygon"""

_PLY_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4",
    "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip


def read_triangles(path: str | os.PathLike[str]) -> tuple[Floats, Ints]:
    """Return the points (n, 3) in the file's own unit and the triangles (t, 3) of a file."""
    path = Path(path)
    reader = FORMATS.get(path.suffix.lower())
    if reader is None:
        raise ToileError(f"{path}: scans are read from {', '.join(FORMATS)}")
    try:
        points, triangles = reader(path)
    except OSError as error:
        raise ToileError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, IndexError, OverflowError) as error:
        raise ToileError(f"{path.name}: damaged ({str(error)[:60]}): export it again") from None
    return _checked(points, triangles, path.name)


def _checked(points: Floats, triangles: NDArray[np.int64], name: str) -> tuple[Floats, Ints]:
    if len(points) > MAX_VERTICES or len(triangles) > MAX_TRIANGLES:
        raise ToileError(f"{name}: too many points or triangles (2 million each): reduce the scan")
    if len(triangles) < 500:
        raise ToileError(f"{name}: {len(triangles)} triangles are too few for a scan of a person")
    if not np.isfinite(points).all() or np.abs(points).max() > 1e9:
        raise ToileError(f"{name}: holds NaN, infinite or absurd coordinates: export it again")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise ToileError(f"{name}: a triangle names a point that does not exist: export it again")
    return points, triangles.astype(np.int32)


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > MAX_BYTES:
        raise ToileError(f"{path.name}: larger than {MAX_BYTES >> 20} MB: reduce the scan")
    return path.read_bytes()


def _read_obj(path: Path) -> tuple[Floats, NDArray[np.int64]]:
    points: list[bytes] = []
    faces: list[tuple[int, int, int]] = []
    for line in _bytes(path).splitlines():
        if line.startswith(b"v "):
            points.extend(line.split(None, 4)[1:4])
        elif line.startswith(b"f "):
            corners = [
                int(c.partition(b"/")[0]) for c in line.split(None, MAX_CORNERS + 1)[1 : MAX_CORNERS + 1]
            ]
            corners = [c - 1 if c > 0 else c + len(points) // 3 for c in corners]
            faces.extend((corners[0], b, c) for b, c in pairwise(corners[1:]))
            if len(faces) > MAX_TRIANGLES:
                break
    return np.array(points, dtype=np.float64).reshape(-1, 3), _rows(faces)


def _rows(faces: list[tuple[int, int, int]]) -> NDArray[np.int64]:
    return np.array(faces, dtype=np.int64).reshape(-1, 3)


def _read_stl(path: Path) -> tuple[Floats, NDArray[np.int64]]:
    raw = _bytes(path)
    count = int.from_bytes(raw[80:84], "little")
    if len(raw) >= 84 and len(raw) == 84 + 50 * count:
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
        points = np.frombuffer(raw, record, count, 84)["corners"].astype(np.float64).reshape(-1, 3)
    elif raw[:5].lower() == b"solid":
        rows = [part.split(None, 3)[:3] for part in raw.split(b"vertex")[1 : 3 * MAX_TRIANGLES + 2]]
        points = np.array(rows, dtype=np.float64).reshape(-1, 3)
    else:
        raise ToileError(f"{path.name}: its length does not fit its {count} triangles: export it again")
    points = points[: len(points) // 3 * 3]
    return points, np.arange(len(points)).reshape(-1, 3)


Element = tuple[str, int, list[tuple[str, str, str]]]
"""name, count, properties (name, type, type of the count or empty)"""


def _read_ply(path: Path) -> tuple[Floats, NDArray[np.int64]]:
    raw = _bytes(path)
    end = raw.find(b"end_header", 0, 65536)
    if not raw.startswith(b"ply") or end < 0:
        raise ToileError(f"{path.name}: has no PLY header: export it again")
    order, elements = _ply_header(raw[:end].decode("ascii", "replace"), path.name)
    start = raw.index(b"\n", end) + 1
    reader = _PlyText(raw[start:]) if order == "ascii" else _PlyBinary(raw, start, order)
    points: Floats = np.zeros((0, 3))
    faces = _rows([])
    for name, count, properties in elements:
        if name == "vertex":
            points = reader.table(count, properties, path.name)
        elif name == "face" and len(properties) and properties[0][2]:
            return points, reader.lists(count, properties, path.name)
        else:
            raise ToileError(
                f"{path.name}: PLY part '{name[:20]}' is not known: export points and faces only"
            )
    return points, faces


def _ply_header(text: str, name: str) -> tuple[str, list[Element]]:
    order, elements = "", list[Element]()
    for line in text.splitlines()[1:200]:
        words = line.split()
        if words[:1] == ["format"]:
            order = {"ascii": "ascii", "binary_little_endian": "<", "binary_big_endian": ">"}.get(
                words[1], ""
            )
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"] and elements:
            kinds = [_PLY_TYPES.get(w) for w in words[1:-1] if w != "list"]
            if None in kinds:
                raise ToileError(f"{name}: unknown PLY type in '{line[:40]}'")
            elements[-1][2].append((words[-1], str(kinds[-1]), str(kinds[0]) if words[1] == "list" else ""))
    if not order:
        raise ToileError(f"{name}: unknown PLY format: export as binary or text")
    return order, elements


def _columns(properties: list[tuple[str, str, str]], name: str) -> list[int]:
    names = [p[0] for p in properties]
    if not {"x", "y", "z"} <= set(names) or any(p[2] for p in properties):
        raise ToileError(f"{name}: its points have no x, y, z")
    return [names.index(c) for c in "xyz"]


class _PlyText:
    """The body of a text PLY."""

    def __init__(self, raw: bytes) -> None:
        self.lines = raw.splitlines()

    def table(self, count: int, properties: list[tuple[str, str, str]], name: str) -> Floats:
        at = _columns(properties, name)
        if not 0 <= count <= len(self.lines):
            raise ToileError(f"{name}: claims {count} points, more than the file holds")
        rows = [line.split() for line in self.lines[:count]]
        self.lines = self.lines[count:]
        return np.array([[r[i] for i in at] for r in rows], dtype=np.float64).reshape(-1, 3)

    def lists(self, count: int, properties: list[tuple[str, str, str]], name: str) -> NDArray[np.int64]:
        if not 0 <= count <= len(self.lines):
            raise ToileError(f"{name}: claims {count} faces, more than the file holds")
        faces: list[tuple[int, int, int]] = []
        for line in self.lines[:count]:
            numbers = [int(float(w)) for w in line.split(None, MAX_CORNERS)[:MAX_CORNERS]]
            corners = numbers[1 : 1 + numbers[0]]
            faces.extend((corners[0], b, c) for b, c in pairwise(corners[1:]))
        return _rows(faces)


class _PlyBinary:
    """The body of a binary PLY."""

    def __init__(self, raw: bytes, start: int, order: str) -> None:
        self.raw, self.at, self.order = raw, start, order

    def _take(self, kinds: list[tuple[str, str]], count: int, name: str) -> NDArray[np.void]:
        record = np.dtype([(f"{i}{n}", self.order + k) for i, (n, k) in enumerate(kinds)])
        if not 0 <= count * record.itemsize <= len(self.raw) - self.at:
            raise ToileError(f"{name}: claims {count} items, more than the file holds")
        found = np.frombuffer(self.raw, record, count, self.at)
        self.at += count * record.itemsize
        return found

    def table(self, count: int, properties: list[tuple[str, str, str]], name: str) -> Floats:
        at = _columns(properties, name)
        found = self._take([(n, k) for n, k, _ in properties], count, name)
        return np.stack([found[f"{i}{properties[i][0]}"].astype(np.float64) for i in at], axis=1)

    def lists(self, count: int, properties: list[tuple[str, str, str]], name: str) -> NDArray[np.int64]:
        head = properties[0]
        kinds = [("n", head[2]), ("a", head[1]), ("b", head[1]), ("c", head[1])]
        kinds += [(n, k) for n, k, _ in properties[1:]]
        found = self._take(kinds, count, name)
        if (found["0n"] != 3).any() or any(p[2] for p in properties[1:]):
            raise ToileError(f"{name}: a binary PLY must hold triangles only: triangulate it")
        return np.stack([found[k].astype(np.int64) for k in ("1a", "2b", "3c")], axis=1)


def _read_glb(path: Path) -> tuple[Floats, NDArray[np.int64]]:
    glb = read_glb(path)
    nodes = read_nodes(glb)
    points, triangles, count = [np.zeros((0, 3))], [_rows([])], 0
    for node, world in zip(glb.items("nodes"), rest_matrices(nodes), strict=True):
        parts = glb.item("meshes", node["mesh"]).get("primitives", []) if "mesh" in node else []
        for part in parts:
            if part.get("mode", 4) != 4 or "POSITION" not in part.get("attributes", {}):
                continue
            place = np.asarray(accessor(glb, part["attributes"]["POSITION"]), dtype=np.float64).reshape(-1, 3)
            flat = accessor(glb, part["indices"]) if "indices" in part else np.arange(len(place))
            flat = np.asarray(flat, dtype=np.int64).ravel()
            triangles.append(count + flat[: len(flat) // 3 * 3].reshape(-1, 3))
            points.append(place @ world[:3, :3].T + world[:3, 3])
            count += len(place)
            if count > MAX_VERTICES:
                raise ToileError(f"{path.name}: more than {MAX_VERTICES} points: reduce the scan")
    return np.concatenate(points), np.concatenate(triangles)


FORMATS: dict[str, Callable[[Path], tuple[Floats, NDArray[np.int64]]]] = {
    ".obj": _read_obj,
    ".ply": _read_ply,
    ".stl": _read_stl,
    ".glb": _read_glb,
}
"""file ending → reader"""
