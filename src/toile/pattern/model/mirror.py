"""The mirrored twin of a piece: right for left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.records import Panel, Placement

_FLIP = np.array([-1.0, 1.0])
_SIDE = np.diag([-1.0, 1.0, 1.0])


def mirror_panel(panel: Panel, name: str) -> Panel:
    """Return the panel mirrored at its y axis, standing on the other side of the body.

    Edges keep their numbers, so the outline runs the other way round, seen from the same face.
    """
    return replace(
        panel,
        name=name,
        vertices=panel.vertices * _FLIP + 0.0,
        edges=tuple(replace(edge, controls=edge.controls * _FLIP + 0.0) for edge in panel.edges),
        placement=mirror_placement(panel.placement) if panel.placement else None,
        grain=-panel.grain + 0.0,
        marks=tuple(replace(mark, points=mark.points * _FLIP + 0.0) for mark in panel.marks),
    )


def mirror_placement(placement: Placement) -> Placement:
    """Return the placement on the other side of the plane x = 0 for a mirrored panel."""
    return Placement(
        placement.translation * [-1.0, 1.0, 1.0] + 0.0,
        _SIDE @ placement.rotation @ _SIDE + 0.0,
        other_side(placement.around),
    )


def other_side(name: str) -> str:
    """Return left for right and right for left in a name."""
    for side, other in (("left", "right"), ("right", "left"), ("Left", "Right"), ("Right", "Left")):
        if side in name:
            return name.replace(side, other)
    return name
