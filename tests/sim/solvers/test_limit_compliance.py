"""Long threads and coarse limits bear what a sweep leaves of the fabric's stiffness, and no more."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cloth_samples import COTTON, sheet
from compliance_reference import SWEEP_STIFFNESS, borne, parts_of, shared_out, slant_of
from toile.core.records import Floats
from toile.garment.particles import particle_mass, triangle_rest_areas
from toile.sim.solvers.xpbd import SOFT_STRETCH, XpbdSettings, XpbdSolver

SWEEPS = 3
"""over the limits of the finest level"""
STIFF = np.array([0.5 * (COTTON.stretch_weft + COTTON.stretch_warp), COTTON.shear])


def flat() -> tuple[XpbdSolver, Floats]:
    """Return an irregular sheet, and where it lies."""
    garment = sheet(50, 45, 0.5, 0.45)
    uv = garment.uv + np.random.default_rng(2).normal(0, 0.0015, garment.uv.shape)
    solver = XpbdSolver(replace(garment, uv=uv), XpbdSettings(precision="double", levels=3))
    solver._kernel.set_levels()
    return solver, np.column_stack([uv, np.zeros(len(uv))])


@pytest.mark.parametrize("firm", [1.0, 30.0])
@pytest.mark.parametrize("substep", [1 / 300, 1 / 1200, 1 / 10_000])
def test_parts_of_lists_equal_the_numpy_reference(substep: float, firm: float) -> None:
    solver, x = flat()
    solver._cloth.set_limit_compliance(SOFT_STRETCH, substep, bias=1.0)
    solver._cloth.set_limit_compliance(SOFT_STRETCH, substep, bias=firm)
    mass, area = particle_mass(solver.garment).mean(), triangle_rest_areas(solver.garment).sum()
    levels = [solver._cloth.level_limits(k, x) for k in range(len(solver._cloth.levels))]
    assert len(levels) > 1
    slants = [slant_of(point[pair[:, 1], :2] - point[pair[:, 0], :2]) for point, pair, *_ in levels]
    bears = [np.array([2 * mass, 0.0])]
    for number, (_, pair, rest, _, inverse_mass) in enumerate(levels):
        sweeps = np.full(len(rest), 1.0 if number else SWEEPS)
        bears.append(borne(rest, slants[number], inverse_mass[pair].sum(axis=1), sweeps, area))
    shares = shared_out(STIFF * [1.0, firm], np.array([mass, mass / 2]), bears, substep**2)
    for (_, _, _, parts, _), slant, share in zip(levels, slants, shares[1:], strict=True):
        assert_allclose(parts, parts_of(slant, share), rtol=1e-6, atol=1e-9)


def test_the_shorter_the_substeps_the_less_is_left_to_the_limits() -> None:
    solver, x = flat()
    found = []
    for substep in (1 / 100, 1 / 1000, 1 / 10_000, 1 / 100_000):
        solver._cloth.set_limit_compliance(SOFT_STRETCH, substep)
        found.append(solver._cloth.level_limits(0, x)[3])
    assert (np.diff(found, axis=0) <= 1e-12).all()
    assert found[0].max() == 1.0
    assert found[-1].max() < 0.001


def test_all_together_bear_what_the_fabric_does() -> None:
    sweep, levels = (
        np.array([1e-4, 5e-5]),
        [np.array([1e-3, 4e-4]), np.array([9e-3, 4e-3]), np.array([1.0, 1.0])],
    )
    for substep in (1 / 100, 1 / 480, 1 / 5000):
        shares = shared_out(STIFF, sweep, levels, substep**2)
        dt2 = substep**2 / SWEEP_STIFFNESS
        alone = 1 / (1 / STIFF + dt2 / sweep)
        assert_allclose(alone + (shares * levels).sum(axis=0) / dt2, STIFF)


@pytest.mark.parametrize(
    ("soft_stretch", "substep", "bias"),
    [(-0.1, 0.001, 1.0), (0.01, 0.0, 1.0), (0.01, -1.0, 1.0), (np.nan, 0.001, 1.0), (0.01, 0.001, 0.0)],
)
def test_nonsense_is_refused(soft_stretch: float, substep: float, bias: float) -> None:
    solver, _ = flat()
    with pytest.raises(ValueError, match="soft_stretch must not be negative"):
        solver._cloth.set_limit_compliance(soft_stretch, substep, bias=bias)
