"""The node tree of a GLB file: names, parents, transforms at rest and during a clip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Ints
from toile.geometry.rotation import from_matrix, normalise, slerp, to_matrix
from toile.io.glb import GlbFile, accessor, numbers, whole

MAX_CLIP_FRAMES = 36_000
MAX_CLIP_VALUES = 2_000_000
"""frames × nodes: 256 MB of transforms"""


@dataclass(frozen=True, eq=False, slots=True)
class Nodes:
    """All nodes of a file; local transforms are translation · rotation · scale."""

    names: tuple[str, ...]
    parents: Ints
    """-1 for roots, (n,)"""
    order: tuple[int, ...]
    """parents before children"""
    translation: Floats
    """in the file's unit, (n, 3)"""
    rotation: Floats
    """quaternions (w, x, y, z), (n, 4)"""
    scale: Floats
    """(n, 3)"""


def read_nodes(glb: GlbFile) -> Nodes:
    """Return the tree; loops and nodes with two parents are refused."""
    nodes = glb.items("nodes")
    parents = np.full(len(nodes), -1, dtype=np.int32)
    for index, node in enumerate(nodes):
        children = node.get("children", [])
        for child in children if isinstance(children, list) else []:
            child = whole(child, f"a child of node {index}", glb.name, 0, len(nodes) - 1)
            if parents[child] >= 0 or child == index:
                raise ToileError(f"{glb.name}: node {child} has two parents")
            parents[child] = index
    local = [_local(node, f"{glb.name}: node {index}") for index, node in enumerate(nodes)]
    return Nodes(
        names=tuple(str(node.get("name", f"node{index}"))[:100] for index, node in enumerate(nodes)),
        parents=parents,
        order=_order(parents, glb.name),
        translation=np.array([t for t, _, _ in local]).reshape(-1, 3),
        rotation=np.array([r for _, r, _ in local]).reshape(-1, 4),
        scale=np.array([s for _, _, s in local]).reshape(-1, 3),
    )


def _order(parents: Ints, source: str) -> tuple[int, ...]:
    children: dict[int, list[int]] = {}
    for index, parent in enumerate(parents.tolist()):
        children.setdefault(parent, []).append(index)
    order, pending = [], list(reversed(children.get(-1, [])))
    while pending:
        order.append(pending.pop())
        pending += reversed(children.get(order[-1], []))
    if len(order) != len(parents):
        raise ToileError(f"{source}: its nodes form a loop")
    return tuple(order)


def _local(node: dict[str, Any], source: str) -> tuple[Floats, Floats, Floats]:
    """Return translation, rotation and scale of a node."""
    if "matrix" in node:
        matrix = numbers(node["matrix"], 16, "matrix", source).reshape(4, 4).T
        scale = np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-12)
        return matrix[:3, 3], from_matrix(matrix[:3, :3] / scale), scale
    translation = numbers(node.get("translation", [0, 0, 0]), 3, "translation", source)
    x, y, z, w = numbers(node.get("rotation", [0, 0, 0, 1]), 4, "rotation", source)
    scale = numbers(node.get("scale", [1, 1, 1]), 3, "scale", source)
    return translation, normalise(np.array([w, x, y, z])), scale


def world_matrices(nodes: Nodes, translation: Floats, rotation: Floats, scale: Floats) -> Floats:
    """Return world transforms (f, n, 4, 4) of local ones (f, n, …)."""
    world = np.zeros((*rotation.shape[:-1], 4, 4))
    world[..., :3, :3] = to_matrix(rotation) * scale[..., None, :]
    world[..., :3, 3] = translation
    world[..., 3, 3] = 1.0
    for index in nodes.order:
        parent = nodes.parents[index]
        if parent >= 0:
            world[:, index] = world[:, parent] @ world[:, index]
    return world


def rest_matrices(nodes: Nodes) -> Floats:
    """Return world transforms (n, 4, 4) of the nodes as the file gives them."""
    world = world_matrices(nodes, nodes.translation[None], nodes.rotation[None], nodes.scale[None])
    return np.asarray(world[0])


USUAL_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0)
"""frame rates at which animators work [1/s]"""
TELEVISION_RATES = tuple(1000 / 1001 * rate for rate in (24.0, 30.0, 60.0, 120.0))
"""they are so near to whole ones that only keys set exactly by them count [1/s]"""


def key_rate(times: list[Floats]) -> float:
    """Return the frame rate at which keys were set: a usual one where their steps fit it, else 60."""
    steps = [np.diff(t) for t in times if len(t) > 2]
    if not steps:
        return 60.0
    rate = 1.0 / max(float(np.median(np.concatenate(steps))), 1e-6)
    for usual, most in ((TELEVISION_RATES, 2e-4), (USUAL_RATES, 0.02)):
        near = min(usual, key=lambda fps: abs(fps / rate - 1.0))
        if abs(near / rate - 1.0) < most:
            return near
    return 60.0


