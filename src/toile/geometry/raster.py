"""Pictures of triangles as arrays: which triangle each pixel sees, how far, and where in the triangle.

Serves the rendered pictures and the image-space collision maps alike. Pixel (row r, column c) has its
centre at x = c + 0.5, y = r + 0.5; y points down. Results are the same for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toile import _kernels
from toile.core.records import Floats, Ints

Floats32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False, slots=True)
class Visible:
    """What a picture sees, pixel by pixel."""

    triangle: Ints
    """index of the triangle, -1 where there is none, (h, w)"""
    depth: Floats32
    """as given with the points; infinite where there is nothing, (h, w)"""
    pixel: Ints
    """flat indices of the pixels that see a triangle, (p,)"""
    weights: Floats32
    """shares of the triangle's second and third corner at those pixels, (p, 2)"""
    triangles: Ints
    """what was drawn, (t, 3)"""

    def mix(self, values: ArrayLike) -> Floats32:
        """Return point values (n, k) interpolated at the covered pixels, (p, k)."""
        table = np.ascontiguousarray(values, dtype=np.float32)
        flat = table.reshape(len(table), -1)
        mixed: Floats32 = _kernels.mix(self.hit, self.weights, self.triangles, flat)
        return mixed

    @property
    def hit(self) -> Ints:
        """Triangle of each covered pixel, (p,)."""
        return self.triangle.reshape(-1)[self.pixel]

    def image(self, values: NDArray[Any], background: float = 0.0) -> NDArray[Any]:
        """Return a picture (h, w, k) with these values at the covered pixels."""
        height, width = self.triangle.shape
        picture = np.full((height * width, *values.shape[1:]), background, dtype=values.dtype)
        picture[self.pixel] = values
        return picture.reshape(height, width, *values.shape[1:])


def visible(
    points: Floats, triangles: Ints, width: int, height: int, *, farthest: bool = False, cull: int = 0
) -> tuple[Ints, Floats32]:
    """Return triangle and depth per pixel, (h, w) each, without weights: all that a shadow map needs.

    points: x, y in pixels and a depth that is linear on the screen, (n, 3). The nearest triangle wins (or the
    farthest), the first one on equal depth. cull: 1 draws triangles that are counter-clockwise to
    the viewer only, -1 the others only. Triangles with a point that is not finite are left out.
    """
    found: tuple[Ints, Floats32] = _kernels.visible(points, triangles, width, height, farthest, cull)
    return found


def rasterise(
    points: Floats,
    triangles: Ints,
    width: int,
    height: int,
    *,
    inverse_w: Floats | None = None,
    farthest: bool = False,
    cull: int = 0,
    only: NDArray[np.integer[Any]] | None = None,
) -> Visible:
    """Return what each pixel sees, with the place in the triangle; see visible() for the arguments.

    inverse_w: 1/w of each point in a perspective picture, so that weights are right in space, (n,).
    only: flat indices of the pixels for which the place in the triangle is wanted; None: all.
    """
    triangle, depth = visible(points, triangles, width, height, farthest=farthest, cull=cull)
    flat = triangle.reshape(-1)
    covered = np.flatnonzero(flat >= 0) if only is None else only[flat[only] >= 0]
    pixel = covered.astype(np.int32)
    w = np.zeros(0) if inverse_w is None else np.ascontiguousarray(inverse_w)
    hit = triangle.reshape(-1)[pixel]
    weights = _kernels.pixel_weights(pixel, hit, points, triangles, w, width, height)
    return Visible(triangle, depth, pixel, weights, triangles)
