"""Mass-spring cloth in explicit steps (Vassilev et al. 2001; Provot 1995).

Weak springs allow long steps but stretch like rubber. What is longer than a threshold is therefore kept from
growing by changing velocities (or positions, or the stiffness): setting `over_elongation`. Equation numbers
are those of "Fast cloth animation on walking avatars" unless said otherwise; see docs/solver-spring.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toile import _kernels
from toile.cloth.spring_net import Springs, grid_points, longest_step, make_springs, spring_forces
from toile.cloth.xpbd import particle_average
from toile.collision.contacts import respond
from toile.errors import ToileError
from toile.garment.build import particle_mass, triangle_rest_areas
from toile.mesh.geometry import vertex_areas, vertex_normals
from toile.types import Bools, Contacts, Floats, Garment, Ints, Scene, State

PERPENDICULAR = 0.3
"""a spring with a smaller |cos α| lies across the directional vector"""

Rule = Callable[[Floats, Floats, Floats, Floats], tuple[Floats, Floats]]
"""(v₁, v₂ along the spring, share of particle 1 in the mass, cos α) → new v₁, v₂"""


def _zero(v1: Floats, v2: Floats, share: Floats, cosine: Floats) -> tuple[Floats, Floats]:
    """Stop both ends along the spring (Efficient Cloth Model, section 4.3)."""
    return np.zeros_like(v1), np.zeros_like(v2)


def _average(v1: Floats, v2: Floats, share: Floats, cosine: Floats) -> tuple[Floats, Floats]:
    """Give both ends their mean, equation 5; weighted by mass, so that momentum is kept."""
    mean = share * v1 + (1 - share) * v2
    return mean, mean


def _directional(v1: Floats, v2: Floats, share: Floats, cosine: Floats) -> tuple[Floats, Floats]:
    """Let the rear end catch up with the front one (section 3.2); across the direction, their mean."""
    mean = share * v1 + (1 - share) * v2
    across = np.abs(cosine) < PERPENDICULAR
    front = np.where(cosine > 0, v2, v1)
    new = np.where(across, mean, front)
    return new, new


RULES: dict[str, Rule | None] = {
    "none": None,
    "stiff": None,
    "position": None,
    "zero": _zero,
    "average": _average,
    "directional": _directional,
}
"""what happens to springs that are too long; None: their velocities are left alone"""
RULE_NUMBERS = {"none": 0, "stiff": 0, "zero": 1, "average": 2, "directional": 3, "position": 4}
"""the kernel's numbers"""
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
    contact_queries: int = 2
    """how often per call the nearest skin is looked up"""
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
        for name in ("slide", "reflection", "grip"):
            if not 0 <= getattr(self, name) <= 1:
                raise ToileError(f"{name} is {getattr(self, name)}: choose between 0 and 1")
        if self.contact_queries < 1 or self.sweeps < 1 or self.columns < 0:
            raise ToileError("contact_queries and sweeps must be at least 1, columns at least 0")


