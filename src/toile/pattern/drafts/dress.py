"""A dress: a fitted bodice to the waist and a flared skirt, with or without sleeves."""

from __future__ import annotations

from dataclasses import replace

from toile.core.records import Panel, Pattern, Seam
from toile.pattern.drafts.bodice import (
    Bodice,
    arm_girth,
    bodice,
    half_back,
    half_front,
    left_sleeve,
    over_bust,
    sleeve_and_armhole,
    sleeve_width,
)
from toile.pattern.drafts.cutting import DraftSide, Point, mirror, piece, sew, side, unfold_facing
from toile.pattern.drafts.lengths import hem_height, sleeve_length
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.sewing import HANDS, body_seams, dart_seams, sleeve_seams, waist_chain
from toile.pattern.drafts.skirt import HIP_LEAST, sector, skirt_piece, tell_flare

SLEEVE_EASE = 0.09
"""added to the arm's girth [m]"""


def dress(
    m: Measures,
    *,
    length: float | str = "knee",
    sleeves: float | str = "none",
    flare: float = 0.7,
    ease: float = 0.07,
    waist_ease: float = 0.06,
    neckline: float = 0.03,
) -> Pattern:
    """Draft a dress with a waist seam.

    length: a word or metres below the waist; sleeves: none, cap, short, elbow, three_quarter, long or metres;
    flare: growth of the hem beyond the hips; ease, waist_ease: added at chest and waist; neckline: depth
    beyond the base of the neck [m].
    """
    waist = (m["waist"] + waist_ease) / 4.0
    bare = sleeves == "none"
    lines = bodice(
        m,
        hem=m["waist_height"],
        ease=ease,
        neck_width=0.5 * neckline + (0.015 if bare else 0.0),
        neck_depth=neckline,
        shoulder=-0.015 if bare else 0.006,
        armhole=0.015 if bare else 0.01,
        fitted=True,
    )
    arms: tuple[Panel, ...] = ()
    if not bare:
        lines, crown = sleeve_and_armhole(lines, arm_girth(m) + SLEEVE_EASE, ease=0.01)
        reach = sleeve_length(m, sleeves)
        end = sleeve_width(m, reach, SLEEVE_EASE)
        left = left_sleeve(m, lines, crown, length=reach, hem=end, asked=sleeves)
        arms = (left, mirror(left, "right_sleeve", around="right_arm"))
    # the side seam of the skirt goes on where that of the bodice ends
    more = _wider(lines, waist)
    panels = (*fitted_bodice(m, lines, waist, more), *_skirt(m, waist, more, length, flare), *arms)
    seams = body_seams(panels) + dart_seams(panels) + _skirt_seams(panels)
    seams += sleeve_seams(panels) if arms else ()
    return Pattern("dress", panels, seams, origin="body")


def sleeved_dress(m: Measures, *, sleeves: float | str = "long", length: float | str = "midi") -> Pattern:
    """Draft a dress with sleeves: see `dress`."""
    return replace(dress(m, sleeves=sleeves, length=length), name="sleeved_dress")


def fitted_bodice(m: Measures, lines: Bodice, waist: float, wider: float = 0.0) -> tuple[Panel, Panel]:
    """Return front and back with waist darts; waist: a quarter of the girth there [m].

    wider: half a front beyond a quarter, half a back so much less [m]. The way over the bust is longer than
    the back's: the front is longer, and a dart in its side takes that up.
    """
    more = 1.25 * over_bust(m)
    longer = raised(lines, more)
    low = m["bust_height"] - 0.035
    front, end = _fitted(longer, *half_front(longer), waist=waist + wider, quarter=waist, dart_top=low)
    if more > BUST_DART_LEAST:
        front[4:5] = _bust_dart(m, front[4].start, front[5].start, more)
    high = lines.underarm - 0.03
    back = _fitted(lines, *half_back(lines), waist=waist - wider, quarter=waist, dart_top=high)
    return (
        piece("front", unfold_facing(front, end, "front"), faces="front"),
        piece("back", unfold_facing(*back, "back"), faces="back"),
    )


BUST_DART_LEAST = 0.01
"""a front that is hardly longer is eased to the back [m]"""


