import math
from dataclasses import replace

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.core.records import Edge, EdgeRef, Garment, Hold, Ints, Mark, Panel, Pattern, Seam
from toile.garment.build import build, collapsed_triangles, panel_coordinates, weld, weld_positions
from toile.garment.fabric import FABRICS
from toile.garment.outfit import join, layered
from toile.garment.particles import particle_mass
from toile.garment.place.facing import panels_face_down, twisted_seams
from toile.garment.shapes import flat_position, tube_cloth
from toile.geometry.topology import boundary_loops, euler_characteristic, half_edges


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


def test_a_particle_without_mass_is_named() -> None:
    garment = build(two_panel_tube(), "cotton", 0.1)
    # none of the triangles round one particle is left
    lost = int(garment.triangles[0, 0])
    kept = (garment.triangles != lost).all(axis=1)
    bare = replace(
        garment,
        triangles=garment.triangles[kept],
        triangles_uv=garment.triangles_uv[kept],
        triangle_fabric=garment.triangle_fabric[kept],
    )
    with pytest.raises(ToileError, match=f"garment tube: particle {lost} belongs to no triangle"):
        particle_mass(bare)


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


def with_dart() -> Pattern:
    """A panel with a dart: edges 3 and 4 meet at the apex and are sewn together."""
    corners = np.array([[0, 0], [0.3, 0], [0.3, 0.4], [0.17, 0.4], [0.15, 0.28], [0.13, 0.4], [0, 0.4]])
    panel = Panel("front", corners, tuple(Edge(i, (i + 1) % 7) for i in range(7)))
    return Pattern(
        "dart", (panel,), (Seam((EdgeRef("front", 3),), (EdgeRef("front", 4, True),), name="dart"),)
    )


def test_a_dart_closes_to_its_apex() -> None:
    garment = build(with_dart(), "cotton", 0.02)
    apex = int(np.argmin(np.linalg.norm(garment.uv - [0.15, 0.28], axis=1)))
    assert apex not in garment.seam_uv, "the apex is one point already"
    assert garment.uv[garment.seam_uv[:, 0], 0] + garment.uv[garment.seam_uv[:, 1], 0] == pytest.approx(0.3)
    welded = weld(garment)
    assert euler_characteristic(welded.triangles) == 1
    assert len(boundary_loops(welded.triangles)) == 1
    assert welded.particle_count == garment.particle_count - len(garment.seam_uv)


def pie(pieces: int) -> Pattern:
    """Equal wedges round one point: where many panels meet."""
    half = math.pi / pieces
    corners = np.array(
        [[0, 0], [0.3 * math.cos(half), -0.3 * math.sin(half)], [0.3 * math.cos(half), 0.3 * math.sin(half)]]
    )
    panels = tuple(Panel(f"p{i}", corners, (Edge(0, 1), Edge(1, 2), Edge(2, 0))) for i in range(pieces))
    seams = tuple(
        Seam((EdgeRef(f"p{i}", 2, True),), (EdgeRef(f"p{(i + 1) % pieces}", 0),)) for i in range(pieces)
    )
    return Pattern("pie", panels, seams)


@pytest.mark.parametrize("pieces", [3, 5, 8])
def test_many_panels_meet_in_one_particle(pieces: int) -> None:
    garment = build(pie(pieces), "cotton", 0.03)
    welded = weld(garment)
    centre = welded.uv_particle[np.linalg.norm(garment.uv, axis=1) < 1e-9]
    assert len(centre) == pieces
    assert len(set(centre.tolist())) == 1
    assert euler_characteristic(welded.triangles) == 1
    sides = half_edges(welded.triangles)
    assert len(np.unique(sides, axis=0)) == len(sides)


def test_a_panel_drawn_from_inside_is_turned() -> None:
    pattern = two_panel_tube()
    back = pattern.panels[1]
    mirrored = Panel("back", back.vertices * [-1, 1], back.edges)
    turned = Pattern("tube", (pattern.panels[0], mirrored), pattern.seams)
    assert panels_face_down(pattern).tolist() == [False, False]
    assert panels_face_down(turned).tolist() == [False, True]
    welded = weld(build(turned, "cotton", 0.03))
    sides = half_edges(welded.triangles)
    assert len(np.unique(sides, axis=0)) == len(sides)
    assert len(boundary_loops(welded.triangles)) == 2
    assert twisted_seams(turned) == []


def test_a_twisted_strip_is_noticed() -> None:
    panel = rectangle("strip", 0.6, 0.1)
    ring = Pattern(
        "ring", (panel,), (Seam((EdgeRef("strip", 1),), (EdgeRef("strip", 3, True),), name="join"),)
    )
    moebius = Pattern("ring", (panel,), (Seam((EdgeRef("strip", 1),), (EdgeRef("strip", 3),), name="join"),))
    assert twisted_seams(ring) == []
    assert twisted_seams(moebius) == ["join"]
    assert len(boundary_loops(weld(build(moebius, "cotton", 0.02)).triangles)) >= 1


