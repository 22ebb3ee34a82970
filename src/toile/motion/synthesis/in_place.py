"""Standing, turning, sitting and reaching, played by our own actor on placed feet."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from toile.core.records import Floats, Motion
from toile.geometry.rotation import multiply, rotate
from toile.motion.retargeting.leg_ik import solve_leg as reach_ankle
from toile.motion.synthesis.actor import (
    ANKLE,
    HIP_HALF,
    HIP_HEIGHT,
    NAMES,
    OFFSETS,
    SHIN,
    SIGN,
    THIGH,
    X,
    make_motion,
    rotation_x,
    rotation_y,
    rotation_z,
)

SIDES = ("Left", "Right")


def _stand_on(
    hips: Floats, pelvis: Floats, ankles: dict[str, Floats], feet: dict[str, Floats], world: dict[str, Floats]
) -> None:
    """Set the legs' world turns for hips (f, 3), pelvis turns, ankle places and foot turns."""
    for side in SIDES:
        knees = multiply(pelvis, rotation_y(SIGN[side] * np.radians(5.0) + 0 * hips[:, 0]))
        joint = hips + rotate(pelvis, OFFSETS[NAMES.index(f"{side}UpLeg")])
        thigh, shin = rotate(knees, [0, -THIGH, 0]), rotate(knees, [0, -SHIN, 0])
        swing, fold, _ = reach_ankle(joint, thigh, shin, ankles[side], rotate(knees, X))
        world[f"{side}UpLeg"] = multiply(swing, knees)
        world[f"{side}Leg"] = multiply(fold, knees)
        world[f"{side}Foot"] = feet[side]


def _trunk(pelvis: Floats, chest: Floats, head: Floats) -> dict[str, Floats]:
    """Return world turns of the trunk, bent evenly from pelvis to chest."""
    world = {"Hips": pelvis, "Head": head}
    for name, share in (("Spine", 0.3), ("Spine1", 0.65), ("Spine2", 1.0)):
        mixed = (1 - share) * pelvis + share * chest
        world[name] = mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
    neck = 0.5 * (chest + head)
    world["Neck"] = neck / np.linalg.norm(neck, axis=-1, keepdims=True)
    return world


def _arms(
    local: dict[str, Floats], side: str, *, flex: Floats, out: Floats, elbow: Floats, inward: float = 18.0
) -> None:
    """Set one arm: flexion, abduction and elbow [degrees], (f,)."""
    sign = SIGN[side]
    aside = multiply(rotation_z(sign * np.radians(out)), rotation_x(-np.radians(flex)))
    local[f"{side}Arm"] = multiply(aside, rotation_y(-sign * np.radians(inward) + 0 * flex))
    local[f"{side}ForeArm"] = rotation_x(-np.radians(elbow))


def _ease(time: Floats, *keys: tuple[float, float]) -> Floats:
    """Return values that go from key (time, value) to key with zero speed and acceleration at each."""
    value = np.full(len(time), keys[0][1])
    for (start, low), (end, high) in pairwise(keys):
        share = np.clip((time - start) / (end - start), 0.0, 1.0)
        value = np.where(
            time >= start, low + (high - low) * share**3 * (10 - 15 * share + 6 * share**2), value
        )
    return value


def _clock(seconds: float, fps: float) -> Floats:
    return np.arange(round(seconds * fps) + 1) / fps


