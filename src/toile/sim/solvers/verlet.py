"""Verlet steps and relaxed edge lengths (Rodríguez-Navarro et al. 2005, after Jakobsen 2001).

Only outer forces accelerate; stretch, shear and bending are one thing: every mesh edge is moved towards its
rest length, satisfied by relaxation. All particles weigh the same. Equations are numbered as in the paper.
A garment that is one grid goes its own fast way. The hot loops are engine/cloth/verlet_relax.h.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from toile import _kernels
from toile.core.choices import FORMERLY
from toile.core.errors import ToileError
from toile.core.records import Floats, Garment, Ints, Scene, State
from toile.gpu.device import check_device
from toile.gpu.verlet import VerletCloth
from toile.sim.colliders.limb_maps import LimbMapQuery
from toile.sim.solvers import verlet_device
from toile.sim.solvers.base import Solver, in_substeps
from toile.sim.solvers.constraints import particle_average, particle_order
from toile.sim.solvers.edges import after_contact, bias, rest_lengths

NO_FORCE = np.zeros(3)
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
    """a particle that goes farther in a sweep still moves [m]; 0: always all iterations"""
    moving: int = 0
    """sweeps end when no more particles than this move"""
    check_every: int = field(default=4, metadata={FORMERLY: "look_every"})
    """moving particles are counted after the first two sweeps and every n-th; the paper: every one"""
    rounds: int = 4
    """turns of relaxation and contact per time step, which share the iterations; the paper: one"""
    friction: float = 1.0
    """share of the fabric's friction; the paper has none"""
    columns: int = 0
    """cells a row, where the garment is one grid stored row by row; 0: any triangle mesh"""
    bend: float = 0.1
    """grid: part of k_s with which second neighbours keep their distance, 0 to 1; 0: folds are free"""
    shear: float = 0.1
    """mesh: edges on the bias may be that much longer or shorter, as woven cloth shears; the paper: 0"""
    precision: str = "single"
    """single, or double for reference computations"""
    thickness: float = 0.004
    """distance kept between cloth and skin [m]"""
    device: str = "cpu"
    """where it runs: cpu, or gpu (extra gpu; with limb_maps there too nothing comes back in a step)"""

    def __post_init__(self) -> None:
        check_device("solver verlet", self.device)
        if self.device == "gpu" and self.precision != "single":
            raise ToileError("a graphics device has single precision only: choose precision single")
        if not 1e-6 <= self.substep <= 0.1:
            raise ToileError(f"substep is {self.substep} s: choose between 1e-6 and 0.1 s")
        if not 0 < self.keep <= 1:
            raise ToileError(f"keep is {self.keep}: choose more than 0 and at most 1")
        if not 0 < self.stiffness <= 0.5:
            raise ToileError(f"stiffness is {self.stiffness}: choose more than 0 and at most 0.5")
        if self.iterations < 1 or self.check_every < 1 or self.rounds < 1 or self.moving < 0:
            raise ToileError("iterations, check_every and rounds must be at least 1, moving at least 0")
        if not 0 <= self.friction <= 100:
            raise ToileError(f"friction is {self.friction}: choose a share, 0 or more")
        if not 0 <= self.shear <= 0.4:
            raise ToileError(f"shear is {self.shear}: choose between 0 and 0.4")
        if not 0 <= self.bend <= 1:
            raise ToileError(f"bend is {self.bend}: choose between 0 and 1")
        if self.columns < 0:
            raise ToileError(f"columns is {self.columns}: choose 0 or more")
        if self.precision not in ("single", "double"):
            raise ToileError(f"precision is '{self.precision}': choose single or double")
        if not (0 <= self.threshold < 1 and 0 <= self.thickness < 1):
            raise ToileError("threshold and thickness must be lengths from 0 to 1 m")


GRID_LINKS = ((0, 1), (0, 2), (1, 0), (1, 1), (1, -1), (2, 0))
"""rows and columns between the ends of the links of a grid, in the kernel's order: stretch across, bending
across, stretch down, both diagonals, bending down; the rising diagonal starts one column later"""
BENDING = (False, True, False, False, False, True)


