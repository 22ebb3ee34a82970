"""Placing the unsewn panels round the body: each on a true cylinder or cone, just outside the skin.

Panels are laid out beside their limbs (lay_out.py), the whole is shifted to the body's shoulders, waist and
crotch, and each panel is rolled (roll.py) with the smallest distance at which it touches neither the body
nor its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from toile._kernels import SurfaceTree
from toile.body.model.slipping import slipping_in
from toile.core.errors import ToileError
from toile.core.records import Body, Bools, EdgeRef, Floats, Garment, Ints, Pattern
from toile.garment.build import panel_coordinates
from toile.garment.from_mesh import MeshGarment
from toile.garment.place.limb_axes import LimbAxis, dressed_axis, heights, limb_axis, shoulder_line
from toile.garment.place.limbs import panel_limbs, words_of
from toile.garment.place.position_search import PlacedPanels, PositionSearch, UnrolledShape
from toile.garment.place.roll import convex_section
from toile.garment.place.unroll import UnrolledPanel, unroll_panels
from toile.pattern.model.curves import edge_length, edge_points, sample_edge

__all__ = ["panel_limbs", "place"]

LAYER = 0.012
"""further distance for each layer [m]"""
_UPPER = ("torso", "ftorso", "btorso", "bodice", "top", "shirt", "dress", "bust", "vest", "jacket", "coat")


def place(garment: Garment, body: Body, worn: MeshGarment | None = None) -> Floats:
    """Return where the particles of an unsewn garment start round the body in rest [m], (n, 3).

    Rest lengths are kept: panels are bent, never stretched. No point starts inside the body, and no panel
    through what is worn already. Sleeves start round narrow hands.
    """
    if len(garment.uv) != garment.particle_count:
        raise ToileError(f"garment {garment.name} is already sewn: place the unsewn one")
    body = slipping_in(body)
    tree = SurfaceTree(body.triangles, body.vertices)
    points = panel_coordinates(garment)
    position = np.zeros((garment.particle_count, 3))
    axes = _Axes(body, worn)
    first = 0
    for pattern, layer in zip(garment.patterns, garment.garment_layer, strict=True):
        laid = list(align_to_body(pattern, body).values())
        shapes, standing = [UnrolledShape(one) for one in laid], PlacedPanels()
        if worn is not None:
            standing.add(worn.garment.triangles, worn.position)
        for k in sorted(range(len(shapes)), key=lambda k: _turn_of(shapes[k])):
            shape, mask = shapes[k], garment.uv_panel == first + k
            triangles = _own_triangles(garment, mask)
            rolling = PositionSearch(shape, shapes, axes[shape.laid.limb], tree, LAYER * float(layer))
            position[mask] = rolling.place(points[mask], triangles, standing)
            standing.add(triangles, position[mask])
        first += len(pattern.panels)
    return position


ORDER = ("torso", "left_leg", "right_leg", "neck", "head", "left_arm", "right_arm")
"""panels of the trunk find their places first, what can slide along a limb comes last"""


def _turn_of(shape: UnrolledShape) -> int:
    return ORDER.index(shape.laid.limb)


def _own_triangles(garment: Garment, mask: Bools) -> Ints:
    """Return a panel's triangles, numbered by its own points."""
    number = np.cumsum(mask) - 1
    mine = mask[garment.triangles[:, 0]]
    return np.ascontiguousarray(number[garment.triangles[mine]], dtype=np.int32)


class _Axes(dict[str, LimbAxis]):
    """The limb axes of a body, each computed when it is first asked for."""

    def __init__(self, body: Body, worn: MeshGarment | None) -> None:
        self.body, self.worn = body, worn

    def __missing__(self, limb: str) -> LimbAxis:
        axis = limb_axis(self.body, limb)
        self[limb] = axis if self.worn is None else dressed_axis(axis, self.body, self.worn.position)
        return self[limb]


# ---------------------------------------------------------------------------- heights


def align_to_body(pattern: Pattern, body: Body) -> Mapping[str, UnrolledPanel]:
    """Return the panels unrolled beside their limbs, shifted to this body's heights."""
    laid = unroll_panels(pattern)
    if pattern.origin == "body":
        return laid
    level = heights(body)
    main = [v for v in laid.values() if not v.limb.endswith("_arm")]
    drop = _body_shift(pattern, laid, main, body) if main else 0.0
    moved = {}
    for name, one in laid.items():
        if one.limb.endswith("_arm"):
            top = max(v.outline()[:, 1].max() for v in laid.values() if v.limb == one.limb)
            moved[name] = one.moved(u=level["shoulder"] - top)
        else:
            moved[name] = one.moved(u=drop)
    return moved


