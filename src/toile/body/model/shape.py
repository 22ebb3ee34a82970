"""Shape: from a few parameters to a skin with joints.

The template's targets are weighed by products of factors, one per parameter, that are piecewise linear
between named extremes (min, average, max): skin = neutral + Σ coefficient · target. Sliders add one target.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from toile.body.model.data import UNIT, Template, load_template
from toile.core.errors import ToileError
from toile.core.records import Floats, Ints

YOUNG, OLD = 25.0, 90.0
"""ages of the template's two adult extremes [years]"""


@dataclass(frozen=True, slots=True)
class Shape:
    """A point in the template's shape space. Parameters run from 0 to 1 with 0.5 the average."""

    sex: float = 0.0
    """0 female, 1 male"""
    age: float = 30.0
    """[years], 18 to 90"""
    muscle: float = 0.5
    weight: float = 0.5
    height: float = 0.5
    proportions: float = 0.5
    """0 uncommon, 1 ideal"""
    cup: float = 0.5
    """breast size"""
    firmness: float = 0.5
    """breast firmness"""
    sliders: Mapping[str, float] = field(default_factory=dict)
    """name → -1 … 1 (further is possible but not anatomical); see slider_names"""


def factors(shape: Shape) -> dict[str, float]:
    """Return the weight of each named extreme."""
    old = min(max((shape.age - YOUNG) / (OLD - YOUNG), 0.0), 1.0)
    named = {"female": 1 - shape.sex, "male": shape.sex, "young": 1 - old, "old": old}
    three = {"muscle": shape.muscle, "weight": shape.weight, "height": shape.height, "cup": shape.cup}
    for noun, value in (three | {"firmness": shape.firmness}).items():
        named |= {
            f"min{noun}": max(1 - 2 * value, 0.0),
            f"average{noun}": 1 - abs(2 * value - 1),
            f"max{noun}": max(2 * value - 1, 0.0),
        }
    named["uncommonproportions"] = max(1 - 2 * shape.proportions, 0.0)
    named["idealproportions"] = max(2 * shape.proportions - 1, 0.0)
    return named


@functools.cache
def _target_factors() -> tuple[tuple[str, ...], Ints]:
    """Return all factor names, and per macro target the factors that it multiplies (padded with a 1)."""
    lists = [n.split("/")[1:] for n in load_template().target_names if not n.startswith("slider/")]
    names = sorted({f for factors_of in lists for f in factors_of})
    width = max(len(factors_of) for factors_of in lists)
    rows = [[names.index(f) for f in fs] + [len(names)] * (width - len(fs)) for fs in lists]
    return tuple(names), np.array(rows, dtype=np.int32)


@functools.cache
def slider_rows() -> dict[str, tuple[int, int]]:
    """Return slider name → rows of its pulling-up and pulling-down targets."""
    names = load_template().target_names
    found = [n.split("/")[1] for n in names if n.startswith("slider/") and n.endswith("/more")]
    return {n: (names.index(f"slider/{n}/more"), names.index(f"slider/{n}/less")) for n in found}


def coefficients(shape: Shape) -> Floats:
    """Return how much of each target the shape takes, (k,)."""
    names, rows = _target_factors()
    named = factors(shape)
    values = np.array([named[n] for n in names] + [1.0])
    result = np.zeros(len(load_template().target_names))
    result[: len(rows)] = values[rows].prod(axis=1)
    known = slider_rows()
    for name, value in shape.sliders.items():
        if name not in known:
            raise ToileError(f"no shape slider '{name}'; there are {', '.join(sorted(known))}")
        more, less = known[name]
        result[more if value > 0 else less] += abs(value)
    return result


def blend(template: Template, share: Floats) -> tuple[Floats, Floats]:
    """Return skin (n, 3) and bone points (p, 3) [m] in the template's own pose."""
    skin = np.zeros(template.target_skin.shape[1], dtype=np.float32)
    points = np.zeros(template.target_points.shape[1], dtype=np.float32)
    # row by row: what is active stays in the cache, and the sum has one order on every machine
    for row in np.flatnonzero(share):
        skin += np.float32(share[row] * UNIT) * template.target_skin[row]
        points += np.float32(share[row]) * template.target_points[row]
    return template.vertices + skin.reshape(-1, 3), template.points + points.reshape(-1, 3)


def reduced(template: Template, rows: Ints) -> Template:
    """Return the template with the chosen vertices only (ascending), for measuring; it has no triangles."""
    wanted = np.zeros(len(template.vertices), dtype=np.bool_)
    wanted[rows] = True
    return replace(
        template,
        vertices=template.vertices[rows],
        triangles=np.zeros((0, 3), dtype=np.int32),
        limb=template.limb[rows],
        target_skin=np.compress(np.repeat(wanted, 3), template.target_skin, axis=1),
    )
