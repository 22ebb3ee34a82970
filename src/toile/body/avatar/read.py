"""Skinned avatars (GLB, VRM, USD) → Body, and their clips → Motion.

Bones get their parts from the name tables of bone_names (or the file's own humanoid table in a VRM, or the
user's table). The skin is posed as the file stands, welded where texture seams split it, scaled to metres,
turned to face +z, put on the floor and brought into our A-pose, so that garments are placed as on any body.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from toile.body.avatar.alignment import (
    UNITS,
    UP,
    AvatarRig,
    FileAlignment,
    bone_tails,
    find_alignment,
    joint_limbs,
    to_a_pose,
)
from toile.body.avatar.bone_names import find_bones, renamed
from toile.body.avatar.usd import read_usd_avatar
from toile.body.model.skeleton import joint_frames
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Ints, Motion, Skeleton
from toile.geometry.rotation import from_matrix, inverse, multiply
from toile.io.axes import Axes
from toile.io.glb import GlbFile, accessor, read_glb, whole
from toile.io.glb_nodes import Nodes, clip_matrices, read_nodes, rest_matrices

MAX_VERTICES = 1_000_000
MAX_TRIANGLES = 2_000_000


READERS: Mapping[str, Callable[[str | os.PathLike[str]], GlbFile]] = {
    ".glb": read_glb,
    ".vrm": read_glb,
    ".usd": read_usd_avatar,
    ".usdc": read_usd_avatar,
    ".usda": read_usd_avatar,
    ".usdz": read_usd_avatar,
}
"""file ending → reader of skinned avatars"""


def open_avatar(path: str | os.PathLike[str]) -> GlbFile:
    """Return an avatar's file, whatever its format."""
    return READERS.get(os.path.splitext(path)[1].lower(), read_glb)(path)


@dataclass(frozen=True, eq=False, slots=True)
class AlignedAvatar:
    """How an avatar was brought from its file into our rest pose."""

    rig: AvatarRig
    rest: Floats
    """world transforms of its joints in the file, (j, 4, 4)"""
    stance: FileAlignment
    ours_from_rest: Floats
    """from the file's pose, in our axes, to our A-pose on the floor, per joint, (j, 4, 4)"""


def read_avatar(path: str | os.PathLike[str], *, table: Mapping[str, str] | None = None) -> Body:
    """Read a skinned avatar; table (part → bone name) helps where bones have unknown names."""
    return _stand(open_avatar(path), table)[0]


def _stand(glb: GlbFile, table: Mapping[str, str] | None) -> tuple[Body, AlignedAvatar]:
    """Return the avatar in our rest pose, and how it came there."""
    nodes = read_nodes(glb)
    rig = _find_rig(glb, nodes, table)
    world = _rest_world(glb, nodes)
    points, triangles, joints, weights = _read_skin(glb, nodes, rig, world)
    points, triangles, joints, weights = _weld(points, triangles, joints, weights, glb.name)
    heads = world[rig.node, :3, 3]
    stance = find_alignment(points, heads, rig.bones, glb.name)
    points, heads = stance.place(points), stance.place(heads)
    if np.abs(points).max() > 10.0 or np.abs(heads).max() > 10.0:
        raise ToileError(f"{glb.name}: its bones or its skin reach farther than 10 m from the person")
    tails = bone_tails(heads, rig)
    turned = to_a_pose(heads, rig)
    blend = np.einsum("nk,nkab->nab", weights, turned[joints])
    points = np.einsum("nab,nb->na", blend[:, :3, :3], points) + blend[:, :3, 3]
    floor = points[:, 1].min() * UP
    turned[:, :3, 3] -= floor
    heads, tails = (np.einsum("jab,jb->ja", turned[:, :3, :3], p) + turned[:, :3, 3] for p in (heads, tails))
    body = Body(
        name=os.path.splitext(glb.name)[0],
        vertices=points - floor,
        triangles=triangles,
        skeleton=Skeleton(rig.names, rig.parents, joint_frames(heads, tails), tails),
        weight_joint=joints,
        weight=weights,
        limb=joint_limbs(rig)[joints[np.arange(len(joints)), weights.argmax(axis=1)]],
        measurements={"height": float(np.ptp(points[:, 1]))},
    )
    return body, AlignedAvatar(rig, world[rig.node], stance, turned)


