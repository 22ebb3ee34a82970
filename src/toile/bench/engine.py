"""``toile bench engine``: milliseconds per frame of the default engine, with stretch and audit beside it."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from toile import _kernels
from toile.audit.check import STILL, Auditor
from toile.bench.scenes import FRAME, BenchScene, ball_trial, hanging_trial, skirt_trial, tube_trial
from toile.body.model.make import named_body
from toile.core.records import Edge, Floats, Garment, Panel, Pattern, Recording, Scene, State
from toile.garment.build import build
from toile.garment.shapes import flat_position, square_cloth
from toile.geometry.triangles import stretch_statistics
from toile.motion.synthesis.gait import walk
from toile.pattern.drafts.library import draft
from toile.sim.colliders.base import no_contacts
from toile.sim.dress.dress import dress_garments
from toile.sim.method import make_method
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver
from toile.sim.walk.animate import simulate
from toile.sim.walk.walker import AnimateSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one scene took and how good it was."""

    scene: str
    vertices: int
    faces: int = 0
    """of the obstacle"""
    frames: int = 0
    milliseconds: float
    """median per frame of 1/60 s; for sewing: altogether"""
    alone: float = 0.0
    """the same on one thread [ms]; 0: not measured. Where that is no more, the second core was not there."""
    target: float = 0.0
    """[ms]; 0: none"""
    stretch_mean: float
    """of the worst frame that was looked at"""
    stretch_99: float
    settled_99: float
    """of the last frame"""
    inside: int = 0
    """vertices inside the obstacle, in the worst frame"""
    deepest: float = 0.0
    """[m]"""
    crossing: str = ""
    """triangle pairs with body / self / between layers in the worst frame, and how many frames were clean"""
    moving: float = 0.0
    """share of vertices that move more than 0.3 mm in the last frame"""


@contextlib.contextmanager
def _threads(count: int) -> Iterator[None]:
    _kernels.set_thread_count(count)
    try:
        yield
    finally:
        _kernels.set_thread_count(0)


TIMED = 5
"""runs of a scene for the clock alone"""


def frame_time(trial: BenchScene, frames: int, runs: int = TIMED) -> float:
    """Return the seconds that the middle frame of the middle one of some runs takes.

    Every run gives the same bits, so nothing is looked at here: meanwhile the second core would go idle
    and the caches fill with other things.
    """
    middle = []
    for _ in range(runs):
        state, took = trial.start, []
        for number in range(1, frames + 1):
            start = time.perf_counter()
            state = trial.frame(state, number)
            took.append(time.perf_counter() - start)
        middle.append(float(np.median(took)))
    return float(np.median(middle))


def run_trial(trial: BenchScene, frames: int, target: float, timed: int = TIMED) -> Row:
    """Time a scene in some runs, then advance it once more and measure it."""
    milliseconds = alone = 0.0
    if timed:
        milliseconds = 1e3 * frame_time(trial, frames, timed)
        with _threads(1):
            alone = 1e3 * frame_time(trial, frames, 1)
    state, before = trial.start, trial.start
    worst, deepest, inside = (0.0, 0.0), 0.0, 0
    for number in range(1, frames + 1):
        before, state = state, trial.frame(state, number)
        depth = trial.depth(state.position, number)
        deepest, inside = max(deepest, float(depth.max())), max(inside, int((depth > 0).sum()))
        worst = max(worst, _stretch(trial.garment, state.position), key=lambda pair: pair[1])
    return Row(
        scene=trial.name,
        vertices=trial.garment.particle_count,
        faces=trial.face_count,
        frames=frames,
        milliseconds=milliseconds,
        alone=alone,
        target=target,
        stretch_mean=worst[0],
        stretch_99=worst[1],
        settled_99=_stretch(trial.garment, state.position)[1],
        inside=inside,
        deepest=max(deepest, 0.0),
        moving=_moving(before.position, state.position),
    )


def _stretch(garment: Garment, position: Floats) -> tuple[float, float]:
    found = stretch_statistics(position, garment.triangles, garment.uv, garment.triangles_uv)
    return found.mean, found.percentile_99


def _moving(before: Floats, after: Floats) -> float:
    return float((np.linalg.norm(after - before, axis=1) > STILL).mean())


