"""Rest is made: cloth on a body that stands still must not tremble.

In a crease of the skin the nearest skin is one side in one frame and the other side in the next: the cloth
meets all (sim/colliders/creases.py). In a fold narrower than the mesh the solver closes in every frame what
the repair opens in every frame, by millimetres, each time a little otherwise: the cloth goes a part of the
solver's way, until it touches, and stays as it was from then on; on coarse meshes the frame is computed again
round it (sim/walk/walker.py). Cloth that hardly moves any more falls asleep: it stays where it is until skin
or air move.
"""

from __future__ import annotations

import numpy as np

from toile._kernels import SurfaceTree, meeting_pairs, meeting_pairs_self
from toile.audit.check import STILL
from toile.core.records import Bools, Floats, Garment, Ints, PosedBody, State
from toile.garment.build import sewn_labels
from toile.sim.colliders.creases import AllSidesQuery
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.solvers.xpbd import BRISK, STICKING, mean_speed

STILL_SKIN = 1e-5
"""skin that moves less in a frame stands still [m]"""
SAMPLE = 128
"""one of so many skin vertices is looked at first"""
PARTS = (0.5, 0.25, 0.125)
"""of the solver's way that are tried for a fold before it stays: one that was crumpled when the body stopped
would pull at the cloth round it for ever"""
ROUNDS = 4
"""in which what crosses because something stayed stays too"""


class Rest:
    """Keeps one garment from trembling while its body stands still."""

    def __init__(self, garment: Garment, collider: SurfaceCollider, position: Floats) -> None:
        """Prepare for a garment that is at position (n, 3) [m]."""
        self._triangles, self._label = garment.triangles, sewn_labels(garment)
        self._skin = collider
        self.collider = AllSidesQuery(collider)
        """what meets the skin"""
        self._tree = SurfaceTree(garment.triangles, position)

    def stay(self, start: State, end: State, free: Floats, body: PosedBody, dt: float) -> State:
        """Return the end of a frame of dt seconds; slow cloth that had to be repaired stays, or nearly.

        free: where the solver left the cloth, before the repair (n, 3) [m]. Nothing may cross in the state
        that is returned; the start of the frame is as clean as the end of the one before.
        """
        repaired = (free != end.position).any(axis=1)
        if not repaired.any():
            return end
        # those that had to be repaired are thrown to and fro: the others tell whether the cloth rests
        way = (end.position - start.position)[~repaired]
        if mean_speed(way / dt) >= BRISK:
            return end
        for part in PARTS:
            state = _with(end, repaired, start.position + part * (free - start.position))
            if not len(self._crossing(state.position, body)):
                return state
        stays = repaired
        for _ in range(ROUNDS):
            state = _with(end, stays, start.position)
            crossing = self._crossing(state.position, body)
            if not len(crossing):
                return state
            stays[crossing] = True
        return end

    def asleep(self, start: State, end: State, before: PosedBody, after: PosedBody, dt: float) -> bool:
        """Say whether cloth stays at the start of a frame of dt seconds, which ends clean.

        The rounding of single precision keeps it trembling for ever, by hundredths of a millimetre. From rest
        it would go half as far with the acceleration that threads hold; cloth that swings turns round faster.
        The skin must stand still to the bit: cloth that sleeps would not notice how it creeps up.
        """
        way = end.position - start.position
        if not mean_speed(way) < STICKING * dt * dt or not np.abs(way).max(initial=0.0) < STILL:
            return False
        return np.array_equal(before.vertices, after.vertices) and not len(
            self._crossing(start.position, after)
        )

    def _crossing(self, position: Floats, body: PosedBody) -> Ints:
        """Return the particles of triangles that cross others or the body."""
        self._tree.refit(position)
        self._skin.at(body)
        _, cloth = meeting_pairs_self(self._tree, self._label)
        _, skin = meeting_pairs(self._tree, self._skin.tree)
        found = np.concatenate([cloth.reshape(-1), skin[:, 0]])
        return np.unique(self._triangles[found])


def _with(state: State, some: Bools, position: Floats) -> State:
    """Return the state with some of its particles (n,) at a position (n, 3), without speed."""
    held = some[:, None]
    return State(np.where(held, position, state.position), np.where(held, 0.0, state.velocity), state.time)


def stands_still(before: PosedBody, after: PosedBody) -> bool:
    """Say whether no skin moves between two poses."""
    # most bodies move: some of their skin tells that at once
    return all(
        np.abs(after.vertices[::every] - before.vertices[::every]).max(initial=0.0) <= STILL_SKIN
        for every in (SAMPLE, 1)
    )
