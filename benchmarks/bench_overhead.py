"""What a walking frame costs outside the kernels: T-shirt and skirt on the walking woman.

Run: python benchmarks/bench_overhead.py --edge 1.75 --frames 40
Prints milliseconds by the wall clock: a whole frame; what of it is spent outside kernels (with the time that
the clocks take, and caches that the kernels have filled with their own); and what Python alone takes, with
kernels that answer at once with what they answered before, the best of some repetitions.
"""

from __future__ import annotations

import argparse
import inspect
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from toile import _kernels


class Tape:
    """Hears the kernels' answers, and gives them again."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.at, self.replays = 0, False
        self.inside = 0.0
        """time spent in kernels [s]"""

    def wrapped(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Return a kernel that is heard."""

        def call(*args: Any, **named: Any) -> Any:
            if self.replays:
                self.at += 1
                return self.answers[self.at - 1]
            start = time.perf_counter()
            answer = kernel(*args, **named)
            self.inside += time.perf_counter() - start
            self.answers.append(answer)
            return answer

        return call


TAPE = Tape()
for _name in [name for name in dir(_kernels) if not name.startswith("_")]:
    _kernel = getattr(_kernels, _name)
    if not inspect.isclass(_kernel):
        setattr(_kernels, _name, TAPE.wrapped(_kernel))
        continue
    for _method in [m for m, what in vars(_kernel).items() if callable(what) and not m.startswith("__")]:
        setattr(_kernel, _method, TAPE.wrapped(vars(_kernel)[_method]))

# only now: these keep the names that they import
from toile.bench.engine import dressed_outfit  # noqa: E402
from toile.motion.synthesis.gait import walk  # noqa: E402
from toile.sim.solvers.xpbd import XpbdSettings  # noqa: E402
from toile.sim.walk.animate import AnimateSettings, plan_walk  # noqa: E402
from toile.sim.walk.walker import Walker  # noqa: E402

REPETITIONS = 20


def frame_times(walker: Walker) -> tuple[float, float, float]:
    """Simulate a frame; return the time of it all, outside kernels, and of Python alone [s]."""
    # what a frame reads of the last one, for its repetitions
    kept = [(part, dict(vars(part))) for part in (walker, walker.collider)]
    TAPE.answers.clear()
    TAPE.inside, began = 0.0, time.perf_counter()
    walker.step()
    whole = time.perf_counter() - began
    outside, best = whole - TAPE.inside, np.inf
    TAPE.replays = True
    for _ in range(REPETITIONS):
        for part, before in kept:
            vars(part).update(before)
        TAPE.at, began = 0, time.perf_counter()
        walker.step()
        best = min(best, time.perf_counter() - began)
    TAPE.replays = False
    return whole, outside, best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edge", type=float, default=1.75, help="length of the cloth's edges [cm]")
    parser.add_argument("--frames", type=int, default=40, help="frames of 1/60 s, after a second of lead-in")
    chosen = parser.parse_args()
    dressed, _ = dressed_outfit(chosen.edge / 100, XpbdSettings())
    assert dressed.body is not None
    settings = AnimateSettings(seconds=chosen.frames / 60)
    walker = Walker(
        dressed.garment, dressed.body, plan_walk(dressed, dressed.body, walk(), settings=settings)
    )
    while walker.number < 0:
        walker.step()
    found = 1e3 * np.array([frame_times(walker) for _ in range(chosen.frames)])
    whole, outside, python = np.median(found, axis=0)
    count, calls = dressed.garment.particle_count, len(TAPE.answers)
    print(
        f"{count} vertices: frame {whole:.2f} ms, outside kernels {outside:.2f}, Python alone {python:.3f} ms"
    )
    print(f"kernel calls in the last frame: {calls}")


if __name__ == "__main__":
    main()
