"""Waistbands that are cut shorter than the body they go round: in wear they are elastic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.records import Body, Floats, Panel, Pattern
from toile.garment.place.unroll import UnrolledPanel, unroll_panels

BAND_HEIGHT = 0.12
"""a torso piece that is no taller, and much longer than tall, is a band [m]"""
TIGHT = 0.97
"""a band shorter than this share of the waist cannot be woven cloth"""


def with_elastic_bands(pattern: Pattern, body: Body) -> tuple[Pattern, str]:
    """Return the pattern with short waistbands made of elastic, and a note about it (may be empty).

    Pattern files say nothing about closures or elastics; a band of 52 cm round a waist of 70 cm can only be
    one. Bands whose fabric the pattern states are left alone.
    """
    bands = [one.panel for one in unroll_panels(pattern).values() if one.limb == "torso" and _is_band(one)]
    length = sum(_size(p).max() for p in bands)
    waist = body.measurements.get("waist", 0.0)
    if not bands or len(bands) == len(pattern.panels) or length >= TIGHT * waist:
        return pattern, ""
    if any(p.fabric for p in bands):
        return pattern, ""
    names = {p.name for p in bands}
    panels = tuple(replace(p, fabric="elastic") if p.name in names else p for p in pattern.panels)
    note = (
        f"{pattern.name}: the band of {', '.join(sorted(names))} is {100 * length:.0f} cm long, "
        f"the waist {100 * waist:.0f} cm: taken as elastic"
    )
    return replace(pattern, panels=panels), note


def _is_band(one: UnrolledPanel) -> bool:
    """Say whether a piece is long round the body and low; a button placket is long downwards."""
    round_body, tall = np.ptp(one.outline(), axis=0)
    return bool(tall <= BAND_HEIGHT and round_body >= 2.5 * tall)


def _size(panel: Panel) -> Floats:
    return np.asarray(np.ptp(panel.vertices, axis=0))
