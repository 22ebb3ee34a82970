"""Finding room for a panel round its limb: rolled, clear of the skin, through no other panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from toile._kernels import SurfaceTree, meeting_pairs
from toile.core.errors import ToileError
from toile.core.records import Floats, Ints
from toile.garment.place.limb_axes import LimbAxis
from toile.garment.place.roll import (
    ConvexSection,
    arc_centre,
    cone_over,
    convex_section,
    extents,
    find_apex,
    find_taper,
    fluted,
    roll_cone,
    roll_cylinder,
)
from toile.garment.place.unroll import UnrolledPanel
from toile.pattern.model.curves import edge_length, sample_edge

MARGIN = {"torso": 0.02, "arm": 0.012, "leg": 0.015, "neck": 0.008, "head": 0.015}
"""least distance of a starting panel from the skin [m]"""
FARTHEST = {"torso": 0.40, "arm": 0.15, "leg": 0.40, "neck": 0.05, "head": 0.15}
"""largest distance that is tried [m]"""
WIDEST = 4.0
"""angle of the widest smooth cone [rad]; more cloth goes into flutes"""
STEP = 0.005
"""step of the search for room [m]"""
SLIDING = 2.0
"""what a metre that a panel slides along its limb costs; standing open by its own girth costs 1"""
CROSSING = 2.0
"""what it costs to run through another panel"""
LEAN = 0.4
"""how far a sleeve may lean, per length"""
LEG_LEAN = 0.16
"""how far a leg's panel may lean outward [rad]"""
LEVEL = 0.03
"""distance of the outlines on which a leg in one piece is laid [m]"""
STACKED = 8
"""rounds in which its outlines are moved off the skin"""
MIDDLE = 0.004
"""distance that a leg's panels keep from the middle of the body [m]"""
GOOD = 1.3
"""a panel that stands open by less than this is well placed"""


@dataclass(frozen=True, eq=False, slots=True)
class PanelPosition:
    """A place for a panel."""

    cost: float
    """how far it stands open round its limb, in its own girths, and how far it has slid"""
    free: bool
    """it runs through no other panel"""
    world: Floats
    """[m], (n, 3)"""

    @property
    def good(self) -> bool:
        """Say whether there is no need to look further."""
        return self.free and self.cost < GOOD


NOWHERE = PanelPosition(np.inf, False, np.zeros((0, 3)))


class PlacedPanels:
    """The panels of a garment that have found their places."""

    def __init__(self) -> None:
        self._panels: list[SurfaceTree] = []

    def add(self, triangles: Ints, position: Floats) -> None:
        """Let one more panel stand."""
        self._panels.append(SurfaceTree(triangles, position))

    def crossed(self, panel: SurfaceTree, position: Floats) -> bool:
        """Say whether a panel would run through one that stands."""
        panel.refit(np.ascontiguousarray(position))
        return any(len(meeting_pairs(other, panel, 1)[1]) for other in self._panels)


