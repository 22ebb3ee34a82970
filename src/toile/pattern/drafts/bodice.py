"""The upper body: front and back from shoulder to hem, and sleeves that fit their armholes.

Heights are above the floor [m], so that a bodice shows directly where it lies on the body. Widths are of
half a front or half a back, measured from the middle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Panel
from toile.core.units import cm
from toile.pattern.drafts.cutting import DraftSide, Point, length_between, piece, side, solve, unfold
from toile.pattern.drafts.measures import TOLD, Measures

CAP_LOWEST = 0.075
"""lowest crown of a sleeve that still lets the arm hang [m]; a tighter armhole is cut deeper"""

ARMHOLE_DEEPEST = 0.035
"""an armhole lower below the armpit pulls at the body when the arm is lifted [m]"""
SIDE_SHARE = 0.8
"""how far the side seam follows the bust's fullness to the front"""


@dataclass(frozen=True, slots=True)
class Bodice:
    """Where the lines of an upper garment lie [m]."""

    neck_point: Point
    """where shoulder and neckline meet"""
    neck_front: float
    """height of the neckline in the middle of the front"""
    neck_back: float
    """height of the neckline in the middle of the back"""
    shoulder_point: Point
    """outer end of the shoulder seam"""
    across_front: float
    """half width between the armholes"""
    across_back: float
    underarm: float
    """height of the armhole's lowest point"""
    front: float
    """half width of the front at the underarm"""
    back: float
    """half width of the back at the underarm"""
    flare: float
    """growth of the half width per metre downwards along the side"""
    hem: float
    """height of the hem at the side"""
    dip: float = 0.0
    """how much lower the hem is cut in the middle of the front: the way over bust and belly is longer"""

    def half_width(self, at_underarm: float, height: float) -> float:
        """Return the half width of front or back at a height [m]."""
        return at_underarm + self.flare * (self.underarm - height)


def bodice(
    m: Measures,
    *,
    hem: float,
    ease: float,
    neck_width: float = 0.0,
    neck_depth: float = 0.0,
    shoulder: float = 0.0,
    armhole: float = 0.0,
    slimmest: float = -0.02,
    fitted: bool = False,
    lower_ease: float = 0.6,
) -> Bodice:
    """Return the lines for a body.

    hem: height above the floor; ease: added to the girths; neck_width, neck_depth: the neckline's opening
    beyond the base of the neck; shoulder: seam longer (+) or shorter (-) than the body's shoulder; armhole:
    deeper by that much; slimmest: least growth of the half width per metre downwards; fitted: ends in a seam,
    not in a hem that bust and belly lift; lower_ease: share of the ease that waist and hips get.
    """
    over = 0.0 if fitted else over_bust(m)
    neck = m["neck"] / 6.0 + 0.016 + neck_width
    # flesh makes the back and the chest wider than the bones at the shoulder
    tip = max(m["shoulder_width"] / 2.0 + shoulder + 0.1 * heaviness(m), neck + 0.055)
    fall = m["neck_height"] - m["shoulder_height"]
    slope = min(max(fall / (m["shoulder_width"] - m["neck_width"]) * 2.0, 0.25), 0.45)
    # a bodice that ends in a seam cannot slide: it gets a little more length
    neck_y = m["neck_height"] + (0.036 if fitted else 0.022) - slope * neck_width
    depth = m["bust"] / 10.0 + 0.07 * m["height"] + 0.018 + armhole
    underarm = min(m["nape_height"] - depth, m["armpit_height"] - 0.02)
    underarm = max(underarm, m["armpit_height"] - ARMHOLE_DEEPEST - armhole)
    quarter = (m["bust"] + ease) / 4.0
    # a full bust wants a wide front: the side seam stays under the arm
    more = min(max(SIDE_SHARE * (m["bust_front"] - m["bust"] / 2.0) / 2.0, 0.008), 0.22 * quarter)
    return Bodice(
        neck_point=(neck, neck_y),
        neck_front=neck_y - (m["neck"] / 6.0 + 0.025 + neck_depth),
        neck_back=neck_y - 0.022,
        shoulder_point=(tip, neck_y - slope * (tip - neck)),
        across_front=tip - 0.010,
        across_back=tip - 0.002,
        underarm=underarm,
        front=quarter + more,
        back=quarter - more,
        flare=max(slimmest, _least_flare(m, quarter, underarm, hem, lower_ease * ease)),
        hem=hem - LIFTED * over,
        dip=LIFTED * over,
    )


