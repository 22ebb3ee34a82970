"""Areas, masses and strain against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toile.core.records import Floats
from toile.garment.shapes import flat_position, square_cloth, tube_cloth
from toile.geometry import triangles as geo


def strain_of(gradient: Floats) -> Floats:
    """Strain of a cloth that is deformed by one matrix (3, 2) everywhere."""
    cloth = square_cloth(4, 3, 0.4, 0.3)
    return geo.strain(cloth.uv @ gradient.T, cloth.triangles, cloth.uv, cloth.triangles_uv)


def rotation(a: float, b: float) -> Floats:
    """Two columns of a rotation about y by a, then about x by b."""
    ry = np.array([[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]])
    rx = np.array([[1, 0, 0], [0, math.cos(b), -math.sin(b)], [0, math.sin(b), math.cos(b)]])
    return (rx @ ry)[:, :2]


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_turning_cloth_does_not_strain_it(a: float, b: float) -> None:
    assert np.allclose(strain_of(rotation(a, b)), 0.0, atol=1e-12)


@given(st.floats(-3, 3), st.floats(0.5, 2.0), st.floats(0.5, 2.0))
def test_stretch_shows_along_its_thread_only(a: float, weft: float, warp: float) -> None:
    strain = strain_of(rotation(a, 0.3) * [weft, warp])
    assert np.allclose(strain, [weft - 1.0, warp - 1.0, 0.0], atol=1e-9)


@given(st.floats(-1.2, 1.2))
def test_shear_is_the_sine_of_its_angle(angle: float) -> None:
    # trellis shear: threads keep their length, their angle closes
    gradient = np.array([[1.0, math.sin(angle)], [0.0, math.cos(angle)], [0.0, 0.0]])
    assert np.allclose(strain_of(gradient), [0.0, 0.0, math.sin(angle)], atol=1e-9)


def test_clockwise_rest_triangles_give_the_same_strain() -> None:
    cloth = square_cloth(4, 3, 0.4, 0.3)
    position = flat_position(cloth) * [1.1, 0.9, 1.0]
    turned = cloth.triangles[:, ::-1]
    assert np.allclose(geo.strain(position, turned, cloth.uv, turned), [0.1, -0.1, 0.0])


def test_flat_triangles_have_the_area_that_they_have_in_space() -> None:
    uv = np.random.default_rng(3).uniform(-1, 1, (40, 2))
    triangles = np.random.default_rng(4).permutation(39).reshape(-1, 3).astype(np.int32)
    space = np.column_stack([uv, np.zeros(len(uv))])
    np.testing.assert_array_equal(geo.triangle_areas(uv, triangles), geo.triangle_areas(space, triangles))
    turned = geo.signed_areas(uv, triangles[:, ::-1])
    np.testing.assert_array_equal(turned < 0, geo.signed_areas(uv, triangles) > 0)
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 3.0]])
    assert geo.signed_areas(square, np.array([[0, 1, 2], [0, 2, 1]], np.int32)).tolist() == [3.0, -3.0]


def test_areas_and_masses_add_up() -> None:
    cloth = square_cloth(7, 5, 0.7, 0.3)
    areas = geo.triangle_areas(cloth.uv, cloth.triangles)
    assert np.isclose(areas.sum(), 0.21)
    assert np.isclose(geo.vertex_areas(areas, cloth.triangles, cloth.particle_count).sum(), 0.21)
    mass = geo.lumped_masses(areas, np.full(len(areas), 0.2), cloth.triangles, cloth.particle_count)
    assert np.isclose(mass.sum(), 0.042)
    # in the middle of an even cloth a particle carries one cell
    inner = (cloth.uv > 0.05).all(axis=1) & (cloth.uv[:, 0] < 0.65) & (cloth.uv[:, 1] < 0.25)
    per_pair = mass[inner].reshape(-1, 1).mean()
    assert np.isclose(per_pair, 0.2 * 0.1 * 0.06, rtol=0.15)


def test_normals_of_a_tube_point_outwards() -> None:
    tube, position = tube_cloth(60, 4)
    outward = position * [1, 0, 1] / np.linalg.norm(position * [1, 0, 1], axis=1, keepdims=True)
    assert ((geo.vertex_normals(position, tube.triangles) * outward).sum(axis=1) > 0.99).all()
    flat = square_cloth(3, 3)
    assert np.allclose(geo.triangle_normals(flat.uv, flat.triangles), [0, 0, 1])


def test_rolling_into_a_tube_keeps_lengths_up_to_the_chord() -> None:
    tube, position = tube_cloth(48, 6, 0.9, 0.2)
    statistics = geo.stretch_statistics(position, tube.triangles, tube.uv, tube.triangles_uv)
    assert statistics.largest < 1e-12
    elongation = geo.edge_elongation(position, tube.triangles, tube.uv, tube.triangles_uv)
    # a chord of angle φ is shorter than its arc by the factor sin(φ/2) / (φ/2)
    half = math.pi / 48
    assert np.isclose(elongation.min(), math.sin(half) / half - 1.0, rtol=1e-6)


def test_stretch_statistics_see_the_longest_edge() -> None:
    cloth = square_cloth(10, 10)
    position = flat_position(cloth).copy()
    assert geo.stretch_statistics(position, cloth.triangles, cloth.uv, cloth.triangles_uv).largest < 1e-12
    position[0] -= [0.05, 0.0, 0.0]
    statistics = geo.stretch_statistics(position, cloth.triangles, cloth.uv, cloth.triangles_uv)
    assert statistics.largest == pytest.approx(0.5)
    assert 0.0 < statistics.mean < 0.01
    even = geo.stretch_statistics(flat_position(cloth) * 1.02, cloth.triangles, cloth.uv, cloth.triangles_uv)
    assert (even.mean, even.percentile_99, even.largest) == pytest.approx((0.02, 0.02, 0.02))


def test_a_triangle_without_area_has_no_strain_instead_of_nan() -> None:
    uv = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    one = np.array([[0, 1, 2]], dtype=np.int32)
    assert np.isfinite(geo.strain(uv, one, uv, one)).all()
