"""Arrays in records: their types, and the checks that are made of them once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toile.core.errors import ToileError

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]

STORED = "stored as"
"""key of a field's metadata: its name in files, where files were written before it got its present name"""


def as_floats(values: ArrayLike, *shape: int, name: str = "array") -> Floats:
    """Return a read-only float64 copy; -1 in shape means any size. NaN and infinity are refused."""
    array = np.array(values, dtype=np.float64, order="C")
    _check_shape(array, shape, name)
    if not np.isfinite(array).all():
        raise ToileError(f"{name} holds NaN or infinite numbers")
    array.setflags(write=False)
    return array


def as_ints(values: ArrayLike, *shape: int, name: str = "array") -> Ints:
    """Return a read-only int32 copy; -1 in shape means any size."""
    array = np.array(values, dtype=np.int32, order="C")
    _check_shape(array, shape, name)
    array.setflags(write=False)
    return array


def _check_shape(array: NDArray[Any], shape: tuple[int, ...], name: str) -> None:
    if array.ndim != len(shape) or any(
        want not in (-1, got) for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = ", ".join("any" if s == -1 else str(s) for s in shape)
        raise ToileError(f"{name} has shape {array.shape}, wanted ({wanted})")


def set_fields(record: object, **values: Any) -> None:
    """Store checked values in a frozen record from its __post_init__."""
    for key, value in values.items():
        object.__setattr__(record, key, value)


def as_kernel_arrays(arrays: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    """Return arrays of the two types that the engine reads by name (int32, float64), row by row."""
    found = {name: np.asarray(values) for name, values in arrays.items()}
    return {
        name: np.ascontiguousarray(values, np.float64 if values.dtype.kind == "f" else np.int32)
        for name, values in found.items()
    }