class SpringSolver:
    """Mass-spring cloth for one garment."""

    def __init__(self, garment: Garment, settings: SpringSettings | None = None) -> None:
        """Make the springs and find the longest stable step."""
        self.settings = s = settings or SpringSettings()
        self.garment = garment
        self.mass = particle_mass(garment)
        if not (self.mass > 0).all():
            lost = int(np.flatnonzero(~(self.mass > 0))[0])
            raise ToileError(f"garment {garment.name}: particle {lost} belongs to no triangle with an area")
        factor = s.stiffening if s.over_elongation == "stiff" else 1.0
        self.springs = make_springs(garment, factor * s.structural, factor * s.shear, s.flexion, s.columns)
        self.longest_step = longest_step(garment, self.springs)
        if s.step > self.longest_step:
            raise ToileError(
                f"step is {s.step:g} s: these springs are stable up to {self.longest_step:.3g} s (equation 4)"
            )
        self._area = vertex_areas(triangle_rest_areas(garment), garment.triangles, len(self.mass))
        self._friction = particle_average(garment, "friction")
        self._pinned = np.zeros(len(self.mass), dtype=bool)
        self._check_air()
        self._faces = (
            middle_faces(garment, s.columns) if s.response == "velocity" and s.midpoints else NO_FACES
        )
        net = self.springs
        air = s.air * self._area
        self._cloth = _kernels.SpringCloth(
            net.ends, net.rest, net.stiffness, net.limited, self.mass, air, self._friction,
            garment.triangles, self._faces,
        )  # fmt: skip

    def _check_air(self) -> None:
        """Refuse drag that an explicit step would overshoot."""
        rate = self.settings.damping + float((self.settings.air * self._area / self.mass).max())
        if rate * self.longest_step > 1:
            raise ToileError(f"damping and air take {rate:.3g} of the speed a second: choose less")

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever pulls at them."""
        self._pinned = np.zeros(len(self.mass), dtype=bool)
        self._pinned[particles] = True
        self._cloth.pin(self._pinned)

    def forces(self, position: Floats, velocity: Floats, gravity: Floats, wind: Floats) -> Floats:
        """Return the force on each particle [N], (n, 3): springs, gravity, viscous damping, wind."""
        s = self.settings
        total = spring_forces(position, self.springs) + self.mass[:, None] * gravity
        total -= (s.damping * self.mass)[:, None] * velocity
        if s.air:
            total += wind_forces(position, velocity, wind, self.garment.triangles, s.air * self._area)
        return total

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        s, parts = self.settings, self.settings.contact_queries
        count = self._substeps(dt)
        x, v = state.position, state.velocity
        for part in range(parts):
            found = scene.contacts(with_middles(x, self._faces))
            x, v = self._cloth.steps(
                x, v, count, dt / parts / count, part * dt / parts, scene.gravity, scene.wind,
                found.particle, found.gap, found.normal, found.velocity,
                damping=s.damping, rule=RULE_NUMBERS[s.over_elongation], threshold=s.threshold,
                sweeps=s.sweeps,
                gravity_directs=s.gravity_directs, thickness=s.thickness, speed_limit=s.speed_limit,
                by_velocity=s.response == "velocity", slide=s.slide, reflection=s.reflection, grip=s.grip,
            )  # fmt: skip
        return State(position=x, velocity=v, time=state.time + dt)

    def _substeps(self, dt: float) -> int:
        """Return how many explicit steps lie between two looks at the skin."""
        longest = self.settings.step or self.longest_step
        return max(1, int(np.ceil(dt / self.settings.contact_queries / longest - 1e-9)))

    def reference_step(self, state: State, scene: Scene, dt: float) -> State:
        """Return what step returns, in NumPy, without midpoints: what the kernel is tested against."""
        parts, count = self.settings.contact_queries, self._substeps(dt)
        position, velocity = state.position.copy(), state.velocity.copy()
        for part in range(parts):
            skin = _Skin(scene.contacts(position), position, part * dt / parts)
            for _ in range(count):
                position, velocity = self._substep(position, velocity, skin, scene, dt / parts / count)
        return State(position=position, velocity=velocity, time=state.time + dt)

    def _substep(self, x: Floats, v: Floats, skin: _Skin, scene: Scene, dt: float) -> tuple[Floats, Floats]:
        """Return position and velocity after one explicit step, equation 3."""
        s, free = self.settings, ~self._pinned[:, None]
        by_velocity = s.response == "velocity"
        force = self.forces(x, v, scene.gravity, scene.wind)
        if by_velocity:
            force = skin.reacted(force, x, s.thickness, s.grip)
        v = v + free * (dt / self.mass[:, None]) * force
        # limit the elongation before moving: velocities
        rule = RULES[s.over_elongation]
        if rule is not None:
            direction = self._directions(skin.object_velocity(x, s.thickness), scene.gravity * dt)
            modify_velocities(x, v, self.springs, rule, self._held_mass(), s.threshold, direction, s.sweeps)
        if by_velocity:
            v = np.where(free, skin.bounced(v, x, s.thickness, s.slide, s.reflection), v)
        v = _slowed(v, s.speed_limit, self._pinned)
        start, x = x, x + dt * v
        # ... or after moving: positions
        if s.over_elongation == "position":
            modify_positions(x, self.springs, self._held_mass(), s.threshold, s.sweeps)
            v = np.where(free, (x - start) / dt, v)
        skin.advance(dt)
        if by_velocity:
            return x, v
        moved, slowed = respond(x, v, skin.contacts(x), thickness=s.thickness, friction=self._friction, dt=dt)
        return np.where(free, moved, x), np.where(free, slowed, v)

    def _directions(self, object_velocity: Floats, falling: Floats) -> Floats:
        """Return the directional vector of each spring; zero, so that equation 5 holds, where nothing pushes.

        Under gravity alone the upper end would follow the falling one: what hangs would run away.
        """
        direction = directional_vectors(self.springs, object_velocity, falling)
        if self.settings.gravity_directs:
            return direction
        pushed = np.linalg.norm(direction - falling, axis=1) > np.linalg.norm(falling)
        return np.asarray(direction * pushed[:, None])

    def _held_mass(self) -> Floats:
        """Return the masses, infinite where pinned, (n,)."""
        return np.where(self._pinned, np.inf, self.mass)


class _Skin:
    """The contact planes of one query, carried on with the skin's velocity."""

    def __init__(self, found: Contacts, position: Floats, time: float) -> None:
        self._found, self._position, self._time = found, position[found.particle], time

    def advance(self, dt: float) -> None:
        self._time += dt

    def contacts(self, x: Floats) -> Contacts:
        """Return the contacts of particles that have moved to x since the query."""
        f = self._found
        way = x[f.particle] - self._position - self._time * f.velocity
        return Contacts(f.particle, f.gap + np.einsum("ck,ck->c", f.normal, way), f.normal, f.velocity)

    def bounced(self, v: Floats, x: Floats, thickness: float, slide: float, reflection: float) -> Floats:
        """Return the velocities after equation 15; several answers are averaged."""
        found = self.contacts(x)
        p = found.particle
        new = velocity_response(v[p], found.normal, found.velocity, slide, reflection)
        approach = np.einsum("ck,ck->c", v[p] - found.velocity, found.normal) < 0
        hit = np.flatnonzero((found.gap < thickness) & approach)
        count = np.bincount(p[hit], minlength=len(v))[:, None]
        total = np.zeros_like(v)
        np.add.at(total, p[hit], new[hit])
        return np.asarray(np.where(count > 0, total / np.maximum(count, 1), v))

    def reacted(self, force: Floats, x: Floats, thickness: float, grip: float) -> Floats:
        """Return the forces with the skin's reaction, equation 16, one contact after the other."""
        found, force = self.contacts(x), force.copy()
        for c in np.flatnonzero(found.gap < thickness):
            p = found.particle[c]
            force[p] += reaction_force(force[[p]], found.normal[[c]], grip)[0]
        return force

    def object_velocity(self, x: Floats, thickness: float) -> Floats:
        """Return the velocity of what each particle touches [m/s], NaN where it touches nothing, (n, 3)."""
        found = self.contacts(x)
        touching = found.gap <= thickness + 1e-3
        velocity = np.full(x.shape, np.nan)
        velocity[found.particle[touching]] = found.velocity[touching]
        return velocity


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


