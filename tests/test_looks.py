"""Several looks in one step: the engine asks a ball, and follows contacts over moving skin, by itself."""

from __future__ import annotations

import numpy as np
import pytest

from dressed_samples import ball_body
from toile._kernels import SkinTrail, SurfaceTree
from toile.cloth.xpbd import XpbdSettings, XpbdSolver
from toile.collision.shapes import Sphere
from toile.collision.surface import SurfaceCollider
from toile.garment.shapes import flat_position, square_cloth
from toile.types import Body, Contacts, Floats, PosedBody, Scene, State

CALM = np.zeros(3)
# a step of two looks is compared with two steps, each of which would be evened out
SETTINGS = XpbdSettings(self_collision=False, substep=1 / 960, evening=0.0)
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


def test_wrong_trails_are_exceptions() -> None:
    body = ball_body()
    solver, state = sheet_over(body, 0.006)
    skin = moving(body)
    tree = SurfaceTree(body.triangles, body.vertices)
    particle, gap, normal, velocity, triangle, hint = tree.contacts(state.position, 0.02, skin.velocity)
    assert len(particle)
    with pytest.raises(IndexError, match="triangle that does not exist"):
        SkinTrail(tree, triangle + len(body.triangles), skin.velocity, 0.02, 0.006)
    with pytest.raises(ValueError, match="one row per vertex"):
        SkinTrail(tree, triangle, skin.velocity[1:], 0.02, 0.006)
    for trail in (
        SkinTrail(tree, triangle[1:], skin.velocity, 0.02, 0.006),
        SkinTrail(tree, triangle, skin.velocity, 0.02, 0.006, hint[1:]),
    ):
        contacts = Contacts(particle, gap, normal, velocity, trail)
        with pytest.raises(ValueError, match="a trail needs"):
            solver.step(state, Scene(skin, lambda _, found=contacts: found, CALM, CALM), 1 / 60)
