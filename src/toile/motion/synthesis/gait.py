"""Walking and running from published joint-angle curves; no recorded data is needed.

Each curve is a Fourier series that we fitted to a few key angles, rounded to whole or half degrees. Walking:
hip, knee and ankle in the side view as in the mean curves for natural cadence of Winter 1991 and Perry and
Burnfield 2010; pelvis after Kadaba et al. 1990; arms after Murray et al. 1967. Running: after Novacheck 1998.
The hips' path follows from the legs: the foot that bears the weight stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from scipy.interpolate import CubicSpline

from toile.core.errors import ToileError
from toile.core.records import Floats, Motion
from toile.geometry.rotation import multiply, rotate
from toile.motion.synthesis.actor import (
    ANKLE,
    BALL,
    HEEL,
    NAMES,
    OFFSETS,
    SHIN,
    SIGN,
    THIGH,
    make_motion,
    rotation_x,
    rotation_y,
    rotation_z,
)

HARMONICS = 8

Curves: TypeAlias = Mapping[str, Mapping[int, float]]
"""joint → percent of the stride (heel strike at 0) → flexion [degrees]"""

# "thigh" is the thigh against the vertical: hip flexion less the pelvis' forward tilt of about 10°
WALK: Curves = {
    "thigh": {0: 23, 5: 22, 10: 19, 15: 15, 20: 10, 25: 5, 30: 0, 35: -5, 40: -10, 45: -15, 50: -18,
              55: -17.5, 60: -12, 65: -3, 70: 7, 75: 15, 80: 21, 85: 24.5, 90: 25.5, 95: 24.5},
    "knee": {0: 4, 5: 10, 10: 17, 15: 20, 20: 18.5, 25: 15, 30: 11, 35: 8, 40: 7, 45: 8.5, 50: 13, 55: 23,
             60: 38, 65: 54, 70: 63, 75: 63, 80: 53, 85: 37, 90: 19, 95: 6},
    "ankle": {0: 0, 4: -4, 8: -5, 12: -2.5, 16: 0.5, 20: 3, 30: 6.5, 40: 9, 45: 9.5, 50: 6, 55: -4, 60: -15,
              64: -19, 68: -15, 72: -9, 76: -4, 80: -1, 85: 1, 90: 2, 95: 1},
}  # fmt: skip
WALK_STANCE = (0.08, 0.48)
"""part of the stride in which the right foot alone tells the speed"""

RUN: Curves = {
    "thigh": {0: 28, 10: 20, 20: 6, 30: -10, 38: -20, 45: -18, 55: 0, 65: 22, 75: 37, 82: 40, 90: 35},
    "knee": {0: 16, 8: 31, 15: 39, 22: 36, 30: 25, 38: 19, 45: 30, 55: 70, 62: 92, 68: 97, 75: 85, 85: 45,
             93: 20},
    "ankle": {0: 0, 8: 10, 18: 22, 25: 17, 32: 0, 38: -17, 45: -22, 52: -12, 60: 0, 70: 4, 85: 4},
}  # fmt: skip
RUN_STANCE = (0.06, 0.32)


def fit_series(keys: Mapping[int, float], harmonics: int = HARMONICS) -> Floats:
    """Return complex Fourier coefficients (harmonics + 1,) of a periodic curve through key angles."""
    at = np.array([*keys, 100]) / 100.0
    values = np.array([*keys.values(), keys[0]], dtype=np.float64)
    samples = CubicSpline(at, values, bc_type="periodic")(np.arange(256) / 256)
    return np.asarray(np.fft.rfft(samples)[: harmonics + 1] / 256)


def series_at(coefficients: Floats, phase: Floats) -> Floats:
    """Return the series' value at phases (0 to 1 is one stride)."""
    waves = np.exp(2j * np.pi * np.outer(phase, np.arange(len(coefficients))))
    waves[:, 1:] *= 2.0
    return np.asarray((waves @ coefficients).real)


def leg_angles(curves: Curves, phase: Floats, swing: float) -> tuple[Floats, Floats, Floats]:
    """Return thigh, knee and ankle flexion [rad] at phases; swing scales the stride."""
    hip, knee, ankle = (series_at(fit_series(curves[joint]), phase) for joint in ("thigh", "knee", "ankle"))
    hip = hip.mean() + swing * (hip - hip.mean())
    knee = knee.min() + (0.35 + 0.65 * swing) * (knee - knee.min())
    ankle = (0.35 + 0.65 * swing) * ankle
    return np.radians(hip), np.radians(knee), np.radians(ankle)


