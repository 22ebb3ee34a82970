"""Girths of a garment beside those of the body that wears it, level by level, before anything is sewn.

The panels are laid out beside their limbs at this body's heights; the girth at a level is the width of all
panels there. Darts are not part of a panel, so they do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.interpolate import CubicHermiteSpline

from toile.core.records import Body, EdgeRef, Floats, Pattern
from toile.garment.place.limb_axes import heights
from toile.garment.place.place import align_to_body
from toile.garment.place.roll import arc_centre
from toile.garment.place.unroll import UnrolledPanel
from toile.pattern.drafts.measures import Measures
from toile.pattern.model.curves import edge_length, edge_points, sample_edge
from toile.pattern.model.lengths import chain_length

LEAST = {"bust": 0.04, "waist": 0.01, "hips": 0.04, "thigh": 0.03, "upper_arm": 0.03}
"""woven cloth must be wider than the body by this much, or it is too tight [m]"""
SEATED = 0.08
"""trousers that are graded get this ease at the hips: below their level the seat is wider still [m]"""
LEGS = ("left_leg", "right_leg")
TRUNK = ("bust", "waist", "hips")


@dataclass(frozen=True, slots=True)
class Girth:
    """A garment and its wearer at one level."""

    name: str
    """bust, waist, hips, thigh, upper_arm"""
    height: float
    """above the floor, along the limb [m]"""
    garment: float
    """[m]"""
    body: float
    """[m]"""
    seated: bool = False
    """judged as trousers that one sits in"""

    @property
    def least(self) -> float:
        """Return by how much woven cloth must be wider than the body here [m]."""
        return SEATED if self.seated and self.name == "hips" else LEAST[self.name]

    @property
    def slack(self) -> float:
        """Return by how much the garment is wider than it must be; negative: too tight [m]."""
        return self.garment - self.body - self.least

    def __str__(self) -> str:
        """Return the girths in words."""
        word = self.name.replace("_", " ")
        return f"{word} {100 * self.garment:.0f} on {100 * self.body:.0f} cm"


@dataclass(frozen=True, eq=False, slots=True)
class PatternOutlines:
    """A pattern laid out beside a body."""

    laid: Mapping[str, UnrolledPanel]
    shapes: Mapping[str, shapely.Polygon]
    """the panels as (s, u), by name; rings are straightened"""

    def names(self, *limbs: str) -> list[str]:
        """Return the panels round these limbs."""
        return [name for name, one in self.laid.items() if one.limb in limbs]

    def span(self, names: Iterable[str]) -> tuple[float, float]:
        """Return the lowest and the highest point of panels [m]."""
        bounds = [self.shapes[name].bounds for name in names]
        return min(b[1] for b in bounds), max(b[3] for b in bounds)

    def width(self, names: Iterable[str], height: float) -> float:
        """Return how wide panels are together at a height [m]."""
        row = shapely.linestrings([[-50.0, height], [50.0, height]])
        return float(sum(shapely.length(shapely.intersection(self.shapes[n], row)) for n in names))

    def whole_above(self, names: Iterable[str], height: float) -> float:
        """Return the height from which on panels go all the way round [m]: hems may be curved."""
        rows, names = height + np.arange(0.0, 0.11, 0.01), tuple(names)
        widths = np.array([self.width(names, float(u)) for u in rows])
        return float(rows[np.flatnonzero(widths > 0.95 * widths.max())[0]])


def pattern_outlines(pattern: Pattern, body: Body) -> PatternOutlines:
    """Return the panels of a pattern laid out at the body's heights."""
    laid = align_to_body(pattern, body)
    found = PatternOutlines(laid, {name: _shape(one) for name, one in laid.items()})
    level = heights(body)
    lift = _lift(pattern, found, level) if hangs(found, level) and pattern.origin != "body" else 0.0
    if lift <= 0.0:
        return found
    raised = {name: one.moved(u=lift) for name, one in laid.items()}
    return PatternOutlines(raised, {name: _shape(one) for name, one in raised.items()})


def _lift(pattern: Pattern, low: PatternOutlines, level: Mapping[str, float]) -> float:
    """Return how far a garment that would hang low, being too wide, is below the waist it was cut for [m]."""
    top = low.span(low.names("torso", *LEGS))[1]
    between = [s for s in pattern.seams if {low.laid[r.panel].limb for r in (*s.a, *s.b)} == set(LEGS)]
    crotch = [
        float(low.laid[r.panel](edge_points(low.laid[r.panel].panel, r.edge))[:, 1].min())
        for seam in between
        for r in (*seam.a, *seam.b)
    ]
    return min(level["waist"] - top, level["crotch"] - 0.01 - min(crotch) if crotch else np.inf)


def ring_centre(one: UnrolledPanel) -> Floats | None:
    """Return the middle of a panel cut as part of a ring (s, u) [m]; None for other panels."""
    edges = range(len(one.panel.edges))
    arcs = [i for i in edges if one.panel.edges[i].kind == "arc"]
    points = [one(sample_edge(one.panel, i, [0.0, 0.5, 1.0])) for i in arcs]
    return arc_centre(points, sum(edge_length(one.panel, i) for i in edges))


