"""How far cloth at rest is from the converged shape: a square metre of cotton that hangs.

Run: python benchmarks/bench_rest.py --cells 32 --quality normal fine --starts 4
The cloth swings down and comes to rest in each quality; then the fabric's forces alone go on from there, in
640 substeps a frame (10 for each vertex along a side, where that is more) and double precision, until it
rests again (160 are not enough: 64² vertices are some millimetres off with them). Prints how far that moves
vertices [mm]: cloth held by one edge, where it hangs straight, and by two corners, where the bias carries it,
held taut and 10 cm nearer to each other; and how fast it still was [mm/s]. Taut cloth needs its time: its
wrinkles creep on for some 20 s, by a centimetre. It has several shapes, and chance decides on one of them:
each start after the first has its vertices raised or lowered by some 0.1 mm.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import product

import numpy as np

from toile.bench.scenes import CALM, FALL, FRAME, lying
from toile.core.records import Floats, Ints, Scene, State
from toile.garment.shapes import square_cloth
from toile.sim.colliders.base import no_contacts
from toile.sim.solvers.xpbd import QUALITIES, XpbdSettings, XpbdSolver, mean_speed

CONVERGED = XpbdSettings(levels=0, precision="double", self_collision=False)
STILL_AIR = 2.0
"""drag that brings the cloth to rest [1/s]"""
DISTURBED = 1e-4
"""how far vertices of other starts are off [m]"""


def hung(cells: int, held: Ints, settings: XpbdSettings, start: Floats, seconds: float) -> State:
    """Return how cloth comes to rest that is held by some vertices."""
    solver = XpbdSolver(square_cloth(cells - 1, cells - 1), replace(settings, drag=STILL_AIR))
    solver.pin(held)
    state, scene = State(start, np.zeros_like(start)), Scene(None, no_contacts, FALL, CALM)
    for _ in range(round(seconds / FRAME)):
        state = solver.step(state, scene, FRAME)
    return state


def main() -> None:
    """Print a line per way of hanging, quality and start."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=32, help="vertices along a side")
    parser.add_argument("--quality", nargs="+", choices=QUALITIES, default=["normal"])
    parser.add_argument(
        "--seconds", type=float, default=30.0, help="time in which the cloth comes to rest [s]"
    )
    parser.add_argument("--starts", type=int, default=1, help="how many starts")
    options = parser.parse_args()
    cells, usual = options.cells, XpbdSettings(self_collision=False)
    start = lying(square_cloth(cells - 1, cells - 1))
    corners = np.array([0, cells - 1], np.int32)
    forces = replace(CONVERGED, substep=FRAME / max(640, 10 * cells))
    for name, held, apart in (
        ("one edge", np.arange(cells, dtype=np.int32), 1.0),
        ("two corners, taut", corners, 1.0),
        ("two corners, slack", corners, 0.9),
    ):
        for quality, number in product(options.quality, range(options.starts)):
            settings, begin = replace(usual, quality=quality), start * (apart, 1.0, 1.0)
            if number:
                free = np.setdiff1d(np.arange(len(begin)), held)
                begin[free, 1] += np.random.default_rng(number).normal(0.0, DISTURBED, len(free))
            found = hung(cells, held, settings, begin, options.seconds)
            truth = hung(cells, held, forces, found.position, options.seconds / 2)
            off = 1e3 * np.linalg.norm(found.position - truth.position, axis=1)
            speed = f"{1e3 * mean_speed(found.velocity):5.1f} mm/s"
            line = f"mean {off.mean():5.1f} mm, largest {off.max():5.1f} mm, {speed}"
            print(f"{name:<20}{quality:<8}start {number}: {line}", flush=True)


if __name__ == "__main__":
    main()
