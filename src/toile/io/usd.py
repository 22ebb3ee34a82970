"""USD files: opened without following references, their axes and units; names that USD accepts."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.io.axes import Axes

MAX_BYTES = 1 << 30


def open_stage(path: str | os.PathLike[str]) -> Any:
    """Return the stage of a file that stands alone; one that refers to others is refused."""
    try:
        from pxr import Sdf, Tf, Usd
    except ImportError as error:
        raise ToileError(f"cannot read {path}: USD needs the extra: pip install 'toile[usd]'") from error
    if not os.path.isfile(path):
        raise ToileError(f"cannot read {path}: No such file")
    if os.path.getsize(path) > MAX_BYTES:
        raise ToileError(f"cannot read {path}: larger than {MAX_BYTES >> 20} MB")
    try:
        layer = Sdf.Layer.FindOrOpen(os.path.abspath(path))
    except Tf.ErrorException:
        layer = None
    if layer is None:
        raise ToileError(f"cannot read {path}: it is not a USD file, or damaged")
    # references, payloads, sublayers and clips would open further files
    if list(layer.GetCompositionAssetDependencies()) or _uses_clips(layer):
        raise ToileError(f"cannot read {path}: it refers to other files; flatten it into one first")
    return Usd.Stage.Open(layer)


def _uses_clips(layer: Any) -> bool:
    found = []
    layer.Traverse("/", lambda p: found.append(p) if p.IsPrimPath() else None)
    return any(layer.GetPrimAtPath(p).HasInfo("clips") for p in found if layer.GetPrimAtPath(p))


def axes_of(stage: Any, first: float = 1.0) -> Axes:
    """Return up axis and unit of a stage."""
    from pxr import UsdGeom

    metres = float(UsdGeom.GetStageMetersPerUnit(stage))
    return Axes(str(UsdGeom.GetStageUpAxis(stage)), metres if np.isfinite(metres) else 0.0, first)


def prim_name(name: str, taken: set[str]) -> str:
    """Return a name that USD accepts (letters, digits, underscores) and that is not taken yet."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "unnamed"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    unique, count = plain, 1
    while unique in taken:
        count += 1
        unique = f"{plain}_{count}"
    taken.add(unique)
    return unique
