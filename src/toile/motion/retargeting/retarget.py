"""Any motion on any body: turns transferred, feet planted, arms and thighs kept out of the body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from toile.core.records import LIMBS, Body, Floats, Motion
from toile.geometry.rotation import multiply, rotate, to_matrix, yaw
from toile.motion.retargeting import foot_contacts, limb_clearance
from toile.motion.retargeting.foot_contacts import SIDES, FootContacts, FootSettings
from toile.motion.retargeting.joint_ranges import joint_ranges
from toile.motion.retargeting.limb_clearance import ClearanceSettings
from toile.motion.retargeting.transfer import PoseSequence, transfer
from toile.motion.track import Track, loop_travel, resample, smooth, smooth_rotations, track_of, unroll


@dataclass(frozen=True, slots=True)
class RetargetSettings:
    """What is done after the transfer."""

    steady: float = 0.015
    """recordings are smoothed in time by a Gaussian of this width [s], which takes markers' noise away"""
    plant: bool = True
    """feet stand on the floor and do not slide"""
    clear: bool = True
    """arms and thighs are kept out of the body"""
    feet: FootSettings = foot_contacts.DEFAULT
    clearance: ClearanceSettings = limb_clearance.DEFAULT


DEFAULT = RetargetSettings()
TOUCH = 0.001
"""thighs that are less deep in each other than this only touch [m]"""


def retarget(
    motion: Motion,
    body: Body,
    fps: float | None = None,
    *,
    settings: RetargetSettings = DEFAULT,
    bone_table: Mapping[str, str] | None = None,
) -> Track:
    """Return the motion on this body; fps None keeps the motion's own rate (between 30 and 120).

    The track's report holds what was measured: slide and depth of the feet, depth of the arms before and
    after, the angles that were added, joint ranges (metres and degrees).
    """
    rate = float(np.clip(motion.fps, 30.0, 120.0)) if fps is None else fps
    loop = motion.loop and len(motion.translation) > 3
    motion = resample(motion if loop else _steady(motion, settings.steady), rate)
    period = len(motion.translation) - 1
    rolled = unroll(motion, 3) if loop else motion
    pose, steps, report = _stood(*transfer(rolled, body, source_table=bone_table), settings)
    if loop:
        pose, steps = _middle(pose, steps, period)
    report |= _keep_apart_after(pose, settings, loop)
    report |= measure_feet(pose, steps) | joint_ranges(pose)
    if limb_clearance.has_arms(pose):
        report["arm_depth"] = float(limb_clearance.arm_depths(pose).max())
        report["thigh_depth"] = limb_clearance.thigh_depth(pose)
    return track_of(body, _matrices(pose), motion.fps, name=motion.name, loop=loop, report=report)


def _steady(motion: Motion, seconds: float) -> Motion:
    """Return a recording without the noise of its markers."""
    sigma = seconds * motion.fps
    rotations, path = (
        smooth_rotations(motion.rotations, sigma),
        smooth(motion.translation, sigma, goes_on=True),
    )
    return replace(motion, rotations=rotations, translation=path)


def _stood(
    first: PoseSequence, scale: float, settings: RetargetSettings
) -> tuple[PoseSequence, dict[str, FootContacts], dict[str, float]]:
    """Return the pose on its feet, the thighs of wide bodies spread until they are out of each other."""
    clear = settings.clear and limb_clearance.has_arms(first)
    angle, most = 0.0, settings.clearance.spread if clear else 0.0
    while True:
        pose = replace(first, rotation=np.array(first.rotation), hips=np.array(first.hips))
        angle = _spread(pose, angle, most) if clear else angle
        steps = foot_contacts.plant_feet(pose, settings.feet) if settings.plant else {}
        # feet that stand may have brought them together again
        if angle + 2.0 > most or limb_clearance.thigh_depth(pose) <= TOUCH:
            return pose, steps, {"scale": scale} | ({"thigh_spread": angle} if clear else {})
        angle += 2.0


def _spread(pose: PoseSequence, angle: float, most: float) -> float:
    """Spread the thighs by an angle [degrees], more while they touch; returns the angle that it took."""
    limb_clearance.spread_thighs(pose, np.radians(angle))
    while limb_clearance.thigh_depth(pose) > TOUCH and angle + 1.0 <= most:
        limb_clearance.spread_thighs(pose, np.radians(1.0))
        angle += 1.0
    return angle


