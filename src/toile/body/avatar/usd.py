"""Avatars in USD files (UsdSkel) in the form of a GLB file, so that both are read by the same code.

The joints of all skeletons become nodes, bind matrices and weights skins, the animation a clip with a key
per time sample; points, joints and bind matrices are turned to metres, y up, on the way. Matrices of USD act
on rows: they are transposed where they are read.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Ints
from toile.geometry.rotation import from_matrix
from toile.io.axes import Axes
from toile.io.glb import MAX_ITEMS, GlbFile
from toile.io.glb_nodes import MAX_CLIP_FRAMES, MAX_CLIP_VALUES
from toile.io.usd import axes_of, open_stage

MAX_POINTS = 1_000_000
MAX_CORNERS = 8_000_000


class _Tree:
    """A GLB file under construction: JSON and its arrays."""

    def __init__(self) -> None:
        self.tree: dict[str, Any] = {
            key: [] for key in ("nodes", "meshes", "skins", "animations", "accessors", "bufferViews")
        }
        self.tree |= {"asset": {"version": "2.0"}, "buffers": [{}]}
        self._data = bytearray()

    def add(self, kind: str, **entry: Any) -> int:
        self.tree[kind].append(entry)
        return len(self.tree[kind]) - 1

    def array(self, values: np.ndarray, kind: str) -> int:
        """Add an array of the type SCALAR, VEC3, VEC4 or MAT4."""
        floats = values.dtype.kind == "f"
        raw = np.ascontiguousarray(values, dtype="<f4" if floats else "<u4").tobytes()
        view = self.add("bufferViews", buffer=0, byteOffset=len(self._data), byteLength=len(raw))
        self._data += raw
        number = 5126 if floats else 5125
        return self.add("accessors", bufferView=view, componentType=number, count=len(values), type=kind)

    def finish(self, name: str, axes: Axes) -> GlbFile:
        self.tree["buffers"] = [{"byteLength": len(self._data)}]
        return GlbFile(name, self.tree, bytes(self._data), axes)


def read_usd_avatar(path: str | os.PathLike[str]) -> GlbFile:
    """Return the skeletons, skins and the animation of a USD file."""
    name = os.path.basename(path)
    stage = open_stage(path)
    from pxr import Tf

    try:
        return _read(stage, name)
    except Tf.ErrorException as error:
        raise ToileError(f"{name}: its skeleton or skin cannot be read") from error


def _read(stage: Any, name: str) -> GlbFile:
    from pxr import Usd, UsdSkel

    bindings = []
    cache = UsdSkel.Cache()
    for prim in stage.Traverse():
        if prim.IsA(UsdSkel.Root):
            cache.Populate(UsdSkel.Root(prim), Usd.PrimDefaultPredicate)
            bindings += cache.ComputeSkelBindings(UsdSkel.Root(prim), Usd.PrimDefaultPredicate)
    bindings = [b for b in bindings if b.GetSkeleton() and len(b.GetSkinningTargets())]
    if not bindings:
        raise ToileError(f"{name}: has no skeleton with skin on it (UsdSkel); export the avatar with its rig")
    queries = [cache.GetSkelQuery(b.GetSkeleton()) for b in bindings]
    times = sorted({t for query in queries for t in _samples(query)})
    axes = axes_of(stage, times[0] if times else 1.0)
    made = _Tree()
    for binding, query in zip(bindings, queries, strict=True):
        _add_skeleton(made, binding, query, axes, name)
    rate = float(stage.GetTimeCodesPerSecond()) or 24.0
    if len(times) > 1:
        _add_clip(made, queries, times, rate, axes, name)
    return made.finish(name, axes)


def _samples(query: Any) -> list[float]:
    """Return the times at which joints, or the skeleton itself, have keys."""
    animation = query.GetAnimQuery()
    found = list(animation.GetJointTransformTimeSamples()) if animation else []
    from pxr import UsdGeom

    return found + list(UsdGeom.Xformable(query.GetPrim()).GetTimeSamples())


def _columns(matrices: Any) -> Floats:
    """Return USD's matrices (…, 4, 4) as ours, which act on columns."""
    return np.asarray(np.swapaxes(np.array(matrices, dtype=np.float64), -1, -2))


