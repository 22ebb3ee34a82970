"""``toile stress``: scenes that try to break the engine. Nothing may blow up, crash or fail silently."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache

import numpy as np

from toile.audit.check import audit
from toile.bench.scenes import (
    BALL_CENTRE,
    BALL_RADIUS,
    CALM,
    FALL,
    FRAME,
    dummy_body,
    dummy_pose,
    skirt_cloth,
)
from toile.body.model.make import named_body
from toile.core.errors import ToileError
from toile.core.records import ContactQuery, Fabric, Floats, Garment, Ints, PosedBody, Recording, Scene, State
from toile.garment.build import build
from toile.garment.fabric import fabric
from toile.garment.outfit import join, layered
from toile.garment.shapes import flat_position, plain_cloth, square_cloth, tube_cloth
from toile.motion.library import read_motion
from toile.pattern.drafts.library import draft
from toile.sim.colliders.base import no_contacts
from toile.sim.colliders.shapes import Sphere
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.dress.dress import dress_garments
from toile.sim.frame.advance import advance_frame
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.walker import AnimateSettings, Walker

Random = np.random.Generator
REACH = 50.0
"""cloth that is farther than this from where it was has blown up [m]"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a scene ended."""

    ok: bool
    words: str
    """what happened, in a few words"""
    stretch: float = 0.0
    """largest elongation of the last frame"""


@dataclass(frozen=True, slots=True)
class Result:
    """One scene with one seed."""

    scene: str
    seed: int
    outcome: Outcome
    seconds: float
    """by the wall clock [s]"""


def judge(garment: Garment, start: Floats, state: State) -> Outcome:
    """Return whether the cloth is still cloth."""
    if not (np.isfinite(state.position).all() and np.isfinite(state.velocity).all()):
        return Outcome(False, "not a number")
    away = float(np.linalg.norm(state.position - start.mean(axis=0), axis=1).max())
    if away > REACH:
        return Outcome(False, f"flew {away:.0f} m away")
    found = audit(garment, state.position)
    longest = found.stretch.largest
    if longest > 20.0:
        return Outcome(False, f"an edge is {1 + longest:.0f} times as long as at rest")
    return Outcome(True, "poor: overstretched" if found.stretch.mean > 0.10 else "good", longest)


def fall(
    garment: Garment,
    x: Floats,
    *,
    frames: int = 25,
    dt: float = FRAME,
    velocity: Floats | None = None,
    gravity: Floats = FALL,
    wind: Floats = CALM,
    contacts: ContactQuery | None = None,
    settings: XpbdSettings | None = None,
    pinned: Ints | None = None,
) -> Outcome:
    """Let cloth fall on the ball and judge it."""
    solver = XpbdSolver(garment, settings)
    if pinned is not None:
        solver.pin(pinned)
    ball = Sphere(BALL_CENTRE, BALL_RADIUS)
    state = State(x, np.zeros_like(x) if velocity is None else velocity)
    scene = Scene(None, ball if contacts is None else contacts, gravity, wind)
    for _ in range(frames):
        state = solver.step(state, scene, dt)
    return judge(garment, x, state)


def sheet(random: Random, cloth: str | Fabric = "cotton", cells: int = 20) -> tuple[Garment, Floats]:
    """Return a square metre in the air, unevenly placed."""
    garment = square_cloth(cells, cells, fabric=cloth)
    flat = flat_position(garment)
    x = np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]], axis=1)
    return garment, x + random.normal(0.0, 0.002, x.shape)


def of_fabric(**changes: float) -> Callable[[Random], Outcome]:
    """Return a scene with a cloth of unusual figures."""
    odd = replace(fabric("cotton"), name="odd", **changes)  # type: ignore[arg-type]
    return lambda random: fall(*sheet(random, odd))


def named_fabric(name: str) -> Callable[[Random], Outcome]:
    """Return a scene with a real fabric."""
    return lambda random: fall(*sheet(random, name))


def rough_start(random: Random) -> Outcome:
    """Every vertex up to centimetres from where it belongs."""
    garment, x = sheet(random)
    return fall(garment, x + random.normal(0.0, 0.03, x.shape))


def one_point(random: Random) -> Outcome:
    """All vertices in one point."""
    garment, x = sheet(random, cells=8)
    return fall(garment, np.zeros_like(x) + random.normal(0.0, 1e-9, (1, 3)))


def folded_flat(random: Random) -> Outcome:
    """Doubled cloth, both halves in one plane."""
    garment, x = sheet(random)
    x[:, 0] = np.abs(x[:, 0] - 0.5)
    x[:, 1] = 0.0
    return fall(garment, x)


def crossed_layers(random: Random) -> Outcome:
    """The outer of two tubes starts inside the inner one."""
    inner, low = tube_cloth(24, 10, 0.6, 0.3)
    outer, high = tube_cloth(24, 10, 0.5, 0.3)
    both = layered(join([inner, outer]))
    x = np.concatenate([low, high]) + random.normal(0.0, 0.001, (len(low) + len(high), 3))
    return fall(both, x, contacts=no_contacts, gravity=CALM)


