"""Edits that make, divide, turn over and place pieces: function(pattern, edit) → new pattern."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Edge, EdgeRef, Floats, Panel, Pattern, Placement, Seam
from toile.pattern.model import curves
from toile.pattern.model.angles import rotation_from_degrees
from toile.pattern.model.mirror import mirror_panel, other_side
from toile.pattern.model.sides import panel_box
from toile.pattern.pieces.panels import unfold_outline
from toile.pattern.pieces.placement import with_placements
from toile.studio import commands as c
from toile.studio.edit_points import edge_of, renumbered, with_panel, without_spare_corners

_AROUND = {
    "front": ("torso", 0.0), "back": ("torso", 180.0), "left": ("torso", 90.0), "right": ("torso", -90.0),
    "left_arm": ("left_arm", 90.0), "right_arm": ("right_arm", -90.0),
    "left_leg": ("left_leg", 0.0), "right_leg": ("right_leg", 0.0),
    "neck": ("neck", 180.0), "head": ("head", 180.0),
}  # fmt: skip
"""place → what the piece goes round, and where its outer face looks [degrees from the front to the left]"""
_MIDDLE = {"torso": 1.15, "left_arm": 1.25, "right_arm": 1.25, "left_leg": 0.55, "right_leg": 0.55,
           "neck": 1.42, "head": 1.55}  # fmt: skip
"""height of a piece's middle where nothing else tells it [m]"""


def rectangle(name: str, width: float, height: float) -> Panel:
    """Return a piece with four straight edges, its lower left corner at the origin."""
    corners = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
    return _polygon(name, corners)


def _polygon(name: str, corners: Floats) -> Panel:
    count = len(corners)
    panel = Panel(name, corners, tuple(Edge(k, (k + 1) % count) for k in range(count)))
    if curves.area(panel) < 0:
        # drawn clockwise
        return _polygon(name, corners[::-1])
    return panel


