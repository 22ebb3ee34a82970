"""Edges that the body carries along: waistbands and other held particles."""

from __future__ import annotations

import numpy as np

from toile._kernels import SurfaceTree, ride
from toile.core.records import Floats, Ints, PosedBody, State
from toile.geometry.triangles import triangle_axes

FARTHEST = 1.0
"""a held particle farther from the skin than this has no place to be held at [m]"""


class Attachment:
    """Held particles, each tied to the triangle of skin nearest to it when it was dressed."""

    def __init__(self, particles: Ints, position: Floats, body: PosedBody) -> None:
        """Remember where the particles are, seen from their triangles of the body's skin."""
        self._particles = particles
        found = SurfaceTree(body.body.triangles, body.vertices).nearest(position[particles], FARTHEST)
        self._corners = body.body.triangles[found[0]]
        self._rides = np.arange(len(particles), dtype=np.int32)
        corners = body.vertices[self._corners]
        away = position[particles] - corners.mean(axis=1)
        self._local = np.einsum("pab,pa->pb", triangle_axes(corners), away)

    def arrays(self) -> dict[str, Ints | Floats]:
        """Return what is held and where, as the engine reads it (engine/frame/scene_arrays.h)."""
        held = {"particle": self._particles, "corners": self._corners, "local": self._local}
        return {f"held.{name}": values for name, values in held.items()} if len(self._particles) else {}

    def targets(self, body: PosedBody) -> Floats:
        """Return where the held particles belong on the body as it is now [m], (h, 3)."""
        return np.asarray(ride(body.vertices, self._corners, self._rides, self._local))

    def carry(self, state: State, body: PosedBody, dt: float) -> State:
        """Return the state with held particles moving so that they reach their place in dt [s]."""
        if not len(self._particles):
            return state
        velocity = np.array(state.velocity)
        velocity[self._particles] = (self.targets(body) - state.position[self._particles]) / dt
        return State(position=state.position, velocity=velocity, time=state.time)
