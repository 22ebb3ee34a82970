"""Prepared scenes for the page: all that the engine needs to let a dressed body walk on in a browser.

A recorded walk gives garment, body, motion and first state of the cloth; further motions and fabrics to
choose from are added. Numbers are rounded to what nobody can see, so that an outfit of 5,000 vertices travels
in about a megabyte; who opens the file, here or in a browser, computes the same bits from it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from toile.core.atomic import replacing_path
from toile.core.errors import ToileError
from toile.core.records import Body, Fabric, Floats, State
from toile.export.playback import cloth_arrays, fabric_look
from toile.garment.fabric import fabric
from toile.io.blocks import Block, Rounded, pack_blocks
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import Track
from toile.sim.walk.scene import prepared_scene
from toile.sim.walk.walker import Plan, Walker
from toile.store.record import RecordedFile

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
    recording: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    motions: Sequence[str] = MOTIONS,
    fabrics: Sequence[str] = FABRICS,
) -> None:
    """Write a recorded walk as a scene that lives on in a browser."""
    with RecordedFile(recording) as recorded:
        data = pack_blocks(page_scene(recorded, motions=motions, fabrics=fabrics))
    with replacing_path(path) as part:
        Path(part).write_bytes(data)


def page_scene(
    recorded: RecordedFile, *, motions: Sequence[str] = MOTIONS, fabrics: Sequence[str] = FABRICS
) -> Iterator[Block]:
    """Yield what to draw, what to compute, and the motions, that of the recording first."""
    plan, body = recorded.record(Plan, "plan"), recorded.body
    if plan is None or body is None or plan.inner is not None or len(recorded) < 2:
        raise ToileError(f"{recorded.path} is no walk of its own: simulate one with toile walk")
    garment = recorded.garment
    mesh, parts = cloth_arrays(garment, np.arange(garment.particle_count, dtype=np.int32))
    worn = garment.fabrics[0]
    names = [plan.track.name, *(name for name in motions if name != plan.track.name)]
    yield Block(
        "HEAD",
        mesh,
        {
            "content": "scene",
            "name": garment.name,
            "particles": garment.particle_count,
            "parts": parts,
            "motions": names,
            "fabrics": [
                _fabric_choice(worn, worn),
                *(_fabric_choice(fabric(name), worn) for name in fabrics),
            ],
        },
    )
    yield Block(
        "SCEN", {name: _packed(name, values) for name, values in _scene(recorded, plan, body).items()}
    )
    start = (0.5 * plan.settings.lead + 1 / plan.settings.fps) * plan.track.fps
    yield Block("MOTN", _track_arrays(plan.track, start))
    for name in names[1:]:
        track = retarget(read_motion(name), body, fps=30.0)
        yield Block("MOTN", _track_arrays(track, 0.0))


def _scene(recorded: RecordedFile, plan: Plan, body: Body) -> dict[str, Any]:
    """Return the engine's arrays for a walk that goes on from the first recorded frame."""
    walker = Walker(recorded.garment, body, plan)
    first, second = recorded.frame(0), recorded.frame(1)
    velocity = (second.position - first.position) / (second.time - first.time)
    walker.go_to(0, State(first.position.copy(), velocity))
    return prepared_scene(walker)


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
