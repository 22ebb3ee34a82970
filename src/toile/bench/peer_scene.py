"""What the peers' runners share: the scene's file, the dummy's motion, the answer."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Arrays = dict[str, Any]


def dummy_motion(when: float) -> tuple[float, float]:
    """Return the dummy's turn about y [rad] and shift along x [m] at a time [s]."""
    phase = 2 * np.pi * when / 1.5
    part = min(1.0, when)
    return float(np.radians(25.0) * np.sin(phase) * part), float(0.06 * np.sin(phase) * part)


def moved(points: Any, when: float) -> Any:
    """Return points that move with the dummy."""
    angle, shift = dummy_motion(when)
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]).T + np.array([shift, 0.0, 0.0])


def serve(run: Callable[[Arrays, Callable[[Callable[[], None]], None]], tuple[Any, str]]) -> None:
    """Read the scene named on the command line, run it and write the answer; run times its frames itself."""
    with np.load(sys.argv[1], allow_pickle=False) as file:
        scene = {name: file[name] for name in file.files}
    took: list[float] = []

    def timed(frame: Callable[[], None]) -> None:
        start = time.perf_counter()
        frame()
        took.append(1e3 * (time.perf_counter() - start))

    position, note = run(scene, timed)
    np.savez(
        sys.argv[2],
        position=np.asarray(position, np.float64),
        milliseconds=np.array(took),
        note=np.array(note),
    )