def _shape(one: UnrolledPanel) -> shapely.Polygon:
    points, centre = one.outline(), ring_centre(one)
    if centre is not None:
        across, down = (points - centre).T
        radius, angle = np.hypot(across, down), np.arctan2(across, -down)
        points = np.stack([angle * radius, centre[1] - radius], axis=1)
    return shapely.make_valid(shapely.Polygon(points))


def girths(pattern: Pattern, body: Body, unrolled: PatternOutlines | None = None) -> list[Girth]:
    """Return the garment's girths at the levels that it covers, with the body's."""
    unrolled = unrolled or pattern_outlines(pattern, body)
    wearer = body_girths(body.measurements, heights(body))
    found = _trunk_girths(pattern, unrolled, wearer)
    for limbs, name in ((("left_leg", "right_leg"), "thigh"), (("left_arm", "right_arm"), "upper_arm")):
        sides = [girth for limb in limbs if (girth := _limb_girth(unrolled, limb, name, wearer))]
        found += sorted(sides, key=lambda g: g.garment)[:1]
    return found


@dataclass(frozen=True, eq=False, slots=True)
class BodyGirths:
    """How wide a person is at any height."""

    level: Mapping[str, float]
    """heights by name [m]"""
    measures: Measures

    def __call__(self, name: str, height: float) -> float:
        """Return the girth at a height: of the trunk, or of the limb that the name says [m]."""
        if name not in TRUNK:
            return self.measures[name]
        at = [self.level[n] for n in ("hip", "waist", "bust")]
        girth = [self.measures[n] for n in ("hips", "waist", "bust")]
        # each is measured where the trunk is widest or slimmest: there its outline runs straight up
        between = CubicHermiteSpline(at, girth, np.zeros(3))
        return float(between(np.clip(height, at[0], at[-1])))


def body_girths(measurements: Mapping[str, float], level: Mapping[str, float]) -> BodyGirths:
    """Return a person's girths by measurements and heights [m]."""
    return BodyGirths(level, Measures(measurements))


def _trunk_girths(pattern: Pattern, unrolled: PatternOutlines, wearer: BodyGirths) -> list[Girth]:
    names = unrolled.names("torso", *LEGS)
    if not names:
        return []
    low, high = unrolled.span(names)
    level = wearer.level
    found = []
    if high > level["bust"] and low < level["bust"] - 0.05:
        # the armholes may reach below the level of the bust
        below = np.arange(level["bust"] - 0.09, level["bust"] + 0.01, 0.01)
        found.append(("bust", level["bust"], max(unrolled.width(names, u) for u in below)))
    if high > level["hip"] and low < level["waist"]:
        edge = chain_length(pattern, tuple(top_edges(pattern, unrolled))) if hangs(unrolled, level) else 0.0
        found.append(("waist", level["waist"], edge or unrolled.width(names, level["waist"])))
    if high > level["hip"] and low < level["hip"] + 0.04:
        at = unrolled.whole_above(names, max(level["hip"], low + 0.01))
        if at < level["hip"] + 0.03:
            found.append(("hips", at, unrolled.width(names, at)))
    return [Girth(name, at, wide, wearer(name, at)) for name, at, wide in found]


def hangs(unrolled: PatternOutlines, level: Mapping[str, float]) -> bool:
    """Say whether a garment hangs from the waist, like a skirt or trousers."""
    names = unrolled.names("torso", *LEGS)
    return bool(names) and unrolled.span(names)[1] < level["waist"] + 0.06


def top_edges(pattern: Pattern, unrolled: PatternOutlines) -> list[EdgeRef]:
    """Return the free edges along the top of the trunk's part of a garment."""
    sewn = {(r.panel, r.edge) for seam in pattern.seams for r in (*seam.a, *seam.b)}
    names = unrolled.names("torso", *LEGS)
    high = unrolled.span(names)[1]
    return [
        EdgeRef(name, i)
        for name in names
        for i in range(len(unrolled.laid[name].panel.edges))
        if (name, i) not in sewn and edge_height(unrolled.laid[name], i) > high - 0.08
    ]


def edge_height(one: UnrolledPanel, edge: int) -> float:
    """Return the height of an edge's middle [m]."""
    return float(one(sample_edge(one.panel, edge, [0.0, 1.0]))[:, 1].mean())


def _limb_girth(unrolled: PatternOutlines, limb: str, name: str, wearer: BodyGirths) -> Girth | None:
    panels = unrolled.names(limb)
    if not panels:
        return None
    low, high = unrolled.span(panels)
    if limb.endswith("_arm"):
        rows = [(unrolled.width(panels, u), float(u)) for u in np.arange(low + 0.01, high, 0.01)]
    elif low < wearer.level["crotch"] - 0.04:
        # the garment's own crotch may hang lower than the body's
        below = wearer.level["crotch"] - np.arange(0.02, 0.13, 0.01)
        rows = [(unrolled.width(panels, u), float(u)) for u in below if u > low]
    else:
        rows = []
    if not rows:
        return None
    wide, at = max(rows)
    return Girth(name, at, wide, wearer(name, at))


def tightest(found: Sequence[Girth]) -> float:
    """Return the least slack [m]; infinite for a garment that goes round nothing measured."""
    return min((g.slack for g in found), default=float("inf"))
