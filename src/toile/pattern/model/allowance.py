"""Seam allowance: the cutting line that runs outside the sewing line of each piece."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely

from toile.core.errors import ToileError
from toile.core.records import Mark, Panel, Pattern
from toile.pattern.model import curves

WIDEST = 0.2
"""[m]"""
_MITRE = 2.0
"""corners reach at most this many allowances out, then they are cut off"""


def with_allowance(pattern: Pattern, width: float) -> Pattern:
    """Return the pattern with a cutting line this far outside each piece that has none [m]."""
    if not 0.0 <= width <= WIDEST:
        raise ToileError(f"a seam allowance of {width * 100:g} cm is not between 0 and {WIDEST * 100:g} cm")
    if not width:
        return pattern
    return replace(pattern, panels=tuple(_with_cutting_line(panel, width) for panel in pattern.panels))


def _with_cutting_line(panel: Panel, width: float) -> Panel:
    if any(mark.kind == "cut" for mark in panel.marks):
        return panel
    shape = shapely.Polygon(curves.outline(panel, 1e-4))
    grown = shape.buffer(width, join_style="mitre", mitre_limit=_MITRE)
    if not isinstance(grown, shapely.Polygon):
        raise ToileError(f"panel '{panel.name}': its outline crosses itself: no allowance can be added")
    return replace(panel, marks=(*panel.marks, Mark("cut", np.array(grown.exterior.coords))))
