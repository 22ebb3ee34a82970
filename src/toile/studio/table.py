"""The table of the 2D view: pieces beside each other, each with its own origin somewhere on it."""

from __future__ import annotations

from collections.abc import Mapping

from toile.core.records import Pattern
from toile.pattern.model.sides import panel_box
from toile.studio.commands import Point

GAP = 0.06
"""between pieces [m]"""
WIDE = 2.4
"""of the table; further pieces lie in the next row [m]"""


def laid_out(pattern: Pattern, known: Mapping[str, Point]) -> dict[str, Point]:
    """Return where each piece's origin lies: known pieces stay, new ones go in rows below them."""
    boxes = {panel.name: panel_box(panel) for panel in pattern.panels}
    table = {name: known[name] for name in boxes if name in known}
    low = min((table[name][1] + boxes[name][0, 1] for name in table), default=GAP) - GAP
    x, row = 0.0, 0.0
    for name, box in boxes.items():
        if name in table:
            continue
        width, height = (box[1] - box[0]).tolist()
        if x and x + width > WIDE:
            low, x, row = low - row - GAP, 0.0, 0.0
        table[name] = (float(x - box[0, 0]), float(low - box[1, 1]))
        x, row = x + width + GAP, max(row, height)
    return table
