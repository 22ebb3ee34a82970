"""The mesh of a piece whose outline was dragged: same triangles, other places, as long as these stay sound.

Points of the outline keep their share of their edge's length; inside, the way that the outline went is spread
evenly (each point goes as far as its neighbours on the average). Where that would fold or stretch triangles
too much, the piece is meshed anew and the drape is carried over.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

from toile._kernels import SurfaceTree
from toile.core.records import Floats, Ints, Panel, PanelMesh
from toile.pattern.model import curves

SMALLEST, LARGEST = 0.3, 2.5
"""how many times as large as before a triangle may become …"""
LONGEST = 1.7
"""… and how many times as long an edge"""


def same_outline(old: Panel, new: Panel) -> bool:
    """Say whether two pieces have the same corners, edges and inner lines, wherever these lie."""
    return (
        len(old.vertices) == len(new.vertices)
        and [(e.start, e.end) for e in old.edges] == [(e.start, e.end) for e in new.edges]
        and [(m.kind, len(m.points)) for m in old.marks] == [(m.kind, len(m.points)) for m in new.marks]
        and all(np.array_equal(a.points, b.points) for a, b in zip(old.marks, new.marks, strict=True))
        and [(n.edge, n.fraction) for n in old.notches] == [(n.edge, n.fraction) for n in new.notches]
    )


def warped(mesh: PanelMesh, panel: Panel) -> Floats:
    """Return where the points of a mesh lie when its outline is that of the piece [m], (v, 2)."""
    way = np.zeros_like(mesh.uv)
    border = np.zeros(len(mesh.uv), dtype=bool)
    for number, along in enumerate(mesh.edge_vertices):
        steps = np.hypot(*np.diff(mesh.uv[along], axis=0).T)
        share = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
        way[along] = curves.sample_edge(panel, number, share) - mesh.uv[along]
        border[along] = True
    if not way.any():
        return mesh.uv
    inner = np.flatnonzero(~border).astype(np.int32)
    if len(inner):
        way[inner] = _spread(mesh.triangles, way, border, inner)
    return np.asarray(mesh.uv + way)


def _spread(triangles: Ints, way: Floats, border: np.ndarray, inner: Ints) -> Floats:
    """Return the ways of inner points: each is the mean of its neighbours'."""
    count = len(way)
    ends = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    ends = np.unique(np.sort(ends, axis=1), axis=0)
    both = np.concatenate([ends, ends[:, ::-1]])
    near = coo_array((np.ones(len(both)), both.T), shape=(count, count)).tocsr()
    degree = np.asarray(near.sum(axis=1)).ravel()
    place = np.full(count, -1)
    place[inner] = np.arange(len(inner))
    rows = near[inner]
    own = rows[:, inner]
    matrix = coo_array(
        (np.concatenate([degree[inner], -own.tocoo().data]),
         (np.concatenate([np.arange(len(inner)), own.tocoo().coords[0]]),
          np.concatenate([np.arange(len(inner)), own.tocoo().coords[1]]))),
        shape=(len(inner), len(inner)),
    ).tocsc()  # fmt: skip
    from_border = rows[:, np.flatnonzero(border)] @ way[border]
    return np.asarray(splu(matrix).solve(np.asarray(from_border)))


def is_sound(mesh: PanelMesh, uv: Floats) -> bool:
    """Say whether the triangles are still fit to simulate with."""
    before, after = _areas(mesh.uv, mesh.triangles), _areas(uv, mesh.triangles)
    ratio = after / np.maximum(np.abs(before), 1e-12) * np.sign(before)
    ends = mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    was, now = (np.hypot(*(p[ends[:, 0]] - p[ends[:, 1]]).T) for p in (mesh.uv, uv))
    longer = now / np.maximum(was, 1e-9)
    return bool(
        ratio.min() > SMALLEST
        and ratio.max() < LARGEST
        and longer.max() < LONGEST
        and longer.min() > 1 / LONGEST / LONGEST
    )


def _areas(uv: Floats, triangles: Ints) -> Floats:
    a, b, c = (uv[triangles[:, k]] for k in range(3))
    first, second = b - a, c - a
    return np.asarray(0.5 * (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]))


def places_in(uv: Floats, triangles: Ints, points: Floats) -> tuple[Ints, Floats]:
    """Return for each point (p, 2) the nearest triangle (p,) and its place in it, (p, 3): shares of corners.

    Points outside of all triangles go to the nearest place of the border.
    """
    flat = np.zeros((len(uv), 3))
    flat[:, :2] = uv
    asked = np.zeros((len(points), 3))
    asked[:, :2] = points
    tree = SurfaceTree(np.ascontiguousarray(triangles, np.int32), flat)
    found = np.asarray(tree.nearest(asked, 100.0)[0])
    a, b, c = (uv[triangles[found, k]] for k in range(3))
    whole = _cross(b - a, c - a)
    second, third = _cross(points - a, c - a) / whole, _cross(b - a, points - a) / whole
    share = np.clip(np.stack([1 - second - third, second, third], axis=1), 0.0, None)
    return found.astype(np.int32), share / share.sum(axis=1, keepdims=True)


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
