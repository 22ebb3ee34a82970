"""Gathers and ease: where a long edge is sewn to a shorter one, the thread draws the longer together.

Once welded, both sides share their vertices. Without this the long side would push the short one apart like
a spring; cloth that is gathered buckles instead.
"""

from __future__ import annotations

import numpy as np

from toile.core.records import Floats, Garment

SAME = 0.98
"""sides whose lengths have at least this ratio are sewn as they are"""
_SIDES = ((0, 1), (1, 2), (2, 0))


def gathered_corners(garment: Garment) -> Floats:
    """Return the flat corners of triangles, drawn together where the other side is shorter [m], (t, 3, 2)."""
    corners = np.array(garment.uv[garment.triangles_uv])
    count = garment.particle_count
    length = np.stack([np.linalg.norm(corners[:, b] - corners[:, a], axis=1) for a, b in _SIDES], axis=1)
    start, end = garment.triangles, garment.triangles[:, [1, 2, 0]]
    key = np.minimum(start, end).astype(np.int64) * count
    key += np.maximum(start, end)
    _, edge = np.unique(key, return_inverse=True)
    edge = edge.reshape(length.shape)
    shortest = np.full(int(edge.max(initial=-1)) + 1, np.inf)
    np.minimum.at(shortest, edge.ravel(), length.ravel())
    ratio = shortest[edge] / np.maximum(length, 1e-12)
    for k, (a, b) in enumerate(_SIDES):
        drawn = ratio[:, k] < SAME
        middle = 0.5 * (corners[drawn, a] + corners[drawn, b])
        for corner in (a, b):
            corners[drawn, corner] = middle + (corners[drawn, corner] - middle) * ratio[drawn, k, None]
    return corners
