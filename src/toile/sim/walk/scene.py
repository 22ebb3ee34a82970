"""A prepared scene as a file: all that the engine needs to go on with a walk, without Python.

The layout stands in engine/core/named_arrays.h, the names in engine/frame/scene_arrays.h.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from toile import _kernels
from toile.core.atomic import replacing_path
from toile.core.errors import ToileError
from toile.sim.walk.walker import Walker, scene_arrays

MAGIC, VERSION = b"TOILARRS", 1
_HEAD, _ENTRY, _NAME, _MOST_DIMENSIONS = 64, 112, 64, 4
_TYPES = {np.dtype(t): k for k, t in enumerate(("<i4", "<f8", "<f4", "<i2", "<u2", "u1"))}


def prepared_scene(walker: Walker) -> dict[str, Any]:
    """Return the arrays of a walk as it stands now; poses and pictures are other arrays beside them."""
    if not walker.plan.method.is_default:
        raise ToileError("a prepared scene takes the default solver and collider: walk with these")
    arrays = scene_arrays(walker.garment, walker.body, walker.plan)
    state = walker.state
    now = {"position": state.position, "velocity": state.velocity, "skin": walker.skin.vertices}
    return arrays | {f"start.{name}": values for name, values in now.items()}


def write_scene(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """Write arrays of whole or real numbers of any shape up to four dimensions."""
    with replacing_path(path) as beside:
        beside.write_bytes(scene_bytes(arrays))


def scene_bytes(arrays: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file of arrays."""
    at = _aligned(_HEAD + len(arrays) * _ENTRY)
    entries, parts = [], []
    for name, values in arrays.items():
        array = np.ascontiguousarray(values)
        if array.dtype not in _TYPES or not 1 <= array.ndim <= _MOST_DIMENSIONS or len(name) >= _NAME:
            raise ToileError(f"array {name} cannot be part of a scene: its type, shape or name is another's")
        shape = (*array.shape, *[1] * (_MOST_DIMENSIONS - array.ndim))
        entries.append(
            struct.pack("<64sII4QQ", name.encode("ascii"), _TYPES[array.dtype], array.ndim, *shape, at)
        )
        parts.append(array.tobytes() + bytes(_aligned(array.nbytes) - array.nbytes))
        at += len(parts[-1])
    table = b"".join(entries)
    body = table + bytes(_aligned(_HEAD + len(table)) - _HEAD - len(table)) + b"".join(parts)
    sum_ = _kernels.scene_checksum(np.frombuffer(body, np.uint8))
    return struct.pack("<8sIIQQ32x", MAGIC, VERSION, len(entries), _HEAD + len(body), sum_) + body


def _aligned(size: int) -> int:
    return -(-size // 64) * 64