def grid_lengths(garment: Garment, columns: int) -> tuple[int, Floats]:
    """Return the rows of particles and the rest length of each link in the flat [m], (6, n); 1 where none.

    columns counts cells; particle (row, column) is row · (columns + 1) + column.
    """
    count = garment.particle_count
    if count % (columns + 1) or len(garment.uv) != count:
        raise ToileError(f"garment {garment.name}: {count} particles are no grid of {columns} columns")
    place = np.zeros((count, 2))
    place[garment.uv_particle] = garment.uv
    grid = place.reshape(-1, columns + 1, 2)
    rows = len(grid)
    rest = np.ones((len(GRID_LINKS), rows, columns + 1))
    for link, (down, right) in enumerate(GRID_LINKS):
        left, width = max(-right, 0), max(columns + 1 - abs(right), 0)
        height = max(rows - down, 0)
        start = grid[:height, left : left + width]
        end = grid[down:, left + right : left + right + width]
        rest[link, :height, :width] = np.linalg.norm(end[:height] - start, axis=2)
    return rows, rest.reshape(len(GRID_LINKS), count)


class VerletSolver(Solver):
    """Verlet with relaxed edges for one garment."""

    def __init__(self, garment: Garment, settings: VerletSettings | None = None) -> None:
        """Prepare the grid, or the edges in groups that share no particle."""
        self.settings = settings or VerletSettings()
        self.garment = garment
        self._cloth: Any = self._grid() if self.settings.columns else self._mesh()
        self._pinned = np.zeros(0, np.int32)
        self._friction = self.settings.friction * particle_average(garment, "friction")
        self._still = np.zeros((garment.particle_count, 3))
        self.sweeps = 0
        """sweeps that the last time step took"""

    @property
    def on_device(self) -> VerletCloth:
        """Return the cloth on the graphics device, for those who move it there frame by frame."""
        if not isinstance(self._cloth, VerletCloth):
            raise ToileError("this cloth is not on a graphics device: choose device gpu")
        return self._cloth

    def _grid(self) -> Any:
        s = self.settings
        rows, rest = grid_lengths(self.garment, s.columns)
        share = s.stiffness * np.where(BENDING, s.bend, 1.0)
        if s.device == "gpu":
            return verlet_device.grid_cloth(rows, s.columns + 1, GRID_LINKS, rest, share)
        kind = _kernels.VerletGridFloat if s.precision == "single" else _kernels.VerletGridDouble
        return kind(rows, s.columns + 1, rest, share)

    def _mesh(self) -> Any:
        edges, length = rest_lengths(self.garment)
        single = self.settings.precision == "single"
        kind = _kernels.VerletMeshFloat if single else _kernels.VerletMeshDouble
        slack = self.settings.shear * bias(self.garment) * length
        low, high = length - slack, length + slack
        if self.settings.device == "gpu":
            return verlet_device.mesh_cloth(
                self.garment.particle_count, edges, low, high, self.settings.stiffness
            )
        return kind(particle_order(self.garment), edges, low, high, self.settings.stiffness)

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever forces act on them."""
        self._pinned = np.unique(np.asarray(particles, dtype=np.int32))
        self._cloth.pin(self._pinned)

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        query = scene.contacts
        if self.settings.device == "gpu" and isinstance(query, LimbMapQuery) and query.on_device is not None:
            found, self.sweeps = verlet_device.step(
                self._cloth, query.on_device, self.settings, self._friction, state, scene, dt
            )
            return found
        return in_substeps(self._substep, self.settings.substep, state, scene, dt)

    def _substep(self, x: Floats, v: Floats, scene: Scene, h: float, since: float) -> tuple[Floats, Floats]:
        s = self.settings
        stop = {"threshold": s.threshold, "check_every": s.check_every, "moving": s.moving}
        each = -(-s.iterations // s.rounds)
        # eq. 1, then eq. 2 until nothing moves or the sweeps are used up
        new, speed, self.sweeps = self._cloth.step(
            x, v, h, s.keep ** (h / PAPER_STEP), scene.gravity, scene.wind, each, **stop
        )
        held, carried = new[self._pinned], speed[self._pinned]
        left = s.iterations - each
        while True:
            new, speed = after_contact(
                scene, new, speed, since=since, dt=h, thickness=s.thickness, friction=self._friction
            )
            new[self._pinned], speed[self._pinned] = held, carried
            if not left:
                break
            # relaxation and contact undo a part of each other: they take turns
            count = min(each, left)
            relaxed, _, sweeps = self._cloth.step(new, self._still, h, 1.0, NO_FORCE, NO_FORCE, count, **stop)
            new, speed = relaxed, speed + (relaxed - new) / h
            left, self.sweeps = left - count, self.sweeps + sweeps
        return new, speed