def fast(random: Random) -> Outcome:
    """Cloth thrown at the ball at 30 m/s."""
    garment, x = sheet(random)
    return fall(garment, x, velocity=np.tile([0.0, -30.0, 0.0], (len(x), 1)))


def storm(random: Random) -> Outcome:
    """Wind of 60 m/s on cloth that hangs by two corners."""
    garment, x = sheet(random)
    return fall(
        garment, x, wind=np.array([60.0, 5.0, 0.0]), contacts=no_contacts, pinned=np.array([0, 20], np.int32)
    )


def steps_of(dt: float, frames: int) -> Callable[[Random], Outcome]:
    """Return a scene with an unusual time step."""
    return lambda random: fall(*sheet(random, cells=10), dt=dt, frames=frames)


def long_substep(random: Random) -> Outcome:
    """One substep of 1/60 s."""
    return fall(*sheet(random), settings=XpbdSettings(substep=FRAME, contact_queries=1))


def swollen_ball(random: Random) -> Outcome:
    """The ball is all at once where the cloth is."""
    garment, x = sheet(random)
    return fall(garment, x, contacts=Sphere(np.array([0.5, 0.0, 0.5]), 0.4))


def all_pinned(random: Random) -> Outcome:
    """Nothing can move."""
    garment, x = sheet(random, cells=8)
    return fall(garment, x, pinned=np.arange(len(x), dtype=np.int32))


def one_triangle(random: Random) -> Outcome:
    """The smallest cloth."""
    uv = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]])
    garment = plain_cloth(
        "triangle", uv, np.array([[0, 1, 2]], np.int32), "cotton", np.zeros((0, 2), np.int32)
    )
    return fall(garment, np.pad(uv, ((0, 0), (0, 1))) + random.normal(0.0, 0.001, (3, 3)))


def ribbon(random: Random) -> Outcome:
    """A strip one cell wide and 300 long, held at one end."""
    garment = square_cloth(1, 300, 0.01, 3.0)
    x = flat_position(garment) + random.normal(0.0, 1e-4, (602, 3))
    return fall(garment, x, pinned=np.array([0, 1], np.int32))


def needles(random: Random) -> Outcome:
    """Triangles a hundred times as long as wide."""
    garment = square_cloth(2, 200, 1.0, 1.0)
    return fall(garment, flat_position(garment) + random.normal(0.0, 1e-4, (603, 3)))


def refused(make: Callable[[Random], Garment]) -> Callable[[Random], Outcome]:
    """Return a scene whose cloth must be refused with a clear error."""

    def run(random: Random) -> Outcome:
        try:
            XpbdSolver(make(random))
        except ToileError as error:
            return Outcome(True, f"refused: {str(error)[:60]}")
        return Outcome(False, "was not refused")

    return run


def no_area(random: Random) -> Garment:
    """Return cloth with a triangle of no area."""
    garment = square_cloth(4, 4)
    uv = np.array(garment.uv)
    uv[garment.triangles[0]] = uv[garment.triangles[0, 0]]
    return replace(garment, uv=uv)


def lonely_vertex(random: Random) -> Garment:
    """Return cloth with a vertex that no triangle has."""
    garment = square_cloth(4, 4)
    return replace(
        garment,
        uv=np.concatenate([garment.uv, [[2.0, 2.0]]]),
        uv_particle=np.append(garment.uv_particle, np.int32(25)),
        uv_panel=np.append(garment.uv_panel, np.int32(0)),
        particle_garment=np.append(garment.particle_garment, np.int32(0)),
    )


def on_dummy(path: Callable[[Floats, float], Floats], frames: int = 20) -> Callable[[Random], Outcome]:
    """Return a scene with a skirt on a dummy that moves in an unusual way."""

    def run(random: Random) -> Outcome:
        garment, x, rim = skirt_cloth(600)
        body = dummy_body()
        solver, collider = XpbdSolver(garment), SurfaceCollider(body)
        solver.pin(rim)
        x = x + random.normal(0.0, 0.0005, x.shape)
        held, state, before = x[rim], State(x, np.zeros_like(x)), body.vertices
        for frame in range(1, frames + 1):
            after, hand = path(body.vertices, frame * FRAME), path(held, frame * FRAME)
            velocity = np.array(state.velocity)
            velocity[rim] = (hand - state.position[rim]) / FRAME
            still = PosedBody(body, before, (after - before) / FRAME, np.eye(4)[None])
            there = PosedBody(body, after, (after - before) / FRAME, np.eye(4)[None])
            state = advance_frame(solver, collider, State(state.position, velocity), still, there, FRAME)
            before = after
        return judge(garment, x, state)

    return run


def teleport(points: Floats, when: float) -> Floats:
    """Stand, then be a metre away at once."""
    return np.asarray(points + np.array([1.0 if when > 0.1 else 0.0, 0.0, 0.0]))


