"""How a batch stands: counts, a table, failures grouped by their reason, a sheet of pictures."""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toile.batches.cell import FAILED, GIVEN_UP, PASSED, REFUSED, place, read_cell
from toile.batches.run import CRASHED, given_up, listed
from toile.batches.store import Store
from toile.fit.size import ENOUGH
from toile.render.sheet import beside_each_other, contact_sheet

WAITING = "waiting"
STATES = (PASSED, FAILED, REFUSED, CRASHED, WAITING)
"""what a cell may be; failed: its audit; refused: it cannot be made; crashed: given up"""
MOST_SHOWN = 40
"""rows and columns of a table or sheet"""


@dataclass(frozen=True, slots=True)
class Fit:
    """The size of a garment that fits a body best."""

    garment: str
    size: str
    slack: float
    """in its tightest girth [m]; negative: too tight"""
    girth: str
    """the tightest one"""


@dataclass(frozen=True, slots=True)
class Row:
    """A cell and what came of it."""

    key: str
    labels: Mapping[str, str]
    status: str
    problems: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    """names of its pictures in the store, as the views were asked for"""
    fits: tuple[Fit, ...] = ()
    """sizes that were found for its body"""

    @property
    def ok(self) -> bool:
        """Say whether the audit passed."""
        return self.status == PASSED


def rows_of(store: Store) -> list[Row]:
    """Return every cell of a batch, in the plan's order."""
    crashed = given_up(store)
    # a store answers many questions at once
    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda one: _row(store, one, crashed), listed(store)))


def _row(store: Store, one: Mapping[str, Any], crashed: set[str]) -> Row:
    found = read_cell(store, one["key"])
    if found is not None:
        drawn = [f"{view}.png" for view in found.get("pictures", {}).get("cameras", {})]
        names = tuple(f"{place(one['key'])}/{name}" for name in drawn)
        fits = tuple(fits_of(found))
        return Row(one["key"], one["labels"], found["status"], tuple(found["problems"]), names, fits)
    if one["key"] in crashed:
        kept = store.get(f"{GIVEN_UP}/{one['key']}.json")
        return Row(one["key"], one["labels"], CRASHED, (json.loads(kept or b"{}").get("reason", ""),))
    return Row(one["key"], one["labels"], WAITING)


def fits_of(found: Mapping[str, Any]) -> Iterator[Fit]:
    """Yield what a cell's fit found; a drape tells only its garments' names."""
    for one in found.get("facts", {}).get("garments", ()):
        if isinstance(one, Mapping):
            girths = [(girth["slack"], girth["name"]) for girth in one["sizes"].get(one["size"], ())]
            yield Fit(one["garment"], one["size"], *min(girths, default=(0.0, "")))


def status_lines(rows: Sequence[Row]) -> list[str]:
    """Return how many cells came out how."""
    counts = Counter(row.status for row in rows)
    words = [f"{counts[state]} {state}" for state in STATES if counts[state]]
    return [f"{len(rows)} cells: {', '.join(words)}"]


def report_lines(rows: Sequence[Row]) -> list[str]:
    """Return the counts, a table of garments and bodies, and the failures by their reason."""
    return [*status_lines(rows), "", *_table(rows), *_size_lines(rows), "", *_reasons(rows)]


def _size_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield for each garment how many bodies wear which size, and whom none fits."""
    fits: dict[str, list[Fit]] = defaultdict(list)
    for row in rows:
        for one in row.fits:
            fits[one.garment].append(one)
    for garment, found in fits.items():
        sizes = Counter(one.size for one in found)
        words = ", ".join(f"{size} {count} ({count / len(found):.0%})" for size, count in sizes.most_common())
        yield ""
        yield f"sizes of {garment}: {words}"
        tight = Counter(one.girth for one in found if one.slack < ENOUGH)
        if tight:
            where = ", ".join(f"{name} {count}" for name, count in tight.most_common())
            yield f"  none is wide enough for {tight.total()} of {len(found)} bodies: {where}"


def _table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield one line per garment: how many of its cells came out how."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[_garment(row)][row.status] += 1
    width = max(len(name) for name in counts)
    yield " ".join([" " * width, *(f"{state:>8}" for state in STATES)])
    for name, count in counts.items():
        yield " ".join([f"{name:<{width}}", *(f"{count[state]:8}" for state in STATES)])


def _garment(row: Row) -> str:
    size = row.labels.get("size", "")
    return f"{row.labels.get('garment', '')}{f' {size}' if size else ''}"


def _reasons(rows: Sequence[Row]) -> Iterator[str]:
    """Yield each kind of failure with how often it came and a cell that shows it."""
    kinds: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    for row in rows:
        for text in row.problems:
            kinds[re.sub(r"[\d.]+", "#", text)].append((text, row))
    for found in sorted(kinds.values(), key=len, reverse=True):
        text, row = found[0]
        where = f"{row.labels.get('garment', '')} on {row.labels.get('body', '')}"
        yield f"{len(found):6}  {text}  (such as {row.key[:12]}, {where})"


def draw_sheet(store: Store, rows: Sequence[Row], path: Path, *, size: tuple[int, int] | None = None) -> bool:
    """Write a sheet of pictures, garments down and bodies across; False: nothing was drawn.

    size: of a cell [pixels]; its views stand beside each other.
    """
    garments = list(dict.fromkeys(_garment(row) for row in rows))[:MOST_SHOWN]
    bodies = list(dict.fromkeys(row.labels.get("body", "") for row in rows))[:MOST_SHOWN]
    shown = {(_garment(row), row.labels.get("body", "")): row for row in reversed(rows)}
    shown = {spot: row for spot, row in shown.items() if spot[0] in garments and spot[1] in bodies}
    with tempfile.TemporaryDirectory(prefix="toile") as folder:
        pictures, views = {}, 1
        for spot, row in shown.items():
            drawn = [data for name in row.pictures if (data := store.get(name)) is not None]
            if drawn:
                views = max(views, len(drawn))
                pictures[spot] = Path(folder) / f"{row.key}.png"
                beside_each_other([io.BytesIO(data) for data in drawn], pictures[spot])
        if not pictures:
            return False
        wrong = {spot: row.problems[0] for spot, row in shown.items() if row.problems}
        contact_sheet(path, garments, bodies, pictures, wrong, size=size or (20 + 110 * views, 190))
    return True
