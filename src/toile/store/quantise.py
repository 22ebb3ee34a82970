"""Positions rounded to a grid and packed: smaller recordings with a known largest error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toile.core.container import Arrays
from toile.core.errors import ToileError
from toile.core.records import Floats


def checked_step(step: float) -> float:
    """Return a largest rounding error [m] that makes sense; refuses others."""
    if not 1e-7 <= step <= 0.01:
        raise ToileError(f"a rounding error of {step} m makes no sense: choose 0.0001 mm to 1 cm")
    return float(step)


def quantise(name: str, values: Floats, error: float) -> Arrays:
    """Return byte planes of the differences between neighbours in the list, on a grid of 2 · error."""
    grid = np.round(np.asarray(values) / (1.999 * error))
    if np.abs(grid).max(initial=0.0) > 2**29:
        raise ToileError(f"{name} is too far from the origin to be stored with an error of {error} m")
    change = np.zeros(grid.shape, np.int32)
    change[:1] = grid[:1]
    change[1:] = grid[1:] - grid[:-1]
    # zigzag: small changes of either sign become small numbers, so that the upper planes are all zero
    folded = ((change << 1) ^ (change >> 31)).astype(np.uint32)
    planes = np.ascontiguousarray(folded.T).view(np.uint8).reshape(3, -1, 4).transpose(2, 0, 1)
    return {f"{name}.planes": np.ascontiguousarray(planes)}


def dequantise(planes: NDArray[np.uint8], error: float) -> Floats:
    """Return the positions that quantise() stored."""
    if planes.dtype != np.uint8 or planes.ndim != 3 or planes.shape[:2] != (4, 3):
        raise ToileError("rounded positions have the wrong form")
    folded = np.ascontiguousarray(planes.transpose(1, 2, 0)).view("<u4")[..., 0].T
    change = (folded >> 1).astype(np.int32) ^ -(folded & 1).astype(np.int32)
    return np.cumsum(change, axis=0, dtype=np.int32).astype(np.float64) * (1.999 * error)
