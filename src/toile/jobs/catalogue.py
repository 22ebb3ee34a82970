"""Every draft on every body: the catalogue, dressed and audited cell by cell.

Results are kept in one small file after each cell, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import toile
from toile.audit.check import audit_drape
from toile.body.library import open_body
from toile.body.model.check_measures import BodyWarning
from toile.body.model.make import make_body
from toile.core.atomic import replacing
from toile.core.errors import ToileError
from toile.core.records import Body, Pattern, Recording
from toile.pattern.drafts.library import DRAFTS, draft
from toile.pattern.model.outfits import in_wearing_order
from toile.sim.dress.dress import dress

PEOPLE: dict[str, tuple[str, float, float]] = {
    "w150-58": ("female", 1.50, 0.58),
    "w150-100": ("female", 1.50, 1.00),
    "w168-74": ("female", 1.68, 0.74),
    "w175-130": ("female", 1.75, 1.30),
    "w200-80": ("female", 2.00, 0.80),
    "w200-130": ("female", 2.00, 1.30),
    "m150-58": ("male", 1.50, 0.58),
    "m150-100": ("male", 1.50, 1.00),
    "m168-74": ("male", 1.68, 0.74),
    "m175-130": ("male", 1.75, 1.30),
    "m200-80": ("male", 2.00, 0.80),
    "m200-130": ("male", 2.00, 1.30),
}
"""name → sex, height [m], waist [m]: small to very large, both sexes"""

OUTFITS = (
    "trousers+top+coat",
    "trousers+tshirt+hooded_jacket",
    "trousers+shirt+coat",
    "skirt+top+coat",
    "circle_skirt+tshirt+hooded_jacket",
    "tshirt-in-skirt+coat",
)
"""three garments over each other, inner first; the first of A-in-B is tucked into the second"""
TUCKED = "-in-"
OVER_TUCKED = 0.10
"""ease at the waist of what another garment is tucked into [m]"""

WANTED = 0.98
"""share of the cells that must pass"""
RESULTS = "catalogue.json"


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of one garment on one body."""

    garment: str
    body: str
    problems: tuple[str, ...] = ()
    """the audit's, or the error that stopped the sewing"""
    seconds: float = 0.0
    """processor time [s]"""
    vertex_count: int = 0
    stretch: float = 0.0
    """mean elongation"""

    @property
    def ok(self) -> bool:
        """Say whether the audit passed."""
        return not self.problems


Report = Callable[[Cell, Recording | None], None]
"""called after each cell, with what was sewn (None: an error, or kept from an earlier run)"""


def catalogue_body(name: str) -> Body:
    """Return a body of PEOPLE, a named one, or one from a file."""
    if name not in PEOPLE:
        return open_body(name)
    sex, height, waist = PEOPLE[name]
    with warnings.catch_warnings():
        # the smallest man's waist is a centimetre wider than asked for
        warnings.simplefilter("ignore", BodyWarning)
        return make_body(sex=sex, height=height, waist=waist)


def outfit(word: str, body: Body) -> list[Pattern]:
    """Return the drafts of one garment or of an outfit such as trousers+top+coat or tshirt-in-skirt+coat."""
    patterns = []
    for part in word.split("+"):
        inner, tucked, over = part.partition(TUCKED)
        first = draft(inner, body.measurements)
        patterns.append(replace(first, tuck=over))
        if tucked:
            patterns.append(draft(over, body.measurements, waist_ease=OVER_TUCKED))
    return list(in_wearing_order(patterns))


def _drafts_of(word: str) -> list[str]:
    return word.replace(TUCKED, "+").split("+")


def dress_cell(garment: str, name: str, body: Body, **options: Any) -> tuple[Cell, Recording | None]:
    """Return what came of one garment or outfit on one body; options are those of dress."""
    start = time.process_time()
    try:
        recording = dress(outfit(garment, body), body, **options)
    except ToileError as error:
        return Cell(garment, name, (str(error),), time.process_time() - start), None
    found = audit_drape(recording)
    spent = time.process_time() - start
    return Cell(garment, name, found.problems, spent, found.vertex_count, found.stretch.mean), recording


