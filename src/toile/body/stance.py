"""The rest pose: a clean A-pose, the feet on the floor."""

from __future__ import annotations

import numpy as np

from toile.body.data import Rig, Template
from toile.body.skeleton import descendants, joint_frames, swing
from toile.types import Floats, Skeleton

ARM_DOWN = np.radians(45.0)
"""angle of the arms below the horizontal"""
LEG_OUT = np.radians(6.0)
"""angle of the legs from the vertical: thighs stay apart"""


def stand(template: Template, skin: Floats, points: Floats) -> tuple[Floats, dict[str, Skeleton]]:
    """Return the skin in the rest pose [m] and the skeletons there, from the template's own pose."""
    rig = template.rigs["cmu_mb"]
    turned = _turns(rig, points[rig.heads], points[rig.tails])
    posed = _blend(skin, rig, turned)
    lift = np.array([0.0, -posed[:, 1].min(), 0.0])
    skeletons = {"cmu_mb": _skeleton(rig, points, turned, lift)}
    return posed + lift, skeletons


def _turns(rig: Rig, heads: Floats, tails: Floats) -> Floats:
    """Return the transform of each joint from the template's pose to the A-pose, (j, 4, 4)."""
    turned = np.tile(np.eye(4), (len(heads), 1, 1))
    down, out = np.sin(ARM_DOWN), np.cos(ARM_DOWN)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        arm = np.array([sign * out, -down, 0.0])
        leg = np.array([sign * np.sin(LEG_OUT), -np.cos(LEG_OUT), 0.0])
        for names, wanted in ((("Arm", "ForeArm", "Hand"), arm), (("UpLeg", "Leg"), leg)):
            for name in names:
                _aim(rig, turned, heads, tails, side + name, wanted)
        _level(rig, turned, heads, side + "Foot")
    return turned


def _aim(rig: Rig, turned: Floats, heads: Floats, tails: Floats, name: str, wanted: Floats) -> None:
    """Turn one bone, and all that hangs on it, to a direction."""
    joint = rig.names.index(name)
    now = turned[joint, :3, :3] @ (tails[joint] - heads[joint])
    _turn(rig, turned, heads, joint, swing(now, wanted))


def _level(rig: Rig, turned: Floats, heads: Floats, name: str) -> None:
    """Turn a foot back to how it stood."""
    joint = rig.names.index(name)
    _turn(rig, turned, heads, joint, turned[joint, :3, :3].T.copy())


def _turn(rig: Rig, turned: Floats, heads: Floats, joint: int, rotation: Floats) -> None:
    centre = turned[joint, :3, :3] @ heads[joint] + turned[joint, :3, 3]
    motion = np.eye(4)
    motion[:3, :3] = rotation
    motion[:3, 3] = centre - rotation @ centre
    below = descendants(rig.parents, joint)
    turned[below] = motion @ turned[below]


def _blend(skin: Floats, rig: Rig, turned: Floats) -> Floats:
    """Linear blend skinning with NumPy only: the network is trained before the kernels are built."""
    blended = (rig.dense @ turned[:, :3, :].reshape(-1, 12)).reshape(-1, 3, 4)
    moved: Floats = (blended[:, :, :3] @ skin[:, :, None])[:, :, 0] + blended[:, :, 3]
    return moved


def _skeleton(rig: Rig, points: Floats, turned: Floats, lift: Floats) -> Skeleton:
    heads = np.einsum("jrc,jc->jr", turned[:, :3, :3], points[rig.heads]) + turned[:, :3, 3] + lift
    tails = np.einsum("jrc,jc->jr", turned[:, :3, :3], points[rig.tails]) + turned[:, :3, 3] + lift
    return Skeleton(rig.names, rig.parents, joint_frames(heads, tails), tails)
