"""Files that appear whole or not at all: written beside, flushed to the disk, renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from toile.core.errors import ToileError, one_line


@contextlib.contextmanager
def replacing_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield another name beside path, with the same suffix, for a library that writes files itself.

    When all went well, the file is flushed to the disk and takes the final name; else it is removed.
    A device or pipe of the final name is written into, not replaced.
    """
    final = Path(os.path.realpath(path))
    if final.is_dir():
        raise ToileError(f"cannot write {path}: it is a folder: name a file in it")
    if not final.parent.is_dir():
        raise ToileError(f"cannot write {path}: there is no folder {final.parent}")
    special = final.exists() and not final.is_file()
    beside = Path(tempfile.gettempdir()) if special else final.parent
    part = beside / f".{secrets.token_hex(6)}.part{final.suffix}"
    try:
        yield part
        if special:
            _pour(part, final)
            return
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, final)
        _flush_folder(final.parent)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ToileError(f"cannot write {path}: {one_line(error)}") from error
    except ToileError as error:
        # the temporary name is known to nobody else
        raise ToileError(str(error).replace(str(part), str(path))) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a binary file beside path that takes its name only when all went well and is on the disk."""
    with replacing_path(path) as part, open(part, "xb") as file:
        yield file
        file.flush()


def _pour(part: Path, final: Path) -> None:
    """Write a finished file into a device or pipe, which stays what it is."""
    with open(part, "rb") as source, open(final, "wb", buffering=0) as target:
        shutil.copyfileobj(source, target)


def flush(file: IO[bytes]) -> None:
    """Wait until a file's content is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    # makes the new name itself durable; not every system lets one open a folder
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