def _body_shift(
    pattern: Pattern, laid: Mapping[str, UnrolledPanel], main: Sequence[UnrolledPanel], body: Body
) -> float:
    """Return how far the body's part of a garment must rise [m]."""
    level = heights(body)
    shoulders = _shoulder_seams(pattern, laid)
    top = max(UnrolledShape(v).top for v in main)
    if shoulders:
        points = np.vstack([laid[r.panel](_edge_middle(pattern, r)) for r in shoulders])
        return float(np.mean([shoulder_line(body, abs(s)) + 0.01 - u for s, u in points]))
    if any(w in _UPPER for v in main for w in words_of(v.panel)):
        return float(level["shoulder"] - 0.10 - top)
    waist = _waist_level(pattern, laid, main, body) - min(top, _top_height(pattern, main) + 0.005)
    return float(min(waist, _crotch_limit(pattern, laid, level["crotch"])))


def _shoulder_seams(pattern: Pattern, laid: Mapping[str, UnrolledPanel]) -> list[EdgeRef]:
    """Return the edges of seams that join a front to a back across the top."""
    found = []
    for seam in pattern.seams:
        for a, b in zip(seam.a, seam.b, strict=False):
            one, other = laid[a.panel], laid[b.panel]
            if one.limb == other.limb == "torso" and np.cos(one.faces - other.faces) < 0.0:
                found += [r for r in (a, b) if _crosses_top(pattern, laid[r.panel], r)]
    return found


def _crosses_top(pattern: Pattern, one: UnrolledPanel, ref: EdgeRef) -> bool:
    if UnrolledShape(one).apex is not None:
        return False  # the side of a wide skirt
    ends = one(edge_points(one.panel, ref.edge)[[0, -1]])
    flat = abs(ends[1, 0] - ends[0, 0]) > 0.6 * abs(ends[1, 1] - ends[0, 1])
    low, high = one.outline()[:, 1].min(), one.outline()[:, 1].max()
    return bool(flat and ends[:, 1].mean() > high - 0.3 * (high - low))


def _edge_middle(pattern: Pattern, ref: EdgeRef) -> Floats:
    return np.asarray(edge_points(pattern.panel(ref.panel), ref.edge)[[0, -1]].mean(axis=0, keepdims=True))


def _waist_level(
    pattern: Pattern, laid: Mapping[str, UnrolledPanel], main: Sequence[UnrolledPanel], body: Body
) -> float:
    """Return the height where the garment's top edge fits the body: the waist, or lower if it is wider."""
    level = heights(body)
    girth = _top_girth(pattern, main)
    skin = limb_axis(body, "torso").section
    for height in np.arange(level["waist"], level["hip"], -0.01):
        near = skin[np.abs(skin[:, 1] - height) < 0.012]
        if len(near) > 3 and convex_section(near[:, [0, 2]], 0.004).girth >= girth:
            return float(height)
    return level["waist"] if girth < 0.5 else level["hip"] + 0.25 * (level["waist"] - level["hip"])


def _top_girth(pattern: Pattern, main: Sequence[UnrolledPanel]) -> float:
    """Return the length of all unsewn edges along the garment's top [m]."""
    sewn = {(r.panel, r.edge) for seam in pattern.seams for r in (*seam.a, *seam.b)}
    top = max(UnrolledShape(v).top for v in main)
    return sum(
        edge_length(v.panel, i)
        for v in main
        for i in range(len(v.panel.edges))
        if (v.panel.name, i) not in sewn and v(edge_points(v.panel, i)[[0, -1]])[:, 1].mean() > top - 0.08
    )


def _top_height(pattern: Pattern, main: Sequence[UnrolledPanel]) -> float:
    """Return the mean height of the unsewn edges along the garment's top [m]: a slanted top has a tip."""
    sewn = {(r.panel, r.edge) for seam in pattern.seams for r in (*seam.a, *seam.b)}
    top = max(UnrolledShape(v).top for v in main)
    rows = [
        (float(v(sample_edge(v.panel, i, [0.0, 0.5, 1.0]))[:, 1].mean()), edge_length(v.panel, i))
        for v in main
        for i in range(len(v.panel.edges))
        if (v.panel.name, i) not in sewn and v(edge_points(v.panel, i)[[0, -1]])[:, 1].mean() > top - 0.08
    ]
    if not rows or any(UnrolledShape(v).apex is not None for v in main):
        return top
    return float(np.average([height for height, _ in rows], weights=[length for _, length in rows]))


def _crotch_limit(pattern: Pattern, laid: Mapping[str, UnrolledPanel], crotch: float) -> float:
    """Return the largest rise at which trousers still have room below the crotch [m]."""
    low = [
        laid[r.panel](edge_points(laid[r.panel].panel, r.edge))[:, 1].min()
        for seam in pattern.seams
        for r in (*seam.a, *seam.b)
        if {laid[x.panel].limb for x in (*seam.a, *seam.b)} == {"left_leg", "right_leg"}
    ]
    return crotch - 0.01 - min(low) if low else np.inf
