"""A dressed body moves: streamed while it is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Body, Recording
from toile.motion.library import read_motion
from toile.shop.tasks.streaming import FPS, Coming, stream
from toile.shop.worker import Tell
from toile.sim.method import make_method
from toile.sim.walk.animate import AnimateSettings, simulate
from toile.store.record import Frame, load_recording

ACTS = {"stand": "idle", "turn": "turn", "walk": "walk", "sit": "sit", "reach": "reach"}
EVERY = 2
"""simulated frames a stored one: 60 a second are simulated"""


def move_outfit(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Move in what was put on; the recording grows in the folder."""
    dressed = load_recording(folder / "dressed.toile")
    if dressed.body is None:
        raise ToileError("nobody wears this outfit: try it on again")
    count = max(2, round(request["seconds"] * FPS))
    name = f"{request['act']}.play"
    frames = moved(dressed, dressed.body, request, count, tell)
    stream(Coming(dressed.garment, dressed.body, frames, count), folder / name)
    return {"files": [name]}, b""


def moved(dressed: Recording, body: Body, request: dict[str, Any], count: int, tell: Tell) -> Iterator[Frame]:
    """Yield the frames of a motion as they are simulated."""
    motion = read_motion(ACTS[request["act"]])
    settings = AnimateSettings(fps=EVERY * FPS, seconds=count / FPS)
    wind = np.array([0.0, 0.0, -float(request["wind"])])
    number = 0
    for step in simulate(dressed, body, motion, settings=settings, method=make_method(), wind=wind):
        if step.number % EVERY == 0 and number < count:
            posed = {"world_from_joint": step.body.world_from_joint}
            yield Frame(number / FPS, step.state.position, step.body.vertices, posed)
            number += 1
            tell(request["act"], number / count)
