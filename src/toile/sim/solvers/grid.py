"""Cloth that is a rectangle of equal cells: its constraints need no lists (engine/cloth/grid_step.h).

Flags, table-cloths and the squares of experiments take about 0.6 of the time that lists would, by the same
equations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.core.records import Floats, Garment, Ints
from toile.garment.mesh.grid import cell_triangles

FEWEST = 32
"""columns; narrower cloth leaves most lanes of a vector empty"""
EQUAL = 1e-6
"""cells differ by less than this share"""


@dataclass(frozen=True, eq=False, slots=True)
class Grid:
    """Rows and columns of particles, stored row by row from the first corner."""

    rows: int
    columns: int
    cell: Floats
    """width and height of a cell [m], (2,)"""
    alternate: bool
    """every second cell is cut along the other diagonal"""


def find_grid(garment: Garment) -> Grid | None:
    """Return the grid that a garment is, if it is one of equal cells, of one fabric and without seams."""
    count = garment.particle_count
    if len(garment.seam_uv) or len(garment.fold_uv) or len(garment.uv) != count:
        return None
    if (np.diff(garment.triangle_fabric) != 0).any() or (garment.uv_particle != np.arange(count)).any():
        return None
    columns = int(np.argmax(garment.uv[:, 1] != garment.uv[0, 1]))
    if columns < FEWEST or count % columns or count < 2 * columns:
        return None
    rows = count // columns
    uv = garment.uv.reshape(rows, columns, 2)
    cell = (uv[-1, -1] - uv[0, 0]) / (columns - 1, rows - 1)
    u, v = np.meshgrid(np.arange(columns), np.arange(rows))
    if not (cell > 0).all() or (np.abs(uv - uv[0, 0] - np.stack([u, v], axis=2) * cell) > EQUAL * cell).any():
        return None
    for alternate in (True, False):
        cells = cell_triangles(columns - 1, rows - 1, alternate=alternate)
        if all(np.array_equal(cells, t) for t in (garment.triangles, garment.triangles_uv)):
            return Grid(rows, columns, cell, alternate)
    return None


def grid_stencil(grid: Grid, particles: Ints, weight: Floats, centre: Ints) -> tuple[Ints, Floats]:
    """Return which stencil of a grid each particle has, -1: none, (n,), and weights of its neighbours, (2,).

    particles and weight (s, k) are the stencils with their centres (s,). A stencil is cu (left + right)
    + cv (below + above) - 2 (cu + cv) middle.
    """
    count = grid.rows * grid.columns
    column, row = centre % grid.columns, centre // grid.columns
    inner = (column > 0) & (column < grid.columns - 1) & (row > 0) & (row < grid.rows - 1)
    away = np.where(particles >= 0, np.abs(particles - centre[:, None]), -1)

    def at(step: int) -> tuple[Floats, Floats]:
        """Return the sum and the largest of the weights of particles that far away, (s,) each."""
        own = np.where(away == step, weight, 0.0)
        return own.sum(axis=1), own.max(axis=1, initial=0.0)

    (middle, _), (along, most_along), (up, most_up) = (at(step) for step in (0, 1, grid.columns))
    bend = np.array([most_along[inner].max(initial=0.0), most_up[inner].max(initial=0.0)])
    size = 1e-6 * bend.max()
    expected = 2 * bend
    total = np.abs(weight).sum(axis=1, where=away >= 0)
    same = np.abs(along - expected[0]) + np.abs(up - expected[1]) < size
    same &= (np.abs(middle + expected.sum()) < size) & (total < 2 * expected.sum() + size)
    stencil_of = np.full(count, -1, dtype=np.int32)
    stencils = np.flatnonzero(inner & same)
    stencil_of[centre[stencils]] = stencils
    return stencil_of, bend
