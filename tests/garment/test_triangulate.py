import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from toile.core.errors import ToileError
from toile.core.records import Edge, EdgeRef, Floats, Mark, Notch, Panel, PanelMesh, Pattern, Seam
from toile.garment.mesh.fill import GOOD_ANGLE, double_areas, smallest_angles
from toile.garment.mesh.sample import cut_outlines, edge_fractions
from toile.garment.mesh.triangulate import mesh_pattern, mesh_warnings
from toile.geometry.topology import boundary_loops, euler_characteristic, unique_edges


def polygon(points: list[list[float]] | Floats, name: str = "piece", **more: object) -> Panel:
    corners = np.array(points, dtype=float)
    count = len(corners)
    return Panel(name, corners, tuple(Edge(i, (i + 1) % count) for i in range(count)), **more)  # type: ignore[arg-type]


def mesh_one(panel: Panel, edge_length: float) -> PanelMesh:
    return mesh_pattern(Pattern("test", (panel,)), edge_length)[panel.name]


def check_mesh(panel: Panel, mesh: PanelMesh) -> None:
    """What holds for every mesh of a panel with straight edges."""
    corners = mesh.uv[mesh.triangles]
    area = shapely.Polygon(panel.vertices).area
    assert (double_areas(corners) > 0.0).all(), "counter-clockwise"
    assert math.isclose(0.5 * double_areas(corners).sum(), area, rel_tol=1e-9)
    assert euler_characteristic(mesh.triangles) == 1
    assert len(np.unique(mesh.triangles)) == len(mesh.uv), "no vertex is left over"
    (loop,) = boundary_loops(mesh.triangles)
    assert len(loop) == sum(len(e) - 1 for e in mesh.edge_vertices)
    for edge, vertices in zip(panel.edges, mesh.edge_vertices, strict=True):
        assert (mesh.uv[vertices[0]] == panel.vertices[edge.start]).all()
        assert (mesh.uv[vertices[-1]] == panel.vertices[edge.end]).all()
    assert math.isclose(mesh.smallest_angle, smallest_angles(mesh.uv, mesh.triangles).min())
    assert (mesh.smallest_angle >= GOOD_ANGLE) == (not mesh.warnings)


