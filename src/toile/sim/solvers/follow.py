"""Cloth that follows the body, then physics, then push-out (Rudomín & Castillo 2002).

Particles near skin that grips take over its velocity, whatever forces act on them; every mesh edge is a
spring, moved by Euler steps that are short enough for the stiffest of them; last, no particle stays inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, dia_array
from scipy.sparse.linalg import eigsh

from toile import _kernels
from toile.core.errors import ToileError
from toile.core.records import Floats, Garment, Ints, Scene, State
from toile.garment.particles import particle_mass
from toile.sim.colliders.base import NO_CONTACTS
from toile.sim.colliders.contacts import contact_grip, respond
from toile.sim.colliders.ellipsoids import EllipsoidQuery
from toile.sim.solvers.base import Solver
from toile.sim.solvers.constraints import particle_average
from toile.sim.solvers.edges import rest_lengths

SAFE = 1.9
"""Euler steps with the new velocity are stable below 2 / ω: stay a little below"""
DENSE = 64
"""below this number of particles the eigenvalues are found directly"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowSettings:
    """Settings of the follow solver."""

    following: str = "speed"
    """of particles near the skin: speed (they take over its velocity) or rigid (they move and turn with their
    ellipsoid, then physics, then push-out, as in the paper; needs collider ellipsoids)"""
    near: float = 0.012
    """particles nearer to the skin than this follow it [m]"""
    follow: float = 20.0
    """rate at which they take over its velocity [1/s]"""
    stiffness: float = 20.0
    """of each edge as a spring [N/m]"""
    damping: float = 1.0
    """rate at which all motion relative to the air dies down, besides the fabric's own [1/s]"""
    edge_mass: bool = True
    """every edge weighs the same, half at each end: long steps; off: what the triangles round it weigh"""
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
        if self.following not in ("speed", "rigid"):
            raise ToileError(f"following is '{self.following}': choose speed or rigid")
        if self.longest < 1:
            raise ToileError("longest must be at least 1")
        if self.precision not in ("single", "double"):
            raise ToileError(f"precision is '{self.precision}': choose single or double")


class FollowSolver(Solver):
    """Following, springs and push-out for one garment."""

    def __init__(self, garment: Garment, settings: FollowSettings | None = None) -> None:
        """Prepare the springs and the longest stable Euler step."""
        self.settings = settings or FollowSettings()
        self.garment = garment
        count = garment.particle_count
        self._edges, self._length = rest_lengths(garment)
        self._mass = particle_mass(garment)
        if self.settings.edge_mass:
            degree = np.bincount(self._edges.ravel(), minlength=count)
            self._mass = self._mass.sum() * degree / degree.sum()
        self._drag = particle_average(garment, "damping") + self.settings.damping
        self._friction = particle_average(garment, "friction")
        fastest = np.sqrt(self.settings.stiffness * largest_eigenvalue(self._edges, self._mass))
        self.stable_step = min(SAFE / fastest if fastest > 0 else np.inf, 0.01)
        self._free = np.ones(count)
        kind = (
            _kernels.FollowClothFloat if self.settings.precision == "single" else _kernels.FollowClothDouble
        )
        self._cloth = kind(self._edges, self._length, self._mass, self._drag, self._friction)

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever forces act on them."""
        self._free = np.ones(self.garment.particle_count)
        self._free[particles] = 0.0
        self._cloth.hold(self._free == 0)

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        count = max(1, int(np.ceil(dt / self.stable_step - 1e-9)))
        if count > self.settings.longest:
            raise ToileError(f"solver follow needs {count} Euler steps: choose a smaller stiffness")
        if self.settings.following == "rigid":
            return self._carried(state, scene, dt, count)
        found = scene.contacts(state.position)
        s = self.settings
        x, v = self._cloth.step(
            state.position, state.velocity, count, dt / count, s.stiffness, s.thickness,
            s.near, 1 - np.exp(-s.follow * dt), scene.gravity, scene.wind,
            found.particle, found.gap, found.normal, found.velocity, contact_grip(found),
        )  # fmt: skip
        return State(position=x, velocity=v, time=state.time + dt)

    def _carried(self, state: State, scene: Scene, dt: float, count: int) -> State:
        """Particles move with their ellipsoids, then freely, then out of what they entered (§2, 3 to 5).

        What the paper leaves open: a velocity is one against the ellipsoid, and turns with it.
        """
        s, query = self.settings, scene.contacts
        if not (isinstance(query, EllipsoidQuery) or query.nowhere):
            raise ToileError("following=rigid moves cloth with ellipsoids: choose collider ellipsoids")
        x, v, free = state.position, state.velocity, self._free[:, None] > 0
        if isinstance(query, EllipsoidQuery):
            moved, turned = query.carry(x, v, s.near, dt)
            x, v = np.where(free, moved, x), np.where(free, turned, v)
        x, v = self._cloth.step(
            x, v, count, dt / count, s.stiffness, s.thickness, s.near, 0.0, scene.gravity, scene.wind,
            NO_CONTACTS.particle, NO_CONTACTS.gap, NO_CONTACTS.normal, NO_CONTACTS.velocity, NO_CONTACTS.gap,
        )  # fmt: skip
        if isinstance(query, EllipsoidQuery):
            out, slowed = respond(
                x, v, query.after(dt)(x), thickness=s.thickness, friction=self._friction, dt=dt
            )
            x, v = np.where(free, out, x), np.where(free, slowed, v)
        return State(position=x, velocity=v, time=state.time + dt)


def largest_eigenvalue(edges: Ints, mass: Floats) -> float:
    """Return the largest eigenvalue of M⁻¹ L [1/kg], L the Laplacian of the mesh with springs of 1 N/m.

    k (d̂ d̂ᵀ + (1 − l₀/l)(1 − d̂ d̂ᵀ)) ≤ k 1 for every spring, so k times this bounds ω² however cloth is folded.
    """
    count = len(mass)
    if not len(edges):
        return 0.0
    i, j = edges.T
    one = np.ones(len(edges))
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    laplacian = coo_array((np.concatenate([one, one, -one, -one]), (rows, columns)), shape=(count, count))
    root = dia_array((mass[None] ** -0.5, [0]), shape=(count, count))
    system = (root @ laplacian.tocsr() @ root).tocsr()
    if count < DENSE:
        return float(np.linalg.eigvalsh(system.toarray()).max())
    # a fixed start, so that the step is the same every time
    start = np.cos(np.arange(count) ** 2)
    return float(eigsh(system, k=1, which="LA", v0=start, tol=1e-4, return_eigenvectors=False)[0])