def spin(points: Floats, when: float) -> Floats:
    """Turn twice a second."""
    angle = 4 * np.pi * when
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]).T)


def shake(points: Floats, when: float) -> Floats:
    """Shake by 10 cm, five times a second."""
    return np.asarray(points + np.array([0.1 * np.sin(10 * np.pi * when), 0.0, 0.0]))


@cache
def dressed(garment: str, body: str) -> Recording:
    """Return a draft on a body, coarse; made once for all runs."""
    person = named_body(body)
    return dress_garments([build(draft(garment, person.measurements), "cotton", 0.035)], person)


def walking(garment: str, body: str, motion: str) -> Callable[[Random], Outcome]:
    """Return a scene with a dressed body in motion, from a start that is a little off."""

    def run(random: Random) -> Outcome:
        made = dressed(garment, body)
        settings = AnimateSettings(seconds=0.25, lead=0.25)
        assert made.body is not None
        plan = plan_walk(made, made.body, read_motion(motion), settings=settings)
        start = made.positions[-1] + random.normal(0.0, 0.0005, made.positions[-1].shape)
        walker = Walker(made.garment, made.body, replace(plan, start=start))
        step = walker.step()
        while walker.number < settings.frame_count:
            step = walker.step()
        return judge(made.garment, start, step.state)

    return run


SCENES: dict[str, Callable[[Random], Outcome]] = {
    **{f"fabric {name}": named_fabric(name) for name in ("silk", "denim", "leather", "elastic")},
    "hardly any stiffness": of_fabric(stretch_warp=1.0, stretch_weft=1.0, shear=0.1),
    "stiff as steel": of_fabric(stretch_warp=1e8, stretch_weft=1e8, shear=1e8),
    "bends like a board": of_fabric(bend_warp=10.0, bend_weft=10.0),
    "no bending at all": of_fabric(bend_warp=1e-12, bend_weft=1e-12),
    "heavy as lead": of_fabric(mass=50.0),
    "light as air": of_fabric(mass=0.001),
    "grips like glue": of_fabric(friction=100.0, friction_cloth=100.0),
    "rough start": rough_start,
    "all in one point": one_point,
    "folded flat": folded_flat,
    "crossed layers": crossed_layers,
    "thrown at 30 m/s": fast,
    "storm": storm,
    "step of 10 µs": steps_of(1e-5, 200),
    "step of half a second": steps_of(0.5, 6),
    "one substep a frame": long_substep,
    "ball within the cloth": swollen_ball,
    "all pinned": all_pinned,
    "one triangle": one_triangle,
    "ribbon": ribbon,
    "needles": needles,
    "no area": refused(no_area),
    "lonely vertex": refused(lonely_vertex),
    "dummy sways": on_dummy(dummy_pose),
    "dummy teleports": on_dummy(teleport),
    "dummy spins": on_dummy(spin),
    "dummy shakes": on_dummy(shake),
    "skirt, woman, walk": walking("skirt", "woman", "walk"),
    "skirt, man, run": walking("skirt", "man", "run"),
    "T-shirt, man, walk": walking("tshirt", "man", "walk"),
    "T-shirt, woman, reach": walking("tshirt", "woman", "reach"),
    "trousers, woman, sit": walking("trousers", "woman", "sit"),
    "dress, woman, turn": walking("dress", "woman", "turn"),
}
"""by name; each takes a random generator that makes every run a little different"""


def run_scene(name: str, seed: int) -> Result:
    """Run one scene; an exception is a failure, told in its words."""
    start = time.perf_counter()
    try:
        outcome = SCENES[name](np.random.default_rng([seed, len(name)]))
    except Exception as error:  # whatever goes wrong is what this looks for
        outcome = Outcome(False, f"{type(error).__name__}: {error}")
    return Result(name, seed, outcome, time.perf_counter() - start)


def line(name: str, results: Sequence[Result]) -> str:
    """Return what became of a scene's runs."""
    bad = [r for r in results if not r.outcome.ok]
    words = ", ".join(sorted({r.outcome.words for r in bad or results}))
    seeds = f" (seeds {', '.join(str(r.seed) for r in bad)})" if bad else ""
    took = sum(r.seconds for r in results) / len(results)
    return f"{'FAILED' if bad else 'ok    '} {name:<24} {took:6.2f} s  {words}{seeds}"


def to_json(result: Result) -> str:
    """Return a run as a line of a file."""
    return json.dumps(asdict(result))


def known_results(path: str | os.PathLike[str]) -> dict[tuple[str, int], Result]:
    """Return the runs that a file holds, by scene and seed; lines that were cut off are left out."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return {}
    known = {}
    for number, text in enumerate(lines, 1):
        try:
            row = json.loads(text or "{")
            result = Result(row["scene"], row["seed"], Outcome(**row["outcome"]), row["seconds"])
        except (ValueError, KeyError, TypeError) as error:
            if text and not text.startswith('{"scene": '):
                raise ToileError(f"{path}: line {number} is no run of a stress test: name another") from error
            continue
        known[result.scene, result.seed] = result
    return known
