"""``toile walk``, ``toile export``."""

from __future__ import annotations

import argparse

import numpy as np

from toile.cli.common import (
    Commands,
    Progress,
    add_body_option,
    add_method_options,
    add_reading_options,
    body_of,
    check_output,
    length,
    method_of,
    patterns_worn,
    write_result,
)
from toile.errors import ToileError
from toile.export import EXPORTS, export
from toile.motion import MOTIONS, read_motion
from toile.run.animate import AnimateSettings, animate
from toile.run.check import audit_recording
from toile.run.dress import dress
from toile.types import Floats, Recording


def add_walk(commands: Commands) -> None:
    """Add ``toile walk``."""
    parser = commands.add_parser(
        "walk",
        help="dress a body and let it move",
        description="Sews patterns on a body, simulates them while it moves, audits each frame.",
        epilog="example: toile walk shirt.txt skirt.txt --motion walk --seconds 4 --fps 60 -o look.toile",
    )
    parser.add_argument("patterns", nargs="+", metavar="PATTERN", help="pattern files, inner garments first")
    add_body_option(parser)
    add_reading_options(parser)
    parser.add_argument("--fabric", default="cotton", help="fabric of all garments (default: cotton)")
    parser.add_argument("--edge", type=length, default=0.015, metavar="1.5cm", help="edge length of the mesh")
    add_method_options(parser)
    known = ", ".join(MOTIONS)
    parser.add_argument(
        "--motion", default="walk", metavar="NAME|FILE", help=f"{known}, or a motion file (default: walk)"
    )
    parser.add_argument("--seconds", type=float, default=4.0, help="length of the recording (default: 4 s)")
    parser.add_argument("--fps", type=float, default=60.0, help="frames a second (default: 60)")
    parser.add_argument(
        "--wind", type=wind, default=np.zeros(3), metavar="3m/s", help="wind from the front [m/s]"
    )
    parser.add_argument(
        "-o", "--output", action="append", default=[], metavar="FILE", help="default: walk.toile"
    )
    parser.set_defaults(run=run_walk)


def wind(text: str) -> Floats:
    """Return the air's velocity from an option such as 3m/s: it blows against a person who faces +z."""
    try:
        speed = float(text.removesuffix("m/s"))
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a wind: write a number of m/s, such as 3m/s"
        ) from error
    return np.array([0.0, 0.0, -speed])


def run_walk(options: argparse.Namespace) -> int:
    """Dress, walk, audit, write."""
    outputs = [check_output(path) for path in options.output or ["walk.toile"]]
    settings, method = AnimateSettings(fps=options.fps, seconds=options.seconds), method_of(options)
    motion, body = read_motion(options.motion), body_of(options)
    patterns = patterns_worn(options, body)
    progress = Progress()
    dressed = dress(
        patterns,
        body,
        fabric=options.fabric,
        edge_length=options.edge,
        mesh=options.mesh,
        progress=progress,
        **method,
    )
    recording = animate(
        dressed, body, motion, settings=settings, wind=options.wind, progress=progress, **method
    )
    progress.finish()
    print("\n".join(frame_report(recording)))
    for path in outputs:
        write_result(recording, path)
    return 0


def frame_report(recording: Recording) -> list[str]:
    """Return the audit over all frames: the worst of each finding."""
    audits = audit_recording(recording)
    count = audits[0].vertex_count
    inside = max(a.inside_deep_count for a in audits)
    deepest = max(a.deepest for a in audits)
    worst = [max(getattr(a, name) for a in audits) for name in ("body_pairs", "self_pairs", "layer_pairs")]
    return [
        f"frames           {len(audits)}, {count} vertices",
        f"inside           at most {inside} deeper than 1 mm in a frame, deepest {1000 * deepest:.2f} mm",
        f"crossing pairs   at most: body {worst[0]}, self {worst[1]}, layers {worst[2]} in a frame",
        f"stretch          mean {max(a.stretch.mean for a in audits):.2%}, "
        f"99 % {max(a.stretch.percentile_99 for a in audits):.2%} in the worst frame",
        f"clean frames     {sum(a.ok for a in audits)} of {len(audits)}",
    ]


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
    parser.set_defaults(run=run_export)


def run_export(options: argparse.Namespace) -> int:
    """Export a recording."""
    outputs = [check_output(path) for path in options.output]
    if any(str(path) == options.file for path in outputs):
        raise ToileError(f"{options.file}: choose another name for the export")
    for path in outputs:
        export(options.file, path)
        print(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
    return 0


COMMANDS = (add_walk, add_export)