def walk(
    *,
    cadence: float = 112.0,
    stride: float = 1.40,
    arm_swing: float = 1.0,
    hip_sway: float = 1.0,
    heading: float = 0.0,
    step_width: float = 0.10,
    fps: float = 60.0,
) -> Motion:
    """Return one stride of walking (two steps) that loops.

    cadence [steps/min]; stride [m] of a person 1.75 m tall (others walk in proportion to their legs);
    arm_swing and hip_sway as a share of the usual; heading [rad] to the left of +z; step_width [m] between
    the ankles' lines.
    """
    _check("cadence", cadence, 40, 180)
    _check("stride", stride, 0.3, 2.2)
    _check("arm_swing", arm_swing, 0.0, 3.0)
    _check("hip_sway", hip_sway, 0.0, 3.0)
    _check("step_width", step_width, 0.0, 0.4)
    phase, fps = _phases(120.0 / cadence, fps)
    swing = _fit_swing(WALK, WALK_STANCE, stride)
    wave = 2 * np.pi * phase
    # right heel strike at 0: the pelvis' right side is ahead, then its left side sinks
    pelvis_yaw = np.radians(5.0) * (0.3 + 0.7 * swing) * hip_sway * np.cos(wave)
    pelvis_roll = -np.radians(4.0) * hip_sway * np.sin(wave + 0.35)
    pelvis_tilt = np.radians(2.0) + np.radians(0.8) * np.cos(2 * wave)
    sway = -0.022 * hip_sway * np.cos(wave - 2 * np.pi * 0.30)
    trunk = {"yaw": -0.8 * pelvis_yaw, "roll": -0.25 * pelvis_roll, "lean": np.radians(2.5) + 0 * phase}
    pelvis = multiply(multiply(rotation_y(pelvis_yaw), rotation_z(pelvis_roll)), rotation_x(pelvis_tilt))
    world, local = _upper_body(pelvis, trunk)
    legs = {"Right": phase, "Left": phase + 0.5}
    feet = _legs(WALK, legs, swing, step_width, sway, pelvis, world, local)
    for side, at in legs.items():
        lag = 2 * np.pi * at
        flex = np.radians(-6.0 - arm_swing * 16.0 * np.cos(lag - 0.12))
        elbow = np.radians(24.0 - arm_swing * 11.0 * np.cos(lag - 0.45))
        _arm(side, world, local, flex=flex, elbow=elbow, out=np.radians(16.0))
    hips = _ride(phase, fps, feet)
    hips[:, 2] *= stride / hips[-1, 2]
    hips[:, 0] = sway
    return _headed(
        "walk", fps, world, local, hips, heading, "Winter 1991, Murray et al. 1967, Kadaba et al. 1990"
    )


def run(
    *,
    cadence: float = 160.0,
    stride: float = 2.1,
    arm_swing: float = 1.0,
    hip_sway: float = 1.0,
    heading: float = 0.0,
    fps: float = 60.0,
) -> Motion:
    """Return one stride of jogging that loops; parameters as for walk."""
    _check("cadence", cadence, 100, 240)
    _check("stride", stride, 0.8, 4.0)
    _check("arm_swing", arm_swing, 0.0, 3.0)
    _check("hip_sway", hip_sway, 0.0, 3.0)
    phase, fps = _phases(120.0 / cadence, fps)
    wave = 2 * np.pi * phase
    pelvis_yaw = np.radians(6.0) * hip_sway * np.cos(wave)
    pelvis_roll = -np.radians(4.0) * hip_sway * np.sin(wave + 0.3)
    pelvis = multiply(
        multiply(rotation_y(pelvis_yaw), rotation_z(pelvis_roll)), rotation_x(np.radians(6.0) + 0 * phase)
    )
    trunk = {"yaw": -1.5 * pelvis_yaw, "roll": -0.2 * pelvis_roll, "lean": np.radians(8.0) + 0 * phase}
    world, local = _upper_body(pelvis, trunk)
    legs = {"Right": phase, "Left": phase + 0.5}
    sway = -0.010 * hip_sway * np.cos(wave - 2 * np.pi * 0.18)
    swing = _fit_swing(RUN, RUN_STANCE, stride)
    feet = _legs(RUN, legs, swing, 0.06, sway, pelvis, world, local)
    for side, at in legs.items():
        lag = 2 * np.pi * at
        flex = np.radians(-8.0 - arm_swing * 30.0 * np.cos(lag - 0.1))
        elbow = np.radians(88.0 - arm_swing * 14.0 * np.cos(lag - 0.3))
        _arm(side, world, local, flex=flex, elbow=elbow, out=np.radians(12.0))
    hips = np.zeros((len(phase), 3))
    # on the ground at mid-stance, highest in the middle of the flight
    bounce = -0.035 * np.cos(2 * (wave - 2 * np.pi * 0.17))
    lowest = np.minimum.reduce([path[..., 1] for points in feet.values() for path in points])
    hips[:, 1] = bounce + np.max(-lowest - bounce)
    hips[:, 0], hips[:, 2] = sway, stride * phase
    return _headed("run", fps, world, local, hips, heading, "Novacheck 1998")


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ToileError(f"{name} = {value:g} cannot be walked: give {low:g} to {high:g}")


