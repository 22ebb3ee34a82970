"""Trousers and shorts with a waistband."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toile.core.records import Panel, Pattern, Seam
from toile.core.units import cm
from toile.pattern.drafts.cutting import DraftSide, Point, length_between, mirror, piece, sew, side, solve
from toile.pattern.drafts.lengths import eased_waist, hem_height
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.sewing import HANDS, dart_seams, waistband_seams
from toile.pattern.drafts.skirt import hold_waistband, waistband_pieces


@dataclass(frozen=True, slots=True)
class Leg:
    """The lines of half a front or back [m]; x = 0 is the crease, the middle of the body lies at x < 0."""

    waist: float
    """height of the waist's lower seam above the floor"""
    hip: float
    crotch: float
    hem: float
    width: float
    """from the middle seam to the side at the hips"""
    fork: float
    """how far the piece reaches under the crotch beyond the middle seam"""
    waist_width: float
    side_take: float
    """how far the waist lies inside of the hips at the side"""
    middle_take: float
    """the same at the middle seam"""
    rise: float
    """how much higher the middle of the waist lies than the side"""
    hem_width: float

    @property
    def outer(self) -> float:
        """Return x of the side at the hips."""
        return (self.width + self.fork) / 2.0

    @property
    def middle(self) -> float:
        """Return x of the middle seam at the hips."""
        return self.outer - self.width

    @property
    def tip(self) -> Point:
        """Return the point under the crotch where inseam and middle seam meet."""
        return -self.outer, self.crotch


def trousers(
    m: Measures,
    *,
    length: float | str = "ankle",
    ease: float = 0.06,
    waist_ease: float | str = "usual",
    hem: float = 0.0,
    rise: float = 0.0,
    waistband: float = 0.04,
) -> Pattern:
    """Draft straight trousers.

    length: a word (ankle, midi, knee, short, mini) or metres below the waist; ease: added at the hips;
    waist_ease: a word (usual, loose) or metres added at the waist; hem: girth of the hem (0: follows the
    leg); rise: deeper crotch; waistband: its height [m].
    """
    top = m["waist_height"] - waistband / 2.0
    shortest = top - (m["crotch_height"] - 0.02 - rise) + 0.06
    front, back = _lines(m, top, hem_height(m, length, top, least=shortest), ease, waist_ease, hem, rise)
    left = (leg_piece(front, "left_front", "front"), _back_piece(front, back))
    right = tuple(mirror(p, p.name.replace("left", "right"), around="right_leg") for p in left)
    panels = (*left, *right, *waistband_pieces(eased_waist(m, waist_ease), waistband, top))
    seams = leg_seams(panels) + dart_seams(panels) + waistband_seams(panels)
    return Pattern("trousers", panels, seams, hold_waistband(panels), origin="body")


def shorts(
    m: Measures,
    *,
    length: float | str = "short",
    ease: float = 0.08,
    waist_ease: float | str = "usual",
    hem: float = 0.0,
) -> Pattern:
    """Draft shorts: see `trousers`."""
    pattern = trousers(m, length=length, ease=ease, waist_ease=waist_ease, hem=hem)
    return replace(pattern, name="shorts")


BELLY_RISE = 0.3
"""how much higher the front is cut in the middle, per girth by which the waist is full [m/m]"""


def _lines(
    m: Measures, top: float, hem: float, ease: float, waist_ease: float | str, hem_girth: float, rise: float
) -> tuple[Leg, Leg]:
    """Return the lines of front and back."""
    # soft flesh wants more room than bones
    heavy = max(m["hips"] - 1.05, 0.0)
    hips, waist = max(m["hips"], 0.92 * m["waist"]) + ease + 0.12 * heavy, eased_waist(m, waist_ease) / 4.0
    # the way over a belly is longer than straight down
    belly = max(m["waist"] - 0.85 * m["hips"], 0.0)
    # heavy thighs touch: the seam between them cannot reach up to the crotch
    crotch = m["crotch_height"] - 0.02 - rise - 0.12 * heavy
    hem = min(hem, crotch - 0.06)
    share = min(max((crotch - hem) / max(crotch - m["knee_height"], 0.05), 0.0), 1.0)
    # a thigh narrows slowly at first
    leg = m["thigh"] + share**1.5 * (m["knee"] - m["thigh"]) + 0.08 + 0.15 * max(m["thigh"] - 0.6, 0.0)
    # room for a thigh that goes forward; a leg too short to taper would crumple between the thighs
    swing = min(max(2.0 * share - 1.0, 0.0), 1.0)
    foot = m["ankle"] + 0.06
    girth = max(hem_girth or leg, foot)
    if 0.0 < hem_girth < foot:
        m.tell("hem", f"{cm(foot)} instead: a foot has to go through")
    front = hips / 4.0 - 0.005
    spare = front - waist
    # little to take in: the side does it; much: middle seam, side and a dart share it
    # (a waist that rises to the middle is longer than it is wide)
    slant = waist - (waist**2 - (BELLY_RISE * belly) ** 2) ** 0.5
    middle, take = (0.008, 0.022) if spare > 0.036 else (0.0, spare + slant)
    lines = Leg(
        waist=top, hip=max(m["hip_height"], crotch + 0.06), crotch=crotch, hem=hem, width=front,
        fork=hips / 20.0 - 0.004 + swing * (hips / 80.0 + 0.004), waist_width=waist, side_take=take,
        middle_take=middle, rise=BELLY_RISE * belly, hem_width=girth / 2.0 - 0.01,
    )  # fmt: skip
    return lines, replace(
        lines, width=front + 0.01, fork=hips / 10.0 + swing * hips / 30.0 + 0.1 * heavy, middle_take=middle,
        rise=0.02 + 0.015 * swing + 0.06 * heavy + 0.5 * BELLY_RISE * belly, hem_width=girth / 2.0 + 0.01,
    )  # fmt: skip


