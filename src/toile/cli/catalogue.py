"""``toile catalogue``: every draft on every body, as a table of what passes the audit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from toile.batches.catalogue import OUTFITS, PEOPLE, WANTED, catalogue_cells, enough, table
from toile.batches.cell import PASSED, Cell, done_keys, forget_cell, read_cell
from toile.batches.grid import own_cores
from toile.batches.report import draw_sheet, rows_of
from toile.batches.run import Local, Outcome, run_batch
from toile.batches.store import Store, StoreLost, open_store
from toile.cli.common import CHECK_FAILED, Commands
from toile.cli.words import length
from toile.core.errors import ToileError
from toile.garment.fabric import FABRICS
from toile.jobs.describe import Inputs
from toile.pattern.drafts.library import DRAFTS


def add_catalogue(commands: Commands) -> None:
    """Add ``toile catalogue``."""
    parser = commands.add_parser(
        "catalogue",
        description="Dresses drafts on bodies of both sexes, 150 to 200 cm tall, waists of 58 to 130 cm, and "
        "prints which pass the audit and why others do not. A run that was stopped goes on where it was. "
        f"The exit code is 1 when fewer than {WANTED:.0%} pass.",
        epilog="example: toile catalogue --garments coat,trousers --bodies w168-74,m200-130 --picture -o out",
    )
    parser.add_argument(
        "--garments", metavar="A,B",
        help=f"of {', '.join(DRAFTS)} (default: all), or outfits, inner garments first: trousers+top+coat; "
        "tshirt-in-skirt+coat has the T-shirt tucked in",
    )  # fmt: skip
    parser.add_argument(
        "--outfits", action="store_true",
        help=f"outfits of three layers instead, by default on woman and man: {', '.join(OUTFITS)}",
    )  # fmt: skip
    parser.add_argument(
        "--bodies", metavar="A,B",
        help=f"of {', '.join(PEOPLE)}, woman, man, or body files (default: the first twelve); "
        "w150-58 is a woman of 150 cm with a waist of 58 cm",
    )  # fmt: skip
    parser.add_argument("--fabric", default="cotton", help=f"one of {', '.join(FABRICS)} (default: cotton)")
    parser.add_argument(
        "--edge", type=length, default=0.02, metavar="2cm", help="edge length of the mesh (default: 2cm)"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core)")
    parser.add_argument("--picture", action="store_true", help="draw every cell and a contact sheet")
    parser.add_argument("--again", action="store_true", help="repeat what an earlier run has done")
    parser.add_argument(
        "-o", "--output", default="catalogue", metavar="FOLDER",
        help="where results and pictures are kept, as those of toile batch (default: catalogue)",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Dress all, print the table."""
    garments = _words(options.garments or ",".join(OUTFITS if options.outfits else DRAFTS))
    bodies = _words(options.bodies or ("woman,man" if options.outfits else ",".join(PEOPLE)))
    cells = catalogue_cells(
        garments, bodies, fabric=options.fabric, edge_length=options.edge, pictures=options.picture
    )
    runner = Local(own_cores() if options.workers is None else options.workers)
    store = open_store(options.output, make=True)
    reporter = _Reporter(store, cells)
    try:
        if options.again:
            for key in reporter.names:
                forget_cell(store, key)
        run_batch(cells, store, runner, about={"name": "catalogue"}, tell=reporter)
    except KeyboardInterrupt:
        print(f"{reporter.done} of {len(cells)} are kept: the same command goes on", file=sys.stderr)
        raise
    except StoreLost as error:
        raise ToileError(str(error)) from None
    rows = rows_of(store)
    print("\n".join(table(rows)))
    sheet = Path(options.output) / "sheet.png"
    if options.picture and draw_sheet(store, rows, sheet, size=(230, 220)):
        print(f"look at {sheet}")
    return 0 if enough(rows) else CHECK_FAILED


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word for word in text.replace(",", " ").split() if word))


class _Reporter:
    """Tells of each cell."""

    def __init__(self, store: Store, cells: Sequence[Cell]) -> None:
        self._store, inputs = store, Inputs()
        self.names = {
            cell.key(inputs): f"{cell.labels['garment']} on {cell.labels['body']}" for cell in cells
        }
        self.done = len(done_keys(store) & set(self.names))

    def __call__(self, outcome: Outcome, done: int, count: int) -> None:
        """Print one line."""
        self.done = done
        made = read_cell(self._store, outcome.key) or {"problems": [outcome.reason]}
        what = "pass" if outcome.status == PASSED else f"FAIL: {'; '.join(made['problems'])}"
        print(f"{done:4} of {count}  {self.names[outcome.key]}: {what}", file=sys.stderr, flush=True)


COMMANDS = (add_catalogue,)
