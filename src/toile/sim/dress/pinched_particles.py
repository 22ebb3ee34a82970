"""Cloth that is pinched in a fold of the body: between arm and trunk, under a heavy breast.

The solver pulls it in, the exact repair pushes it out, frame after frame. In life friction on both sides
holds it. So once the rest of the garment has come to rest, what the repair has had to move in several
frames, one after the other or every few frames, is held where the repair has put it.
"""

from __future__ import annotations

import numpy as np

from toile.core.records import Ints, State
from toile.sim.solvers.xpbd import XpbdSolver

PATIENCE = 4
"""frames in which the repair moves a particle before it counts as pinched"""

FORGOTTEN = 0.25
"""of such a frame is forgotten in each frame in which the repair has nothing to do: pulled in slowly, cloth
crosses in every third or fourth frame only"""

MOST = 0.06
"""a larger share of all particles at once means that garments lack room: if all of it were held, the free
cloth between would be thrown out"""


class PinchedParticles:
    """The particles of one garment that are held because they are pinched."""

    def __init__(self, solver: XpbdSolver, count: int, held: Ints) -> None:
        """Begin with what the garment itself holds."""
        self._solver = solver
        self._frames = np.zeros(count)
        self._held = np.zeros(count, dtype=bool)
        self._held[held] = True

    def watch(self, before: State, after: State, clean: bool) -> State:
        """Return the repaired state, in which newly pinched particles stand still from now on."""
        moved = (before.position != after.position).any(axis=1)
        self._frames = np.where(moved, self._frames + 1.0, np.maximum(self._frames - FORGOTTEN, 0.0))
        new = (self._frames >= PATIENCE) & ~self._held
        if not clean or not new.any() or new.mean() > MOST:
            return after
        self._held |= new
        self._solver.pin(np.flatnonzero(self._held).astype(np.int32))
        velocity = np.array(after.velocity)
        velocity[self._held] = 0.0
        return State(position=after.position, velocity=velocity, time=after.time)
