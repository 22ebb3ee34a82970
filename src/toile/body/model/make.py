"""Making bodies: by name, from parameters, from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from toile.body.measure.measures import measure_skin, template_measure_topology
from toile.body.model.check_measures import check_measures, report_misses, report_rarity
from toile.body.model.data import CARRIER_OF_MIXAMO, Rig, load_template
from toile.body.model.fast_measures import rest_stance_of, weigh
from toile.body.model.fitting import fit_dials
from toile.body.model.landmarks import template_landmarks
from toile.body.model.population import DIALS, shape_of
from toile.body.model.rest_stance import skeleton_of
from toile.body.model.shape import Shape
from toile.core import container
from toile.core.blas import one_thread
from toile.core.errors import ToileError
from toile.core.records import Body, Ints, Skeleton

KIND = "body"

NAMED = {
    "woman": ("female", 28.0, {
        "height": 0.583, "weight": 0.71, "muscle": 0.593, "cup": 0.42, "neck": 0.794, "shoulders": 0.158,
        "bust": 0.067, "underbust": 0.013, "waist": 0.067, "hips": 0.046, "thigh": 0.03, "calf": 0.02,
        "upper_arm": 0.05, "wrist": 0.5, "arms": 0.054, "legs": -0.174, "back": -0.127, "torso_depth": 0.122,
        "torso_width": 0.006, "hip_depth": 0.017, "hip_width": 0.19, "belly": 0.1, "fat_limbs": 0.095,
        "knee": 0.12,
    }),
    "man": ("male", 30.0, {
        "height": 0.558, "weight": 0.767, "muscle": 0.616, "cup": 0.5, "neck": 0.051, "shoulders": 0.53,
        "bust": -0.157, "underbust": -0.253, "waist": 0.016, "hips": 0.134, "thigh": -0.042, "calf": 0.02,
        "upper_arm": -0.15, "wrist": 0.176, "arms": 0.063, "legs": -0.242, "back": 0.068,
        "torso_depth": 0.135, "torso_width": 0.203, "hip_depth": 0.059, "hip_width": -0.048, "belly": 0.079,
        "fat_limbs": 0.1, "knee": 0.05,
    }),
}  # fmt: skip
"""two ordinary adults: sex, age, dials (people.DIALS), kept as numbers so that they never change"""


def body_from_shape(
    shape: Shape, name: str = "body", measures: Mapping[str, float] | None = None, *, rig: str = "cmu_mb"
) -> Body:
    """Return the body of a shape in the rest pose; measures: those that are known, all but the weight."""
    template = load_template()
    if rig not in template.rigs:
        raise ToileError(f"no rig '{rig}'; there are {', '.join(template.rigs)}")
    bones = template.rigs[rig]
    stance = rest_stance_of(shape)
    body = Body(
        name=name,
        vertices=stance.skin,
        triangles=template.triangles,
        skeleton=skeleton_of(bones, stance, _carriers(bones) if rig == "mixamo" else None),
        weight_joint=bones.weight_joint,
        weight=bones.weight,
        limb=template.limb,
        landmarks=template_landmarks(),
    )
    if measures is None:
        joint = dict(zip(template.rigs["cmu_mb"].names, stance.heads, strict=True))
        measures = measure_skin(stance.skin, joint, template_measure_topology())
    weight = weigh(body.vertices, body.triangles)
    return replace(body, measurements={**measures, "weight": weight})


def _carriers(bones: Rig) -> Ints:
    """Return the joint of cmu_mb that moves each joint of the rig mixamo."""
    first, found = load_template().rigs["cmu_mb"].names, []
    for name in bones.names:
        part = name.split(":")[-1]
        hand = "LeftHand" if part.startswith("Left") else "RightHand"
        found.append(first.index(CARRIER_OF_MIXAMO.get(part, hand)))
    return np.array(found, dtype=np.int32)


@one_thread()
def named_body(name: str, *, rig: str = "cmu_mb") -> Body:
    """Return one of the bodies that come with the program: woman or man; rig: cmu_mb or mixamo."""
    if name not in NAMED:
        raise ToileError(f"no body '{name}'; there are {', '.join(NAMED)}")
    sex, age, dials = NAMED[name]
    return body_from_shape(shape_of(sex, age, np.array([dials[d] for d in DIALS])), name, rig=rig)


def save_body(body: Body, path: str | os.PathLike[str]) -> None:
    """Write a body to a .toile file."""
    skeleton = body.skeleton
    arrays = {
        "vertices": body.vertices, "triangles": body.triangles, "weight_joint": body.weight_joint,
        "weight": body.weight, "limb": body.limb, "parents": skeleton.parents,
        "world_from_joint": skeleton.world_from_joint, "tails": skeleton.tails,
    }  # fmt: skip
    meta = {
        "kind": KIND,
        "name": body.name,
        "joints": list(skeleton.names),
        "landmarks": dict(body.landmarks),
        "measurements": dict(body.measurements),
    }
    container.save(path, {k: np.asarray(v) for k, v in arrays.items()}, meta)


def load_body(path: str | os.PathLike[str]) -> Body:
    """Return the body in a .toile file."""
    arrays, meta = container.load(path)
    try:
        if meta.get("kind") != KIND:
            raise ToileError(f"{path}: holds a {meta.get('kind', 'thing of unknown kind')}, not a body")
        names = tuple(str(n) for n in meta["joints"])
        skeleton = Skeleton(names, arrays["parents"], arrays["world_from_joint"], arrays["tails"])
        fields = {k: arrays[k] for k in ("vertices", "triangles", "weight_joint", "weight", "limb")}
        body = Body(
            name=str(meta["name"]),
            skeleton=skeleton,
            landmarks={str(k): int(v) for k, v in meta["landmarks"].items()},
            measurements={str(k): float(v) for k, v in meta["measurements"].items()},
            **fields,
        )
    except ToileError as error:
        raise ToileError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ToileError(f"{path}: not a complete body file ({error})") from None
    _check_indices(body, path)
    return body


def _check_indices(body: Body, path: str | os.PathLike[str]) -> None:
    count, joints = len(body.vertices), len(body.skeleton.names)
    ranges = {
        "triangles": (body.triangles, 0, count),
        "weight_joint": (body.weight_joint, 0, joints),
        "limb": (body.limb, 0, 16),
        "landmarks": (np.array([*body.landmarks.values(), 0]), 0, count),
    }
    for name, (values, low, high) in ranges.items():
        if values.size and (values.min() < low or values.max() >= high):
            raise ToileError(f"{path}: {name} name things that do not exist")
    parents = body.skeleton.parents
    if (parents >= np.arange(joints)).any() or (parents < -1).any():
        raise ToileError(f"{path}: a joint comes before its parent")
    if count == 0 or np.abs(body.weight.sum(axis=1) - 1.0).max() > 1e-3 or body.weight.min() < 0.0:
        raise ToileError(f"{path}: the skin weights of a vertex do not add up to 1")
    rotation = body.skeleton.world_from_joint[:, :3, :3]
    if np.abs(rotation @ np.swapaxes(rotation, 1, 2) - np.eye(3)).max(initial=0.0) > 1e-3:
        raise ToileError(f"{path}: a joint's frame is not a rotation")


@one_thread()
def make_body(sex: str = "female", age: float | None = None, name: str = "body", **measures: float) -> Body:
    """Return a body with the wanted measures; whatever is not given is inferred from what is.

    Metres, weight in kg: make_body("female", height=1.70, waist=0.72). Names:
    toile.body.model.population.MEASURES.
    A request that cannot be met within 1 cm (1 kg) warns and gives the nearest body; one that no person has,
    or that contradicts itself, raises a ToileError that says what would be possible.
    """
    wanted = check_measures(sex, age, measures)
    fit = fit_dials(sex, wanted, age)
    body = body_from_shape(shape_of(sex, fit.age, fit.dials), name, fit.measures)
    report_misses(sex, wanted, body.measurements)
    report_rarity(sex, wanted, fit.rarity)
    return body
