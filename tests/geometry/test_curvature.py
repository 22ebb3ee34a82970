"""Border curvature against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toile.core.records import Edge, Floats, Garment, Panel, Pattern
from toile.garment.build import build, weld
from toile.garment.shapes import flat_position, square_cloth, tube_cloth
from toile.geometry.curvature import BorderCurvature, border_curvature


def of(garment: Garment) -> BorderCurvature:
    return border_curvature(garment.triangles, garment.uv[garment.triangles_uv], garment.particle_count)


def vectors(found: BorderCurvature, position: Floats) -> Floats:
    return np.einsum("bk,bka->ba", found.weight, position[found.vertices])


def disc(radius: float, edge_length: float) -> Garment:
    turn = np.linspace(0, 2 * math.pi, 7)[:-1]
    corners = radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    middle = radius * np.stack([np.cos(turn + math.pi / 6), np.sin(turn + math.pi / 6)], axis=1)
    edges = tuple(Edge(i, (i + 1) % 6, "arc", middle[i : i + 1]) for i in range(6))
    return build(Pattern("disc", (Panel("disc", corners, edges),)), "cotton", edge_length)


@given(st.floats(-3, 3), st.floats(-2, 2))
def test_flat_cloth_has_none_wherever_it_lies(angle: float, shift: float) -> None:
    cloth = disc(0.1, 0.02)
    c, s = math.cos(angle), math.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    position = flat_position(cloth) @ turn.T + shift
    assert np.abs(vectors(of(cloth), position)).max() < 1e-8


def test_a_strip_bent_along_its_edge_shows_its_curvature() -> None:
    # a strip on a cylinder of radius 0.2 m: curvature 5 along its long edges
    cloth = square_cloth(3, 40, 0.03, 0.4)
    u, v = cloth.uv.T
    position = np.stack([u, 0.2 * np.sin(v / 0.2), 0.2 * np.cos(v / 0.2)], axis=1)
    found = of(cloth)
    along = (found.warp > 0.9) & (v[found.vertices[:, 0]] > 0.005) & (v[found.vertices[:, 0]] < 0.395)
    assert along.sum() == 2 * 39
    assert np.allclose(np.linalg.norm(vectors(found, position)[along], axis=1), 5.0, rtol=1e-3)
    # bent across, the long edges stay straight
    across = np.stack([0.2 * np.sin(u / 0.2), v, 0.2 * np.cos(u / 0.2)], axis=1)
    assert np.abs(vectors(found, across)[along]).max() < 1e-9


def test_a_curved_border_shows_the_curvature_along_it() -> None:
    # a disc laid on a cylinder along x: the border at angle φ has the normal curvature sin²φ / R
    cloth = disc(0.1, 0.01)
    u, v = cloth.uv.T
    position = np.stack([u, 0.5 * np.sin(v / 0.5), 0.5 * np.cos(v / 0.5)], axis=1)
    found = of(cloth)
    centre = cloth.uv[found.vertices[:, 0]]
    want = (centre[:, 0] / 0.1) ** 2 / 0.5
    assert len(found.vertices) > 55
    assert np.abs(np.linalg.norm(vectors(found, position), axis=1) - want).max() < 0.15
    assert np.allclose(found.warp, (centre[:, 0] / 0.1) ** 2, atol=0.02)


def test_the_rim_of_a_tube_is_seen_across_its_seam() -> None:
    tube, position = tube_cloth(40, 4, 0.8, 0.1)
    found = of(tube)
    assert len(found.vertices) == 80
    assert np.linalg.norm(vectors(found, position), axis=1) == pytest.approx(2 * math.pi / 0.8, rel=0.01)


def test_corners_and_lone_triangles_have_none() -> None:
    cloth = square_cloth(2, 2)
    assert set(of(cloth).vertices[:, 0].tolist()) == {1, 3, 5, 7}
    assert len(of(square_cloth(1, 1)).vertices) == 0


def test_triangles_that_run_clockwise_in_uv_give_the_same() -> None:
    corners = np.array([[0, 0], [0.2, 0], [0.2, 0.1], [0, 0.1]])
    edges = tuple(Edge(i, (i + 1) % 4) for i in range(4))
    found = []
    for points in (corners, corners * [-1, 1]):
        garment = weld(build(Pattern("p", (Panel("p", points, edges),)), "cotton", 0.02))
        bent = flat_position(garment)
        bent[:, 2] = bent[:, 0] ** 2
        found.append(np.sort(np.linalg.norm(vectors(of(garment), bent), axis=1)))
    assert np.allclose(found[0], found[1], atol=0.05)
