"""Dials → skin → measures with their slopes, by kernels: what a fit computes in each of its steps.

The same as people.measure_shape and landmarks.neutral_stance, which need no kernels: the network is learnt
with those at build time, and the tests compare the two.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from toile import _kernels
from toile.body.measure.measures import (
    ACROSS,
    DENSITY,
    HORIZONTAL,
    LEVELS,
    REACH,
    UP,
    WIDTHS,
    MeasureTopology,
    Plane,
    measure_skin,
    planes,
    template_measure_topology,
)
from toile.body.model.data import UNIT, Template, load_template
from toile.body.model.landmarks import whole_skin_binding
from toile.body.model.network import UNIT as UNITS
from toile.body.model.population import reduced_template, shape_of, template_probe
from toile.body.model.rest_stance import RestStance, SkinBinding, stand_at_rest
from toile.body.model.shape import Shape, coefficients
from toile.core.records import Floats, Ints
from toile.geometry.section import tape_directions

HEIGHTS = {"height": "crown", "inseam": "crotch"}
"""heights above the floor: their landmarks"""
BONES = {name: where[1:] for name, where in ACROSS.items()}
"""tapes that move with a bone: joints at both ends, share of the way"""
NOTHING = np.zeros((0, 3))


@dataclass(frozen=True, eq=False, slots=True)
class SkinSubset:
    """All of the skin, or as much of it as measuring needs."""

    template: Template
    ground: MeasureTopology
    flesh: SkinBinding


@functools.cache
def skin_subset(whole: bool) -> SkinSubset:
    """Return the whole figure, or the part without which nothing but the weight can be measured."""
    if whole:
        return SkinSubset(load_template(), template_measure_topology(), whole_skin_binding())
    probe = template_probe()
    return SkinSubset(reduced_template(), probe.ground, probe.flesh)


@dataclass(slots=True)
class Reading:
    """A measure, and its slopes by skin vertices and by joints."""

    value: float
    """[m; 100 kg]"""
    rows: Ints
    slopes: Floats
    """(r, 3)"""
    joints: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class ShapedSkin:
    """Dials as a skin in the rest pose."""

    subset: SkinSubset
    share: Floats
    """coefficients of the targets"""
    stance: RestStance
    joint: Mapping[str, Floats]


def shape_skin(sex: str, age: float, dials: Floats, whole: bool) -> ShapedSkin:
    """Return dials as a skin in the rest pose; the weight needs the whole of it."""
    seen, share = skin_subset(whole), coefficients(shape_of(sex, age, dials))
    stance = stand_at_rest(seen.flesh, *blend_shape(seen.template, share), bend=_bend)
    return ShapedSkin(seen, share, stance, dict(zip(seen.flesh.rig.names, stance.heads, strict=True)))


def rest_stance_of(shape: Shape) -> RestStance:
    """Return the whole skin of a shape in the rest pose, the same bits as landmarks.neutral_stance."""
    return stand_at_rest(whole_skin_binding(), *blend_shape(load_template(), coefficients(shape)))


def blend_shape(template: Template, share: Floats) -> tuple[Floats, Floats]:
    """Return skin (n, 3) and bone points (p, 3) [m] in the template's own pose: the bits of shape.blend."""
    rows = np.flatnonzero(share).astype(np.int32)
    skin = _kernels.blend(template.target_skin, rows, (share[rows] * UNIT).astype(np.float32))
    points = np.zeros(template.target_points.shape[1], dtype=np.float32)
    for row, part in zip(rows.tolist(), share[rows].astype(np.float32), strict=True):
        points += part * template.target_points[row]
    return template.vertices + skin.reshape(-1, 3), template.points + points.reshape(-1, 3)


def _bend(flesh: SkinBinding, skin: Floats, turned: Floats) -> Floats:
    """Return the skin moved by linear blend skinning."""
    matrices = np.ascontiguousarray(turned[:, :3]).reshape(-1, 12)
    moved: Floats = _kernels.skin(skin, flesh.weight_joint, flesh.weight, matrices, NOTHING, 1.0)[0]
    return moved


