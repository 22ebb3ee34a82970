"""After reading a motion file: metres, y up, no calibration frame, unit quaternions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from toile.body.avatar.bone_names import Bones, find_bones, renamed
from toile.core.records import Floats, Ints, Motion
from toile.geometry.rotation import (
    continuous,
    inverse,
    multiply,
    normalise,
    rotate,
    shortest_rotation,
    to_vector,
    yaw,
)
from toile.motion.kinematics import joint_positions, rest_positions

UNITS = {"m": 1.0, "cm": 0.01, "inch": 0.0254, "mm": 0.001, "foot": 0.3048, "CMU": 0.0254 / 0.45}
"""metres in a unit; CMU's motions come from ASF files whose length unit is 0.45 to the inch"""

LEG_SHARE = 0.49
"""hip joint to ankle as a share of stature (Winter 2009, segment lengths after Drillis and Contini)"""


def guess_unit(names: Sequence[str], parents: Ints, offsets: Floats, source: str = "motion") -> float:
    """Return metres per file unit, from how tall the skeleton is; 1.70 m where no usual unit fits."""
    bones = find_bones(names, [int(p) for p in parents], source=source)
    stature = leg_length(bones, rest_positions(parents, offsets)) / LEG_SHARE
    if stature < 1e-9:
        return 1.0
    fitting = [metres for metres in UNITS.values() if 1.3 < stature * metres < 2.2]
    return fitting[0] if fitting else 1.70 / stature


def leg_length(bones: Bones, position: Floats) -> float:
    """Return the mean length of thigh and shin [unit of position (j, 3)]."""
    total = 0.0
    for side in ("left", "right"):
        hip, knee, ankle = (position[bones.limbs[f"{side}_{part}"]] for part in ("thigh", "shin", "foot"))
        total += float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
    return 0.5 * total


def prepare_motion(
    motion: Motion, *, unit: float | None = None, table: Mapping[str, str] | None = None
) -> Motion:
    """Return the motion in metres, y up, with continuous quaternions and without a calibration frame."""
    source = motion.source or motion.name
    motion = replace(motion, names=tuple(renamed(motion.names, table or {}, source)))
    bones = find_bones(motion.names, motion.parents.tolist(), source=source)
    if unit is None:
        unit = guess_unit(motion.names, motion.parents, motion.offsets, source)
    start = 1 if _starts_with_calibration(motion.rotations) else 0
    scaled = replace(
        motion,
        offsets=motion.offsets * unit,
        tails=motion.tails * unit,
        rotations=continuous(normalise(np.asarray(motion.rotations[start:]))),
        translation=motion.translation[start:] * unit,
    )
    return _stand_up(scaled, bones)


def _starts_with_calibration(rotations: Floats) -> bool:
    """Say whether the first frame is a T-pose that jumps to the real motion, as in many archives."""
    if len(rotations) < 12:
        return False
    step = to_vector(multiply(inverse(rotations[:-1]), rotations[1:]))
    angle = np.linalg.norm(step, axis=-1).max(axis=-1)
    return bool(angle[0] > 0.3 and angle[0] > 5.0 * angle[1:11].max())


def _stand_up(motion: Motion, bones: Bones) -> Motion:
    """Turn the world so that y is up: the axis along which the trunk points most of the time."""
    top = bones.neck[-1] if bones.neck else bones.spine[-1] if bones.spine else -1
    if top < 0:
        return motion
    position = joint_positions(motion)
    trunk = (position[:, top] - position[:, bones.hips]).mean(axis=0)
    trunk = trunk / max(float(np.linalg.norm(trunk)), 1e-9)
    axis = int(np.argmax(np.abs(trunk)))
    if axis == 1 or abs(trunk[axis]) < 0.8:
        return motion
    up = np.sign(trunk[axis]) * np.eye(3)[axis]
    rotation = shortest_rotation(up, np.array([0.0, 1.0, 0.0]))
    translation = rotate(rotation, motion.translation)
    rest_top = rest_positions(motion.parents, motion.offsets - motion.offsets[0])[top]
    if abs(rest_top[axis]) < 0.5 * np.linalg.norm(rest_top):
        # the rest pose stands y up; only the recorded world lies on its side
        rotations = np.array(motion.rotations)
        rotations[:, 0] = multiply(rotation, rotations[:, 0])
        return replace(motion, rotations=rotations, translation=translation)
    # turning world and rest pose alike keeps "identity is the rest pose"
    return replace(
        motion,
        rotations=multiply(multiply(rotation, motion.rotations), inverse(rotation)),
        offsets=rotate(rotation, motion.offsets),
        tails=rotate(rotation, motion.tails),
        translation=translation,
    )


def start_here(motion: Motion) -> Motion:
    """Return the motion moved along the floor so that it starts at the origin, facing +z."""
    bones = find_bones(motion.names, motion.parents.tolist(), source=motion.source or motion.name)
    at = joint_positions(motion)
    first = at[: max(round(0.3 * motion.fps), 1)]
    left = (first[:, bones.limbs["left_thigh"]] - first[:, bones.limbs["right_thigh"]]).mean(axis=0)
    # ahead is left × up
    rotation = yaw(-np.arctan2(-left[2], left[0]))
    rotations = np.array(motion.rotations)
    rotations[:, 0] = multiply(rotation, rotations[:, 0])
    start = at[0, bones.hips] * np.array([1.0, 0.0, 1.0])
    return replace(motion, rotations=rotations, translation=rotate(rotation, motion.translation - start))
