"""Reading files that come from outside: plain files only, never more than a cap, and once in a job."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path

from toile.core.errors import ToileError, one_line

KEPT_BYTES = 32 << 20
"""larger files are not kept in memory, but read again"""
_Key = tuple[str, int, int, int]
_KEPT: ContextVar[dict[_Key, bytes] | None] = ContextVar("kept", default=None)


@contextmanager
def files_read_once() -> Iterator[None]:
    """Inside this block a file is read once, unless it changes: its bytes are kept until the end."""
    if _KEPT.get() is not None:
        yield
        return
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def open_plain(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a file for reading; folders, devices, pipes and sockets are refused, as they may never end.

    A pipe is opened without waiting for its writer, so that it can be refused at once.
    """
    name = os.fspath(path)
    try:
        handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise ToileError(f"cannot read {name}: no such file: check the name") from None
    except (OSError, ValueError) as error:
        raise ToileError(f"cannot read {name}: {one_line(error)}") from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or pipe: save it as a file first"
        raise ToileError(f"cannot read {name}: it is not a file but {kind}")
    return os.fdopen(handle, "rb")


def read_plain(path: str | os.PathLike[str], limit: int, advice: str = "") -> bytes:
    """Return the content of a plain file of at most limit bytes; advice says what to do with a larger one."""
    kept = _KEPT.get()
    known = None if kept is None else kept.get(_key(path))
    if known is not None and len(known) <= limit:
        return known
    with open_plain(path) as file:
        status = os.fstat(file.fileno())
        if status.st_size <= limit:
            try:
                data = file.read(limit + 1)
            except OSError as error:
                raise ToileError(f"cannot read {os.fspath(path)}: {one_line(error)}") from None
            if kept is not None and len(data) == status.st_size <= KEPT_BYTES:
                kept[_identity(path, status)] = data
            if len(data) <= limit:
                return data
    size = f"{limit / 2**20:.0f} MB" if limit >= 2**20 else f"{limit} bytes"
    raise ToileError(f"{Path(path).name}: larger than {size}{': ' + advice if advice else ''}")


def checksum(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a plain file's content."""
    if _key(path)[2] <= KEPT_BYTES:
        return hashlib.sha256(read_plain(path, KEPT_BYTES)).hexdigest()
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _key(path: str | os.PathLike[str]) -> _Key:
    try:
        return _identity(path, os.stat(path))
    except (OSError, ValueError):
        return ("", 0, 0, 0)


def _identity(path: str | os.PathLike[str], status: os.stat_result) -> _Key:
    return os.path.abspath(path), status.st_ino, status.st_size, status.st_mtime_ns
