"""The last correction of a frame: what still crosses is moved apart, by exact triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile._kernels import Untangler
from toile.collision.surface import SurfaceCollider
from toile.garment.build import sewn_labels
from toile.mesh.geometry import side_lengths
from toile.types import Bools, Floats, Garment, Ints, PosedBody, State


@dataclass(frozen=True, slots=True)
class Repaired:
    """What one repair found and left."""

    body_before: int = 0
    """crossing triangle pairs of cloth and body"""
    cloth_before: int = 0
    """crossing triangle pairs of cloth and cloth"""
    body_after: int = 0
    cloth_after: int = 0
    moved: float = 0.0
    """farthest that a particle was moved [m]"""

    @property
    def left(self) -> int:
        """Return how many crossing pairs are left."""
        return self.body_after + self.cloth_after


PATIENCE = 48
"""rounds of untangling, at most: few frames take more than 12, and to compute one again costs more"""
LIFTS = 4
"""rounds in which what is left inside the skin is put onto it"""
ABOVE = 0.0002
"""how far above the skin [m]"""


class Repair:
    """Untangles one garment on one body after each frame; gives up after a few rounds rather than tear."""

    def __init__(self, garment: Garment, collider: SurfaceCollider, position: Floats, pinned: Ints) -> None:
        """Prepare for a garment that is at position (n, 3) [m]; pinned particles stay where they are."""
        layer = garment.garment_layer[garment.particle_garment[garment.triangles[:, 0]]]
        self._untangler = Untangler(
            garment.triangles,
            position,
            layer,
            sewn_labels(garment),
            side_lengths(garment.uv, garment.triangles_uv),
        )
        self._collider = collider
        self._inverse_mass = np.ones(garment.particle_count)
        self._inverse_mass[pinned] = 0.0
        self.last = Repaired()
        self._moved = position, position

    @property
    def touched(self) -> Bools:
        """Return which particles the last repair moved, (n,)."""
        before, after = self._moved
        return np.asarray((before != after).any(axis=1))

    def __call__(self, state: State, body: PosedBody) -> State:
        """Return the state with crossings removed; velocities stay, so nothing is flung away."""
        self._collider.at(body)
        position = np.array(state.position)
        report = self._untangler.run(position, self._inverse_mass, self._collider.tree, rounds=PATIENCE)
        self.last = Repaired(**{name: report[name] for name in Repaired.__slots__})
        if self.last.body_after:
            self._lift(position, body)
        self._moved = state.position, position
        return State(position=position, velocity=state.velocity, time=state.time)

    def _lift(self, position: Floats, body: PosedBody) -> None:
        """Put what is still inside the skin onto it: cloth that crosses must not lie deep as well.

        Each round goes the way out of the limb in which a particle is deepest; between limbs that overlap
        there is none, so a few rounds are all.
        """
        for _ in range(LIFTS):
            contacts = self._collider.ask(body, position)
            inside = (contacts.gap < 0) & (self._inverse_mass[contacts.particle] > 0)
            if not inside.any():
                return
            particle, gap, normal = contacts.particle[inside], contacts.gap[inside], contacts.normal[inside]
            deepest_last = np.argsort(-gap, kind="stable")
            chosen = np.full(len(position), -1)
            chosen[particle[deepest_last]] = deepest_last
            row = chosen[chosen >= 0]
            position[particle[row]] += normal[row] * (ABOVE - gap[row])[:, None]
