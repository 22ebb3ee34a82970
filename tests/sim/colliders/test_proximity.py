"""Near pairs of cloth against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from surfaces import segment_pair_distance, triangle_distance
from toile._kernels import ClothPatches, nearest_points, set_thread_count
from toile.core.records import Floats, Ints
from toile.garment.shapes import square_cloth

RADIUS = 0.008


def rolled(cells: int = 24) -> tuple[Ints, Floats]:
    """Return a sheet of 2 cm cells rolled into a spiral whose turns lie 6 mm apart, a little crumpled."""
    garment = square_cloth(cells, 8, 0.02 * cells, 0.16)
    s = garment.uv[:, 0]
    pitch = 0.006
    angle = np.sqrt(0.03**2 + pitch * s / np.pi) * 2 * np.pi / pitch
    radius = pitch * angle / (2 * np.pi)
    position = np.stack([radius * np.cos(angle), garment.uv[:, 1], radius * np.sin(angle)], axis=1)
    return garment.triangles, position + np.random.default_rng(0).normal(0, 3e-4, position.shape)


def edges_of(triangles: Ints) -> Ints:
    return np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)


def all_faces(triangles: Ints, position: Floats, radius: float) -> set[tuple[int, ...]]:
    near = triangle_distance(position, triangles, position) < radius
    near &= ~(triangles[None] == np.arange(len(position))[:, None, None]).any(-1)
    return {(int(v), *sorted(triangles[t].tolist())) for v, t in zip(*np.nonzero(near), strict=True)}


def all_edges(triangles: Ints, position: Floats, radius: float) -> set[tuple[tuple[int, ...], ...]]:
    edges = edges_of(triangles)
    i, j = np.triu_indices(len(edges), 1)
    apart = (edges[i][:, :, None] != edges[j][:, None, :]).all((1, 2))
    i, j = i[apart], j[apart]
    near = segment_pair_distance(*(position[edges[k][:, e]] for k in (i, j) for e in (0, 1))) < radius
    both = np.concatenate([edges[i[near]], edges[j[near]]], axis=1)
    return set(as_edges(both))


def as_faces(found: Ints) -> list[tuple[int, ...]]:
    return [(int(p[0]), *sorted(p[1:].tolist())) for p in found]


def as_edges(found: Ints) -> list[tuple[tuple[int, ...], ...]]:
    return [tuple(sorted((tuple(sorted(p[:2].tolist())), tuple(sorted(p[2:].tolist()))))) for p in found]


@pytest.mark.parametrize("turned", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_near_pairs_are_all_pairs(turned: tuple[int, ...]) -> None:
    triangles, position = rolled()
    position = np.ascontiguousarray(position[:, turned])
    faces, edges = ClothPatches(triangles, len(position)).find(position, RADIUS)
    wanted_faces, wanted_edges = (
        all_faces(triangles, position, RADIUS),
        all_edges(triangles, position, RADIUS),
    )
    assert len(wanted_faces) > 200
    assert len(wanted_edges) > 500
    assert len(faces) == len(set(as_faces(faces)))
    assert len(edges) == len(set(as_edges(edges)))
    assert set(as_faces(faces)) == wanted_faces
    assert set(as_edges(edges)) == wanted_edges


@pytest.mark.parametrize("edges", [False, True])
def test_nearest_points_are_nearest(edges: bool) -> None:
    generator = np.random.default_rng(11)
    position = generator.uniform(-0.05, 0.05, (400, 3))
    pairs = np.stack([generator.permutation(400)[:4] for _ in range(203)]).astype(np.int32)
    # parallel and touching edges, slivers and points of no area are answered too
    position[pairs[0]] = [[0, 0, 0], [1, 0, 0], [0, 0.1, 0], [1, 0.1, 0]]
    position[pairs[1]] = [[0, 0, 0.1], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    weight, apart = nearest_points(position, pairs, edges)
    corners = position[pairs]
    np.testing.assert_allclose(apart, np.einsum("pk,pka->pa", weight, corners), atol=1e-12)
    first, second = (weight[:, :2], weight[:, 2:]) if edges else (weight[:, :1], weight[:, 1:])
    np.testing.assert_allclose(first.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(second.sum(axis=1), -1.0, atol=1e-12)
    assert (first > -1e-9).all()
    assert (second < 1e-9).all()
    # nothing on a fine grid over both pieces is nearer
    steps = np.linspace(0, 1, 41)
    s, t = (axis.ravel() for axis in np.meshgrid(steps, steps))
    if edges:
        tried = np.stack([1 - s, s, t - 1, -t], axis=1)
    else:
        inside = s + t <= 1
        s, t = s[inside], t[inside]
        tried = np.stack([np.ones_like(s), s + t - 1, -s, -t], axis=1)
    distance = np.linalg.norm(np.einsum("gk,pka->gpa", tried, corners), axis=2).min(axis=0)
    found = np.linalg.norm(apart, axis=1)
    assert (found <= distance + 1e-9).all()
    assert np.median(distance - found) < 0.001
    plain = nearest_points(position, pairs, edges, allow_avx2=False)
    for wide, narrow in zip((weight, apart), plain, strict=True):
        np.testing.assert_array_equal(wide, narrow)


def test_the_order_depends_neither_on_threads_nor_on_the_machine() -> None:
    triangles, position = rolled(200)
    patches = ClothPatches(triangles, len(position))
    assert patches.patch_count < len(triangles) / 8
    results = []
    for threads in (1, 2, 8):
        set_thread_count(threads)
        results.append(patches.find(position, RADIUS))
    set_thread_count(0)
    results.append(patches.find(position, RADIUS, allow_avx2=False))
    for faces, edges in results[1:]:
        np.testing.assert_array_equal(faces, results[0][0])
        np.testing.assert_array_equal(edges, results[0][1])


def test_two_layers_and_smooth_cloth() -> None:
    garment = square_cloth(10, 10, 0.2, 0.2)
    flat = np.column_stack([garment.uv, np.zeros(len(garment.uv))])
    count = len(flat)
    alone = ClothPatches(garment.triangles, count).find(flat, 0.01)
    assert len(alone[0]) == len(alone[1]) == 0
    both = np.concatenate([garment.triangles, garment.triangles + count]).astype(np.int32)
    lifted = np.concatenate([flat, flat + np.array([0.003, 0.004, 0.005])])
    faces, edges = ClothPatches(both, 2 * count).find(lifted, 0.01)
    assert set(as_faces(faces)) == all_faces(both, lifted, 0.01)
    assert set(as_edges(edges)) == all_edges(both, lifted, 0.01)
    assert ((faces[:, 0] < count) != (faces[:, 1] < count)).all()


def slit_sheet() -> tuple[Ints, Floats]:
    """Return a flat sheet of 1 cm cells with a slit from its lower edge to its middle."""
    garment = square_cloth(20, 20, 0.2, 0.2)
    x, y = garment.uv.T
    doubled = np.flatnonzero((np.abs(x - 0.1) < 1e-9) & (y < 0.095))
    twin = np.arange(len(x))
    twin[doubled] = len(x) + np.arange(len(doubled))
    right = garment.uv[garment.triangles].mean(axis=1)[:, 0] > 0.1
    triangles = np.where(right[:, None], twin[garment.triangles], garment.triangles).astype(np.int32)
    flat = np.concatenate([garment.uv, garment.uv[doubled]])
    return triangles, np.column_stack([flat, np.zeros(len(flat))])


def test_smooth_cloth_is_far_from_itself_but_not_the_sides_of_a_slit() -> None:
    garment = square_cloth(20, 20, 0.2, 0.2)
    bent = np.column_stack([garment.uv, 0.3 * garment.uv[:, 0] ** 2])
    # a radius of one and a half cells reaches beyond the next patch: still nothing that can meet;
    # patches with free edges are looked at nevertheless
    inner = (np.abs(garment.uv - 0.1) < 0.05).all(axis=1)
    assert len(all_faces(garment.triangles, bent, 0.015)) > 1000
    for found in ClothPatches(garment.triangles, len(bent)).find(bent, 0.015):
        assert not inner[found].any()
    triangles, flat = slit_sheet()
    right = np.zeros(len(flat), bool)
    right[triangles[flat[triangles].mean(axis=1)[:, 0] > 0.1]] = True
    # the right side slides over the left one, 3 mm above it, up to the slit's end
    low = np.clip((0.1 - flat[:, 1]) / 0.1, 0.0, 1.0)
    moved = flat + np.outer(np.where(right, low, 0.0), [-0.01, 0.0, 0.003])
    faces, _ = ClothPatches(triangles, len(flat)).find(moved, 0.004)
    across = right[faces[:, 0]] != right[faces[:, 1:]].all(axis=1)
    wanted = all_faces(triangles, moved, 0.004)
    lower = {pair for pair in wanted if flat[pair[0], 1] < 0.07}
    assert across.any()
    assert len(lower) > 20
    assert lower <= set(as_faces(faces))


def test_sewn_particles_count_as_one() -> None:
    # two triangles that meet at a seam, each with its own copies of the seam's particles
    triangles = np.array([[0, 1, 2], [3, 5, 4]], dtype=np.int32)
    position = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.0, 0, 0], [1, 0, 0], [0, 0.2, 1]])
    assert len(ClothPatches(triangles, 6).find(position, 0.1)[0]) > 0
    sewn = ClothPatches(triangles, 6, np.array([0, 1, 2, 0, 1, 5], dtype=np.int32))
    assert sum(map(len, sewn.find(position, 0.1))) == 0


def test_degenerate_cloth_and_bad_input() -> None:
    triangles = np.array([[0, 0, 0], [0, 1, 1], [2, 3, 4]], dtype=np.int32)
    position = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0.01, 0], [1, 0.01, 0], [0.5, 0.02, 0]])
    faces, edges = ClothPatches(triangles, 5).find(position, 0.05)
    assert len(faces) > 0
    assert len(edges) > 0
    empty = ClothPatches(np.zeros((0, 3), np.int32), 0).find(np.zeros((0, 3)), 0.1)
    assert [len(e) for e in empty] == [0, 0]
    with pytest.raises(IndexError):
        ClothPatches(triangles, 4)
    patches = ClothPatches(triangles, 5)
    for bad in (np.zeros((4, 3)), np.full((5, 3), np.nan)):
        with pytest.raises(ValueError, match="position"):
            patches.find(bad, 0.1)
    with pytest.raises(ValueError, match="radius"):
        patches.find(position, 0.0)
    with pytest.raises(IndexError, match="label"):
        ClothPatches(triangles, 5, np.full(5, 9, np.int32))