@dataclass(frozen=True, eq=False, slots=True)
class AvatarClip:
    """An avatar's clip on the avatar itself: nothing is retargeted."""

    name: str
    fps: float
    world_from_joint: Floats
    """of the body that read_avatar returns, upright, facing +z as the file's rest pose does, (f, j, 4, 4)"""
    file_from_ours: Floats
    """from those places [m] to the file's own, (4, 4)"""
    axes: Axes


def read_avatar_clip(
    path: str | os.PathLike[str],
    number: int = 0,
    *,
    fps: float | None = None,
    table: Mapping[str, str] | None = None,
) -> AvatarClip:
    """Return how an avatar's joints move in one of its clips; fps None: at the rate of its keys."""
    glb = open_avatar(path)
    clip = glb.item("animations", number)
    body, stood = _stand(glb, table)
    matrices, rate = clip_matrices(glb, read_nodes(glb), clip, fps)
    ours_from_file = np.eye(4)
    ours_from_file[:3, :3] = stood.stance.scale * stood.stance.rotation
    ours_from_file[:3, 3] = stood.stance.shift
    # what moves the skin from the file's rest pose, seen in our axes and from our rest pose
    moved = matrices[:, stood.rig.node] @ np.linalg.inv(stood.rest)
    moved = ours_from_file @ moved @ np.linalg.inv(ours_from_file)
    world = moved @ np.linalg.inv(stood.ours_from_rest) @ body.skeleton.world_from_joint
    world[..., :3, :3] = _rigid(world)
    units = np.eye(4)
    units[:3, :3] = glb.axes.ours_from_file
    back = np.linalg.inv(ours_from_file @ units)
    return AvatarClip(_clip_name(clip, number), rate, world, np.asarray(back, dtype=np.float64), glb.axes)


def clip_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of an avatar's clips."""
    return tuple(_clip_name(clip, index) for index, clip in enumerate(open_avatar(path).items("animations")))


def _clip_name(clip: dict[str, Any], index: int) -> str:
    return str(clip.get("name") or f"clip {index + 1}")[:60].replace("\n", " ")


def read_clip(
    path: str | os.PathLike[str], number: int = 0, *, table: Mapping[str, str] | None = None
) -> Motion:
    """Return one clip of an avatar as a motion [m, y up]."""
    glb = open_avatar(path)
    clip = glb.item("animations", number)
    nodes = read_nodes(glb)
    rig = _find_rig(glb, nodes, table)
    rest = _rest_world(glb, nodes)[rig.node]
    height = np.ptp(rest[:, :3, 3], axis=0).max()
    scale = next((unit_ for unit_ in UNITS if 0.7 < height * unit_ < 2.5), 1.6 / max(float(height), 1e-9))
    return _clip(glb, nodes, rig, rest, clip, number, scale)


def _clip(
    glb: GlbFile, nodes: Nodes, rig: AvatarRig, rest: Floats, clip: dict[str, Any], index: int, scale: float
) -> Motion:
    matrices, fps = clip_matrices(glb, nodes, clip)
    world = matrices[:, rig.node]
    rotation = multiply(from_matrix(_rigid(world)), inverse(from_matrix(_rigid(rest))))
    local, offsets = np.array(rotation), scale * np.array(rest[:, :3, 3])
    for joint, parent in enumerate(rig.parents):
        if parent >= 0:
            local[:, joint] = multiply(inverse(rotation[:, parent]), rotation[:, joint])
            offsets[joint] = scale * (rest[joint, :3, 3] - rest[parent, :3, 3])
    return Motion(
        name=_clip_name(clip, index),
        fps=fps,
        names=rig.names,
        parents=rig.parents,
        offsets=offsets,
        tails=bone_tails(scale * rest[:, :3, 3], rig) - scale * rest[:, :3, 3],
        rotations=local,
        translation=scale * world[:, 0, :3, 3],
        source=glb.name,
    )


