"""The object-space baseline: against hand-worked numbers, all faces, and the exact surface."""

import numpy as np
import pytest

from dressed_samples import ball_body
from toile import _kernels
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import PosedBody
from toile.sim.colliders.boxes import BoxCollider, BoxSettings


def tetrahedron():
    """Return the corner of a cube: faces x = 0, y = 0, z = 0 and the slanted one."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
    return faces, points


def one_group(faces):
    return np.zeros(len(faces), np.int32)


# (0.2, 0.2, −0.1) lies 0.1 under the face z = 0 outside the solid; (0.2, 0.2, 0.05) 0.05 inside;
# (0.5, 0.5, 0.5) is (1.5 − 1)/√3 before the slanted face; (−0.3, −0.4, −0) is 0.5 from the edge x = y = 0
def test_gaps_by_hand():
    faces, points = tetrahedron()
    trees = _kernels.BoxTrees(faces, points, one_group(faces), 1)
    asked = np.array([[0.2, 0.2, -0.1], [0.2, 0.2, 0.05], [0.5, 0.5, 0.5], [-0.3, -0.4, 0.2]])
    particle, gap, normal, _, weight = trees.contacts(asked, 0.9)
    assert particle.tolist() == [0, 1, 2, 3]
    assert gap == pytest.approx([0.1, -0.05, 0.5 / np.sqrt(3), 0.5])
    slanted = np.ones(3) / np.sqrt(3)
    assert normal == pytest.approx(np.array([[0, 0, -1], [0, 0, -1], slanted, [-0.6, -0.8, 0]]), abs=1e-12)
    assert weight.sum(axis=1) == pytest.approx(np.ones(4))


def nearest_face(p, faces, points):
    """Return the distance to the nearest of all faces, by dense sampling of each."""
    steps = np.linspace(0, 1, 40)
    a, b = np.meshgrid(steps, steps)
    keep = a + b <= 1
    shares = np.stack([1 - (a + b)[keep], a[keep], b[keep]], axis=1)
    samples = shares @ points[faces]
    return np.linalg.norm(samples - p, axis=2).min()


def test_distances_against_all_faces():
    body = ball_body(rings=6)
    trees = _kernels.BoxTrees(body.triangles, body.vertices, one_group(body.triangles), 1)
    generator = np.random.default_rng(6)
    asked = generator.uniform(-0.2, 0.2, (40, 3)) + np.array([0.0, 1, 0])
    particle, gap, *_ = trees.contacts(asked, 0.5)
    assert particle.tolist() == list(range(40))
    wanted = [nearest_face(p, body.triangles, body.vertices) for p in asked]
    assert np.abs(gap) == pytest.approx(wanted, abs=1e-3)
    radius = np.linalg.norm(asked - [0, 1, 0], axis=1)
    clear = np.abs(radius - 0.145) > 0.006
    assert np.array_equal(gap[clear] < 0, radius[clear] < 0.145)


def test_agrees_with_the_exact_skin_of_the_woman():
    body = named_body("woman")
    posed = rest_pose(body)
    points = body.vertices[::5] + np.random.default_rng(7).uniform(-0.01, 0.01, body.vertices[::5].shape)
    triangle, exact, *_ = _kernels.SurfaceTree(body.triangles, body.vertices).nearest(points, 0.02)
    found = BoxCollider(body).at(posed)(points)
    gap = np.full(len(points), np.inf)
    for p, g in zip(found.particle, found.gap, strict=True):
        gap[p] = g if abs(g) < abs(gap[p]) else gap[p]
    near = triangle >= 0
    assert near.mean() > 0.99
    assert gap[near] == pytest.approx(exact[near], abs=1e-6)


def test_velocity_is_that_of_the_skin_and_poses_may_be_asked_again():
    body = ball_body()
    way = np.array([0.2, 0.0, 0.1])
    still = PosedBody(body, body.vertices, np.zeros_like(body.vertices), np.eye(4)[None])
    moved = PosedBody(body, body.vertices + 0.01, np.tile(way, (len(body.vertices), 1)), np.eye(4)[None])
    collider = BoxCollider(body)
    first, second = collider.at(still), collider.at(moved)
    point = np.array([[0.0, 1.0, 0.15]])
    assert second(point).velocity == pytest.approx(way[None])
    assert second(point).gap[0] < first(point).gap[0] < 0.002
    assert first(point).velocity == pytest.approx(np.zeros((1, 3)))


def test_threads_change_nothing():
    body = named_body("woman")
    points = body.vertices + np.random.default_rng(8).uniform(-0.01, 0.01, body.vertices.shape)
    found = []
    for threads in (1, 3):
        _kernels.set_thread_count(threads)
        found.append(BoxCollider(body).at(rest_pose(body))(points))
    _kernels.set_thread_count(0)
    assert np.array_equal(found[0].gap, found[1].gap)
    assert np.array_equal(found[0].normal, found[1].normal)


@pytest.mark.parametrize("reach", [0.0, -0.1, 2.0, float("nan")])
def test_bad_settings(reach):
    with pytest.raises(ToileError, match="reach"):
        BoxSettings(reach=reach)


def test_wrong_arrays_are_refused():
    faces, points = tetrahedron()
    with pytest.raises(IndexError, match="vertex"):
        _kernels.BoxTrees(faces + 1, points, one_group(faces), 1)
    with pytest.raises(IndexError, match="group"):
        _kernels.BoxTrees(faces, points, one_group(faces) + 1, 1)
    trees = _kernels.BoxTrees(faces, points, one_group(faces), 1)
    with pytest.raises(ValueError, match="vertices"):
        trees.refit(points[:2])
    with pytest.raises(ValueError, match="finite"):
        trees.refit(points * np.nan)
