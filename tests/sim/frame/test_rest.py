"""Cloth on a body that stands still does not tremble where it has to be repaired in every frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar
from weakref import proxy

import numpy as np
import pytest

import toile
from toile import _kernels, named_body
from toile._kernels import Rest, SurfaceTree, meeting_pairs_self
from toile._kernels import stands_still as skin_stands_still
from toile.audit.check import STILL
from toile.body.model.skin import rest_pose
from toile.core.records import Bools, Floats, Garment, PosedBody, Recording, Scene, State
from toile.garment.outfit import join
from toile.garment.shapes import square_cloth
from toile.motion.track import still
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.method import Method
from toile.sim.solvers.table import SOLVERS
from toile.sim.solvers.xpbd import BRISK, STICKING, XpbdSettings, XpbdSolver
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.walker import AnimateSettings, Plan, Stepper, Walker, scene_arrays

CELLS = 8
GAP = 0.002
DT = 1 / 60


@pytest.fixture(scope="module")
def body() -> PosedBody:
    return rest_pose(named_body("woman"))


def sheets(gap: float = GAP) -> tuple[Garment, State]:
    """Return two squares of 1.5 cm cells one above the other, far from everybody, at rest."""
    one = square_cloth(CELLS, CELLS, 0.015 * CELLS, 0.015 * CELLS)
    flat = np.stack([one.uv[:, 0] + 2.0, np.zeros(len(one.uv)), -one.uv[:, 1]], axis=1)
    position = np.concatenate([flat, flat + np.array([0.004, gap, 0.003])])
    return join([one, one]), State(position, np.zeros_like(position))


def moved(state: State, way: Floats) -> State:
    return State(state.position + way, np.tile(way / DT, (len(state.position), 1)), state.time + DT)


def through(end: State, repaired: Bools) -> Floats:
    """Return where the solver left cloth that had to be repaired: through the other sheet by far."""
    return end.position - np.where(repaired[:, None], (0.0, 40 * GAP, 0.0), 0.0)


class Resting:
    """The engine's rest of one garment over a body that stands."""

    def __init__(self, garment: Garment, start: State, body: PosedBody) -> None:
        label = np.arange(garment.particle_count, dtype=np.int32)
        self._rest = Rest(garment.triangles, label, start.position, SurfaceCollider(body.body).skin)

    def stay(self, start: State, end: State, free: Floats, body: PosedBody, dt: float) -> State:
        found = self._rest.stay(start.position, end.position, end.velocity, free, body.vertices, dt)
        return end if found is None else State(*found, end.time)

    def asleep(self, start: State, end: State, before: PosedBody, after: PosedBody, dt: float) -> bool:
        return self._rest.asleep(start.position, end.position, before.vertices, after.vertices, dt)


def rest(garment: Garment, start: State, body: PosedBody) -> Resting:
    return Resting(garment, start, body)


def stands_still(before: PosedBody, after: PosedBody) -> bool:
    return bool(skin_stands_still(before.vertices, after.vertices))


def test_what_had_to_be_repaired_stays_where_it_was(body: PosedBody) -> None:
    garment, start = sheets()
    repaired = np.zeros(garment.particle_count, dtype=bool)
    repaired[-20:] = True
    end = moved(start, np.array([0.0, 0.0003, 0.0]))
    state = rest(garment, start, body).stay(start, end, through(end, repaired), body, DT)
    np.testing.assert_array_equal(state.position[repaired], start.position[repaired])
    np.testing.assert_array_equal(state.position[~repaired], end.position[~repaired])
    assert not state.velocity[repaired].any()
    assert state.time == end.time


def test_what_had_to_be_repaired_goes_on_until_it_touches(body: PosedBody) -> None:
    # a fold that was left crumpled pulled at the cloth round it for ever
    garment, start = sheets()
    middle = np.zeros((2, CELLS + 1, CELLS + 1), dtype=bool)
    middle[1, 3:-3, 3:-3] = True
    some = middle.ravel()
    end = moved(start, np.array([0.0, 0.0003, 0.0]))
    kept = rest(garment, start, body)
    for far, part in ((1.5, 0.5), (3.0, 0.25), (6.0, 0.125), (12.0, 0.0)):
        free = start.position - np.where(some[:, None], (0.0, far * GAP, 0.0), 0.0)
        state = kept.stay(start, end, free, body, DT)
        want = start.position + part * (free - start.position)
        np.testing.assert_allclose(state.position[some], want[some], rtol=0, atol=1e-15)
        assert not state.velocity[some].any()
        assert not meeting_pairs_self(SurfaceTree(garment.triangles, state.position))[0]