SHAPES = {
    "square": [[0, 0], [0.3, 0], [0.3, 0.3], [0, 0.3]],
    "concave": [[0, 0], [0.3, 0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0, 0.3]],
    "clockwise": [[0, 0.3], [0.1, 0.3], [0.1, 0.1], [0.3, 0.1], [0.3, 0], [0, 0]],
    "strap": [[0, 0], [0.4, 0], [0.4, 0.003], [0, 0.003]],
    "edge of 0.09 cm": [[0, 0], [0.2, 0], [0.2, 0.2], [0.1009, 0.2], [0.1, 0.2], [0, 0.2]],
    "cut corner": [[0, 0], [0.2, 0], [0.2, 0.2], [0.0009, 0.2], [0, 0.1991]],
    "dart": [[0, 0], [0.3, 0], [0.3, 0.4], [0.152, 0.4], [0.15, 0.28], [0.148, 0.4], [0, 0.4]],
    "slot": [[0, 0], [0.3, 0], [0.3, 0.3], [0.155, 0.3], [0.155, 0.1], [0.145, 0.1], [0.145, 0.3], [0, 0.3]],
    "waist": [[0, 0], [0.3, 0], [0.155, 0.2], [0.3, 0.4], [0, 0.4], [0.145, 0.2]],
    "smaller than an edge": [[0, 0], [0.004, 0], [0.004, 0.004], [0, 0.004]],
    "30 degrees": [[0, 0], [0.3, 0], [0.3, 0.3 * math.tan(math.radians(30))]],
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("edge_length", [0.02, 0.01])
def test_hard_outlines_get_good_triangles(name: str, edge_length: float) -> None:
    panel = polygon(SHAPES[name])
    mesh = mesh_one(panel, edge_length)
    check_mesh(panel, mesh)
    assert math.degrees(mesh.smallest_angle) >= 20.0, mesh.warnings


def test_a_corner_sharper_than_20_degrees_is_named_and_nothing_else() -> None:
    panel = polygon([[0, 0], [0.3, 0], [0.3, 0.3 * math.tan(math.radians(12))]], "gusset")
    mesh = mesh_one(panel, 0.02)
    check_mesh(panel, mesh)
    assert math.degrees(mesh.smallest_angle) > 11.0
    (warning,) = mesh_warnings({"gusset": mesh})
    assert warning.startswith("panel 'gusset': a triangle of 12.0° at (")


def test_a_plain_panel_has_even_triangles_of_the_wanted_size() -> None:
    mesh = mesh_one(polygon(SHAPES["square"]), 0.01)
    angles = np.degrees(smallest_angles(mesh.uv, mesh.triangles))
    edges, _ = unique_edges(mesh.triangles)
    length = np.linalg.norm(mesh.uv[edges[:, 0]] - mesh.uv[edges[:, 1]], axis=1)
    assert angles.mean() > 54.0
    assert length.min() > 0.006
    assert length.max() < 0.016
    assert abs(length.mean() / 0.01 - 1.0) < 0.08


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 11), st.sampled_from([0.03, 0.017]))
def test_random_outlines(seed: int, count: int, edge_length: float) -> None:
    rng = np.random.default_rng(seed)
    angle = (np.arange(count) + rng.uniform(0.0, 0.7, count)) * 2.0 * math.pi / count
    radius = rng.uniform(0.06, 0.3, count)
    panel = polygon(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))
    mesh = mesh_one(panel, edge_length)
    check_mesh(panel, mesh)
    # only corners of the outline itself may be sharp
    corner = panel.vertices
    a, b = np.roll(corner, 1, axis=0) - corner, np.roll(corner, -1, axis=0) - corner
    cosine = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    sharpest = math.acos(float(np.clip(cosine.max(), -1.0, 1.0)))
    if sharpest > math.radians(30.0):
        assert math.degrees(mesh.smallest_angle) >= 20.0
    assert mesh.smallest_angle >= min(GOOD_ANGLE, 0.7 * sharpest)


def test_the_same_pattern_gives_the_same_mesh() -> None:
    first, second = (mesh_one(polygon(SHAPES["dart"]), 0.015) for _ in range(2))
    assert first.uv.tobytes() == second.uv.tobytes()
    assert first.triangles.tobytes() == second.triangles.tobytes()


def test_a_curved_edge_is_followed() -> None:
    corners = np.array([[0, 0], [0.2, 0], [0.2, 0.2], [0, 0.2]])
    edges = (Edge(0, 1), Edge(1, 2), Edge(2, 3, "quadratic", np.array([[0.1, 0.1]])), Edge(3, 0))
    mesh = mesh_one(Panel("neck", corners, edges), 0.01)
    curve = mesh.uv[mesh.edge_vertices[2]]
    t = (0.2 - curve[:, 0]) / 0.2  # x runs evenly in the parameter here
    assert np.allclose(curve[:, 1], 0.2 * (1 - t) ** 2 + 0.2 * t * (1 - t) + 0.2 * t**2, atol=1e-6)
    # the parabola takes two thirds of its triangle away
    area = 0.5 * double_areas(mesh.uv[mesh.triangles]).sum()
    assert math.isclose(area, 0.04 - 2 / 3 * 0.01, rel_tol=2e-3)
    assert math.degrees(mesh.smallest_angle) > 20.0


def gathered() -> Pattern:
    """A waistband of one edge sewn to two panels, one of them twice as wide."""
    band = polygon([[0, 0], [0.5, 0], [0.5, 0.05], [0, 0.05]], "band")
    left = polygon([[0, 0], [0.2, 0], [0.2, 0.3], [0, 0.3]], "left")
    right = polygon([[0, 0], [0.7, 0], [0.7, 0.3], [0, 0.3]], "right")
    seam = Seam((EdgeRef("band", 0),), (EdgeRef("left", 2, True), EdgeRef("right", 2, True)), ease=1.8)
    return Pattern("skirt", (band, left, right), (seam,))


