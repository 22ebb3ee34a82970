"""``toile bench engine --scaling``: what the engine costs against vertices of cloth and faces of the body."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toile.bench.scenes import BenchScene, ball_trial, dummy_body, skirt_trial
from toile.core.errors import ToileError
from toile.sim.solvers.xpbd import XpbdSettings

CELLS = (32, 48, 64, 96, 128, 192, 256)
"""vertices a side of the cloth on the ball"""
DUMMIES = ((18, 26), (36, 51), (72, 102), (144, 204))
"""columns and rows of the dummy: four times the faces each"""
SKIRT = 5000
"""vertices of the skirt on the dummy"""
START, FRAMES = 10, 40
"""frames before the first that is timed, frames in all: cloth is on the ball by then"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a frame takes at one size."""

    size: int
    """vertices, or faces"""
    milliseconds: float
    """of CPU, all threads together: other programs on the machine do not count"""


@dataclass(frozen=True, slots=True)
class Curve:
    """The cost against a size."""

    name: str
    what: str
    costs: tuple[Cost, ...]

    @property
    def exponent(self) -> float:
        """Return p of the fit milliseconds ~ size^p: 1 is linear, 0 flat."""
        size, cost = (np.log([getattr(c, k) for c in self.costs]) for k in ("size", "milliseconds"))
        return float(np.polyfit(size, cost, 1)[0])

    def lines(self) -> list[str]:
        """Return the figures as text."""
        rows = [
            f"{self.what:<14}{cost.size:>9}{cost.milliseconds:>9.2f} ms of CPU"
            f"{1e6 * cost.milliseconds / cost.size:>9.0f} ns each"
            for cost in self.costs
        ]
        return [*rows, f"{self.name}: cost grows with {self.what}^{self.exponent:.2f}"]


def frame_cost(trial: BenchScene, frames: int = FRAMES) -> float:
    """Return the median CPU time of a frame [ms]."""
    state, took = trial.start, []
    for number in range(1, frames + 1):
        begin = time.process_time()
        state = trial.frame(state, number)
        took.append(1e3 * (time.process_time() - begin))
    return float(np.median(took[min(START, frames - 1) :]))


def curves(
    settings: XpbdSettings,
    *,
    cells: Sequence[int] = CELLS,
    dummies: Sequence[tuple[int, int]] = DUMMIES,
    frames: int = FRAMES,
) -> list[Curve]:
    """Return the cost of cloth on the ball against vertices, and of a skirt against faces of the dummy."""
    cloth = [Cost(n * n, frame_cost(ball_trial(n, settings), frames)) for n in cells]
    bodies = []
    for columns, rows in dummies:
        trial = skirt_trial(SKIRT, settings, dummy=dummy_body(columns, rows))
        bodies.append(Cost(trial.face_count, frame_cost(trial, frames)))
    return [
        Curve("cloth on a ball", "vertices", tuple(cloth)),
        Curve(f"skirt of {SKIRT} vertices on the dummy", "faces", tuple(bodies)),
    ]


def plot(found: Sequence[Curve], kind: str = "png") -> bytes:
    """Return a picture of the curves with their fits; needs the extra ``bench``."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ToileError("a plot needs the extra: pip install 'toile[bench]'") from error
    figure = Figure(figsize=(9.6, 3.8), dpi=110)
    for index, curve in enumerate(found):
        axes = figure.add_subplot(1, len(found), index + 1)
        size, cost = (np.array([getattr(c, k) for c in curve.costs]) for k in ("size", "milliseconds"))
        middle = np.exp(np.log(cost).mean()), np.exp(np.log(size).mean())
        axes.loglog(size, cost, "o-", label="measured")
        fit = middle[0] * (size / middle[1]) ** curve.exponent
        axes.loglog(size, fit, "--", color="grey", label=f"{curve.what}^{curve.exponent:.2f}")
        axes.set(title=curve.name, xlabel=curve.what, ylabel="ms of CPU a frame of 1/60 s")
        axes.set_ylim(0.5 * cost.min(), max(2 * cost.max(), 20 * cost.min()))
        axes.grid(alpha=0.3, which="both")
        axes.legend()
    figure.tight_layout()
    file = io.BytesIO()
    figure.savefig(file, format=kind)
    return file.getvalue()
