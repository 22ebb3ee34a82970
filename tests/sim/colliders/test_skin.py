"""Skinning against NumPy references."""

import numpy as np
import pytest

from toile import _kernels
from toile.body.measure.measures import volume
from toile.body.model.make import named_body
from toile.body.model.skeleton import forward_kinematics, rigid_inverse
from toile.body.model.skin import pose_body, quaternions, rest_pose, vertex_faces, vertex_normals
from toile.core.errors import ToileError


@pytest.fixture(scope="module")
def body():
    return named_body("woman")


def rotation(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def some_pose(body, seed=0, size=0.5):
    rng = np.random.default_rng(seed)
    local = np.array([rotation(rng.normal(size=3), rng.uniform(-size, size)) for _ in body.skeleton.names])
    return forward_kinematics(body.skeleton, local, rng.normal(size=3))


def reference(body, world):
    moved = world @ rigid_inverse(body.skeleton.world_from_joint)
    matrices = np.einsum("nk,nkrc->nrc", body.weight, moved[body.weight_joint])
    return np.einsum("nrc,nc->nr", matrices[:, :3, :3], body.vertices) + matrices[:, :3, 3]


def multiply(a, b):
    w = a[:, 0] * b[:, 0] - np.einsum("ij,ij->i", a[:, 1:], b[:, 1:])
    v = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
    return np.concatenate([w[:, None], v], axis=1)


def dual_reference(body, world):
    """Blend dual quaternions as written by Kavan et al. 2007: normalise, then turn and move."""
    moved = world @ rigid_inverse(body.skeleton.world_from_joint)
    real = quaternions(moved[:, :3, :3])
    shift = np.concatenate([np.zeros((len(real), 1)), moved[:, :3, 3]], axis=1)
    dual = np.concatenate([real, 0.5 * multiply(shift, real)], axis=1)[body.weight_joint]
    sign = np.where(np.einsum("nkc,nc->nk", dual[:, :, :4], dual[:, 0, :4]) < 0, -1.0, 1.0)
    q = np.einsum("nk,nkc->nc", body.weight * sign, dual)
    q /= np.linalg.norm(q[:, :4], axis=1, keepdims=True)
    w, a, b = q[:, :1], q[:, 1:4], q[:, 5:]
    v = body.vertices
    turned = v + 2 * np.cross(a, np.cross(a, v) + w * v)
    return turned + 2 * (w * b - q[:, 4:5] * a + np.cross(a, b))


def test_identity_is_the_rest_pose(body):
    still = forward_kinematics(body.skeleton, np.tile(np.eye(3), (31, 1, 1)), np.zeros(3))
    assert np.allclose(still, body.skeleton.world_from_joint)
    for method in ("linear", "dual"):
        posed = pose_body(body, still, method=method)
        assert np.allclose(posed.vertices, rest_pose(body).vertices, atol=1e-12)
        assert not posed.velocity.any()


def test_linear_blend_matches_numpy(body):
    world = some_pose(body)
    assert np.allclose(pose_body(body, world).vertices, reference(body, world), atol=1e-12)


@pytest.mark.parametrize("size", [0.5, 3.0])
def test_dual_blend_matches_numpy(body, size):
    world = some_pose(body, 6, size)
    assert np.allclose(pose_body(body, world, method="dual").vertices, dual_reference(body, world), atol=1e-9)


def test_unknown_methods_are_named(body):
    with pytest.raises(ToileError, match="linear, dual"):
        pose_body(body, body.skeleton.world_from_joint, method="cubic")


def test_whole_body_motion_is_rigid_for_both_methods(body):
    move = np.eye(4)
    move[:3, :3] = rotation([1, 2, 3], 2.5)
    move[:3, 3] = [1.0, 2.0, 3.0]
    world = move @ body.skeleton.world_from_joint
    wanted = body.vertices @ move[:3, :3].T + move[:3, 3]
    for method in ("linear", "dual"):
        assert np.allclose(pose_body(body, world, method=method).vertices, wanted, atol=1e-9)


def test_dual_equals_linear_where_one_joint_rules(body):
    world = some_pose(body, 3)
    alone = body.weight.max(1) > 1 - 1e-9
    assert alone.sum() > 1000
    linear, dual = (pose_body(body, world, method=m).vertices[alone] for m in ("linear", "dual"))
    assert np.allclose(linear, dual, atol=1e-8)


def test_quaternions_turn_like_their_matrices():
    rng = np.random.default_rng(1)
    turns = np.array([rotation(rng.normal(size=3), a) for a in np.linspace(-np.pi, np.pi, 25)])
    q = quaternions(turns)
    v = rng.normal(size=3)
    u = np.cross(q[:, 1:], v) + q[:, :1] * v
    assert np.allclose(v + 2 * np.cross(q[:, 1:], u), turns @ v, atol=1e-12)


def test_bent_limbs_keep_their_volume(body):
    bends = {"LeftForeArm": (1, 1, 0), "LeftUpLeg": (1, 0, 0), "LeftLeg": (-1, 0, 0), "RightLeg": (-1, 0, 0)}
    local = np.tile(np.eye(3), (31, 1, 1))
    for name, axis in bends.items():
        joint = body.skeleton.names.index(name)
        frame = body.skeleton.world_from_joint[joint, :3, :3]
        local[joint] = frame.T @ rotation(axis, -np.pi / 2) @ frame
    world = forward_kinematics(body.skeleton, local, np.zeros(3))
    full = volume(body.vertices, body.triangles)
    for method, least in (("linear", 0.95), ("dual", 0.985)):
        kept = volume(pose_body(body, world, method=method).vertices, body.triangles) / full
        assert least < kept < 1.02, method


def test_velocity_is_the_way_from_the_previous_pose(body):
    before = pose_body(body, some_pose(body, 1))
    after = pose_body(body, some_pose(body, 2), previous=before, dt=0.01)
    assert np.allclose(after.velocity * 0.01, after.vertices - before.vertices)


def test_normals_match_numpy_and_point_outward(body):
    posed = pose_body(body, some_pose(body, 4, 0.3))
    p, t = posed.vertices, body.triangles
    area = np.cross(p[t[:, 1]] - p[t[:, 0]], p[t[:, 2]] - p[t[:, 0]])
    wanted = np.zeros_like(p)
    for corner in range(3):
        np.add.at(wanted, t[:, corner], area)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert np.allclose(vertex_normals(p, t, vertex_faces(t, len(p))), wanted, atol=1e-9)
    top = body.landmarks["crown"]
    assert vertex_normals(body.vertices, t)[top, 1] > 0.9


def test_normals_of_a_large_mesh_have_the_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(7)
    points = rng.normal(size=(20_000, 3))
    triangles = rng.integers(0, len(points), (60_000, 3)).astype(np.int32)
    results = []
    count = _kernels.thread_count()
    try:
        for threads in (1, 2, 8):
            _kernels.set_thread_count(threads)
            results.append(vertex_normals(points, triangles).tobytes())
    finally:
        _kernels.set_thread_count(count)
    assert results[0] == results[1] == results[2]


def test_same_bits_for_any_number_of_threads(body):
    world, before = some_pose(body, 5), rest_pose(body)
    results = []
    count = _kernels.thread_count()
    try:
        for threads in (1, 2, 8):
            _kernels.set_thread_count(threads)
            posed = pose_body(body, world, before)
            normals = vertex_normals(posed.vertices, body.triangles)
            results.append(posed.vertices.tobytes() + posed.velocity.tobytes() + normals.tobytes())
    finally:
        _kernels.set_thread_count(count)
    assert results[0] == results[1] == results[2]


def test_bad_arrays_are_exceptions(body):
    pose = np.zeros((31, 12))
    none = np.zeros((0, 3))
    bad = body.weight_joint.copy()
    bad[0, 0] = 99
    with pytest.raises(IndexError, match="joint"):
        _kernels.skin(body.vertices, bad, body.weight, pose, none, 0.1)
    with pytest.raises(TypeError):
        _kernels.skin(body.vertices, body.weight_joint, body.weight, np.zeros((31, 9)), none, 0.1)
    with pytest.raises(ValueError, match="dt"):
        _kernels.skin(body.vertices, body.weight_joint, body.weight, pose, body.vertices, 0.0)
