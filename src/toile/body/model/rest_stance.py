"""The rest pose: a clean A-pose, the feet on the floor.

NumPy only: the measurement network is trained with it at build time, before the kernels exist.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toile.body.model.data import Rig
from toile.body.model.skeleton import descendants, joint_frames, swing
from toile.core.records import Bools, Floats, Ints, Skeleton

ARM_DOWN = np.radians(45.0)
"""angle of the arms below the horizontal"""
LEG_OUT = np.radians(6.0)
"""least angle of the legs from the vertical"""
LEG_OUT_MOST = np.radians(16.0)
"""greatest angle: heavy thighs stand further apart"""
TURNED = ("LeftArm", "RightArm", "LeftUpLeg", "RightUpLeg")
"""joints that the rest pose turns, with all that hangs on them"""
THIGH_GAP = 0.006
"""least way from the inner thigh to the middle plane [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class SkinBinding:
    """Vertices to be posed (all of the skin, or those that measuring needs) and how they hang on a rig."""

    rig: Rig
    weight_joint: Ints
    """(n, k)"""
    weight: Floats
    """(n, k)"""
    moving: Ints
    """rows that hang on a joint that the rest pose turns, ascending"""
    share: Floats
    """of every joint in each of them, (m, j)"""
    inner_thigh: Ints
    """rows that hang on the left thigh alone"""

    @staticmethod
    def of(rig: Rig, thigh: Bools, chosen: Ints | None = None) -> SkinBinding:
        """Return the flesh of the chosen rows of the skin; thigh marks the left thigh's vertices."""
        chosen = np.arange(len(thigh), dtype=np.int32) if chosen is None else chosen
        joint, weight = rig.weight_joint[chosen], rig.weight[chosen]
        share = np.zeros((len(chosen), len(rig.names)))
        np.add.at(share, (np.arange(len(chosen))[:, None], joint), weight)
        turned = np.concatenate([descendants(rig.parents, rig.names.index(name)) for name in TURNED])
        moving = np.flatnonzero(share[:, np.unique(turned)].any(axis=1)).astype(np.int32)
        thigh = thigh[chosen] & (share[:, rig.names.index("LeftUpLeg")] > 0.9)
        return SkinBinding(rig, joint, weight, moving, share[moving], np.flatnonzero(thigh).astype(np.int32))


@dataclass(frozen=True, eq=False, slots=True)
class RestStance:
    """A skin in the rest pose."""

    skin: Floats
    """[m], (n, 3)"""
    heads: Floats
    """joints [m], (j, 3)"""
    tails: Floats
    """[m], (j, 3)"""
    turned: Floats
    """what moved each joint from the template's pose, (j, 4, 4)"""
    floor: int
    """row of the lowest vertex"""
    points: Floats
    """ends of the bones of all rigs in the template's own pose [m], (p, 3)"""


Bend = Callable[[SkinBinding, Floats, Floats], Floats]
"""moves the skin of a flesh by transforms of the joints, (j, 4, 4)"""


def blend_linearly(flesh: SkinBinding, skin: Floats, turned: Floats) -> Floats:
    """Return the skin moved by linear blend skinning."""
    moved = skin.copy()
    # head and trunk stay where they are; the rest by one matrix product
    matrix = (flesh.share @ turned[:, :3].reshape(len(turned), 12)).reshape(-1, 3, 4)
    points = skin[flesh.moving]
    moved[flesh.moving] = np.einsum("nrc,nc->nr", matrix[:, :, :3], points) + matrix[:, :, 3]
    return moved


def stand_at_rest(
    flesh: SkinBinding, skin: Floats, points: Floats, bend: Bend = blend_linearly
) -> RestStance:
    """Return the skin in the rest pose, from the template's own pose."""
    rig = flesh.rig
    heads, tails = points[rig.heads], points[rig.tails]
    turned = _turns(rig, heads, tails, _leg_angle(flesh, skin, heads))
    posed = bend(flesh, skin, turned)
    floor = int(posed[:, 1].argmin())
    lift = np.array([0.0, -posed[floor, 1], 0.0])
    return RestStance(
        posed + lift, _move(turned, heads) + lift, _move(turned, tails) + lift, turned, floor, points
    )


def skeleton_of(rig: Rig, stance: RestStance, moved_by: Ints | None = None) -> Skeleton:
    """Return the skeleton of a rig in a stance; moved_by: joints of the first rig that carry another's."""
    heads, tails = stance.heads, stance.tails
    if moved_by is not None:
        turned = stance.turned[moved_by]
        # the first rig's heads tell how far the feet were lowered to the floor
        lift = stance.heads[0] - stance.points[0]
        heads, tails = (
            _move(turned, stance.points[rig.heads]) + lift,
            _move(turned, stance.points[rig.tails]) + lift,
        )
    return Skeleton(rig.names, rig.parents, joint_frames(heads, tails), tails)


def _leg_angle(flesh: SkinBinding, skin: Floats, heads: Floats) -> float:
    """Return the angle of the legs from the vertical that keeps the thighs apart [rad]."""
    hip = heads[flesh.rig.names.index("LeftUpLeg")]
    knee = heads[flesh.rig.names.index("LeftLeg")]
    now = float(np.arctan2(knee[0] - hip[0], hip[1] - knee[1]))
    thigh = skin[flesh.inner_thigh]
    needed = ((THIGH_GAP - thigh[:, 0]) / (hip[1] - thigh[:, 1])).max()
    return float(np.clip(now + needed, LEG_OUT, LEG_OUT_MOST))


def _turns(rig: Rig, heads: Floats, tails: Floats, leg_out: float) -> Floats:
    """Return the transform of each joint from the template's pose to the A-pose, (j, 4, 4)."""
    turned = np.tile(np.eye(4), (len(heads), 1, 1))
    down, out = np.sin(ARM_DOWN), np.cos(ARM_DOWN)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        arm = np.array([sign * out, -down, 0.0])
        leg = np.array([sign * np.sin(leg_out), -np.cos(leg_out), 0.0])
        for names, wanted in ((("Arm", "ForeArm", "Hand"), arm), (("UpLeg", "Leg"), leg)):
            for name in names:
                joint = rig.names.index(side + name)
                now = turned[joint, :3, :3] @ (tails[joint] - heads[joint])
                _turn(rig, turned, heads, joint, swing(now, wanted))
        # the feet stand as they stood
        foot = rig.names.index(side + "Foot")
        _turn(rig, turned, heads, foot, turned[foot, :3, :3].T.copy())
    return turned


def _turn(rig: Rig, turned: Floats, heads: Floats, joint: int, rotation: Floats) -> None:
    """Turn a joint, and all that hangs on it, about where it is now."""
    centre = turned[joint, :3, :3] @ heads[joint] + turned[joint, :3, 3]
    motion = np.eye(4)
    motion[:3, :3] = rotation
    motion[:3, 3] = centre - rotation @ centre
    below = descendants(rig.parents, joint)
    turned[below] = motion @ turned[below]


def _move(turned: Floats, points: Floats) -> Floats:
    moved: Floats = np.einsum("jrc,jc->jr", turned[:, :3, :3], points) + turned[:, :3, 3]
    return moved
