"""The follow solver against its own closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from cloth_samples import empty_space, lying, sheet
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Contacts, PosedBody, Scene, State
from toile.garment.particles import particle_mass
from toile.sim.colliders.contacts import respond
from toile.sim.colliders.ellipsoids import EllipsoidCollider, EllipsoidSettings
from toile.sim.colliders.shapes import Plane, Sphere
from toile.sim.solvers.edges import rest_lengths
from toile.sim.solvers.follow import FollowSettings, FollowSolver, largest_eigenvalue
from toile.sim.solvers.table import make_solver


@pytest.mark.parametrize("drag", [0.0, 2.0])
def test_free_fall_is_that_of_euler(drag: float) -> None:
    garment = sheet(4, 3, 0.08, 0.06)
    solver = FollowSolver(garment, FollowSettings(damping=drag, precision="double"))
    x = lying(garment)
    dt = 5 * solver.stable_step
    state = State(x, np.zeros_like(x))
    fallen = v = 0.0
    for _ in range(4):
        state = solver.step(state, empty_space(), dt)
        for _ in range(5):
            v += dt / 5 * (-9.81 - drag * v)
            fallen += dt / 5 * v
    np.testing.assert_allclose(state.position - x, np.tile([0, fallen, 0], (12, 1)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(state.velocity[:, 1], v, rtol=0, atol=1e-9)


def test_spring_by_hand() -> None:
    # two opposite corners have two edges of 1 m only; pulled 0.1 m along the first: k · 0.1 / m back
    garment = sheet(2, 2, 1.0, 1.0)
    settings = FollowSettings(stiffness=3.0, damping=0.0, precision="double", edge_mass=False)
    solver = FollowSolver(garment, settings)
    x = lying(garment)
    lonely = int(np.flatnonzero(np.bincount(solver._edges.ravel()) == 2)[0])
    partner = next(k for k in range(4) if abs(np.linalg.norm(x[k] - x[lonely]) - 1) < 1e-9)
    direction = x[lonely] - x[partner]
    x[lonely] += 0.1 * direction
    # one Euler step of 1 ms: the velocity is a thousandth of the acceleration
    got = solver.step(State(x, np.zeros_like(x)), empty_space(0.0), 1e-3).velocity[lonely] * 1e3
    across = np.sqrt(1 + 0.1**2)
    along = 3.0 * (0.1 + (1 - 1 / across) * 0.1) / particle_mass(garment)[lonely]
    assert -got @ direction == pytest.approx(along)


@pytest.mark.parametrize(("precision", "close"), [("double", 1e-11), ("single", 1e-5)])
def test_the_kernel_against_numpy(precision: str, close: float) -> None:
    garment = sheet(6, 5, 0.2, 0.16)
    rng = np.random.default_rng(6)
    x, v = lying(garment) + rng.normal(0, 0.002, (30, 3)), rng.normal(0, 0.2, (30, 3))
    ball = Sphere(np.array([0.1, -0.095, 0.08]), 0.1, np.array([0.2, 0.3, 0.0]))
    scene = Scene(None, ball, np.array([0.0, -9.81, 0.0]), np.array([0.5, 0.0, 0.0]))
    solver = FollowSolver(garment, FollowSettings(precision=precision, edge_mass=False))
    held = np.array([0, 29])
    solver.pin(held.astype(np.int32))
    dt = 4.5 * solver.stable_step
    state = solver.step(State(x, v), scene, dt)
    # the docs page, line by line
    found, start, given = ball(x), x, v
    mass, h = particle_mass(garment), dt / 5
    # each particle has one contact with the ball
    near = found.particle[found.gap < 0.012]
    share = (1 - np.exp(-20.0 * dt)) * ~np.isin(near, held)[:, None]
    v = v.copy()
    v[near] += share * (found.velocity[found.gap < 0.012] - v[near])
    x = x.copy()
    p, q = solver._edges.T
    for k in range(1, 6):
        way = x[q] - x[p]
        now = np.linalg.norm(way, axis=1)
        pull = (20.0 * (1 - solver._length / now))[:, None] * way
        force = np.zeros_like(x)
        np.add.at(force, p, pull)
        np.add.at(force, q, -pull)
        a = force / mass[:, None] + scene.gravity - solver._drag[:, None] * (v - scene.wind)
        a[held] = 0
        v = v + h * a
        v[held] = given[held]
        x = x + h * v
        # pushed out in every third step and in the last
        if k not in (2, 5):
            continue
        away = x[found.particle] - start[found.particle] - k * h * found.velocity
        gap = found.gap + np.einsum("ca,ca->c", found.normal, away)
        at = x[held]
        planes = Contacts(found.particle, gap, found.normal, found.velocity)
        x, v = respond(x, v, planes, thickness=0.004, friction=solver._friction, dt=h)
        x[held], v[held] = at, given[held]
    np.testing.assert_allclose(state.position, x, atol=close)
    np.testing.assert_allclose(state.velocity, v, atol=100 * close)


def test_rigid_following_takes_the_cloth_all_the_way() -> None:
    # §2.4: children move with their ellipsoid; a body that is moved by 33 cm takes its clothes along by 33 cm
    body = named_body("woman")
    still = rest_pose(body)
    hips = np.flatnonzero(body.limb == LIMBS.index("pelvis"))[::7]
    cloth = sheet(3, 3, 0.02, 0.02)
    place = body.vertices[hips[np.argmax(body.vertices[hips, 2])]] + [0.0, 0.0, 0.006]
    start = lying(cloth)[:, [0, 2, 1]] * [1, -1, 1] + place
    moved = {}
    for following in ("speed", "rigid"):
        solver = make_solver("follow", cloth, following=following, near=0.05)
        collider, x, v = EllipsoidCollider(body, EllipsoidSettings(radius=0.06)), start, np.zeros_like(start)
        step = np.array([0.033, 0.0, 0.0])
        speed = np.tile(30 * step, (len(body.vertices), 1))
        for k in range(10):
            now = PosedBody(body, body.vertices + k * step, speed, still.world_from_joint)
            state = solver.step(State(x, v), Scene(now, collider.at(now), np.zeros(3), np.zeros(3)), 1 / 30)
            x, v = state.position, state.velocity
        moved[following] = (x - start)[:, 0].mean()
    assert moved["rigid"] == pytest.approx(0.33, abs=0.005)
    assert abs(moved["speed"] - 0.33) > 0.02
    floor = Plane(np.zeros(3), np.array([0.0, 1.0, 0.0]))
    with pytest.raises(ToileError, match="choose collider ellipsoids"):
        solver.step(State(x, v), Scene(None, floor, np.zeros(3), np.zeros(3)), 1 / 30)


def test_momentum_is_kept() -> None:
    garment = sheet(5, 4, 0.1, 0.08)
    rng = np.random.default_rng(2)
    x, v = lying(garment) + rng.normal(0, 0.003, (20, 3)), rng.normal(0, 0.1, (20, 3))
    solver = make_solver("follow", garment, damping=0.0, precision="double")
    state = solver.step(State(x, v), empty_space(0.0), 0.05)
    # every edge weighs the same
    mass = np.bincount(rest_lengths(garment)[0].ravel())
    np.testing.assert_allclose(mass @ state.velocity, mass @ v, rtol=0, atol=1e-11)
    assert np.abs(state.position - x).max() < 0.1


def test_near_particles_take_over_the_skin_velocity() -> None:
    garment = sheet(3, 3, 0.04, 0.04)
    speed = np.array([0.5, 0.0, 0.0])
    skin = Plane(point=np.zeros(3), normal=np.array([0.0, 1.0, 0.0]), velocity=speed)
    x = lying(garment, 0.01)
    x[-1, 1] = 0.02
    settings = FollowSettings(near=0.012, follow=10.0, damping=0.0, stiffness=0.0, precision="double")
    solver = FollowSolver(garment, settings)
    scene = Scene(None, skin, np.zeros(3), np.zeros(3))
    v = solver.step(State(x, np.zeros_like(x)), scene, 0.1).velocity
    np.testing.assert_allclose(v[:-1], np.tile((1 - np.exp(-1)) * speed, (8, 1)), atol=1e-15)
    np.testing.assert_array_equal(v[-1], 0)


def test_of_two_contacts_the_nearer_is_the_parent_and_both_keep_out() -> None:
    # a corner of floor and wall: 8 mm above the one that moves, 2 mm from the one that does not, which pushes
    def corner(x):
        count = len(x)
        particle = np.repeat(np.arange(count, dtype=np.int32), 2)
        gap = np.stack([x[:, 1], x[:, 0]], axis=1).ravel()
        normal = np.tile([[0.0, 1, 0], [1, 0, 0]], (count, 1))
        return Contacts(particle, gap, normal, np.tile([[0.0, 0, 1], [0, 0, 0]], (count, 1)))

    garment = sheet(3, 3, 0.04, 0.04)
    x = np.tile([0.002, 0.008, 0.0], (9, 1))
    settings = FollowSettings(follow=1e6, damping=0.0, stiffness=0.0, precision="double")
    scene = Scene(None, corner, np.zeros(3), np.zeros(3))
    state = FollowSolver(garment, settings).step(State(x, np.tile([0.0, 0, 3], (9, 1))), scene, 0.001)
    np.testing.assert_allclose(state.velocity, 0, atol=1e-12)
    np.testing.assert_allclose(state.position, np.tile([0.004, 0.008, 0], (9, 1)), atol=1e-12)


def test_the_longest_step_follows_from_the_mesh() -> None:
    # two particles of m and one spring: M⁻¹ L has the eigenvalues 0 and 2 / m; a chain of three: 3 / m
    mass = np.full(3, 0.5)
    assert largest_eigenvalue(np.array([[0, 1]], np.int32), mass[:2]) == pytest.approx(4.0)
    assert largest_eigenvalue(np.array([[0, 1], [1, 2]], np.int32), mass) == pytest.approx(6.0)
    garment = sheet(20, 20, 0.3, 0.3)
    edges, _ = rest_lengths(garment)
    even = np.full(400, 1e-4)
    laplacian = np.zeros((400, 400))
    for i, j in edges:
        laplacian[[i, j], [i, j]] += 1e4
        laplacian[[i, j], [j, i]] -= 1e4
    wanted = np.linalg.eigvalsh(laplacian).max()
    assert largest_eigenvalue(edges, even) == pytest.approx(wanted, rel=1e-3)
    solver = FollowSolver(garment, FollowSettings(stiffness=20.0))
    degree = np.bincount(edges.ravel())
    mass = particle_mass(garment).sum() * degree / degree.sum()
    assert solver.stable_step == pytest.approx(1.9 / np.sqrt(20 * largest_eigenvalue(edges, mass)), rel=1e-9)
    # a fan of triangles: no eigenvalue of D⁻¹ L is above 2
    assert largest_eigenvalue(edges, degree.astype(float)) < 2


def test_lies_on_a_ball() -> None:
    garment = sheet(6, 6, 0.2, 0.2)
    ball = Sphere(centre=np.array([0.1, -0.1, 0.1]), radius=0.08)
    scene = Scene(None, ball, np.array([0.0, -9.81, 0.0]), np.zeros(3))
    solver = FollowSolver(garment)
    state = State(lying(garment), np.zeros((36, 3)))
    for _ in range(24):
        state = solver.step(state, scene, 1 / 60)
    gap = np.linalg.norm(state.position - ball.centre, axis=1) - 0.08
    assert np.isfinite(state.position).all()
    assert 0.003 < gap.min() < 0.01


def test_bad_settings_are_named() -> None:
    garment = sheet(3, 3, 0.1, 0.1)
    with pytest.raises(ToileError, match="stiffness"):
        make_solver("follow", garment, stiffness=-1.0)
    still = State(lying(garment), np.zeros((9, 3)))
    with pytest.raises(ToileError, match="smaller stiffness"):
        make_solver("follow", garment, stiffness=1e9).step(still, empty_space(), 0.1)
