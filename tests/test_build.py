import numpy as np

from toile.garment.build import build, particle_mass, weld, weld_positions
from toile.garment.shapes import flat_position, tube_cloth
from toile.mesh.topology import boundary_loops, euler_characteristic, half_edges
from toile.types import Edge, EdgeRef, Panel, Pattern, Seam


def rectangle(name: str, width: float, height: float) -> Panel:
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]])
    return Panel(name, corners, tuple(Edge(i, (i + 1) % 4) for i in range(4)))


def two_panel_tube() -> Pattern:
    """Front and back, both drawn from outside, sewn at both sides."""
    sides = [(EdgeRef("front", 1), EdgeRef("back", 3, True)), (EdgeRef("front", 3), EdgeRef("back", 1, True))]
    return Pattern(
        "tube",
        (rectangle("front", 0.4, 0.5), rectangle("back", 0.3, 0.5)),
        tuple(Seam((a,), (b,)) for a, b in sides),
    )


def test_unsewn_garment_has_one_particle_per_point_and_the_cloth_s_mass() -> None:
    garment = build(two_panel_tube(), "cotton", 0.03)
    assert (garment.uv_particle == np.arange(len(garment.uv))).all()
    assert np.isclose(particle_mass(garment).sum(), 0.12 * 0.7 * 0.5)


def test_weld_closes_a_tube() -> None:
    garment = build(two_panel_tube(), "cotton", 0.03)
    welded = weld(garment)
    assert euler_characteristic(welded.triangles) == 0
    assert len(boundary_loops(welded.triangles)) == 2
    sides = half_edges(welded.triangles)
    assert len(np.unique(sides, axis=0)) == len(sides), "all triangles turn the same way"
    assert np.isclose(particle_mass(welded).sum(), particle_mass(garment).sum())


def test_welded_positions_are_the_mean_of_the_seam() -> None:
    garment = build(two_panel_tube(), "cotton", 0.03)
    welded = weld(garment)
    position = flat_position(garment)
    moved = weld_positions(garment, welded, position)
    a, b = garment.seam_uv[0]
    assert np.allclose(moved[welded.uv_particle[a]], 0.5 * (position[a] + position[b]))


def test_tube_cloth_is_closed_and_faces_outwards() -> None:
    tube, position = tube_cloth(24, 6)
    assert euler_characteristic(tube.triangles) == 0
    corners = position[tube.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = corners.mean(axis=1) * [1, 0, 1]
    assert ((normal * outward).sum(axis=1) > 0).all()
