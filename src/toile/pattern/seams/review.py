"""Whether the seams of a pattern make sense to a tailor: lengths, direction, notches, gaps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from toile.core.records import EdgeRef, Floats, Pattern, Seam
from toile.core.units import cm
from toile.pattern.model import curves
from toile.pattern.model.check import describe_seam
from toile.pattern.model.lengths import chain_length, edge_words, seam_lengths
from toile.pattern.model.sides import SewnCorners, outer_face

MISMATCH = 0.02
"""sides may differ by this share of their length without declared ease"""
SLACK = 0.003
"""and by this length [m]"""
NOTCH_SLACK = 0.01
"""notches may miss each other by this [m]"""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a seam that a person should look at."""

    kind: str
    """length, ease, direction, notch, gap, piece, part"""
    seam: int
    """number of the seam, -1: none"""
    text: str
    """one line: what is wrong and what to do"""


def check_seams(pattern: Pattern) -> list[Finding]:
    """Return what is doubtful about the seams of a pattern; empty: nothing is."""
    found: list[Finding] = []
    for index, seam in enumerate(pattern.seams):
        name = _title(seam, index)
        for check in (_check_length, _check_direction, _check_notches):
            text = check(pattern, seam)
            if text:
                found.append(Finding(_KINDS[check.__name__], index, f"{name}: {text}"))
        found += [Finding("gap", index, f"{name}: {text}") for text in _gaps(pattern, seam)]
    sewn = {ref.panel for seam in pattern.seams for ref in (*seam.a, *seam.b)}
    for panel in pattern.panels:
        if pattern.seams and panel.name not in sewn:
            text = f"panel '{panel.name}' is in no seam: sew it or remove it"
            found.append(Finding("piece", -1, text))
    return found + _loose_parts(pattern, sewn)


def _title(seam: Seam, index: int) -> str:
    """Return what a finding calls a seam: number, name and the panels that it joins."""
    sides = [" + ".join(dict.fromkeys(ref.panel for ref in refs)) for refs in (seam.a, seam.b)]
    panels = sides[0] if sides[0] == sides[1] else f"{sides[0]} to {sides[1]}"
    return f"{describe_seam(seam, index)}, {panels}"


def _loose_parts(pattern: Pattern, sewn: set[str]) -> list[Finding]:
    """Return the groups of pieces that are sewn to each other, but not to the largest group."""
    part = {name: name for name in sewn}
    for seam in pattern.seams:
        homes = {part[ref.panel] for ref in (*seam.a, *seam.b)}
        part = {name: min(homes) if home in homes else home for name, home in part.items()}
    groups: dict[str, list[str]] = {}
    for panel in pattern.panels:
        if panel.name in part:
            groups.setdefault(part[panel.name], []).append(panel.name)
    loose = sorted(groups.values(), key=len, reverse=True)[1:]
    return [
        Finding("part", -1, f"{', '.join(names[:6])}: not sewn to the rest of the garment: sew or remove it")
        for names in loose
    ]


_KINDS = {"_check_length": "length", "_check_direction": "direction", "_check_notches": "notch"}


def _check_length(pattern: Pattern, seam: Seam) -> str:
    a, b = seam_lengths(pattern, seam)
    wanted = a * (seam.ease or 1.0)
    if abs(b - wanted) <= max(SLACK, MISMATCH * max(b, wanted)):
        return ""
    sizes = f"its sides are {a * 100:.1f} and {b * 100:.1f} cm long"
    if seam.ease is None:
        return (
            f"{sizes} ({(b / a - 1) * 100:+.1f} %): write 'ease {b / a:.3f}' if that is meant, or redraw one"
        )
    return f"{sizes}, a ratio of {b / a:.3f}, but ease {seam.ease:g} is declared: correct one of them"


# ---------------------------------------------------------------------------- direction


