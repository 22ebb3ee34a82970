"""Points in a crease of the skin meet both of its sides, though a collider tells of the nearest only."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from toile._kernels import SkinContact
from toile.core.records import ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.sim.colliders.base import Collider
from toile.sim.colliders.creases import NEAR, AllSidesQuery, CreaseMemory


class Roof(Collider, ContactQuery):
    """Skin of two slopes that meet at x = 0: a valley for a positive slope, a ridge for a negative one."""

    def __init__(self, slope: float) -> None:
        self.normals = np.array([[slope, 1.0, 0.0], [-slope, 1.0, 0.0]]) / np.hypot(slope, 1.0)

    def at(self, body: PosedBody | None) -> Roof:
        return self

    def __call__(self, x: Floats) -> Contacts:
        """Return one contact per point: with the slope that it is above."""
        normal = self.normals[(x[:, 0] > 0.0).astype(int)]
        gap = np.einsum("na,na->n", x, normal)
        return Contacts(np.arange(len(x), dtype=np.int32), gap, normal, np.zeros_like(x))


def creases(slope: float, count: int) -> CreaseMemory:
    return CreaseMemory(Roof(slope), count)


def asked(collider: CreaseMemory, x: Floats) -> Contacts:
    return collider.at(None)(x)  # type: ignore[arg-type]


def test_the_other_side_of_a_valley_is_remembered_and_measured_anew() -> None:
    collider = creases(1.0, 2)
    points = np.array([[-0.001, 0.003, 0.0], [-0.002, 0.004, 0.0]])
    assert len(asked(collider, points).particle) == 2
    points[0, 0] = 0.001
    found = asked(collider, points)
    np.testing.assert_array_equal(found.particle, [0, 0, 1])
    np.testing.assert_allclose(sorted(found.gap[:2]), np.array([0.002, 0.004]) / np.sqrt(2), atol=1e-12)
    # and still when the point stays on its side
    assert len(asked(collider, points).particle) == 3


def test_no_side_of_a_ridge_is_remembered() -> None:
    collider = creases(-1.0, 1)
    for x in (-0.002, 0.002, -0.002):
        assert len(asked(collider, np.array([[x, -0.001, 0.0]])).particle) == 1


def test_a_side_is_forgotten_far_away() -> None:
    collider = creases(1.0, 1)
    asked(collider, np.array([[-0.001, 0.003, 0.0]]))
    far = np.array([[1.2 * NEAR, 1.5 * NEAR, 0.0]])
    assert len(asked(collider, far).particle) == 1
    assert len(asked(collider, np.array([[0.001, 0.003, 0.0]])).particle) == 1


def skin_of(triangles: Ints, vertices: Floats) -> tuple[SkinContact, SimpleNamespace]:
    """Return contact with a skin of triangles, and that skin as it stands."""
    arrays = {"body.vertices": vertices, "skin.triangles": triangles, "skin.grip": np.ones(len(triangles))}
    still = SimpleNamespace(vertices=vertices, velocity=np.zeros_like(vertices))
    return SkinContact(arrays | {"skin.radius": np.array([0.7])}), still


def all_sides(slope: float) -> tuple[AllSidesQuery, SimpleNamespace]:
    """Return the roof as triangles."""
    ridge, foot = [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], [[-1.0, slope, -1.0], [-1.0, slope, 1.0]]
    corners = np.array([*foot, *ridge, *(np.array(foot) * [-1, 1, 1])])
    skin, still = skin_of(np.array([[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]], np.int32), corners)
    return AllSidesQuery(skin), still


def test_both_sides_of_a_valley_are_found() -> None:
    points = np.array([[0.001, 0.003, 0.0], [0.5, 0.503, 0.0], [0.001, 0.05, 0.0]])
    collider, still = all_sides(1.0)
    found = collider.at(still)(points)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found.particle, [0, 0, 1, 2])
    np.testing.assert_allclose(sorted(found.gap[:2]), np.array([0.002, 0.004]) / np.sqrt(2), atol=1e-6)
    np.testing.assert_allclose(found.normal[0] @ found.normal[1], 0.0, atol=1e-6)


def test_a_ridge_has_no_other_side() -> None:
    collider, still = all_sides(-1.0)
    for x in (-0.002, 0.002):
        points = np.array([[x, 0.001, 0.0]])
        assert len(collider.at(still)(points).particle) == 1  # type: ignore[arg-type]


def profile(x: Floats, y: Floats) -> tuple[SkinContact, SimpleNamespace]:
    """Return skin as long as it is wide, of one height along z."""
    vertices = np.array([(*at, z) for at in zip(x, y, strict=True) for z in (-0.5, 0.5)])
    corners = np.array([[0, 1, 2], [1, 3, 2]], dtype=np.int32)
    return skin_of(np.concatenate([corners + 2 * i for i in range(len(x) - 1)]).astype(np.int32), vertices)


def settle(collider: Collider, body: SimpleNamespace, start: Floats, pull: Floats, keep: float) -> Floats:
    """Return how far a point moved in each of many frames.

    In each it is pulled along, a little at a time, and put back onto the skin that it was told of.
    """
    x, steps = np.array([start]), []
    for _ in range(60):
        found, before = collider.at(body)(x), x  # type: ignore[arg-type]
        for _ in range(20):
            x = x + pull / 20
            for gap, normal in zip(found.gap, found.normal, strict=True):
                x = x + max(keep - gap - (x - before)[0] @ normal, 0.0) * normal
        steps.append(float(np.linalg.norm(x - before)))
    return np.array(steps)


@pytest.mark.parametrize("across", [-0.5, 0.0, 0.3, 0.8])
@pytest.mark.parametrize("begin", [-0.010, -0.002, 0.003])
@pytest.mark.parametrize(("width", "height"), [(0.005, 0.002), (0.005, 0.003), (0.008, 0.004)])
def test_a_point_comes_to_rest_beside_a_ridge_in_a_valley(
    width: float, height: float, begin: float, across: float
) -> None:
    # three sides: a plane across the way to the ridge, as seen from elsewhere, pushed by up to a millimetre
    skin, body = profile(
        np.array([-0.05, -width, 0.0, width, 0.05]), np.array([0.05, 0.0, height, 0.0, 0.05])
    )
    pull = 0.001 * np.array([across, -1.0, 0.0])
    steps = settle(AllSidesQuery(skin), body, np.array([begin, 0.02, 0.0]), pull, 0.004)  # type: ignore[arg-type]
    assert steps[0] > 0.0005
    assert steps[-5:].max() < 2e-6


# makers, not colliders: Hypothesis keeps all that tests are given until Python ends, a kernel's tree too
@pytest.mark.parametrize(
    ("make", "rests"),
    [
        (lambda: (creases(1.0, 1), None), True),
        (lambda: all_sides(1.0), True),
        (lambda: (Roof(1.0), None), False),
    ],
)
def test_a_point_that_is_pulled_along_comes_to_rest_in_a_valley(
    make: Callable[[], tuple[Collider, SimpleNamespace | None]], rests: bool
) -> None:
    # each frame it is pulled 1 mm aside and down, then put back onto the skin that it was told of
    (collider, body), x, steps = make(), np.array([[-0.0105, 0.012, 0.0]]), []
    for _ in range(40):
        found, before = collider.at(body)(x), x.copy()  # type: ignore[arg-type]
        gap = found.gap + ([[0.001, -0.0015, 0.0]] @ found.normal.T)[0]
        x = x + np.array([0.001, -0.0015, 0.0])
        for _ in range(20):
            for k, normal in enumerate(found.normal):
                push = max(0.002 - gap[k], 0.0)
                x, gap = x + push * normal, gap + push * (found.normal @ normal)
        steps.append(float(np.linalg.norm(x - before)))
    assert (max(steps[-5:]) < 1e-4) == rests
