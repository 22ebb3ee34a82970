"""Moving GLB files that stay small: the body as a skin on its skeleton, cloth as a few morph targets.

A garment's frames are split into the motion of its node (the rigid part) and a base shape plus principal
components as morph targets, whose weights are animated. Stored in short numbers (KHR_mesh_quantization).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from toile.body.model.skeleton import rigid_inverse
from toile.body.model.skin import quaternions
from toile.core.records import Body, Floats
from toile.export.gltf import (
    Part,
    body_primitive,
    garment_parts,
    part_extras,
    part_primitives,
    write_still_glb,
)
from toile.export.joints import PoseFinder, local_transforms
from toile.export.materials import Variants, add_variants, fabric_materials
from toile.export.principal_shapes import Basis, align_points, fit_basis, follow_signs
from toile.geometry.raster import Floats32
from toile.io.glb import VERTICES, GlbBuilder
from toile.motion.track import Track
from toile.render.surface import SurfaceNormals
from toile.store.clip import Clip, clip_of, closed, is_still
from toile.store.record import Replayable, source_of

_BYTES = 12
"""of one point in one morph target: position 8, normal 4"""


class _Animation:
    """Channels of the one animation, all on the same times."""

    def __init__(self, glb: GlbBuilder, times: Floats, name: str = "motion") -> None:
        self._glb, self._name = glb, name
        self._input = glb.array(times.astype(np.float32), bounds=True, name="times")
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []

    def add(self, node: int, path: str, values: np.ndarray) -> None:
        output = self._glb.array(np.ascontiguousarray(values, dtype=np.float32))
        self._samplers.append({"input": self._input, "output": output, "interpolation": "LINEAR"})
        target = {"node": node, "path": path}
        self._channels.append({"sampler": len(self._samplers) - 1, "target": target})

    def finish(self) -> None:
        self._glb.add("animations", name=self._name, samplers=self._samplers, channels=self._channels)


# ---------------------------------------------------------------------------- cloth


class _Shapes:
    """A garment's frames, turned back onto its first one."""

    def __init__(self, clip: Clip, part: Part) -> None:
        self._clip, self._used = clip, np.unique(part.particle)
        self._place = np.searchsorted(self._used, part.particle)
        garment = clip.source.garment
        self._normals = SurfaceNormals(garment.triangles, garment.particle_count)
        self.base = self._position(0)
        turned = [align_points(self.base, self._position(i)) for i in range(len(clip.numbers))]
        self.rotation = np.array([r for r, _ in turned])
        self.translation = np.array([t for _, t in turned])

    def _position(self, i: int) -> Floats:
        return self._clip.source.frame(self._clip.numbers[i]).position[self._used]

    def change(self, i: int) -> Floats32:
        """Return how frame i differs from the base, flat."""
        local = (self._position(i) - self.translation[i]) @ self.rotation[i]
        flat: Floats32 = (local - self.base).ravel().astype(np.float32)
        return flat

    def normals(self, i: int) -> Floats:
        """Return the normals of frame i in the base's axes."""
        frame = self._clip.source.frame(self._clip.numbers[i])
        found: Floats = self._normals(frame.position)[self._used] @ self.rotation[i]
        return found

    def at_points(self, values: Floats) -> Floats:
        """Return values of particles at the part's points."""
        return values[self._place]


def _moving_part(
    glb: GlbBuilder,
    clip: Clip,
    part: Part,
    materials: Sequence[int],
    mappings: Sequence[list[dict[str, object]]],
    animation: _Animation,
    most: int,
    tolerance: float,
) -> None:
    """Add a garment that moves."""
    garment = clip.source.garment
    shapes = _Shapes(clip, part)
    basis = fit_basis(shapes.change, len(clip.numbers), most=most, tolerance=tolerance)
    morphs = _morphs(shapes, basis)
    primitives = part_primitives(
        glb, part, shapes.at_points(morphs.base), shapes.at_points(morphs.base_normals), materials, mappings
    )
    targets = [
        {
            "POSITION": _shorts(glb, shapes.at_points(move), np.int16, bounds=True),
            "NORMAL": _shorts(glb, shapes.at_points(bend), np.int8),
        }
        for move, bend in zip(morphs.moves, morphs.bends, strict=True)
    ]
    if targets:
        for primitive in primitives:
            primitive["targets"] = targets
    start = morphs.weights[0].tolist()
    mesh = glb.add(
        "meshes", name=part.name, primitives=primitives, weights=start or None, extras=part_extras(garment)
    )
    extras = {"rms_error_m": round(basis.error, 7)}
    node = glb.add("nodes", name=part.name, mesh=mesh, extras=extras)
    glb.root(node)
    animation.add(node, "translation", shapes.translation)
    animation.add(node, "rotation", _glb_quaternions(shapes.rotation))
    if targets:
        animation.add(node, "weights", morphs.weights.ravel())


