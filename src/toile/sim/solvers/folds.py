"""Creases and pleats: fold lines whose cloth rests at an angle instead of flat.

A sharp fold by an angle θ along a line has the curvature 2 sin(θ/2) per unit of length, towards the side to
which the cloth is folded (the sum of the two unit vectors that point away from the line within the cloth).
The bending energy of each particle on the line is measured from that vector; it turns with the cloth, so it
is set anew before each step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from toile.core.records import Floats, Garment, Ints


def fold_arrays(garment: Garment, centre: Ints, scale: float = 1.0) -> dict[str, Any]:
    """Return particles on fold lines, their curvature and the triangles round them; none: nothing.

    centre names the particle of each bending stencil, (s,).
    """
    length = fold_curvature(garment) * np.sqrt(scale)
    particle = centre[length[centre] != 0.0]
    if not len(particle):
        return {}
    near = np.isin(garment.triangles, particle).any(axis=1)
    return {
        "folds.particle": particle,
        "folds.curvature": length[particle],
        "folds.triangles": garment.triangles[near],
    }


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
