import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from toile import _kernels
from toile.core.records import Ints
from toile.garment.shapes import square_cloth, tube_cloth
from toile.geometry import topology as top


def reference_colour(constraints: Ints) -> list[int]:
    """First fit, one constraint after the other."""
    taken: dict[int, set[int]] = {}
    colours = []
    for row in constraints.tolist():
        used = set().union(*(taken.get(v, set()) for v in row if v >= 0))
        colour = next(c for c in range(len(constraints) + 1) if c not in used)
        for v in row:
            if v >= 0:
                taken.setdefault(v, set()).add(colour)
        colours.append(colour)
    return colours


constraint_lists = st.integers(1, 4).flatmap(
    lambda k: hnp.arrays(np.int32, st.tuples(st.integers(0, 120), st.just(k)), elements=st.integers(-1, 12))
)


@given(constraint_lists)
def test_colouring_is_first_fit(constraints: Ints) -> None:
    assert top.colour_constraints(constraints, 13).tolist() == reference_colour(constraints)


def test_colouring_a_star_with_more_than_64_constraints() -> None:
    constraints = np.stack([np.zeros(200, np.int32), np.arange(1, 201, dtype=np.int32)], axis=1)
    assert sorted(top.colour_constraints(constraints, 201).tolist()) == list(range(200))


def test_colours_share_no_vertex_on_a_cloth() -> None:
    cloth = square_cloth(20, 20)
    hinges, _ = top.hinges(cloth.triangles)
    colours = top.colour_constraints(hinges, cloth.particle_count)
    order, offsets = top.by_colour(colours)
    for begin, end in pairwise(offsets):
        used = hinges[order[begin:end]].ravel()
        assert len(np.unique(used)) == len(used)
    assert len(offsets) - 1 <= 20


@pytest.mark.parametrize("bad", [[[0, 5]], [[-2, 0]]])
def test_a_constraint_on_a_missing_vertex_is_an_exception(bad: list[list[int]]) -> None:
    with pytest.raises(IndexError, match="vertex"):
        _kernels.colour(np.array(bad, dtype=np.int32), 5)


@given(st.integers(1, 9), st.integers(1, 9))
def test_counts_of_a_grid(columns: int, rows: int) -> None:
    triangles = square_cloth(columns, rows).triangles
    edges, side_edge = top.unique_edges(triangles)
    inner = 3 * columns * rows - columns - rows  # cells' sides and diagonals that are not border
    assert len(edges) == inner + 2 * (columns + rows)
    assert len(top.hinges(triangles)[0]) == inner
    assert len(top.boundary_edges(triangles)) == 2 * (columns + rows)
    assert top.euler_characteristic(triangles) == 1
    assert (np.sort(top.half_edges(triangles), axis=1) == edges[side_edge]).all()


def test_hinges_name_the_edge_and_the_opposite_corners() -> None:
    cloth = square_cloth(4, 3)
    hinges, pairs = top.hinges(cloth.triangles)
    for hinge, (first, second) in zip(hinges, pairs, strict=True):
        assert set(cloth.triangles[first]) == set(hinge[[0, 1, 2]])
        assert set(cloth.triangles[second]) == set(hinge[[0, 1, 3]])
        at = cloth.triangles[first].tolist().index(hinge[0])
        assert cloth.triangles[first][(at + 1) % 3] == hinge[1]


def test_three_triangles_at_one_edge_make_two_hinges() -> None:
    fan = np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]], dtype=np.int32)
    assert top.hinges(fan)[0].tolist() == [[0, 1, 2, 3], [1, 0, 3, 4]]


def test_rings_list_neighbours() -> None:
    cloth = square_cloth(5, 5)
    rings = top.vertex_rings(cloth.triangles, cloth.particle_count)
    edges, _ = top.unique_edges(cloth.triangles)
    for vertex in range(cloth.particle_count):
        want = sorted({*edges[edges[:, 0] == vertex, 1], *edges[edges[:, 1] == vertex, 0]})
        assert rings[vertex].tolist() == want


def test_components_are_numbered_by_first_vertex() -> None:
    triangles = np.array([[4, 5, 6], [0, 2, 3]], dtype=np.int32)
    assert top.components(triangles, 7).tolist() == [0, 1, 0, 0, 2, 2, 2]


def test_boundary_loops_run_with_the_cloth_on_the_left() -> None:
    cloth = square_cloth(6, 4, 1.2, 0.8)
    (loop,) = top.boundary_loops(cloth.triangles)
    x, y = cloth.uv[loop].T
    assert len(loop) == 20
    assert np.isclose(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)), 1.2 * 0.8)


def test_a_tube_has_two_borders() -> None:
    tube, _ = tube_cloth(12, 5)
    assert [len(loop) for loop in top.boundary_loops(tube.triangles)] == [12, 12]
    assert top.euler_characteristic(tube.triangles) == 0


@given(hnp.arrays(np.float64, st.tuples(st.integers(0, 40), st.integers(2, 3))), st.integers(1, 9))
@example(np.array([[-1.7e308, 0.0], [1.7e308, 0.0]]), 1)
def test_packet_order_is_a_permutation_of_whatever_points(points: np.ndarray, packet: int) -> None:
    assert sorted(top.packet_order(points, packet).tolist()) == list(range(len(points)))


def test_packets_are_compact() -> None:
    points = np.random.default_rng(5).uniform(size=(4000, 2))
    packets = points[top.packet_order(points, 32)].reshape(-1, 32, 2)
    # 125 squares of equal area have sides of 0.089; their points' boxes are somewhat smaller
    assert np.ptp(packets, axis=1).max() < 0.15
    assert np.ptp(packets, axis=1).mean() < 0.09


def test_thirty_thousand_vertices_take_a_moment() -> None:
    cloth = square_cloth(172, 172)
    start = time.process_time()
    edges, _ = top.unique_edges(cloth.triangles)
    hinges, _ = top.hinges(cloth.triangles)
    top.vertex_rings(cloth.triangles, cloth.particle_count)
    top.components(cloth.triangles, cloth.particle_count)
    top.packet_order(cloth.uv, 32)
    top.colour_constraints(edges, cloth.particle_count)
    top.colour_constraints(hinges, cloth.particle_count)
    assert time.process_time() - start < 2.0  # about 0.2 s on an idle core