LIFTED = 0.6
"""share of the longer way over the bust by which a loose hem is lifted, once all round and once in front"""


def over_bust(m: Measures) -> float:
    """Return how much longer the way over the bust is than straight down from neck to waist [m]."""
    return min(max(m["front_over_bust"] - (m["neck_height"] - m["waist_height"]), 0.0), 0.09)


def _least_flare(m: Measures, quarter: float, underarm: float, hem: float, ease: float) -> float:
    """Return the growth of the half width that clears waist and hips, as far as the garment reaches."""
    levels = ((m["waist"], m["waist_height"]), (m["hips"], m["hip_height"]))
    return max(
        ((girth + ease) / 4.0 - quarter) / (underarm - height)
        for girth, height in levels
        if height > hem - 0.06 or girth == m["waist"]
    )


# ---------------------------------------------------------------------------- front and back


def half_front(b: Bodice) -> tuple[list[DraftSide], Point]:
    """Return the sides of the front at x ≥ 0 from the hem's middle to the neckline's, and the end."""
    neck = side("neck", b.neck_point, (b.neck_point[0], b.neck_front), (b.neck_point[0] * 0.5, b.neck_front))
    first, *rest = _half(b, b.front, b.across_front, neck)
    low, wide = b.hem - b.dip, rest[0].start[0]
    hem = side("hem", (0.0, low), (0.55 * wide, low)) if b.dip > 0.005 else first
    return [hem, *rest], (0.0, b.neck_front)


def half_back(b: Bodice) -> tuple[list[DraftSide], Point]:
    """Return the sides of the back at x ≥ 0 from the hem's middle to the neckline's, and the end."""
    neck = side("neck", b.neck_point, (b.neck_point[0] * 0.72, b.neck_back))
    return _half(b, b.back, b.across_back, neck), (0.0, b.neck_back)


def _half(b: Bodice, width: float, across: float, neck: DraftSide) -> list[DraftSide]:
    hem_width = b.half_width(width, b.hem)
    return [
        side("hem", (0.0, b.hem)),
        side("side", (hem_width, b.hem)),
        armhole(b, width, across),
        side("shoulder", b.shoulder_point),
        neck,
    ]


def armhole(b: Bodice, width: float, across: float) -> DraftSide:
    """Return the armhole curve from the underarm up to the shoulder point."""
    rise = b.shoulder_point[1] - b.underarm
    inner = across - 0.008
    return side(
        "armhole",
        (width, b.underarm),
        (inner + 0.1 * (width - inner), b.underarm),
        (inner, b.underarm + 0.5 * rise),
    )


def armhole_lengths(b: Bodice) -> tuple[float, float]:
    """Return the length of the front and of the back armhole [m]."""
    front = length_between(armhole(b, b.front, b.across_front), b.shoulder_point)
    return front, length_between(armhole(b, b.back, b.across_back), b.shoulder_point)


def front_and_back(b: Bodice) -> tuple[Panel, Panel]:
    """Return a front and a back, each cut in one piece."""
    front = piece("front", unfold(*half_front(b)), faces="front")
    back = piece("back", unfold(*half_back(b), plus="right", minus="left"), faces="back")
    return front, back


# ---------------------------------------------------------------------------- sleeve


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_NODES, _WEIGHTS = (_NODES + 1.0) / 2.0, _WEIGHTS / 2.0


@dataclass(frozen=True, slots=True)
class Crown:
    """The top of a sleeve [m]."""

    height: float
    """from the widest line to the top"""
    front: float
    """width of the front half at the widest line"""
    back: float
    """width of the back half at the widest line"""


def crown_curve(word: str, width: float, height: float) -> DraftSide:
    """Return the S-shaped half crown from the underarm at x = width up to the top at (0, 0)."""
    return side(word, (width, -height), (0.62 * width, -0.95 * height), (0.42 * width, 0.0))


