"""Where a garment is too tight: worn girths beside cut ones, level by level along trunk, arms and legs.

The cloth that a level passes through is as long there as it was cut, or stretched. What the fabric gives is
fine; beyond that the place is named, with the centimetres that are missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from toile.core.records import LIMBS, Body, Floats, Garment, Ints
from toile.garment.place.limb_axes import heights, limb_axis

STEP = 0.02
"""distance of the levels [m]"""
LEAST = 0.10
"""a shorter piece of cloth at a level goes round nothing [m]"""
SIZE = 0.04
"""girth from one size to the next [m]"""

_LIMBS = {
    "torso": ("neck", "torso", "pelvis"),
    **{f"{s}_arm": (f"{s}_upper_arm", f"{s}_forearm", f"{s}_hand") for s in ("left", "right")},
    **{f"{s}_leg": (f"{s}_thigh", f"{s}_shin", f"{s}_foot") for s in ("left", "right")},
}
_PARTS = {
    "arm": ((0.75, "wrist"), (0.5, "forearm"), (0.4, "elbow"), (0.0, "upper arm")),
    "leg": ((0.85, "ankle"), (0.6, "calf"), (0.45, "knee"), (0.0, "thigh")),
}
"""share of the way down a limb from which on a place has this name"""


@dataclass(frozen=True, slots=True)
class Level:
    """The cloth round a limb at one level."""

    limb: str
    place: str
    """what a tailor calls it"""
    height: float
    """along the limb [m]"""
    worn: float
    """length of the cloth there [m]"""
    cut: float
    """the same in the flat pieces [m]"""
    gives: float
    """by how much the fabric may be stretched"""
    fabric: str

    @property
    def stretch(self) -> float:
        """Return by how much the cloth is stretched round the limb."""
        return self.worn / self.cut - 1.0

    @property
    def lacks(self) -> float:
        """Return how much wider the cloth should have been cut [m]; negative: enough."""
        return self.worn / (1.0 + self.gives) - self.cut

    def __str__(self) -> str:
        """Return one line."""
        sizes = max(1, round(self.lacks / SIZE))
        return (
            f"too tight at the {self.place} by {max(1, round(100 * self.lacks))} cm: "
            f"cut {100 * self.cut:.0f}, worn {100 * self.worn:.0f} cm, stretched by {self.stretch:.0%} where "
            f"{self.fabric} gives {self.gives:.0%}; take {sizes} size{'s' if sizes > 1 else ''} more, "
            "let out the side seams, or take "
            f"a fabric that gives {self.stretch:.0%}"
        )


def levels(garment: Garment, position: Floats, body: Body) -> list[Level]:
    """Return the cloth at all levels of all limbs that it covers; nothing for a body without limbs."""
    if not len(garment.triangles) or not (np.bincount(body.limb, minlength=len(LIMBS)) > 0).all():
        return []
    nearest = body.limb[cKDTree(body.vertices).query(position)[1]]
    middle = nearest[garment.triangles[:, 0]]
    found = []
    for limb, names in _LIMBS.items():
        mine = np.flatnonzero(np.isin(middle, [LIMBS.index(name) for name in names]))
        if limb == "torso":  # the seat lies over the thighs
            hip = position[garment.triangles].mean(axis=1)[:, 1] > heights(body)["crotch"]
            thighs = np.isin(middle, [LIMBS.index(f"{s}_thigh") for s in ("left", "right")])
            mine = np.union1d(mine, np.flatnonzero(hip & thighs))
        if len(mine):
            found += _of_limb(garment, position, body, limb, mine.astype(np.int32))
    return found


def tightest_level(garment: Garment, position: Floats, body: Body) -> Level | None:
    """Return the level that lacks most; None if there is none."""
    return max(levels(garment, position, body), key=lambda one: one.lacks, default=None)


def _of_limb(garment: Garment, position: Floats, body: Body, limb: str, mine: Ints) -> list[Level]:
    axis = limb_axis(body, limb)
    along = axis.limb(position)[:, 1]
    low, high = _span(axis.limb(body.vertices)[:, 1], body, limb)
    found = []
    for height in np.arange(low, high, STEP):
        worn, cut, gives, fabric = _through(garment, position, along - height, mine)
        if cut > LEAST and _goes_round(garment, axis.limb(position), along - height, mine):
            found.append(
                Level(
                    limb,
                    _place(body, limb, float(height), low, high),
                    float(height),
                    worn,
                    cut,
                    gives,
                    fabric,
                )
            )
    return found


def _span(along: Floats, body: Body, limb: str) -> tuple[float, float]:
    """Return where levels of a limb begin and end [m]."""
    mine = along[np.isin(body.limb, [LIMBS.index(name) for name in _LIMBS[limb]])]
    if limb == "torso":
        level = heights(body)
        return level["crotch"] + 0.02, level["shoulder"] - 0.14
    top = heights(body)["crotch"] - 0.04 if limb.endswith("leg") else float(np.quantile(mine, 0.95)) - 0.06
    return float(mine.min()) + 0.02, top


def _through(
    garment: Garment, position: Floats, above: Floats, mine: Ints
) -> tuple[float, float, float, str]:
    """Return worn and cut length of the cloth at a level [m], what it gives on the mean, and its fabric."""
    triangles, uv = garment.triangles[mine], garment.triangles_uv[mine]
    side = above[triangles]
    cut = (side.min(axis=1) < 0.0) & (side.max(axis=1) >= 0.0)
    triangles, uv, side = triangles[cut], uv[cut], side[cut]
    if not len(triangles):
        return 0.0, 0.0, 0.0, ""
    worn = _lengths(position[triangles], side)
    flat = _lengths(garment.uv[uv], side)
    fabric = garment.triangle_fabric[mine][cut]
    limits = np.array([f.strain_limit for f in garment.fabrics])[fabric]
    most = int(np.bincount(fabric, flat).argmax())
    gives = float(np.average(limits, weights=flat)) if flat.sum() > 0.0 else 0.0
    return float(worn.sum()), float(flat.sum()), gives, garment.fabrics[most].name


def _lengths(corners: Floats, side: Floats) -> Floats:
    """Return the length of the line in which each triangle (t, 3, d) is cut, by heights of its corners."""
    points, count = np.zeros((len(corners), 2, corners.shape[2])), np.zeros(len(corners), dtype=int)
    for k in range(3):
        a, b = side[:, k], side[:, (k + 1) % 3]
        crosses = (a < 0.0) != (b < 0.0)
        share = np.where(crosses, a / np.where(crosses, a - b, 1.0), 0.0)[:, None]
        at = corners[:, k] + share * (corners[:, (k + 1) % 3] - corners[:, k])
        rows = np.flatnonzero(crosses)
        points[rows, np.minimum(count[rows], 1)] = at[rows]
        count[rows] += 1
    return np.asarray(np.linalg.norm(points[:, 1] - points[:, 0], axis=1))


def _goes_round(garment: Garment, points: Floats, above: Floats, mine: Ints) -> bool:
    """Say whether the cloth at a level lies all round the limb: seen from the middle, in every direction."""
    triangles = garment.triangles[mine]
    side = above[triangles]
    at = points[triangles[(side.min(axis=1) < 0.0) & (side.max(axis=1) >= 0.0)]].mean(axis=1)[:, [0, 2]]
    if len(at) < 6:
        return False
    off = at - (at.min(axis=0) + at.max(axis=0)) / 2.0
    angle = np.sort(np.arctan2(off[:, 0], off[:, 1]))
    widest = np.diff(np.append(angle, angle[0] + 2.0 * np.pi)).max()
    return bool(widest < np.radians(75.0))


def _place(body: Body, limb: str, height: float, low: float, high: float) -> str:
    if limb != "torso":
        part = limb.split("_")[1]
        down = (high - height) / max(high - low, 1e-6)
        name = next(word for share, word in _PARTS[part] if down >= share)
        return f"{limb.split('_')[0]} {name}"
    level = heights(body)
    return min(("waist", "hip", "bust"), key=lambda name: abs(level[name] - height)).replace("hip", "hips")
