"""Placing the unsewn panels round the body: each on a true cylinder or cone, just outside the skin.

Panels are laid out beside their limbs (lay_out.py), the whole is shifted to the body's shoulders, waist and
crotch, and each panel is rolled (roll.py) with the smallest distance at which it touches neither the body
nor its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toile._kernels import SurfaceTree
from toile.errors import ToileError
from toile.garment.build import panel_coordinates
from toile.garment.lay_out import Laid, lay_out, panel_limbs, words_of
from toile.garment.limb_axes import LimbAxis, heights, limb_axis, shoulder_line
from toile.garment.roll import (
    arc_centre,
    cone_over,
    extents,
    find_apex,
    find_taper,
    fluted,
    roll_cone,
    roll_cylinder,
    section,
)
from toile.pattern.curves import edge_length, edge_points, sample_edge
from toile.types import Body, EdgeRef, Floats, Garment, Pattern

__all__ = ["panel_limbs", "place"]

MARGIN = {"torso": 0.02, "arm": 0.012, "leg": 0.015, "neck": 0.008, "head": 0.015}
"""least distance of a starting panel from the skin [m]"""
LAYER = 0.012
"""further distance for each layer [m]"""
FARTHEST = {"torso": 0.40, "arm": 0.15, "leg": 0.40, "neck": 0.05, "head": 0.15}
"""largest distance that is tried [m]"""
WIDEST = 4.0
"""angle of the widest smooth cone [rad]; more cloth goes into flutes"""
STEP = 0.005
"""step of the search for room [m]"""
_UPPER = ("torso", "ftorso", "btorso", "bodice", "top", "shirt", "dress", "bust", "vest", "jacket", "coat")


def place(garment: Garment, body: Body) -> Floats:
    """Return where the particles of an unsewn garment start round the body in rest [m], (n, 3).

    Rest lengths are kept: panels are bent, never stretched. No point starts inside the body.
    """
    if len(garment.uv) != garment.particle_count:
        raise ToileError(f"garment {garment.name} is already sewn: place the unsewn one")
    tree = SurfaceTree(body.triangles, body.vertices)
    points = panel_coordinates(garment)
    position = np.zeros((garment.particle_count, 3))
    axes = _Axes(body)
    first = 0
    for pattern, layer in zip(garment.patterns, garment.garment_layer, strict=True):
        laid = [_keep_to_side(one, axes[one.limb]) for one in align(pattern, body).values()]
        shapes = [_Shape(one) for one in laid]
        for k, shape in enumerate(shapes):
            mask = garment.uv_panel == first + k
            rolling = _Rolling(shape, shapes, axes[shape.laid.limb], tree, LAYER * float(layer))
            position[mask] = rolling.place(points[mask])
        first += len(pattern.panels)
    return position


class _Axes(dict[str, LimbAxis]):
    """The limb axes of a body, each computed when it is first asked for."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def __missing__(self, limb: str) -> LimbAxis:
        self[limb] = limb_axis(self.body, limb)
        return self[limb]


# ---------------------------------------------------------------------------- heights


def align(pattern: Pattern, body: Body) -> dict[str, Laid]:
    """Return the panels unrolled beside their limbs, shifted to this body's heights."""
    laid = lay_out(pattern)
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


def _body_shift(pattern: Pattern, laid: dict[str, Laid], main: Sequence[Laid], body: Body) -> float:
    """Return how far the body's part of a garment must rise [m]."""
    level = heights(body)
    shoulders = _shoulder_seams(pattern, laid)
    top = max(_Shape(v).top for v in main)
    if shoulders:
        points = np.vstack([laid[r.panel](_edge_middle(pattern, r)) for r in shoulders])
        return float(np.mean([shoulder_line(body, abs(s)) + 0.01 - u for s, u in points]))
    if any(w in _UPPER for v in main for w in words_of(v.panel)):
        return float(level["shoulder"] - 0.10 - top)
    waist = _waist_level(pattern, laid, main, body) - min(top, _top_height(pattern, main) + 0.005)
    return float(min(waist, _crotch_limit(pattern, laid, level["crotch"])))


def _shoulder_seams(pattern: Pattern, laid: dict[str, Laid]) -> list[EdgeRef]:
    """Return the edges of seams that join a front to a back across the top."""
    found = []
    for seam in pattern.seams:
        for a, b in zip(seam.a, seam.b, strict=False):
            one, other = laid[a.panel], laid[b.panel]
            if one.limb == other.limb == "torso" and np.cos(one.faces - other.faces) < 0.0:
                found += [r for r in (a, b) if _crosses_top(pattern, laid[r.panel], r)]
    return found


