"""``toile motion``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from toile.cli.common import Commands, add_body_option, add_bones_option, body_of
from toile.cli.talk import check_new
from toile.cli.words import angle, length
from toile.core.errors import ToileError
from toile.core.records import Body
from toile.export.gltf_motion import write_body_glb
from toile.motion.files.bvh import write_bvh
from toile.motion.library import MOTIONS, read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import Track, motion_of
from toile.render.strip import motion_strip

SETTINGS: dict[str, tuple[Callable[[str], float], str, str]] = {
    "cadence": (float, "100", "steps a minute"),
    "stride": (length, "1.2m", "two steps of a person of 1.75 m"),
    "arm_swing": (float, "1", "1 is usual, 0 none"),
    "hip_sway": (float, "1", "1 is usual, 0 none"),
    "heading": (angle, "30deg", "direction, to the left of ahead"),
    "step_width": (length, "8cm", "between the lines of the feet"),
}
"""of walking and running: how they are written and what they mean; see toile.motion.synthesis.gait.walk"""

LINES = {
    "foot_slide": ("feet slide at most", 1000, "mm"),
    "floor_depth": ("feet under the floor", 1000, "mm"),
    "floor_hover": ("standing feet over it", 1000, "mm"),
    "arm_depth_before": ("arms in the trunk before", 1000, "mm"),
    "arm_depth": ("arms in the trunk now", 1000, "mm"),
    "arm_turn": ("arms turned outward by", 1, "°"),
    "thigh_depth": ("thighs in each other", 1000, "mm"),
    "thigh_spread": ("thighs spread by", 1, "°"),
    "hip_least": ("hips bend from", 1, "°"),
    "hip_most": ("hips bend to", 1, "°"),
    "knee_least": ("knees bend from", 1, "°"),
    "knee_most": ("knees bend to", 1, "°"),
    "ankle_least": ("ankles bend from", 1, "°"),
    "ankle_most": ("ankles bend to", 1, "°"),
    "elbow_most": ("elbows bend to", 1, "°"),
    "joint_excess": ("beyond what joints can do", 1, "°"),
    "scale": ("travel scaled by", 1, ""),
}
"""number in the report → (words, factor, unit)"""


def add_motion(commands: Commands) -> None:
    """Add ``toile motion``."""
    parser = commands.add_parser(
        "motion",
        description=f"Puts a motion on a body: {', '.join(MOTIONS)}, or a .bvh, .npz, .glb or .vrm file. "
        "Ours can be tuned: toile motion walk --cadence 100 --stride 1.2m --body woman -o slow.bvh.",
        epilog="example: toile motion walk.bvh --body me.toile --picture strip.png -o me_walking.glb",
    )
    parser.add_argument("motion", metavar="NAME|FILE")
    add_body_option(parser)
    for name, (read, usual, meaning) in SETTINGS.items():
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=read, metavar=usual, help=f"of our own walk or run: {meaning}")
    add_bones_option(parser)
    parser.add_argument(
        "--fps", type=float, metavar="N", help="frames per second (default: the motion's own)"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".bvh or .glb (the skinned body with its clip)"
    )
    parser.add_argument("--picture", metavar="FILE", help=".png with the body in several poses")
    parser.set_defaults(run=run_motion)


def run_motion(options: argparse.Namespace) -> int:
    """Retarget, tell, write."""
    if options.fps is not None and not 5.0 <= options.fps <= 240.0:
        raise ToileError(f"--fps {options.fps:g}: give 5 to 240 frames per second")
    ending = Path(options.output).suffix.lower() if options.output else ""
    if options.output and ending not in (".bvh", ".glb"):
        raise ToileError(f"{options.output}: motions are written as .bvh or .glb: change the ending")
    for path in filter(None, (options.output, options.picture)):
        check_new(path)
    settings = {name: value for name in SETTINGS if (value := getattr(options, name)) is not None}
    body = body_of(options)
    track = retarget(read_motion(options.motion, bones=options.bones, **settings), body, options.fps)
    if ending == ".bvh":
        write_bvh(motion_of(body, track), options.output)
    elif ending == ".glb":
        write_body_glb(body, track, options.output)
    if options.picture:
        motion_strip(body, track, options.picture)
    print(describe(body, track))
    for path in (options.output, options.picture):
        if path:
            print(f"wrote {path}")
    return 0


def describe(body: Body, track: Track) -> str:
    """Return what was done, in words and numbers."""
    loop = ", a loop" if track.loop else ""
    lines = [f"{track.name} on {body.name}: {track.frame_count} frames, {track.duration:.2f} s{loop}"]
    for key, (words, factor, unit) in LINES.items():
        if key in track.report:
            lines.append(f"  {words:<26}{factor * track.report[key]:8.2f} {unit}".rstrip())
    return "\n".join(lines)


COMMANDS = (add_motion,)
