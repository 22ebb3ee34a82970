"""Values that the cloth is coloured by: how it fits, stretches, presses and touches, for each particle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from toile._kernels import SurfaceTree
from toile.core.records import Floats, Garment, PosedBody

FAR = 0.12
"""cloth farther from the skin than this is just loose [m]"""
TOUCH = 0.008
"""cloth nearer than this lies on the skin [m]"""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the bytes 0 and 255 mean."""

    low: float
    high: float
    unit: str


def strain_of(garment: Garment, position: Floats) -> Floats:
    """Return by how much the cloth at each particle is stretched at most, (n,)."""
    return _to_particles(garment, triangle_strain(garment, position))


def triangle_strain(garment: Garment, position: Floats) -> Floats:
    """Return the largest stretch of each triangle, (t,): the larger eigenvalue of FᵀF is its square."""
    gradient = _gradients(garment, position)
    u, v = gradient[:, :, 0], gradient[:, :, 1]
    uu, vv, uv = (np.einsum("tx,tx->t", p, q) for p, q in ((u, u), (v, v), (u, v)))
    middle, half = 0.5 * (uu + vv), 0.5 * (uu - vv)
    return np.asarray(np.sqrt(middle + np.sqrt(half**2 + uv**2)) - 1)


def _gradients(garment: Garment, position: Floats) -> Floats:
    """Return how each triangle is deformed: world per rest length, (t, 3, 2)."""
    a, b, c = (garment.uv[garment.triangles_uv[:, k]] for k in range(3))
    p, q, r = (position[garment.triangles[:, k]] for k in range(3))
    (x1, y1), (x2, y2) = (b - a).T, (c - a).T
    whole = x1 * y2 - x2 * y1
    first, second = (q - p) / whole[:, None], (r - p) / whole[:, None]
    along = y2[:, None] * first - y1[:, None] * second
    across = x1[:, None] * second - x2[:, None] * first
    return np.stack([along, across], axis=2)


def _to_particles(garment: Garment, values: Floats) -> Floats:
    """Return the mean of triangles' values for each of their corners."""
    corners = garment.triangles.ravel()
    count = garment.particle_count
    total = np.bincount(corners, np.repeat(values, 3), count)
    return np.asarray(total / np.maximum(np.bincount(corners, minlength=count), 1))


