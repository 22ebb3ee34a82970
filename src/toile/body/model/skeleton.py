"""Joint frames and forward kinematics."""

from __future__ import annotations

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Ints, Skeleton
from toile.geometry.rotation import cross


def joint_frames(heads: Floats, tails: Floats) -> Floats:
    """Return rigid frames at the heads, (j, 4, 4): y along the bone, z as near as possible to the world's z.

    A bone that itself points along z (feet, toes) takes its z axis as near as possible to -y.
    """
    y = tails - heads
    y /= np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-12)
    hint = np.where(np.abs(y[:, 2:]) < 0.8, [[0.0, 0.0, 1.0]], [[0.0, -1.0, 0.0]])
    x = np.cross(y, hint)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    frames = np.zeros((len(heads), 4, 4))
    frames[:, :3, :3] = np.stack([x, y, np.cross(x, y)], axis=2)
    frames[:, :3, 3] = heads
    frames[:, 3, 3] = 1.0
    return frames


def forward_kinematics(skeleton: Skeleton, local_rotation: Floats, root_translation: Floats) -> Floats:
    """Return world_from_joint, (j, 4, 4), for rotations of each joint in its own rest frame, (j, 3, 3).

    Identity rotations and a translation of zero give the rest pose. root_translation [m] moves the root.
    """
    rest = skeleton.world_from_joint
    if local_rotation.shape != (len(rest), 3, 3):
        raise ToileError(f"local rotations have shape {local_rotation.shape}, wanted ({len(rest)}, 3, 3)")
    world = np.zeros_like(rest)
    rotation = np.eye(4)
    for j, parent in enumerate(skeleton.parents):
        rotation[:3, :3] = local_rotation[j]
        if parent < 0:
            world[j] = rest[j] @ rotation
            world[j, :3, 3] += root_translation
        else:
            world[j] = world[parent] @ rigid_inverse(rest[parent]) @ rest[j] @ rotation
    return world


def rigid_inverse(transform: Floats) -> Floats:
    """Return the inverse of rigid transforms, (…, 4, 4)."""
    inverse = np.zeros_like(transform)
    rotation = np.swapaxes(transform[..., :3, :3], -1, -2)
    inverse[..., :3, :3] = rotation
    inverse[..., :3, 3] = -(rotation @ transform[..., :3, 3:])[..., 0]
    inverse[..., 3, 3] = 1.0
    return inverse


def swing(direction: Floats, wanted: Floats) -> Floats:
    """Return the smallest rotation that turns one direction into another, (3, 3)."""
    a = direction / np.linalg.norm(direction)
    b = wanted / np.linalg.norm(wanted)
    axis, cosine = cross(a, b), float(a @ b)
    if cosine < -0.999999:
        raise ToileError("cannot turn a bone by half a turn: the axis is not defined")
    around = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    rotation: Floats = np.eye(3) + around + around @ around / (1.0 + cosine)
    return rotation


def descendants(parents: Ints, joint: int) -> list[int]:
    """Return a joint and everything that hangs on it."""
    inside = {joint}
    for j in range(joint + 1, len(parents)):
        if int(parents[j]) in inside:
            inside.add(j)
    return sorted(inside)
