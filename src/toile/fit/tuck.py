"""Tucking in: a shirt under a waistband has its fullness folded away at the sides, as a wearer would do.

What is hidden under the outer garment is taken in to the body; down to the waist it keeps its own cut, so
that it blouses over the band. Cloth that lies over the bust comes to lie higher than it was cut for: taken in
from the waist up, it was tight over the ribs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from toile.core.records import Body, Pattern
from toile.fit.girths import LEGS, PatternOutlines, body_girths, hangs, pattern_outlines
from toile.fit.ratio_grading import HeightWarp, warped
from toile.garment.place.limb_axes import heights

EASE = {"waist": 0.02, "hips": 0.04}
"""room that is left to what is tucked in [m]"""
BELOW = 0.05
"""it has its own width down to the waist, and is narrow from here on below it [m]"""
FITS = 0.99
"""what would keep more than this share of its width stays as it is"""
UNDER = 0.03
"""what reaches farther than this below a waistband that is put on over it lies under it [m]"""


def tuck_in(patterns: Sequence[Pattern], body: Body) -> tuple[list[Pattern], list[str]]:
    """Return the garments, inner first, as they are worn, and notes on what no pattern asked for.

    What is tucked in is taken in: whatever says so (`tuck`), and a top that a skirt or trousers are put on
    over, for all of its width does not fit under a waistband.
    """
    result, notes = [], []
    for pattern, band in zip(patterns, _bands_over(patterns, body), strict=True):
        garment = pattern
        if band and not pattern.tuck:
            garment = replace(pattern, tuck=band)
            notes.append(
                f"{pattern.name} is tucked into {band}, which is put on over it: list {band} first if not"
            )
        result.append(tucked(garment, body) if garment.tuck else garment)
    return result, notes


def _bands_over(patterns: Sequence[Pattern], body: Body) -> list[str]:
    """Return for each garment, inner first, what hangs from the waist over its hem; empty: nothing."""
    if len(patterns) < 2:
        return [""] * len(patterns)
    level, unrolled = heights(body), [pattern_outlines(pattern, body) for pattern in patterns]
    hanging = [j for j, one in enumerate(unrolled) if hangs(one, level)]

    def band(k: int) -> str:
        over = [j for j in hanging if (patterns[j].layer, j) > (patterns[k].layer, k)]
        return next((patterns[j].name for j in over if _lies_under(unrolled[k], unrolled[j], level)), "")

    return [band(k) for k in range(len(patterns))]


def _lies_under(top: PatternOutlines, hanging: PatternOutlines, level: Mapping[str, float]) -> bool:
    """Say whether the hem of a top ends under a garment that hangs from the waist, above the crotch."""
    trunk = top.names("torso")
    if not trunk:
        return False
    (low, high), band = top.span(trunk), hanging.span(hanging.names("torso", *LEGS))[1]
    return high > level["bust"] and level["crotch"] < low < band - UNDER


def tucked(pattern: Pattern, body: Body) -> Pattern:
    """Return a garment with its fullness at waist and hips folded away; itself where it has none."""
    unrolled, level = pattern_outlines(pattern, body), heights(body)
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
    if all(knot[:, 1].min() > FITS for knot in knots.values()):
        return pattern
    return warped(pattern, unrolled, knots, HeightWarp((0.0,), (1.0, 1.0)))
