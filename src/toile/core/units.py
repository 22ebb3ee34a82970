"""Lengths at the file border: cm, mm, inches, feet → metres. Inside the program everything is SI."""

import math
import re

from toile.core.errors import ToileError

METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "inch": 0.0254, '"': 0.0254, "″": 0.0254,
          "ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "'": 0.3048, "′": 0.3048}  # fmt: skip
_NUMBER = r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
_LENGTH = re.compile(rf"^\s*{_NUMBER}\s*([a-zA-Z\"'″′]*)\s*$")
_FEET_AND_INCHES = re.compile(rf"^\s*{_NUMBER}\s*(ft|foot|feet|'|′)\s*{_NUMBER}\s*(in|inch|\"|″|'')?\s*$")


def parse_length(text: str, *, default_unit: str = "cm") -> float:
    """Return metres for a text such as ``1.5cm``, ``15 mm``, ``5ft 7in``; a bare number has default_unit."""
    both = _FEET_AND_INCHES.match(text)
    if both:
        feet, inches = float(both.group(1)), float(both.group(3))
        if math.isfinite(feet) and 0.0 <= inches < 12.0:
            return math.copysign(abs(feet) * METRES["ft"] + inches * METRES["in"], feet)
    match = _LENGTH.match(text)
    unit = match.group(2) or default_unit if match else ""
    value = float(match.group(1)) if match else math.nan
    if unit not in METRES or not math.isfinite(value):
        raise ToileError(f"'{text}' is not a length: write a number and mm, cm, m, in or ft, such as 1.5cm")
    return value * METRES[unit]


def cm(metres: float) -> str:
    """Return a length for people: centimetres with one decimal."""
    return f"{metres * 100:.1f} cm"


def is_length(text: str) -> bool:
    """Return whether a text is a number with a unit of length, such as 60cm or 5ft 7in."""
    match = _LENGTH.match(text)
    return bool(_FEET_AND_INCHES.match(text)) or (match is not None and match.group(2) in METRES)


def has_no_unit(text: str) -> bool:
    """Return whether a text is a bare number."""
    match = _LENGTH.match(text)
    return match is not None and not match.group(2)
