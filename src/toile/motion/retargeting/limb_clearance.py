"""Limb clearance: arms kept out of the trunk and thighs out of each other on bodies wider than the actor.

The depth of one limb's skin inside another is measured on the posed skin: a vertex is inside as far as it
lies behind the tangent plane of the other limb's nearest vertex, under it. Arms are turned about the
shoulder, out to their side, smoothly over time; thighs are spread by one angle for the whole motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from toile.body.model.skin import vertex_normals
from toile.core.records import LIMBS, Body, Floats, Ints
from toile.geometry.rotation import from_matrix, from_vector, inverse, multiply, rotate, to_matrix, unit
from toile.motion.retargeting.foot_contacts import SIDES, rotate_subtree
from toile.motion.retargeting.transfer import PoseSequence
from toile.motion.track import smooth

NEAR = 0.12
"""a vertex farther than this from the other skin is not inside it [m]"""
ASIDE = 0.03
"""what lies further beside the nearest vertex than vertices lie apart is beyond the skin's border [m]"""


@dataclass(frozen=True, slots=True)
class ClearanceSettings:
    """How far limbs stay apart."""

    gap: float = 0.020
    """room between arm and trunk, for the cloth: two layers and what they keep from the skin [m]"""
    upper: float = 0.6
    """share of the upper arm that may touch the trunk, as it does in everybody"""
    largest: float = 40.0
    """an arm is never turned farther than this [degrees]"""
    spread: float = 12.0
    """thighs are never spread farther than this [degrees]"""
    rate: float = 30.0
    """frames per second at which skins are compared"""


DEFAULT = ClearanceSettings()


@dataclass(frozen=True, eq=False, slots=True)
class SkinSample:
    """Some skin of a body: vertices with their normals and weights."""

    vertex: Ints
    normal: Floats
    """at rest, (n, 3)"""