def _crosses_top(pattern: Pattern, one: Laid, ref: EdgeRef) -> bool:
    if _Shape(one).apex is not None:
        return False  # the side of a wide skirt
    ends = one(edge_points(one.panel, ref.edge)[[0, -1]])
    flat = abs(ends[1, 0] - ends[0, 0]) > 0.6 * abs(ends[1, 1] - ends[0, 1])
    low, high = one.outline()[:, 1].min(), one.outline()[:, 1].max()
    return bool(flat and ends[:, 1].mean() > high - 0.3 * (high - low))


def _edge_middle(pattern: Pattern, ref: EdgeRef) -> Floats:
    return np.asarray(edge_points(pattern.panel(ref.panel), ref.edge)[[0, -1]].mean(axis=0, keepdims=True))


def _waist_level(pattern: Pattern, laid: dict[str, Laid], main: Sequence[Laid], body: Body) -> float:
    """Return the height where the garment's top edge fits the body: the waist, or lower if it is wider."""
    level = heights(body)
    girth = _top_girth(pattern, main)
    skin = limb_axis(body, "torso").section
    for height in np.arange(level["waist"], level["hip"], -0.01):
        near = skin[np.abs(skin[:, 1] - height) < 0.012]
        if len(near) > 3 and section(near[:, [0, 2]], 0.004).girth >= girth:
            return float(height)
    return level["waist"] if girth < 0.5 else level["hip"] + 0.25 * (level["waist"] - level["hip"])


def _top_girth(pattern: Pattern, main: Sequence[Laid]) -> float:
    """Return the length of all unsewn edges along the garment's top [m]."""
    sewn = {(r.panel, r.edge) for seam in pattern.seams for r in (*seam.a, *seam.b)}
    top = max(_Shape(v).top for v in main)
    return sum(
        edge_length(v.panel, i)
        for v in main
        for i in range(len(v.panel.edges))
        if (v.panel.name, i) not in sewn and v(edge_points(v.panel, i)[[0, -1]])[:, 1].mean() > top - 0.08
    )


def _top_height(pattern: Pattern, main: Sequence[Laid]) -> float:
    """Return the mean height of the unsewn edges along the garment's top [m]: a slanted top has a tip."""
    sewn = {(r.panel, r.edge) for seam in pattern.seams for r in (*seam.a, *seam.b)}
    top = max(_Shape(v).top for v in main)
    rows = [
        (float(v(sample_edge(v.panel, i, [0.0, 0.5, 1.0]))[:, 1].mean()), edge_length(v.panel, i))
        for v in main
        for i in range(len(v.panel.edges))
        if (v.panel.name, i) not in sewn and v(edge_points(v.panel, i)[[0, -1]])[:, 1].mean() > top - 0.08
    ]
    if not rows or any(_Shape(v).apex is not None for v in main):
        return top
    return float(np.average([height for height, _ in rows], weights=[length for _, length in rows]))


def _crotch_limit(pattern: Pattern, laid: dict[str, Laid], crotch: float) -> float:
    """Return the largest rise at which trousers still have room below the crotch [m]."""
    low = [
        laid[r.panel](edge_points(laid[r.panel].panel, r.edge))[:, 1].min()
        for seam in pattern.seams
        for r in (*seam.a, *seam.b)
        if {laid[x.panel].limb for x in (*seam.a, *seam.b)} == {"left_leg", "right_leg"}
    ]
    return crotch - 0.01 - min(low) if low else np.inf


# ---------------------------------------------------------------------------- room


LEAN = 0.10
"""how far a leg's panel may lean outward to keep to its side [rad]"""


def _keep_to_side(laid: Laid, axis: LimbAxis) -> Laid:
    """Return a leg's panel moved outward, until nothing of it crosses the middle of the body.

    It leans first, about its hem, so that the hem stays round the leg; then it is shifted.
    """
    if not laid.limb.endswith("_leg"):
        return laid
    side = 1.0 if laid.limb.startswith("left") else -1.0
    # in front of its leg s runs to the left, behind it to the right
    outward = side * (1.0 if np.cos(laid.faces) >= 0.0 else -1.0)
    su = laid.outline()
    low = su[su[:, 1] < su[:, 1].min() + 0.01]
    for lean in np.linspace(0.0, LEAN, 11):
        turned = laid.turned(-outward * lean, low.mean(axis=0))
        missing = _beyond_middle(turned, axis, side, outward)
        if missing <= 0.0:
            return turned
    return turned.moved(s=outward * missing)


def _beyond_middle(laid: Laid, axis: LimbAxis, side: float, outward: float) -> float:
    """Return how far a panel in front of or behind its leg reaches across the middle of the body [m]."""
    su = laid.outline()
    flat = np.stack([side * outward * su[:, 0], su[:, 1], np.zeros(len(su))], axis=1)
    return 0.012 - float((side * axis.world(flat)[:, 0]).min())


