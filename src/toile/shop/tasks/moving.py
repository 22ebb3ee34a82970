"""A dressed body moves: streamed while it is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Body, Recording
from toile.export.page_scene import write_page_scene
from toile.motion.library import read_motion
from toile.shop.tasks.streaming import FPS, Coming, stream
from toile.shop.worker import Tell
from toile.sim.method import make_method
from toile.sim.walk.animate import AnimateSettings, plan_walk, simulate
from toile.sim.walk.walker import Walker
from toile.store.record import Frame, given, load_recording

ACTS = {"stand": "idle", "turn": "turn", "walk": "walk", "sit": "sit", "reach": "reach"}
EVERY = 2
"""simulated frames a stored one: 60 a second are simulated"""
STOOD = "stood.toile"
LOWERING = 0.8
"""time in which the arms come down [s]"""


def move_outfit(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Move in what was put on; the recording grows in the folder."""
    if request["act"] == "live":
        return live_scene(folder, tell), b""
    dressed = load_recording(folder / "dressed.toile")
    if dressed.body is None:
        raise ToileError("nobody wears this outfit: try it on again")
    count = max(2, round(request["seconds"] * FPS))
    name = f"{request['act']}.play"
    frames = moved(dressed, dressed.body, request, count, tell)
    stream(Coming(dressed.garment, dressed.body, frames, count), folder / name)
    return {"files": [name]}, b""


def live_scene(folder: Path, tell: Tell) -> dict[str, Any]:
    """Write all movements as a scene that the page's own engine computes; it begins by standing."""
    tell("live", 0.1)
    worn = load_recording(folder / STOOD)
    write_page_scene(worn, folder / "live.scene", motions=tuple(ACTS.values()), fabrics=())
    return {"files": ["live.scene"]}


def stood(dressed: Recording, last: Frame) -> Recording:
    """Return a dressed body as it is in a frame, at rest."""
    return replace(
        dressed,
        positions=np.stack([last.position] * 2),
        body_vertices=np.stack([last.body_vertices] * 2),
        times=np.array([0.0, 1 / FPS]),
    )


def moved(dressed: Recording, body: Body, request: dict[str, Any], count: int, tell: Tell) -> Iterator[Frame]:
    """Yield the frames of a motion as they are simulated."""
    motion = read_motion(ACTS[request["act"]])
    settings = AnimateSettings(fps=EVERY * FPS, seconds=count / FPS)
    wind = np.array([0.0, 0.0, -float(request["wind"])])
    number = 0
    for step in simulate(dressed, body, motion, settings=settings, method=make_method(), wind=wind):
        if step.number % EVERY == 0 and number < count:
            posed = {"world_from_joint": step.body.world_from_joint}
            yield Frame(number / FPS, step.state.position, given(step.body.vertices), posed)
            number += 1
            tell(request["act"], number / count)


def standing(dressed: Recording, body: Body) -> tuple[int, Iterator[Frame]]:
    """Return how many frames it takes from the pose in which clothes are sewn to standing, and those frames.

    Sleeves are sewn round arms that are held away; nobody stands so.
    """
    settings = AnimateSettings(fps=EVERY * FPS, seconds=1 / (EVERY * FPS), lead=LOWERING)
    plan = plan_walk(dressed, body, read_motion("idle"), settings=settings, method=make_method())
    count = settings.lead_count // EVERY + 1

    def frames() -> Iterator[Frame]:
        walker = Walker(dressed.garment, body, plan)
        for number in range(count):
            for _ in range(1 if number == 0 else EVERY):
                step = walker.step()
            posed = {"world_from_joint": step.body.world_from_joint}
            yield Frame(number / FPS, step.state.position, given(step.body.vertices), posed)

    return count, frames()
