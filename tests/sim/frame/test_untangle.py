"""Untangling: crossings of each kind go away, clean cloth stays, hopeless cases are not made worse."""

from __future__ import annotations

import numpy as np
import pytest

from surfaces import icosphere
from toile._kernels import SurfaceTree, Untangler, meeting_pairs, meeting_pairs_self, set_thread_count
from toile.bench.scenes import dummy_body, skirt_cloth
from toile.core.records import Floats, Garment, PosedBody, State
from toile.garment.outfit import join, layered
from toile.garment.shapes import square_cloth
from toile.geometry.triangles import side_lengths
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.frame.repair import Repair


def sheet(cells: int = 20, size: float = 0.3) -> tuple[Garment, Floats]:
    """Return a square in the plane y = 0 whose normals point up."""
    garment = square_cloth(cells, cells, size, size)
    uv = garment.uv - size / 2
    return garment, np.stack([uv[:, 0], np.zeros(len(uv)), -uv[:, 1]], axis=1)


def two_sheets(gap: float) -> tuple[np.ndarray, Floats, np.ndarray]:
    garment, position = sheet()
    triangles = np.concatenate([garment.triangles, garment.triangles + len(position)]).astype(np.int32)
    layer = np.repeat([0, 1], len(garment.triangles)).astype(np.int32)
    shift = np.array([0.003, gap, 0.004])
    return triangles, np.concatenate([position, position + shift]), layer


def test_cloth_over_a_sharp_bump() -> None:
    # all vertices are outside, but a tip of the body comes through a triangle
    garment, position = sheet()
    triangles, vertices = icosphere(4, 0.1)
    vertices = vertices * np.where(vertices[:, 1:2] > 0.0999, 1.06, 1.0) + np.array([0.010, -0.101, 0.005])
    body = SurfaceTree(triangles, vertices)
    assert (body.nearest(position, 1.0)[1] > 0).all()
    report = Untangler(garment.triangles, position).run(position, None, body)
    assert report["body_before"] > 0
    assert report["body_after"] == 0
    assert report["moved"] < 0.012
    assert meeting_pairs(body, SurfaceTree(garment.triangles, position))[0] == 0


def test_clean_cloth_is_left_alone() -> None:
    garment, position = sheet()
    before = position.copy()
    report = Untangler(garment.triangles, position).run(position)
    assert report["rounds"] == 0
    np.testing.assert_array_equal(position, before)


@pytest.mark.parametrize("crumple", [0.002, 0.006, 0.02])
def test_it_counts_the_crossings_of_the_whole_cloth(crumple: float) -> None:
    # the search leaves smooth cloth out; the exact test of all triangles does not
    garment, position = sheet(24)
    position += np.random.default_rng(1).normal(0, crumple, position.shape)
    label = np.arange(len(position), dtype=np.int32)
    wanted = meeting_pairs_self(SurfaceTree(garment.triangles, position), label)[0]
    found = Untangler(garment.triangles, position, None, label).run(position, rounds=0)
    assert found["cloth_before"] == wanted
    assert wanted > 0 or crumple < 0.003


def test_layers_are_parted_by_their_order() -> None:
    triangles, position, layer = two_sheets(0.004)
    count = len(position) // 2
    bump = np.exp(-((position[:count, 0] ** 2 + position[:count, 2] ** 2) / 0.03**2))
    position[:count, 1] += 0.008 * bump  # the inner sheet comes through the outer one
    untangler = Untangler(triangles, position, layer)
    reports = [untangler.run(position) for _ in range(2)]
    assert reports[0]["cloth_before"] > 20
    assert reports[-1]["cloth_after"] == 0
    inner, outer = position[:count], position[count:]
    assert outer[np.argmax(bump), 1] > inner[np.argmax(bump), 1]


def test_a_bump_through_the_same_garment_shrinks_away() -> None:
    triangles, position, _ = two_sheets(0.004)
    count = len(position) // 2
    bump = np.exp(-((position[:count, 0] ** 2 + position[:count, 2] ** 2) / 0.03**2))
    position[:count, 1] += 0.008 * bump
    report = Untangler(triangles, position).run(position, rounds=60)
    assert report["cloth_before"] > 20
    assert report["cloth_after"] == 0


def test_corner_poked_through_is_pulled_back() -> None:
    triangles, position, _ = two_sheets(0.006)
    count = len(position) // 2
    position[count, 1] -= 0.014
    assert meeting_pairs_self(SurfaceTree(triangles, position))[0] > 0
    report = Untangler(triangles, position).run(position, rounds=40)
    assert report["cloth_after"] == 0


