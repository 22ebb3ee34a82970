"""The part of a recording that is exported: which frames, and when."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats
from toile.io.axes import Axes
from toile.store.placed import Placed
from toile.store.record import Source


@dataclass(frozen=True, eq=False, slots=True)
class Clip:
    """Which frames are exported, and when."""

    source: Source
    numbers: tuple[int, ...]
    times: Floats
    """from 0 [s], (f,)"""

    @property
    def fps(self) -> float:
        """Frames per second: the usual step, 24 for a single frame."""
        if len(self.times) < 2:
            return 24.0
        rate = 1.0 / float(np.median(np.diff(self.times)))
        # 29.97 is not 30
        return float(round(rate)) if abs(rate - round(rate)) < 2e-4 * rate else rate

    @property
    def axes(self) -> Axes:
        """What its numbers mean: metres, y up, or what the file has that an avatar came from."""
        return self.source.axes if isinstance(self.source, Placed) else Axes()


def is_still(source: Source) -> bool:
    """Return whether a recording shows one state: one frame, or two to tell that it is at rest."""
    return len(source) <= 2


def clip_of(source: Source, frames: Sequence[int] | None) -> Clip:
    """Return the chosen frames with times that start at 0 and increase.

    By default all frames, or the last one when the recording is still.
    """
    everything = range(len(source))[-1:] if is_still(source) else range(len(source))
    numbers = tuple(everything if frames is None else frames)
    if not numbers:
        raise ToileError("nothing to export: the recording has no frames")
    times = np.array([source.time(n) for n in numbers])
    times = times - times[0]
    if len(times) > 1 and (np.diff(times) <= 0).any():
        bad = int(np.flatnonzero(np.diff(times) <= 0)[0]) + 1
        raise ToileError(f"cannot export: frame {numbers[bad]} is not later than the frame before it")
    return Clip(source, numbers, times)


def closed(clip: Clip) -> Clip:
    """Return a loop with its first frame once more at its end, where programs that play keys go round."""
    if not clip.source.provenance.loop or len(clip.numbers) < 3:
        return clip
    times = np.append(clip.times, clip.times[-1] + 1.0 / clip.fps)
    return Clip(clip.source, (*clip.numbers, clip.numbers[0]), times)


def require_space(path: str | os.PathLike[str], size: int) -> None:
    """Refuse to start a file of about that many bytes where there is no room for it.

    The room is taken for a moment, which also tells a quota or a limit on the size of files: libraries that
    write files themselves may end the whole process when they meet one.
    """
    final = Path(path).resolve()
    if not final.parent.is_dir():
        return
    need = int(1.05 * size) + 4096
    room = f"there is no room for about {size / 1e6:.1f} MB"
    if shutil.disk_usage(final.parent).free < need:
        raise ToileError(f"cannot write {path}: {room}")
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        with tempfile.TemporaryFile(dir=final.parent, prefix=".toile") as file:
            os.posix_fallocate(file.fileno(), 0, need)
    except OSError as error:
        # some file systems cannot take room in advance
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
            raise ToileError(f"cannot write {path}: {room} ({error.strerror})") from error


def point_bytes(clip: Clip, *, normals: bool = False) -> int:
    """Return the size of all frames' points as 32-bit numbers, and of the faces."""
    garment, body = clip.source.garment, clip.source.body
    count = garment.particle_count + (0 if body is None else len(body.vertices))
    # corners, texture coordinates and sets of the faces are written once
    faces = len(garment.triangles) + (0 if body is None else len(body.triangles))
    return 12 * count * len(clip.numbers) * (1 + normals) + 64 * faces
