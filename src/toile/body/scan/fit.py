"""Fitting the template to a scan: shape and pose by Gauss–Newton, then smooth displacements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, diags_array, eye_array
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree

from toile.body.model.data import load_template
from toile.body.model.landmarks import limb_mask
from toile.body.model.skin import vertex_normals
from toile.body.scan.clean import Cloud
from toile.body.scan.model import (
    TURNED,
    ScanModel,
    ScanPose,
    local_rotations,
    pose_after_step,
    posed_skin,
    slopes,
)
from toile.core.records import Floats, Ints
from toile.geometry.section import unique_edges

STEPS = 24
SIGMA = (0.10, 0.015)
"""how far a point may be off before it counts less, first and last step [m]"""
SIGNED = 8
"""from this step on the normals' signs are trusted"""
FORTH, BACK = 2400, 1800
"""points of the scan, points of the template that are matched in each step"""
PRIOR_SHAPE, PRIOR_ROTATION = 0.0004, 0.01
"""how much a standard deviation, a radian weighs [m]"""
STIFF = {
    "LeftShoulder": 11.0,
    "RightShoulder": 11.0,
    "LowerBack": 3.0,
    "Spine1": 3.0,
    "Neck": 2.0,
    "Head": 2.0,
}
"""joints whose rotation is penalised more than others', and by how much"""
STIFFNESS = np.geomspace(30.0, 0.6, 8)
SCALP = 0.11
"""the head down to here below the crown is followed like the rest: the height depends on it [m]"""
FIXED = ("head", "left_hand", "right_hand", "left_foot", "right_foot")
"""limbs that follow the scan only roughly: fingers, faces and toes are seldom scanned well"""


@dataclass(frozen=True, eq=False, slots=True)
class Matches:
    """Pairs of template vertices and scan points."""

    row: Ints
    """vertex of the template, (k,)"""
    target: Floats
    """point of the scan [m], (k, 3)"""
    normal: Floats
    """between those of both, unit, (k, 3)"""
    weight: Floats
    """0 to 1, (k,)"""


def fit_pose(model: ScanModel, cloud: Cloud, pose: ScanPose) -> tuple[ScanPose, Cloud]:
    """Return the person of the model that is nearest to the scan, and the scan with normals outwards."""
    triangles = load_template().triangles
    rng = np.random.default_rng(4)
    rows = _spread_rows(model, rng)
    for step, sigma in enumerate(np.geomspace(*SIGMA, STEPS)):
        skin = posed_skin(model, pose)
        normals = vertex_normals(skin, triangles)
        if step == SIGNED:
            cloud = _outwards(cloud, skin, normals)
        few = rng.permutation(len(cloud.points))[:FORTH]
        part = Cloud(cloud.points[few], cloud.normals[few])
        match = _match(skin, normals, part, cloud, rows, float(sigma), step >= SIGNED)
        pose = _gauss_newton(model, pose, skin, match, float(sigma))
    return pose, _outwards(cloud, skin, normals)


def _spread_rows(model: ScanModel, rng: np.random.Generator) -> Ints:
    """Return vertices spread evenly over the skin."""
    gap = cKDTree(model.mean[: model.skin_count]).query(model.mean[: model.skin_count], k=5)[0][:, -1] ** 2
    return rng.choice(model.skin_count, BACK, replace=False, p=gap / gap.sum()).astype(np.int32)


def _outwards(cloud: Cloud, skin: Floats, normals: Floats) -> Cloud:
    """Return the cloud with its normals on the side of the nearest skin's."""
    _, near = cKDTree(skin).query(cloud.points, k=4)
    facing = np.einsum("na,nka->n", cloud.normals, normals[near])
    return Cloud(cloud.points, np.where(facing[:, None] < 0, -cloud.normals, cloud.normals))


def _match(
    skin: Floats, normals: Floats, part: Cloud, cloud: Cloud, rows: Ints, sigma: float, signed: bool
) -> Matches:
    """Return the nearest pairs both ways, weighed by distance (Geman & McClure 1987) and facing."""
    _, near = cKDTree(skin).query(part.points)
    _, back = cKDTree(cloud.points).query(skin[rows])
    row = np.concatenate([near, rows]).astype(np.int32)
    target = np.concatenate([part.points, cloud.points[back]])
    theirs = np.concatenate([part.normals, cloud.normals[back]])
    facing = np.einsum("na,na->n", theirs, normals[row])
    if not signed:
        theirs, facing = np.where(facing[:, None] < 0, -theirs, theirs), np.abs(facing)
    gap = np.linalg.norm(target - skin[row], axis=1)
    weight = (1.0 / (1.0 + (gap / sigma) ** 2)) ** 2 * np.clip((facing - 0.3) / 0.5, 0.0, 1.0)
    normal = theirs + normals[row]
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    return Matches(row, target, normal, weight)


