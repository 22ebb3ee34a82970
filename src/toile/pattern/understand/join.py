"""The grammar of garments: what is sewn to what once the pieces are known.

Fronts meet backs at shoulder and side of the same side of the wearer, sleeves go into armholes, legs are
closed and meet at the crotch, bands go onto the openings that are left. All seams come from one reading of
the pieces, so they agree with each other; lengths and notches only say how sure each of them is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from toile.core.records import EdgeRef, Floats, Pattern, Seam
from toile.pattern.model import curves
from toile.pattern.model.sides import reversed_chain
from toile.pattern.seams.suggest import Suggestion
from toile.pattern.understand.onto import onto_hems, onto_necks, onto_sleeves, onto_waists
from toile.pattern.understand.recognise import Known
from toile.pattern.understand.stitch import (
    EASE,
    Chain,
    End,
    Joined,
    Pieces,
    ease_of,
    half_side,
    in_cm,
    left_leg_first,
    sew,
    sure_of,
    within,
)

TUBES = {"hem": 0.5, "sleeve": 0.11}
"""the trunk and the arm of a child need this girth [m]"""


def join(pattern: Pattern, known: Sequence[Known]) -> Joined:
    """Return the seams that the grammar asks for between these pieces."""
    found = Joined([], [])
    garment = Pieces(pattern, tuple(known))
    for rule in (
        _trunk,
        _yoke,
        _sleeves,
        _legs,
        _skirts,
        _crotch_of_briefs,
        onto_necks,
        onto_waists,
        onto_sleeves,
        onto_hems,
    ):
        rule(garment, found)
    _second_opinion(garment, found)
    return found


# ---------------------------------------------------------------------------- trunk


def _trunk(garment: Pieces, found: Joined) -> None:
    """Sew shoulders, sides and centres of the upper body."""
    pieces = [*garment.upper, *garment.yokes]
    for side in ("left", "right"):
        for role in ("shoulder", "side"):
            fronts, backs = (garment.ends(pieces, face, role, side) for face in ("front", "back"))
            if len(fronts) == 1 and len(backs) == 1:
                sew(found, garment, fronts[0], backs[0], f"{side} {role}")
            elif fronts or backs:
                found.notes.append(f"{side} {role}: {len(fronts)} fronts and {len(backs)} backs: not sewn")
    for face in ("back", "front"):
        ends = garment.ends(garment.upper, face, "centre")
        if len(ends) == 2 and half_side(ends[0].known) != half_side(ends[1].known):
            # a front may as well be buttoned or zipped: somebody should say
            sew(found, garment, ends[0], ends[1], f"centre {face}", 1.0 if face == "back" else 0.7)


def _yoke(garment: Pieces, found: Joined) -> None:
    """Sew the yoke onto the back; pleats there are ease."""
    bottoms = [End(k, s) for k in garment.yokes for s in k.stretches if s.role == "bottom"]
    tops = garment.ends(garment.upper, "back", "top")
    if len(bottoms) == 1 and tops:
        order = sorted(tops, key=lambda end: half_side(end.known) == "left") if len(tops) == 2 else tops
        chain = tuple(ref for end in order for ref in end.chain)
        a, b = bottoms[0].length, garment.length(chain)
        sure = sure_of(bottoms[0].known, tops[0].known) * within(b / a, 0.97, 1.15)
        found.add(bottoms[0].chain, chain, sure, "yoke", f"yoke onto back, {in_cm(a, b)}", ease_of(a, b))


# ---------------------------------------------------------------------------- sleeves


def _sleeves(garment: Pieces, found: Joined) -> None:
    """Close the sleeves and set them in."""
    sleeves = garment.sleeves[:2]
    for one in sleeves:
        right, left = one.stretch("under", 1), one.stretch("under", -1)
        if right and left:
            sew(found, garment, End(one, right), End(one, left), f"underarm {one.panel.name}")
    if len(sleeves) == 2:
        for one, side in zip(_left_first(garment, sleeves), ("left", "right"), strict=True):
            _set_in(garment, found, one, side)


def armhole(garment: Pieces, side: str) -> Chain:
    """Return an armhole from the underarm in front (left) or behind (right) on round the shoulder."""
    pieces = [*garment.upper, *garment.yokes]
    front = [e.chain for e in garment.ends(pieces, "front", "armhole", side)]
    yoke = [e.chain for e in garment.ends(garment.yokes, "back", "armhole", side)]
    back = [e.chain for e in garment.ends(garment.upper, "back", "armhole", side)]
    parts = [*front, *yoke, *back] if side == "left" else [*back, *yoke, *front]
    return tuple(ref for chain in parts for ref in chain)


def _left_first(garment: Pieces, sleeves: Sequence[Known]) -> list[Known]:
    """Return two sleeves, first the one whose front half is on the left of its drawing."""
    named = [one.side for one in sleeves]
    if set(named) == {"left", "right"}:
        return sorted(sleeves, key=lambda one: one.side)
    return sorted(sleeves, key=lambda one: -_left_score(garment, one))


def _left_score(garment: Pieces, one: Known) -> float:
    """Return how much better a sleeve fits the left armhole than the right."""
    scores = []
    for side in ("left", "right"):
        cap, hole = one.stretch("cap"), armhole(garment, side)
        if cap is None or not hole:
            return _raglan_score(garment, one)
        scores.append(_agreement(garment, cap.refs, reversed_chain(hole)))
    return scores[0] - scores[1]


def _agreement(garment: Pieces, a: Chain, b: Chain) -> float:
    """Return how well notches and curves of two chains that run alike agree."""
    one, other = garment.marks(a), garment.marks(b)
    near = [min(abs(at - to) for to in other) for at in one] if one and other else []
    notches = float(np.mean([math.exp(-((gap / 0.05) ** 2)) for gap in near])) if near else 0.0
    # where the cloth is hollower towards the underarm, there is the front
    return notches + _likeness(_bend(garment, a), _bend(garment, b))


def _bend(garment: Pieces, chain: Chain) -> Floats:
    """Return how much a chain turns in 8 parts of its length [rad]."""
    points = [_points(garment, ref) for ref in chain]
    total = sum(float(np.hypot(*np.diff(p, axis=0).T).sum()) for p in points)
    turns, start = np.zeros(8), 0.0
    for line in points:
        step = np.diff(line, axis=0)
        length = np.hypot(*step.T)
        angle = np.unwrap(np.arctan2(step[:, 1], step[:, 0]))
        at = start + np.cumsum(length)[:-1]
        np.add.at(turns, np.minimum((8 * at / total).astype(int), 7), np.diff(angle))
        start += float(length.sum())
    return turns


def _points(garment: Pieces, ref: EdgeRef) -> Floats:
    line = curves.flatten_edge(garment.pattern.panel(ref.panel), ref.edge, 2e-4)
    return line[::-1] if ref.reversed else line


def _likeness(a: Floats, b: Floats) -> float:
    """Return -1 … 1: whether two uneven courses lean the same way, first to last."""
    uneven = [(x - x[::-1]) / 2.0 for x in (np.abs(a), np.abs(b))]
    size = float(np.linalg.norm(uneven[0]) * np.linalg.norm(uneven[1]))
    return 0.0 if size < 1e-4 else 0.5 * float(uneven[0] @ uneven[1]) / size


def _set_in(garment: Pieces, found: Joined, one: Known, side: str) -> None:
    cap, hole = one.stretch("cap"), armhole(garment, side)
    if cap is not None and hole:
        a, b = garment.length(hole), cap.length
        body = next(k for k in garment.known if k.panel.name == hole[0].panel)
        sure = sure_of(one, body) * within(b / a, *EASE)
        seam = Seam(reversed_chain(hole), cap.refs, ease_of(a, b), f"{side} sleeve")
        found.seams.append(Suggestion(seam, min(sure, 0.99), f"sleeve cap into armhole, {in_cm(b, a)}"))
        return
    for face, at in (("front", -1), ("back", 1)):
        drawn = at if side == "left" else -at
        mine = one.stretch("raglan", drawn)
        body_ends = garment.ends(garment.upper, face, "raglan", side)
        if mine and len(body_ends) == 1:
            sew(found, garment, End(one, mine), body_ends[0], f"{side} raglan {face}", 0.95)


def _raglan_score(garment: Pieces, one: Known) -> float:
    """Return how much better a raglan sleeve fits the left side: the front seam left in its drawing."""
    front, back = (garment.ends(garment.upper, face, "raglan", "left") for face in ("front", "back"))
    left, right = one.stretch("raglan", -1), one.stretch("raglan", 1)
    if not (front and back and left and right):
        return 0.0
    return abs(left.length - back[0].length) - abs(left.length - front[0].length)


# ---------------------------------------------------------------------------- legs, skirts


def _legs(garment: Pieces, found: Joined) -> None:
    """Close the legs and sew them together at the crotch."""
    whole = [k for k in garment.legs if k.kind == "leg whole"]
    for one in whole:
        right, left = one.stretch("in", 1), one.stretch("in", -1)
        if right and left:
            sew(found, garment, End(one, right), End(one, left), f"inner leg {one.panel.name}")
    if len(whole) == 2:
        _whole_crotch(garment, found, whole)
    parts = [k for k in garment.legs if k.kind != "leg whole" and k.face]
    for side in ("left", "right"):
        for role, word in (("out", "outer leg"), ("in", "inner leg")):
            pair = [
                [
                    End(k, s)
                    for k in parts
                    if k.face == face and half_side(k) == side and (s := k.stretch(role))
                ]
                for face in ("front", "back")
            ]
            if len(pair[0]) == 1 and len(pair[1]) == 1:
                sew(found, garment, pair[0][0], pair[1][0], f"{side} {word}")
    for face in ("front", "back"):
        ends = [End(k, s) for k in parts if k.face == face and (s := k.stretch("crotch"))]
        if len(ends) == 2 and half_side(ends[0].known) != half_side(ends[1].known):
            sew(found, garment, ends[0], ends[1], f"crotch {face}")


def _whole_crotch(garment: Pieces, found: Joined, whole: Sequence[Known]) -> None:
    left, right = left_leg_first(whole)
    for face, side in (("front", -1), ("back", 1)):
        a, b = left.stretch("crotch", side), right.stretch("crotch", -side)
        if a and b:
            sew(found, garment, End(left, a), End(right, b), f"crotch {face}")


def _skirts(garment: Pieces, found: Joined) -> None:
    for side in ("left", "right"):
        fronts, backs = (garment.ends(garment.lower, face, "side", side) for face in ("front", "back"))
        if len(fronts) == 1 and len(backs) == 1:
            sew(found, garment, fronts[0], backs[0], f"{side} side")
    for face in ("front", "back"):  # a dress: skirt onto bodice
        hems, waists = garment.ends(garment.upper, face, "hem"), garment.ends(garment.lower, face, "waist")
        if len(hems) == 1 and len(waists) == 1:
            a, b = hems[0], waists[0]
            sure = sure_of(a.known, b.known) * within(b.length / a.length, 0.97, 1.6)
            words = f"bodice to skirt, {in_cm(a.length, b.length)}"
            found.add(a.chain, b.chain, sure, f"waist {face}", words, ease_of(a.length, b.length))


def _crotch_of_briefs(garment: Pieces, found: Joined) -> None:
    briefs = [k for k in garment.lower if k.kind == "brief"]
    ends = [End(k, s) for k in briefs for s in k.stretches if s.role == "crotch"]
    if len(ends) == 2:
        sew(found, garment, ends[0], ends[1], "crotch")


# ---------------------------------------------------------------------------- second opinion


def _second_opinion(garment: Pieces, found: Joined) -> None:
    """Lower the confidence of seams that make a tube which surrounds nobody."""
    hem = sum(e.length for face in ("front", "back") for e in garment.ends(garment.upper, face, "hem"))
    narrow = []
    if garment.upper and 0.0 < hem < TUBES["hem"]:
        narrow += [k.panel.name for k in garment.upper]
        found.notes.append(f"the body is {hem * 100:.0f} cm wide at its hem: too narrow for a person")
    for one in garment.sleeves:
        end = one.stretch("hem")
        if end and end.length < TUBES["sleeve"]:
            narrow.append(one.panel.name)
            found.notes.append(f"{one.panel.name} is {end.length * 100:.0f} cm round: too narrow for an arm")
    for k, s in enumerate(found.seams):
        if any(r.panel in narrow for r in (*s.seam.a, *s.seam.b)):
            found.seams[k] = Suggestion(s.seam, 0.6 * s.confidence, s.reason)
