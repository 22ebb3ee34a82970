"""The last correction of a frame: what still crosses is moved apart, by exact triangles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from toile import _kernels
from toile.core.arrays import as_kernel_arrays
from toile.core.records import Floats, Garment, Ints, PosedBody, State
from toile.garment.particles import sewn_labels
from toile.geometry.triangles import side_lengths

if TYPE_CHECKING:
    from toile._kernels import SkinContact


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


class Repair:
    """Untangles one garment on one body after each frame; gives up after a few rounds rather than tear.

    How stands in engine/frame/repair.h.
    """

    def __init__(self, garment: Garment, skin: SkinContact, position: Floats, pinned: Ints) -> None:
        """Prepare for a garment that is at position (n, 3) [m]; pinned particles stay where they are."""
        arrays = repair_arrays(garment)
        self._kernel = _kernels.Repair(
            garment.triangles,
            arrays["repair.layer"],
            arrays["repair.label"],
            arrays["repair.sides"],
            position,
            np.asarray(pinned, np.int32),
        )
        self._skin = skin
        self.last = Repaired()

    def __call__(self, state: State, body: PosedBody, start: Floats | None = None) -> State:
        """Return the state with crossings removed; velocities stay, so nothing is flung away.

        start: where the cloth was shortly before, with nothing crossing (n, 3) [m]; None: unknown.
        """
        position, velocity, found = self._kernel.run(
            state.position, state.velocity, self._skin, body.vertices, start
        )
        self.last = Repaired(*found)
        return replace(state, position=position, velocity=velocity)


def repair_arrays(garment: Garment) -> dict[str, Any]:
    """Return what the repair knows of a garment, as the engine reads it (scene_arrays.h)."""
    layer = garment.garment_layer[garment.particle_garment[garment.triangles[:, 0]]]
    arrays: dict[str, Any] = {
        "repair.layer": layer,
        "repair.label": sewn_labels(garment),
        "repair.sides": side_lengths(garment.uv, garment.triangles_uv),
    }
    return as_kernel_arrays(arrays)
