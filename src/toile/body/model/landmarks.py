"""Landmarks: vertices of the template that tailors would touch, found once on its neutral shape.

The topology never changes, so a vertex keeps its anatomical meaning on every body of the template.
"""

from __future__ import annotations

import functools
import heapq
from dataclasses import dataclass

import numpy as np

from toile.body.model.data import Template, load_template
from toile.body.model.rest_stance import RestStance, SkinBinding, stand_at_rest
from toile.body.model.shape import Shape, blend, coefficients
from toile.core.records import LIMBS, Bools, Floats, Ints
from toile.geometry.section import unique_edges

BELOW_NARROWEST = 0.015
"""the waist lies this much [m] below the neutral woman's narrowest level, towards the navel"""


PATHS = {
    "back_length": (("nape", "waist_back"),),
    "front_length": (("neck_front", "waist_front"),),
    "shoulder_length": (("left_neck", "left_shoulder"),),
    "arm_length": (("left_shoulder", "left_elbow"), ("left_elbow", "left_wrist")),
}
"""lengths along the skin through these landmarks"""


@functools.cache
def template_landmarks() -> dict[str, int]:
    """Return landmark name → vertex of the template."""
    template = load_template()
    stance = skin_at_rest(Shape())
    joint = dict(zip(template.rigs["cmu_mb"].names, stance.heads, strict=True))
    return find_landmarks(template, stance.skin, joint)


def skin_at_rest(shape: Shape) -> RestStance:
    """Return the whole skin of a shape in the rest pose."""
    return stand_at_rest(whole_skin_binding(), *blend(load_template(), coefficients(shape)))


@functools.cache
def whole_skin_binding() -> SkinBinding:
    """Return the whole skin and how it hangs on the first rig."""
    template = load_template()
    return SkinBinding.of(template.rigs["cmu_mb"], limb_mask(template.limb, "left_thigh"))


@functools.cache
def template_paths() -> dict[str, Ints]:
    """Return per length the chain of vertices along the shortest way on the neutral skin."""
    template, marks = load_template(), template_landmarks()
    edges = unique_edges(template.triangles)
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    first = np.searchsorted(both[:, 0], np.arange(len(template.vertices) + 1)).tolist()
    graph = EdgeGraph(template.vertices, first, both[:, 1])
    found = {}
    for name, legs in PATHS.items():
        runs = [_shortest(graph, marks[a], marks[b]) for a, b in legs]
        found[name] = np.array(runs[0] + [v for run in runs[1:] for v in run[1:]], dtype=np.int32)
    return found


@dataclass(frozen=True, eq=False, slots=True)
class EdgeGraph:
    """Edges of a mesh, from vertex to vertex."""

    places: Floats
    """[m], (n, 3)"""
    first: list[int]
    """where each vertex's neighbours start, (n + 1,)"""
    near: Ints
    """neighbours of all vertices one after another"""


def _shortest(graph: EdgeGraph, start: int, end: int) -> list[int]:
    """Return the vertices of the shortest way along edges (Hart, Nilsson and Raphael 1968)."""
    places, first = graph.places, graph.first
    left = np.linalg.norm(places - places[end], axis=1)
    best, before, queue, done = {start: 0.0}, {start: start}, [(float(left[start]), start)], set[int]()
    while queue:
        here = heapq.heappop(queue)[1]
        if here == end:
            break
        if here in done:
            continue
        done.add(here)
        beside = graph.near[first[here] : first[here + 1]]
        steps = np.linalg.norm(places[beside] - places[here], axis=1)
        for there, step in zip(beside.tolist(), steps.tolist(), strict=True):
            distance = best[here] + step
            if distance < best.get(there, np.inf):
                best[there], before[there] = distance, here
                heapq.heappush(queue, (distance + float(left[there]), there))
    run = [end]
    while run[-1] != start:
        run.append(before[run[-1]])
    return run[::-1]


def limb_mask(limb: Ints, *names: str) -> Bools:
    """Return which vertices belong to the named limbs."""
    return np.isin(limb, [LIMBS.index(n) for n in names])