def _rigid(matrices: Floats) -> Floats:
    """Return the rotations (…, 3, 3) of transforms with scale."""
    rotation = matrices[..., :3, :3]
    return np.asarray(rotation / np.maximum(np.linalg.norm(rotation, axis=-2, keepdims=True), 1e-12))


def _find_rig(glb: GlbFile, nodes: Nodes, table: Mapping[str, str] | None) -> AvatarRig:
    """Return the joints of all skins as one tree, the hips' root first."""
    used: set[int] = set()
    for skin in glb.items("skins"):
        used |= set(_skin_joints(glb, skin))
    if not used:
        raise ToileError(f"{glb.name}: has no skin with joints; give a rigged avatar, or use it as a scan")
    if len(used) > 2000:
        raise ToileError(f"{glb.name}: {len(used)} joints are too many (2000)")
    human = _humanoid(glb)
    used |= {node for node in human if node < len(nodes.names)}
    tree = {node: _used_parent(nodes, node, used) for node in used}
    roots = [node for node in nodes.order if node in used and tree[node] < 0]
    size = {root: sum(_root_of(tree, node) == root for node in used) for root in roots}
    main = max(roots, key=lambda root: size[root])
    order = [node for node in nodes.order if node in used and _root_of(tree, node) == main]
    order += [node for node in nodes.order if node in used and _root_of(tree, node) != main]
    # loose roots (hair, props) ride with the main one
    place = {node: index for index, node in enumerate(order)}
    parents = [place[tree[n]] if tree[n] >= 0 else (-1 if n == main else 0) for n in order]
    names = _unique([human.get(node, nodes.names[node]) for node in order])
    names = renamed(names, table or {}, glb.name)
    bones = find_bones(names, parents, source=glb.name)
    return AvatarRig(np.array(order, dtype=np.int32), tuple(names), np.array(parents, dtype=np.int32), bones)


def _skin_joints(glb: GlbFile, skin: dict[str, Any]) -> list[int]:
    """Return the nodes that are a skin's joints."""
    joints, most = skin.get("joints"), len(glb.items("nodes")) - 1
    if not isinstance(joints, list) or not joints:
        raise ToileError(f"{glb.name}: a skin has no joints")
    return [whole(joint, "a skin's joint", glb.name, 0, most) for joint in joints]


def _used_parent(nodes: Nodes, node: int, used: set[int]) -> int:
    parent = int(nodes.parents[node])
    while parent >= 0 and parent not in used:
        parent = int(nodes.parents[parent])
    return parent


def _root_of(tree: Mapping[int, int], node: int) -> int:
    while tree[node] >= 0:
        node = tree[node]
    return node


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        names[index] = name if seen[name] == 1 else f"{name} {seen[name]}"
    return names


def _humanoid(glb: GlbFile) -> dict[int, str]:
    """Return node → humanoid bone name from a VRM file's own table (version 0 or 1)."""
    extensions = glb.tree.get("extensions", {})
    found: dict[int, str] = {}
    for key in ("VRM", "VRMC_vrm"):
        table = extensions.get(key, {}) if isinstance(extensions, dict) else {}
        humanoid = table.get("humanoid", {}) if isinstance(table, dict) else {}
        bones = humanoid.get("humanBones", []) if isinstance(humanoid, dict) else []
        bones = bones if isinstance(bones, list | dict) else []
        pairs = (
            [(str(bone.get("bone")), bone.get("node")) for bone in bones if isinstance(bone, dict)]
            if isinstance(bones, list)
            else [(name, bone.get("node")) for name, bone in bones.items() if isinstance(bone, dict)]
        )
        found |= {node: name for name, node in pairs if isinstance(node, int) and node >= 0}
    return found