def test_nothing_crosses_because_something_stayed(body: PosedBody) -> None:
    garment, start = sheets(0.0001)
    repaired = np.zeros(garment.particle_count, dtype=bool)
    inner = (CELLS + 1) ** 2 + (CELLS // 2) * (CELLS + 2)
    repaired[inner] = True
    # the lower one rises, through what stays above it
    end = moved(start, np.array([0.0, 0.0003, 0.0]))
    state = rest(garment, start, body).stay(start, end, through(end, repaired), body, DT)
    kept = (state.position == start.position).all(axis=1)
    assert kept[inner]
    assert 1 < kept.sum() < len(kept)
    assert not meeting_pairs_self(SurfaceTree(garment.triangles, state.position))[0]


def test_moving_cloth_and_clean_cloth_go_on(body: PosedBody) -> None:
    garment, start = sheets()
    kept, some = rest(garment, start, body), np.arange(garment.particle_count) >= garment.particle_count - 5
    swings = moved(start, np.array([0.0, 1.01 * BRISK * DT, 0.0]))
    assert kept.stay(start, swings, through(swings, some), body, DT) is swings
    # what the repair throws about does not count
    slow = moved(start, np.array([0.0, 0.0002, 0.0]))
    thrown = State(slow.position + 0.1 * some[:, None], slow.velocity, slow.time)
    stayed = kept.stay(start, thrown, through(slow, some), body, DT)
    np.testing.assert_array_equal(stayed.position[some], start.position[some])
    gone_on = kept.stay(start, slow, slow.position, body, DT)
    np.testing.assert_array_equal(gone_on.position, slow.position)
    np.testing.assert_array_equal(gone_on.velocity, slow.velocity)


def test_cloth_that_hardly_moves_falls_asleep(body: PosedBody) -> None:
    garment, start = sheets()
    cloth = rest(garment, start, body)

    def asleep(way: float, after: PosedBody = body, first: State = start) -> bool:
        return cloth.asleep(first, moved(first, np.array([0.0, way, 0.0])), body, after, DT)

    assert asleep(0.99 * STICKING * DT**2)
    assert not asleep(1.01 * STICKING * DT**2)
    # one particle alone moves
    shifted = start.position.copy()
    shifted[0, 1] += 1.01 * STILL
    assert not cloth.asleep(start, State(shifted, start.velocity), body, body, DT)
    # skin that creeps would come through cloth that does not notice
    assert not asleep(1e-6, replace(body, vertices=body.vertices + 1e-6))
    # what crosses when the frame begins is not kept
    crossing = start.position.copy()
    crossing[-1, 1] -= 2 * GAP
    assert not asleep(1e-6, first=State(crossing, start.velocity))


def test_a_breath_is_not_standing_still(body: PosedBody) -> None:
    assert stands_still(body, replace(body, vertices=body.vertices + 1e-6))
    breath = body.vertices.copy()
    breath[0] += 0.0001
    assert not stands_still(body, replace(body, vertices=breath))


def test_a_dressed_body_that_stands_costs_nothing_and_wakes_up() -> None:
    body = toile.named_body("woman")
    dressed = toile.dress([toile.draft("skirt", body.measurements)], body, edge_length=0.03)
    stands = AnimateSettings(fps=60, seconds=4.0, lead=0.0)
    plan = plan_walk(dressed, body, still(body, 60.0), settings=stands)

    def walked(plan: Plan, first: int = 0, state: State | None = None) -> Iterator[State]:
        walker = Walker(dressed.garment, body, plan)
        if state is not None:
            walker.go_to(first - 1, state)
        while walker.number < stands.frame_count:
            yield walker.step().state

    states = list(walked(plan))
    asleep = [not state.velocity.any() for state in states]
    first = len(asleep) - asleep[::-1].index(False)
    assert first < len(asleep) - 60
    assert all(s.position is states[first + 1].position for s in states[first + 2 :])
    # who goes on from a frame computes what was left out before, and finds the same
    for state, same in zip(walked(plan, first + 5, states[first + 4]), states[first + 5 :], strict=True):
        np.testing.assert_array_equal(state.position, same.position)
        assert state.time == same.time
    windy = list(walked(plan.with_wind(first + 30, np.array([3.0, 0.0, 0.0]))))
    np.testing.assert_array_equal(windy[first + 29].position, states[first + 29].position)
    assert np.abs(windy[first + 40].position - states[-1].position).max() > 0.001


@pytest.fixture(scope="module")
def coarse() -> Recording:
    """A T-shirt with edges of 3 cm: the repair moves some of its vertices in every frame."""
    woman = toile.named_body("woman")
    return toile.dress([toile.draft("tshirt", woman.measurements)], woman, edge_length=0.03)


def standing(dressed: Recording, seconds: float, method: Method | None = None) -> Walker:
    """Return a walker that stands for so long."""
    assert dressed.body is not None
    stands = AnimateSettings(fps=60, seconds=seconds, lead=0.0)
    track = still(dressed.body, 60.0)
    return Walker(
        dressed.garment, dressed.body, plan_walk(dressed, dressed.body, track, settings=stands, method=method)
    )


def test_cloth_round_what_stays_comes_to_rest(coarse: Recording) -> None:
    # what stays shook the rest for ever
    def walked(first: int = 0, state: State | None = None) -> list[State]:
        walker = standing(coarse, 4.0)
        if state is not None:
            walker.go_to(first - 1, state)
        return [walker.step().state for _ in range(first, 240)]

    states = walked()
    assert not states[-1].velocity.any()
    assert states[10].velocity.any()
    # what stays is found anew in every frame
    for state, same in zip(walked(11, states[10]), states[11:], strict=True):
        np.testing.assert_array_equal(state.position, same.position)


@pytest.mark.parametrize("edge", [0.035, 0.04])
def test_knocked_cloth_comes_to_rest(edge: float) -> None:
    # folds that were crumpled when it became slow shook nine tenths of it for ever, and sides of 4 cm that
    # lay in the arm, from which the repair lifted them in every frame
    woman = toile.named_body("woman")
    dressed = toile.dress([toile.draft("tshirt", woman.measurements)], woman, edge_length=edge)
    walker = standing(dressed, 4.0)
    knock = np.array([0.5, 0.0, 0.15]) + np.random.default_rng(1).normal(0, 0.2, walker.state.position.shape)
    walker.go_to(-1, replace(walker.state, velocity=knock))
    for _ in range(240):
        state = walker.step().state
    assert not state.velocity.any()


class Flinging(XpbdSolver):
    """The default solver; the one that computes a frame again round what stays flings a particle up."""

    made: ClassVar[list[Flinging]] = []
    flung = 0

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.made.append(self)

    def step(self, state: State, scene: Scene, dt: float) -> State:
        end = super().step(state, scene, dt)
        if self is self.made[0]:
            return end
        self.flung += 1
        position = end.position.copy()
        position[np.argmax(position[:, 1])] += (0.0, 0.4, 0.0)
        return State(position, end.velocity, end.time)


def test_cloth_that_is_thrown_about_by_what_stays_is_left(
    coarse: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a vertex of a skirt between some that stayed was flung across the room and back
    monkeypatch.setitem(SOLVERS, "flinging", (Flinging, XpbdSettings))
    monkeypatch.setattr(Flinging, "made", [])
    walker = standing(coarse, 0.5, Method(solver="flinging"))
    before = walker.state.position
    for _ in range(30):
        after = walker.step().state.position
        assert np.linalg.norm(after - before, axis=1).max() < 0.03
        before = after
    assert len(Flinging.made) == 2
    assert Flinging.made[1].flung


def test_any_solver_walks_as_the_default_one_does(coarse: Recording) -> None:
    """The same solver and collider, called by the engine in Python once a frame: the same bits."""
    own, other = standing(coarse, 0.3), standing(coarse, 0.3)
    arrays = scene_arrays(other.garment, other.body, other.plan)
    other._kernel = _kernels.Walker(arrays, other.collider.skin, partial(Stepper, proxy(other)))
    for _ in range(18):
        one, two = own.step(), other.step()
        np.testing.assert_array_equal(one.state.position, two.state.position)
        np.testing.assert_array_equal(one.state.velocity, two.state.velocity)
        assert one.repaired == two.repaired