def raised(lines: Bodice, more: float) -> Bodice:
    """Return the lines with everything from the underarm upwards that much higher [m]."""
    (nx, ny), (sx, sy) = lines.neck_point, lines.shoulder_point
    return replace(
        lines,
        neck_point=(nx, ny + more),
        neck_front=lines.neck_front + more,
        shoulder_point=(sx, sy + more),
        underarm=lines.underarm + more,
    )


def _bust_dart(m: Measures, waist: Point, underarm: Point, width: float) -> list[DraftSide]:
    """Return the side from the waist up to the underarm, with a dart towards the bust point."""
    (x0, y0), (x1, y1) = waist, underarm
    long = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    # where the dart's lower end lies on the side: at the bust, as far as it leaves seam above and below
    share = min(max((m["bust_height"] - y0) / (y1 - y0), 0.2), 0.9 - width / long)

    def at(t: float) -> Point:
        return x0 + t * (x1 - x0), y0 + t * (y1 - y0)

    low, middle, high = (at(share + k * width / long) for k in (0.0, 0.5, 1.0))
    # straight inwards from its middle, so that both legs are as long
    depth = max(middle[0] - m["bust_point_width"] / 2.0 - 0.02, 0.03)
    tip = (middle[0] - depth * (y1 - y0) / long, middle[1] + depth * (x1 - x0) / long)
    return [
        side("side", waist),
        side("bust_dart_outer", low),
        side("bust_dart_inner", tip),
        side("upper_side", high),
    ]


def _side_take(lines: Bodice, quarter: float) -> float:
    """Return how far the side narrows from the underarm to the waist [m]."""
    common = (lines.front + lines.back) / 2.0 - quarter
    return common - 0.012 if common < 0.03 else max(0.4 * common, 0.018)


def _wider(lines: Bodice, quarter: float) -> float:
    """Return how much wider than a quarter of the waist half a front is [m]; darts keep 6 mm to take."""
    take = _side_take(lines, quarter) + 0.006
    wanted = min((lines.front - lines.back) / 2.0, 0.16 * quarter)
    return min(max(wanted, quarter - lines.back + take), lines.front - quarter - take)


def _fitted(
    lines: Bodice, half: list[DraftSide], end: Point, *, waist: float, quarter: float, dart_top: float
) -> tuple[list[DraftSide], Point]:
    """Return half a bodice whose lower edge is as long as the waist: the side and a dart take the rest."""
    width = half[2].start[0]
    # front and back narrow alike, so that their sides match
    at_side = _side_take(lines, quarter)
    take, hem = width - waist - at_side, lines.hem
    outer = [side("side", (width - at_side, hem)), *half[2:]]
    middle = 0.45 * waist + take / 2.0
    dart = [
        side("waist", (0.0, hem)),
        side("dart_inner", (middle - take / 2.0, hem)),
        side("dart_outer", (middle, min(dart_top, hem + 0.18))),
        side("side_waist", (middle + take / 2.0, hem)),
    ]
    return dart + outer, end


def _skirt(m: Measures, waist: float, wider: float, length: float | str, flare: float) -> tuple[Panel, Panel]:
    """Return front and back of the skirt: half a front is wider than a quarter, half a back narrower."""
    top = m["waist_height"]
    depth = max(top - m["hip_height"], 0.08)
    hips = max(m["hips"], m["waist"]) + 0.05
    long = top - hem_height(m, length, top, least=depth + HIP_LEAST)
    tell_flare(m, sector(waist, hips / 4.0, depth, long, flare), depth, flare)
    front, back = (
        skirt_piece(
            sector(waist + more, hips / 4.0 + more, depth, long, flare),
            faces, top - 0.01, dart_depth=0.6 * depth, name=f"{faces}_skirt",
        )
        for faces, more in (("front", wider), ("back", -wider))
    )  # fmt: skip
    return front, back


def _skirt_seams(panels: tuple[Panel, ...]) -> tuple[Seam, ...]:
    seams = []
    for hand in HANDS:
        for half in ("front", "back"):
            bodice_waist = waist_chain(panels, half, hand)
            skirt_waist = " + ".join(reversed(waist_chain(panels, f"{half}_skirt", hand).split(" + ")))
            seams.append(sew(panels, bodice_waist, skirt_waist, name=f"{hand} {half} waist"))
        front, back = (f"{half}_skirt.{hand}_side" for half in ("front", "back"))
        seams.append(sew(panels, front, back, name=f"{hand} skirt side"))
    return tuple(seams)