def test_a_cone_keeps_its_particles_in_use() -> None:
    # a wedge sewn to itself: the triangle at its tip has both corners on the seam
    (panel, *_) = pie(5).panels
    cone = Pattern("cone", (panel,), (Seam((EdgeRef("p0", 0),), (EdgeRef("p0", 2, True),)),))
    garment = build(cone, "cotton", 0.03)
    welded = weld(garment)
    assert sorted(set(welded.triangles.ravel().tolist())) == list(range(welded.particle_count))
    assert (particle_mass(welded) > 0).all()
    assert len(garment.triangles) - len(welded.triangles) == len(collapsed_triangles(garment))
    assert len(boundary_loops(welded.triangles)) == 1


def test_a_tube_that_is_too_thin_for_its_mesh_is_refused() -> None:
    thin = rectangle("string", 0.01, 0.3)
    tube = Pattern("string", (thin,), (Seam((EdgeRef("string", 1),), (EdgeRef("string", 3, True),)),))
    with pytest.raises(ToileError, match=r"panel 'string' vanishes .*; use a shorter edge length"):
        weld(build(tube, "cotton", 0.02))


def test_the_grain_turns_the_warp_upwards() -> None:
    corners = rectangle("bias", 0.2, 0.1).vertices
    panel = Panel("bias", corners, rectangle("bias", 1, 1).edges, grain=math.radians(30))
    garment = build(Pattern("p", (panel,)), "cotton", 0.02)
    # a step along the warp in the panel is a step along +y in uv
    warp = np.array([-math.sin(math.radians(30)), math.cos(math.radians(30))])
    back = panel_coordinates(garment)
    assert np.allclose(back.min(axis=0), 0.0, atol=1e-12)
    assert np.allclose(back.max(axis=0), [0.2, 0.1])
    assert np.allclose(garment.uv[:, 1], back @ warp)


def test_panels_may_have_their_own_fabric() -> None:
    pattern = two_panel_tube()
    silk = Panel("back", pattern.panels[1].vertices, pattern.panels[1].edges, fabric="silk")
    garment = build(Pattern("tube", (pattern.panels[0], silk), pattern.seams), "denim", 0.03)
    assert [f.name for f in garment.fabrics] == ["denim", "silk"]
    names = [garment.panel_names[p] for p in garment.uv_panel[garment.triangles_uv[:, 0]]]
    assert all(
        ("denim", "silk")[f] == {"front": "denim", "back": "silk"}[n]
        for n, f in zip(names, garment.triangle_fabric, strict=True)
    )
    assert particle_mass(weld(garment)).sum() == pytest.approx(
        0.5 * (0.4 * FABRICS["denim"].mass + 0.3 * FABRICS["silk"].mass)
    )


def test_held_edges_are_kept_through_welding() -> None:
    pattern = two_panel_tube()
    holds = (Hold(EdgeRef("front", 2)), Hold(EdgeRef("back", 2)))
    garment = build(Pattern("tube", pattern.panels, pattern.seams, holds), "cotton", 0.03)
    assert (garment.uv[garment.hold_particle, 1] == 0.5).all()
    welded = weld(garment)
    top = max(boundary_loops(welded.triangles), key=lambda loop: garment_height(welded, loop))
    assert sorted(top.tolist()) == welded.hold_particle.tolist()


def garment_height(garment: Garment, particles: Ints) -> float:
    return float(garment.uv[np.isin(garment.uv_particle, particles), 1].mean())


def test_folds_are_mesh_edges_with_angles() -> None:
    panel = rectangle("pleat", 0.3, 0.2)
    fold = Mark("fold", np.array([[0.1, 0.0], [0.1, 0.2]]), angle=2.0)
    pleated = Panel("pleat", panel.vertices, panel.edges, marks=(fold,))
    garment = build(Pattern("p", (pleated,)), "cotton", 0.02)
    assert np.allclose(garment.uv[garment.fold_uv][..., 0], 0.1)
    assert (garment.fold_angle == 2.0).all()
    assert len(garment.fold_uv) == 10


def test_welding_twice_changes_nothing() -> None:
    welded = weld(build(two_panel_tube(), "cotton", 0.03))
    again = weld(welded)
    assert (again.triangles == welded.triangles).all()
    assert (again.uv_particle == welded.uv_particle).all()


def test_an_outfit_keeps_its_garments_apart() -> None:
    one, two = weld(build(two_panel_tube(), "cotton", 0.04)), build(with_dart(), "silk", 0.03)
    outfit = join([one, two, one])
    assert outfit.particle_count == 2 * one.particle_count + two.particle_count
    assert len(outfit.fabrics) == 2
    assert outfit.garment_names == ("tube", "dart", "tube")
    assert np.bincount(outfit.particle_garment).tolist() == [
        one.particle_count,
        two.particle_count,
        one.particle_count,
    ]
    # each triangle keeps its garment, panel, shape and mass
    assert (
        outfit.particle_garment[outfit.triangles] == outfit.particle_garment[outfit.triangles[:, :1]]
    ).all()
    assert (outfit.uv_particle[outfit.triangles_uv] == outfit.triangles).all()
    assert particle_mass(outfit).sum() == pytest.approx(
        2 * particle_mass(one).sum() + particle_mass(two).sum()
    )
    seam = outfit.seam_names.index("dart")
    panels = {outfit.panel_names[p] for p in outfit.uv_panel[outfit.seam_uv[outfit.seam_id == seam]].ravel()}
    assert panels == {"front"}
    assert layered(outfit).garment_layer.tolist() == [0, 1, 2]
    assert join([one]) is one
    with pytest.raises(ToileError, match="at least one"):
        join([])
