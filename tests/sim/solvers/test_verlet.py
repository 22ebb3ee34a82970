"""The Verlet solver against its own closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloth_samples import edge_stretch, empty_space, lying, sheet
from toile import _kernels
from toile.core.errors import ToileError
from toile.core.records import Scene, State
from toile.sim.colliders.shapes import Sphere
from toile.sim.solvers.edges import rest_lengths
from toile.sim.solvers.table import make_solver
from toile.sim.solvers.verlet import BENDING, GRID_LINKS, VerletSettings, VerletSolver, grid_lengths


@pytest.mark.parametrize("keep", [1.0, 0.9])
def test_free_fall_is_that_of_eq_1(keep: float) -> None:
    garment = sheet(5, 4, 0.08, 0.06)
    solver = make_solver("verlet", garment, keep=keep, precision="double")
    x = lying(garment)
    state = State(x, np.zeros_like(x))
    for _ in range(10):
        state = solver.step(state, empty_space(), 0.02)
    # way of step k: g h² (1 + ε + … + ε^(k−1))
    ways = np.cumsum(keep ** np.arange(20)) * -9.81 * 0.01**2
    np.testing.assert_allclose(state.position - x, np.tile([0, ways.sum(), 0], (20, 1)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(state.velocity[:, 1], ways[-1] / 0.01, rtol=0, atol=1e-9)


# one edge of length 1, now 1.2, k_s = 0.25: each end moves by 0.25 · 0.2 = 0.05; with one end pinned the
# other moves by both parts, 0.1
def test_eq_2_by_hand() -> None:
    pair, still = np.array([[0, 1]], np.int32), np.zeros((2, 3))
    cloth = _kernels.VerletMeshDouble(np.arange(2, dtype=np.int32), pair, np.ones(1), np.ones(1), 0.25)
    x = np.array([[0.0, 0, 0], [0, 1.2, 0]])
    new, speed, sweeps = cloth.step(x, still, 0.1, 1.0, np.zeros(3), np.zeros(3), 1, 0.0)
    np.testing.assert_allclose(new, [[0, 0.05, 0], [0, 1.15, 0]], atol=1e-15)
    np.testing.assert_allclose(speed, [[0, 0.5, 0], [0, -0.5, 0]], atol=1e-13)
    assert sweeps == 1
    cloth.pin(np.array([0], np.int32))
    new, _, _ = cloth.step(x, still, 0.1, 1.0, np.zeros(3), np.zeros(3), 1, 0.0)
    np.testing.assert_allclose(new, [[0, 0, 0], [0, 1.1, 0]], atol=1e-15)


# eq. 1 by hand: ε = 0.9, h = 0.01, v = (1, 0, 0), a = (0, −10, 0), wind (0, 0, 2):
# way = 0.9 · 0.01 · (1, 0, 0 − 2) + 0.01 · (0, 0, 2) + 1e-4 · (0, −10, 0) = (0.009, −0.001, 0.002)
def test_eq_1_by_hand() -> None:
    cloth = _kernels.VerletMeshDouble(
        np.arange(1, dtype=np.int32), np.zeros((0, 2), np.int32), np.zeros(0), np.zeros(0), 0.5
    )
    new, speed, _ = cloth.step(
        np.ones((1, 3)),
        np.array([[1.0, 0, 0]]),
        0.01,
        0.9,
        np.array([0.0, -10, 0]),
        np.array([0.0, 0, 2]),
        1,
        0.0,
    )
    np.testing.assert_allclose(new, [[1.009, 0.999, 1.002]], atol=1e-15)
    np.testing.assert_allclose(speed, [[0.9, -0.1, 0.2]], atol=1e-12)


def mend(x, p, q, rest, share, weight) -> None:
    """Apply eq. 2 to one pair, in place."""
    total = weight[p] + weight[q]
    if total == 0:
        return
    way = x[q] - x[p]
    length = np.linalg.norm(way)
    pull = 2 * share * (length - rest) / (length * total) * way
    x[p] += weight[p] * pull
    x[q] -= weight[q] * pull


@pytest.mark.parametrize("pinned", [[], [0, 7]])
def test_the_mesh_kernel_against_a_plain_loop(pinned) -> None:
    garment = sheet(9, 7, 0.2, 0.15)
    rng = np.random.default_rng(1)
    start = lying(garment) + rng.normal(0, 0.004, (63, 3))
    solver = VerletSolver(
        garment, VerletSettings(iterations=3, threshold=0, stiffness=0.4, shear=0.0, precision="double")
    )
    solver.pin(np.array(pinned, np.int32))
    state = solver.step(State(start, np.zeros_like(start)), empty_space(0.0), 0.01)
    edges, length = rest_lengths(garment)
    x, weight = start.copy(), np.ones(63)
    weight[pinned] = 0
    for _ in range(3):
        for k in solver._cloth.sequence():
            mend(x, *edges[k], length[k], 0.4, weight)
    np.testing.assert_allclose(state.position, x, atol=1e-13)


def test_every_pair_of_a_large_mesh_is_mended() -> None:
    """Of several chunks: pairs across all borders but the first were left out, so that cloth fell apart."""
    garment = sheet(61, 101, 0.6, 1.0)
    start = lying(garment) + np.random.default_rng(2).normal(0, 0.001, (61 * 101, 3))
    solver = VerletSolver(garment, VerletSettings(iterations=1, threshold=0, shear=0.0, precision="double"))
    state = solver.step(State(start, np.zeros_like(start)), empty_space(0.0), 0.01)
    (edges, length), order = rest_lengths(garment), solver._cloth.sequence()
    assert sorted(order) == list(range(len(edges)))
    x, weight = start.copy(), np.ones(len(start))
    for k in order:
        mend(x, *edges[k], length[k], VerletSettings().stiffness, weight)
    np.testing.assert_allclose(state.position, x, atol=1e-13)


def grid_sweep(x, columns, rest, share, weight) -> None:
    """Sweep once over a grid in the kernel's order: bands of 16 rows inside, then across their borders."""
    count = columns + 1
    rows = len(x) // count
    bands = 1 if rows < 32 else rows // 16
    ends = [rows if band + 1 == bands else 16 * (band + 1) for band in range(bands)]
    inside = [r for band, end in enumerate(ends) for r in range(16 * band, end if end == rows else end - 2)]
    across = [r for end in ends if end != rows for r in (end - 2, end - 1)]
    for row in inside + across:
        for link, (down, right) in enumerate(GRID_LINKS):
            if row + down >= rows:
                continue
            for phase in range(4):
                for column in range(phase, count - abs(right), 4):
                    a = row * count + column + max(-right, 0)
                    b = (row + down) * count + column + max(right, 0)
                    mend(x, a, b, rest[link, row * count + column], share[link], weight)