def _check_direction(pattern: Pattern, seam: Seam) -> str:
    """Find seams that twist: placed panels tell by distance, others by the sides of their cloth."""
    a, b = seam.a[0], seam.b[0]
    panels = [pattern.panel(ref.panel) for ref in (a, b)]
    if all(p.placement is not None and not p.placement.around for p in panels):
        straight, crossed = _distances(pattern, seam)
        wrong = straight > 1.5 * crossed and straight - crossed > 0.05
        return (
            "it is reversed, it would be shorter the other way round: turn one side (put or remove a minus)"
            if wrong
            else ""
        )
    # seen from outside both outlines run against each other
    way = [
        (-1 if ref.reversed else 1) * curves.orientation(panel) * outer_face(panel)
        for ref, panel in zip((a, b), panels, strict=True)
    ]
    if way[0] == way[1]:
        return (
            "it is reversed, it joins the right side of the cloth to the wrong side: "
            "turn one side (put or remove a minus)"
        )
    return ""


def _distances(pattern: Pattern, seam: Seam) -> tuple[float, float]:
    """Return the distance between the ends of both sides, as written and with one side turned [m]."""
    ends = [(_world(pattern, refs[0], 0), _world(pattern, refs[-1], -1)) for refs in (seam.a, seam.b)]
    (a0, a1), (b0, b1) = ends
    straight = math.dist(a0, b0) + math.dist(a1, b1)
    return straight, math.dist(a0, b1) + math.dist(a1, b0)


def _world(pattern: Pattern, ref: EdgeRef, end: int) -> Floats:
    panel = pattern.panel(ref.panel)
    assert panel.placement is not None
    first = (end == 0) != ref.reversed
    edge = panel.edges[ref.edge]
    corner = panel.vertices[edge.start if first else edge.end]
    return np.asarray(panel.placement.translation + panel.placement.rotation[:, :2] @ corner)


# ---------------------------------------------------------------------------- notches, gaps


def chain_notches(pattern: Pattern, refs: tuple[EdgeRef, ...]) -> list[tuple[float, str]]:
    """Return the notches along a chain: place 0 … 1 and name, in order."""
    total, start = chain_length(pattern, refs), 0.0
    found = []
    for ref in refs:
        panel = pattern.panel(ref.panel)
        length = curves.edge_length(panel, ref.edge)
        for notch in panel.notches:
            if notch.edge == ref.edge:
                fraction = 1.0 - notch.fraction if ref.reversed else notch.fraction
                found.append(((start + fraction * length) / total, notch.name))
        start += length
    return sorted(found)


def _check_notches(pattern: Pattern, seam: Seam) -> str:
    a, b = chain_notches(pattern, seam.a), chain_notches(pattern, seam.b)
    if not a or not b:
        return ""
    length = max(seam_lengths(pattern, seam))
    allowed = max(NOTCH_SLACK, abs((seam.ease or 1.0) - 1.0) * length)
    for at, name in a:
        near = [abs(at - other) * length for other, label in b if not name or not label or name == label]
        if not near or min(near) > allowed:
            miss = f"misses its partner by {cm(min(near))}" if near else "has no partner"
            word = f" '{name}'" if name else ""
            return f"the notch{word} at {cm(at * length)} {miss}: move it, or turn one side"
    return ""


def _gaps(pattern: Pattern, seam: Seam) -> list[str]:
    """Return where the edges of one side do not meet: the side cannot close."""
    found = []
    bare = SewnCorners(pattern, [s for s in pattern.seams if s is not seam])
    for refs in (seam.a, seam.b):
        for before, after in pairwise(refs):
            if bare.find(bare.end(before, -1)) != bare.find(bare.end(after, 0)):
                one, other = edge_words(pattern, before), edge_words(pattern, after)
                found.append(f"{one} and {other} do not meet: sew what lies between, or split the seam")
    closed = [_is_closed(bare, refs) for refs in (seam.a, seam.b)]
    if closed[0] != closed[1] and len(seam.a) + len(seam.b) > 2:
        which = "first" if closed[0] else "second"
        found.append(f"its {which} side is a closed loop and the other is open: close both, or neither")
    return found


def _is_closed(points: SewnCorners, refs: tuple[EdgeRef, ...]) -> bool:
    return points.find(points.end(refs[0], 0)) == points.find(points.end(refs[-1], -1))
