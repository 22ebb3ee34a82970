"""The contact response against closed-form mechanics, and the surface collider against analytic shapes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from surfaces import icosphere, join, single_bone_body, tube
from toile import _kernels
from toile._kernels import SurfaceTree
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Contacts, Floats, PosedBody
from toile.sim.colliders.base import NO_CONTACTS
from toile.sim.colliders.contacts import (
    advance_contacts,
    contact_friction,
    contact_grip,
    make_collider,
    respond,
)
from toile.sim.colliders.shapes import CombinedColliders, Plane, Sphere, combine_contacts, floor, incline
from toile.sim.colliders.surface import GROUPS, LIMB_GROUP, SurfaceCollider, SurfaceSettings, triangle_groups

GRAVITY = np.array([0.0, -9.81, 0.0])


def slide(angle: float, friction: float, time: float, dt: float = 1e-3) -> float:
    """Return how far a particle slides down an incline from rest [m]."""
    plane = incline(angle)
    x, v = np.zeros((1, 3)), np.zeros((1, 3))
    for _ in range(round(time / dt)):
        v = v + dt * GRAVITY
        x = x + dt * v
        x, v = respond(x, v, plane(x), friction=friction, dt=dt)
    return float(np.linalg.norm(x[0]))


def test_incline_slides_as_coulomb_says() -> None:
    # x = ½ g (sin α − μ cos α) t²
    alpha, mu, t = 0.5, 0.3, 1.0
    truth = 0.5 * 9.81 * (np.sin(alpha) - mu * np.cos(alpha)) * t**2
    assert slide(alpha, mu, t) == pytest.approx(truth, rel=2e-3)


@pytest.mark.parametrize("mu", [0.2, 0.5, 1.0])
def test_incline_slips_only_beyond_the_friction_angle(mu: float) -> None:
    assert slide(np.arctan(mu) * 0.999, mu, 0.5) < 1e-9
    assert slide(np.arctan(mu) * 1.01, mu, 0.5) > 1e-3


def test_skin_that_grips_less_lets_slide() -> None:
    """With a third of the friction it slips on a slope that held; of two contacts the least grip counts."""
    mu, x = 0.6, np.zeros((2, 3))
    v = np.tile(1e-3 * GRAVITY, (2, 1))
    found = incline(np.arctan(0.3))(x + 1e-3 * v)
    pairs = [0, 0, 1, 1]
    less = Contacts(
        found.particle[pairs], found.gap[pairs], found.normal[pairs], found.velocity[pairs],
        grip=np.array([1.0, 1.0, 1.0, 1 / 3]),
    )  # fmt: skip
    _, after = respond(x + 1e-3 * v, v, less, friction=mu, dt=1e-3)
    assert np.linalg.norm(after[0]) < 1e-12
    assert np.linalg.norm(after[1]) > 1e-4
    assert contact_friction(found, np.full(2, mu)).tolist() == [mu, mu]
    assert contact_friction(less, np.full(2, mu)).tolist() == pytest.approx([mu, mu / 3])


def plainly(x, v, contacts, thickness, friction, dt):
    """Return the response by the formulas of respond(), one contact at a time: the kernel's reference."""
    start, x, v = x, x.copy(), v.copy()
    for p, gap, n, skin in zip(
        contacts.particle, contacts.gap, contacts.normal, contacts.velocity, strict=True
    ):
        depth = max(thickness[p] - gap - n @ (x[p] - start[p]), 0.0)
        x[p] += depth * n
        u = v[p] - skin
        impulse = max(-(n @ u), 0.0) if depth > 0 else 0.0
        u = u + impulse * n
        along = u - (n @ u) * n
        speed = np.linalg.norm(along)
        taken = min(friction[p] * impulse, speed) / speed if speed > 0 else 0.0
        v[p] = skin + u - taken * along
        x[p] -= dt * taken * along
    return x, v


