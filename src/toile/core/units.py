"""Lengths at the file border: cm, mm, inch → metres. Inside the program everything is SI."""

import math
import re

from toile.core.errors import ToileError

METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "inch": 0.0254, '"': 0.0254}

_LENGTH = re.compile(r"^\s*([-+0-9.eE]+)\s*([a-zA-Z\"]*)\s*$")


def parse_length(text: str, *, default_unit: str = "cm") -> float:
    """Return metres for a text such as ``1.5cm``, ``15 mm``, ``0.6in``; a bare number is in default_unit."""
    match = _LENGTH.match(text)
    unit = match.group(2) or default_unit if match else ""
    try:
        value = float(match.group(1)) if match else math.nan
    except ValueError:
        value = math.nan
    if unit not in METRES or not math.isfinite(value):
        raise ToileError(f"'{text}' is not a length: write a number and mm, cm, m or in, such as 1.5cm")
    return value * METRES[unit]


def cm(metres: float) -> str:
    """Return a length for people: centimetres with one decimal."""
    return f"{metres * 100:.1f} cm"


def is_length(text: str) -> bool:
    """Return whether a text is a number with a unit of length, such as 60cm."""
    match = _LENGTH.match(text)
    return match is not None and match.group(2) in METRES
