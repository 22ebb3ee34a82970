import math

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.core.records import Edge, Floats, Panel
from toile.garment.mesh.fill import double_areas
from toile.garment.mesh.grid import GridMesh, fit_grid
from toile.pattern.model.curves import area


def polygon(points: list[list[float]] | Floats) -> Panel:
    corners = np.array(points, dtype=float)
    return Panel("piece", corners, tuple(Edge(i, (i + 1) % len(corners)) for i in range(len(corners))))


def skirt_panel() -> Panel:
    """Curved waist and hem, slanted sides, one side cut into two edges."""
    corners = np.array([[-0.3, 0.0], [0.3, 0.0], [0.2, 0.4], [0.15, 0.6], [-0.15, 0.6]])
    edges = (
        Edge(0, 1, "quadratic", np.array([[0.0, -0.06]])),
        Edge(1, 2),
        Edge(2, 3),
        Edge(3, 4, "quadratic", np.array([[0.0, 0.57]])),
        Edge(4, 0),
    )
    return Panel("skirt", corners, edges)


def covered(grid: GridMesh) -> float:
    corners = grid.uv.reshape(-1, 2)[grid.triangles]
    assert (double_areas(corners) > 0).all(), "no cell is folded"
    return float(0.5 * double_areas(corners).sum())


def test_a_rectangle_gets_an_even_grid() -> None:
    grid = fit_grid(polygon([[0, 0], [0.4, 0], [0.4, 0.2], [0, 0.2]]), 0.02)
    assert grid.uv.shape == (11, 21, 2)
    x, y = np.meshgrid(np.linspace(0, 0.4, 21), np.linspace(0, 0.2, 11))
    assert np.allclose(grid.uv, np.stack([x, y], axis=2))
    assert math.degrees(grid.smallest_angle) == pytest.approx(90.0)


def test_a_skirt_panel_is_filled() -> None:
    panel = skirt_panel()
    grid = fit_grid(panel, 0.02)
    assert covered(grid) == pytest.approx(abs(area(panel)), rel=2e-3)
    assert set(grid.corners) == {0.0, 1.0, 3.0, 4.0}, "the corner inside the side is passed over"
    assert math.degrees(grid.smallest_angle) > 55.0
    steps = np.linalg.norm(np.diff(grid.uv, axis=1), axis=2)
    assert steps.min() > 0.008
    assert steps.max() < 0.04


def test_clockwise_panels_give_the_same_cloth() -> None:
    panel = skirt_panel()
    order = [4, 3, 2, 1, 0]
    turned = Panel(
        "skirt",
        panel.vertices,
        tuple(Edge(e.end, e.start, e.kind, e.controls) for e in (panel.edges[i] for i in order)),
    )
    assert covered(fit_grid(turned, 0.02)) == pytest.approx(covered(fit_grid(panel, 0.02)), rel=1e-9)


def test_a_round_piece_is_filled_too() -> None:
    turn = np.linspace(0, 2 * math.pi, 5)[:-1]
    points = 0.2 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    middle = 0.2 * np.stack([np.cos(turn + math.pi / 4), np.sin(turn + math.pi / 4)], axis=1)
    circle = Panel("collar", points, tuple(Edge(i, (i + 1) % 4, "arc", middle[i : i + 1]) for i in range(4)))
    assert covered(fit_grid(circle, 0.02)) == pytest.approx(math.pi * 0.04, rel=0.01)


def test_a_triangle_is_refused() -> None:
    # the fourth corner would lie on a straight side: a cell without an angle there
    with pytest.raises(ToileError, match="no grid"):
        fit_grid(polygon([[0, 0], [0.4, 0], [0.1, 0.3]]), 0.02)


def test_sewn_panels_can_agree_on_rows() -> None:
    panel = skirt_panel()
    assert fit_grid(panel, 0.02, rows=30, columns=12).uv.shape == (31, 13, 2)


def test_sides_follow_the_outline_exactly() -> None:
    panel = skirt_panel()
    grid = fit_grid(panel, 0.02)
    t = (grid.uv[0, :, 0] + 0.3) / 0.6  # x runs evenly in the parameter of the hem
    assert np.allclose(grid.uv[0, :, 1], -0.12 * t * (1 - t), atol=1e-6)


@pytest.mark.parametrize(
    "corners", [[0, 1, 2], [0, 1, 2, 9], [0, 2, 1, 3], [0, 0, 1, 2], [0, 1, 2, math.nan], []]
)
def test_senseless_corners_are_refused(corners: list[float]) -> None:
    with pytest.raises(ToileError, match="panel 'skirt': corners must be four"):
        fit_grid(skirt_panel(), 0.02, corners=corners)


def test_an_outline_that_no_grid_fits_is_refused_by_name() -> None:
    spiral = polygon(
        [[0, 0], [0.5, 0], [0.5, 0.5], [0.1, 0.5], [0.1, 0.2], [0.3, 0.2], [0.3, 0.3], [0.2, 0.3], [0.2, 0.4],
         [0.4, 0.4], [0.4, 0.1], [0, 0.1]]
    )  # fmt: skip
    with pytest.raises(ToileError, match="panel 'piece': no grid"):
        fit_grid(spiral, 0.02, corners=[0, 1, 2, 3])
    with pytest.raises(ToileError, match="edge length"):
        fit_grid(skirt_panel(), -1.0)
