"""Cloth too stiff for its substep: moments are smoothed (docs/engine.md), so only short folds are softer."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from bending import bent, bounds, gains, stencil_matrix
from cloth_samples import COTTON, DOUBLE, empty_space, lying, sheet
from toile import _kernels
from toile.core.records import Edge, Floats, Garment, Panel, Pattern, State
from toile.garment.build import build
from toile.garment.particles import particle_mass
from toile.garment.shapes import tube_cloth
from toile.sim.solvers.constraints import bending_stencils
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver


def trapezium() -> Garment:
    """An irregular mesh with corners and slanting sides."""
    corners = 0.25 * np.array([[0.0, 0.0], [0.3, 0.0], [0.2, 0.18], [0.06, 0.18]])
    panel = Panel("piece", corners, tuple(Edge(i, (i + 1) % 4) for i in range(4)))
    return build(Pattern("piece", (panel,)), COTTON, 0.005)


def lies(garment: Garment) -> tuple[Garment, Floats]:
    return garment, lying(garment)


CLOTHS: dict[str, Callable[[], tuple[Garment, Floats]]] = {
    "sheet": lambda: lies(sheet(11, 9, 0.05, 0.04)),
    "trapezium": lambda: lies(trapezium()),
    "tube": lambda: tube_cloth(16, 9, 0.08, 0.045),
}
"""with where they lie [m]"""


def asked_at(garment: Garment, w: Floats, times: float) -> float:
    """Return the dt² at which the middle stencil asks for so many times what it may weigh [s²]."""
    bends = bending_stencils(garment)
    bound = bounds(stencil_matrix(bends, len(w)), w)
    some = bound > 0
    return times * float(np.median(1.1 / bound[some] / bends.stiffness[some]))


def weights(garment: Garment, held: slice) -> Floats:
    w = 1 / particle_mass(garment)
    w[held] = 0.0
    return w


@pytest.mark.parametrize("times", [0.5, 1.5, 4.0, 50.0])
@pytest.mark.parametrize("name", CLOTHS)
def test_smoothed_bending_equals_the_numpy_reference(name: str, times: float) -> None:
    # threads that hardly pull: what is left of a substep is bending
    garment, x = CLOTHS[name]()
    w = weights(garment, slice(0, 3))
    dt = asked_at(garment, w, times) ** 0.5
    solver = XpbdSolver(garment, replace(DOUBLE, substep=dt, stretch_scale=1e-12))
    solver.pin(np.arange(3, dtype=np.int32))
    x = x + np.random.default_rng(3).normal(0.0, 0.001, x.shape)
    got = solver.step(State(x, np.zeros_like(x)), empty_space(gravity=0.0), dt).position
    bends = bending_stencils(garment)
    np.testing.assert_allclose(got, bent(bends, x, w, dt**2), rtol=0, atol=1e-9)
    cut_off = np.abs(bent(bends, x, w, dt**2, smooth=False) - got).max()
    assert (cut_off > 1e-5) == (times > 1.0), "smoothed where half of the stencils are too stiff"


@pytest.mark.parametrize("times", [0.5, 4.0])
def test_the_ends_of_long_cloth_bend_as_those_of_short_cloth(times: float) -> None:
    # rows of more than 65,536 particles are counted from one near them, but for those of stencils along edges
    columns, few = 7, 40
    short, long = (sheet(columns, rows, 0.005 * (columns - 1), 0.005 * (rows - 1)) for rows in (few, 10_000))
    assert long.particle_count > 2**16
    dt = asked_at(short, 1 / particle_mass(short), times) ** 0.5
    move = np.random.default_rng(6).normal(0.0, 0.001, (short.particle_count, 3))
    found = []
    for garment in (short, long):
        flat = lying(garment)
        x = flat.copy()
        x[: len(move)] = flat[: len(move)] + move
        x[-len(move) :] = flat[-len(move) :] + move
        solver = XpbdSolver(garment, replace(DOUBLE, substep=dt, stretch_scale=1e-12))
        found.append(solver.step(State(x, np.zeros_like(x)), empty_space(gravity=0.0), dt).position - flat)
    # the other end of the short one is none of the long one's
    part = len(move) - 10 * columns
    for end in (slice(None, part), slice(-part, None)):
        np.testing.assert_allclose(found[1][end], found[0][end], rtol=0, atol=1e-9)
    assert np.abs(found[0] - move).max() > 1e-4


@pytest.mark.parametrize("times", [1.05, 2.0, 3.0, 5.0, 8.0, 1000.0])
@pytest.mark.parametrize("held", [slice(0, 0), slice(0, 20)], ids=["free", "held"])
@pytest.mark.parametrize("name", CLOTHS)
def test_no_mode_is_so_stiff_that_it_swings_up(name: str, held: slice, times: float) -> None:
    # with the head start of the default settings 1 + 1 / (3 + 4 · 0.45) = 1.208 is still stable
    garment, _ = CLOTHS[name]()
    w = weights(garment, held)
    c, gain = gains(bending_stencils(garment), w, asked_at(garment, w, times))
    np.testing.assert_allclose(gain, gain.T, rtol=0, atol=1e-12 * np.abs(gain).max())
    root = np.sqrt(w)
    modes = np.linalg.eigvalsh(root[:, None] * (c.T @ gain @ c) * root)
    assert modes[0] > -1e-12
    assert modes[-1] < 1.2


@pytest.mark.parametrize(("times", "keeps"), [(1.2, 0.94), (2.0, 0.91), (3.0, 0.82)])
def test_long_folds_keep_their_stiffness(times: float, keeps: float) -> None:
    # of a wave round a tube of 24 edges: the share of its energy that the fabric has
    # were gains cut off it would be 0.57, 0.34 and 0.23
    garment, position = tube_cloth(24, 20, 0.24, 0.2)
    w = weights(garment, slice(0, 0))
    x = np.sin(np.arctan2(position[:, 0], position[:, 2]))
    bends, dt2 = bending_stencils(garment), asked_at(garment, w, times)
    c, gain = gains(bends, w, dt2)
    moment = c @ x
    inside = slice(0, len(bends.centre) - bends.along)
    energy = (moment * (gain @ moment))[inside].sum()
    true = dt2 * (bends.stiffness * moment**2)[inside].sum()
    assert keeps < energy / true <= 1.0


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    garment = tube_cloth(80, 60)[0]
    x = tube_cloth(80, 60)[1] + np.random.default_rng(1).normal(0.0, 1e-3, (garment.particle_count, 3))
    stiff = XpbdSettings(bend_scale=1000.0, self_collision=False)
    found = []
    for threads in (1, 2, 8):
        _kernels.set_thread_count(threads)
        solver = XpbdSolver(garment, stiff)
        solver.pin(np.arange(80, dtype=np.int32))
        state = State(x, np.zeros_like(x))
        for _ in range(3):
            state = solver.step(state, empty_space(), 1 / 60)
        found.append(state.position)
    _kernels.set_thread_count(0)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
