"""From linear light to pixels in a file."""

from __future__ import annotations

import os

import numpy as np
from PIL import Image

from toile.core.container import replacing
from toile.geometry.raster import Floats32


def tone(colour: Floats32) -> Floats32:
    """Return colours that never clip: linear when dark, rolling off towards white."""
    rolled: Floats32 = colour * (1 + colour / np.float32(5)) / (1 + colour * np.float32(0.6))
    return rolled


def to_srgb(linear: Floats32) -> Floats32:
    """Return linear values from 0 to 1 as sRGB (IEC 61966-2-1)."""
    x = np.clip(linear, 0, 1)
    encoded: Floats32 = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** np.float32(1 / 2.4) - 0.055)
    return encoded


def as_bytes(picture: Floats32) -> np.ndarray:
    """Return 8-bit values of an sRGB picture."""
    return np.round(np.clip(picture, 0, 1) * 255).astype(np.uint8)


def write_png(path: str | os.PathLike[str], picture: Floats32) -> None:
    """Write an sRGB picture (h, w, 3), atomically."""
    with replacing(path) as file:
        Image.fromarray(as_bytes(picture)).save(file, format="PNG")
