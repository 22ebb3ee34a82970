"""A square of cloth falls on a walking woman: Rodríguez-Navarro et al. 2005, tables 1 and 2, figure 3."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from toile.bench.papers.records import Bench, Claim, Picture, Section, Table, at_most, clock
from toile.bench.papers.scene import Quality, draw, quality, worn_meshes
from toile.body.model.make import named_body
from toile.body.model.skin import pose_body, rest_pose
from toile.core.records import Body, ContactQuery, Floats, Garment, PosedBody, State
from toile.garment.shapes import flat_position, square_cloth
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import lead_in
from toile.sim.colliders.base import Collider
from toile.sim.colliders.contacts import make_collider
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.frame.advance import advance_frame
from toile.sim.solvers.base import Solver
from toile.sim.solvers.table import make_solver

DT = 0.01
"""time step of the paper [s]"""
SIDE = 1.4
"""of the cloth [m]"""
BUDGET = 10.0
"""CPU time that one cell of the table may take [s]"""
GOAL = 100.0
"""our own: steps a second of 256 × 256 with 20 sweeps"""
PAPER: dict[tuple[int, bool], tuple[str, str]] = {
    (64, False): ("105/86", "88-124"),
    (128, False): ("63/43", "44-90"),
    (256, False): ("22/14", "14-42"),
    (64, True): ("90-144/77-108", "107-200"),
    (128, True): ("54-77/41-50", "40-133"),
    (256, True): ("20-24/14-15", "14-55"),
}
"""(cells, only parts that can collide) → frames a second with 20/40 iterations, and adaptive"""
DEEP = 0.005
"""deepest that a vertex may be under the skin [m]"""
ADAPTIVE = 5e-4
"""movement in a sweep below which relaxation ends [m]"""
MODES: dict[str, dict[str, Any]] = {
    "20": {"iterations": 20, "threshold": 0.0},
    "40": {"iterations": 40, "threshold": 0.0},
    "adaptive": {"iterations": 40, "threshold": ADAPTIVE},
}


class Counted(Collider):
    """A collider that counts how often the body is posed for the cloth: once per step."""

    def __init__(self, collider: Collider) -> None:
        self._collider, self.steps = collider, 0

    def at(self, body: PosedBody) -> ContactQuery:
        """Return the collider's answer."""
        self.steps += 1
        return self._collider.at(body)


@dataclass(frozen=True, eq=False, slots=True)
class Fallen:
    """Cloth on the walker."""

    seconds: Floats
    """cloth, maps and contacts per step, without the pose, in each frame [s], (f,)"""
    cpu: Floats
    """the same in CPU time of all threads [s], (f,)"""
    sweeps: Floats
    """relaxation sweeps of each frame's last step, (f,)"""
    steps: int
    """in all"""
    state: State
    body: PosedBody

    @property
    def rate(self) -> float:
        """Return steps a second by the clock; the first step warms up."""
        return float(1 / self.seconds[1:].mean())

    @property
    def range(self) -> str:
        """Return the smallest and the largest number of steps a second."""
        rates = 1 / self.seconds[1:]
        return f"{rates.min():.0f}-{rates.max():.0f}"


def fall(garment: Garment, body: Body, frames: int, solver: Solver, collider: Collider) -> Fallen:
    """Return the cloth after some frames of 0.01 s; stops early when the budget is used up.

    A frame in which the skin comes far against the cloth is cut into several steps, as everywhere.
    """
    flat = flat_position(garment)
    flat = flat - flat.mean(axis=0)
    top = body.vertices[:, 1].max()
    start = np.stack([flat[:, 0], np.full(len(flat), top + 0.005), -flat[:, 1]], axis=1)
    track, before = retarget(read_motion("walk"), body, fps=1 / DT), rest_pose(body)
    state, counted = State(start, np.zeros_like(start)), Counted(collider)
    spent = list[tuple[float, float, int]]()
    for frame in range(1, frames + 1):
        after = pose_body(body, lead_in(body, track, frame * DT, 0.3), before, DT)
        began, cpu, steps = time.perf_counter(), clock(), counted.steps
        state = advance_frame(solver, counted, state, before, after, DT)
        steps = counted.steps - steps
        used = (time.perf_counter() - began) / steps, (clock() - cpu) / steps
        spent.append((*used, getattr(solver, "sweeps", 0)))
        before = after
        if sum(s[1] for s in spent) > BUDGET and frame >= 3:
            break
    seconds, cpu_seconds, sweeps = np.array(spent, dtype=np.float64).T
    return Fallen(seconds, cpu_seconds, sweeps, counted.steps, state, before)


