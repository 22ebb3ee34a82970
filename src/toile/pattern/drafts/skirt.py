"""An A-line skirt with a waistband."""

from __future__ import annotations

import math
from dataclasses import dataclass

from toile.pattern.drafts.cutting import Point, Side, arc, has_edge, hold, piece, sew, side, unfold
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.words import hem_height
from toile.types import Panel, Pattern, Seam

DART_LEAST = 0.008
"""narrower differences between waist and hips are taken up by a little more flare [m]"""


@dataclass(frozen=True, slots=True)
class Sector:
    """Half a front: part of a ring, whose middle is the apex of the cone that the skirt makes [m]."""

    radius: float
    """from the apex to the waist"""
    angle: float
    """from the middle line to the side [rad]"""
    length: float
    """from waist to hem along the middle"""
    take: float
    """width that darts take out of the waist"""

    def at(self, depth: float, share: float = 1.0) -> Point:
        """Return the point at a depth below the waist and share of the angle; (0, 0): middle of the waist."""
        r, a = self.radius + depth, self.angle * share
        return r * math.sin(a), self.radius - r * math.cos(a)


def sector(waist: float, hips: float, depth: float, length: float, flare: float) -> Sector:
    """Return the half front for a quarter of each girth, hips `depth` below the waist [m].

    flare: growth of the whole hem beyond the hips.
    """
    angle = max(flare / 4.0 / max(length - depth, 0.1), 0.03)
    if 0.0 < hips - depth * angle - waist < DART_LEAST:
        angle = (hips - waist) / depth
    at_waist = max(hips - depth * angle, waist)
    return Sector(at_waist / angle, angle, length, at_waist - waist)


def skirt(
    m: Measures,
    *,
    length: float | str = "knee",
    flare: float = 0.50,
    ease: float = 0.04,
    waist_ease: float = 0.03,
    waistband: float = 0.035,
) -> Pattern:
    """Draft an A-line skirt.

    length: a word (mini, short, knee, midi, ankle, maxi) or metres below the waist; flare: growth of the
    hem's girth beyond the hips; ease: added at the hips; waist_ease: added at the waist; waistband: its
    height [m].
    """
    waist, hips = m["waist"] + waist_ease, max(m["hips"], m["waist"]) + ease
    top = m["waist_height"] - waistband / 2.0
    depth = max(top - m["hip_height"], 0.08)
    long = max(top - hem_height(m, length, top), depth + 0.05)
    half = sector(waist / 4.0, hips / 4.0, depth, long, flare)
    panels = (
        skirt_piece(half, "front", top, dart_depth=0.5 * depth),
        skirt_piece(half, "back", top, dart_depth=0.7 * depth),
        *waistband_pieces(waist, waistband, top),
    )
    seams = [sew(panels, f"front.{s}_side", f"back.{s}_side", name=f"{s} side") for s in ("left", "right")]
    seams += [seam for name in ("front", "back") for seam in dart_seams(panels, name)]
    seams += waistband_seams(panels)
    holds = hold(panels, *(f"{n}_band.{h}_top" for n in ("front", "back") for h in ("left", "right")))
    return Pattern("skirt", panels, tuple(seams), holds, origin="body")


def skirt_piece(half: Sector, name: str, top: float, *, dart_depth: float) -> Panel:
    """Return a front or a back cut on the fold; y = 0 at the middle of the waist."""
    hem_end = half.at(half.length)
    sides = [
        arc("hem", half.at(half.length, 0.0), half.at(half.length, 0.5)),
        side("side", hem_end),
        *_waist(half, dart_depth),
    ]
    plus, minus = ("left", "right") if name == "front" else ("right", "left")
    return piece(name, unfold(sides, (0.0, 0.0), plus=plus, minus=minus), faces=name, height=top)


def _waist(half: Sector, dart_depth: float) -> list[Side]:
    """Return the waist from the side to the middle, with a dart where the hips are much wider."""
    if half.take < DART_LEAST:
        return [arc("waist", half.at(0.0), half.at(0.0, 0.5))]
    width = half.take / (half.radius * half.angle)
    outer, inner = 0.5 + width / 2.0, 0.5 - width / 2.0
    return [
        arc("side_waist", half.at(0.0), half.at(0.0, (1.0 + outer) / 2.0)),
        side("dart_outer", half.at(0.0, outer)),
        side("dart_inner", half.at(dart_depth, 0.5)),
        arc("waist", half.at(0.0, inner), half.at(0.0, inner / 2.0)),
    ]


def dart_seams(panels: tuple[Panel, ...], name: str) -> list[Seam]:
    """Return the seams that close the darts of a front or back."""
    return [
        sew(panels, f"{name}.{hand}_dart_outer", f"{name}.{hand}_dart_inner", name=f"{name} {hand} dart")
        for hand in ("left", "right")
        if has_edge(panels, f"{name}.{hand}_dart_outer")
    ]


def waistband_pieces(waist: float, height: float, bottom: float) -> tuple[Panel, Panel]:
    """Return front and back waistband; bottom: height of the lower edge above the floor [m]."""
    w = waist / 4.0
    half = [side("seam", (0.0, 0.0)), side("end", (w, 0.0)), side("top", (w, height))]
    front = piece("front_band", unfold(half, (0.0, height)), faces="front", height=bottom)
    back = piece(
        "back_band", unfold(half, (0.0, height), plus="right", minus="left"), faces="back", height=bottom
    )
    return front, back


def waistband_seams(panels: tuple[Panel, ...]) -> list[Seam]:
    """Return the seams of the waistband with front and back, and with itself at the sides."""
    seams = []
    for hand in ("left", "right"):
        for name in ("front", "back"):
            # along the waist from the piece's +x to its -x
            parts = [f"{name}.{hand}_side_waist", f"{name}.{hand}_waist"]
            parts = [p for p in parts if has_edge(panels, p)]
            from_plus = (name == "front") == (hand == "left")
            chain = " + ".join(parts if from_plus else reversed(parts))
            seams.append(sew(panels, chain, f"{name}_band.{hand}_seam", name=f"{name} {hand} waist"))
        seams.append(sew(panels, f"front_band.{hand}_end", f"back_band.{hand}_end", name=f"{hand} waistband"))
    return seams
