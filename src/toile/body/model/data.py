"""The baked body template: one neutral adult skin, its shape targets, rigs and weights.

The file is made at build time by tools/bake_body.py from the CC0 MakeHuman base mesh (see NOTICE) and is read
once. Units: metres, y up, facing +z, the left hand at +x; the origin is near the hips.
"""

from __future__ import annotations

import functools
import importlib.util
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toile.core.errors import ToileError
from toile.core.records import LIMBS, Floats, Ints

FILE = "template.npz"
UNIT = 1e-4
"""metres per unit of the integer targets"""

LIMB_OF_JOINT = {
    "Head": "head",
    "Neck": "neck", "Neck1": "neck",
    "Spine": "torso", "Spine1": "torso", "LowerBack": "torso",
    "LeftShoulder": "torso", "RightShoulder": "torso",
    "Hips": "pelvis", "LHipJoint": "pelvis", "RHipJoint": "pelvis",
    "LeftArm": "left_upper_arm", "LeftForeArm": "left_forearm", "LeftHand": "left_hand",
    "LeftFingerBase": "left_hand", "LeftHandFinger1": "left_hand", "LThumb": "left_hand",
    "RightArm": "right_upper_arm", "RightForeArm": "right_forearm", "RightHand": "right_hand",
    "RightFingerBase": "right_hand", "RightHandFinger1": "right_hand", "RThumb": "right_hand",
    "LeftUpLeg": "left_thigh", "LeftLeg": "left_shin", "LeftFoot": "left_foot", "LeftToeBase": "left_foot",
    "RightUpLeg": "right_thigh", "RightLeg": "right_shin",
    "RightFoot": "right_foot", "RightToeBase": "right_foot",
}  # fmt: skip
"""limb that each joint of the rig cmu_mb carries"""

CARRIER_OF_MIXAMO = {
    "Hips": "Hips", "Spine": "LowerBack", "Spine1": "Spine", "Spine2": "Spine1",
    "Neck": "Neck", "Head": "Head",
    **{f"{side}{part}": f"{side}{part}" for side in ("Left", "Right") for part in
       ("Shoulder", "Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase")},
}  # fmt: skip
"""joint of cmu_mb that moves each joint of the rig mixamo; fingers move with the hand"""


@dataclass(frozen=True, eq=False, slots=True)
class Rig:
    """One skeleton of the template with its skin weights."""

    names: tuple[str, ...]
    parents: Ints
    """(j,), -1 for the root; parents before children"""
    heads: slice
    """rows of Template.points that hold the bones' heads"""
    tails: slice
    """rows of Template.points that hold the bones' tails"""
    weight_joint: Ints
    """(n, k)"""
    weight: Floats
    """(n, k)"""


@dataclass(frozen=True, eq=False, slots=True)
class Template:
    """Everything that the baked file holds."""

    vertices: Floats
    """neutral skin [m], (n, 3)"""
    triangles: Ints
    """(t, 3)"""
    points: Floats
    """ends of the bones of all rigs, neutral [m], (p, 3)"""
    rigs: Mapping[str, Rig]
    limb: Ints
    """index into LIMBS, (n,)"""
    target_names: tuple[str, ...]
    """kind/factor/factor…, (k,)"""
    target_skin: NDArray[np.int16]
    """displacement of the skin per target in UNIT, (k, n·3)"""
    target_points: NDArray[np.float32]
    """displacement of the points per target [m], (k, p·3)"""


search: list[Path] = [Path(__file__).parent]
"""folders that may hold the baked files, first come first served"""


def data_path(name: str) -> Path:
    """Return a baked file: beside this module, else beside the compiled kernels (editable installs)."""
    spec = importlib.util.find_spec("toile._kernels")
    beside = [Path(spec.origin).parent / "body" / "model"] if spec and spec.origin else []
    for folder in search + beside:
        if (folder / name).is_file():
            return folder / name
    raise ToileError(f"the body file {name} is missing: build Toile again (pip install .)")


def load_arrays(name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a baked file."""
    path = data_path(name)
    try:
        with np.load(path, allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ToileError(f"{path}: damaged body file ({error}): build Toile again") from None


@functools.cache
def load_template() -> Template:
    """Return the template, read once."""
    arrays = load_arrays(FILE)
    try:
        return _template(arrays)
    except KeyError as error:
        raise ToileError(f"{FILE}: no {error} in the body template: build Toile again") from None


def _template(arrays: dict[str, NDArray[Any]]) -> Template:
    rigs = {name: _rig(arrays, name) for name in ("cmu_mb", "mixamo")}
    count = len(arrays["vertices"])
    return Template(
        vertices=arrays["vertices"].astype(np.float64),
        triangles=arrays["triangles"].astype(np.int32),
        points=arrays["points"].astype(np.float64),
        rigs=rigs,
        limb=_limbs(rigs["cmu_mb"]),
        target_names=tuple(str(n) for n in arrays["target_names"]),
        target_skin=arrays["target_skin"].reshape(-1, count * 3),
        target_points=arrays["target_points"].reshape(len(arrays["target_skin"]), -1),
    )


def _rig(arrays: dict[str, NDArray[Any]], name: str) -> Rig:
    first, count = (int(x) for x in arrays[f"{name}_points"])
    share = arrays[f"{name}_weight"].astype(np.float64)
    share /= share.sum(1, keepdims=True)
    joint = arrays[f"{name}_joint"].astype(np.int32)
    return Rig(
        names=tuple(str(n) for n in arrays[f"{name}_names"]),
        parents=arrays[f"{name}_parents"].astype(np.int32),
        heads=slice(first, first + count),
        tails=slice(first + count, first + 2 * count),
        weight_joint=joint,
        weight=share,
    )


def _limbs(rig: Rig) -> Ints:
    """Return the limb label of each vertex: that of the limb with the greatest total weight."""
    of_joint = np.array([LIMBS.index(LIMB_OF_JOINT[n]) for n in rig.names])
    total = np.zeros((len(rig.weight), len(LIMBS)))
    rows = np.arange(len(total))
    for column in range(rig.weight.shape[1]):
        np.add.at(total, (rows, of_joint[rig.weight_joint[:, column]]), rig.weight[:, column])
    labels: Ints = total.argmax(1).astype(np.int32)
    return labels
