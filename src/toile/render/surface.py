"""Surfaces as pictures and files need them: normals, points split at seams, seam lines."""

from __future__ import annotations

import numpy as np

from toile.body.model.skin import vertex_faces
from toile.body.model.skin import vertex_normals as vertex_normals_of_body
from toile.core.records import Bools, Floats, Garment, Ints

FAR = 1e6
"""stands for "no such line" [m]"""
OPEN = 0.005
"""a seam that is wider open is marked [m]"""
MARK = (0.75, 0.03, 0.03)
"""linear RGB of such places"""


class SurfaceNormals:
    """Normals of a surface that moves: what does not change is found once."""

    def __init__(self, triangles: Ints, vertex_count: int) -> None:
        self._triangles = np.ascontiguousarray(triangles, dtype=np.int32)
        self._around = vertex_faces(self._triangles, vertex_count)

    def __call__(self, vertices: Floats) -> Floats:
        """Return unit normals, area-weighted; up where there is no surface, (n, 3)."""
        points = np.ascontiguousarray(vertices, dtype=np.float64)
        normals = vertex_normals_of_body(points, self._triangles, self._around)
        bad = ~(np.einsum("ij,ij->i", normals, normals) > 0.5)
        if bad.any():
            normals = np.where(bad[:, None], [0.0, 1.0, 0.0], normals)
        return normals


def vertex_normals(vertices: Floats, triangles: Ints) -> Floats:
    """Return unit normals, each the area-weighted mean of the triangles round a vertex, (n, 3)."""
    return SurfaceNormals(triangles, len(vertices))(vertices)


def _edge_keys(pairs: Ints, count: int) -> Ints:
    low, high = pairs.min(axis=-1).astype(np.int64), pairs.max(axis=-1).astype(np.int64)
    keys: Ints = low * count + high
    return keys


def seam_edges(garment: Garment) -> tuple[Bools, Bools]:
    """Return for each triangle side opposite its corners 0, 1, 2: seam? open edge? (t, 3)."""
    count = len(garment.uv)
    sides = garment.triangles_uv[:, [[1, 2], [2, 0], [0, 1]]]
    keys = _edge_keys(sides, count)
    _, inverse, uses = np.unique(keys.ravel(), return_inverse=True, return_counts=True)
    border = (uses[inverse] == 1).reshape(keys.shape)
    sewn = np.zeros(count, dtype=bool)
    sewn[garment.seam_uv.ravel()] = True
    seam: Bools = border & sewn[sides].all(axis=-1)
    return seam, border & ~seam


def line_heights(garment: Garment, marked: Bools) -> Floats:
    """Return each corner's distance from the opposite side [m] where that is marked, else FAR, (t, 3)."""
    corners = garment.uv[garment.triangles_uv]
    e = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    height = area[:, None] / np.maximum(np.linalg.norm(e, axis=-1), 1e-12)
    heights: Floats = np.where(marked, height, FAR)
    return heights


def with_open_seams(garment: Garment, position: Floats, colour: Floats) -> Floats:
    """Return linear colours of the triangles (t, 3), red beside seams that stay open; else as they were."""
    pairs = garment.uv_particle[garment.seam_uv]
    open_ = np.linalg.norm(position[pairs[:, 0]] - position[pairs[:, 1]], axis=1) > OPEN
    if not open_.any():
        return colour
    marked = np.broadcast_to(np.asarray(colour, dtype=np.float64), (len(garment.triangles), 3)).copy()
    marked[np.isin(garment.triangles, pairs[open_]).any(axis=1)] = MARK
    return marked
