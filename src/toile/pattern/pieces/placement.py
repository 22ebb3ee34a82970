"""Where pieces go that come without placement: front, back, arms and legs, told from names and seams.

`propose` puts seams and places together for a user to confirm.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace

import numpy as np

from toile.core.records import EdgeRef, Panel, Pattern, Placement, Seam
from toile.pattern.model import curves
from toile.pattern.model.angles import rotation_from_degrees
from toile.pattern.model.lengths import chain_length
from toile.pattern.model.sides import Side, make_side, panel_box
from toile.pattern.pieces.selection import choose_pieces, fit_bands, without_leftovers
from toile.pattern.seams.suggest import (
    BACK_WORDS,
    FRONT_WORDS,
    HOLLOW,
    LEAST_CONFIDENCE,
    SLEEVE_WORDS,
    Suggestion,
    base_name,
    suggest_seams,
)
from toile.pattern.understand.garment import Understood, limbs, placements, understand

_FACING = {"front": 0.0, "back": 180.0, "left_arm": 90.0, "right_arm": -90.0}
"""where a piece's outer face looks: angle about the vertical axis from +z towards +x [degrees]"""


CONFIDENT = 0.75
"""suggestions below this confidence are drawn dashed"""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A pattern with proposed seams and places, to be shown, confirmed and saved."""

    pattern: Pattern
    remarks: tuple[str, ...]
    """per seam: confidence and reason; empty for seams that were there before"""
    unsure: frozenset[int]
    """numbers of the seams that need a look"""
    pieces: tuple[str, ...] = ()
    """pieces that were added, left out or changed, one line each"""


def propose_seams_and_places(pattern: Pattern, *, least: float = LEAST_CONFIDENCE) -> Proposal:
    """Return the pattern with seams and places proposed, and what to tell the user about each seam.

    Pieces that come without any seam are recognised and joined by the grammar of garments; where it knows
    nothing to sew, and for seams that are missing, sides are compared one by one.
    """
    understood = None if pattern.seams else understand(pattern)
    if understood is not None:
        return _understood_proposal(understood)
    pattern, pieces = choose_pieces(pattern)
    found = _suggested(pattern, least)
    fitted, more = fit_bands(pattern, found)
    if more:
        pattern, found = fitted, _suggested(fitted, least)
    pattern, left = without_leftovers(pattern, found)
    old = len(pattern.seams)
    sewn = replace(pattern, seams=pattern.seams + tuple(s.seam for s in found))
    remarks = ("",) * old + tuple(f"{s.confidence:.2f} {s.reason}" for s in found)
    unsure = frozenset(old + k for k, s in enumerate(found) if s.confidence < CONFIDENT)
    return Proposal(with_placements(sewn), remarks, unsure, (*pieces, *more, *left))


def _understood_proposal(understood: Understood) -> Proposal:
    remarks = tuple(f"{s.confidence:.2f} {s.reason}" for s in understood.suggestions)
    unsure = frozenset(k for k, s in enumerate(understood.suggestions) if s.confidence < CONFIDENT)
    round_ = {panel.name: "" for panel in understood.pattern.panels} | limbs(understood)
    placed = placements(understood, seam_heights(understood.pattern, round_))
    return Proposal(with_placements(placed), remarks, unsure, understood.notes)


def _suggested(pattern: Pattern, least: float) -> list[Suggestion]:
    return [s for s in suggest_seams(pattern) if s.confidence >= least]


def with_placements(pattern: Pattern) -> Pattern:
    """Return the pattern with a place for each piece that has none and whose name and seams tell one.

    Pieces are taken to be drawn with the right side up, hems down. Seams must be known: they tell left from
    right and the heights of pieces relative to each other.
    """
    rounds = {p.name: _around(pattern, p) for p in pattern.panels}
    heights = seam_heights(pattern, rounds)
    panels = tuple(
        panel
        if panel.placement is not None or not rounds[panel.name]
        else replace(panel, placement=_placement(pattern, panel, rounds[panel.name], heights[panel.name]))
        for panel in pattern.panels
    )
    return replace(pattern, panels=panels)


def _face(panel: Panel) -> str:
    if BACK_WORDS.search(panel.name):
        return "back"
    return "front" if FRONT_WORDS.search(panel.name) else ""


def _around(pattern: Pattern, panel: Panel) -> str:
    """Return what a panel goes round, empty if nothing tells."""
    if SLEEVE_WORDS.search(panel.name):
        return _arm(pattern, panel)
    if not _face(panel):
        return "torso" if min(np.ptp(panel_box(panel), axis=0)) < 0.12 else ""
    for seam, own, other in _seams_of(pattern, panel):
        if base_name(other[0].panel) == base_name(panel.name) and other[0].panel != panel.name:
            side = _side(pattern, own)
            if side.bulge < HOLLOW and not seam.name.startswith("dart"):
                # crotch: seen from outside a left front has its middle on the left, a left back on the right
                left = (side.normal[0] < 0.0) == (_face(panel) == "front")
                return "left_leg" if left else "right_leg"
    return "torso"


def _arm(pattern: Pattern, panel: Panel) -> str:
    """Return the arm of a sleeve: the side of the front or back that it is sewn to."""
    for _, _, other in _seams_of(pattern, panel):
        for ref in other:
            body = pattern.panel(ref.panel)
            if _face(body) and not SLEEVE_WORDS.search(body.name):
                right_hand = _side(pattern, (ref,)).normal[0] > 0.0
                return "left_arm" if right_hand == (_face(body) == "front") else "right_arm"
    words = panel.name.lower()
    return "left_arm" if "left" in words else "right_arm" if "right" in words else ""


def _seams_of(pattern: Pattern, panel: Panel) -> list[tuple[Seam, tuple[EdgeRef, ...], tuple[EdgeRef, ...]]]:
    """Return the seams of a panel: seam, its own side, the other side."""
    found = []
    for seam in pattern.seams:
        for own, other in ((seam.a, seam.b), (seam.b, seam.a)):
            if any(ref.panel == panel.name for ref in own):
                found.append((seam, own, other))
    return found


def _side(pattern: Pattern, refs: tuple[EdgeRef, ...]) -> Side:
    return make_side(
        pattern.panel(refs[0].panel), tuple(ref.edge for ref in refs if ref.panel == refs[0].panel)
    )


def seam_heights(pattern: Pattern, rounds: dict[str, str]) -> dict[str, float]:
    """Return how far to lift each panel so that sewn sides stand at the same height [m] (least squares)."""
    names = [panel.name for panel in pattern.panels]
    rows: list[tuple[int, int, float]] = []
    for seam in pattern.seams:
        a, b = seam.a[0], seam.b[0]
        arms = [rounds[ref.panel].endswith("arm") for ref in (a, b)]
        if a.panel != b.panel and not any(arms):
            gap = _middle(pattern, b) - _middle(pattern, a)
            rows.append((names.index(a.panel), names.index(b.panel), gap))
    matrix = np.zeros((len(rows) + len(names), len(names)))
    wanted = np.zeros(len(matrix))
    for k, (i, j, gap) in enumerate(rows):
        matrix[k, i], matrix[k, j], wanted[k] = 1.0, -1.0, gap
    matrix[len(rows) :] = np.eye(len(names)) * 1e-4
    lift = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    return {name: float(value) for name, value in zip(names, lift, strict=True)}


def _middle(pattern: Pattern, ref: EdgeRef) -> float:
    panel = pattern.panel(ref.panel)
    edge = panel.edges[ref.edge]
    return float(panel.vertices[[edge.start, edge.end], 1].mean())


def _placement(pattern: Pattern, panel: Panel, around: str, height: float) -> Placement:
    angle = _FACING.get(around, _FACING.get(_face(panel), 0.0))
    middle = float(panel_box(panel)[:, 0].mean())
    beside = _beside(pattern, panel) if around == "torso" and not _face(panel) else None
    if beside is not None:
        angle = beside
    rotation = rotation_from_degrees(0.0, angle, 0.0)
    if around == "torso" and beside is None:
        middle = _centre_line(pattern, panel, middle)
    return Placement(np.array([0.0, height, 0.0]) - rotation[:, 0] * middle + 0.0, rotation, around)


def _beside(pattern: Pattern, band: Panel) -> float | None:
    """Return where a band stands: amid the pieces it is sewn to [degrees]; None: all round."""
    total = 0.0j
    for seam in pattern.seams:
        for own, other in ((seam.a, seam.b), (seam.b, seam.a)):
            if any(ref.panel == band.name for ref in own):
                total += _mean_angle(pattern, _opposite(pattern, band.name, own, other))
    return math.degrees(cmath.phase(total)) if abs(total) > 0.3 * _longest(band) else None


def _longest(panel: Panel) -> float:
    return max(curves.edge_length(panel, i) for i in range(len(panel.edges)))


def _opposite(
    pattern: Pattern, name: str, own: tuple[EdgeRef, ...], other: tuple[EdgeRef, ...]
) -> list[tuple[EdgeRef, float]]:
    """Return the edges that lie against one panel's share of a seam, and how much of each [m]."""
    scale = chain_length(pattern, own) / chain_length(pattern, other)
    spans = {name: (math.inf, -math.inf)}
    at = 0.0
    for ref in own:
        end = at + chain_length(pattern, (ref,))
        if ref.panel == name:
            spans[name] = min(spans[name][0], at), max(spans[name][1], end)
        at = end
    found, at = [], 0.0
    for ref in other:
        end = at + scale * chain_length(pattern, (ref,))
        share = min(end, spans[name][1]) - max(at, spans[name][0])
        if share > 0.0 and ref.panel != name:
            found.append((ref, share))
        at = end
    return found


def _mean_angle(pattern: Pattern, edges: list[tuple[EdgeRef, float]]) -> complex:
    """Return the sum of the directions in which pieces stand, by their shares."""
    total = 0.0j
    for ref, share in edges:
        panel = pattern.panel(ref.panel)
        if face := _face(panel):
            side = {"left_leg": 45.0, "right_leg": -45.0}.get(_around(pattern, panel), 0.0)
            angle = side if face == "front" else 180.0 - side
            total += share * cmath.exp(1j * math.radians(angle))
    return total


def _centre_line(pattern: Pattern, panel: Panel, middle: float) -> float:
    """Return the x of the body's middle in a panel: where it is sewn to its twin, else its own middle [m]."""
    for _, own, other in _seams_of(pattern, panel):
        if other[0].panel != panel.name and base_name(other[0].panel) == base_name(panel.name):
            return float(_side(pattern, own).points[:, 0].mean())
    return middle
