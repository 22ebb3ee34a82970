"""How far cloth at rest is from the converged shape: a square metre of cotton that hangs.

Run: python benchmarks/bench_rest.py --cells 32 --quality normal fine
First the fabric's forces alone, in 160 substeps a frame and double precision, bring the cloth to rest; each
quality then goes on from there. Prints how far vertices move away [mm]: from one edge, where cloth hangs
straight, and from two corners, where the bias carries it, held taut and 10 cm nearer to each other. Cloth may
find other folds than those it began with: the largest figure tells.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from toile.bench.scenes import CALM, FALL, FRAME, lying
from toile.cloth.xpbd import QUALITIES, XpbdSettings, XpbdSolver
from toile.collision.base import no_contacts
from toile.garment.shapes import square_cloth
from toile.types import Floats, Ints, Scene, State

CONVERGED = XpbdSettings(levels=0, substep=FRAME / 160, precision="double", self_collision=False)
STILL_AIR = 2.0
"""drag that brings the cloth to rest [1/s]"""


def hung(cells: int, held: Ints, settings: XpbdSettings, start: Floats, seconds: float) -> Floats:
    """Return where cloth comes to rest that is held by some vertices."""
    solver = XpbdSolver(square_cloth(cells - 1, cells - 1), replace(settings, drag=STILL_AIR))
    solver.pin(held)
    state, scene = State(start, np.zeros_like(start)), Scene(None, no_contacts, FALL, CALM)
    for _ in range(round(seconds / FRAME)):
        state = solver.step(state, scene, FRAME)
    return state.position


def main() -> None:
    """Print a line per way of hanging and quality."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=32, help="vertices along a side")
    parser.add_argument("--quality", nargs="+", choices=QUALITIES, default=["normal"])
    options = parser.parse_args()
    cells, usual = options.cells, XpbdSettings(self_collision=False)
    start = lying(square_cloth(cells - 1, cells - 1))
    corners = np.array([0, cells - 1], np.int32)
    for name, held, apart in (
        ("one edge", np.arange(cells, dtype=np.int32), 1.0),
        ("two corners, taut", corners, 1.0),
        ("two corners, slack", corners, 0.9),
    ):
        truth = hung(cells, held, CONVERGED, hung(cells, held, usual, start * (apart, 1.0, 1.0), 8.0), 6.0)
        for quality in options.quality:
            found = hung(cells, held, replace(usual, quality=quality), truth, 5.0)
            off = 1e3 * np.linalg.norm(found - truth, axis=1)
            print(f"{name:<20}{quality:<8}mean {off.mean():5.1f} mm, largest {off.max():5.1f} mm", flush=True)


if __name__ == "__main__":
    main()
