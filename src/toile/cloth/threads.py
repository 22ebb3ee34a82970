"""Long threads: particles two edges apart along the weft or the warp may not drift apart.

A sweep of the solver carries a pull by one edge. Coarse limits (kernels/hierarchy.h) carry it far, but see
the mean of ridge and valley where cloth lies in folds of a few edges; there the ridges alone would stretch.
Threads hold them: each particle is tied to the one two edges on along either thread, on the same panel, so
that the threads of a ridge share its pull. Shear is free: threads may still turn against each other.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from toile.types import Floats, Garment, Ints

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
    for panel in np.unique(garment.uv_panel):
        members = np.flatnonzero(garment.uv_panel == panel)
        found = _along_threads(uv[members], edge)
        pairs.append(garment.uv_particle[members[found]])
        rests.append(np.linalg.norm(np.subtract(*uv[members[found]].transpose(1, 0, 2)), axis=1))
    pair, rest = np.concatenate(pairs).astype(np.int32), np.concatenate(rests)
    apart = pair[:, 0] != pair[:, 1]
    return np.ascontiguousarray(pair[apart]), rest[apart]


def _flat_points(garment: Garment, corner: Floats) -> Floats:
    """Return where each flat point is by the triangles' corners [m], (m, 2)."""
    uv = np.array(garment.uv)
    uv[garment.triangles_uv.ravel()] = corner.reshape(-1, 2)
    return uv


def _along_threads(uv: Floats, edge: float) -> Ints:
    """Return pairs of points of one panel that lie a span apart along a thread, (p, 2).

    The middle of a pair must lie on the panel too: no thread crosses a dart or a bay of the outline.
    """
    tree = cKDTree(uv)
    pairs = []
    for thread in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        off, far = tree.query(uv + SPAN * edge * thread)
        near = np.flatnonzero(off < OFF * edge)
        pairs.append(np.stack([near, far[near]], axis=1))
    pair = np.concatenate(pairs)
    middle, _ = tree.query(uv[pair].mean(axis=1))
    return np.asarray(pair[middle < (0.5 + OFF) * edge])