def _rest_world(glb: GlbFile, nodes: Nodes) -> Floats:
    """Return the nodes' world transforms (n, 4, 4) in the pose in which the skin was bound.

    Files whose nodes stand in another pose (a clip's first frame) tell the bound one by their bind matrices.
    """
    world = rest_matrices(nodes)
    bound: dict[int, Floats] = {}
    for skin in glb.items("skins"):
        bind = _bind_matrices(glb, skin)
        if bind is None or (np.abs(np.linalg.det(bind)) < 1e-12).any():
            return world
        bound |= dict(zip(_skin_joints(glb, skin), np.linalg.inv(bind), strict=True))
    stands = np.array([world[node] @ np.linalg.inv(matrix) for node, matrix in bound.items()])
    if (
        not len(stands)
        or np.abs((stands - stands[0])[:, :3, :3]).max() < 0.02 * np.abs(stands[0, :3, :3]).max()
    ):
        return world
    rest = np.array(world)
    for node in nodes.order:
        parent = int(nodes.parents[node])
        if node in bound:
            rest[node] = bound[node]
        elif parent >= 0:
            rest[node] = rest[parent] @ np.linalg.solve(world[parent], world[node])
    return rest


def _bind_matrices(glb: GlbFile, skin: dict[str, Any]) -> Floats | None:
    """Return joint_from_mesh of a skin, (j, 4, 4); None where the file has none."""
    if "inverseBindMatrices" not in skin:
        return None
    columns = np.asarray(accessor(glb, skin["inverseBindMatrices"]), dtype=np.float64)
    count = len(_skin_joints(glb, skin))
    if columns.ndim != 2 or columns.shape != (count, 16):
        raise ToileError(f"{glb.name}: a skin has bind matrices {columns.shape} for {count} joints")
    return np.asarray(columns.reshape(-1, 4, 4).transpose(0, 2, 1))


def _read_skin(
    glb: GlbFile, nodes: Nodes, rig: AvatarRig, world: Floats
) -> tuple[Floats, Ints, Ints, Floats]:
    """Return points (n, 3) in file units, triangles, joints (n, 4) and weights (n, 4) of all meshes."""
    joint_of = np.full(len(nodes.names), -1, dtype=np.int32)
    joint_of[rig.node] = np.arange(len(rig.node))
    parts: list[tuple[Floats, Ints, Ints, Floats]] = []
    count = 0
    for index, node in enumerate(glb.items("nodes")):
        if "mesh" not in node:
            continue
        mesh = glb.item("meshes", node["mesh"])
        primitives = mesh.get("primitives", [])
        for primitive in primitives if isinstance(primitives, list) else []:
            attributes = primitive.get("attributes") if isinstance(primitive, dict) else None
            if (
                not isinstance(attributes, dict)
                or "POSITION" not in attributes
                or primitive.get("mode", 4) != 4
            ):
                continue
            part = _read_primitive(glb, nodes, node, index, primitive, world, joint_of)
            if part is None:
                continue
            parts.append((part[0], part[1] + count, part[2], part[3]))
            count += len(part[0])
            if count > MAX_VERTICES or sum(len(p[1]) for p in parts) > MAX_TRIANGLES:
                raise ToileError(
                    f"{glb.name}: more than {MAX_VERTICES} vertices or {MAX_TRIANGLES} triangles"
                )
    if not parts:
        raise ToileError(f"{glb.name}: no triangles hang on its bones")
    points, triangles, joints, weights = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return points, triangles.astype(np.int32), joints.astype(np.int32), weights


