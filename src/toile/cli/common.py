"""What commands share: progress on the terminal, options with units, several outputs."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from toile.body.library import open_body
from toile.cli.talk import TALK, check_new
from toile.cli.words import length
from toile.core import defaults
from toile.core.errors import ToileError
from toile.core.records import Body
from toile.core.work import at_work
from toile.export.library import ENDINGS, EXPORTS, export
from toile.garment.build import MESHES
from toile.garment.fabric import FABRICS
from toile.gpu.device import DEVICES
from toile.jobs.records import AUTO
from toile.pattern.library import pattern_sizes
from toile.sim.colliders.contacts import COLLIDERS
from toile.sim.papers import PAPERS
from toile.sim.solvers.table import SOLVERS
from toile.store.record import RecordedFile, Replayable

CHECK_FAILED = 1
"""exit code when the audit finds something wrong"""
Commands = Any
"""what ArgumentParser.add_subparsers returns"""


class Progress:
    """One line on the terminal that tells what is being done; plain lines where there is no terminal."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty() and not TALK.quiet
        self._stage = ""
        self._start = time.monotonic()
        self._timed = ("", self._start)

    def __call__(self, what: str, done: float, words: str = "") -> None:
        """Show that the stage is at a fraction 0 … 1."""
        self._time(what)
        if TALK.quiet:
            return
        if self._live:
            bar = "█" * round(24 * done)
            print(f"\r\x1b[K{what:<10} {bar:<24} {done:4.0%}", end="", file=sys.stderr, flush=True)
        elif done > 0.0 and what != self._stage:
            # a stage that has only begun may be over, or refused, at once
            print(f"{what} …", file=sys.stderr)
            self._stage = what

    def _time(self, what: str) -> None:
        """With --verbose, tell how long the stage before took."""
        before, since = self._timed
        if what == before:
            return
        now = time.monotonic()
        if TALK.verbose and before:
            clear = "\r\x1b[K" if self._live else ""
            print(f"{clear}{before}: {now - since:.2f} s", file=sys.stderr)
        self._timed = (what, now)

    def finish(self) -> None:
        """Clear the line and tell how long everything took, if it took long enough to be shown."""
        self._time("")
        if not (self._live or self._stage):
            return
        clear = "\r\x1b[K" if self._live else ""
        print(f"{clear}done in {time.monotonic() - self._start:.1f} s", file=sys.stderr)


@contextmanager
def shown() -> Iterator[Progress]:
    """Show the progress of what is done inside this block."""
    progress = Progress()
    with at_work(progress):
        yield progress
    progress.finish()


def add_body_option(parser: argparse.ArgumentParser, default: str | None = defaults.BODY) -> None:
    """Let a command take ``--body``."""
    parser.add_argument(
        "--body", default=default, metavar="FILE|woman|man", help="who wears it (default: woman)"
    )


def add_wearing(parser: argparse.ArgumentParser, *, nargs: str = "+") -> None:
    """Let a command dress a body: garments and how they are read, the body, the method.

    What is not given is None: the job has the defaults, or a recording that is gone on with.
    """
    add_garments(parser, nargs)
    add_body_option(parser, None)
    add_reading_options(parser)
    add_method_options(parser)
    parser.add_argument(
        "--fabric", metavar="NAME[,NAME]",
        help=f"of all garments, or of each: {', '.join(FABRICS)} (default: {defaults.FABRIC})",
    )  # fmt: skip
    usual = f"{defaults.EDGE_LENGTH * 100:g}cm"
    parser.add_argument(
        "--edge", type=length, metavar=usual, help=f"edge length of the mesh (default: {usual})"
    )


def add_outputs(parser: argparse.ArgumentParser, usual: str) -> None:
    """Let a command write several results; see outputs_of."""
    parser.add_argument(
        "-o", "--output", action="append", default=[], metavar="FILE",
        help=f"ending in {ENDINGS}; may be given several times (default: {usual})",
    )  # fmt: skip


def add_smooth_option(parser: argparse.ArgumentParser) -> None:
    """Let a command take ``--smooth``: how cloth is shown, not how it is simulated."""
    parser.add_argument(
        "--smooth", type=int, choices=(0, 1, 2, 3), default=0,
        help="show the cloth finer than it was simulated: so many times four triangles for one (default: 0)",
    )  # fmt: skip


def outputs_of(options: argparse.Namespace, usual: str | Path) -> list[Path]:
    """Return where results go; asked before any work is done."""
    again = getattr(options, "resume", False)
    return [check_output(path, again=again) for path in options.output or [str(usual)]]


def body_of(options: argparse.Namespace) -> Body:
    """Return the body that ``--body`` names."""
    return open_body(options.body)


def add_bones_option(parser: argparse.ArgumentParser) -> None:
    """Let a command take ``--bones``."""
    parser.add_argument(
        "--bones", type=bone_table, metavar="PART=BONE,…|FILE.json",
        help="names of bones that are not found by themselves: left_thigh=Bone.017,left_shin=Bone.018, or a "
        "JSON object of such pairs",
    )  # fmt: skip


def bone_table(text: str) -> dict[str, str]:
    """Return part → bone name from pairs or from a JSON file."""
    try:
        if Path(text).suffix.lower() == ".json":
            with open(text, encoding="utf-8") as file:
                table = json.loads(file.read(1_000_000))
        else:
            table = dict(pair.split("=", 1) for pair in text.split(","))
    except (OSError, ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"{text[:80]}: no bone table ({error})") from None
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table.values()):
        raise argparse.ArgumentTypeError(f"{text[:80]}: a bone table is an object of part and bone name")
    return {str(part).strip(): name.strip() for part, name in table.items()}