def _unit_speed() -> tuple[Floats, Floats]:
    """Return dx/dt and dy/dt of the crown of unit width and height, at the nodes of quadrature."""
    one = crown_curve("", 1.0, 1.0)
    steps = 3.0 * np.diff(np.array([one.start, *one.controls, (0.0, 0.0)]), axis=0)
    t = _NODES[:, None]
    speed = (1 - t) ** 2 * steps[0] + 2 * t * (1 - t) * steps[1] + t**2 * steps[2]
    return speed[:, 0], speed[:, 1]


_ACROSS, _ALONG = _unit_speed()


def crown_length(width: float, height: float) -> float:
    """Return the length of a half crown [m]: the curve is an affine image of the one of unit size."""
    return float(np.sqrt((width * _ACROSS) ** 2 + (height * _ALONG) ** 2) @ _WEIGHTS)


def fit_crown(b: Bodice, width: float, *, ease: float) -> Crown:
    """Return the crown of that width [m] whose halves are longer than their armholes by the share `ease`."""
    lengths = [(1.0 + ease) * length for length in armhole_lengths(b)]

    def half(height: float, length: float) -> float:
        return solve(lambda w: crown_length(w, height), length, 0.2 * length, length)

    height = solve(lambda h: -sum(half(h, v) for v in lengths), -width, 0.01, 0.9 * min(lengths))
    return Crown(height, half(height, lengths[0]), half(height, lengths[1]))


def sleeve_and_armhole(b: Bodice, width: float, *, ease: float) -> tuple[Bodice, Crown]:
    """Return a crown of that width [m], with the armhole cut deeper where the arm needs it."""
    for _ in range(15):
        crown = fit_crown(b, width, ease=ease)
        if crown.height >= CAP_LOWEST and abs(crown.front + crown.back - width) < 0.001:
            return b, crown
        b = replace(b, underarm=b.underarm - 0.01)
    raise ToileError(
        f"a sleeve {cm(width)} wide fits no armhole of this bodice ({cm(crown.front + crown.back)} is the "
        "nearest): change sleeve_ease or ease"
    )


def sleeve_width(m: Measures, distance: float, ease: float) -> float:
    """Return the sleeve's girth at a distance from the shoulder point along the arm [m]."""
    share = min(max((distance - 0.10) / max(m["arm_length"] - 0.10, 0.1), 0.0), 1.0)
    return arm_girth(m) + share * (m["wrist"] - arm_girth(m)) + ease


def arm_girth(m: Measures) -> float:
    """Return the arm's girth at the armpit [m]: a heavy arm is much thicker there than halfway down."""
    return m["upper_arm"] + 0.2 * heaviness(m)


def heaviness(m: Measures) -> float:
    """Return how far the upper arm is thicker than a slim one [m]."""
    return max(m["upper_arm"] - 0.28, 0.0)


def left_sleeve(
    m: Measures, b: Bodice, crown: Crown, *, length: float, hem: float, asked: float | str
) -> Panel:
    """Return the left sleeve: y = 0 at the top of the crown, its front half at x < 0.

    length: from the top to the hem; hem: width there [m]; asked: what the style says of the length.
    """
    taper = (crown.front + crown.back - hem) / 2.0
    least = crown.height + 0.03
    if length < least - TOLD:
        words = asked if isinstance(asked, str) else cm(asked)
        m.tell("sleeves", f"{words} ends {cm(least - length)} lower: a sleeve is longer than its crown")
        length = least
    sides = [
        side("hem", (-crown.front + taper, -length)),
        side("back_underarm", (crown.back - taper, -length)),
        crown_curve("back_crown", crown.back, crown.height),
        _flip(crown_curve("front_crown", crown.front, crown.height)),
        side("front_underarm", (-crown.front, -crown.height)),
    ]
    return piece("left_sleeve", sides, around="left_arm", faces="left", height=b.shoulder_point[1])


def _flip(half: DraftSide) -> DraftSide:
    """Return a half crown run from the top (0, 0) down to the other side."""
    return replace(half, start=(0.0, 0.0), controls=tuple((-x, y) for x, y in reversed(half.controls)))
