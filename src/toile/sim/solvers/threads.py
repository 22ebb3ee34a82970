"""Long threads: particles two edges apart along the weft or the warp may not drift apart.

A sweep of the solver carries a pull by one edge. Coarse limits (cloth/hierarchy.h) carry it far, but see
the mean of ridge and valley where cloth lies in folds of a few edges; there the ridges alone would stretch.
Threads hold them: each particle is tied to the one two edges on along either thread, on the same panel, so
that the threads of a ridge share its pull. Shear is free: threads may still turn against each other.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix, identity
from scipy.spatial import cKDTree

from toile.core.records import Floats, Garment, Ints

SPAN = 2.0
"""length of a long thread in mean edges"""
OFF = 0.5
"""how far from where the thread leads its far end may be, in mean edges"""


def long_threads(garment: Garment, corner: Floats, edge: float) -> tuple[Ints, Floats]:
    """Return pairs of particles, (p, 2), and how far apart they are on the flat cloth [m], (p,).

    corner (t, 3, 2) are the triangles' flat corners [m], edge is the mean length of an edge [m].
    """
    pairs, rests = [np.zeros((0, 2), np.int32)], [np.zeros(0)]
    uv = _flat_points(garment, corner)
    # the cloth itself must lead from one end to the other: no thread crosses a slit, a dart or a bay
    reach = _three_steps(garment.triangles_uv, len(uv))
    for panel in np.unique(garment.uv_panel):
        members = np.flatnonzero(garment.uv_panel == panel)
        ends = members[_along_threads(uv[members], edge)]
        if not len(ends):  # a scrap smaller than a long thread
            continue
        ends = ends[np.asarray(reach[ends[:, 0], ends[:, 1]]).ravel() > 0]
        pairs.append(garment.uv_particle[ends])
        rests.append(np.linalg.norm(uv[ends[:, 0]] - uv[ends[:, 1]], axis=1))
    pair, rest = np.concatenate(pairs).astype(np.int32), np.concatenate(rests)
    apart = pair[:, 0] != pair[:, 1]
    return np.ascontiguousarray(pair[apart]), rest[apart]


def _flat_points(garment: Garment, corner: Floats) -> Floats:
    """Return where each flat point is by the triangles' corners [m], (m, 2)."""
    uv = np.array(garment.uv)
    uv[garment.triangles_uv.ravel()] = corner.reshape(-1, 2)
    return uv


def _along_threads(uv: Floats, edge: float) -> Ints:
    """Return pairs of points of one panel that lie a span apart along a thread, (p, 2)."""
    tree = cKDTree(uv)
    pairs = []
    for thread in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        off, far = tree.query(uv + SPAN * edge * thread)
        near = np.flatnonzero(off < OFF * edge)
        pairs.append(np.stack([near, far[near]], axis=1))
    return np.concatenate(pairs)


def _three_steps(triangles: Ints, count: int) -> csr_matrix:
    """Return which points are at most three mesh edges apart, (n, n)."""
    rows, columns = triangles[:, [0, 1, 2]].ravel(), triangles[:, [1, 2, 0]].ravel()
    side = coo_matrix((np.ones(len(rows), np.float32), (rows, columns)), (count, count)).tocsr()
    step = side + side.T + identity(count, np.float32, format="csr")
    return (step @ step @ step).tocsr()