def _phases(period: float, fps: float) -> tuple[Floats, float]:
    """Return phases 0 … 1, both ends included, and the exact frame rate of the loop."""
    _check("fps", fps, 10, 1000)
    count = max(round(period * fps), 8)
    return np.arange(count + 1) / count, count / period


def _fit_swing(curves: Curves, stance: tuple[float, float], stride: float) -> float:
    """Return the swing that makes strides this long, by bisection."""
    low, high = 0.05, 2.5
    phase = np.linspace(*stance, 41)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(phase), 1))
    for _ in range(24):
        middle = 0.5 * (low + high)
        heel, ball = _legs(curves, {"Right": phase}, middle, 0.1, 0.0 * phase, still, {}, {})["Right"]
        # what the foot goes back while it stands, per share of the stride
        lower = heel[:, 1] < ball[:, 1]
        step = np.where(lower[1:], -np.diff(heel[:, 2]), -np.diff(ball[:, 2]))
        low, high = (middle, high) if step.sum() / (stance[1] - stance[0]) < stride else (low, middle)
    return 0.5 * (low + high)


def _upper_body(pelvis: Floats, trunk: dict[str, Floats]) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return world turns of the trunk, which turns against the pelvis, and of the head, which looks ahead."""
    chest = multiply(multiply(rotation_y(trunk["yaw"]), rotation_z(trunk["roll"])), rotation_x(trunk["lean"]))
    blend = {"Spine": 0.25, "Spine1": 0.6, "Spine2": 1.0}
    world = {"Hips": pelvis}
    for name, share in blend.items():
        mixed = (1 - share) * pelvis + share * chest
        world[name] = mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
    neck = multiply(rotation_y(0.4 * trunk["yaw"]), rotation_x(0.5 * trunk["lean"] + np.radians(4.0)))
    head = multiply(rotation_y(0.15 * trunk["yaw"]), rotation_x(0.0 * trunk["lean"]))
    return world | {"Neck": neck, "Head": head}, {}


def _legs(
    curves: Curves,
    phases: dict[str, Floats],
    swing: float,
    width: float,
    sway: Floats,
    pelvis: Floats,
    world: dict[str, Floats],
    local: dict[str, Floats],
) -> dict[str, tuple[Floats, Floats]]:
    """Set the legs' turns; returns heel and ball of each foot relative to the hips (f, 3)."""
    points = {}
    for side, phase in phases.items():
        hip, knee, ankle = leg_angles(curves, phase, swing)
        joint = rotate(pelvis, OFFSETS[_joint(f"{side}UpLeg")])
        # the leg leans so that the ankle stays over its own line
        line = SIGN[side] * width / 2
        lean = np.arcsin(np.clip((line - joint[:, 0] - sway) / (THIGH + SHIN + ANKLE), -0.4, 0.4))
        toe_out = SIGN[side] * np.radians(6.0) + 0 * phase
        thigh = multiply(rotation_z(lean), rotation_x(-hip))
        shin = multiply(thigh, rotation_x(knee))
        # the sole stands level sideways
        foot = multiply(rotation_y(toe_out), rotation_x(-hip + knee - ankle))
        world |= {f"{side}UpLeg": thigh, f"{side}Leg": shin, f"{side}Foot": foot}
        local |= {f"{side}ToeBase": rotation_x(-np.clip(-hip + knee - ankle, 0.0, 0.9) * _toe_share(phase))}
        at = joint + rotate(thigh, [0, -THIGH, 0]) + rotate(shin, [0, -SHIN, 0])
        points[side] = (at + rotate(foot, HEEL), at + rotate(foot, BALL))
    return points