@pytest.mark.parametrize("thick", [0.002, 0.003, 0.004])
def test_a_crease_of_the_inner_garment_goes_back_through_the_outer_one(thick: float) -> None:
    # a fold lies flat: back over four of its cells, and on; its crease has come through the sheet above
    garment, flat = sheet()
    turn, back, cell = 8, 4, 0.015
    column = np.rint((flat[:, 0] - flat[:, 0].min()) / cell).astype(int)
    backwards = (np.arange(20) >= turn) & (np.arange(20) < turn + back)
    across = np.concatenate([[0.0], np.cumsum(np.where(backwards, -cell, cell))])
    sheets_above = (np.arange(21) > turn).astype(int) + (np.arange(21) > turn + back)
    inner = np.stack([across[column], -thick * sheets_above[column], flat[:, 2]], axis=1)
    crease = (column == turn) | (column == turn + 1)
    inner[crease, 1] += 0.016 * np.exp(-((inner[crease, 2] / 0.05) ** 2))
    outer = flat - flat.min(axis=0) + np.array([0.003, 0.003, flat[:, 2].min() + 0.004])
    position = np.concatenate([inner, outer])
    triangles = np.concatenate([garment.triangles, garment.triangles + len(flat)]).astype(np.int32)
    layer = np.repeat([0, 1], len(garment.triangles)).astype(np.int32)
    report = Untangler(triangles, position, layer).run(position, rounds=48)
    assert report["cloth_before"] > 100
    assert report["cloth_after"] == 0


@pytest.mark.parametrize("depth", [0.001, 0.003, 0.006])
def test_a_vertex_that_has_slipped_under_folded_skin_comes_back(depth: float) -> None:
    # where skin crosses itself some of it is inside out: its normals say that the way out leads farther in
    garment, position = sheet()
    middle = int(np.argmin((position**2).sum(axis=1)))
    position[:, 1] += 0.004
    position[middle, 1] = -depth
    skin, flat = sheet(83, 0.4)
    tucked = np.linalg.norm(flat[skin.triangles].mean(axis=1), axis=1) < 0.012
    triangles = np.where(tucked[:, None], skin.triangles[:, ::-1], skin.triangles)
    body = SurfaceTree(triangles.astype(np.int32), flat)
    report = Untangler(garment.triangles, position).run(position, None, body, rounds=48)
    assert report["body_before"] > 0
    assert report["body_after"] == 0
    assert position[:, 1].min() > 0
    assert report["moved"] < depth + 0.004


@pytest.mark.parametrize("height", [0.010, 0.014])
def test_what_is_pushed_takes_its_neighbours_along(height: float) -> None:
    # a fingertip has come through: one vertex would be drawn out by 85 %
    garment, position = sheet()
    triangles, vertices = icosphere(3, 0.012)
    body = SurfaceTree(triangles, vertices + np.array([0.0, height - 0.012, 0.0]))
    rest = side_lengths(position, garment.triangles)
    report = Untangler(garment.triangles, position, rest=rest).run(position, None, body, rounds=48)
    assert report["body_before"] > 50
    assert report["body_after"] == 0
    assert (side_lengths(position, garment.triangles) / rest).max() < 1.27


def test_a_side_that_was_long_already_is_not_drawn_in() -> None:
    garment, position = sheet()
    rest = 0.5 * side_lengths(position, garment.triangles)
    triangles, vertices = icosphere(3, 0.012)
    body = SurfaceTree(triangles, vertices + np.array([0.0, -0.009, 0.0]))
    far = np.abs(position).max(axis=1) > 0.1
    before = position.copy()
    report = Untangler(garment.triangles, position, rest=rest).run(position, None, body, rounds=48)
    assert report["body_before"] > 0
    assert report["body_after"] == 0
    np.testing.assert_array_equal(position[far], before[far])


def test_a_spike_is_drawn_in_though_nothing_crosses() -> None:
    garment, position = sheet()
    rest = side_lengths(position, garment.triangles)
    position[10 * 21 + 10, 1] += 0.02
    far = np.abs(position).max(axis=1) > 0.08
    before = position.copy()
    report = Untangler(garment.triangles, position, rest=rest).run(position)
    assert report["cloth_before"] == report["cloth_after"] == 0
    longest = (side_lengths(position, garment.triangles) / rest).max()
    assert (side_lengths(before, garment.triangles) / rest).max() > 1.6
    assert longest < 1.43
    np.testing.assert_array_equal(position[far], before[far])


