"""The ``.toile`` file: named arrays and JSON, then any number of appended frames. See docs/file-format.md.

A file is a signature followed by chunks, each with its own length and checksums. It grows at its end
only: a reader may look at it while it is being written, and whatever was appended before a crash stays
readable. Nothing in a file is ever executed, and no size in it is used before it is compared with
the bytes that are really there.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from toile.core.atomic import flush
from toile.core.atomic import replacing as replacing
from toile.core.atomic import replacing_path as replacing_path
from toile.core.claims import claim, release
from toile.core.errors import ToileError, one_line
from toile.core.reading import open_plain

Array: TypeAlias = NDArray[Any]
Arrays: TypeAlias = dict[str, Array]
Meta: TypeAlias = dict[str, Any]

SIGNATURE = b"\x89TOILE\r\n"
VERSION = 1
_FILE_HEADER = struct.Struct("<8sII")  # signature, version, 0
_CHUNK_HEADER = struct.Struct("<4s4sQIII")  # mark, kind, payload bytes, payload crc, number, crc of the rest
_MARK = b"TCNK"
_KINDS = (b"HEAD", b"FRAM", b"DONE")
_ALIGN = 16
_TYPE_CODES = ("?", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
_DTYPES = {np.dtype(code).str: np.dtype(code) for code in _TYPE_CODES}
_LIMIT_JSON = 64 << 20
_LIMIT_DIMENSIONS = 8
_DEFLATE_RATIO = 1100  # deflate never packs better than 1032:1


# ---------------------------------------------------------------------------- one record: arrays + JSON


def _pack(arrays: Mapping[str, Array], meta: Mapping[str, Any], deflate: bool) -> bytes:
    """Return length of the JSON, JSON, then the arrays' bytes."""
    table: dict[str, Any] = {}
    blocks: list[bytes] = []
    offset = 0
    for name, values in arrays.items():
        array = np.asarray(values)
        dtype = array.dtype.newbyteorder("<") if array.dtype.byteorder == ">" else array.dtype
        if dtype.str not in _DTYPES:
            raise ToileError(f"array '{name}' of type {array.dtype} cannot be stored")
        # not ascontiguousarray: it would turn a number (shape ()) into a list of one
        block = np.asarray(array, dtype=dtype, order="C").tobytes()
        if deflate:
            block = zlib.compress(block, 1)
        table[name] = {"type": dtype.str, "shape": list(array.shape), "at": offset, "bytes": len(block)}
        if deflate:
            table[name]["deflate"] = True
        block += bytes(-len(block) % _ALIGN)
        offset += len(block)
        blocks.append(block)
    try:
        text = json.dumps({"arrays": table, "meta": meta}, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise ToileError(f"the description cannot be stored as JSON: {error}") from error
    text += b" " * (-(len(text) + 8) % _ALIGN)
    return struct.pack("<Q", len(text)) + text + b"".join(blocks)


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse_constant(text)


def _unpack(payload: bytes, where: str) -> tuple[Arrays, Meta]:
    """Return the arrays (read-only views of the payload where possible) and the JSON."""
    try:
        (length,) = struct.unpack_from("<Q", payload)
        if length > min(_LIMIT_JSON, len(payload) - 8):
            raise ValueError("its description is longer than the chunk")
        text = payload[8 : 8 + length].decode()
        content = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
        meta, table = content["meta"], content["arrays"]
        if not isinstance(meta, dict) or not isinstance(table, dict):
            raise ValueError("its description has the wrong form")
        body = memoryview(payload)[8 + length :]
        return {name: _array(body, entry, name) for name, entry in table.items()}, meta
    except (ValueError, KeyError, TypeError, RecursionError, struct.error, zlib.error) as error:
        raise ToileError(f"{where} cannot be read: {one_line(error)}") from error


def _array(body: memoryview, entry: Any, name: str) -> Array:
    dtype = _DTYPES.get(entry["type"])
    shape, at, size = entry["shape"], entry["at"], entry["bytes"]
    numbers = [at, size, *shape]
    if dtype is None:
        raise ValueError(f"array '{name}' has an unknown type")
    if len(shape) > _LIMIT_DIMENSIONS or any(type(n) is not int or n < 0 for n in numbers):
        raise ValueError(f"array '{name}' has an impossible shape")
    if at + size > len(body):
        raise ValueError(f"array '{name}' is longer than the chunk")
    wanted = math.prod(shape) * dtype.itemsize
    packed = entry.get("deflate", False)
    # every size is compared with the bytes at hand before memory is asked for
    if wanted > (size * _DEFLATE_RATIO if packed else size) or (not packed and wanted != size):
        raise ValueError(f"array '{name}' claims {wanted} bytes but has {size}")
    block = body[at : at + size]
    data = _inflate(block, wanted, name) if packed else block
    array = np.frombuffer(data, dtype=dtype).reshape(shape)
    array.setflags(write=False)
    return array


def _inflate(block: memoryview, wanted: int, name: str) -> bytes:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(block, wanted) if wanted else b""
    if len(data) != wanted or unpacker.decompress(unpacker.unconsumed_tail, 1):
        raise ValueError(f"array '{name}' does not unpack to {wanted} bytes")
    return data


# ---------------------------------------------------------------------------- chunks


@dataclass(frozen=True, slots=True)
class _Chunk:
    kind: bytes
    number: int
    start: int
    """where the payload begins"""
    length: int
    crc: int

    @property
    def end(self) -> int:
        return self.start + self.length + -self.length % _ALIGN


def _chunk_header(kind: bytes, number: int, payload: bytes) -> bytes:
    head = _CHUNK_HEADER.pack(_MARK, kind, len(payload), zlib.crc32(payload), number, 0)[:-4]
    return head + struct.pack("<I", zlib.crc32(head)) + bytes(-_CHUNK_HEADER.size % _ALIGN)


_HEADER_BYTES = _CHUNK_HEADER.size + -_CHUNK_HEADER.size % _ALIGN


def _chunk_bytes(kind: bytes, number: int, payload: bytes) -> bytes:
    return _chunk_header(kind, number, payload) + payload + bytes(-len(payload) % _ALIGN)


def _parse_header(raw: bytes, position: int) -> _Chunk | None:
    """Return the chunk that starts at position, or None when these bytes are no whole, valid header."""
    if len(raw) < _HEADER_BYTES:
        return None
    mark, kind, length, crc, number, own = _CHUNK_HEADER.unpack_from(raw)
    if mark != _MARK or kind not in _KINDS or zlib.crc32(raw[: _CHUNK_HEADER.size - 4]) != own:
        return None
    return _Chunk(kind, number, position + _HEADER_BYTES, length, crc)


def _scan(file: IO[bytes], position: int) -> tuple[list[_Chunk], int, bool]:
    """Return the chunks from position on that are wholly there, where they end, and whether any is torn.

    A chunk that runs past the end of the file is one still being written (or cut off); after a damaged
    header the search goes on at the next valid one.
    """
    size = os.fstat(file.fileno()).st_size
    chunks: list[_Chunk] = []
    damaged = False
    while position + _HEADER_BYTES <= size:
        file.seek(position)
        chunk = _parse_header(file.read(_HEADER_BYTES), position)
        if chunk is None:
            found = _next_header(file, position + 1, size)
            if found is None:
                break
            damaged, position = True, found
            continue
        if chunk.end > size:
            break
        chunks.append(chunk)
        position = chunk.end
    return chunks, position, damaged


def _next_header(file: IO[bytes], position: int, size: int) -> int | None:
    """Return where the next valid chunk header starts at or after position."""
    block_size = 1 << 20
    while position < size:
        file.seek(position)
        block = file.read(block_size + _HEADER_BYTES)
        at = block.find(_MARK)
        while at != -1:
            chunk = _parse_header(block[at : at + _HEADER_BYTES], position + at)
            if chunk is not None and chunk.end <= size:
                return position + at
            at = block.find(_MARK, at + 1)
        position += block_size
    return None


def _check_signature(file: IO[bytes], path: str) -> None:
    raw = file.read(_FILE_HEADER.size)
    if len(raw) < _FILE_HEADER.size or not raw.startswith(SIGNATURE):
        raise ToileError(f"{path} is not a .toile file")
    version = _FILE_HEADER.unpack(raw)[1]
    if version != VERSION:
        raise ToileError(f"{path} has file version {version}; this program reads version {VERSION}")


# ---------------------------------------------------------------------------- writing


def save(
    path: str | os.PathLike[str],
    arrays: Mapping[str, Array],
    meta: Mapping[str, Any],
    *,
    deflate: bool = True,
) -> None:
    """Write named arrays and JSON as one finished ``.toile`` file, or leave the old file as it was."""
    payload = _pack(arrays, meta, deflate)
    with replacing(path) as file:
        file.write(_FILE_HEADER.pack(SIGNATURE, VERSION, 0))
        file.write(_chunk_bytes(b"HEAD", 0, payload))
        file.write(_chunk_bytes(b"DONE", 0, b""))


class Writer:
    """Appends frames to a ``.toile`` file. Readers see whole frames only, whenever the writer ends."""

    def __init__(self, file: IO[bytes], path: str, frame_count: int) -> None:
        self._file = file
        self._path = path
        self.frame_count = frame_count
        """frames in the file so far; the next one gets this number"""

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        arrays: Mapping[str, Array],
        meta: Mapping[str, Any],
        *,
        deflate: bool = True,
    ) -> Writer:
        """Start a file: the final name appears together with its whole first chunk."""
        payload = _pack(arrays, meta, deflate)
        _refuse_special(path)
        # another writer of the same name is refused before its file could be replaced
        claim(path)
        try:
            with replacing(path) as file:
                file.write(_FILE_HEADER.pack(SIGNATURE, VERSION, 0))
                file.write(_chunk_bytes(b"HEAD", 0, payload))
            return cls(*_cut(os.fspath(path), None))
        except BaseException:
            release(path)
            raise

    @classmethod
    def resume(cls, path: str | os.PathLike[str], *, frame_count: int | None = None) -> Writer:
        """Go on after the last whole frame, or after the first frame_count frames.

        A torn tail and the mark of completion are cut off, as is everything from the first damaged
        frame on: what follows it was computed from data that can no longer be checked.
        """
        claim(path)
        try:
            return cls(*_cut(os.fspath(path), frame_count))
        except BaseException:
            release(path)
            raise

    def append(
        self, arrays: Mapping[str, Array], meta: Mapping[str, Any] | None = None, *, deflate: bool = False
    ) -> None:
        """Add one frame; readers see it when this returns."""
        chunk = _chunk_bytes(b"FRAM", self.frame_count, _pack(arrays, meta or {}, deflate))
        self._write(chunk)
        self.frame_count += 1

    def _write(self, chunk: bytes) -> None:
        start = self._file.tell()
        try:
            self._file.write(chunk)
            self._file.flush()
        except OSError as error:
            # a full disk: cut the incomplete frame off so that the file ends with a whole one
            with contextlib.suppress(OSError):
                self._file.truncate(start)
            raise ToileError(f"cannot write {self._path}: {error.strerror or error}") from error

    def sync(self) -> None:
        """Wait until all frames are on the disk (survives a power cut, not only a crash)."""
        flush(self._file)

    def close(self, *, done: bool = True) -> None:
        """Close the file; done marks it as finished."""
        if self._file.closed:
            return
        try:
            if done:
                self._write(_chunk_bytes(b"DONE", self.frame_count, b""))
            self.sync()
        finally:
            self._file.close()
            release(self._path)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(done=kind is None)


