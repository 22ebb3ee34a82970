"""Many shapes as one base shape and a few directions of change (principal components), frame by frame.

The components come from a limited number of frames spread over the whole (Sirovich 1987, method of
snapshots), so memory does not grow with the number of frames; every frame then gets its weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toile.core.records import Floats
from toile.geometry.raster import Floats32
from toile.geometry.rotation import nearest_rotation

SNAPSHOTS = 128


@dataclass(frozen=True, eq=False, slots=True)
class Basis:
    """shape(frame) ≈ weights[frame] @ components."""

    components: Floats32
    """orthonormal rows, strongest first, (k, d)"""
    weights: Floats
    """(frames, k)"""
    error: float
    """root mean square of what is left, per number of a shape"""


def fit_basis(read: Callable[[int], Floats32], count: int, *, most: int, tolerance: float) -> Basis:
    """Return a basis of ``count`` shapes; read(i) gives shape i as d numbers.

    most: largest number of components; fewer when the root mean square error is below tolerance already.
    """
    chosen = np.unique(np.linspace(0, count - 1, min(count, SNAPSHOTS)).round().astype(int))
    shapes = np.stack([read(int(i)) for i in chosen])
    # principal components from the small matrix of products between snapshots
    wide = shapes.astype(np.float64)
    strength, vectors = np.linalg.eigh(wide @ wide.T)
    del wide
    strength, vectors = np.maximum(strength[::-1], 0.0), vectors[:, ::-1]
    remaining = np.append(np.cumsum(strength[::-1])[::-1], 0.0)
    good = np.flatnonzero(remaining <= tolerance**2 * shapes.size)
    k = min(int(good[0]), most, int(np.sum(strength > 1e-12 * max(strength[0], 1e-30))))
    components = (vectors[:, :k] / np.sqrt(strength[:k])).astype(np.float32).T @ shapes
    del shapes
    weights = np.zeros((count, k))
    left, size = 0.0, components.shape[1]
    for i in range(count):
        shape = read(i)
        weights[i] = components @ shape
        left += float(np.dot(shape, shape)) - float(np.dot(weights[i], weights[i]))
    return Basis(components, weights, float(np.sqrt(max(left, 0.0) / max(count * size, 1))))


def align_points(reference: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Return rotation (3, 3) and translation (3,) that carry the reference onto points best, (n, 3) each."""
    a, b = reference.mean(axis=0), points.mean(axis=0)
    rotation = nearest_rotation((points - b).T @ (reference - a))
    return rotation, b - rotation @ a


def follow_signs(quaternions: Floats) -> Floats:
    """Return quaternions (f, …, 4) with signs chosen so that each frame is near the one before."""
    dots = np.sum(quaternions[1:] * quaternions[:-1], axis=-1)
    flips = np.cumprod(np.where(dots < 0, -1.0, 1.0), axis=0)
    out = quaternions.copy()
    out[1:] *= flips[..., None]
    return out
