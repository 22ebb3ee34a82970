"""Values that the cloth is coloured by, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.garment.fabric import fabric
from toile.garment.shapes import tube_cloth
from toile.studio.overlays import _distance, _membrane, inward_pressure, overlay_bytes, strain_of


def test_a_stretched_tube_presses_as_a_vessel_does() -> None:
    # p = T / R: a band of circumference C stretched by 5 % round a cylinder
    garment, position = tube_cloth(64, 12, 0.9, 0.3)
    wide = position * np.array([1.05, 1.0, 1.05])
    force, _, _ = _membrane(garment, wide)
    inward = inward_pressure(garment, wide)
    green = 0.5 * (1.05**2 - 1)
    tension = 1.05 * fabric("cotton").stretch_weft * green
    inner = (position[:, 1] > 0.05) & (position[:, 1] < 0.25)
    wanted = tension / (0.9 / (2 * np.pi))
    np.testing.assert_allclose(inward[inner], wanted, rtol=0.015)
    # nothing pulls along the tube
    np.testing.assert_allclose(force[inner, 1], 0.0, atol=1e-9)


def test_strain_is_that_of_the_longest_direction() -> None:
    garment, position = tube_cloth(48, 8, 0.9, 0.3)
    before = strain_of(garment, position)
    after = strain_of(garment, position * np.array([1.05, 1.0, 1.05]))
    np.testing.assert_allclose(after - before, 0.05, atol=2e-3)


def test_distances_are_signed() -> None:
    body = rest_pose(named_body("woman"))
    garment, _ = tube_cloth(48, 8, 0.9, 0.3)
    middle = body.vertices[body.body.limb == 3].mean(axis=0)
    away = np.tile(middle, (garment.particle_count, 1))
    away[1::2, 2] += 1.0
    found = _distance(garment, away, body)
    assert found[0] < 0 < found[1]
    assert found[1] == pytest.approx(0.12)
    assert overlay_bytes("penetration", garment, away, body) is not None
    assert overlay_bytes("none", garment, away, body) is None