class UnrolledShape:
    """What rolling needs to know about an unrolled panel, found once."""

    def __init__(self, laid: UnrolledPanel) -> None:
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
    def encloses(self) -> bool:
        """Say whether it is a leg in one piece, with its only seam along the inside."""
        return self.laid.limb.endswith("_leg") and abs(np.cos(self.laid.faces)) < 0.5

    @property
    def widest(self) -> float:
        """Return the height at which the panel is widest [m]."""
        levels, low, high = self.extents
        return float(levels[np.argmax(high - low)])

    @property
    def radius(self) -> float:
        """Return the distance of a flare's waist from its apex [m]."""
        return float(np.linalg.norm(self.outline - np.asarray(self.apex), axis=1).min())

    @property
    def hanging(self) -> float:
        """Return how far down the panel reaches when it hangs [m]: a ring by the cloth below its waist."""
        if self.apex is None or self.up < 0.0:
            return self.low
        return self.top - float(np.linalg.norm(self.outline - self.apex, axis=1).max()) + self.radius

    @property
    def angle(self) -> float:
        """Return the angle of a flare at its apex [rad]; 0 for a panel that is none."""
        return 0.0 if self.apex is None or self.up < 0.0 else float(np.ptp(_angles(self, self.apex)))

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
class PositionSearch:
    """One panel on its way round its limb."""

    shape: UnrolledShape
    others: Sequence[UnrolledShape]
    axis: LimbAxis
    tree: SurfaceTree
    extra: float
    """further distance from the skin, for outer layers [m]"""

    def place(self, points: Floats, triangles: Ints, standing: PlacedPanels) -> Floats:
        """Return world positions of a panel's points, as near to the skin as there is room [m], (n, 3).

        triangles: the panel's own, to see whether it runs through panels that stand already.
        """
        laid, least, best = self.shape.laid, self._least(), NOWHERE
        panel = SurfaceTree(triangles, np.column_stack([points, np.zeros(len(points))]))
        for margin in self._margins():
            for slide in self._slides():
                best = self._at(points, slide, margin, least, best, lambda w: standing.crossed(panel, w))
                if best.good or (best.free and not laid.limb.endswith("_arm")):
                    return best.world
            if best.free:
                break
        if best is NOWHERE:
            raise ToileError(
                f"panel '{laid.panel.name}' finds no room round the {laid.limb.replace('_', ' ')}: "
                f"check its size and height, or give another 'around'"
            )
        return best.world

    def _margins(self) -> Sequence[float]:
        """Return the distances from the skin [m] to be tried, the wanted one first."""
        margin = MARGIN[self.shape.laid.limb.split("_")[-1]]
        # a sleeve must enclose its arm from the beginning: better near the skin than wide open
        shares = (1.0, 0.45) if self.shape.laid.limb.endswith("_arm") else (1.0,)
        shares = (0.6,) if self.shape.encloses else shares
        return [share * (margin + self.extra) for share in shares]

    def _at(
        self,
        points: Floats,
        slide: float,
        margin: float,
        least: float,
        best: PanelPosition,
        crossed: Callable[[Floats], bool],
    ) -> PanelPosition:
        """Return the nearest place with room after sliding that far, if it is better than the best known."""
        laid, pushes = self.shape.laid, self._pushes(least)
        su, offset = laid(points) - [0.0, slide], margin
        while offset < self.extra + FARTHEST[laid.limb.split("_")[-1]]:
            world, size = self._roll(su, slide, offset, least)
            cost = size / least + SLIDING * abs(slide)
            if cost >= best.cost:
                break
            wide = size >= min(least, WIDEST)
            missing = np.array([self._missing(world + p, margin) for p in pushes] if wide else [STEP])
            if missing.min() <= 0.0:
                world = world + pushes[int(np.argmax(missing <= 0.0))]
                free = not crossed(world)
                if free or cost + CROSSING < best.cost:
                    best = PanelPosition(cost if free else cost + CROSSING, free, world)
                if free:
                    break
            offset += max(STEP, 0.4 * float(missing.min()))
        return best

    def _roll(self, su: Floats, slide: float, offset: float, least: float) -> tuple[Floats, float]:
        """Return world positions [m] that far from the skin, and the girth [m] or cone's angle [rad].

        A leg's panel leans outward, about its hem, until nothing of it crosses the middle of the body; if
        that is too much it is moved.
        """
        roll = self._cylinder if self.shape.apex is None else self._cone
        if self.shape.encloses:
            return self._stack(su, slide, offset, least)
        world, size = roll(su, slide, offset, least)
        laid = self.shape.laid
        if laid.limb.endswith("_leg"):
            side = 1.0 if laid.limb.startswith("left") else -1.0
            # in front of its leg s runs to the left, behind it to the right
            outward = side * (1.0 if np.cos(laid.faces) >= 0.0 else -1.0)
            hem = su[su[:, 1] < su[:, 1].min() + 0.02].mean(axis=0)
            leant = 0.0
            for _ in range(6):
                across = side * world[:, 0]
                if (beyond := MIDDLE - float(across.min())) <= 0.0:
                    break
                lean = 1.1 * beyond / max(float(su[np.argmin(across), 1] - hem[1]), 0.2)
                if leant + lean <= LEG_LEAN:
                    su, leant = _leaning(su, hem, -outward * lean), leant + lean
                else:
                    su = su + np.array([1.2 * outward * beyond, 0.0])
                world, size = roll(su, slide, offset, least)
        return world, size

    def _slides(self) -> Sequence[float]:
        """Return how far the panel may slide down its limb to find room [m], nearest first."""
        limb = self.shape.laid.limb
        if limb.endswith("_arm"):
            return [0.03 * k for k in range(7)]
        return [-0.01 * k for k in range(13)] if limb in ("neck", "head") else [-0.01 * k for k in range(7)]

    def _pushes(self, least: float) -> Sequence[Floats]:
        """Return how the panel may be pushed ahead to find room [m]."""
        # the waist of a wide skirt is a small circle: too small to stand round the body
        wide = self.shape.apex is not None and least > 2.5
        faces = self.shape.laid.faces
        ahead = np.array([np.sin(faces), 0.0, np.cos(faces)])
        return [0.01 * k * ahead for k in range(20 if wide else 1)]

    def _missing(self, world: Floats, margin: float) -> float:
        """Return how much the nearest point lacks to its distance from the skin [m]; 0 or less: none."""
        # the search must reach any skin from inside: beyond its radius nothing is found
        for some in (world[::16], world):
            missing = margin - float(self.tree.nearest(np.ascontiguousarray(some), 0.3)[1].min())
            if missing > 0.0:
                break
        return missing

    def _skin(self, low: float, high: float) -> Floats:
        """Return the skin between two heights of the limb, seen along it: (x, z) [m]."""
        skin = self.axis.section
        if self.shape.laid.limb == "torso":
            # the shoulders are wider than a garment's body needs to be
            high = min(high, float(np.quantile(skin[:, 1], 0.9)))
        skin = np.vstack([skin, self.axis.worn])
        near = skin[(skin[:, 1] > min(low, high - 0.05)) & (skin[:, 1] < high)]
        return near[:, [0, 2]] if len(near) > 3 else skin[:, [0, 2]]

    def _cylinder(self, su: Floats, slide: float, offset: float, least: float) -> tuple[Floats, float]:
        """Return world positions on a cylinder that far from the skin, and its girth [m]."""
        # hands are wider than sleeves
        reach = 0.0 if self.shape.laid.limb.endswith("_arm") else 0.02
        skin = self._skin(self.shape.low - slide - reach, self.shape.high - slide + reach)
        around = convex_section(skin, offset)
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
        lean = np.zeros(2)
        if self.shape.up > 0.0:
            base = max(top - 0.18, self.shape.low - slide)
            skin = self._skin(base - 0.05, top + 0.02)
        else:
            base = min(slide - self.shape.widest, top - 0.02)
            skin = self._skin(-base - 0.06, -base + 0.03)
            # a bent arm leaves the axis: the sleeve leans after it, until its hem rests on the arm
            faces = self.shape.laid.faces
            end = _middle(self._skin(-top - 0.04, -top + 0.02)) - 0.5 * offset * np.array(
                [np.sin(faces), np.cos(faces)]
            )
            lean = (end - _middle(skin)) / max(top - base, 0.05)
        around = convex_section(skin, offset)
        cone = cone_over(around, base, top, radius, share, np.clip(lean, -LEAN, LEAN))
        size = float(cone.angle[-1])
        if WIDEST <= size < least:
            cone = fluted(cone, least)
        limb = roll_cone(cone, apex, share * float(cone.angle[-1]), su[:, 0], self.shape.up * su[:, 1])
        return self.axis.world(limb * [1.0, self.shape.up, 1.0]), size

    def _stack(self, su: Floats, slide: float, offset: float, least: float) -> tuple[Floats, float]:
        """Return world positions that far from the skin of each height [m], and the girth [m].

        A leg in one piece must enclose calf and ankle from the beginning, or its seam closes beside them: it
        lies on the skin's own outline, not on the widest. It is sheared a little, which the cloth gives back.
        """
        low, high = self.shape.low - slide, self.shape.high - slide
        levels = np.linspace(low, high, max(2, round((high - low) / LEVEL) + 1))
        heights, begin, end = self.shape.extents
        wide = np.interp(levels, heights - slide, end - begin + 0.004)
        out = np.full(len(levels), offset)
        at = np.clip(np.rint((su[:, 1] - low) / (levels[1] - low)).astype(int), 0, len(levels) - 1)
        for _ in range(STACKED):
            rings = [
                self._ring(*row) for row in zip(levels.tolist(), out.tolist(), wide.tolist(), strict=True)
            ]
            world = self._on_rings(su, levels, rings)
            # only heights where it would touch are moved out
            lacks = np.zeros(len(levels))
            np.maximum.at(lacks, at, offset - self.tree.nearest(np.ascontiguousarray(world), 0.3)[1])
            if not lacks.any():
                break
            out += np.max([lacks, 0.7 * np.roll(lacks, 1), 0.7 * np.roll(lacks, -1)], axis=0)
        return world, max(rings[-1].girth, least)

    def _on_rings(self, su: Floats, levels: Floats, rings: Sequence[ConvexSection]) -> Floats:
        """Return unrolled points (s, u) on outlines at ascending heights, and between them [m], (n, 3)."""
        share = self.shape.laid.faces / (2.0 * np.pi)
        above = np.clip(np.searchsorted(levels, su[:, 1]), 1, len(levels) - 1)
        blend = np.clip((su[:, 1] - levels[above - 1]) / (levels[above] - levels[above - 1]), 0.0, 1.0)
        xz = np.zeros((len(su), 2))
        for k, ring in enumerate(rings):
            for mine, weight in ((above == k, blend), (above - 1 == k, 1.0 - blend)):
                xz[mine] += weight[mine, None] * ring.at(su[mine, 0] + share * ring.girth)
        return self.axis.world(np.stack([xz[:, 0], su[:, 1], xz[:, 1]], axis=1))

    def _ring(self, height: float, offset: float, wide: float) -> ConvexSection:
        """Return the outline at a height [m], that far outside the skin, or as wide as the panel."""
        skin = self._skin(height - 0.04, height + 0.04)
        near = convex_section(skin, offset)
        return (
            near if near.girth >= wide else convex_section(skin, offset + (wide - near.girth) / (2.0 * np.pi))
        )

    def _least(self) -> float:
        """Return the girth [m] or cone's angle [rad] at which the panel does not overlap its neighbours."""
        mine, overlap = self.shape, _overlap if self.shape.apex is None else _overlap_angle
        near = [v for v in self.others if v.laid.limb == mine.laid.limb]
        pairs = [(mine, v) for v in near] + [(v, mine) for v in near]
        return max(overlap(a, b) / turn for a, b in pairs if (turn := _turn(a, b)) > 0.0)


