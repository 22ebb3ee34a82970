"""Simple shapes round each limb, fixed to the bone that carries it: capsules and ellipsoids for collision.

The order is that of types.LIMBS. A limb is carried by the joint that moves most of its skin; a hand or a foot
by the wrist or the ankle, where the skeleton has the template's joint names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.body.model.data import LIMB_OF_JOINT
from toile.body.model.skeleton import rigid_inverse
from toile.core.records import LIMBS, Body, Floats, Ints, PosedBody

OUTER = 90.0
"""a capsule reaches this percentile of its limb's vertices"""


@dataclass(frozen=True, eq=False, slots=True)
class LimbShapes:
    """One capsule and one ellipsoid per limb, in the frame of the limb's joint (y along the bone)."""

    joint: Ints
    """that carries each limb, (16,)"""
    start: Floats
    """one end of the capsule's axis [m], (16, 3)"""
    end: Floats
    """the other [m], (16, 3)"""
    radius: Floats
    """of the capsule [m], (16,)"""
    centre: Floats
    """of the ellipsoid [m], (16, 3)"""
    half_axes: Floats
    """of the ellipsoid along the joint's x, y, z [m], (16, 3)"""


def limb_joints(body: Body) -> Ints:
    """Return the joint that carries most of each limb's skin, (16,)."""
    share = np.zeros((len(LIMBS), len(body.skeleton.names)))
    for column in range(body.weight.shape[1]):
        np.add.at(share, (body.limb, body.weight_joint[:, column]), body.weight[:, column])
    depth: list[int] = []
    for parent in body.skeleton.parents:
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    carrier: Ints = share.argmax(axis=1).astype(np.int32)
    for limb, name in enumerate(LIMBS):
        if name.endswith(("_hand", "_foot")):
            own = [j for j, joint in enumerate(body.skeleton.names) if LIMB_OF_JOINT.get(joint) == name]
            carrier[limb] = min(own, default=carrier[limb], key=lambda j: depth[j])
    return carrier


def limb_shapes(body: Body) -> LimbShapes:
    """Return the capsules and ellipsoids of a body's limbs."""
    joint = limb_joints(body)
    joint_from_world = rigid_inverse(body.skeleton.world_from_joint[joint])
    rows = {key: np.zeros((len(LIMBS), 3)) for key in ("start", "end", "centre", "half_axes")}
    radius = np.zeros(len(LIMBS))
    for limb, transform in enumerate(joint_from_world):
        points = body.vertices[body.limb == limb] @ transform[:3, :3].T + transform[:3, 3]
        if not len(points):
            continue
        low, high = points.min(axis=0), points.max(axis=0)
        middle = (low + high) / 2
        aside = np.linalg.norm((points - middle)[:, [0, 2]], axis=1)
        radius[limb] = np.percentile(aside, OUTER)
        reach = max((high[1] - low[1]) / 2 - radius[limb], 0.0)
        along = np.array([0.0, reach, 0.0])
        rows["start"][limb], rows["end"][limb] = middle - along, middle + along
        rows["centre"][limb], rows["half_axes"][limb] = middle, (high - low) / 2
    return LimbShapes(joint=joint, radius=radius, **rows)


def world_from_limbs(posed: PosedBody, joint: Ints) -> Floats:
    """Return the frames of the limbs' joints in a pose, (16, 4, 4)."""
    frames: Floats = posed.world_from_joint[joint]
    return frames