def _feet_apart(frames: int, half: float, ahead: float = 0.0) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return still ankles and foot turns, toes a little outward."""
    ankles = {side: np.tile([SIGN[side] * half, ANKLE, ahead], (frames, 1)) for side in SIDES}
    feet = {side: rotation_y(np.full(frames, SIGN[side] * np.radians(8.0))) for side in SIDES}
    return ankles, feet


def idle(*, fps: float = 30.0) -> Motion:
    """Return eight seconds of standing that loop: breath, weight from leg to leg, a look round."""
    time = _clock(8.0, fps)
    slow, breath = 2 * np.pi * time / 8.0, 2 * np.pi * time / 4.0
    hips = np.stack(
        [0.025 * np.sin(slow), HIP_HEIGHT + 0.03 - 0.006 + 0.002 * np.cos(2 * slow), 0 * time], axis=1
    )
    pelvis = multiply(rotation_z(np.radians(2.5) * np.sin(slow)), rotation_y(np.radians(2.0) * np.cos(slow)))
    chest = multiply(
        rotation_z(-np.radians(1.2) * np.sin(slow)), rotation_x(np.radians(1.0 - 0.8 * np.sin(breath)))
    )
    head = multiply(
        rotation_y(np.radians(8.0) * np.sin(slow + 0.6)), rotation_x(np.radians(1.5) * np.sin(breath + 1))
    )
    world, local = _trunk(pelvis, chest, head), dict[str, Floats]()
    _stand_on(hips, pelvis, *_feet_apart(len(time), 0.11), world)
    for side in SIDES:
        sign = SIGN[side]
        _arms(
            local,
            side,
            flex=2 + 1.5 * np.sin(slow + sign),
            out=16 - 0.5 * np.sin(breath),
            elbow=14 + np.sin(slow),
        )
    return make_motion("idle", fps, world, local, hips, source="our own")


def turn(*, steps: int = 6, pace: float = 1.1, fps: float = 60.0) -> Motion:
    """Return a full turn to the left on the spot, in some pairs of steps of pace [s] each; it loops."""
    time = _clock(steps * pace, fps)
    angle = 2 * np.pi * time / (steps * pace)
    part = 2 * np.pi / steps
    beat = 2 * np.pi * time / pace
    hips = np.stack([0 * time, HIP_HEIGHT + 0.03 - 0.008 + 0.003 * np.cos(2 * beat), 0 * time], axis=1)
    # the weight goes to the foot that stays: right first
    hips = hips + rotate(rotation_y(angle), np.stack([-0.03 * np.sin(beat), 0 * time, 0 * time], axis=1))
    pelvis = multiply(rotation_y(angle), rotation_z(np.radians(2.0) * np.sin(beat)))
    chest = multiply(rotation_y(angle + np.radians(6.0)), rotation_x(np.radians(2.0) + 0 * time))
    head = rotation_y(angle + np.radians(14.0))
    world, local = _trunk(pelvis, chest, head), dict[str, Floats]()
    ankles, feet = {}, {}
    for side, start in (("Left", 0.0), ("Right", 0.5)):
        begun = time / pace - start
        share = np.clip((begun - np.floor(begun)) / 0.5, 0.0, 1.0)
        eased = share**3 * (10 - 15 * share + 6 * share**2)
        # a quarter of a step ahead or behind, so that the pelvis stays between the feet
        foot_angle = part * (np.floor(begun) + eased + start - 0.25)
        lift = 0.05 * np.sin(np.pi * share) ** 2
        place = np.stack([np.full(len(time), SIGN[side] * 0.10), ANKLE + lift, 0 * time], axis=1)
        ankles[side] = rotate(rotation_y(foot_angle), place)
        feet[side] = multiply(
            rotation_y(foot_angle + SIGN[side] * np.radians(6.0)),
            rotation_x(np.radians(12.0) * np.sin(np.pi * share)),
        )
    _stand_on(hips, pelvis, ankles, feet, world)
    for side in SIDES:
        _arms(local, side, flex=4 + 6 * np.sin(beat + SIGN[side]), out=18 + 0 * time, elbow=22 + 0 * time)
    return make_motion("turn", fps, world, local, hips, source="our own")


def sit(*, seat: float = 0.45, fps: float = 30.0) -> Motion:
    """Return sitting down on a seat [m] high and getting up again: seven seconds that loop, no chair."""
    time = _clock(7.0, fps)
    down = _ease(time, (0.4, 0.0), (2.2, 1.0), (4.6, 1.0), (6.4, 0.0), (7.0, 0.0))
    lean = _ease(time, (0.3, 0.0), (1.3, 1.0), (2.6, 0.12), (4.2, 0.12), (5.2, 1.0), (6.6, 0.0), (7.0, 0.0))
    top, low = HIP_HEIGHT + 0.03 - 0.005, seat + 0.115
    back = -0.36
    hips = np.stack([0 * time, top + (low - top) * down, back * np.sin(0.5 * np.pi * down)], axis=1)
    pelvis = rotation_x(np.radians(28.0) * lean - np.radians(8.0) * down)
    chest = rotation_x(np.radians(42.0) * lean + np.radians(2.0))
    head = rotation_x(np.radians(14.0) * lean)
    world, local = _trunk(pelvis, chest, head), dict[str, Floats]()
    _stand_on(hips, pelvis, *_feet_apart(len(time), HIP_HALF + 0.03, 0.03), world)
    for side in SIDES:
        _arms(local, side, flex=4 + 30 * lean + 18 * down, out=8 + 6 * down, elbow=14 + 40 * down, inward=18)
    return make_motion("sit", fps, world, local, hips, source="our own")


def reach(*, fps: float = 30.0) -> Motion:
    """Return reaching: one arm overhead, then both forward, then both aside; eight seconds that loop."""
    time = _clock(8.0, fps)
    high = _ease(time, (0.3, 0.0), (1.6, 1.0), (2.2, 1.0), (3.3, 0.0), (8.0, 0.0))
    fore = _ease(time, (3.0, 0.0), (4.2, 1.0), (4.8, 1.0), (5.8, 0.0), (8.0, 0.0))
    wide = _ease(time, (5.2, 0.0), (6.3, 1.0), (6.9, 1.0), (7.9, 0.0), (8.0, 0.0))
    hips = np.stack([-0.02 * high, HIP_HEIGHT + 0.03 - 0.005 + 0 * time, 0.02 * fore], axis=1)
    pelvis = rotation_z(np.radians(2.5) * high)
    chest = multiply(
        rotation_z(np.radians(-7.0) * high), rotation_x(np.radians(-4.0) * high + np.radians(7.0) * fore)
    )
    head = rotation_x(np.radians(-14.0) * high)
    world, local = _trunk(pelvis, chest, head), dict[str, Floats]()
    _stand_on(hips, pelvis, *_feet_apart(len(time), 0.12), world)
    for side in SIDES:
        up = high if side == "Right" else 0.15 * high
        flex = 3 + 157 * up + 82 * fore
        elbow = 14 - 6 * up + 25 * np.sin(np.pi * up) + 4 * fore
        # an arm that points up comes nearer to the head by what leads a hanging one away from the hips
        _arms(local, side, flex=flex, out=16 + 70 * wide - 20 * up**2, elbow=elbow, inward=18)
    return make_motion("reach", fps, world, local, hips, source="our own")
