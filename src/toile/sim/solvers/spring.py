"""Mass-spring cloth in explicit steps (Vassilev et al. 2001; Provot 1995).

Weak springs allow long steps but stretch like rubber. What is longer than a threshold is therefore kept from
growing by changing velocities (or positions, or the stiffness): setting `over_elongation`. Equation numbers
are those of "Fast cloth animation on walking avatars" unless said otherwise; see docs/solver-spring.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from toile import _kernels
from toile.core.errors import ToileError
from toile.core.records import Floats, Garment, Ints, Scene, State
from toile.garment.particles import particle_mass, triangle_rest_areas
from toile.geometry.triangles import vertex_areas
from toile.sim.colliders.contacts import contact_grip
from toile.sim.colliders.maps import Maps
from toile.sim.solvers.base import Solver
from toile.sim.solvers.constraints import particle_average
from toile.sim.solvers.edges import contacts_then, drift
from toile.sim.solvers.spring_network import grid_points, longest_step, make_springs, with_seams

RULES = {"none": 0, "stiff": 0, "position": 4, "zero": 1, "average": 2, "directional": 3}
"""what happens to springs that are too long, and the kernel's number for it"""
NO_FACES = np.zeros((0, 4), dtype=np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpringSettings:
    """Settings of the mass-spring solver."""

    structural: float = 60.0
    """stiffness of springs along warp and weft [N/m]"""
    shear: float = 20.0
    """stiffness of springs on the bias [N/m]"""
    flexion: float = 1.0
    """stiffness of springs across an edge (mesh) or to the second neighbour (grid) [N/m]"""
    over_elongation: str = "average"
    """none, stiff, position, zero, average or directional"""
    threshold: float = 0.05
    """elongation from which a spring is over-elongated, 0.01 to 0.15"""
    gravity_directs: bool = False
    """directional: also where no moving object pushes, as the paper has it; hanging cloth runs away then"""
    stiffening: float = 10.0
    """stiff: factor on structural and shear"""
    sweeps: int = 4
    """how often per step all over-elongated springs are visited; the paper: once"""
    damping: float = 1.0
    """viscous damping C_vd per mass [1/s]"""
    air: float = 0.1
    """Provot's wind: force per area and normal speed of the air [N·s/m³]"""
    step: float = 0.0
    """time step [s]; 0: the longest that equation 4 allows"""
    columns: int = 0
    """cells a row, where the garment is a grid stored row by row; 0: any triangle mesh"""
    even_mass: bool = False
    """every particle weighs the same, as in the papers: longer steps where a grid has narrow cells"""
    contact_queries: int = 2
    """how often per call the nearest skin is looked up; 0: before every Euler step, as in the papers"""
    thickness: float = 0.004
    """distance kept between cloth and skin [m]"""
    response: str = "coulomb"
    """to contact: coulomb (as all solvers) or velocity (equations 15 and 16 of the paper)"""
    slide: float = 0.7
    """velocity: C_fric of equation 15, the part of the sliding speed that is kept, 0 to 1"""
    reflection: float = 0.1
    """velocity: C_refl of equation 15, the part of the approach that is thrown back, 0 to 1"""
    grip: float = 0.3
    """velocity: C_fric of equation 16, the part of a force along the skin that the skin takes, 0 to 1"""
    midpoints: bool = True
    """velocity: the middles of quads and triangles collide too, and answer for all their corners"""
    speed_limit: float = 20.0
    """no particle moves faster [m/s]"""
    sewing: str = "engine"
    """who closes the seams: engine (the default engine), elastic (forces of this solver along the seam lines,
    without gravity, as in the papers) or pulled (the same by velocities)"""
    seam_stiffness: float = 40.0
    """elastic: of the forces that pull two sewn particles together [N/m]"""

    def __post_init__(self) -> None:
        if self.over_elongation not in RULES:
            raise ToileError(f"over_elongation is '{self.over_elongation}': choose from {', '.join(RULES)}")
        if not 0.01 <= self.threshold <= 0.15:
            raise ToileError(f"threshold is {self.threshold}: choose between 0.01 and 0.15 (1 to 15 %)")
        for name in ("structural", "shear", "stiffening", "speed_limit"):
            if not 0 < getattr(self, name) < 1e6:
                raise ToileError(f"{name} is {getattr(self, name)}: choose a positive number under 1e6")
        for name in ("flexion", "damping", "air", "step", "thickness"):
            if not 0 <= getattr(self, name) < 1e6:
                raise ToileError(f"{name} is {getattr(self, name)}: choose 0 or more")
        if self.response not in ("coulomb", "velocity"):
            raise ToileError(f"response is '{self.response}': choose coulomb or velocity")
        if self.sewing not in ("engine", "elastic", "pulled"):
            raise ToileError(f"sewing is '{self.sewing}': choose engine, elastic or pulled")
        if not 0 < self.seam_stiffness < 1e6:
            raise ToileError(f"seam_stiffness is {self.seam_stiffness}: choose a positive number under 1e6")
        for name in ("slide", "reflection", "grip"):
            if not 0 <= getattr(self, name) <= 1:
                raise ToileError(f"{name} is {getattr(self, name)}: choose between 0 and 1")
        if self.contact_queries < 0 or self.sweeps < 1 or self.columns < 0:
            raise ToileError("contact_queries and columns must be at least 0, sweeps at least 1")


@dataclass(frozen=True, eq=False, slots=True)
class Sewn:
    """Cloth whose seams elastic forces have pulled together."""

    state: State
    iterations: int
    """Euler steps that it took"""
    gap: float
    """how far the widest seam is open [m]"""


class SpringSolver(Solver):
    """Mass-spring cloth for one garment."""

    def __init__(self, garment: Garment, settings: SpringSettings | None = None) -> None:
        """Make the springs and find the longest stable step."""
        self.settings = s = settings or SpringSettings()
        self.garment = garment
        self.mass = particle_mass(garment)
        if s.even_mass:
            self.mass = np.full_like(self.mass, self.mass.mean())
        factor = s.stiffening if s.over_elongation == "stiff" else 1.0
        self.springs = make_springs(garment, factor * s.structural, factor * s.shear, s.flexion, s.columns)
        self.longest_step = longest_step(self.mass, self.springs)
        if s.step > self.longest_step:
            raise ToileError(
                f"step is {s.step:g} s: these springs are stable up to {self.longest_step:.3g} s (equation 4)"
            )
        self.area = vertex_areas(triangle_rest_areas(garment), garment.triangles, len(self.mass))
        self.friction = particle_average(garment, "friction")
        self.pinned = np.zeros(len(self.mass), dtype=bool)
        self._check_air()
        velocities = s.response == "velocity"
        self._faces = middle_faces(garment, s.columns) if velocities and s.midpoints else NO_FACES
        net = self.springs
        self._cloth = _kernels.SpringCloth(
            net.ends, net.rest, net.stiffness, net.limited, self.mass, s.air * self.area, self.friction,
            garment.triangles, self._faces,
        )  # fmt: skip
        self._cloth.set_options(
            damping=s.damping, rule=RULES[s.over_elongation], threshold=s.threshold, sweeps=s.sweeps,
            gravity_directs=s.gravity_directs, thickness=s.thickness, speed_limit=s.speed_limit,
            by_velocity=velocities, slide=s.slide, reflection=s.reflection, grip=s.grip,
        )  # fmt: skip

    def _check_air(self) -> None:
        """Refuse drag that an explicit step would overshoot."""
        rate = self.settings.damping + float((self.settings.air * self.area / self.mass).max())
        if rate * self.longest_step > 1:
            raise ToileError(f"damping and air take {rate:.3g} of the speed a second: choose less")

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever forces act on them."""
        self.pinned = np.zeros(len(self.mass), dtype=bool)
        self.pinned[particles] = True
        self._cloth.pin(self.pinned)

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        updates, count = self.substeps(dt)
        h, x, v = dt / updates / count, state.position, state.velocity
        if count == 1 and isinstance(scene.contacts, Maps):
            x, v, *_ = self._in_maps(x, v, scene, scene.contacts, updates, h)
        else:
            for update in range(updates):
                x, v, *_ = self._steps(x, v, scene, count, h, update * count * h)
        return State(position=x, velocity=v, time=state.time + dt)

    def substeps(self, dt: float) -> tuple[int, int]:
        """Return how often the skin is looked up in dt seconds, and the Euler steps between two updates."""
        longest = self.settings.step or self.longest_step
        updates = self.settings.contact_queries or max(1, int(np.ceil(dt / longest - 1e-9)))
        return updates, max(1, int(np.ceil(dt / updates / longest - 1e-9)))

    def sew(
        self, state: State, scene: Scene, pairs: Ints, *, closed: float, most: int, rate: float, speed: float
    ) -> Sewn:
        """Pull the sides of seams together (Efficient Cloth Model, section 1).

        pairs (m, 2) are particles that come together: by elastic forces where `sewing` says so, else by
        velocities, a gap at `rate` [1/s] up to `speed` [m/s]. Ends when no gap is wider than `closed` [m], or
        after `most` Euler steps; the skin is looked up in each.
        """
        s, pairs = self.settings, np.ascontiguousarray(pairs, dtype=np.int32)
        stiffness = s.seam_stiffness if s.sewing == "elastic" else 0.0
        self._cloth.set_seams(pairs, rate, speed, stiffness)
        h = s.step or self.longest_step
        if stiffness:
            # equation 4 with the seams' springs; their damping asks for half of it
            h = min(h, 0.5 * longest_step(self.mass, with_seams(self.springs, pairs, stiffness)))
        x, v, done, gap = state.position, state.velocity, 0, np.inf
        if isinstance(scene.contacts, Maps):
            x, v, done, gap = self._in_maps(x, v, scene, scene.contacts, most, h, closed)
        while done < most and gap > closed:
            x, v, _, gap = self._steps(x, v, scene, 1, h, 0.0)
            done += 1
        self._cloth.set_seams(np.zeros((0, 2), np.int32), rate, speed)
        return Sewn(State(x, v, state.time + done * h), done, gap)

    def _steps(self, x: Floats, v: Floats, scene: Scene, count: int, h: float, since: float) -> Any:
        found = contacts_then(scene, with_middles(x, self._faces), since)
        return self._cloth.steps(
            x, v, count, h, since, scene.gravity, scene.wind,
            found.particle, found.gap, found.normal, found.velocity, contact_grip(found),
        )  # fmt: skip

    def _in_maps(
        self, x: Floats, v: Floats, scene: Scene, maps: Maps, count: int, h: float, closed: float = 0.0
    ) -> Any:
        """Take steps with a look into the maps before each, all in the kernel."""
        f = maps.frame
        return self._cloth.steps_in_maps(
            x, v, count, h, 0.0, scene.gravity, scene.wind,
            maps.texels, f.left, f.top, f.pixel, maps.reach, maps.refine, closed, maps.by_depth, drift(scene),
        )  # fmt: skip


def middle_faces(garment: Garment, columns: int = 0) -> Ints:
    """Return the particles of quads (in grids) and triangles, -1 last for triangles, (f, 4)."""
    grids = [np.arange(garment.particle_count, dtype=np.int32).reshape(-1, columns + 1)] if columns else []
    grids = grids or grid_points(garment)
    quads = [np.stack([g[:-1, :-1], g[:-1, 1:], g[1:, 1:], g[1:, :-1]], axis=2).reshape(-1, 4) for g in grids]
    in_grid = np.zeros(len(garment.uv), dtype=bool)
    in_grid[np.concatenate([np.zeros(0, np.int32), *(g.ravel() for g in grids)])] = True
    rest = garment.triangles[~in_grid[garment.triangles_uv[:, 0]]]
    threes = np.concatenate([rest, np.full((len(rest), 1), -1, np.int32)], axis=1)
    fours = [garment.uv_particle[q] for q in quads]
    return np.ascontiguousarray(np.concatenate([*fours, threes]).astype(np.int32))


def with_middles(position: Floats, faces: Ints) -> Floats:
    """Return the positions and, after them, the middles of faces, (n + f, 3)."""
    if not len(faces):
        return position
    real = (faces >= 0)[:, :, None]
    middle = (position[faces] * real).sum(axis=1) / real.sum(axis=1)
    return np.concatenate([position, middle])
