"""Creases and pleats: fold lines whose cloth rests at an angle instead of flat.

A sharp fold by an angle θ along a line has the curvature 2 sin(θ/2) per unit of length, towards the side to
which the cloth is folded (the sum of the two unit vectors that point away from the line within the cloth).
The bending energy of each particle on the line is measured from that vector; it turns with the cloth, so it
is set anew before each step.
"""

from __future__ import annotations

import numpy as np

from toile.core.records import Floats, Garment, Ints

FLAT = 0.3
"""the normals beside a fold add up to less than this share when it is nearly shut: its direction is kept"""


class Folds:
    """The rest curvature of the stencils along the fold lines of one garment."""

    def __init__(self, garment: Garment, centre: Ints, scale: float = 1.0) -> None:
        """Find the stencils on fold lines; centre names the particle of each stencil, (s,)."""
        length = fold_curvature(garment) * np.sqrt(scale)
        self._star = np.flatnonzero(length[centre] != 0.0)
        self._particle = centre[self._star]
        self._size = length[self._particle]
        near = np.isin(garment.triangles, self._particle).any(axis=1)
        self._triangles = garment.triangles[near]
        self._particle_count = garment.particle_count
        self._towards = np.zeros((len(self._star), 3))

    def rest(self, position: Floats) -> Floats:
        """Return the rest curvature at every particle for cloth at these positions [√(N·m) m], (n, 3)."""
        rest = np.zeros((self._particle_count, 3))
        if len(self._star):
            rest[self._particle] = self._size[:, None] * self._directions(position)
        return rest

    def _directions(self, position: Floats) -> Floats:
        """Return the outside of the cloth at each fold particle, kept where the fold is shut, (k, 3)."""
        a, b, c = (position[self._triangles[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        total, size = np.zeros((self._particle_count, 3)), np.zeros(self._particle_count)
        for k in range(3):
            np.add.at(total, self._triangles[:, k], normal)
            np.add.at(size, self._triangles[:, k], np.linalg.norm(normal, axis=1))
        here, most = total[self._particle], size[self._particle]
        length = np.linalg.norm(here, axis=1)
        clear = (length > FLAT * most) | ~self._towards.any(axis=1)
        self._towards[clear] = here[clear] / np.maximum(length[clear], 1e-12)[:, None]
        return self._towards


def fold_curvature(garment: Garment) -> Floats:
    """Return the curvature of the folds through each particle, by its rigidity [√(N·m) m], (n,)."""
    ends = garment.uv[garment.fold_uv]
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    across = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.maximum(length, 1e-12)[:, None]
    rigidity = np.sqrt([[f.bend_weft, f.bend_warp] for f in garment.fabrics])
    fabric = np.zeros(len(garment.panel_names), dtype=np.int64)
    fabric[garment.uv_panel[garment.triangles_uv[:, 0]]] = garment.triangle_fabric
    root = (rigidity[fabric[garment.uv_panel[garment.fold_uv[:, 0]]]] * across**2).sum(axis=1)
    half = root * length * np.sin(garment.fold_angle / 2.0)  # 2 sin(θ/2) × half of the edge
    total = np.zeros(garment.particle_count)
    np.add.at(total, garment.uv_particle[garment.fold_uv].ravel(), np.repeat(half, 2))
    return total
