"""Functions with the same bits on every machine (engine/core/fixed_math.h) against those of the C library."""

from __future__ import annotations

import numpy as np
import pytest

from toile._kernels import fixed_math
from toile.core.records import Floats

RNG = np.random.default_rng(11)
COUNT = 20_000


def of(name: str, x: Floats, y: Floats | None = None) -> Floats:
    return np.asarray(fixed_math(name, np.ascontiguousarray(x), np.zeros_like(x) if y is None else y))


def test_logarithms() -> None:
    x = np.concatenate([np.exp(RNG.uniform(-700, 700, COUNT)), RNG.uniform(0.5, 2.0, COUNT), [1.0]])
    want = np.log(x)
    assert (np.abs(of("log", x) - want) <= 2 * np.spacing(np.abs(want)) + 2e-16).all()
    assert of("log", np.ones(1))[0] == 0.0


def test_exponentials() -> None:
    x = np.concatenate([RNG.uniform(-700, 700, COUNT), RNG.uniform(-1, 1, COUNT)])
    want = np.exp(x)
    assert (np.abs(of("exp", x) - want) <= 2 * np.spacing(want)).all()
    assert of("exp", np.zeros(1))[0] == 1.0


def test_powers() -> None:
    base, exponent = np.exp(RNG.uniform(-4, 4, COUNT)), RNG.uniform(-3, 3, COUNT)
    np.testing.assert_allclose(of("power", base, exponent), base**exponent, rtol=3e-15)
    np.testing.assert_array_equal(of("power", base, np.ones(COUNT)), base)
    np.testing.assert_array_equal(of("power", base, np.zeros(COUNT)), np.ones(COUNT))


def test_angles() -> None:
    y, x = RNG.normal(0, 1, COUNT), RNG.normal(0, 1, COUNT)
    assert np.abs(of("atan2", y, x) - np.arctan2(y, x)).max() < 1e-15
    axes = np.array([(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 0.0)])
    np.testing.assert_allclose(of("atan2", *axes.T.copy()), np.arctan2(*axes.T), rtol=0, atol=1e-15)


def test_lengths_and_fourth_roots() -> None:
    x, y = np.exp(RNG.uniform(-60, 60, (2, COUNT))) * RNG.choice([-1.0, 1.0], (2, COUNT))
    want = np.hypot(x.astype(np.longdouble), y.astype(np.longdouble))
    assert (np.abs(of("hypot", x, y) - want) <= 1.5 * np.spacing(want.astype(float))).all()
    size = np.abs(x)
    want = np.sqrt(np.sqrt(size.astype(np.longdouble)))
    assert (np.abs(of("fourth_root", size) - want) <= np.spacing(want.astype(float))).all()
    np.testing.assert_array_equal(of("fourth_root", np.array([0.0, 1.0, 16.0, 81.0])), [0.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize(("far", "error"), [(10.0, 5e-16), (1e6, 5e-16)])
def test_sines(far: float, error: float) -> None:
    x = RNG.uniform(-far, far, COUNT)
    assert np.abs(of("sine", x) - np.sin(x)).max() < error
    assert np.abs(of("cosine", x) - np.cos(x)).max() < error
