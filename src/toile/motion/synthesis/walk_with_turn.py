"""A walk with a bend on the way, while the arms cross before the body: a hard test for clothes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Motion
from toile.geometry.rotation import continuous, multiply, rotate, slerp, yaw
from toile.motion.synthesis.actor import NAMES, SIGN, rotation_x, rotation_y, rotation_z
from toile.motion.synthesis.gait import walk
from toile.motion.track import unroll

CROSSED = {"Left": (52.0, 8.0, 92.0, 62.0), "Right": (34.0, 8.0, 84.0, 62.0)}
"""flexion, abduction and inward turn of the upper arm, bend of the elbow [degrees]; the left arm is above"""


def walk_with_turn(*, seconds: float = 10.0, angle: float = 180.0, fps: float = 60.0) -> Motion:
    """Return walking ahead, through a bend of some degrees to the left, on; meanwhile the arms cross.

    The bend takes the middle part of the time, the arms are crossed in the third quarter.
    """
    if not (3.0 <= seconds <= 120.0 and abs(angle) <= 720.0):
        raise ToileError("a walk with a turn takes 3 to 120 s and a bend of at most 720°")
    stride = walk(fps=fps)
    long = unroll(stride, int(np.ceil(seconds / stride.duration)) + 1)
    count = round(seconds * long.fps) + 1
    share = np.arange(count) / (count - 1)
    rotations = np.array(long.rotations[:count])
    heading = np.radians(angle) * _ease(share, 0.28, 0.62)
    rotations[:, 0] = multiply(_yaws(heading), rotations[:, 0])
    crossed = _ease(share, 0.50, 0.62) - _ease(share, 0.78, 0.90)
    _cross_arms(rotations, crossed)
    path = _bent(long.translation[:count], heading)
    return replace(
        long, name="tour", rotations=continuous(rotations), translation=path, loop=False, source="our own"
    )


def _ease(share: Floats, start: float, end: float) -> Floats:
    """Return a value that goes from 0 to 1 between two shares, with zero speed at both."""
    t = np.clip((share - start) / (end - start), 0.0, 1.0)
    return np.asarray(t**3 * (10 - 15 * t + 6 * t**2))


def _yaws(angle: Floats) -> Floats:
    return np.stack([yaw(float(a)) for a in angle])


def _bent(path: Floats, heading: Floats) -> Floats:
    """Return a straight path (f, 3) whose steps are turned to the heading (f,) [rad]."""
    step = np.diff(path, axis=0) * [1.0, 0.0, 1.0]
    middle = 0.5 * (heading[1:] + heading[:-1])
    bent = np.concatenate([path[:1], path[:1] + np.cumsum(rotate(_yaws(middle), step), axis=0)])
    bent[:, 1] = path[:, 1]
    return bent


def _cross_arms(rotations: Floats, crossed: Floats) -> None:
    """Turn the arms from where they are to before the chest, by a share (f,)."""
    for side, (flex, out, inward, elbow) in CROSSED.items():
        sign = SIGN[side]
        flat = np.zeros(len(rotations))
        aside = multiply(rotation_z(flat + sign * np.radians(out)), rotation_x(flat - np.radians(flex)))
        goal = {
            f"{side}Arm": multiply(aside, rotation_y(flat - sign * np.radians(inward))),
            f"{side}ForeArm": rotation_x(flat - np.radians(elbow)),
        }
        for name, rotation in goal.items():
            joint = NAMES.index(name)
            rotations[:, joint] = slerp(rotations[:, joint], rotation, crossed)