def by_paper(garment: Garment, body: Body, frames: int, mode: str, culled: bool) -> Fallen:
    """Return the cloth as the paper moves it, on the grid's fast path."""
    cells = int(np.sqrt(garment.particle_count)) - 1
    solver = make_solver("verlet", garment, columns=cells, **MODES[mode])
    return fall(garment, body, frames, solver, make_collider("limb_maps", body, colliding=culled))


def by_default(garment: Garment, body: Body, frames: int) -> Fallen:
    """Return the same fall with the default engine, without its exact repair."""
    return fall(garment, body, frames, make_solver("xpbd", garment), SurfaceCollider(body))


Runs = dict[tuple[int, bool, str], Fallen]
"""(cells, culled, mode) → what became of it"""


def falling(bench: Bench) -> Section:
    """Repeat tables 1 and 2."""
    body, frames = named_body("woman"), bench.size(60, 4)
    sizes = (64, 128, 256) if not bench.quick else (16,)
    runs: Runs = {}
    cells = [(c, culled, mode) for culled in (False, True) for c in sizes for mode in MODES]
    for done, key in enumerate(cells):
        bench.progress("falling cloth", 0.7 * done / len(cells))
        garment = square_cloth(key[0] - 1, key[0] - 1, SIDE, SIDE)
        runs[key] = by_paper(garment, body, frames, key[2], key[1])
    tables = [_rates(runs, sizes, culled) for culled in (False, True)]
    tables.append(_beside_default(bench, body, frames, runs, sizes))
    return Section(
        title="Cloth falling on a walking woman",
        source="Rodríguez-Navarro, Sainz & Susín 2005, tables 1 and 2, figure 3",
        text=f"A square of {SIDE:g} m is let go above the head of the walking body; {frames} frames of "
        f"{DT:g} s (fewer where {BUDGET:g} s are used up), solver `verlet` on its grid path, collider "
        "`limb_maps`. A step is cloth, new maps and contacts, not the pose and no drawing, by the clock on "
        "all cores; frames in which the skin comes far against the cloth have several steps. Adaptive stops "
        f"when nothing moves by more than {1000 * ADAPTIVE:g} mm in a sweep. The paper: Pentium IV 3 GHz, "
        "GeForce 6800 GT, drawing included; the ratio is our mean over the middle of its figures.",
        tables=tuple(tables),
        pictures=_pictures(bench, runs),
        claims=_claims(runs, sizes),
    )


def _rates(runs: Runs, sizes: tuple[int, ...], culled: bool) -> Table:
    """Return one of the paper's tables with ours beside it."""
    rows = []
    for cells in sizes:
        paper = PAPER.get((cells, culled), ("–/–", "–"))
        theirs = dict(zip(MODES, (*paper[0].split("/"), paper[1]), strict=True))
        adaptive = runs[cells, culled, "adaptive"].sweeps
        row = [f"{cells} × {cells}"]
        for mode in MODES:
            ours = runs[cells, culled, mode]
            row += [ours.range, theirs[mode], _ratio(ours.rate, theirs[mode])]
        rows.append((*row, f"{adaptive.min():.0f}-{adaptive.max():.0f}"))
    what = "only parts that can collide (table 2)" if culled else "all parts (table 1)"
    columns = ("cloth", *(name for mode in MODES for name in (f"{mode} sweeps", "paper", "ratio")))
    return Table(f"Steps a second, {what}", (*columns, "sweeps of adaptive"), tuple(rows))


