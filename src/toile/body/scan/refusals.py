"""What is refused: scans with parts missing, in loose clothes, of people who do not stand, of other things.

The limits lie between what complete people and what refused shapes reach; docs/scans.md tells the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

from toile.body.model.data import load_template
from toile.body.model.landmarks import limb_mask
from toile.body.model.skin import vertex_normals
from toile.body.scan.clean import Cloud
from toile.body.scan.cloth import SurfaceOffset, scan_gaps, surface_offsets
from toile.body.scan.fit import surface_gap
from toile.body.scan.model import ScanModel, ScanPose, joint_places, posed_skin, rest_skin
from toile.body.scan.orient import crouches
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Floats

NEAR = 0.03
"""skin farther than this from the scan is not covered by it [m]"""
OFF, ROUGH_OFF = 0.02, 0.01
"""points of the scan farther than this from the fitted person are not skin, or loose skin [m]"""
MOST_OFF, MOST_ROUGH = 0.05, 0.04
"""share of such points in an unclothed scan, at most"""
STRANGE_OFF, ALIEN_OFF = 0.2, 0.5
"""share of points off the skin that only things reach: with a strange shape, with any shape"""
UNUSUAL, STRANGE = 13.0, 30.0
"""length of the shape's components [standard deviations]: of dressed people, of things"""
MOST_BARE = {"head": 0.5, "torso": 0.15, "pelvis": 0.2, "left_hand": 0.7, "right_hand": 0.7}
"""share of a limb that the scan may leave uncovered"""
MOST_BARE_LIMB = 0.35
MOST_UNEVEN = {"trunk": 0.0052, "arm": 0.0055, "leg": 0.0065}
"""how unevenly skin may lie round the fitted person (scan_cloth.Lie) [m]"""
MOST_STEP = {"trunk": 0.007, "arm": 0.0055, "leg": 0.006}
"""how abruptly skin may come off it along a limb [m]; hems do more"""
UNEVEN = 0.3
"""a limb that is this much barer than that of the other side is missing, not bent"""
BENT_TRUNK, BENT_LEG = np.radians([20.0, 25.0])
"""trunk against legs, thighs and shins against the vertical: people who stand stay below [rad]"""
THING = "this is not a person who stands upright (nothing like a body fits it)"
BENT = "the person sits or bends: scan a person who stands upright, arms off the body"


@dataclass(frozen=True, eq=False, slots=True)
class Findings:
    """What was found out about a scan by fitting a person to it."""

    bare: Mapping[str, float]
    """limb → share of its skin that the scan leaves uncovered"""
    back: bool
    """the uncovered part of the trunk is the back, not the front"""
    off: float
    """share of the scan more than 2 cm from the person"""
    rough: float
    """share of the scan more than 1 cm from the person"""
    strange: float
    """length of the shape's components [standard deviations]"""
    trunk_bend: float
    """between the line of the legs and that of the trunk [rad]"""
    leg_bend: float
    """greatest angle of thighs and shins against the legs' rest direction [rad]"""
    lie: Mapping[str, SurfaceOffset] = field(default_factory=dict)
    """how the scan lies on trunk, arms and legs"""


def inspect_fit(model: ScanModel, pose: ScanPose, cloud: Cloud) -> Findings:
    """Return what the fitted person tells about the scan."""
    template, skin = load_template(), posed_skin(model, pose)
    normals = vertex_normals(skin, template.triangles)
    gaps, near = cKDTree(cloud.points).query(skin, k=4)
    same = np.einsum("nka,na->nk", cloud.normals[near], normals) > 0.0
    bare = ~((gaps < NEAR) & same).any(axis=1)
    share = {limb: float(bare[limb_mask(template.limb, limb)].mean()) for limb in LIMBS}
    trunk = normals[bare & limb_mask(template.limb, "torso", "pelvis"), 2]
    gap = surface_gap(cloud.points, skin, template.triangles)
    trunk_bend, leg_bend = _bends(model, pose)
    return Findings(
        share,
        bool(len(trunk) and trunk.mean() < 0),
        float((gap > OFF).mean()),
        float((gap > ROUGH_OFF).mean()),
        float(np.linalg.norm(pose.shape)),
        trunk_bend,
        leg_bend,
        surface_offsets(scan_gaps(cloud, skin)),
    )


