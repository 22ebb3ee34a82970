"""Every draft on every body: the catalogue as a batch, told as a table of what passes the audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toile.batches.cell import Cell, Views
from toile.batches.report import Row
from toile.body.model.make import NAMED
from toile.core.errors import ToileError
from toile.core.records import Body, Pattern
from toile.jobs.describe import Inputs
from toile.jobs.names import check_names, named_as
from toile.jobs.records import BodySource, DressJob, GarmentSource
from toile.jobs.sources import open_garments, open_source
from toile.pattern.drafts.library import check_style

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
VIEWS = Views(views=("three_quarter", "back"), width=230, height=440)
"""pictures that are small enough for a sheet"""


def catalogue_cells(
    garments: Sequence[str], bodies: Sequence[str], *, fabric: str, edge_length: float, pictures: bool = False
) -> list[Cell]:
    """Return one cell per garment or outfit and body, garment by garment."""
    made = {name: body_source(name) for name in bodies}
    cells = [
        Cell(
            job=DressJob(body=body, garments=garments_of(word), fabric=(fabric,), edge_length=edge_length),
            views=VIEWS if pictures else None,
            labels={"garment": word, "body": Path(name).stem},
        )
        for word in garments
        for name, body in made.items()
    ]
    for cell in cells[:1]:
        check_names(cell.job)
    return cells


def body_source(name: str) -> BodySource:
    """Return a body of PEOPLE, a named one, or one from a file."""
    if name in PEOPLE:
        sex, height, waist = PEOPLE[name]
        measures = {"height": height, "waist": waist}
        return BodySource(sex="male" if sex == "male" else "female", measures=measures, label=name)
    if name in NAMED:
        return BodySource(named=name)
    if not Path(name).is_file():
        raise ToileError(f"no body '{name[:60]}': choose {', '.join([*PEOPLE, *NAMED])}, or a file")
    return BodySource(file=name)


def garments_of(word: str) -> tuple[GarmentSource, ...]:
    """Return the drafts of one garment or of an outfit such as trousers+top+coat or tshirt-in-skirt+coat."""
    found = []
    for part in word.split("+"):
        inner, tucked, over = part.partition(TUCKED)
        found.append(GarmentSource(draft=inner, tuck=over))
        if tucked:
            found.append(GarmentSource(draft=over, style={"waist_ease": OVER_TUCKED}))
    for one in found:
        named_as(word, lambda source: check_style(source.draft, source.style), one)
    return tuple(found)


def catalogue_body(name: str) -> Body:
    """Return the body of that name."""
    return open_source(body_source(name), Inputs()).body


def outfit(word: str, body: Body) -> list[Pattern]:
    """Return the patterns of a garment or outfit for a body."""
    return open_garments(garments_of(word), body, Inputs()).patterns()


def table(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table: garments down, bodies across, then the reasons of what failed."""
    found = {(row.labels["garment"], row.labels["body"]): row for row in rows}
    garments, bodies = (list(dict.fromkeys(spot[k] for spot in found)) for k in range(2))
    first = max((len(g) for g in garments), default=0)
    lines = [" ".join([" " * first, *(f"{body:>8}" for body in bodies)])]
    for garment in garments:
        marks = ["pass" if found[garment, b].ok else "FAIL" for b in bodies if (garment, b) in found]
        lines.append(" ".join([f"{garment:<{first}}", *(f"{mark:>8}" for mark in marks)]))
    for (garment, body), row in found.items():
        if not row.ok:
            lines.append(f"FAILED {garment} on {body}: {'; '.join(row.problems) or row.status}")
    good = sum(row.ok for row in rows)
    lines.append(f"{good} of {len(rows)} pass ({good / max(len(rows), 1):.1%}; wanted {WANTED:.0%})")
    return lines


def enough(rows: Sequence[Row]) -> bool:
    """Say whether as many cells pass as must."""
    return sum(row.ok for row in rows) >= WANTED * len(rows)