def _ratio(ours: float, theirs: str) -> str:
    """Return ours over the middle of the paper's range."""
    if theirs == "–":
        return "–"
    return f"{ours / np.mean([float(part) for part in theirs.split('-')]):.3g} ×"


def _beside_default(bench: Bench, body: Body, frames: int, runs: Runs, sizes: tuple[int, ...]) -> Table:
    rows = []
    for k, cells in enumerate(sizes):
        bench.progress("falling cloth", 0.7 + 0.3 * k / len(sizes))
        garment = square_cloth(cells - 1, cells - 1, SIDE, SIDE)
        engine = by_default(garment, body, frames)
        methods = {f"verlet, limb_maps, {mode} sweeps": runs[cells, True, mode] for mode in MODES}
        for name, fallen in {**methods, "default engine": engine}.items():
            how = quality(garment, fallen.state.position, fallen.body)
            each = f"{1000 * fallen.cpu[1:].mean():.1f}"
            size = f"{cells} × {cells}"
            rows.append((size, name, f"{fallen.rate:.0f}", each, str(fallen.steps), str(how)))
    columns = ("cloth", "method", "steps / s", "CPU ms / step", "steps made", "stretch / depth")
    return Table("Beside the default engine", columns, tuple(rows))


def _pictures(bench: Bench, runs: Runs) -> tuple[Picture, ...]:
    found = []
    for mode in ("40", "adaptive"):
        cells = min(size for size, _, _ in runs)
        garment, fallen = square_cloth(cells - 1, cells - 1, SIDE, SIDE), runs[cells, True, mode]
        meshes = worn_meshes(garment, fallen.state.position, fallen.body)
        words = f"{cells} × {cells}, {mode} sweeps, after {len(fallen.cpu) * DT:.2f} s"
        found.append(draw(bench, f"falling_{mode}", words, meshes, ("three_quarter", "back")))
    return tuple(found)


def quality_of(cells: int, fallen: Fallen) -> Quality:
    """Return what became of the sheet in its last frame."""
    return quality(square_cloth(cells - 1, cells - 1, SIDE, SIDE), fallen.state.position, fallen.body)


def _claims(runs: Runs, sizes: tuple[int, ...]) -> tuple[Claim, ...]:
    """Judge by CPU time, which other programs disturb least; our own goal by the clock."""
    cpu = {key: float(fallen.cpu[1:].mean()) for key, fallen in runs.items()}
    saved = [cpu[c, False, m] / cpu[c, True, m] for c in sizes for m in MODES]
    stop = [cpu[c, k, "40"] / cpu[c, k, "adaptive"] for c in sizes for k in (False, True)]
    claims = [
        Claim(
            "culling by oriented boxes saves time",
            float(np.mean(saved)) > 1.0,
            f"{np.mean(saved):.2f} times as fast on average, {min(saved):.2f} to {max(saved):.2f}",
        ),
        Claim(
            "the adaptive stop saves time against 40 sweeps",
            float(np.mean(stop)) > 1.0,
            f"{np.mean(stop):.2f} times as fast on average, {min(stop):.2f} to {max(stop):.2f}",
        ),
    ]
    for cells in sizes:
        deepest = quality_of(cells, runs[cells, True, "40"]).deepest
        claims.append(at_most(f"{cells} × {cells}, 40 sweeps: cloth lies on the walker", deepest, DEEP, "mm"))
    goal = runs.get((256, True, "20"))
    if goal is not None:
        words = f"our own goal: 256 × 256 with 20 sweeps at {GOAL:g} steps a second"
        each = f"{goal.rate:.0f} steps a second, {1000 * goal.cpu[1:].mean():.1f} ms of CPU time a step"
        claims.append(Claim(words, goal.rate >= GOAL, each))
    return tuple(claims)