class _Shape:
    """What rolling needs to know about an unrolled panel, found once."""

    def __init__(self, laid: Laid) -> None:
        self.laid = laid
        self.outline = laid.outline()
        self.low, self.high = float(self.outline[:, 1].min()), float(self.outline[:, 1].max())
        self.extents = extents(self.outline)
        self.apex = self._ring_centre()
        self.up = 1.0
        sideways = abs(np.cos(laid.faces)) < 0.5
        if self.apex is None and laid.limb.endswith("_arm") and sideways:
            # a sleeve in one piece is a cone that stands on its tip
            self.apex, self.up = find_taper(self.outline), -1.0
        elif self.apex is None and not laid.limb.endswith("_arm"):
            # the cap of a short sleeve narrows upwards, but is no flare
            self.apex = find_apex(self.outline)
        # the corners of a ring lie higher than its middle, until it is bent round
        ring = self.apex is not None and self.up > 0.0
        self.top = float(np.asarray(self.apex)[1]) - self.radius if ring else self.high

    @property
    def widest(self) -> float:
        """Return the height at which the panel is widest [m]."""
        levels, low, high = self.extents
        return float(levels[np.argmax(high - low)])

    @property
    def radius(self) -> float:
        """Return the distance of a flare's waist from its apex [m]."""
        return float(np.linalg.norm(self.outline - np.asarray(self.apex), axis=1).min())

    def _ring_centre(self) -> Floats | None:
        """Return the middle of a panel cut as part of a ring."""
        panel = self.laid.panel
        arcs = [
            self.laid(sample_edge(panel, i, [0.0, 0.5, 1.0]))
            for i, e in enumerate(panel.edges)
            if e.kind == "arc"
        ]
        return arc_centre(arcs, sum(edge_length(panel, i) for i in range(len(panel.edges))))


