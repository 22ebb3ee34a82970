"""Mesh quality in figures: also with slivers, tiny edges and lines inside."""

from __future__ import annotations

import numpy as np
import pytest

from toile.garment.mesh.quality import mesh_quality
from toile.garment.mesh.triangulate import mesh_pattern
from toile.pattern.formats.text.read import parse

SQUARE = """
panel p
  from 0 0
  line to 30 0
  line to 30 30
  {corner}
  line to start
  {more}
"""


def pattern(corner: str = "line to 0 30", more: str = ""):  # type: ignore[no-untyped-def]
    """Return a square with another corner or with marks."""
    return parse(SQUARE.format(corner=corner, more=more), "p", "p.txt")


def test_a_square_is_meshed_well() -> None:
    found = mesh_quality(pattern(), 0.015)
    assert found.sliver_count == 0
    assert found.angle_mean > np.radians(50.0)
    assert 0.010 < found.edge_short < found.edge_mean < found.edge_long < 0.025
    assert "under 20°" in str(found)


def test_an_edge_of_one_millimetre_gives_no_sliver() -> None:
    # the corner is cut off by 0.1 cm
    found = mesh_quality(pattern("line to 0.07 30\n  line to 0 29.93"), 0.015)
    assert found.sliver_count <= 3
    assert found.angle_least > np.radians(10.0)
    assert found.triangle_count < 4000


def test_a_needle_is_reported_with_its_place() -> None:
    found = mesh_quality(
        parse("panel n\n from 0 0\n line to 40 0\n line to 40 1\n line to start", "n", "n.txt"), 0.015
    )
    assert found.angle_least < np.radians(5.0)
    assert any("'n'" in line for line in found.warnings)


@pytest.mark.parametrize("kind", ["internal", "fold"])
def test_lines_inside_are_followed_by_mesh_edges(kind: str) -> None:
    mesh = mesh_pattern(pattern(more=f"mark {kind} 5 3 12 20 25 22"), 0.015)["p"]
    line = mesh.uv[mesh.mark_edges[0]]
    length = np.linalg.norm(line[:, 1] - line[:, 0], axis=1).sum()
    assert length == pytest.approx(np.hypot(0.07, 0.17) + np.hypot(0.13, 0.02), rel=1e-6)
    sides = {
        tuple(sorted(s)) for t in mesh.triangles.tolist() for s in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0]))
    }
    assert all(tuple(sorted(edge)) in sides for edge in mesh.mark_edges[0].tolist())
