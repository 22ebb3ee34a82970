"""The dials that a body is fitted with, and a population to learn from.

The population is invented, not surveyed: its means and spreads follow what is commonly published for
European adults (stature 1.64 ± 0.06 m and 1.78 ± 0.06 m; body mass index 17 to 45), ages 18 to 80, and it is
wider than life, so that unusual people lie inside it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from toile.body.measure.measures import (
    MeasureTopology,
    measure_skin,
    measured_rows,
    renumbered,
    template_measure_topology,
)
from toile.body.model.data import Template, load_template
from toile.body.model.landmarks import limb_mask
from toile.body.model.rest_stance import SkinBinding, stand_at_rest
from toile.body.model.shape import Shape, blend, coefficients, reduced, slider_rows
from toile.core.records import Floats, Ints

MEASURES = (
    "height", "neck", "shoulder_width", "bust", "underbust", "waist", "hips", "thigh", "calf", "upper_arm",
    "wrist", "arm_length", "inseam", "back_length", "weight",
)  # fmt: skip
"""what may be asked for; metres, weight in kg"""

MACROS = ("height", "weight", "muscle", "cup")
DIALS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(MACROS, ()),
    "neck": ("neck_circ",),
    "shoulders": ("shoulder_dist",),
    "bust": ("bust_circ",),
    "underbust": ("underbust_circ",),
    "waist": ("waist_circ",),
    "hips": ("hips_circ",),
    "thigh": ("thigh_circ", "upperleg_fat"),
    "calf": ("calf_circ",),
    "upper_arm": ("upperarm_circ",),
    "wrist": ("wrist_circ",),
    "arms": ("upperarm_length", "lowerarm_length"),
    "legs": ("upperleg_height", "lowerleg_height"),
    "back": ("napetowaist_dist",),
    "torso_depth": ("torso_depth",),
    "torso_width": ("torso_width",),
    "hip_depth": ("hip_depth",),
    "hip_width": ("hip_width",),
    "belly": ("belly",),
    "fat_limbs": ("upperarm_fat", "lowerarm_fat", "lowerleg_fat"),
    "knee": ("knee_circ", "ankle_circ"),
}
"""dial → the sliders that it turns together (none: a parameter of Shape)"""

NEUTRAL = {"height": 0.5, "weight": 0.5, "muscle": 0.5, "cup": 0.5}

FAT = {
    "weight": 0.30, "muscle": -0.03, "cup": 0.02, "neck": 0.22, "bust": 0.14, "underbust": 0.22,
    "waist": 0.24, "hips": 0.06, "thigh": 0.10, "calf": 0.10, "upper_arm": 0.12, "wrist": 0.05,
    "torso_depth": 0.22, "torso_width": 0.10, "hip_depth": 0.20, "hip_width": 0.06, "belly": 0.22,
    "fat_limbs": 0.22, "knee": 0.15,
}  # fmt: skip
"""how fat turns the dials, per unit of about 10 kg"""

MIDDLE = {
    "female": {"height": 0.545, "weight": 0.5, "wrist": 0.35, "neck": 0.3, "arms": 0.05, "knee": 0.1},
    "male": {"height": 0.535, "weight": 0.5, "wrist": 0.25, "arms": 0.0, "bust": 0.05, "thigh": 0.1},
}
SPREAD = {
    "height": 0.035, "weight": 0.12, "muscle": 0.16, "cup": 0.14, "torso_depth": 0.12, "torso_width": 0.12,
    "hip_depth": 0.12, "hip_width": 0.15, "belly": 0.12, "fat_limbs": 0.12, "knee": 0.15, "back": 0.2,
}  # fmt: skip
COMMON_SPREAD = 0.2
FAT_MIDDLE = {"female": 1.1, "male": 1.1}

RHO_LIMITS = (0.3, 3.0)


@dataclass(frozen=True, eq=False, slots=True)
class Probe:
    """The part of the skin that measuring looks at: quick to shape and to measure."""

    ground: MeasureTopology
    rows: Ints
    flesh: SkinBinding


@functools.cache
def template_probe() -> Probe:
    """Return the probe of the template."""
    template, ground = load_template(), template_measure_topology()
    # the soles decide where the floor is
    low = template.vertices[:, 1] < template.vertices[:, 1].min() + 0.006
    thigh = limb_mask(template.limb, "left_thigh")
    rows = np.union1d(measured_rows(ground), np.flatnonzero(low | thigh)).astype(np.int32)
    return Probe(renumbered(ground, rows), rows, SkinBinding.of(template.rigs["cmu_mb"], thigh, rows))


@functools.cache
def reduced_template() -> Template:
    """Return the template of the vertices that the probe looks at."""
    return reduced(load_template(), template_probe().rows)


def measure_shape(shape: Shape) -> dict[str, float]:
    """Return all measures of a shape but its weight [m], from the probe's vertices in the rest pose."""
    probe = template_probe()
    stance = stand_at_rest(probe.flesh, *blend(reduced_template(), coefficients(shape)))
    joint = dict(zip(probe.flesh.rig.names, stance.heads, strict=True))
    return measure_skin(stance.skin, joint, probe.ground)


@functools.cache
def evenness() -> dict[str, float]:
    """Return per slider how much its upward target must be scaled to be as strong as its downward one."""
    skin = load_template().target_skin
    found = {}
    for name, (more, less) in slider_rows().items():
        up, down = skin[more].astype(np.float64), skin[less].astype(np.float64)
        found[name] = float(np.clip(-(up @ down) / max(up @ up, 1.0), *RHO_LIMITS))
    return found


def shape_of(sex: str, age: float, dials: Floats) -> Shape:
    """Return the shape that the dials set, (d,) in the order of DIALS."""
    even = evenness()
    values = dict(zip(DIALS, (float(x) for x in dials), strict=True))
    sliders: dict[str, float] = {}
    for name, turned in DIALS.items():
        for slider in turned:
            value = values[name]
            sliders[slider] = value * even[slider] if value > 0 else value
    macros = {name: values[name] for name in MACROS}
    return Shape(sex={"female": 0.0, "male": 1.0}[sex], age=age, sliders=sliders, **macros)


def sample_people(sex: str, count: int, seed: int) -> tuple[Floats, Floats]:
    """Return ages [years] (count,) and dials (count, d) of random adults."""
    rng = np.random.default_rng([seed, {"female": 0, "male": 1}[sex]])
    ages = rng.uniform(18.0, 80.0, count)
    fat = np.clip(FAT_MIDDLE[sex] + rng.gamma(2.0, 0.75, count) - 1.5 + 0.006 * (ages - 45.0), -1.2, 4.5)
    middle = np.array([MIDDLE[sex].get(n, NEUTRAL.get(n, 0.0)) for n in DIALS])
    per_fat = np.array([FAT.get(n, 0.0) for n in DIALS])
    spread = np.array([SPREAD.get(n, COMMON_SPREAD) for n in DIALS])
    noise = np.clip(rng.normal(size=(count, len(DIALS))), -2.5, 2.5)
    return ages, middle + fat[:, None] * per_fat + noise * spread
