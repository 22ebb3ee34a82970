"""Edits of seams and held edges: function(pattern, edit) → new pattern."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Hold, Panel, Pattern, Seam
from toile.pattern.model.sides import reversed_chain
from toile.pattern.pieces.placement import Proposal, propose_seams_and_places
from toile.studio import commands as c
from toile.studio.edit_points import edge_of


def sew(pattern: Pattern, edit: c.Sew) -> Pattern:
    """Sew two chains together."""
    a, b = _chain(pattern, edit.a), _chain(pattern, edit.b)
    if not a or not b:
        raise ToileError("a seam has two sides: name at least one edge for each")
    own = {(ref.panel, ref.edge) for ref in a} & {(ref.panel, ref.edge) for ref in b}
    if own:
        raise ToileError("an edge cannot be sewn to itself: choose another one for the second side")
    return replace(pattern, seams=(*pattern.seams, Seam(a, b, name=edit.name)))


def _chain(pattern: Pattern, edges: Sequence[c.EdgeAt]) -> tuple[EdgeRef, ...]:
    refs = []
    for one in edges:
        edge_of(pattern.panel(one.piece), one.edge)
        refs.append(EdgeRef(one.piece, one.edge, one.reversed))
    return tuple(refs)


def _seams(pattern: Pattern, numbers: Iterable[int]) -> None:
    for number in numbers:
        if not 0 <= number < len(pattern.seams):
            raise ToileError(f"there is no seam {number}: the garment has {len(pattern.seams)}")


def reverse_seam(pattern: Pattern, edit: c.ReverseSeam) -> Pattern:
    """Let the second side run the other way."""
    _seams(pattern, [edit.seam])
    seam = pattern.seams[edit.seam]
    turned = replace(seam, b=reversed_chain(seam.b))
    return replace(pattern, seams=tuple(turned if k == edit.seam else s for k, s in enumerate(pattern.seams)))


def unsew(pattern: Pattern, edit: c.Unsew) -> Pattern:
    """Take seams out."""
    _seams(pattern, edit.seams)
    return replace(pattern, seams=tuple(s for k, s in enumerate(pattern.seams) if k not in edit.seams))


def proposed(pattern: Pattern) -> Proposal:
    """Return the seams and places that are proposed for a garment; refuses where nothing is found."""
    found = propose_seams_and_places(pattern)
    if len(found.pattern.seams) == len(pattern.seams) and not _newly_placed(pattern.panels, found):
        raise ToileError(f"garment {pattern.name}: no more seams are found: sew by hand")
    return found


def _newly_placed(panels: Sequence[Panel], found: Proposal) -> bool:
    lacked = {panel.name for panel in panels if panel.placement is None}
    return any(p.placement is not None and p.name in lacked for p in found.pattern.panels)


def propose_seams(pattern: Pattern, edit: c.ProposeSeams) -> Pattern:
    """Take what is proposed, but for some seams."""
    found = proposed(pattern).pattern
    old = len(pattern.seams)
    kept = tuple(s for k, s in enumerate(found.seams) if k < old or k - old not in edit.but)
    return replace(found, seams=kept)


def hold_edge(pattern: Pattern, edit: c.HoldEdge) -> Pattern:
    """Let an edge stay where the body carries it."""
    edge_of(pattern.panel(edit.piece), edit.edge)
    free = free_edge(pattern, c.FreeEdge(garment=edit.garment, piece=edit.piece, edge=edit.edge))
    hold = Hold(EdgeRef(edit.piece, edit.edge), edit.kind, edit.ratio)
    return replace(free, holds=(*free.holds, hold))


def free_edge(pattern: Pattern, edit: c.FreeEdge) -> Pattern:
    """Let an edge go."""
    kept = tuple(h for h in pattern.holds if (h.edge.panel, h.edge.edge) != (edit.piece, edit.edge))
    return replace(pattern, holds=kept)
