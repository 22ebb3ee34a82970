"""The body as a tailor's dummy: an axis for each limb, and heights to hang garments on.

Limb coordinates are those of a person whose limbs hang straight down: x to the left, y up, z to the front.
An arm that is held away from the body is described as if it hung, so that a sleeve is laid out like a
skirt.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial import cKDTree

from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, Bools, Floats

PANEL_LIMBS = ("torso", "left_arm", "right_arm", "left_leg", "right_leg", "neck", "head")
"""what a panel can be curved round"""

_SECTIONS: dict[str, tuple[str, ...]] = {
    "torso": ("torso", "pelvis", "left_thigh", "left_shin", "right_thigh", "right_shin"),
    "neck": ("neck",),
    "head": ("head",),
    **{f"{s}_arm": (f"{s}_upper_arm", f"{s}_forearm", f"{s}_hand") for s in ("left", "right")},
    **{f"{s}_leg": ("pelvis", f"{s}_thigh", f"{s}_shin") for s in ("left", "right")},
}
"""limbs that a panel round it must enclose"""


@dataclass(frozen=True, eq=False, slots=True)
class LimbAxis:
    """A limb's own coordinates."""

    name: str
    joint: Floats
    """a point of the axis at the limb's root [m], (3,)"""
    rotation: Floats
    """world_from_limb, (3, 3)"""
    joint_height: float
    """y of the joint in limb coordinates [m]"""
    section: Floats
    """the limb's skin in limb coordinates [m], (k, 3)"""
    worn: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """what is worn round it already, in limb coordinates [m], (w, 3)"""

    def world(self, points: Floats) -> Floats:
        """Return limb coordinates in the world [m], (n, 3)."""
        shifted = points - np.array([0.0, self.joint_height, 0.0])
        return np.asarray(shifted @ self.rotation.T + self.joint)

    def limb(self, points: Floats) -> Floats:
        """Return world coordinates along the limb [m], (n, 3)."""
        return np.asarray((points - self.joint) @ self.rotation + [0.0, self.joint_height, 0.0])


def limb_axis(body: Body, name: str) -> LimbAxis:
    """Return the axis of torso, left_arm, right_arm, left_leg, right_leg, neck or head."""
    if name not in PANEL_LIMBS:
        raise ToileError(f"panels go round {', '.join(PANEL_LIMBS)}, not '{name}'")
    side = name.split("_")[0]
    if name.endswith("_arm"):
        root, end = _ring(body, "torso", f"{side}_upper_arm"), _ring(body, f"{side}_forearm", f"{side}_hand")
        height = heights(body)["shoulder"] - _above_joint(body, f"{side}_shoulder", root, end)
    elif name.endswith("_leg"):
        root, end = _ring(body, "pelvis", f"{side}_thigh"), _ring(body, f"{side}_shin", f"{side}_foot")
        height = float(root[1])
    else:
        root = _centre(body, name)
        end, height = root - [0.0, 1.0, 0.0], float(root[1])
    rotation = _turn_up(root - end)
    axis = LimbAxis(name, root, rotation, height, np.zeros((0, 3)))
    return LimbAxis(name, root, rotation, height, axis.limb(body.vertices[_section_mask(body, name)]))


def dressed_axis(axis: LimbAxis, body: Body, cloth: Floats) -> LimbAxis:
    """Return an axis with the cloth [m], (c, 3), that is worn round its limb: its skin is the nearest."""
    nearest = cKDTree(body.vertices).query(cloth)[1]
    return replace(axis, worn=axis.limb(cloth[_section_mask(body, axis.name)[nearest]]))


def _above_joint(body: Body, landmark: str, root: Floats, end: Floats) -> float:
    """Return how far a landmark lies above a joint along its limb [m]; 0 for a body without landmarks."""
    if landmark not in body.landmarks:
        return 0.0
    up = (root - end) / np.linalg.norm(root - end)
    return float((body.vertices[body.landmarks[landmark]] - root) @ up)


def heights(body: Body) -> dict[str, float]:
    """Return heights above the floor [m]: measured ones where the body has them."""
    given, top = body.measurements, float(body.vertices[:, 1].max())
    shoulder = given.get("shoulder_height", 0.82 * top)
    waist = given.get("waist_height", 0.62 * top)
    return {
        "waist": waist,
        "hip": given.get("hip_height", waist - 0.115 * top),
        "crotch": given.get("crotch_height", 0.465 * top),
        "bust": given.get("bust_height", 0.725 * top),
        "shoulder": shoulder,
        "nape": waist + given.get("back_length", 0.245 * top),
    }


def vertices_of_limbs(body: Body, *names: str) -> Bools:
    """Return which vertices belong to these limbs, (n,)."""
    return np.isin(body.limb, [LIMBS.index(n) for n in names])


def shoulder_line(body: Body, across: float) -> float:
    """Return the height of the shoulder's ridge at a distance from the middle [m]."""
    trunk = vertices_of_limbs(body, "torso", "neck", "left_upper_arm", "right_upper_arm")
    points = body.vertices[trunk]
    near = np.abs(np.abs(points[:, 0] - _centre(body, "torso")[0]) - across) < 0.015
    if not near.any():
        return heights(body)["shoulder"]
    return float(points[near, 1].max())


def _section_mask(body: Body, name: str) -> Bools:
    mask = vertices_of_limbs(body, *_SECTIONS[name])
    if name.endswith("_leg"):
        # half of the pelvis belongs to each leg
        sign = 1.0 if name.startswith("left") else -1.0
        mask &= sign * (body.vertices[:, 0] - _centre(body, "torso")[0]) > -0.005
    return np.asarray(mask)


def _ring(body: Body, above: str, below: str) -> Floats:
    """Return the middle of the border between two limbs [m], (3,)."""
    first, second = LIMBS.index(above), LIMBS.index(below)
    corners = body.limb[body.triangles]
    border = (corners == first).any(axis=1) & (corners == second).any(axis=1)
    if not border.any():
        raise ToileError(f"body {body.name}: {above} and {below} do not touch; check its limb labels")
    points = body.vertices[np.unique(body.triangles[border])]
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2.0)


def _centre(body: Body, name: str) -> Floats:
    """Return the middle of a trunk limb [m], (3,)."""
    names = ("torso", "pelvis") if name == "torso" else (name,)
    points = body.vertices[vertices_of_limbs(body, *names)]
    if not len(points):
        raise ToileError(f"body {body.name} has no {name}; check its limb labels")
    low, high = points.min(axis=0), points.max(axis=0)
    return np.asarray((low + high) / 2.0)


def _turn_up(direction: Floats) -> Floats:
    """Return the smallest rotation that turns +y into a direction, (3, 3)."""
    b = direction / np.linalg.norm(direction)
    axis, cosine = np.cross([0.0, 1.0, 0.0], b), float(b[1])
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / max(1.0 + cosine, 1e-9))
