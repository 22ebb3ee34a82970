"""``toile export``, ``toile import``."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

from toile.audit.findings import audit_rows, report
from toile.cli.common import (
    Commands,
    add_outputs,
    add_smooth_option,
    check_output,
    outputs_of,
    tell_unfinished,
    tell_written,
    write_result,
)
from toile.core.errors import ToileError
from toile.export.library import EXPORTS
from toile.export.usd_import import import_usd
from toile.render.camera import VIEWS, view_angle
from toile.render.film import FILM_SHOT, GIF_SHOT, STRIP_SHOT
from toile.store.record import RecordedFile

SHOTS = {".png": STRIP_SHOT, ".gif": GIF_SHOT, ".mp4": FILM_SHOT}
"""formats that have a camera"""


def add_export(commands: Commands) -> None:
    """Add ``toile export``."""
    parser = commands.add_parser(
        "export",
        help="hand a result to another program",
        description="Writes a .toile recording in another format, told by the ending.",
        epilog="example: toile export walk.toile -o walk.usd -o walk.gif",
    )
    parser.add_argument("file", metavar="FILE.toile")
    endings = ", ".join(EXPORTS)
    parser.add_argument("-o", "--output", action="append", required=True, metavar="FILE", help=endings)
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
        if options.frame is not None and not 0 <= options.frame < len(recorded):
            raise ToileError(f"--frame {options.frame}: {options.file} has frames 0 to {len(recorded) - 1}")
        tell_unfinished(recorded)
    kept = sound_numbers(options.file) if options.skip_damaged else {}
    camera = camera_of(options)
    for path in outputs:
        suffix = path.suffix.lower()
        takes = signature(EXPORTS[suffix]).parameters
        chosen: dict[str, Any] = dict(kept) if "frames" in takes else {}
        if options.frame is not None:
            chosen |= {"frame": options.frame} if "frame" in takes else {"frames": [options.frame]}
        if camera and suffix in SHOTS:
            chosen["shot"] = replace(SHOTS[suffix], **camera)
        write_result(options.file, path, smooth=options.smooth, **chosen)
    return 0


def camera_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return what was asked of the camera."""
    camera: dict[str, Any] = {}
    if options.view is not None:
        view_angle(view := _number(options.view))
        camera["view"] = view
    if options.turns is not None:
        if not abs(options.turns) <= 100:
            raise ToileError(f"--turns {options.turns:g}: at most 100")
        camera["turns"] = options.turns
    if options.camera is not None:
        camera["follow"] = options.camera == "follow"
    return camera


def _number(word: str) -> str | float:
    try:
        return float(word)
    except ValueError:
        return word


def sound_numbers(path: str) -> dict[str, list[int]]:
    """Return which frames can be exported; says how many cannot."""
    with RecordedFile(path) as recorded:
        damaged, count = recorded.damaged_frames, len(recorded)
    if not damaged:
        return {}
    names = ", ".join(map(str, damaged[:8])) + (" …" if len(damaged) > 8 else "")
    print(f"left out {len(damaged)} damaged of {count} frames: {names}")
    return {"frames": [n for n in range(count) if n not in damaged]}


def add_import(commands: Commands) -> None:
    """Add ``toile import``."""
    parser = commands.add_parser(
        "import",
        help="cloth that was animated in another program",
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
        print("\n".join(report(rows, known.garment.particle_count)))
        for output in outputs:
            if output == path:
                tell_written([output])
            else:
                write_result(path, output)
    return 1 if any(row["problems"] for _, row in rows) else 0


COMMANDS = (add_export, add_import)
