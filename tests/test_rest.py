"""Cloth on a body that stands still does not tremble where it has to be repaired in every frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from toile import named_body
from toile._kernels import SurfaceTree, meeting_pairs_self
from toile.body.skin import rest_pose
from toile.collision.surface import SurfaceCollider
from toile.garment.outfit import join
from toile.garment.shapes import square_cloth
from toile.run.rest import Rest, stands_still
from toile.types import Floats, Garment, PosedBody, State

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


def rest(garment: Garment, start: State, body: PosedBody) -> Rest:
    return Rest(garment, SurfaceCollider(body.body), start.position)


def test_what_had_to_be_repaired_stays_where_it_was(body: PosedBody) -> None:
    garment, start = sheets()
    repaired = np.zeros(garment.particle_count, dtype=bool)
    repaired[-20:] = True
    end = moved(start, np.array([0.0, 0.0003, 0.0]))
    state = rest(garment, start, body).stay(start, end, repaired, body, DT)
    np.testing.assert_array_equal(state.position[repaired], start.position[repaired])
    np.testing.assert_array_equal(state.position[~repaired], end.position[~repaired])
    assert not state.velocity[repaired].any()
    assert state.time == end.time


def test_nothing_crosses_because_something_stayed(body: PosedBody) -> None:
    garment, start = sheets(0.0001)
    repaired = np.zeros(garment.particle_count, dtype=bool)
    inner = (CELLS + 1) ** 2 + (CELLS // 2) * (CELLS + 2)
    repaired[inner] = True
    # the lower one rises, through what stays above it
    end = moved(start, np.array([0.0, 0.0003, 0.0]))
    state = rest(garment, start, body).stay(start, end, repaired, body, DT)
    kept = (state.position == start.position).all(axis=1)
    assert kept[inner]
    assert 1 < kept.sum() < len(kept)
    assert not meeting_pairs_self(SurfaceTree(garment.triangles, state.position))[0]


def test_moving_cloth_and_clean_cloth_go_on(body: PosedBody) -> None:
    garment, start = sheets()
    kept, everything = rest(garment, start, body), np.ones(garment.particle_count, dtype=bool)
    swings = moved(start, np.array([0.0, 0.001, 0.0]))
    assert kept.stay(start, swings, everything, body, DT) is swings
    slow = moved(start, np.array([0.0, 0.0002, 0.0]))
    gone_on = kept.stay(start, slow, ~everything, body, DT)
    np.testing.assert_array_equal(gone_on.position, slow.position)
    np.testing.assert_array_equal(gone_on.velocity, slow.velocity)


def test_a_breath_is_not_standing_still(body: PosedBody) -> None:
    assert stands_still(body, replace(body, vertices=body.vertices + 1e-6))
    breath = body.vertices.copy()
    breath[0] += 0.0001
    assert not stands_still(body, replace(body, vertices=breath))
