"""Which bone is which: foreign joint names → the parts of a person.

Names are split into a side and a core (``mixamorig:LeftUpLeg`` → left, upleg); each table below turns cores
into parts. Rigs named after bones and rigs named after joints use the same words for different things
(``LeftShoulder`` is a collar bone for Mixamo and an upper arm for SMPL), so the table that explains most
of a skeleton is used for all of it. Spine and neck are found from the tree, not from names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toile.core.errors import ToileError

SIDED_PARTS = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
NEEDED = tuple(f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shin", "foot"))
PARTS = ("hips", "head", *(f"{side}_{part}" for side in ("left", "right") for part in SIDED_PARTS))
"""what a bone table may name"""
TOLD = "part:"
"""a bone whose name begins so is the part that follows, whatever the tables say: a user's table said it"""
USEFUL = tuple(f"{side}_{part}" for side in ("left", "right") for part in ("upper_arm", "forearm", "hand"))

_BONES = {
    "shoulder": "clavicle", "clavicle": "clavicle", "collar": "clavicle",
    "arm": "upper_arm", "uparm": "upper_arm", "upperarm": "upper_arm", "forearm": "forearm",
    "lowerarm": "forearm", "lowarm": "forearm", "hand": "hand", "wrist": "hand",
    "upleg": "thigh", "upperleg": "thigh", "thigh": "thigh",
    "leg": "shin", "lowerleg": "shin", "lowleg": "shin", "shin": "shin", "calf": "shin", "foot": "foot",
    "toebase": "toe", "toe": "toe", "toes": "toe", "ball": "toe",
    "hips": "hips", "hip": "hips", "pelvis": "hips", "head": "head",
}  # fmt: skip

_JOINTS = {
    "collar": "clavicle", "clavicle": "clavicle", "shoulder": "upper_arm", "elbow": "forearm",
    "wrist": "hand", "hip": "thigh", "knee": "shin", "ankle": "foot", "foot": "toe", "toe": "toe",
    "toebase": "toe", "hips": "hips", "pelvis": "hips", "root": "hips", "head": "head",
}  # fmt: skip

TABLES: Mapping[str, Mapping[str, str]] = {
    # CMU, MotionBuilder, Mixamo, VRM humanoid, Unreal, 3ds Max biped, Rigify
    "bones": _BONES,
    # SMPL and its relatives, Poser, early motion libraries
    "joints": _JOINTS,
}

# words that exporters add to a bone's own name
_NOISE = frozenset(
    ("c", "b", "j", "m", "f", "jnt", "joint", "bone", "bip", "biped", "valve", "valvebiped", "mixamorig",
     "character", "def", "org", "rig")
)  # fmt: skip
_SIDES = {"left": "left", "right": "right", "l": "left", "r": "right"}


@dataclass(frozen=True, slots=True)
class Bones:
    """Joint indices of the parts of a person."""

    hips: int
    spine: tuple[int, ...]
    """from above the hips up to the joint that carries arms and neck"""
    neck: tuple[int, ...]
    """from above the chest up to the head, the head last (may be empty)"""
    limbs: Mapping[str, int]
    """left_thigh, left_shin … right_hand, as far as the skeleton has them"""


