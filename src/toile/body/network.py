"""From measures to shape: a radial basis network over a population, then correction by measuring again.

Learning (at build time): random people are shaped and measured; thin-plate splines φ(r) = r² ln r with a
linear part map measures and age to dials (Allen et al. 2003 learn such a map linearly, Seo and
Magnenat-Thalmann 2003 with radial basis functions). Means and covariances of the same people fill in what was
not asked for.

Answering: dials from the network, then Gauss–Newton steps towards the wanted measures, each in the metric of
the population, so that what was not asked for stays likely:
x ← x₀ + C Jᵀ (J C Jᵀ + σ²)⁻¹ (m − F(x) + J (x − x₀)), with J kept true by Broyden's update.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toile.body.data import load_arrays, load_template
from toile.body.gradient import jacobian
from toile.body.landmarks import neutral_stance
from toile.body.measure import DENSITY, volume
from toile.body.people import (
    DIALS,
    MEASURES,
    Sketch,
    measure_shape,
    measure_sketch,
    sample_people,
    shape_of,
    sketch,
)
from toile.types import Floats

FILE = "network.npz"
TRAINING_COUNT = 320
SEED = 2026
SMOOTHING = 1e-3
UNIT = {"weight": 100.0}
"""one unit of a measure in the solver's eyes: metres, or 100 kg"""
NOISE = 0.0005
"""how closely measures are met, in those units"""
CLOSE = 0.0004
"""stop when every measure is met so well [m]"""
STEPS = 12
SHORTER = 0.3
"""a step that made things worse is taken again, so much shorter"""

BOUNDS = {"height": (0.2, 0.95), "weight": (-0.4, 3.0), "muscle": (-0.3, 1.3), "cup": (-0.2, 1.4)}
COMMON_BOUNDS = (-2.0, 2.6)
"""dials beyond these make monsters"""


@dataclass(frozen=True, eq=False, slots=True)
class Network:
    """What was learnt about the people of one sex."""

    centre: Floats
    """standardised (age, measures) of the people, (c, 1 + m)"""
    weight: Floats
    """of the radial functions, then of 1, age and measures, (c + 2 + m, d)"""
    mean: Floats
    """of age and measures, (1 + m,)"""
    covariance: Floats
    """of age and measures, (1 + m, 1 + m)"""
    dial_covariance: Floats
    """(d, d)"""
    jacobian: Floats
    """change of measures with dials, (m, d)"""
    low: Floats
    """least of each measure that was seen, (m,)"""
    high: Floats
    """greatest, (m,)"""

    @property
    def spread(self) -> Floats:
        """Return standard deviations of age and measures."""
        deviation: Floats = np.sqrt(np.diag(self.covariance))
        return deviation


# ---------------------------------------------------------------------------- measuring dials


def measure_dials(sex: str, age: float, dials: Floats) -> Floats:
    """Return the measures of dials in the order of MEASURES, in solver units; the weight is left 0."""
    return _in_order(measure_shape(shape_of(sex, age, dials)))


def _in_order(found: Mapping[str, float]) -> Floats:
    return np.array([found.get(name, 0.0) for name in MEASURES])


def weigh_dials(sex: str, age: float, dials: Floats) -> float:
    """Return the weight of the whole body in solver units."""
    skin = neutral_stance(shape_of(sex, age, dials)).skin
    return volume(skin, load_template().triangles) * DENSITY / UNIT["weight"]


# ---------------------------------------------------------------------------- learning


