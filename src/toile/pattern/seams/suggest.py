"""Seams proposed for pieces that come without: by length, shape, names, notches and where a side lies.

First darts, then sides that lie against each other (side seams, shoulders, inner legs, sleeves closed round
the arm), then the loops that stay open (armhole and sleeve cap, waist and waistband). Every proposal carries
a confidence and a reason; a person confirms or edits them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from toile.core.records import EdgeRef, Floats, Pattern, Seam
from toile.pattern.model.sides import (
    SewnCorners,
    Side,
    dart_pairs,
    free_sides,
    make_side,
    open_loops,
    panel_box,
    reversed_chain,
)

LEAST_CONFIDENCE = 0.45
"""proposals below this confidence are not made"""
HOLLOW = -0.03
"""a side that curves into the cloth more than this"""
CROTCH = -0.05
"""two sides that are hollower than this are sewn to their twins: the crotch seam"""
SLEEVE_WORDS = re.compile(r"sleeve|ärmel|manche|manga|cuff", re.IGNORECASE)
BAND_WORDS = re.compile(r"band|bund|ceinture|pretina|collar|kragen|\bcol\b", re.IGNORECASE)
FRONT_WORDS = re.compile(r"front|vorder|devant|ftorso", re.IGNORECASE)
BACK_WORDS = re.compile(r"back|rück|dos\b|btorso", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proposed seam, to be confirmed by a person."""

    seam: Seam
    confidence: float
    """0 … 1"""
    reason: str


def suggest_seams(pattern: Pattern) -> list[Suggestion]:
    """Return proposed seams for all sides that are not sewn yet, surest first."""
    used = {(ref.panel, ref.edge) for seam in pattern.seams for ref in (*seam.a, *seam.b)}
    found = _darts(pattern, used)
    _use(used, found)
    pairs = _pairs(pattern, used)
    found += pairs
    _use(used, pairs)
    loops = _loops(pattern, used, [s.seam for s in found])
    return sorted(found + loops, key=lambda s: -s.confidence)


def with_suggestions(pattern: Pattern, *, least: float = LEAST_CONFIDENCE) -> Pattern:
    """Return the pattern with the proposed seams of at least this confidence added."""
    seams = [s.seam for s in suggest_seams(pattern) if s.confidence >= least]
    return replace(pattern, seams=pattern.seams + tuple(seams))


def _use(used: set[tuple[str, int]], suggestions: Sequence[Suggestion]) -> None:
    used |= {(ref.panel, ref.edge) for s in suggestions for ref in (*s.seam.a, *s.seam.b)}


def _sides(pattern: Pattern, used: set[tuple[str, int]]) -> list[Side]:
    return [
        side
        for panel in pattern.panels
        for side in free_sides(panel, {edge for name, edge in used if name == panel.name})
    ]


# ---------------------------------------------------------------------------- darts


def _darts(pattern: Pattern, used: set[tuple[str, int]]) -> list[Suggestion]:
    found = []
    for panel in pattern.panels:
        for first, second in dart_pairs(panel):
            if any((panel.name, i) in used for i in (*first, *second)):
                continue
            a, b = make_side(panel, first), make_side(panel, second)
            ratio = abs(a.length - b.length) / max(a.length, b.length)
            seam = Seam(reversed_chain(a.refs), b.refs, name=f"dart {panel.name}"[:60])
            found.append(Suggestion(seam, 0.95 - 2.0 * ratio, "two legs of a dart"))
    return found


# ---------------------------------------------------------------------------- side against side


def _pairs(pattern: Pattern, used: set[tuple[str, int]]) -> list[Suggestion]:
    sides = [side for side in _sides(pattern, used) if side.length > 0.01]
    upper = _upper_panels(sides)
    scored = []
    for i, a in enumerate(sides):
        for b in sides[i + 1 :]:
            score, reason = pair_score(a, b)
            if min(a.bulge, b.bulge) < HOLLOW and max(a.bulge, b.bulge) < 0.01:
                # two hollow sides: crotch or inner leg, but armholes and necklines are not sewn so
                score *= 0.0 if {a.panel.name, b.panel.name} & upper else 1.0
                if max(a.bulge, b.bulge) < CROTCH and not _are_twins(a, b):
                    score *= 0.6
            if score >= LEAST_CONFIDENCE:
                scored.append((score, a, b, reason))
    scored.sort(key=lambda entry: -entry[0])
    found: list[Suggestion] = []
    taken: list[Side] = []
    beside: set[frozenset[str]] = set()
    for score, a, b, reason in scored:
        pair = frozenset((a.panel.name, b.panel.name))
        stacked = reason.startswith("upper")
        # pieces that lie beside each other do not lie over each other as well
        if a in taken or b in taken or (stacked and pair in beside):
            continue
        taken += [a, b]
        if not stacked:
            beside.add(pair)
        # another partner that fits nearly as well makes this one less sure
        rivals = [
            s for s, x, y, _ in scored if (x is a or y is a or x is b or y is b) and not (x is a and y is b)
        ]
        doubt = max(0.0, (max(rivals, default=0.0) / score) - 0.9) * 2.0
        seam = _joined(a, b, f"{a.panel.name} {b.panel.name}")
        found.append(Suggestion(seam, score * (1.0 - doubt), reason))
    return found


