"""Which pieces of a file make one garment: one version of each, one layer, and twins that nobody drew."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from toile.core.records import Panel, Pattern
from toile.pattern.model import curves
from toile.pattern.model.mirror import mirror_panel
from toile.pattern.understand.names import LEFT_OUT
from toile.pattern.understand.outline import Stretch
from toile.pattern.understand.recognise import Known, left_out
from toile.pattern.understand.templates import STRIPS

SAME_SIZE = 0.02
"""pieces of one part whose lengths differ by less than this share are layers of one another"""
LAYERED = ("collar", "stand", "yoke", "neckband")
"""parts that are cut twice to lie on each other, not to be worn left and right"""
ONCE = (*LAYERED, "hood")


@dataclass(frozen=True, eq=False, slots=True)
class Chosen:
    """The pieces of one garment."""

    pattern: Pattern
    known: tuple[Known, ...]
    notes: tuple[str, ...]
    """what was left out or added, one line each"""


def choose(pattern: Pattern, found: Sequence[Known]) -> Chosen:
    """Return the pieces that make one garment, and what was done."""
    notes = [f"{panel.name} left out: {why}" for panel, why in left_out(found)]
    gone = {panel.name for panel, _ in left_out(found)}
    kept = [one for one in found if one.panel.name not in gone]
    kept, more = _one_layer(kept)
    notes += more
    kept, more = _one_round(kept)
    notes += more
    kept, more = _one_version(kept)
    notes += more
    kept, more = _with_twins(kept)
    return Chosen(replace(pattern, panels=tuple(k.panel for k in kept)), tuple(kept), (*notes, *more))


def is_twin(a: Known, b: Known) -> bool:
    """Return whether one piece is the mirror image of the other."""
    return a.panel is not b.panel and _mirrored_alike(a.panel, b.panel)


def _mirrored_alike(a: Panel, b: Panel) -> bool:
    if len(a.edges) != len(b.edges):
        return False
    one, other = (curves.outline(p, 1e-3) for p in (a, b))
    if np.any(np.abs(np.ptp(one, axis=0) - np.ptp(other, axis=0)) > 0.002):
        return False
    middles = [ring.mean(axis=0) - (ring.min(axis=0) + ring.max(axis=0)) / 2.0 for ring in (one, other)]
    lengths = [sorted(curves.edge_length(p, i) for i in range(len(p.edges))) for p in (a, b)]
    same = np.allclose(lengths[0], lengths[1], atol=0.002)
    return bool(
        same and abs(middles[0][0] + middles[1][0]) < 0.004 and abs(middles[0][1] - middles[1][1]) < 0.004
    )


def _size(one: Known) -> tuple[float, float]:
    width, height = np.ptp(curves.outline(one.panel, 1e-3), axis=0)
    return float(width), float(height)


# ---------------------------------------------------------------------------- layers


def _one_layer(found: list[Known]) -> tuple[list[Known], list[str]]:
    """Return the pieces without those that lie under an equal one: under collar, inner yoke."""
    kept: list[Known] = []
    notes = []
    for one in found:
        over = next((k for k in kept if one.part in LAYERED and k.part == one.part and _same(k, one)), None)
        if over is None:
            kept.append(one)
        else:
            notes.append(f"{one.panel.name} left out: a second layer of {over.panel.name}")
    return kept, notes


def _one_round(found: list[Known]) -> tuple[list[Known], list[str]]:
    """Return the pieces without waistbands that lie behind others: together they go round the waist once."""
    bands = [k for k in found if k.part == "waistband"]
    waist = waist_length([k for k in found if k.family in ("leg", "skirt")])
    total = sum(s.length for k in bands if (s := k.stretch("lower")))
    if len(bands) != 2 or not waist or total < 1.5 * waist:
        return found, []
    note = f"{bands[1].panel.name} left out: a second layer of {bands[0].panel.name}"
    return [k for k in found if k is not bands[1]], [note]


def waist_length(lower: Sequence[Known]) -> float:
    """Return the length of the waist of trousers or a skirt all round [m]."""
    whole = [k for k in lower if k.kind == "leg whole"]
    if whole:
        twice = 2.0 if len(whole) == 1 else 1.0
        return twice * sum(s.length for k in whole if (s := k.stretch("waist")))
    return ring(lower, "waist")


def _same(a: Known, b: Known) -> bool:
    (w, h), (x, y) = _size(a), _size(b)
    return abs(w - x) < SAME_SIZE * w and abs(h - y) < 4.0 * SAME_SIZE * h


# ---------------------------------------------------------------------------- versions


def _one_version(found: list[Known]) -> tuple[list[Known], list[str]]:
    """Return the pieces with the best of several versions of a piece."""
    notes: list[str] = []
    for group in _versions(found):
        scores = [_joins(one, [k for k in found if k not in group]) for one in group]
        # versions that fit about as well: the first in the file
        best = group[int(np.argmax(np.round(np.array(scores) * 10.0)))]
        for one in group:
            if one is not best and not (one.part in ("sleeve", "cuff", "leg") and is_twin(one, best)):
                found = [k for k in found if k is not one]
                notes.append(f"{one.panel.name} left out: another version of {best.panel.name}")
    return found, notes


def _versions(found: Sequence[Known]) -> list[list[Known]]:
    """Return groups of pieces for one place of the garment."""
    groups: dict[tuple[str, ...], list[Known]] = {}
    for one in found:
        if one.part not in (*STRIPS, "front", "back", "sleeve", "leg", "yoke", "hood"):
            continue
        if one.part in ("waistband", "band"):  # these may be several pieces of one ring
            continue
        turn = "turned" if one.kind.endswith("turned") and one.part in ("front", "back", "hood") else ""
        groups.setdefault(
            (one.part, one.family if one.part in ("front", "back") else "", turn, one.side), []
        ).append(one)
    return [group for group in groups.values() if len(group) > 1]


def _joins(one: Known, others: Sequence[Known]) -> float:
    """Return how well a piece joins the rest of the garment, 0 … 1."""
    scores = [score for score in (rule(one, others) for rule in _RULES) if score is not None]
    return one.confidence * (float(np.mean(scores)) if scores else 0.5)


def _fit(a: float, b: float) -> float:
    return math.exp(-((math.log(max(a, 1e-3) / max(b, 1e-3)) / 0.06) ** 2))


def _by_roles(one: Known, others: Sequence[Known]) -> float | None:
    """Return how well side, shoulder, inner and outer leg agree with the other face."""
    if one.part not in ("front", "back"):
        return None
    best: float | None = None
    for other in others:
        if other.part in ("front", "back") and other.part != one.part and other.family == one.family:
            pairs = [
                (s.length, t.length)
                for role in ("side", "shoulder", "in", "out")
                if (s := one.stretch(role)) and (t := other.stretch(role))
            ]
            score = float(np.mean([_fit(a, b) for a, b in pairs])) if pairs else 0.0
            best = max(score, best or 0.0)
    return best


def ring(found: Sequence[Known], role: str) -> float:
    """Return the length that an opening has all round, as its stretches say [m]."""
    total = 0.0
    for face in ("front", "back"):
        ones = [k for k in found if k.part == face or (face == "back" and k.part == "yoke")]
        lengths = [s.length for k in ones for s in k.stretches if s.role == role]
        halves = len([k for k in ones if "half" in k.kind or k.family == "leg"]) == 1
        total += sum(lengths) * (2.0 if halves else 1.0)
    return total


def _by_armhole(one: Known, others: Sequence[Known]) -> float | None:
    cap = one.stretch("cap")
    if one.part != "sleeve":
        return None
    armholes = ring(others, "armhole") / 2.0
    return _fit(cap.length, armholes * 1.02) if cap and armholes else 0.0


def _by_cuff(one: Known, others: Sequence[Known]) -> float | None:
    """Return how well the end of a sleeve goes into the cuff, which may draw it together."""
    hem, cuff = one.stretch("hem"), next((k for k in others if k.part == "cuff"), None)
    long = max((s.length for s in cuff.stretches), default=0.0) if cuff else 0.0
    if one.part != "sleeve" or not hem or not long:
        return None
    ratio = hem.length / long
    return _fit(ratio, min(max(ratio, 0.97), 1.35))


def _by_neck(one: Known, others: Sequence[Known]) -> float | None:
    if one.part not in ("collar", "stand", "neckband"):
        return None
    neck = ring(others, "neck")
    stand = next((k for k in others if k.part == "stand"), None)
    lengths = [s.length for s in one.stretches if s.role in ("lower", "upper")]
    if one.part == "collar" and stand is not None:
        neck = max((s.length for s in stand.stretches), default=neck)
    return max((_fit(length, neck) for length in lengths), default=0.0) if neck else None


_RULES: tuple[Callable[[Known, Sequence[Known]], float | None], ...] = (
    _by_roles,
    _by_armhole,
    _by_cuff,
    _by_neck,
)


# ---------------------------------------------------------------------------- twins


def _with_twins(found: list[Known]) -> tuple[list[Known], list[str]]:
    """Return the pieces with those that are worn left and right but were drawn once."""
    twins = [_twin(one) for one in found if _wants_twin(one, found)]
    notes = [f"{twin.panel.name} added: cut twice, once for each side of the body" for twin in twins]
    return [*found, *twins], notes


def _wants_twin(one: Known, found: Sequence[Known]) -> bool:
    alone = not any(k is not one and k.part == one.part and k.family == one.family for k in found)
    if one.part in ("sleeve", "cuff") or one.kind in ("leg whole", "hood", "hood turned"):
        return alone
    half = "half" in one.kind or one.family == "leg"
    if not half or one.part in LEFT_OUT:
        return False
    turned = one.kind.endswith("turned")
    return not any(
        k is not one and k.part == one.part and k.family == one.family and k.kind.endswith("turned") != turned
        for k in found
    )


def _twin(one: Known) -> Known:
    name = f"{one.panel.name}_mirrored"
    kind = one.kind
    if kind in ("bodice half", "bodice half below yoke", "leg", "hood"):
        kind += " turned"
    elif kind.endswith(" turned"):
        kind = kind.removesuffix(" turned")
    side = {"left": "right", "right": "left"}.get(one.side, "")
    stretches = tuple(
        Stretch(
            s.role,
            -s.side,
            tuple(replace(ref, panel=name, reversed=not ref.reversed) for ref in reversed(s.refs)),
            s.length,
        )
        for s in reversed(one.stretches)
    )
    return replace(one, panel=mirror_panel(one.panel, name), kind=kind, side=side, stretches=stretches)
