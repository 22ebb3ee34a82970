"""``toile walk``: simulates into a growing recording, with a live line; goes on where it was stopped."""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from toile.body.skin import METHODS
from toile.cli.common import (
    AUTO,
    Commands,
    Progress,
    add_garments,
    add_method_options,
    add_reading_options,
    body_of,
    check_output,
    garments_of,
    length,
    method_of,
    patterns_worn,
)
from toile.errors import ToileError
from toile.export import export
from toile.garment.from_mesh import Worn
from toile.garment.size import fitted_size, stepped_size
from toile.motion import MOTIONS, read_motion
from toile.run.animate import plan_walk
from toile.run.dress import dress
from toile.run.method import COLLIDER, SOLVER, make_method
from toile.run.over import dress_over
from toile.run.record import RecordedFile
from toile.run.stream import (
    Moment,
    audit_rows,
    branch_walk,
    is_walk,
    plan_in,
    record_walk,
    report,
    resume_walk,
)
from toile.run.walker import AnimateSettings
from toile.types import Body, Pattern

DEFAULTS: Mapping[str, Any] = {
    "body": "woman",
    "fabric": "cotton",
    "edge": 0.015,
    "motion": "walk",
    "seconds": 4.0,
    "fps": 60.0,
    "skinning": "linear",
    "wind": (0.0, 0.0, 0.0),
    "rounding": 0.0,
}
"""what is taken where nothing is asked for; an interrupted walk keeps what it was begun with"""


def add_walk(commands: Commands) -> None:
    """Add ``toile walk``."""
    parser = commands.add_parser(
        "walk",
        help="dress a body and let it move",
        description="Sews patterns on a body, simulates them while it moves and audits each frame. "
        "The recording grows and can be read meanwhile; --resume goes on where a walk was stopped.",
        epilog="example: toile walk shirt.txt skirt.txt --motion walk --seconds 4 --fps 60 -o look.toile",
    )
    add_garments(parser, nargs="*")
    add = parser.add_argument
    add("--body", metavar="FILE|woman|man", help="who wears it (default: woman)")
    add("--fabric", metavar="NAME[,NAME]", help="of all garments, or of each (default: cotton)")
    add("--edge", type=length, metavar="1.5cm", help="edge length of the mesh (default: 1.5cm)")
    add("--motion", metavar="NAME|FILE", help=f"{', '.join(MOTIONS)}, or a motion file (default: walk)")
    add("--seconds", type=float, metavar="S", help="length of the recording (default: 4)")
    add("--fps", type=float, metavar="N", help="frames a second (default: 60)")
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
    add("-o", "--output", action="append", default=[], metavar="FILE", help="default: walk.toile")
    add_method_options(parser)
    add_reading_options(parser)
    parser.set_defaults(run=run_walk)


def wind(text: str) -> tuple[float, float, float]:
    """Return the air's velocity [m/s] from 3m/s (against a person who faces +z) or three numbers."""
    try:
        numbers = [float(word) for word in text.removesuffix("m/s").split(",")]
        if len(numbers) not in (1, 3) or not np.isfinite(numbers).all() or max(map(abs, numbers)) > 100:
            raise ValueError
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a wind: write a number of m/s, such as 3m/s, or three, such as 1,0,-3"
        ) from error
    x, y, z = numbers if len(numbers) == 3 else (0.0, 0.0, -numbers[0])
    return (x, y, z)


class WalkProgress:
    """The live line of a walk: frames, speed, stretch, contacts, time left. Quiet where no one watches."""

    def __init__(self, interval: float = 0.25) -> None:
        self._live = sys.stderr.isatty()
        self._interval = interval if self._live else 20.0
        self._shown = self._start = time.monotonic()
        self._first: int | None = None

    def __call__(self, moment: Moment) -> None:
        """Show a moment, if the last one was shown long enough ago."""
        now = time.monotonic()
        if self._first is None:
            self._first, self._start = moment.number, now
        if now - self._shown < self._interval:
            return
        self._shown = now
        text = self.line(moment, now)
        print(f"\r\x1b[K{text}" if self._live else text, end="" if self._live else "\n", file=sys.stderr)
        sys.stderr.flush()

    def line(self, moment: Moment, now: float) -> str:
        """Return what the line says at a time of the clock [s]."""
        first = moment.number if self._first is None else self._first
        speed = max(moment.number - first, 0) / max(now - self._start, 1e-6)
        left = (moment.count - 1 - moment.number) / speed if speed else None
        words = [f"frame {moment.number + 1}/{moment.count}" if moment.number >= 0 else "lead-in"]
        words.append(f"{speed:.1f} fps")
        if moment.audit is not None:
            a = moment.audit
            words.append(f"stretch {a.stretch.mean:.1%} (99 %: {a.stretch.percentile_99:.1%})")
            crossing = a.body_pairs + a.self_pairs + a.layer_pairs
            words.append(f"{moment.walker.touching()} contacts, {crossing} crossing")
        if left is not None:
            words.append(f"{int(left) // 60}:{int(left) % 60:02d} left")
        return "walking  " + "  ".join(words)

    def finish(self) -> None:
        """Clear the line."""
        print("\r\x1b[K" if self._live else "", end="", file=sys.stderr, flush=True)


