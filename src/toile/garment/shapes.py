"""Plain cloths for tests, benchmarks and first trials: a rectangle on a regular grid, a tube."""

from __future__ import annotations

import numpy as np

from toile.core import defaults
from toile.core.records import Fabric, Floats, Garment, Ints
from toile.garment.build import weld
from toile.garment.fabric import fabric as fabric_named
from toile.garment.mesh.grid import cell_triangles


def square_cloth(
    columns: int = 32,
    rows: int = 32,
    width: float = 1.0,
    height: float = 1.0,
    fabric: str | Fabric = defaults.FABRIC,
    *,
    diagonals: str = "alternate",
) -> Garment:
    """Return a rectangle of columns × rows cells [m], particle (row, column) at row · (columns + 1) + column.

    The first row is at y = 0. diagonals: "alternate" (no preferred direction) or "same".
    """
    x, y = np.meshgrid(np.linspace(0.0, width, columns + 1), np.linspace(0.0, height, rows + 1))
    uv = np.stack([x.ravel(), y.ravel()], axis=1)
    return plain_cloth(
        "cloth",
        uv,
        cell_triangles(columns, rows, alternate=diagonals == "alternate"),
        fabric,
        np.zeros((0, 2), dtype=np.int32),
    )


def tube_cloth(
    columns: int = 48,
    rows: int = 24,
    circumference: float = 0.9,
    height: float = 0.5,
    fabric: str | Fabric = defaults.FABRIC,
) -> tuple[Garment, Floats]:
    """Return a welded tube (one seam) and its position round the y axis, y from 0 to height [m]."""
    flat = square_cloth(columns, rows, circumference, height, fabric)
    left = np.arange(rows + 1, dtype=np.int32) * (columns + 1)
    tube = weld(
        plain_cloth("tube", flat.uv, flat.triangles, fabric, np.stack([left, left + columns], axis=1))
    )
    # the outside of the cloth is where its normals point: seen from outside, u runs to the right
    angle = flat.uv[:, 0] / circumference * 2.0 * np.pi
    radius = circumference / (2.0 * np.pi)
    points = np.stack([radius * np.sin(angle), flat.uv[:, 1], radius * np.cos(angle)], axis=1)
    position = np.zeros((tube.particle_count, 3))
    position[tube.uv_particle[::-1]] = points[::-1]
    return tube, position


def flat_position(garment: Garment) -> Floats:
    """Return the particles where their (first) uv points lie, in the plane z = 0 [m], (n, 3)."""
    position = np.zeros((garment.particle_count, 3))
    position[garment.uv_particle[::-1], :2] = garment.uv[::-1]
    return position


def plain_cloth(name: str, uv: Floats, triangles: Ints, fabric: str | Fabric, seam_uv: Ints) -> Garment:
    """Return a garment of one panel."""
    count = len(uv)
    return Garment(
        name=name,
        triangles=triangles,
        uv=uv,
        triangles_uv=triangles,
        uv_particle=np.arange(count, dtype=np.int32),
        uv_panel=np.zeros(count, dtype=np.int32),
        panel_names=(name,),
        fabrics=(fabric_named(fabric) if isinstance(fabric, str) else fabric,),
        triangle_fabric=np.zeros(len(triangles), dtype=np.int32),
        seam_uv=seam_uv,
        seam_id=np.zeros(len(seam_uv), dtype=np.int32),
        seam_names=("side",) if len(seam_uv) else (),
        hold_particle=np.zeros(0, dtype=np.int32),
        particle_garment=np.zeros(count, dtype=np.int32),
        garment_names=(name,),
        garment_layer=np.zeros(1, dtype=np.int32),
        edge_length=float(np.linalg.norm(uv[triangles[0, 1]] - uv[triangles[0, 0]])),
    )
