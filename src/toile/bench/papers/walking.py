"""Cloth on a walking body: Vassilev et al. 2001 table 2, Rudomín & Castillo 2002 table 1."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.bench.papers.garments import Cut, cut
from toile.bench.papers.records import Bench, Claim, Picture, Section, Table, at_most, clock, ratio
from toile.bench.papers.scene import Walked, draw, walk, worn_meshes
from toile.body.model.make import named_body
from toile.body.model.skin import pose_body, rest_pose
from toile.core.records import Body, ContactQuery, Floats, Garment, Ints, PosedBody, Scene, State
from toile.garment.from_mesh import mesh_garment
from toile.garment.outfit import join, layered
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import lead_in
from toile.sim.colliders.base import Collider
from toile.sim.colliders.contacts import make_collider
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.dress.dress import dress_garments
from toile.sim.frame.advance import advance_frame
from toile.sim.papers import PAPERS
from toile.sim.solvers.base import Solver
from toile.sim.solvers.table import make_solver
from toile.sim.solvers.xpbd import XpbdSolver

WALKS = {"skirt": (672, 0.244), "dress with sleeves": (2300, 0.294)}
"""vertices, seconds per frame"""
FPS = 25.0
DEEP = 0.005
"""deepest that a vertex may be under the skin [m]"""


def dressed(made: Cut, body: Body) -> tuple[Garment, Floats]:
    """Return the garment as the default engine sews and drapes it."""
    recording = dress_garments([made.garment], body)
    return recording.garment, recording.positions[-1]


def by_default(garment: Garment, start: Floats, body: Body, frames: int, fps: float) -> Walked:
    """Return the same walk with the default engine, without its exact repair."""
    solver = XpbdSolver(garment, worn=start)
    return walk(solver, SurfaceCollider(body), garment, start, body, frames, fps)


def walking(bench: Bench) -> Section:
    """Repeat table 2 of the walking paper."""
    body, frames = named_body("woman"), bench.size(25, 4)
    rows, pictures, claims = [], list[Picture](), list[Claim]()
    for k, (kind, (vertices, seconds)) in enumerate(WALKS.items()):
        bench.progress("walking", k / 2)
        made = cut(kind, body, bench.size(vertices, 300))
        garment, start = dressed(made, body)
        ours = by_paper("000", garment, start, body, frames)
        mended = walk(
            make_solver("spring", garment), make_collider("maps", body), garment, start, body, frames, FPS
        )
        engine = by_default(garment, start, body, frames, FPS)
        names = ("to the letter: spring, maps", "mended: spring, maps", "default engine")
        for name, walked in zip(names, (ours, mended, engine), strict=True):
            each = walked.each
            rows.append(
                (
                    kind,
                    name,
                    made.vertices,
                    f"{each:.3f} ({seconds})",
                    f"{1 / each:.1f} ({1 / seconds:.1f})",
                    ratio(each, seconds),
                    str(walked.worst),
                )
            )
        claims += walking_claims(kind, ours, mended, seconds)
        meshes = worn_meshes(garment, ours.state.position, ours.body)
        pictures.append(draw(bench, f"walking_{kind.replace(' ', '_')}", f"{kind}, spring and maps", meshes))
    return Section(
        title="Walking in a skirt and in a dress with sleeves",
        source="Vassilev, Spanlang & Chrysanthou 2001, table 2 and figure 9",
        text=f"{frames} frames of our walk at {FPS:g} frames a second; a frame is the pose, new maps "
        f"and the cloth. "
        "The paper also counts reading the body file and drawing the scene (1 GHz PC, GeForce2); its frame "
        "length and step are not given; times are medians, stretch and depth the worst of all frames. "
        "Garments are sewn by the default engine first; to the letter is `--paper 000` (eqs. 6, 15, 16). "
        "Where a hand or an arm passes before the trunk, one pair of maps takes the space between for flesh "
        "and pushes cloth out through it: that is the depth and stretch of the dress; maps per limb mend it.",
        tables=(
            Table(
                "Seconds per frame",
                (
                    "garment",
                    "method",
                    "vertices",
                    "s / frame",
                    "frames / s",
                    "faster",
                    "worst stretch / depth",
                ),
                tuple(rows),
            ),
        ),
        pictures=tuple(pictures),
        claims=tuple(claims),
    )


def by_paper(number: str, garment: Garment, start: Floats, body: Body, frames: int) -> Walked:
    """Return the walk with a paper's method to the letter: its rule, response and maps."""
    method = PAPERS[number].method()
    solver, collider = method.make_solver(garment, start), method.make_collider(body)
    return walk(solver, collider, garment, start, body, frames, FPS)


def walking_claims(kind: str, letter: Walked, mended: Walked, paper: float) -> list[Claim]:
    """Judge the paper's speed, and what it shows: cloth that stays on and does not stretch."""
    return [
        at_most(f"{kind}: a frame takes no longer than the paper's", letter.each, paper, "ms"),
        at_most(
            f"{kind}, to the letter: cloth stays out of the body",
            letter.worst.deepest,
            DEEP,
            "mm",
        ),
        at_most(f"{kind}, mended: cloth stays out of the body", mended.worst.deepest, DEEP, "mm"),
        at_most(f"{kind}, to the letter: 99 % of the edges stay under 15 %", letter.worst.stretch, 0.15, "%"),
        at_most(f"{kind}, mended: 99 % of the edges stay under 15 %", mended.worst.stretch, 0.15, "%"),
    ]


