"""The surface tree against brute force, closed-form surfaces and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from surfaces import icosphere, join, solid_angle_winding, triangle_distance, tube
from toile._kernels import SurfaceTree, set_thread_count
from toile.core.records import Floats, Ints


def scattered(count: int, size: float, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).uniform(-size, size, (count, 3))


def crumpled() -> tuple[Ints, Floats]:
    # a sphere with rough skin: all kinds of nearest features, thin triangles
    triangles, vertices = icosphere(3)
    rng = np.random.default_rng(5)
    return triangles, vertices * rng.uniform(0.9, 1.1, (len(vertices), 1))


def two_limbs() -> tuple[Ints, Floats, Ints]:
    a, b = tube(9, 16, 0.1, 0.6), tube(9, 16, 0.08, 0.6)
    triangles, vertices = join(a, (b[0], b[1] + [0.25, 0.0, 0.0]))
    return triangles, vertices, np.repeat([0, 1], [len(a[0]), len(b[0])]).astype(np.int32)


def test_nearest_matches_brute_force() -> None:
    triangles, vertices = crumpled()
    points = scattered(300, 1.5)
    tree = SurfaceTree(triangles, vertices)
    triangle, gap, point, normal, weight = tree.nearest(points, 10.0)
    distance = triangle_distance(points, triangles, vertices)
    np.testing.assert_allclose(np.abs(gap), distance.min(axis=1), atol=1e-12)
    np.testing.assert_allclose(distance[np.arange(300), triangle], distance.min(axis=1), atol=1e-12)
    np.testing.assert_allclose(point, (weight[:, :, None] * vertices[triangles[triangle]]).sum(1), atol=1e-12)
    np.testing.assert_allclose(point + gap[:, None] * normal, points, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, atol=1e-12)


def test_sign_agrees_with_the_solid_angle() -> None:
    triangles, vertices = crumpled()
    points = scattered(400, 1.3, 2)
    _, gap, *_ = SurfaceTree(triangles, vertices).nearest(points, 10.0)
    inside = solid_angle_winding(points, triangles, vertices) > 0.5
    assert 50 < inside.sum() < 350
    np.testing.assert_array_equal(gap < 0, inside)


def test_sign_at_sharp_corners() -> None:
    # out of and into the corners and edges of a cube: faces alone would disagree about the side
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], dtype=np.int32)
    tree = SurfaceTree(triangles, corners)
    features = np.array([(x, y, z) for x in (0, 0.5, 1) for y in (0, 0.5, 1) for z in (0, 0.5, 1)])
    features = features[np.abs(features - 0.5).sum(1) > 0]
    out = features - 0.5
    assert (tree.nearest(features + 0.01 * out, 1.0)[1] > 0).all()
    assert (tree.nearest(features - 0.01 * out, 1.0)[1] < 0).all()
    on = tree.nearest(features, 1.0)
    assert np.abs(on[1]).max() == 0
    assert (np.einsum("ij,ij->i", on[3], out) > 0.4).all()


def test_radius_bounds_the_search() -> None:
    triangles, vertices = icosphere(2)
    points = np.array(
        [[1.05, 0.0, 0.0], [1.2, 0.0, 0.0], [0.0, 50.0, 0.0], [np.nan, 0.0, 0.0], [np.inf, 0, 0]]
    )
    triangle, gap, *_ = SurfaceTree(triangles, vertices).nearest(points, 0.1)
    assert triangle[0] >= 0
    assert list(triangle[1:]) == [-1, -1, -1, -1]
    assert np.isinf(gap[1:]).all()


def test_hints_change_nothing_and_threads_change_nothing() -> None:
    triangles, vertices = crumpled()
    tree = SurfaceTree(triangles, vertices)
    points = scattered(2000, 1.2, 3)
    plain = tree.nearest(points, 0.5)
    rng = np.random.default_rng(1)
    for hint in (plain[0], rng.integers(-1, len(triangles), 2000).astype(np.int32)):
        for one, other in zip(plain, tree.nearest(points, 0.5, hint), strict=True):
            np.testing.assert_array_equal(one, other)
    for threads in (1, 2, 8):
        set_thread_count(threads)
        tree.refit(vertices)
        for one, other in zip(plain, tree.nearest(points, 0.5), strict=True):
            np.testing.assert_array_equal(one, other)
    set_thread_count(0)


def test_refit_equals_a_new_tree() -> None:
    triangles, vertices = icosphere(4)
    tree = SurfaceTree(triangles, vertices)
    moved = vertices * [1.3, 0.6, 0.9] + [0.2, 0.0, -1.0]
    raised = np.array([5, 2000, 17], np.int32)
    place = moved[raised] + [0.0, 0.3, 0.1]
    points = scattered(500, 2.0, 4)
    tree.refit(moved)
    agree(tree, SurfaceTree(triangles, moved), points)
    tree.refit(moved, raised, place)
    moved[raised] = place
    agree(tree, SurfaceTree(triangles, moved), points)
    with pytest.raises(IndexError, match="raised vertex"):
        tree.refit(moved, raised + 10**6, place)
    with pytest.raises(ValueError, match="one place each"):
        tree.refit(moved, raised)


def agree(one: SurfaceTree, other: SurfaceTree, points: Floats) -> None:
    for value, wanted in zip(one.nearest(points, 3.0), other.nearest(points, 3.0), strict=True):
        np.testing.assert_array_equal(value, wanted)


def test_far_from_the_origin_float_boxes_lose_nothing() -> None:
    triangles, vertices = crumpled()
    shift = np.array([1e4, -3e4, 2e4])
    points = scattered(200, 1.3, 6) + shift
    _, gap, *_ = SurfaceTree(triangles, vertices + shift).nearest(points, 1.0)
    near = triangle_distance(points - shift, triangles, vertices).min(axis=1)
    np.testing.assert_allclose(np.abs(gap[near < 1]), near[near < 1], atol=1e-10)


def test_between_two_limbs_there_are_two_contacts() -> None:
    triangles, vertices, group = two_limbs()
    tree = SurfaceTree(triangles, vertices, group)
    assert tree.group_count == 2
    points = np.array([[0.13, 0.3, 0.0], [-0.11, 0.3, 0.0], [0.3, 0.3, 0.0], [1.0, 0.3, 0.0]])
    particle, gap, normal, point, triangle, weight, hint = tree.nearest_per_group(points, 0.06)
    assert list(particle) == [0, 0, 1, 2]
    np.testing.assert_allclose(gap, [0.03, 0.04, 0.01, -0.03], atol=3e-3)
    assert normal[0, 0] > 0.9
    assert normal[1, 0] < -0.9
    assert list(group[triangle]) == [0, 1, 0, 1]
    np.testing.assert_allclose(point, (weight[:, :, None] * vertices[triangles[triangle]]).sum(1), atol=1e-12)
    assert hint.shape == (4, 2)
    again = tree.nearest_per_group(points, 0.06, hint)
    np.testing.assert_array_equal(again[1], gap)
    velocity = np.random.default_rng(3).normal(size=vertices.shape)
    contacts = tree.contacts(points, 0.06, velocity, hint)
    for found, wanted in zip(contacts[:3], (particle, gap, normal), strict=True):
        np.testing.assert_array_equal(found, wanted)
    there = (weight[:, :, None] * velocity[triangles[triangle]]).sum(1)
    np.testing.assert_allclose(contacts[3], there, atol=1e-12)
    np.testing.assert_array_equal(contacts[4], triangle)
    np.testing.assert_array_equal(contacts[5], hint)


def test_points_that_search_together_find_what_each_finds_alone() -> None:
    rng = np.random.default_rng(5)
    part, ball = icosphere(3)
    # the last one has more leaves near a point than a packet holds
    place = np.array([[0, 0, 0], [1.1, 0, 0], [0.5, 1.2, 0]])
    balls = [size * ball + at for size, at in zip((1, 1, 0.01), place, strict=True)]
    triangles = np.concatenate([part + k * len(ball) for k in range(3)]).astype(np.int32)
    group = np.repeat(np.arange(3, dtype=np.int32), len(part))
    tree = SurfaceTree(triangles, np.concatenate(balls), group)
    points = rng.uniform(-1.5, 2.5, (700, 3))
    points[:40] = place[2] + rng.normal(0, 0.03, (40, 3))
    points[7] = np.nan
    alone = np.array([SurfaceTree(part, vertices).nearest(points, 0.4)[1] for vertices in balls]).T
    assert np.isfinite(alone).sum() > 200
    hint = None
    for order in (None, np.argsort(points[:, 0]).astype(np.int32), rng.permutation(700).astype(np.int32)):
        particle, gap, *_, triangle, _, hint = tree.nearest_per_group(points, 0.4, hint, order)
        found = np.full((700, 3), np.inf)
        found[particle, group[triangle]] = gap
        np.testing.assert_array_equal(found, alone)
        assert (np.diff(particle) >= 0).all()
    with pytest.raises(ValueError, match="order must name each point once"):
        tree.nearest_per_group(points, 0.4, None, np.zeros(700, np.int32))


def test_points_side_by_side_find_the_bits_that_one_finds() -> None:
    triangles, vertices = crumpled()
    # needles and a point besides: their nearest points are on edges and corners
    needles = np.stack([np.arange(len(vertices)), np.roll(np.arange(len(vertices)), 7)], axis=1)[::9]
    spikes = np.concatenate([np.column_stack([needles, needles[:, 0]]), [[3, 3, 3]]]).astype(np.int32)
    tree = SurfaceTree(np.concatenate([triangles, spikes]), vertices)
    points = scattered(900, 1.3, seed=3)
    points[:30], points[30:60] = vertices[:30], vertices[triangles[:30]].mean(axis=1)
    triangle, gap, point, normal, weight = tree.nearest(points, 0.5)
    near = np.flatnonzero(triangle >= 0)
    assert 300 < len(near) < 900
    hint = np.random.default_rng(4).integers(-1, len(triangles), (900, 1)).astype(np.int32)
    for widest in (0, 2, 5):
        found = tree.nearest_per_group(points, 0.5, hint, widest=widest)
        for one, together in zip((near, gap, normal, point, triangle, weight), found, strict=False):
            np.testing.assert_array_equal(together, one if one is near else one[near])


def test_more_triangles_in_one_place_than_a_search_has_room_for() -> None:
    corner = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    points = scattered(50, 0.4) + np.array([0.2, 0.2, 0.5])
    alone = SurfaceTree(np.array([[0, 1, 2]], np.int32), corner).nearest(points, 2.0)[1]
    for count in (5, 100, 5000):  # one in a leaf of four; more than 64 candidates; more than 256 leaves
        tree = SurfaceTree(np.tile(np.array([[0, 1, 2]], np.int32), (count, 1)), corner)
        particle, gap, *_, triangle, _, _ = tree.nearest_per_group(points, 2.0)
        np.testing.assert_array_equal(particle, np.arange(50))
        np.testing.assert_array_equal(triangle, 0)
        np.testing.assert_array_equal(gap, alone)


def test_groups_do_not_invent_contacts_where_one_limb_passes_into_the_next() -> None:
    # one sphere cut into two groups at x = 0: everywhere the contact of the whole sphere
    triangles, vertices = icosphere(3)
    group = (vertices[triangles].mean(axis=1)[:, 0] > 0).astype(np.int32)
    rng = np.random.default_rng(7)
    direction = rng.normal(size=(1000, 3)) * [0.1, 1, 1]
    points = direction / np.linalg.norm(direction, axis=1, keepdims=True) * rng.uniform(0.9, 1.1, (1000, 1))
    tree = SurfaceTree(triangles, vertices, group)
    particle, gap, normal, *_ = tree.nearest_per_group(points, 0.2)
    _, whole_gap, _, whole_normal, _ = tree.nearest(points, 0.2)
    np.testing.assert_array_equal(np.unique(particle), np.arange(1000))
    first = np.unique(particle, return_index=True)[1]
    best = np.minimum.reduceat(np.abs(gap), first)
    np.testing.assert_allclose(best, np.abs(whole_gap), atol=1e-15)
    # a second contact may appear in concave creases of the mesh, never with a contradictory side
    np.testing.assert_array_equal(np.sign(gap), np.sign(whole_gap)[particle])
    assert (np.einsum("ij,ij->i", normal, whole_normal[particle]) > 0.8).all()


def nearest_in(p: Floats, corners: Floats) -> Floats:
    """Return the point of a triangle (3, 3) that is nearest to another point."""
    a, b, c = corners
    u, v = np.linalg.lstsq(np.stack([b - a, c - a], axis=1), p - a, rcond=None)[0]
    if min(u, v, 1 - u - v) >= 0:
        return np.asarray(a + u * (b - a) + v * (c - a))
    along = [(e, g - e) for e, g in ((a, b), (b, c), (c, a))]
    feet = [e + np.clip((p - e) @ way / (way @ way), 0, 1) * way for e, way in along]
    return np.asarray(min(feet, key=lambda foot: float(np.linalg.norm(p - foot))))


def sides_of(p: Floats, radius: float, triangles: Ints, vertices: Floats) -> list[float]:
    """Return how far all places are that are nearer than the surface round them, where p is outside."""
    (distance,) = triangle_distance(p[None], triangles, vertices)
    feet: list[Floats] = []
    for t in np.flatnonzero(distance <= radius):
        foot = nearest_in(p, vertices[triangles[t]])
        round_it = triangle_distance(foot[None], triangles, vertices)[0] < 1e-9
        outside = solid_angle_winding((foot + 1e-5 * (p - foot))[None], triangles, vertices)[0] < 0.5
        known = any(np.linalg.norm(foot - other) < 1e-9 for other in feet)
        if outside and not known and distance[round_it].min() > distance[t] - 1e-9:
            feet.append(foot)
    return sorted(float(np.linalg.norm(p - foot)) for foot in feet)


def test_sides_are_all_places_nearer_than_the_surface_round_them() -> None:
    triangles, vertices = crumpled()
    points = scattered(20, 1.0, 4)
    points *= (1.1 * np.random.default_rng(6).uniform(0.8, 1.1, 20) / np.linalg.norm(points, axis=1))[:, None]
    tree = SurfaceTree(triangles, vertices, (np.arange(len(triangles)) % 3).astype(np.int32))
    velocity = np.stack([vertices[:, 1], vertices[:, 2], vertices[:, 0]], axis=1)
    particle, gap, normal, speed = tree.sides(points, 0.3, velocity)
    expected = [sides_of(p, 0.3, triangles, vertices) for p in points]
    assert max(map(len, expected)) > 4
    for i, distances in enumerate(expected):
        np.testing.assert_allclose(np.sort(gap[particle == i]), distances, atol=1e-9)
    foot = points[particle] - gap[:, None] * normal
    assert triangle_distance(foot, triangles, vertices).min(axis=1).max() < 1e-9
    np.testing.assert_allclose(speed, np.roll(foot, -1, axis=1), atol=1e-9)
    # the nearest of all is one of them
    _, least, *_ = tree.nearest(points, 0.3)
    outside = np.flatnonzero((least > 0) & np.isfinite(least))
    np.testing.assert_allclose([gap[particle == i].min() for i in outside], least[outside], atol=1e-12)


def test_sides_are_the_same_for_any_number_of_threads() -> None:
    triangles, vertices = crumpled()
    tree, points = SurfaceTree(triangles, vertices), scattered(2000, 1.2, 3)
    set_thread_count(1)
    alone = tree.sides(points, 0.2, vertices)
    assert len(alone[0]) > 500
    for threads in (2, 8):
        set_thread_count(threads)
        for one, other in zip(alone, tree.sides(points, 0.2, vertices), strict=True):
            np.testing.assert_array_equal(one, other)
    set_thread_count(0)


def test_flat_and_pointlike_triangles() -> None:
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]])
    triangles = np.array([[0, 0, 0], [0, 1, 2], [0, 1, 3]], dtype=np.int32)
    points = np.array([[1.5, 0.5, 0.0], [0.0, 0.0, 0.3], [-1.0, 0.0, 0.0]])
    _, gap, _, normal, _ = SurfaceTree(triangles, vertices).nearest(points, 5.0)
    np.testing.assert_allclose(np.abs(gap), [0.5, 0.3, 1.0])
    assert np.isfinite(normal).all()


def test_empty_surface_and_no_points() -> None:
    empty = SurfaceTree(np.zeros((0, 3), np.int32), np.zeros((0, 3)))
    assert list(empty.nearest(np.zeros((2, 3)), 1.0)[0]) == [-1, -1]
    assert not len(empty.sides(np.zeros((2, 3)), 1.0, np.zeros((0, 3)))[0])
    triangles, vertices = icosphere(0)
    assert len(SurfaceTree(triangles, vertices).nearest(np.zeros((0, 3)), 1.0)[0]) == 0


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"triangles": np.array([[0, 1, 99]], np.int32)}, IndexError),
        ({"triangles": np.array([[0, 1, -1]], np.int32)}, IndexError),
        ({"triangles": np.array([[0, 1]], np.int32)}, TypeError),
        ({"vertices": np.full((12, 3), np.nan)}, ValueError),
        ({"vertices": np.zeros((12, 2))}, TypeError),
        ({"group": np.zeros(3, np.int32)}, ValueError),
        ({"group": np.full(20, 32, np.int32)}, IndexError),
    ],
)
def test_bad_surfaces_are_refused(change: dict[str, object], error: type[Exception]) -> None:
    triangles, vertices = icosphere(0)
    with pytest.raises(error):
        SurfaceTree(**{"triangles": triangles, "vertices": vertices, **change})


def test_bad_questions_are_refused() -> None:
    triangles, vertices = icosphere(0)
    tree = SurfaceTree(triangles, vertices)
    points = np.zeros((2, 3))
    with pytest.raises(ValueError, match="vertices"):
        tree.refit(vertices[:5].copy())
    with pytest.raises(ValueError, match="radius"):
        tree.nearest(points, -1.0)
    with pytest.raises(ValueError, match="radius"):
        tree.nearest(points, float("nan"))
    with pytest.raises(IndexError, match="hint"):
        tree.nearest(points, 1.0, np.array([0, 20], np.int32))
    with pytest.raises(ValueError, match="hint"):
        tree.nearest(points, 1.0, np.array([0], np.int32))
    with pytest.raises(ValueError, match="hint"):
        tree.nearest_per_group(points, 1.0, np.zeros((2, 3), np.int32))
    with pytest.raises(ValueError, match="radius"):
        tree.sides(points, -1.0, vertices)
    with pytest.raises(ValueError, match="velocity"):
        tree.sides(points, 1.0, points)


def test_winding_is_the_solid_angle() -> None:
    triangles, vertices = crumpled()
    points = scattered(500, 1.3, 8)
    number = SurfaceTree(triangles, vertices).winding(points)
    np.testing.assert_array_equal(number, np.round(solid_angle_winding(points, triangles, vertices)))


def test_winding_counts_overlapping_limbs_and_ignores_ties() -> None:
    # two overlapping cubes with all points on a grid: rays run along edges, faces and through corners
    corners = np.array([(x, y, z) for x in (0, 2) for y in (0, 2) for z in (0, 2)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    cube = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], dtype=np.int32)
    triangles, vertices = join((cube, corners), (cube, corners + 1))
    grid = np.stack(np.meshgrid(*[np.arange(-1, 4.5, 0.5)] * 3, indexing="ij"), -1).reshape(-1, 3)
    inside = [((grid > low) & (grid < low + 2)).all(1) for low in (0, 1)]
    on = [((grid >= low) & (grid <= low + 2)).all(1) & ~i for low, i in zip((0, 1), inside, strict=True)]
    number = SurfaceTree(triangles, vertices).winding(grid)
    free = ~on[0] & ~on[1]
    np.testing.assert_array_equal(number[free], (inside[0].astype(int) + inside[1])[free])
    assert number.max() == 2


def test_winding_survives_a_small_hole() -> None:
    triangles, vertices = icosphere(3)
    tree = SurfaceTree(triangles[1:].copy(), vertices)
    points = scattered(300, 0.5, 9)
    assert (tree.winding(points) == 1).mean() > 0.99


def test_freak_distributions_of_triangles() -> None:
    # thousands in one place, and sizes and places that shrink by half each time: no depth may overflow
    same = np.tile(np.array([[0, 1, 2]], dtype=np.int32), (5000, 1))
    corner = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    point = np.array([[0.2, 0.2, 0.5]])
    assert SurfaceTree(same, corner).nearest(point, 1.0)[0] == [0]
    scale = 0.5 ** np.arange(200)
    vertices = (corner[None] * scale[:, None, None] + scale[:, None, None]).reshape(-1, 3)
    triangles = np.arange(600, dtype=np.int32).reshape(-1, 3)
    tree = SurfaceTree(triangles, vertices)
    distance = triangle_distance(point, triangles, vertices)
    np.testing.assert_allclose(np.abs(tree.nearest(point, 10.0)[1]), distance.min(axis=1), atol=1e-12)
    assert tree.winding(point).shape == (1,)
