"""``toile catalogue``: every draft on every body, as a table of what passes the audit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from toile.cli.common import CHECK_FAILED, Commands, length
from toile.core.records import Recording
from toile.garment.fabric import FABRICS
from toile.jobs.catalogue import OUTFITS, PEOPLE, WANTED, Cell, enough, run_catalogue, table
from toile.pattern.drafts.library import DRAFTS
from toile.render.picture import Studio, picture_of
from toile.render.sheet import contact_sheet

STUDIO = Studio(samples=2, sky_count=24, key_count=8)
"""quick pictures, small enough for a sheet"""


def add_catalogue(commands: Commands) -> None:
    """Add ``toile catalogue``."""
    parser = commands.add_parser(
        "catalogue",
        help="dress every draft on twelve bodies and audit them",
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
    parser.add_argument("--picture", action="store_true", help="draw every cell and a contact sheet")
    parser.add_argument("--again", action="store_true", help="repeat what an earlier run has done")
    parser.add_argument(
        "-o", "--output", default="catalogue", metavar="FOLDER",
        help="where results and pictures are kept (default: catalogue)",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Dress all, print the table."""
    garments = _words(options.garments or ",".join(OUTFITS if options.outfits else DRAFTS))
    bodies = _words(options.bodies or ("woman,man" if options.outfits else ",".join(PEOPLE)))
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    reporter = _Reporter(folder, len(garments) * len(bodies), options.picture)
    try:
        cells = run_catalogue(
            garments, bodies, folder=folder, again=options.again, report=reporter,
            fabric=options.fabric, edge_length=options.edge,
        )  # fmt: skip
    except KeyboardInterrupt:
        print(f"{reporter.done} of {reporter.count} are kept: the same command goes on", file=sys.stderr)
        raise
    print("\n".join(table(cells)))
    if options.picture:
        _draw_sheet(folder, garments, bodies, cells)
    return 0 if enough(cells) else CHECK_FAILED


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word for word in text.replace(",", " ").split() if word))


def _picture(folder: Path, garment: str, body: str) -> Path:
    return folder / f"{garment}_{Path(body).stem}.png"


class _Reporter:
    """Tells of each cell and draws it."""

    def __init__(self, folder: Path, count: int, picture: bool) -> None:
        self.folder, self.count, self.picture, self.done = folder, count, picture, 0

    def __call__(self, cell: Cell, recording: Recording | None) -> None:
        """Print one line; draw the dressed body."""
        self.done += 1
        what = "pass" if cell.ok else f"FAIL: {'; '.join(cell.problems)}"
        print(
            f"{self.done:4} of {self.count}  {cell.garment} on {cell.body}: {what} ({cell.seconds:.1f} s)",
            file=sys.stderr,
            flush=True,
        )
        if self.picture and recording is not None:
            path = _picture(self.folder, cell.garment, cell.body)
            picture_of(recording, path, views=("three_quarter", "back"), height=480, studio=STUDIO)


def _draw_sheet(folder: Path, garments: Sequence[str], bodies: Sequence[str], cells: Sequence[Cell]) -> None:
    paths = {(g, b): _picture(folder, g, b) for g in garments for b in bodies}
    found = {place: path for place, path in paths.items() if path.is_file()}
    wrong = {(c.garment, c.body): c.problems[0] for c in cells if not c.ok}
    contact_sheet(folder / "sheet.png", garments, bodies, found, wrong, size=(230, 220))
    print(f"look at {folder / 'sheet.png'}")


COMMANDS = (add_catalogue,)
