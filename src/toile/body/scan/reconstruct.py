"""A 3D scan of a person → a Body: cleaned, oriented, fitted, brought into the A-pose. See docs/scans.md."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from toile.body.measure.measures import measure
from toile.body.model.data import load_template
from toile.body.model.landmarks import limb_mask, template_landmarks
from toile.body.model.skeleton import joint_frames, swing
from toile.body.scan.clean import Cloud, clean
from toile.body.scan.cloth import scan_gaps
from toile.body.scan.fit import fit_pose, fit_rest, surface_gap
from toile.body.scan.model import (
    ScanModel,
    ScanPose,
    joint_places,
    posed_skin,
    rest_skin,
    scan_model,
    start_pose,
)
from toile.body.scan.orient import ScanOrientation, find_orientation
from toile.body.scan.refusals import Findings, check, inspect_fit, lost_arms
from toile.core.blas import one_thread
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Ints, Skeleton
from toile.core.units import cm
from toile.io.glb import read_glb
from toile.io.surfaces import FORMATS, read_triangles

SURE_HEIGHT = (1.40, 1.95)
"""heights outside are to be confirmed [m]"""
TILTED = np.radians([4.0, 15.0])
"""a person who leans by more than the first against the file's axes or the floor may lie; beyond the second
the file's axes tell nothing [rad]"""
ARMS_AGAIN = (5.0, 40.0, 75.0)
"""where arms start that were not found, degrees below the horizontal"""
SURE_MARGIN = 0.03
"""how much worse the best opposite facing should fit"""
ROUGH = ("head", "left_hand", "right_hand", "left_foot", "right_foot")
"""limbs that the surface error leaves out"""


@dataclass(frozen=True, eq=False, slots=True)
class ScanFit:
    """A body fitted to a scan, and how well."""

    body: Body
    facing: ScanOrientation
    """ours_from_file"""
    mean_error: float
    """distance of the scan to the fitted skin, head, hands and feet aside [m]"""
    high_error: float
    """95 % of the scan's points are nearer than this [m]"""
    posed: Floats
    """the fitted skin as the person stood [m], (n, 3)"""
    gap: Floats
    """how far the scan lies outside the fitted skin [m], nan where it has a hole, (n,)"""
    found: Findings
    """what the refusals look at"""
    doubts: tuple[str, ...] = ()
    """what the customer should confirm, one sentence each"""

    def summary(self) -> str:
        """Return one line for the user to confirm."""
        return (
            f"unit {self.facing.unit}, height {cm(self.body.measurements['height'])}, "
            f"surface error mean {self.mean_error * 1000:.1f} mm, 95 % {self.high_error * 1000:.1f} mm"
        )


