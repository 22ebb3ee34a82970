"""Who writes a file: one at a time, from the start of the work to its end, whatever becomes of the file."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from toile.core.errors import ToileError

_gate = threading.Lock()
_claims: dict[str, int] = {}
"""the handle of the lock file of each path that this process writes; -1 where the system has no locks"""


@contextlib.contextmanager
def claimed(path: str | os.PathLike[str]) -> Iterator[None]:
    """Refuse every other writer of a path, in this process and in others, until the block ends.

    The lock is on a hidden file beside the path, not on the file itself, which writers replace. The system
    drops it when the process ends, however it ends.
    """
    claim(path)
    try:
        yield
    finally:
        release(path)


def claim(path: str | os.PathLike[str]) -> None:
    """Begin to write a path."""
    final = os.path.realpath(path)
    with _gate:
        if final in _claims:
            raise _taken(path)
        _claims[final] = _lock(final, path)


def release(path: str | os.PathLike[str]) -> None:
    """End what claim began, from any thread."""
    final = os.path.realpath(path)
    with _gate:
        handle = _claims.pop(final)
        if handle >= 0:
            # removed while it is locked: whoever has opened this very file sees that it is gone
            with contextlib.suppress(OSError):
                _lock_file(final).unlink()
            os.close(handle)


def _lock_file(final: str) -> Path:
    path = Path(final)
    return path.with_name(f".{path.name}.lock")


def _lock(final: str, path: str | os.PathLike[str]) -> int:
    try:
        import fcntl
    except ImportError:  # not on this system: writers in this process are still told apart
        return -1
    name = _lock_file(final)
    while True:
        try:
            handle = os.open(name, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            raise ToileError(f"cannot write {path}: {error.strerror}") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise _taken(path) from None
        if _is_there(name, handle):
            return handle
        # its last owner has removed it since it was opened
        os.close(handle)


def _is_there(name: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(name), os.fstat(handle))
    except FileNotFoundError:
        return False


def _taken(path: str | os.PathLike[str]) -> ToileError:
    return ToileError(f"{path} is already being written: wait, stop it, or choose another name")