def _upper_panels(sides: Sequence[Side]) -> set[str]:
    """Return the names of panels that have a shoulder."""
    return {
        side.panel.name
        for i, a in enumerate(sides)
        for b in sides[i + 1 :]
        if _position(a, b) == ("shoulders", 1.0) and _length_fit(a.length, b.length) > 0.3
        for side in (a, b)
        if side.height > 0.75
    }


def _joined(a: Side, b: Side, name: str) -> Seam:
    """Return the seam of two sides: seen from outside their outlines run against each other."""
    return Seam(a.refs, reversed_chain(b.refs), name=name[:60])


def pair_score(a: Side, b: Side) -> tuple[float, str]:
    """Return how surely two sides are sewn together, 0 … 1, and why."""
    fit = _length_fit(a.length, b.length)
    kind, weight = _position(a, b)
    if fit < 0.1 or weight == 0.0:
        return 0.0, ""
    shape, height, notches = _shape_fit(a, b), _height_fit(a, b), _notch_fit(a, b)
    names = _name_fit(a, b, kind)
    score = weight * names * (0.45 * fit + 0.25 * shape + 0.15 * height + 0.15 * notches)
    return score, f"{kind}, {a.length * 100:.1f} and {b.length * 100:.1f} cm"


def _length_fit(a: float, b: float) -> float:
    return math.exp(-((abs(a - b) / max(a, b) / 0.025) ** 2))


def _position(a: Side, b: Side) -> tuple[str, float]:
    """Return what kind of seam two sides could make, from where their cloth ends look."""
    lateral = min(abs(a.normal[0]), abs(b.normal[0]))
    if lateral > 0.7 and a.normal[0] * b.normal[0] < 0.0:
        return "facing sides", 1.0
    both_up = min(a.normal[1], b.normal[1]) > 0.5
    slope = min(abs(a.normal[0]), abs(b.normal[0]))
    if both_up and slope > 0.1 and a.normal[0] * b.normal[0] < 0.0 and max(a.length, b.length) < 0.25:
        return "shoulders", 1.0 if min(a.straight, b.straight) > 0.97 and a.panel is not b.panel else 0.0
    if a.normal[1] * b.normal[1] < -0.25 and lateral < 0.7 and a.panel is not b.panel:
        return "upper and lower edge", 0.8
    if lateral > 0.4 and a.normal[0] * b.normal[0] < 0.0 and a.normal[1] * b.normal[1] > 0.0:
        return "slanted sides", 0.85
    return "", 0.0


def _shape_fit(a: Side, b: Side) -> float:
    """Return whether two sides are the same curve, turned or mirrored."""
    p = a.points - a.points.mean(axis=0)
    best = math.inf
    for mirror in (1.0, -1.0):
        q = (b.points[::-1] - b.points.mean(axis=0)) * np.array([mirror, 1.0])
        turn = math.atan2(float((q[:, 0] * p[:, 1] - q[:, 1] * p[:, 0]).sum()), float((p * q).sum()))
        c, s = math.cos(turn), math.sin(turn)
        rest = p - q @ np.array([[c, s], [-s, c]])
        best = min(best, float(np.sqrt((rest**2).sum(axis=1).mean())))
    return math.exp(-((best / (0.03 * max(a.length, b.length))) ** 2))


def _height_fit(a: Side, b: Side) -> float:
    """Return whether both sides lie at the same height, if the pieces are about as high."""
    tall = [float(np.ptp(panel_box(side.panel)[:, 1])) for side in (a, b)]
    if min(tall) < 0.75 * max(tall):
        return 0.6
    return math.exp(-(((a.height - b.height) / 0.15) ** 2))


def _notch_fit(a: Side, b: Side) -> float:
    """Return whether the notches of both sides meet; 0.6 if there are none to say."""
    if not a.notches and not b.notches:
        return 0.6
    if len(a.notches) != len(b.notches):
        return 0.3
    there = sorted(at for at, _ in a.notches)
    back = sorted(1.0 - at for at, _ in b.notches)
    miss = max(abs(x - y) for x, y in zip(there, back, strict=True)) * max(a.length, b.length)
    return math.exp(-((miss / 0.01) ** 2))


