"""The default engine against skin and against cloth: friction, order, stacks, folds of the body."""

from dataclasses import replace

import numpy as np
import pytest

from cloth_samples import COTTON, DOUBLE, edge_stretch, empty_space, lying, sheet, slope
from toile.core.records import Contacts, Floats, Garment, Scene, State
from toile.garment.outfit import join, layered
from toile.garment.shapes import flat_position, square_cloth
from toile.sim.solvers.constraints import cloth_distance
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver


@pytest.mark.parametrize(("friction", "angle"), [(0.3, 0.25), (0.3, 0.5), (0.0, 0.2)])
def test_incline_slips_as_coulomb_says(friction: float, angle: float) -> None:
    # slips iff tan α > μ; then x = ½ g (sin α - μ cos α) t²
    garment = sheet(5, 5, 0.04, 0.04, replace(COTTON, friction=friction))
    settings = replace(DOUBLE, thickness=0.0)
    down = np.array([np.cos(angle), -np.sin(angle), 0.0])
    x = garment.uv[:, :1] * down + garment.uv[:, 1:] * np.array([0.0, 0.0, 1.0])
    solver, state = XpbdSolver(garment, settings), State(x, np.zeros_like(x))
    for _ in range(30):
        state = solver.step(state, slope(angle), 1 / 60)
    travelled = ((state.position - x) @ down).mean()
    push = np.sin(angle) - friction * np.cos(angle)
    expected = 0.5 * 9.81 * max(push, 0.0) * 0.5**2
    assert travelled == pytest.approx(expected, rel=0.02, abs=1e-6)


def test_cloth_slides_where_skin_grips_less_and_holds_again_after() -> None:
    angle = 0.25  # tan α < μ: holds
    garment = sheet(5, 5, 0.04, 0.04, replace(COTTON, friction=0.4))
    down = np.array([np.cos(angle), -np.sin(angle), 0.0])
    x = garment.uv[:, :1] * down + garment.uv[:, 1:] * np.array([0.0, 0.0, 1.0])
    holds = slope(angle)

    def slippery(position: Floats) -> Contacts:
        return replace(holds.contacts(position), grip=np.zeros(len(position)))

    solver = XpbdSolver(garment, replace(DOUBLE, thickness=0.0))
    still = solver.step(State(x, np.zeros_like(x)), holds, 1 / 60)
    slid = solver.step(still, replace(holds, contacts=slippery), 1 / 60)
    held = solver.step(State(slid.position, np.zeros_like(x)), holds, 1 / 60)
    way = [((b.position - a.position) @ down).mean() for a, b in ((still, slid), (slid, held))]
    # x = ½ g sin α t² without friction; n Euler steps make it (n + 1) / n of that
    assert way[0] == pytest.approx(1.1 * 0.5 * 9.81 * np.sin(angle) / 3600, rel=1e-3)
    assert abs(way[1]) < 0.01 * way[0]


def test_layers_that_start_crossed_come_apart() -> None:
    inner, outer = sheet(12, 12, 0.1, 0.1), sheet(12, 12, 0.1, 0.1)
    both = layered(join([inner, outer]))
    flip = np.array(
        [1.0, -1.0, -1.0]
    )  # triangles of `sheet` face down when it lies; turned over they face up
    x = np.concatenate([lying(inner), lying(outer)]) * flip
    x[144:, 1] = -0.002 + 0.004 * (x[144:, 0] / 0.1)  # the outer sheet dips below the inner one
    solver = XpbdSolver(both, XpbdSettings(contact_queries=1))
    state = State(x, np.zeros_like(x))
    for _ in range(30):
        state = solver.step(state, empty_space(0.0), 1 / 60)
    gap = state.position[144:, 1] - state.position[:144, 1]
    assert gap.min() > 0.002


