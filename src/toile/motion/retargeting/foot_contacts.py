"""Foot contacts: found, soles put on the floor without sliding, legs bent to reach them.

Heel and ball of each foot are in contact while they are low and slow. Through one contact the sole rolls on
the floor without slipping: heel, flat, ball, toes. In the swing the correction fades from one contact to the
next, so that the ankle's velocity stays continuous.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import ndimage
from scipy.spatial import ConvexHull

from toile.core.records import LIMBS, Body, Bools, Floats
from toile.geometry.rotation import from_matrix, heading, inverse, multiply, rotate, slerp, unit, yaw
from toile.motion.retargeting.leg_ik import COMFORT, solve_leg
from toile.motion.retargeting.transfer import UP, PoseSequence
from toile.motion.track import smooth

SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class FootSettings:
    """How contacts are found and kept."""

    height: float = 0.06
    """a heel or ball higher than this is in the air [m]"""
    speed: float = 0.5
    """a contact begins when heel or ball gets slower than this [m/s], or a fifth of its fastest …"""
    release: float = 1.0
    """… and ends when it gets faster than this [m/s], or a third of its fastest"""
    rise: float = 0.025
    """… or higher than this over its usual height in contact [m]"""
    blend: float = 0.035
    """time over which the foot becomes flat [s]"""
    shortest: float = 0.05
    """contacts shorter than this are noise [s]"""
    gap: float = 0.17
    """gaps in a contact shorter than this are noise: no swing is so short [s]"""


DEFAULT = FootSettings()


@dataclass(frozen=True, eq=False, slots=True)
class Sole:
    """The underside of one foot at rest, relative to its ankle [m]."""

    heel: Floats
    """under the heel, (3,)"""
    ball: Floats
    """the joint of the toes, or under the ball of a foot without, (3,)"""
    points: Floats
    """skin that can touch the floor, (n, 3)"""
    toe_share: Floats
    """how much of each point the toes carry, (n,); the foot carries the rest"""


@dataclass(frozen=True, eq=False, slots=True)
class FootContacts:
    """Contacts of one foot."""

    heel: Bools
    ball: Bools

    @property
    def down(self) -> Bools:
        """Return where the foot stands on heel or ball, (f,)."""
        return self.heel | self.ball


def find_sole(pose: PoseSequence, side: str) -> Sole:
    """Measure one foot of the body at rest."""
    body, limbs = pose.body, pose.bones.limbs
    rest = body.skeleton.world_from_joint[:, :3, 3]
    ankle, toe = rest[limbs[f"{side}_foot"]], limbs.get(f"{side}_toe")
    skin, share = _sole_skin(body, side, limbs[f"{side}_foot"], toe)
    ahead = unit(((rest[toe] if toe is not None else skin.mean(axis=0)) - ankle) * np.array([1.0, 0.0, 1.0]))
    along = (skin - ankle) @ ahead
    low, high = along.min(), along.max()
    at_ball = float((rest[toe] - ankle) @ ahead) if toe is not None else low + 0.7 * (high - low)
    middle = skin.mean(axis=0) - ankle
    heel = middle + ahead * (low + 0.15 * (at_ball - low) - middle @ ahead)
    ball = rest[toe] - ankle if toe is not None else middle + ahead * (at_ball - middle @ ahead)
    heel[1] = skin[:, 1].min() - ankle[1]
    ball = ball if toe is not None else ball * np.array([1.0, 0.0, 1.0]) + heel[1] * UP
    return Sole(heel, np.asarray(ball), skin - ankle, share)


def _sole_skin(body: Body, side: str, foot: int, toe: int | None) -> tuple[Floats, Floats]:
    """Return the skin under a foot [m] (n, 3) and the toes' share of it; a box where no skin is labelled."""
    vertex = np.flatnonzero(body.limb == LIMBS.index(f"{side}_foot"))
    if not len(vertex):
        ankle = body.skeleton.world_from_joint[foot, :3, 3] * np.array([1.0, 0.0, 1.0])
        box = np.array([[x, 0.0, z] for x in (-0.04, 0.04) for z in (-0.06, 0.05, 0.13, 0.19)]) + ankle
        return box, np.zeros(len(box))
    # only the corners of the hull can touch a floor; a few flat ones more carry the rolling
    low = vertex[body.vertices[vertex, 1] < body.vertices[vertex, 1].min() + 0.02]
    corners = vertex[ConvexHull(body.vertices[vertex]).vertices] if len(vertex) > 8 else vertex
    vertex = np.unique(np.concatenate([corners, low[:: max(len(low) // 60, 1)]]))
    if toe is None:
        return np.asarray(body.vertices[vertex]), np.zeros(len(vertex))
    below = np.isin(body.weight_joint[vertex], [toe, *_below(body, toe)])
    return np.asarray(body.vertices[vertex]), np.sum(body.weight[vertex] * below, axis=1)


def _below(body: Body, joint: int) -> list[int]:
    """Return the joints that hang on a joint, without itself."""
    below = {joint}
    for other, parent in enumerate(body.skeleton.parents):
        if int(parent) in below:
            below.add(other)
    return sorted(below - {joint})


def foot_rotations(pose: PoseSequence, side: str) -> Floats:
    """Return how far each frame's foot is turned from its rest, (f, 4)."""
    foot = pose.bones.limbs[f"{side}_foot"]
    rest = from_matrix(pose.body.skeleton.world_from_joint[foot, :3, :3])
    return multiply(pose.rotation[:, foot], inverse(rest))


def sole_points(sole: Sole, foot: Floats, toe: Floats) -> Floats:
    """Return the sole relative to the ankle [m], (f, n, 3), for foot and toe turns (f, 4)."""
    share = sole.toe_share[:, None]
    on_foot = rotate(foot[:, None], sole.points)
    on_toes = rotate(toe[:, None], sole.points - sole.ball) + rotate(foot, sole.ball)[:, None]
    points: Floats = on_foot * (1.0 - share) + on_toes * share
    return points


def find_contacts(
    foot: Floats, ankle: Floats, sole: Sole, fps: float, settings: FootSettings = DEFAULT
) -> FootContacts:
    """Return when heel and ball stand, from the foot's turns (f, 4) and the ankle's path (f, 3)."""
    grain, gap = (max(round(time * fps), 1) for time in (settings.shortest, settings.gap))
    found = []
    for point in (sole.heel, sole.ball):
        path = ankle + rotate(foot, point)
        speed = (
            np.linalg.norm(np.gradient(path, axis=0), axis=1) * fps if len(path) > 1 else np.zeros(len(path))
        )
        speed = smooth(speed, 0.01 * fps)
        over = path[:, 1] - (point[1] - sole.heel[1])
        # slow steps: what counts as standing depends on how fast this foot ever gets
        fastest = float(np.percentile(speed, 95)) if len(speed) else 0.0
        begin = min(settings.speed, max(0.2 * fastest, 0.08))
        end = min(settings.release, max(0.33 * fastest, 0.12))
        slow = (over < settings.height) & (speed < begin)
        usual = float(np.median(over[slow])) if slow.any() else 0.0
        low = over < min(settings.height, usual + settings.rise)
        found.append(_drop_short(_grow(slow & low, low & (speed < end)), gap, grain))
    # what is neither heel nor ball for a moment is the ball
    down = found[0] | found[1]
    return FootContacts(found[0], found[1] | (_drop_short(down, gap, 1) & ~down))


def _grow(seeds: Bools, allowed: Bools) -> Bools:
    """Return the allowed runs that hold a seed."""
    grown = np.zeros(len(seeds), dtype=bool)
    for start, end in true_runs(allowed):
        grown[start:end] = seeds[start:end].any()
    return grown


def _drop_short(flags: Bools, gap: int, grain: int) -> Bools:
    """Close gaps up to gap frames and drop runs shorter than grain; the ends go on as they are."""
    edge = max(gap, grain) + 1
    padded = np.pad(flags, edge, mode="edge")
    closed = ndimage.binary_closing(padded, np.ones(gap + 1, dtype=bool)) | padded
    opened: Bools = ndimage.binary_opening(closed, np.ones(grain + 1, dtype=bool))[edge : len(padded) - edge]
    return opened


def find_floor(pose: PoseSequence) -> float:
    """Return the height of the floor in the pose [m]: where slow feet are, or the lowest a foot ever gets."""
    at = pose.positions()
    heights, slow = [], []
    for side in SIDES:
        sole, rotation = find_sole(pose, side), foot_rotations(pose, side)
        ankle = at[:, pose.bones.limbs[f"{side}_foot"]]
        height = ankle[:, 1] + sole_points(sole, rotation, rotation)[..., 1].min(axis=1)
        moving = np.linalg.norm(np.gradient(ankle, axis=0), axis=1) * pose.fps if len(at) > 1 else np.zeros(1)
        heights.append(height)
        slow.append(moving < 0.3)
    height, still = np.concatenate(heights), np.concatenate(slow)
    lowest = float(np.percentile(height, 2))
    near = still & (height < lowest + 0.12)
    return float(np.median(height[near])) if near.sum() >= 5 else lowest


def plant_feet(pose: PoseSequence, settings: FootSettings = DEFAULT) -> dict[str, FootContacts]:
    """Put the feet of a pose on the floor y = 0 and bend the legs to them; returns the contacts."""
    pose.hips = pose.hips - np.array([0.0, find_floor(pose), 0.0])
    at = pose.positions()
    contacts: dict[str, FootContacts] = {}
    ankles: dict[str, Floats] = {}
    for side in SIDES:
        sole, foot = find_sole(pose, side), foot_rotations(pose, side)
        ankle = at[:, pose.bones.limbs[f"{side}_foot"]]
        steps = find_contacts(foot, ankle, sole, pose.fps, settings)
        foot, toe = _settle(foot, steps, settings.blend * pose.fps)
        ankles[side] = _stand(ankle, foot, toe, sole, steps, pose.fps)
        contacts[side] = steps
        _set_foot(pose, side, foot, toe)
    _ride_legs(pose, ankles, contacts)
    _lower_hips(pose, ankles, contacts)
    for side in SIDES:
        bend_leg(pose, side, ankles[side])
    return contacts


def _settle(foot: Floats, steps: FootContacts, sigma: float) -> tuple[Floats, Floats]:
    """Return foot and toe turns: flat while heel and ball stand, toes flat while the ball stands."""
    angle = np.unwrap(heading(foot))
    flat = steps.heel & steps.ball
    level = np.array(angle)
    for start, end in true_runs(flat):
        level[start:end] = angle[start:end].mean()
    weight = smooth(flat.astype(np.float64), sigma)
    # the level heading reaches a little beyond the flat run, so that its blend is smooth
    level = _spread(level, flat)
    foot = slerp(foot, yaw(level), weight)
    toe = slerp(foot, yaw(heading(foot)), smooth(steps.ball.astype(np.float64), sigma))
    return foot, toe


def _spread(values: Floats, known: Bools) -> Floats:
    """Return values with each unknown one replaced by the nearest known one's."""
    if not known.any():
        return values
    nearest = ndimage.distance_transform_edt(~known, return_distances=False, return_indices=True)[0]
    return np.asarray(values[nearest])


def true_runs(flags: Bools) -> list[tuple[int, int]]:
    """Return (start, end) of every run of True; end is one past the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _stand(ankle: Floats, foot: Floats, toe: Floats, sole: Sole, steps: FootContacts, fps: float) -> Floats:
    """Return the ankle's path with contacts that do not slide, on the floor."""
    points = sole_points(sole, foot, toe)
    height = -points[..., 1].min(axis=1)
    fixed = np.array(ankle)
    stands = true_runs(steps.down)
    for start, end in stands:
        fixed[start:end] = _roll(ankle[start:end], points[start:end])
        fixed[start:end, 1] = height[start:end]
    change = _bridge(fixed - ankle, stands)
    path = smooth(ankle + change, 0.012 * fps, goes_on=True)
    path[:, 1] = _clear_floor(path[:, 1], height, steps.down, fps)
    return path


def _roll(ankle: Floats, points: Floats) -> Floats:
    """Return the ankle (f, 3) through one contact: the part of the sole (f, n, 3) that touches stays put."""
    height = points[..., 1] - points[..., 1].min(axis=1, keepdims=True)
    touch = np.exp(-0.5 * (height[1:] + height[:-1]) / 0.002)
    slip = np.sum(np.diff(points, axis=0) * touch[..., None], axis=1) / np.sum(touch, axis=1)[:, None]
    path = np.concatenate([np.zeros((1, 3)), -np.cumsum(slip, axis=0)])
    return np.asarray(path - np.mean(path - ankle, axis=0))


def _bridge(change: Floats, stands: list[tuple[int, int]]) -> Floats:
    """Fill the correction between contacts with cubics that keep its value and slope at both ends."""
    if not stands:
        return np.zeros_like(change)
    filled = np.array(change)
    filled[: stands[0][0]] = change[stands[0][0]]
    filled[stands[-1][1] :] = change[stands[-1][1] - 1]
    for (first, a), (b, last) in pairwise(stands):
        span = b - a + 1
        t = np.arange(1, span)[:, None] / span
        slope_a = (change[a - 1] - change[max(a - 3, first)]) / max(a - 1 - max(a - 3, first), 1)
        slope_b = (change[min(b + 2, last - 1)] - change[b]) / max(min(b + 2, last - 1) - b, 1)
        # upward slopes would overshoot into the floor
        slope_a[1] = slope_b[1] = 0.0
        filled[a:b] = (
            (2 * t**3 - 3 * t**2 + 1) * change[a - 1]
            + (t**3 - 2 * t**2 + t) * span * slope_a
            + (3 * t**2 - 2 * t**3) * change[b]
            + (t**3 - t**2) * span * slope_b
        )
    return filled


def _clear_floor(y: Floats, height: Floats, down: Bools, fps: float) -> Floats:
    """Return the ankle's height with the sole on the floor in contact and never under it in the swing."""
    y = np.array(y)
    for start, end in true_runs(~down):
        # one smooth bump lifts a swing that would drag its toes
        bump = np.sin(np.pi * (np.arange(start, end) - start + 1) / (end - start + 1)) ** 2
        lack = (height[start:end] + 0.012 - y[start:end]) / np.maximum(bump, 1e-6)
        inner = bump > 0.3
        y[start:end] += bump * np.clip(lack[inner].max(initial=0.0), 0.0, 0.08)
    away = ndimage.distance_transform_edt(~down) if down.any() else np.full(len(y), np.inf)
    soft = 0.006 * np.clip(away / (0.10 * fps), 0.02, 1.0)
    # what is left near the contacts: a smooth maximum of the sole's height and the floor
    return np.where(down, np.maximum(y, height), height + soft * np.logaddexp(0.0, (y - height) / soft))


def _set_foot(pose: PoseSequence, side: str, foot: Floats, toe: Floats) -> None:
    rest = from_matrix(pose.body.skeleton.world_from_joint[:, :3, :3])
    joints = [(pose.bones.limbs[f"{side}_foot"], foot)]
    if f"{side}_toe" in pose.bones.limbs:
        joints.append((pose.bones.limbs[f"{side}_toe"], toe))
    for joint, rotation in joints:
        rotate_subtree(
            pose, joint, multiply(multiply(rotation, rest[joint]), inverse(pose.rotation[:, joint]))
        )


def rotate_subtree(pose: PoseSequence, joint: int, rotation: Floats) -> None:
    """Turn a joint and all that hangs on it by world turns (f, 4), in place."""
    for other in (joint, *_below(pose.body, joint)):
        pose.rotation[:, other] = multiply(rotation, pose.rotation[:, other])


def _ride_legs(pose: PoseSequence, ankles: dict[str, Floats], contacts: dict[str, FootContacts]) -> None:
    """Raise or lower the hips, smoothly, so that standing knees bend as the actor's did."""
    at = pose.positions()
    error, weight = np.zeros(len(at)), np.full(len(at), 1e-3)
    for side in SIDES:
        hip, foot = (at[:, pose.bones.limbs[f"{side}_{part}"]] for part in ("thigh", "foot"))
        length = COMFORT * leg_span(pose.body, pose, side)
        wanted = np.minimum(np.linalg.norm(foot - hip, axis=1), length)
        apart = ankles[side] - hip
        level = np.minimum(np.hypot(apart[:, 0], apart[:, 2]), 0.98 * wanted)
        height = ankles[side][:, 1] + np.sqrt(wanted**2 - level**2)
        stands = smooth(contacts[side].down.astype(np.float64), 0.05 * pose.fps)
        error += stands * (height - hip[:, 1])
        weight += stands
    change = smooth(error, 0.06 * pose.fps) / smooth(weight, 0.06 * pose.fps)
    pose.hips = pose.hips + change[:, None] * UP


def _lower_hips(pose: PoseSequence, ankles: dict[str, Floats], contacts: dict[str, FootContacts]) -> None:
    """Lower the hips, smoothly, where a standing leg could not reach its foot."""
    at = pose.positions()
    lack = np.zeros(len(at))
    for side in SIDES:
        hip, length = at[:, pose.bones.limbs[f"{side}_thigh"]], COMFORT * leg_span(pose.body, pose, side)
        apart = ankles[side] - hip
        level = np.minimum(np.hypot(apart[:, 0], apart[:, 2]), 0.999 * length)
        need = hip[:, 1] - ankles[side][:, 1] - np.sqrt(length**2 - level**2)
        lack = np.maximum(lack, np.where(contacts[side].down, need, need - 0.02))
    width = max(round(0.08 * pose.fps), 1)
    drop = smooth(ndimage.maximum_filter1d(np.maximum(lack, 0.0), 2 * width + 1), 0.6 * width)
    pose.hips = pose.hips - drop[:, None] * UP


def leg_span(body: Body, pose: PoseSequence, side: str) -> float:
    """Return thigh + shin of one leg [m]."""
    rest = body.skeleton.world_from_joint[:, :3, 3]
    hip, knee, ankle = (rest[pose.bones.limbs[f"{side}_{part}"]] for part in ("thigh", "shin", "foot"))
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))


def knee_hinge(pose: PoseSequence, side: str) -> Floats:
    """Return the axis (f, 3) about which a positive turn bends the knee: the thigh's own left."""
    thigh = pose.bones.limbs[f"{side}_thigh"]
    rest = pose.body.skeleton.world_from_joint[thigh, :3, :3]
    return rotate(multiply(pose.rotation[:, thigh], inverse(from_matrix(rest))), np.array([1.0, 0.0, 0.0]))


def bend_leg(pose: PoseSequence, side: str, ankle: Floats) -> Floats:
    """Turn thigh and shin so that the ankle gets to its place, not the foot; returns what lacks [m]."""
    thigh, shin, foot = (pose.bones.limbs[f"{side}_{part}"] for part in ("thigh", "shin", "foot"))
    at = pose.positions()
    foot_before = np.array(pose.rotation[:, foot])
    swing, fold, lack = solve_leg(
        at[:, thigh], at[:, shin] - at[:, thigh], at[:, foot] - at[:, shin], ankle, knee_hinge(pose, side)
    )
    rotate_subtree(pose, thigh, swing)
    rotate_subtree(pose, shin, multiply(fold, inverse(swing)))
    rotate_subtree(pose, foot, multiply(foot_before, inverse(pose.rotation[:, foot])))
    return lack
