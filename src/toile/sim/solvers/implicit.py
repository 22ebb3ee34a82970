"""Springs with implicit Euler steps and stretch limits (Shi et al. 2010, after Baraff & Witkin 1998).

Forces are linear springs with damping along the spring only. One linear system per step, solved by conjugate
gradients preconditioned with the 3 × 3 blocks of the diagonal, gives the change of velocity; then edges that
are longer than the fabric bears are shortened, while bending springs are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import bsr_array, csr_array
from scipy.sparse.linalg import LinearOperator, cg

from toile.core.errors import ToileError
from toile.core.records import Contacts, Floats, Garment, Ints, Scene, State
from toile.garment.particles import particle_mass
from toile.sim.colliders.contacts import contact_grip
from toile.sim.solvers.base import Solver, in_substeps
from toile.sim.solvers.constraints import particle_average
from toile.sim.solvers.edges import Sweep, after_contact, rest_lengths
from toile.sim.solvers.implicit_springs import Springs, bending_springs, edge_springs, joined


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
        if self.iterations < 1 or self.rounds < 1 or self.limit_sweeps < 0:
            raise ToileError("iterations and rounds must be at least 1, limit_sweeps at least 0")
        for name in ("stretch_scale", "bend_scale", "damping", "strain_limit", "thickness", "rubbing"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ToileError(f"{name} must not be negative")


def spring_forces(springs: Springs, damping: float, x: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the force on the first end of each spring [N], (s, 3), and the blocks −∂f/∂x and −∂f/∂v.

    f = −(k_s (|d| − l) + k_v d̂·(v_p − v_q)) d̂ with d = x_p − x_q and k_v = damping · k_s. Of −∂f/∂x the part
    that compression turns negative is left out, so that the system stays positive definite.
    """
    p, q = springs.pairs[:, 0], springs.pairs[:, 1]
    way = x[p] - x[q]
    now = np.maximum(np.linalg.norm(way, axis=1), 1e-12)
    direction = way / now[:, None]
    viscous = damping * springs.stiffness
    rate = np.einsum("ij,ij->i", direction, v[p] - v[q])
    size = springs.stiffness * (now - springs.length) + viscous * rate
    along = direction[:, :, None] * direction[:, None, :]
    tight = np.maximum(1 - springs.length / now, 0.0)[:, None, None]
    by_x = springs.stiffness[:, None, None] * (along + tight * (np.eye(3) - along))
    return -size[:, None] * direction, by_x, viscous[:, None, None] * along