def _distance(garment: Garment, position: Floats, body: PosedBody | None) -> Floats:
    """Return the signed distance to the skin, at most FAR, (n,) [m]."""
    if body is None:
        return np.full(len(position), FAR)
    tree = SurfaceTree(body.body.triangles, body.vertices)
    found = np.asarray(tree.nearest(position, FAR)[0])
    known = found >= 0
    corners = body.vertices[body.body.triangles[np.maximum(found, 0)]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    height = np.einsum("nx,nx->n", position - corners.mean(axis=1), normal)
    near = np.abs(np.asarray(height))
    inside = height < 0
    return np.where(known, np.where(inside, -near, np.minimum(near, FAR)), FAR)


def touching(garment: Garment, position: Floats, body: PosedBody | None) -> int:
    """Return how many particles lie on the skin."""
    return int((_distance(garment, position, body) < TOUCH).sum())


def _fit(garment: Garment, position: Floats, body: PosedBody | None) -> Floats:
    return _distance(garment, position, body)


def _strain(garment: Garment, position: Floats, body: PosedBody | None) -> Floats:
    return strain_of(garment, position)


def _contact(garment: Garment, position: Floats, body: PosedBody | None) -> Floats:
    return (_distance(garment, position, body) < TOUCH).astype(np.float64)


def _penetration(garment: Garment, position: Floats, body: PosedBody | None) -> Floats:
    return np.maximum(-_distance(garment, position, body), 0.0)


def _pressure(garment: Garment, position: Floats, body: PosedBody | None) -> Floats:
    """Return what stretched cloth presses on the skin with [Pa], where it lies on it.

    At rest the skin bears what the threads' tension does not balance: minus the membrane's force across the
    cloth, over its area.
    """
    touching = _distance(garment, position, body) < TOUCH
    return np.where(touching, np.maximum(inward_pressure(garment, position), 0.0), 0.0)


def inward_pressure(garment: Garment, position: Floats) -> Floats:
    """Return the membrane's force inward over the area of each particle [Pa], (n,)."""
    force, area, normal = _membrane(garment, position)
    return np.asarray(-np.einsum("nx,nx->n", force, normal) / np.maximum(area, 1e-12))


def _membrane(garment: Garment, position: Floats) -> tuple[Floats, Floats, Floats]:
    """Return force [N], area [m²] and outward normal of each particle, by Green's strain."""
    a, b, c = (garment.uv[garment.triangles_uv[:, k]] for k in range(3))
    gradient = _gradients(garment, position)
    green = 0.5 * (np.swapaxes(gradient, 1, 2) @ gradient - np.eye(2))
    stiff = np.array([[f.stretch_weft, f.stretch_warp, f.shear] for f in garment.fabrics])
    weft, warp, shear = stiff[garment.triangle_fabric].T
    stress = np.zeros_like(green)
    stress[:, 0, 0], stress[:, 1, 1] = weft * green[:, 0, 0], warp * green[:, 1, 1]
    stress[:, 0, 1] = stress[:, 1, 0] = 2 * shear * green[:, 0, 1]
    rest = np.stack([b - a, c - a], axis=2)
    area = 0.5 * np.abs(np.linalg.det(rest))
    # the force on the second and third corner; the first takes what is left
    pull = -area[:, None, None] * (gradient @ stress @ np.swapaxes(np.linalg.inv(rest), 1, 2))
    count, corners = garment.particle_count, garment.triangles
    force, normal = np.zeros((count, 3)), np.zeros((count, 3))
    for k, part in enumerate((-(pull[:, :, 0] + pull[:, :, 1]), pull[:, :, 0], pull[:, :, 1])):
        np.add.at(force, corners[:, k], part)
    p, q, r = (position[corners[:, k]] for k in range(3))
    across = np.cross(q - p, r - p)
    for k in range(3):
        np.add.at(normal, corners[:, k], across)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    spread = np.bincount(corners.ravel(), (area[:, None] * _angle_shares(a, b, c)).ravel(), count)
    return force, spread.astype(np.float64), normal


def _angle_shares(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return the share of a triangle that belongs to each of its corners: its angle in half turns, (t, 3).

    With equal thirds the figures would show the mesh: corners of many narrow triangles would get too much.
    """
    sides = [(b - a, c - a), (c - b, a - b), (a - c, b - c)]
    angles = [
        np.abs(np.arctan2(p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0], np.einsum("tx,tx->t", p, q)))
        for p, q in sides
    ]
    return np.stack(angles, axis=1) / np.pi


OVERLAYS: Mapping[str, tuple[Callable[[Garment, Floats, PosedBody | None], Floats] | None, Scale]] = {
    "none": (None, Scale(0.0, 1.0, "")),
    "fit": (_fit, Scale(0.0, 0.06, "m from the skin")),
    "strain": (_strain, Scale(-0.05, 0.1, "")),
    "pressure": (_pressure, Scale(0.0, 3000.0, "Pa")),
    "contact": (_contact, Scale(0.0, 1.0, "")),
    "penetration": (_penetration, Scale(0.0, 0.005, "m")),
}
"""name → function(garment, position, body) → value of each particle, and its scale"""


def overlay_bytes(name: str, garment: Garment, position: Floats, body: PosedBody | None) -> np.ndarray | None:
    """Return the values of an overlay as bytes; None: there is nothing to show."""
    values, scale = OVERLAYS[name]
    if values is None:
        return None
    share = (values(garment, position, body) - scale.low) / (scale.high - scale.low)
    return np.rint(255 * np.clip(np.nan_to_num(share), 0.0, 1.0)).astype(np.uint8)
