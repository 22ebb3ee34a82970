"""Colours that are easy to tell apart, equally bright (OKLCH, Ottosson 2020)."""

from __future__ import annotations

import math

import numpy as np

_LMS_FROM_LAB = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_RGB_FROM_LMS = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def colour(lightness: float, chroma: float, hue: float) -> str:
    """Return #rrggbb for lightness 0 … 1, chroma and hue [turns]."""
    lab = [lightness, chroma * math.cos(math.tau * hue), chroma * math.sin(math.tau * hue)]
    linear = np.clip(_RGB_FROM_LMS @ (_LMS_FROM_LAB @ lab) ** 3, 0.0, 1.0)
    display = np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear)
    return "#" + "".join(f"{round(float(v) * 255):02x}" for v in display)


def seam_colour(index: int) -> str:
    """Return a strong colour for a seam; neighbours differ by the golden angle."""
    return colour((0.55, 0.62, 0.48)[index % 3], 0.15, (0.04 + index * 0.61803) % 1.0)


def panel_colour(index: int) -> str:
    """Return a pale colour for a piece of cloth."""
    return colour(0.945, 0.022, (0.15 + index * 0.61803) % 1.0)
