"""Seams that many garments share."""

from __future__ import annotations

from collections.abc import Sequence

from toile.core.records import Panel, Seam
from toile.pattern.drafts.cutting import has_edge, sew

HANDS = ("left", "right")


def edge_of(panels: Sequence[Panel], half: str, hand: str, word: str) -> str:
    """Return an edge's name: of a whole front (front.left_hem) or of half a front (left_front.hem)."""
    whole = f"{half}.{hand}_{word}"
    return whole if has_edge(panels, whole) else f"{hand}_{half}.{word}"


def body_seams(panels: Sequence[Panel]) -> tuple[Seam, ...]:
    """Return the side and shoulder seams of fronts and backs."""
    return tuple(
        sew(
            panels,
            _front_chain(panels, hand, word),
            edge_of(panels, "back", hand, word),
            name=f"{hand} {word}",
        )
        for word in ("side", "shoulder")
        for hand in HANDS
    )


def _front_chain(panels: Sequence[Panel], hand: str, word: str) -> str:
    """Return the front's edge with that word; a side with a dart goes on above it."""
    lower, upper = (edge_of(panels, "front", hand, w) for w in (word, f"upper_{word}"))
    if not has_edge(panels, upper):
        return lower
    # the wearer's left is drawn upwards, the right downwards
    return f"{lower} + {upper}" if hand == "left" else f"{upper} + {lower}"


def sleeve_seams(panels: Sequence[Panel]) -> tuple[Seam, ...]:
    """Return the armhole and underarm seams of two sleeves."""
    seams = []
    for hand in HANDS:
        for half in ("front", "back"):
            body, crown = edge_of(panels, half, hand, "armhole"), f"{hand}_sleeve.{half}_crown"
            seams.append(sew(panels, body, crown, name=f"{hand} {half} armhole"))
        front, back = (f"{hand}_sleeve.{half}_underarm" for half in ("front", "back"))
        seams.append(sew(panels, front, back, name=f"{hand} underarm"))
    return tuple(seams)


def dart_seams(panels: Sequence[Panel]) -> tuple[Seam, ...]:
    """Return the seams that close all darts and pleats: edges …_outer with …_inner."""
    return tuple(
        sew(panels, f"{p.name}.{e.name}", f"{p.name}.{e.name[:-5]}inner", name=f"{p.name} {e.name[:-6]}")
        for p in panels
        for e in p.edges
        if e.name.endswith("_outer")
    )


def waist_chain(panels: Sequence[Panel], half: str, hand: str) -> str:
    """Return the waist of a quarter as a chain in the piece's own direction, darts and pleats left out."""
    name, prefix = (
        (f"{hand}_{half}", "") if any(p.name == f"{hand}_{half}" for p in panels) else (half, f"{hand}_")
    )
    panel = next(p for p in panels if p.name == name)
    words = [e.name for e in panel.edges if e.name.startswith(prefix)]
    waist = [w for w in words if w.removeprefix(prefix).startswith(("waist", "side_waist"))]
    return " + ".join(f"{name}.{w}" for w in waist)


def waistband_seams(panels: Sequence[Panel]) -> tuple[Seam, ...]:
    """Return the seams of a waistband with fronts and backs, and with itself at the sides."""
    seams = []
    for hand in HANDS:
        for half in ("front", "back"):
            chain = waist_chain(panels, half, hand)
            seams.append(sew(panels, chain, f"{half}_band.{hand}_seam", name=f"{hand} {half} waist"))
        seams.append(sew(panels, f"front_band.{hand}_end", f"back_band.{hand}_end", name=f"{hand} waistband"))
    return tuple(seams)
