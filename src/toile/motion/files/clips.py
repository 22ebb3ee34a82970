"""Clips of avatars (GLB, VRM, USD) as motions."""

from __future__ import annotations

import os
from collections.abc import Mapping

from toile.body.avatar.read import clip_names, read_clip
from toile.core.errors import ToileError
from toile.core.records import Motion
from toile.motion.files.prepare import prepare_motion


def read_avatar_motion(
    path: str | os.PathLike[str], *, clip: str | int = 0, table: Mapping[str, str] | None = None
) -> Motion:
    """Return one clip of a file, by its number or name."""
    names, source = clip_names(path), os.path.basename(path)
    if not names:
        raise ToileError(f"{source}: has no animation; export it with its clips")
    if isinstance(clip, str):
        if clip not in names:
            raise ToileError(f"{source}: no clip '{clip}'; there are {', '.join(names)[:200]}")
        clip = names.index(clip)
    if not 0 <= clip < len(names):
        raise ToileError(f"{source}: no clip number {clip}; there are {len(names)}")
    return prepare_motion(read_clip(path, clip, table=table), unit=1.0)
