"""One person's turns on another person's bones, before feet and arms are cared for.

A source joint's turn away from its rest pose is applied to the matching target joint after the target's bone
has been laid along the source's rest bone, so that bone *directions* agree whatever the two rest poses are
(T, A, splayed legs). Trunk and head take turns as they are: both look straight ahead at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from toile.body.avatar.bone_names import Bones, find_bones
from toile.core.records import Body, Floats, Motion
from toile.geometry.rotation import (
    from_matrix,
    inverse,
    multiply,
    rotate,
    shortest_rotation,
    slerp,
    unit,
    yaw,
)
from toile.motion.files.prepare import leg_length
from toile.motion.kinematics import rest_positions, world_positions, world_rotations

UP = np.array([0.0, 1.0, 0.0])


@dataclass(eq=False, slots=True)
class PoseSequence:
    """Joints of the target body over all frames, while they are being worked on."""

    body: Body
    bones: Bones
    rotation: Floats
    """world_from_joint turns, (f, j, 4)"""
    hips: Floats
    """position of the hips joint [m], (f, 3)"""
    fps: float

    def positions(self) -> Floats:
        """Return all joint positions [m], (f, j, 3), bone lengths as at rest."""
        rest = self.body.skeleton.world_from_joint
        at = np.zeros((*self.rotation.shape[:2], 3))
        at[:, self.bones.hips] = self.hips
        above = _above(self.bones.hips, self.body)
        for ancestor, child in above:
            # joints above the hips ride with them
            arm = rest[child, :3, :3].T @ (rest[ancestor, :3, 3] - rest[child, :3, 3])
            at[:, ancestor] = at[:, child] + rotate(self.rotation[:, child], arm)
        done = {self.bones.hips, *(ancestor for ancestor, _ in above)}
        for joint, parent in enumerate(self.body.skeleton.parents):
            if joint not in done and parent >= 0:
                arm = rest[parent, :3, :3].T @ (rest[joint, :3, 3] - rest[parent, :3, 3])
                at[:, joint] = at[:, parent] + rotate(self.rotation[:, parent], arm)
        return at


def _above(hips: int, body: Body) -> list[tuple[int, int]]:
    """Return (ancestor, its child towards the hips), nearest first."""
    pairs, child = [], hips
    while (parent := int(body.skeleton.parents[child])) >= 0:
        pairs.append((parent, child))
        child = parent
    return pairs


def transfer(
    motion: Motion,
    body: Body,
    *,
    source_table: Mapping[str, str] | None = None,
    target_table: Mapping[str, str] | None = None,
) -> tuple[PoseSequence, float]:
    """Return the body's pose in every frame of the motion, and the scale of the root's travel."""
    source = find_bones(
        motion.names, motion.parents.tolist(), table=source_table, source=motion.source or motion.name
    )
    skeleton = body.skeleton
    target = find_bones(
        skeleton.names, skeleton.parents.tolist(), table=target_table, source=f"body {body.name}"
    )
    rest_source = rest_positions(motion.parents, motion.offsets)
    rest_target = np.asarray(skeleton.world_from_joint[:, :3, 3])

    # look at the source as if its rest pose faced +z
    face = inverse(_facing(rest_source, source))
    world = world_rotations(motion.parents, motion.rotations)
    position = world_positions(motion.parents, motion.offsets, world, motion.translation)
    delta = multiply(world, inverse(face))
    rest_source = rotate(face, rest_source)
    delta = np.asarray(delta)

    moves = _part_rotations(delta, source, target)
    lay = _lay_bones(source, target, rest_source, rest_target)
    rotation = _joint_rotations(body, target, moves, lay, len(delta))
    scale = leg_length(target, rest_target) / max(leg_length(source, rest_source), 1e-6)
    pose = PoseSequence(body, target, rotation, np.zeros((len(delta), 3)), motion.fps)
    _follow_root(pose, source, position, scale)
    return pose, scale


def _facing(rest: Floats, bones: Bones) -> Floats:
    """Return the yaw that takes +z to where the rest pose looks."""
    left = rest[bones.limbs["left_thigh"]] - rest[bones.limbs["right_thigh"]]
    ahead = np.cross(left, UP)
    return yaw(np.arctan2(ahead[0], ahead[2]))


def _part_rotations(delta: Floats, source: Bones, target: Bones) -> dict[int, Floats]:
    """Return target joint → turn away from rest (f, 4): limbs one to one, spine and neck by their share."""
    moves = {target.hips: delta[:, source.hips]}
    moves |= _chain_rotations(delta, (source.hips, *source.spine), target.spine)
    chest = (source.hips, *source.spine)[-1]
    moves |= _chain_rotations(delta, (chest, *source.neck), target.neck)
    for part, joint in target.limbs.items():
        if part in source.limbs:
            moves[joint] = delta[:, source.limbs[part]]
    return moves


def _chain_rotations(delta: Floats, chain: tuple[int, ...], joints: tuple[int, ...]) -> dict[int, Floats]:
    """Spread the turns of a source chain (its base first) over target joints above the same base."""
    moves = {}
    for place, joint in enumerate(joints, start=1):
        at = place * (len(chain) - 1) / len(joints)
        low = min(int(at), max(len(chain) - 2, 0))
        high = min(low + 1, len(chain) - 1)
        moves[joint] = slerp(delta[:, chain[low]], delta[:, chain[high]], np.full(len(delta), at - low))
    return moves


def _lay_bones(source: Bones, target: Bones, rest_source: Floats, rest_target: Floats) -> dict[int, Floats]:
    """Return target joint → turn that lays its rest bone along the source's rest bone."""
    lay: dict[int, Floats] = {}
    for side in ("left", "right"):
        for upper, lower, end in (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot")):
            rotation = np.array([1.0, 0.0, 0.0, 0.0])
            for part, to in ((upper, lower), (lower, end)):
                names = (f"{side}_{part}", f"{side}_{to}")
                if all(name in bones.limbs for name in names for bones in (source, target)):
                    a, b = (target.limbs[name] for name in names)
                    c, d = (source.limbs[name] for name in names)
                    wanted = rest_source[d] - rest_source[c]
                    if np.linalg.norm(wanted) > 1e-6:
                        rotation = multiply(
                            shortest_rotation(rotate(rotation, rest_target[b] - rest_target[a]), wanted),
                            rotation,
                        )
                if names[0] in target.limbs:
                    lay[target.limbs[names[0]]] = rotation
            if f"{side}_{end}" in target.limbs:
                lay[target.limbs[f"{side}_{end}"]] = rotation
        _lay_foot(side, source, target, rest_source, rest_target, lay)
    return lay


def _lay_foot(
    side: str, source: Bones, target: Bones, rest_source: Floats, rest_target: Floats, lay: dict[int, Floats]
) -> None:
    """Feet stand flat at rest: match sole and heading, not the slope from ankle to toes."""
    knee, ankle = (rest_source[source.limbs[f"{side}_{part}"]] for part in ("shin", "foot"))
    shin = unit(ankle - knee)
    # a splayed rest pose carries the sole with the leg
    up = UP if shin[1] < -0.985 else -shin
    ahead_source = _toes_ahead(side, source, rest_source)
    ahead_target = _toes_ahead(side, target, rest_target)
    frame_source = _frame(up, ahead_source if ahead_source is not None else np.array([0.0, 0.0, 1.0]))
    frame_target = _frame(UP, ahead_target if ahead_target is not None else np.array([0.0, 0.0, 1.0]))
    rotation = from_matrix(frame_source @ frame_target.T)
    for part in ("foot", "toe"):
        if f"{side}_{part}" in target.limbs:
            lay[target.limbs[f"{side}_{part}"]] = rotation


def _toes_ahead(side: str, bones: Bones, rest: Floats) -> Floats | None:
    if f"{side}_toe" not in bones.limbs:
        return None
    ahead: Floats = rest[bones.limbs[f"{side}_toe"]] - rest[bones.limbs[f"{side}_foot"]]
    return ahead if np.hypot(ahead[0], ahead[2]) > 1e-3 else None


def _frame(up: Floats, ahead: Floats) -> Floats:
    """Return axes (left, up, ahead) as columns."""
    left = unit(np.cross(up, ahead))
    return np.stack([left, up, np.cross(left, up)], axis=1)


def _joint_rotations(
    body: Body, bones: Bones, moves: Mapping[int, Floats], lay: Mapping[int, Floats], frames: int
) -> Floats:
    """Return world turns of all target joints; those without a source ride with their parent."""
    rest = from_matrix(body.skeleton.world_from_joint[:, :3, :3])
    rotation = np.zeros((frames, len(rest), 4))
    for joint, parent in enumerate(body.skeleton.parents):
        if joint in moves:
            laid = multiply(lay[joint], rest[joint]) if joint in lay else rest[joint]
            rotation[:, joint] = multiply(moves[joint], laid)
        elif parent < 0:
            rotation[:, joint] = multiply(moves[bones.hips], rest[joint])
        else:
            rotation[:, joint] = multiply(rotation[:, parent], multiply(inverse(rest[parent]), rest[joint]))
    return rotation


def _follow_root(pose: PoseSequence, source: Bones, position: Floats, scale: float) -> None:
    """Put the middle of the hip joints where the actor's was, scaled by the length of the legs."""
    middle = 0.5 * (position[:, source.limbs["left_thigh"]] + position[:, source.limbs["right_thigh"]])
    at = pose.positions()
    offset = 0.5 * (at[:, pose.bones.limbs["left_thigh"]] + at[:, pose.bones.limbs["right_thigh"]])
    pose.hips = scale * middle - offset
