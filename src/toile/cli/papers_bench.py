"""``toile bench papers``."""

from __future__ import annotations

import argparse
from pathlib import Path

from toile.bench.papers import EXPERIMENTS, run_papers
from toile.bench.papers.report import all_claims
from toile.cli.common import Commands, Progress
from toile.core.choices import choose
from toile.core.errors import ToileError


def add_papers(benches: Commands) -> None:
    """Add ``toile bench papers``."""
    parser = benches.add_parser(
        "papers",
        help="the experiments of the five papers",
        epilog="example: toile bench papers --quick -o papers",
        description="Repeats the papers' experiments and writes report.md and report.html with plots (extra "
        "`bench`: matplotlib) and pictures. Takes some minutes; --quick runs tiny sizes.",
    )
    parser.add_argument(
        "-o", "--output", default="papers", metavar="FOLDER", help="where to (default: papers)"
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that everything works")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME",
        help=f"one of {', '.join(EXPERIMENTS)}; may be given several times",
    )  # fmt: skip
    parser.set_defaults(run=run_papers_command)


def run_papers_command(options: argparse.Namespace) -> int:
    """Run the experiments and print what the papers claim and what was found."""
    folder = Path(options.output)
    if folder.exists() and not folder.is_dir():
        raise ToileError(f"{folder} is a file: name a folder for the report")
    for name in options.only:
        choose("experiment", EXPERIMENTS, name)
    progress = Progress()
    sections = run_papers(folder, quick=options.quick, only=options.only, progress=progress)
    progress.finish()
    for claim in all_claims(sections):
        print(claim.verdict)
    print(f"wrote {folder / 'report.md'} and {folder / 'report.html'}")
    return 0