# ---------------------------------------------------------------------------- measuring


def measure_shaped_skin(seen: ShapedSkin) -> dict[str, float]:
    """Return all measures but the weight [m]."""
    return measure_skin(seen.stance.skin, seen.joint, seen.subset.ground, girth)


def girth(skin: Floats, ground: MeasureTopology, plane: Plane) -> float:
    """Return the length of a tape [m]."""
    length: float = _wind(skin, ground, plane)[0]
    return length


def _wind(skin: Floats, ground: MeasureTopology, plane: Plane) -> tuple[float, Ints, Floats, float]:
    """Return a tape's length, vertices and their slopes, and its slope along the plane's normal."""
    part = ground.regions[plane.part]
    place = np.stack([plane.origin, plane.normal, plane.axes[0], plane.axes[1]])
    reach = np.inf if plane.part == "trunk" else REACH
    wound: tuple[float, Ints, Floats, float] = _kernels.tape(
        skin, part.rows, part.edges, place, reach, tape_directions()
    )
    return wound


def readings(seen: ShapedSkin, names: tuple[str, ...]) -> dict[str, Reading]:
    """Return the named measures (people.MEASURES) with their slopes."""
    skin, ground, marks = seen.stance.skin, seen.subset.ground, seen.subset.ground.marks
    found = {n: _height(seen, marks[mark]) for n, mark in HEIGHTS.items() if n in names}
    found |= {n: _way(skin, [marks[m] for m in ms]) for n, ms in WIDTHS.items() if n in names}
    found |= {n: _way(skin, path) for n, path in ground.paths.items() if n in names}
    levels = {level: float(skin[[marks[m] for m in ms], 1].mean()) for level, ms in LEVELS.items()}
    for name, plane in planes(skin, seen.joint, ground, levels, girth).items():
        if name in names:
            found[name] = _tape(name, skin, ground, plane)
    if "weight" in names:
        inside, outward = _kernels.volume(skin, seen.subset.template.triangles)
        scale = DENSITY / UNITS["weight"]
        found["weight"] = Reading(inside * scale, np.arange(len(skin), dtype=np.int32), outward * scale)
    return found


def weigh(skin: Floats, triangles: Ints) -> float:
    """Return the weight of a body inside a closed skin [kg]."""
    inside: float = _kernels.volume(skin, triangles)[0]
    return inside * DENSITY


def _height(seen: ShapedSkin, row: int) -> Reading:
    """Return a height above the floor, which goes up and down with the lowest vertex."""
    rows = np.array([row, seen.stance.floor], dtype=np.int32)
    return Reading(float(seen.stance.skin[row, 1]), rows, np.stack([UP, -UP]))


def _way(skin: Floats, path: list[int] | Ints) -> Reading:
    """Return the length of a chain of vertices."""
    rows = np.asarray(path, dtype=np.int32)
    step = np.diff(skin[rows], axis=0)
    length = np.sqrt((step * step).sum(axis=1))
    step /= length[:, None]
    return Reading(float(length.sum()), np.concatenate([rows[1:], rows[:-1]]), np.concatenate([step, -step]))


def _tape(name: str, skin: Floats, ground: MeasureTopology, plane: Plane) -> Reading:
    """Return a girth; its plane moves with landmarks or with a bone."""
    length, rows, slopes, slide = _wind(skin, ground, plane)
    slope = slide * plane.normal
    if name in BONES:
        start, end, share = BONES[name]
        return Reading(length, rows, slopes, {start: (1 - share) * slope, end: share * slope})
    level = {"thigh": "crotch_height"}.get(name) or HORIZONTAL.get(name, ("",))[0]
    marks = np.array([ground.marks[m] for m in LEVELS.get(level, ())], dtype=np.int32)
    lift = np.tile(slope[1] * UP / max(len(marks), 1), (len(marks), 1))
    return Reading(length, np.concatenate([rows, marks]), np.concatenate([slopes, lift]))
