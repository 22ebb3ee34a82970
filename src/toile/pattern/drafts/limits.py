"""Which style values make sense at all, and what is told where a body needs something else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from toile.core.errors import ToileError
from toile.core.units import cm

LENGTHS: Mapping[str, tuple[float, float]] = {
    "length": (-0.6, 2.0),
    "sleeves": (0.05, 1.2),
    "flare": (0.0, 8.0),
    "ease": (-0.25, 0.8),
    "sleeve_ease": (0.0, 0.4),
    "waist_ease": (-0.1, 0.5),
    "waistband": (0.01, 0.2),
    "neckline": (-0.02, 0.16),
    "straps": (0.015, 0.15),
    "collar": (0.01, 0.12),
    "placket": (0.01, 0.12),
    "hem": (0.0, 1.2),
    "rise": (-0.03, 0.25),
}
"""option → least and most that is still that garment [m]; a body may narrow it"""

NUMBERS: Mapping[str, tuple[float, float]] = {"pleats": (4, 200), "fullness": (0.3, 5.0)}
"""options that are no lengths: counts and ratios"""

SPECIAL: Mapping[tuple[str, str], tuple[float, float]] = {
    ("coat", "flare"): (0.0, 1.0),
    ("circle_skirt", "fullness"): (0.3, 1.0),
    ("pleated_skirt", "fullness"): (1.0, 5.0),
}
"""(draft, option) whose numbers mean something else there; a coat's flare is a slope"""


def is_length(draft: str, option: str) -> bool:
    """Return whether numbers of an option are lengths: they have a unit where people write them."""
    return option in LENGTHS and (draft, option) not in SPECIAL


def check_number(draft: str, option: str, value: float) -> None:
    """Refuse a number that is nonsense for anybody."""
    low, high = SPECIAL.get((draft, option)) or LENGTHS.get(option) or NUMBERS[option]
    if math.isfinite(value) and low <= value <= high:
        return
    if is_length(draft, option):
        wanted = f"is {cm(value)}, wanted {cm(low)} to {cm(high)}"
    else:
        wanted = f"is {value:g}, wanted {low:g} to {high:g}"
    raise ToileError(f"draft {draft}: {option} {wanted}")


def check_kind(draft: str, option: str, value: Any, default: Any) -> None:
    """Refuse a value that is neither a number nor, where the draft takes words, a word."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number and not (isinstance(value, str) and isinstance(default, str)):
        raise ToileError(f"draft {draft}: {option} is {value!r}, wanted something like {default!r}")


def wanted_between(option: str, value: float, low: float, high: float, why: str) -> float:
    """Return the length [m] if this body can have it; the error tells what it can have."""
    if low - 1e-9 <= value <= high + 1e-9:
        return value
    raise ToileError(f"{option}={value * 100:.4g}cm {why}: for this body {cm(low)} to {cm(high)}")