def leg_piece(leg: Leg, name: str, faces: str) -> Panel:
    """Return a left front, or a left back drawn from the inside of the body as if it were a front."""
    return piece(name, _leg_sides(leg), around="left_leg", faces=faces)


def _leg_sides(leg: Leg) -> list[DraftSide]:
    """Return the sides of a left front, counter-clockwise from the hem's inner end."""
    inner, outer = _hem_ends(leg)
    start = (leg.middle + leg.middle_take, leg.waist + leg.rise)
    bend = leg.crotch + 0.75 * (leg.hip - leg.crotch)
    return [
        side("hem", inner),
        side("side_leg", outer, (leg.outer, leg.hem + 0.6 * (leg.hip - leg.hem))),
        side("side_hip", (leg.outer, leg.hip), (leg.outer, leg.hip + 0.45 * (leg.waist - leg.hip))),
        *_waist(leg, start),
        side("middle", start),
        side(
            "crotch",
            (leg.middle, bend),
            (leg.middle, leg.crotch + 0.02),
            (leg.middle - 0.25 * leg.fork, leg.crotch),
        ),
        side("inseam", leg.tip),
    ]


def _hem_ends(leg: Leg) -> tuple[Point, Point]:
    """Return the inner and the outer end of the hem; the side narrows as much on front and back."""
    return (-leg.hem_width / 2.0, leg.hem), (leg.hem_width / 2.0, leg.hem)


def _waist(leg: Leg, start: Point) -> list[DraftSide]:
    """Return the waist from the side to the middle, with a dart where the hips are much wider."""
    end = (leg.outer - leg.side_take, leg.waist)
    length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
    take = length - leg.waist_width
    if take < 0.006:
        return [side("waist", end)]

    def at(distance: float) -> Point:
        t = distance / length
        return end[0] + t * (start[0] - end[0]), end[1] + t * (start[1] - end[1])

    half = 0.5 * leg.waist_width
    middle, depth = at(half + take / 2.0), 0.55 * (leg.waist - leg.hip) / length
    tip = (middle[0] + depth * (end[1] - start[1]), middle[1] - depth * (end[0] - start[0]))
    return [
        side("side_waist", end),
        side("dart_outer", at(half)),
        side("dart_inner", tip),
        side("waist", at(half + take)),
    ]


def _back_piece(front: Leg, back: Leg) -> Panel:
    """Return the left back, whose side and inseam are as long as the front's."""
    # the side: same shape, so the hem's outer end lies as far inside of the hips
    slant = front.outer - _hem_ends(front)[1][0]
    outer = (back.outer - slant, back.hem)
    inner = (outer[0] - back.hem_width, back.hem)
    wanted = length_between(side("", front.tip), _hem_ends(front)[0])
    # the inseam: the back's fork is longer, so its tip lies lower
    drop = solve(
        lambda d: -length_between(side("", (back.tip[0], back.tip[1] - d)), inner), -wanted, 0.0, 0.06
    )
    lowered = replace(back, crotch=back.crotch - drop)
    sides = _leg_sides(lowered)
    sides[0], sides[1] = replace(sides[0], start=inner), replace(sides[1], start=outer)
    drawn = piece("left_back", sides, around="left_leg", faces="front")
    # seen from behind the wearer's left lies on the left
    turned = mirror(drawn, "left_back", around="left_leg")
    return piece_facing(turned, "back")


def piece_facing(panel: Panel, faces: str) -> Panel:
    """Return the panel with its outer side looking elsewhere."""
    turned = piece("", [side("", (0.0, 0.0))], faces=faces).placement
    assert panel.placement is not None
    assert turned is not None
    return replace(panel, placement=replace(panel.placement, rotation=turned.rotation))


def leg_seams(panels: tuple[Panel, ...]) -> tuple[Seam, ...]:
    """Return the seams of two legs and the middle seams that join them."""
    seams = []
    for hand in HANDS:
        for word in ("side_leg", "side_hip", "inseam"):
            seams.append(
                sew(
                    panels,
                    f"{hand}_front.{word}",
                    f"{hand}_back.{word}",
                    name=f"{hand} {word.replace('_', ' ')}",
                )
            )
    for half in ("front", "back"):
        for word in ("middle", "crotch"):
            seams.append(sew(panels, f"left_{half}.{word}", f"right_{half}.{word}", name=f"{half} {word}"))
    return tuple(seams)
