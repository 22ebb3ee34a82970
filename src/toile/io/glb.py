"""GLB files (binary glTF 2.0), read and written.

Reading: nothing outside the file is opened, and sizes that a file claims are checked before memory is taken.
Writing: JSON and one binary block, put together from arrays.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import toile
from toile.core.container import replacing
from toile.core.errors import ToileError
from toile.core.reading import read_plain
from toile.core.records import Floats
from toile.io.axes import Axes

MAX_BYTES = 256 * 2**20
MAX_JSON = 32 * 2**20
MAX_ITEMS = 100_000
"""nodes, accessors, meshes … of each kind"""
MAX_ELEMENTS = 20_000_000
"""numbers in one accessor"""

_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_KNOWN_EXTENSIONS = frozenset(
    ("VRM", "VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint", "VRMC_materials_mtoon",
     "KHR_materials_unlit", "KHR_texture_transform", "KHR_mesh_quantization",
     "KHR_materials_emissive_strength")
)  # fmt: skip
_COMPONENT_OF_DTYPE = {
    np.dtype(np.int8): 5120,
    np.dtype(np.uint8): 5121,
    np.dtype(np.int16): 5122,
    np.dtype(np.uint16): 5123,
    np.dtype(np.uint32): 5125,
    np.dtype(np.float32): 5126,
}
_TYPE_OF_SHAPE = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}
VERTICES, INDICES = 34962, 34963
"""what a buffer view is for; None for animation"""


@dataclass(frozen=True, eq=False, slots=True)
class GlbFile:
    """A GLB file that was read."""

    name: str
    tree: dict[str, Any]
    """the JSON part"""
    data: bytes
    """the binary part"""
    axes: Axes = field(default_factory=lambda: Axes(first=0.0))
    """of the file it was read from; what is here is in metres, y up"""

    def items(self, kind: str) -> list[dict[str, Any]]:
        """Return nodes, meshes, skins, accessors …; an empty list where the file has none."""
        found = self.tree.get(kind, [])
        if (
            not isinstance(found, list)
            or len(found) > MAX_ITEMS
            or any(not isinstance(x, dict) for x in found)
        ):
            raise ToileError(f"{self.name}: '{kind}' is not a list of at most {MAX_ITEMS} objects")
        return found

    def item(self, kind: str, index: Any) -> dict[str, Any]:
        """Return one of them by its number."""
        found = self.items(kind)
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(found):
            raise ToileError(f"{self.name}: there is no {kind}[{str(index)[:20]}]")
        return found[index]


def read_glb(path: str | os.PathLike[str]) -> GlbFile:
    """Read a binary glTF 2 file (.glb, .vrm)."""
    path = Path(path)
    raw = read_plain(path, MAX_BYTES)
    if len(raw) < 20 or raw[:4] != b"glTF" or struct.unpack_from("<I", raw, 4)[0] != 2:
        raise ToileError(f"{path.name}: not a binary glTF 2 file (.glb)")
    chunks = _chunks(raw, path.name)
    if not chunks or chunks[0][0] != b"JSON" or len(chunks[0][1]) > MAX_JSON:
        raise ToileError(f"{path.name}: the first chunk is not JSON of at most {MAX_JSON // 2**20} MB")
    tree = _parse(chunks[0][1], path.name)
    unknown = set(_strings(tree.get("extensionsRequired", []))) - _KNOWN_EXTENSIONS
    if unknown:
        raise ToileError(
            f"{path.name}: needs the extension {sorted(unknown)[0][:60]}, which is not supported"
        )
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == b"BIN\x00" else b""
    return GlbFile(path.name, tree, binary)


def _chunks(raw: bytes, source: str) -> list[tuple[bytes, bytes]]:
    chunks: list[tuple[bytes, bytes]] = []
    at = 12
    while at + 8 <= len(raw) and len(chunks) < 8:
        size, kind = struct.unpack_from("<I4s", raw, at)
        if size > len(raw) - at - 8:
            raise ToileError(f"{source}: a chunk claims {size} bytes, but the file ends before")
        chunks.append((kind, raw[at + 8 : at + 8 + size]))
        at += 8 + size
    return chunks


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def _parse(text: bytes, source: str) -> dict[str, Any]:
    try:
        tree = json.loads(text.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ToileError(f"{source}: its JSON part is broken or nested too deeply") from error
    if not isinstance(tree, dict):
        raise ToileError(f"{source}: its JSON part is not an object")
    return tree


def _strings(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def whole(value: Any, what: str, source: str, low: int = 0, high: int = 2**31 - 1) -> int:
    """Return a whole number of the file, checked."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ToileError(f"{source}: {what} is {str(value)[:30]}, which cannot be")
    return value


def numbers(value: Any, count: int, what: str, source: str) -> Floats:
    """Return a list of that many finite numbers."""
    if (
        not isinstance(value, list)
        or len(value) != count
        or any(isinstance(x, bool) or not isinstance(x, int | float) for x in value)
    ):
        raise ToileError(f"{source}: {what} must be {count} numbers")
    array = np.array(value, dtype=np.float64)
    if not np.isfinite(array).all() or np.abs(array).max() > 1e9:
        raise ToileError(f"{source}: {what} holds infinite or absurd numbers")
    return array


