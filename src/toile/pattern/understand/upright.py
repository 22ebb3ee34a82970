"""Pieces turned as they are worn: production files lay them along the cloth, their grain to the right."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from toile.core.records import Floats, Panel
from toile.pattern.model import curves
from toile.pattern.understand.outline import read_outline
from toile.pattern.understand.templates import KINDS, STRIPS, TEMPLATES

SIDEWAYS = math.radians(80.0)
"""a grain line that leans more than this lies along the cloth's length on the table"""
STRIP_RATIO, STRIP_WIDTH = 2.6, 0.16
"""a piece that is longer than wide by this, and narrower than so [m], is a strip: it is worn lying"""
SURE = 0.5
"""an outline is known upside down when it reads better by this penalty"""
WHOLE = tuple(dict.fromkeys(kind for part, kinds in KINDS.items() if part not in STRIPS for kind in kinds))


def upright(panel: Panel) -> Panel:
    """Return a piece turned by quarter turns so that its grain runs upward and its hem lies below.

    Strips (collars, bands, cuffs) are laid lengthwise. Pieces on the bias stay as they are drawn.
    """
    if abs(panel.grain) < SIDEWAYS:
        return panel
    width, height = np.ptp(curves.outline(panel, 1e-3), axis=0)
    if min(width, height) < STRIP_WIDTH and max(width, height) > STRIP_RATIO * min(width, height):
        return panel if width > height else quarter_turned(panel, 1)
    # a piece lies with its hem to the left as a rule
    first, second = quarter_turned(panel, 1), quarter_turned(panel, 3)
    return second if fit(second) < fit(first) - SURE else first


def fit(panel: Panel) -> float:
    """Return the penalty of the kind that an outline reads best as."""
    readings = [read_outline(panel, TEMPLATES[kind]) for kind in WHOLE]
    return min((r.penalty for r in readings if r is not None), default=math.inf)


def quarter_turned(panel: Panel, times: int) -> Panel:
    """Return a piece turned counter-clockwise by right angles about its drawing's origin."""
    turns: list[Floats] = [np.eye(2), np.array([[0.0, -1.0], [1.0, 0.0]])]
    matrix = np.linalg.matrix_power(turns[1], times % 4)

    def turned(points: Floats) -> Floats:
        return np.asarray(points @ matrix.T + 0.0)

    grain = panel.grain + times * math.pi / 2.0
    grain -= math.pi * math.floor(grain / math.pi + 0.5)
    return replace(
        panel,
        vertices=turned(panel.vertices),
        edges=tuple(replace(edge, controls=turned(edge.controls)) for edge in panel.edges),
        marks=tuple(replace(mark, points=turned(mark.points)) for mark in panel.marks),
        grain=0.0 if abs(grain) < 1e-9 else grain,
    )