@dataclass(frozen=True, eq=False, slots=True)
class _Morphs:
    """shape(frame) = base + weights[frame] · moves, with every weight between 0 and 1."""

    base: Floats
    """(n, 3)"""
    base_normals: Floats
    """(n, 3)"""
    moves: Floats
    """(k, n, 3)"""
    bends: Floats
    """the same for normals, (k, n, 3)"""
    weights: Floats
    """(frames, k)"""


def _morphs(shapes: _Shapes, basis: Basis) -> _Morphs:
    """Return morph targets with weights from 0 to 1: some programs cut off what lies outside."""
    low = basis.weights.min(axis=0)
    range_ = np.maximum(basis.weights.max(axis=0) - low, 1e-12)
    moves = basis.components.reshape(len(low), len(shapes.base), 3).astype(np.float64)
    bends = _normal_changes(shapes, basis.weights)
    normals = shapes.normals(0) + np.tensordot(low, bends, axes=1)
    # normals count by direction only: base and changes may be scaled together, so that the base has length 1
    length = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 0.1)
    return _Morphs(
        base=shapes.base + np.tensordot(low, moves, axes=1),
        base_normals=normals / length + [0.0, 1e-6, 0.0],
        moves=moves * range_[:, None, None],
        bends=np.clip(bends * range_[:, None, None] / length, -1, 1),
        weights=(basis.weights - low) / range_,
    )


def _normal_changes(shapes: _Shapes, weights: Floats) -> Floats:
    """Return the change of normals per component that fits all frames best, (k, n, 3)."""
    base = shapes.normals(0)
    total = np.zeros((weights.shape[1], base.size), dtype=np.float32)
    for i, row in enumerate(weights):
        total += row[:, None].astype(np.float32) * (shapes.normals(i) - base).ravel().astype(np.float32)
    square = weights.T @ weights
    square += np.eye(len(square)) * 1e-9 * max(np.trace(square), 1e-12)
    changes = np.linalg.solve(square, total.astype(np.float64))
    return np.asarray(changes, dtype=np.float64).reshape(len(square), *base.shape)


def _shorts(
    glb: GlbBuilder, values: Floats, kind: type[np.signedinteger[Any]], *, bounds: bool = False
) -> int:
    """Add values between -1 and 1 as whole numbers; larger ones stay floats."""
    if np.abs(values).max(initial=0.0) > 1:
        return glb.array(values.astype(np.float32), VERTICES, bounds=bounds)
    whole = np.round(values * np.iinfo(kind).max).astype(kind)
    return glb.array(whole, VERTICES, normalised=True, bounds=bounds)


def _glb_quaternions(rotation: Floats) -> Floats:
    """Return quaternions x, y, z, w without jumps, (f, 4), of rotations (f, 3, 3)."""
    return follow_signs(quaternions(rotation))[:, [1, 2, 3, 0]]


# ---------------------------------------------------------------------------- body


def _moving_body(glb: GlbBuilder, clip: Clip, body: Body, animation: _Animation) -> None:
    """Add the body as a skin; its joints carry the motion."""
    finder = PoseFinder(body)
    world, worst = [], 0.0
    for number in clip.numbers:
        found, error = finder.world_from_joint(clip.source.frame(number))
        world.append(found)
        worst = max(worst, error)
    extras = {"largest_skin_error_m": round(worst, 6)}
    _posed_skin(glb, body, np.array(world), animation, extras)


