"""Patterns as pattern generators place them: flat panels before, behind and beside a figure in some pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toile.core.records import Edge, EdgeRef, Floats, Panel, Pattern, Placement, Seam
from toile.pattern.model.angles import rotation_from_degrees

TEE = ("front", "back", "l_sleeve_f", "l_sleeve_b", "r_sleeve_f", "r_sleeve_b")
BODICE = [(-26, 0), (26, 0), (26, 36), (20, 56), (8, 60), (-8, 60), (-20, 56), (-26, 36)]
SLEEVE = [(0, -10.5), (25, -8.5), (25, 8.5), (0, 10.5)]


def flat(
    name: str, corners: Sequence[tuple[float, float]], at: Floats, turn: Floats, label: str = ""
) -> Panel:
    """Return a panel of straight edges [cm] that stands flat in space."""
    edges = tuple(Edge(k, (k + 1) % len(corners)) for k in range(len(corners)))
    return Panel(name, np.array(corners) / 100.0, edges, Placement(np.asarray(at), turn), label=label)


def posed_tee(arms: float, names: Sequence[str] = TEE, origin: float = 0.0) -> Pattern:
    """Return a T-shirt for a figure whose arms hang by so many degrees from the horizontal."""
    still = np.eye(3)
    panels = [
        flat(names[0], BODICE, [0.0, origin, 0.2], still),
        flat(names[1], BODICE, [0.0, origin, -0.2], still),
    ]
    seams = [_seam(names[0], k, names[1], k) for k in (1, 3, 5, 7)]
    for first, side, armhole in ((2, 1.0, 2), (4, -1.0, 6)):
        turn = rotation_from_degrees(0.0, 0.0 if side > 0 else 180.0, 0.0)
        turn = rotation_from_degrees(0.0, 0.0, -side * arms) @ turn
        for k, depth in enumerate((0.12, -0.12)):
            panels.append(flat(names[first + k], SLEEVE, [side * 0.3, origin + 0.46, depth], turn))
            seams.append(_seam(names[first + k], 3, names[k], armhole, reversed_=side > 0))
        seams += [_seam(names[first], k, names[first + 1], k) for k in (0, 2)]
    return Pattern("posed_tee", tuple(panels), tuple(seams))


def _seam(a: str, i: int, b: str, k: int, reversed_: bool = False) -> Seam:
    return Seam((EdgeRef(a, i),), (EdgeRef(b, k, reversed_),))
