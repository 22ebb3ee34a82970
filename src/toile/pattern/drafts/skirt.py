"""An A-line skirt with a waistband."""

from __future__ import annotations

import math
from dataclasses import dataclass

from toile.core.records import Hold, Panel, Pattern, Seam
from toile.core.units import cm
from toile.pattern.drafts.cutting import DraftSide, Point, arc, hold, piece, sew, side, unfold_facing
from toile.pattern.drafts.lengths import eased_waist, hem_height
from toile.pattern.drafts.measures import TOLD, Measures
from toile.pattern.drafts.sewing import HANDS, dart_seams, waistband_seams

HIP_LEAST = 0.05
"""a skirt that is shaped at the hips reaches so far below them [m]"""
SHORTEST = 0.10
"""of a skirt that falls from the waist [m]"""
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
    waist_ease: float | str = "usual",
    waistband: float = 0.035,
) -> Pattern:
    """Draft an A-line skirt.

    length: a word (mini, short, knee, midi, ankle, maxi) or metres below the waist; flare: growth of the
    hem's girth beyond the hips; ease: added at the hips; waist_ease: added at the waist (usual: 3 cm, wide
    waists a little more; loose; or metres); waistband: its height [m].
    """
    waist, hips = eased_waist(m, waist_ease), max(m["hips"], m["waist"]) + ease
    top = m["waist_height"] - waistband / 2.0
    depth = max(top - m["hip_height"], 0.08)
    long = top - hem_height(m, length, top, least=depth + HIP_LEAST)
    half = sector(waist / 4.0, hips / 4.0, depth, long, flare)
    tell_flare(m, half, depth, flare)
    wide = 4.0 * half.angle * (half.radius + depth)
    if wide > hips + TOLD:
        m.tell("ease", f"{cm(wide - hips)} more at the hips: the flare begins at the waist")
    panels = (
        skirt_piece(half, "front", top, dart_depth=0.5 * depth),
        skirt_piece(half, "back", top, dart_depth=0.7 * depth),
        *waistband_pieces(waist, waistband, top),
    )
    seams = side_seams(panels) + dart_seams(panels) + waistband_seams(panels)
    return Pattern("skirt", panels, seams, hold_waistband(panels), origin="body")


def tell_flare(m: Measures, half: Sector, depth: float, flare: float) -> None:
    """Tell where a cone between waist and hips cannot have the flare that was asked for [m]."""
    made = 4.0 * half.angle * (half.length - depth)
    if abs(made - flare) > TOLD:
        m.tell("flare", f"{cm(made)} instead: what the waist and the hips need")


def side_seams(panels: tuple[Panel, ...]) -> tuple[Seam, ...]:
    """Return the side seams of a skirt's front and back."""
    return tuple(sew(panels, f"front.{h}_side", f"back.{h}_side", name=f"{h} side") for h in HANDS)


def hold_waistband(panels: tuple[Panel, ...]) -> tuple[Hold, ...]:
    """Return the holds of a waistband: its upper edge stays on the waist."""
    return hold(panels, *(f"{half}_band.{hand}_top" for half in ("front", "back") for hand in HANDS))


def skirt_piece(half: Sector, faces: str, top: float, *, dart_depth: float, name: str = "") -> Panel:
    """Return a front or a back cut on the fold; y = 0 at the middle of the waist."""
    hem_end = half.at(half.length)
    sides = [
        arc("hem", half.at(half.length, 0.0), half.at(half.length, 0.5)),
        side("side", hem_end),
        *_waist(half, dart_depth),
    ]
    return piece(name or faces, unfold_facing(sides, (0.0, 0.0), faces), faces=faces, height=top)


def _waist(half: Sector, dart_depth: float) -> list[DraftSide]:
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


def waistband_pieces(waist: float, height: float, bottom: float) -> tuple[Panel, Panel]:
    """Return front and back waistband; bottom: height of the lower edge above the floor [m]."""
    w = waist / 4.0
    half = [side("seam", (0.0, 0.0)), side("end", (w, 0.0)), side("top", (w, height))]
    front, back = (
        piece(f"{faces}_band", unfold_facing(half, (0.0, height), faces), faces=faces, height=bottom)
        for faces in ("front", "back")
    )
    return front, back


# ---------------------------------------------------------------------------- wider skirts


def circle_skirt(
    m: Measures,
    *,
    length: float | str = "knee",
    fullness: float = 1.0,
    waist_ease: float | str = "usual",
    waistband: float = 0.035,
) -> Pattern:
    """Draft a circle skirt.

    length: a word or metres below the waist; fullness: 1 a whole circle, 0.5 half of one; waist_ease: a
    word (usual, loose) or metres added at the waist; waistband: its height [m].
    """
    waist, top = eased_waist(m, waist_ease), m["waist_height"] - waistband / 2.0
    angle = math.pi / 2.0 * fullness
    long = top - hem_height(m, length, top, least=SHORTEST)
    half = Sector(waist / 4.0 / angle, angle, long, 0.0)
    panels = (
        skirt_piece(half, "front", top, dart_depth=0.0),
        skirt_piece(half, "back", top, dart_depth=0.0),
        *waistband_pieces(waist, waistband, top),
    )
    seams = side_seams(panels) + waistband_seams(panels)
    return Pattern("circle_skirt", panels, seams, hold_waistband(panels), origin="body")


def pleated_skirt(
    m: Measures,
    *,
    length: float | str = "short",
    pleats: float = 16,
    fullness: float = 2.0,
    waist_ease: float | str = "usual",
    waistband: float = 0.035,
) -> Pattern:
    """Draft a skirt with pleats that are stitched together at the waist and open below.

    length: a word or metres below the waist; pleats: how many all round; fullness: cloth at the waist / its
    girth; waist_ease: a word (usual, loose) or metres added at the waist; waistband: its height [m].
    """
    waist, top = eased_waist(m, waist_ease), m["waist_height"] - waistband / 2.0
    count = max(round(pleats / 4.0), 1)
    if 4 * count != pleats:
        m.tell("pleats", f"{4 * count} instead: each half of front and back has as many")
    least = (max(m["hips"], m["waist"]) + 0.06) / waist
    wide = waist / 4.0 * max(fullness, least)
    if fullness < least:
        m.tell("fullness", f"{least:.2f} instead: the hips need it")
    long = top - hem_height(m, length, top, least=SHORTEST)
    sides = _pleated_half(waist / 4.0, wide, long, count)
    front, back = (
        piece(name, unfold_facing(sides, (0.0, 0.0), name), faces=name, height=top)
        for name in ("front", "back")
    )
    panels = (front, back, *waistband_pieces(waist, waistband, top))
    seams = side_seams(panels) + dart_seams(panels) + waistband_seams(panels)
    return Pattern("pleated_skirt", panels, seams, hold_waistband(panels), origin="body")


def _pleated_half(waist: float, wide: float, length: float, count: int) -> list[DraftSide]:
    """Return half a front with `count` pleats: stretches of the waist whose halves are sewn together."""
    sides = [side("hem", (0.0, -length)), side("side", (wide, -length))]
    plain, pleat = waist / count, (wide - waist) / (2.0 * count)
    x = wide
    for k in range(count + 1):
        sides.append(side(f"waist_{k}", (x, 0.0)))
        x -= plain * (0.5 if k in (0, count) else 1.0)
        if k < count:
            sides += [side(f"pleat_{k}_outer", (x, 0.0)), side(f"pleat_{k}_inner", (x - pleat, 0.0))]
            x -= 2.0 * pleat
    return sides
