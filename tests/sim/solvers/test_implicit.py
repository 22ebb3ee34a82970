"""The implicit solver against closed forms and hand-worked springs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloth_samples import COTTON, edge_stretch, empty_space, lying, sheet
from implicit_reference import System, shortened, spring_forces
from toile import _kernels
from toile.core.errors import ToileError
from toile.core.records import Contacts, Scene, State
from toile.garment.particles import particle_mass
from toile.sim.colliders.shapes import Plane, Sphere
from toile.sim.solvers.edges import rest_lengths
from toile.sim.solvers.implicit import ImplicitSettings, ImplicitSolver, by_colours, rubbed, rubbed_share
from toile.sim.solvers.implicit_springs import Springs, bending_springs, edge_springs
from toile.sim.solvers.table import make_solver


@pytest.mark.parametrize("drag", [0.0, 2.0])
def test_free_fall_is_that_of_implicit_euler(drag: float) -> None:
    garment = sheet(5, 4, 0.08, 0.06, replace(COTTON, damping=drag))
    solver = make_solver("implicit", garment)
    x = lying(garment)
    state = State(x, np.zeros_like(x))
    fallen = v = 0.0
    for _ in range(10):
        state = solver.step(state, empty_space(), 0.02)
        for _ in range(2):
            v = (v - 0.01 * 9.81) / (1 + 0.01 * drag)
            fallen += 0.01 * v
    np.testing.assert_allclose(state.position - x, np.tile([0, fallen, 0], (20, 1)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(state.velocity[:, 1], v, rtol=0, atol=1e-9)


def test_spring_force_by_hand() -> None:
    # 3-4-5: length 5, rest 4, k = 10, k_v = 0.1 · 10; closing speed along d̂ = (0.6, 0.8, 0) is 0.6
    one = Springs(np.array([[0, 1]], np.int32), np.array([4.0]), np.array([10.0]))
    x, v = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 7.0], [0.0, 0.0, 0.0]])
    force, by_x, by_v = spring_forces(one, 0.1, x, v)
    np.testing.assert_allclose(force[0], -(10 * 1 + 1 * 0.6) * np.array([0.6, 0.8, 0.0]), atol=1e-14)
    # across the spring: k (1 − 4/5) = 2; along it: k = 10
    np.testing.assert_allclose(by_x[0] @ [0, 0, 1], [0, 0, 2], atol=1e-14)
    np.testing.assert_allclose(by_x[0] @ [0.6, 0.8, 0], [6, 8, 0], atol=1e-14)
    np.testing.assert_allclose(by_v[0] @ [0.6, 0.8, 0], [0.6, 0.8, 0], atol=1e-14)


def test_jacobian_is_the_derivative_of_the_force() -> None:
    one = Springs(np.array([[0, 1]], np.int32), np.array([0.9]), np.array([10.0]))
    x, still = np.array([[0.6, 0.7, 0.5], [0.0, 0.0, 0.0]]), np.zeros((2, 3))
    _, by_x, _ = spring_forces(one, 0.0, x, still)
    for axis in range(3):
        d = np.zeros((2, 3))
        d[0, axis] = 1e-6
        change = spring_forces(one, 0.0, x + d, still)[0] - spring_forces(one, 0.0, x - d, still)[0]
        np.testing.assert_allclose(change[0] / 2e-6, -by_x[0][:, axis], atol=1e-7)


def test_edge_springs_hold_the_energy_of_the_membrane() -> None:
    # weft strain e: edges along u hold ½ weft e² A, edges along v nothing
    garment = sheet(4, 5, 0.3, 0.4, replace(COTTON, shear=0.0, stretch_warp=0.0))
    springs = edge_springs(garment)
    way = np.diff(garment.uv[springs.pairs], axis=1)[:, 0]
    along = np.abs(way[:, 1]) < 1e-12
    energy = 0.5 * springs.stiffness[along] * (0.01 * springs.length[along]) ** 2
    assert energy.sum() == pytest.approx(0.5 * 2000 * 0.01**2 * 0.3 * 0.4)
    assert springs.stiffness[np.abs(way[:, 0]) < 1e-12] == pytest.approx(0.0)


def test_bending_spring_by_hand() -> None:
    # unit square folded along its diagonal √2: heights 1/√2 each, flat distance √2, at 90° distance 1
    garment = sheet(2, 2, 1.0, 1.0)
    springs = bending_springs(garment, np.pi / 2)
    energy = 0.5 * 1e-5 * ((np.pi / 2) / np.sqrt(0.5)) ** 2 * (1 / 3)
    assert springs.length == pytest.approx([np.sqrt(2)])
    assert springs.stiffness == pytest.approx([2 * energy / (np.sqrt(2) - 1) ** 2])


def test_shear_stiffens_the_bias() -> None:
    # E(45°) = weft / 4 + warp / 4 + 4 shear / 4; two triangles of ½ beside a diagonal of √2: k = E / 2
    one = replace(COTTON, shear=60.0, stretch_warp=0.0, stretch_weft=0.0)
    springs = edge_springs(sheet(2, 2, 1.0, 1.0, one))
    diagonal = springs.length > 1.1
    assert springs.stiffness[diagonal] == pytest.approx([30.0])
    assert springs.stiffness[~diagonal] == pytest.approx(0.0)


def test_far_corners_of_a_skew_hinge_lie_as_far_apart_as_in_the_flat_cloth() -> None:
    # a rectangle of 1 × 2 cut along one diagonal: the far corners are the ends of the other, √5
    garment = sheet(2, 2, 1.0, 2.0)
    springs = bending_springs(garment, np.pi / 2)
    assert springs.length == pytest.approx([np.sqrt(5)])
    # heights 2/√5, slip 3/√5; folded by 90°: √(9/5 + 2 · 4/5)
    energy = 0.5 * 1e-5 * ((np.pi / 2) / (2 / np.sqrt(5))) ** 2 * (2 / 3)
    assert springs.stiffness == pytest.approx([2 * energy / (np.sqrt(5) - np.sqrt(17 / 5)) ** 2])


def changed(solver: ImplicitSolver, x: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
    s, scene = solver.settings, empty_space()
    return solver._cloth.velocity_change(
        x, v, h, s.damping, scene.gravity, scene.wind, s.tolerance, s.iterations
    )[0]


def test_the_kernel_against_scipy() -> None:
    garment, h, rng = sheet(7, 6, 0.12, 0.1), 0.01, np.random.default_rng(5)
    count = garment.particle_count
    x, v = lying(garment) + rng.normal(0, 0.003, (count, 3)), rng.normal(0, 0.2, (count, 3))
    solver = ImplicitSolver(garment, ImplicitSettings(tolerance=1e-12, iterations=1000))
    springs, system, mass = solver.springs, System(solver.springs.pairs, count), particle_mass(garment)
    force, by_x, by_v = spring_forces(springs, solver.settings.damping, x, v)
    force -= h * np.einsum("sab,sb->sa", by_x, v[springs.pairs[:, 0]] - v[springs.pairs[:, 1]])
    right = h * (system.forces(force) + mass[:, None] * (np.array([0, -9.81, 0]) - solver._drag[:, None] * v))
    blocks = system.blocks(h * by_v + h * h * by_x)
    blocks[system.diagonal] += (mass * (1 + h * solver._drag))[:, None, None] * np.eye(3)
    truth = system.solve(blocks, right, np.zeros_like(x), 1e-13, 2000)
    np.testing.assert_allclose(changed(solver, x, v, h), truth, rtol=0, atol=1e-8)


def test_too_long_edges_are_shortened_as_by_hand() -> None:
    garment, rng = sheet(5, 4, 0.1, 0.08), np.random.default_rng(6)
    x = 1.1 * lying(garment) + rng.normal(0, 0.002, (20, 3))
    solver = ImplicitSolver(garment, ImplicitSettings(strain_limit=0.03))
    solver.pin(np.array([0, 7], np.int32))
    pairs, length = by_colours(*rest_lengths(garment), 20)
    weight = solver._free / particle_mass(garment)
    truth = shortened(x, weight, pairs, 1.03 * length, 4)
    np.testing.assert_allclose(solver._cloth.shorten(4, x), truth, rtol=0, atol=1e-13)


def test_constraint_forces_hold_the_weight_that_hangs_on_them() -> None:
    # two particles, one pinned, the edge at its limit: the force that keeps it so is the other's weight
    garment = sheet(2, 2, 0.1, 0.1)
    pair = rest_lengths(garment)[0][:1]
    mass, h = np.array([0.003, 0.002]), 0.01
    cloth = _kernels.ImplicitCloth(
        np.zeros((0, 2), np.int32), np.zeros(0), np.zeros(0), mass, np.zeros(2), np.array([[0, 1]], np.int32),
        np.array([0.1]),
    )  # fmt: skip
    assert len(pair) == 1
    cloth.pin(np.array([True, False]))
    x, v = np.array([[0.0, 0, 0], [0, -0.1, 0]]), np.array([[0.0, 0, 0], [0, -9.81 * h, 0]])
    kept, force = cloth.constrain(3, h, x, v)
    np.testing.assert_allclose(kept, 0, atol=1e-12)
    assert force == pytest.approx(0.002 * 9.81)
    # slack cloth is left alone: a thread does not push
    assert cloth.constrain(3, h, 0.9 * x, 0 * v)[1] == 0


def test_limits_by_forces_keep_hanging_cloth_short() -> None:
    soft = replace(COTTON, stretch_warp=3.0, stretch_weft=3.0, shear=1.0, damping=2.0)
    garment = sheet(6, 6, 0.2, 0.2, soft)
    solver = make_solver("implicit", garment, strain_limit=0.02, limits="forces", limit_sweeps=40, rounds=1)
    solver.pin(np.arange(6, dtype=np.int32))
    x = lying(garment)
    state = State(x, np.zeros_like(x))
    for _ in range(15):
        state = solver.step(state, empty_space(), 1 / 30)
    assert edge_stretch(garment, state.position).max() < 0.03
    assert solver.largest_force > 0


def test_momentum_is_kept() -> None:
    garment = sheet(6, 5, 0.1, 0.08)
    rng = np.random.default_rng(2)
    x, v = lying(garment) + rng.normal(0, 0.001, (30, 3)), rng.normal(0, 0.1, (30, 3))
    solver = make_solver("implicit", garment, tolerance=1e-13, iterations=1000)
    state = solver.step(State(x, v), empty_space(0.0), 0.1)
    mass = particle_mass(garment)
    np.testing.assert_allclose(mass @ state.velocity, mass @ v, rtol=0, atol=1e-12)


def test_system_is_solved() -> None:
    # dense reference of (M − h ∂f/∂v − h² ∂f/∂x) Δv = h (f + h ∂f/∂x v)
    garment = sheet(3, 3, 0.1, 0.1)
    rng = np.random.default_rng(3)
    x, v = lying(garment) * 1.05 + rng.normal(0, 0.002, (9, 3)), rng.normal(0, 0.1, (9, 3))
    solver = ImplicitSolver(garment, ImplicitSettings(tolerance=1e-13, iterations=1000))
    solver.pin(np.array([0], np.int32))
    h, mass = 0.01, particle_mass(garment)
    force, by_x, by_v = spring_forces(solver.springs, solver.settings.damping, x, v)
    left, stiff, right = np.kron(np.diag(mass), np.eye(3)), np.zeros((27, 27)), np.zeros((9, 3))
    for (p, q), f, bx, bv in zip(solver.springs.pairs, force, by_x, by_v, strict=True):
        right[p] += f
        right[q] -= f
        for a, b, sign in ((p, p, 1), (q, q, 1), (p, q, -1), (q, p, -1)):
            left[3 * a : 3 * a + 3, 3 * b : 3 * b + 3] += sign * (h * bv + h * h * bx)
            stiff[3 * a : 3 * a + 3, 3 * b : 3 * b + 3] += sign * bx
    right = h * (right + mass[:, None] * [0, -9.81, 0] - h * (stiff @ v.ravel()).reshape(9, 3))
    truth = np.linalg.solve(left[3:, 3:], right.ravel()[3:])
    got = changed(solver, x, v, h)
    np.testing.assert_allclose(got[0], 0, atol=1e-15)
    np.testing.assert_allclose(got[1:].ravel(), truth, rtol=0, atol=1e-8)


def test_stretch_is_limited_and_bending_left_alone() -> None:
    soft = replace(COTTON, stretch_warp=3.0, stretch_weft=3.0, shear=1.0, damping=2.0)
    garment = sheet(6, 6, 0.2, 0.2, soft)
    x = lying(garment)
    longest = {}
    for sweeps in (0, 40):
        solver = ImplicitSolver(garment, ImplicitSettings(strain_limit=0.02, limit_sweeps=sweeps))
        solver.pin(np.arange(6, dtype=np.int32))
        state = State(x, np.zeros_like(x))
        for _ in range(15):
            state = solver.step(state, empty_space(), 1 / 30)
        longest[sweeps] = edge_stretch(garment, state.position).max()
    assert longest[0] > 0.05
    assert longest[40] < 0.04
    # a sharp fold has no long edge: the limits do nothing
    folded = lying(garment)
    folded[:, 1] = np.abs(folded[:, 0] - 0.1)
    folded[:, 0] = 0.1
    before = folded.copy()
    np.testing.assert_array_equal(ImplicitSolver(garment)._cloth.shorten(20, folded), before)


def test_lies_on_a_ball() -> None:
    garment = sheet(7, 7, 0.2, 0.2, replace(COTTON, damping=1.0))
    ball = Sphere(centre=np.array([0.1, -0.1, 0.1]), radius=0.08)
    scene = Scene(None, ball, np.array([0.0, -9.81, 0.0]), np.zeros(3))
    solver = ImplicitSolver(garment)
    state = State(lying(garment), np.zeros((49, 3)))
    for _ in range(12):
        state = solver.step(state, scene, 1 / 30)
    gap = np.linalg.norm(state.position - ball.centre, axis=1) - 0.08
    assert 0.004 - 1e-9 < gap.min() < 0.01
    assert np.percentile(edge_stretch(garment, state.position), 90) < 0.06


# section 2.1.2: a force proportional to the sliding speed. With a rate of 10/s and h = 0.1 s implicit Euler
# keeps 1 / (1 + 1) of (3, 0, 0) − (1, 0, 0); what goes up stays, what does not touch too
def test_friction_proportional_to_the_relative_velocity() -> None:
    up, skin = np.tile([0.0, 1, 0], (2, 1)), np.tile([1.0, 0, 0], (2, 1))
    found = Contacts(np.array([0, 1], np.int32), np.array([0.004, 0.006]), up, skin)
    assert rubbed_share(10.0, 0.1) == pytest.approx(0.5)
    new = rubbed(np.tile([3.0, 0.5, 0], (3, 1)), found, 0.004, 0.5)
    np.testing.assert_allclose(new, [[2, 0.5, 0], [3, 0.5, 0], [3, 0.5, 0]])


def test_cloth_on_a_belt_takes_its_speed_as_rubbing_says() -> None:
    # v(t) = belt (1 − (1 + c h)^−k) after k steps
    garment = sheet(3, 3, 0.04, 0.04)
    belt = Plane(point=np.zeros(3), normal=np.array([0.0, 1.0, 0.0]), velocity=np.array([0.5, 0.0, 0.0]))
    scene = Scene(None, belt, np.array([0.0, -9.81, 0.0]), np.zeros(3))
    solver = make_solver("implicit", garment, rubbing=4.0)
    state = State(lying(garment, 0.004), np.zeros((9, 3)))
    for _ in range(5):
        state = solver.step(state, scene, 0.01)
    np.testing.assert_allclose(state.velocity[:, 0], 0.5 * (1 - 1.04**-5), atol=1e-4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limits", "glue"),
        ("rubbing", -1.0),
        ("substep", 0.0),
        ("bend_angle", 0.0),
        ("tolerance", 0.0),
        ("iterations", 0),
        ("strain_limit", -0.1),
    ],
)
def test_bad_settings_are_named(name: str, value: object) -> None:
    with pytest.raises(ToileError, match=name):
        make_solver("implicit", sheet(3, 3, 0.1, 0.1), **{name: value})