@dataclass(frozen=True, eq=False, slots=True)
class _Rolling:
    """One panel on its way round its limb."""

    shape: _Shape
    others: Sequence[_Shape]
    axis: LimbAxis
    tree: SurfaceTree
    extra: float
    """further distance from the skin, for outer layers [m]"""

    def place(self, points: Floats) -> Floats:
        """Return world positions of panel points, as near to the skin as there is room [m], (n, 3)."""
        laid = self.shape.laid
        least = self._least()
        for margin, most in self._tries(least):
            world = self._search(points, margin, least, most)
            if world is not None:
                return world
        raise ToileError(
            f"panel '{laid.panel.name}' finds no room round the {laid.limb.replace('_', ' ')}: "
            f"check its size and height, or give another 'around'"
        )

    def _tries(self, least: float) -> Sequence[tuple[float, float]]:
        """Return the margins to the skin [m] to be tried, each with the largest girth or angle."""
        margin = MARGIN[self.shape.laid.limb.split("_")[-1]]
        if not self.shape.laid.limb.endswith("_arm"):
            return [(margin + self.extra, np.inf)]
        # a sleeve must enclose its arm from the beginning: better near the skin than wide open
        near = [(share * margin + self.extra, 1.45 * least) for share in (1.0, 0.7, 0.45)]
        return [*near, (0.7 * margin + self.extra, 2.0 * least), (0.7 * margin + self.extra, np.inf)]

    def _search(self, points: Floats, margin: float, least: float, most: float) -> Floats | None:
        """Return the nearest place with room [m], (n, 3)."""
        laid, roll = self.shape.laid, self._cylinder if self.shape.apex is None else self._cone
        ahead = np.array([np.sin(laid.faces), 0.0, np.cos(laid.faces)])
        farthest = self.extra + FARTHEST[laid.limb.split("_")[-1]]
        for slide in self._slides():
            su = laid(points) - [0.0, slide]
            for offset in np.arange(margin, farthest, STEP):
                world, size = roll(su, slide, float(offset), least)
                if size > most:
                    break
                for push in self._pushes(least) if size >= min(least, WIDEST) else ():
                    if self._clear(world + push * ahead, margin):
                        return np.asarray(world + push * ahead)
        return None

    def _slides(self) -> Sequence[float]:
        """Return how far the panel may slide down its limb to find room [m], nearest first."""
        limb = self.shape.laid.limb
        if limb.endswith("_arm"):
            return [0.02 * k for k in range(9)]
        return [-0.01 * k for k in range(13)] if limb in ("neck", "head") else [0.0]

    def _pushes(self, least: float) -> Sequence[float]:
        """Return how far the panel may be pushed ahead to find room [m]."""
        # the waist of a wide skirt is a small circle: too small to stand round the body
        wide = self.shape.apex is not None and least > 2.5
        return [0.01 * k for k in range(20)] if wide else [0.0]

    def _clear(self, world: Floats, margin: float) -> bool:
        # the search must reach any skin from inside: beyond its radius nothing is found
        return bool(self.tree.nearest(world, 0.3)[1].min() >= margin)

    def _skin(self, low: float, high: float) -> Floats:
        """Return the skin between two heights of the limb, seen along it: (x, z) [m]."""
        skin = self.axis.section
        if self.shape.laid.limb == "torso":
            # the shoulders are wider than a garment's body needs to be
            high = min(high, float(np.quantile(skin[:, 1], 0.9)))
        near = skin[(skin[:, 1] > min(low, high - 0.05)) & (skin[:, 1] < high)]
        return near[:, [0, 2]] if len(near) > 3 else skin[:, [0, 2]]

    def _cylinder(self, su: Floats, slide: float, offset: float, least: float) -> tuple[Floats, float]:
        """Return world positions on a cylinder that far from the skin, and its girth [m]."""
        # hands are wider than sleeves
        reach = 0.0 if self.shape.laid.limb.endswith("_arm") else 0.02
        skin = self._skin(self.shape.low - slide - reach, self.shape.high - slide + reach)
        around = section(skin, offset)
        start = self.shape.laid.faces / (2.0 * np.pi) * around.girth
        # too narrow a cylinder has no room for the neighbours
        size = around.girth if around.girth >= least else 0.0
        return self.axis.world(roll_cylinder(around, su[:, 0] + start, su[:, 1])), size

    def _cone(self, su: Floats, slide: float, offset: float, least: float) -> tuple[Floats, float]:
        """Return world positions on a cone that far from the skin [m], and its angle [rad]."""
        flip = np.array([1.0, self.shape.up])
        apex, radius = flip * (np.asarray(self.shape.apex) - [0.0, slide]), self.shape.radius
        top = float(apex[1]) - radius
        share = self.shape.laid.faces / (2.0 * np.pi)
        if self.shape.up > 0.0:
            base = max(top - 0.18, self.shape.low - slide)
            skin = self._skin(base - 0.05, top + 0.02)
        else:
            base = min(slide - self.shape.widest, top - 0.02)
            skin = self._skin(-base - 0.06, -base + 0.03)
        around = section(skin, offset)
        cone = cone_over(around, base, top, radius, share)
        size = float(cone.angle[-1])
        if WIDEST <= size < least:
            cone = fluted(cone, least)
        limb = roll_cone(cone, apex, share * float(cone.angle[-1]), su[:, 0], self.shape.up * su[:, 1])
        return self.axis.world(limb * [1.0, self.shape.up, 1.0]), size

    def _least(self) -> float:
        """Return the girth [m] or cone's angle [rad] at which the panel does not overlap its neighbours."""
        mine, overlap = self.shape, _overlap if self.shape.apex is None else _overlap_angle
        near = [v for v in self.others if v.laid.limb == mine.laid.limb]
        pairs = [(mine, v) for v in near] + [(v, mine) for v in near]
        return max(overlap(a, b) / turn for a, b in pairs if (turn := _turn(a, b)) > 0.0)


def _turn(a: _Shape, b: _Shape) -> float:
    """Return which part of a turn lies between a and b in the direction of growing s; 0: side by side."""
    if a is b:
        return 1.0
    turn = float(np.mod((b.laid.faces - a.laid.faces) / (2.0 * np.pi), 1.0))
    return turn if 0.02 < turn < 0.98 else 0.0


def _overlap(a: _Shape, b: _Shape) -> float:
    """Return how far the end of a reaches beyond the beginning of b, as if they faced the same way [m]."""
    if (a.apex is None) != (b.apex is None):
        return 0.0
    (u, _, end), (v, begin, _) = a.extents, b.extents
    _, i, j = np.intersect1d(np.round(u * 100), np.round(v * 100), return_indices=True)
    # pieces that only touch, one above the other, are no neighbours
    beside = len(i) > 3 or a is b
    return float((end[i] - begin[j]).max() + 0.004) if beside else 0.0


def _overlap_angle(a: _Shape, b: _Shape) -> float:
    """Return the same on a cone [rad]."""
    if a.apex is None or b.apex is None:
        return 0.0
    return float(_angles(a, a.apex).max() - _angles(b, b.apex).min())


def _angles(shape: _Shape, apex: Floats) -> Floats:
    """Return the angles of a flare's outline about its apex [rad], (k,)."""
    across, down = (shape.outline - apex).T
    return np.asarray(np.arctan2(across, -shape.up * down))
