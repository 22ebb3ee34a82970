"""How far joints bend, and whether people can bend them so far."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from toile.core.records import Floats
from toile.geometry.rotation import from_matrix, inverse, multiply, rotate, unit
from toile.motion.retargeting import foot_contacts
from toile.motion.retargeting.foot_contacts import SIDES
from toile.motion.retargeting.leg_ik import knee_bend
from toile.motion.retargeting.transfer import PoseSequence

LIMITS = {
    "hip": (-30.0, 125.0),
    "knee": (0.0, 150.0),
    "ankle": (-55.0, 30.0),
    "elbow": (0.0, 150.0),
}
"""flexion of healthy adults [degrees], the wider of the usual tables (AAOS 1965; Boone and Azen 1979); ankle:
the toes down to up"""


def joint_ranges(pose: PoseSequence) -> dict[str, float]:
    """Return joint_least and joint_most [degrees] of each joint of LIMITS, and how far they exceed them.

    A knee or an elbow that bends the wrong way is negative, and so is a thigh behind the pelvis.
    """
    ranges: dict[str, float] = {}
    beyond = 0.0
    for joint, (low, high) in LIMITS.items():
        bends = [np.degrees(bend) for side in SIDES if (bend := BENDS[joint](pose, side)) is not None]
        if bends:
            least, most = float(np.min(bends)), float(np.max(bends))
            ranges |= {f"{joint}_least": least, f"{joint}_most": most}
            beyond = max(beyond, low - least, most - high)
    return ranges | {"joint_excess": beyond}


def _rotation_from_rest(pose: PoseSequence, joint: int) -> Floats:
    rest = from_matrix(pose.body.skeleton.world_from_joint[joint, :3, :3])
    return multiply(pose.rotation[:, joint], inverse(rest))


def _bones(pose: PoseSequence, side: str, *parts: str) -> list[Floats] | None:
    """Return the vectors between a chain of joints [m], (f, 3) each; None: the body has no such joints."""
    limbs = pose.bones.limbs
    if any(f"{side}_{part}" not in limbs for part in parts):
        return None
    at = pose.positions()
    chain = [at[:, limbs[f"{side}_{part}"]] for part in parts]
    return [b - a for a, b in pairwise(chain)]


def _hip(pose: PoseSequence, side: str) -> Floats | None:
    bones = _bones(pose, side, "thigh", "shin")
    if bones is None:
        return None
    thigh = rotate(inverse(_rotation_from_rest(pose, pose.bones.hips)), bones[0])
    return np.asarray(np.arctan2(thigh[:, 2], -thigh[:, 1]))


def _knee(pose: PoseSequence, side: str) -> Floats | None:
    bones = _bones(pose, side, "thigh", "shin", "foot")
    return None if bones is None else knee_bend(bones[0], bones[1], foot_contacts.knee_hinge(pose, side))


def _ankle(pose: PoseSequence, side: str) -> Floats | None:
    limbs = pose.bones.limbs
    if f"{side}_foot" not in limbs or f"{side}_shin" not in limbs:
        return None
    shin, foot = (_rotation_from_rest(pose, limbs[f"{side}_{part}"]) for part in ("shin", "foot"))
    toes = rotate(multiply(inverse(shin), foot), np.array([0.0, 0.0, 1.0]))
    return np.asarray(np.arctan2(toes[:, 1], toes[:, 2]))


def _elbow(pose: PoseSequence, side: str) -> Floats | None:
    bones = _bones(pose, side, "upper_arm", "forearm", "hand")
    if bones is None:
        return None
    cosine = np.sum(unit(bones[0]) * unit(bones[1]), axis=1)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


BENDS = {"hip": _hip, "knee": _knee, "ankle": _ankle, "elbow": _elbow}
"""joint → its flexion in each frame [rad], of one side"""
