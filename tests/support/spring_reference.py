"""Solver `spring` once more in NumPy, equation by equation: what its kernel is tested against.

Equation numbers are those of Vassilev et al. 2001, "Fast cloth animation on walking avatars".
"""

import itertools
from collections.abc import Callable

import numpy as np

from toile.core.records import Bools, Contacts, Floats, Ints, Scene, State
from toile.geometry.triangles import vertex_normals
from toile.sim.colliders.contacts import respond
from toile.sim.solvers.spring import SpringSolver
from toile.sim.solvers.spring_network import Springs

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


def spring_forces(position: Floats, springs: Springs) -> Floats:
    """Return the internal force on each particle [N], (n, 3): Vassilev et al. 2001, equation 2."""
    a, b = springs.ends[:, 0], springs.ends[:, 1]
    way = position[b] - position[a]
    length = np.maximum(np.sqrt(np.einsum("sk,sk->s", way, way)), 1e-12)
    pull = way * (springs.stiffness * (1 - springs.rest / length))[:, None]
    count = len(position)
    total = [np.bincount(a, pull[:, k], count) - np.bincount(b, pull[:, k], count) for k in range(3)]
    return np.stack(total, axis=1)


def forces(solver: SpringSolver, position: Floats, velocity: Floats, gravity: Floats, wind: Floats) -> Floats:
    """Return the force on each particle [N], (n, 3): springs, gravity, viscous damping, wind."""
    s = solver.settings
    total = spring_forces(position, solver.springs) + solver.mass[:, None] * gravity
    total -= (s.damping * solver.mass)[:, None] * velocity
    if s.air:
        total += wind_forces(position, velocity, wind, solver.garment.triangles, s.air * solver.area)
    return total


def reference_step(solver: SpringSolver, state: State, scene: Scene, dt: float) -> State:
    """Return what solver.step returns, without midpoints."""
    looks, count = solver.substeps(dt)
    position, velocity = state.position.copy(), state.velocity.copy()
    for look in range(looks):
        skin = _Skin(scene.contacts(position), position, look * dt / looks)
        for _ in range(count):
            position, velocity = _substep(solver, position, velocity, skin, scene, dt / looks / count)
    return State(position=position, velocity=velocity, time=state.time + dt)


def _substep(
    solver: SpringSolver, x: Floats, v: Floats, skin: "_Skin", scene: Scene, dt: float
) -> tuple[Floats, Floats]:
    """Return position and velocity after one explicit step, equation 3."""
    s, free = solver.settings, ~solver.pinned[:, None]
    held = np.where(solver.pinned, np.inf, solver.mass)
    by_velocity = s.response == "velocity"
    force = forces(solver, x, v, scene.gravity, scene.wind)
    if by_velocity:
        force = skin.reacted(force, x, s.thickness, s.grip)
    v = v + free * (dt / solver.mass[:, None]) * force
    # limit the elongation before moving: velocities
    rule = RULES[s.over_elongation]
    if rule is not None:
        direction = _directions(solver, skin.object_velocity(x, s.thickness), scene.gravity * dt)
        modify_velocities(x, v, solver.springs, rule, held, s.threshold, direction, s.sweeps)
    if by_velocity:
        v = np.where(free, skin.bounced(v, x, s.thickness, s.slide, s.reflection), v)
    v = _slowed(v, s.speed_limit, solver.pinned)
    start, x = x, x + dt * v
    # ... or after moving: positions
    if s.over_elongation == "position":
        modify_positions(x, solver.springs, held, s.threshold, s.sweeps)
        v = np.where(free, (x - start) / dt, v)
    skin.advance(dt)
    if by_velocity:
        return x, v
    moved, slowed = respond(x, v, skin.contacts(x), thickness=s.thickness, friction=solver.friction, dt=dt)
    return np.where(free, moved, x), np.where(free, slowed, v)


def _directions(solver: SpringSolver, object_velocity: Floats, falling: Floats) -> Floats:
    """Return the directional vector of each spring; zero, so that equation 5 holds, where nothing pushes.

    Under gravity alone the upper end would follow the falling one: what hangs would run away.
    """
    direction = directional_vectors(solver.springs, object_velocity, falling)
    if solver.settings.gravity_directs:
        return direction
    pushed = np.linalg.norm(direction - falling, axis=1) > np.linalg.norm(falling)
    return np.asarray(direction * pushed[:, None])


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
