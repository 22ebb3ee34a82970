"""``toile export``, ``toile import``."""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

from toile.audit.findings import audit_rows, report
from toile.cli.common import (
    Commands,
    add_outputs,
    add_smooth_option,
    check_output,
    outputs_of,
    shown,
    tell_unfinished,
    tell_written,
    write_result,
)
from toile.cli.talk import TALK
from toile.core.errors import ToileError
from toile.export.library import ENDINGS
from toile.export.page import PageWarning
from toile.export.usd_import import import_usd
from toile.jobs.describe import Inputs
from toile.jobs.exporting import export_to
from toile.jobs.names import check_names
from toile.jobs.records import ExportJob
from toile.render.camera import VIEWS
from toile.store.record import RecordedFile


def add_export(commands: Commands) -> None:
    """Add ``toile export``."""
    parser = commands.add_parser(
        "export",
        description="Writes a .toile recording in another format, told by the ending.",
        epilog="example: toile export walk.toile -o walk.usd -o walk.gif -o page/",
    )
    parser.add_argument("file", metavar="FILE.toile")
    parser.add_argument("-o", "--output", action="append", required=True, metavar="FILE", help=ENDINGS)
    add_smooth_option(parser)
    parser.add_argument("--skip-damaged", action="store_true", help="leave frames out that cannot be read")
    parser.add_argument(
        "--frame", type=int, metavar="N",
        help="only this frame, from 0 (default: all: PNG as a strip, OBJ as a sequence)",
    )  # fmt: skip
    parser.add_argument(
        "--view", metavar="NAME|DEGREES", help=f"of PNG, GIF and MP4: {', '.join(VIEWS)}, or an angle [°]"
    )
    parser.add_argument(
        "--turns", type=float, metavar="N", help="of GIF and MP4: how often the camera goes round (turntable)"
    )
    parser.add_argument(
        "--camera", choices=("follow", "stand"), help="goes along with the person (default), or stands still"
    )
    parser.set_defaults(run=run_export)


def run_export(options: argparse.Namespace) -> int:
    """Export a recording."""
    outputs = [check_output(path) for path in options.output]
    if any(str(path) == options.file for path in outputs):
        raise ToileError(f"{options.file}: choose another name for the export")
    with RecordedFile(options.file) as recorded:
        tell_unfinished(recorded)
        if options.skip_damaged:
            tell_damaged(recorded)
    jobs = [(path, export_job(options, path)) for path in outputs]
    for _, job in jobs:
        check_names(job)
    for path, job in jobs:
        with shown(), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", PageWarning)
            written = export_to(path, job, Inputs())
        tell_written(written)
        for note in told:
            print(note.message)
    return 0


def export_job(options: argparse.Namespace, path: Path) -> ExportJob:
    """Return the job that writes one of the results."""
    return ExportJob(
        recording=options.file, format=path.suffix[1:], smooth=options.smooth, frame=options.frame,
        skip_damaged=options.skip_damaged, view=None if options.view is None else _number(options.view),
        turns=options.turns, camera=options.camera or "",
    )  # fmt: skip


def _number(word: str) -> str | float:
    try:
        return float(word)
    except ValueError:
        return word


def tell_damaged(recorded: RecordedFile) -> None:
    """Say which frames cannot be read."""
    damaged, count = recorded.damaged_frames, len(recorded)
    if damaged:
        names = ", ".join(map(str, damaged[:8])) + (" …" if len(damaged) > 8 else "")
        print(f"left out {len(damaged)} damaged of {count} frames: {names}")


def add_import(commands: Commands) -> None:
    """Add ``toile import``."""
    parser = commands.add_parser(
        "import",
        description="Reads cloth (and body) from a USD file as a recording and audits each frame. The meshes "
        "must be those of a recording that was exported before; units and axes are taken from the file.",
        epilog="example: toile import cloth.usd --garment look.toile -o back.toile -o back.png",
    )
    parser.add_argument("file", metavar="FILE.usd", help="or .usdc, .usda, .usdz")
    parser.add_argument(
        "--garment",
        required=True,
        metavar="FILE.toile",
        help="the recording whose garments (and body) these are",
    )
    parser.add_argument("--no-body", action="store_true", help="the file holds no body")
    add_outputs(parser, "NAME.toile")
    parser.set_defaults(run=run_import)


def run_import(options: argparse.Namespace) -> int:
    """Read, audit, write; the exit code is 1 when a frame fails the audit."""
    outputs = outputs_of(options, Path(options.file).with_suffix(".toile"))
    target = next((path for path in outputs if path.suffix.lower() == ".toile"), None)
    with RecordedFile(options.garment) as known, tempfile.TemporaryDirectory(prefix="toile") as folder:
        if target is not None and target.exists() and target.samefile(options.garment):
            raise ToileError(f"{target}: choose another name than the recording it is compared with")
        path = target or Path(folder) / "import.toile"
        count = import_usd(options.file, path, known.garment, None if options.no_body else known.body)
        print(f"{count} frames of {known.garment.name}")
        with RecordedFile(path) as recorded:
            rows = audit_rows(recorded)
        lines = report(rows, known.garment.particle_count)
        TALK.put("audit", {"passed": not any(row["problems"] for _, row in rows), "lines": lines})
        print("\n".join(lines))
        for output in outputs:
            if output == path:
                tell_written([output])
            else:
                write_result(path, output)
    return 1 if any(row["problems"] for _, row in rows) else 0


COMMANDS = (add_export, add_import)
