"""Tailor's measures of a body in its rest pose, as in ISO 8559-1 where that is possible without bones.

Girths are the length of a tight tape: the convex hull of a plane section, the arms left out. Lengths along
the skin follow the shortest chain of template edges. Metres; weight in kilograms. Names: docs/body.md.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from toile.body.model.data import load_template
from toile.body.model.landmarks import limb_mask, template_landmarks, template_paths
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Ints
from toile.geometry.section import (
    Region,
    Section,
    convex_hull,
    cut_region,
    plane_axes,
    region,
    tape_length,
    unique_edges,
)

DENSITY = 985.0
"""mean density of a living body, lungs half filled [kg/m³]"""

UP = np.array([0.0, 1.0, 0.0])
FLAT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
REACH = 0.25
"""a tape round a limb stays this near to its bone [m]"""

REGIONS = {
    "trunk": ("torso", "pelvis", "left_thigh", "right_thigh"),
    "leg": ("left_thigh", "left_shin", "pelvis"),
    "shin": ("left_shin",),
    "arm": ("left_upper_arm", "left_forearm", "left_hand"),
    "neck": ("neck", "head", "torso"),
}
"""limbs that each tape may touch"""

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

ACROSS = {
    "neck": ("neck", "Neck", "Head", 0.45),
    "knee": ("leg", "LeftUpLeg", "LeftLeg", 1.0),
    "ankle": ("shin", "LeftLeg", "LeftFoot", 0.9),
    "upper_arm": ("arm", "LeftArm", "LeftForeArm", 0.5),
    "elbow": ("arm", "LeftArm", "LeftForeArm", 1.0),
    "wrist": ("arm", "LeftForeArm", "LeftHand", 0.97),
}
"""tapes across a bone: region, joints at both ends, share of the way between them"""

HORIZONTAL = {
    "bust": ("bust_height", 0.0),
    "underbust": ("underbust_height", -0.015),
    "waist": ("waist_height", 0.0),
    "hips": ("hip_height", 0.0),
}
"""horizontal tapes round the trunk: level and what is added to it [m]"""

CALF = (0.15, 0.5, 7)
"""the calf is the greatest girth on this part of the shin: shares of its length, samples"""
BELOW_CROTCH = 0.025
"""the thigh is measured this much below the crotch [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class MeasureTopology:
    """What measuring needs of a topology, found once."""

    marks: Mapping[str, int]
    regions: Mapping[str, Region]
    paths: Mapping[str, Ints]


@dataclass(frozen=True, eq=False, slots=True)
class MeasureLine:
    """Where a measure was taken: a closed tape or an open way on the skin."""

    name: str
    points: Floats
    """[m], (p, 3)"""
    closed: bool
    start: Ints
    """vertices between which each point lies, (p,)"""
    end: Ints
    share: Floats
    """how far from start to end, (p,)"""

    def on(self, vertices: Floats) -> MeasureLine:
        """Return the line as it lies on the skin in another pose, (n, 3) [m]."""
        first, last = vertices[self.start], vertices[self.end]
        return replace(self, points=first + self.share[:, None] * (last - first))


@dataclass(frozen=True, eq=False, slots=True)
class Plane:
    """Where a tape lies."""

    part: str
    """name in REGIONS"""
    origin: Floats
    """[m], (3,)"""
    normal: Floats
    """unit, (3,)"""
    axes: Floats
    """across the normal, (2, 3)"""


@functools.cache
def template_measure_topology() -> MeasureTopology:
    """Return the fixed parts of measuring a body of the template."""
    template = load_template()
    edges = unique_edges(template.triangles)
    masks = {name: limb_mask(template.limb, *limbs) for name, limbs in REGIONS.items()}
    # the face, the fingers and most of the trunk are far from these tapes
    skin, marks = template.vertices, template_landmarks()
    masks["neck"] &= np.abs(skin[:, 1] - skin[marks["nape"], 1] - 0.02) < 0.07
    hand = limb_mask(template.limb, "left_hand")
    masks["arm"] &= ~hand | (np.linalg.norm(skin - skin[marks["left_wrist"]], axis=1) < 0.06)
    regions = {name: region(edges, mask) for name, mask in masks.items()}
    return MeasureTopology(template_landmarks(), regions, template_paths())


def measured_rows(ground: MeasureTopology) -> Ints:
    """Return all vertices that measuring looks at, ascending."""
    marks = np.array(list(ground.marks.values()), dtype=np.int32)
    parts = [r.rows for r in ground.regions.values()]
    return np.unique(np.concatenate([marks, *parts, *ground.paths.values()])).astype(np.int32)


def renumbered(ground: MeasureTopology, rows: Ints) -> MeasureTopology:
    """Return the ground for a skin that holds these vertices only (ascending)."""

    def place(old: Ints) -> Ints:
        return np.searchsorted(rows, old).astype(np.int32)

    return MeasureTopology(
        {name: int(np.searchsorted(rows, row)) for name, row in ground.marks.items()},
        {name: Region(place(r.rows), r.edges) for name, r in ground.regions.items()},
        {name: place(path) for name, path in ground.paths.items()},
    )


def measure(body: Body) -> dict[str, float]:
    """Return the measures of a body of the template in its rest pose: metres, weight in kg."""
    _require_template(body)
    found = measure_skin(body.vertices, joints_of(body), template_measure_topology())
    found["weight"] = volume(body.vertices, body.triangles) * DENSITY
    return found


def joints_of(body: Body) -> dict[str, Floats]:
    """Return joint name, without a prefix such as mixamorig: → position in the rest pose [m]."""
    places = body.skeleton.world_from_joint[:, :3, 3]
    return {name.split(":")[-1]: place for name, place in zip(body.skeleton.names, places, strict=True)}


def _require_template(body: Body) -> None:
    if len(body.vertices) != len(load_template().vertices):
        raise ToileError(f"body {body.name} has a mesh of its own: fit the template to it before measuring")


def section_under(skin: Floats, ground: MeasureTopology, plane: Plane) -> Section:
    """Return what a tape lies on."""
    reach = None if plane.part == "trunk" else REACH
    return cut_region(skin, ground.regions[plane.part], plane.origin, plane.normal, reach)


def girth_of(skin: Floats, ground: MeasureTopology, plane: Plane) -> float:
    """Return the length of a tape [m]."""
    return tape_length((section_under(skin, ground, plane).points - plane.origin) @ plane.axes.T)


Girth = Callable[[Floats, MeasureTopology, Plane], float]
"""length of the tape round a skin that lies in a plane"""


def measure_skin(
    skin: Floats, joint: Mapping[str, Floats], ground: MeasureTopology, girth: Girth = girth_of
) -> dict[str, float]:
    """Return all measures but the weight, of a skin in the rest pose [m]."""
    marks = ground.marks
    heights = {name: float(skin[row, 1]) for name, row in marks.items()}
    found = {"height": heights["crown"]}
    found |= {name: sum(heights[m] for m in ms) / len(ms) for name, ms in LEVELS.items()}
    found |= {name: float(np.linalg.norm(skin[marks[a]] - skin[marks[b]])) for name, (a, b) in WIDTHS.items()}
    for name, path in ground.paths.items():
        found[name] = float(np.linalg.norm(np.diff(skin[path], axis=0), axis=1).sum())
    for name, plane in planes(skin, joint, ground, found, girth).items():
        found[name] = girth(skin, ground, plane)
    found["front_over_bust"] = _front_over_bust(skin, marks)
    found["bust_front"] = _bust_front(skin, ground, found["bust_height"])
    found["inseam"] = found["crotch_height"]
    found["chest"] = found["bust"]
    return found


def _front_over_bust(skin: Floats, marks: Mapping[str, int]) -> float:
    """Return the length of a taut tape from the side of the neck over the bust point down to the waist."""
    neck, bust, waist = (skin[marks[m]] for m in ("left_neck", "left_bust", "waist_front"))
    below = np.array([bust[0], waist[1], min(waist[2], bust[2])])
    return float(np.linalg.norm(neck - bust) + np.linalg.norm(bust - below))


def _bust_front(skin: Floats, ground: MeasureTopology, height: float) -> float:
    """Return the part of the bust's tape that lies in front of the arms [m]."""
    plane = Plane("trunk", np.array([0.0, height, 0.0]), UP, FLAT)
    points = section_under(skin, ground, plane).points[:, [0, 2]]
    ring = points[convex_hull(points)]
    following = np.roll(ring, -1, axis=0)
    sides = [skin[ground.marks[f"left_{m}"], 2] for m in ("armpit", "shoulder")]
    ahead = np.stack([ring[:, 1], following[:, 1]]) - 0.5 * (sides[0] + sides[1])
    # the share of each straight piece that lies ahead
    share = np.clip(ahead.max(axis=0) / np.maximum(np.ptp(ahead, axis=0), 1e-9), 0.0, 1.0)
    return float(np.linalg.norm(following - ring, axis=1) @ share)


def planes(
    skin: Floats,
    joint: Mapping[str, Floats],
    ground: MeasureTopology,
    levels: Mapping[str, float],
    girth: Girth = girth_of,
) -> dict[str, Plane]:
    """Return where each tape lies."""
    found = {
        name: Plane("trunk", np.array([0.0, levels[level] + more, 0.0]), UP, FLAT)
        for name, (level, more) in HORIZONTAL.items()
    }
    found |= {name: _across(joint, *where) for name, where in ACROSS.items()}
    hip, knee = joint["LeftUpLeg"][1], joint["LeftLeg"][1]
    share = (hip - levels["crotch_height"] + BELOW_CROTCH) / (hip - knee)
    found["thigh"] = _across(joint, "leg", "LeftUpLeg", "LeftLeg", share)

    shin, route = _across(joint, "shin", "LeftLeg", "LeftFoot", 0.0), joint["LeftFoot"] - joint["LeftLeg"]

    def at(share: float) -> Plane:
        return replace(shin, origin=joint["LeftLeg"] + share * route)

    found["calf"] = at(_greatest(lambda share: girth(skin, ground, at(share)), *CALF))
    return found


def _across(joint: Mapping[str, Floats], part: str, start: str, end: str, share: float) -> Plane:
    axis = joint[end] - joint[start]
    normal = axis / np.sqrt(axis @ axis)
    return Plane(part, joint[start] + share * axis, normal, plane_axes(normal))


def _greatest(function: Callable[[float], float], low: float, high: float, count: int) -> float:
    """Return where a smooth function is greatest, by a parabola through samples."""
    at = np.linspace(low, high, count)
    values = np.array([function(x) for x in at])
    i = int(np.clip(values.argmax(), 1, count - 2))
    before, here, after = values[i - 1 : i + 2]
    bend = before - 2 * here + after
    if bend >= 0:
        return float(at[values.argmax()])
    shift = np.clip(0.5 * (before - after) / bend, -1.0, 1.0)
    return float(at[i] + shift * (at[1] - at[0]))


def volume(skin: Floats, triangles: Ints) -> float:
    """Return the volume inside a closed surface [m³]."""
    a, b, c = (skin[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def measure_lines(body: Body) -> list[MeasureLine]:
    """Return the tapes and ways along which the body is measured, for drawing."""
    _require_template(body)
    ground, skin, joint = template_measure_topology(), body.vertices, joints_of(body)
    lines = []
    for name, plane in planes(skin, joint, ground, measure_skin(skin, joint, ground)).items():
        section = section_under(skin, ground, plane)
        at = convex_hull((section.points - plane.origin) @ plane.axes.T)
        ends = section.start[at], section.end[at], section.share[at]
        lines.append(MeasureLine(name, section.points[at], True, *ends))
    routes = dict(ground.paths) | {n: np.array([ground.marks[m] for m in ms]) for n, ms in WIDTHS.items()}
    lines += [
        MeasureLine(name, skin[route], False, route, route, np.zeros(len(route)))
        for name, route in routes.items()
    ]
    return lines