def velocity_response(
    velocity: Floats, normal: Floats, skin: Floats, slide: float, reflection: float
) -> Floats:
    """Return C_fric v_t − C_refl v_n + v_object, equation 15 [m/s], (c, 3), of what approaches; else v."""
    relative = velocity - skin
    approach = np.einsum("ck,ck->c", relative, normal)[:, None]
    across = relative - approach * normal
    return np.asarray(
        np.where(approach < 0, slide * across - reflection * approach * normal + skin, velocity)
    )


def reaction_force(force: Floats, normal: Floats, grip: float) -> Floats:
    """Return −C_fric f_t − f_n, equation 16 [N], (c, 3), where the force presses into the skin; else zero."""
    press = np.einsum("ck,ck->c", force, normal)[:, None]
    return np.asarray(np.where(press < 0, -grip * (force - press * normal) - press * normal, 0.0))


def wind_forces(
    position: Floats, velocity: Floats, wind: Floats, triangles: Ints, strength: Floats
) -> Floats:
    """Return Provot's (1995) force of air that moves with `wind` [N], (n, 3): c (n · (u − v)) n.

    strength is c per particle [N·s/m]. In still air this is drag on what moves broadside.
    """
    normal = vertex_normals(position, triangles)
    speed = np.einsum("nk,nk->n", normal, wind - velocity)
    return np.asarray((strength * speed)[:, None] * normal)


