"""Wanted measures, checked: human limits, contradictions, and what was not met."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import numpy as np

from toile.body.model.network import UNIT, Network, load_network
from toile.body.model.population import MEASURES
from toile.core.errors import ToileError
from toile.core.units import cm

SAME = {"chest": "bust"}
"""other names of measures"""

HUMAN = {
    "height": (1.35, 2.25), "neck": (0.24, 0.60), "shoulder_width": (0.25, 0.52), "bust": (0.65, 1.75),
    "underbust": (0.55, 1.65), "waist": (0.48, 1.80), "hips": (0.70, 1.90), "thigh": (0.38, 1.05),
    "calf": (0.24, 0.65), "upper_arm": (0.18, 0.65), "wrist": (0.11, 0.27), "arm_length": (0.42, 0.80),
    "inseam": (0.55, 1.15), "back_length": (0.26, 0.55), "weight": (32.0, 250.0),
}  # fmt: skip
"""limits of adult measures [m; kg]; beyond them a number is a typing error or in another unit"""

AGES = (18.0, 90.0)
MISS = {"weight": 1.0}
COMMON_MISS = 0.01
"""a miss beyond this is told [m; kg]"""
RARE = 12.0
"""dials so many standard deviations from the population's middle, whose farthest people are at 7, are told"""
ABSURD = 8.0
"""a measure so many standard deviations from what the others make likely contradicts them …"""
APART = 0.25
"""… if it is off by this share, too: people differ more than the population; what is rare is tried"""


class BodyWarning(UserWarning):
    """The body is the nearest that can be had, not quite what was asked for."""


def check_measures(sex: str, age: float | None, measures: Mapping[str, float]) -> dict[str, float]:
    """Return the measures under their own names, or raise a ToileError that names the wrong one."""
    if sex not in ("female", "male"):
        raise ToileError(f"sex is '{sex}'; give female or male")
    if age is not None and not AGES[0] <= age <= AGES[1]:
        raise ToileError(f"age is {age:g}; bodies are made for ages {AGES[0]:.0f} to {AGES[1]:.0f}")
    wanted = {SAME.get(name, name): float(value) for name, value in measures.items()}
    for name, value in wanted.items():
        if name not in HUMAN:
            raise ToileError(f"no measure '{name}'; there are {', '.join(MEASURES)}")
        low, high = HUMAN[name]
        if not (math.isfinite(value) and low <= value <= high):
            raise ToileError(
                f"{name} {_say(name, value)} is not human: give {_say(name, low)} to {_say(name, high)}"
            )
    _check_together(load_network(sex), wanted)
    return wanted


def unusual(measures: Mapping[str, float]) -> tuple[str, ...]:
    """Return what of a measured figure no adult has, and what could not be measured, a sentence each.

    A stylised character is no person: it is measured as it is, and dressed all the same.
    """
    beyond = [
        f"{name.replace('_', ' ')} {_say(name, measures[name])} ({_say(name, low)} to {_say(name, high)})"
        for name, (low, high) in HUMAN.items()
        if name in measures and not low <= measures[name] <= high
    ]
    missing = [name.replace("_", " ") for name in ("bust", "waist", "hips") if name not in measures]
    told = []
    if beyond:
        told.append(
            f"beyond what people have: {', '.join(beyond)}; measured as it is, clothes may sit oddly there"
        )
    if missing:
        told.append(f"no {', '.join(missing)} could be measured: drafts need them, pattern files do not")
    return tuple(told)


def _check_together(network: Network, wanted: Mapping[str, float]) -> None:
    """Raise a ToileError if one measure contradicts the others."""
    worst, far, likely = "", ABSURD, 0.0
    for name in wanted:
        others = [n for n in wanted if n != name]
        mean, deviation = _expected(network, name, {n: wanted[n] for n in others})
        miss = abs(wanted[name] / UNIT.get(name, 1.0) - mean)
        distance = miss / deviation
        if others and distance > far and miss > APART * mean:
            nearest = mean + math.copysign(ABSURD * deviation, wanted[name] / UNIT.get(name, 1.0) - mean)
            worst, far, likely = name, distance, nearest * UNIT.get(name, 1.0)
    if worst:
        rest = ", ".join(f"{n} {_say(n, v)}" for n, v in wanted.items() if n != worst)
        raise ToileError(
            f"{worst} {_say(worst, wanted[worst])} does not go with {rest}: "
            f"the nearest possible body has about {_say(worst, likely)}"
        )


def _expected(network: Network, name: str, others: Mapping[str, float]) -> tuple[float, float]:
    """Return mean and standard deviation of a measure given others, in solver units."""
    at = 1 + MEASURES.index(name)
    known = [1 + MEASURES.index(n) for n in others]
    mean, variance = float(network.mean[at]), float(network.covariance[at, at])
    if known:
        some = network.covariance[np.ix_(known, known)]
        across = network.covariance[at, known]
        pull = np.linalg.solve(some + np.diag(1e-3 * np.diag(some)), across)
        ask = np.array([v / UNIT.get(n, 1.0) for n, v in others.items()])
        mean += float(pull @ (ask - network.mean[known]))
        variance -= float(pull @ across)
    # never surer than a fifth of the whole spread: people differ more than the population says
    floor = 0.04 * float(network.covariance[at, at])
    return mean, float(np.sqrt(max(variance, floor)))


def report_misses(sex: str, wanted: Mapping[str, float], measured: Mapping[str, float]) -> None:
    """Warn of measures that the body does not meet."""
    misses = {n: measured[n] for n, v in wanted.items() if abs(measured[n] - v) > MISS.get(n, COMMON_MISS)}
    if misses:
        told = ", ".join(f"{n} {_say(n, got)} instead of {_say(n, wanted[n])}" for n, got in misses.items())
        warnings.warn(
            f"no {sex} body has all these measures; the nearest has {told}", BodyWarning, stacklevel=3
        )


def report_rarity(sex: str, wanted: Mapping[str, float], rarity: float) -> None:
    """Warn of a body that meets its measures but is far from all people."""
    if rarity <= RARE or not wanted:
        return
    network = load_network(sex)
    expected = {n: _expected(network, n, {m: v for m, v in wanted.items() if m != n}) for n in wanted}
    scaled = {n: v / UNIT.get(n, 1.0) for n, v in wanted.items()}
    worst = max(wanted, key=lambda n: abs(scaled[n] - expected[n][0]) / expected[n][1])
    rest = ", ".join(f"{n} {_say(n, v)}" for n, v in wanted.items() if n != worst)
    likely = _say(worst, expected[worst][0] * UNIT.get(worst, 1.0))
    told = f"{worst} {_say(worst, wanted[worst])}" + (f" with {rest}" if rest else "")
    warnings.warn(
        f"hardly any {sex} body has {told}: about {likely} is likely; this one may not look human",
        BodyWarning,
        stacklevel=3,
    )


def _say(name: str, value: float) -> str:
    return f"{value:.1f} kg" if name == "weight" else cm(value)
