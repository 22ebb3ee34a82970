"""The best-fitting size of a garment for a body: of those that a file holds, or by grading what it holds.

Sizes are compared by the girths of the cut pieces with the body's measures: the smallest that is nowhere
too tight is taken.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Hold, Pattern
from toile.fit.girths import (
    LEGS,
    TRUNK,
    Girth,
    PatternOutlines,
    girths,
    hangs,
    pattern_outlines,
    tightest,
    top_edges,
)
from toile.fit.ratio_grading import BodyChange, graded_by_ratio
from toile.garment.place.limb_axes import heights
from toile.pattern.drafts.library import draft_again
from toile.pattern.drafts.measures import Measures
from toile.pattern.grading.rules import graded
from toile.pattern.grading.sizes import HEIGHT, SIZES, Size, best_size
from toile.pattern.library import pattern_sizes, read_outfit, read_pattern

ENOUGH = -0.005
"""a garment that lacks less than this is not called too tight [m]"""
AMPLE = 0.20
"""a garment that is wider than it must be by more everywhere is too large, not just loose [m]"""
SLIDES = 0.10
"""a garment that hangs from the waist is too large when it is wider there by more [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class Fitted:
    """A pattern in the size that was taken, and why."""

    pattern: Pattern
    size: str
    reason: str
    """one line"""


def read_fitted(path: str | os.PathLike[str], body: Body, **options: Any) -> list[Fitted]:
    """Read all garments of a file in the size that fits the body best; options as for read_pattern."""
    names = pattern_sizes(path)
    if len(names) > 1:
        return [best_of({name: read_pattern(path, **options, size=name) for name in names}, body)]
    return [fitted(pattern, body) for pattern in read_outfit(path, **options)]


def fitted(pattern: Pattern, body: Body) -> Fitted:
    """Return a pattern in its best size for the body: drafted anew, by its grade rules, or by ratios."""
    if pattern.recipe:
        return _drafted_again(pattern, body)
    if len(pattern.sizes) > 1:
        return best_of({size: graded(pattern, size) for size in pattern.sizes}, body)
    return fitted_size(pattern, body)


def _drafted_again(pattern: Pattern, body: Body) -> Fitted:
    """Return a draft in the girths of the nearest size of EN 13402-3, all else as the body has it."""
    sex = nearest_table(body.measurements)
    below = not any(g.name == "bust" for g in girths(pattern, body))
    size = best_size(body.measurements, sex, below=below)
    measures = {**body.measurements, **{name: getattr(size, name) for name in TRUNK}}
    again = replace(draft_again(pattern.recipe, measures), layer=pattern.layer, tuck=pattern.tuck)
    again = replace(again, name=pattern.name)
    reason = (
        f"{pattern.name}: drafted anew ({pattern.recipe}) in size {size.name}: {_say(girths(again, body))}"
    )
    return Fitted(again, size.name, reason)


def graded_to(pattern: Pattern, size: Size, body: Body, sex: str = "woman") -> Pattern:
    """Return a pattern graded by ratios to a size of EN 13402-3, laid out beside some body of that sex."""
    unrolled = pattern_outlines(pattern, body)
    found = girths(pattern, body, unrolled)
    if not found:
        raise ToileError(f"pattern {pattern.name} covers no girth that could be graded")
    table = SizeTable(sex, body)
    gain = BodyChange(
        table.at(table.base(found)), table.at(float(table.names.index(size.name))), heights(body)
    )
    wider = graded_by_ratio(pattern, unrolled, found, gain)
    return replace(wider, notes=(*pattern.notes, f"size: graded to {size.name} of EN 13402-3"))


def best_of(patterns: Mapping[str, Pattern], body: Body) -> Fitted:
    """Return the smallest of the sizes that is nowhere too tight, or the least tight one."""
    found = {name: girths(pattern, body) for name, pattern in patterns.items()}
    slack = {name: tightest(rows) for name, rows in found.items()}
    order = sorted(patterns, key=lambda name: sum(g.garment for g in found[name]))
    fitting = [name for name in order if slack[name] >= ENOUGH]
    name = fitting[0] if fitting else max(order, key=lambda n: slack[n])
    why = "the smallest that is nowhere too tight" if fitting else "the least tight of all"
    return Fitted(
        patterns[name],
        name,
        f"{patterns[name].name}: size {name} of {len(order)}: {_say(found[name])}; {why}",
    )


def fitted_size(pattern: Pattern, body: Body) -> Fitted:
    """Return a pattern that comes in one size, graded to the best size of EN 13402-3 for the body."""
    unrolled = pattern_outlines(pattern, body)
    found = girths(pattern, body, unrolled)
    if not found or (tightest(found) >= ENOUGH and not _too_large(found, hangs(unrolled, heights(body)))):
        return Fitted(pattern, "", f"{pattern.name}: taken as it is drawn: {_say(found)}")
    table = SizeTable(nearest_table(body.measurements), body)
    seated = [replace(g, seated=bool(unrolled.names(*LEGS))) for g in found]
    base = table.base(seated)
    step = table.smallest(seated, base)
    gain = BodyChange(
        table.at(base), table.at(step), heights(body), table.length, body.measurements.get("waist", 0.0)
    )
    wider = _held(graded_by_ratio(pattern, unrolled, found, gain), unrolled, gain.level)
    after = girths(wider, body)
    name = table.names[step]
    cut = f"{pattern.name}: cut {_say(found)}, as for {table.words(base)}"
    return Fitted(
        replace(wider, notes=(*pattern.notes, f"size: graded to {name} of EN 13402-3")),
        name,
        f"{cut}; graded to size {name} ({table.words(step)}): {_say(after)}",
    )


def stepped_size(pattern: Pattern, body: Body, steps: int) -> Fitted:
    """Return a pattern some sizes of EN 13402-3 larger (negative: smaller) than it is drawn."""
    unrolled = pattern_outlines(pattern, body)
    found = girths(pattern, body, unrolled)
    if not found:
        raise ToileError(f"{pattern.name} goes round no trunk or limb: its size cannot be changed")
    table = SizeTable(nearest_table(body.measurements), body)
    base = table.base(found)
    gain = BodyChange(table.at(base), table.at(base + steps), heights(body))
    graded = _held(graded_by_ratio(pattern, unrolled, found, gain), unrolled, gain.level)
    return Fitted(
        replace(graded, notes=(*pattern.notes, f"size: {steps:+d} of EN 13402-3")),
        f"{steps:+d}",
        f"{pattern.name}: cut {_say(found)}; graded by {steps:+d}: {_say(girths(graded, body))}",
    )


def _too_large(found: list[Girth], hanging: bool) -> bool:
    """Say whether a garment would slide down, or drown its wearer."""
    slides = hanging and any(g.name == "waist" and g.slack > SLIDES for g in found)
    return slides or tightest([g for g in found if g.name in TRUNK] or found) > AMPLE


def _held(pattern: Pattern, unrolled: PatternOutlines, level: Mapping[str, float]) -> Pattern:
    """Return a garment that hangs from the waist held there, if nothing else holds it."""
    if pattern.holds or not hangs(unrolled, level):
        return pattern
    return replace(pattern, holds=tuple(Hold(ref) for ref in top_edges(pattern, unrolled)))


def nearest_table(measurements: Mapping[str, float]) -> str:
    """Return whose sizes are nearer to a body: woman or man."""

    def misfit(size: Size) -> float:
        return float(sum((getattr(size, n) - measurements[n]) ** 2 for n in TRUNK if n in measurements))

    return min(SIZES, key=lambda sex: min(misfit(size) for size in SIZES[sex].values()))


class SizeTable:
    """Sizes of one sex as bodies, continued evenly beyond the first and the last."""

    def __init__(self, sex: str, body: Body) -> None:
        self.sizes = list(SIZES[sex].values())
        self.names = [size.name for size in self.sizes]
        self.body = body
        self.tall = body.measurements.get("height", HEIGHT[sex])
        self.length = float(np.clip(self.tall / HEIGHT[sex], 0.8, 1.25))
        self.steps = np.arange(-12.0, len(self.sizes) + 12.0)

    def girth(self, name: str, step: float | Floats) -> Floats:
        """Return a girth at a step of the table [m]."""
        rows = np.array([getattr(size, name) for size in self.sizes])
        known = np.arange(len(rows), dtype=np.float64)
        below = rows[0] + np.minimum(np.asarray(step), 0.0) * (rows[1] - rows[0])
        above = np.maximum(np.asarray(step) - known[-1], 0.0) * (rows[-1] - rows[-2])
        return np.asarray(np.where(np.asarray(step) < 0, below, np.interp(step, known, rows) + above))

    def at(self, step: float) -> Measures:
        """Return the body of a step."""
        given = {name: max(float(self.girth(name, step)), 0.2) for name in TRUNK}
        return Measures({"height": self.tall, **given})

    def words(self, step: float) -> str:
        """Return the girths of a step in words."""
        return " ".join(f"{name} {100 * float(self.girth(name, step)):.0f}" for name in TRUNK) + " cm"

    def base(self, found: list[Girth]) -> float:
        """Return the step for which the garment would be just wide enough."""
        trunk = [g for g in found if g.name in TRUNK] or found
        steps = []
        for g in trunk:
            rows = np.array([self.at(step)[g.name] for step in self.steps])
            steps.append(float(np.interp(g.garment - g.least, rows, self.steps)))
        return min(steps)

    def smallest(self, found: list[Girth], base: float) -> int:
        """Return the smallest size in which the graded garment is nowhere too tight."""
        before = self.at(base)
        for step in range(len(self.sizes)):
            after = self.at(float(step))
            if all(_grown(g, before, after).slack >= ENOUGH for g in found):
                return step
        return len(self.sizes) - 1


def _grown(girth: Girth, before: Measures, after: Measures) -> Girth:
    more = after[girth.name] - before[girth.name]
    if girth.name == "upper_arm":
        more = max(more, after[girth.name] + girth.least - girth.garment)
    return replace(girth, garment=girth.garment + more)


def _say(found: list[Girth]) -> str:
    return ", ".join(str(g) for g in found) or "nothing to compare"
