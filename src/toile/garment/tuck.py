"""Tucking in: a shirt under a waistband has its fullness folded away at the sides, as a wearer would do.

What is hidden under the outer garment is taken in to the body; down to the waist it keeps its own cut, so
that it blouses over the band. Cloth that lies over the bust comes to lie higher than it was cut for: taken in
from the waist up, it was tight over the ribs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from toile.garment.fit_grade import Rise, warped
from toile.garment.girths import LEGS, Outlines, body_girths, hangs, outlines
from toile.garment.limb_axes import heights
from toile.types import Body, Pattern

EASE = {"waist": 0.02, "hips": 0.04}
"""room that is left to what is tucked in [m]"""
BELOW = 0.05
"""it has its own width down to the waist, and is narrow from here on below it [m]"""
UNDER = 0.03
"""what reaches farther than this below a waistband that is put on over it lies under it [m]"""


def tuck_in(patterns: Sequence[Pattern], body: Body) -> list[Pattern]:
    """Return the garments of an outfit, those that are tucked in taken in below the waist."""
    return [tucked(pattern, body) if pattern.tuck else pattern for pattern in patterns]


def tuck_under(patterns: Sequence[Pattern], body: Body) -> tuple[list[Pattern], list[str]]:
    """Return the garments, inner first, with tops that lie under a waistband tucked in, and what was done.

    A top that a skirt or trousers are put on over is tucked in, whether its pattern says so or not: all of
    its width does not fit under a waistband.
    """
    level, result, notes = heights(body), list(patterns), []
    unrolled = [outlines(pattern, body) for pattern in patterns] if len(patterns) > 1 else []
    for k, one in enumerate(unrolled):
        over = [j for j, _ in enumerate(unrolled) if (patterns[j].layer, j) > (patterns[k].layer, k)]
        bands = [j for j in over if hangs(unrolled[j], level) and _lies_under(one, unrolled[j], level)]
        if bands and not patterns[k].tuck:
            name, band = patterns[k].name, patterns[bands[0]].name
            result[k] = tucked(replace(patterns[k], tuck=band), body)
            notes.append(f"{name} is tucked into {band}, which is put on over it: list {band} first if not")
    return result, notes


def _lies_under(top: Outlines, hanging: Outlines, level: Mapping[str, float]) -> bool:
    """Say whether the hem of a top ends under a garment that hangs from the waist, above the crotch."""
    trunk = top.names("torso")
    if not trunk:
        return False
    (low, high), band = top.span(trunk), hanging.span(hanging.names("torso", *LEGS))[1]
    return high > level["bust"] and level["crotch"] < low < band - UNDER


def tucked(pattern: Pattern, body: Body) -> Pattern:
    """Return a garment with its fullness at waist and hips folded away."""
    unrolled, level = outlines(pattern, body), heights(body)
    trunk = unrolled.names("torso")
    wearer = body_girths(body.measurements, level)
    knots = {name: np.array([[0.0, 1.0]]) for name in unrolled.laid}
    for name in trunk:
        low, high = unrolled.span([name])
        rows = [(level["waist"], 1.0)]
        for at, measure in ((level["waist"] - BELOW, "waist"), (max(level["hip"], low), "hips")):
            width = unrolled.width(trunk, max(at, low + 0.01))
            if low < at + 0.01 and width > 0.2:
                rows.append((at, min(1.0, (wearer(measure, at) + EASE[measure]) / width)))
        if high > level["waist"] and len(rows) > 1:
            knots[name] = np.array(sorted(dict(rows).items()))
    return warped(pattern, unrolled, knots, Rise((0.0,), (1.0, 1.0)))
