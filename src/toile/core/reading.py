"""Reading files that come from outside: plain files only, and never more than a cap."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO

from toile.core.errors import ToileError


def open_plain(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading; folders, devices, pipes and sockets are refused, as they may never end.

    A pipe is opened without waiting for its writer, so that it can be refused at once.
    """
    name = os.fspath(path)
    try:
        handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise ToileError(f"cannot read {name}: no such file: check the name") from None
    except (OSError, ValueError) as error:
        raise ToileError(f"cannot read {name}: {reason(error)}") from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or pipe: save it as a file first"
        raise ToileError(f"cannot read {name}: it is not a file but {kind}")
    return os.fdopen(handle, "rb")


def read_plain(path: str | os.PathLike[str], limit: int, advice: str = "") -> bytes:
    """Return the content of a plain file of at most limit bytes; advice says what to do with a larger one."""
    with open_plain(path) as file:
        if os.fstat(file.fileno()).st_size <= limit:
            try:
                data = file.read(limit + 1)
            except OSError as error:
                raise ToileError(f"cannot read {os.fspath(path)}: {reason(error)}") from None
            if len(data) <= limit:
                return data
    size = f"{limit / 2**20:.0f} MB" if limit >= 2**20 else f"{limit} bytes"
    raise ToileError(f"{Path(path).name}: larger than {size}{': ' + advice if advice else ''}")


def reason(error: Exception) -> str:
    """Return why the system refused something, as one short line."""
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).split("\n")[0][:200]
