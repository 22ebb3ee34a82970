"""What is worked out of a pose before a frame: kernels against the same in NumPy."""

import numpy as np
import pytest

from toile import named_body
from toile._kernels import between, from_rest, most_bent, ride
from toile.body.model.skeleton import rigid_inverse
from toile.geometry.rotation import from_vector, multiply, yaw
from toile.geometry.triangles import triangle_axes
from toile.motion.retargeting.retarget import retarget
from toile.motion.synthesis.gait import walk
from toile.motion.track import Track, local_pose_at, place_joints, pose_at
from toile.sim.colliders.hand_proxy import BEND, hand_proxies

RNG = np.random.default_rng(7)


def turning_track(frames: int, *, loop: bool, bend: float = 0.4) -> Track:
    """A few joints that turn at random; its loop travels and turns about the vertical."""
    turns = from_vector(0.5 * RNG.standard_normal((frames, 5, 3)))
    root = RNG.standard_normal((frames, 3))
    if loop and frames > 1:
        turns[-1] = turns[0]
        turns[-1, 0] = multiply(yaw(bend), turns[0, 0])
    parents = np.array([-1, 0, 1, 0, 3], np.int32)
    return Track("random", 30.0, parents, RNG.standard_normal((5, 3)), turns, root, loop)


@pytest.mark.parametrize("loop", [True, False])
@pytest.mark.parametrize("frames", [1, 2, 3, 9])
@pytest.mark.parametrize("bend", [0.4, 0.0])
def test_joints_at_any_time_as_in_numpy(frames: int, loop: bool, bend: float) -> None:
    track = turning_track(frames, loop=loop, bend=bend)
    for time in (0.0, 0.01, 0.04, 0.23, 0.99, 3.217, -0.02, -0.7):
        turns, root = local_pose_at(track, time)
        want = place_joints(track.parents, track.offsets, turns, root)
        np.testing.assert_allclose(pose_at(track, time), want, rtol=0, atol=1e-12)


def test_joints_of_a_walking_person_as_in_numpy() -> None:
    track = retarget(walk(), named_body("woman"), fps=60.0)
    for time in (0.0, 0.3, 1.234, 20.5):
        turns, root = local_pose_at(track, time)
        want = place_joints(track.parents, track.offsets, turns, root)
        np.testing.assert_allclose(pose_at(track, time), want, rtol=0, atol=1e-12)


def test_a_joint_before_its_parent_is_refused() -> None:
    track = turning_track(3, loop=False)
    wrong = Track("wrong", 30.0, track.parents[::-1], track.offsets, track.rotations, track.root)
    with pytest.raises(ValueError, match="parents come before"):
        pose_at(wrong, 0.0)


def test_world_from_rest_as_in_numpy() -> None:
    track = turning_track(2, loop=False)
    world, rest = pose_at(track, 0.01), pose_at(track, 0.02)
    want = (world @ rigid_inverse(rest))[:, :3, :].reshape(-1, 12)
    np.testing.assert_allclose(from_rest(world, rest), want, rtol=0, atol=1e-12)


def test_skin_between_two_poses() -> None:
    for count in (4, 9000):  # of one thread and of more
        before, after = RNG.standard_normal((2, count, 3))
        np.testing.assert_array_equal(between(before, after, 0.3), before + 0.3 * (after - before))


def test_points_ride_on_triangles_as_in_numpy() -> None:
    vertices, local = RNG.standard_normal((20, 3)), RNG.standard_normal((7, 3))
    frame = np.array([[0, 1, 2], [5, 9, 14], [3, 3, 3]], np.int32)
    rides, start = np.array([0, 1, 1, 0, 1, 0, 2], np.int32), np.arange(7, dtype=np.int32)
    a, b, c = (vertices[frame[rides]][:, k] for k in range(3))
    x, z = b - a, np.cross(b - a, c - a)
    x, z = (v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-12) for v in (x, z))
    axes = np.stack([x, np.cross(z, x), z], axis=2)
    np.testing.assert_allclose(triangle_axes(vertices[frame])[rides], axes, atol=1e-15)
    offset = np.einsum("pab,pb->pa", axes, local)
    np.testing.assert_allclose(ride(vertices, frame, rides, local), (a + b + c) / 3 + offset, atol=1e-12)
    np.testing.assert_allclose(ride(vertices, frame, rides, local, start), vertices[:7] + offset, atol=1e-12)


def test_bent_fingers_are_seen() -> None:
    body = named_body("woman")
    hands = hand_proxies(body)
    assert hands is not None
    one, other = hands.watched[3]
    moved = np.array(body.vertices)
    moved[one] += 0.01 * (moved[one] - moved[other]) / np.linalg.norm(moved[one] - moved[other])
    apart = np.linalg.norm(moved[hands.watched[:, 0]] - moved[hands.watched[:, 1]], axis=1)
    want = np.abs(apart - hands.apart).max()
    assert most_bent(moved, hands.watched, hands.apart) == pytest.approx(want, abs=1e-12)
    assert want > BEND
    assert hands.fit(body.vertices)
    assert not hands.fit(moved)