def _toe_share(phase: Floats) -> Floats:
    """Return 1 while the toes stand alone before they leave the floor, 0 in the swing, smoothly."""
    away = np.abs((phase % 1.0) - 0.52)
    return np.asarray(0.5 + 0.5 * np.cos(np.pi * np.clip(away / 0.2, 0.0, 1.0)))


def _joint(name: str) -> int:
    return NAMES.index(name)


def _ride(phase: Floats, fps: float, feet: dict[str, tuple[Floats, Floats]]) -> Floats:
    """Return the hips' path (f, 3): as high as the standing leg is long, as fast as its foot goes back."""
    paths = np.stack([path for points in feet.values() for path in points])[:, :-1]
    height = paths[..., 1]
    bearing = np.exp(-(height - height.min(axis=0)) / 0.012)
    bearing /= bearing.sum(axis=0)
    back = (
        -np.gradient(np.concatenate([paths[:, -2:], paths, paths[:, :2]], axis=1)[..., 2], axis=1)[:, 2:-2]
        * fps
    )
    speed = _even_series(np.sum(bearing * back, axis=0), 2)
    # the trunk's speed varies by an eighth within a step, at most
    varies = speed - speed.mean()
    speed = speed.mean() + varies * min(1.0, 0.125 * speed.mean() / max(float(np.abs(varies).max()), 1e-9))
    up = _even_series(-np.sum(bearing * height, axis=0), 4)
    ahead = np.concatenate([[0.0], np.cumsum(0.5 * (speed + np.roll(speed, -1)))]) / fps
    hips = np.zeros((len(phase), 3))
    hips[:, 1], hips[:, 2] = np.append(up, up[0]), ahead
    return hips


def _even_series(values: Floats, most: int) -> Floats:
    """Return the smooth part of one stride that both steps share: even harmonics up to ``most``."""
    spectrum = np.fft.rfft(values)
    keep = np.arange(len(spectrum))
    spectrum[(keep % 2 == 1) | (keep > most)] = 0.0
    return np.asarray(np.fft.irfft(spectrum, len(values)))


THUMBS_FORWARD = np.radians(30.0)
"""forearms and hands turn out by this [rad]: hanging hands show their backs to the side, thumbs forward"""


def _arm(
    side: str, world: dict[str, Floats], local: dict[str, Floats], *, flex: Floats, elbow: Floats, out: float
) -> None:
    """Set one arm: flexion forward, abduction outward, elbow bent forward and a little inward [rad]."""
    sign = SIGN[side]
    local[f"{side}Arm"] = multiply(
        multiply(rotation_z(sign * out + 0 * flex), rotation_x(-flex)),
        rotation_y(-sign * np.radians(18.0) + 0 * flex),
    )
    local[f"{side}ForeArm"] = multiply(rotation_x(-elbow), rotation_y(sign * THUMBS_FORWARD / 2 + 0 * elbow))
    local[f"{side}Hand"] = rotation_y(sign * THUMBS_FORWARD / 2 + 0 * elbow)


def _headed(
    name: str,
    fps: float,
    world: dict[str, Floats],
    local: dict[str, Floats],
    hips: Floats,
    heading: float,
    source: str,
) -> Motion:
    """Return the motion turned to its heading."""
    rotation = rotation_y(np.array(heading))
    turned = {joint: multiply(rotation, rotations) for joint, rotations in world.items()}
    return make_motion(name, fps, turned, local, rotate(rotation, hips), source=source)


def angles_at(curves: Curves, percent: float) -> dict[str, float]:
    """Return the fitted angles [degrees] at a percentage of the stride, for tables and tests."""
    at = np.array([percent / 100.0])
    return {joint: float(series_at(fit_series(keys), at)[0]) for joint, keys in curves.items()}