def _keep_apart_after(pose: PoseSequence, settings: RetargetSettings, loop: bool) -> dict[str, float]:
    """Turn the arms out of the trunk."""
    if not (settings.clear and limb_clearance.has_arms(pose)):
        return {}
    before, angle = limb_clearance.clear_arms(pose, settings.clearance, loop=loop)
    return {"arm_depth_before": before, "arm_turn": float(np.degrees(angle))}


def _middle(
    pose: PoseSequence, steps: Mapping[str, FootContacts], period: int
) -> tuple[PoseSequence, dict[str, FootContacts]]:
    """Return the middle one of three loops, moved to where the first began; its end is made its start."""
    cut = slice(period, 2 * period + 1)
    rotation, hips = np.array(pose.rotation[cut]), np.array(pose.hips[cut])
    angle, shift = loop_travel(pose.rotation[: period + 1, pose.bones.hips], pose.hips[: period + 1])
    # carry the loop back to where the motion began
    rotation = multiply(yaw(-angle), rotation)
    hips = rotate(yaw(-angle), hips - shift)
    rotation[-1] = multiply(yaw(angle), rotation[0])
    hips[-1] = rotate(yaw(angle), hips[0]) + shift
    kept = {side: FootContacts(step.heel[cut], step.ball[cut]) for side, step in steps.items()}
    return replace(pose, rotation=rotation, hips=hips), kept


def _matrices(pose: PoseSequence) -> Floats:
    world = np.zeros((*pose.rotation.shape[:2], 4, 4))
    world[..., :3, :3] = to_matrix(pose.rotation)
    world[..., :3, 3] = pose.positions()
    world[..., 3, 3] = 1.0
    return world


def measure_feet(pose: PoseSequence, steps: Mapping[str, FootContacts]) -> dict[str, float]:
    """Return slide of the standing feet, depth under the floor and height over it while standing [m].

    Slide is measured on the skin: how far the part of the sole that touches the floor (within 4 mm) wanders
    during one contact.
    """
    slide, depth, hover = 0.0, 0.0, 0.0
    for side in SIDES:
        path = _sole_paths(pose, side)
        if not path.size:
            continue
        low = path[..., 1].min(axis=1)
        depth = max(depth, float(-low.min()))
        down = steps[side].down if side in steps else low < 0.02
        hover = max(hover, float(low[down].max(initial=0.0)))
        for start, end in foot_contacts.true_runs(down):
            slide = max(slide, _wander(path[start:end]))
    return {"foot_slide": slide, "floor_depth": max(depth, 0.0), "floor_hover": hover}


def _wander(path: Floats) -> float:
    """Return the largest distance between two places of the touching patch in one contact (f, n, 3) [m]."""
    touching = path[..., 1] < 0.004
    both = (touching[1:] & touching[:-1])[..., None]
    count = np.maximum(both.sum(axis=1), 1)
    step = np.sum(np.diff(path, axis=0) * both, axis=1)[:, [0, 2]] / count
    place = np.concatenate([np.zeros((1, 2)), np.cumsum(step, axis=0)])
    return float(np.linalg.norm(place[:, None] - place[None], axis=-1).max())


def _sole_paths(pose: PoseSequence, side: str) -> Floats:
    """Return the skin under one foot over time, (f, n, 3)."""
    body = pose.body
    vertex = np.flatnonzero(body.limb == LIMBS.index(f"{side}_foot"))
    if not len(vertex):
        return np.zeros((len(pose.hips), 0, 3))
    height = body.vertices[vertex, 1]
    vertex = vertex[height < height.min() + 0.03]
    vertex = vertex[:: max(len(vertex) // 150, 1)].astype(np.int32)
    patch = limb_clearance.SkinSample(vertex, np.zeros((len(vertex), 3)))
    matrices = limb_clearance.joint_matrices(pose, np.arange(len(pose.hips), dtype=np.int32))
    return np.stack([limb_clearance.pose_sample(body, patch, matrix)[0] for matrix in matrices])