def dressed_outfit(edge_length: float, settings: XpbdSettings) -> tuple[Recording, float]:
    """Return T-shirt and skirt on the woman, and the seconds that placing, sewing and draping took."""
    body = named_body("woman")
    garments = [build(draft(name, body.measurements), "cotton", edge_length) for name in ("skirt", "tshirt")]
    start = time.perf_counter()
    dressed = dress_garments(garments, body, method=make_method(engine=settings))
    return dressed, time.perf_counter() - start


def outfit_rows(edge_length: float, frames: int, target: float, settings: XpbdSettings) -> Iterator[Row]:
    """Measure sewing and walking in T-shirt and skirt; every frame goes through the exact audit."""
    dressed, sewing = dressed_outfit(edge_length, settings)
    garment, body = dressed.garment, dressed.body
    assert body is not None
    mean, most = _stretch(garment, dressed.positions[-1])
    count = garment.particle_count
    yield Row(
        scene=f"sew and drape {count}", vertices=count, milliseconds=1e3 * sewing, stretch_mean=mean,
        stretch_99=most, settled_99=most, target=1500.0 if count < 7000 else 0.0,
    )  # fmt: skip
    auditor, took, clean = Auditor(garment, body), [], 0
    worst, deepest, inside, pairs = (0.0, 0.0), 0.0, 0, (0, 0, 0)
    before = after = dressed.positions[-1]
    walking = simulate(
        dressed, body, walk(), settings=AnimateSettings(seconds=frames * FRAME, fps=60.0),
        method=make_method(engine=settings),
    )  # fmt: skip
    for _ in range(frames):
        start = time.perf_counter()
        step = next(walking)
        took.append(time.perf_counter() - start)
        before, after = after, step.state.position
        found = auditor.audit(after, step.body.vertices)
        crossing = (found.body_pairs, found.self_pairs, found.layer_pairs)
        clean += not (sum(crossing) or found.inside_count)
        pairs = max(pairs, crossing, key=sum)
        inside, deepest = max(inside, found.inside_count), max(deepest, found.deepest)
        worst = max(worst, (found.stretch.mean, found.stretch.percentile_99), key=lambda pair: pair[1])
    yield Row(
        scene=f"walking outfit {count}",
        vertices=count,
        faces=len(body.triangles),
        frames=frames,
        milliseconds=1e3 * float(np.median(took[1:] or took)),  # the first holds the lead-in
        target=target,
        stretch_mean=worst[0],
        stretch_99=worst[1],
        settled_99=_stretch(garment, after)[1],
        inside=inside,
        deepest=deepest,
        crossing="/".join(map(str, pairs)) + f", {clean / frames:.0%} clean",
        moving=_moving(before, after),
    )


def projection_time(cells: int = 100) -> tuple[int, float]:
    """Return how many scalar constraints a sweep has on an irregular mesh, and nanoseconds for each.

    A triangle has three (weft, warp, shear), a bending stencil three (x, y, z of its curvature).
    """
    garment = irregular_cloth(cells)
    solver = XpbdSolver(
        garment, XpbdSettings(levels=0, self_collision=False, contact_queries=1, substep=FRAME / 20)
    )
    scene = Scene(None, no_contacts, np.array([0.0, 0.0, -9.81]), np.zeros(3))
    x = flat_position(garment)
    state, took = State(x, np.zeros_like(x)), []
    for _ in range(30):
        start = time.perf_counter()
        state = solver.step(state, scene, FRAME)
        took.append(time.perf_counter() - start)
    stencils = solver.constraint_count - 3 * len(garment.triangles)
    count = 3 * (len(garment.triangles) + stencils)
    return count, float(np.median(took)) / 20 / count * 1e9


def irregular_cloth(cells: int) -> Garment:
    """Return a square metre meshed as panels are: triangles of no particular order."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    panel = Panel("square", corners, tuple(Edge(i, (i + 1) % 4) for i in range(4)))
    return build(Pattern("square", (panel,)), "cotton", 1.0 / cells)


@dataclass(frozen=True, slots=True)
class Memory:
    """What the engine holds of one cloth between two frames, beside the mesh, self-collision included."""

    cloth: str
    vertices: int
    resident: float
    """by how much the process has grown [bytes a vertex]"""
    parts: dict[str, float]
    """by the kernel's own account [bytes a vertex]"""

    def lines(self) -> list[str]:
        """Return what is printed of it."""
        parts = ", ".join(f"{name} {size:.0f}" for name, size in self.parts.items() if size >= 0.5)
        return [
            f"memory, {self.cloth} of {self.vertices} vertices: {self.resident:.0f} bytes a vertex "
            "beside the mesh (target 300)",
            f"  {parts}",
        ]


