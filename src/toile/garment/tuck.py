"""Tucking in: a shirt under a waistband has its fullness folded away at the sides, as a wearer would do.

What is hidden under the outer garment is taken in to the body's waist and hips; above the waist it widens
back to its own cut, so that it blouses over the band.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toile.garment.fit_grade import Rise, warped
from toile.garment.girths import body_girths, outlines
from toile.garment.limb_axes import heights
from toile.types import Body, Pattern

EASE = {"waist": 0.04, "hips": 0.04}
"""room that is left to what is tucked in [m]"""
BLOUSE = 0.12
"""above the waist it is back to its own width from here on [m]"""


def tuck_in(patterns: Sequence[Pattern], body: Body) -> list[Pattern]:
    """Return the garments of an outfit, those that are tucked in taken in below the waist."""
    return [tucked(pattern, body) if pattern.tuck else pattern for pattern in patterns]


def tucked(pattern: Pattern, body: Body) -> Pattern:
    """Return a garment with its fullness at waist and hips folded away."""
    unrolled, level = outlines(pattern, body), heights(body)
    trunk = unrolled.names("torso")
    wearer = body_girths(body.measurements, level)
    knots = {name: np.array([[0.0, 1.0]]) for name in unrolled.laid}
    for name in trunk:
        low, high = unrolled.span([name])
        rows = [(level["waist"] + BLOUSE, 1.0)]
        for at, measure in ((level["waist"], "waist"), (max(level["hip"], low), "hips")):
            width = unrolled.width(trunk, max(at, low + 0.01))
            if low < at + 0.01 and width > 0.2:
                rows.append((at, min(1.0, (wearer(measure, at) + EASE[measure]) / width)))
        if high > level["waist"] + BLOUSE and len(rows) > 1:
            knots[name] = np.array(sorted(dict(rows).items()))
    return warped(pattern, unrolled, knots, Rise((0.0,), (1.0, 1.0)))
