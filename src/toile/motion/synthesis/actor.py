"""The person who acts our own motions: 1.75 m tall, upright at rest, arms hanging.

Segment lengths are shares of stature after Drillis and Contini 1966, as printed in Winter 2009.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from toile.core.records import Floats, Motion
from toile.geometry.rotation import continuous, from_axis_angle, inverse, multiply, normalise

STATURE = 1.75
THIGH, SHIN, ANKLE, FOOT = (share * STATURE for share in (0.245, 0.246, 0.039, 0.152))
HIP_HALF = 0.048 * STATURE
SHOULDER_HALF = 0.105 * STATURE
HIP_HEIGHT = ANKLE + SHIN + THIGH

X, Y, Z = np.eye(3)

# name: (parent, offset from the parent [m])
_TREE: dict[str, tuple[str, tuple[float, float, float]]] = {
    "Hips": ("", (0.0, HIP_HEIGHT + 0.03, 0.0)),
    "Spine": ("Hips", (0.0, 0.09, -0.01)),
    "Spine1": ("Spine", (0.0, 0.13, 0.0)),
    "Spine2": ("Spine1", (0.0, 0.14, 0.0)),
    "Neck": ("Spine2", (0.0, 0.16, 0.0)),
    "Head": ("Neck", (0.0, 0.09, 0.01)),
}
for _side, _sign in (("Left", 1.0), ("Right", -1.0)):
    _TREE |= {
        f"{_side}Shoulder": ("Spine2", (_sign * 0.03, 0.10, 0.0)),
        f"{_side}Arm": (f"{_side}Shoulder", (_sign * (SHOULDER_HALF - 0.03), 0.0, 0.0)),
        f"{_side}ForeArm": (f"{_side}Arm", (0.0, -0.186 * STATURE, 0.0)),
        f"{_side}Hand": (f"{_side}ForeArm", (0.0, -0.146 * STATURE, 0.0)),
        f"{_side}UpLeg": ("Hips", (_sign * HIP_HALF, -0.03, 0.0)),
        f"{_side}Leg": (f"{_side}UpLeg", (0.0, -THIGH, 0.0)),
        f"{_side}Foot": (f"{_side}Leg", (0.0, -SHIN, 0.0)),
        f"{_side}ToeBase": (f"{_side}Foot", (0.0, -ANKLE + 0.015, 0.68 * FOOT)),
    }

NAMES = tuple(_TREE)
PARENTS = np.array([NAMES.index(parent) if parent else -1 for parent, _ in _TREE.values()], dtype=np.int32)
OFFSETS = np.array([offset for _, offset in _TREE.values()])
_ENDS = {
    "Head": (0.0, 0.2, 0.0),
    "LeftToeBase": (0.0, -0.01, 0.06),
    "RightToeBase": (0.0, -0.01, 0.06),
    "LeftHand": (0.0, -0.18, 0.0),
    "RightHand": (0.0, -0.18, 0.0),
}
TAILS = np.array(
    [_ENDS.get(name, next((tuple(OFFSETS[i]) for i, p in enumerate(PARENTS) if p == j), (0.0, 0.0, 0.0)))
     for j, name in enumerate(NAMES)]
)  # fmt: skip

HEEL = np.array([0.0, -ANKLE, -0.25 * FOOT])
BALL = np.array([0.0, -ANKLE, 0.68 * FOOT])
"""points of the sole relative to the ankle [m]"""

SIGN = {"Left": 1.0, "Right": -1.0}


def rotation_x(angle: Floats) -> Floats:
    """Return turns by angle [rad] about x (to the left): positive pitches forward what is above."""
    return from_axis_angle(X, angle)


def rotation_y(angle: Floats) -> Floats:
    """Return turns by angle [rad] about y: positive turns to the left."""
    return from_axis_angle(Y, angle)


def rotation_z(angle: Floats) -> Floats:
    """Return turns by angle [rad] about z: positive lifts the left side."""
    return from_axis_angle(Z, angle)


def make_motion(
    name: str,
    fps: float,
    world: Mapping[str, Floats],
    local: Mapping[str, Floats],
    hips: Floats,
    *,
    loop: bool = True,
    source: str = "",
) -> Motion:
    """Return the motion from world turns of some joints, local turns of others (f, 4); the rest are still."""
    frames = len(hips)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, len(NAMES), 1))
    globes = np.array(rotations)
    for joint, joint_name in enumerate(NAMES):
        parent = PARENTS[joint]
        above = globes[:, parent] if parent >= 0 else rotations[:, 0]
        if joint_name in world:
            globes[:, joint] = world[joint_name]
            rotations[:, joint] = (
                multiply(inverse(above), world[joint_name]) if parent >= 0 else world[joint_name]
            )
        else:
            rotations[:, joint] = local.get(joint_name, rotations[:, joint])
            globes[:, joint] = multiply(above, rotations[:, joint]) if parent >= 0 else rotations[:, joint]
    rotations = continuous(normalise(rotations))
    return Motion(name, fps, NAMES, PARENTS, OFFSETS, TAILS, rotations, hips, loop, source)
