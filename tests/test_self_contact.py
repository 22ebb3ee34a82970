"""Cloth against cloth: nothing passes through, friction grips, momentum is kept, layers keep their order."""

from __future__ import annotations

import numpy as np
import pytest

from toile._kernels import SelfContact as Kernel
from toile._kernels import SurfaceTree, meeting_pairs_self, set_thread_count
from toile.collision.self_contact import SelfContact, SelfContactSettings
from toile.errors import ToileError
from toile.garment.outfit import join
from toile.garment.shapes import square_cloth
from toile.types import Floats, Garment, State


def sheets(gap: float, cells: int = 10) -> tuple[Garment, Floats]:
    """Return two squares of 1.5 cm cells one above the other, normals up, slightly out of step."""
    one = square_cloth(cells, cells, 0.015 * cells, 0.015 * cells)
    flat = np.stack([one.uv[:, 0], np.zeros(len(one.uv)), -one.uv[:, 1]], axis=1)
    return join([one, one]), np.concatenate([flat, flat + np.array([0.004, gap, 0.003])])


def crossings(garment: Garment, position: Floats) -> int:
    return int(meeting_pairs_self(SurfaceTree(garment.triangles, position))[0])


def still(position: Floats) -> State:
    return State(position=position, velocity=np.zeros_like(position))


