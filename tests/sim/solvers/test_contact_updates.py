"""Several contact updates in one step: the engine asks a ball and follows contacts over moving skin."""

from __future__ import annotations

import numpy as np
import pytest

from dressed_samples import ball_body
from toile import named_body
from toile._kernels import SurfaceTree, TrackedContacts, set_thread_count
from toile.body.model.skin import pose_body, vertex_normals
from toile.core.records import LIMBS, Body, Contacts, Floats, PosedBody, Scene, State
from toile.garment.shapes import flat_position, square_cloth
from toile.motion.retargeting.retarget import retarget
from toile.motion.synthesis.gait import walk
from toile.motion.track import pose_at
from toile.sim.colliders.shapes import Sphere
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

CALM = np.zeros(3)
# a step of two contact updates is compared with two steps, each of which would be evened out
SETTINGS = XpbdSettings(self_collision=False, substep=1 / 960, evening=0.0)
BROAD = ("torso", "thigh", "shin", "upper_arm", "forearm")
SHIFT, TURN = np.array([0.2, 0.1, 0.1]), np.array([0.0, 1.5, 0.5])
"""of the skin [m/s], [rad/s]"""


def sheet_over(body: Body, height: float) -> tuple[XpbdSolver, State]:
    """Return cloth that lies this high above the top of a body and falls at 0.4 m/s."""
    garment = square_cloth(14, 13, 0.2, 0.2)
    flat = flat_position(garment)
    top = np.full(len(flat), body.vertices[:, 1].max() + height)
    x = np.stack([flat[:, 0] - 0.1, top, flat[:, 1] - 0.1], axis=1)
    return XpbdSolver(garment, SETTINGS), State(x, np.tile([0.1, -0.4, 0.0], (len(x), 1)))


def moving(body: Body) -> PosedBody:
    """Return a body that shifts and turns about its middle."""
    velocity = SHIFT + np.cross(TURN, body.vertices - body.vertices.mean(axis=0))
    return PosedBody(body, body.vertices, velocity, np.eye(4)[None])


@pytest.mark.parametrize("velocity", [CALM, np.array([0.2, 0.4, 0.0])])
def test_the_kernel_asks_a_ball_as_it_is_asked_from_outside(velocity: Floats) -> None:
    body = ball_body()
    solver, state = sheet_over(body, 0.006)
    ball = Sphere(np.array([0.0, 1.0, 0.0]), 0.15, velocity)

    def asked(position: Floats) -> Contacts:
        return ball(position)

    found = [
        solver.step(state, Scene(None, query, np.array([0, -9.81, 0.0]), CALM), 1 / 60)
        for query in (ball, asked)
    ]
    assert not np.array_equal(found[0].velocity, state.velocity)
    # planes of still skin are the same; moving, the kernel has the ball where it is at the second look
    bound = 0.0 if not velocity.any() else 1e-4
    np.testing.assert_allclose(found[0].position, found[1].position, rtol=0, atol=bound)
    gap = np.linalg.norm(found[0].position - [0, 1, 0] - velocity / 60, axis=1) - 0.15
    assert 0.0035 < gap.min() < 0.0045


def test_contacts_are_followed_as_a_search_of_the_moved_skin_finds_them() -> None:
    body = ball_body(rings=24)
    solver, state = sheet_over(body, 0.006)
    skin = moving(body)
    collider = SurfaceCollider(body)
    scene = Scene(skin, collider.at(skin), CALM, CALM)
    found = solver.step(state, scene, 1 / 60)

    # the same in two steps, the second one with a search among the skin as it is then
    def still(position: Floats) -> Contacts:
        return Contacts(*(getattr(first, name) for name in ("particle", "gap", "normal", "velocity")))

    first = collider.at(skin)(state.position)
    wanted = solver.step(state, Scene(skin, still, CALM, CALM), 1 / 120)
    later = PosedBody(body, skin.vertices + skin.velocity / 120, skin.velocity, skin.world_from_joint)
    first = collider.at(later)(wanted.position)
    assert len(first.particle) > 60
    wanted = solver.step(wanted, Scene(later, still, CALM, CALM), 1 / 120)
    np.testing.assert_allclose(found.position, wanted.position, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.velocity, wanted.velocity, rtol=0, atol=1e-3)
    still_there = solver.step(state, Scene(None, Sphere(np.zeros(3), 0.1), CALM, CALM), 1 / 60)
    assert np.abs(found.position - still_there.position).max() > 0.003


def test_cloth_that_hurries_meets_skin_that_was_too_far() -> None:
    body = ball_body(rings=24)
    solver, state = sheet_over(body, 0.03)
    state = State(state.position, np.tile([0.0, -2.0, 0.0], (len(state.position), 1)))
    skin = moving(body)
    collider = SurfaceCollider(body)
    assert not len(collider.at(skin)(state.position).particle)
    found = solver.step(state, Scene(skin, collider.at(skin), CALM, CALM), 1 / 60)
    gap = SurfaceTree(body.triangles, body.vertices + skin.velocity / 60).nearest(found.position, 0.1)[1]
    assert 0.002 < gap.min() < 0.006