def test_cloth_upon_cloth_upon_skin_keeps_its_order() -> None:
    # two sheets of one garment under a heavy load: without stacked planes both end up on the skin
    one = square_cloth(8, 8, 0.12, 0.12)
    flat = flat_position(one)
    low = np.stack([flat[:, 0], np.full(len(flat), 0.004), -flat[:, 1]], axis=1)
    both = replace(join([one, one]), garment_layer=np.zeros(2, np.int32))
    position = np.concatenate([low, low + np.array([0.003, 0.004, 0.002])])
    settings = XpbdSettings()
    solver = XpbdSolver(both, settings)
    floor = np.tile([0.0, 1.0, 0.0], (2 * len(flat), 1))

    def skin(x: Floats) -> Contacts:
        return Contacts(np.arange(len(x), dtype=np.int32), x[:, 1].copy(), floor, np.zeros_like(x))

    state = State(position, np.zeros_like(position))
    for _ in range(10):
        state = solver.step(state, Scene(None, skin, np.array([0.0, -400.0, 0.0]), np.zeros(3)), 1 / 60)
    lower, upper = state.position[: len(flat), 1], state.position[len(flat) :, 1]
    assert lower.min() > settings.thickness - 0.0005
    assert upper.min() > settings.thickness + settings.cloth_thickness - 0.0005


def after_a_moment(one: Garment, position: Floats) -> Floats:
    """Return where two like sheets are after three frames without weight over a floor of skin."""
    both = replace(join([one, one]), garment_layer=np.zeros(2, np.int32))
    floor = np.tile([0.0, 1.0, 0.0], (len(position), 1))

    def skin(x: Floats) -> Contacts:
        near = np.flatnonzero(x[:, 1] < 0.02).astype(np.int32)
        return Contacts(near, x[near, 1].copy(), floor[near], np.zeros((len(near), 3)))

    solver, state = XpbdSolver(both, XpbdSettings()), State(position, np.zeros_like(position))
    for _ in range(3):
        state = solver.step(state, Scene(None, skin, np.zeros(3), np.zeros(3)), 1 / 60)
    return state.position


def test_two_sheets_on_a_slope_that_are_far_enough_apart_stay_where_they_are() -> None:
    # a fold of a pleat: measured along the skin's normal its sheets are nearer than they are
    one, slope = square_cloth(8, 8, 0.12, 0.12), np.radians(40)
    flat = flat_position(one)
    low = np.stack([np.cos(slope) * flat[:, 0], 0.005 + np.sin(slope) * flat[:, 0], -flat[:, 1]], axis=1)
    off = 0.0021 * np.array([-np.sin(slope), np.cos(slope), 0.0])
    position = np.concatenate([low, low + off])
    assert np.abs(after_a_moment(one, position) - position).max() < 2e-5


def test_a_stack_rises_less_and_less_the_steeper_it_is() -> None:
    # all or nothing, a fold that stands at the angle in between is lifted, tilts, falls back and is lifted
    one, up = square_cloth(6, 6, 0.1, 0.1), np.array([0.0, 1.0, 0.0])
    flat, both = flat_position(one), replace(join([one, one]), garment_layer=np.zeros(2, np.int32))

    def rise(cosine: float) -> float:
        """Return how far the upper of two sheets rises, 1 mm apart, each as far from the skin as it may."""
        sine = np.sqrt(1 - cosine**2)
        low = np.stack([cosine * flat[:, 0], sine * flat[:, 0], -flat[:, 1]], axis=1)
        start = np.concatenate([low, low + 0.001 * np.array([-sine, cosine, 0.0])])
        points, normal = np.arange(len(start), dtype=np.int32), np.tile(up, (len(start), 1))

        def skin(x: Floats) -> Contacts:
            return Contacts(points, 0.004 + (x - start) @ up, normal, np.zeros_like(x))

        solver = XpbdSolver(both, XpbdSettings(contact_queries=1, substep=1 / 2400))
        still = State(start, np.zeros_like(start))
        end = solver.step(still, Scene(None, skin, np.zeros(3), np.zeros(3)), 1 / 60)
        return float((end.position - start)[len(flat) :, 1].mean())

    rises = np.array([rise(cosine) for cosine in np.arange(0.5, 0.9, 0.01)])
    assert rises[0] < 0.00045
    assert rises[-1] > 0.0008
    assert np.abs(np.diff(rises)).max() < 0.0001


