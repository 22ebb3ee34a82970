"""Cloth that follows the body, then physics, then push-out (Rudomín & Castillo 2002).

Particles near the skin take over its velocity, whatever pulls at them; every mesh edge is a spring, moved by
Euler steps that are short enough for the stiffest of them; last, no particle stays inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile import _kernels
from toile.cloth.edges import rest_lengths
from toile.cloth.xpbd import particle_average
from toile.errors import ToileError
from toile.garment.build import particle_mass
from toile.types import Contacts, Floats, Garment, Ints, Scene, State


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowSettings:
    """Settings of the follow solver."""

    near: float = 0.012
    """particles nearer to the skin than this follow it [m]"""
    follow: float = 20.0
    """rate at which they take over its velocity [1/s]"""
    stiffness: float = 20.0
    """of each edge as a spring [N/m]"""
    damping: float = 1.0
    """rate at which all motion relative to the air dies down, besides the fabric's own [1/s]"""
    thickness: float = 0.004
    """distance kept between cloth and skin [m]"""
    longest: int = 2000
    """most Euler steps per step"""
    precision: str = "single"
    """single, or double for reference computations"""

    def __post_init__(self) -> None:
        for name in ("near", "follow", "stiffness", "damping", "thickness"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ToileError(f"{name} must not be negative")
        if self.longest < 1:
            raise ToileError("longest must be at least 1")
        if self.precision not in ("single", "double"):
            raise ToileError(f"precision is '{self.precision}': choose single or double")


class FollowSolver:
    """Following, springs and push-out for one garment."""

    def __init__(self, garment: Garment, settings: FollowSettings | None = None) -> None:
        """Prepare the springs and the longest stable Euler step."""
        self.settings = settings or FollowSettings()
        self.garment = garment
        count = garment.particle_count
        self._edges, self._length = rest_lengths(garment)
        self._mass = particle_mass(garment)
        if not (self._mass > 0).all():
            lost = int(np.flatnonzero(~(self._mass > 0))[0])
            raise ToileError(f"garment {garment.name}: particle {lost} belongs to no triangle with an area")
        self._drag = particle_average(garment, "damping") + self.settings.damping
        self._friction = particle_average(garment, "friction")
        # ω² ≤ 2 Σ k / m; Euler with the new velocity is stable below 2 / ω: stay a fifth below
        springs = np.bincount(self._edges.ravel(), minlength=count) * self.settings.stiffness
        fastest = float(np.sqrt(2 * (springs / self._mass).max()))
        self.stable_step = min(1.6 / fastest if fastest > 0 else np.inf, 0.01)
        self._free = np.ones(count)
        kind = (
            _kernels.FollowClothFloat if self.settings.precision == "single" else _kernels.FollowClothDouble
        )
        self._cloth = kind(self._edges, self._length, self._mass, self._drag, self._friction)

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever pulls at them."""
        self._free = np.ones(self.garment.particle_count)
        self._free[particles] = 0.0
        self._cloth.hold(self._free == 0)

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        count = max(1, int(np.ceil(dt / self.stable_step - 1e-9)))
        if count > self.settings.longest:
            raise ToileError(f"solver follow needs {count} Euler steps: choose a smaller stiffness")
        found = scene.contacts(state.position)
        x, v = self._cloth.step(
            state.position, self._followed(state.velocity, found, dt), count, dt / count,
            self.settings.stiffness, self.settings.thickness, scene.gravity, scene.wind,
            found.particle, found.gap, found.normal, found.velocity,
        )  # fmt: skip
        return State(position=x, velocity=v, time=state.time + dt)

    def _followed(self, v: Floats, found: Contacts, dt: float) -> Floats:
        """Return the velocities after particles near the skin took over a part of their parent's."""
        near = np.flatnonzero(found.gap < self.settings.near)
        # of several contacts the nearest is the parent: written last
        order = near[np.argsort(-found.gap[near], kind="stable")]
        skin, share = v.copy(), 1 - np.exp(-self.settings.follow * dt)
        skin[found.particle[order]] = found.velocity[order]
        return np.asarray(v + share * self._free[:, None] * (skin - v))
