"""Tents over tips of the skin: they enclose it, stay small, and turn with the body."""

from __future__ import annotations

import numpy as np
import pytest

from toile._kernels import SurfaceTree
from toile.body.model.make import named_body
from toile.core.records import Body
from toile.sim.colliders.tip_proxy import HIGHEST, _cone, tip_proxies


@pytest.fixture(scope="module")
def woman() -> Body:
    return named_body("woman")


def test_tip_proxies_enclose_the_skin_and_stay_small(woman: Body) -> None:
    found = tip_proxies(woman)
    assert 20 < len(found.vertex) < 400
    covered = found.over(woman.vertices)
    rise = np.linalg.norm(covered - woman.vertices[found.vertex], axis=1)
    assert 0.001 < rise.max() <= HIGHEST
    # skin that was raised is outside the true skin
    gap = SurfaceTree(woman.triangles, woman.vertices).nearest(covered, 0.02)[1]
    assert (gap > -1e-6).all()


def test_tip_proxies_turn_with_the_body(woman: Body) -> None:
    found = tip_proxies(woman)
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    moved = woman.vertices @ turn.T + [0.3, 0.1, -2.0]
    expected = found.over(woman.vertices) @ turn.T + [0.3, 0.1, -2.0]
    np.testing.assert_allclose(found.over(moved), expected, atol=1e-9)


def test_a_body_without_tips_is_left_alone() -> None:
    man = named_body("man")
    assert not len(tip_proxies(man).vertex)


def test_a_ring_of_tips_round_nothing_has_no_cone() -> None:
    """The hem of modelled clothes stands out all round: the middle of such tips is far from every vertex."""
    angle = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    ring = np.stack([0.5 * np.cos(angle), np.zeros(40), 0.5 * np.sin(angle)], axis=1)
    outward = ring / 0.5
    vertex, rise, frame = _cone(ring, outward, np.ones(40, bool), np.arange(40, dtype=np.int32))
    assert len(vertex) == len(rise) == len(frame) == 0
