"""A square of cloth falls on a walking woman: Rodríguez-Navarro et al. 2005, tables 1 and 2, figure 3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.bench.papers.records import Bench, Claim, Picture, Section, Table, clock
from toile.bench.papers.scene import draw, quality, worn_meshes
from toile.body import named_body
from toile.body.skin import pose_body, rest_pose
from toile.cloth import make_solver
from toile.cloth.solver import Solver
from toile.collision.contacts import Collider, make_collider
from toile.collision.surface import SurfaceCollider
from toile.garment.shapes import flat_position, square_cloth
from toile.motion import lead_in, read_motion, retarget
from toile.run.advance import advance_frame
from toile.types import Body, Floats, Garment, PosedBody, State

DT = 0.01
"""time step of the paper [s]"""
SIDE = 1.4
"""of the cloth [m]"""
BUDGET = 25.0
"""CPU time that one cell of the table may take [s]"""
PAPER: dict[tuple[int, bool], tuple[str, str]] = {
    (64, False): ("105/86", "88-124"),
    (128, False): ("63/43", "44-90"),
    (256, False): ("22/14", "14-42"),
    (64, True): ("90-144/77-108", "107-200"),
    (128, True): ("54-77/41-50", "40-133"),
    (256, True): ("20-24/14-15", "14-55"),
}
"""(cells, only parts that can collide) → frames a second with 20/40 iterations, and adaptive"""
MODES = {"20": {"iterations": 20, "threshold": 0.0}, "40": {"iterations": 40, "threshold": 0.0},
         "adaptive": {"iterations": 40, "threshold": 2e-4}}  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Fallen:
    """Cloth on the walker."""

    seconds: Floats
    """cloth and contacts per frame, without the pose [s], (f,)"""
    sweeps: Floats
    """relaxation sweeps per frame, (f,)"""
    state: State
    body: PosedBody


def fall(garment: Garment, solver: Solver, collider: Collider, body: Body, frames: int) -> Fallen:
    """Return the cloth after some frames; stops early when the budget is used up."""
    flat = flat_position(garment)
    flat = flat - flat.mean(axis=0)
    top = body.vertices[:, 1].max()
    start = np.stack([flat[:, 0], np.full(len(flat), top + 0.005), -flat[:, 1]], axis=1)
    track, before = retarget(read_motion("walk"), body, fps=1 / DT), rest_pose(body)
    state, seconds, sweeps = State(start, np.zeros_like(start)), [], []
    for frame in range(1, frames + 1):
        after = pose_body(body, lead_in(body, track, frame * DT, 0.3), before, DT)
        began = clock()
        state = advance_frame(solver, collider, state, before, after, DT)
        seconds.append(clock() - began)
        sweeps.append(getattr(solver, "sweeps", 0))
        before = after
        if sum(seconds) > BUDGET and frame >= 3:
            break
    return Fallen(np.array(seconds), np.array(sweeps, dtype=np.float64), state, before)


def rate(fallen: Fallen) -> str:
    """Return the smallest and largest number of frames a second; the first frame warms up."""
    rates = 1 / fallen.seconds[1:]
    return f"{rates.min():.0f}-{rates.max():.0f}"


def falling(bench: Bench) -> Section:
    """Repeat tables 1 and 2."""
    body = named_body("woman")
    sizes = (64, 128, 256) if not bench.quick else (16, 24)
    frames = bench.size(60, 6)
    tables, mean, last = [], dict[tuple[int, bool, str], float](), dict[int, Fallen]()
    done = 0
    for culled in (False, True):
        rows = []
        for cells in sizes:
            garment, cell = square_cloth(cells - 1, cells - 1, SIDE, SIDE), []
            for mode, settings in MODES.items():
                bench.progress("falling cloth", done / (2 * len(sizes) * len(MODES)))
                collider = make_collider("limb_maps", body, colliding=culled)
                fallen = fall(garment, make_solver("verlet", garment, **settings), collider, body, frames)
                mean[cells, culled, mode] = float(fallen.seconds[1:].mean())
                cell.append(fallen)
                done += 1
            last[cells] = cell[1]
            paper = PAPER.get((cells, culled), ("–", "–"))
            rows.append(
                (
                    f"{cells} × {cells}",
                    f"{rate(cell[0])} / {rate(cell[1])}",
                    paper[0],
                    rate(cell[2]),
                    paper[1],
                    f"{cell[2].sweeps.min():.0f}-{cell[2].sweeps.max():.0f}",
                    f"{1 / mean[cells, culled, '20']:.0f} / {1 / mean[cells, culled, '40']:.0f} / "
                    f"{1 / mean[cells, culled, 'adaptive']:.0f}",
                )
            )
        what = "only parts that can collide (table 2)" if culled else "all parts (table 1)"
        tables.append(
            Table(
                f"Frames a second, {what}",
                (
                    "cloth",
                    "20 / 40 sweeps",
                    "paper",
                    "adaptive",
                    "paper",
                    "sweeps of adaptive",
                    "mean 20 / 40 / adaptive",
                ),
                tuple(rows),
            )
        )
    tables.append(_default(bench, body, sizes[0], frames, last[sizes[0]]))
    return Section(
        title="Cloth falling on a walking woman",
        source="Rodríguez-Navarro, Sainz & Susín 2005, tables 1 and 2, figure 3",
        text=f"A square of {SIDE:g} m is let go above the head of the walking body; {frames} steps of "
        f"{DT:g} s "
        f"(fewer where {BUDGET:g} s are used up), solver `verlet`, collider `limb_maps`. A frame is "
        f"cloth, new "
        "maps and contacts, not the pose and no drawing. Adaptive stops when nothing moves by more "
        "than 0.2 mm in a "
        "sweep. The paper: Pentium IV 3 GHz, GeForce 6800 GT, drawing included.",
        tables=tuple(tables),
        pictures=_pictures(bench, last),
        claims=_claims(mean, sizes, bench.quick),
    )


def _default(bench: Bench, body: Body, cells: int, frames: int, ours: Fallen) -> Table:
    garment = square_cloth(cells - 1, cells - 1, SIDE, SIDE)
    engine = fall(garment, make_solver("xpbd", garment), SurfaceCollider(body), body, frames)
    return Table(
        f"The default engine on {cells} × {cells}",
        ("method", "frames / s", "stretch / depth"),
        (
            (
                "verlet, limb_maps, 40 sweeps",
                rate(ours),
                str(quality(garment, ours.state.position, ours.body)),
            ),
            ("default engine", rate(engine), str(quality(garment, engine.state.position, engine.body))),
        ),
    )


def _pictures(bench: Bench, last: dict[int, Fallen]) -> tuple[Picture, ...]:
    cells = min(last)
    garment, fallen = square_cloth(cells - 1, cells - 1, SIDE, SIDE), last[cells]
    meshes = worn_meshes(garment, fallen.state.position, fallen.body)
    words = f"{cells} × {cells} after {len(fallen.seconds) * DT:.2f} s"
    return (draw(bench, "falling", words, meshes, ("three_quarter", "back")),)


def _claims(
    mean: dict[tuple[int, bool, str], float], sizes: tuple[int, ...], quick: bool
) -> tuple[Claim, ...]:
    saved = [mean[c, False, m] / mean[c, True, m] for c in sizes for m in MODES]
    stop = [mean[c, k, "40"] / mean[c, k, "adaptive"] for c in sizes for k in (False, True)]
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
    if not quick:
        reached = 1 / mean[256, True, "20"]
        claims.append(
            Claim("our own goal: 256² with 20 sweeps at 100 steps a second", reached >= 100, f"{reached:.1f}")
        )
    return tuple(claims)
