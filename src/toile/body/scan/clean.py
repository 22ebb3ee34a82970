"""Cleaning a scan: weld, floor plane, loose parts; then points with normals, spread evenly by area."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from toile.core.errors import ToileError
from toile.core.records import Bools, Floats, Ints

FLOOR_AREA = 0.07
"""a floor holds at least this share of the area"""
FLOOR_SIDE = 0.985
"""and this share of the rest lies on one side of it"""
FLOOR_NEAR = 0.004
"""thickness of the floor over the size of the scan"""
LOOSE = 0.004
"""parts smaller than this share of the area are dropped"""
SAMPLES = 30_000
NEIGHBOURS = 20


@dataclass(frozen=True, eq=False, slots=True)
class Cloud:
    """Points on a scan."""

    points: Floats
    """in the file's unit until it is oriented, then [m], (n, 3)"""
    normals: Floats
    """unit; their signs are not to be trusted, (n, 3)"""
    floor: Floats | None = None
    """unit normal of the floor that was removed, either sign, (3,)"""


def clean(points: Floats, triangles: Ints, name: str) -> Cloud:
    """Return points on the largest parts of a scan, in the file's unit and axes."""
    points, triangles = weld(points, triangles)
    if len(triangles) < 200 or np.ptp(points, axis=0).max() <= 0.0:
        raise ToileError(f"{name}: holds no surface: export it again")
    flat, floor = _floor(points, triangles)
    triangles = triangles[~flat]
    triangles = triangles[_large(triangles, _areas(points, triangles), len(points))]
    if len(triangles) < 200:
        raise ToileError(f"{name}: nothing is left beside a flat plane and loose bits: this is not a person")
    found = sample(points, triangles, SAMPLES)
    return Cloud(found, normals_of(found), floor)


def weld(points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Return the mesh with equal points joined (to a millionth of its size) and without flat triangles."""
    low = points.min(axis=0)
    size = max(float((points.max(axis=0) - low).max()), 1e-30)
    cell = np.round((points - low) / size * 1_000_000).astype(np.int64)
    key = (cell[:, 0] << 42) | (cell[:, 1] << 21) | cell[:, 2]
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    joined = place[triangles]
    a, b, c = joined.T
    return points[first], joined[(a != b) & (b != c) & (c != a)].astype(np.int32)


def _areas(points: Floats, triangles: Ints) -> Floats:
    a, b, c = (points[triangles[:, i]] for i in range(3))
    areas: Floats = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return areas


def _floor(points: Floats, triangles: Ints) -> tuple[Bools, Floats | None]:
    """Return which triangles belong to a plane that the person stands on (or a wall behind), its normal."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    normals /= np.maximum(areas, 1e-30)[:, None]
    rng = np.random.default_rng(0)
    share = areas / areas.sum()
    few = rng.choice(len(triangles), 4000, p=share)
    centre, facing = (a[few] + b[few] + c[few]) / 3, normals[few]
    near = FLOOR_NEAR * float(np.ptp(points, axis=0).max())
    for i in range(150):
        height = (centre - centre[i]) @ facing[i]
        flat = (np.abs(height) < near) & (np.abs(facing @ facing[i]) > 0.95)
        if flat.mean() < FLOOR_AREA or flat.mean() > 0.97:
            continue
        above = (height[~flat] > -near).mean()
        if max(above, (height[~flat] < near).mean()) >= FLOOR_SIDE:
            tall = np.abs((points - centre[i]) @ facing[i]) < near
            on: Bools = tall[triangles].all(axis=1) & (np.abs(normals @ facing[i]) > 0.9)
            return on, facing[i]
    return np.zeros(len(triangles), dtype=np.bool_), None


def _large(triangles: Ints, areas: Floats, count: int) -> Bools:
    """Return which triangles belong to parts that are large enough to be of the person."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]])
    links = coo_array((np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(count, count))
    _, label = connected_components(links, directed=False)
    part = label[triangles[:, 0]]
    total = np.bincount(part, weights=areas)
    keep: Bools = (total >= LOOSE * areas.sum())[part]
    return keep


def sample(points: Floats, triangles: Ints, count: int) -> Floats:
    """Return points spread evenly over a surface, (count, 3)."""
    areas = _areas(points, triangles)
    rng = np.random.default_rng(1)
    row = rng.choice(len(triangles), count, p=areas / areas.sum())
    u, v = rng.random((2, count, 1))
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    a, b, c = (points[triangles[row, i]] for i in range(3))
    found: Floats = a + u * (b - a) + v * (c - a)
    return found


def normals_of(points: Floats) -> Floats:
    """Return the direction in which each point's neighbourhood is thinnest, (n, 3)."""
    _, near = cKDTree(points).query(points, k=NEIGHBOURS)
    around = points[near] - points[near].mean(axis=1, keepdims=True)
    _, axes = np.linalg.eigh(np.einsum("nka,nkb->nab", around, around))
    thin: Floats = np.ascontiguousarray(axes[:, :, 0])
    return thin
