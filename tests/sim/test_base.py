"""The contract of colliders and solvers: what the simplest ones leave out, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from surfaces import icosphere, single_bone_body
from toile.core.errors import ToileError
from toile.core.records import ContactQuery, Contacts, Floats, Ints, PosedBody, Scene, State
from toile.garment.shapes import flat_position, square_cloth
from toile.sim.colliders.base import NO_CONTACTS, Collider, no_contacts
from toile.sim.colliders.shapes import Sphere
from toile.sim.frame.advance import advance_frame
from toile.sim.solvers.base import Solver
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

RADIUS = 0.15
CALM = np.zeros(3)


class Bubble(Collider):
    """A ball round the middle of the skin: all that somebody has to write, with a function for a query."""

    def at(self, body: PosedBody) -> ContactQuery:
        centre, velocity = body.vertices.mean(axis=0), body.velocity.mean(axis=0)

        def ask(position: Floats) -> Contacts:
            away = position - centre
            distance = np.linalg.norm(away, axis=1)
            near = np.flatnonzero(distance < RADIUS + 0.05).astype(np.int32)
            normal = away[near] / distance[near, None]
            return Contacts(near, distance[near] - RADIUS, normal, np.tile(velocity, (len(near), 1)))

        return ask  # type: ignore[return-value]


class Falling(Solver):
    """Cloth in free fall."""

    def pin(self, particles: Ints) -> None:
        raise NotImplementedError

    def step(self, state: State, scene: Scene, dt: float) -> State:
        velocity = state.velocity + dt * scene.gravity
        return State(state.position + dt * velocity, velocity, state.time + dt)


def poses(way: float = 0.0) -> tuple[PosedBody, PosedBody]:
    """Return a ball at height 1 before and after it has gone up by way [m] in 1/60 s."""
    triangles, vertices = icosphere(2, RADIUS)
    before, up = single_bone_body(triangles, vertices + np.array([0.0, 1.0, 0.0])), np.array([0.0, way, 0.0])
    moved = before.vertices + up
    return before, PosedBody(before.body, moved, np.tile(60 * up, (len(moved), 1)), before.world_from_joint)


def sheet() -> tuple[XpbdSolver, State]:
    """Return a sheet just over that ball."""
    garment = square_cloth(12, 12, 0.4, 0.4)
    flat = flat_position(garment)
    x = np.stack([flat[:, 0] - 0.2, np.full(len(flat), 1.0 + RADIUS + 0.005), flat[:, 1] - 0.2], axis=1)
    return XpbdSolver(garment, XpbdSettings()), State(x, np.zeros_like(x))


def test_a_collider_that_has_but_at_carries_cloth() -> None:
    solver, state = sheet()
    for _ in range(30):
        state = advance_frame(solver, Bubble(), state, *poses(), 1 / 60)
    distance = np.linalg.norm(state.position - [0.0, 1.0, 0.0], axis=1)
    assert RADIUS < distance.min() < RADIUS + 0.01
    assert state.position[:, 1].min() < 1.0 + 0.5 * RADIUS  # it hangs round the ball


def test_a_collider_that_has_but_at_is_looked_at_as_it_moves() -> None:
    heights: list[float] = []

    class Counted(Bubble):
        def at(self, body: PosedBody) -> ContactQuery:
            heights.append(float(body.vertices[:, 1].mean()))
            return super().at(body)

    solver, state = sheet()
    advance_frame(solver, Counted(), state, *poses(0.02), 1 / 60)
    np.testing.assert_allclose(heights, [1.0, 1.01])


def test_meanwhile_is_at_unless_a_collider_knows_better() -> None:
    posed, _ = poses()
    points = np.array([[0.0, 1.0 + RADIUS, 0.0]])
    assert not Bubble.follows
    found = Bubble().meanwhile(posed, 0.01, np.zeros((0, 2, 3)))(points)
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-12)


def test_a_solver_that_has_but_step_and_pin_needs_no_looks() -> None:
    solver = Falling()
    assert solver.longest_contact_step == math.inf
    assert solver.followed_updates == 1
    state = State(np.zeros((1, 3)), np.zeros((1, 3)))
    state = advance_frame(solver, Bubble(), state, *poses(), 0.1)
    np.testing.assert_allclose(state.position, [[0.0, -0.0981, 0.0]])


def test_what_is_not_derived_is_told_how() -> None:
    class Ghost:
        def at(self, body: PosedBody) -> ContactQuery:
            return no_contacts

    solver, state = sheet()
    with pytest.raises(ToileError, match=r"Ghost is no Collider: derive .* of toile\.sim\.colliders\.base"):
        advance_frame(solver, Ghost(), state, *poses(), 1 / 60)  # type: ignore[arg-type]
    with pytest.raises(ToileError, match=r"Ghost is no Solver: derive .* of toile\.sim\.solvers\.base"):
        advance_frame(Ghost(), Bubble(), state, *poses(), 1 / 60)  # type: ignore[arg-type]


def test_a_scene_takes_functions_and_leaves_queries_alone() -> None:
    plain = Scene(None, lambda _: NO_CONTACTS, CALM, CALM).contacts  # type: ignore[arg-type]
    assert plain(np.ones((2, 3))) is NO_CONTACTS
    assert not plain.nowhere
    assert plain.ball is None
    ball = Sphere(np.zeros(3), 1.0)
    assert Scene(None, ball, CALM, CALM).contacts is ball
    assert ball.ball is not None
    assert not ball.nowhere


def test_empty_space_says_so() -> None:
    assert no_contacts.nowhere
    assert no_contacts(np.ones((2, 3))) is NO_CONTACTS
    assert [len(a) for a in (NO_CONTACTS.particle, NO_CONTACTS.gap, NO_CONTACTS.normal)] == [0, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        NO_CONTACTS.normal[:] = 1.0
