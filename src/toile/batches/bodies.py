"""Who is dressed in a batch: named bodies, files, rows of a table, and adults that are drawn by a seed."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from toile.body.model.check_measures import HUMAN
from toile.core import defaults
from toile.core.errors import ToileError
from toile.io.untrusted_files import decode, read_bytes
from toile.jobs.describe import Inputs
from toile.jobs.plain import LENGTH, Checked, from_plain, lengths, number
from toile.jobs.records import BodySource

MOST = 1_000_000
"""bodies, and cells, of a plan"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range(Checked):
    """A number drawn evenly between two."""

    low: float = field(metadata={"unit": LENGTH})
    high: float = field(metadata={"unit": LENGTH})

    def check(self) -> None:
        """Refuse an empty range."""
        if not self.low <= self.high:
            raise ToileError(f"the range from {self.low:g} to {self.high:g} is empty: 'low' goes first")

    def draw(self, chance: random.Random) -> float:
        """Return a number of the range, to a tenth of a millimetre."""
        return min(max(round(chance.uniform(self.low, self.high), 4), self.low), self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bodies(Checked):
    """Who is dressed."""

    named: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    table: str = ""
    """a CSV file: columns sex, age, name and measures, in cm unless they have a unit; weight in kg"""
    random: int = number(0, 0, MOST)
    """so many adults drawn by the plan's seed"""
    sex: Literal["female", "male", "both"] = "both"
    """of those"""
    age: Range = field(default_factory=lambda: Range(low=18, high=80))
    measures: Mapping[str, Range | float] = lengths()
    """of those; without: height and weight of European adults"""

    def check(self) -> None:
        """Refuse measures that there are not."""
        for name, value in self.measures.items():
            if name not in HUMAN:
                raise ToileError(f"measures.{name}: no such measure: there are {', '.join(HUMAN)}")
            low, high = HUMAN[name]
            ends = (value.low, value.high) if isinstance(value, Range) else (value, value)
            if not low <= ends[0] <= ends[1] <= high:
                unit = "kg" if name == "weight" else "m"
                raise ToileError(
                    f"measures.{name}: {ends[0]:g} to {ends[1]:g} {unit}: give {low:g} to {high:g}"
                )


def chance_of(seed: int, *words: object) -> random.Random:
    """Return random numbers that depend on the plan's seed and these words only."""
    return random.Random(f"{seed}/" + "/".join(map(str, words)))


def bodies_of(b: Bodies, seed: int, inputs: Inputs) -> Iterator[tuple[str, BodySource]]:
    """Yield the bodies of a plan with their names in tables; seed: of those that are drawn."""
    yield from ((name, BodySource(named=name)) for name in b.named)
    yield from ((Path(name).stem, BodySource(file=name)) for name in b.files)
    if b.table:
        yield from (
            _measured(row, f"{b.table}, row {k + 1}") for k, row in enumerate(rows_of_table(b.table, inputs))
        )
    yield from ((f"random-{k:05d}", _random_body(b, seed, k)) for k in range(b.random))
    if not (b.named or b.files or b.table or b.random):
        yield defaults.BODY, BodySource(named=defaults.BODY)


TALL = {"female": (1.64, 0.06), "male": (1.78, 0.06)}
"""stature of European adults: mean and spread [m]"""
MASS_INDEX = (24.0, 0.17)
"""weight / height²: median [kg/m²] and spread of its logarithm"""


def _random_body(b: Bodies, seed: int, number_: int) -> BodySource:
    """Return the numbered body of a plan: always the same one, however many there are."""
    chance = chance_of(seed, "body", number_)
    sex: Literal["female", "male"] = chance.choice(("female", "male")) if b.sex == "both" else b.sex
    age = round(chance.uniform(b.age.low, b.age.high))
    draw: Callable[[Range | float], float] = lambda v: v.draw(chance) if isinstance(v, Range) else v  # noqa: E731
    measures = {name: draw(value) for name, value in b.measures.items()} or _usual(sex, chance)
    return BodySource(sex=sex, age=float(age), measures=measures)


def _usual(sex: str, chance: random.Random) -> dict[str, float]:
    """Return height and weight of an adult."""
    mean, spread = TALL[sex]
    height = round(min(max(chance.gauss(mean, spread), mean - 2.5 * spread), mean + 2.5 * spread), 4)
    index = min(max(chance.lognormvariate(0.0, MASS_INDEX[1]) * MASS_INDEX[0], 17.5), 40.0)
    return {"height": height, "weight": round(index * height**2, 2)}


def rows_of_table(name: str, inputs: Inputs) -> list[dict[str, str]]:
    """Return the rows of a table of measures by their columns' names."""
    path = inputs.path(name)
    text = decode(read_bytes(path), path.name)
    rows = list(csv.DictReader(text.splitlines()))
    if not rows or len(rows) > MOST:
        raise ToileError(f"bodies.table: {name} has {len(rows)} rows under its line of names")
    return rows


def _measured(row: Mapping[str, str | None], where: str) -> tuple[str, BodySource]:
    """Return the body of a table's row."""
    values = {str(key).strip(): str(value or "").strip() for key, value in row.items()}
    label, sex, age = (values.pop(key, "") for key in ("name", "sex", "age"))
    plain: dict[str, Any] = {"sex": sex or "female", "age": float(age) if age else None}
    plain["measures"] = {key: _in_metres(key, value) for key, value in values.items() if value}
    return label or where.rpartition(" ")[2], from_plain(BodySource, plain, f"bodies.table: {where}")


def _in_metres(name: str, text: str) -> float | str:
    """Return a measure of a table: centimetres where there is no unit, weight in kg."""
    try:
        return float(text) if name == "weight" else float(text) / 100
    except ValueError:
        return text
