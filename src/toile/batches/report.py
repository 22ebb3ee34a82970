"""How a batch stands: counts, a table, failures grouped by their reason, a sheet of pictures."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toile.batches.cell import GIVEN_UP, place, read_cell
from toile.batches.run import CRASHED, given_up, listed
from toile.batches.store import Store
from toile.render.sheet import contact_sheet

WAITING = "waiting"
STATES = ("passed", "failed", "refused", CRASHED, WAITING)
"""what a cell may be; failed: its audit; refused: it cannot be made; crashed: given up"""
MOST_SHOWN = 40
"""rows and columns of a table or sheet"""


@dataclass(frozen=True, slots=True)
class Row:
    """A cell and what came of it."""

    key: str
    labels: Mapping[str, str]
    status: str
    problems: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    """names of its pictures in the store"""


def rows_of(store: Store) -> list[Row]:
    """Return every cell of a batch, in the plan's order."""
    crashed = given_up(store)
    # a store answers many questions at once
    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda one: _row(store, one, crashed), listed(store)))


def _row(store: Store, one: Mapping[str, Any], crashed: set[str]) -> Row:
    found = read_cell(store, one["key"])
    if found is not None:
        drawn = [name for name in found["files"] if name.endswith(".png") and name.count(".") == 1]
        names = tuple(f"{place(one['key'])}/{name}" for name in drawn)
        return Row(one["key"], one["labels"], found["status"], tuple(found["problems"]), names)
    if one["key"] in crashed:
        kept = store.get(f"{GIVEN_UP}/{one['key']}.json")
        return Row(one["key"], one["labels"], CRASHED, (json.loads(kept or b"{}").get("reason", ""),))
    return Row(one["key"], one["labels"], WAITING)


def status_lines(rows: Sequence[Row]) -> list[str]:
    """Return how many cells came out how."""
    counts = Counter(row.status for row in rows)
    words = [f"{counts[state]} {state}" for state in STATES if counts[state]]
    return [f"{len(rows)} cells: {', '.join(words)}"]


def report_lines(rows: Sequence[Row]) -> list[str]:
    """Return the counts, a table of garments and bodies, and the failures by their reason."""
    return [*status_lines(rows), "", *_table(rows), "", *_reasons(rows)]


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


def draw_sheet(store: Store, rows: Sequence[Row], path: Path) -> bool:
    """Write a sheet of pictures, garments down and bodies across; False: nothing was drawn."""
    garments = list(dict.fromkeys(_garment(row) for row in rows))[:MOST_SHOWN]
    bodies = list(dict.fromkeys(row.labels.get("body", "") for row in rows))[:MOST_SHOWN]
    shown = {(_garment(row), row.labels.get("body", "")): row for row in reversed(rows)}
    with tempfile.TemporaryDirectory(prefix="toile") as folder:
        pictures = {}
        for spot, row in shown.items():
            data = (
                store.get(row.pictures[0])
                if row.pictures and spot[0] in garments and spot[1] in bodies
                else None
            )
            if data is not None:
                pictures[spot] = Path(folder) / f"{row.key}.png"
                pictures[spot].write_bytes(data)
        if not pictures:
            return False
        wrong = {spot: row.problems[0] for spot, row in shown.items() if row.problems}
        contact_sheet(path, garments, bodies, pictures, wrong)
    return True