def _whole(axes: Axes) -> Floats:
    full = np.eye(4)
    full[:3, :3] = axes.ours_from_file
    return full


def _parts(matrices: Floats) -> tuple[Floats, Floats, Floats]:
    """Return translation, rotation (x, y, z, w) and scale of transforms (…, 4, 4)."""
    scale = np.maximum(np.linalg.norm(matrices[..., :3, :3], axis=-2), 1e-12)
    mirrored = np.linalg.det(matrices[..., :3, :3]) < 0
    scale[..., 0] = np.where(mirrored, -scale[..., 0], scale[..., 0])
    rotation = from_matrix(matrices[..., :3, :3] / scale[..., None, :])
    return matrices[..., :3, 3], rotation[..., [1, 2, 3, 0]], scale


def _local_joints(query: Any, axes: Axes, time: Any, *, rest: bool = False) -> Floats:
    """Return each joint relative to its parent (roots: in our world), (j, 4, 4)."""
    from pxr import UsdGeom

    local = _columns(query.ComputeJointLocalTransforms(time, rest))
    world = _columns(UsdGeom.XformCache(time).GetLocalToWorldTransform(query.GetPrim()))
    parents = np.array(query.GetTopology().GetParentIndices())
    roots = parents < 0
    local[roots] = _whole(axes) @ world @ local[roots]
    return local


def _add_skeleton(made: _Tree, binding: Any, query: Any, axes: Axes, name: str) -> None:
    """Add the joints as nodes, their bind matrices as a skin, and the meshes that hang on them."""
    from pxr import Usd

    order, topology = [str(j) for j in query.GetJointOrder()], query.GetTopology()
    if not order or len(order) > 2000 or not query:
        raise ToileError(f"{name}: skeleton {query.GetPrim().GetName()} has {len(order)} joints (1 to 2000)")
    local = _local_joints(query, axes, Usd.TimeCode.EarliestTime(), rest=True)
    translation, rotation, scale = _parts(local)
    first = len(made.tree["nodes"])
    for index, joint in enumerate(order):
        made.add(
            "nodes", name=joint.rsplit("/", 1)[-1], translation=translation[index].tolist(),
            rotation=rotation[index].tolist(), scale=scale[index].tolist(),
        )  # fmt: skip
    for index, parent in enumerate(topology.GetParentIndices()):
        if parent >= 0:
            made.tree["nodes"][first + parent].setdefault("children", []).append(first + index)
    bind = _whole(axes) @ _columns(query.GetJointWorldBindTransforms())
    if bind.shape != (len(order), 4, 4) or (np.abs(np.linalg.det(bind)) < 1e-18).any():
        raise ToileError(f"{name}: skeleton {query.GetPrim().GetName()} has no usable bind transforms")
    flat = np.swapaxes(np.linalg.inv(bind), 1, 2).reshape(-1, 16)
    joints = list(range(first, first + len(order)))
    skin = made.add("skins", joints=joints, inverseBindMatrices=made.array(flat, "MAT4"))
    for target in binding.GetSkinningTargets():
        _add_mesh(made, target, order, skin, axes, name)


def _add_mesh(made: _Tree, target: Any, order: list[str], skin: int, axes: Axes, name: str) -> None:
    """Add a mesh of the skin; things that are no mesh are left out."""
    from pxr import Usd, UsdGeom

    prim = target.GetPrim()
    if not prim.IsA(UsdGeom.Mesh):
        return
    time, mesh = Usd.TimeCode.EarliestTime(), UsdGeom.Mesh(prim)
    points = np.array(mesh.GetPointsAttr().Get(time) or [], dtype=np.float64).reshape(-1, 3)
    if not 0 < len(points) <= MAX_POINTS or len(made.tree["meshes"]) >= MAX_ITEMS:
        raise ToileError(f"{name}: {prim.GetName()} has {len(points)} points (at most {MAX_POINTS})")
    joints, weights = _influences(target, len(points), order, f"{name}: {prim.GetName()}")
    bind = _whole(axes) @ _columns(target.GetGeomBindTransform(time))
    placed = points @ bind[:3, :3].T + bind[:3, 3]
    attributes = {
        "POSITION": made.array(placed, "VEC3"),
        "JOINTS_0": made.array(joints, "VEC4"),
        "WEIGHTS_0": made.array(weights, "VEC4"),
    }
    triangles = made.array(_triangles(mesh, len(points), name).reshape(-1), "SCALAR")
    index = made.add("meshes", primitives=[{"attributes": attributes, "indices": triangles}])
    made.add("nodes", name=prim.GetName(), mesh=index, skin=skin)


