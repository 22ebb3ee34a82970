"""Finer meshes to look at: each triangle becomes four, points move to the smooth surface (Loop 1987)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from toile.core.records import Bools, Floats, Ints


@dataclass(frozen=True, eq=False, slots=True)
class Split:
    """Triangles cut at the middles of their sides."""

    triangles: Ints
    """(4 t, 3); those of triangle k are k, t + k, 2 t + k, 3 t + k"""
    sides: Ints
    """the old points whose middle each new point is, (e, 2); new point k has the index old count + k"""


def split_triangles(triangles: Ints, count: int) -> Split:
    """Return each triangle cut into four; sides that triangles share are cut once."""
    corners = triangles[:, [[0, 1], [1, 2], [2, 0]]]
    sides, which = np.unique(np.sort(corners.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    middle = count + which.reshape(-1, 3)
    a, b, c = triangles.T
    ab, bc, ca = middle.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return Split(
        triangles=np.concatenate([np.stack(part, axis=1) for part in parts]).astype(np.int32),
        sides=sides.astype(np.int32),
    )


def smooth_weights(triangles: Ints, count: int, lines: Ints | None = None) -> tuple[Split, csr_matrix]:
    """Return the finer mesh and the matrix that makes its points from the old ones, (n + e, n).

    Inner points and sides follow Loop's weights; free edges are smoothed along themselves only, so that hems
    stay where they are cut, and so are lines: sides (s, 2) that must stay as straight as they are. Points
    that no triangle has stay.
    """
    split = split_triangles(triangles, count)
    sides = split.sides
    corners = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    _, which, uses = np.unique(corners, axis=0, return_inverse=True, return_counts=True)
    inner: Bools = uses == 2  # a side of one triangle is a hem; of three or more it is treated as one
    if lines is not None and len(lines):
        wide = sides.astype(np.int64) @ [count, 1]
        inner &= ~np.isin(wide, np.sort(lines, axis=1).astype(np.int64) @ [count, 1])
    side_of = which.ravel().astype(np.int32)
    rows, columns, weights = _side_weights(triangles, sides, side_of, inner, count)
    more = _point_weights(sides, inner, count)
    return split, coo_matrix(
        (
            np.concatenate([weights, more[2]]),
            (np.concatenate([rows, more[0]]), np.concatenate([columns, more[1]])),
        ),
        (count + len(sides), count),
    ).tocsr()


def _side_weights(
    triangles: Ints, sides: Ints, which: Ints, inner: Bools, count: int
) -> tuple[Ints, Ints, Floats]:
    """Return row, column and weight of the new points: 3/8 of the ends and 1/8 of the points across."""
    new = count + np.arange(len(sides))
    near = np.where(inner, 3 / 8, 1 / 2)
    across = triangles[:, [2, 0, 1]].reshape(-1)  # opposite to sides 01, 12, 20
    counts = inner[which]
    return (
        np.concatenate([new, new, count + which[counts]]),
        np.concatenate([sides[:, 0], sides[:, 1], across[counts]]),
        np.concatenate([near, near, np.full(int(counts.sum()), 1 / 8)]),
    )


def _point_weights(sides: Ints, inner: Bools, count: int) -> tuple[Ints, Ints, Floats]:
    """Return row, column and weight of the old points."""
    hem = ~inner
    on_hem = np.bincount(sides[hem].ravel(), minlength=count)
    neighbours = np.bincount(sides.ravel(), minlength=count)
    # Warren's weights: 3/16 for three neighbours, else 3/(8 n)
    share = np.where(neighbours == 3, 3 / 16, 3 / (8 * np.maximum(neighbours, 1)))
    both = np.concatenate([sides, sides[:, ::-1]])
    of_hem = np.concatenate([hem, hem])
    free = on_hem[both[:, 0]] <= 1  # 1: a line ends here
    along = of_hem & (on_hem[both[:, 0]] == 2)  # a corner where several hems meet stays
    weight = np.where(free, share[both[:, 0]], np.where(along, 1 / 8, 0.0))
    used = weight > 0
    rows, columns, weight = both[used, 0], both[used, 1], weight[used]
    kept = 1.0 - np.bincount(rows, weight, count)
    own = np.arange(count)
    return np.concatenate([rows, own]), np.concatenate([columns, own]), np.concatenate([weight, kept])
