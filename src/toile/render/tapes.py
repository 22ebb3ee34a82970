"""A picture of where a body was measured: tapes and ways as coloured bands on the skin, with lengths."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from toile.body.measure.measures import MeasureLine, measure_lines
from toile.core.container import replacing
from toile.core.records import Body, Floats, PosedBody
from toile.render.camera import frame_views, natural_width
from toile.render.picture import Mesh, Studio, as_bytes, body_mesh, render_views

BAND = 0.0028
"""half the thickness of a drawn tape [m]"""
SIDES = 6
GIRTH, LENGTH = (0.62, 0.05, 0.07), (0.03, 0.20, 0.50)
"""linear RGB of closed tapes and of open ways"""
SHOWN = (
    "neck", "bust", "underbust", "waist", "hips", "thigh", "calf", "upper_arm", "wrist", "arm_length",
    "back_length", "front_length", "shoulder_width",
)  # fmt: skip
BEHIND = ("back_length", "shoulder_width")
"""measures that are told in the view from behind"""


def tape_mesh(line: MeasureLine) -> Mesh:
    """Return a measured line as a thin tube."""
    points = _dense(np.concatenate([line.points, line.points[:1]]) if line.closed else line.points)
    along = np.gradient(points, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    helper = np.where(np.abs(along[:, 1:2]) < 0.8, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
    u = np.cross(along, helper)
    u /= np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-12)
    v = np.cross(along, u)
    angle = np.arange(SIDES) * 2 * np.pi / SIDES
    around = np.cos(angle)[:, None, None] * u + np.sin(angle)[:, None, None] * v
    vertices = (points + BAND * around).transpose(1, 0, 2).reshape(-1, 3)
    i, s = np.meshgrid(np.arange(len(points) - 1), np.arange(SIDES), indexing="ij")
    a, b = (i * SIDES + s).ravel(), (i * SIDES + (s + 1) % SIDES).ravel()
    triangles = np.concatenate([np.stack([a, b, a + SIDES], 1), np.stack([b, b + SIDES, a + SIDES], 1)])
    colour = np.array(GIRTH if line.closed else LENGTH)
    return Mesh(line.name, vertices, triangles.astype(np.int32), colour)


def _dense(points: Floats, step: float = 0.006) -> Floats:
    """Return the polyline with points at most a step apart."""
    length = np.linalg.norm(np.diff(points, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(length)])
    wanted = np.linspace(0.0, at[-1], max(int(at[-1] / step), 2) + 1)
    return np.stack([np.interp(wanted, at, points[:, axis]) for axis in range(3)], axis=1)


def measure_picture(
    body: Body,
    path: str | os.PathLike[str],
    *,
    posed: PosedBody | None = None,
    views: Sequence[str | float] = ("front", "back"),
    height: int = 1200,
    studio: Studio | None = None,
) -> None:
    """Write a PNG of the body with its tapes, each with its name and length in centimetres.

    posed: how it stands in the picture; it was measured in its rest pose.
    """
    picture = measure_picture_image(body, posed=posed, views=views, height=height, studio=studio)
    with replacing(path) as file:
        picture.save(file, format="PNG")


def measure_picture_image(
    body: Body,
    *,
    posed: PosedBody | None = None,
    views: Sequence[str | float] = ("front", "back"),
    height: int = 1200,
    studio: Studio | None = None,
) -> Image.Image:
    """Return the picture that measure_picture writes."""
    skin = body.vertices if posed is None else posed.vertices
    lines = [line.on(skin) for line in measure_lines(body) if line.name in SHOWN]
    meshes = [body_mesh(body, skin), *(tape_mesh(line) for line in lines)]
    width = natural_width(skin, views, height)
    picture = Image.fromarray(
        as_bytes(render_views(meshes, views=views, width=width, height=height, studio=studio))
    )
    _label(picture, body, lines, meshes, views)
    return picture


def _label(
    picture: Image.Image,
    body: Body,
    lines: list[MeasureLine],
    meshes: list[Mesh],
    views: Sequence[str | float],
) -> None:
    """Write names and centimetres beside the lines, left limbs to the right of the first view."""
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=max(picture.height // 60, 10))
    points = np.concatenate([m.vertices for m in meshes])
    start = 0
    taken: list[tuple[float, float, float, float]] = []
    for number, (camera, columns) in enumerate(frame_views(points, views, picture.width, picture.height)):
        for line in sorted(lines, key=lambda one: -one.points[:, 1].mean()):
            if (line.name in BEHIND) != (number > 0):
                continue
            place, _ = camera.project(line.points, columns, picture.height)
            right = place[int(np.argmax(place[:, 0]))]
            text = f"{line.name.replace('_', ' ')} {body.measurements[line.name] * 100:.1f}"
            box = _free_place(draw, font, text, start + right[0] + 8, right[1], taken, start + columns)
            draw.text(box, text, fill=(40, 40, 40), font=font, anchor="lm")
        start += columns


def _free_place(
    draw: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    text: str,
    x: float,
    y: float,
    taken: list[tuple[float, float, float, float]],
    limit: int,
) -> tuple[float, float]:
    """Return where a text can stand without touching another: moved down as far as needed."""
    while True:
        left, top, right, bottom = draw.textbbox((x, y), text, font=font, anchor="lm")
        over = right - limit + 4
        if over > 0:
            x, left, right = x - over, left - over, right - over
        clash = [t for t in taken if left < t[2] and right > t[0] and top < t[3] and bottom > t[1]]
        if not clash:
            taken.append((left, top, right, bottom))
            return x, y
        y += max(t[3] for t in clash) - top + 2
