"""Colours and prints of garments as our renderer and the recordings take them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from toile.core.records import LIMBS, Body, Bools, Floats, Garment, Ints
from toile.geometry.raster import Floats32

Printer = Callable[[Floats32], Floats32]
"""places in the flat pieces [m], (p, 2) → linear colours, (p, 3)"""


def linear(colour: str) -> tuple[float, float, float]:
    """Return #rrggbb as linear RGB."""
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    low, high = values / 12.92, ((values + 0.055) / 1.055) ** 2.4
    red, green, blue = (float(v) for v in np.where(values <= 0.04045, low, high))
    return red, green, blue


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


UNDERLAYER = (0.30, 0.275, 0.26)
"""linear RGB of what everybody wears below, a tone beside the skin's"""
BELOW_ARMPIT, LEG_LINE, LEG_SLOPE = 0.015, 0.012, 0.75
"""its upper edge below the armpits [m]; its legs begin so far above the crotch, and rise outward"""
COVERED = ("torso", "pelvis", "left_thigh", "right_thigh")


def body_places(body: Body) -> Floats:
    """Return where each triangle's corners are, seen from the front [m], (t, 3, 2): for the underlayer."""
    places: Floats = body.vertices[:, :2][body.triangles]
    return places


def underlayer(body: Body) -> Callable[[Floats32, Ints], Floats32]:
    """Return how much of the underlayer is at places of the body (p, 2) in its triangles (p,): 0 … 1."""
    heights = body.measurements
    top = np.float32(heights.get("armpit_height", 0.75 * heights["height"]) - BELOW_ARMPIT)
    leg = np.float32(heights.get("crotch_height", 0.47 * heights["height"]) + LEG_LINE)
    some: Bools = np.isin(body.limb, [LIMBS.index(name) for name in COVERED])
    covers: Bools = np.asarray(some[body.triangles].all(axis=1))

    def share(place: Floats32, triangle: Ints) -> Floats32:
        below = np.clip((top - place[:, 1]) / 0.002, 0.0, 1.0)
        above = np.clip((place[:, 1] - leg - LEG_SLOPE * np.abs(place[:, 0])) / 0.002, 0.0, 1.0)
        found: Floats32 = (below * above * covers[triangle]).astype(np.float32)
        return found

    return share


def painted(
    garment: Garment, body: Body, printers: list[Printer | None], first: int
) -> Callable[..., Floats32]:
    """Return the paint of a lit scene: prints and underlayer; first: first triangle of the garment."""
    owner = garment.particle_garment[garment.triangles[:, 0]]
    worn_below = underlayer(body)

    def paint(place: Floats32, hit: Ints, plain: Floats32) -> Floats32:
        colours = plain.copy()
        skin = hit < first
        below = worn_below(place[skin], hit[skin])[:, None]
        colours[skin] += below * (np.array(UNDERLAYER, np.float32) - colours[skin])
        inside = (hit >= first) & (hit < first + len(owner))
        whose = np.where(inside, owner[np.clip(hit - first, 0, len(owner) - 1)], -1)
        for number, printer in enumerate(printers):
            mine = np.asarray(whose == number)
            if printer is not None and mine.any():
                colours[mine] = printer(place[mine])
        return colours

    return paint