def base_name(name: str) -> str:
    """Return a panel's name without the words for its side: twins have the same."""
    plain = re.sub(r"^[LR](?=[A-Za-z]{3})|(?<![A-Za-z])[lr](?![A-Za-z])", "", name)
    return re.sub(r"(_?mirrored|left|right|_|\d)+", "", plain.lower())


def _are_twins(a: Side, b: Side) -> bool:
    return a.panel is not b.panel and base_name(a.panel.name) == base_name(b.panel.name)


def _name_fit(a: Side, b: Side, kind: str) -> float:
    """Return what the names of two pieces say about sewing these sides together."""
    one, two = a.panel.name, b.panel.name
    sleeves = [bool(SLEEVE_WORDS.search(name)) for name in (one, two)]
    edges = {side.panel.edges[side.refs[0].edge].name for side in (a, b)}
    named = 1.0 if edges == {""} or len(edges) == 1 else 0.95
    if one == two:
        strip = min(np.ptp(panel_box(a.panel), axis=0)) < 0.12
        return named * (1.0 if sleeves[0] else 0.75 if strip and max(a.length, b.length) < 0.12 else 0.5)
    if sleeves[0] != sleeves[1]:
        return 0.5 * named
    if _are_twins(a, b):
        return named * (0.1 if sleeves[0] or kind == "upper and lower edge" else 0.85)
    opposite = (FRONT_WORDS.search(one) and BACK_WORDS.search(two)) or (
        BACK_WORDS.search(one) and FRONT_WORDS.search(two)
    )
    if opposite:
        return named * (0.5 if kind == "upper and lower edge" else 1.0)
    same = any(word.search(one) and word.search(two) for word in (FRONT_WORDS, BACK_WORDS))
    return named * (0.55 if same and kind != "upper and lower edge" else 0.8)


# ---------------------------------------------------------------------------- loops


def _loops(pattern: Pattern, used: set[tuple[str, int]], seams: Sequence[Seam]) -> list[Suggestion]:
    """Return seams between open loops of different parts: sleeve into armhole, waistband onto waist."""
    sides = _sides(pattern, used)
    all_seams = [*pattern.seams, *seams]
    points = SewnCorners(pattern, all_seams)
    loops = open_loops(pattern, sides, points)
    part = _parts(pattern, all_seams)
    options = []
    joined = {ref.panel for seam in all_seams for ref in (*seam.a, *seam.b) if not _is_dart(seam)}
    loops = [loop for loop in loops if all(side.panel.name in joined for side in loop)]
    for i, a in enumerate(loops):
        for b in loops[i + 1 :]:
            if part[a[0].panel.name] != part[b[0].panel.name]:
                options += _loop_options(a, b)
    options.sort(key=lambda option: -option.confidence)
    taken: set[tuple[str, int]] = set()
    found = []
    for option in options:
        refs = {(ref.panel, ref.edge) for ref in (*option.seam.a, *option.seam.b)}
        if option.confidence >= LEAST_CONFIDENCE and not refs & taken:
            taken |= refs
            found.append(option)
    return found


def _is_dart(seam: Seam) -> bool:
    return seam.name.startswith("dart ")


def _parts(pattern: Pattern, seams: Sequence[Seam]) -> dict[str, str]:
    """Return for each panel the first panel of the part that it is sewn into."""
    part = {panel.name: panel.name for panel in pattern.panels}
    for seam in seams:
        names = {part[ref.panel] for ref in (*seam.a, *seam.b)}
        for name, home in part.items():
            if home in names:
                part[name] = min(names)
    return part


def _loop_options(a: list[Side], b: list[Side]) -> list[Suggestion]:
    """Return the best seam of two loops, if they fit in length and look."""
    lengths = [sum(side.length for side in loop) for loop in (a, b)]
    small, large = (a, b) if _is_set_in(b) or not _is_set_in(a) else (b, a)
    ratio = sum(s.length for s in large) / sum(s.length for s in small)
    if not 0.93 < ratio < 1.2 or _both_look_alike(a, b):
        return []
    fit = math.exp(-((max(0.0, abs(ratio - 1.02) - 0.02) / 0.06) ** 2))
    best = max(
        (
            (*_alignment(small, large, i, j), _joints_met(small, large, i, j))
            for i in range(len(small))
            for j in range(len(large))
        ),
        key=lambda found: (round(found[0], 2), found[3]),
    )
    agreement, chain_a, chain_b, _ = best
    bands = [any(BAND_WORDS.search(side.panel.name) for side in loop) for loop in (a, b)]
    names = 1.0 if _is_set_in(a) != _is_set_in(b) or bands[0] != bands[1] else 0.75
    ease = ratio if abs(ratio - 1.0) > 0.005 else None
    name = f"{small[0].panel.name} {large[0].panel.name}"[:60]
    reason = f"open loops, {lengths[0] * 100:.1f} and {lengths[1] * 100:.1f} cm"
    return [Suggestion(Seam(chain_a, chain_b, ease, name), fit * names * (0.4 + 0.6 * agreement), reason)]