def directional_vectors(springs: Springs, object_velocity: Floats, falling: Floats) -> Floats:
    """Return v_dir = g Δt + v_object of each spring [m/s], (s, 3): equation 6.

    v_object is the mean over the spring's ends that touch something (rows that are not NaN), else zero.
    """
    at_ends = object_velocity[springs.ends]
    touching = np.isfinite(at_ends[:, :, 0])
    total = np.where(touching[:, :, None], at_ends, 0.0).sum(axis=1)
    return np.asarray(falling + total / np.maximum(touching.sum(axis=1), 1)[:, None])


def over_elongated(position: Floats, springs: Springs, threshold: float) -> tuple[Ints, Floats]:
    """Return the springs that are too long and their unit vectors from end 1 to end 2."""
    way = position[springs.ends[:, 1]] - position[springs.ends[:, 0]]
    length = np.sqrt(np.einsum("sk,sk->s", way, way))
    found = np.flatnonzero(springs.limited & (length > (1 + threshold) * springs.rest))
    return found.astype(np.int32), way[found] / length[found, None]


def modify_velocities(
    position: Floats,
    velocity: Floats,
    springs: Springs,
    rule: Rule,
    mass: Floats,
    threshold: float,
    direction: Floats,
    sweeps: int = 1,
) -> None:
    """Keep over-elongated springs from growing: changes `velocity` along them, in place.

    Springs that are already getting shorter are left alone. A pinned end (infinite mass) keeps its velocity
    and gives it to the other. Springs are visited one colour after the other.
    """
    found, along = over_elongated(position, springs, threshold)
    if not len(found):
        return
    cut = np.searchsorted(found, springs.colour_start)
    speed = np.linalg.norm(direction[found], axis=1)
    cosine = np.einsum("sk,sk->s", along, direction[found]) / np.maximum(speed, 1e-12)
    m1, m2 = mass[springs.ends[found, 0]], mass[springs.ends[found, 1]]
    share = _share(m1, m2)
    for _ in range(sweeps):
        for low, high in itertools.pairwise(cut):
            if low == high:
                continue
            now = slice(low, high)
            a, b = springs.ends[found[now]].T
            v1 = np.einsum("sk,sk->s", velocity[a], along[now])
            v2 = np.einsum("sk,sk->s", velocity[b], along[now])
            new1, new2 = rule(v1, v2, share[now], cosine[now])
            new2 = np.where(np.isinf(m1[now]), v1, new2)
            new1 = np.where(np.isinf(m2[now]), v2, new1)
            grows = v2 > v1
            velocity[a] += ((new1 - v1) * (grows & np.isfinite(m1[now])))[:, None] * along[now]
            velocity[b] += ((new2 - v2) * (grows & np.isfinite(m2[now])))[:, None] * along[now]


def modify_positions(
    position: Floats, springs: Springs, mass: Floats, threshold: float, sweeps: int = 1
) -> None:
    """Shorten over-elongated springs to the threshold (Provot 1995): moves `position`, in place."""
    for _ in range(sweeps):
        for low, high in itertools.pairwise(springs.colour_start):
            a, b = springs.ends[low:high].T
            way = position[b] - position[a]
            length = np.maximum(np.sqrt(np.einsum("sk,sk->s", way, way)), 1e-12)
            excess = np.maximum(length - (1 + threshold) * springs.rest[low:high], 0.0)
            excess *= springs.limited[low:high] & np.isfinite(np.minimum(mass[a], mass[b]))
            share = _share(mass[a], mass[b])
            way *= (excess / length)[:, None]
            position[a] += (1 - share)[:, None] * way
            position[b] -= share[:, None] * way


def _share(m1: Floats, m2: Floats) -> Floats:
    """Return m₁ / (m₁ + m₂), with a pinned end as the whole mass."""
    held1, held2 = np.isinf(m1), np.isinf(m2)
    a, b = np.where(held1, 1.0, m1), np.where(held2, 1.0, m2)
    share = np.where(held1 == held2, a / (a + b), held1)
    return np.asarray(share, dtype=np.float64)


def _slowed(velocity: Floats, limit: float, pinned: Bools) -> Floats:
    """Return velocities with no free particle faster than the limit [m/s]."""
    speed = np.linalg.norm(velocity, axis=1)
    factor = np.where(pinned, 1.0, np.minimum(1.0, limit / np.maximum(speed, 1e-12)))
    return np.asarray(velocity * factor[:, None])