def _cut(name: str, frame_count: int | None) -> tuple[IO[bytes], str, int]:
    """Open a file at the end of its sound frames, at most frame_count, and cut off what follows."""
    with Reader(name) as reader:
        keep = reader.sound_count if frame_count is None else min(frame_count, reader.sound_count)
        end = reader.frame_end(keep)
    try:
        file = open(name, "r+b")  # noqa: SIM115 - closed by Writer.close()
    except OSError as error:
        raise ToileError(f"cannot write {name}: {error.strerror}") from error
    try:
        file.truncate(end)
        file.seek(end)
    except BaseException:
        file.close()
        raise
    return file, name, keep


def _refuse_special(path: str | os.PathLike[str]) -> None:
    """Refuse a device or a pipe: frames are appended to a recording and read again."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ToileError(f"cannot write {path}: a recording needs a plain file, not a folder, device or pipe")


# ---------------------------------------------------------------------------- reading


class Reader:
    """Random access to the frames of a ``.toile`` file, also while it is being written."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file = open_plain(path)
        try:
            self._open()
        except BaseException:
            self._file.close()
            raise

    def _open(self) -> None:
        _check_signature(self._file, self.path)
        self._frames: dict[int, _Chunk] = {}
        self._end = _FILE_HEADER.size
        self._first = self._end
        self._count = 0
        self.complete = False
        """the writer finished the file"""
        self.damaged = False
        """some bytes between chunks make no sense"""
        head: _Chunk | None = None
        chunks, self._end, self.damaged = _scan(self._file, self._end)
        if chunks and chunks[0].kind == b"HEAD":
            head = chunks[0]
        if head is None:
            raise ToileError(f"{self.path} is cut short or damaged: its first chunk cannot be read")
        self._first = head.end
        self.arrays, self.meta = _unpack(self._payload(head, "its first chunk"), self.path)
        self._take(chunks[1:])

    def _take(self, chunks: list[_Chunk]) -> None:
        for chunk in chunks:
            self.complete = chunk.kind == b"DONE"
            self._count = max(self._count, chunk.number + (chunk.kind == b"FRAM"))
            if chunk.kind == b"FRAM":
                self._frames[chunk.number] = chunk

    def _payload(self, chunk: _Chunk, what: str) -> bytes:
        self._file.seek(chunk.start)
        payload = self._file.read(chunk.length)
        if len(payload) != chunk.length or zlib.crc32(payload) != chunk.crc:
            raise ToileError(f"{self.path}: {what} is damaged (checksum differs)")
        return payload

    def refresh(self) -> int:
        """Look for frames that were appended since; return the number of frames."""
        chunks, self._end, damaged = _scan(self._file, self._end)
        self.damaged |= damaged
        self._take(chunks)
        return len(self)

    def __len__(self) -> int:
        """Return how many frames were written, damaged ones included."""
        return self._count

    def frame(self, number: int) -> tuple[Arrays, Meta]:
        """Return one frame's arrays and JSON; an error names the frame when it is damaged or missing."""
        chunk = self._frames.get(number)
        if chunk is None:
            why = "is damaged (its header cannot be read)" if 0 <= number < len(self) else "does not exist"
            raise ToileError(f"{self.path}: frame {number} {why}; there are {len(self)} frames")
        return _unpack(self._payload(chunk, f"frame {number}"), f"{self.path}: frame {number}")

    def is_sound(self, number: int) -> bool:
        """Return whether a frame is there and its checksum is right."""
        try:
            self._payload(self._frames[number], "")
        except (KeyError, ToileError):
            return False
        return True

    @property
    def sound_count(self) -> int:
        """Number of undamaged frames from the start, without a gap."""
        return next((n for n in range(len(self)) if not self.is_sound(n)), len(self))

    def frame_end(self, count: int) -> int:
        """Return the file position after the first count frames."""
        return self._first if count == 0 else self._frames[count - 1].end

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def load(path: str | os.PathLike[str]) -> tuple[Arrays, Meta]:
    """Return the named arrays (read-only) and the JSON of a ``.toile`` file, without its frames."""
    with Reader(path) as reader:
        if not reader.complete and len(reader) == 0:
            raise ToileError(f"{reader.path} is cut short: its end is missing")
        return reader.arrays, reader.meta
