"""``toile COMMAND …``: finds the command, runs it, turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import toile
from toile.cli import (
    bench,
    bodies,
    catalogue,
    dress,
    exports,
    maps,
    motions,
    patterns,
    play,
    serve,
    trial,
    walk,
)
from toile.core.errors import ToileError

COMMANDS = (
    *dress.COMMANDS,
    *walk.COMMANDS,
    *exports.COMMANDS,
    *play.COMMANDS,
    *serve.COMMANDS,
    *patterns.COMMANDS,
    *bodies.COMMANDS,
    *motions.COMMANDS,
    *maps.COMMANDS,
    *catalogue.COMMANDS,
    *trial.COMMANDS,
    *bench.COMMANDS,
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


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; style words of drafts (length=60cm) may stand before and after --options."""
    parser = make_parser()
    options, rest = parser.parse_known_args(arguments)
    if any(word.startswith("-") or not hasattr(options, "style") for word in rest):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        options.style = [*options.style, *rest]
    return options


def tell(message: str) -> None:
    """Print one line on the terminal, over a progress bar that may stand there."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}toile: {' '.join(message.splitlines())}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, 1 (a check failed), 2 (bad input) or 130 (interrupted)."""
    try:
        options = parse(arguments)
        result: int = options.run(options)
        sys.stdout.flush()
        return result
    except ToileError as error:
        tell(str(error))
    except BrokenPipeError:
        # the reader of a pipe went away (toile info | head): nothing more to print
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        tell(f"{error.filename or 'file'}: {error.strerror or error}")
    except KeyboardInterrupt:
        tell("stopped; finished files are as they were, an unfinished walk goes on with --resume")
        return INTERRUPTED
    return BAD_INPUT