def run_walk(options: argparse.Namespace) -> int:
    """Dress, walk, audit, write."""
    outputs = [check_output(path) for path in options.output or ["walk.toile"]]
    target = next((path for path in outputs if path.suffix.lower() == ".toile"), None)
    if options.resume and target is None:
        raise ToileError("--resume: name the .toile recording to go on with: -o look.toile")
    if target is not None:
        return _walk_into(target, outputs, options)
    # nobody asked for the recording: it is kept beside the results until they are written
    with tempfile.TemporaryDirectory(prefix=".toile", dir=outputs[0].absolute().parent) as folder:
        return _walk_into(Path(folder) / "walk.toile", outputs, options)


def _walk_into(target: Path, outputs: list[Path], options: argparse.Namespace) -> int:
    watch = WalkProgress()
    if options.resume and target.exists():
        _check_same(target, options)
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
    with RecordedFile(target) as recorded:
        print("\n".join(report(audit_rows(recorded), recorded.garment.particle_count)))
    for path in outputs:
        if path != target:
            export(target, path)
        print(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
    return 0


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
    patterns: Sequence[Pattern | Worn],
    chosen: dict[str, Any],
    watch: WalkProgress,
    mesh: str,
) -> None:
    settings = AnimateSettings(fps=asked["fps"], seconds=asked["seconds"], skinning=asked["skinning"])
    motion = read_motion(asked["motion"])
    progress = Progress()
    dressed = dress(
        patterns, body, fabric=fabrics(asked["fabric"], len(patterns)), edge_length=asked["edge"],
        mesh=mesh, progress=progress, **chosen,
    )  # fmt: skip
    progress.finish()
    plan = plan_walk(
        dressed, body, motion, settings=settings, method=make_method(**chosen), wind=np.array(asked["wind"])
    )
    record_walk(
        target, dressed.garment, body, plan,
        settings={**dressed.settings, "motion": motion.name, "asked": asked},
        step=asked["rounding"] or None, watch=watch,
    )  # fmt: skip


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
        garment, plan = dress_over(
            recorded, plan, patterns, fabric=fabrics(asked["fabric"], len(patterns)),
            edge_length=asked["edge"], progress=progress,
        )  # fmt: skip
        progress.finish()
        if options.seconds is not None:
            plan = replace(plan, settings=replace(plan.settings, seconds=options.seconds))
        settings = {**recorded.settings, "asked": asked, "over": Path(options.over).name}
    record_walk(target, garment, body, plan, settings=settings, step=asked["rounding"] or None, watch=watch)


def fabrics(text: str, count: int) -> str | list[str]:
    """Return one fabric for all garments, or one for each."""
    names = [word.strip() for word in text.split(",")]
    if len(names) == 1:
        return names[0]
    if len(names) != count:
        raise ToileError(
            f"--fabric names {len(names)} fabrics for {count} garments: give one, or one for each"
        )
    return names


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


def asked_for(options: argparse.Namespace) -> dict[str, Any]:
    """Return all that was asked for, defaults filled in, as JSON; files by name and content."""
    asked = {name: getattr(options, name) for name in DEFAULTS}
    filled = {name: DEFAULTS[name] if value is None else value for name, value in asked.items()}
    filled["wind"] = list(filled["wind"])
    return {
        **filled,
        "size": options.size,
        "mesh": options.mesh,
        "method": method_of(options),
        "units": options.units,
        "patterns": [_fingerprint(path) for path in options.patterns],
        "motion_file": _fingerprint(filled["motion"]),
        "body_file": _fingerprint(filled["body"]),
    }


def _fingerprint(path: str) -> str:
    """Return a file's name and checksum; the word itself where there is no such file."""
    try:
        return f"{Path(path).name} {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"
    except OSError:
        return path


def _check_same(target: Path, options: argparse.Namespace) -> None:
    """Refuse to go on with a walk that was begun with something else than what is asked for now."""
    with RecordedFile(target) as recorded:
        begun = recorded.settings.get("asked")
    if not isinstance(begun, dict):
        return
    now = asked_for(options)
    given = {name for name in DEFAULTS if getattr(options, name) is not None}
    given |= {"patterns"} if options.patterns else set()
    if now["method"] != {"solver": SOLVER, "collider": COLLIDER, "tune": {}}:
        given |= {"method"}
    given |= {f"{name}_file" for name in given & {"motion", "body"}}
    for name in sorted(given):
        if now[name] != begun.get(name):
            word = "round" if name == "rounding" else name.removesuffix("_file")
            raise ToileError(
                f"{target} was begun with another {word} ({str(begun.get(name))[:60]}): "
                "leave the option out, or write to another file"
            )


COMMANDS = (add_walk,)