def _middle(points: Floats) -> Floats:
    """Return the middle of the box round points, (d,)."""
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2.0)


def _leaning(su: Floats, about: Floats, angle: float) -> Floats:
    """Return unrolled points (s, u) turned counter-clockwise about a point [rad], (n, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray((su - about) @ np.array([[c, s], [-s, c]]) + about)


def _turn(a: UnrolledShape, b: UnrolledShape) -> float:
    """Return which part of a turn lies between a and b in the direction of growing s; 0: side by side."""
    if a is b:
        return 1.0
    turn = float(np.mod((b.laid.faces - a.laid.faces) / (2.0 * np.pi), 1.0))
    return turn if 0.02 < turn < 0.98 else 0.0


def _overlap(a: UnrolledShape, b: UnrolledShape) -> float:
    """Return how far the end of a reaches beyond the beginning of b, as if they faced the same way [m]."""
    if (a.apex is None) != (b.apex is None):
        return 0.0
    (u, _, end), (v, begin, _) = a.extents, b.extents
    _, i, j = np.intersect1d(np.round(u * 100), np.round(v * 100), return_indices=True)
    # pieces that only touch, one above the other, are no neighbours
    beside = len(i) > 3 or a is b
    return float((end[i] - begin[j]).max() + 0.004) if beside else 0.0


def _overlap_angle(a: UnrolledShape, b: UnrolledShape) -> float:
    """Return the same on a cone [rad]."""
    if a.apex is None or b.apex is None:
        return 0.0
    return float(_angles(a, a.apex).max() - _angles(b, b.apex).min())


def _angles(shape: UnrolledShape, apex: Floats) -> Floats:
    """Return the angles of a flare's outline about its apex [rad], (k,)."""
    across, down = (shape.outline - apex).T
    return np.asarray(np.arctan2(across, -shape.up * down))