@pytest.mark.parametrize(("columns", "rows"), [(4, 2), (6, 3), (17, 34), (32, 5), (33, 40), (1, 1)])
@pytest.mark.parametrize("kind", ["even", "pinned", "uneven"])
def test_the_grid_kernel_against_a_plain_loop(columns, rows, kind) -> None:
    garment = sheet(columns + 1, rows + 1, 0.01 * columns, 0.012 * rows)
    if kind == "uneven":
        garment = replace(garment, uv=garment.uv * (1 + 0.3 * garment.uv))
    count = garment.particle_count
    pinned = np.array([0, columns] if kind == "pinned" else [], np.int32)
    start = lying(garment) + np.random.default_rng(2).normal(0, 0.002, (count, 3))
    settings = VerletSettings(iterations=2, threshold=0, columns=columns, bend=0.3, precision="double")
    solver = VerletSolver(garment, settings)
    solver.pin(pinned)
    state = solver.step(State(start, np.zeros_like(start)), empty_space(0.0), 0.01)
    x, weight = start.copy(), np.ones(count)
    weight[pinned] = 0
    _, rest = grid_lengths(garment, columns)
    for _ in range(2):
        grid_sweep(x, columns, rest, 0.5 * np.where(BENDING, 0.3, 1.0), weight)
    np.testing.assert_allclose(state.position, x, atol=1e-12)


def test_grid_lengths_by_hand() -> None:
    # cells of 3 × 4: diagonals of 5, second neighbours 6 and 8
    garment = sheet(4, 3, 9.0, 8.0)
    rows, rest = grid_lengths(garment, 3)
    assert rows == 3
    assert rest[:, 0].tolist() == pytest.approx([3, 6, 4, 5, 5, 8])
    with pytest.raises(ToileError, match="no grid of 4 columns"):
        grid_lengths(garment, 4)