def _gauss_newton(model: ScanModel, pose: ScanPose, skin: Floats, match: Matches, sigma: float) -> ScanPose:
    keep = match.weight > 0.01
    row, normal, weight = match.row[keep], match.normal[keep], match.weight[keep]
    slope = slopes(model, pose, row, normal)
    off = np.einsum("na,na->n", normal, match.target[keep] - skin[row])
    square = (slope * weight[:, None]).T @ slope
    side = slope.T @ (weight * off)
    count = len(pose.shape)
    # stronger priors while matches are rough
    scale = max(float(weight.sum()), 1.0) * max(sigma / SIGMA[1], 1.0)
    shape_prior, rotation_prior = scale * PRIOR_SHAPE**2 / 10, scale * PRIOR_ROTATION**2 / 10
    rotations = local_rotations(model, pose).ravel()
    rotations[:3] = 0.0
    rotation_priors = rotation_prior * np.repeat([STIFF.get(joint, 1.0) for joint in TURNED], 3)
    prior = np.concatenate([np.full(count, shape_prior), rotation_priors, np.full(3, 1e-6)])
    side[:count] -= shape_prior * pose.shape
    side[count:-3] -= rotation_priors * rotations
    step = np.linalg.solve(square + np.diag(prior), side)
    rotation = step[count:-3]
    step[count:-3] = rotation * min(1.0, 0.35 / max(float(np.abs(rotation).max()), 1e-9))
    return pose_after_step(model, pose, step)


def fit_rest(skin: Floats, cloud: Cloud) -> Floats:
    """Return the skin moved onto the scan by displacements that are as smooth as the scan allows."""
    template = load_template()
    smooth = _laplacian(template.triangles, len(skin))
    square = (smooth.T @ smooth).tocsc()
    tree = cKDTree(cloud.points)
    loose = limb_mask(template.limb, *FIXED)
    loose &= template.vertices[:, 1] < template.vertices[:, 1].max() - SCALP
    rough = np.where(loose, 0.05, 1.0)
    first = skin
    for stiffness in STIFFNESS:
        normals = vertex_normals(skin, template.triangles)
        gaps, near = tree.query(skin, k=6)
        target, theirs = cloud.points[near], cloud.normals[near]
        facing = np.einsum("nka,na->nk", theirs, normals)
        share = np.clip((facing - 0.5) / 0.3, 0.0, 1.0) / (1.0 + (gaps / 0.015) ** 2) ** 2
        off = (np.einsum("nka,nka->nk", target - skin[:, None], theirs) * share).sum(axis=1)
        total = share.sum(axis=1)
        off /= np.maximum(total, 1e-9)
        weight = np.minimum(total / 3.0, 1.0) * rough
        # beside the scan's border there is nothing to follow
        aside = np.sqrt(np.maximum(gaps[:, 0] ** 2 - off**2, 0.0))
        weight *= aside < 0.015
        wanted = skin + off[:, None] * normals - first
        matrix = (diags_array(weight) + stiffness * square + 1e-6 * eye_array(len(skin))).tocsc()
        solve = splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve
        skin = first + solve(weight[:, None] * wanted)
    return skin


def _laplacian(triangles: Ints, count: int) -> coo_array:
    edges = unique_edges(triangles)
    a, b = edges[:, 0], edges[:, 1]
    ones = np.ones(len(a))
    links = coo_array(
        (np.concatenate([ones, ones]), (np.concatenate([a, b]), np.concatenate([b, a]))), (count, count)
    )
    degree = np.asarray(links.sum(axis=1)).ravel()
    return (diags_array(np.ones(count)) - diags_array(1.0 / degree) @ links.tocsr()).tocoo()


def surface_gap(points: Floats, skin: Floats, triangles: Ints) -> Floats:
    """Return the distance of points to a surface of small triangles [m], (n,)."""
    corner = skin[triangles]
    _, near = cKDTree(corner.mean(axis=1)).query(points, k=5)
    best = np.full(len(points), np.inf)
    for column in near.T:
        best = np.minimum(best, _gap(points, corner[column]))
    return best


def _gap(points: Floats, corner: Floats) -> Floats:
    """Return the distance of each point to its triangle (n, 3, 3)."""
    a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
    normal = np.cross(b - a, c - a)
    size = np.maximum(np.einsum("na,na->n", normal, normal), 1e-30)
    off = np.einsum("na,na->n", points - a, normal)
    inside = np.ones(len(points), dtype=np.bool_)
    best = np.full(len(points), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        direction = end - start
        inside &= np.einsum("na,na->n", np.cross(direction, points - start), normal) >= 0
        share = np.einsum("na,na->n", points - start, direction) / np.maximum(
            np.einsum("na,na->n", direction, direction), 1e-30
        )
        nearest = start + np.clip(share, 0.0, 1.0)[:, None] * direction
        best = np.minimum(best, np.linalg.norm(points - nearest, axis=1))
    found: Floats = np.where(inside, np.abs(off) / np.sqrt(size), best)
    return found