def memory_use(cells: int = 128) -> list[Memory]:
    """Measure a rectangle and an irregular mesh, as large as that many cells square."""
    cloths = (("a square", square_cloth(cells, cells)), ("a panel", irregular_cloth(cells)))
    return [_memory(name, garment) for name, garment in cloths]


def _memory(name: str, garment: Garment) -> Memory:
    stepped(garment)  # what is loaded once and kept for the next cloth is not this one's
    before, count = _resident(), garment.particle_count
    solver = stepped(garment)
    after = _resident()
    parts = {part: size / count for part, size in solver.memory.items()}
    return Memory(name, count, (after - before) / count, parts)


def stepped(garment: Garment) -> XpbdSolver:
    """Return an engine that has made a frame of free fall."""
    x = flat_position(garment)
    solver = XpbdSolver(garment, XpbdSettings())
    solver.step(
        State(x, np.zeros_like(x)), Scene(None, no_contacts, np.array([0.0, 0.0, -9.81]), np.zeros(3)), FRAME
    )
    return solver


def _resident() -> int:
    """Return the memory in use [bytes], after what is free has been given back as far as that goes."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # not everybody has glibc
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass(frozen=True, slots=True)
class Target:
    """What a scene is meant to keep."""

    milliseconds: float
    """per frame of 1/60 s"""
    stretch_99: float
    """in the worst frame"""
    quick: bool = True
    """the scene is small enough for a quick look"""


TRIALS: dict[str, tuple[Callable[[XpbdSettings], BenchScene], Target]] = {
    "ball64": (lambda s: ball_trial(64, s), Target(1.0, 0.03)),
    "ball128": (lambda s: ball_trial(128, s), Target(3.5, 0.03)),
    "ball256": (lambda s: ball_trial(256, s), Target(16.0, 0.03, quick=False)),
    "hanging": (lambda s: hanging_trial(128, s), Target(4.0, 0.01)),
    "tube": (lambda s: tube_trial(30_000, s), Target(8.0, 0.05)),
    "skirt": (lambda s: skirt_trial(5000, s), Target(4.0, 0.05)),
    "skirt_self": (lambda s: skirt_trial(5000, s, self_collision=True), Target(8.0, 0.05)),
}
OUTFITS: dict[str, tuple[float, Target]] = {
    "walk5k": (0.0175, Target(10.0, 0.03)),
    "walk12k": (0.0113, Target(25.0, 0.03, quick=False)),
    "walk33k": (0.0068, Target(80.0, 0.03, quick=False)),
}
"""walking in T-shirt and skirt: length of an edge [m]"""
Report = Callable[[Row], None]


def run_engine(settings: XpbdSettings, report: Report, *, quick: bool = False) -> list[Row]:
    """Run all scenes; report each row as soon as it is there."""
    frames = 30 if quick else 120
    rows: list[Row] = []

    def add(row: Row) -> None:
        rows.append(row)
        report(row)

    for make, target in TRIALS.values():
        if target.quick or not quick:
            add(run_trial(make(settings), frames, target.milliseconds))
    for edge_length, target in OUTFITS.values():
        if target.quick or not quick:
            for row in outfit_rows(edge_length, frames, target.milliseconds, settings):
                add(row)
    return rows


HEAD = (
    f"{'scene':<24}{'vertices':>9}{'ms':>9}{'1 thread':>10}{'target':>8}"
    f"{'stretch mean/99 %':>19}{'settled':>9}{'inside':>8}{'mm':>6}{'moving':>8}  pairs body/self/layers"
)


def line(row: Row) -> str:
    """Return a row of the table."""
    target = f"{row.target:.1f}" if row.target else "-"
    alone = f"{row.alone:.2f}" if row.alone else "-"
    stretch = f"{row.stretch_mean:.2%}/{row.stretch_99:.2%}"
    return (
        f"{row.scene:<24}{row.vertices:>9}{row.milliseconds:>9.2f}{alone:>10}{target:>8}"
        f"{stretch:>19}{row.settled_99:>9.2%}"
        f"{row.inside:>8}{1e3 * row.deepest:>6.1f}{row.moving:>8.1%}  {row.crossing or '-'}"
    )


def as_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return the rows for a file."""
    return [asdict(row) for row in rows]
