"""Measures of triangle meshes: areas, normals, masses, cotangents, deformation and strain.

`position` (n, 3) may also be flat (n, 2). Strain compares positions with the flat uv points whose +y is the
warp.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.core.records import Floats, Ints


def triangle_areas(position: Floats, triangles: Ints) -> Floats:
    """Return the area of each triangle [m²], never negative, (t,)."""
    if position.shape[1] == 2:
        return np.abs(signed_areas(position, triangles))
    return np.asarray(0.5 * np.linalg.norm(_cross(position, triangles), axis=1))


def signed_areas(uv: Floats, triangles: Ints) -> Floats:
    """Return the area of each flat triangle [m²], negative where it runs clockwise, (t,)."""
    (u, v), (a, b, c) = uv.T, triangles.T
    return np.asarray(0.5 * ((u[b] - u[a]) * (v[c] - v[a]) - (v[b] - v[a]) * (u[c] - u[a])))


def triangle_normals(position: Floats, triangles: Ints) -> Floats:
    """Return the unit normal of each triangle, zero where it has no area, (t, 3)."""
    return _unit(_cross(position, triangles))


def triangle_axes(corners: Floats) -> Floats:
    """Return world_from_triangle rotations (t, 3, 3) of corners (t, 3, 3), as the kernel `ride` has them.

    Columns: along the first side, across, normal. A triangle without area has zeros.
    """
    along = corners[:, 1] - corners[:, 0]
    normal = _unit(np.cross(along, corners[:, 2] - corners[:, 0]))
    along = _unit(along)
    return np.stack([along, np.cross(normal, along), normal], axis=2)


def vertex_normals(position: Floats, triangles: Ints) -> Floats:
    """Return the unit normal of each vertex: mean of its triangles' normals weighted by area, (n, 3)."""
    cross = np.repeat(_cross(position, triangles), 3, axis=0)
    flat = triangles.ravel()
    total = [np.bincount(flat, cross[:, k], len(position)) for k in range(3)]
    return _unit(np.stack(total, axis=1).astype(np.float64))


def vertex_areas(areas: Floats, triangles: Ints, vertex_count: int) -> Floats:
    """Return a third of the area of the triangles round each vertex [m²], (n,)."""
    return np.asarray(np.bincount(triangles.ravel(), np.repeat(areas / 3.0, 3), vertex_count))


def lumped_masses(areas: Floats, triangle_mass: Floats, triangles: Ints, vertex_count: int) -> Floats:
    """Return the mass of each vertex [kg] for areas [m²] and areal masses [kg/m²] per triangle, (n,)."""
    return vertex_areas(areas * triangle_mass, triangles, vertex_count)


def inverse_rest_matrices(uv: Floats, triangles_uv: Ints) -> Floats:
    """Return the inverse of each flat triangle's two side vectors [1/m], (t, 2, 2).

    Triangles without area get zeros.
    """
    corners = uv[triangles_uv]
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    determinant = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    adjugate = np.stack([b[:, 1], -b[:, 0], -a[:, 1], a[:, 0]], axis=1).reshape(-1, 2, 2)
    scale = np.divide(1.0, determinant, out=np.zeros_like(determinant), where=np.abs(determinant) > 1e-18)
    return np.asarray(adjugate * scale[:, None, None])


def deformation(position: Floats, triangles: Ints, uv: Floats, triangles_uv: Ints) -> Floats:
    """Return ∂position/∂uv of each triangle, (t, 3, 2): column 0 along the weft, column 1 along the warp."""
    corners = _in_space(position)[triangles]
    sides = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
    return np.asarray(sides @ inverse_rest_matrices(uv, triangles_uv))


def strain(position: Floats, triangles: Ints, uv: Floats, triangles_uv: Ints) -> Floats:
    """Return the strain of each triangle, (t, 3): weft and warp elongation, and shear.

    Elongation is |∂x/∂u| − 1 (0.01 is one per cent longer). Shear is the sine of the angle by which warp
    and weft left their right angle; a triangle that has collapsed has shear 0.
    """
    columns = deformation(position, triangles, uv, triangles_uv)
    length = np.linalg.norm(columns, axis=1)
    dot = np.einsum("ti,ti->t", columns[:, :, 0], columns[:, :, 1])
    product = length.prod(axis=1)
    shear = np.divide(dot, product, out=np.zeros_like(dot), where=product > 1e-12)
    return np.concatenate([length - 1.0, shear[:, None]], axis=1)


@dataclass(frozen=True, slots=True)
class StretchStatistics:
    """How much the edges of a cloth are longer than at rest; edges that are shorter count as 0."""

    mean: float
    percentile_99: float
    largest: float


def edge_elongation(position: Floats, triangles: Ints, uv: Floats, triangles_uv: Ints) -> Floats:
    """Return length / rest length − 1 of each triangle's three sides, (t, 3).

    An inner edge appears in both of its triangles and so counts twice: by area, as it should. A side that a
    seam has joined keeps the two rest lengths of its two panels.
    """
    now, rest = side_lengths(_in_space(position), triangles), side_lengths(uv, triangles_uv)
    return np.asarray(now / np.maximum(rest, 1e-12) - 1.0)


def stretch_statistics(
    position: Floats, triangles: Ints, uv: Floats, triangles_uv: Ints
) -> StretchStatistics:
    """Return mean, 99th percentile and largest elongation over all sides of all triangles."""
    longer = np.maximum(edge_elongation(position, triangles, uv, triangles_uv), 0.0)
    if not longer.size:
        return StretchStatistics(0.0, 0.0, 0.0)
    return StretchStatistics(float(longer.mean()), float(np.percentile(longer, 99.0)), float(longer.max()))


def side_lengths(points: Floats, triangles: Ints) -> Floats:
    """Return the lengths of the sides of triangles, from each corner to the next, (t, 3)."""
    corners = points[triangles]
    return np.asarray(np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2))


def _cross(position: Floats, triangles: Ints) -> Floats:
    corners = _in_space(position)[triangles]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _in_space(points: Floats) -> Floats:
    """Return points with a third coordinate."""
    return points if points.shape[1] == 3 else np.concatenate([points, np.zeros((len(points), 1))], axis=1)


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 1e-30))