MESHES = {"blouse": (911, 0.003), "pants": (944, 0.004), "both": (1855, 0.007)}
"""vertices, seconds per frame on the fastest of the three machines (Pentium III, 800 MHz)"""


def modelled(kind: str, body: Body, vertices: int) -> tuple[Garment, Floats]:
    """Return a garment as a modelling program would give it: a mesh in place, its edges at rest."""
    garment, position = dressed(cut(kind, body, round(1.1 * vertices), mesh="triangles"), body)
    mesh = mesh_garment(kind, position, garment.triangles)
    # a modelling program would have pinned the waist: without, trousers slide
    return replace(mesh, hold_particle=garment.hold_particle), position


def modelled_outfit(bench: Bench, body: Body) -> dict[str, tuple[Garment, Floats]]:
    """Return the blouse, the pants and both together."""
    parts = {}
    for k, kind in enumerate(("blouse", "pants")):
        bench.progress("following", 0.4 * k)
        parts[kind] = modelled(kind, body, bench.size(MESHES[kind][0], 200))
    parts["both"] = (
        layered(join([parts["pants"][0], parts["blouse"][0]])),
        np.concatenate([parts["pants"][1], parts["blouse"][1]]),
    )
    return parts


def adjustment(garment: Garment, start: Floats, body: Body, frames: int, fps: float = 30.0) -> float:
    """Return the median time of ellipsoids, contacts and solver in a frame of walking [s].

    That is the paper's "clothing adjustment"; the pose of the body is not part of it.
    """
    solver, collider = make_solver("follow", garment), make_collider("ellipsoids", body)
    timed = list[float]()

    class Timed(Collider):
        def at(self, posed: PosedBody) -> ContactQuery:
            began = clock()
            query = collider.at(posed)
            timed[-1] += clock() - began
            return query

    class TimedSolver(Solver):
        def pin(self, particles: Ints) -> None:
            solver.pin(particles)

        def step(self, state: State, scene: Scene, dt: float) -> State:
            began = clock()
            new = solver.step(state, scene, dt)
            timed[-1] += clock() - began
            return new

    track, dt, before = retarget(read_motion("walk"), body, fps=fps), 1 / fps, rest_pose(body)
    state = State(start, np.zeros_like(start))
    for frame in range(1, frames + 1):
        timed.append(0.0)
        after = pose_body(body, lead_in(body, track, frame * dt, 0.4), before, dt)
        state = advance_frame(TimedSolver(), Timed(), state, before, after, dt)
        before = after
    return float(np.median(timed))


def following(bench: Bench) -> Section:
    """Repeat table 1 of the ellipsoid paper."""
    body, frames, fps = named_body("woman"), bench.size(30, 4), 30.0
    rows, each_of, pictures = [], {}, list[Picture]()
    for k, (kind, (garment, start)) in enumerate(modelled_outfit(bench, body).items()):
        bench.progress("following", 0.6 + 0.13 * k)
        vertices, seconds = MESHES[kind]
        solver, collider = make_solver("follow", garment), make_collider("ellipsoids", body)
        ours = walk(solver, collider, garment, start, body, frames, fps)
        step = adjustment(garment, start, body, frames)
        engine = by_default(garment, start, body, frames, fps)
        each_of[kind] = step
        rows.append(
            (
                kind,
                f"{garment.particle_count} ({vertices})",
                f"{1000 * step:.2f} ({1000 * seconds:g})",
                ratio(step, seconds),
                f"{1000 * ours.each:.1f}",
                str(ours.worst),
                f"{1000 * engine.each:.1f} ms: {engine.worst}",
            )
        )
        if kind == "both":
            meshes = worn_meshes(garment, ours.state.position, ours.body)
            words = "blouse and pants follow the ellipsoids"
            pictures.append(draw(bench, "following", words, meshes, ("three_quarter", "back")))
    return Section(
        title="Blouse and pants that follow ellipsoids",
        source="Rudomín & Castillo 2002, table 1 and figure 3",
        text="Meshes in place, as from a modelling program: vertices are particles, edges springs. Clothing "
        f"adjustment is ellipsoids, contacts and solver in a walking frame of 1/{fps:g} s, the median; "
        "beside it the whole frame with the pose of the body. In brackets the best of the paper's three "
        "machines.",
        tables=(
            Table(
                "Clothing adjustment time per frame",
                (
                    "garment",
                    "vertices",
                    "ms",
                    "faster",
                    "whole frame [ms]",
                    "stretch / depth",
                    "default engine, whole frame: stretch / depth",
                ),
                tuple(rows),
            ),
        ),
        pictures=tuple(pictures),
        claims=following_claims(**each_of),
    )


def following_claims(blouse: float, pants: float, both: float) -> tuple[Claim, ...]:
    """Return what is said of the time that each takes [s]."""
    return (
        at_most("clothing adjustment is fast enough for 30 frames a second: both", both, 1 / 30, "ms"),
        at_most("our own goal: both garments in 0.5 ms a walking frame", both, 0.0005, "ms"),
        at_most("both garments take no longer than one after the other", both / (blouse + pants), 1.1, "x"),
    )
