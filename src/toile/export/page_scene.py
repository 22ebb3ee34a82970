"""Prepared scenes for the page: all that the engine needs to let a dressed body walk on in a browser.

A recording gives garment, body, motion and first state of the cloth; who was only dressed stands and goes
on from there. Further motions and fabrics to choose from are added. Numbers are rounded to what nobody can
see, so that an outfit of 5,000 vertices travels in about a megabyte; who opens the file, here or in a
browser, computes the same bits from it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from toile.body.model.skin import pose_body
from toile.core.arrays import as_kernel_arrays
from toile.core.atomic import replacing_path
from toile.core.errors import ToileError
from toile.core.records import Body, Fabric, Floats, Garment, State
from toile.export.joints import PoseFinder
from toile.export.playback import cloth_arrays, fabric_look
from toile.garment.fabric import fabric
from toile.io.blocks import Block, Rounded, pack_blocks, unpack_blocks
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import Track, track_of
from toile.sim.frame.attach import Attachment
from toile.sim.method import COLLIDER, SOLVER, make_method
from toile.sim.walk.scene import prepared_scene, scene_bytes
from toile.sim.walk.walker import Plan, Walker
from toile.store.clip import is_still
from toile.store.record import RecordedFile, Replayable, Source, opened

FABRICS = ("cotton", "silk", "wool", "denim")
"""that a page offers besides the ones that the garments are made of"""
MOTIONS = ("walk", "catwalk", "turn", "idle")
STEPS: dict[str, float] = {
    "body.vertices": 1e-5,
    "start.position": 1e-5,
    "start.velocity": 1e-3,
    "levels.corner": 1e-5,
    "levels.worn": 1e-5,
    "held.local": 1e-5,
    "joints.weight": 2.0**-14,
}
"""array → what it is rounded to; others with more than a few numbers travel in single precision"""
FEW = 64
"""arrays up to this size keep every bit"""


def write_page_scene(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    motions: Sequence[str] = MOTIONS,
    fabrics: Sequence[str] = FABRICS,
) -> None:
    """Write a dressed body as a scene that lives on in a browser."""
    with opened(recording) as source:
        data = pack_blocks(page_scene(source, motions=motions, fabrics=fabrics))
    with replacing_path(path) as part:
        Path(part).write_bytes(data)


def page_scene(
    source: Source, *, motions: Sequence[str] = MOTIONS, fabrics: Sequence[str] = FABRICS
) -> Iterator[Block]:
    """Yield what to draw, what to compute, and the motions: first the one that the recording has."""
    garment, body = source.garment, source.body
    if body is None or not len(source):
        raise ToileError("only what a body wears can live in a page: dress somebody first")
    begin = _walking(source, body) or _standing(source, body)
    if begin.arrays["solver.double"][0]:
        raise ToileError("pages compute in single precision: this was made with double=true")
    mesh, parts = cloth_arrays(garment, np.arange(garment.particle_count, dtype=np.int32))
    names = [begin.track.name, *(name for name in motions if name != begin.track.name)]
    yield Block(
        "HEAD",
        mesh,
        {
            "content": "scene",
            "name": garment.name,
            "particles": garment.particle_count,
            "parts": parts,
            "motions": names,
            # who stands as the clothes were sewn goes on to the first motion at once
            "begins": min(1, len(names) - 1) if begin.track.frame_count == 1 else 0,
            "fabrics": _fabric_choices(garment, fabrics),
        },
    )
    yield Block("SCEN", {name: _packed(name, values) for name, values in begin.arrays.items()})
    yield Block("MOTN", _track_arrays(begin.track, begin.at))
    for name in names[1:]:
        yield Block("MOTN", _track_arrays(retarget(read_motion(name), body, fps=30.0), 0.0))


def engine_files(data: bytes) -> dict[str, bytes]:
    """Return a scene's files as the engine opens them without a page: look.cloth and one .motion for each."""
    head, cloth, *motions = unpack_blocks(data)
    if (head.meta.get("content"), cloth.kind) != ("scene", "SCEN"):
        raise ToileError("this file holds no scene")
    names = [f"{name}.motion" for name in head.meta["motions"]]
    files = dict(zip(["look.cloth", *names], [cloth, *motions], strict=True))
    return {name: scene_bytes(block.arrays) for name, block in files.items()}