def test_tracked_contacts_are_those_that_a_search_finds() -> None:
    body = named_body("woman")
    track, collider = retarget(walk(), body, fps=60.0), SurfaceCollider(body)
    rng = np.random.default_rng(8)
    before = pose_body(body, pose_at(track, 0.5))
    # outside broad limbs: on fingers, toes and ears another piece may have come nearer
    broad = np.flatnonzero(np.isin(body.limb, [k for k, name in enumerate(LIMBS) if name.endswith(BROAD)]))
    chosen = broad[rng.integers(len(broad), size=3000)]
    outside = vertex_normals(before.vertices, body.triangles)[chosen]
    points = before.vertices[chosen] + rng.uniform(0.002, 0.015, (3000, 1)) * outside
    everywhere, nowhere = np.array([[[-9.0] * 3, [9.0] * 3]]), np.zeros((0, 2, 3))
    first = collider.at(before)(points)
    assert len(first.particle) > 2000

    def differs(a: Contacts, b: Contacts) -> Floats:
        """Say by how much the nearest skin of each point differs [m]."""
        nearest = []
        for found in (a, b):
            gap = np.full(len(points), 0.02)
            np.minimum.at(gap, found.particle, found.gap)
            nearest.append(gap)
        return np.abs(nearest[0] - nearest[1])

    # nothing has moved: each contact is where it was
    again = collider.meanwhile(before, 0.0, nowhere)(points)
    for name in ("particle", "gap", "normal", "velocity"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
    # skin and points have moved a little
    after = pose_body(body, pose_at(track, 0.5 + 1 / 180), before, 1 / 180)
    moved = points + after.velocity.mean(axis=0) / 180 + rng.normal(0, 0.001, points.shape)
    near = collider.meanwhile(after, 1 / 180, nowhere)(moved)
    searched = collider.meanwhile(after, 1 / 180, everywhere)(moved)
    whole = collider.at(after)(moved)
    for name in ("particle", "gap", "normal", "velocity"):
        np.testing.assert_array_equal(getattr(searched, name), getattr(whole, name))
    # in a hollow the face beside may be nearer by a little
    assert np.median(differs(near, whole)) < 1e-12
    assert np.percentile(differs(near, whole), 98) < 2e-4
    assert differs(near, whole).max() < 0.01
    # a point that hurries is searched wherever it is
    collider.at(before)(points)
    far = np.array(moved)
    far[:500] = moved[500:1000]
    found = collider.meanwhile(after, 1 / 180, nowhere)(far)
    assert differs(found, collider.at(after)(far))[:500].max() < 1e-12


def test_tracked_contacts_do_not_depend_on_the_number_of_threads() -> None:
    body = ball_body(rings=24)
    rng = np.random.default_rng(9)
    points = body.vertices[rng.integers(len(body.vertices), size=2000)] + rng.normal(0, 0.005, (2000, 3))
    skin, box = moving(body), np.array([[[-0.1, 0.9, -0.1], [0.0, 1.2, 0.1]]])
    later = PosedBody(body, skin.vertices + skin.velocity / 120, skin.velocity, skin.world_from_joint)
    found = []
    try:
        for threads in (1, 2, 8):
            set_thread_count(threads)
            collider = SurfaceCollider(body)
            collider.at(skin)(points)
            found.append(collider.meanwhile(later, 1 / 120, box)(points + skin.velocity.mean(axis=0) / 120))
    finally:
        set_thread_count(0)
    assert len(found[0].particle) > 1000
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].particle, other.particle)
        np.testing.assert_array_equal(found[0].gap, other.gap)
        np.testing.assert_array_equal(found[0].normal, other.normal)


def test_wrong_tracked_contacts_are_exceptions() -> None:
    body = ball_body()
    solver, state = sheet_over(body, 0.006)
    skin = moving(body)
    tree = SurfaceTree(body.triangles, body.vertices)
    particle, gap, normal, velocity, triangle, hint = tree.contacts(state.position, 0.02, skin.velocity)
    assert len(particle)
    with pytest.raises(IndexError, match="triangle that does not exist"):
        TrackedContacts(tree, triangle + len(body.triangles), skin.velocity, 0.02, 0.006)
    with pytest.raises(ValueError, match="one row per vertex"):
        TrackedContacts(tree, triangle, skin.velocity[1:], 0.02, 0.006)
    for tracked in (
        TrackedContacts(tree, triangle[1:], skin.velocity, 0.02, 0.006),
        TrackedContacts(tree, triangle, skin.velocity, 0.02, 0.006, hint[1:]),
    ):
        contacts = Contacts(particle, gap, normal, velocity, tracked)
        with pytest.raises(ValueError, match="tracked contacts need"):
            solver.step(state, Scene(skin, lambda _, found=contacts: found, CALM, CALM), 1 / 60)
