"""The GLB container: JSON and one binary block, put together from arrays. Facts: glTF 2.0 specification."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

import toile
from toile.core.container import replacing
from toile.core.errors import ToileError

_COMPONENT = {
    np.dtype(np.int8): 5120,
    np.dtype(np.uint8): 5121,
    np.dtype(np.int16): 5122,
    np.dtype(np.uint16): 5123,
    np.dtype(np.uint32): 5125,
    np.dtype(np.float32): 5126,
}
_SHAPE = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}
VERTICES, INDICES = 34962, 34963
"""what a buffer view is for; None for animation"""


class Glb:
    """A glTF document under construction; every add returns the new thing's index."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"toile {toile.__version__}"},
            "scene": 0,
            "scenes": [{"nodes": []}],
        }
        self._blocks: list[bytes] = []
        self._length = 0

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
            componentType=_COMPONENT[values.dtype],
            count=len(values),
            type=_SHAPE[values.shape[1:]],
            normalized=True if normalised else None,
            min=low,
            max=high,
        )

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