def _is_set_in(loop: list[Side]) -> bool:
    return any(SLEEVE_WORDS.search(side.panel.name) for side in loop)


def _both_look_alike(a: list[Side], b: list[Side]) -> bool:
    """Return whether both loops look down or both look up: two hems, two necklines, twins."""
    looks = [
        float(np.average([s.normal[1] for s in loop], weights=[s.length for s in loop])) for loop in (a, b)
    ]
    return (min(looks) > 0.5 or max(looks) < -0.5) or (_is_set_in(a) and _is_set_in(b))


def _alignment(
    a: list[Side], b: list[Side], i: int, j: int
) -> tuple[float, tuple[EdgeRef, ...], tuple[EdgeRef, ...]]:
    """Return how well two loops meet if a starts at side i and b, run backwards, ends at side j."""
    first = a[i:] + a[:i]
    second = b[j:] + b[:j]
    chain_a = tuple(ref for side in first for ref in side.refs)
    chain_b = reversed_chain(tuple(ref for side in second for ref in side.refs))
    marks_a = _loop_marks(first)
    marks_b = [(1.0 - at, name) for at, name in _loop_marks(second)]
    return _agreement(marks_a, marks_b, _alike(_profile(first), _profile(second)[::-1])), chain_a, chain_b


def _joints_met(a: list[Side], b: list[Side], i: int, j: int) -> float:
    """Return 0 … 1: how many seams that end at one loop meet one that ends at the other, twins at twins."""
    here, there = _joints(a[i:] + a[:i]), _joints(b[j:] + b[:j])
    there = [((1.0 - at) % 1.0, twins) for at, twins in there]
    few, many = sorted((here, there), key=len)
    scores = [
        max(
            math.exp(-((((at - other + 0.5) % 1.0 - 0.5) / 0.02) ** 2)) * (1.0 if twins == pair else 0.5)
            for other, pair in many
        )
        for at, twins in few
    ]
    return float(np.mean(scores))


def _joints(loop: list[Side]) -> list[tuple[float, bool]]:
    """Return where the sides of a loop meet, 0 … 1, and whether twins meet there: the body's middle."""
    total = sum(side.length for side in loop)
    start, found = 0.0, []
    for before, side in zip([loop[-1], *loop[:-1]], loop, strict=True):
        found.append((start / total, _are_twins(before, side)))
        start += side.length
    return found


def _loop_marks(loop: list[Side]) -> list[tuple[float, str]]:
    """Return notches along a loop, 0 … 1."""
    total = sum(side.length for side in loop)
    start, marks = 0.0, []
    for side in loop:
        marks += [((start + at * side.length) / total, name) for at, name in side.notches]
        start += side.length
    return marks


def _profile(loop: list[Side]) -> Floats:
    """Return how the loop rises and falls along its length [m], (24,): an armhole is low at the side seam."""
    steps = np.vstack([np.diff(side.points, axis=0) for side in loop])
    at = np.concatenate([[0.0], np.cumsum(np.hypot(*steps.T))])
    rise = np.concatenate([[0.0], np.cumsum(steps[:, 1])])
    rise -= rise[-1] * at / at[-1]  # pieces may be drawn at different heights
    return np.asarray(np.interp(np.linspace(0.0, at[-1], 24), at, rise))


def _alike(p: Floats, q: Floats) -> float:
    """Return 0 … 1: how well two profiles rise and fall together; 0.7 if both are flat."""
    if min(float(np.ptp(p)), float(np.ptp(q))) < 0.03:
        return 0.7
    p, q = p - p.mean(), q - q.mean()
    return max(0.0, float(p @ q) / float(np.linalg.norm(p) * np.linalg.norm(q)))


def _agreement(a: list[tuple[float, str]], b: list[tuple[float, str]], shape: float) -> float:
    """Return 0 … 1: edges that rise and fall together, notches that meet."""
    if not a or not b:
        return 0.9 * shape
    scores = []
    for at, name in a:
        near = [abs(at - other) for other, label in b if not name or not label or name == label]
        scores.append(math.exp(-((min(near, default=1.0) / 0.04) ** 2)))
    return 0.5 * float(np.mean(scores)) + 0.5 * shape
