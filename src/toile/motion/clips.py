"""Clips of avatars (GLB, VRM) as motions."""

from __future__ import annotations

import os
from collections.abc import Mapping

from toile.body.avatar import read_clips
from toile.errors import ToileError
from toile.motion.source import finish
from toile.types import Motion


def read_glb_motion(
    path: str | os.PathLike[str], *, clip: str | int = 0, table: Mapping[str, str] | None = None
) -> Motion:
    """Return one clip of a file, by its number or name."""
    clips = read_clips(path, table=table)
    name = os.path.basename(path)
    if not clips:
        raise ToileError(f"{name}: has no animation; export it with its clips")
    if isinstance(clip, str):
        chosen = [motion for motion in clips if motion.name == clip]
        if not chosen:
            raise ToileError(f"{name}: no clip '{clip}'; there are {', '.join(m.name for m in clips)[:200]}")
        return finish(chosen[0], unit=1.0, table=table)
    if not 0 <= clip < len(clips):
        raise ToileError(f"{name}: no clip number {clip}; there are {len(clips)}")
    return finish(clips[clip], unit=1.0, table=table)