def _posed_skin(
    glb: GlbBuilder, body: Body, poses: Floats, animation: _Animation, extras: dict[str, float] | None = None
) -> None:
    """Add a body as a skin whose joints go through these poses, (f, j, 4, 4)."""
    primitive = body_primitive(glb, body, body.vertices)
    attributes = primitive["attributes"]
    assert isinstance(attributes, dict)
    attributes |= _influences(glb, body)
    mesh = glb.add("meshes", name="body", primitives=[primitive])
    joints = _joint_nodes(glb, body, local_transforms(body, poses[0]))
    inverse = rigid_inverse(body.skeleton.world_from_joint).transpose(0, 2, 1).astype(np.float32)
    skin = glb.add("skins", joints=joints, inverseBindMatrices=glb.array(inverse), skeleton=joints[0])
    glb.root(glb.add("nodes", name=body.name or "body", mesh=mesh, skin=skin, extras=extras))
    local = np.array([local_transforms(body, pose) for pose in poses])
    for joint, node in enumerate(joints):
        moves = local[:, joint, :3, 3]
        if np.ptp(moves, axis=0).max() > 1e-6:
            animation.add(node, "translation", moves)
        animation.add(node, "rotation", _glb_quaternions(local[:, joint, :3, :3]))


def write_body_glb(body: Body, track: Track, path: str | os.PathLike[str]) -> None:
    """Write a body with a motion as a skinned GLB file; a loop is written once."""
    glb = GlbBuilder()
    animation = _Animation(glb, np.arange(track.frame_count) / track.fps, track.name)
    _posed_skin(glb, body, track.world_from_joint, animation)
    animation.finish()
    glb.write(path)


def _influences(glb: GlbBuilder, body: Body) -> dict[str, int]:
    """Add joints and weights in sets of four, strongest first."""
    order = np.argsort(-body.weight, axis=1, kind="stable")
    joint = np.take_along_axis(body.weight_joint, order, axis=1)
    weight = np.take_along_axis(body.weight, order, axis=1)
    spare = ((0, 0), (0, -weight.shape[1] % 4))
    weight = np.pad(weight, spare)
    joint = np.where(weight > 0, np.pad(joint, spare), 0)
    kind = np.uint8 if len(body.skeleton.names) <= 256 else np.uint16
    found = {}
    for s in range(weight.shape[1] // 4):
        four = slice(4 * s, 4 * s + 4)
        found[f"JOINTS_{s}"] = glb.array(joint[:, four].astype(kind), VERTICES)
        found[f"WEIGHTS_{s}"] = glb.array(weight[:, four].astype(np.float32), VERTICES)
    return found


def _joint_nodes(glb: GlbBuilder, body: Body, local: Floats) -> list[int]:
    """Add a node per joint at its first pose; return them in the skeleton's order."""
    skeleton = body.skeleton
    rotation = quaternions(local[:, :3, :3])[:, [1, 2, 3, 0]]
    nodes = [
        glb.add("nodes", name=name, translation=local[j, :3, 3].tolist(), rotation=rotation[j].tolist())
        for j, name in enumerate(skeleton.names)
    ]
    for joint, parent in enumerate(skeleton.parents):
        if parent < 0:
            glb.root(nodes[joint])
        else:
            glb.document["nodes"][nodes[parent]].setdefault("children", []).append(nodes[joint])
    return nodes


# ---------------------------------------------------------------------------- the file


def write_moving_glb(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frames: Sequence[int] | None = None,
    tolerance: float = 0.0001,
    most_bytes: int = 6_000_000,
    variants: Variants | None = None,
) -> None:
    """Write a recording as an animated GLB file.

    tolerance: root mean square error of coordinates [m] at which no further morph target is added.
    most_bytes: room for morph targets, which limits their number first.
    variants: see `write_glb`.
    """
    clip = closed(clip_of(source_of(recording), frames))
    garment, body = clip.source.garment, clip.source.body
    glb = GlbBuilder()
    glb.use("KHR_mesh_quantization", required=True)
    animation = _Animation(glb, clip.times)
    if body is not None:
        _moving_body(glb, clip, body, animation)
    materials = fabric_materials(glb, garment)
    mappings = add_variants(glb, garment, variants) if variants else []
    parts = garment_parts(garment)
    most = max(1, most_bytes // (_BYTES * max(sum(len(p.particle) for p in parts), 1)))
    for part in parts:
        _moving_part(glb, clip, part, materials, mappings, animation, min(most, 256), tolerance)
    animation.finish()
    glb.write(path)


def write_glb(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frame: int | None = None,
    variants: Variants | None = None,
    **options: Any,
) -> None:
    """Write a GLB file: animated if the recording moves; still if not, or if a frame is chosen.

    variants: names of colourings with a linear colour for each fabric; viewers offer them to choose from.
    """
    source = source_of(recording)
    if frame is not None or is_still(source):
        write_still_glb(source, path, frame=-1 if frame is None else frame, variants=variants)
    else:
        write_moving_glb(source, path, variants=variants, **options)
