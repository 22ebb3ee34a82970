"""Colours as the pages write them, in the numbers that light is computed with."""

from __future__ import annotations

import numpy as np


def linear(colour: str) -> tuple[float, float, float]:
    """Return #rrggbb as linear RGB."""
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    low, high = values / 12.92, ((values + 0.055) / 1.055) ** 2.4
    red, green, blue = (float(v) for v in np.where(values <= 0.04045, low, high))
    return red, green, blue