def test_cloth_that_rises_steeply_beside_cloth_on_the_skin_stays_where_it_is() -> None:
    # its lowest row lies on the skin just beyond the border of the other sheet, whose edge it clears by 2 mm
    one = square_cloth(8, 8, 0.12, 0.12)
    flat = flat_position(one)
    low = np.stack([flat[:, 0], np.full(len(flat), 0.004), -flat[:, 1]], axis=1)
    slope = np.radians(24)
    up = np.stack([-np.cos(slope) * flat[:, 0], np.sin(slope) * flat[:, 0], -flat[:, 1]], axis=1)
    position = np.concatenate([low, up + np.array([0.1255, 0.0041, 0.004])])
    assert np.abs(after_a_moment(one, position) - position).max() < 2e-4


def test_between_two_fabrics_the_mean_of_their_thickness_is_kept() -> None:
    inner, outer = sheet(8, 8, 0.12, 0.12), sheet(8, 8, 0.12, 0.12)
    outer = replace(outer, fabrics=tuple(replace(f, thickness=0.006) for f in outer.fabrics))
    both = layered(join([inner, outer]))
    settings = XpbdSettings(cloth_thickness=0.002)
    x = np.concatenate([lying(inner), lying(outer)]) * [1.0, -1.0, -1.0]
    x[64:] += [0.002, 0.001, 0.003]
    solver, state = XpbdSolver(both, settings), State(x, np.zeros_like(x))
    np.testing.assert_allclose(cloth_distance(both, 0.002)[[0, -1]], [0.002, 0.006], atol=1e-4)
    state = solver.step(state, empty_space(0.0), 1 / 60)
    gap = state.position[64:, 1] - state.position[:64, 1]
    assert gap.min() > 0.0035
    assert np.median(gap) < 0.006


@pytest.mark.parametrize("quality", ["draft", "normal", "fine"])
def test_cloth_in_a_closing_fold_slips_out_of_its_mouth(quality: str) -> None:
    # two skins meet at the top of a narrow wedge and overlap by 2 mm there, as in an armpit
    one = square_cloth(6, 6, 0.05, 0.05)
    flat = flat_position(one)
    position = np.stack([np.zeros(len(flat)), flat[:, 1] - flat[:, 1].max() - 0.004, flat[:, 0]], axis=1)
    tilt = np.radians(10)
    walls = np.array([[np.cos(tilt), -np.sin(tilt), 0.0], [-np.cos(tilt), -np.sin(tilt), 0.0]])

    def skin(x: Floats) -> Contacts:
        particle = np.repeat(np.arange(len(x)), 2).astype(np.int32)
        return Contacts(
            particle, (x @ walls.T - 0.001).ravel(), np.tile(walls, (len(x), 1)), np.zeros((2 * len(x), 3))
        )

    assert skin(position).gap.min() < 0
    solver = XpbdSolver(one, XpbdSettings(quality=quality))
    state = State(position, np.zeros_like(position))
    for _ in range(20):
        state = solver.step(state, Scene(None, skin, np.zeros(3), np.zeros(3)), 1 / 60)
    assert skin(state.position).gap.min() > 0.001
    assert state.position[:, 1].max() > -0.08
    assert edge_stretch(one, state.position).max() < 0.05


def test_thick_fabric_keeps_farther_from_skin() -> None:
    heights = []
    for thickness in (0.0005, 0.005):
        one = square_cloth(4, 4, 0.1, 0.1)
        one = replace(one, fabrics=tuple(replace(f, thickness=thickness) for f in one.fabrics))
        flat = flat_position(one)
        position = np.stack([flat[:, 0], np.full(len(flat), 0.01), -flat[:, 1]], axis=1)

        def skin(x: Floats) -> Contacts:
            up = np.tile([0.0, 1.0, 0.0], (len(x), 1))
            return Contacts(np.arange(len(x), dtype=np.int32), x[:, 1].copy(), up, np.zeros_like(x))

        solver, state = XpbdSolver(one, XpbdSettings()), State(position, np.zeros_like(position))
        for _ in range(12):
            state = solver.step(state, Scene(None, skin, np.array([0.0, -9.81, 0.0]), np.zeros(3)), 1 / 60)
        heights.append(state.position[:, 1].mean())
    np.testing.assert_allclose(heights, [0.004, 0.006], atol=2e-4)
