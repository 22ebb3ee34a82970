"""A dressed body walks: dress in the rest pose, blend into the motion, simulate frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import toile
from toile.body.skin import pose_body, rest_pose
from toile.cloth.xpbd import XpbdSettings
from toile.collision.surface import SurfaceCollider
from toile.errors import ToileError
from toile.motion import lead_in, retarget
from toile.run.advance import STILL_AIR, advance_frame
from toile.run.attach import Attachment
from toile.run.dress import dress_garments
from toile.run.method import COLLIDER, SOLVER, Method, make_method
from toile.run.repair import Repair, Repaired
from toile.run.sew import Progress, silent
from toile.types import Body, Floats, Garment, Motion, PosedBody, Recording, State


@dataclass(frozen=True, slots=True, kw_only=True)
class AnimateSettings:
    """Settings of an animation."""

    fps: float = 60.0
    """frames a second"""
    seconds: float = 4.0
    """length of what is recorded [s]"""
    lead: float = 1.0
    """time to go from the rest pose into the motion, not recorded [s]"""
    repair: bool = True
    """remove what still crosses at the end of each frame, by exact triangles"""

    def __post_init__(self) -> None:
        if not (1 <= self.fps <= 1000 and 0 < self.seconds <= 3600 and 0 <= self.lead <= 60):
            raise ToileError("an animation takes 1 to 1000 fps, up to 3600 s and a lead of up to 60 s")


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """One simulated frame."""

    state: State
    body: PosedBody
    repaired: Repaired


def animate(
    garment: Garment | Recording,
    body: Body,
    motion: Motion,
    *,
    settings: AnimateSettings | None = None,
    engine: XpbdSettings | None = None,
    solver: str = SOLVER,
    collider: str = COLLIDER,
    tune: Mapping[str, Any] | None = None,
    wind: Floats = STILL_AIR,
    progress: Progress = silent,
) -> Recording:
    """Return the body moving in its clothes.

    garment is one that was built but not sewn (it is sewn first), or a dressed body as `dress` returns it.
    solver and collider name another method than the default engine, tune its settings by name.
    """
    settings, method = settings or AnimateSettings(), make_method(solver, collider, tune, engine)
    dressed = (
        garment
        if isinstance(garment, Recording)
        else dress_garments([garment], body, method=method, progress=progress)
    )
    frame_count = round(settings.seconds * settings.fps)
    steps = []
    for step in simulate(dressed, body, motion, settings=settings, method=method, wind=wind):
        steps.append(step)
        progress("walking", len(steps) / frame_count)
    return Recording(
        garment=dressed.garment,
        body=body,
        times=np.array([step.state.time for step in steps]),
        positions=np.stack([step.state.position for step in steps]),
        body_vertices=np.stack([step.body.vertices for step in steps]),
        settings={
            "toile": toile.__version__,
            "motion": motion.name,
            "animate": asdict(settings),
            **method.chosen(),
            "left_crossing": [step.repaired.body_after + step.repaired.cloth_after for step in steps],
        },
    )


def simulate(
    dressed: Recording,
    body: Body,
    motion: Motion,
    *,
    settings: AnimateSettings,
    method: Method,
    wind: Floats = STILL_AIR,
) -> Iterator[Step]:
    """Yield the recorded frames one after the other; the lead-in is simulated but not yielded."""
    garment, start = dressed.garment, dressed.positions[-1]
    track = retarget(motion, body, fps=settings.fps)
    collider, dt = method.make_collider(body), 1 / settings.fps
    solver = method.make_solver(garment, start)
    before = rest_pose(body)
    held = Attachment(garment.hold_particle, start, before)
    if len(garment.hold_particle):
        solver.pin(garment.hold_particle)
    # the exact repair belongs to contact with the skin itself: other colliders show what they can do
    repair = None
    if settings.repair and isinstance(collider, SurfaceCollider):
        repair = Repair(garment, collider, start, garment.hold_particle)
    state = State(position=start, velocity=np.zeros_like(start), time=-settings.lead)
    lead_count = round(settings.lead * settings.fps)
    for frame in range(1, lead_count + round(settings.seconds * settings.fps) + 1):
        after = pose_body(body, lead_in(body, track, frame * dt, settings.lead), before, dt)
        state = held.carry(state, after, dt)
        state = advance_frame(solver, collider, state, before, after, dt, wind=wind)
        state = repair(state, after) if repair else state
        if frame > lead_count:
            yield Step(state, after, repair.last if repair else Repaired())
        before = after