def free_name(pattern: Pattern, wanted: str) -> str:
    """Return a name that no piece has: wanted, wanted 2, wanted 3 …"""
    taken = {panel.name for panel in pattern.panels}
    names = (wanted if k == 1 else f"{wanted} {k}" for k in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _refuse_taken(pattern: Pattern, name: str) -> None:
    if any(panel.name == name for panel in pattern.panels):
        raise ToileError(f"there is a piece '{name}' already: choose another name")


def add_piece(pattern: Pattern, edit: c.AddPiece) -> Pattern:
    """Add a piece with straight edges."""
    _refuse_taken(pattern, edit.piece)
    if len(edit.outline) < 3:
        raise ToileError(f"piece '{edit.piece}' has {len(edit.outline)} corners: draw at least 3")
    return replace(pattern, panels=(*pattern.panels, _polygon(edit.piece, np.array(edit.outline))))


def delete_piece(pattern: Pattern, edit: c.DeletePiece) -> Pattern:
    """Take a piece away with all that runs along its edges."""
    pattern.panel(edit.piece)
    if len(pattern.panels) == 1:
        raise ToileError(f"'{edit.piece}' is the garment's last piece: delete the garment")
    left = renumbered(pattern, edit.piece, {})
    return replace(left, panels=tuple(p for p in left.panels if p.name != edit.piece))


def rename_piece(pattern: Pattern, edit: c.RenamePiece) -> Pattern:
    """Give a piece another name."""
    panel = pattern.panel(edit.piece)
    if edit.name == edit.piece:
        return pattern
    _refuse_taken(pattern, edit.name)

    def ref(one: EdgeRef) -> EdgeRef:
        return replace(one, panel=edit.name) if one.panel == edit.piece else one

    def chain(refs: tuple[EdgeRef, ...]) -> tuple[EdgeRef, ...]:
        return tuple(ref(one) for one in refs)

    return replace(
        pattern,
        panels=tuple(replace(p, name=edit.name) if p is panel else p for p in pattern.panels),
        seams=tuple(replace(s, a=chain(s.a), b=chain(s.b)) for s in pattern.seams),
        holds=tuple(replace(h, edge=ref(h.edge)) for h in pattern.holds),
        grades=tuple(replace(g, edge=ref(g.edge)) for g in pattern.grades),
    )


def mirror_piece(pattern: Pattern, edit: c.MirrorPiece) -> Pattern:
    """Turn a piece over about the middle of its box; it stays on its side of the body."""
    panel = pattern.panel(edit.piece)
    low, high = panel_box(panel)
    turned = mirror_panel(panel, panel.name)
    shift = np.array([low[0] + high[0], 0.0])
    moved = replace(
        turned,
        vertices=turned.vertices + shift,
        edges=tuple(replace(edge, controls=edge.controls + shift) for edge in turned.edges),
        marks=tuple(replace(mark, points=mark.points + shift) for mark in turned.marks),
        placement=panel.placement,
    )
    return with_panel(pattern, moved)


def copy_piece(pattern: Pattern, edit: c.CopyPiece) -> Pattern:
    """Add a copy of a piece."""
    panel = pattern.panel(edit.piece)
    wanted = edit.name or (other_side(panel.name) if edit.mirrored else panel.name)
    if edit.name:
        _refuse_taken(pattern, edit.name)
    name = free_name(pattern, wanted)
    made = mirror_panel(panel, name) if edit.mirrored else replace(panel, name=name)
    return replace(pattern, panels=(*pattern.panels, made))


def unfold_piece(pattern: Pattern, edit: c.UnfoldPiece) -> Pattern:
    """Unfold a half piece along a straight edge; its seams stay on the half that was there."""
    panel = pattern.panel(edit.piece)
    fold = edge_of(panel, edit.edge)
    if fold.kind != "line":
        raise ToileError(f"edge {edit.edge} of '{panel.name}' is curved: unfold along a straight one")
    outline = [(e.kind, curves.edge_points(panel, k)) for k, e in enumerate(panel.edges)]
    found = unfold_outline(outline, panel.vertices[[fold.start, fold.end]])
    if found is None:
        raise ToileError(f"'{panel.name}' cannot be unfolded along edge {edit.edge}: other edges lie on it")
    count = len(panel.edges)
    # the unfolded outline begins after the fold
    first = [(edit.edge + 1 + k) % count for k in range(count - 1)]
    names = [panel.edges[k].name for k in first]
    vertices, edges = curves.make_edges(found, names + names[::-1])
    numbers = {old: new for new, old in enumerate(first)}
    notches = tuple(replace(n, edge=numbers[n.edge]) for n in panel.notches if n.edge in numbers)
    whole = replace(panel, vertices=vertices, edges=edges, notches=notches)
    return renumbered(with_panel(pattern, whole), panel.name, numbers)


def split_piece(pattern: Pattern, edit: c.SplitPiece) -> Pattern:
    """Cut a piece in two between two corners."""
    panel = pattern.panel(edit.piece)
    starts = [edge.start for edge in panel.edges]
    if edit.first not in starts or edit.second not in starts:
        raise ToileError(f"piece '{panel.name}' has no such corners: cut between two that it has")
    low, high = sorted((starts.index(edit.first), starts.index(edit.second)))
    count = len(panel.edges)
    if high - low < 2 or low + count - high < 2:
        raise ToileError(f"'{panel.name}': these corners lie beside each other: nothing would be cut off")
    if edit.name:
        _refuse_taken(pattern, edit.name)
    name = edit.name or free_name(pattern, panel.name)
    inner, outer = list(range(low, high)), [*range(high, count), *range(low)]
    kept, new = _part(panel, outer, panel.name), _part(panel, inner, name)
    moved = _divided(pattern, panel, {k: (name, n) for n, k in enumerate(inner)}
                     | {k: (panel.name, n) for n, k in enumerate(outer)})  # fmt: skip
    panels = [p for one in moved.panels for p in ((kept, new) if one.name == panel.name else (one,))]
    seams = moved.seams
    if edit.sew:
        seam = Seam((EdgeRef(panel.name, len(outer)),), (EdgeRef(name, len(inner), True),), name="cut")
        seams = (*seams, seam)
    return replace(moved, panels=tuple(panels), seams=seams)


def _part(panel: Panel, edges: list[int], name: str) -> Panel:
    """Return these edges of a piece, closed by a straight one, as a piece."""
    own = [panel.edges[k] for k in edges]
    closing = Edge(own[-1].end, own[0].start, name="cut")
    notches = tuple(replace(n, edge=edges.index(n.edge)) for n in panel.notches if n.edge in edges)
    part = replace(panel, name=name, edges=(*own, closing), notches=notches, marks=())
    part = without_spare_corners(part)
    inside = tuple(mark for mark in panel.marks if _inside(part, mark.points))
    return replace(part, marks=inside)


def _inside(panel: Panel, points: Floats) -> bool:
    import shapely

    shape = shapely.Polygon(curves.outline(panel, 1e-3)).buffer(1e-6)
    return bool(shapely.contains_xy(shape, points[:, 0], points[:, 1]).all())


def _divided(pattern: Pattern, panel: Panel, where: dict[int, tuple[str, int]]) -> Pattern:
    """Return the pattern whose seams, holds and grades name the parts of a piece."""

    def ref(one: EdgeRef) -> EdgeRef:
        if one.panel != panel.name:
            return one
        name, number = where[one.edge]
        return replace(one, panel=name, edge=number)

    def chain(refs: tuple[EdgeRef, ...]) -> tuple[EdgeRef, ...]:
        return tuple(ref(one) for one in refs)

    return replace(
        pattern,
        seams=tuple(replace(s, a=chain(s.a), b=chain(s.b)) for s in pattern.seams),
        holds=tuple(replace(h, edge=ref(h.edge)) for h in pattern.holds),
        grades=tuple(replace(g, edge=ref(g.edge)) for g in pattern.grades),
    )


def place_piece(pattern: Pattern, edit: c.PlacePiece) -> Pattern:
    """Say where a piece goes on the body."""
    panel = pattern.panel(edit.piece)
    around, degrees = _AROUND[edit.place]
    low, high = panel_box(panel)
    centre = 0.5 * (low + high)
    height = edit.height
    if height is None:
        height = _found_height(pattern, panel, around) or _MIDDLE[around]
    rotation = rotation_from_degrees(0.0, degrees, 0.0)
    at = np.array([0.0, height, 0.0]) - rotation @ np.array([centre[0], centre[1], 0.0])
    return with_panel(pattern, replace(panel, placement=Placement(at, rotation, around)))


def _found_height(pattern: Pattern, panel: Panel, around: str) -> float | None:
    """Return the height that the piece's name and seams tell, if they agree on what it goes round."""
    bare = with_panel(pattern, replace(panel, placement=None))
    found = with_placements(bare).panel(panel.name).placement
    if found is None or found.around != around:
        return None
    low, high = panel_box(panel)
    return float(found.translation[1] + 0.5 * (low[1] + high[1]))