def clip_matrices(
    glb: GlbFile, nodes: Nodes, clip: dict[str, Any], fps: float | None = None
) -> tuple[Floats, float]:
    """Return world transforms (f, n, 4, 4) during a clip, and its frame rate (None: that of its keys)."""
    source = f"{glb.name}: clip {str(clip.get('name', ''))[:40]}"
    channels = _channels(glb, nodes, clip, source)
    fps = fps or key_rate([times for times, *_ in channels])
    end = max((float(times[-1]) for times, *_ in channels), default=0.0)
    frames = int(np.floor(end * fps + 1e-3)) + 1
    if not 2 <= frames <= MAX_CLIP_FRAMES:
        raise ToileError(
            f"{source}: lasts {end:g} s; clips from 0.03 s to {MAX_CLIP_FRAMES / fps:g} s are read"
        )
    if frames * len(nodes.names) > MAX_CLIP_VALUES:
        raise ToileError(f"{source}: {frames} frames of {len(nodes.names)} nodes are too many; cut the clip")
    at = np.arange(frames) / fps
    local = {
        "translation": np.repeat(nodes.translation[None], frames, axis=0),
        "rotation": np.repeat(nodes.rotation[None], frames, axis=0),
        "scale": np.repeat(nodes.scale[None], frames, axis=0),
    }
    for times, values, node, kind, mode in channels:
        local[kind][:, node] = _sample(times, values, at, kind, mode)
    return world_matrices(nodes, local["translation"], local["rotation"], local["scale"]), fps


def _channels(
    glb: GlbFile, nodes: Nodes, clip: dict[str, Any], source: str
) -> list[tuple[Floats, Floats, int, str, str]]:
    """Return (times, values, node, kind, mode) of every channel that moves a node."""
    found = []
    samplers = clip.get("samplers", [])
    if not isinstance(samplers, list) or any(not isinstance(sampler, dict) for sampler in samplers):
        raise ToileError(f"{source}: its samplers are not a list of objects")
    for channel in clip.get("channels", []) if isinstance(clip.get("channels"), list) else []:
        target = channel.get("target", {}) if isinstance(channel, dict) else {}
        kind = target.get("path") if isinstance(target, dict) else None
        if kind not in ("translation", "rotation", "scale") or "node" not in target:
            continue
        node = whole(target["node"], "a channel's node", source, 0, len(nodes.names) - 1)
        number = whole(channel.get("sampler"), "a channel's sampler", source, 0, len(samplers) - 1)
        sampler = samplers[number]
        times = np.asarray(accessor(glb, sampler.get("input")), dtype=np.float64)
        values = np.asarray(accessor(glb, sampler.get("output")), dtype=np.float64)
        mode = str(sampler.get("interpolation", "LINEAR"))
        width, per_key = (4 if kind == "rotation" else 3), (3 if mode == "CUBICSPLINE" else 1)
        if times.ndim != 1 or not len(times) or values.shape != (len(times) * per_key, width):
            raise ToileError(f"{source}: sampler {number} has {values.shape} values for {times.shape} times")
        if (np.diff(times) <= 0).any() or times[0] < 0:
            raise ToileError(f"{source}: sampler {number} has times that do not grow")
        if kind == "rotation":
            values = values[:, [3, 0, 1, 2]]
        found.append((times, values, node, str(kind), mode))
    return found


def _sample(times: Floats, values: Floats, at: Floats, kind: str, mode: str) -> Floats:
    """Return a channel's values at given times [s]; the ends are held."""
    right = np.clip(np.searchsorted(times, at, side="right"), 1, max(len(times) - 1, 1))
    left = right - 1
    right = np.minimum(right, len(times) - 1)
    span = np.maximum(times[right] - times[left], 1e-9)
    share = np.clip((at - times[left]) / span, 0.0, 1.0)
    if mode == "CUBICSPLINE":
        keys = values.reshape(len(times), 3, -1)
        t, span = share[:, None], span[:, None]
        mixed = (
            (2 * t**3 - 3 * t**2 + 1) * keys[left, 1]
            + (t**3 - 2 * t**2 + t) * span * keys[left, 2]
            + (3 * t**2 - 2 * t**3) * keys[right, 1]
            + (t**3 - t**2) * span * keys[right, 0]
        )
        return normalise(mixed) if kind == "rotation" else np.asarray(mixed)
    share = np.floor(share) if mode == "STEP" else share
    if kind == "rotation":
        return slerp(normalise(values[left]), normalise(values[right]), share)
    return np.asarray(values[left] + share[:, None] * (values[right] - values[left]))
