"""What the grammar of garments works with: pieces by side of the wearer, seams found, how sure they are.

Pieces are seen from outside, so the right of a front's drawing is worn on the left, the right of a back's
drawing on the right. Outlines run counter-clockwise: along the top of a piece from its right to its left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from toile.core.records import EdgeRef, Pattern, Seam
from toile.pattern.model import curves
from toile.pattern.model.sides import reversed_chain
from toile.pattern.model.split import PartRef
from toile.pattern.seams.suggest import Suggestion
from toile.pattern.understand.outline import Stretch
from toile.pattern.understand.recognise import Known

Chain = tuple[EdgeRef, ...]

SLACK = 0.005
"""sides may differ by this without a doubt [m]"""
SCALE = 0.06
"""… and by this share until the doubt is large"""
EASE = (0.97, 1.10)
"""length of a sleeve cap / of its armhole without a doubt"""
RIB = (0.72, 1.03)
"""length of a knitted band / of the opening that it draws together"""


@dataclass(frozen=True, slots=True)
class End:
    """A stretch of a known piece, with the side of the wearer that it lies on."""

    known: Known
    stretch: Stretch

    @property
    def chain(self) -> Chain:
        """Return its edges, counter-clockwise."""
        return self.stretch.refs

    @property
    def length(self) -> float:
        """Return its length [m]."""
        return self.stretch.length


@dataclass(slots=True)
class Joined:
    """Seams found so far, and what was noticed."""

    seams: list[Suggestion]
    notes: list[str]

    def add(self, a: Chain, b: Chain, sure: float, name: str, reason: str, ease: float | None = None) -> None:
        """Add the seam of two chains that run against each other."""
        self.seams.append(
            Suggestion(Seam(a, reversed_chain(b), ease, name[:60]), min(max(sure, 0.05), 0.99), reason)
        )


class Pieces:
    """The pieces by part, face and side."""

    def __init__(self, pattern: Pattern, known: tuple[Known, ...]) -> None:
        self.pattern, self.known = pattern, known
        self.upper = [k for k in known if k.family in ("bodice", "poncho") and k.face]
        self.yokes = [k for k in known if k.kind == "yoke"]
        self.lower = [k for k in known if k.family in ("skirt", "brief") and k.face]
        self.legs = [k for k in known if k.family == "leg"]
        self.sleeves = [k for k in known if k.family == "sleeve"]

    def of(self, *parts: str) -> list[Known]:
        """Return the strips and hoods of these parts."""
        return [k for k in self.known if k.part in parts and k.stretches]

    def ends(self, pieces: Sequence[Known], face: str, role: str, side: str = "") -> list[End]:
        """Return the stretches of a role on one face and side of the wearer."""
        return [
            End(k, s)
            for k in pieces
            for s in k.stretches
            if s.role == role and face_of(k) == face and (not side or wearer_side(k, s) == side)
        ]

    def length(self, chain: Chain) -> float:
        """Return the length of a chain whose edges may be taken in part [m]."""
        return sum(
            curves.edge_length(self.pattern.panel(r.panel), r.edge)
            * ((r.high - r.low) if isinstance(r, PartRef) else 1.0)
            for r in chain
        )

    def marks(self, chain: Chain) -> list[float]:
        """Return the notches along a chain, 0 … 1."""
        total, start, found = self.length(chain), 0.0, []
        for ref in chain:
            panel = self.pattern.panel(ref.panel)
            length = self.length((ref,))
            low, high = (ref.low, ref.high) if isinstance(ref, PartRef) else (0.0, 1.0)
            for notch in panel.notches:
                if notch.edge == ref.edge and low <= notch.fraction <= high:
                    at = (notch.fraction - low) / max(high - low, 1e-9)
                    found.append((start + (1.0 - at if ref.reversed else at) * length) / total)
            start += length
        return sorted(found)


def face_of(one: Known) -> str:
    """Return front or back; a yoke lies behind."""
    return "back" if one.kind == "yoke" else one.face


def wearer_side(one: Known, stretch: Stretch) -> str:
    """Return left or right of the wearer for a stretch at one side of a front or back."""
    return "left" if (stretch.side > 0) == (face_of(one) == "front") else "right"


def half_side(one: Known) -> str:
    """Return which half of the body a half piece, or a leg's front or back, is worn on."""
    for role in ("side", "out"):
        stretch = one.stretch(role)
        if stretch is not None:
            return wearer_side(one, stretch)
    return one.side


def sure_of(a: Known, b: Known) -> float:
    """Return how surely two pieces are what they seem to be."""
    return math.sqrt(a.confidence * b.confidence)


def even(a: float, b: float) -> float:
    """Return how surely sides of these lengths are sewn without ease."""
    gap = max(0.0, abs(a - b) - SLACK) / max(a, b)
    return math.exp(-((gap / SCALE) ** 2))


def within(ratio: float, low: float, high: float) -> float:
    """Return 1 for a ratio in its usual range, less beyond."""
    gap = max(0.0, low - ratio, ratio - high)
    return math.exp(-((gap / 0.12) ** 2))


def in_cm(*lengths: float) -> str:
    """Return lengths in words."""
    return " and ".join(f"{length * 100:.1f}" for length in lengths) + " cm"


def ease_of(a: float, b: float) -> float | None:
    """Return the ease to declare for sides of these lengths [m]."""
    return b / a if abs(b / a - 1.0) > 0.005 else None


def sew(found: Joined, garment: Pieces, a: End, b: End, name: str, confidence: float = 1.0) -> None:
    """Sew two stretches that should be equally long."""
    sure = (
        confidence
        * sure_of(a.known, b.known)
        * even(a.length, b.length)
        * notches_meet(garment, a.chain, b.chain)
    )
    found.add(
        a.chain, b.chain, sure, name, f"{name}, {in_cm(a.length, b.length)}", ease_of(a.length, b.length)
    )


def notches_meet(garment: Pieces, a: Chain, b: Chain) -> float:
    """Return 1 where notches meet or there are none, less where as many miss each other."""
    one, other = garment.marks(a), [1.0 - at for at in garment.marks(b)][::-1]
    if not one or len(one) != len(other):
        return 1.0
    miss = max(abs(x - y) for x, y in zip(one, other, strict=True)) * garment.length(a)
    return 1.0 if miss < 0.02 else 0.85


def left_leg_first(whole: Sequence[Known]) -> list[Known]:
    """Return two whole legs, first the one with its front, the shorter crotch, on the left of its drawing."""

    def lean(one: Known) -> float:
        right, left = one.stretch("crotch", 1), one.stretch("crotch", -1)
        return right.length - left.length if right and left else 0.0

    return sorted(whole, key=lambda one: -lean(one))