class _System:
    """Where each spring's 3 × 3 block goes in the sparse matrix; prepared once."""

    def __init__(self, pairs: Ints, count: int) -> None:
        p, q = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
        own = np.arange(count, dtype=np.int64) * (count + 1)
        keys = np.concatenate([p * count + q, q * count + p, p * count + p, q * count + q])
        places = np.unique(np.concatenate([keys, own]))
        self.row, self.column = places // count, (places % count).astype(np.int32)
        self.start = np.searchsorted(self.row, np.arange(count + 1)).astype(np.int32)
        self.diagonal = np.searchsorted(places, own)
        sign = np.repeat([-1.0, -1.0, 1.0, 1.0], len(p))
        spring = np.tile(np.arange(len(p)), 4)
        shape = (len(places), len(p))
        self._gather = csr_array((sign, (np.searchsorted(places, keys), spring)), shape)
        ends = np.repeat([1.0, -1.0], len(p))
        self._scatter = csr_array(
            (ends, (np.concatenate([p, q]), np.tile(np.arange(len(p)), 2))), (count, len(p))
        )

    def blocks(self, per_spring: Floats) -> Floats:
        """Return the blocks of the matrix from one block per spring, (b, 3, 3)."""
        return np.asarray((self._gather @ per_spring.reshape(-1, 9)).reshape(-1, 3, 3))

    def forces(self, per_spring: Floats) -> Floats:
        """Return the force on each particle from the force on the first end of each spring, (n, 3)."""
        return np.asarray(self._scatter @ per_spring)

    def solve(self, blocks: Floats, right: Floats, guess: Floats, settings: ImplicitSettings) -> Floats:
        """Return the solution by preconditioned conjugate gradients, (n, 3)."""
        size = right.size
        matrix = bsr_array((blocks, self.column, self.start), (size, size))
        inverse = np.linalg.inv(blocks[self.diagonal])

        def precondition(r: Floats) -> Floats:
            return np.asarray(np.einsum("nab,nb->na", inverse, r.reshape(-1, 3)).ravel())

        nearly = LinearOperator((size, size), matvec=precondition, dtype=np.float64)
        found, _ = cg(
            matrix,
            right.ravel(),
            x0=guess.ravel(),
            rtol=settings.tolerance,
            maxiter=settings.iterations,
            M=nearly,
        )
        return np.asarray(found, np.float64).reshape(-1, 3)


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
        self._system = _System(self.springs.pairs, count)
        self._drag = particle_average(garment, "damping")
        self._friction = particle_average(garment, "friction") * (s.rubbing == 0)
        edges, length = rest_lengths(garment)
        strain = particle_average(garment, "strain_limit")
        limit = s.strain_limit or strain[edges].min(axis=1)
        self._limits = Sweep.over(edges, length * (1 + limit), count)
        self._free = np.ones(count)

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever forces act on them."""
        self._free = np.ones(self.garment.particle_count)
        self._free[particles] = 0.0

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        return in_substeps(self._substep, self.settings.substep, state, scene, dt)

    def _substep(self, x: Floats, v: Floats, scene: Scene, h: float, since: float) -> tuple[Floats, Floats]:
        if self.settings.rubbing:
            found, share = scene.contacts(x), rubbed_share(self.settings.rubbing, h)
            v = np.where(self._free[:, None] > 0, rubbed(v, found, self.settings.thickness, share), v)
        new = x + h * (v + self._velocity_change(x, v, scene, h))
        speed = (new - x) / h
        weight, held = self._free / self._mass, self._free == 0
        at, carried = new[held], v[held]
        thickness, friction = self.settings.thickness, self._friction
        # limits and contact undo a part of each other: take turns
        for _ in range(self.settings.rounds):
            before = new.copy()
            for _ in range(self.settings.limit_sweeps):
                self._limits.project(new, weight, 1.0, only_long=True)
            speed = speed + (new - before) / h
            new, speed = after_contact(
                scene, new, speed, since=since, dt=h, thickness=thickness, friction=friction
            )
            new[held], speed[held] = at, carried
        return new, speed

    def _velocity_change(self, x: Floats, v: Floats, scene: Scene, h: float) -> Floats:
        """Return Δv from (M − h ∂f/∂v − h² ∂f/∂x) Δv = h (f + h ∂f/∂x v), zero where pinned, (n, 3)."""
        force, by_x, by_v = spring_forces(self.springs, self.settings.damping, x, v)
        p, q = self.springs.pairs[:, 0], self.springs.pairs[:, 1]
        force = force - h * np.einsum("sab,sb->sa", by_x, v[p] - v[q])
        outer = self._mass[:, None] * (scene.gravity - self._drag[:, None] * (v - scene.wind))
        free = self._free[:, None]
        right = free * h * (self._system.forces(force) + outer)
        inertia = self._mass * (1 + h * self._drag)
        blocks = self._system.blocks(h * by_v + h * h * by_x)
        blocks[self._system.diagonal] += inertia[:, None, None] * np.eye(3)
        if not free.all():
            blocks *= (self._free[self._system.row] * self._free[self._system.column])[:, None, None]
            blocks[self._system.diagonal] += (1 - free)[:, :, None] * inertia[:, None, None] * np.eye(3)
        # what a single particle would do: exact where no spring is tense
        guess = free * h * outer / inertia[:, None]
        return free * self._system.solve(blocks, right, guess, self.settings)