def is_scan(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a plain surface: .obj, .ply, .stl, or a .glb without a skin."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS or not path.is_file():
        return False
    return path.suffix.lower() != ".glb" or not read_glb(path).items("skins")


def read_scan(path: str | os.PathLike[str]) -> Body:
    """Return the person of a scan file as a body in the rest pose."""
    return fit_scan(path).body


def fit_scan(path: str | os.PathLike[str]) -> ScanFit:
    """Fit the template to a scan file (.obj, .ply, .stl, .glb); what is no complete person is refused."""
    points, triangles = read_triangles(path)
    return fit_surface(points, triangles, Path(path).name)


def fit_surface(points: Floats, triangles: Ints, name: str = "scan") -> ScanFit:
    """Fit the template to a surface in any unit and axes, points (n, 3), triangles (t, 3)."""
    with one_thread():
        cloud = clean(points, triangles, name)
        model = scan_model()
        facing = find_orientation(cloud.points, name)
        floor = cloud.floor
        cloud = Cloud(facing.place(cloud.points), cloud.normals @ facing.rotation.T)
        pose, cloud, found = _fitted(model, facing, cloud)
        check(found, cloud, name)
        if facing.short:
            raise ToileError(facing.short)
        fitted = fit_rest(posed_skin(model, pose), cloud)
        mean, high = _errors(cloud, fitted)
        up = _plumb(model, pose)
        body = _body(model, pose, fitted, Path(name).stem or "scan", float(np.ptp(fitted @ up)))
        told = _doubts(facing, facing.rotation.T @ up, floor, body.measurements["height"])
    return ScanFit(body, facing, mean, high, fitted, scan_gaps(cloud, fitted), found, told)


def _fitted(model: ScanModel, facing: ScanOrientation, cloud: Cloud) -> tuple[ScanPose, Cloud, Findings]:
    """Return the person nearest to the scan; arms that found nothing try again from other places."""
    height = float(np.ptp(cloud.points[:, 1]))
    best: tuple[ScanPose, Cloud, Findings] | None = None
    for arm_down in (facing.arm_down, *np.radians(ARMS_AGAIN)):
        pose, seen = fit_pose(model, cloud, start_pose(model, facing.sex, float(arm_down), height))
        found = inspect_fit(model, pose, seen)
        if best is None or found.off < best[2].off:
            best = pose, seen, found
        if not lost_arms(best[2]):
            break
    assert best is not None
    return best


def _plumb(model: ScanModel, pose: ScanPose) -> Floats:
    """Return the person's own vertical: what the rest pose's line from the ankles to the neck became."""
    names = load_template().rigs["cmu_mb"].names
    feet, neck = [names.index("LeftFoot"), names.index("RightFoot")], names.index("Neck")
    _, heads, _ = rest_skin(model, pose.shape)
    places = joint_places(model, pose, heads)
    before, after = (joint[neck] - joint[feet].mean(axis=0) for joint in (heads, places))
    up: Floats = swing(before, after) @ np.array([0.0, 1.0, 0.0])
    return up


def _doubts(facing: ScanOrientation, up: Floats, floor: Floats | None, height: float) -> tuple[str, ...]:
    """Return what the customer should confirm; up: the person's vertical in the file's axes."""
    found = []
    if not SURE_HEIGHT[0] <= height <= SURE_HEIGHT[1]:
        found.append(f"confirm the height of {height * 100:.0f} cm: few people are that tall or that small")
    true_up = np.eye(3) if floor is None else floor[None]
    tilt = np.arccos(min(float(np.abs(true_up @ up).max()), 1.0))
    if TILTED[0] < tilt < TILTED[1]:
        found.append(f"confirm which way is up: the person leans by {np.degrees(tilt):.0f}°")
    if facing.margin < SURE_MARGIN:
        found.append("confirm which side is the front: the other one fits nearly as well")
    return tuple(found)


def _errors(cloud: Cloud, skin: Floats) -> tuple[float, float]:
    template = load_template()
    gap = surface_gap(cloud.points, skin, template.triangles)
    _, near = cKDTree(skin).query(cloud.points)
    gap = gap[~limb_mask(template.limb, *ROUGH)[near]]
    return float(gap.mean()), float(np.quantile(gap, 0.95))


def _body(model: ScanModel, pose: ScanPose, fitted: Floats, name: str, height: float) -> Body:
    """Return the fitted skin in the rest pose: what the pose did is undone vertex by vertex.

    height: of the person as scanned [m]; legs apart, as in the rest pose, make it less.
    """
    template = load_template()
    rig = template.rigs["cmu_mb"]
    skin, heads, tails = rest_skin(model, pose.shape)
    matrix = np.einsum("nj,jab->nab", model.weights, pose.rotation, optimize=True)
    moved = np.linalg.solve(matrix, (fitted - posed_skin(model, pose))[:, :, None])[:, :, 0]
    skin = skin + moved
    floor = np.array([0.0, skin[:, 1].min(), 0.0])
    heads, tails = heads - floor, tails - floor
    body = Body(
        name=name,
        vertices=skin - floor,
        triangles=template.triangles,
        skeleton=Skeleton(rig.names, rig.parents, joint_frames(heads, tails), tails),
        weight_joint=rig.weight_joint,
        weight=rig.weight,
        limb=template.limb,
        landmarks=template_landmarks(),
    )
    return replace(body, measurements={**measure(body), "height": height})