def test_a_sheet_does_not_fall_through_another() -> None:
    garment, position = sheets(0.004)
    upper = np.repeat([0.0, 1.0], len(position) // 2)[:, None]
    contact = SelfContact(garment, inverse_mass=upper[:, 0].copy())  # the lower sheet is held
    state, dt = still(position), 1 / 120
    for _ in range(60):
        velocity = state.velocity + dt * np.array([0.0, -9.81, 0.0]) * upper
        moved = State(position=state.position + dt * velocity, velocity=velocity)
        state = contact.keep_apart(state, moved)
        assert crossings(garment, state.position) == 0
    # nothing holds the particles together: what hangs over the border of the lower sheet falls on
    over = np.abs(position - position[: len(position) // 2].mean(axis=0))[:, [0, 2]].max(axis=1) < 0.05
    over &= upper[:, 0] > 0
    assert state.position[over, 1].min() > 0.0015
    assert np.median(state.position[over, 1]) < 0.003
    assert np.median(np.abs(state.velocity[over])) < 0.1


def test_folded_cloth_stays_apart_and_momentum_is_kept() -> None:
    # one sheet folded over, the upper half pressed down on the lower one
    cloth = square_cloth(24, 6, 0.36, 0.09)
    s = cloth.uv[:, 0] - 0.18
    bend = 0.006
    turn = np.clip(s / bend, -np.pi / 2, np.pi / 2)
    position = np.stack(
        [
            bend * np.cos(turn) - np.maximum(np.abs(s) - bend * np.pi / 2, 0),
            bend * np.sin(turn),
            cloth.uv[:, 1],
        ],
        axis=1,
    )
    contact = SelfContact(cloth, SelfContactSettings(friction=0.0, radius=0.015))
    velocity = np.zeros_like(position)
    velocity[:, 1] = np.where((s > 0) & (np.abs(s) > 0.03), -0.3, 0.0)
    state, dt = State(position=position, velocity=velocity), 1 / 120
    assert crossings(cloth, position) == 0
    for _ in range(8):
        moved = State(position=state.position + dt * state.velocity, velocity=state.velocity)
        state = contact.keep_apart(state, moved)
    assert crossings(cloth, state.position) == 0
    np.testing.assert_allclose(state.velocity.sum(axis=0), velocity.sum(axis=0), atol=1e-9)


def test_friction_drags_along_what_is_pressed_on() -> None:
    garment, position = sheets(0.002)
    half = len(position) // 2
    velocity = np.zeros_like(position)
    velocity[half:] = [0.3, -1.0, 0.0]
    results = []
    for friction in (0.0, 2.0):
        contact = SelfContact(garment, SelfContactSettings(friction=friction))
        moved = State(position=position + velocity / 120, velocity=velocity.copy())
        results.append(contact.keep_apart(still(position), moved).velocity[:half, 0].mean())
    assert abs(results[0]) < 0.05
    assert results[1] > abs(results[0]) + 0.03


def test_layers_force_the_side() -> None:
    # the outer sheet starts below the inner one: pairs push it up, not back down
    garment, position = sheets(-0.001)
    layer = np.repeat([0, 1], len(position) // 2).astype(np.int32)
    kernel = Kernel(garment.triangles, len(position), layer)
    velocity = np.zeros_like(position)
    before = position.copy()
    for _ in range(8):
        kernel.resolve(before, position, velocity)
        before = position.copy()
    half = len(position) // 2
    inner = np.abs(position[half:, 0] - 0.08) < 0.04
    assert np.median(position[half:][inner, 1]) > np.median(position[:half, 1])


def test_a_sleeve_lies_outside_the_front_of_the_garment_above() -> None:
    # from the trunk outward: shirt, coat, and the shirt's sleeve, which faces the trunk
    one = square_cloth(10, 10, 0.15, 0.15)
    flat = np.stack([one.uv[:, 0], np.zeros(len(one.uv)), -one.uv[:, 1]], axis=1)
    shift = np.array([[0.0, 0.0, 0.0], [0.004, 0.0025, 0.003], [0.002, 0.005, 0.001]])
    position = (flat + shift[:, None]).reshape(-1, 3)
    triangles = np.array(join([one, one, one]).triangles)
    triangles[-len(one.triangles) :] = triangles[-len(one.triangles) :, ::-1]
    kernel = Kernel(triangles, len(position), np.repeat([0, 1, 0], len(flat)).astype(np.int32))
    start = position.copy()
    kernel.resolve(start, position, np.zeros_like(position))
    np.testing.assert_array_equal(position, start)


def test_far_cloth_is_left_alone_and_threads_change_nothing() -> None:
    garment, position = sheets(0.05)
    after = State(position=position.copy(), velocity=np.zeros_like(position))
    assert SelfContact(garment).keep_apart(still(position), after) is after
    garment, position = sheets(0.001, 40)
    rng = np.random.default_rng(0)
    end = position + rng.normal(0, 1e-3, position.shape)
    results = []
    for threads in (1, 2, 8):
        set_thread_count(threads)
        moved = State(position=end.copy(), velocity=np.zeros_like(position))
        results.append(SelfContact(garment).keep_apart(still(position), moved).position)
    set_thread_count(0)
    assert not np.array_equal(results[0], end)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_untangle_reports_what_it_did() -> None:
    garment, position = sheets(0.002)
    position[5 * 11 + 5, 1] += 0.006
    contact = SelfContact(garment)
    state, report = contact.untangle(still(position))
    assert report.cloth_before > 0
    assert report.cloth_after == 0
    assert 0 < report.moved < 0.01
    assert crossings(garment, state.position) == 0
    same, report = contact.untangle(state)
    assert same is state
    assert report.rounds == 0


def test_silly_settings_and_arrays_are_refused() -> None:
    with pytest.raises(ToileError, match="thickness"):
        SelfContactSettings(thickness=0.01, radius=0.005)
    with pytest.raises(ToileError, match="sweeps"):
        SelfContactSettings(sweeps=0)
    garment, position = sheets(0.01)
    kernel = Kernel(garment.triangles, len(position))
    velocity = np.zeros_like(position)
    with pytest.raises(ValueError, match="one row per particle"):
        kernel.resolve(position, position[1:].copy(), velocity)
    with pytest.raises(ValueError, match="NaN"):
        kernel.resolve(position, np.full_like(position, np.nan), velocity)
    with pytest.raises(IndexError):
        Kernel(garment.triangles, 5)
    with pytest.raises(ValueError, match="layer"):
        Kernel(garment.triangles, len(position), np.zeros(3, np.int32))