def test_both_sides_of_a_many_to_one_seam_have_the_same_steps() -> None:
    pattern = gathered()
    meshes = mesh_pattern(pattern, 0.02)
    band = meshes["band"].edge_vertices[0]
    left, right = meshes["left"].edge_vertices[2], meshes["right"].edge_vertices[2]
    assert len(band) - 1 == (len(left) - 1) + (len(right) - 1)
    # the corner between left and right meets the band at the same fraction of the length
    corner = meshes["band"].uv[band[len(left) - 1]]
    assert math.isclose(corner[0], 0.5 * 0.2 / 0.9, rel_tol=1e-9)
    # steps come from the mean of both lengths: 0.7 m at 2 cm
    assert abs((len(band) - 1) - 35) <= 1


def test_notches_of_one_name_meet() -> None:
    front = polygon([[0, 0], [0.4, 0], [0.4, 0.3], [0, 0.3]], "front", notches=(Notch(0, 0.25, "hip"),))
    back = polygon([[0, 0], [0.4, 0], [0.4, 0.3], [0, 0.3]], "back", notches=(Notch(0, 0.4, "hip"),))
    pattern = Pattern("skirt", (front, back), (Seam((EdgeRef("front", 0),), (EdgeRef("back", 0),)),))
    meshes = mesh_pattern(pattern, 0.02)
    x_front = meshes["front"].uv[meshes["front"].edge_vertices[0], 0]
    x_back = meshes["back"].uv[meshes["back"].edge_vertices[0], 0]
    at = int(np.argmin(np.abs(x_front - 0.1)))
    assert (x_front[at], x_back[at]) == pytest.approx((0.1, 0.16))


def test_refining_a_narrow_place_keeps_the_seam_matched() -> None:
    strap = polygon([[0, 0], [0.3, 0], [0.3, 0.003], [0, 0.003]], "strap")
    body = polygon([[0, 0], [0.3, 0], [0.3, 0.2], [0, 0.2]], "body")
    pattern = Pattern("top", (strap, body), (Seam((EdgeRef("strap", 2),), (EdgeRef("body", 0, True),)),))
    meshes = mesh_pattern(pattern, 0.02)
    assert len(meshes["strap"].edge_vertices[2]) == len(meshes["body"].edge_vertices[0]) > 16
    assert not mesh_warnings(meshes)


def test_corners_of_two_chains_that_nearly_meet_are_one() -> None:
    # 20.0 cm against 20.2 cm: no step of two millimetres
    one = [polygon([[0, 0], [w, 0], [w, 0.1], [0, 0.1]], n) for n, w in (("a", 0.2), ("b", 0.2))]
    two = [polygon([[0, 0], [w, 0], [w, 0.1], [0, 0.1]], n) for n, w in (("c", 0.202), ("d", 0.198))]
    seam = Seam((EdgeRef("a", 0), EdgeRef("b", 0)), (EdgeRef("c", 2, True), EdgeRef("d", 2, True)))
    fractions = edge_fractions(cut_outlines(Pattern("p", (*one, *two), (seam,)), 0.02))
    assert [len(fractions[n, e]) for n, e in (("a", 0), ("b", 0), ("c", 2), ("d", 2))] == [11, 11, 11, 11]


def test_a_fold_line_is_followed_from_edge_to_edge() -> None:
    fold = Mark("fold", np.array([[0.07, 0.0], [0.13, 0.3]]), angle=math.pi / 2)
    panel = polygon(SHAPES["square"], marks=(fold,))
    mesh = mesh_one(panel, 0.02)
    check_mesh(panel, mesh)
    (along,) = mesh.mark_edges
    ends = mesh.uv[along]
    assert math.isclose(
        np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum(), math.hypot(0.06, 0.3), rel_tol=1e-6
    )
    assert np.allclose(ends[..., 0], 0.07 + ends[..., 1] * 0.2, atol=1e-6)
    edges = {tuple(e) for e in unique_edges(mesh.triangles)[0].tolist()}
    assert {tuple(sorted(e)) for e in along.tolist()} <= edges
    assert math.degrees(mesh.smallest_angle) >= 20.0