@dataclass(frozen=True, eq=False, slots=True)
class _Begin:
    """How a scene begins."""

    arrays: dict[str, Any]
    """of the engine"""
    track: Track
    at: float
    """where in the track [frames]"""


def _walking(source: Source, body: Body) -> _Begin | None:
    """Return a walk that goes on from its first recorded frame; None: it is no walk of its own."""
    plan = source.record(Plan, "plan") if isinstance(source, RecordedFile) else None
    if plan is None or plan.inner is not None or len(source) < 2:
        return None
    walker = Walker(source.garment, body, plan)
    first, second = source.frame(0), source.frame(1)
    velocity = (second.position - first.position) / (second.time - first.time)
    walker.go_to(0, State(first.position.copy(), velocity))
    at = (0.5 * plan.settings.lead + 1 / plan.settings.fps) * plan.track.fps
    return _Begin(prepared_scene(walker), plan.track, at)


def _standing(source: Source, body: Body) -> _Begin:
    """Return somebody in the pose of the last frame, if nothing moves, else of the first."""
    frame = source.frame(len(source) - 1 if is_still(source) else 0)
    world, _ = PoseFinder(body).world_from_joint(frame)
    method = make_method(source.provenance.solver or SOLVER, source.provenance.collider or COLLIDER)
    plan = Plan(start=frame.position, track=track_of(body, world[None], 30.0, name="stand"), method=method)
    walker = Walker(source.garment, body, plan)
    posed = pose_body(body, world)
    held = Attachment(source.garment.hold_particle, frame.position, posed)
    arrays = prepared_scene(walker) | held.arrays() | {"start.skin": posed.vertices}
    return _Begin(as_kernel_arrays(arrays), plan.track, 0.0)


def _fabric_choices(garment: Garment, names: Sequence[str]) -> list[dict[str, Any]]:
    worn = garment.fabrics[0]
    chosen = [worn, *(fabric(name) for name in names if name != worn.name)]
    found = [_fabric_choice(one, worn) for one in chosen]
    if len({one.name for one in garment.fabrics}) > 1:
        found[0]["name"] = "as sewn"
    return found


def _packed(name: str, values: Any) -> Any:
    array = np.asarray(values)
    if array.dtype.kind in "iub":
        return np.atleast_1d(array).astype(np.int32)
    array = np.atleast_1d(array).astype(np.float64)
    if name == "joints.weight":
        array = _exact_shares(array, STEPS[name])
    if name in STEPS:
        return Rounded(array, STEPS[name])
    return array if array.size <= FEW else array.astype(np.float32)


def _exact_shares(weight: Floats, step: float) -> Floats:
    """Return weights on a grid whose rows still add up to exactly 1: the largest takes what is left."""
    whole = np.round(weight / step) * step
    largest = weight.argmax(axis=1)
    rows = np.arange(len(weight))
    whole[rows, largest] += 1 - whole.sum(axis=1)
    return whole


def _track_arrays(track: Track, start: float) -> dict[str, Any]:
    return {
        "motion.turns": track.rotations.astype(np.float32),
        "motion.root": Rounded(track.root, 1e-5),
        "motion.parents": track.parents.astype(np.int32),
        "motion.offsets": track.offsets,
        "motion.loop": np.array([track.loop], np.int32),
        "motion.fps": np.array([track.fps]),
        "motion.start": np.array([start]),
    }


def _fabric_choice(chosen: Fabric, worn: Fabric) -> dict[str, Any]:
    """Return a fabric as factors on the one that the garments were sewn of."""

    def factor(value: float, own: float) -> float:
        return float(np.clip(value / max(own, 1e-12), 1e-3, 1e3))

    def mean(f: Fabric, *names: str) -> float:
        return float(np.exp(np.mean([np.log(max(getattr(f, name), 1e-12)) for name in names])))

    stretch, bend = ("stretch_warp", "stretch_weft", "shear"), ("bend_warp", "bend_weft")
    return {
        "name": chosen.name,
        "mass": factor(chosen.mass, worn.mass),
        "stretch": factor(mean(chosen, *stretch), mean(worn, *stretch)),
        "bend": factor(mean(chosen, *bend), mean(worn, *bend)),
        "friction": factor(chosen.friction, worn.friction),
        "look": fabric_look(chosen),
    }
