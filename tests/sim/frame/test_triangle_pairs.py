"""Exact triangle intersection: hand-made ties, rational arithmetic as the reference, whole surfaces."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from surfaces import icosphere, join
from toile._kernels import SurfaceTree, meeting_pairs, meeting_pairs_self, set_thread_count, triangles_meet
from toile.core.records import Floats

Point = tuple[Fraction, ...]


def minus(a: Point, b: Point) -> Point:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def cross(a: Point, b: Point) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Point, b: Point) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def meet_exactly(s: Floats, t: Floats) -> bool:
    """Reference: two convex sets are apart exactly when some axis separates them (Fractions, no rounding)."""
    p = [tuple(Fraction(x) for x in v) for v in s.tolist()]
    q = [tuple(Fraction(x) for x in v) for v in t.tolist()]
    e = [minus(p[(k + 1) % 3], p[k]) for k in range(3)]
    f = [minus(q[(k + 1) % 3], q[k]) for k in range(3)]
    n, m = cross(e[0], e[1]), cross(f[0], f[1])
    axes = [n, m, *(cross(a, b) for a, b in product(e, f))]
    axes += [cross(n, a) for a in e] + [cross(m, b) for b in f]
    for axis in axes:
        a, b = [dot(axis, v) for v in p], [dot(axis, v) for v in q]
        if max(a) < min(b) or max(b) < min(a):
            return False
    return True


UNIT = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize(
    ("other", "meets"),
    [
        ([[0.2, 0.2, -1], [0.2, 0.2, 1], [1, 1, 1]], True),  # through the face
        ([[0.2, 0.2, 0], [0.2, 0.2, 1], [1, 1, 1]], True),  # a corner touches the face
        ([[0.2, 0.2, 1e-300], [0.2, 0.2, 1], [1, 1, 1]], False),  # a hair above it
        ([[0.5, 0.5, 0], [0.5, 0.5, 1], [1, 1, 1]], True),  # a corner touches the long edge
        ([[0.6, 0.5, 0], [0.6, 0.5, 1], [1, 1, 1]], False),  # just beyond the edge
        ([[0.2, 0.2, 0], [0.3, 0.2, 0], [0.2, 0.3, 0]], True),  # coplanar, within
        ([[-1, -1, 0], [3, -1, 0], [-1, 3, 0]], True),  # coplanar, around
        ([[1, 0, 0], [2, 0, 0], [1, -1, 0]], True),  # coplanar, corner on corner
        ([[2, 0, 0], [3, 0, 0], [2, 1, 0]], False),  # coplanar, apart
        ([[0, 0, 1], [1, 0, 1], [0, 1, 1]], False),  # parallel
        ([[0.2, 0.2, -1], [0.2, 0.2, 1], [0.2, 0.2, 1]], True),  # needle through the face
        ([[0.2, 0.2, 0.5]] * 3, False),  # a point above
        ([[0.2, 0.2, 0]] * 3, True),  # a point on it
        ([[5, 5, -1], [0.25, 0.25, 0], [5, 5, 1]], True),
    ],
)
def test_pairs_made_by_hand(other: list[list[float]], meets: bool) -> None:
    t = np.array(other, dtype=float)
    assert meet_exactly(UNIT, t) == meets or len({tuple(v) for v in t.tolist()}) < 3  # needles have no normal
    for order in permutations(range(3)):
        assert triangles_meet(UNIT[list(order)].copy(), t) == meets
        assert triangles_meet(t[list(order)].copy(), UNIT) == meets


def test_ties_on_a_grid_match_rational_arithmetic() -> None:
    # corners on a coarse grid: touching, coplanar and collinear cases abound; scaled so that doubles round
    rng = np.random.default_rng(0)
    seen = {True: 0, False: 0}
    for _ in range(1500):
        s, t = rng.integers(0, 4, (2, 3, 3)) * 0.1 + 0.3
        if any(np.linalg.norm(np.cross(x[1] - x[0], x[2] - x[0])) < 1e-9 for x in (s, t)):
            continue
        want = meet_exactly(s, t)
        assert triangles_meet(s, t) == want
        seen[want] += 1
    assert min(seen.values()) > 100


def test_nearly_touching_matches_rational_arithmetic() -> None:
    # a corner within a few last places of the other plane: doubles alone cannot tell
    rng = np.random.default_rng(1)
    seen = {True: 0, False: 0}
    for _ in range(400):
        s = rng.uniform(-1, 1, (3, 3))
        weight = rng.dirichlet([2, 2, 2])
        t = rng.uniform(-1, 1, (3, 3))
        normal = np.cross(s[1] - s[0], s[2] - s[0])
        t[0] = weight @ s
        t[1:] = t[0] + np.abs(rng.uniform(0.1, 1, (2, 1))) * normal + 0.1 * np.cross(normal, t[1:])
        t[0] = np.nextafter(t[0], rng.uniform(-2, 2, 3))
        want = meet_exactly(s, t)
        assert triangles_meet(s, t) == want
        seen[want] += 1
    assert min(seen.values()) > 30


def all_pairs(a: tuple[np.ndarray, Floats], b: tuple[np.ndarray, Floats]) -> list[tuple[int, int]]:
    s, t = a[1][a[0]], b[1][b[0]]
    low = (s.min(1)[:, None] <= t.max(1)[None]).all(-1) & (t.min(1)[None] <= s.max(1)[:, None]).all(-1)
    return [(int(i), int(j)) for i, j in zip(*np.nonzero(low), strict=True) if triangles_meet(s[i], t[j])]


def test_surfaces_match_all_pairs() -> None:
    a, b = icosphere(3), icosphere(2)
    b = (b[0], b[1] * [0.5, 1.2, 0.9] + 0.1)
    wanted = all_pairs(a, b)
    assert len(wanted) > 100
    for threads in (1, 2, 8):
        set_thread_count(threads)
        count, pairs = meeting_pairs(SurfaceTree(*a), SurfaceTree(*b))
        assert count == len(wanted)
        assert [tuple(p) for p in pairs.tolist()] == wanted
    set_thread_count(0)
    assert len(meeting_pairs(SurfaceTree(*a), SurfaceTree(*b), 7)[1]) == 7


def test_groups_do_not_change_the_pairs() -> None:
    a, b = icosphere(3), icosphere(2)
    group = np.random.default_rng(0).integers(0, 5, len(a[0])).astype(np.int32)
    plain, grouped = SurfaceTree(*a), SurfaceTree(*a, group)
    other = SurfaceTree(b[0], b[1] + 0.3)
    np.testing.assert_array_equal(meeting_pairs(plain, other)[1], meeting_pairs(grouped, other)[1])
    assert meeting_pairs_self(grouped)[0] == 0


def test_a_clean_surface_has_no_pairs_and_two_in_one_have() -> None:
    a, b = icosphere(3), icosphere(2)
    b = (b[0], b[1] + [0.7, 0.1, 0.2])
    assert meeting_pairs_self(SurfaceTree(*a))[0] == 0
    _, pairs = meeting_pairs_self(SurfaceTree(*join(a, b)))
    expected = [(i, j + len(a[0])) for i, j in all_pairs(a, b)]
    assert [tuple(p) for p in pairs.tolist()] == expected


def test_neighbours_meet_only_beyond_what_they_share() -> None:
    # a fan of two triangles on one corner: flat, bent, then one pushed through the other
    base = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [-1, 0.2, 0], [-1, -0.2, 0]])
    fan = np.array([[0, 1, 2], [0, 3, 4]], dtype=np.int32)
    assert meeting_pairs_self(SurfaceTree(fan, base))[0] == 0
    through = base.copy()
    through[3], through[4] = [0.6, 0.3, 0.2], [0.6, 0.3, -0.2]
    assert meeting_pairs_self(SurfaceTree(fan, through))[0] == 1
    # two triangles on one edge: open, shut at a small angle, exactly folded
    edge = np.array([[0, 1, 2], [1, 0, 3]], dtype=np.int32)
    for tip, meets in (([0.5, -1, 0], 0), ([0.5, 1, 1e-9], 0), ([0.4, 0.7, 0], 1)):
        vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0.5, 1, 0], tip])
        assert meeting_pairs_self(SurfaceTree(edge, vertices))[0] == meets


def test_labels_join_vertices_that_are_sewn_together() -> None:
    # two triangles whose corners coincide on a seam but have different numbers
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.0, 0, 0], [1, 0, 0], [0, -1, 0]])
    tree = SurfaceTree(np.array([[0, 1, 2], [3, 5, 4]], dtype=np.int32), vertices)
    assert meeting_pairs_self(tree)[0] == 1
    assert meeting_pairs_self(tree, np.array([0, 1, 2, 0, 1, 5], dtype=np.int32))[0] == 0
    with pytest.raises(ValueError, match="label"):
        meeting_pairs_self(tree, np.zeros(3, np.int32))
