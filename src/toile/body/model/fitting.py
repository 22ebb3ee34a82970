"""Fitting: dials whose body has the wanted measures.

The network's dials, then Gauss–Newton steps towards the wanted measures, each in the metric of the
population, so that what was not asked for stays likely:
x ← x₀ + C Jᵀ (J C Jᵀ + σ²)⁻¹ (m − F(x) + J (x − x₀)).
Measures bend sharply where height, weight, muscle or cup passes its middle, since other targets take over
there; sliders bend, too, but less. A step uses the slopes of both sides. If it gained little nevertheless,
the next goes by Broyden's update (1965) of the slopes; if it made things worse, the next is shorter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from toile.body.model.fast_measures import Reading, ShapedSkin, measure_shaped_skin, readings, shape_skin
from toile.body.model.gradient import MIDDLES, coefficient_slopes, measure_jacobian
from toile.body.model.network import UNIT, Network, complete, guess, load_network
from toile.body.model.population import DIALS, MEASURES
from toile.core.records import Floats

NOISE = 0.0005
"""how closely measures are met, in the solver's units (metres, 100 kg)"""
BEND = 0.5
"""far from the goal slopes do not hold: of an error e [m] a step goes for e² / BEND at most"""
CLOSE = 0.0004
"""stop when every measure is met so well"""
STEPS = 12
PATIENCE, GAIN = 4, 0.95
"""stop after so many steps in a row that each left more than this share of the miss"""
REACH = 6.0
"""the first step is not longer than this, in standard deviations of the population"""
SHORTER = 0.3
"""after a step that made things worse the next is at most so much as long"""
POOR = 0.5
"""a step that leaves more than this share of the miss updates the slopes; the next computes them anew"""
PASSES = 6
"""how often a step is solved again because dials pass their middles"""

BOUNDS = {"height": (0.2, 0.95), "weight": (-0.4, 3.0), "muscle": (-0.3, 1.3), "cup": (-0.2, 1.4)}
COMMON_BOUNDS = (-2.0, 2.6)
"""beyond these dials give shapes that no person has"""


@dataclass(frozen=True, eq=False, slots=True)
class Fit:
    """Dials found for wanted measures."""

    age: float
    """[years]"""
    dials: Floats
    """(d,), see body/model/population.py"""
    error: Mapping[str, float]
    """measured minus wanted [m; kg]"""
    steps: int
    measures: Mapping[str, float]
    """all measures of the body but its weight [m]"""
    rarity: float
    """how far the dials are from the population's middle, in standard deviations"""


@dataclass(frozen=True, eq=False, slots=True)
class Trial:
    """Dials that were tried on."""

    dials: Floats
    """(d,)"""
    seen: ShapedSkin
    read: list[Reading]
    """of the asked measures"""
    error: Floats
    """measured minus wanted, in the solver's units"""

    @property
    def worst(self) -> float:
        """Return the greatest error."""
        return float(np.abs(self.error).max(initial=0.0))

    @property
    def miss(self) -> float:
        """Return the length of all errors together."""
        return float(np.sqrt(self.error @ self.error))


def fit_dials(sex: str, wanted: Mapping[str, float], age: float | None = None) -> Fit:
    """Return dials whose body has the wanted measures (metres, kg), as nearly as it can be had."""
    network = load_network(sex)
    full = complete(network, wanted, age)
    solver = _Solver(sex, network, full, tuple(n for n in MEASURES if n in wanted))
    best, steps = solver.run()
    error = {n: float(e * UNIT.get(n, 1.0)) for n, e in zip(solver.asked, best.error, strict=True)}
    rarity = solver.length(best.dials - guess(network, network.mean))
    return Fit(solver.age, best.dials, error, steps, measure_shaped_skin(best.seen), rarity)


