"""Plane sections of a triangle mesh and the length of a tape round them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from toile.core.records import Bools, Floats, Ints
from toile.geometry.rotation import cross

TAPE_DIRECTIONS = 180


@dataclass(frozen=True, eq=False, slots=True)
class Region:
    """Part of a mesh that is to be cut."""

    rows: Ints
    """vertices of the mesh, (r,)"""
    edges: Ints
    """places in rows, (e, 2)"""


def unique_edges(triangles: Ints) -> Ints:
    """Return each edge of the triangles once, (e, 2)."""
    pairs = np.sort(
        np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1
    )
    span = int(pairs.max(initial=0)) + 1
    # one number an edge: sorting rows is ten times slower
    keys = np.unique(pairs[:, 0].astype(np.int64) * span + pairs[:, 1])
    return np.stack([keys // span, keys % span], axis=1).astype(np.int32)


def region(edges: Ints, mask: Bools) -> Region:
    """Return the part of a mesh between the vertices of a mask."""
    rows = np.flatnonzero(mask).astype(np.int32)
    place = np.zeros(len(mask), dtype=np.int32)
    place[rows] = np.arange(len(rows))
    return Region(rows, place[edges[mask[edges].all(axis=1)]])


@dataclass(frozen=True, eq=False, slots=True)
class Section:
    """Where a plane cuts edges."""

    points: Floats
    """[m], (c, 3)"""
    start: Ints
    """vertices at the edges' ends, (c,)"""
    end: Ints
    share: Floats
    """how far from start to end, (c,)"""


def cut_region(
    vertices: Floats, part: Region, origin: Floats, normal: Floats, reach: float | None = None
) -> Section:
    """Return where a plane cuts the edges of a region, at most so far from the origin [m]."""
    points = vertices[part.rows]
    height = (points - origin) @ normal
    above = height > 0
    start, end = part.edges.T
    crossing = above[start] != above[end]
    start, end = start[crossing], end[crossing]
    share = height[start] / (height[start] - height[end])
    found = points[start] + share[:, None] * (points[end] - points[start])
    if reach is not None:
        near = ((found - origin) ** 2).sum(axis=1) < reach**2
        found, start, end, share = found[near], start[near], end[near], share[near]
    return Section(found, part.rows[start], part.rows[end], share)


def plane_axes(normal: Floats) -> Floats:
    """Return two unit vectors across a normal, (2, 3)."""
    helper = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.8 else np.array([0.0, 0.0, 1.0])
    u = cross(normal, helper)
    u /= np.sqrt(u @ u)
    return np.stack([u, cross(normal, u)])


@functools.cache
def tape_directions() -> Floats:
    """Return the directions in which a tape is held, (2, TAPE_DIRECTIONS)."""
    angle = np.arange(TAPE_DIRECTIONS) * (2 * np.pi / TAPE_DIRECTIONS)
    return np.stack([np.cos(angle), np.sin(angle)])


def tape_length(points: Floats) -> float:
    """Return the length of a tight tape round points of a plane, (p, 2) [m]: their hull's perimeter.

    Cauchy's formula: the perimeter is the integral of the support function over all directions; 180 of them
    give a smooth value that is exact within 1e-4 of its length, and costs one matrix product.
    """
    if len(points) < 3:
        return 0.0
    support = (points @ tape_directions()).max(axis=0)
    return float(support.sum() * (2 * np.pi / TAPE_DIRECTIONS))


def convex_hull(points: Floats) -> Ints:
    """Return the corners of the convex hull in counter-clockwise order, as places in points (p, 2)."""
    order = np.lexsort((points[:, 1], points[:, 0]))
    place = points.tolist()

    def chain(run: list[int]) -> list[int]:
        kept: list[int] = []
        for p in run:
            while len(kept) > 1 and _turn(place[kept[-2]], place[kept[-1]], place[p]) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return np.array(chain(order.tolist()) + chain(order[::-1].tolist()), dtype=np.int32)


def _turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
