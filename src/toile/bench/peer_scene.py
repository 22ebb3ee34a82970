"""What the peers' runners share: the scene's file, the dummy's motion, the answer. Needs NumPy only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Arrays = dict[str, Any]
FLAT, START = "flat", "start"
"""which shape a peer took as unstretched: the flat pieces, or the cloth as it starts"""
LOOK_EVERY = 5
"""every so many frames the cloth is looked at, besides the last"""
ENOUGH = 120.0
"""a peer that computes this long [s] has shown how fast it is: the remaining frames are left out"""


def dummy_motion(when: float) -> tuple[float, float]:
    """Return the dummy's turn about y [rad] and shift along x [m] at a time [s]."""
    phase = 2 * np.pi * when / 1.5
    part = min(1.0, when)
    return float(np.radians(25.0) * np.sin(phase) * part), float(0.06 * np.sin(phase) * part)


def moved(points: Any, when: float) -> Any:
    """Return points that move with the dummy."""
    angle, shift = dummy_motion(when)
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = points.T
    # no matrix product: its threads would go on waiting on the cores that the cloth is to have
    return np.stack([c * x + s * z + shift, y, c * z - s * x], axis=1)


class Watch:
    """Runs a peer's frames one after the other: times each and keeps where the cloth is now and then."""

    def __init__(self, scene: Arrays) -> None:
        self.frame_count = int(scene["frames"])
        self.dt = float(scene["dt"])
        self.milliseconds: list[float] = []
        self.numbers: list[int] = []
        self.positions: list[Any] = []

    def film(self, frame: Callable[[int], None], look: Callable[[], Any], untimed: int = 0) -> None:
        """Compute all frames, numbered from 1; the first ``untimed`` ones may compile something."""
        for number in range(1, self.frame_count + 1):
            start = time.perf_counter()
            frame(number)
            if number > untimed:
                self.milliseconds.append(1e3 * (time.perf_counter() - start))
            last = number == self.frame_count or sum(self.milliseconds) > 1e3 * ENOUGH
            if number % LOOK_EVERY == 0 or last:
                self.numbers.append(number)
                self.positions.append(np.array(look(), np.float64))
            if last:
                break


def serve(run: Callable[[Arrays, Watch], tuple[str, str]]) -> None:
    """Read the scene named on the command line, run it and write the answer.

    run returns what was run, in words, and which shape was taken as unstretched.
    """
    with np.load(sys.argv[1], allow_pickle=False) as file:
        scene = {name: file[name] for name in file.files}
    watch = Watch(scene)
    note, rest = run(scene, watch)
    if watch.numbers[-1] < watch.frame_count:
        note += f", stopped after {watch.numbers[-1]} frames"
    np.savez(
        sys.argv[2],
        positions=np.array(watch.positions),
        numbers=np.array(watch.numbers),
        milliseconds=np.array(watch.milliseconds),
        note=np.array(note),
        rest=np.array(rest),
    )
