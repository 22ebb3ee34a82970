"""Results for other programs: one writer per file suffix."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from toile.core.bar import Heard, heard
from toile.core.errors import ToileError
from toile.core.work import tell
from toile.export.alembic import write_alembic
from toile.export.gltf_motion import write_glb
from toile.export.obj import write_obj, write_obj_sequence
from toile.export.page import write_page
from toile.export.playback import write_playback
from toile.export.point_cache import write_point_cache
from toile.export.usd import write_usd
from toile.render.film import Shot, write_gif, write_mp4, write_strip
from toile.render.picture import picture_of
from toile.render.smooth import Smoothed
from toile.store.clip import is_still
from toile.store.placed import placed
from toile.store.record import Frame, Replayable, Source, opened, save_recording, source_of


def write_pictures(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frame: int | None = None,
    frames: Sequence[int] | None = None,
    shot: Shot | None = None,
    **options: Any,
) -> None:
    """Write a PNG: a strip of what moves; one frame from two sides of what does not, or if one is chosen."""
    source = source_of(recording)
    if frame is None and not is_still(source):
        write_strip(source, path, frames=frames, shot=shot, **options)
        return
    views = {} if shot is None else {"views": (shot.view,)}
    picture_of(source, path, frame=-1 if frame is None else frame, **{**views, **options})


def write_objs(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frame: int | None = None,
    frames: Sequence[int] | None = None,
) -> list[Path] | None:
    """Write OBJ: NAME_0001.obj … if the recording moves; one NAME.obj if not, or if a frame is chosen."""
    source = source_of(recording)
    if frame is None and not is_still(source):
        return write_obj_sequence(source, path, frames=frames)
    write_obj(source, path, frame=-1 if frame is None else frame)
    return None


class Told:
    """A recording that tells how far it has been read: writers read frame after frame."""

    def __init__(self, source: Source, what: str) -> None:
        self._source, self._what = source, what
        self.garment, self.body, self.provenance = source.garment, source.body, source.provenance
        tell(what, 0.0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def __len__(self) -> int:
        return len(self._source)

    def frame(self, number: int) -> Frame:
        """Return one frame."""
        tell(self._what, (number + 0.5) / max(len(self), 1))
        return self._source.frame(number)

    def time(self, number: int) -> float:
        """Return when a frame is [s]."""
        return self._source.time(number)


EXPORTS: dict[str, Callable[..., object]] = {
    ".toile": save_recording,
    ".glb": write_glb,
    ".obj": write_objs,
    ".usd": write_usd,
    ".usdc": write_usd,
    ".usda": write_usd,
    ".usdz": write_usd,
    ".abc": write_alembic,
    ".pc2": write_point_cache,
    ".mdd": write_point_cache,
    ".png": write_pictures,
    ".gif": write_gif,
    ".mp4": write_mp4,
    ".play": write_playback,
    ".html": write_page,
    "": write_page,
}
"""suffix → function(recording, path, **options); no suffix: a folder"""
ENDINGS = ", ".join([*(suffix for suffix in EXPORTS if suffix), "or a folder/"])
"""what a path may end in, in words"""
SAY_AXES = frozenset((".usd", ".usdc", ".usda", ".usdz"))
"""formats that tell their axes and units; the others are in metres, y up"""
AS_RECORDED = frozenset((".toile", ".png", ".gif", ".mp4", ".play", ".html", ""))
"""our own, and pictures: people stay where we had them"""


def export(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    smooth: int = 0,
    progress: Heard | bool = True,
    **options: Any,
) -> list[Path]:
    """Write a recording in the format that the path's suffix names; return what was written.

    smooth refines the cloth so many times as it is written (0: as it was simulated). An avatar that came
    from a file with its own clip goes back to the place it had there (USD: in that file's axes and units).
    """
    suffix = Path(path).suffix.lower()
    if suffix not in EXPORTS:
        raise ToileError(f"cannot write {path}: choose one of {ENDINGS}")
    with heard(progress), opened(recording) as source:
        shown = Smoothed(source, smooth) if smooth else source
        if suffix != ".toile":
            shown = Told(shown, f"writing {Path(path).name}")
        # last: formats ask what is placed for its axes
        if suffix not in AS_RECORDED:
            shown = placed(shown, own_axes=suffix in SAY_AXES)
        written = EXPORTS[suffix](shown, path, **options)
    return written if isinstance(written, list) else [Path(path)]