def sample_skin(
    body: Body, limbs: tuple[str, ...], most: int, away: tuple[Floats, float] | None = None
) -> SkinSample:
    """Return about that many vertices of some limbs; away: (point, distance) leaves out nearer ones."""
    wanted = [LIMBS.index(limb) for limb in limbs]
    vertex = np.flatnonzero(np.isin(body.limb, wanted))
    if away is not None:
        vertex = vertex[np.linalg.norm(body.vertices[vertex] - away[0], axis=1) > away[1]]
    vertex = vertex[:: max(len(vertex) // most, 1)]
    return SkinSample(vertex.astype(np.int32), vertex_normals(body.vertices, body.triangles)[vertex])


def joint_matrices(pose: PoseSequence, frames: Ints) -> Floats:
    """Return world_from_rest of the joints in some frames, (f, j, 3, 4)."""
    rest = np.asarray(pose.body.skeleton.world_from_joint)
    rotation = multiply(pose.rotation[frames], inverse(from_matrix(rest[:, :3, :3])))
    moved = np.zeros((len(frames), len(rest), 3, 4))
    moved[..., :3] = to_matrix(rotation)
    moved[..., 3] = pose.positions()[frames] - rotate(rotation, rest[:, :3, 3])
    return moved


def pose_sample(body: Body, patch: SkinSample, matrices: Floats) -> tuple[Floats, Floats]:
    """Return positions and unit normals (n, 3) of a patch in one frame, from (j, 3, 4)."""
    joints, weight = body.weight_joint[patch.vertex], body.weight[patch.vertex]
    blend = np.einsum("nk,nkab->nab", weight, matrices[joints])
    place = np.einsum("nab,nb->na", blend[..., :3], body.vertices[patch.vertex]) + blend[..., 3]
    return place, unit(np.einsum("nab,nb->na", blend[..., :3], patch.normal))


@dataclass(frozen=True, eq=False, slots=True)
class PosedSample:
    """A posed patch, ready to be asked."""

    place: Floats
    normal: Floats
    tree: cKDTree


def searchable_sample(body: Body, patch: SkinSample, matrices: Floats) -> PosedSample:
    """Pose a patch in one frame."""
    place, normal = pose_sample(body, patch, matrices)
    return PosedSample(place, normal, cKDTree(place))


def deepest(points: Floats, skin: PosedSample) -> tuple[float, int, Floats]:
    """Return the least signed distance to a skin [m] (inf: far away), which point has it, its normal."""
    distance, nearest = skin.tree.query(points, distance_upper_bound=NEAR)
    near = np.isfinite(distance)
    if not near.any():
        return np.inf, 0, np.zeros(3)
    nearest = np.minimum(nearest, len(skin.place) - 1)
    gap = np.sum((points - skin.place[nearest]) * skin.normal[nearest], axis=1)
    near &= np.where(near, distance, 0.0) ** 2 - gap**2 < ASIDE**2
    if not near.any():
        return np.inf, 0, np.zeros(3)
    worst = int(np.argmin(np.where(near, gap, np.inf)))
    return float(gap[worst]), worst, skin.normal[nearest[worst]]


def _trunk(body: Body) -> SkinSample:
    return sample_skin(body, ("torso", "pelvis", "left_thigh", "right_thigh"), 1500)


def _arm(pose: PoseSequence, side: str, upper: float) -> SkinSample:
    """Return an arm's skin without this share of the upper arm, which touches the trunk in everybody."""
    rest = pose.body.skeleton.world_from_joint[:, :3, 3]
    limbs = pose.bones.limbs
    shoulder, elbow = rest[limbs[f"{side}_upper_arm"]], rest[limbs[f"{side}_forearm"]]
    far = upper * float(np.linalg.norm(elbow - shoulder))
    parts = tuple(f"{side}_{part}" for part in ("upper_arm", "forearm", "hand"))
    return sample_skin(pose.body, parts, 300, (shoulder, far))


def has_arms(pose: PoseSequence) -> bool:
    """Say whether the body has arms that can be turned, and skin labels to measure them."""
    parts = [f"{side}_{part}" for side in SIDES for part in ("upper_arm", "forearm")]
    return all(part in pose.bones.limbs for part in parts) and all(
        (pose.body.limb == LIMBS.index(part)).any() for part in (*parts, "torso")
    )


def _compared(pose: PoseSequence, rate: float) -> Ints:
    """Return the frames at which skins are compared, the last included."""
    step = max(round(pose.fps / rate), 1)
    return np.unique(np.append(np.arange(0, len(pose.hips), step), len(pose.hips) - 1)).astype(np.int32)


def arm_depths(pose: PoseSequence, rate: float = DEFAULT.rate) -> Floats:
    """Return how deep the arms are in the trunk in each compared frame [m], (k, 2) for left and right."""
    return _arm_rotations(pose, _compared(pose, rate), 0.0, DEFAULT.upper)[1]


def clear_arms(
    pose: PoseSequence, settings: ClearanceSettings = DEFAULT, *, loop: bool = False, passes: int = 6
) -> tuple[float, float]:
    """Turn the arms out of the trunk; returns the deepest they were [m] and the largest turn [rad]."""
    frames = _compared(pose, settings.rate)
    total = np.zeros((len(pose.hips), 2, 3))
    allowed = np.radians(settings.largest)
    before = 0.0
    todo = np.ones(len(frames), dtype=bool)
    for number in range(passes):
        # frames that were clear of everything near them stay clear
        wanted, depth = np.zeros((len(frames), 2, 3)), np.zeros((len(frames), 2))
        wanted[todo], depth[todo] = _arm_rotations(pose, frames[todo], settings.gap, settings.upper)
        bad = np.abs(wanted).max(axis=(1, 2)) > 1e-3
        todo = ndimage.binary_dilation(bad, iterations=8)
        before = float(depth.max(initial=0.0)) if number == 0 else before
        if not bad.any():
            break
        wanted = _fill(wanted, frames, len(pose.hips), pose.fps, loop)
        size = np.linalg.norm(total + wanted, axis=-1, keepdims=True)
        wanted = (total + wanted) * np.minimum(1.0, allowed / np.maximum(size, 1e-9)) - total
        total += wanted
        for column, side in enumerate(SIDES):
            rotate_subtree(pose, pose.bones.limbs[f"{side}_upper_arm"], from_vector(wanted[:, column]))
    return before, float(np.linalg.norm(total, axis=-1).max())


def _arm_rotations(pose: PoseSequence, frames: Ints, gap: float, upper: float) -> tuple[Floats, Floats]:
    """Return turns (rotation vectors) that bring each arm out of the trunk, (k, 2, 3), and depths (k, 2)."""
    body, matrices, at = pose.body, joint_matrices(pose, frames), pose.positions()[frames]
    trunk, arms = _trunk(body), [_arm(pose, side, upper) for side in SIDES]
    rotations, depths = np.zeros((len(frames), 2, 3)), np.zeros((len(frames), 2))
    shoulder = {side: at[:, pose.bones.limbs[f"{side}_upper_arm"]] for side in SIDES}
    aside = unit(shoulder["left"] - shoulder["right"])
    for row, matrix in enumerate(matrices):
        skin = searchable_sample(body, trunk, matrix)
        for column, (side, arm) in enumerate(zip(SIDES, arms, strict=True)):
            points = pose_sample(body, arm, matrix)[0]
            signed, worst, normal = deepest(points, skin)
            depths[row, column] = max(-signed, 0.0)
            if signed < gap:
                lever = points[worst] - shoulder[side][row]
                push = _push(normal, aside[row] * (1.0 if side == "left" else -1.0))
                axis = np.cross(lever, push)
                length = (gap - signed) / max(float(push @ normal), 0.35)
                rotations[row, column] = axis * length / max(float(axis @ axis), 1e-3)
    return rotations, depths


def _push(normal: Floats, outward: Floats) -> Floats:
    """Return the way an arm is pushed: out to its side, a little along the normal; swings stay swings."""
    return unit(outward + 0.35 * normal * np.array([1.0, 0.0, 1.0]))


def _fill(values: Floats, frames: Ints, count: int, fps: float, loop: bool) -> Floats:
    """Return values at all frames, widened and smoothed in time so that peaks survive the smoothing."""
    shape = values.shape[1:]
    flat = values.reshape(len(values), -1)
    full = np.stack([np.interp(np.arange(count), frames, column) for column in flat.T], axis=1)
    full = np.concatenate([full[:-1], full[:-1], full]) if loop else full
    width = max(round(0.2 * fps), 1)
    size = np.linalg.norm(full.reshape(len(full), -1, 3), axis=-1)
    wide = smooth(ndimage.maximum_filter1d(size, 2 * width + 1, axis=0), 0.7 * width)
    rotations = unit(smooth(full, width).reshape(len(full), -1, 3)) * wide[..., None]
    rotations = rotations[count - 1 : 2 * count - 1] if loop else rotations
    return np.asarray(rotations.reshape(count, *shape))


def thigh_depth(pose: PoseSequence, most: int = 48) -> float:
    """Return how deep the thighs are in each other at worst [m], in about that many frames."""
    frames = np.unique(np.linspace(0, len(pose.hips) - 1, most).astype(np.int32))
    body, depths = pose.body, []
    rest = body.skeleton.world_from_joint[:, :3, 3]
    hip, knee = (rest[pose.bones.limbs[f"left_{part}"]] for part in ("thigh", "shin"))
    # near the crotch the thighs are one
    far = 0.45 * float(np.linalg.norm(knee - hip))
    left = sample_skin(body, ("left_thigh", "left_shin"), 400, (hip, far))
    right = sample_skin(body, ("right_thigh", "right_shin"), 1200)
    for matrix in joint_matrices(pose, frames):
        points = pose_sample(body, left, matrix)[0]
        depths.append(max(-deepest(points, searchable_sample(body, right, matrix))[0], 0.0))
    return max(depths, default=0.0)


def spread_thighs(pose: PoseSequence, angle: float) -> None:
    """Turn both thighs outward by an angle [rad] about the pelvis' forward axis; the feet keep their turn."""
    hips = pose.bones.hips
    rest = from_matrix(pose.body.skeleton.world_from_joint[hips, :3, :3])
    ahead = rotate(multiply(pose.rotation[:, hips], inverse(rest)), np.array([0.0, 0.0, 1.0]))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        foot = pose.bones.limbs[f"{side}_foot"]
        before = np.array(pose.rotation[:, foot])
        rotate_subtree(pose, pose.bones.limbs[f"{side}_thigh"], from_vector(ahead * (sign * angle)))
        rotate_subtree(pose, foot, multiply(before, inverse(pose.rotation[:, foot])))
