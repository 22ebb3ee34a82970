"""A shirt with collar, button placket and cuffs; the fronts, collars and cuffs of jackets too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toile.core.records import Panel, Pattern, Seam
from toile.pattern.drafts.bodice import (
    Bodice,
    arm_girth,
    bodice,
    half_back,
    half_front,
    heaviness,
    left_sleeve,
    sleeve_and_armhole,
    sleeve_width,
)
from toile.pattern.drafts.cutting import length_of, mirror, piece, sew, side, unfold_facing
from toile.pattern.drafts.lengths import sleeve_length, upper_hem
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.sewing import HANDS, body_seams, sleeve_seams


def shirt(
    m: Measures,
    *,
    length: float = 0.06,
    sleeves: float | str = "long",
    ease: float = 0.18,
    sleeve_ease: float = 0.12,
    collar: float = 0.032,
    placket: float = 0.03,
) -> Pattern:
    """Draft a shirt.

    length: hem below the hip line [m]; sleeves: a word or metres, with cuffs; ease: added to the chest girth;
    sleeve_ease: added to the arm's girth; collar: height of the stand; placket: width of the front band.
    """
    hem = upper_hem(m, length, 0.02)
    # dressed with the arms out, worn with the arms hanging, as a T-shirt; a heavy arm lies on the trunk:
    # without a deeper armhole the cloth is crumpled in between
    armhole = 0.035 + 0.15 * heaviness(m)
    lines = bodice(
        m, hem=hem, ease=ease, neck_width=0.004, neck_depth=-0.004, shoulder=0.018, armhole=armhole
    )
    lines, crown = sleeve_and_armhole(lines, arm_girth(m) + sleeve_ease, ease=0.018)
    reach = sleeve_length(m, CUFFED * m["arm_length"] if sleeves == "long" else sleeves) - CUFF
    end = sleeve_width(m, reach, 0.8 * sleeve_ease)
    left = left_sleeve(m, lines, crown, length=reach, hem=end, asked=sleeves)
    arms = (left, cuff(m, lines, reach))
    body = (*fronts(lines, placket / 2.0), back_piece(lines), button_band(lines, placket))
    twins = tuple(mirror(p, p.name.replace("left", "right"), around="right_arm") for p in arms)
    panels: tuple[Panel, ...] = (*body, *arms, *twins)
    panels += stand_collar(panels, collar, m["neck_height"])
    seams = body_seams(panels) + sleeve_seams(panels) + cuff_seams(panels)
    seams += band_seams(panels) + collar_seams(panels)
    return Pattern("shirt", panels, seams, origin="body")


CUFF = 0.06
"""height of a cuff [m]"""
CUFF_EASE = 0.075
"""added to the wrist's girth: the upper edge lies where the forearm is thicker [m]"""
CUFFED = 0.97
"""share of the arm that a long sleeve with its cuff covers: higher up the forearm is too thick for it"""


# ---------------------------------------------------------------------------- open fronts


def fronts(lines: Bodice, gap: float = 0.0) -> tuple[Panel, Panel]:
    """Return a left and a right front that end that far from the middle [m]."""
    half, (_, low) = half_front(lines)
    sides = [replace(half[0], start=(gap, half[0].start[1])), *half[1:], side("middle", (gap, low))]
    left = piece("left_front", sides)
    return left, mirror(left, "right_front")


def back_piece(lines: Bodice) -> Panel:
    """Return the back in one piece."""
    return piece("back", unfold_facing(*half_back(lines), "back"), faces="back")


def button_band(lines: Bodice, width: float) -> Panel:
    """Return the closed front band between the fronts."""
    w, hem = width / 2.0, half_front(lines)[0][0].start[1]
    half = [
        side("hem", (0.0, hem)),
        side("edge", (w, hem)),
        side("neck", (w, lines.neck_front)),
    ]
    return piece("placket", unfold_facing(half, (0.0, lines.neck_front), "front"))


def band_seams(panels: Sequence[Panel]) -> tuple[Seam, ...]:
    """Return the seams of the fronts with the button band."""
    return tuple(
        sew(panels, f"{hand}_front.middle", f"placket.{hand}_edge", name=f"{hand} placket") for hand in HANDS
    )


# ---------------------------------------------------------------------------- cuffs, collar


def cuff(m: Measures, lines: Bodice, reach: float) -> Panel:
    """Return the left cuff; y = 0 where it meets the sleeve."""
    w = (m["wrist"] + CUFF_EASE) / 2.0
    sides = [
        side("hem", (-w, -CUFF)),
        side("back_end", (w, -CUFF)),
        side("top", (w, 0.0)),
        side("front_end", (-w, 0.0)),
    ]
    height = lines.shoulder_point[1] - reach - 0.012
    return piece("left_cuff", sides, around="left_arm", faces="left", height=height)


def cuff_seams(panels: Sequence[Panel]) -> tuple[Seam, ...]:
    """Return the seams of cuffs with sleeves, and with themselves."""
    seams = []
    for hand in HANDS:
        seams.append(sew(panels, f"{hand}_cuff.top", f"{hand}_sleeve.hem", name=f"{hand} cuff"))
        seams.append(sew(panels, f"{hand}_cuff.front_end", f"{hand}_cuff.back_end", name=f"{hand} cuff end"))
    return tuple(seams)


def neck_chain(panels: Sequence[Panel], hand: str) -> str:
    """Return the front neckline of one side, with its half of the button band, in the piece's direction."""
    parts = [f"{hand}_front.neck"]
    if any(p.name == "placket" for p in panels):
        parts.append(f"placket.{hand}_neck")
    return " + ".join(parts if hand == "left" else reversed(parts))


def stand_collar(panels: Sequence[Panel], height: float, at: float) -> tuple[Panel]:
    """Return a standing collar as long as the neckline, open in front."""
    back = length_of(panels, "back.left_neck")
    front = length_of(panels, neck_chain(panels, "left"))
    # the upper edge is a little shorter: it leans towards the neck
    lean, rise = 0.10 * front, 0.35 * height
    half = [
        side("back_neck", (0.0, 0.0)),
        side("front_neck", (back, 0.0)),
        side("end", (back + front, 0.0)),
        side("top", (back + front - lean * 0.4, height), (back, height + rise * 0.1)),
    ]
    sides = unfold_facing(half, (0.0, height), "back")
    return (piece("collar", sides, around="neck", faces="back", height=at),)


def collar_seams(panels: Sequence[Panel], name: str = "collar") -> tuple[Seam, ...]:
    """Return the seams of a collar with the neckline."""
    return tuple(
        sew(panels, body, f"{name}.{hand}_{half}_neck", name=f"{hand} {half} {name}")
        for hand in HANDS
        for half, body in (("back", f"back.{hand}_neck"), ("front", neck_chain(panels, hand)))
    )