def test_crossing_lines_share_a_vertex_and_outside_parts_are_cut_off() -> None:
    marks = (
        Mark("internal", np.array([[0.0, 0.15], [0.5, 0.15]])),
        Mark("internal", np.array([[0.1, -0.1], [0.1, 0.2]])),
    )
    panel = polygon(SHAPES["square"], marks=marks)
    mesh = mesh_one(panel, 0.02)
    check_mesh(panel, mesh)
    across, up = ({int(v) for v in edges.ravel()} for edges in mesh.mark_edges)
    (crossing,) = across & up
    assert np.allclose(mesh.uv[crossing], [0.1, 0.15])


def test_a_ring_closes_without_a_second_vertex() -> None:
    turn = np.linspace(0, 2 * math.pi, 73)
    ring = 0.15 + 0.09 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    panel = polygon(SHAPES["square"], marks=(Mark("internal", ring),))
    mesh = mesh_one(panel, 0.015)
    check_mesh(panel, mesh)
    (along,) = mesh.mark_edges
    assert (np.unique(along, return_counts=True)[1] == 2).all()
    assert math.degrees(mesh.smallest_angle) >= 20.0


def test_a_cut_out_is_a_hole() -> None:
    turn = np.linspace(0, 2 * math.pi, 40)[:-1]
    ring = 0.15 + 0.05 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    mesh = mesh_one(polygon(SHAPES["square"], marks=(Mark("cutout", ring),)), 0.015)
    assert euler_characteristic(mesh.triangles) == 0
    area = 0.5 * double_areas(mesh.uv[mesh.triangles]).sum()
    assert math.isclose(area, 0.09 - math.pi * 0.05**2, rel_tol=0.01)
    assert math.degrees(mesh.smallest_angle) >= 20.0


def bow_tie() -> Panel:
    return polygon([[0, 0], [0.2, 0.2], [0.2, 0], [0, 0.2]], "bow")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (Pattern("p", (bow_tie(),)), "panel 'bow': .*crosses itself"),
        (Pattern("p", (polygon([[0, 0], [0.1, 0], [0.2, 0]], "flat"),)), "panel 'flat'"),
        (
            Pattern("p", (polygon([[0, 0], [0.1, 0], [0.1, 0], [0, 0.1]], "dot"),)),
            "panel 'dot': edge 1 is only",
        ),
        (Pattern("p", (bow_tie(),), (Seam((EdgeRef("bow", 7),), (EdgeRef("bow", 0),)),)), "no edge 7"),
        (
            Pattern("p", (bow_tie(),), (Seam((EdgeRef("bow", 0),), (EdgeRef("bow", 0),)),)),
            "is sewn in seam 1",
        ),
        (Pattern("p", (bow_tie(),), (Seam((EdgeRef("bow", 0),), ()),)), "seam 1: one side names no edge"),
        (Pattern("p", (bow_tie(),), (Seam((EdgeRef("bow", 0),), (EdgeRef("tie", 0),)),)), "no panel 'tie'"),
    ],
)
def test_what_cannot_be_meshed_is_one_line(pattern: Pattern, message: str) -> None:
    with pytest.raises(ToileError, match=message) as caught:
        mesh_pattern(pattern, 0.02)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("edge_length", [0.0, -1.0, math.nan, math.inf])
def test_a_senseless_edge_length_is_refused(edge_length: float) -> None:
    with pytest.raises(ToileError, match="edge length"):
        mesh_pattern(gathered(), edge_length)


def test_a_mesh_that_would_fill_the_memory_is_refused() -> None:
    with pytest.raises(ToileError, match="panel 'piece': over 2000000 vertices"):
        mesh_one(polygon(SHAPES["square"]), 0.0001)


def test_a_piece_that_is_practically_a_line_is_named() -> None:
    panel = polygon([[0, 0], [0.1, 0], [0.05, 1e-12]], "thread")
    with pytest.raises(ToileError, match=r"panel 'thread': points lie on each other near \(5.00, 0.00\) cm"):
        mesh_one(panel, 0.2)
