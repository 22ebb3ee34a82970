"""How measures change when dials turn: slopes that make re-measuring converge in two or three steps.

A tape's length is Σ u·p over its directions u and the section points p that hold it (section.tape). A section
point slides along its edge e when the skin moves by v and the plane by w: dp = v − e (n·(v − w)) / (n·e).
The turning of the bones themselves is left out: it is small, and the next step measures what it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from toile.body.data import UNIT, load_template
from toile.body.measure import (
    ACROSS,
    DENSITY,
    HORIZONTAL,
    LEVELS,
    UP,
    WIDTHS,
    Ground,
    Plane,
    planes,
    section_under,
)
from toile.body.people import DIALS, MEASURES, Sketch, evenness, reduced_template, shape_of, template_probe
from toile.body.section import TAPE_DIRECTIONS, fan
from toile.body.shape import blend, coefficients, slider_rows
from toile.body.stance import Stance
from toile.types import Floats, Ints

NUDGE = 1e-4
BONES = {name: where[1:] for name, where in ACROSS.items()}
"""tapes that move with a bone: joints at both ends, share of the way"""


@dataclass(slots=True)
class Pull:
    """Slopes of one measure: by skin vertices and by joints."""

    rows: list[Ints] = field(default_factory=list)
    slopes: list[Floats] = field(default_factory=list)
    """(r, 3) for each entry of rows"""
    joints: dict[str, Floats] = field(default_factory=dict)

    def add(self, rows: Ints, slopes: Floats) -> None:
        """Add slopes at vertices."""
        self.rows.append(np.atleast_1d(rows))
        self.slopes.append(np.atleast_2d(slopes))


def jacobian(sex: str, age: float, dials: Floats, drawn: Sketch, weigh: bool = False) -> Floats:
    """Return the change of MEASURES with DIALS at a sketch, (m, d) [m; 100 kg]; no weight unless asked."""
    probe, stance, share = template_probe(), drawn.stance, drawn.share
    pulls = _pulls(stance, drawn.joint, probe.ground)
    rows = np.unique(np.concatenate([r for p in pulls.values() for r in p.rows]))
    turn = _coefficient_slopes(sex, age, dials, share)
    skin, joints = _motion(stance, rows, turn)
    result = np.zeros((len(MEASURES), len(DIALS)))
    for i, name in enumerate(MEASURES):
        pull = pulls.get(name, Pull())
        for where, slopes in zip(pull.rows, pull.slopes, strict=True):
            result[i] += np.einsum("drc,rc->d", skin[:, np.searchsorted(rows, where)], slopes)
        for bone, slope in pull.joints.items():
            result[i] += joints[:, probe.flesh.rig.names.index(bone)] @ slope
    if weigh:
        result[MEASURES.index("weight")] = _weight_slopes(share, turn)
    return result


def _weight_slopes(share: Floats, turn: Floats) -> Floats:
    """Return the change of the weight with the dials [100 kg], (d,): the skin's area swept outward."""
    template = load_template()
    skin, _ = blend(template, share)
    a, b, c = (skin[template.triangles[:, i]] for i in range(3))
    area = np.cross(b - a, c - a) / 6.0
    outward = np.zeros_like(skin)
    for i in range(3):
        for axis in range(3):
            outward[:, axis] += np.bincount(template.triangles[:, i], area[:, axis], len(skin))
    active = np.flatnonzero(np.abs(turn).max(axis=0) > 1e-9)
    flat = outward.ravel().astype(np.float32)
    swept = np.array([float(flat @ template.target_skin[k].astype(np.float32)) for k in active])
    slopes: Floats = turn[:, active] @ swept * (UNIT * DENSITY / 100.0)
    return slopes


def _coefficient_slopes(sex: str, age: float, dials: Floats, share: Floats) -> Floats:
    """Return the change of the target coefficients with the dials, (d, k)."""
    found = np.zeros((len(dials), len(share)))
    even, targets = evenness(), slider_rows()
    for i, (value, sliders) in enumerate(zip(dials, DIALS.values(), strict=True)):
        if not sliders:
            nudged = dials.copy()
            nudged[i] += NUDGE
            found[i] = (coefficients(shape_of(sex, age, nudged)) - share) / NUDGE
        for slider in sliders:
            more, less = targets[slider]
            found[i, more if value > 0 else less] = even[slider] if value > 0 else -1.0
    return found