def accessor(glb: GlbFile, index: Any) -> NDArray[Any]:
    """Return an accessor's values, (n,) or (n, width); normalised integers become 0 … 1."""
    entry = glb.item("accessors", index)
    source = f"{glb.name}: accessor {index}"
    kind, width = entry.get("componentType"), _WIDTHS.get(str(entry.get("type")))
    if not isinstance(kind, int) or kind not in _COMPONENTS or width is None:
        raise ToileError(f"{source}: unknown type {str(entry.get('type'))[:20]} / {str(kind)[:20]}")
    count = whole(entry.get("count"), "count", source, 0, MAX_ELEMENTS // width)
    number = np.dtype(_COMPONENTS[kind])
    if "sparse" in entry or "bufferView" not in entry:
        raise ToileError(f"{source}: sparse accessors are not supported; export without them")
    view = glb.item("bufferViews", entry["bufferView"])
    if view.get("buffer", 0) != 0 or "uri" in glb.item("buffers", 0):
        raise ToileError(f"{source}: data outside the file is never opened; export as one .glb")
    start = whole(view.get("byteOffset", 0), "byteOffset", source)
    length = whole(view.get("byteLength"), "byteLength", source)
    inside = whole(entry.get("byteOffset", 0), "byteOffset", source)
    stride = whole(view.get("byteStride", width * number.itemsize), "byteStride", source, 1, 65536)
    need = inside + (count - 1) * stride + width * number.itemsize if count else 0
    if need > length or start + length > len(glb.data):
        raise ToileError(f"{source}: claims {count} values, more than the file holds")
    values = np.ndarray(
        (count, width),
        dtype=number,
        buffer=glb.data,
        offset=start + inside,
        strides=(stride, number.itemsize),
    ).copy()
    if number.kind == "f" and not np.isfinite(values).all():
        raise ToileError(f"{source}: holds NaN or infinite numbers")
    if entry.get("normalized") and number.kind in "iu":
        values = np.maximum(values / np.iinfo(number).max, -1.0)
    return values[:, 0] if width == 1 else values


class GlbBuilder:
    """A glTF document under construction; every add returns the new thing's index."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"toile {toile.__version__}"},
            "scene": 0,
            "scenes": [{"nodes": []}],
        }
        self._blocks: list[bytes] = []
        self._length = 0
        self._textures: dict[str, int] = {}

    def add(self, kind: str, **content: Any) -> int:
        """Append to a list of the document (nodes, meshes, materials …)."""
        things: list[Any] = self.document.setdefault(kind, [])
        things.append({key: value for key, value in content.items() if value is not None})
        return len(things) - 1

    def use(self, extension: str, *, required: bool = False) -> None:
        """Declare an extension."""
        for key in ("extensionsUsed", "extensionsRequired")[: 1 + required]:
            names = self.document.setdefault(key, [])
            if extension not in names:
                names.append(extension)

    def root(self, node: int) -> None:
        """Put a node into the scene."""
        self.document["scenes"][0]["nodes"].append(node)

    def array(
        self,
        values: NDArray[Any],
        target: int | None = None,
        *,
        normalised: bool = False,
        bounds: bool = False,
        name: str | None = None,
    ) -> int:
        """Store an array as an accessor; rows of vertex data are padded to four bytes, as must be."""
        rows = np.ascontiguousarray(values)
        stride = None
        if target == VERTICES:
            rows, stride = _padded(rows)
        view = {"buffer": 0, "byteOffset": self._length, "byteLength": rows.nbytes}
        if target is not None:
            view["target"] = target
        if stride is not None:
            view["byteStride"] = stride
        self._append(rows.tobytes())
        low = high = None
        if bounds:
            low, high = (np.atleast_1d(f(values, axis=0)).tolist() for f in (np.min, np.max))
        return self.add(
            "accessors",
            name=name,
            bufferView=self.add("bufferViews", **view),
            componentType=_COMPONENT_OF_DTYPE[values.dtype],
            count=len(values),
            type=_TYPE_OF_SHAPE[values.shape[1:]],
            normalized=True if normalised else None,
            min=low,
            max=high,
        )

    def texture(self, name: str, draw: Callable[[], bytes]) -> int:
        """Return the repeating texture of that name; the first call stores the PNG that draw returns."""
        if name not in self._textures:
            block = draw()
            view = self.add("bufferViews", buffer=0, byteOffset=self._length, byteLength=len(block))
            self._append(block)
            image = self.add("images", name=name, mimeType="image/png", bufferView=view)
            if "samplers" not in self.document:
                # smooth when near, small copies when far, without a border
                self.add("samplers", magFilter=9729, minFilter=9987, wrapS=10497, wrapT=10497)
            self._textures[name] = self.add("textures", source=image, sampler=0)
        return self._textures[name]

    def _append(self, block: bytes) -> None:
        block += bytes(-len(block) % 4)
        self._blocks.append(block)
        self._length += len(block)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file, atomically."""
        if self._length + 4096 >= 2**32:
            raise ToileError(f"cannot write {path}: a GLB file ends at 4 GiB; export fewer frames")
        self.document["buffers"] = [{"byteLength": self._length}]
        text = json.dumps(self.document, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + self._length
        with replacing(path) as file:
            file.write(struct.pack("<4sII", b"glTF", 2, total))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", self._length, b"BIN\0"))
            for block in self._blocks:
                file.write(block)


def _padded(rows: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Return rows whose size is a multiple of four bytes, and that size."""
    flat = rows.reshape(len(rows), -1)
    size = flat.shape[1] * flat.itemsize
    extra = -size % 4 // flat.itemsize
    if extra:
        flat = np.hstack([flat, np.zeros((len(flat), extra), flat.dtype)])
    return flat, size + extra * flat.itemsize
