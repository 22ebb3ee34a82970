"""A dressed body walks: dress in the rest pose, blend into the motion, simulate frame by frame."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

import toile
from toile.core import defaults
from toile.core.bar import Heard, heard
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, Motion, Recording
from toile.motion.avatar_clip import avatar_track, with_run_up
from toile.motion.library import MOTIONS, read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import Track
from toile.sim.dress.dress import check_kind, dress_garments
from toile.sim.dress.sew import Progress
from toile.sim.frame.advance import STILL_AIR
from toile.sim.method import COLLIDER, SOLVER, Method, make_method
from toile.sim.solvers.xpbd import XpbdSettings
from toile.sim.walk.walker import AnimateSettings as AnimateSettings
from toile.sim.walk.walker import Plan, Step, Walker


def plan_walk(
    dressed: Recording,
    body: Body,
    motion: Motion | Track,
    *,
    settings: AnimateSettings | None = None,
    method: Method | None = None,
    wind: Floats = STILL_AIR,
) -> Plan:
    """Return everything that decides how a dressed body moves (see sim/walk/walker.py).

    A track is taken as it is: its first frame is the first that is recorded.
    """
    settings = settings or AnimateSettings()
    if isinstance(motion, Track):
        settings, track = _from_the_first_frame(motion, settings)
    else:
        track = retarget(motion, body, fps=settings.fps)
    plan = Plan(
        start=dressed.positions[-1],
        track=track,
        settings=settings,
        method=method or Method(),
    )
    return plan.with_wind(0, wind)


def _from_the_first_frame(track: Track, settings: AnimateSettings) -> tuple[AnimateSettings, Track]:
    """Return a track whose own first frame is recorded first, and a way into it of an even number of frames.

    On the way there the track's clock is half as far as the lead-in's (see motion/track.py), and a recorded
    frame is the end of its step: that many frames have to come before.
    """
    if abs(track.fps - settings.fps) > 1e-6 * settings.fps:
        raise ToileError(f"{track.name} has {track.fps:g} fps, the walk {settings.fps:g}: take the same")
    half = round(0.5 * settings.lead * settings.fps)
    return replace(settings, lead=2 * half / settings.fps), with_run_up(track, half + 1)


def animate(
    garment: Garment | Recording,
    body: Body,
    motion: Motion | Track | str = defaults.MOTION,
    *,
    seconds: float | None = None,
    fps: float | None = None,
    settings: AnimateSettings | None = None,
    engine: XpbdSettings | None = None,
    solver: str = SOLVER,
    collider: str = COLLIDER,
    tune: Mapping[str, Any] | None = None,
    wind: Floats = STILL_AIR,
    progress: Heard | bool = True,
) -> Recording:
    """Return the body moving in its clothes, in memory; sim/walk/stream.py writes it to a file as it goes.

    garment is one that was built but not sewn (it is sewn first), or a dressed body as `dress` returns it.
    motion is one of ours by its name, or what `read_motion` returns; seconds and fps go before settings.
    solver and collider name another method than the default engine, tune its settings by name.
    """
    _check_kinds(garment, body, motion)
    own: dict[str, Any] = {
        name: value for name, value in (("seconds", seconds), ("fps", fps)) if value is not None
    }
    settings = replace(settings or AnimateSettings(), **own)
    method = make_method(solver, collider, tune, engine)
    with heard(progress) as told:
        return _animated(garment, body, motion, settings, method, wind, told)


def _check_kinds(garment: object, body: object, motion: object) -> None:
    check_kind("animate", "garment", garment, (Garment, Recording), "what toile.dress returns")
    check_kind("animate", "body", body, (Body,), 'such as toile.named_body("woman")')
    advice = f"one of {', '.join(MOTIONS)}, or toile.read_motion(FILE)"
    check_kind("animate", "motion", motion, (Motion, Track, str), advice)


def _animated(
    garment: Garment | Recording,
    body: Body,
    motion: Motion | Track | str,
    settings: AnimateSettings,
    method: Method,
    wind: Floats,
    progress: Progress,
) -> Recording:
    motion = read_motion(motion) if isinstance(motion, str) else motion
    dressed = (
        garment
        if isinstance(garment, Recording)
        else dress_garments([garment], body, method=method, progress=progress)
    )
    steps = []
    for step in simulate(dressed, body, motion, settings=settings, method=method, wind=wind):
        steps.append(step)
        progress("walking", len(steps) / settings.frame_count)
    return Recording(
        garment=dressed.garment,
        body=body,
        times=np.array([step.state.time for step in steps]),
        positions=np.stack([step.state.position for step in steps]),
        body_vertices=np.stack([step.body.vertices for step in steps]),
        provenance=replace(
            method.provenance(),
            toile=toile.__version__,
            motion=motion.name,
            animate=asdict(settings),
            left_crossing=tuple(step.repaired.left for step in steps),
        ),
    )


def animate_avatar(
    garment: Garment | Recording,
    body: Body,
    path: str | os.PathLike[str],
    *,
    seconds: float | None = None,
    fps: float | None = None,
    **options: Any,
) -> Recording:
    """Return an avatar moving by the clip of the file it was read from, frame by frame, in clothes.

    What is written of it goes back to the place that the file had it. By default at the rate and for the
    length of the clip; options are those of `animate`.
    """
    track, origin = avatar_track(path, body, fps=fps)
    settings = AnimateSettings(fps=track.fps, seconds=seconds or track.frame_count / track.fps)
    made = animate(garment, body, track, settings=settings, **options)
    return replace(made, provenance=replace(made.provenance, came_from=origin.to_plain()))


def simulate(
    dressed: Recording,
    body: Body,
    motion: Motion | Track,
    *,
    settings: AnimateSettings,
    method: Method,
    wind: Floats = STILL_AIR,
) -> Iterator[Step]:
    """Yield the recorded frames one after the other; the lead-in is simulated but not yielded."""
    plan = plan_walk(dressed, body, motion, settings=settings, method=method, wind=wind)
    walker = Walker(dressed.garment, body, plan)
    while walker.number < settings.frame_count:
        step = walker.step()
        if step.number >= 0:
            yield step
