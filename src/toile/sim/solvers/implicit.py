"""Springs with implicit Euler steps and stretch limits (Shi et al. 2010, after Baraff & Witkin 1998).

Forces are linear springs with damping along the spring only. One linear system per step, solved by conjugate
gradients preconditioned with the 3 × 3 blocks of the diagonal, gives the change of velocity; then edges that
are longer than the fabric bears are shortened, while bending springs are left alone. The loops are
engine/cloth/implicit.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile import _kernels
from toile.core.errors import ToileError
from toile.core.records import Contacts, Floats, Garment, Ints, Scene, State
from toile.garment.particles import particle_mass
from toile.geometry.topology import by_colour, colour_constraints
from toile.sim.colliders.contacts import contact_grip
from toile.sim.solvers.base import Solver, in_substeps
from toile.sim.solvers.constraints import particle_average
from toile.sim.solvers.edges import after_contact, rest_lengths
from toile.sim.solvers.implicit_springs import bending_springs, edge_springs, joined


@dataclass(frozen=True, slots=True, kw_only=True)
class ImplicitSettings:
    """Settings of the implicit solver."""

    substep: float = 0.01
    """longest time step [s]"""
    stretch_scale: float = 1.0
    """factor on the springs along edges"""
    bend_scale: float = 1.0
    """factor on the springs across edges"""
    bend_angle: float = 0.5
    """fold at which a bending spring is as stiff as the fabric [rad]"""
    damping: float = 0.002
    """k_v / k_s: damping along a spring for its stiffness [s]"""
    strain_limit: float = 0.0
    """longest elongation of an edge; 0: the fabric's own"""
    limits: str = "positions"
    """how elongation is limited: positions (what is too long is shortened) or forces (constraint forces,
    refined in sweeps, as the paper has it)"""
    limit_sweeps: int = 20
    """sweeps of the stretch limits over all edges per time step; 0: none"""
    rounds: int = 3
    """turns of stretch limits and contact per time step"""
    tolerance: float = 1e-6
    """conjugate gradients stop at this part of the right-hand side"""
    iterations: int = 200
    """most iterations of conjugate gradients per time step"""
    thickness: float = 0.004
    """distance kept between cloth and skin [m]"""
    rubbing: float = 0.0
    """friction as the paper has it, proportional to the speed of sliding, per mass [1/s]; 0: Coulomb's"""

    def __post_init__(self) -> None:
        if not 1e-6 <= self.substep <= 0.1:
            raise ToileError(f"substep is {self.substep} s: choose between 1e-6 and 0.1 s")
        if not 0 < self.bend_angle <= np.pi:
            raise ToileError(f"bend_angle is {self.bend_angle}: choose more than 0 and at most π")
        if not 0 < self.tolerance < 1:
            raise ToileError(f"tolerance is {self.tolerance}: choose between 0 and 1")
        if self.limits not in ("positions", "forces"):
            raise ToileError(f"limits is '{self.limits}': choose positions or forces")
        if self.iterations < 1 or self.rounds < 1 or self.limit_sweeps < 0:
            raise ToileError("iterations and rounds must be at least 1, limit_sweeps at least 0")
        for name in ("stretch_scale", "bend_scale", "damping", "strain_limit", "thickness", "rubbing"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ToileError(f"{name} must not be negative")


def rubbed_share(rate: float, h: float) -> float:
    """Return the part of a sliding speed that implicit Euler leaves of u̇ = −rate · u after h seconds."""
    return 1 / (1 + rate * h)


def rubbed(v: Floats, found: Contacts, thickness: float, share: float) -> Floats:
    """Return velocities [m/s], (n, 3), where what touches the skin keeps the part `share` of its sliding."""
    touching = np.flatnonzero(found.gap <= thickness + 1e-6)
    p, n = found.particle[touching], found.normal[touching]
    relative = v[p] - found.velocity[touching]
    sliding = relative - np.einsum("ck,ck->c", relative, n)[:, None] * n
    new = v.copy()
    np.add.at(new, p, (share - 1) * contact_grip(found)[touching, None] * sliding)
    return new


class ImplicitSolver(Solver):
    """Implicit springs for one garment."""

    def __init__(self, garment: Garment, settings: ImplicitSettings | None = None) -> None:
        """Prepare springs, the places of their blocks and the stretch limits."""
        self.settings = settings or ImplicitSettings()
        self.garment = garment
        s, count = self.settings, garment.particle_count
        self._mass = particle_mass(garment)
        self.springs = joined(
            edge_springs(garment, s.stretch_scale), bending_springs(garment, s.bend_angle, s.bend_scale)
        )
        self._drag = particle_average(garment, "damping")
        self._friction = particle_average(garment, "friction") * (s.rubbing == 0)
        edges, length = rest_lengths(garment)
        strain = particle_average(garment, "strain_limit")
        limit = s.strain_limit or strain[edges].min(axis=1)
        self._cloth = _kernels.ImplicitCloth(
            self.springs.pairs, self.springs.length, self.springs.stiffness, self._mass, self._drag,
            *by_colours(edges, length * (1 + limit), count),
        )  # fmt: skip
        self._free = np.ones(count)
        self.iterations = 0
        """of conjugate gradients in the last time step"""
        self.largest_force = 0.0
        """largest constraint force in the last time step [N]"""

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever forces act on them."""
        self._free = np.ones(self.garment.particle_count)
        self._free[particles] = 0.0
        self._cloth.pin(self._free == 0)

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        return in_substeps(self._substep, self.settings.substep, state, scene, dt)

    def _substep(self, x: Floats, v: Floats, scene: Scene, h: float, since: float) -> tuple[Floats, Floats]:
        if self.settings.rubbing:
            found, share = scene.contacts(x), rubbed_share(self.settings.rubbing, h)
            v = np.where(self._free[:, None] > 0, rubbed(v, found, self.settings.thickness, share), v)
        change, self.iterations = self._cloth.velocity_change(
            x, v, h, self.settings.damping, scene.gravity, scene.wind, self.settings.tolerance,
            self.settings.iterations,
        )  # fmt: skip
        if self.settings.limits == "forces":
            return self._by_forces(x, v + change, scene, h, since)
        return self._by_positions(x, v + change, scene, h, since)

    def _by_forces(self, x: Floats, v: Floats, scene: Scene, h: float, since: float) -> tuple[Floats, Floats]:
        """Constraint forces change the velocity before the cloth moves; contact comes last."""
        speed, self.largest_force = self._cloth.constrain(self.settings.limit_sweeps, h, x, v)
        new, speed = self._after_contact(scene, x + h * speed, speed, h, since)
        return self._kept(new, x + h * v), self._kept(speed, v)

    def _by_positions(
        self, x: Floats, v: Floats, scene: Scene, h: float, since: float
    ) -> tuple[Floats, Floats]:
        """What is too long is shortened; limits and contact undo a part of each other, so they take turns."""
        goal = new = x + h * v
        speed = v
        for _ in range(self.settings.rounds):
            short = self._cloth.shorten(self.settings.limit_sweeps, new)
            new, speed = self._after_contact(scene, short, speed + (short - new) / h, h, since)
            new, speed = self._kept(new, goal), self._kept(speed, v)
        return new, speed

    def _kept(self, new: Floats, held: Floats) -> Floats:
        return np.where(self._free[:, None] > 0, new, held)

    def _after_contact(
        self, scene: Scene, x: Floats, v: Floats, h: float, since: float
    ) -> tuple[Floats, Floats]:
        thickness = self.settings.thickness
        return after_contact(scene, x, v, since=since, dt=h, thickness=thickness, friction=self._friction)


def by_colours(pairs: Ints, length: Floats, count: int) -> tuple[Ints, Floats]:
    """Return limits in the order of their colours: neighbours are far apart in a sweep."""
    order, _ = by_colour(colour_constraints(pairs, count))
    return np.ascontiguousarray(pairs[order]), np.ascontiguousarray(length[order])
