"""The Verlet solver against its own closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from cloth_samples import edge_stretch, empty_space, lying, sheet
from toile.cloth import make_solver
from toile.cloth.edges import rest_lengths
from toile.cloth.verlet import VerletSettings, VerletSolver
from toile.collision.shapes import Sphere
from toile.errors import ToileError
from toile.types import Scene, State


@pytest.mark.parametrize("keep", [1.0, 0.9])
def test_free_fall_is_that_of_eq_1(keep: float) -> None:
    garment = sheet(5, 4, 0.08, 0.06)
    solver = make_solver("verlet", garment, keep=keep)
    x = lying(garment)
    state = State(x, np.zeros_like(x))
    for _ in range(10):
        state = solver.step(state, empty_space(), 0.02)
    # way of step k: g h² (1 + ε + … + ε^(k−1))
    ways = np.cumsum(keep ** np.arange(20)) * -9.81 * 0.01**2
    np.testing.assert_allclose(state.position - x, np.tile([0, ways.sum(), 0], (20, 1)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(state.velocity[:, 1], ways[-1] / 0.01, rtol=0, atol=1e-9)


def test_eq_2_by_hand() -> None:
    # a right triangle of legs 1 in which only one leg is wrong by 0.2: each end mends 0.25 · 0.2
    garment = sheet(2, 2, 1.0, 1.0)
    edges, length = rest_lengths(garment)
    solver = VerletSolver(garment, VerletSettings(stiffness=0.25, iterations=1, threshold=0))
    first = (solver._sweep.pairs[0], solver._sweep.length[0])
    x = lying(garment)
    p, q = first[0][0]
    direction = (x[q] - x[p]) / first[1][0]
    x[q] = x[p] + direction * (first[1][0] + 0.2)
    wanted_p, wanted_q = x[p] + 0.05 * direction, x[q] - 0.05 * direction
    one = type(solver._sweep)((first[0][:1],), (first[1][:1],))
    one.project(x, np.ones(4), 2 * 0.25)
    np.testing.assert_allclose([x[p], x[q]], [wanted_p, wanted_q], atol=1e-15)
    assert sorted(length) == pytest.approx([1, 1, 1, 1, np.sqrt(2)])
    assert len(edges) == 5


def test_momentum_of_equal_particles_is_kept() -> None:
    garment = sheet(6, 5, 0.1, 0.08)
    rng = np.random.default_rng(2)
    x, v = lying(garment) + rng.normal(0, 0.003, (30, 3)), rng.normal(0, 0.3, (30, 3))
    solver = make_solver("verlet", garment, keep=1.0)
    state = solver.step(State(x, v), empty_space(0.0), 0.1)
    np.testing.assert_allclose(state.velocity.sum(0), v.sum(0), rtol=0, atol=1e-10)
    np.testing.assert_allclose(state.position.sum(0), x.sum(0) + 0.1 * v.sum(0), rtol=0, atol=1e-10)


def test_adaptive_stop_saves_sweeps_where_little_moves() -> None:
    garment = sheet(8, 8, 0.2, 0.2)
    solver = VerletSolver(garment)
    x = lying(garment)
    solver.step(State(x, np.zeros_like(x)), empty_space(), 0.01)
    assert solver.sweeps == 1
    solver.step(State(x * 1.05, np.zeros_like(x)), empty_space(), 0.01)
    assert solver.sweeps > 5
    fixed = VerletSolver(garment, VerletSettings(threshold=0, iterations=20))
    fixed.step(State(x, np.zeros_like(x)), empty_space(), 0.01)
    assert fixed.sweeps == 20


def test_hangs_by_a_corner_and_lies_on_a_ball() -> None:
    garment = sheet(6, 6, 0.2, 0.2)
    solver = VerletSolver(garment, VerletSettings(iterations=15))
    x = lying(garment)
    solver.pin(np.array([0], np.int32))
    state = State(x, np.zeros_like(x))
    for _ in range(20):
        state = solver.step(state, empty_space(), 1 / 30)
    np.testing.assert_allclose(state.position[0], x[0], atol=1e-12)
    assert np.abs(edge_stretch(garment, state.position)).mean() < 0.05
    assert state.position[-1, 1] < -0.2

    ball = Sphere(centre=np.array([0.1, -0.1, 0.1]), radius=0.08)
    scene = Scene(None, ball, np.array([0.0, -9.81, 0.0]), np.zeros(3))
    free = VerletSolver(garment)
    state = State(lying(garment), np.zeros_like(x))
    for _ in range(12):
        state = free.step(state, scene, 1 / 30)
    gap = np.linalg.norm(state.position - ball.centre, axis=1) - 0.08
    assert gap.min() > 0.004 - 1e-9
    assert gap.min() < 0.01


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("keep", 0.0),
        ("keep", 1.1),
        ("stiffness", 0.6),
        ("iterations", 0),
        ("threshold", -1e-3),
        ("substep", 1),
    ],
)
def test_bad_settings_are_named(name: str, value: float) -> None:
    with pytest.raises(ToileError, match=name):
        make_solver("verlet", sheet(3, 3, 0.1, 0.1), **{name: value})
