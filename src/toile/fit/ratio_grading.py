"""Grading a pattern that comes in one size, without rules: wider and longer by the ratios of measures.

Each limb's panels are stretched along the girth by a factor that changes with the height, so that the
garment gains at each level what the body gains; above the armholes they are also stretched along the limb,
until the armhole takes the wider sleeve as it took the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import shapely
from scipy.interpolate import PchipInterpolator

from toile.core.records import CurveKind, Edge, EdgeRef, Floats, Panel, Pattern
from toile.fit.girths import LEGS, Girth, PatternOutlines, edge_height, hangs, ring_centre, top_edges
from toile.garment.place.unroll import UnrolledPanel
from toile.pattern.drafts.measures import Measures
from toile.pattern.model import curves
from toile.pattern.model.lengths import chain_length

SHOULDER = 0.6
"""a shoulder gains this share of what the bust gains"""
HANG = 0.035
"""ease at the waist of a garment that hangs from it, at most [m]"""
GATHER = 1.2
"""what is sewn to a waistband may be longer than it by this much"""
SEAT = 0.015
"""room between trousers and the crotch [m]"""
DEEPER = 1.25
"""trousers are made deeper above the crotch by this factor at most"""
SLEEVE_EASE = 0.05
"""least ease of a graded sleeve at its widest place: an arm is also raised [m]"""
FLOOR = 0.06
"""hems stay this far above the floor [m]"""
SLEEVE_END = 0.7
"""the end of a sleeve gains this share of what its widest place gains"""
NEAR = 0.0005
"""how far an edge may stray from where its points go [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class BodyChange:
    """From one body to another: what a garment made for the first needs to fit the second alike."""

    base: Measures
    target: Measures
    level: Mapping[str, float]
    """heights of the wearer by name [m]"""
    length: float = 1.0
    """how much longer everything becomes"""
    waist: float = 0.0
    """waist of the wearer, from which a skirt or trousers shall hang; 0: that of the target [m]"""
    rise: float = 1.0
    """how much deeper trousers become above the crotch"""

    def at(self, height: float, *, leg: bool = False) -> float:
        """Return how much a girth of the trunk, or of both legs, grows at a height [m]."""
        names = {"hip": "hips", "waist": "waist", "bust": "bust"}
        rows = [(self.level[k], self.of(n)) for k, n in names.items()]
        if leg:
            crotch = self.level["crotch"]
            rows = [(0.6 * crotch, self.of("knee")), (crotch - 0.03, self.of("thigh"))]
        heights, gains = zip(*sorted(rows), strict=True)
        return float(np.interp(height, heights, gains))

    def wearer(self, height: float) -> float:
        """Return the girth of the second body's trunk at a height between hips and waist [m]."""
        at = [self.level["hip"], self.level["waist"]]
        height = self.level["crotch"] + (height - self.level["crotch"]) * self.rise
        waist = min(self.target["waist"], self.waist or self.target["waist"])
        return float(np.interp(height, at, [self.target["hips"], waist]))

    def of(self, name: str) -> float:
        """Return how much a measure grows [m]."""
        return self.target[name] - self.base[name]


@dataclass(frozen=True, slots=True)
class HeightWarp:
    """Stretches heights: by factors between breaks, the lowest of which stays where it is."""

    breaks: tuple[float, ...]
    """ascending [m]"""
    factors: tuple[float, ...]
    """one more than breaks"""

    def __call__(self, u: Floats) -> Floats:
        """Return heights after stretching [m], (n,)."""
        moved = self.breaks[0] + np.minimum(u - self.breaks[0], 0.0) * self.factors[0]
        for k, low in enumerate(self.breaks):
            high = self.breaks[k + 1] if k + 1 < len(self.breaks) else np.inf
            moved = moved + np.clip(u - low, 0.0, high - low) * self.factors[k + 1]
        return np.asarray(moved)


Knots = list[tuple[float, float]]
"""(height, factor), ascending"""


def graded_by_ratio(
    pattern: Pattern, unrolled: PatternOutlines, found: list[Girth], gain: BodyChange
) -> Pattern:
    """Return the pattern for another body, seams and names unchanged."""
    girth = {g.name: g for g in found}
    gain = replace(gain, rise=_rise_factor(pattern, unrolled, gain))
    tops = {ref.panel for ref in top_edges(pattern, unrolled)} if hangs(unrolled, gain.level) else set()
    knots = {name: np.array(_knots(unrolled, name, girth, gain, tops)) for name in unrolled.laid}

    def warps(depth: float) -> dict[str, _Warp]:
        rises = _rises(pattern, unrolled, gain, depth)
        return {name: _Warp(one, knots[name], rises[name]) for name, one in unrolled.laid.items()}

    sleeves = _sleeve_seams(pattern, unrolled)
    if sleeves:
        depth = _armhole_depth(sleeves, unrolled, warps)
    else:
        depth = 1.0 + 0.5 * (gain.of("bust") / girth["bust"].garment if "bust" in girth else 0.0)
    return _true_darts(pattern, _warped(pattern, unrolled, warps(depth)))


# ---------------------------------------------------------------------------- along the girth


def _knots(
    unrolled: PatternOutlines, name: str, girth: Mapping[str, Girth], gain: BodyChange, tops: set[str]
) -> Knots:
    limb = unrolled.laid[name].limb
    low, high = unrolled.span([name])
    if limb.endswith("_arm"):
        return _arm_knots(unrolled, limb, girth["upper_arm"], gain) if "upper_arm" in girth else [(0.0, 1.0)]
    if limb in ("neck", "head"):
        factor = 1.0 + SHOULDER * gain.of("bust") / gain.base["bust"]
        return [(low, factor)]
    trunk = unrolled.names("torso", *LEGS)
    rows: Knots = []
    inside = [u for u in gain.level.values() if low + 0.03 < u < high - 0.03]
    whole = low if limb in LEGS else min(unrolled.whole_above(trunk, low + 0.01), high) - 0.01
    for u in sorted({whole, *(v for v in inside if v > whole + 0.03), high}):
        row = min(max(u, whole + 0.01), high - 0.01)
        if limb in LEGS and u < gain.level["crotch"] - 0.02:
            width, more = unrolled.width(unrolled.names(limb), row), gain.at(u, leg=True)
        elif tops and u > gain.level["hip"] + 0.03:
            width, more = _held(unrolled, name, u, girth, gain, name in tops)
        else:
            width, more = unrolled.width(trunk, row), gain.at(u)
        if width > 0.2:
            rows.append((u, max(1.0 + more / width, 0.3)))
    if "bust" in girth and high > gain.level["bust"] + 0.05 and limb == "torso":
        factor = 1.0 + gain.of("bust") / girth["bust"].garment
        below = [row for row in rows if row[0] < gain.level["bust"] - 0.03]
        rows = [*below, (gain.level["bust"] - 0.02, factor), (high, 1.0 + SHOULDER * (factor - 1.0))]
    return rows or [(low, 1.0)]


def _held(
    unrolled: PatternOutlines, name: str, u: float, girth: Mapping[str, Girth], gain: BodyChange, is_top: bool
) -> tuple[float, float]:
    """Return width and growth near the waist of a garment that hangs from it: no wider than it needs [m].

    What a band gathers may be wider than the band already: then it does not grow.
    """
    trunk, hip = unrolled.names("torso", *LEGS), gain.level["hip"]
    highest = unrolled.span([name])[1]
    top, most = unrolled.width(trunk, highest - 0.01), gain.wearer(highest) + HANG
    if is_top and "waist" in girth:
        top = girth["waist"].garment
    else:
        most *= GATHER
    share = float(np.clip((u - hip) / max(highest - 0.01 - hip, 0.01), 0.0, 1.0))
    more = (1.0 - share) * gain.of("hips") + share * min(gain.of("waist"), most - top)
    return (top if share > 0.8 else unrolled.width(trunk, u)), more


def _arm_knots(unrolled: PatternOutlines, limb: str, widest: Girth, gain: BodyChange) -> Knots:
    names = unrolled.names(limb)
    low, _ = unrolled.span(names)
    needed = gain.target["upper_arm"] + SLEEVE_EASE - widest.garment
    factor = 1.0 + max(gain.of("upper_arm"), needed) / widest.garment
    return [(low, 1.0 + SLEEVE_END * (factor - 1.0)), (max(widest.height, low + 0.01), factor)]


# ---------------------------------------------------------------------------- along the limb


def _rises(
    pattern: Pattern, unrolled: PatternOutlines, gain: BodyChange, depth: float
) -> dict[str, HeightWarp]:
    """Return for each panel where the factor along the limb changes, and the factors."""
    length = gain.length
    trunk = HeightWarp(
        (gain.level["crotch"], max(_armpit(pattern, unrolled), gain.level["crotch"])),
        (_hem_factor(unrolled, gain), length * gain.rise, length * gain.rise * depth),
    )
    rises = {}
    for name, one in unrolled.laid.items():
        rises[name] = trunk
        if one.limb.endswith("_arm"):
            names = unrolled.names(one.limb)
            low, high = unrolled.span(names)
            rows = [(unrolled.width(names, u), float(u)) for u in np.arange(low + 0.005, high, 0.005)]
            rises[name] = HeightWarp((max(rows)[1],), (length, length * depth))
    return rises


def _rise_factor(pattern: Pattern, unrolled: PatternOutlines, gain: BodyChange) -> float:
    """Return how much deeper trousers must be for their top to reach the waist; 1 for all else."""
    if not unrolled.names(*LEGS) or not hangs(unrolled, gain.level):
        return 1.0
    top = np.mean([edge_height(unrolled.laid[r.panel], r.edge) for r in top_edges(pattern, unrolled)])
    crotch, waist = gain.level["crotch"], gain.level["waist"]
    return float(np.clip((waist + SEAT - crotch) / max(float(top) - crotch, 0.05), 1.0, DEEPER))


def _hem_factor(unrolled: PatternOutlines, gain: BodyChange) -> float:
    """Return by how much everything below the crotch's level is shortened to stay off the floor."""
    names = unrolled.names("torso", *LEGS)
    if not names:
        return gain.length
    low, crotch = unrolled.span(names)[0], gain.level["crotch"]
    end = crotch - (crotch - low) * gain.length
    return gain.length if end >= FLOOR else (crotch - FLOOR) / (crotch - low)


def _sleeve_seams(pattern: Pattern, unrolled: PatternOutlines) -> list[tuple[list[EdgeRef], list[EdgeRef]]]:
    """Return per seam of a sleeve with the trunk the edges of trunk and sleeve."""
    pairs = []
    for seam in pattern.seams:
        refs = [*seam.a, *seam.b]
        arm = [r for r in refs if unrolled.laid[r.panel].limb.endswith("_arm")]
        trunk = [r for r in refs if unrolled.laid[r.panel].limb == "torso"]
        if arm and trunk:
            pairs.append((trunk, arm))
    return pairs


def _armpit(pattern: Pattern, unrolled: PatternOutlines) -> float:
    """Return the height of the lowest point of the armholes, or the level of the trunk's top [m]."""
    heights = [
        float(
            unrolled.laid[r.panel](unrolled.laid[r.panel].panel.vertices[[edge.start, edge.end]])[:, 1].min()
        )
        for trunk, _ in _sleeve_seams(pattern, unrolled)
        for r in trunk
        for edge in [unrolled.laid[r.panel].panel.edges[r.edge]]
    ]
    if heights:
        return min(heights)
    low, high = unrolled.span(unrolled.laid)
    return max(high - 0.22, low)


def _armhole_depth(
    sleeves: list[tuple[list[EdgeRef], list[EdgeRef]]],
    unrolled: PatternOutlines,
    warps: Callable[[float], dict[str, _Warp]],
) -> float:
    """Return the factor along the limb at which armholes and sleeve caps go together as before."""
    fractions = np.linspace(0.0, 1.0, 33)
    sides = [[ref for pair in sleeves for ref in pair[k]] for k in (0, 1)]
    points = {
        (r.panel, r.edge): curves.sample_edge(unrolled.laid[r.panel].panel, r.edge, fractions)
        for side in sides
        for r in side
    }

    def ratio(warp: Mapping[str, _Warp] | None) -> float:
        length = {
            (name, edge): float(np.hypot(*np.diff(warp[name](line) if warp else line, axis=0).T).sum())
            for (name, edge), line in points.items()
        }
        trunk, arm = (sum(length[r.panel, r.edge] for r in side) for side in sides)
        return trunk / arm

    wanted, low, high = ratio(None), 0.7, 1.7
    for _ in range(12):
        middle = (low + high) / 2.0
        low, high = (middle, high) if ratio(warps(middle)) < wanted else (low, middle)
    return (low + high) / 2.0


# ---------------------------------------------------------------------------- moving points


def _warped(pattern: Pattern, unrolled: PatternOutlines, warps: Mapping[str, _Warp]) -> Pattern:
    panels = [_moved(panel, warps[panel.name]) for panel in pattern.panels]
    return replace(pattern, panels=tuple(_apart(unrolled, panel, panels) for panel in panels))


def warped(
    pattern: Pattern, unrolled: PatternOutlines, knots: Mapping[str, Floats], rise: HeightWarp
) -> Pattern:
    """Return the pattern with its panels stretched along the girth by knots (height, factor), (k, 2) each."""
    warps = {name: _Warp(one, knots[name], rise) for name, one in unrolled.laid.items()}
    return _true_darts(pattern, _warped(pattern, unrolled, warps))


def _apart(unrolled: PatternOutlines, panel: Panel, panels: list[Panel]) -> Panel:
    """Return a leg's panel that stands in space moved outward as far as its leg has grown inward."""
    one = unrolled.laid[panel.name]
    if one.limb not in LEGS or panel.placement is None:
        return panel
    leg = [unrolled.laid[p.name] for p in panels if unrolled.laid[p.name].limb == one.limb]
    wide = [np.abs(v.outline()[:, 0]).max() for v in leg]
    wider = [np.abs(v(p.vertices)[:, 0]).max() for p in panels for v in leg if v.panel.name == p.name]
    away = max(max(wider) - max(wide), 0.0) * (1.0 if one.limb == "left_leg" else -1.0)
    aside = panel.placement.translation + np.array([away, 0.0, 0.0])
    return replace(panel, placement=replace(panel.placement, translation=aside))


class _Warp:
    """Moves a panel's points."""

    def __init__(self, laid: UnrolledPanel, knots: Floats, rise: HeightWarp) -> None:
        self.laid, self.knots, self.rise = laid, knots, rise
        self.ring = ring_centre(laid)
        self.inner = 0.0
        if self.ring is not None:
            self.inner = float(np.linalg.norm(laid.outline() - self.ring, axis=1).min())

    def __call__(self, points: Floats) -> Floats:
        """Return panel coordinates after grading [m], (n, 2)."""
        if not len(points):
            return points
        su = self.laid(points)
        s, u = self._on_ring(su) if self.ring is not None else self._on_strip(su)
        inverse = np.linalg.inv(self.laid.matrix)
        return np.asarray((np.stack([s, u], axis=1) - self.laid.shift) @ inverse.T)

    def _on_strip(self, su: Floats) -> tuple[Floats, Floats]:
        s, u = su.T
        factor = self._factor(u)
        return s * factor, self.rise(u)

    def _factor(self, u: Floats) -> Floats:
        """Return the factor along the girth at heights: smooth, so that sides stay smooth."""
        at, factor = self.knots.T
        if len(at) < 2:
            return np.full(len(u), factor[0])
        return np.asarray(PchipInterpolator(at, factor)(np.clip(u, at[0], at[-1])))

    def _on_ring(self, su: Floats) -> tuple[Floats, Floats]:
        """Move a ring's points outward: its waist grows, its length does not."""
        assert self.ring is not None
        away = su - self.ring
        radius = np.linalg.norm(away, axis=1)
        top = float(self.knots[-1, 1])
        moved = self.inner * top + (radius - self.inner) * self.rise.factors[1]
        s, u = (self.ring + away * (moved / np.maximum(radius, 1e-9))[:, None]).T
        return s, u


def _moved(panel: Panel, warp: _Warp) -> Panel:
    vertices = warp(panel.vertices)
    edges = tuple(_moved_edge(panel, i, warp, vertices) for i in range(len(panel.edges)))
    marks = tuple(replace(mark, points=warp(mark.points)) for mark in panel.marks)
    return replace(panel, vertices=vertices, edges=edges, marks=marks)


def _moved_edge(panel: Panel, index: int, warp: _Warp, vertices: Floats) -> Edge:
    """Return the edge along the moved points: of its own kind, else a cubic, else many points."""
    edge = panel.edges[index]
    count = max(9, int(curves.edge_length(panel, index) / 0.01))
    wanted = warp(curves.sample_edge(panel, index, np.linspace(0.0, 1.0, count)))
    wanted[0], wanted[-1] = vertices[edge.start], vertices[edge.end]
    same = np.vstack([wanted[0], warp(edge.controls), wanted[-1]])
    if edge.kind == "polyline" or _miss(edge.kind, same, wanted) < NEAR:
        return replace(edge, controls=same[1:-1])
    cubic = _cubic_through(wanted)
    if _miss("cubic", cubic, wanted) < NEAR:
        return replace(edge, kind="cubic", controls=cubic[1:-1])
    return replace(edge, kind="polyline", controls=wanted[1:-1])


def _miss(kind: CurveKind, points: Floats, wanted: Floats) -> float:
    """Return how far points lie from a curve [m]."""
    drawn = shapely.linestrings(curves.sample_curve(kind, points, np.linspace(0.0, 1.0, 129)))
    return float(shapely.distance(shapely.points(wanted), drawn).max())


def _cubic_through(wanted: Floats) -> Floats:
    """Return the cubic from the first to the last point that passes nearest to those between, (4, 2)."""
    steps = np.hypot(*np.diff(wanted, axis=0).T)
    t = (np.concatenate([[0.0], np.cumsum(steps)]) / max(float(steps.sum()), 1e-12))[:, None]
    ends = (1.0 - t) ** 3 * wanted[0] + t**3 * wanted[-1]
    inner = np.hstack([3.0 * t * (1.0 - t) ** 2, 3.0 * t**2 * (1.0 - t)])
    found = np.linalg.lstsq(inner, wanted - ends, rcond=None)[0]
    return np.vstack([wanted[0], found, wanted[-1]])


def _true_darts(before: Pattern, after: Pattern) -> Pattern:
    """Return the pattern with the legs of darts equally long, where they were so before."""
    panels = {panel.name: panel for panel in after.panels}
    for seam in before.seams:
        if len(seam.a) != 1 or len(seam.b) != 1 or seam.a[0].panel != seam.b[0].panel:
            continue
        panel = panels[seam.a[0].panel]
        one, other = (panel.edges[r.edge] for r in (seam.a[0], seam.b[0]))
        tip = {one.start, one.end} & {other.start, other.end}
        lengths = [chain_length(before, side) for side in (seam.a, seam.b)]
        if len(tip) == 1 and one.kind == other.kind == "line" and abs(lengths[0] - lengths[1]) < 1e-3:
            panels[panel.name] = _with_tip(panel, tip.pop(), (one, other))
    return replace(after, panels=tuple(panels[p.name] for p in after.panels))


def _with_tip(panel: Panel, tip: int, legs: tuple[Edge, Edge]) -> Panel:
    """Return the panel with a dart's tip over the middle of its mouth."""
    a, b = (panel.vertices[e.end if e.start == tip else e.start] for e in legs)
    mouth = (b - a) / max(float(np.hypot(*(b - a))), 1e-9)
    vertices = np.array(panel.vertices)
    vertices[tip] -= mouth * ((vertices[tip] - (a + b) / 2.0) @ mouth)
    return replace(panel, vertices=vertices)