def run_catalogue(
    garments: Sequence[str],
    bodies: Sequence[str],
    *,
    folder: Path | None = None,
    again: bool = False,
    report: Report = lambda cell, recording: None,
    **options: Any,
) -> list[Cell]:
    """Return one cell per garment and body, garment by garment; options are those of dress.

    folder: keeps the results; cells that are already there with the same options are not repeated.
    """
    for name in (name for word in garments for name in _drafts_of(word)):
        if name not in DRAFTS:
            raise ToileError(f"there is no draft '{name}': choose {', '.join(DRAFTS)}")
    made = {name: catalogue_body(name) for name in bodies}
    kept = Kept(folder, options, again)
    cells = []
    for garment, name in _pairs(garments, bodies):
        recording = None
        if (cell := kept.cells.get((garment, name))) is None:
            cell, recording = dress_cell(garment, name, made[name], **options)
            kept.add(cell)
        cells.append(cell)
        report(cell, recording)
    return cells


def _pairs(garments: Sequence[str], bodies: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((garment, body) for garment in garments for body in bodies)


class Kept:
    """Results on the disk: one file, rewritten whole after each cell."""

    def __init__(self, folder: Path | None, options: Mapping[str, Any], again: bool) -> None:
        """Read what an earlier run with the same options left, unless all is to be done again."""
        self._path = None if folder is None else folder / RESULTS
        self._made_with = {"toile": toile.__version__, **{k: str(v) for k, v in options.items()}}
        self.cells: dict[tuple[str, str], Cell] = {} if again else self._read()

    def add(self, cell: Cell) -> None:
        """Keep one more result."""
        self.cells[cell.garment, cell.body] = cell
        if self._path is None:
            return
        content = {"made_with": self._made_with, "cells": [asdict(c) for c in self.cells.values()]}
        with replacing(self._path) as file:
            file.write(json.dumps(content, indent=1).encode())

    def _read(self) -> dict[tuple[str, str], Cell]:
        if self._path is None or not self._path.is_file():
            return {}
        try:
            content = json.loads(self._path.read_bytes())
            if content["made_with"] != self._made_with:
                return {}
            cells = [_cell(data) for data in content["cells"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ToileError(f"{self._path}: not a catalogue's results: move it away") from None
        return {(c.garment, c.body): c for c in cells}


def _cell(data: Mapping[str, Any]) -> Cell:
    values = {f.name: data[f.name] for f in fields(Cell)}
    return Cell(**{**values, "problems": tuple(str(p) for p in values["problems"])})


def table(cells: Sequence[Cell]) -> list[str]:
    """Return the lines of a table: garments down, bodies across, then the reasons of what failed."""
    garments = list(dict.fromkeys(c.garment for c in cells))
    bodies = list(dict.fromkeys(c.body for c in cells))
    found = {(c.garment, c.body): c for c in cells}
    first = max((len(g) for g in garments), default=0)
    lines = [" ".join([" " * first, *(f"{Path(b).stem:>8}" for b in bodies)])]
    for garment in garments:
        marks = ["pass" if found[garment, b].ok else "FAIL" for b in bodies if (garment, b) in found]
        lines.append(" ".join([f"{garment:<{first}}", *(f"{mark:>8}" for mark in marks)]))
    lines += [f"FAILED {c.garment} on {c.body}: {'; '.join(c.problems)}" for c in cells if not c.ok]
    good = sum(c.ok for c in cells)
    lines.append(f"{good} of {len(cells)} pass ({good / max(len(cells), 1):.1%}; wanted {WANTED:.0%})")
    return lines


def enough(cells: Sequence[Cell]) -> bool:
    """Say whether as many cells pass as must."""
    return sum(c.ok for c in cells) >= WANTED * len(cells)