def train(sex: str, count: int = TRAINING_COUNT, seed: int = SEED) -> Network:
    """Return what random people of a sex teach."""
    ages, dials = sample_people(sex, count, seed)
    measures = np.array([measure_dials(sex, a, d) for a, d in zip(ages, dials, strict=True)])
    measures[:, -1] = [weigh_dials(sex, a, d) for a, d in zip(ages, dials, strict=True)]
    known = np.column_stack([ages, measures])
    mean, covariance = known.mean(0), np.cov(known.T)
    centre = (known - mean) / np.sqrt(np.diag(covariance))
    return Network(
        centre=centre,
        weight=_solve_splines(centre, dials),
        mean=mean,
        covariance=covariance,
        dial_covariance=np.cov(dials.T),
        jacobian=_slopes(np.column_stack([dials, ages]), measures)[:, : len(DIALS)],
        low=measures.min(0),
        high=measures.max(0),
    )


def _solve_splines(centre: Floats, dials: Floats) -> Floats:
    count, width = centre.shape
    flat = np.column_stack([np.ones(count), centre])
    system = np.zeros((count + width + 1,) * 2)
    system[:count, :count] = thin_plate(centre, centre) + SMOOTHING * count * np.eye(count)
    system[:count, count:], system[count:, :count] = flat, flat.T
    solved: Floats = np.linalg.solve(system, np.concatenate([dials, np.zeros((width + 1, dials.shape[1]))]))
    return solved


def thin_plate(a: Floats, b: Floats) -> Floats:
    """Return r² ln r between all rows of a and b."""
    square = np.maximum(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2), 1e-30)
    values: Floats = 0.5 * square * np.log(square)
    return values


def _slopes(inputs: Floats, outputs: Floats) -> Floats:
    """Return the linear fit of outputs to inputs, (outputs, inputs)."""
    scale = inputs.std(0)
    centred = (inputs - inputs.mean(0)) / scale
    ridge = 1e-3 * len(inputs) * np.eye(inputs.shape[1])
    solved = np.linalg.solve(centred.T @ centred + ridge, centred.T @ (outputs - outputs.mean(0)))
    slopes: Floats = solved.T / scale
    return slopes


def network_arrays(sex: str, network: Network) -> dict[str, NDArray[Any]]:
    """Return a network as arrays for a file."""
    return {f"{sex}_{name}": getattr(network, name) for name in Network.__dataclass_fields__}


@functools.cache
def load_network(sex: str) -> Network:
    """Return the network that was trained at build time."""
    arrays = load_arrays(FILE)
    return Network(**{name: arrays[f"{sex}_{name}"] for name in Network.__dataclass_fields__})


# ---------------------------------------------------------------------------- answering


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """Dials found for wanted measures."""

    age: float
    dials: Floats
    error: Mapping[str, float]
    """measured minus wanted [m; kg]"""
    steps: int
    measures: Mapping[str, float]
    """all measures of the body but its weight [m]"""


def complete(network: Network, wanted: Mapping[str, float], age: float | None) -> Floats:
    """Return age and all measures in solver units: what is wanted, and the likeliest rest given that."""
    names = ("age", *MEASURES)
    given = dict(wanted) | ({} if age is None else {"age": age})
    known = [i for i, n in enumerate(names) if n in given]
    full = network.mean.copy()
    if known:
        ask = np.array([given[names[i]] / UNIT.get(names[i], 1.0) for i in known])
        some = network.covariance[np.ix_(known, known)]
        some = some + np.diag(1e-6 * np.diag(some))
        full += network.covariance[:, known] @ np.linalg.solve(some, ask - network.mean[known])
        full[known] = ask
    full[0] = np.clip(full[0], 18.0, 90.0)
    return full


def guess(network: Network, full: Floats) -> Floats:
    """Return the network's dials for age and measures, (d,)."""
    x = ((full - network.mean) / network.spread)[None]
    row = np.concatenate([thin_plate(x, network.centre), [[1.0]], x], axis=1)
    dials: Floats = (row @ network.weight)[0]
    return dials


