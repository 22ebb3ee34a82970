"""A sleeveless top."""

from __future__ import annotations

from toile.core.records import Pattern
from toile.core.units import cm
from toile.pattern.drafts.bodice import bodice, front_and_back
from toile.pattern.drafts.lengths import upper_hem
from toile.pattern.drafts.measures import TOLD, Measures
from toile.pattern.drafts.sewing import body_seams


def top(
    m: Measures,
    *,
    length: float = 0.0,
    ease: float = 0.07,
    neckline: float = 0.05,
    straps: float = 0.055,
) -> Pattern:
    """Draft a sleeveless top.

    length: hem below the hip line (+) or above (-) [m]; ease: added to the chest girth; neckline: depth
    beyond the base of the neck; straps: width of the shoulder [m].
    """
    widest = m["shoulder_width"] / 2.0 - m["neck"] / 6.0 - 0.016
    shorter = min(max(widest - straps, 0.0), 0.09)
    if abs(widest - shorter - straps) > TOLD:
        m.tell("straps", f"{cm(widest - shorter)} instead: shoulders of this width allow no other")
    lines = bodice(
        m,
        hem=upper_hem(m, length, 0.06),
        ease=ease,
        neck_width=0.6 * shorter,
        neck_depth=neckline,
        shoulder=-0.4 * shorter,
        armhole=0.015,
    )
    panels = front_and_back(lines)
    return Pattern("top", panels, body_seams(panels), origin="body")