@pytest.mark.parametrize("columns", [0, 63])
@pytest.mark.parametrize("threshold", [0.0, 1e-4])
def test_threads_change_nothing(columns, threshold) -> None:
    garment = sheet(64, 96, 0.63, 0.95)  # six chunks
    start = lying(garment) + np.random.default_rng(3).normal(0, 0.003, (64 * 96, 3))
    found = []
    for threads in (1, 2, 3):
        _kernels.set_thread_count(threads)
        solver = VerletSolver(garment, VerletSettings(columns=columns, threshold=threshold, iterations=12))
        found.append(solver.step(State(start, np.zeros_like(start)), empty_space(), 0.02).position)
    _kernels.set_thread_count(0)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_single_and_double_precision_agree() -> None:
    garment = sheet(20, 20, 0.4, 0.4)
    start = lying(garment) + np.array([5.0, 1.0, -20.0])
    found = []
    for precision in ("single", "double"):
        solver = make_solver("verlet", garment, columns=19, precision=precision, iterations=10)
        solver.pin(np.array([0, 19], np.int32))
        state = State(start, np.zeros_like(start))
        for _ in range(10):
            state = solver.step(state, empty_space(), 0.01)
        found.append(state.position)
    assert np.abs(found[0] - found[1]).max() < 2e-4


def test_momentum_of_equal_particles_is_kept() -> None:
    garment = sheet(6, 5, 0.1, 0.08)
    rng = np.random.default_rng(2)
    x, v = lying(garment) + rng.normal(0, 0.003, (30, 3)), rng.normal(0, 0.3, (30, 3))
    solver = make_solver("verlet", garment, keep=1.0, precision="double")
    state = solver.step(State(x, v), empty_space(0.0), 0.1)
    np.testing.assert_allclose(state.velocity.sum(0), v.sum(0), rtol=0, atol=1e-10)
    np.testing.assert_allclose(state.position.sum(0), x.sum(0) + 0.1 * v.sum(0), rtol=0, atol=1e-10)


def test_adaptive_stop_saves_sweeps_where_little_moves() -> None:
    garment = sheet(8, 8, 0.2, 0.2)
    solver = VerletSolver(garment, VerletSettings(rounds=1, shear=0.0))
    x = lying(garment)
    solver.step(State(x, np.zeros_like(x)), empty_space(), 0.01)
    assert solver.sweeps == 1
    solver.step(State(x * 1.05, np.zeros_like(x)), empty_space(), 0.01)
    assert solver.sweeps > 5
    fixed = VerletSolver(garment, VerletSettings(threshold=0, iterations=20))
    fixed.step(State(x, np.zeros_like(x)), empty_space(), 0.01)
    assert fixed.sweeps == 20


# one edge may be 0.9 to 1.1 m long: at 1.05 it is left alone, at 1.2 it is mended to 1.1, at 0.8 to 0.9
@pytest.mark.parametrize(("now", "wanted"), [(1.05, 1.05), (1.2, 1.1), (0.8, 0.9)])
def test_between_its_lengths_an_edge_is_left_alone(now: float, wanted: float) -> None:
    pair, low, high = np.array([[0, 1]], np.int32), np.array([0.9]), np.array([1.1])
    cloth = _kernels.VerletMeshDouble(np.arange(2, dtype=np.int32), pair, low, high, 0.5)
    new, _, _ = cloth.step(
        np.array([[0.0, 0, 0], [0, now, 0]]), np.zeros((2, 3)), 0.1, 1.0, np.zeros(3), np.zeros(3), 1, 0.0
    )
    assert new[1, 1] - new[0, 1] == pytest.approx(wanted)


@pytest.mark.parametrize("columns", [0, 11])
def test_sweeps_end_when_few_enough_particles_move(columns: int) -> None:
    # one corner is pulled off: at first only it and its neighbours move
    garment = sheet(12, 12, 0.3, 0.3)
    x = lying(garment)
    x[0, 0] -= 0.002
    sweeps = []
    for moving in (0, 3, 144):
        settings = VerletSettings(
            columns=columns,
            moving=moving,
            check_every=1,
            rounds=1,
            threshold=1e-5,
            precision="double",
            shear=0.0,
        )
        solver = VerletSolver(garment, settings)
        solver.step(State(x, np.zeros_like(x)), empty_space(0.0), 0.01)
        sweeps.append(solver.sweeps)
    assert sweeps[0] > sweeps[1] > sweeps[2] == 1


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
        ("bend", -0.1),
        ("columns", -1),
    ],
)
def test_bad_settings_are_named(name: str, value: float) -> None:
    with pytest.raises(ToileError, match=name):
        make_solver("verlet", sheet(3, 3, 0.1, 0.1), **{name: value})