def _influences(target: Any, count: int, order: list[str], source: str) -> tuple[Ints, Floats]:
    """Return the four strongest joints of each point, by the skeleton's order, and their shares."""
    found = target.ComputeVaryingJointInfluences(count)
    if not found:
        raise ToileError(f"{source}: its joints and weights do not fit its {count} points")
    joint, weight = (np.array(values).reshape(count, -1) for values in found)
    own = [str(j) for j in target.GetJointOrder() or order]
    place = np.array([order.index(j) if j in order else -1 for j in own])
    if joint.size == 0 or joint.min() < 0 or joint.max() >= len(own) or (place[joint] < 0).any():
        raise ToileError(f"{source}: a point hangs on a joint that the skeleton does not have")
    joint, weight = place[joint], np.maximum(np.asarray(weight, dtype=np.float64), 0.0)
    spare = ((0, 0), (0, max(4 - joint.shape[1], 0)))
    joint, weight = np.pad(joint, spare), np.pad(weight, spare)
    best = np.argsort(-weight, axis=1, kind="stable")[:, :4]
    return np.take_along_axis(joint, best, 1).astype(np.int32), np.take_along_axis(weight, best, 1)


def _triangles(mesh: Any, count: int, name: str) -> Ints:
    """Return the faces as fans of triangles, counter-clockwise."""
    from pxr import Usd, UsdGeom

    time = Usd.TimeCode.EarliestTime()
    sizes = np.array(mesh.GetFaceVertexCountsAttr().Get(time) or [], dtype=np.int64)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(time) or [], dtype=np.int64)
    wrong = len(corners) != sizes.sum() or len(corners) > MAX_CORNERS or (sizes < 3).any()
    if wrong or (len(corners) and (corners.min() < 0 or corners.max() >= count)):
        raise ToileError(f"{name}: the faces of {mesh.GetPrim().GetName()} name points that do not exist")
    start = np.cumsum(sizes) - sizes
    fans = np.repeat(np.arange(len(sizes)), sizes - 2)
    step = np.arange(len(fans)) - np.repeat(np.cumsum(sizes - 2) - (sizes - 2), sizes - 2)
    at = start[fans]
    found = np.stack([corners[at], corners[at + step + 1], corners[at + step + 2]], axis=1)
    left = mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded
    return np.asarray(found[:, ::-1] if left else found, dtype=np.int32)


def _add_clip(
    made: _Tree, queries: list[Any], times: list[float], rate: float, axes: Axes, name: str
) -> None:
    """Add the animation: a key per time sample."""
    from pxr import Usd

    joints = sum(len(query.GetJointOrder()) for query in queries)
    if len(times) > MAX_CLIP_FRAMES or len(times) * joints > MAX_CLIP_VALUES:
        raise ToileError(f"{name}: {len(times)} frames of {joints} joints are too many; cut the animation")
    seconds = made.array((np.array(times) - times[0]) / rate, "SCALAR")
    samplers: list[dict[str, int]] = []
    channels: list[dict[str, Any]] = []
    for query, skin in zip(queries, made.tree["skins"], strict=True):
        first = skin["joints"][0]
        poses = np.stack([_local_joints(query, axes, Usd.TimeCode(t)) for t in times])
        if not np.isfinite(poses).all():
            raise ToileError(f"{name}: the animation holds NaN or infinite numbers")
        for path, values in zip(("translation", "rotation", "scale"), _parts(poses), strict=True):
            width = "VEC4" if path == "rotation" else "VEC3"
            for joint in range(values.shape[1]):
                samplers.append({"input": seconds, "output": made.array(values[:, joint], width)})
                target = {"node": first + joint, "path": path}
                channels.append({"sampler": len(samplers) - 1, "target": target})
    clip = queries[0].GetAnimQuery()
    label = clip.GetPrim().GetName() if clip else "motion"
    made.add("animations", name=label, samplers=samplers, channels=channels)
