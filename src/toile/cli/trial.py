"""``toile trial``: every pattern of a folder read and sewn, as a table and a sheet of pictures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from toile.cli.common import CHECK_FAILED, Commands
from toile.cli.words import length
from toile.core.processes import limit_memory
from toile.jobs.trial import (
    GIGABYTE,
    Trial,
    TrialSettings,
    keep,
    pattern_files,
    result_path,
    run_trials,
    table,
    try_pattern,
)
from toile.pattern.drawing.draw import draw_pattern
from toile.pattern.library import read_pattern, write_seams
from toile.pattern.pieces.placement import Proposal
from toile.render.pattern_page import Shown, write_page
from toile.render.picture import Studio, picture_of
from toile.render.sheet import contact_sheet

STUDIO = Studio(samples=2, sky_count=24, key_count=8)
"""quick pictures, small enough for a sheet"""


def add_trial(commands: Commands) -> None:
    """Add ``toile trial``."""
    parser = commands.add_parser(
        "trial",
        description="Reads every pattern file of a folder, proposes what is missing, sews it on a body of "
        "its size and writes one table (results.txt), a sheet of pictures (sheet.png), a page with pieces, "
        "seams and result (index.html), and for each a seam file that can be corrected. Each file has a "
        "process of its own; a run that was stopped goes on where it was. Exit code 1: not all pass.",
        epilog="example: toile trial patterns -o trial --workers 2 --truth true_seams",
    )
    parser.add_argument("folder", metavar="FOLDER|FILE")
    parser.add_argument("-o", "--output", default="trial", metavar="FOLDER", help="(default: trial)")
    parser.add_argument(
        "--edge", type=length, default=0.02, metavar="2cm", help="edge length of the mesh (default: 2cm)"
    )
    parser.add_argument("--truth", default="", metavar="FOLDER", help="true seams NAME.seams to compare with")
    parser.add_argument("--no-sew", action="store_true", help="only read and propose")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time (default: 1)")
    parser.add_argument("--seconds", type=float, default=600.0, help="for one file (default: 600)")
    parser.add_argument("--memory", type=float, default=4.0, metavar="GB", help="for one file (default: 4)")
    parser.add_argument("--again", action="store_true", help="repeat what an earlier run has done")
    parser.add_argument("--in-process", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--name", default="", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Try all files, print the table, draw the sheet."""
    settings = TrialSettings(
        edge_length=options.edge, sew=not options.no_sew, truth=options.truth, seconds=options.seconds,
        memory=options.memory, workers=options.workers, again=options.again,
    )  # fmt: skip
    folder, output = Path(options.folder), Path(options.output)
    if options.in_process:
        return _one(folder, options.name or folder.name, output, settings)
    files = [(_name(path, folder), path) for path in pattern_files(folder)]
    done = 0

    def report(trial: Trial) -> None:
        nonlocal done
        done += 1
        print(f"{done:4}  {trial.name}: {trial.verdict} ({trial.seconds:.0f} s)", file=sys.stderr, flush=True)

    trials = run_trials(files, output, settings, report)
    lines = table(trials)
    (output / "results.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    _draw_sheet(output, trials)
    _write_page(output, str(folder), trials, lines[-1])
    return 0 if all(trial.ok for trial in trials) else CHECK_FAILED


def _name(path: Path, folder: Path) -> str:
    return path.name if folder.is_file() else str(path.relative_to(folder))


def _one(path: Path, name: str, output: Path, settings: TrialSettings) -> int:
    """Try one file here, in the process that was started for it."""
    limit_memory(int(settings.memory * GIGABYTE))
    output.mkdir(parents=True, exist_ok=True)

    def shown(proposal: Proposal) -> None:
        pieces, seams = (result_path(output, name, ending) for ending in (".pieces.png", ".seams"))
        draw_pattern(proposal.pattern, pieces, unsure=proposal.unsure, numbers=True)
        base = read_pattern(path, alone=True)
        if not base.seams:
            write_seams(
                proposal.pattern, seams, base=base,
                remarks=proposal.remarks, unsure=proposal.unsure, told=proposal.pieces,
            )  # fmt: skip

    for ending in (".pieces.png", ".png", ".seams"):
        result_path(output, name, ending).unlink(missing_ok=True)
    trial, recording = try_pattern(path, name, settings, shown=shown)
    if recording is not None:
        picture = result_path(output, name, ".png")
        picture_of(recording, picture, views=("three_quarter", "back"), height=480, studio=STUDIO)
    keep(trial, output, settings)
    return 0 if trial.ok else CHECK_FAILED


def _draw_sheet(output: Path, trials: Sequence[Trial]) -> None:
    """Put pieces and people side by side: one row a file."""
    columns = {"pieces": ".pieces.png", "sewn": ".png"}
    rows = [trial.name for trial in trials]
    pictures = {
        (name, column): path
        for name in rows
        for column, ending in columns.items()
        if (path := result_path(output, name, ending)).is_file()
    }
    wrong = {(t.name, "sewn"): t.verdict for t in trials if not t.ok}
    contact_sheet(output / "sheet.png", rows, list(columns), pictures, wrong, size=(330, 260))
    print(f"look at {output / 'sheet.png'}")


def _write_page(output: Path, title: str, trials: Sequence[Trial], summary: str) -> None:
    """Put pieces, seams and people side by side on one page."""
    rows = [
        Shown(
            t.name,
            t.verdict,
            t.ok,
            *(result_path(output, t.name, e) for e in (".pieces.png", ".seams", ".png")),
        )
        for t in trials
    ]
    write_page(output / "index.html", title, rows, summary)
    print(f"open {output / 'index.html'}")


COMMANDS = (add_trial,)
