"""The ellipsoid collider against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from surfaces import icosphere, join, single_bone_body
from toile import _kernels
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import LIMBS, PosedBody
from toile.sim.colliders.contacts import make_collider
from toile.sim.colliders.ellipsoids import (
    EllipsoidCollider,
    EllipsoidSettings,
    adjacency,
    ray_distance,
    union_distance,
)
from toile.sim.colliders.limb_frames import LimbTracker
from toile.sim.colliders.surface import GROUPS

HALF = np.array([0.2, 0.5, 0.1])


def test_ray_distance_by_hand() -> None:
    # half axes 3, 4, 1 round (1, 0, 0): on the axes the distance is exact, elsewhere it is along the ray
    frame = np.diag([3.0, 4.0, 1.0, 1.0])
    frame[0, 3] = 1.0
    points = np.array([[6.0, 0, 0], [1.0, 3, 0], [1 + 6.0, 8, 0]])
    distance, surface, normal = ray_distance(points, frame)
    # third: u = (2, 2, 0), |u| = 2√2, leaves at (1 + 3/√2, 4/√2): |(6, 8)| (1 − 1/(2√2))
    np.testing.assert_allclose(distance, [2, -1, 10 * (1 - 1 / np.sqrt(8))], atol=1e-12)
    np.testing.assert_allclose(surface[2], [1 + 3 / np.sqrt(2), 4 / np.sqrt(2), 0], atol=1e-12)
    np.testing.assert_allclose(normal, [[1, 0, 0], [0, 1, 0], [0.8, 0.6, 0]], atol=1e-12)


def test_ray_distance_is_never_shorter_than_the_nearest() -> None:
    rng = np.random.default_rng(4)
    points = rng.normal(0, 0.4, (200, 3))
    _, sphere = icosphere(4)
    nearest = np.linalg.norm(points[:, None] - (sphere * HALF)[None], axis=2).min(axis=1)
    distance, _, _ = ray_distance(points, np.diag([*HALF, 1.0]))
    assert (np.abs(distance) >= nearest - 0.02).all()
    inside = ((points / HALF) ** 2).sum(axis=1) < 1
    np.testing.assert_array_equal(distance < 0, inside)


def egg() -> PosedBody:
    triangles, points = icosphere(3)
    return single_bone_body(triangles, points * HALF)


def test_an_ellipsoidal_body_is_met_exactly() -> None:
    posed = egg()
    collider = make_collider("ellipsoids", posed.body, per_limb=1)
    assert isinstance(collider, EllipsoidCollider)
    assert collider.fit_error(posed.body)["torso"] < 0.002
    found = collider.at(posed)(np.array([[0.21, 0, 0], [0, 0.49, 0], [0, 0, 0.5]]))
    np.testing.assert_array_equal(found.particle, [0, 1])
    np.testing.assert_allclose(found.gap, [0.01, -0.01], atol=2e-3)
    np.testing.assert_allclose(found.normal, [[1, 0, 0], [0, 1, 0]], atol=0.02)


def test_ellipsoids_turn_and_move_with_the_limb() -> None:
    posed = egg()
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    spin = np.array([0.0, 0.0, 2.0])
    now = posed.vertices @ turn.T + [0.3, 0, 0]
    speed = np.cross(spin, now - np.array([0.3, 0, 0])) + np.array([0, 0, 0.5])
    moved = PosedBody(posed.body, now, speed, posed.world_from_joint)
    motion = LimbTracker(posed.body).at(moved)
    torso = LIMBS.index("torso")
    np.testing.assert_allclose(motion.posed_from_rest[torso][:3, :3], turn, atol=1e-9)
    np.testing.assert_allclose(motion.spin[torso], spin, atol=1e-9)
    found = EllipsoidCollider(posed.body, EllipsoidSettings(per_limb=1)).at(moved)(np.array([[0.81, 0, 0]]))
    np.testing.assert_allclose(found.gap, [0.01], atol=2e-3)
    np.testing.assert_allclose(found.velocity, [[0, 2.0 * 0.5, 0.5]], atol=0.01)


def test_only_adjacent_groups_are_tested() -> None:
    parts, limbs = [], []
    for name, x in (("torso", 0.0), ("left_hand", 0.3), ("left_thigh", 0.51)):
        triangles, points = icosphere(2, 0.1)
        parts.append((triangles, points + np.array([x, 0, 0])))
        limbs.append(np.full(len(points), LIMBS.index(name)))
    triangles, vertices = join(*parts)
    posed = single_bone_body(triangles, vertices, limb=np.concatenate(limbs))
    collider = EllipsoidCollider(posed.body, EllipsoidSettings(per_limb=1))
    query = collider.at(posed)
    between = np.array([[0.404, 0.0, 0.0]])
    assert len(query(between).particle) == 2  # parents unknown: all are tested
    assert collider.parent is not None
    assert LIMBS[collider.limb[collider.parent[0]]] == "left_hand"
    assert len(query(between).particle) == 1  # a leg is not next to an arm
    # the parent follows the particle across adjacent groups
    query(np.array([[0.12, 0.0, 0.0]]))
    assert LIMBS[collider.limb[collider.parent[0]]] == "torso"
    assert not adjacency(collider.settings.neighbours)[1, 2]


def test_the_kernel_against_ray_distances() -> None:
    body = named_body("woman")
    posed = rest_pose(body)
    collider = EllipsoidCollider(body)
    query = collider.at(posed)
    points = body.vertices[::40] + np.random.default_rng(3).uniform(-0.02, 0.02, body.vertices[::40].shape)
    found = query(points)
    # by the words of the docs page: in each group the nearest along the ray, the parent the nearest of all
    rays = [ray_distance(points, frame) for frame in collider.rest_from_unit]
    gaps = np.array([np.einsum("ij,ij->i", points - s, n) for _, s, n in rays])
    distance = np.array([d for d, _, _ in rays])
    chosen = {}
    for group in range(len(GROUPS)):
        own = np.flatnonzero(collider.group == group)
        best = own[distance[own].argmin(axis=0)]
        for p in np.flatnonzero(distance[best, np.arange(len(points))] < collider.settings.radius):
            chosen[p, group] = best[p]
    wanted = sorted(chosen)
    assert found.particle.tolist() == [p for p, _ in wanted]
    ellipsoid = [chosen[key] for key in wanted]
    np.testing.assert_allclose(found.gap, gaps[ellipsoid, found.particle], atol=1e-9)
    normal = [rays[e][2][p] for e, p in zip(ellipsoid, found.particle, strict=True)]
    np.testing.assert_allclose(found.normal, normal, atol=1e-9)
    assert collider.parent is not None
    nearest = distance[collider.parent, np.arange(len(points))]
    np.testing.assert_allclose(nearest, distance.min(axis=0), atol=1e-6)


def test_several_ellipsoids_fit_better_and_only_moved_ones_are_updated() -> None:
    body = named_body("woman")
    one, four = (EllipsoidCollider(body, EllipsoidSettings(per_limb=k, cover=0.0)) for k in (1, 4))
    before, after = (np.mean(list(c.fit_error(body).values())) for c in (one, four))
    assert after < 0.6 * before
    posed = rest_pose(body)
    four.at(posed)
    assert four.updated == len(four.limb) == 64
    arm = body.limb == LIMBS.index("left_hand")
    waved = posed.vertices + np.where(arm[:, None], [0.0, 0.01, 0.0], 0.0)
    four.at(PosedBody(body, waved, posed.velocity, posed.world_from_joint))
    assert four.updated == 4
    np.testing.assert_allclose(
        np.einsum("eij,ejk->eik", four._unit_from_world[:, :, :3], four._world_from_unit[:, :, :3]),
        np.tile(np.eye(3), (64, 1, 1)),
        atol=1e-9,
    )


def test_ellipsoids_that_cover_hold_the_skin() -> None:
    body = named_body("woman")
    for cover in (0.8, 0.98):
        made = EllipsoidCollider(body, EllipsoidSettings(cover=cover))
        thigh = body.vertices[body.limb == LIMBS.index("left_thigh")]
        own = made.rest_from_unit[made.limb == LIMBS.index("left_thigh")]
        inside = (union_distance(thigh, own) < 0).mean()
        assert inside > cover - 0.05
    with pytest.raises(ToileError, match="cover"):
        EllipsoidSettings(cover=1.5)


def test_a_contact_along_the_ray_leaves_where_the_ray_does() -> None:
    # the paper's way out: to s = world_from_unit (u / |u|), not along the normal
    body = named_body("woman")
    rng = np.random.default_rng(8)
    points = body.vertices[rng.choice(len(body.vertices), 300)] * [0.98, 1.0, 0.98]
    made = EllipsoidCollider(body, EllipsoidSettings(along_ray=True, radius=0.05))
    found = made.at(rest_pose(body))(points)
    to = points[found.particle] - found.gap[:, None] * found.normal
    on = np.abs([ray_distance(to, frame)[0] for frame in made.rest_from_unit]).min(axis=0)
    assert on.max() < 1e-9


def test_particles_move_and_turn_with_their_ellipsoid() -> None:
    body = named_body("woman")
    still, turn = rest_pose(body), Rotation.from_rotvec([0.0, 0.3, 0.0])
    spin, way = np.array([0.0, 3.0, 0.0]), np.array([0.5, 0.0, 0.0])
    velocity = np.cross(spin, body.vertices) + way
    query = EllipsoidCollider(body).at(PosedBody(body, body.vertices, velocity, still.world_from_joint))
    thigh = body.vertices[body.limb == LIMBS.index("left_thigh")][::40] * [1.001, 1.0, 1.001]
    far = np.array([[2.0, 1.0, 0.0]])
    x, v = query.carry(np.concatenate([thigh, far]), np.tile([1.0, 0, 0], (len(thigh) + 1, 1)), 0.05, 0.1)
    np.testing.assert_array_equal(x[-1], far[0])
    near = query(np.concatenate([thigh, far]))
    child = np.unique(near.particle[near.gap < 0.05])
    assert len(child) > 5
    # a turn about a moving axis keeps distances; the axis itself moves on
    centre = query.motion.centre[query.collider.limb[query.collider.parent[child]]]
    np.testing.assert_allclose(
        x[child],
        centre + (np.cross(spin, centre) + way) * 0.1 + turn.apply(thigh[child] - centre),
        atol=1e-6,
    )
    np.testing.assert_allclose(v[child], np.tile(turn.apply([1.0, 0, 0]), (len(child), 1)), atol=1e-7)
    # the ellipsoids came with them: nothing has got nearer or farther
    later = query.after(0.1)(x)
    assert set(later.particle) >= set(child.tolist())
    assert np.abs(later.velocity).max() == 0


def test_threads_change_nothing() -> None:
    body = named_body("woman")
    points = np.random.default_rng(4).uniform([-0.3, 0.6, -0.2], [0.3, 1.5, 0.2], (9000, 3))
    found = []
    for threads in (1, 3):
        _kernels.set_thread_count(threads)
        found.append(EllipsoidCollider(body).at(rest_pose(body))(points))
    _kernels.set_thread_count(0)
    np.testing.assert_array_equal(found[0].particle, found[1].particle)
    np.testing.assert_array_equal(found[0].gap, found[1].gap)


def test_bad_settings_are_named() -> None:
    with pytest.raises(ToileError, match="radius"):
        EllipsoidSettings(radius=-1.0)
    with pytest.raises(ToileError, match="scale"):
        EllipsoidSettings(scale=0.0)
    with pytest.raises(ToileError, match="tail"):
        EllipsoidSettings(neighbours=(("torso", "tail"),))
