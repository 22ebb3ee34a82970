"""The rasteriser against a plain NumPy one, exact counts, and bad input."""

import numpy as np
import pytest

from toile import _kernels
from toile.geometry.raster import rasterise, visible


def reference(
    points: np.ndarray, triangles: np.ndarray, width: int, height: int, farthest: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return triangle, depth and weights with every triangle tested at every pixel centre."""
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    ids = np.full((height, width), -1)
    depth = np.full((height, width), -np.inf if farthest else np.inf)
    weights = np.zeros((height, width, 2))
    for t, corners in enumerate(triangles):
        a, b, c = points[corners]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if area == 0:
            continue
        w1 = ((a[0] - c[0]) * (y - c[1]) - (a[1] - c[1]) * (x - c[0])) / area
        w2 = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
        z = a[2] + w1 * (b[2] - a[2]) + w2 * (c[2] - a[2])
        better = z > depth if farthest else z < depth
        inside = (w1 > 0) & (w2 > 0) & (w1 + w2 < 1) & better
        ids[inside], depth[inside] = t, z[inside]
        weights[inside] = np.stack([w1, w2], -1)[inside]
    return ids, depth, weights


def soup(count: int, size: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-5, 70, size=(count, 1, 3))
    points = (centre + rng.normal(scale=size, size=(count, 3, 3))).reshape(-1, 3)
    points[:, :2] = np.round(points[:, :2] * 256) / 256  # on the kernel's grid: results agree exactly
    return points, np.arange(3 * count, dtype=np.int32).reshape(-1, 3)


@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize(("count", "size"), [(1, 30.0), (40, 10.0), (500, 3.0)])
def test_agrees_with_numpy(count: int, size: float, farthest: bool) -> None:
    points, triangles = soup(count, size)
    seen = rasterise(points, triangles, 64, 48, farthest=farthest)
    ids, depth, weights = reference(points, triangles, 64, 48, farthest)
    # pixel centres exactly on an edge follow the top-left rule, which the reference does not know
    assert (seen.triangle != ids).mean() < 0.002
    same = (seen.triangle == ids) & (ids >= 0)
    np.testing.assert_allclose(seen.depth[same], depth[same], rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(seen.image(seen.weights)[same], weights[same], atol=1e-4)


def test_neighbours_share_every_pixel_exactly_once() -> None:
    # a random triangulation of a square: each pixel of the square is covered by exactly one triangle
    rng = np.random.default_rng(2)
    from scipy.spatial import Delaunay

    corners = np.array([[4, 4], [60, 4], [60, 60], [4, 60.0]])
    xy = np.concatenate([corners, np.round(rng.uniform(4, 60, size=(200, 2)) * 2) / 2])
    triangles = Delaunay(xy).simplices.astype(np.int32)
    points = np.column_stack([xy, np.zeros(len(xy))])
    covered = np.zeros((64, 64), int)
    for t in range(len(triangles)):
        covered += visible(points, triangles[t : t + 1].copy(), 64, 64)[0] >= 0
    want = np.zeros((64, 64), int)
    want[4:60, 4:60] = 1
    np.testing.assert_array_equal(covered, want)


def test_perspective_weights_are_right_in_space() -> None:
    # a long strip into the distance: the weights interpolate a coordinate that is linear in space
    space = np.array([[-1, -1, 2], [1, -1, 2], [0, -1, 40.0]])
    w = space[:, 2]
    screen = np.column_stack([space[:, 0] / w * 100 + 50, -space[:, 1] / w * 100 + 50, 1 - 1 / w])
    seen = rasterise(screen, np.array([[0, 1, 2]], np.int32), 100, 100, inverse_w=1 / w)
    z = seen.mix(space[:, 2:])[:, 0]
    y = seen.pixel // 100 + 0.5
    np.testing.assert_allclose(z, 100 / (y - 50), rtol=0.01)  # y on the screen is 50 + 100 / z


def test_equal_depth_keeps_the_first() -> None:
    points = np.array([[0, 0, 1], [10, 0, 1], [0, 10, 1.0]])
    triangles = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]], np.int32)
    ids, _ = visible(points, triangles, 10, 10)
    assert set(np.unique(ids)) == {-1, 0}


def test_cull_keeps_one_side() -> None:
    points = np.array([[0, 0, 1], [10, 0, 1], [0, 10, 1.0]])
    clockwise = np.array([[0, 1, 2]], np.int32)  # y is down: right, then down is clockwise to the viewer
    assert (visible(points, clockwise, 10, 10, cull=1)[0] == -1).all()
    assert (visible(points, clockwise, 10, 10, cull=-1)[0] == 0).any()
    assert (visible(points, clockwise[:, ::-1].copy(), 10, 10, cull=1)[0] == 0).any()


def test_any_thread_count_gives_the_same_bits() -> None:
    points, triangles = soup(3000, 4.0)
    results = []
    for count in (1, 2, 8):
        _kernels.set_thread_count(count)
        seen = rasterise(points * 3, triangles, 200, 210)
        results.append((seen.triangle.tobytes(), seen.depth.tobytes(), seen.weights.tobytes()))
    _kernels.set_thread_count(0)
    assert results[0] == results[1] == results[2]


def test_points_that_are_not_finite_or_far_away_are_left_out() -> None:
    points = np.array([[0, 0, 1], [10, 0, 1], [0, 10, 1.0]])
    triangles = np.array([[0, 1, 2]], np.int32)
    for bad in (np.nan, np.inf, -np.inf, 1e300):
        broken = points.copy()
        broken[1, 0] = bad
        ids, depth = visible(broken, triangles, 10, 10)
        assert (ids == -1).all()
        assert np.isinf(depth).all()
    assert (visible(points[:0], triangles[:0], 10, 10)[0] == -1).all()


def test_shadow_look_up() -> None:
    depth = np.full((10, 10), np.inf, np.float32)
    depth[:, :5] = 1.0
    points = np.array([[2.5, 5.5, 2.0], [2.5, 5.5, 1.0], [7.5, 5.5, 2.0], [5.0, 5.5, 2.0], [-3, 0, 9]])
    np.testing.assert_allclose(_kernels.unhidden(depth, points, 0.01), [0, 1, 1, 0.5, 1])


def test_bad_arguments_are_exceptions() -> None:
    points = np.zeros((3, 3))
    triangles = np.array([[0, 1, 2]], np.int32)
    with pytest.raises(IndexError):
        visible(points, np.array([[0, 1, 3]], np.int32), 10, 10)
    with pytest.raises(IndexError):
        visible(points, np.array([[0, 1, -1]], np.int32), 10, 10)
    with pytest.raises(ValueError, match="pixels"):
        visible(points, triangles, 0, 10)
    with pytest.raises(ValueError, match="pixels"):
        visible(points, triangles, 10, 1_000_000)
    with pytest.raises(TypeError):
        visible(points[:, :2], triangles, 10, 10)
    with pytest.raises(IndexError):
        _kernels.pixel_weights(
            np.array([100], np.int32), np.array([0], np.int32), points, triangles, np.zeros(0), 10, 10
        )
    with pytest.raises(IndexError):
        _kernels.mix(
            np.array([1], np.int32), np.zeros((1, 2), np.float32), triangles, np.zeros((3, 1), np.float32)
        )
