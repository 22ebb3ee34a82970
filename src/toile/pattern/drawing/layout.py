"""Pieces side by side on a page: fronts in the upper rows, backs in the lower ones, left to right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.core.records import Floats, Panel, Pattern
from toile.pattern.model import curves


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a panel lies on the page."""

    panel: Panel
    low: Floats
    """lower left corner of all that is drawn in panel coordinates [m]"""
    size: Floats
    """width, height [m]"""
    x: float
    y: float
    """upper left corner on the page, y down [m]"""

    def to_page(self, points: Floats) -> Floats:
        """Return page coordinates of points in the panel [m]."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        return np.stack(
            [points[:, 0] - self.low[0] + self.x, self.low[1] + self.size[1] - points[:, 1] + self.y], axis=1
        )


def lay_out(pattern: Pattern, gap: float) -> tuple[list[Spot], float, float]:
    """Return the spots of all panels, and width and height of the page [m]."""
    boxes = {p.name: _box(p) for p in pattern.panels}
    total = sum(float(np.prod(size + gap)) for _, size in boxes.values())
    widest = max(float(size[0]) for _, size in boxes.values())
    limit = max(widest, 1.45 * float(np.sqrt(total)))
    rows = [
        row
        for group in _groups(pattern)
        for row in _shelves(group, {name: float(size[0]) for name, (_, size) in boxes.items()}, limit, gap)
    ]
    width = max(sum(float(boxes[p.name][1][0]) for p in row) + gap * (len(row) - 1) for row in rows)
    spots: list[Spot] = []
    y = 0.0
    for row in rows:
        sizes = [boxes[p.name][1] for p in row]
        tall = max(float(size[1]) for size in sizes)
        x = (width - sum(float(size[0]) for size in sizes) - gap * (len(row) - 1)) / 2.0
        for panel, size in zip(row, sizes, strict=True):
            low = boxes[panel.name][0]
            spots.append(Spot(panel, low, size, x, y + (tall - float(size[1])) / 2.0))
            x += float(size[0]) + gap
        y += tall + gap
    return spots, width, y - gap


def _box(panel: Panel) -> tuple[Floats, Floats]:
    points = np.vstack([curves.outline(panel), *[mark.points for mark in panel.marks]])
    low = points.min(axis=0)
    return low, np.asarray(points.max(axis=0) - low)


def _groups(pattern: Pattern) -> list[list[Panel]]:
    """Return front and back pieces from the body's right to its left, or all by height if not placed."""
    panels = list(pattern.panels)
    middle = {p.name: _middle(p) for p in panels}
    if any(m is None for m in middle.values()):
        return [sorted(panels, key=lambda p: -float(np.ptp(curves.outline(p), axis=0)[1]))]
    depth = [float(m[2]) for m in middle.values() if m is not None]
    split = (min(depth) + max(depth)) / 2.0
    front = [p for p in panels if _at(middle, p, 2) >= split]
    back = [p for p in panels if _at(middle, p, 2) < split]
    return [
        sorted(group, key=lambda p: (round(_at(middle, p, 0), 2), -_at(middle, p, 1)))
        for group in (front, back)
        if group
    ]


def _at(middle: dict[str, Floats | None], panel: Panel, axis: int) -> float:
    point = middle[panel.name]
    return 0.0 if point is None else float(point[axis])


def _middle(panel: Panel) -> Floats | None:
    """Return the middle of a placed panel in space [m]."""
    if panel.placement is None:
        return None
    ring = curves.outline(panel)
    flat = (ring.min(axis=0) + ring.max(axis=0)) / 2.0
    return np.asarray(panel.placement.translation + panel.placement.rotation[:, :2] @ flat)


def _shelves(group: list[Panel], width: dict[str, float], limit: float, gap: float) -> list[list[Panel]]:
    """Return the group in rows of about equal width, none wider than the limit."""
    total = sum(width[p.name] + gap for p in group)
    count = max(1, int(np.ceil(total / limit)))
    rows: list[list[Panel]] = [[]]
    used = 0.0
    for panel in group:
        need = width[panel.name] + gap
        if rows[-1] and (used + need > limit + gap or used + need / 2.0 > total / count):
            rows.append([])
            used = 0.0
        rows[-1].append(panel)
        used += need
    return rows