def split_name(name: str) -> tuple[str, str]:
    """Return (side or empty, core in lower case without separators)."""
    name = name.strip().rsplit(":", 1)[-1].rsplit("|", 1)[-1]
    words = [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    words = [word for word in words if word not in _NOISE] or words
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    core = "".join(word for word in words if word not in _SIDES)
    # one small word such as leftupleg
    match = None if side else re.match(r"^(left|right)(.+)$", core)
    return (match.group(1), match.group(2)) if match else (side, core)


def name_parts(names: Sequence[str], table: Mapping[str, str]) -> dict[str, int]:
    """Return part → joint index for one table; the first joint of a name wins."""
    parts: dict[str, int] = {}
    for index, name in enumerate(names):
        side, core = split_name(name)
        part = table.get(core)
        if part in SIDED_PARTS and side:
            parts.setdefault(f"{side}_{part}", index)
        elif part in ("hips", "head") and not side:
            parts.setdefault(part, index)
    return parts


def find_bones(
    names: Sequence[str],
    parents: Sequence[int],
    *,
    table: Mapping[str, str] | None = None,
    source: str = "skeleton",
) -> Bones:
    """Find hips, spine, neck and limbs; table (part → bone name) overrides what the names suggest."""
    names = renamed(names, table or {}, source)
    candidates = [name_parts(names, words) for words in TABLES.values()]
    parts = max(candidates, key=lambda found: sum(part in found for part in NEEDED + USEFUL))
    told = {name.removeprefix(TOLD): index for index, name in enumerate(names) if name.startswith(TOLD)}
    parts |= {part: index for part, index in told.items() if part in PARTS}
    parts = _drop_misplaced(parts, parents)
    missing = [part for part in NEEDED if part not in parts]
    if missing:
        raise ToileError(
            f"{source}: no bone found for {', '.join(missing)} among {len(names)} joints; "
            "name them with a bone table, such as left_thigh=MyLeftLeg"
        )
    hips = _common_ancestor([parts["left_thigh"], parts["right_thigh"]], parents)
    top = [parts[p] for p in ("left_upper_arm", "right_upper_arm", "head") if p in parts]
    chest = _common_ancestor(top, parents) if len(top) > 1 else (parents[top[0]] if top else hips)
    spine = _path(hips, chest, parents)
    neck = _path(chest, parts["head"], parents) if "head" in parts else ()
    limbs = {part: index for part, index in parts.items() if part not in ("hips", "head")}
    return Bones(hips=hips, spine=spine, neck=neck, limbs=limbs)


def renamed(names: Sequence[str], table: Mapping[str, str], source: str) -> list[str]:
    """Return the names with the bones of a user's table (part → bone name) called by their parts."""
    known = set(names)
    for part, name in table.items():
        if part not in PARTS:
            raise ToileError(f"bone table: '{part}' is not a part; use one of {', '.join(PARTS)}")
        if name not in known:
            raise ToileError(
                f"{source}: the bone table names '{name}' for {part}, but there is no such joint"
            )
    part_of = {name: part for part, name in table.items()}
    return [TOLD + part_of[name] if name in part_of else name for name in names]


def _drop_misplaced(parts: dict[str, int], parents: Sequence[int]) -> dict[str, int]:
    """Forget parts that do not hang below the part that should carry them."""
    for side in ("left", "right"):
        for upper, lower in (("thigh", "shin"), ("shin", "foot"), ("foot", "toe"), ("upper_arm", "forearm"),
                             ("forearm", "hand"), ("clavicle", "upper_arm")):  # fmt: skip
            a, b = parts.get(f"{side}_{upper}"), parts.get(f"{side}_{lower}")
            if a is not None and b is not None and a not in _ancestors(b, parents):
                parts.pop(f"{side}_{'clavicle' if upper == 'clavicle' else lower}")
    return parts


def _ancestors(joint: int, parents: Sequence[int]) -> list[int]:
    """Return the joint's parents up to the root, nearest first, without itself."""
    chain = []
    joint = int(parents[joint])
    while joint >= 0:
        chain.append(joint)
        joint = int(parents[joint])
    return chain


def _common_ancestor(joints: Sequence[int], parents: Sequence[int]) -> int:
    chains = [_ancestors(joint, parents) for joint in joints]
    shared = set.intersection(*(set(chain) for chain in chains))
    return next((joint for joint in chains[0] if joint in shared), 0)


def _path(top: int, bottom: int, parents: Sequence[int]) -> tuple[int, ...]:
    """Return the joints from below top down to bottom, empty where bottom does not hang below top."""
    if bottom == top:
        return ()
    chain = [bottom, *_ancestors(bottom, parents)]
    return tuple(reversed(chain[: chain.index(top)])) if top in chain else ()
