"""Cloth against cloth: folds, sleeves against the body panels, one garment over another.

After each step of a solver, `keep_apart` puts near pairs (vertex–face, edge–edge) that came too close or
passed through each other back on the side where they were before. At the end of a frame `untangle` tests
with exact triangles and moves apart what still crosses, cloth or skin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile._kernels import SelfContact as Kernel
from toile._kernels import SurfaceTree, Untangler
from toile.errors import ToileError
from toile.types import Floats, Garment, Ints, State


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfContactSettings:
    """Settings of contact between cloth and cloth."""

    thickness: float = 0.002
    """distance kept between two sheets [m]"""
    radius: float = 0.006
    """pairs farther apart than this before a step are left alone [m]"""
    friction: float = 0.3
    """Coulomb's coefficient between cloth and cloth"""
    sweeps: int = 4
    """how often all pairs are corrected in turn"""
    rounds: int = 12
    """patience of the untangling at the end of a frame"""
    step: float = 0.001
    """farthest that untangling moves a particle in its first round [m]; thrice that from the sixth on"""
    reach: float = 0.015
    """farthest that it moves a particle in all [m]"""

    def __post_init__(self) -> None:
        if not 0 < self.thickness <= self.radius < 0.1:
            raise ToileError("cloth contact needs 0 < thickness ≤ radius < 0.1 m")
        if self.sweeps < 1 or self.rounds < 0 or self.friction < 0:
            raise ToileError("cloth contact needs sweeps ≥ 1, rounds ≥ 0 and friction ≥ 0")


@dataclass(frozen=True, slots=True)
class Untangled:
    """What untangling found and left: crossing triangle pairs."""

    rounds: int
    body_before: int
    body_after: int
    cloth_before: int
    cloth_after: int
    moved: float
    """farthest that a particle was moved [m]"""


class SelfContact:
    """Contact of one garment or outfit with itself."""

    def __init__(
        self,
        garment: Garment,
        settings: SelfContactSettings | None = None,
        *,
        label: Ints | None = None,
        inverse_mass: Floats | None = None,
    ) -> None:
        """Prepare the garment; equal labels (n,) mark sewn particles, inverse mass 0 a held one."""
        self.settings = settings or SelfContactSettings()
        self.garment = garment
        self.label = label
        self.inverse_mass = inverse_mass
        layer = garment.garment_layer[garment.particle_garment]
        self._kernel = Kernel(garment.triangles, garment.particle_count, layer, label)
        self._layer = layer[garment.triangles[:, 0]] if len(garment.triangles) else layer[:0]
        self._untangler: Untangler | None = None

    def keep_apart(self, before: State, after: State) -> State:
        """Return the state after a step, with cloth kept off cloth; before is the state at its start."""
        s = self.settings
        position, velocity = after.position.copy(), after.velocity.copy()
        touched = self._kernel.resolve(
            before.position,
            position,
            velocity,
            self.inverse_mass,
            thickness=s.thickness,
            radius=s.radius,
            friction=s.friction,
            sweeps=s.sweeps,
        )
        return State(position=position, velocity=velocity, time=after.time) if touched else after

    def untangle(self, state: State, skin: SurfaceTree | None = None) -> tuple[State, Untangled]:
        """Return the state with crossing triangles moved apart, and what was found."""
        s = self.settings
        position = state.position.copy()
        if self._untangler is None:
            self._untangler = Untangler(self.garment.triangles, position, self._layer, self.label)
        found = self._untangler.run(
            position, self.inverse_mass, skin, rounds=s.rounds, step=s.step, reach=s.reach
        )
        report = Untangled(**found)
        if report.moved == 0:
            return state, report
        return State(position=np.asarray(position), velocity=state.velocity, time=state.time), report