class _Solver:
    """Gauss–Newton in the population's metric."""

    def __init__(self, sex: str, network: Network, full: Floats, asked: tuple[str, ...]) -> None:
        self.sex, self.age, self.asked = sex, float(full[0]), asked
        self.goal = full[1:][[MEASURES.index(n) for n in asked]]
        self.low, self.high = np.array([BOUNDS.get(n, COMMON_BOUNDS) for n in DIALS]).T
        self.start = np.clip(guess(network, full), self.low, self.high)
        self.metric = network.dial_covariance

    def run(self) -> tuple[Trial, int]:
        """Return the best trial and the number of steps."""
        here = best = self.try_on(self.start)
        taught: Floats | None = None
        reach, idle = REACH, 0
        for step in range(STEPS):
            if best.worst < CLOSE or idle == PATIENCE:
                return best, step
            slopes = self.slopes(here) if taught is None else taught
            there = self.try_on(self.next(here, slopes, reach))
            poor = there.miss > POOR * here.miss
            taught = self.learn(slopes, here, there) if poor and taught is None else None
            length = self.length(there.dials - here.dials)
            reach = SHORTER * length if there.miss > here.miss else max(reach, 2.0 * length)
            idle = idle + 1 if there.miss > GAIN * here.miss else 0
            here = min(here, there, key=lambda trial: trial.miss)
            best = min(best, here, key=lambda trial: trial.worst)
        return best, STEPS

    def try_on(self, dials: Floats) -> Trial:
        """Return what dials measure."""
        seen = shape_skin(self.sex, self.age, dials, whole="weight" in self.asked)
        found = readings(seen, self.asked)
        read = [found[n] for n in self.asked]
        return Trial(dials, seen, read, np.array([r.value for r in read]) - self.goal)

    def slopes(self, here: Trial) -> Floats:
        """Return the change of the asked measures with the dials, (m, d)."""
        return measure_jacobian(here.seen, here.read, coefficient_slopes(self.sex, self.age, here.dials))

    def slopes_beyond(self, here: Trial, some: list[int]) -> Floats:
        """Return the change of the asked measures with some dials past their middles, (m, s)."""
        coefficient_slope = coefficient_slopes(self.sex, self.age, here.dials, beyond=True)[some]
        return measure_jacobian(here.seen, here.read, coefficient_slope)

    def learn(self, slopes: Floats, here: Trial, there: Trial) -> Floats:
        """Return slopes that tell what a step showed, changed least in the population's metric."""
        move = there.dials - here.dials
        dual = np.linalg.solve(self.metric, move)
        off = there.error - here.error - slopes @ move
        return slopes + np.outer(off, dual) / max(float(move @ dual), 1e-12)

    def length(self, move: Floats) -> float:
        """Return how far dials are turned, in standard deviations of the population."""
        return float(np.sqrt(move @ np.linalg.solve(self.metric, move)))

    def next(self, here: Trial, slopes: Floats, reach: float) -> Floats:
        """Return the dials of the next step, inside the bounds.

        A dial that passes its middle goes on by the slopes beyond it; if those send it back, it stays there.
        One that passes its bounds stays at them, and the others do what it cannot.
        """
        slopes, error, pinned, beyond = slopes.copy(), here.error.copy(), dict[int, float](), set[int]()
        for _ in range(PASSES):
            there = self.step(here, slopes, error, pinned)
            kept = np.clip(there, self.low, self.high)
            wrong = (self.passed(here, there) ^ beyond) - pinned.keys()
            if not wrong and (kept == there).all():
                break
            pinned |= {i: float(kept[i]) for i in np.flatnonzero(kept != there).tolist()}
            pinned |= {i: float(MIDDLES[i]) for i in wrong & beyond}
            if new := sorted(wrong - beyond):
                other = self.slopes_beyond(here, new)
                error += (slopes[:, new] - other) @ (MIDDLES - here.dials)[new]
                slopes[:, new] = other
                beyond.update(new)
        move = np.clip(there, self.low, self.high) - here.dials
        return here.dials + min(1.0, reach / max(self.length(move), 1e-9)) * move

    def passed(self, here: Trial, there: Floats) -> set[int]:
        """Return which dials pass their middle on the way."""
        side = np.where(here.dials >= MIDDLES, 1.0, -1.0)
        return set(np.flatnonzero((there - MIDDLES) * side < 0.0).tolist())

    def step(self, here: Trial, slopes: Floats, error: Floats, pinned: Mapping[int, float]) -> Floats:
        """Return the likeliest dials that meet the measures by these slopes, some of them pinned."""
        at, value = list(pinned), np.array(list(pinned.values()))
        pins = np.eye(len(DIALS))[at]
        j = np.concatenate([slopes, pins])
        noise = np.full(len(j), NOISE)
        noise[: len(slopes)] = max(NOISE, here.worst**2 / BEND)
        inner = j @ self.metric @ j.T + np.diag(noise**2)
        pull = np.concatenate([slopes @ (here.dials - self.start) - error, value - self.start[at]])
        moved: Floats = self.start + self.metric @ j.T @ np.linalg.solve(inner, pull)
        moved[at] = value
        return moved
