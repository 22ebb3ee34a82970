"""``toile bench peers``: the same cloth, ball and skirt in other simulators, as ratios within one run.

Each peer runs in a process of its own (bench/peer_*.py), reads the scene from a file and answers with where
its cloth was and how long each frame took; all are measured by the same code. Peers are never dependencies:
those that are not installed are left out. They may live in another Python, which needs NumPy but not Toile.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from toile.bench.peer_scene import FLAT, Watch
from toile.bench.scenes import (
    BALL_CENTRE,
    BALL_RADIUS,
    CLOTH,
    FRAME,
    BenchScene,
    ball_trial,
    dummy_mesh,
    skirt_cloth,
    skirt_trial,
)
from toile.core.errors import ToileError
from toile.core.records import Floats
from toile.geometry.triangles import StretchStatistics, stretch_statistics, triangle_areas
from toile.sim.solvers.xpbd import XpbdSettings


@dataclass(frozen=True, slots=True)
class Peer:
    """Another simulator."""

    package: str
    """that must be importable"""
    runner: str
    """our module that runs it"""
    variant: str = ""
    """one of several solvers of the package"""
    usual: bool = True
    """runs unless others are named; False: takes many minutes"""


PEERS = {
    "blender": Peer("bpy", "peer_blender"),
    "newton": Peer("newton", "peer_newton", "xpbd"),
    "newton-style3d": Peer("newton", "peer_newton", "style3d"),
    "newton-vbd": Peer("newton", "peer_newton", "vbd", usual=False),
    "mujoco": Peer("mujoco", "peer_mujoco"),
    "taichi": Peer("taichi", "peer_taichi"),
}
BLOWN_UP = 1.0
"""mean stretch beyond which there is no cloth any more"""
TIME_LIMIT = 900
"""a peer that takes longer for one scene is stopped [s]"""


@dataclass(frozen=True, slots=True)
class Figure:
    """What one simulator did on one scene."""

    who: str
    scene: str
    milliseconds: float = np.nan
    """median per frame of 1/60 s"""
    stretch_mean: float = np.nan
    """of the worst frame that was looked at"""
    stretch_99: float = np.nan
    settled_99: float = np.nan
    """of the last frame"""
    deepest: float = np.nan
    """of all vertices in the worst frame [m]; 0: none inside"""
    height: float = np.nan
    """mean height of the cloth in the last frame [m]: has it come down the same way?"""
    width: float = np.nan
    """mean distance from the middle, seen from above [m]"""
    note: str = ""


# the peers' Python need not have Toile: a package without contents leads to the runners
BOOT = """import runpy, sys, types
for name, folder in (("toile", sys.argv[1]), ("toile.bench", sys.argv[1] + "/bench")):
    sys.modules[name] = made = types.ModuleType(name)
    made.__path__ = [folder]
