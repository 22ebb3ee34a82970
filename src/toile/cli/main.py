"""``toile COMMAND …``: finds the command, runs it, turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import os
import sys
import traceback
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import toile
from toile.cli.talk import TALK, add_common_options, print_json, talking
from toile.cli.words import BARE, tell_bare_numbers
from toile.core.errors import ToileError

COMMANDS = {
    "dress": ("dress", "add_dress", "sew patterns on a body and drape them"),
    "check": ("dress", "add_check", "audit a result by exact triangles"),
    "demo": ("dress", "add_demo", "sew a T-shirt and a skirt on a body"),
    "walk": ("walk", "add_walk", "dress a body and let it move"),
    "export": ("exports", "add_export", "hand a result to another program"),
    "import": ("exports", "add_import", "cloth that was animated in another program"),
    "play": ("play", "add_play", "a recording in the browser"),
    "studio": ("studio", "add_studio", "shape the person, cut the pattern, watch the cloth, live"),
    "serve": ("serve", "add_serve", "the try-on shop in the browser"),
    "backup": ("serve", "add_backup", "the whole shop as one file, also while it runs"),
    "restore": ("serve", "add_restore", "a shop from its backup"),
    "info": ("patterns", "add_info", "pieces, seams and a drawing of a pattern"),
    "seams": ("patterns", "add_seams", "propose seams and places for pieces that come without"),
    "convert": ("patterns", "add_convert", "a pattern in another file format"),
    "draft": ("patterns", "add_draft", "a pattern from a body's measurements"),
    "grade": ("patterns", "add_grade", "a draft or a pattern file in several sizes"),
    "body": ("bodies", "add_body", "a body from measures, a 3D scan or an avatar file"),
    "measure": ("bodies", "add_measure", "a table of a body's measures"),
    "motion": ("motions", "add_motion", "a motion on a body, with numbers and a picture strip"),
    "maps": ("maps", "add_maps", "a body's collision maps as pictures"),
    "catalogue": ("catalogue", "add_catalogue", "dress every draft on twelve bodies and audit them"),
    "batch": (
        "batch",
        "add_batch",
        "very many drapes and walks: bodies × garments × sizes × fabrics × motions",
    ),
    "run": ("batch", "add_run", "a job by its description: JSON, as results and data sets keep it"),
    "trial": ("trial", "add_trial", "read, understand and sew every pattern of a folder"),
    "bench": ("bench", "add_bench", "measure on this machine"),
    "completion": ("completion", "add_completion", "a script that completes words in bash, zsh or fish"),
    "stress": ("bench", "add_stress", "scenes that try to break the engine"),
}
"""name → (module here, function that adds its parser, what the list of commands says)

Modules are loaded when they are used, so that ``toile --help`` is quick."""

BAD_INPUT, OUR_FAULT, INTERRUPTED = 2, 70, 130
DEBUG = "TOILE_DEBUG"
"""environment variable: 1 shows where in the program an unexpected error came from"""


class Listed:
    """The parsers of the commands; what the list says of each stands in `COMMANDS` alone."""

    def __init__(self, parsers: Any) -> None:
        self._parsers = parsers

    def add_parser(self, name: str, **about: Any) -> argparse.ArgumentParser:
        """Return a new parser for a command."""
        made: argparse.ArgumentParser = self._parsers.add_parser(name, help=COMMANDS[name][2], **about)
        return made


def make_parser(opened: Collection[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """Return the parser; of commands that are not opened it knows no more than the name."""
    parser = argparse.ArgumentParser(
        prog="toile",
        description="Sews flat garment pieces round a body, drapes them and lets the person walk.",
        epilog="example: toile demo -o demo",
    )
    parser.add_argument("--version", action="version", version=f"toile {toile.__version__}")
    parsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    commands = Listed(parsers)
    for name, (module, add, _) in COMMANDS.items():
        if name in opened:
            getattr(import_module(f"toile.cli.{module}"), add)(commands)
            add_common_options(parsers.choices[name])
        else:
            commands.add_parser(name)
    return parser


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; style words of drafts (length=60cm) may stand before and after --options."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = next((word for word in words if not word.startswith("-")), "")
    if name and name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, 1)
        advice = f"did you mean '{near[0]}'?" if near else "toile --help lists them"
        make_parser(()).error(f"there is no command '{name[:40]}': {advice}")
    parser = make_parser((name,))
    options, rest = parser.parse_known_args(words)
    if any(word.startswith("-") or not hasattr(options, "style") for word in rest):
        parser.error(_unknown(parser, name, rest))
    if rest:
        options.style = [*options.style, *rest]
    return options


def _unknown(parser: argparse.ArgumentParser, name: str, rest: Sequence[str]) -> str:
    """Return what is said of words that a command does not know, with the option that was perhaps meant."""
    told = f"unrecognized arguments: {' '.join(rest)[:120]}"
    found = next((word.partition("=")[0] for word in rest if word.startswith("-")), None)
    commands = next(a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    if found is None or name not in commands:
        return told
    near = difflib.get_close_matches(found, commands[name]._option_string_actions, 1)
    return f"{told}: did you mean '{near[0]}'?" if near else f"{told}: toile {name} --help lists the options"


def tell(message: str) -> None:
    """Print one line on the terminal, over a progress bar that may stand there."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{clear}toile: {' '.join(message.splitlines())}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns 0, 1 (a check failed), 2 (bad input), 70 (an error of the program) or 130 (interrupted).
    """
    with contextlib.ExitStack() as opened:
        _mend_streams(opened)
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        BARE.clear()
        TALK.json = False
        options = parse(arguments)
        with talking(options):
            result: int = options.run(options)
        tell_bare_numbers()
        if TALK.json:
            print_json(result)
        sys.stdout.flush()
        return result
    except ToileError as error:
        tell(str(error))
        if TALK.json:
            print_json(BAD_INPUT, str(error))
    except BrokenPipeError:
        # the reader of a pipe went away (toile info | head): nothing more to print
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        tell(f"{error.filename or 'file'}: {error.strerror or error}")
    except KeyboardInterrupt:
        tell("stopped; finished files are as they were, an unfinished walk goes on with --resume")
        return INTERRUPTED
    except Exception as error:
        return _unexpected(error)
    return BAD_INPUT


def _unexpected(error: Exception) -> int:
    """Tell of an error that nobody foresaw, in one line."""
    if os.environ.get(DEBUG, "") not in ("", "0"):
        traceback.print_exc()
    last = traceback.extract_tb(error.__traceback__)[-1]
    what = "not enough memory" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"[:200]
    where = f"{Path(last.filename).name}:{last.lineno}"
    tell(f"an error in Toile itself ({what}; {where}): please report it; {DEBUG}=1 shows more")
    return OUR_FAULT


def _mend_streams(opened: contextlib.ExitStack) -> None:
    """Make printing safe: a terminal that knows ASCII only gets escapes, a stream that is closed nothing."""
    quiet = opened.enter_context(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream, redirect in (
        (sys.stdout, contextlib.redirect_stdout),
        (sys.stderr, contextlib.redirect_stderr),
    ):
        if stream is None:
            opened.enter_context(redirect(quiet))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
