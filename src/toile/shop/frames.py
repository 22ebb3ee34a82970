"""Messages between the server and its workers: JSON with some bytes behind it, over pipes. No pickle."""

from __future__ import annotations

import json
import struct
from typing import IO, Any

from toile.core.errors import ToileError

_HEAD = struct.Struct("<II")
LARGEST_TEXT = 64_000_000
LARGEST_BYTES = 256_000_000


def write_frame(pipe: IO[bytes], content: dict[str, Any], data: bytes = b"") -> None:
    """Send one message."""
    text = json.dumps(content).encode()
    pipe.write(_HEAD.pack(len(text), len(data)) + text + data)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    """Return the next message; EOFError: the other side is gone."""
    text_size, data_size = _HEAD.unpack(_exactly(pipe, _HEAD.size))
    if text_size > LARGEST_TEXT or data_size > LARGEST_BYTES:
        raise ToileError("a worker's message is too large")
    content = json.loads(_exactly(pipe, text_size))
    if not isinstance(content, dict):
        raise ToileError("a worker's message is no object")
    return content, _exactly(pipe, data_size)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size) if size else b""
    if len(data) != size:
        raise EOFError
    return data
