"""From measures to shape: a radial basis network over a population; fitting.py corrects what it answers.

Learning (at build time): random people are shaped and measured; thin-plate splines φ(r) = r² ln r with a
linear part map measures and age to dials (Allen et al. 2003 learn such a map linearly, Seo and
Magnenat-Thalmann 2003 with radial basis functions). Means and covariances of the same people fill in what was
not asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toile.body.measure.measures import DENSITY, volume
from toile.body.model.data import load_arrays, load_template
from toile.body.model.landmarks import skin_at_rest
from toile.body.model.population import DIALS, MEASURES, measure_shape, sample_people, shape_of
from toile.core.records import Floats

FILE = "network.npz"
TRAINING_COUNT = 320
SEED = 2026
SMOOTHING = 1e-3
UNIT = {"weight": 100.0}
"""one unit of a measure inside the solver: metres, or 100 kg"""


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
    skin = skin_at_rest(shape_of(sex, age, dials)).skin
    return volume(skin, load_template().triangles) * DENSITY / UNIT["weight"]


# ---------------------------------------------------------------------------- learning


def train(sex: str, count: int = TRAINING_COUNT, seed: int = SEED) -> Network:
    """Return what is learnt from random people of a sex."""
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