def _bends(model: ScanModel, pose: ScanPose) -> tuple[float, float]:
    names = load_template().rigs["cmu_mb"].names
    places = joint_places(model, pose, rest_skin(model, pose.shape)[1])
    feet = places[[names.index("LeftFoot"), names.index("RightFoot")]].mean(axis=0)
    hips, neck = places[names.index("Hips")], places[names.index("Neck")]
    legs = [names.index(side + part) for side in ("Left", "Right") for part in ("UpLeg", "Leg")]
    upright = min(float(pose.rotation[joint][1, 1]) for joint in legs)
    return _angle(neck - hips, hips - feet), float(np.arccos(np.clip(upright, -1.0, 1.0)))


def _angle(a: Floats, b: Floats) -> float:
    return float(np.arccos(np.clip(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), -1.0, 1.0)))


def check(found: Findings, cloud: Cloud, name: str) -> None:
    """Refuse what is no complete, upright, undressed person, in one line that says why."""
    reason = refusal(found)
    if reason == THING and crouches(cloud.points):
        reason = BENT
    if reason:
        raise ToileError(f"{name}: {reason}")


def refusal(found: Findings) -> str:
    """Return why a scan cannot be used; empty: it can."""
    missing = [limb for limb in LIMBS if found.bare[limb] > MOST_BARE.get(limb, MOST_BARE_LIMB)]
    strange = found.strange > STRANGE or _both_bare(found.bare, "hand")
    if found.off > ALIEN_OFF or (found.off > STRANGE_OFF and strange):
        return THING
    if _one_side(found.bare):
        return _names(missing)
    kneels = found.off > MOST_OFF and _both_bare(found.bare, "foot")
    if found.trunk_bend > BENT_TRUNK or found.leg_bend > BENT_LEG or kneels:
        return BENT
    dressed = _cloth(found)
    if not dressed and ("torso" in missing or "pelvis" in missing):
        return f"the {'back' if found.back else 'front'} is missing: scan the person from all sides"
    if "head" in missing or "neck" in missing:
        return "the head is missing: scan the whole person"
    if dressed:
        return f"{dressed}: remove clothing (what fits tightly may stay on) and tie long hair up"
    return _names(missing) if missing else ""


def _cloth(found: Findings) -> str:
    """Return what looks like cloth; empty: nothing."""
    if found.off > MOST_OFF:
        return f"{found.off:.0%} of the scan lies more than 2 cm off any body"
    if found.strange > UNUSUAL and found.rough > MOST_ROUGH:
        return f"{found.rough:.0%} of the scan lies more than 1 cm off any body"
    for part, lie in found.lie.items():
        if lie.uneven > MOST_UNEVEN[part]:
            return f"the scan hangs round the {part} like cloth, {lie.uneven * 1000:.0f} mm off and on"
        if lie.step > MOST_STEP[part]:
            return f"the scan has a hem on the {part}, a step of {lie.step * 1000:.0f} mm"
    return ""


def lost_arms(found: Findings) -> bool:
    """Return whether an arm lies where the scan has none, while the scan has something that is no skin."""
    arms = [found.bare[f"{side}_{part}"] for side in ("left", "right") for part in ("upper_arm", "forearm")]
    return MOST_OFF / 2 < found.off < ALIEN_OFF and max(arms) > UNEVEN


def _both_bare(bare: Mapping[str, float], part: str) -> bool:
    """Return whether the scan has nothing where either hand or foot should be."""
    return min(bare[f"left_{part}"], bare[f"right_{part}"]) > MOST_BARE["left_hand"]


def _one_side(bare: Mapping[str, float]) -> bool:
    """Return whether a thigh or shin is missing on one side only."""
    return any(abs(bare[f"left_{part}"] - bare[f"right_{part}"]) > UNEVEN for part in ("thigh", "shin"))


def _names(missing: list[str]) -> str:
    words = ", ".join(limb.replace("_", " ") for limb in missing)
    return f"missing: {words or 'a leg'}: scan the whole person, arms off the body"