@pytest.mark.parametrize("threads", [1, 3])
def test_response_against_plain_formulas(threads) -> None:
    rng = np.random.default_rng(4)
    x, v = rng.normal(0, 0.1, (3000, 3)), rng.normal(0, 1, (3000, 3))
    particle = np.sort(rng.integers(0, 3000, 6000)).astype(np.int32)
    normal = rng.normal(0, 1, (6000, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    contacts = Contacts(particle, rng.normal(0.002, 0.004, 6000), normal, rng.normal(0, 0.5, (6000, 3)))
    thickness, friction = rng.uniform(0, 0.005, 3000), rng.uniform(0, 1, 3000)
    _kernels.set_thread_count(threads)
    found = respond(x, v, contacts, thickness=thickness, friction=friction, dt=0.01)
    _kernels.set_thread_count(0)
    wanted = plainly(x, v, contacts, thickness, friction, 0.01)
    np.testing.assert_allclose(found[0], wanted[0], atol=1e-13)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-12)


def test_contacts_out_of_order_are_refused() -> None:
    wrong = Contacts(np.array([1, 0], np.int32), np.zeros(2), np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="ascend"):
        respond(np.zeros((2, 3)), np.zeros((2, 3)), wrong, dt=0.01)
    beyond = Contacts(np.array([7], np.int32), np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(IndexError, match="particle"):
        respond(np.zeros((2, 3)), np.zeros((2, 3)), beyond, dt=0.01)


def test_depth_is_mended_without_speed() -> None:
    x, v = respond(
        np.array([[0.0, -0.02, 0.0]]), np.zeros((1, 3)), floor()(np.array([[0.0, -0.02, 0.0]])), dt=0.01
    )
    np.testing.assert_allclose(x, 0, atol=1e-15)
    np.testing.assert_array_equal(v, 0)


def test_thickness_per_particle_and_no_effect_beyond_it() -> None:
    x = np.array([[0.0, 0.001, 0.0], [0.0, 0.001, 0.0], [0.0, 0.03, 0.0]])
    v = np.tile([1.0, -1.0, 0.0], (3, 1))
    out, speed = respond(x, v, floor()(x), thickness=[0.003, 0.0005, 0.003], friction=0.0, dt=0.01)
    np.testing.assert_allclose(out[:, 1], [0.003, 0.001, 0.03])
    np.testing.assert_allclose(speed, [[1, 0, 0], [1, -1, 0], [1, -1, 0]])


def test_moving_skin_carries_what_grips() -> None:
    plane = Plane(point=np.zeros(3), normal=np.array([0.0, 1.0, 0.0]), velocity=np.array([0.2, 0.1, 0.0]))
    x = np.zeros((1, 3))
    _, v = respond(x, np.array([[0.0, -3.0, 0.0]]), plane(x), thickness=0.001, friction=0.5, dt=0.01)
    np.testing.assert_allclose(v, [[0.2, 0.1, 0.0]], atol=1e-12)


def test_skin_that_moves_on_comes_nearer_by_its_speed_along_the_normal() -> None:
    points = np.array([[0.0, 0.01, 0.0], [0.3, 0.02, 0.1]])
    rising = replace(floor(), velocity=np.array([5.0, 0.3, 0.0]))
    later = advance_contacts(rising(points), 0.02)
    np.testing.assert_allclose(later.gap, floor(0.006)(points).gap, atol=1e-15)
    still = floor()(points)
    assert advance_contacts(still, 0.02) is still


def test_two_contacts_are_met_one_after_the_other() -> None:
    # a corner of floor and wall: the particle ends outside both
    wall = Plane(point=np.zeros(3), normal=np.array([1.0, 0.0, 0.0]))
    x = np.array([[-0.01, -0.02, 0.0], [1.0, 1.0, 1.0]])
    contacts = combine_contacts([floor()(x), wall(x)])
    assert list(contacts.particle) == [0, 0]
    out, v = respond(x, np.array([[-1.0, -1.0, 0.5], [0, 0, 0]]), contacts, dt=0.01)
    np.testing.assert_allclose(out[0], 0, atol=1e-15)
    np.testing.assert_allclose(v[0], [0, 0, 0.5], atol=1e-15)
    np.testing.assert_array_equal(out[1], x[1])


def test_what_grips_less_does_so_beside_other_obstacles_too() -> None:
    x = np.zeros((2, 3))
    ice = replace(floor()(x), grip=np.array([0.25, 1.0]))
    found = combine_contacts([floor()(x), ice])
    assert found.particle.tolist() == [0, 0, 1, 1]
    assert found.grip is not None
    assert found.grip.tolist() == [1.0, 0.25, 1.0, 1.0]
    # of a particle's contacts the one that grips least counts
    assert contact_grip(found).tolist() == [0.25, 0.25, 1.0, 1.0]
    assert combine_contacts([floor()(x), floor()(x)]).grip is None


def test_nothing_changes_nothing() -> None:
    x = np.ones((3, 3))
    out, v = respond(x, x, NO_CONTACTS, dt=0.1)
    np.testing.assert_array_equal(out, x)
    np.testing.assert_array_equal(v, x)


def test_sphere_and_its_mesh_agree() -> None:
    triangles, vertices = icosphere(4, 0.2)
    posed = single_bone_body(triangles, vertices)
    rng = np.random.default_rng(0)
    direction = rng.normal(size=(500, 3))
    points = direction / np.linalg.norm(direction, axis=1, keepdims=True) * rng.uniform(0.19, 0.22, (500, 1))
    exact = Sphere(np.zeros(3), 0.2)(points)
    found = SurfaceCollider(posed.body).at(posed)(points)
    np.testing.assert_array_equal(found.particle, exact.particle)
    np.testing.assert_allclose(found.gap, exact.gap, atol=5e-4)
    assert (np.einsum("ij,ij->i", found.normal, exact.normal) > 0.99).all()


def test_skin_velocity_is_interpolated() -> None:
    triangles, vertices = icosphere(3, 0.2)
    spin = np.array([0.0, 2.0, 1.0])
    posed = single_bone_body(triangles, vertices, velocity=np.cross(spin, vertices))
    points = 1.02 * vertices[triangles].mean(axis=1)
    contacts = SurfaceCollider(posed.body).at(posed)(points)
    np.testing.assert_allclose(contacts.velocity, np.cross(spin, points / 1.02), atol=5e-3)


def test_an_older_query_still_answers_for_its_own_pose() -> None:
    triangles, vertices = icosphere(2, 0.2)
    here = single_bone_body(triangles, vertices)
    there = PosedBody(here.body, vertices + np.array([1.0, 0.0, 0.0]), here.velocity, here.world_from_joint)
    collider = make_collider("surface", here.body)
    first, second = collider.at(here), collider.at(there)
    points = 1.05 * vertices
    before = first(points)
    assert len(before.particle) == len(points)
    assert len(second(points).particle) == 0
    np.testing.assert_array_equal(first(points).gap, before.gap)
    assert len(CombinedColliders([collider.at, floor(-0.19).at]).at(here)(points).particle) > len(points)


def limb_body() -> tuple[PosedBody, Floats]:
    """Return a torso and an arm beside it that overlap, and points in the crease between them."""
    a, b = tube(12, 24, 0.1, 0.6), tube(12, 24, 0.05, 0.6)
    triangles, vertices = join(a, (b[0], b[1] + [0.14, 0.0, 0.0]))
    limb = np.repeat([LIMBS.index("torso"), LIMBS.index("left_upper_arm")], [len(a[1]), len(b[1])])
    return single_bone_body(triangles, vertices, limb=limb), np.array([[0.095, 0.3, 0.045], [0.2, 0.3, 0.0]])


def test_a_point_between_two_limbs_has_two_contacts() -> None:
    posed, points = limb_body()
    contacts = SurfaceCollider(posed.body).at(posed)(points)
    assert list(contacts.particle) == [0, 0, 1]
    alone = SurfaceCollider(posed.body, SurfaceSettings(by_limb=False)).at(posed)(points)
    assert list(alone.particle) == [0, 1]
    assert alone.gap[0] == pytest.approx(np.abs(contacts.gap[:2]).min(), abs=1e-12)


def test_inside_the_arm_but_outside_the_torso() -> None:
    posed, _ = limb_body()
    point = np.array([[0.11, 0.3, 0.0]])
    contacts = SurfaceCollider(posed.body).at(posed)(point)
    assert sorted(contacts.gap > 0) == [False, True]
    # the winding number does not fall for the overlap either
    tree = SurfaceTree(posed.body.triangles, posed.body.vertices)
    assert list(tree.winding(np.array([[0.11, 0.3, 0], [0.095, 0.3, 0], [0.05, 0.3, 0], [0.3, 0.3, 0]]))) == [
        1,
        2,
        1,
        0,
    ]


def test_every_limb_has_a_group() -> None:
    by_name = {limb: GROUPS[g] for limb, g in zip(LIMBS, LIMB_GROUP, strict=True)}
    assert by_name["left_hand"] == by_name["left_forearm"] == by_name["left_upper_arm"] == "left_arm"
    assert by_name["right_foot"] == by_name["right_shin"] == by_name["right_thigh"] == "right_leg"
    assert {by_name[k] for k in ("head", "neck", "torso", "pelvis")} == {"torso"}
    posed, _ = limb_body()
    assert set(triangle_groups(posed.body).tolist()) == {0, 1}


def test_a_silly_radius_is_refused() -> None:
    with pytest.raises(ToileError, match="radius"):
        SurfaceSettings(radius=-0.1)


def test_point_at_the_centre_of_a_sphere() -> None:
    contacts = Sphere(np.zeros(3), 1.0)(np.zeros((1, 3)))
    assert isinstance(contacts, Contacts)
    assert contacts.gap[0] == -1
    assert np.linalg.norm(contacts.normal[0]) == 1


def test_ball_equals_the_numpy_reference() -> None:
    ball = Sphere(np.array([0.1, 0.2, 0.3]), 0.25, np.array([1.0, 0.0, 0.0]), reach=0.05)
    points = np.random.default_rng(5).uniform(-0.3, 0.7, (500, 3))
    found = ball(points)
    away = points - ball.centre
    distance = np.linalg.norm(away, axis=1)
    near = np.flatnonzero(distance < 0.3)
    np.testing.assert_array_equal(found.particle, near)
    np.testing.assert_allclose(found.gap, distance[near] - 0.25, atol=1e-14)
    np.testing.assert_allclose(found.normal, away[near] / distance[near, None], atol=1e-14)
    np.testing.assert_array_equal(found.velocity, np.tile([1.0, 0.0, 0.0], (len(near), 1)))