def test_a_garment_that_is_too_small_is_no_spike() -> None:
    garment, position = sheet()
    before = position.copy()
    rest = 0.5 * side_lengths(position, garment.triangles)
    assert Untangler(garment.triangles, position, rest=rest).run(position)["rounds"] == 0
    np.testing.assert_array_equal(position, before)


def test_held_particles_stay_and_hopeless_cases_do_not_get_worse() -> None:
    triangles, position, layer = two_sheets(0.004)
    count = len(position) // 2
    position[:count, 1] += 0.006
    before = position.copy()
    held = np.zeros(len(position))
    report = Untangler(triangles, position, layer).run(position, held)
    assert report["cloth_after"] == report["cloth_before"] or report["moved"] == 0
    np.testing.assert_array_equal(position, before)
    # a crossing far deeper than the reach
    position[:count, 1] += 0.5 * np.linspace(-1, 1, count)
    start = position.copy()
    report = Untangler(triangles, position).run(position, reach=0.005)
    assert report["cloth_after"] <= report["cloth_before"]
    assert np.linalg.norm(position - start, axis=1).max() <= 0.005 + 1e-12


def test_threads_change_nothing() -> None:
    results = []
    for threads in (1, 2, 8):
        set_thread_count(threads)
        triangles, position, layer = two_sheets(0.002)
        position[:, 1] += 0.003 * np.sin(40 * position[:, 0] + np.repeat([0, 2], len(position) // 2))
        Untangler(triangles, position, layer).run(position)
        results.append(position)
    set_thread_count(0)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_bad_input_is_refused() -> None:
    garment, position = sheet(2)
    untangler = Untangler(garment.triangles, position)
    with pytest.raises(ValueError, match="position"):
        untangler.run(position[1:].copy())
    with pytest.raises(ValueError, match="inverse_mass"):
        untangler.run(position, np.ones(2))
    with pytest.raises(ValueError, match="NaN"):
        untangler.run(np.full_like(position, np.nan))
    with pytest.raises(ValueError, match="layer"):
        Untangler(garment.triangles, position, np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="rest"):
        Untangler(garment.triangles, position, rest=np.ones((2, 3)))
    with pytest.raises(ValueError, match="rest"):
        Untangler(garment.triangles, position, rest=np.full((len(garment.triangles), 3), np.nan))
    with pytest.raises(IndexError):
        Untangler(garment.triangles, position[:3].copy())


def test_what_stays_inside_the_skin_is_put_onto_it() -> None:
    body = dummy_body()
    garment, x, rim = skirt_cloth(400)
    collider = SurfaceCollider(body)
    posed = PosedBody(body, body.vertices, np.zeros_like(body.vertices), np.eye(4)[None])
    repair = Repair(garment, collider.skin, x, rim)
    # the cloth below the waist is drawn in by 3 cm: much of it lies inside the hips
    position = np.array(x)
    free = np.setdiff1d(np.arange(len(x)), rim)
    out = position[free][:, [0, 2]]
    position[free[:, None], [0, 2]] -= 0.03 * out / np.linalg.norm(out, axis=1, keepdims=True)
    assert (collider.at(posed)(position).gap < -0.005).sum() > 20
    position = repair(State(position, np.zeros_like(position)), posed).position
    assert collider.at(posed)(position).gap.min() > -1e-5
    np.testing.assert_array_equal(position[rim], x[rim])


def test_a_repair_does_not_give_up_what_it_can_finish() -> None:
    # an inner garment that stands out by 16 mm through the outer one takes 15 rounds
    body = dummy_body()
    one, flat = sheet()
    outfit = layered(join([one, one]))
    position = np.concatenate([flat, flat + np.array([0.003, 0.004, 0.004])]) + np.array([0.0, 5.0, 0.0])
    position[: len(flat), 1] += 0.016 * np.exp(-(flat[:, 0] ** 2 + flat[:, 2] ** 2) / 0.03**2)
    posed = PosedBody(body, body.vertices, np.zeros_like(body.vertices), np.eye(4)[None])
    repair = Repair(outfit, SurfaceCollider(body).skin, position, np.zeros(0, np.int32))
    state = repair(State(position, np.zeros_like(position)), posed)
    assert repair.last.cloth_before > 50
    assert repair.last.left == 0
    assert meeting_pairs_self(SurfaceTree(outfit.triangles, state.position), None)[0] == 0
