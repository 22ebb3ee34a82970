"""``toile export``."""

from __future__ import annotations

import argparse

from toile.cli.common import Commands, check_output
from toile.errors import ToileError
from toile.export import EXPORTS, export


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


COMMANDS = (add_export,)