def fit_dials(sex: str, wanted: Mapping[str, float], age: float | None = None) -> Fit:
    """Return dials whose body has the wanted measures (metres, kg), as nearly as it can be had."""
    network = load_network(sex)
    full = complete(network, wanted, age)
    years = float(full[0])
    asked = np.array([i for i, n in enumerate(MEASURES) if n in wanted], dtype=np.int64)
    low, high = np.array([BOUNDS.get(n, COMMON_BOUNDS) for n in DIALS]).T
    start = np.clip(guess(network, full), low, high)
    if not len(asked):
        return Fit(years, start, {}, 0, measure_shape(shape_of(sex, years, start)))
    goal = full[1:][asked]
    solver = _Solver(sex, years, network, asked, goal, start, (low, high))
    best, error, steps, measures = solver.run()
    units = {n: UNIT.get(n, 1.0) for n in MEASURES}
    errors = {MEASURES[i]: float(e * units[MEASURES[i]]) for i, e in zip(asked, error, strict=True)}
    return Fit(years, best, errors, steps, measures)


class _Solver:
    """Gauss–Newton in the population's metric."""

    def __init__(
        self,
        sex: str,
        age: float,
        network: Network,
        asked: NDArray[np.int64],
        goal: Floats,
        start: Floats,
        bounds: tuple[Floats, Floats],
    ) -> None:
        self.sex, self.age, self.asked, self.goal, self.start = sex, age, asked, goal, start
        self.low, self.high = bounds
        self.jacobian = network.jacobian
        self.metric = network.dial_covariance
        self.heavy = len(MEASURES) - 1 in asked
        self.drawn: Sketch
        self.found: Mapping[str, float] = {}

    def measure(self, dials: Floats) -> Floats:
        """Return the asked measures."""
        self.drawn = sketch(shape_of(self.sex, self.age, dials))
        self.found = measure_sketch(self.drawn)
        found = _in_order(self.found)
        if self.heavy:
            found[-1] = weigh_dials(self.sex, self.age, dials)
        return found[self.asked]

    def run(self) -> tuple[Floats, Floats, int, Mapping[str, float]]:
        """Return the best dials, their errors, the number of steps and all measures."""
        x = self.start
        found = self.measure(x)
        best, least, measures = x, found - self.goal, self.found
        for step in range(STEPS):
            if np.abs(least).max() < CLOSE:
                return best, least, step, measures
            # fresh slopes now and then; in between what the last step taught
            fresh = step % 2 == 0 or step > 3
            if fresh:
                self.slope(x, weigh=self.heavy and step == 0)
            after = self.next(x, found)
            new = self.measure(after)
            if np.linalg.norm(new - self.goal) > np.linalg.norm(found - self.goal):
                after = x + SHORTER * (after - x)
                new = self.measure(after)
            if fresh:
                self.learn(after - x, new - found)
            x, found = after, new
            if np.abs(found - self.goal).max() < np.abs(least).max():
                best, least, measures = x, found - self.goal, self.found
        return best, least, STEPS, measures

    def slope(self, x: Floats, weigh: bool) -> None:
        """Find the slopes anew; those of the weight are costly and change little: what was learnt is kept."""
        before = self.jacobian[-1]
        self.jacobian = jacobian(self.sex, self.age, x, self.drawn, weigh)
        if not weigh:
            self.jacobian[-1] = before

    def next(self, x: Floats, found: Floats) -> Floats:
        """Return the dials of the next step, inside the bounds."""
        j = self.jacobian[self.asked]
        inner = j @ self.metric @ j.T + NOISE**2 * np.eye(len(j))
        pull = self.goal - found + j @ (x - self.start)
        moved: Floats = np.clip(
            self.start + self.metric @ j.T @ np.linalg.solve(inner, pull), self.low, self.high
        )
        return moved

    def learn(self, way: Floats, change: Floats) -> None:
        """Correct the slopes by what the last step showed (Broyden 1965), in the population's metric."""
        dual = np.linalg.solve(self.metric, way)
        length = float(way @ dual)
        if length > 1e-12:
            j = self.jacobian[self.asked]
            self.jacobian[self.asked] = j + np.outer(change - j @ way, dual) / length
