"""Lengths that people name: knee, ankle; short, elbow, long; usual, loose."""

from __future__ import annotations

from toile.core.errors import ToileError
from toile.core.units import cm
from toile.pattern.drafts.limits import wanted_between
from toile.pattern.drafts.measures import Measures

HEMS = {"mini": 0.80, "short": 0.5, "knee": 0.0, "midi": -0.45, "ankle": -0.80, "maxi": -0.88}
"""height of a hem: from the knee (0) to the crotch (1) and to the floor (-1)"""

SLEEVES = {"cap": 0.20, "short": 0.36, "elbow": 0.52, "three_quarter": 0.72, "long": 0.96}
"""length of a sleeve as a share of the arm, from the shoulder point; the arm is measured over a bent elbow"""

WAIST_EASES = {"usual": 0.03, "loose": 0.06}
"""ease of a waistband [m]"""
WIDE_WAIST, WIDE_EASE = 0.80, 0.02
"""a wider waist [m] gets so much more for each metre beyond: a belly is not widest at the waist"""


HEM_LOWEST = 0.02
"""a hem stays that far above the floor [m]"""


def hem_height(m: Measures, length: float | str, top: float, *, least: float) -> float:
    """Return a hem's height above the floor [m]: a word, or metres below `top`.

    least: the shortest that can be cut [m]; a word that would be shorter is told, a length refused.
    """
    if not isinstance(length, str):
        return top - wanted_between("length", length, least, top - HEM_LOWEST, "cannot be cut")
    share = _word(length, HEMS, "length")
    knee = m["knee_height"]
    height = knee + share * (m["crotch_height"] - knee) if share > 0 else knee * (1.0 + share)
    if height > top - least:
        m.tell("length", f"{length} would be {cm(top - height)}: cut {cm(least)} long, the least that works")
    return min(height, top - least)


def upper_hem(m: Measures, length: float, offset: float) -> float:
    """Return the height of the hem of an upper garment [m]: `length` below `offset` over the hip line."""
    at = m["hip_height"] + offset
    # a front shorter than this holds no side seam
    highest = m["armpit_height"] - 0.16
    return at - wanted_between(
        "length", length, at - highest, at - HEM_LOWEST, "below the hips cannot be cut"
    )


def eased_waist(m: Measures, ease: float | str) -> float:
    """Return the girth of a waistband [m]: a word (wide waists get more) or metres more than the waist."""
    if isinstance(ease, str):
        word = _word(ease, WAIST_EASES, "waist_ease")
        ease = word + WIDE_EASE * max(0.0, m["waist"] - WIDE_WAIST)
    return m["waist"] + ease


def sleeve_length(m: Measures, length: float | str) -> float:
    """Return a sleeve's length from the shoulder point [m]: a word, or metres."""
    if isinstance(length, str):
        return _word(length, SLEEVES, "sleeves") * m["arm_length"]
    return wanted_between("sleeves", length, 0.05, 1.1 * m["arm_length"], "is no sleeve")


def _word(word: str, table: dict[str, float], option: str) -> float:
    if word not in table:
        raise ToileError(f"{option} '{word}' is not known: choose {', '.join(table)} or give metres")
    return table[word]
