"""A T-shirt with set-in sleeves."""

from __future__ import annotations

from toile.core.records import Pattern
from toile.pattern.drafts.bodice import (
    arm_girth,
    bodice,
    front_and_back,
    left_sleeve,
    sleeve_and_armhole,
    sleeve_width,
)
from toile.pattern.drafts.cutting import mirror
from toile.pattern.drafts.lengths import sleeve_length, upper_hem
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.sewing import body_seams, sleeve_seams


def tshirt(
    m: Measures,
    *,
    length: float = 0.0,
    sleeves: float | str = "short",
    ease: float = 0.18,
    sleeve_ease: float = 0.12,
    neckline: float = 0.02,
) -> Pattern:
    """Draft a T-shirt.

    length: hem below the hip line (+) or above (-) [m]; sleeves: cap, short, elbow, three_quarter, long or
    metres from the shoulder; ease: added to the chest girth; sleeve_ease: added to the arm's girth; neckline:
    depth and width beyond the base of the neck [m].
    """
    hem = upper_hem(m, length, 0.04)
    # dressed with the arms out, worn with the arms hanging: a deep armhole and a wide sleeve let the arm down
    # without pulling the sleeve over the shoulder or the front across the bust; ease in the crown gives its
    # top, which the swinging arm pulls at, room over the shoulder
    lines = bodice(
        m, hem=hem, ease=ease, neck_width=0.6 * neckline, neck_depth=neckline, shoulder=0.018, armhole=0.035
    )
    lines, crown = sleeve_and_armhole(lines, arm_girth(m) + sleeve_ease, ease=0.018)
    front, back = front_and_back(lines)
    reach = sleeve_length(m, sleeves)
    end = sleeve_width(m, reach, sleeve_ease)
    left = left_sleeve(m, lines, crown, length=reach, hem=end, asked=sleeves)
    panels = (front, back, left, mirror(left, "right_sleeve", around="right_arm"))
    return Pattern("tshirt", panels, body_seams(panels) + sleeve_seams(panels), origin="body")
