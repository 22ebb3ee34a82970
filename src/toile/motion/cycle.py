"""Loops in motions that have none: the stretch of a clip that comes back to where it began.

Two frames are alike when joints are at the same places about the hips and move alike (the distance of
Kovar, Gleicher and Pighin, Motion graphs, 2002, without its window). The most alike pair that has motion
between it is cut out, and what is left between its ends is spread over the whole of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial.distance import cdist

from toile.body.avatar.bone_names import find_bones
from toile.core.errors import ToileError
from toile.core.records import Floats, Motion
from toile.geometry.rotation import continuous, inverse, multiply, rotate, slerp, yaw
from toile.motion.kinematics import joint_positions
from toile.motion.track import loop_travel

SHORTEST = 0.4
"""of a cycle [s]"""
LONGEST_CLIP = 120.0
"""how much of a clip is searched [s]"""
SEARCH_RATE = 30.0
"""frames a second that are compared"""
LOOK_AHEAD = 0.15
"""time over which velocities count as distances [s]"""
MOST_APART = 0.35
"""largest distance of the ends, as a share of the largest distance on the way"""
LEAST_MOTION = 0.02
"""distance on the way that is motion at all, root mean square of joints [m]"""


def as_loop(motion: Motion) -> Motion:
    """Return a motion that runs into its own start: itself if it does, else the cycle found in it."""
    if motion.loop:
        return motion
    first, last = find_cycle(motion)
    return _closed(motion, first, last)


def find_cycle(motion: Motion) -> tuple[int, int]:
    """Return the frames between which a motion goes once through its cycle."""
    every = max(1, round(motion.fps / SEARCH_RATE))
    shape = _features(motion)[: round(LONGEST_CLIP * motion.fps) : every]
    least = max(2, round(SHORTEST * motion.fps / every))
    none = ToileError(
        f"motion {motion.name}: no cycle was found in it: give one that comes back to the pose it had before"
    )
    if len(shape) <= least:
        raise none
    apart = cdist(shape, shape) / np.sqrt(shape.shape[1] / 6)
    # the farthest that the pose goes from the first frame's, up to each later frame
    path = np.maximum.accumulate(np.where(np.tri(len(apart), k=-1, dtype=bool), 0.0, apart), axis=1)
    score = np.where(path > LEAST_MOTION, apart / np.maximum(path, 1e-9), np.inf)
    score[np.tri(len(apart), k=least - 1, dtype=bool)] = np.inf
    best = float(score.min())
    if not best <= MOST_APART:
        raise none
    # of cycles that are about as good, the shortest
    starts, ends = np.nonzero(score <= 1.25 * best + 0.01)
    shortest = np.argmin((ends - starts) + 0.5 * score[starts, ends])
    return int(starts[shortest]) * every, int(ends[shortest]) * every


def _features(motion: Motion) -> Floats:
    """Return places of the joints about the hips, facing ahead, and how they move, (f, 6 j) [m]."""
    names, parents = motion.names, motion.parents.tolist()
    bones = find_bones(names, parents, source=motion.source or motion.name)
    at = joint_positions(motion)
    across = at[:, bones.limbs["left_thigh"]] - at[:, bones.limbs["right_thigh"]]
    ahead = np.stack([yaw(-float(a)) for a in np.arctan2(-across[:, 2], across[:, 0])])
    level = at - at[:, bones.hips, None] * np.array([1.0, 0.0, 1.0])
    place = rotate(ahead[:, None], level)
    speed = np.gradient(place, 1.0 / motion.fps, axis=0) if len(place) > 1 else np.zeros_like(place)
    return np.concatenate([place, LOOK_AHEAD * speed], axis=2).reshape(len(place), -1)


def _closed(motion: Motion, first: int, last: int) -> Motion:
    """Return the frames between two that are alike, changed so little by little that the ends meet."""
    rotations, path = (
        np.array(motion.rotations[first : last + 1]),
        np.array(motion.translation[first : last + 1]),
    )
    angle, _ = loop_travel(rotations[:, 0], path)
    goal = np.array(rotations[0])
    goal[0] = multiply(yaw(angle), goal[0])
    missing = multiply(inverse(rotations[-1]), goal)
    share = np.linspace(0.0, 1.0, len(rotations))
    share = share**3 * (10 - 15 * share + 6 * share**2)
    rest = np.zeros_like(missing)
    rest[:, 0] = 1.0
    for frame, part in enumerate(share):
        rotations[frame] = multiply(rotations[frame], slerp(rest, missing, np.full(len(rest), part)))
        path[frame, 1] += part * (motion.translation[first, 1] - motion.translation[last, 1])
    rotations[-1], path[-1, 1] = goal, path[0, 1]
    return replace(motion, rotations=continuous(rotations), translation=path, loop=True)
