"""``toile walk``: simulates into a growing recording, with a live line; goes on where it was stopped."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from toile.audit.findings import audit_rows, report
from toile.body.model.skin import METHODS
from toile.cli.asked import DEFAULTS, asked_for, check_same, goes_its_own_way, wind
from toile.cli.common import (
    AUTO,
    CHECK_FAILED,
    Commands,
    Progress,
    add_outputs,
    add_smooth_option,
    add_wearing,
    body_of,
    fabrics,
    garments_of,
    length,
    method_of,
    outputs_of,
    patterns_worn,
    tell_notes,
    tell_written,
    write_results,
)
from toile.cli.walk_progress import WalkProgress
from toile.core.errors import ToileError
from toile.core.records import Body, Motion, Pattern
from toile.fit.size import fitted_size, stepped_size
from toile.garment.from_mesh import MeshGarment
from toile.motion.avatar_clip import KEY as ORIGIN
from toile.motion.avatar_clip import avatar_track
from toile.motion.cycle import as_loop
from toile.motion.library import MOTIONS, read_motion
from toile.motion.track import Track
from toile.sim.dress.dress import dress
from toile.sim.method import make_method
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.layer_over import dress_over
from toile.sim.walk.loop import close_loop, closure_in, loop_plan
from toile.sim.walk.stream import branch_walk, is_walk, plan_in, record_walk, resume_walk
from toile.sim.walk.walker import AnimateSettings
from toile.store.record import RecordedFile

RESULT = "walk.toile"


def add_walk(commands: Commands) -> None:
    """Add ``toile walk``."""
    parser = commands.add_parser(
        "walk",
        help="dress a body and let it move",
        description="Sews patterns on a body, simulates them while it moves and audits each frame. "
        "The recording grows and can be read meanwhile; --resume goes on where a walk was stopped. "
        "The exit code is 1 when a frame fails the audit; the results are written all the same.",
        epilog="example: toile walk skirt.txt shirt.txt --motion walk --seconds 4 --fps 60 -o look.toile",
    )
    add_wearing(parser, nargs="*", body=None)
    add = parser.add_argument
    add("--fabric", metavar="NAME[,NAME]", help="of all garments, or of each (default: cotton)")
    add("--edge", type=length, metavar="1.5cm", help="edge length of the mesh (default: 1.5cm)")
    add("--motion", metavar="NAME|FILE", help=f"{', '.join(MOTIONS)}, or a motion file (default: walk)")
    add(
        "--seconds",
        type=float,
        metavar="S",
        help="length of the recording (default: 4, or an avatar's own clip)",
    )
    add("--fps", type=float, metavar="N", help="frames a second (default: 60, or as an avatar's own clip)")
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
    watch = WalkProgress()
    if options.loop and (options.over or options.from_frame is not None):
        raise ToileError("--loop: a walk over another one, or another wind from a frame on, has no loop")
    if options.resume and target.exists():
        check_same(target, options)
        if not _is_closed(target):
            kept = resume_walk(target, watch=watch)
            print(f"went on after frame {kept} of {target}", file=sys.stderr)
    elif options.from_frame is not None:
        _branch(target, options, watch)
    elif options.source is not None:
        _again(target, options, watch)
    elif options.over is not None:
        _wear_over(target, options, watch)
    else:
        _begin(target, options, watch)
    watch.finish()
    _close(target)
    with RecordedFile(target) as recorded:
        rows = audit_rows(recorded)
        print("\n".join(report(rows, recorded.garment.particle_count)))
    if target in outputs:
        tell_written([target])
    write_results(target, [path for path in outputs if path != target], options.smooth)
    return CHECK_FAILED if any(row["problems"] for _, row in rows) else 0


def _is_closed(target: Path) -> bool:
    """Return whether a recording is a loop already."""
    with RecordedFile(target) as recorded:
        return closure_in(recorded.settings) is not None


def _close(target: Path) -> None:
    """Make a loop of a walk that was meant to become one, and tell how well it closes."""
    with RecordedFile(target) as recorded:
        seam, plan = closure_in(recorded.settings), plan_in(recorded) if is_walk(recorded) else None
    if plan is not None and plan.loop_frames:
        seam = close_loop(target, target, plan)
    if seam is not None:
        print("\n".join(seam.lines()))


def _begin(target: Path, options: argparse.Namespace, watch: WalkProgress) -> None:
    """Dress and walk from the start."""
    if not options.patterns:
        raise ToileError("nothing to wear: name a pattern file (or --resume -o FILE.toile)")
    _refuse_unfinished(target)
    asked = asked_for(options)
    options.body = asked["body"]
    body = body_of(options)
    _dress_and_walk(target, asked, body, garments_of(options, body), method_of(options), watch, options.mesh)


def _again(target: Path, options: argparse.Namespace, watch: WalkProgress) -> None:
    """Walk once more in the garments of a recording, with what is asked for anew: size, body, fabric …"""
    if options.patterns:
        raise ToileError(
            "--from: the garments come from the recording; leave the patterns out (or say --over)"
        )
    _refuse_unfinished(target)
    with RecordedFile(options.source) as recorded:
        plan_in(recorded)
        patterns, body = recorded.garment.patterns, recorded.body
        before: Mapping[str, Any] = dict(recorded.settings.get("asked") or {})
    for name in DEFAULTS:
        if getattr(options, name) is None and name in before:
            setattr(options, name, before[name])
    asked = {**asked_for(options), "from": Path(options.source).name}
    assert body is not None
    if options.body is not None and options.body != before.get("body"):
        body = body_of(options)
    sized = [_resized(pattern, body, options.size) for pattern in patterns]
    _dress_and_walk(target, asked, body, sized, method_of(options), watch, options.mesh)


def _resized(pattern: Pattern, body: Body, size: str) -> Pattern:
    """Return a recorded pattern in another size: auto, +1, -2."""
    if not size:
        return pattern
    if size != AUTO and not re.fullmatch(r"[+-]?\d{1,2}", size):
        raise ToileError(f"--size {size[:20]}: a recorded garment is graded by +1, -2 … sizes, or auto")
    fitted = fitted_size(pattern, body) if size == AUTO else stepped_size(pattern, body, int(size))
    print(f"size: {fitted.reason}")
    return fitted.pattern


def _dress_and_walk(
    target: Path,
    asked: Mapping[str, Any],
    body: Body,
    patterns: Sequence[Pattern | MeshGarment],
    chosen: dict[str, Any],
    watch: WalkProgress,
    mesh: str,
) -> None:
    settings = AnimateSettings(fps=asked["fps"], seconds=asked["seconds"] or 1.0, skinning=asked["skinning"])
    motion, told = _motion(asked, body)
    progress = Progress()
    dressed = dress(
        patterns, body, fabric=fabrics(asked["fabric"]), edge_length=asked["edge"],
        mesh=mesh, progress=progress, **chosen,
    )  # fmt: skip
    progress.finish()
    tell_notes(dressed.settings["notes"])
    plan = plan_walk(
        dressed, body, motion, settings=settings, method=make_method(**chosen), wind=np.array(asked["wind"])
    )
    if asked["loop"]:
        cycle = (plan.track.frame_count - 1) / settings.fps
        plan = loop_plan(plan, max(1, round(asked["seconds"] / cycle)))
    record_walk(
        target, dressed.garment, body, plan,
        settings={**dressed.settings, **told, "motion": motion.name, "asked": asked},
        step=asked["rounding"] or None, watch=watch,
    )  # fmt: skip


def _motion(asked: Mapping[str, Any], body: Body) -> tuple[Motion | Track, dict[str, Any]]:
    """Return how the body moves, and what the recording keeps about where it came from."""
    if goes_its_own_way(asked):
        track, origin = avatar_track(asked["motion"], body, fps=asked["fps"])
        return track, {ORIGIN: origin.settings()}
    motion = read_motion(asked["motion"])
    return (as_loop(motion) if asked["loop"] else motion), {}


def _wear_over(target: Path, options: argparse.Namespace, watch: WalkProgress) -> None:
    """Wear more garments over a recorded walk."""
    given = [name for name in ("body", "motion", "fps", "wind") if getattr(options, name) is not None]
    if not options.patterns or given:
        raise ToileError(
            f"--over: name patterns, without --{given[0] if given else 'resume'}: the walk has it"
        )
    _refuse_unfinished(target)
    asked = asked_for(options)
    with RecordedFile(options.over) as recorded:
        plan, body = plan_in(recorded), recorded.body
        assert body is not None
        patterns = patterns_worn(options, body, options.patterns)
        progress = Progress()
        garment, plan, notes = dress_over(
            recorded, plan, patterns, fabric=fabrics(asked["fabric"]),
            edge_length=asked["edge"], progress=progress,
        )  # fmt: skip
        progress.finish()
        tell_notes(notes)
        if options.seconds is not None:
            plan = replace(plan, settings=replace(plan.settings, seconds=options.seconds))
        notes = [*recorded.settings.get("notes", []), *notes]
        settings = {**recorded.settings, "notes": notes, "asked": asked, "over": Path(options.over).name}
    record_walk(target, garment, body, plan, settings=settings, step=asked["rounding"] or None, watch=watch)


def _branch(target: Path, options: argparse.Namespace, watch: WalkProgress) -> None:
    """Take over a recorded walk and let another wind blow from a frame on."""
    if options.source is None or options.wind is None or options.patterns:
        raise ToileError("--from-frame: say --from FILE.toile --from-frame N --wind 5m/s, without patterns")
    if target.exists() and target.samefile(options.source):
        raise ToileError(f"{target}: choose another name than the walk that is taken over")
    _refuse_unfinished(target)
    changed = {"from": Path(options.source).name, "from_frame": options.from_frame or 0, "wind": options.wind}
    branch_walk(
        options.source, target, options.from_frame or 0, np.array(options.wind),
        settings={"changed": changed}, watch=watch,
    )  # fmt: skip


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