runner = sys.argv[2]
sys.argv = [runner, *sys.argv[3:]]
runpy.run_module("toile.bench." + runner, run_name="__main__")"""


def finds(python: str, package: str) -> bool:
    """Return whether a Python has a package."""
    asks = f"import importlib.util as u, sys; sys.exit(u.find_spec({package!r}) is None)"
    try:
        done = subprocess.run([python, "-c", asks], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToileError(f"--python {python}: cannot be started: name a python program") from error
    return done.returncode == 0


def installed(pythons: Sequence[str] = (sys.executable,)) -> dict[str, str]:
    """Return the peers that one of these Pythons has, and which one."""
    packages = {peer.package for peer in PEERS.values()}
    place = {package: next((p for p in pythons if finds(p, package)), "") for package in packages}
    return {name: place[peer.package] for name, peer in PEERS.items() if place[peer.package]}


def scene_arrays(trial: BenchScene, kind: str, frames: int, variant: str = "") -> dict[str, np.ndarray]:
    """Return a scene as plain arrays: y up, metres, kg/m²."""
    garment = trial.garment
    arrays = {
        "kind": np.array(kind),
        "variant": np.array(variant),
        "frames": np.array(frames),
        "dt": np.array(FRAME),
        "start": trial.start.position,
        "triangles": garment.triangles,
        "uv": garment.uv,
        "triangles_uv": garment.triangles_uv,
        "area": np.array(triangle_areas(garment.uv, garment.triangles_uv).sum()),
        "mass": np.array(CLOTH.mass),
        "friction": np.array(CLOTH.friction),
        "bending": np.array(0.5 * (CLOTH.bend_warp + CLOTH.bend_weft)),
        "stiffness": np.array(0.5 * (CLOTH.stretch_weft + CLOTH.stretch_warp)),
        "shear": np.array(CLOTH.shear),
    }
    if kind == "ball":
        return {**arrays, "centre": BALL_CENTRE, "radius": np.array(BALL_RADIUS)}
    vertices, triangles = dummy_mesh()
    _, _, rim = skirt_cloth(5000)
    return {**arrays, "body": vertices, "body_triangles": triangles, "pinned": rim}


def run_peer(name: str, trial: BenchScene, kind: str, frames: int, python: str = sys.executable) -> Figure:
    """Run a scene in a peer."""
    peer, nothing = PEERS[name], Figure(name, trial.name)
    with tempfile.TemporaryDirectory() as folder:
        scene, answer = Path(folder) / "scene.npz", Path(folder) / "answer.npz"
        np.savez(scene, **scene_arrays(trial, kind, frames, peer.variant))  # type: ignore[arg-type]
        here = str(Path(__file__).resolve().parents[1])
        command = [python, "-c", BOOT, here, peer.runner, str(scene), str(answer)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return replace(nothing, note=f"over {TIME_LIMIT} s")
        if done.returncode or not answer.exists():
            words = (done.stderr.strip().splitlines() or ["no answer"])[-1]
            return replace(nothing, note=words[:100])
        with np.load(answer, allow_pickle=False) as found:
            seen = dict(zip(found["numbers"].tolist(), found["positions"], strict=True))
            took, note, flat = found["milliseconds"], str(found["note"]), str(found["rest"]) == FLAT
    return measured(name, trial, seen, float(np.median(took)), note, flat=flat)


def measured(
    who: str, trial: BenchScene, seen: dict[int, Floats], milliseconds: float, note: str, *, flat: bool
) -> Figure:
    """Return the figures of what was seen, by frame. How long it took to blow up is no time to compare with.

    flat: stretch is measured against the flat pieces, else against the cloth as it started.
    """
    stretch = [_stretch(trial, position, flat=flat) for _, position in sorted(seen.items())]
    worst, last = max(stretch, key=lambda s: s.percentile_99), seen[max(seen)]
    figure = Figure(who, trial.name, np.nan, worst.mean, worst.percentile_99, stretch[-1].percentile_99)
    if not worst.mean < BLOWN_UP:
        return replace(figure, note=f"{note}: blew up")
    height, width = settled_shape(trial, last)
    return replace(
        figure,
        milliseconds=milliseconds,
        deepest=max(0.0, *(float(trial.depth(x, number).max()) for number, x in seen.items())),
        height=height,
        width=width,
        note=note,
    )


def _stretch(trial: BenchScene, position: Floats, *, flat: bool) -> StretchStatistics:
    g = trial.garment
    if not np.isfinite(position).all():
        return StretchStatistics(np.inf, np.inf, np.inf)
    if flat:
        return stretch_statistics(position, g.triangles, g.uv, g.triangles_uv)
    return stretch_statistics(position, g.triangles, trial.start.position, g.triangles)


def settled_shape(trial: BenchScene, position: Floats) -> tuple[float, float]:
    """Return the mean height of the cloth and its mean distance from the middle, seen from above [m]."""
    middle = trial.start.position[:, [0, 2]].mean(axis=0)
    return float(position[:, 1].mean()), float(np.linalg.norm(position[:, [0, 2]] - middle, axis=1).mean())


OURS_AGAIN = 5
"""our run is over in a blink, in which the machine may be busy: the median of so many of them counts"""


def _filmed(trial: BenchScene, frames: int) -> Watch:
    watch, state = Watch({"frames": frames, "dt": FRAME}), trial.start

    def frame(number: int) -> None:
        nonlocal state
        state = trial.frame(state, number)

    watch.film(frame, lambda: state.position)
    return watch


def ours(trial: BenchScene, frames: int) -> Figure:
    """Return our figures: frames run one after the other and are looked at now and then, as the peers'."""
    films = [_filmed(trial, frames) for _ in range(OURS_AGAIN)]
    milliseconds = float(np.median([np.median(film.milliseconds) for film in films]))
    seen = dict(zip(films[-1].numbers, films[-1].positions, strict=True))
    return measured("toile", trial, seen, milliseconds, f"quality normal, {OURS_AGAIN} runs", flat=True)


CONVERGED = XpbdSettings(levels=0, substep=FRAME / 512, precision="double")
"""neither coarse limits nor evening: the fabric's forces alone, in steps so short that they are met"""


def converged(trial: BenchScene, frames: int) -> Figure:
    """Return what the fabric itself does, which no simulator of it should better."""
    film = _filmed(trial, frames)
    seen = dict(zip(film.numbers, film.positions, strict=True))
    time = float(np.median(film.milliseconds))
    return measured("converged", trial, seen, time, "our fabric in 512 substeps", flat=True)


def compare(
    places: dict[str, str], frames: int, cells: int, settings: XpbdSettings, *, truth: bool = False
) -> Iterator[Figure]:
    """Yield our figures and each peer's, scene by scene; places: peer → its Python; truth: converged too."""
    scenes: list[tuple[str, Callable[[XpbdSettings], BenchScene]]] = [
        ("ball", lambda s: ball_trial(cells, s)),
        ("skirt", lambda s: skirt_trial(5000, s)),
    ]
    for kind, make in scenes:
        trial = make(settings)
        yield ours(trial, frames)
        if truth:
            yield converged(make(CONVERGED), frames)
        for name, python in places.items():
            yield run_peer(name, trial, kind, frames, python)


def line(figure: Figure, own: Figure) -> str:
    """Return a row of the table with the ratio to our time."""
    ratio = figure.milliseconds / own.milliseconds
    return (
        f"{figure.scene:<12}{figure.who:<15}{figure.milliseconds:>9.2f}{ratio:>8.1f}×"
        f"{figure.stretch_mean:>10.2%}/{figure.stretch_99:<7.2%}{figure.settled_99:>8.2%}"
        f"{1e3 * figure.deepest:>7.1f}{100 * figure.height:>8.1f}/{100 * figure.width:<6.1f}{figure.note}"
    )


HEAD = (
    f"{'scene':<12}{'who':<15}{'ms':>9}{'ratio':>9}{'stretch mean/99 %':>18}{'settled':>8}{'mm in':>7}"
    f"{'height/width cm':>15}"
)


def to_json(figures: list[Figure]) -> str:
    """Return the figures for a file."""
    return json.dumps([{k: getattr(f, k) for k in Figure.__slots__} for f in figures], indent=1)
