"""The relief of cloth, drawn thread by thread: one small square tile for each way of making cloth.

A tile repeats without a border. Heights run from 0 (between the threads) to 1 (crest of a thread); columns
are warp threads (or wales), rows weft threads (or courses). The browser, GLB files and our own pictures bend
the light by the same tiles.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter
from scipy.spatial import cKDTree

from toile.core.records import Floats

SIZE = 256
"""pixels a side"""
LEVELS = 48
"""heights that are told apart: fewer make smaller files, and light cannot show more"""
GAP = -0.2
"""height where no thread is"""


def _axes(threads: int) -> tuple[Floats, Floats]:
    """Return x and y of each pixel, counted in threads, (SIZE, SIZE)."""
    at = (np.arange(SIZE) + 0.5) * threads / SIZE
    x, y = np.meshgrid(at, at)
    return x, y


def _pixels() -> Floats:
    """Return x and y of the middle of each pixel, (SIZE², 2)."""
    return np.stack(np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5), axis=-1).reshape(-1, 2)


def _noise(seed: int, across: float, along: float) -> Floats:
    """Return repeating noise of unit deviation, smooth over that many pixels across and along."""
    raw = np.random.default_rng(seed).standard_normal((SIZE, SIZE))
    smooth: Floats = gaussian_filter(raw, (along, across), mode="wrap")
    return smooth / max(float(smooth.std()), 1e-9)


def _rise(on_top: Floats, at: Floats, thread: np.ndarray) -> Floats:
    """Return how high a thread lies along its way, -1 to 1: it dives between crossings."""
    count = on_top.shape[1]
    cell = np.floor(at - 0.5).astype(int)
    part = at - 0.5 - cell
    blend = 0.5 - 0.5 * np.cos(np.pi * part)
    here, there = on_top[thread, cell % count], on_top[thread, (cell + 1) % count]
    level: Floats = here + (there - here) * blend
    return level


def _woven(
    over: Floats, *, seed: int, width: float = 0.46, uneven: float = 0.12, twist: float = 0.06
) -> Floats:
    """Return a weave; over[warp, weft] is 1 where the warp lies on top, else -1, square.

    width: half of a thread's width in threads; uneven: how much threads wander and swell; twist: fibres.
    """
    x, y = _axes(len(over))
    sway = uneven * 0.35
    warp_at, weft_at = x + sway * _noise(seed, 3, 40), y + sway * _noise(seed + 1, 40, 3)
    swell = 1 + uneven * _noise(seed + 2, 6, 30), 1 + uneven * _noise(seed + 3, 30, 6)
    warp, weft = np.floor(warp_at).astype(int) % len(over), np.floor(weft_at).astype(int) % len(over)
    heights = []
    for across, along, thread, levels, wide in (
        (warp_at, weft_at, warp, over, swell[0]),
        (weft_at, warp_at, weft, -over.T, swell[1]),
    ):
        off = (across - np.floor(across) - 0.5) / (width * np.clip(wide, 0.5, 1.5))
        round_ = np.sqrt(np.clip(1 - off**2, 0, 1))
        strands = twist * np.cos(2 * np.pi * (4 * off + 3 * along))
        heights.append(
            np.where(round_ > 0, round_ * (0.62 + strands) + 0.38 * _rise(levels, along, thread), GAP)
        )
    return np.maximum(*heights)


def _float_table(repeat: int, step: int, over: int, count: int) -> Floats:
    """Return which crossings show the warp, (count, count): one row, shifted by step from weft to weft."""
    warp, weft = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    return np.where((warp - step * weft) % repeat < over, 1.0, -1.0)


def plain() -> Floats:
    """Return poplin: over one, under one."""
    return _woven(_float_table(2, 1, 1, 16), seed=1)


def slubbed() -> Floats:
    """Return linen: plain, of threads that swell."""
    return _woven(_float_table(2, 1, 1, 12), seed=11, uneven=0.34, twist=0.1)


def sheer() -> Floats:
    """Return chiffon and organza: thin twisted threads with air between."""
    return _woven(_float_table(2, 1, 1, 16), seed=21, width=0.27, uneven=0.16, twist=0.12)


def basket() -> Floats:
    """Return canvas: heavy threads, closely set."""
    return _woven(_float_table(2, 1, 1, 8), seed=31, width=0.5, uneven=0.1, twist=0.12)


def twill() -> Floats:
    """Return denim: over three, under one, each weft one thread on."""
    return _woven(_float_table(4, 1, 3, 16), seed=41, uneven=0.16, twist=0.1)


def broken() -> Floats:
    """Return suiting and tweed: over two, under two."""
    return _woven(_float_table(4, 1, 2, 16), seed=51, uneven=0.26, twist=0.14)


def satin() -> Floats:
    """Return satin: the warp floats over seven of eight wefts."""
    return _woven(_float_table(8, 3, 7, 24), seed=61, uneven=0.07, twist=0.02)


def knit() -> Floats:
    """Return jersey: columns of loops, each a V."""
    x, y = _axes(10)
    x = x + 0.04 * _noise(71, 20, 20)
    wale = np.abs(x - np.floor(x) - 0.5)
    # the legs of a loop lean outwards as they rise; the next loop comes out between them
    along = (1.2 * y + 1.1 * wale) % 1.0
    leg = (wale - 0.25) / 0.24
    round_ = np.sqrt(np.clip(1 - leg**2, 0, 1)) * np.sqrt(np.clip(1 - (2.0 * along - 1) ** 4, 0, 1))
    return round_ + 0.05 * _noise(72, 1.2, 1.2)


def nap() -> Floats:
    """Return felt and fleece: fibres every way, in tufts."""
    fibres = sum(
        _noise(81 + i, across, along) for i, (across, along) in enumerate(((0.8, 4), (4, 0.8), (1.5, 1.5)))
    )
    return fibres + 1.6 * _noise(85, 9, 9)


def pile() -> Floats:
    """Return velvet: the ends of fine upright fibres, brushed a little."""
    return _noise(91, 0.9, 1.6) + 0.5 * _noise(92, 5, 12)


def cords() -> Floats:
    """Return corduroy: ribs of pile along the warp."""
    x, _ = _axes(6)
    rib = np.abs(np.cos(np.pi * (x + 0.03 * _noise(101, 12, 30)))) ** 0.6
    pile_: Floats = rib + 0.1 * rib * _noise(102, 1, 1.8)
    return pile_


def grain() -> Floats:
    """Return leather: pebbles between fine creases."""
    points = np.random.default_rng(111).uniform(0, SIZE, (420, 2))
    nearest, _ = cKDTree(points, boxsize=SIZE).query(_pixels(), k=2)
    edge = (nearest[:, 1] - nearest[:, 0]).reshape(SIZE, SIZE)
    pebbles: Floats = np.tanh(gaussian_filter(edge, 0.7, mode="wrap") / 4) + 0.05 * _noise(112, 2, 2)
    return pebbles


def net() -> Floats:
    """Return tulle: a mesh of six-sided holes; height 0 is a hole."""
    column, row = np.meshgrid(np.arange(12), np.arange(14))
    # rows of a regular pattern lie a little closer than columns; 14 rows to 12 columns are square within 1 %
    points = np.stack([(column + 0.5 * (row % 2)) / 12, row / 14], axis=-1).reshape(-1, 2) * SIZE
    nearest, _ = cKDTree(points, boxsize=SIZE).query(_pixels(), k=2)
    thread = 1 - (nearest[:, 1] - nearest[:, 0]).reshape(SIZE, SIZE) / (0.2 * SIZE / 12)
    strands: Floats = np.sqrt(np.clip(thread, 0, 1))
    return strands


WEAVES: dict[str, Callable[[], Floats]] = {
    "plain": plain, "slubbed": slubbed, "sheer": sheer, "basket": basket, "twill": twill, "broken": broken,
    "satin": satin, "knit": knit, "nap": nap, "pile": pile, "cords": cords, "grain": grain, "net": net,
}  # fmt: skip
"""name → heights of one tile, any scale"""


def relief(name: str) -> Floats:
    """Return the heights of a weave from 0 to 1, (SIZE, SIZE), in LEVELS steps."""
    raw = WEAVES[name]()
    low, high = np.percentile(raw, (0.5, 99.5))
    scaled = np.clip((raw - low) / max(high - low, 1e-9), 0, 1)
    stepped: Floats = np.round(scaled * (LEVELS - 1)) / (LEVELS - 1)
    return stepped


def tile_png(name: str, *, as_cover: bool = False) -> bytes:
    """Return the heights of a weave as a grey picture, file bytes.

    as_cover: white that covers where there is thread.
    """
    height = relief(name)
    return _png(np.stack([np.ones_like(height)] * 3 + [height], axis=-1) if as_cover else height)


@lru_cache(maxsize=32)
def normal_png(name: str, depth: float, width: float) -> bytes:
    """Return the normal map of a weave, file bytes; lengths as for `normal_map`."""
    return _png(normal_map(relief(name), depth, width))


def _png(values: Floats) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.round(values * 255).astype(np.uint8)).save(file, "PNG", optimize=True)
    return file.getvalue()


def normal_map(height: Floats, depth: float, width: float) -> Floats:
    """Return the normals of a relief as colours from 0 to 1, (n, n, 3), right +x and up +y.

    depth: from lowest to highest [m]; width: of the tile [m].
    """
    scale = depth * len(height) / (2 * width)
    dx = (np.roll(height, -1, axis=1) - np.roll(height, 1, axis=1)) * scale
    # rows run down, y runs up
    dy = (np.roll(height, 1, axis=0) - np.roll(height, -1, axis=0)) * scale
    normal = np.stack([-dx, -dy, np.ones_like(dx)], axis=-1)
    colours: Floats = 0.5 + 0.5 * normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    return colours