def _read_primitive(
    glb: GlbFile,
    nodes: Nodes,
    node: dict[str, Any],
    index: int,
    primitive: dict[str, Any],
    world: Floats,
    joint_of: Ints,
) -> tuple[Floats, Ints, Ints, Floats] | None:
    """Return one piece of skin posed as the file stands; None for things that hang on no bone."""
    attributes, source = primitive["attributes"], f"{glb.name}: mesh {node['mesh']}"
    points = np.asarray(accessor(glb, attributes["POSITION"]), dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ToileError(f"{source}: positions are not points in space")
    order = accessor(glb, primitive["indices"]) if "indices" in primitive else np.arange(len(points))
    triangles = np.asarray(order, dtype=np.int64)
    if triangles.ndim != 1 or len(triangles) % 3 or (len(triangles) and triangles.max() >= len(points)):
        raise ToileError(f"{source}: its triangles name points that do not exist")
    triangles = triangles.reshape(-1, 3)
    if "skin" not in node or "JOINTS_0" not in attributes or "WEIGHTS_0" not in attributes:
        holder = index
        while holder >= 0 and joint_of[holder] < 0:
            holder = int(nodes.parents[holder])
        if holder < 0:
            return None
        posed = points @ world[index, :3, :3].T + world[index, :3, 3]
        joints = np.zeros((len(points), 4), dtype=np.int32)
        joints[:, 0] = joint_of[holder]
        return posed, triangles.astype(np.int32), joints, np.tile([1.0, 0, 0, 0], (len(points), 1))
    skin = glb.item("skins", node["skin"])
    skin_joints = np.array(_skin_joints(glb, skin))
    joints, weights = _influences(glb, attributes, len(points), len(skin_joints), source)
    bind = _bind_matrices(glb, skin)
    bind = np.tile(np.eye(4), (len(skin_joints), 1, 1)) if bind is None else bind
    moved = world[skin_joints] @ bind
    blend = np.einsum("nk,nkab->nab", weights, moved[joints])
    posed = np.einsum("nab,nb->na", blend[:, :3, :3], points) + blend[:, :3, 3]
    return posed, triangles.astype(np.int32), joint_of[skin_joints][joints], weights


def _influences(
    glb: GlbFile, attributes: dict[str, Any], count: int, joint_count: int, source: str
) -> tuple[Ints, Floats]:
    """Return the four strongest joints of each vertex and their shares."""
    sets = [
        number
        for number in range(4)
        if f"JOINTS_{number}" in attributes and f"WEIGHTS_{number}" in attributes
    ]
    joints = [np.asarray(accessor(glb, attributes[f"JOINTS_{n}"]), dtype=np.int64) for n in sets]
    weights = [np.asarray(accessor(glb, attributes[f"WEIGHTS_{n}"]), dtype=np.float64) for n in sets]
    if any(array.shape != (count, 4) for array in (*joints, *weights)):
        raise ToileError(f"{source}: joints and weights do not fit its {count} points")
    joint, weight = np.concatenate(joints, axis=1), np.maximum(np.concatenate(weights, axis=1), 0.0)
    if joint.size and (joint.max() >= joint_count or joint.min() < 0):
        raise ToileError(f"{source}: a point hangs on joint {joint.max()}, but its skin has {joint_count}")
    best = np.argsort(-weight, axis=1, kind="stable")[:, :4]
    joint, weight = np.take_along_axis(joint, best, 1), np.take_along_axis(weight, best, 1)
    total = weight.sum(axis=1, keepdims=True)
    weight = np.where(total > 1e-9, weight / np.maximum(total, 1e-9), np.array([1.0, 0, 0, 0]))
    return joint.astype(np.int32), weight


def _weld(
    points: Floats, triangles: Ints, joints: Ints, weights: Floats, source: str
) -> tuple[Floats, Ints, Ints, Floats]:
    """Merge points at the same place (texture seams) and drop empty triangles and unused points."""
    if not np.isfinite(points).all():
        raise ToileError(f"{source}: its skin has points at infinity")
    size = max(float(np.ptp(points, axis=0).max()), 1e-9)
    keys = np.round(points / (1e-6 * size)).astype(np.int64)
    _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    welded = place.reshape(-1)[triangles]
    a, b, c = welded.T
    welded = welded[(a != b) & (b != c) & (a != c)]
    used, welded = np.unique(welded, return_inverse=True)
    if len(used) < 50:
        raise ToileError(f"{source}: only {len(used)} points of skin; this is no person")
    keep = first[used]
    return points[keep], welded.reshape(-1, 3).astype(np.int32), joints[keep], weights[keep]