def add_method_options(parser: argparse.ArgumentParser) -> None:
    """Let a command take ``--solver``, ``--collider``, ``--paper`` and ``--set``."""
    parser.add_argument(
        "--solver",
        default=defaults.SOLVER,
        metavar="NAME",
        help=f"one of {', '.join(SOLVERS)} (default: {defaults.SOLVER})",
    )
    parser.add_argument(
        "--collider", default=defaults.COLLIDER, metavar="NAME",
        help=f"one of {', '.join(COLLIDERS)} (default: {defaults.COLLIDER})",
    )  # fmt: skip
    parser.add_argument(
        "--paper", default="", choices=("", *PAPERS), metavar="|".join(PAPERS),
        help="a published method to the letter: solver, collider, mesh, sewing, settings (docs/papers.md)",
    )  # fmt: skip
    parser.add_argument(
        "--device", default=DEVICES[0], choices=DEVICES,
        help="where the papers' methods run: gpu needs the extra gpu (docs/gpu.md)",
    )  # fmt: skip
    parser.add_argument(
        "--mesh",
        default=defaults.MESH,
        choices=tuple(MESHES),
        help="grid: rows and columns where panels allow it",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="tune",
        help="a setting of the solver or the collider; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--hold", action="store_true", help="keep the upper border of a mesh (OBJ, GLB …) on the body"
    )


def add_garments(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """Let a command take the files of what is worn."""
    parser.add_argument(
        "patterns", nargs=nargs, metavar="FILE",
        help="patterns, or meshes that lie round the body (OBJ, GLB, PLY, STL); inner garments first",
    )  # fmt: skip


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Let a command take what a pattern file leaves open: ``--size``, ``--units``, ``--seams``."""
    parser.add_argument(
        "--size", default="", metavar="M|auto",
        help="one of the sizes in the file; auto (with a body): the one that fits best",
    )  # fmt: skip
    parser.add_argument(
        "--units", default="", metavar="mm|cm|in|m", help="of a DXF or SVG file, instead of what it says"
    )
    parser.add_argument(
        "--seams", metavar="FILE", help="a seam file to add (default: NAME.seams beside a DXF, SVG or HPGL)"
    )


def reading(options: argparse.Namespace, *paths: str) -> dict[str, Any]:
    """Return how to read these pattern files; refuses a size or a seam file that would be passed over."""
    if options.size and options.size != AUTO and not any(pattern_sizes(path) for path in paths):
        raise ToileError(f"--size {options.size[:20]}: {Path(paths[0]).name} holds no sizes: leave it out")
    if options.seams is not None and len(paths) > 1:
        raise ToileError("--seams belongs to one pattern: name the file PATTERN.seams beside each instead")
    return {"size": options.size, "units": options.units, "seams": options.seams}


def check_output(
    path: str, endings: Collection[str] = tuple(EXPORTS), what: str = "results", *, again: bool = False
) -> Path:
    """Return the path if something can be written under that name; asked before any work is done.

    again: it is gone on with, and may be there.
    """
    ending = Path(path).suffix.lower()
    # a folder is asked for by a stroke at its end: a name without an ending is a slip
    if ending not in endings or (not ending and not path.endswith(("/", os.sep))):
        words = ", ".join(e or "FOLDER/" for e in endings)
        raise ToileError(f"{path}: {what} are written as {words}: change the ending")
    if not Path(path).absolute().parent.is_dir():
        raise ToileError(f"{path}: the folder does not exist: create it first")
    if not again:
        check_new(path)
    return Path(path)


def write_result(recording: Replayable, path: Path, **options: Any) -> None:
    """Write a result in the format of the file's ending, with progress, and tell."""
    with shown():
        written = export(recording, path, **options)
    tell_written(written)


def write_results(recording: Replayable, paths: Sequence[Path], smooth: int) -> None:
    """Write results; those for the eye and for other programs are refined, a .toile file is what it is."""
    for path in paths:
        write_result(recording, path, smooth=0 if path.suffix.lower() == ".toile" else smooth)


def tell_sizes(reasons: Sequence[str]) -> None:
    """Say which sizes were taken, and why."""
    TALK.add("sizes", *reasons)
    for reason in reasons:
        print(f"size: {reason}")


def tell_doubts(source: str, doubts: Sequence[str]) -> None:
    """Warn of what could not be had as it was asked for, or should be confirmed."""
    TALK.add("warnings", *doubts)
    for doubt in doubts:
        print(f"toile: warning: {f'{source}: ' if source else ''}{doubt}", file=sys.stderr)


def tell_notes(notes: Sequence[str]) -> None:
    """Say what was assumed about patterns, or done to them."""
    TALK.add("notes", *notes)
    for note in notes:
        print(f"note: {note}")


def tell_unfinished(recorded: RecordedFile) -> None:
    """Say that a recording breaks off, and where."""
    if not recorded.complete:
        count = len(recorded)
        print(
            f"note: {recorded.path} breaks off: it has {count} whole frames, frame {count} is missing or cut"
        )


def tell_written(paths: Sequence[Path]) -> None:
    """Say which files were written, and how large they are."""
    TALK.add("files", *map(str, paths))
    size = sum(path.stat().st_size for path in paths) / 1e6
    last = f" … {paths[-1].name}" if len(paths) > 1 else ""
    print(f"wrote {paths[0]}{last} ({size:.1f} MB)")
