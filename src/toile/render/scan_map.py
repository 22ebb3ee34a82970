"""A picture of how well a scan was fitted: the skin coloured by its distance to the scan, with a scale."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from toile.body.scan.reconstruct import ScanFit
from toile.core.container import replacing
from toile.core.records import Floats
from toile.render.camera import natural_width
from toile.render.picture import Mesh, as_bytes, render_views
from toile.render.tapes import measure_picture_image

MOST = 0.005
"""distance that gets the strongest colour [m]"""
SHADES = np.array(
    [[0.03, 0.10, 0.50], [0.20, 0.42, 0.68], [0.60, 0.60, 0.57], [0.78, 0.36, 0.10], [0.52, 0.03, 0.03]]
)
"""linear RGB from 5 mm inside the skin to 5 mm outside"""
HOLE = np.array([0.16, 0.16, 0.16])
"""linear RGB where the scan has nothing"""


def gap_colours(gap: Floats) -> Floats:
    """Return the colour of each distance [m], linear RGB, (n, 3)."""
    at = np.clip(np.nan_to_num(gap) / MOST, -1.0, 1.0)
    places = np.linspace(-1.0, 1.0, len(SHADES))
    colour = np.stack([np.interp(at, places, SHADES[:, c]) for c in range(3)], axis=1)
    return np.where(np.isnan(gap)[:, None], HOLE, colour)


def scan_map(
    fit: ScanFit, height: int = 1200, views: Sequence[str | float] = ("front", "back")
) -> Image.Image:
    """Return the fitted skin as the person stood, coloured by its distance to the scan."""
    colour = gap_colours(fit.gap)[fit.body.triangles].mean(axis=1)
    mesh = Mesh("skin", fit.posed, fit.body.triangles, colour, cloth=False)
    width = natural_width(fit.posed, views, height)
    picture = Image.fromarray(as_bytes(render_views([mesh], views=views, width=width, height=height)))
    _scale(picture, fit)
    return picture


def scan_picture(fit: ScanFit, path: str | os.PathLike[str], height: int = 1200) -> None:
    """Write a PNG: where the person was measured, and beside it how far the scan lies from the skin."""
    left, right = measure_picture_image(fit.body, height=height), scan_map(fit, height)
    both = Image.new("RGB", (left.width + right.width, height))
    both.paste(left, (0, 0))
    both.paste(right, (left.width, 0))
    with replacing(path) as file:
        both.save(file, format="PNG")


def _scale(picture: Image.Image, fit: ScanFit) -> None:
    """Draw what the colours mean, and the numbers."""
    draw, unit = ImageDraw.Draw(picture), picture.height / 60
    font = ImageFont.load_default(size=max(int(unit), 10))
    step = picture.width / 3 / 40
    for i in range(40):
        shade = gap_colours(np.array([(i - 19.5) / 19.5 * MOST]))[0] ** (1 / 2.2) * 255
        x = picture.width / 3 + i * step
        draw.rectangle((x, unit, x + step, 2 * unit), fill=tuple(int(v) for v in shade))
    middle = picture.width / 2
    texts = ((-1, "5 mm inside"), (0, "on the scan"), (1, "5 mm outside"))
    for side, text in texts:
        draw.text((middle + side * 16 * step, 2.8 * unit), text, (40, 40, 40), font, anchor="mm")
    mean, high = fit.mean_error * 1000, fit.high_error * 1000
    line = f"scan to skin: mean {mean:.1f} mm, 95 % {high:.1f} mm; dark: no scan there"
    draw.text((middle, 4.2 * unit), line, (40, 40, 40), font, anchor="mm")
