"""Files for the page: named arrays in checked blocks, small and quick to read in a browser.

A file is one gzip stream of ``TOILEWEB``, a version and blocks; a block is a kind, a length, a checksum and
JSON followed by arrays, so that a page shows the first block while the others are still on their way. Whole
numbers and rounded ones are stored as differences between rows, folded to be positive and split into byte
planes, which is what lets gzip find little to store. docs/scene-file.md describes the bytes.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toile.core.errors import ToileError

SIGNATURE = b"TOILEWEB"
VERSION = 1
MOST_BYTES = 512 << 20
"""unpacked; larger files are refused"""
_BLOCK = struct.Struct("<4sII")
_TYPES = {"u1": np.uint8, "u2": np.uint16, "i4": np.int32, "f4": np.float32, "f8": np.float64}


@dataclass(frozen=True, eq=False, slots=True)
class Rounded:
    """Numbers on a grid: value = whole · step."""

    values: NDArray[Any]
    step: float


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """One block of a file."""

    kind: str
    """four letters"""
    arrays: Mapping[str, NDArray[Any] | Rounded]
    meta: Mapping[str, Any] = field(default_factory=dict)


def pack_blocks(blocks: Iterable[Block]) -> bytes:
    """Return the file; the same blocks give the same bytes."""
    return b"".join(packed(blocks))


def packed(blocks: Iterable[Block]) -> Iterator[bytes]:
    """Yield the file in parts, each as soon as its block is there: a page can read so far."""
    tool = zlib.compressobj(9, zlib.DEFLATED, 31)
    yield tool.compress(SIGNATURE + struct.pack("<I", VERSION))
    for block in blocks:
        payload = _payload(block)
        kind = block.kind.encode()
        head = _BLOCK.pack(kind, len(payload), zlib.crc32(kind + payload))
        yield tool.compress(head + payload) + tool.flush(zlib.Z_SYNC_FLUSH)
    yield tool.compress(_BLOCK.pack(b"DONE", 0, zlib.crc32(b"DONE"))) + tool.flush()


def _payload(block: Block) -> bytes:
    entries, parts, at = [], [], 0
    for name, values in block.arrays.items():
        entry, data = _encode(values)
        entries.append({"name": name, "at": at, **entry})
        parts.append(data + bytes(-len(data) % 8))
        at += len(parts[-1])
    about = json.dumps({"arrays": entries, "meta": dict(block.meta)}, separators=(",", ":")).encode()
    about += b" " * (-(len(about) + 4) % 8)
    return struct.pack("<I", len(about)) + about + b"".join(parts)


def _encode(values: NDArray[Any] | Rounded) -> tuple[dict[str, Any], bytes]:
    if isinstance(values, Rounded):
        whole = np.round(np.asarray(values.values, np.float64) / values.step)
        if np.abs(whole).max(initial=0.0) > 2**29:
            raise ToileError(
                f"{np.abs(values.values).max():g} is too large to be stored in steps of {values.step:g}"
            )
        entry = {"type": "f4", "shape": list(whole.shape), "codec": "delta", "step": values.step}
        return entry, _differences(whole.astype(np.int32))
    if values.dtype == np.int32:
        return {"type": "i4", "shape": list(values.shape), "codec": "delta"}, _differences(values)
    name = next((n for n, kind in _TYPES.items() if values.dtype == kind), None)
    if name is None:
        raise ToileError(f"arrays of {values.dtype} cannot be stored for a page")
    entry = {"type": name, "shape": list(values.shape), "codec": "planes"}
    return entry, _planes(np.ascontiguousarray(values))


def _differences(whole: NDArray[np.int32]) -> bytes:
    """Return the byte planes of differences between rows; modulo 2³², so that nothing overflows."""
    rows = whole.reshape(len(whole), int(np.prod(whole.shape[1:])))
    change = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.int32))
    folded = ((change << 1) ^ (change >> 31)).astype(np.uint32)
    # column by column: neighbours in a column are alike
    return _planes(np.ascontiguousarray(folded.T))


def _planes(values: NDArray[Any]) -> bytes:
    size = values.dtype.itemsize
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return little.reshape(-1).view(np.uint8).reshape(-1, size).T.tobytes()


# ---------------------------------------------------------------------------- reading


def unpack_blocks(data: bytes) -> list[Block]:
    """Return the blocks of a file, checked; a ToileError says what is wrong with it."""
    content = _inflated(data)
    if content[:8] != SIGNATURE:
        raise ToileError("this is no file for Toile's page: its first bytes are wrong")
    (version,) = struct.unpack_from("<I", content.ljust(12, b"\0"), 8)
    if version != VERSION:
        raise ToileError(f"a page file of version {version}: this program reads version {VERSION}")
    blocks: list[Block] = []
    at = 12
    while True:
        if at + _BLOCK.size > len(content):
            raise ToileError("the page file is cut short")
        kind, length, crc = _BLOCK.unpack_from(content, at)
        at += _BLOCK.size
        payload = content[at : at + length]
        if len(payload) != length or zlib.crc32(kind + payload) != crc:
            raise ToileError(f"the page file is damaged in block {len(blocks)}")
        if kind == b"DONE":
            return blocks
        blocks.append(_block(kind.decode("latin-1"), payload))
        at += length


def _inflated(data: bytes) -> bytes:
    tool = zlib.decompressobj(31)
    try:
        content = tool.decompress(data, MOST_BYTES)
    except zlib.error as error:
        raise ToileError(f"the page file cannot be unpacked: {error}") from error
    if tool.unconsumed_tail:
        raise ToileError(f"the page file holds more than {MOST_BYTES >> 20} MB")
    return content


def _block(kind: str, payload: bytes) -> Block:
    try:
        (length,) = struct.unpack_from("<I", payload)
        about = json.loads(payload[4 : 4 + length])
        data = payload[4 + length :]
        arrays = {str(entry["name"]): _decode(entry, data) for entry in about["arrays"]}
        return Block(kind, arrays, dict(about["meta"]))
    except (KeyError, TypeError, ValueError, struct.error, RecursionError) as error:
        raise ToileError(f"the page file's block {kind} makes no sense: {error}") from error


def _decode(entry: Mapping[str, Any], data: bytes) -> NDArray[Any]:
    shape = tuple(int(n) for n in entry["shape"])
    kind = np.dtype(np.uint32 if entry["codec"] == "delta" else _TYPES[entry["type"]])
    count = int(np.prod([max(n, 0) for n in shape], dtype=object))
    at, size = int(entry["at"]), count * kind.itemsize
    if min(shape, default=0) < 0 or at < 0 or at + size > len(data):
        raise ValueError(f"array {entry['name']} is larger than its block")
    planes = np.frombuffer(data, np.uint8, size, at).reshape(kind.itemsize, -1)
    values = np.ascontiguousarray(planes.T).view(kind.newbyteorder("<")).reshape(-1)
    if entry["codec"] != "delta":
        return values.reshape(shape)
    folded = values.reshape(int(np.prod(shape[1:])), shape[0]).T
    change = (folded >> 1).astype(np.int32) ^ -(folded & 1).astype(np.int32)
    whole = np.cumsum(change, axis=0, dtype=np.int32).reshape(shape)
    return whole if entry["type"] == "i4" else whole * float(entry["step"])
