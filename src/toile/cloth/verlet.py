"""Verlet steps and relaxed edge lengths (Rodríguez-Navarro et al. 2005, after Jakobsen 2001).

Only outer forces accelerate; stretch, shear and bending are one thing, the wish of every mesh edge for its
rest length, satisfied by relaxation. All particles weigh the same. Equations are numbered as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.cloth.edges import Sweep, after_contact, rest_lengths
from toile.cloth.solver import in_substeps
from toile.cloth.xpbd import particle_average
from toile.errors import ToileError
from toile.types import Floats, Garment, Ints, Scene, State

PAPER_STEP = 0.01
"""time step for which `keep` is stated [s]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerletSettings:
    """Settings of the Verlet solver."""

    substep: float = PAPER_STEP
    """longest time step [s]"""
    keep: float = 0.99
    """ε of eq. 1: part of the way that is repeated after 0.01 s, 0 < ε ≤ 1; 1 is no drag"""
    stiffness: float = 0.5
    """k_s of eq. 2: part of an edge's error that each of its ends mends, 0 < k_s ≤ 0.5"""
    iterations: int = 40
    """most sweeps over all edges per time step"""
    threshold: float = 1e-5
    """stop sweeping when no particle moved farther in a sweep [m]; 0: always all iterations"""
    thickness: float = 0.004
    """distance kept between cloth and skin [m]"""

    def __post_init__(self) -> None:
        if not 1e-6 <= self.substep <= 0.1:
            raise ToileError(f"substep is {self.substep} s: choose between 1e-6 and 0.1 s")
        if not 0 < self.keep <= 1:
            raise ToileError(f"keep is {self.keep}: choose more than 0 and at most 1")
        if not 0 < self.stiffness <= 0.5:
            raise ToileError(f"stiffness is {self.stiffness}: choose more than 0 and at most 0.5")
        if self.iterations < 1:
            raise ToileError("iterations must be at least 1")
        if not (0 <= self.threshold < 1 and 0 <= self.thickness < 1):
            raise ToileError("threshold and thickness must be lengths from 0 to 1 m")


class VerletSolver:
    """Verlet with relaxed edges for one garment."""

    def __init__(self, garment: Garment, settings: VerletSettings | None = None) -> None:
        """Prepare the edges in groups that share no particle."""
        self.settings = settings or VerletSettings()
        self.garment = garment
        edges, length = rest_lengths(garment)
        self._sweep = Sweep.over(edges, length, garment.particle_count)
        self._weight = np.ones(garment.particle_count)
        self._friction = particle_average(garment, "friction")
        self.sweeps = 0
        """sweeps that the last time step took"""

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever pulls at them."""
        self._weight = np.ones(self.garment.particle_count)
        self._weight[particles] = 0.0

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        return in_substeps(self._substep, self.settings.substep, state, scene, dt)

    def _substep(self, x: Floats, v: Floats, scene: Scene, h: float, since: float) -> tuple[Floats, Floats]:
        keep = self.settings.keep ** (h / PAPER_STEP)
        # eq. 1, with x_n − x_{n−1} = h v; drag slows towards the air's velocity
        way = scene.wind * h + keep * (v - scene.wind) * h + scene.gravity * h**2
        free = self._weight[:, None] > 0
        new = x + np.where(free, way, v * h)
        self._relax(new)
        speed = (new - x) / h
        held, carried = new[~free[:, 0]], v[~free[:, 0]]
        new, speed = after_contact(
            scene,
            new,
            speed,
            since=since,
            dt=h,
            thickness=self.settings.thickness,
            friction=self._friction,
        )
        new[~free[:, 0]], speed[~free[:, 0]] = held, carried
        return new, speed

    def _relax(self, x: Floats) -> None:
        """Sweep eq. 2 over all edges, in place, until nothing moves or the sweeps are used up."""
        threshold = self.settings.threshold
        for sweep in range(1, self.settings.iterations + 1):
            self.sweeps = sweep
            before = x.copy() if threshold else x
            self._sweep.project(x, self._weight, 2 * self.settings.stiffness)
            if threshold and np.abs(x - before).max() < threshold:
                return
