"""How an avatar stands: its joints among the nodes of a file, the way to our axes and to our A-pose."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from toile.body.avatar.bone_names import Bones
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Floats, Ints
from toile.geometry.rotation import shortest_rotation, to_matrix, yaw

ARM_DOWN, LEG_OUT = np.radians(45.0), np.radians(6.0)
UP = np.array([0.0, 1.0, 0.0])
UNITS = (1.0, 0.01, 0.001, 0.0254, 100.0)

_LIMB_OF_PART = {
    "clavicle": "torso", "upper_arm": "{}_upper_arm", "forearm": "{}_forearm", "hand": "{}_hand",
    "thigh": "{}_thigh", "shin": "{}_shin", "foot": "{}_foot", "toe": "{}_foot",
}  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class AvatarRig:
    """The joints of an avatar among the nodes of its file."""

    node: Ints
    """node of each joint, parents before children, (j,)"""
    names: tuple[str, ...]
    parents: Ints
    bones: Bones


@dataclass(frozen=True, eq=False, slots=True)
class FileAlignment:
    """ours_from_file: a turn, a scale [m per unit] and the floor."""

    rotation: Floats
    """(3, 3)"""
    scale: float
    shift: Floats
    """[m], (3,)"""

    def place(self, points: Floats) -> Floats:
        """Return file points (…, 3) in our axes [m]."""
        return np.asarray(self.scale * points @ self.rotation.T + self.shift)


def find_alignment(points: Floats, heads: Floats, bones: Bones, source: str) -> FileAlignment:
    """Return how the avatar is brought upright, facing +z, to metres, above the middle of the floor."""
    top = heads[bones.neck[-1]] if bones.neck else heads[bones.spine[-1]] if bones.spine else None
    feet = 0.5 * (heads[bones.limbs["left_foot"]] + heads[bones.limbs["right_foot"]])
    trunk = (top if top is not None else heads[bones.hips]) - feet
    axis = int(np.argmax(np.abs(trunk)))
    rotation = to_matrix(shortest_rotation(np.sign(trunk[axis]) * np.eye(3)[axis], UP))
    left = rotation @ (heads[bones.limbs["left_thigh"]] - heads[bones.limbs["right_thigh"]])
    ahead = np.cross(left * np.array([1.0, 0.0, 1.0]), UP)
    if np.linalg.norm(ahead) < 1e-9:
        raise ToileError(f"{source}: its thighs lie on each other, so front and back cannot be told apart")
    rotation = to_matrix(yaw(-np.arctan2(ahead[0], ahead[2]))) @ rotation
    placed = points @ rotation.T
    height = float(np.ptp(placed[:, 1]))
    scale = next((unit_ for unit_ in UNITS if 0.8 < height * unit_ < 2.5), 1.70 / max(height, 1e-9))
    middle = scale * rotation @ heads[bones.hips]
    return FileAlignment(rotation, scale, np.array([-middle[0], -scale * placed[:, 1].min(), -middle[2]]))


def bone_tails(heads: Floats, rig: AvatarRig) -> Floats:
    """Return where bones end: at the next part of the limb, at the middle of the children, or straight on."""
    ends = np.zeros_like(heads)
    following = _next_part(rig.bones)
    for joint in range(len(heads)):
        children = np.flatnonzero(rig.parents == joint)
        far = [c for c in children if np.linalg.norm(heads[c] - heads[joint]) > 1e-5]
        parent = rig.parents[joint]
        if joint in following:
            ends[joint] = heads[following[joint]]
        elif far:
            ends[joint] = heads[far].mean(axis=0)
        else:
            along = heads[joint] - heads[parent] if parent >= 0 else UP
            ends[joint] = heads[joint] + (0.5 * along if np.linalg.norm(along) > 1e-5 else 0.05 * UP)
        if np.linalg.norm(ends[joint] - heads[joint]) < 1e-5:
            ends[joint] = heads[joint] + 0.02 * UP
    return ends


def _next_part(bones: Bones) -> dict[int, int]:
    """Return joint → joint at the end of its bone, for trunk and limbs."""
    trunk = (bones.hips, *bones.spine, *bones.neck)
    following = dict(pairwise(trunk))
    for side in ("left", "right"):
        for chain in (("clavicle", "upper_arm", "forearm", "hand"), ("thigh", "shin", "foot", "toe")):
            there = [bones.limbs[f"{side}_{part}"] for part in chain if f"{side}_{part}" in bones.limbs]
            following |= dict(pairwise(there))
    return following


def to_a_pose(heads: Floats, rig: AvatarRig) -> Floats:
    """Return transforms (j, 4, 4) from the file's pose to ours: arms 45° down, legs 6° apart, feet level."""
    moved = np.tile(np.eye(4), (len(heads), 1, 1))
    limbs = rig.bones.limbs
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = np.array([sign * np.cos(ARM_DOWN), -np.sin(ARM_DOWN), 0.0])
        leg = np.array([sign * np.sin(LEG_OUT), -np.cos(LEG_OUT), 0.0])
        for chain, wanted in ((("upper_arm", "forearm", "hand"), arm), (("thigh", "shin", "foot"), leg)):
            for part, end in pairwise(chain):
                if f"{side}_{part}" in limbs and f"{side}_{end}" in limbs:
                    a, b = limbs[f"{side}_{part}"], limbs[f"{side}_{end}"]
                    now = moved[a, :3, :3] @ (heads[b] - heads[a])
                    _rotate_below(moved, heads, rig, a, to_matrix(shortest_rotation(now, wanted)))
        foot = limbs[f"{side}_foot"]
        _rotate_below(moved, heads, rig, foot, moved[foot, :3, :3].T)
    return moved


def _rotate_below(moved: Floats, heads: Floats, rig: AvatarRig, joint: int, rotation: Floats) -> None:
    """Turn a joint and all that hangs on it about the joint's present place."""
    about = moved[joint, :3, :3] @ heads[joint] + moved[joint, :3, 3]
    change = np.eye(4)
    change[:3, :3], change[:3, 3] = rotation, about - rotation @ about
    below = {joint}
    for other, parent in enumerate(rig.parents):
        if int(parent) in below:
            below.add(other)
    for other in below:
        moved[other] = change @ moved[other]


def joint_limbs(rig: AvatarRig) -> Ints:
    """Return the limb label of each joint: its own part's, or its parent's."""
    label: dict[int, str] = {rig.bones.hips: "pelvis"}
    label |= dict.fromkeys(rig.bones.spine, "torso") | dict.fromkeys(rig.bones.neck[:-1], "neck")
    label |= dict.fromkeys(rig.bones.neck[-1:], "head")
    for name, joint in rig.bones.limbs.items():
        side, part = name.split("_", 1)
        label[joint] = _LIMB_OF_PART[part].format(side)
    found = np.zeros(len(rig.names), dtype=np.int32)
    for joint, parent in enumerate(rig.parents):
        if joint in label:
            found[joint] = LIMBS.index(label[joint])
        else:
            found[joint] = found[parent] if parent >= 0 else LIMBS.index("pelvis")
    return found
