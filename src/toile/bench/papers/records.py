"""What an experiment hands to the report: tables, plots, pictures, and claims that were checked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from toile.core.records import Floats

clock = time.process_time
"""CPU time of all threads [s]: other programs on the machine do not disturb it"""
Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Table:
    """Figures side by side."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Plot:
    """Curves over one axis."""

    name: str
    """file name without ending"""
    title: str
    x_label: str
    y_label: str
    curves: tuple[tuple[str, Floats, Floats], ...]
    """name, x, y"""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper says, and whether our figures agree."""

    text: str
    holds: bool
    why: str

    @property
    def verdict(self) -> str:
        """Return the line of the report."""
        return f"{'holds' if self.holds else 'does not hold'}: {self.text} ({self.why})"


UNITS = {
    "%": (100.0, " %"),
    "mm": (1000.0, " mm"),
    "ms": (1000.0, " ms"),
    "x": (1.0, " times"),
    "": (1.0, ""),
}
"""unit → factor from SI, and how it is written"""


def at_most(text: str, value: float, bound: float, unit: str = "") -> Claim:
    """Return the hypothesis that a figure is no more than a bound, with its margin."""
    return Claim(text, bool(value <= bound), _margin(value, bound, bound - value, unit))


def at_least(text: str, value: float, bound: float, unit: str = "") -> Claim:
    """Return the hypothesis that a figure is no less than a bound, with its margin."""
    return Claim(text, bool(value >= bound), _margin(value, bound, value - bound, unit))


def _margin(value: float, bound: float, margin: float, unit: str) -> str:
    factor, word = UNITS[unit]
    figures = (f"{factor * figure:.3g}{word}" for figure in (value, bound, margin))
    return "{} against {}, margin {}".format(*figures)


@dataclass(frozen=True, slots=True)
class Picture:
    """A rendered picture."""

    name: str
    """file name"""
    caption: str


@dataclass(frozen=True, slots=True)
class Section:
    """One experiment."""

    title: str
    source: str
    """paper, table or figure"""
    text: str
    """what was done, one paragraph"""
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    pictures: tuple[Picture, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Bench:
    """How an experiment is run."""

    folder: Path
    """where pictures go"""
    quick: bool = False
    """small and short: to see that everything works"""
    progress: Progress = field(default=lambda what, done: None)

    def size(self, full: int, quick: int) -> int:
        """Return a count for a full or a quick run."""
        return quick if self.quick else full


def ratio(ours: float, theirs: float) -> str:
    """Return how much faster ours is than the paper's, both times; "–" where the paper gives none."""
    return f"{theirs / ours:.3g} ×" if ours > 0 and theirs > 0 else "–"


def number(value: float, digits: int = 3) -> str:
    """Return a number with that many digits that count; "–" for 0."""
    return f"{value:.{digits}g}" if value else "–"
