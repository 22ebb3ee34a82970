"""``toile walk``: simulates into a growing recording, with a live line; goes on where it was stopped."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from toile.audit.findings import report
from toile.body.model.skin import METHODS
from toile.cli.asked import again_job, branch_job, check_same, over_job, walk_job, wind
from toile.cli.common import (
    CHECK_FAILED,
    Commands,
    add_outputs,
    add_smooth_option,
    add_wearing,
    outputs_of,
    tell_doubts,
    tell_notes,
    tell_sizes,
    tell_written,
    write_results,
)
from toile.cli.talk import TALK
from toile.cli.walk_progress import WalkProgress
from toile.cli.words import length
from toile.core import defaults
from toile.core.errors import ToileError
from toile.core.work import at_work
from toile.jobs.describe import Inputs
from toile.jobs.names import check_names
from toile.jobs.walking import AnyWalk, Walked, finish, go_on, walk_into
from toile.motion.library import MOTIONS
from toile.sim.walk.stream import is_walk
from toile.store.record import RecordedFile

RESULT = "walk.toile"


def add_walk(commands: Commands) -> None:
    """Add ``toile walk``."""
    parser = commands.add_parser(
        "walk",
        description="Sews patterns on a body, simulates them while it moves and audits each frame. "
        "The recording grows and can be read meanwhile; --resume goes on where a walk was stopped. "
        "The exit code is 1 when a frame fails the audit; the results are written all the same.",
        epilog="example: toile walk skirt.txt shirt.txt --motion walk --seconds 4 --fps 60 -o look.toile",
    )
    add_wearing(parser, nargs="*")
    add = parser.add_argument
    add(
        "--motion",
        metavar="NAME|FILE",
        help=f"{', '.join(MOTIONS)}, or a motion file (default: {defaults.MOTION})",
    )
    add(
        "--seconds",
        type=float,
        metavar="S",
        help=f"length of the recording (default: {defaults.SECONDS:g}, or an avatar's own clip)",
    )
    add(
        "--fps",
        type=float,
        metavar="N",
        help=f"frames a second (default: {defaults.FPS:g}, or as an avatar's own clip)",
    )
    add(
        "--loop",
        action="store_true",
        default=None,
        help="end where it began: --seconds is rounded to whole cycles of the motion (default: one)",
    )
    add("--skinning", choices=METHODS, help="how the skin follows the joints (default: linear)")
    add("--wind", type=wind, metavar="3m/s|X,Y,Z", help="from the front, or the air's velocity [m/s]")
    add("--round", dest="rounding", type=length, metavar="0.05mm", help="store positions with this error")
    add("--resume", action="store_true", help="go on where the recording was interrupted")
    add(
        "--from",
        dest="source",
        metavar="FILE.toile",
        help="walk again in a recording's garments: another --size +1, --body, --wind …",
    )
    add("--over", metavar="FILE.toile", help="a recorded walk over which the patterns are worn")
    add("--from-frame", type=int, metavar="N", help="the first frame that is computed anew, with --wind")
    add_outputs(parser, RESULT)
    add_smooth_option(parser)
    parser.set_defaults(run=run_walk)


def run_walk(options: argparse.Namespace) -> int:
    """Dress, walk, audit, write."""
    outputs = outputs_of(options, RESULT)
    target = next((path for path in outputs if path.suffix.lower() == ".toile"), None)
    if options.resume and target is None:
        raise ToileError("--resume: name the .toile recording to go on with: -o look.toile")
    if target is not None:
        return _walk_into(target, outputs, options)
    # no recording was asked for: it is kept beside the results until they are written
    with tempfile.TemporaryDirectory(prefix=".toile", dir=outputs[0].absolute().parent) as folder:
        return _walk_into(Path(folder) / "walk.toile", outputs, options)


def _walk_into(target: Path, outputs: list[Path], options: argparse.Namespace) -> int:
    if options.loop and (options.over or options.from_frame is not None):
        raise ToileError("--loop: a walk over another one, or another wind from a frame on, has no loop")
    watch = WalkProgress()
    with at_work(watch.stage):
        if options.resume and target.exists():
            check_same(target, options)
            walked = finish(target, kept=go_on(target, watch))
        else:
            job = job_of(options)
            check_names(job)
            _refuse_unfinished(target)
            walked = walk_into(target, job, Inputs(), watch)
    watch.finish()
    return _tell(walked, outputs, options)


def job_of(options: argparse.Namespace) -> AnyWalk:
    """Return the job that the options ask for."""
    if options.from_frame is not None:
        if options.source is None or options.wind is None or options.patterns:
            raise ToileError(
                "--from-frame: say --from FILE.toile --from-frame N --wind 5m/s, without patterns"
            )
        return branch_job(options)
    if options.source is not None:
        if options.patterns:
            raise ToileError(
                "--from: the garments come from the recording; leave the patterns out (or say --over)"
            )
        return again_job(options)
    if options.over is not None:
        given = [name for name in ("body", "motion", "fps", "wind") if getattr(options, name) is not None]
        if not options.patterns or given:
            raise ToileError(
                f"--over: name patterns, without --{given[0] if given else 'resume'}: the walk has it"
            )
        return over_job(options)
    if not options.patterns:
        raise ToileError("nothing to wear: name a pattern file (or --resume -o FILE.toile)")
    return walk_job(options)


def _tell(walked: Walked, outputs: list[Path], options: argparse.Namespace) -> int:
    """Print the audit, write the other results."""
    if walked.kept is not None:
        print(f"went on after frame {walked.kept} of {walked.path}", file=sys.stderr)
    tell_doubts(options.body or "", walked.told.doubts)
    tell_sizes(walked.told.sizes)
    tell_notes(walked.told.notes)
    if walked.closure is not None:
        print("\n".join(walked.closure.lines()))
    lines = report(walked.rows, walked.vertex_count)
    frames = [{"frame": number, **row} for number, row in walked.rows]
    TALK.put("audit", {"passed": not walked.problems, "lines": lines, "frames": frames})
    print("\n".join(lines))
    if walked.path in outputs:
        tell_written([walked.path])
    write_results(walked.path, [path for path in outputs if path != walked.path], options.smooth)
    return CHECK_FAILED if walked.problems else 0


def _refuse_unfinished(target: Path) -> None:
    """Do not write over a walk that can be gone on with."""
    if not target.exists():
        return
    try:
        with RecordedFile(target) as recorded:
            unfinished = not recorded.complete and is_walk(recorded)
    except ToileError:
        return
    if unfinished:
        raise ToileError(f"{target} is an unfinished walk: go on with --resume, or remove it first")


COMMANDS = (add_walk,)
