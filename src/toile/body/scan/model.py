"""The model that is fitted to scans: principal components of sampled people, posed by turning joints.

Skin and joints are linear in the components; a pose is one turn (world_from_rest) per joint. The slopes of
the posed skin by components and by small turns of the joints are exact.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from toile.body.model.data import load_template
from toile.body.model.landmarks import skin_at_rest
from toile.body.model.population import sample_people, shape_of
from toile.body.model.skeleton import descendants
from toile.core.records import Bools, Floats, Ints

PEOPLE = 80
"""sampled people of each sex"""
COMPONENTS = 50
TURNED = (
    "Hips", "LowerBack", "Spine1", "Neck", "Head",
    "LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand", "RightShoulder", "RightArm", "RightForeArm",
    "RightHand", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot",
)  # fmt: skip
"""joints whose turns are fitted"""


@dataclass(frozen=True, eq=False, slots=True)
class ScanModel:
    """Mean and components of skin, joints and bone ends in the rest pose."""

    mean: Floats
    """skin, heads, tails one below the other [m], (n + 2 j, 3)"""
    parts: Floats
    """each for one standard deviation [m], (n + 2 j, 3, k)"""
    skin_count: int
    sexes: dict[str, Floats]
    """components of the mean woman and the mean man, (k,)"""
    per_height: Floats
    """how the components change with the height [1/m], (k,)"""
    heights: dict[str, float]
    """mean height of the sexes [m]"""
    weights: Floats
    """share of each joint in each vertex, (n, j)"""
    parents: Ints
    turned: Ints
    """joints whose turns are fitted, (t,)"""
    below: Bools
    """which joints hang on each of them, itself included, (t, j)"""


@functools.cache
def scan_model() -> ScanModel:
    """Return the model, computed at first use (about a second)."""
    template = load_template()
    rig = template.rigs["cmu_mb"]
    rows, sexes = [], []
    for sex in ("female", "male"):
        for age, dials in zip(*sample_people(sex, PEOPLE, seed=7), strict=True):
            stance = skin_at_rest(shape_of(sex, float(age), dials))
            rows.append(np.concatenate([stance.skin, stance.heads, stance.tails]).astype(np.float32).ravel())
            sexes.append(sex)
    data = np.array(rows)
    mean = data.mean(axis=0)
    data -= mean
    values, vectors = np.linalg.eigh((data @ data.T).astype(np.float64))
    values, vectors = values[::-1][:COMPONENTS], vectors[:, ::-1][:, :COMPONENTS]
    parts = (data.T @ vectors.astype(np.float32)).astype(np.float64) / np.sqrt(len(data))
    score = vectors * np.sqrt(len(data))
    count, joints = len(template.vertices), len(rig.names)
    height = (data + mean).reshape(len(data), -1, 3)[:, :count, 1].max(axis=1).astype(np.float64)
    female = np.array([s == "female" for s in sexes])
    groups = {"female": female, "male": ~female}
    off = height - np.where(female, height[female].mean(), height[~female].mean())
    turned = np.array([rig.names.index(n) for n in TURNED], dtype=np.int32)
    below = np.zeros((len(turned), joints), dtype=np.bool_)
    for i, joint in enumerate(turned):
        below[i, descendants(rig.parents, int(joint))] = True
    weights = np.zeros((count, joints))
    np.add.at(weights, (np.arange(count)[:, None], rig.weight_joint), rig.weight)
    return ScanModel(
        mean.astype(np.float64).reshape(-1, 3), parts.reshape(-1, 3, len(values)), count,
        {n: score[g].mean(axis=0) for n, g in groups.items()}, score.T @ off / (off @ off),
        {n: float(height[g].mean()) for n, g in groups.items()}, weights, rig.parents, turned, below,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class ScanPose:
    """A person of the model in a pose."""

    shape: Floats
    """components, (k,)"""
    rotation: Floats
    """world_from_rest of each joint, (j, 3, 3)"""
    root: Floats
    """where the root joint is [m], (3,)"""


def rest_skin(model: ScanModel, shape: Floats) -> tuple[Floats, Floats, Floats]:
    """Return skin, heads and tails in the rest pose [m]."""
    both = model.mean + model.parts @ shape
    skin, joints = both[: model.skin_count], len(model.parents)
    return skin, both[model.skin_count : -joints], both[-joints:]


def joint_places(model: ScanModel, pose: ScanPose, heads: Floats) -> Floats:
    """Return where the joints are in the pose [m], (j, 3); heads (j, 3) or their slopes (j, 3, k)."""
    places = np.zeros_like(heads)
    for j, parent in enumerate(model.parents):
        if parent >= 0:
            places[j] = places[parent] + pose.rotation[parent] @ (heads[j] - heads[parent])
    return places


def posed_skin(model: ScanModel, pose: ScanPose, rows: Ints | None = None) -> Floats:
    """Return the skin (or these rows of it) in the pose [m]."""
    skin, heads, _ = rest_skin(model, pose.shape)
    rows = np.arange(model.skin_count, dtype=np.int32) if rows is None else rows
    places = joint_places(model, pose, heads) + pose.root
    shift = places - np.einsum("jab,jb->ja", pose.rotation, heads)
    weights = model.weights[rows]
    matrix = np.einsum("nj,jab->nab", weights, pose.rotation, optimize=True)
    result: Floats = np.einsum("nab,nb->na", matrix, skin[rows]) + weights @ shift
    return result


def slopes(model: ScanModel, pose: ScanPose, rows: Ints, normals: Floats) -> Floats:
    """Return how far along its normal each row moves per parameter: components, turns, root, (m, p)."""
    skin, heads, _ = rest_skin(model, pose.shape)
    weights = model.weights[rows]
    slope_heads = model.parts[model.skin_count : -len(heads)]
    slope_shift = joint_places(model, pose, slope_heads) - pose.rotation @ slope_heads
    matrix = np.einsum("nj,jab->nab", weights, pose.rotation, optimize=True)
    along = np.einsum("na,nab->nb", normals, matrix)
    by_shape = np.einsum("nb,nbk->nk", along, model.parts[rows])
    by_shape += np.einsum("na,nak->nk", normals, np.tensordot(weights, slope_shift, axes=(1, 0)))
    places = joint_places(model, pose, heads) + pose.root
    shift = places - np.einsum("jab,jb->ja", pose.rotation, heads)
    each = np.einsum("jab,nb->nja", pose.rotation, skin[rows]) + shift
    each *= weights[:, :, None]
    by_rotation = np.zeros((len(rows), len(model.turned), 3))
    for i, joint in enumerate(model.turned):
        under = model.below[i]
        arm = each[:, under].sum(axis=1) - weights[:, under].sum(axis=1)[:, None] * places[joint]
        by_rotation[:, i] = np.cross(arm, normals)
    return np.concatenate([by_shape, by_rotation.reshape(len(rows), -1), normals], axis=1)


def pose_after_step(model: ScanModel, pose: ScanPose, step: Floats) -> ScanPose:
    """Return the pose after a step of all parameters (order as in slopes)."""
    count = len(pose.shape)
    rotation = pose.rotation.copy()
    small = Rotation.from_rotvec(step[count:-3].reshape(-1, 3)).as_matrix()
    # from the leaves to the root, so that each turn is about the axes that its slope was taken for
    for i in range(len(model.turned) - 1, -1, -1):
        rotation[model.below[i]] = small[i] @ rotation[model.below[i]]
    return ScanPose(pose.shape + step[:count], rotation, pose.root + step[-3:])


def local_rotations(model: ScanModel, pose: ScanPose) -> Floats:
    """Return how each fitted joint is turned against its parent, axis times angle [rad], (t, 3)."""
    parents = model.parents[model.turned]
    before = np.where((parents >= 0)[:, None, None], pose.rotation[parents], np.eye(3))
    found: Floats = Rotation.from_matrix(np.swapaxes(before, 1, 2) @ pose.rotation[model.turned]).as_rotvec()
    return found


def start_pose(model: ScanModel, sex: str, arm_down: float, height: float | None = None) -> ScanPose:
    """Return the mean person of a sex, upright, the arms this far below the horizontal [rad]."""
    shape = model.sexes[sex]
    if height is not None:
        shape = shape + model.per_height * (height - model.heights[sex])
    rotation = np.tile(np.eye(3), (len(model.parents), 1, 1))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        raised = Rotation.from_rotvec([0.0, 0.0, sign * (np.radians(45.0) - arm_down)]).as_matrix()
        rotation[model.below[TURNED.index(side + "Arm")]] = raised
    _, heads, _ = rest_skin(model, shape)
    return ScanPose(shape, rotation, heads[0])
