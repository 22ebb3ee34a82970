"""Zones: what cannot be moved apart is carried along in the shape that it had when nothing crossed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from toile._kernels import SurfaceTree, carry_zone, meeting_pairs_self, widen_zone
from toile.bench.scenes import dummy_body
from toile.core.records import Bools, Floats, Garment, Ints, PosedBody, State
from toile.garment.shapes import square_cloth
from toile.geometry.rotation import from_axis_angle, rotate
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.frame.repair import Repair

CELL = 0.015
WAY = np.array([0.002, -0.003, 0.004])


def tangled(depth: float = 0.02) -> tuple[Garment, Floats, Floats]:
    """Return a fold in the air, where it was, and where it is: moved on, its sides through each other."""
    garment = square_cloth(20, 20, 20 * CELL, 20 * CELL)
    across, along = (garment.uv - garment.uv.mean(axis=0)).T
    side = np.where(across > 0, 1.0, -1.0) * np.minimum(1.0, np.abs(across) / CELL)
    start = np.column_stack([0.003 * side, 5.0 - np.abs(across), along])
    start += np.random.default_rng(0).normal(0, 0.0003, start.shape)
    end = start + WAY
    middle = np.exp(-((along / 0.05) ** 2) - ((np.abs(across) - 0.05) / 0.03) ** 2)
    end[:, 0] -= depth * side * middle
    return garment, start, end


def widened(garment: Garment, zone: Bools, crossing: Ints, label: Ints | None = None) -> Bools:
    own = np.arange(garment.particle_count, dtype=np.int32)
    found = widen_zone(garment.triangles, own if label is None else label, zone, crossing)
    return np.asarray(found, dtype=bool)


def carried(garment: Garment, zone: Bools, crossing: Ints, start: Floats, end: State) -> State:
    own = np.arange(garment.particle_count, dtype=np.int32)
    return State(*carry_zone(garment.triangles, own, zone, crossing, start, end.position, end.velocity))


@pytest.mark.parametrize("depth", [0.02, 0.03, 0.04])
def test_a_tangle_that_cannot_be_parted_goes_back_to_its_shape(depth: float) -> None:
    garment, start, end = tangled(depth)
    assert meeting_pairs_self(SurfaceTree(garment.triangles, start))[0] == 0
    body = dummy_body()
    posed = PosedBody(body, body.vertices, np.zeros_like(body.vertices), np.eye(4)[None])
    corner = np.array([0], np.int32)
    state = State(end, np.random.default_rng(0).normal(0, 1, end.shape))
    repair = Repair(garment, SurfaceCollider(body).skin, start, corner)
    repair(state, posed)
    assert repair.last.left > 20
    mended = repair(state, posed, start)
    assert repair.last.cloth_before > 20
    assert repair.last.left == 0
    assert meeting_pairs_self(SurfaceTree(garment.triangles, mended.position))[0] == 0
    # it has gone on with the rest, not back
    assert np.linalg.norm((mended.position - start).mean(axis=0) - WAY) < 0.001
    np.testing.assert_array_equal(mended.position[corner], end[corner])
    again = repair(state, posed, start)
    np.testing.assert_array_equal(again.position, mended.position)
    np.testing.assert_array_equal(again.velocity, mended.velocity)


def test_a_zone_turns_and_shares_its_momentum() -> None:
    garment, start, _ = tangled()
    turn = from_axis_angle([0.6, 0.0, -0.8], 0.7)
    end = rotate(turn, start) + 0.3
    velocity = np.random.default_rng(0).normal(0, 1, start.shape)
    crossing = np.array([[100, 140]], np.int32)
    zone = widened(garment, np.zeros(len(start), dtype=bool), crossing)
    corners = np.isin(garment.triangles, garment.triangles[crossing]).any(axis=1)
    np.testing.assert_array_equal(np.flatnonzero(zone), np.unique(garment.triangles[corners]))
    noisy = end + np.where(zone[:, None], np.random.default_rng(1).normal(0, 1e-3, end.shape), 0.0)
    found = carried(garment, zone, crossing, start, State(noisy, velocity))
    np.testing.assert_array_equal(found.position[~zone], end[~zone])
    np.testing.assert_array_equal(found.velocity[~zone], velocity[~zone])
    # the shape is the old one, to the last digits; where it is, is told by all of it
    now = found.position[zone]
    np.testing.assert_allclose(pdist(now), pdist(start[zone]), atol=1e-12)
    assert np.linalg.norm(now - end[zone], axis=1).max() < 2e-3
    np.testing.assert_allclose(found.velocity[zone], np.tile(velocity[zone].mean(axis=0), (zone.sum(), 1)))


def test_both_sides_of_a_seam_belong_to_a_zone() -> None:
    garment, start, _ = tangled()
    label = np.arange(len(start), dtype=np.int32)
    triangle, far = garment.triangles[100], len(start) - 1
    label[far] = triangle[0]
    zone = widened(garment, np.zeros(len(start), dtype=bool), np.array([[100, 100]], np.int32), label)
    assert zone[far]
    assert not zone[far - 1]


def test_a_mirror_image_is_no_motion() -> None:
    garment, start, _ = tangled()
    zone = np.ones(len(start), dtype=bool)
    bent = start + np.array([0.0, 1.0, 0.0]) * np.sin(20 * start[:, :1]) * 0.01
    mirrored = bent * np.array([-1.0, 1.0, 1.0])
    found = carried(garment, zone, np.zeros((0, 2), np.int32), bent, State(mirrored, 0 * bent))
    volume, before = (np.linalg.det((x - x[0])[[5, 110, 400]]) for x in (found.position, bent))
    assert volume == pytest.approx(before, rel=1e-6)
    assert abs(before) > 1e-9
