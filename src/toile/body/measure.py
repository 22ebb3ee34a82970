"""Tailor's measures of a body in its rest pose, as in ISO 8559-1 where that is possible without bones.

Girths are the length of a tight tape: the convex hull of a plane section, the arms left out. Lengths along
the skin follow the shortest chain of template edges. Metres; weight in kilograms. Names: docs/body.md.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from toile.body.data import load_template
from toile.body.landmarks import limb_mask, template_landmarks
from toile.body.section import cut_edges, edges_within, plane_axes, tape, unique_edges
from toile.errors import ToileError
from toile.types import LIMBS, Body, Floats, Ints, Skeleton

DENSITY = 985.0
"""mean density of a living body, lungs half filled [kg/m³]"""

UP = np.array([0.0, 1.0, 0.0])
ARMS = tuple(n for n in LIMBS if "arm" in n or "hand" in n)

LEVELS = {
    "waist_height": ("left_waist", "right_waist", "waist_front", "waist_back"),
    "hip_height": ("left_buttock", "right_buttock"),
    "bust_height": ("left_bust", "right_bust"),
    "underbust_height": ("left_underbust", "right_underbust"),
    "shoulder_height": ("left_shoulder", "right_shoulder"),
    "armpit_height": ("left_armpit", "right_armpit"),
    "neck_height": ("left_neck", "right_neck"),
    "nape_height": ("nape",),
    "crotch_height": ("crotch",),
    "knee_height": ("left_knee", "right_knee"),
    "ankle_height": ("left_ankle", "right_ankle"),
    "elbow_height": ("left_elbow", "right_elbow"),
    "wrist_height": ("left_wrist", "right_wrist"),
}
"""levels above the floor in the rest pose: mean height of these landmarks"""

WIDTHS = {
    "shoulder_width": ("left_shoulder", "right_shoulder"),
    "neck_width": ("left_neck", "right_neck"),
    "bust_point_width": ("left_bust", "right_bust"),
}
"""straight distances between two landmarks"""

PATHS = {
    "back_length": (("nape", "waist_back"),),
    "front_length": (("neck_front", "waist_front"),),
    "shoulder_length": (("left_neck", "left_shoulder"),),
    "arm_length": (("left_shoulder", "left_elbow"), ("left_elbow", "left_wrist")),
}
"""lengths along the skin through these landmarks"""


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """Where a measure was taken: a closed tape or an open path on the skin."""

    name: str
    points: Floats
    """[m], (p, 3)"""
    closed: bool


@dataclass(frozen=True, eq=False, slots=True)
class Ground:
    """What measuring needs of a topology, found once."""

    trunk_edges: Ints
    """everything but the arms"""
    left_leg_edges: Ints
    left_arm_edges: Ints
    neck_edges: Ints
    paths: dict[str, Ints]


@functools.cache
def template_ground() -> Ground:
    """Return the fixed parts of measuring a body of the template."""
    template = load_template()
    edges = unique_edges(template.triangles)
    limb = template.limb

    def within(*names: str) -> Ints:
        return edges_within(edges, limb_mask(limb, *names))

    return Ground(
        trunk_edges=within(*(n for n in LIMBS if n not in ARMS)),
        left_leg_edges=within("left_thigh", "left_shin", "left_foot", "pelvis"),
        left_arm_edges=within("left_upper_arm", "left_forearm", "left_hand"),
        neck_edges=within("neck", "head", "torso"),
        paths=_chains(template.vertices, edges),
    )


def _chains(vertices: Floats, edges: Ints) -> dict[str, Ints]:
    """Return per path the chain of vertices with the shortest way on the neutral shape."""
    marks = template_landmarks()
    length = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
    graph = coo_matrix((length, edges.T), shape=(len(vertices),) * 2).tocsr()
    chains = {}
    for name, legs in PATHS.items():
        chain: list[int] = []
        for start, end in legs:
            _, before = dijkstra(graph, directed=False, indices=marks[start], return_predecessors=True)
            way = [marks[end]]
            while way[-1] != marks[start]:
                way.append(int(before[way[-1]]))
            chain += way[::-1] if not chain else way[::-1][1:]
        chains[name] = np.array(chain, dtype=np.int32)
    return chains


def measure(body: Body) -> dict[str, float]:
    """Return the measures of a body of the template in its rest pose: metres, weight in kg."""
    return measure_skin(body.vertices, body.skeleton, body.triangles)


def measure_skin(skin: Floats, skeleton: Skeleton, triangles: Ints) -> dict[str, float]:
    """Return the measures of a skin of the template in the rest pose."""
    if len(skin) != len(load_template().vertices):
        raise ToileError("only bodies with the template's mesh can be measured; fit the template to it first")
    marks, ground = template_landmarks(), template_ground()
    found = {"height": float(skin[marks["crown"], 1])}
    found |= {name: float(np.mean([skin[marks[m], 1] for m in ms])) for name, ms in LEVELS.items()}
    found |= {name: float(np.linalg.norm(skin[marks[a]] - skin[marks[b]])) for name, (a, b) in WIDTHS.items()}
    for name, chain in ground.paths.items():
        found[name] = float(np.linalg.norm(np.diff(skin[chain], axis=0), axis=1).sum())
    found |= trunk_girths(skin, ground, found)
    found |= limb_girths(skin, ground, skeleton, found)
    found["inseam"] = found["crotch_height"]
    found["chest"] = found["bust"]
    found["weight"] = volume(skin, triangles) * DENSITY
    return found


def trunk_girths(skin: Floats, ground: Ground, levels: dict[str, float]) -> dict[str, float]:
    """Return bust, underbust, waist and hips [m] in horizontal planes."""

    def girth(height: float) -> float:
        return tape(cut_edges(skin, ground.trunk_edges, np.array([0.0, height, 0.0]), UP)[:, [0, 2]])

    return {
        "bust": girth(levels["bust_height"]),
        "underbust": girth(levels["underbust_height"] - 0.005),
        "waist": girth(levels["waist_height"]),
        "hips": girth(levels["hip_height"]),
    }


def limb_girths(
    skin: Floats, ground: Ground, skeleton: Skeleton, levels: dict[str, float]
) -> dict[str, float]:
    """Return girths of the left limbs and the neck [m], in planes across the bones."""
    joint = dict(zip(skeleton.names, skeleton.world_from_joint[:, :3, 3], strict=True))

    def girth(edges: Ints, start: str, end: str, share: float) -> float:
        axis = joint[end] - joint[start]
        origin = joint[start] + share * axis
        axis = axis / np.linalg.norm(axis)
        points = cut_edges(skin, edges, origin, axis)
        # a plane may cut other limbs too: keep what is near the bone
        near = np.linalg.norm(points - origin, axis=1) < 0.25
        return tape((points[near] - origin) @ plane_axes(axis).T)

    leg, arm = ground.left_leg_edges, ground.left_arm_edges
    hip, knee = joint["LeftUpLeg"], joint["LeftLeg"]
    below_crotch = (hip[1] - levels["crotch_height"] + 0.025) / (hip[1] - knee[1])
    _, calf = _greatest(lambda s: girth(leg, "LeftLeg", "LeftFoot", s), 0.15, 0.5, 7)
    return {
        "neck": girth(ground.neck_edges, "Neck", "Head", 0.45),
        "thigh": girth(leg, "LeftUpLeg", "LeftLeg", below_crotch),
        "knee": girth(leg, "LeftUpLeg", "LeftLeg", 1.0),
        "calf": calf,
        "ankle": girth(leg, "LeftLeg", "LeftFoot", 0.92),
        "upper_arm": girth(arm, "LeftArm", "LeftForeArm", 0.5),
        "elbow": girth(arm, "LeftArm", "LeftForeArm", 1.0),
        "wrist": girth(arm, "LeftForeArm", "LeftHand", 0.97),
    }


def _greatest(function: Callable[[float], float], low: float, high: float, count: int) -> tuple[float, float]:
    """Return where a smooth function is greatest, and its value, by a parabola through samples."""
    at = np.linspace(low, high, count)
    values = np.array([function(x) for x in at])
    i = int(values.argmax())
    if 0 < i < count - 1:
        before, here, after = values[i - 1 : i + 2]
        bend = before - 2 * here + after
        if bend < 0:
            shift = 0.5 * (before - after) / bend
            return float(at[i] + shift * (at[1] - at[0])), float(here - 0.25 * (before - after) * shift)
    return float(at[i]), float(values[i])


def volume(skin: Floats, triangles: Ints) -> float:
    """Return the volume inside a closed surface [m³]."""
    a, b, c = (skin[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)
