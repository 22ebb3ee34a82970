"""Colours and prints of garments as our renderer and the recordings take them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from toile.core.records import Body, Garment, Ints
from toile.geometry.raster import Floats32
from toile.shop.tasks.colours import linear
from toile.shop.tasks.mannequin import UNDERLAYER, hair_colours, underlayer

Printer = Callable[[Floats32], Floats32]
"""places in the flat pieces [m], (p, 2) → linear colours, (p, 3)"""


def printer(way: dict[str, Any], folder: Path) -> Printer | None:
    """Return how a colourway paints cloth; None: plain."""
    kind, repeat = way.get("print", "plain"), float(way.get("repeat", 0.02))
    ground = np.array(linear(way["colour"]), np.float32)
    second = np.array(linear(way.get("second") or way["colour"]), np.float32)
    if kind == "image" and way.get("image_url"):
        return _image(folder / f"{way['image_url'].rpartition('/')[2].partition('.')[0]}.png", repeat)
    shares: dict[str, Callable[[Floats32], Floats32]] = {
        "stripes": _stripes,
        "dots": _dots,
        "checks": _checks,
    }
    if kind not in shares:
        return None
    share = shares[kind]

    def paint(place: Floats32) -> Floats32:
        mixed: Floats32 = ground + share(place / np.float32(repeat))[:, None] * (second - ground)
        return mixed

    return paint


def _stripes(place: Floats32) -> Floats32:
    """Stripes along the weft, a third of their distance wide; their borders are soft by a few pixels."""
    return _band(place[:, 1], 0.34)


def _checks(place: Floats32) -> Floats32:
    mixed: Floats32 = np.float32(0.5) * (_band(place[:, 0], 0.5) + _band(place[:, 1], 0.5))
    return mixed


def _dots(place: Floats32) -> Floats32:
    # every second row is shifted by half a repeat
    row = np.floor(place[:, 1] * 2)
    across = (place[:, 0] + 0.5 * (row % 2)) % 1.0 - 0.5
    up = (place[:, 1] * 2 - row - 0.5) * 0.5
    far = np.sqrt(across**2 + up**2)
    share: Floats32 = np.clip((0.17 - far) / 0.03, 0.0, 1.0).astype(np.float32)
    return share


def _band(along: Floats32, width: float) -> Floats32:
    off = np.abs(along % 1.0 - 0.5)
    share: Floats32 = np.clip((0.5 * width - off) / 0.06 + 0.5, 0.0, 1.0).astype(np.float32)
    return share


def _image(path: Path, repeat: float) -> Printer:
    with Image.open(path) as file:
        pixels = np.asarray(file.convert("RGB"), dtype=np.float32) / 255.0
    colours = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4).astype(
        np.float32
    )
    height, width = colours.shape[:2]

    def paint(place: Floats32) -> Floats32:
        scale = width / repeat
        x = np.floor(place[:, 0] * scale).astype(np.int64) % width
        y = np.floor(-place[:, 1] * scale).astype(np.int64) % height
        found: Floats32 = colours[y, x]
        return found

    return paint


def painted(
    garment: Garment, body: Body, printers: list[Printer | None], first: int
) -> Callable[..., Floats32]:
    """Return the paint of a lit scene: prints, underlayer, hair; first: first triangle of the garment."""
    owner = garment.particle_garment[garment.triangles[:, 0]]
    worn_below, end = underlayer(body), first + len(garment.triangles)

    def paint(place: Floats32, hit: Ints, plain: Floats32) -> Floats32:
        colours = plain.copy()
        skin, hair = hit < first, hit >= end
        below = worn_below(place[skin], hit[skin])[:, None]
        colours[skin] += below * (UNDERLAYER - colours[skin])
        colours[hair] = hair_colours(place[hair])
        whose = np.where(skin | hair, -1, owner[np.clip(hit - first, 0, len(owner) - 1)])
        for number, printer in enumerate(printers):
            mine = np.asarray(whose == number)
            if printer is not None and mine.any():
                colours[mine] = printer(place[mine])
        return colours

    return paint
