"""``toile bench peers``: the same cloth, ball and skirt in other simulators, as ratios within one run.

Each peer runs in a process of its own (bench/peer_*.py), reads the scene from a file and answers with one
line of JSON. Peers are never dependencies: those that are not installed are left out.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toile.bench.engine import run_trial
from toile.bench.scenes import (
    BALL_CENTRE,
    BALL_RADIUS,
    CLOTH,
    FRAME,
    Trial,
    ball_trial,
    dummy_mesh,
    skirt_cloth,
    skirt_trial,
)
from toile.cloth.xpbd import XpbdSettings
from toile.errors import ToileError
from toile.mesh.geometry import stretch_statistics
from toile.types import Floats

PEERS = {
    "blender": ("bpy", "peer_blender"),
    "newton": ("newton", "peer_newton"),
    "mujoco": ("mujoco", "peer_mujoco"),
}
"""name → the package that must be there, our module that runs it"""
BLOWN_UP = 1.0
"""mean stretch beyond which there is no cloth any more"""
TIME_LIMIT = 900
"""a peer that takes longer for one scene is stopped [s]"""


@dataclass(frozen=True, slots=True)
class Figure:
    """What one simulator did on one scene."""

    who: str
    scene: str
    milliseconds: float
    """median per frame of 1/60 s"""
    stretch_mean: float
    """of the last frame"""
    stretch_99: float
    deepest: float
    """of all vertices in the last frame [m]; 0: none inside"""
    note: str = ""


def installed() -> list[str]:
    """Return the peers that this Python could import."""
    return [name for name, (package, _) in PEERS.items() if importlib.util.find_spec(package) is not None]


def scene_arrays(trial: Trial, kind: str, frames: int) -> dict[str, np.ndarray]:
    """Return a scene as plain arrays: y up, metres, kg/m²."""
    arrays = {
        "kind": np.array(kind),
        "frames": np.array(frames),
        "dt": np.array(FRAME),
        "start": trial.start.position,
        "triangles": trial.garment.triangles,
        "mass": np.array(CLOTH.mass),
        "friction": np.array(CLOTH.friction),
        "bending": np.array(CLOTH.bend_warp),
    }
    if kind == "ball":
        return {**arrays, "centre": BALL_CENTRE, "radius": np.array(BALL_RADIUS)}
    vertices, triangles = dummy_mesh()
    _, _, rim = skirt_cloth(5000)
    return {**arrays, "body": vertices, "body_triangles": triangles, "pinned": rim}


def run_peer(name: str, trial: Trial, kind: str, frames: int) -> Figure:
    """Run a scene in a peer."""
    with tempfile.TemporaryDirectory() as folder:
        scene, answer = Path(folder) / "scene.npz", Path(folder) / "answer.npz"
        np.savez(scene, **scene_arrays(trial, kind, frames))  # type: ignore[arg-type]
        command = [sys.executable, "-m", f"toile.bench.{PEERS[name][1]}", str(scene), str(answer)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return Figure(name, trial.name, np.nan, np.nan, np.nan, np.nan, f"over {TIME_LIMIT} s")
        if done.returncode or not answer.exists():
            words = (done.stderr.strip().splitlines() or ["no answer"])[-1]
            return Figure(name, trial.name, np.nan, np.nan, np.nan, np.nan, words[:100])
        with np.load(answer, allow_pickle=False) as found:
            position, took = found["position"], found["milliseconds"]
            note = str(found["note"])
    return measured(name, trial, position, float(np.median(took)), frames, note)


def measured(who: str, trial: Trial, position: Floats, milliseconds: float, frames: int, note: str) -> Figure:
    """Return the figures of a last frame. How long it took to blow up is no time to compare with."""
    g = trial.garment
    found = stretch_statistics(position, g.triangles, g.uv, g.triangles_uv)
    if not found.mean < BLOWN_UP:
        return Figure(who, trial.name, np.nan, found.mean, found.percentile_99, np.nan, f"{note}: blew up")
    deepest = max(0.0, float(trial.depth(position, frames).max()))
    return Figure(who, trial.name, milliseconds, found.mean, found.percentile_99, deepest, note)


def compare(names: list[str], frames: int, cells: int, settings: XpbdSettings) -> Iterator[Figure]:
    """Yield our figures and each peer's, scene by scene."""
    for name in names:
        if name not in PEERS:
            raise ToileError(f"no peer '{name[:40]}': choose from {', '.join(PEERS)}")
    trials = [("ball", ball_trial(cells, settings)), ("skirt", skirt_trial(5000, settings))]
    for kind, trial in trials:
        row = run_trial(trial, frames, 0.0)
        yield Figure(
            "toile",
            trial.name,
            row.milliseconds,
            row.stretch_mean,
            row.stretch_99,
            row.deepest,
            "worst frame",
        )
        for name in names:
            yield run_peer(name, trial, kind, frames)


def line(figure: Figure, ours: Figure) -> str:
    """Return a row of the table with the ratio to our time."""
    ratio = figure.milliseconds / ours.milliseconds
    return (
        f"{figure.scene:<14}{figure.who:<10}{figure.milliseconds:>10.2f}{ratio:>9.1f}×"
        f"{figure.stretch_mean:>9.2%}/{figure.stretch_99:<8.2%}{1e3 * figure.deepest:>7.1f}  {figure.note}"
    )


HEAD = f"{'scene':<14}{'who':<10}{'ms':>10}{'ratio':>10}{'stretch mean/99 %':>18}{'mm in':>7}"


def to_json(figures: list[Figure]) -> str:
    """Return the figures for a file."""
    return json.dumps([{k: getattr(f, k) for k in Figure.__slots__} for f in figures], indent=1)
