"""Runs of FitJob: every size of a garment beside a body's girths, and the one that fits best."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toile.core.errors import ToileError
from toile.core.records import Body, Pattern
from toile.core.work import tell
from toile.fit.girths import Girth, girths
from toile.fit.size import Fitted, best_of, fitted
from toile.garment.from_mesh import is_mesh_file
from toile.jobs.describe import Inputs
from toile.jobs.records import FitJob, GarmentSource
from toile.jobs.result import Result
from toile.jobs.sources import open_garments, open_source
from toile.pattern.grading.rules import graded
from toile.pattern.library import pattern_sizes, read_pattern

AS_DRAWN = "as drawn"
"""the size of a garment that comes in one"""


def run_fit(job: FitJob, inputs: Inputs, folder: Path | None) -> Result:
    """Compare the sizes of a garment with a body."""
    opened = open_source(job.body, inputs)
    tell("fitting", 0.0)
    found = [_row(sizes, best, opened.body) for sizes, best in _choices(job.garment, opened.body, inputs)]
    facts = {"measures": dict(opened.body.measurements), "garments": found}
    return Result(job=job, facts=facts, notes=opened.doubts, value=found if folder is None else None)


def _choices(source: GarmentSource, body: Body, inputs: Inputs) -> list[tuple[Mapping[str, Pattern], Fitted]]:
    """Return for each garment its sizes and the one that fits best."""
    path = inputs.path(source.file) if source.file else None
    if path is not None and is_mesh_file(path):
        raise ToileError(f"{path.name}: a mesh has no pieces to be measured: give its pattern")
    names = pattern_sizes(path) if path is not None and path.suffix.lower() != ".toile" else []
    if path is not None and len(names) > 1:
        seams = inputs.path(source.seams) if source.seams else None
        sizes = {name: read_pattern(path, size=name, units=source.units, seams=seams) for name in names}
        return [(sizes, best_of(sizes, body))]
    worn = open_garments([source], body, inputs).garments
    return [_of_one(garment, body) for garment in worn if isinstance(garment, Pattern)]


def _of_one(pattern: Pattern, body: Body) -> tuple[Mapping[str, Pattern], Fitted]:
    best = fitted(pattern, body)
    if len(pattern.sizes) > 1:
        return {size: graded(pattern, size) for size in pattern.sizes}, best
    return {AS_DRAWN: pattern, **({best.size: best.pattern} if best.size else {})}, best


def _row(sizes: Mapping[str, Pattern], best: Fitted, body: Body) -> dict[str, Any]:
    return {
        "garment": best.pattern.name,
        "size": best.size or AS_DRAWN,
        "reason": best.reason,
        "sizes": {name: girth_rows(girths(pattern, body)) for name, pattern in sizes.items()},
    }


def girth_rows(found: list[Girth]) -> list[dict[str, Any]]:
    """Return girths as JSON [m]; slack below 0 is too tight."""
    return [
        {"name": g.name, "garment": g.garment, "body": g.body, "ease": g.garment - g.body, "slack": g.slack}
        for g in found
    ]
