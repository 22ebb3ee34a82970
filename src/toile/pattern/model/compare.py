"""Whether two patterns are the same, exactly or within a tolerance."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from toile.core.records import Pattern


def differences(a: Pattern, b: Pattern, *, tolerance: float = 0.0) -> list[str]:
    """Return where two patterns differ, one line each; lengths and numbers may differ by tolerance [m]."""
    return _differ(a, b, "pattern", tolerance)


def same_pattern(a: Pattern, b: Pattern, *, tolerance: float = 0.0) -> bool:
    """Return whether two patterns hold the same pieces, seams, holds and placements."""
    return not differences(a, b, tolerance=tolerance)


def _differ(a: Any, b: Any, where: str, tolerance: float) -> list[str]:
    if is_dataclass(a) and type(a) is type(b):
        return [
            line
            for f in fields(a)
            for line in _differ(getattr(a, f.name), getattr(b, f.name), f"{where}.{f.name}", tolerance)
        ]
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return [f"{where}: {len(a)} against {len(b)}"]
        pairs = zip(a, b, strict=True)
        return [line for i, (x, y) in enumerate(pairs) for line in _differ(x, y, f"{where}[{i}]", tolerance)]
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        same = a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance))
    elif isinstance(a, float) and isinstance(b, float):
        same = abs(a - b) <= tolerance
    else:
        same = a == b
    return [] if same else [f"{where}: {a!r} against {b!r}"]
