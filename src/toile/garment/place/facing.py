"""Which side of each panel is the outside, so that all triangles of a sewn garment turn the same way.

A panel is drawn with its outside up or down. Seams tell which panels agree: where two panels are joined,
the cloth of one lies left of the seam and that of the other right. One free choice is left for each sewn
piece; files draw outlines counter-clockwise seen from outside, so the larger area decides.
"""

from __future__ import annotations

import numpy as np

from toile.core.records import Bools, EdgeRef, Pattern, Seam
from toile.garment.mesh.sample import seam_title
from toile.pattern.model.curves import area, orientation


def panels_face_down(pattern: Pattern) -> Bools:
    """Return which panels are drawn with their outside down (−z of the panel), (p,)."""
    turn = _turns(pattern)
    links = [link for seam in pattern.seams for link in _links(seam, turn)]
    down = np.zeros(len(pattern.panels), dtype=bool)
    index = {panel.name: i for i, panel in enumerate(pattern.panels)}
    size = np.array([abs(area(panel)) for panel in pattern.panels])
    clockwise = np.array([turn[panel.name] < 0 for panel in pattern.panels])
    waiting = set(range(len(down)))
    while waiting:
        piece = _spread(min(waiting), down, [(index[a], index[b], same) for a, b, same in links])
        waiting -= piece
        members = np.array(sorted(piece))
        agree = size[members[down[members] == clockwise[members]]].sum()
        if agree < 0.5 * size[members].sum():
            down[members] = ~down[members]
    return down


def twisted_seams(pattern: Pattern) -> list[str]:
    """Return the names of seams that join the outside of the cloth to its inside: often a mistake."""
    turn, down = _turns(pattern), panels_face_down(pattern)
    side = {panel.name: bool(d) for panel, d in zip(pattern.panels, down, strict=True)}
    return [
        seam_title(seam, i)
        for i, seam in enumerate(pattern.seams)
        if any((side[a] == side[b]) != same for a, b, same in _links(seam, turn))
    ]


def _turns(pattern: Pattern) -> dict[str, int]:
    """Return +1 for panels that are drawn counter-clockwise, −1 for others."""
    return {panel.name: orientation(panel) for panel in pattern.panels}


def _links(seam: Seam, turn: dict[str, int]) -> list[tuple[str, str, bool]]:
    """Return pairs of panels that the seam joins, and whether they face the same way."""

    def left(ref: EdgeRef) -> int:
        return -turn[ref.panel] if ref.reversed else turn[ref.panel]

    pairs = [(seam.a[0], ref) for ref in seam.b] + [(ref, seam.b[0]) for ref in seam.a[1:]]
    return [(a.panel, b.panel, left(a) != left(b)) for a, b in pairs]


def _spread(start: int, down: Bools, links: list[tuple[int, int, bool]]) -> set[int]:
    """Set the facing of all panels that are joined to start, in order of discovery; return them."""
    piece, queue = {start}, [start]
    while queue:
        here = queue.pop(0)
        for a, b, same in links:
            for one, other in ((a, b), (b, a)):
                if one == here and other not in piece:
                    down[other] = down[one] if same else not down[one]
                    piece.add(other)
                    queue.append(other)
    return piece
