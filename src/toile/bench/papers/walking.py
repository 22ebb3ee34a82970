"""Cloth on a walking body: Vassilev et al. 2001 table 2, Rudomín & Castillo 2002 table 1."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.bench.papers.garments import Cut, cut
from toile.bench.papers.records import Bench, Claim, Picture, Section, Table, clock, ratio
from toile.bench.papers.scene import Walked, draw, quality, walk, worn_meshes
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.records import Body, Floats, Garment, Scene, State
from toile.garment.from_mesh import mesh_garment
from toile.garment.outfit import join, layered
from toile.sim.colliders.contacts import make_collider
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.dress.dress import dress_garments
from toile.sim.frame.advance import GRAVITY, STILL_AIR
from toile.sim.solvers.table import make_solver
from toile.sim.solvers.xpbd import XpbdSolver

WALKS = {"skirt": (672, 0.244), "dress with sleeves": (2300, 0.294)}
"""vertices, seconds per frame"""
FPS = 25.0


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
    rows, pictures = [], list[Picture]()
    for k, (kind, (vertices, seconds)) in enumerate(WALKS.items()):
        bench.progress("walking", k / 2)
        made = cut(kind, body, bench.size(vertices, 300))
        garment, start = dressed(made, body)
        spring = make_solver("spring", garment, over_elongation="directional", contact_queries=1)
        ours = walk(spring, make_collider("maps", body), garment, start, body, frames, FPS)
        engine = by_default(garment, start, body, frames, FPS)
        for name, walked in (("spring, maps", ours), ("default engine", engine)):
            each = float(walked.seconds.mean())
            rows.append(
                (
                    kind,
                    name,
                    made.vertices,
                    f"{each:.3f} ({seconds})",
                    f"{1 / each:.1f} ({1 / seconds:.1f})",
                    ratio(each, seconds),
                    str(quality(garment, walked.state.position, walked.body)),
                )
            )
        meshes = worn_meshes(garment, ours.state.position, ours.body)
        pictures.append(draw(bench, f"walking_{kind.replace(' ', '_')}", f"{kind}, spring and maps", meshes))
    return Section(
        title="Walking in a skirt and in a dress with sleeves",
        source="Vassilev, Spanlang & Chrysanthou 2001, table 2 and figure 9",
        text=f"{frames} frames of our walk at {FPS:g} frames a second; a frame is the pose, new maps "
        f"and the cloth. "
        "The paper also counts reading the body file and drawing the scene (1 GHz PC, GeForce2); its frame "
        "length and step are not given. Garments are sewn by the default engine first. Where a hand or an "
        "arm passes before the trunk, one pair of maps takes the space between for flesh and pushes cloth "
        "out through it: that is the depth and stretch of the dress; maps per limb mend it.",
        tables=(
            Table(
                "Seconds per frame",
                ("garment", "method", "vertices", "s / frame", "frames / s", "faster", "stretch / depth"),
                tuple(rows),
            ),
        ),
        pictures=tuple(pictures),
    )


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


def cloth_only(garment: Garment, start: Floats, body: Body, frames: int) -> float:
    """Return the time of solver and contacts per frame, without posing the body [s]."""
    solver, still = make_solver("follow", garment), rest_pose(body)
    scene = Scene(still, make_collider("ellipsoids", body).at(still), GRAVITY, STILL_AIR)
    state, best = State(start, np.zeros_like(start)), np.inf
    for _ in range(frames):
        began = clock()
        state = solver.step(state, scene, 1 / 30)
        best = min(best, clock() - began)
    return float(best)


def following(bench: Bench) -> Section:
    """Repeat table 1 of the ellipsoid paper."""
    body, frames, fps = named_body("woman"), bench.size(30, 4), 30.0
    rows, each_of, pictures = [], {}, list[Picture]()
    for k, (kind, (garment, start)) in enumerate(modelled_outfit(bench, body).items()):
        bench.progress("following", 0.6 + 0.13 * k)
        vertices, seconds = MESHES[kind]
        solver, collider = make_solver("follow", garment), make_collider("ellipsoids", body)
        ours = walk(solver, collider, garment, start, body, frames, fps)
        step = cloth_only(garment, start, body, bench.size(30, 4))
        engine = by_default(garment, start, body, frames, fps)
        each_of[kind] = step
        rows.append(
            (
                kind,
                f"{garment.particle_count} ({vertices})",
                f"{1000 * step:.2f} ({1000 * seconds:g})",
                ratio(step, seconds),
                f"{1000 * float(ours.seconds.mean()):.1f}",
                str(quality(garment, ours.state.position, ours.body)),
                f"{1000 * float(engine.seconds.mean()):.1f} ms: "
                f"{quality(garment, engine.state.position, engine.body)}",
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
        f"adjustment is the solver with its contacts for one frame of 1/{fps:g} s; beside it the whole frame "
        "with the pose of body and ellipsoids. In brackets the best of the paper's three machines.",
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
        Claim(
            "clothing adjustment is fast enough for 30 frames a second",
            both < 1 / 30,
            f"{1000 * both:.2f} ms for both",
        ),
        Claim("our own goal: both garments in 0.5 ms a frame", both <= 0.0005, f"{1000 * both:.2f} ms"),
        Claim(
            "both garments take about as long as one after the other",
            0.6 < both / (blouse + pants) < 1.4,
            f"{both / (blouse + pants):.2f} of the sum",
        ),
    )
