"""Where joints are: the tree of a Motion walked from the root outwards, all frames at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toile.core.records import Floats, Ints, Motion
from toile.geometry.rotation import multiply, rotate


def world_rotations(parents: Ints | Sequence[int], local: Floats) -> Floats:
    """Return world_from_joint turns (f, j, 4) of parent_from_joint turns (f, j, 4)."""
    world = np.array(local)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            world[:, joint] = multiply(world[:, parent], local[:, joint])
    return world


def world_positions(parents: Ints | Sequence[int], offsets: Floats, world: Floats, root: Floats) -> Floats:
    """Return joint positions [m] (f, j, 3) from world turns (f, j, 4) and the root's path (f, 3)."""
    position = np.zeros((*world.shape[:2], 3))
    for joint, parent in enumerate(parents):
        if parent < 0:
            position[:, joint] = root
        else:
            position[:, joint] = position[:, parent] + rotate(world[:, parent], offsets[joint])
    return position


def joint_positions(motion: Motion) -> Floats:
    """Return the actor's joints in the world [m], (f, j, 3)."""
    world = world_rotations(motion.parents, motion.rotations)
    return world_positions(motion.parents, motion.offsets, world, motion.translation)


def rest_positions(parents: Ints | Sequence[int], offsets: Floats) -> Floats:
    """Return joint positions in the rest pose [m], the root at its own offset, (j, 3)."""
    position = np.array(offsets, dtype=np.float64)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            position[joint] += position[parent]
    return position
