"""Recordings for the page: cloth as small differences, the body as a skin that its joints move.

A particle moves almost as its neighbour does: what is stored is by how much its step from the frame before
differs from its neighbour's step, on a grid of a fifth of a millimetre. Particles are renumbered so that
neighbours come first. The page decodes frame after frame while the file is still arriving.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order

from toile.body.model.skeleton import rigid_inverse
from toile.core.atomic import replacing_path
from toile.core.records import Body, Fabric, Floats, Garment, Ints
from toile.export.joints import PoseFinder
from toile.io.blocks import Block, Rounded, pack_blocks
from toile.store.clip import Clip, clip_of
from toile.store.record import Replayable, source_of

FPS = 30.0
"""frames a second that are stored at most; the page shows what lies between them"""
GROUP = 10
"""frames a block: what the page waits for"""
_SKIN_STEP, _CLOTH_STEP, _FLAT_STEP, _TURN_STEP = 2e-5, 1e-4, 2e-5, 1 / 32768


def write_playback(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frames: Sequence[int] | None = None,
    tolerance: float = _CLOTH_STEP,
) -> None:
    """Write a recording for the page; tolerance: largest rounding error of cloth in each direction [m]."""
    clip = slower(clip_of(source_of(recording), frames))
    with replacing_path(path) as part:
        Path(part).write_bytes(pack_blocks(playback_blocks(clip, 2 * tolerance)))


def slower(clip: Clip) -> Clip:
    """Return every second (third …) frame of a recording that has more than the page needs."""
    every = max(1, round(clip.fps / FPS))
    if len(clip.numbers) < 3 or every == 1:
        return clip
    return Clip(clip.source, clip.numbers[::every], clip.times[::every])


def playback_blocks(clip: Clip, step: float) -> Iterator[Block]:
    """Yield the meshes, then the frames: the first by itself, so that it is seen at once."""
    garment, body = clip.source.garment, clip.source.body
    order, parent = spread(garment)
    meta = {
        "content": "recording",
        "name": garment.name,
        "fps": clip.fps,
        "frames": len(clip.numbers),
        "loop": bool(clip.source.provenance.loop),
    }
    mesh, parts = cloth_arrays(garment, order)
    arrays = {"parent": parent, **mesh, **({} if body is None else body_arrays(body))}
    yield Block("HEAD", arrays, {**meta, "parts": parts})
    finder = None if body is None else PoseFinder(body)
    before = np.zeros((len(order), 3), np.int16)
    starts = [0, *range(1, len(clip.numbers), GROUP)]
    for first, end in zip(starts, [*starts[1:], len(clip.numbers)], strict=True):
        rows = [_frame_arrays(clip, n, order, finder, step) for n in clip.numbers[first:end]]
        changes = []
        for whole, _, _ in rows:
            changes.append(_change(whole, before, parent))
            before = whole
        found: dict[str, Any] = {
            "cloth": np.stack(changes),
            "origin": np.stack([origin for _, origin, _ in rows]).astype(np.int32),
        }
        if finder is not None:
            joints = np.stack([joint for _, _, joint in rows])
            found["turn"] = Rounded(joints[..., :3].reshape(len(rows), -1), _TURN_STEP)
            found["move"] = Rounded(joints[..., 3].reshape(len(rows), -1), _SKIN_STEP)
        yield Block("FRAM", found, {"first": first, "step": step})


def spread(garment: Garment) -> tuple[Ints, Ints]:
    """Return an order of the particles in which neighbours come first, and the neighbour of each or -1."""
    count = garment.particle_count
    ends = garment.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    graph = coo_array((np.ones(len(ends), np.int8), ends.T), shape=(count, count)).tocsr()
    order, above = np.zeros(0, np.int32), np.full(count, -1, np.int32)
    seen = np.zeros(count, dtype=bool)
    while not seen.all():
        start = int(np.argmin(seen))
        nodes, before = breadth_first_order(graph, start, directed=False)
        order, seen[nodes] = np.concatenate([order, nodes]), True
        above[nodes[1:]] = before[nodes[1:]]
    place = np.zeros(count, np.int32)
    place[order] = np.arange(count)
    parent = np.where(above[order] >= 0, place[np.maximum(above[order], 0)], -1)
    return order.astype(np.int32), parent.astype(np.int32)


def _frame_arrays(
    clip: Clip, number: int, order: Ints, finder: PoseFinder | None, step: float
) -> tuple[np.ndarray, np.ndarray, Floats]:
    """Return rounded positions about an origin, the origin in the same steps, and how joints moved."""
    frame = clip.source.frame(number)
    whole = np.round(frame.position[order] / step)
    origin = np.round((whole.min(axis=0) + whole.max(axis=0)) / 2)
    near = np.clip(whole - origin, -32768, 32767).astype(np.int16)
    if finder is None:
        return near, origin, np.zeros((0, 3, 4))
    world, _ = finder.world_from_joint(frame)
    return near, origin, (world @ rigid_inverse(finder.body.skeleton.world_from_joint))[:, :3]


def _change(whole: np.ndarray, before: np.ndarray, parent: Ints) -> np.ndarray:
    """Return by how much steps differ from the neighbour's, folded: low bytes, then high ones, (6, n)."""
    step = whole - before
    differs = step - np.where(parent[:, None] >= 0, step[np.maximum(parent, 0)], 0).astype(np.int16)
    folded = ((differs << 1) ^ (differs >> 15)).astype(np.uint16).T
    planes: np.ndarray = np.concatenate([folded & 255, folded >> 8]).astype(np.uint8)
    return planes