def _motion(stance: Stance, rows: Ints, turn: Floats) -> tuple[Floats, Floats]:
    """Return how rows of the skin (d, r, 3) and joints (d, j, 3) move in the rest pose with the dials."""
    template, flesh = reduced_template(), template_probe().flesh
    columns = (3 * rows[:, None] + np.arange(3)).ravel()
    flat = np.zeros((len(turn), len(columns)))
    points = np.zeros((len(turn), template.target_points.shape[1]))
    # most dials turn one or two targets: no matrix product
    for dial, target in zip(*np.nonzero(np.abs(turn) > 1e-9), strict=True):
        flat[dial] += (turn[dial, target] * UNIT) * template.target_skin[target, columns]
        points[dial] += turn[dial, target] * template.target_points[target]
    skin = flat.reshape(len(turn), -1, 3)
    heads = points.reshape(len(turn), -1, 3)[:, flesh.rig.heads]
    rotation = stance.turned[:, :3, :3]
    moved = np.zeros_like(heads)
    for j, parent in enumerate(flesh.rig.parents):
        step = heads[:, j] - heads[:, parent] if parent >= 0 else heads[:, j]
        moved[:, j] = step @ rotation[parent if parent >= 0 else j].T
        if parent >= 0:
            moved[:, j] += moved[:, parent]
    shift = moved - np.einsum("jrc,djc->djr", rotation, heads)
    share = np.zeros((len(rows), len(rotation)))
    for joint, weight in zip(flesh.weight_joint[rows].T, flesh.weight[rows].T, strict=True):
        share[np.arange(len(rows)), joint] += weight
    # each row's blended turn on all dials at once
    blended = (share @ rotation.reshape(-1, 9)).reshape(-1, 3, 3)
    result = (skin.swapaxes(0, 1) @ blended.swapaxes(1, 2)).swapaxes(0, 1) + share @ shift
    return result, moved


def _pulls(stance: Stance, joint: Mapping[str, Floats], ground: Ground) -> dict[str, Pull]:
    """Return the slopes of all measures but the weight."""
    skin, marks = stance.skin, ground.marks
    pulls = {name: Pull() for name in MEASURES if name != "weight"}
    for name, mark in (("height", "crown"), ("inseam", "crotch")):
        pulls[name].add(np.array([marks[mark], stance.floor], dtype=np.int32), np.stack([UP, -UP]))
    for name, (a, b) in WIDTHS.items():
        if name in pulls:
            way = skin[marks[a]] - skin[marks[b]]
            way /= np.linalg.norm(way)
            pulls[name].add(np.array([marks[a], marks[b]], dtype=np.int32), np.stack([way, -way]))
    for name, path in ground.paths.items():
        if name in pulls:
            way = np.diff(skin[path], axis=0)
            way /= np.linalg.norm(way, axis=1, keepdims=True)
            pulls[name].add(path[1:], way)
            pulls[name].add(path[:-1], -way)
    levels = {level: float(np.mean([skin[marks[m], 1] for m in ms])) for level, ms in LEVELS.items()}
    for name, plane in planes(skin, joint, ground, levels).items():
        if name in pulls:
            _tape_pull(pulls[name], name, skin, ground, plane)
    return pulls


def _tape_pull(pull: Pull, name: str, skin: Floats, ground: Ground, plane: Plane) -> None:
    """Add the slopes of a tape's length."""
    section = section_under(skin, ground, plane)
    axes, directions = plane.axes, fan()
    holding = (((section.points - plane.origin) @ axes.T) @ directions).argmax(axis=0)
    force = np.zeros_like(section.points)
    np.add.at(force, holding, directions.T @ axes * (2 * np.pi / TAPE_DIRECTIONS))
    held = np.flatnonzero(force.any(axis=1))
    force, start, end = force[held], section.start[held], section.end[held]
    share = section.share[held, None]
    edge = skin[end] - skin[start]
    slide = np.einsum("ij,ij->i", force, edge) / (edge @ plane.normal)
    slopes = force - slide[:, None] * plane.normal
    pull.add(start, (1 - share) * slopes)
    pull.add(end, share * slopes)
    _plane_pull(pull, name, ground, float(slide.sum()) * plane.normal)


def _plane_pull(pull: Pull, name: str, ground: Ground, slope: Floats) -> None:
    """Add the slope of a tape's length by the place of its plane."""
    if name in HORIZONTAL:
        marks = LEVELS[HORIZONTAL[name][0]]
        rows = np.array([ground.marks[m] for m in marks], dtype=np.int32)
        pull.add(rows, np.tile(slope[1] * UP / len(marks), (len(marks), 1)))
    elif name in BONES:
        start, end, share = BONES[name]
        pull.joints = {start: (1 - share) * slope, end: share * slope}
    elif name == "thigh":
        pull.add(np.array([ground.marks["crotch"]], dtype=np.int32), (slope[1] * UP)[None])