def find_landmarks(template: Template, skin: Floats, joint: dict[str, Floats]) -> dict[str, int]:
    """Return landmark name → vertex, from the rest pose of an average woman."""
    trunk = limb_mask(template.limb, "torso", "pelvis", "neck")
    middle = np.abs(skin[:, 0]) < 1e-3
    centre = joint["Neck"][2]
    marks = {"crown": int(skin[:, 1].argmax()), "crotch": _pick(skin, trunk & middle, -skin[:, 1])}
    # round the neck
    marks["nape"] = _level(skin, trunk & middle & (skin[:, 2] < centre), joint["Neck"][1] + 0.012)
    marks["neck_front"] = _level(
        skin, trunk & middle & (skin[:, 2] > centre), joint["LeftShoulder"][1] + 0.012
    )
    for side, name in ((1.0, "Left"), (-1.0, "Right")):
        half = skin[:, 0] * side > 0.01
        low = name.lower()
        marks |= {
            f"{low}_neck": _neck_side(
                skin, trunk & half, side, (skin[marks["nape"]] + skin[marks["neck_front"]]) / 2
            ),
            f"{low}_shoulder": _ray(skin, joint[name + "Arm"], (0.45 * side, 1.0, 0.0)),
            f"{low}_bust": _pick(skin, trunk & half & (skin[:, 1] > joint["Spine"][1]), skin[:, 2]),
            f"{low}_buttock": _pick(skin, trunk & half & (skin[:, 1] < joint["LowerBack"][1]), -skin[:, 2]),
            f"{low}_armpit": _armpit(template, skin, low),
            f"{low}_elbow": _ray(skin, joint[name + "ForeArm"], (0.0, 0.0, -1.0)),
            f"{low}_wrist": _ray(skin, joint[name + "Hand"], (side, 1.0, 0.0)),
            f"{low}_knee": _ray(skin, joint[name + "Leg"], (0.0, 0.0, 1.0)),
            f"{low}_ankle": _ray(skin, joint[name + "Foot"], (side, 0.0, 0.0)),
        }
    return marks | _levels(skin, trunk, middle, joint, marks) | _folds(marks)


def _levels(
    skin: Floats, trunk: Bools, middle: Bools, joint: dict[str, Floats], marks: dict[str, int]
) -> dict[str, int]:
    """Return front, back, left and right vertices of the waist."""
    bust = skin[marks["left_bust"], 1]
    height = _narrowest(skin, trunk, joint["LowerBack"][1] + 0.03, bust - 0.08) - BELOW_NARROWEST
    near = trunk & (np.abs(skin[:, 1] - height) < 0.012)
    return {
        "waist_front": _level(skin, trunk & middle & (skin[:, 2] > 0.02), height),
        "waist_back": _level(skin, trunk & middle & (skin[:, 2] < 0.02), height),
        "left_waist": _pick(skin, near, skin[:, 0]),
        "right_waist": _pick(skin, near, -skin[:, 0]),
    }


def _folds(marks: dict[str, int]) -> dict[str, int]:
    """Return where the underside of each breast meets the ribs, found on a woman with a large bust."""
    skin = skin_at_rest(Shape(cup=1.0)).skin
    found = {}
    for low in ("left", "right"):
        bust = skin[marks[f"{low}_bust"]]
        strip = (np.abs(skin[:, 0] - bust[0]) < 0.02) & (skin[:, 1] < bust[1]) & (skin[:, 1] > bust[1] - 0.12)
        found[f"{low}_underbust"] = _pick(skin, strip & (skin[:, 2] > 0.03), -skin[:, 2])
    return found


def _pick(skin: Floats, mask: Bools, score: Floats) -> int:
    return int(np.where(mask, score, -np.inf).argmax())


def _level(skin: Floats, mask: Bools, height: float) -> int:
    return _pick(skin, mask, -np.abs(skin[:, 1] - height))


def _ray(skin: Floats, origin: Floats, direction: tuple[float, float, float]) -> int:
    """Return the first skin vertex near a ray out of a joint."""
    axis = np.array(direction) / np.linalg.norm(direction)
    along = (skin - origin) @ axis
    aside = np.linalg.norm(skin - origin - along[:, None] * axis, axis=1)
    return _pick(skin, (along > 0.005) & (along < 0.15), -aside - 0.2 * along)


def _neck_side(skin: Floats, mask: Bools, side: float, neck: Floats) -> int:
    """Return where the side of the neck turns into the shoulder: seen from the front, the inmost corner."""
    near = mask & (np.abs(skin[:, 2] - neck[2] + 0.01) < 0.015) & (np.abs(skin[:, 1] - neck[1] - 0.01) < 0.06)
    return _pick(skin, near, -(skin[:, 0] * side + skin[:, 1]))


def _armpit(template: Template, skin: Floats, low: str) -> int:
    """Return the lowest torso vertex that touches the upper arm."""
    arm = limb_mask(template.limb, f"{low}_upper_arm")
    torso = limb_mask(template.limb, "torso")
    t = template.triangles
    shared = t[arm[t].any(1) & torso[t].any(1)].ravel()
    mask = np.zeros(len(skin), dtype=bool)
    mask[shared] = True
    return _pick(skin, mask & torso, -skin[:, 1])


def _narrowest(skin: Floats, trunk: Bools, low: float, high: float) -> float:
    """Return the height at which the trunk is narrowest."""
    levels = np.arange(low, high, 0.01)
    widths = [np.ptp(skin[trunk & (np.abs(skin[:, 1] - y) < 0.01), 0]) for y in levels]
    return float(levels[int(np.argmin(widths))])
