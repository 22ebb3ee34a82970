"""A hooded jacket and a coat, worn over other garments."""

from __future__ import annotations

from collections.abc import Sequence

from toile.core.records import Panel, Pattern, Seam
from toile.pattern.drafts.bodice import (
    arm_girth,
    bodice,
    heaviness,
    left_sleeve,
    sleeve_and_armhole,
    sleeve_width,
)
from toile.pattern.drafts.cutting import length_of, mirror, moved, piece, sew, side
from toile.pattern.drafts.lengths import hem_height, sleeve_length, upper_hem
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.sewing import HANDS, body_seams, sleeve_seams
from toile.pattern.drafts.shirt import back_piece, collar_seams, fronts, stand_collar


def hooded_jacket(
    m: Measures,
    *,
    length: float = 0.06,
    sleeves: float | str = "long",
    ease: float = 0.20,
    sleeve_ease: float = 0.16,
) -> Pattern:
    """Draft a zipped jacket with a hood.

    length: hem below the hip line [m]; sleeves: a word or metres; ease: added to the chest girth;
    sleeve_ease: added to the arm's girth [m].
    """
    hem = upper_hem(m, length, 0.02)
    panels = _jacket(m, hem, sleeves, ease, sleeve_ease)
    left = hood(m, panels)
    panels = (*panels, left, mirror(left, "right_hood"))
    seams = body_seams(panels) + sleeve_seams(panels) + hood_seams(panels)
    seams += (sew(panels, "left_front.middle", "right_front.middle", name="zip"),)
    return Pattern("hooded_jacket", panels, seams, layer=1, origin="body")


def coat(
    m: Measures,
    *,
    length: float | str = "knee",
    sleeves: float | str = "long",
    ease: float = 0.24,
    sleeve_ease: float = 0.18,
    flare: float = 0.12,
    collar: float = 0.05,
) -> Pattern:
    """Draft a closed coat with a standing collar.

    length: a word or metres below the waist; sleeves: a word or metres; ease: added to the chest girth;
    sleeve_ease: added to the arm's girth; flare: growth of half a front per metre downwards; collar: its
    height [m].
    """
    top = m["waist_height"]
    hem = hem_height(m, length, top, least=top - m["armpit_height"] + 0.16)
    panels = _jacket(m, hem, sleeves, ease, sleeve_ease, flare)
    panels += stand_collar(panels, collar, m["neck_height"])
    seams = body_seams(panels) + sleeve_seams(panels) + collar_seams(panels)
    seams += (sew(panels, "left_front.middle", "right_front.middle", name="front"),)
    return Pattern("coat", panels, seams, layer=1, origin="body")


def _jacket(
    m: Measures, hem: float, sleeves: float | str, ease: float, sleeve_ease: float, flare: float = 0.0
) -> tuple[Panel, ...]:
    """Return fronts, back and sleeves of a wide upper garment."""
    lines = bodice(
        m,
        hem=hem,
        ease=ease,
        neck_width=0.006,
        neck_depth=0.01,
        shoulder=0.015,
        # deeper than that of a shirt or T-shirt, which bunches up under it in the armpit; between a heavy arm
        # and the trunk there is even less room
        armhole=0.07 + 0.15 * heaviness(m),
        slimmest=flare,
        # over skirts and trousers
        lower_ease=1.0,
    )
    if lines.flare > flare + 1e-4:
        m.tell("flare", f"{lines.flare:.2f} instead: the hips need it")
    lines, crown = sleeve_and_armhole(lines, arm_girth(m) + sleeve_ease, ease=0.015)
    reach = sleeve_length(m, sleeves)
    end = sleeve_width(m, reach, sleeve_ease)
    left = left_sleeve(m, lines, crown, length=reach, hem=end, asked=sleeves)
    right = mirror(left, "right_sleeve", around="right_arm")
    return (*fronts(lines), back_piece(lines), left, right)


CROWN_REACH = 0.08
"""how far the back of a hood lies behind the nape [m]"""
HOOD_DEPTH = 0.42
"""from the brim to the back of the head, as a share of the head's girth"""


def hood(m: Measures, panels: Sequence[Panel]) -> Panel:
    """Return the left half of a hood: its face opening at x < 0, the back of the head at x > 0."""
    front, back = length_of(panels, "left_front.neck"), length_of(panels, "back.left_neck")
    tall = m["height"] - m["neck_height"] + 0.04
    x = front + back
    # the hood is as deep as the head, whatever the neck: beyond that it would sink over the eyes
    brim = max(x + CROWN_REACH - HOOD_DEPTH * m["head"], 0.03)
    sides = [
        side("front_neck", (0.0, 0.0)),
        side("back_neck", (front, 0.0)),
        side("crown", (x, 0.0), (x + 0.12, 0.5 * tall), (x + 0.05, 1.12 * tall)),
        side("face", (brim, tall), (0.0, 0.8 * tall), (-0.01, 0.4 * tall)),
    ]
    shifted = [moved(s, -0.55 * x) for s in sides]
    height = m["neck_height"] + 0.02
    return piece("left_hood", shifted, around="head", faces="left", height=height)


def hood_seams(panels: Sequence[Panel]) -> tuple[Seam, ...]:
    """Return the seams of a hood with the neckline and along its crown."""
    seams = [sew(panels, "left_hood.crown", "right_hood.crown", name="hood")]
    for hand in HANDS:
        front, back = f"{hand}_front.neck", f"back.{hand}_neck"
        seams.append(sew(panels, front, f"{hand}_hood.front_neck", name=f"{hand} front hood"))
        seams.append(sew(panels, back, f"{hand}_hood.back_neck", name=f"{hand} back hood"))
    return tuple(seams)
