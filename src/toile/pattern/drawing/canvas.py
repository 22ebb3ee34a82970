"""A flat drawing of lines, discs and words, written as SVG or painted as PNG."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from toile.core.records import Floats

_OVERSAMPLE = 3
PNG_LIMIT = 6000
"""largest side of a picture [px]"""


@dataclass(frozen=True, slots=True)
class Line:
    """A polyline or polygon."""

    points: Floats
    """[px], y down, (k, 2)"""
    stroke: str = ""
    width: float = 1.0
    fill: str = ""
    closed: bool = False
    dash: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str = ""
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text, centred on (x, y) or starting there."""

    x: float
    y: float
    text: str
    size: float
    colour: str = "#222222"
    bold: bool = False
    anchor: str = "middle"
    """middle or start"""


@dataclass(slots=True)
class Canvas:
    """Shapes in painting order on a page [px]."""

    width: float
    height: float
    background: str = "#faf8f4"
    shapes: list[Line | Disc | Words] = field(default_factory=list)


def text_width(text: str, size: float) -> float:
    """Return the width of a line of text [px]."""
    return float(_font(64).getlength(text)) * size / 64.0


# ---------------------------------------------------------------------------- SVG


def to_svg(canvas: Canvas) -> str:
    """Return the drawing as an SVG document."""
    width, height = f"{canvas.width:.0f}", f"{canvas.height:.0f}"
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" '
        'font-family="Helvetica, Arial, sans-serif" stroke-linejoin="round" stroke-linecap="round">',
        f'<rect width="100%" height="100%" fill="{canvas.background}"/>',
    ]
    rows += [_svg_shape(shape) for shape in canvas.shapes]
    return "\n".join([*rows, "</svg>", ""])


def _svg_shape(shape: Line | Disc | Words) -> str:
    if isinstance(shape, Disc):
        return (
            f'<circle cx="{shape.x:.2f}" cy="{shape.y:.2f}" r="{shape.radius:.2f}" '
            f'fill="{shape.fill}"{_svg_stroke(shape.stroke, shape.width)}/>'
        )
    if isinstance(shape, Words):
        weight = ' font-weight="bold"' if shape.bold else ""
        return (
            f'<text x="{shape.x:.2f}" y="{shape.y + 0.35 * shape.size:.2f}" font-size="{shape.size:.2f}" '
            f'fill="{shape.colour}" text-anchor="{shape.anchor}"{weight}>{escape(shape.text)}</text>'
        )
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in shape.points)
    dash = f' stroke-dasharray="{shape.dash[0]:.1f} {shape.dash[1]:.1f}"' if shape.dash else ""
    tag = "polygon" if shape.closed else "polyline"
    stroke = _svg_stroke(shape.stroke, shape.width)
    return f'<{tag} points="{points}" fill="{shape.fill or "none"}"{stroke}{dash}/>'


def _svg_stroke(colour: str, width: float) -> str:
    return f' stroke="{colour}" stroke-width="{width:.2f}"' if colour else ""


# ---------------------------------------------------------------------------- PNG


def to_png(canvas: Canvas) -> bytes:
    """Return the drawing as PNG bytes, smoothed by painting larger and shrinking."""
    scale = min(_OVERSAMPLE, PNG_LIMIT * _OVERSAMPLE / max(canvas.width, canvas.height))
    size = (round(canvas.width * scale), round(canvas.height * scale))
    image = Image.new("RGB", size, canvas.background)
    pen = ImageDraw.Draw(image)
    for shape in canvas.shapes:
        _paint(pen, shape, scale)
    small = (max(1, round(size[0] / _OVERSAMPLE)), max(1, round(size[1] / _OVERSAMPLE)))
    file = io.BytesIO()
    image.resize(small, Image.Resampling.BOX).save(file, "PNG", optimize=True)
    return file.getvalue()


def _paint(pen: ImageDraw.ImageDraw, shape: Line | Disc | Words, scale: float) -> None:
    if isinstance(shape, Disc):
        x, y, r = shape.x * scale, shape.y * scale, shape.radius * scale
        outline = shape.stroke or None
        width = max(1, round(shape.width * scale)) if outline else 0
        pen.ellipse((x - r, y - r, x + r, y + r), fill=shape.fill, outline=outline, width=width)
    elif isinstance(shape, Words):
        _paint_words(pen, shape, scale)
    else:
        _paint_line(pen, shape, scale)


def _paint_words(pen: ImageDraw.ImageDraw, words: Words, scale: float) -> None:
    size = max(4, round(words.size * scale))
    # the anchor is the middle of capital letters, as in the SVG
    x, y = words.x * scale, (words.y + 0.35 * words.size) * scale
    stroke = size / 40.0 if words.bold else 0
    # Pillow's own font has no multiplication sign
    anchor = "ms" if words.anchor == "middle" else "ls"
    pen.text(
        (x, y), words.text.replace("×", "x"), words.colour, _font(size), anchor=anchor, stroke_width=stroke
    )


def _paint_line(pen: ImageDraw.ImageDraw, line: Line, scale: float) -> None:
    points = line.points * scale
    if line.fill and len(points) > 2:
        pen.polygon([(float(x), float(y)) for x, y in points], fill=line.fill)
    if not line.stroke:
        return
    if line.closed:
        points = np.vstack([points, points[:1]])
    width = line.width * scale
    parts = _dashes(points, line.dash[0] * scale, line.dash[1] * scale) if line.dash else [points]
    for part in parts:
        pen.line([(float(x), float(y)) for x, y in part], fill=line.stroke, width=max(1, round(width)))
        if width > 3:  # round joints and ends
            for x, y in part:
                r = width / 2.0 - 0.5
                pen.ellipse((x - r, y - r, x + r, y + r), fill=line.stroke)


def _dashes(points: Floats, on: float, off: float) -> list[Floats]:
    steps = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    count = min(math.ceil(steps[-1] / (on + off)), 2000)
    parts = []
    for k in range(count):
        low, high = k * (on + off), min(k * (on + off) + on, steps[-1])
        at = np.concatenate([[low], steps[(steps > low) & (steps < high)], [high]])
        parts.append(np.stack([np.interp(at, steps, points[:, c]) for c in (0, 1)], axis=1))
    return parts


@lru_cache(maxsize=64)
def _font(size: int) -> Any:
    """Return the font that comes with Pillow."""
    return ImageFont.load_default(size)
