"""The mannequin of the catalogue's pictures, as pages have it (web/viewer/materials)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from toile.core.records import LIMBS, Body, Bools, Floats, Ints, as_ints
from toile.geometry.raster import Floats32
from toile.render.picture import Mesh
from toile.render.surface import vertex_normals
from toile.shop.tasks.colours import linear

SKIN, UNDERLAYER, HAIR = (np.array(linear(tone), np.float32) for tone in ("#c6a793", "#b7ada1", "#3d2e25"))
LEG_END, LEG_SLOPE = 0.43, 0.1
"""where the underlayer's legs end, and how much they rise outwards; all in shares of the height"""
STRAP, STRAP_END, SHOULDER = 0.036, 0.078, 0.83
SCOOP_FRONT, SCOOP_BACK = 0.752, 0.79
TOP, BELOW_PIT = 0.845, 0.012
ARM_PARTS = ("upper_arm", "forearm", "hand")
ARM = [LIMBS.index(f"{side}_{part}") for side in ("left", "right") for part in ARM_PARTS]
HEAD = 0.13
"""chin to crown (Drillis and Contini 1966)"""
HAIRLINE = np.array(
    [[0, 0.83], [35, 0.8], [58, 0.7], [80, 0.6], [105, 0.59], [128, 0.4], [155, 0.24], [180, 0.2]]
)
"""angle from the face [degrees], and how high hair begins there: 0 chin … 1 crown"""
HAIR_LIFT = 0.011
EVENINGS = 8
"""rounds in which normals are evened out"""
Share = Callable[[Floats32, Ints], Floats32]


def dressed_skin(body: Body, skin: Mesh) -> Mesh:
    """Return the body's mesh in a tone of skin, with places on it for the underlayer.

    Firm cloth does not show what is small below it: normals under it are evened out with their neighbours'.
    """
    low, tall = float(body.vertices[:, 1].min()), float(np.ptp(body.vertices[:, 1]))
    height = (body.vertices[:, 1] - low) / tall
    below = (height > LEG_END + 0.01) & (height < SCOOP_BACK - 0.02) & ~np.isin(body.limb, ARM)
    ours = body.triangles[below[body.triangles].all(axis=1)]
    normals = vertex_normals(skin.vertices, skin.triangles)
    for _ in range(EVENINGS):
        sums = np.zeros_like(normals)
        np.add.at(sums, ours.ravel(), np.repeat(normals[ours].sum(axis=1), 3, axis=0))
        size = np.linalg.norm(sums, axis=1, keepdims=True)
        normals = np.where((size > 1e-9) & below[:, None], sums / np.maximum(size, 1e-9), normals)
    places: Floats = body.vertices[:, :2][body.triangles]
    return replace(skin, colour=SKIN.astype(np.float64), corner_uv=places, normals=normals)


def underlayer(body: Body) -> Share:
    """Return how much of the underlayer is at places of the body (p, 2) in its triangles (p,): 0 … 1."""
    low, tall = float(body.vertices[:, 1].min()), float(np.ptp(body.vertices[:, 1]))
    pit_x, pit_y = _armpit(body, low, tall)
    arm: Bools = np.asarray(np.isin(body.limb, ARM)[body.triangles].any(axis=1))
    middle = body.vertices[:, 2][body.triangles].mean(axis=1)
    behind: Bools = np.asarray(middle < float(np.median(body.vertices[:, 2])))

    def share(place: Floats32, triangle: Ints) -> Floats32:
        x, y = np.abs(place[:, 0]) / tall, (place[:, 1] - low) / tall
        scoop = np.where(behind[triangle], SCOOP_BACK, SCOOP_FRONT)
        neck = np.maximum(x - STRAP, y * -1 + scoop)
        up = np.clip((y - pit_y + BELOW_PIT) / (SHOULDER - pit_y + BELOW_PIT), 0.0, 1.0)
        edge = pit_x + BELOW_PIT + (1 - (1 - up) ** 3) * (STRAP_END - pit_x - BELOW_PIT)
        side = np.where(y > pit_y - BELOW_PIT, edge - x, np.where(arm[triangle], -1.0, 1.0))
        inside = np.minimum.reduce([y - LEG_END - LEG_SLOPE * x, neck, side, TOP - y])
        found: Floats32 = np.clip(0.5 + inside * tall / 0.002, 0.0, 1.0).astype(np.float32)
        return found

    return share


def _armpit(body: Body, low: float, tall: float) -> tuple[float, float]:
    """Return the lowest place where an arm's skin meets the trunk's, in shares of the height."""
    arm = np.isin(body.limb, ARM)[body.triangles]
    meets = body.triangles[arm.any(axis=1) & ~arm.all(axis=1)]
    points = body.vertices[np.unique(meets)]
    if not len(points):
        return 0.105, 0.74
    x, y, _ = points[np.argmin(points[:, 1])]
    return abs(float(x)) / tall, (float(y) - low) / tall


def hair_mesh(body: Body, vertices: Floats) -> Mesh | None:
    """Return short hair over the scalp of a body in a pose; None: no head where people have it.

    Its places are (across [m], height over the hairline [heads]), see hair_colours.
    """
    above = _above_hairline(body.vertices)
    chosen = body.triangles[(above[body.triangles] > -0.06).all(axis=1)]
    if not len(chosen):
        return None
    on, corners = np.unique(chosen, return_inverse=True)
    share = np.clip(above[on] / 0.3, 0.0, 1.0)
    lift = HAIR_LIFT * float(np.ptp(body.vertices[:, 1])) * (0.1 + 0.9 * share * (2 - share))
    points = vertices[on] + lift[:, None] * vertex_normals(vertices, body.triangles)[on]
    triangles = as_ints(corners.reshape(-1, 3), len(chosen), 3, name="hair triangles")
    places = np.stack([body.vertices[on, 0], above[on]], axis=1)[triangles]
    return Mesh("hair", points, triangles, HAIR.astype(np.float64), cloth=False, corner_uv=places)


def _above_hairline(rest: Floats) -> Floats:
    """Return how far each vertex is above the hairline, in heads; far below: -1."""
    tall = float(np.ptp(rest[:, 1]))
    chin = float(rest[:, 1].max()) - HEAD * tall
    top = rest[rest[:, 1] > chin + 0.6 * HEAD * tall]
    middle = 0.5 * float(top[:, 2].min() + top[:, 2].max())
    up = (rest[:, 1] - chin) / (HEAD * tall)
    angle = np.degrees(np.arctan2(np.abs(rest[:, 0]), rest[:, 2] - middle))
    line: Floats = np.interp(angle, HAIRLINE[:, 0], HAIRLINE[:, 1])
    return np.where((up < 0) | (np.abs(rest[:, 0]) > HEAD * tall), -1.0, up - line)


def hair_colours(place: Floats32) -> Floats32:
    """Return the colours of hair at its places: strands, whose ends show skin between them."""
    strand = 0.5 + 0.25 * np.sin(place[:, 0] * 2900) + 0.25 * np.sin(place[:, 0] * 1130 + 1.7)
    cover = np.clip((place[:, 1] - 0.02 * strand + 0.004) / 0.02, 0.0, 1.0)[:, None]
    mixed: Floats32 = SKIN + cover.astype(np.float32) * (HAIR * (0.62 + 0.7 * strand[:, None]) - SKIN)
    return mixed.astype(np.float32)