def cloth_arrays(garment: Garment, order: Ints) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the points and triangles of garments, and their parts: one fabric in one garment each."""
    place = np.zeros(len(order), np.int32)
    place[order] = np.arange(len(order))
    owner = garment.particle_garment[garment.triangles[:, 0]]
    sorting = np.lexsort((garment.triangle_fabric, owner))
    key = np.stack([owner, garment.triangle_fabric], -1)[sorting]
    starts = np.flatnonzero((np.diff(key, axis=0, prepend=-1) != 0).any(axis=1))
    ends = [*starts[1:], len(key)]
    parts = [
        {
            "name": garment.garment_names[key[start][0]],
            "garment": int(key[start][0]),
            "start": int(start),
            "count": int(end - start),
            "material": fabric_look(garment.fabrics[key[start][1]]),
        }
        for start, end in zip(starts, ends, strict=True)
    ]
    arrays = {
        "particle": place[garment.uv_particle],
        "uv": Rounded(garment.uv, _FLAT_STEP),
        "triangles": garment.triangles_uv[sorting].astype(np.int32),
    }
    return arrays, parts


LOOKS: dict[str, dict[str, float]] = {
    "silk": {"roughness": 0.42, "sheen": 0.2, "anisotropy": 0.35},
    "satin": {"roughness": 0.32, "sheen": 0.2, "anisotropy": 0.6},
    "velvet": {"roughness": 0.95, "sheen": 1.0},
    "wool": {"roughness": 0.95, "sheen": 0.5},
    "chiffon": {"roughness": 0.8, "opacity": 0.72},
    "tulle": {"roughness": 0.9, "opacity": 0.5},
    "leather": {"roughness": 0.45, "sheen": 0.0},
}
"""word in a fabric's name → how light falls on it"""


def fabric_look(fabric: Fabric) -> dict[str, Any]:
    """Return a fabric's look as the viewer's MaterialSpec has it."""
    linear = np.clip(fabric.colour, 0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.power(linear, 1 / 2.4) - 0.055)
    colour = "#" + "".join(f"{round(255 * c):02x}" for c in srgb)
    light = next((look for word, look in LOOKS.items() if word in fabric.name.lower()), {})
    return {"color": colour, "fabric": fabric.name, **light}


def body_arrays(body: Body) -> dict[str, Any]:
    """Return a body as the page skins it: its eight strongest joints for each vertex."""
    order = np.argsort(-body.weight, axis=1, kind="stable")[:, :8]
    joint = np.take_along_axis(body.weight_joint, order, axis=1)
    weight = np.take_along_axis(body.weight, order, axis=1)
    spare = ((0, 0), (0, 8 - weight.shape[1]))
    weight = np.pad(weight / weight.sum(axis=1, keepdims=True), spare)
    joint = np.where(weight > 0, np.pad(joint, spare), 0)
    return {
        "body.vertices": Rounded(body.vertices, _SKIN_STEP),
        "body.triangles": body.triangles.astype(np.int32),
        "body.joint": joint.astype(np.int32),
        "body.weight": np.round(weight * 65535).astype(np.uint16),
        "body.count": np.array([len(body.skeleton.names)], np.int32),
    }
