"""Whole patterns as grids: seams match, outlines are kept, springs follow rows and columns."""

import numpy as np
import pytest

from toile.body.model.make import named_body
from toile.core.errors import ToileError
from toile.core.records import Edge, EdgeRef, Panel, Pattern, Seam
from toile.garment.build import build, weld
from toile.garment.mesh.fill import double_areas
from toile.garment.mesh.grid_pattern import grid_pattern
from toile.garment.outfit import join
from toile.garment.particles import triangle_rest_areas
from toile.pattern.drafts.library import draft
from toile.pattern.model.curves import area
from toile.sim.solvers.spring_network import grid_points, make_springs


@pytest.fixture(scope="module")
def measures():
    return named_body("woman").measurements


def rectangle(name: str, width: float, height: float) -> Panel:
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]])
    return Panel(name, corners, tuple(Edge(i, (i + 1) % 4) for i in range(4)))


def two_rectangles(width: float = 0.4, other: float = 0.52) -> Pattern:
    """Two panels of different height, sewn along both sides: a tube."""
    seams = (
        Seam((EdgeRef("a", 1),), (EdgeRef("b", 3, True),)),
        Seam((EdgeRef("a", 3),), (EdgeRef("b", 1, True),)),
    )
    return Pattern("tube", (rectangle("a", width, 0.3), rectangle("b", width, other)), seams)


def test_both_sides_of_a_seam_get_as_many_cells() -> None:
    meshes = grid_pattern(two_rectangles(), 0.05)
    assert meshes["a"].grid[0] == meshes["b"].grid[0]
    assert 7 <= meshes["a"].grid[0] <= 11, "between what the one and the other would have liked"
    assert meshes["a"].grid[1] == 9
    garment = weld(build(two_rectangles(), edge_length=0.05, mesh="grid"))
    rows = meshes["a"].grid[0]
    assert garment.particle_count == 2 * rows * 9 - 2 * rows


@pytest.mark.parametrize("kind", ["top", "circle_skirt", "skirt", "tshirt"])
def test_drafts_become_grids_where_they_can(kind, measures) -> None:
    pattern = draft(kind, measures)
    meshes = grid_pattern(pattern, 0.04)
    assert any(mesh.grid[0] for mesh in meshes.values())
    for panel in pattern.panels:
        mesh = meshes[panel.name]
        corners = mesh.uv[mesh.triangles]
        assert (double_areas(corners) > 0).all(), panel.name
        assert 0.5 * double_areas(corners).sum() == pytest.approx(abs(area(panel)), rel=0.02)
        for edge, along in zip(panel.edges, mesh.edge_vertices, strict=True):
            ends = panel.vertices[[edge.start, edge.end]]
            assert mesh.uv[along[[0, -1]]] == pytest.approx(ends, abs=1e-9)
    garment = build(pattern, edge_length=0.04, mesh="grid")
    welded = weld(garment)
    assert welded.particle_count < garment.particle_count
    assert (triangle_rest_areas(welded) > 0).all()


def test_springs_of_sewn_grids_follow_rows_and_columns() -> None:
    garment = weld(build(two_rectangles(0.4, 0.3), edge_length=0.1, mesh="grid"))
    (a, b) = grid_points(garment)
    assert a.shape == b.shape == (4, 5)
    springs = make_springs(garment, 30.0, 20.0, 10.0)
    kinds = {k: int((springs.stiffness == k).sum()) for k in (30.0, 20.0, 10.0)}
    # per panel: 4·4 + 3·5 structural, 2·3·4 shear, 4·3 + 2·5 flexion
    assert kinds == {30.0: 2 * 31, 20.0: 2 * 24, 10.0: 2 * 22}
    assert springs.rest.max() == pytest.approx(0.2)


def test_outfits_keep_their_grids() -> None:
    one, two = build(two_rectangles(), edge_length=0.1, mesh="grid"), build(two_rectangles(), edge_length=0.1)
    both = join([two, one])
    assert both.panel_grid[:2].tolist() == [[0, 0], [0, 0]]
    assert len(grid_points(both)) == 2


def test_errors() -> None:
    with pytest.raises(ToileError, match="choose from triangles, grid"):
        build(two_rectangles(), mesh="hexagons")
    with pytest.raises(ToileError, match="positive length"):
        grid_pattern(two_rectangles(), 0.0)
    with pytest.raises(ToileError, match="too short for its size"):
        grid_pattern(two_rectangles(), 1e-6)
