"""Measures of an avatar: girths and levels from its surface (survey), lengths from its joints.

Foreign meshes have no landmarks. The shares below are means over our own bodies of both sexes, from slim to
heavy, whose joints lie where rigs put them: lengths are right within 3 cm, which is what placing needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from toile.body.avatar.bone_names import Bones, find_bones
from toile.body.avatar.read import read_avatar
from toile.body.measure.mesh_measures import measure_mesh
from toile.body.scan.reconstruct import is_scan, read_scan
from toile.core.errors import ToileError
from toile.core.records import Body, Floats

SHOULDERS = 1.03
"""shoulder width / distance of the shoulder joints"""
ARM = 1.18
"""arm length along the skin / upper arm and forearm along the bones"""
WAIST = 0.37
"""share of the way from hip to neck joint at which the waist lies"""
NAPE_UP = 0.008
"""the nape lies this much above the neck joint [m]"""


def read_measured(path: str, *, table: Mapping[str, str] | None = None) -> Body:
    """Return an avatar with the measures that its geometry tells; without a skeleton it is a scan."""
    if is_scan(path):
        return read_scan(path)
    body = read_avatar(path, table=table)
    try:
        return replace(body, measurements=avatar_measures(body, str(path)))
    except ToileError:
        # an avatar without a waist can still be dressed
        return body


def avatar_measures(body: Body, name: str) -> dict[str, float]:
    """Return what can be measured of a body with a mesh of its own [m; kg]."""
    found = measure_mesh(body.vertices, body.triangles, name)
    bones = find_bones(body.skeleton.names, body.skeleton.parents.tolist(), source=name)
    return found | joint_lengths(bones, body.skeleton.world_from_joint[:, :3, 3])


def joint_lengths(bones: Bones, joint: Floats) -> dict[str, float]:
    """Return lengths between joints [m], those whose bones there are."""
    place = {part: joint[row] for part, row in bones.limbs.items()}
    found = {}
    if {"left_upper_arm", "right_upper_arm"} <= place.keys():
        found["shoulder_width"] = SHOULDERS * _between(place["left_upper_arm"], place["right_upper_arm"])
    if {"left_upper_arm", "left_forearm", "left_hand"} <= place.keys():
        upper = _between(place["left_upper_arm"], place["left_forearm"])
        found["arm_length"] = ARM * (upper + _between(place["left_forearm"], place["left_hand"]))
    if bones.neck:
        hip, neck = float(place["left_thigh"][1]), float(joint[bones.neck[0], 1])
        found["nape_height"] = neck + NAPE_UP
        found["back_length"] = found["nape_height"] - (hip + WAIST * (neck - hip))
    return found


def _between(a: Floats, b: Floats) -> float:
    return float(np.linalg.norm(a - b))
