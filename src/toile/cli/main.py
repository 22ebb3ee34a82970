"""``toile COMMAND …``: finds the command, runs it, turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import toile
from toile.cli import bodies, dress, motions, patterns, walk
from toile.errors import ToileError

COMMANDS = (
    *dress.COMMANDS,
    *walk.COMMANDS,
    *patterns.COMMANDS,
    *bodies.COMMANDS,
    *motions.COMMANDS,
)
"""functions that add a sub-command to the parser"""

BAD_INPUT, INTERRUPTED = 2, 130


def make_parser() -> argparse.ArgumentParser:
    """Return the parser with all commands."""
    parser = argparse.ArgumentParser(
        prog="toile",
        description="Sews flat garment pieces round a body, drapes them and lets the person walk.",
        epilog="example: toile demo -o demo",
    )
    parser.add_argument("--version", action="version", version=f"toile {toile.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, 1 (a check failed), 2 (bad input) or 130 (interrupted)."""
    try:
        options = make_parser().parse_args(arguments)
        result: int = options.run(options)
        sys.stdout.flush()
        return result
    except ToileError as error:
        print(f"toile: {error}", file=sys.stderr)
    except BrokenPipeError:
        # the reader of a pipe went away (toile info | head): nothing more to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"toile: {error.filename or 'file'}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\ntoile: stopped; files that were there before are as they were", file=sys.stderr)
        return INTERRUPTED
    return BAD_INPUT
