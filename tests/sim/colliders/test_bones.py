"""The bone collider against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from surfaces import icosphere, single_bone_body, tube
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import PosedBody
from toile.sim.colliders.bones import BoneCollider, BoneSettings, RadiusField
from toile.sim.colliders.contacts import make_collider


def test_gap_of_a_cone_by_hand() -> None:
    # R = 0.1 + t / 2 for 0 ≤ t ≤ 1: at r = 0.5, t = 0.4 F = 0.2, slope √(1 + ¼); beyond the end nothing
    field = RadiusField(np.eye(4), 0.0, 1.0, np.tile((0.1 + 0.5 * np.linspace(0, 1, 5))[:, None], (1, 8)))
    gap, normal = field.gap(np.array([[0.5, 0.4, 0.0], [0.0, 0.4, -0.2], [0.5, 1.1, 0.0]]))
    root = np.sqrt(1.25)
    np.testing.assert_allclose(gap, [0.2 / root, -0.1 / root, np.inf], atol=1e-12)
    np.testing.assert_allclose(normal[0], [1 / root, -0.5 / root, 0], atol=1e-12)
    np.testing.assert_allclose(normal[1], [0, -0.5 / root, -1 / root], atol=1e-12)


def test_normal_is_the_slope_of_the_field() -> None:
    rng = np.random.default_rng(5)
    field = RadiusField(np.eye(4), 0.0, 1.0, 0.3 + 0.05 * rng.random((4, 6)))
    point = np.array([[0.31, 0.45, 0.22]])

    def value(p: np.ndarray) -> float:
        x, t, z = p[0]
        return float(np.hypot(x, z) - field._look_up(np.array([t]), np.array([np.arctan2(x, z)]))[0][0])

    moves = 1e-6 * np.eye(3)
    slope = np.array([(value(point + d) - value(point - d)) / 2e-6 for d in moves])
    np.testing.assert_allclose(field.gap(point)[1][0], slope / np.linalg.norm(slope), atol=1e-6)


def test_ball_and_tube_are_met() -> None:
    triangles, points = tube(20, 32, 0.1, 1.0, closed=False)
    # the tube's own axis along y, whatever it was made along
    longest = int(np.argmax(np.ptp(points, axis=0)))
    points = np.roll(points, 1 - longest, axis=1)
    posed = single_bone_body(triangles, points - (points.min(0) + points.max(0)) / 2)
    query = make_collider("bones", posed.body).at(posed)
    found = query(np.array([[0.11, 0.1, 0.0], [0.0, -0.2, 0.095], [0.3, 0, 0], [0.0, 3.0, 0.0]]))
    np.testing.assert_array_equal(found.particle, [0, 1])
    np.testing.assert_allclose(found.gap, [0.01, -0.005], atol=1e-3)
    np.testing.assert_allclose(found.normal, [[1, 0, 0], [0, 0, 1]], atol=0.02)

    triangles, points = icosphere(3, 0.2)
    ball = single_bone_body(triangles, points)
    around = points[np.abs(points[:, 1]) < 0.15] * 1.05
    found = BoneCollider(ball.body).at(ball)(around)
    assert len(found.particle) == len(around)
    np.testing.assert_allclose(found.gap, 0.01, atol=0.004)


def test_two_levels_of_candidates_lose_nothing() -> None:
    body = named_body("woman")
    rng = np.random.default_rng(3)
    points = rng.uniform([-0.7, 0.0, -0.3], [0.7, 1.7, 0.3], (4000, 3))
    collider = BoneCollider(body)
    query = collider.at(rest_pose(body))
    found = collider.candidates(query.motion, points)
    tested = collider.tested
    for limb, field in collider.fields.items():
        frame = collider.frame(query.motion, limb)
        own, widest = (points - frame[:3, 3]) @ frame[:3, :3], field.radius.max() + 0.02
        box = (
            (np.abs(own[:, [0, 2]]) <= widest).all(axis=1)
            & (own[:, 1] >= field.low)
            & (own[:, 1] <= field.high)
        )
        np.testing.assert_array_equal(found[limb], np.flatnonzero(box))
    # one by one, every particle would be tested against every limb
    assert tested < 0.5 * len(points) * len(collider.fields)


def test_field_moves_with_the_limb() -> None:
    triangles, points = icosphere(3, 0.2)
    ball = single_bone_body(triangles, points)
    speed = np.tile([0.0, 0.3, 0.1], (len(points), 1))
    moved = PosedBody(ball.body, points + np.array([1.0, 2.0, 3.0]), speed, ball.world_from_joint)
    found = BoneCollider(ball.body).at(moved)(np.array([[1.21, 2.0, 3.0], [0.21, 0.0, 0.0]]))
    np.testing.assert_array_equal(found.particle, [0])
    np.testing.assert_allclose(found.velocity, [[0.0, 0.3, 0.1]], atol=1e-9)


def test_bad_settings_are_named() -> None:
    with pytest.raises(ToileError, match="radius"):
        BoneSettings(radius=0.0)
    with pytest.raises(ToileError, match="along"):
        BoneSettings(along=2)
