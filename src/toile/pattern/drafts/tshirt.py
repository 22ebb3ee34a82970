"""A T-shirt with set-in sleeves."""

from __future__ import annotations

from toile.pattern.drafts.bodice import (
    bodice,
    front_and_back,
    left_sleeve,
    sleeve_and_armhole,
    sleeve_width,
)
from toile.pattern.drafts.cutting import mirror, sew
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.words import sleeve_length
from toile.types import Panel, Pattern, Seam


def tshirt(
    m: Measures,
    *,
    length: float = 0.0,
    sleeves: float | str = "short",
    ease: float = 0.10,
    sleeve_ease: float = 0.07,
    neckline: float = 0.02,
) -> Pattern:
    """Draft a T-shirt.

    length: hem below the hip line (+) or above (-) [m]; sleeves: cap, short, elbow, three_quarter, long or
    metres from the shoulder; ease: added to the chest girth; sleeve_ease: added to the arm's girth; neckline:
    depth and width beyond the base of the neck [m].
    """
    hem = m["hip_height"] + 0.04 - length
    lines = bodice(m, hem=hem, ease=ease, neck_width=0.6 * neckline, neck_depth=neckline)
    lines, crown = sleeve_and_armhole(lines, m["upper_arm"] + sleeve_ease, ease=0.01)
    front, back = front_and_back(lines)
    reach = sleeve_length(m, sleeves)
    left = left_sleeve(m, lines, crown, length=reach, hem=sleeve_width(m, reach, sleeve_ease))
    panels = (front, back, left, mirror(left, "right_sleeve", around="right_arm"))
    return Pattern("tshirt", panels, body_seams(panels) + sleeve_seams(panels), origin="body")


def body_seams(panels: tuple[Panel, ...]) -> tuple[Seam, ...]:
    """Return the side and shoulder seams of a front and a back."""
    return (
        sew(panels, "front.left_side", "back.left_side", name="left side"),
        sew(panels, "front.right_side", "back.right_side", name="right side"),
        sew(panels, "front.left_shoulder", "back.left_shoulder", name="left shoulder"),
        sew(panels, "front.right_shoulder", "back.right_shoulder", name="right shoulder"),
    )


def sleeve_seams(panels: tuple[Panel, ...]) -> tuple[Seam, ...]:
    """Return the armhole and underarm seams of two sleeves set into a front and a back."""
    return tuple(
        seam
        for hand in ("left", "right")
        for seam in (
            _armhole(panels, hand, "front"),
            _armhole(panels, hand, "back"),
            sew(
                panels,
                f"{hand}_sleeve.front_underarm",
                f"{hand}_sleeve.back_underarm",
                name=f"{hand} underarm",
            ),
        )
    )


def _armhole(panels: tuple[Panel, ...], hand: str, half: str) -> Seam:
    body, sleeve = f"{half}.{hand}_armhole", f"{hand}_sleeve.{half}_crown"
    return sew(panels, body, sleeve, name=f"{hand} {half} armhole")
