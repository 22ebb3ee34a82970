"""Time steps of body and cloth: fast limbs do not pass through, walking costs no extra steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dressed_samples import ball_body
from toile._kernels import SurfaceTree, skin_travel
from toile.core.records import LIMBS, Body, Contacts, Floats, PosedBody, State
from toile.garment.shapes import flat_position, square_cloth
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.frame.advance import advance_frame, body_steps
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver


def limb(thickness: float, name: str = "left_forearm") -> Body:
    """Return a flat ball, 30 cm high and wide, that lies at the origin; its thin way is z."""
    ball = ball_body(0.15)
    vertices = (ball.vertices - [0, 1, 0]) * [1, 1, thickness / 0.3]
    return replace(ball, vertices=vertices, limb=np.full(len(vertices), LIMBS.index(name)))


def posed(body: Body, at: Floats, velocity: Floats) -> PosedBody:
    return PosedBody(body, body.vertices + at, np.tile(velocity, (len(body.vertices), 1)), np.eye(4)[None])


@pytest.mark.parametrize(("name", "thickness"), [("left_forearm", 0.08), ("left_hand", 0.03)])
def test_a_limb_at_3_metres_a_second_and_24_frames_does_not_pass_through(name: str, thickness: float) -> None:
    body, dt, speed = limb(thickness, name), 1 / 24, np.array([0.0, 0.0, 3.0])
    garment = square_cloth(24, 24, 0.6, 0.6)
    flat = flat_position(garment)
    position = np.stack([flat[:, 0] - 0.3, flat[:, 1] - 0.3, np.full(len(flat), 0.20)], axis=1)
    solver, collider = XpbdSolver(garment, XpbdSettings()), SurfaceCollider(body)
    state = State(position, np.zeros_like(position))
    before = posed(body, np.zeros(3), speed)
    tree = SurfaceTree(body.triangles, body.vertices)
    for frame in range(1, 5):
        after = posed(body, frame * dt * speed, speed)
        state = advance_frame(solver, collider, state, before, after, dt, gravity=np.zeros(3))
        before = after
        tree.refit(after.vertices)
        assert not (tree.winding(state.position) > 0).any()
    # the limb has gone 50 cm, far beyond where the sheet was: it carries the sheet before it
    middle = np.linalg.norm(flat - 0.3, axis=1) < 0.05
    assert (state.position[middle, 2] > after.vertices[:, 2].max() - 0.01).all()


def test_cloth_that_travels_with_the_body_needs_no_extra_steps() -> None:
    body = limb(0.2, "torso")
    speed = np.array([0.0, 0.0, 1.4])
    before, after = posed(body, np.zeros(3), speed), posed(body, speed / 60, speed)
    cloth = np.array(body.vertices) * 1.05
    along, still = State(cloth, np.tile(speed, (len(cloth), 1))), State(cloth, np.zeros_like(cloth))
    assert body_steps(before, after, along, 1 / 60)[0] == 1
    assert body_steps(before, after, still, 1 / 60)[0] == 2
    far = State(cloth + np.array([0.0, 3.0, 0.0]), np.zeros_like(cloth))
    assert body_steps(before, after, far, 1 / 60)[0] == 1


class Counted(SurfaceCollider):
    """Counts how often the skin is searched."""

    searched = 0

    def ask(self, body: PosedBody, position: Floats) -> Contacts:
        """Search."""
        self.searched += 1
        return super().ask(body, position)


def test_a_fast_hand_is_searched_for_where_it_is_and_slow_limbs_once_a_frame() -> None:
    """A hand swings past a sheet on a slow belly: 28 mm a frame are two or three updates, one search."""
    belly, hand = limb(0.3, "torso"), limb(0.03, "left_hand")
    count = len(belly.vertices)
    limbs = np.concatenate([belly.limb, hand.limb])
    both = replace(
        belly,
        vertices=np.concatenate([belly.vertices, hand.vertices * [0.4, 0.4, 1.0] + [0.0, -0.2, 0.2]]),
        triangles=np.concatenate([belly.triangles, hand.triangles + count]),
        limb=limbs,
        weight_joint=np.zeros((2 * count, 1), np.int32),
        weight=np.ones((2 * count, 1)),
    )
    garment = square_cloth(36, 36, 0.54, 0.54)
    flat = flat_position(garment)
    position = np.stack([flat[:, 0] - 0.27, flat[:, 1] - 0.27, np.full(len(flat), 0.155)], axis=1)
    collider, solver = Counted(both), XpbdSolver(garment, XpbdSettings(substep=1 / 960))
    state, dt = State(position, np.zeros_like(position)), 1 / 60
    swing = np.where(np.arange(2 * count)[:, None] < count, [0.0, 0.0, 0.0], [0.0, 0.9, -1.4])
    place, before = both.vertices, PosedBody(both, both.vertices, swing, np.eye(4)[None])
    tree = SurfaceTree(both.triangles, both.vertices)
    for frame in range(1, 7):
        after = PosedBody(both, place + min(frame, 3) * dt * swing, swing, np.eye(4)[None])
        steps = body_steps(before, after, state, dt)
        assert steps.broad == 1
        collider.searched = 0
        state = advance_frame(solver, collider, state, before, after, dt, gravity=np.array([0.0, 0.0, -9.81]))
        assert collider.searched == 1
        if frame <= 3:
            assert steps.searches in (2, 3)
            assert len(steps.near_thin) == 1
        before = after
        tree.refit(after.vertices)
        assert not (tree.winding(state.position) > 0).any()
    # the hand has gone 4 cm beyond where the sheet was: it has pushed the sheet before it
    assert after.vertices[count:, 2].min() < 0.12
    assert state.position[:, 2].min() < 0.115


def test_slow_skin_is_searched_once_a_frame_and_followed_as_if_searched() -> None:
    """A ball lifts a sheet: as far as it is from cloth that searches the skin at every look."""
    body, garment = limb(0.3, "torso"), square_cloth(16, 16, 0.4, 0.4)
    flat = flat_position(garment)
    position = np.stack([flat[:, 0] - 0.2, flat[:, 1] - 0.2, np.full(len(flat), 0.16)], axis=1)
    found = {}
    for often in (False, True):
        collider = Counted(body)
        if often:
            collider.follows = False
        # as many substeps either way: by stretch they are chosen once a step
        state = State(position, np.zeros_like(position))
        solver = XpbdSolver(garment, XpbdSettings(substep=1 / 960))
        before = posed(body, np.zeros(3), np.zeros(3))
        for frame in range(1, 5):
            after = posed(body, np.array([0.0, 0.002 * frame, 0.005 * frame]), np.array([0.0, 0.12, 0.3]))
            state = advance_frame(
                solver, collider, state, before, after, 1 / 60, gravity=np.array([0.0, 0.0, -9.81])
            )
            before = after
        found[often] = state.position
        assert collider.searched == (8 if often else 4)
        tree = SurfaceTree(body.triangles, after.vertices)
        assert not (tree.winding(state.position) > 0).any()
    assert np.linalg.norm(found[True] - found[False], axis=1).max() < 0.001


@pytest.mark.parametrize("count", [400, 9000])
def test_the_way_of_the_skin_is_that_of_near_skin_against_the_cloth(count: int) -> None:
    generator = np.random.default_rng(5)
    dt, near = 0.02, 0.05
    before = generator.uniform(-1, 1, (count, 3))
    after = before + generator.normal(0, 0.02, (count, 3))
    # limb after limb, so that one thread does not meet all of them
    thin = np.sort(generator.integers(-1, 3, count)).astype(np.int32)
    # limb 2 lies in the box of the cloth, but all cloth is far from it
    before[thin == 2], after[thin == 2] = [0.9, 0.0, 0.0], [0.9, 0.2, 0.0]
    position = generator.uniform(-0.6, 0.6, (301, 3))
    position[0] = [1.0, 0.9, 0.9]
    velocity = generator.normal(0.5, 0.1, (301, 3))
    low, high = position.min(axis=0) - near, position.max(axis=0) + near
    boxed = ((before > low) & (before < high)).all(axis=1) | ((after > low) & (after < high)).all(axis=1)
    way = np.linalg.norm(after - before - dt * np.median(velocity, axis=0), axis=1)
    for limb in range(3):
        of = boxed & (thin == limb)
        reach = np.concatenate([before[of], after[of]])
        inside = (position > reach.min(axis=0) - near) & (position < reach.max(axis=0) + near)
        boxed[of] = inside.all(axis=1).any()
    assert not boxed[thin == 2].any()
    limbs, numbers = thin + 1, np.arange(-1, 3, dtype=np.int32)
    *found, speed, _ = skin_travel(before, after, limbs, numbers, position, velocity, dt, near)
    np.testing.assert_allclose(speed, (after - before) / dt, rtol=0, atol=1e-12)
    assert found == pytest.approx([way[boxed & (thin < 0)].max(), way[boxed & (thin >= 0)].max()], abs=1e-15)
