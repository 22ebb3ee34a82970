"""Results for other programs: one writer per file suffix."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toile.errors import ToileError
from toile.export.alembic import write_alembic
from toile.export.film import write_gif, write_mp4
from toile.export.gltf_motion import write_glb
from toile.export.obj import write_obj
from toile.export.picture import picture_of
from toile.export.placed import placed
from toile.export.point_cache import write_point_cache
from toile.export.smooth import Smoothed
from toile.export.usd import write_usd
from toile.run.record import Replayable, opened, save_recording

EXPORTS: dict[str, Callable[..., object]] = {
    ".toile": save_recording,
    ".glb": write_glb,
    ".obj": write_obj,
    ".usd": write_usd,
    ".usdc": write_usd,
    ".usda": write_usd,
    ".usdz": write_usd,
    ".abc": write_alembic,
    ".pc2": write_point_cache,
    ".mdd": write_point_cache,
    ".png": picture_of,
    ".gif": write_gif,
    ".mp4": write_mp4,
}
"""suffix → function(recording, path, **options)"""
SAY_AXES = frozenset((".usd", ".usdc", ".usda", ".usdz"))
"""formats that tell their axes and units; the others are in metres, y up"""
AS_RECORDED = frozenset((".toile", ".png", ".gif", ".mp4"))
"""our own, and pictures: people stay where we had them"""


def export(recording: Replayable, path: str | os.PathLike[str], *, smooth: int = 0, **options: Any) -> None:
    """Write a recording in the format that the path's suffix names.

    smooth refines the cloth so many times as it is written (0: as it was simulated). An avatar that came
    from a file with its own clip goes back to the place it had there (USD: in that file's axes and units).
    """
    suffix = Path(path).suffix.lower()
    if suffix not in EXPORTS:
        raise ToileError(f"cannot write {path}: choose one of {', '.join(EXPORTS)}")
    with opened(recording) as source:
        shown = Smoothed(source, smooth) if smooth else source
        if suffix not in AS_RECORDED:
            shown = placed(shown, own_axes=suffix in SAY_AXES)
        EXPORTS[suffix](shown, path, **options)
