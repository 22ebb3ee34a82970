"""The last correction of a frame: what still crosses is moved apart, by exact triangles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from toile._kernels import Untangler
from toile.core.records import Floats, Garment, Ints, PosedBody, State
from toile.garment.build import sewn_labels
from toile.geometry.triangles import side_lengths
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.frame.impact_zones import Cloth, carried, widened


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
"""rounds of untangling, at most: few frames take more than 12, and zones stretch the cloth round them"""
ZONES = 6
"""times that what still crosses is carried along as one piece, each time with one more ring round it: once is
enough as a rule"""
LIFTS = 4
"""rounds in which what is left inside the skin is put onto it"""
ABOVE = 0.0002
"""how far above the skin [m]"""


class Repair:
    """Untangles one garment on one body after each frame; gives up after a few rounds rather than tear."""

    def __init__(self, garment: Garment, collider: SurfaceCollider, position: Floats, pinned: Ints) -> None:
        """Prepare for a garment that is at position (n, 3) [m]; pinned particles stay where they are."""
        label = sewn_labels(garment)
        layer = garment.garment_layer[garment.particle_garment[garment.triangles[:, 0]]]
        self._untangler = Untangler(
            garment.triangles,
            position,
            layer,
            label,
            side_lengths(garment.uv, garment.triangles_uv),
        )
        self._collider = collider
        self._inverse_mass = np.ones(garment.particle_count)
        self._inverse_mass[pinned] = 0.0
        self._cloth = Cloth(garment.triangles, label, self._inverse_mass > 0.0)
        self.last = Repaired()
        self.given = position
        """where the cloth was before the last repair [m], (n, 3)"""

    def __call__(self, state: State, body: PosedBody, start: Floats | None = None) -> State:
        """Return the state with crossings removed; velocities stay, so nothing is flung away.

        start: where the cloth was shortly before, with nothing crossing (n, 3) [m]; None: nobody knows.
        """
        self.given = state.position
        self._collider.at(body)
        end, crossing = self._untangle(state)
        if self.last.left:
            if start is not None:
                end = self._carry(end, crossing, start)
            if self.last.body_after:
                end = self._lift(end, body)
            farthest = float(np.linalg.norm(end.position - state.position, axis=1).max())
            self.last = replace(self.last, moved=farthest)
        return end

    def _untangle(self, state: State) -> tuple[State, Ints]:
        """Return the state with what crosses moved apart, and the pairs of triangles left, (k, 2)."""
        position = np.array(state.position)
        report = self._untangler.run(position, self._inverse_mass, self._collider.tree, rounds=PATIENCE)
        self.last = Repaired(**{name: report[name] for name in Repaired.__slots__})
        return replace(state, position=position), np.asarray(report["left"])

    def _carry(self, state: State, crossing: Ints, start: Floats) -> State:
        """Return the state with what crosses carried along in the shape that it had at the start."""
        first, best, best_state = self.last, self.last, state
        zone = np.zeros(len(start), dtype=bool)
        for _ in range(ZONES):
            zone = widened(self._cloth, zone, crossing)
            tried, left = self._untangle(carried(self._cloth, zone, crossing, start, state))
            crossing = np.concatenate([crossing, left])
            if self.last.left < best.left:
                best, best_state = self.last, tried
            if not best.left:
                break
        self.last = replace(best, body_before=first.body_before, cloth_before=first.cloth_before)
        return best_state

    def _lift(self, state: State, body: PosedBody) -> State:
        """Return the state with what is still inside the skin on it: what crosses must not lie deep as well.

        Each round goes the way out of the limb in which a particle is deepest; between limbs that overlap
        there is none, so a few rounds are all.
        """
        position = np.array(state.position)
        for _ in range(LIFTS):
            contacts = self._collider.ask(body, position)
            inside = (contacts.gap < 0) & self._cloth.free[contacts.particle]
            if not inside.any():
                break
            particle, gap, normal = contacts.particle[inside], contacts.gap[inside], contacts.normal[inside]
            deepest_last = np.argsort(-gap, kind="stable")
            chosen = np.full(len(position), -1)
            chosen[particle[deepest_last]] = deepest_last
            row = chosen[chosen >= 0]
            position[particle[row]] += normal[row] * (ABOVE - gap[row])[:, None]
        return replace(state, position=position)
