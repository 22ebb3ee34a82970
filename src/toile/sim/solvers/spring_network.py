"""The springs of mass-spring cloth: structural, shear and flexion, on triangle meshes and on grids."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Bools, Floats, Garment, Ints
from toile.geometry.topology import by_colour, colour_constraints, half_edges, hinges, unique_edges


@dataclass(frozen=True, eq=False, slots=True)
class Springs:
    """Springs in the order of their colours: within one colour no two share a particle."""

    ends: Ints
    """(s, 2)"""
    rest: Floats
    """natural length [m], (s,)"""
    stiffness: Floats
    """[N/m], (s,)"""
    limited: Bools
    """whether the spring's elongation is limited: structural and shear yes, flexion no, (s,)"""
    colour_start: Ints
    """where each colour starts, (colours + 1,)"""


def make_springs(
    garment: Garment, structural: float, shear: float, flexion: float, columns: int = 0
) -> Springs:
    """Return the springs of a garment, by rows and columns in panels that are grids.

    columns > 0: the whole garment is one grid of so many cells a row, stored row by row.
    """
    grids = _grids(garment, columns)
    parts = [part for grid in grids for part in _grid(garment, structural, shear, flexion, grid)]
    in_grid = np.zeros(len(garment.uv), dtype=bool)
    in_grid[np.concatenate([np.zeros(0, np.int32), *(grid.ravel() for grid in grids)])] = True
    rest = ~in_grid[garment.triangles_uv[:, 0]]
    if rest.any():
        parts += _mesh(_only(garment, rest), structural, shear, flexion)
    ends, rest, stiffness, limited = (np.concatenate(p) for p in zip(*parts, strict=True))
    keep = (ends[:, 0] != ends[:, 1]) & (rest > 1e-9) & (stiffness > 0)
    ends, rest, stiffness, limited = ends[keep], rest[keep], stiffness[keep], limited[keep]
    order, start = by_colour(colour_constraints(ends, garment.particle_count))
    return Springs(ends[order].astype(np.int32), rest[order], stiffness[order], limited[order], start)


Part = tuple[Ints, Floats, Floats, Bools]
"""ends, rest, stiffness, limited"""


def _part(ends: Ints, rest: Floats, stiffness: Floats | float, limited: bool) -> Part:
    full = np.broadcast_to(np.asarray(stiffness, dtype=np.float64), len(ends))
    return ends, rest, full, np.full(len(ends), limited)


def _mesh(garment: Garment, structural: float, shear: float, flexion: float) -> list[Part]:
    """Edges are springs; along warp or weft structural, at 45° shear, between them a blend."""
    edges, edge_of_side = unique_edges(garment.triangles)
    flat = np.diff(garment.uv[half_edges(garment.triangles_uv)], axis=1)[:, 0]
    length = np.linalg.norm(flat, axis=1)
    # sin² of twice the angle to the warp: 0 along the threads, 1 on the bias
    bias = (2 * flat[:, 0] * flat[:, 1] / np.maximum(length, 1e-12) ** 2) ** 2
    # an edge in a seam has two flat lengths: the mean
    share = 1 / np.bincount(edge_of_side)[edge_of_side]
    rest = np.asarray(np.bincount(edge_of_side, length * share), dtype=np.float64)
    blend = (structural + (shear - structural) * bias) * share
    stiffness = np.asarray(np.bincount(edge_of_side, blend), dtype=np.float64)
    across, across_rest = hinge_lengths(garment)
    return [_part(edges, rest, stiffness, True), _part(across, across_rest, flexion, False)]


def hinge_lengths(garment: Garment) -> tuple[Ints, Floats]:
    """Return the particles opposite each inner edge (h, 2) and their distance in the flat [m], (h,)."""
    found, pair = hinges(garment.triangles)
    ends = np.asarray(found[:, 2:])
    heights, feet = [], []
    for side in range(2):
        corners, uv = garment.triangles[pair[:, side]], garment.uv[garment.triangles_uv[pair[:, side]]]
        a, b, c = (_corner(corners, uv, found[:, k]) for k in (0, 1, 2 + side))
        along = (b - a) / np.maximum(np.linalg.norm(b - a, axis=1), 1e-12)[:, None]
        foot = np.einsum("hk,hk->h", c - a, along)
        feet.append(foot)
        heights.append(np.sqrt(np.maximum(((c - a) ** 2).sum(axis=1) - foot**2, 0)))
    # unfolded, the two triangles lie on opposite sides of their edge
    return ends, np.hypot(feet[1] - feet[0], heights[0] + heights[1])


def _corner(corners: Ints, uv: Floats, particle: Ints) -> Floats:
    """Return the uv point of each triangle's corner that is this particle, (h, 2)."""
    at = np.argmax(corners == particle[:, None], axis=1)
    return np.asarray(uv[np.arange(len(uv)), at])


def _grids(garment: Garment, columns: int) -> list[Ints]:
    """Return the uv points of each grid, (rows, columns)."""
    count = garment.particle_count
    if columns and (columns < 1 or count % (columns + 1) or len(garment.uv) != count):
        raise ToileError(f"garment {garment.name}: {count} particles are no grid of {columns} columns")
    if columns:
        return [np.arange(count, dtype=np.int32).reshape(-1, columns + 1)]
    return grid_points(garment)


def grid_points(garment: Garment) -> list[Ints]:
    """Return the uv points of each panel that is a grid, (rows, columns) of vertices each."""
    found = []
    for panel, (rows, columns) in enumerate(garment.panel_grid.tolist()):
        points = np.flatnonzero(garment.uv_panel == panel).astype(np.int32)
        if rows and len(points) == rows * columns:
            found.append(points.reshape(rows, columns))
    return found


def _only(garment: Garment, triangles: Bools) -> Garment:
    """Return the garment with some of its triangles."""
    return replace(
        garment,
        triangles=garment.triangles[triangles],
        triangles_uv=garment.triangles_uv[triangles],
        triangle_fabric=garment.triangle_fabric[triangles],
    )


def _grid(garment: Garment, structural: float, shear: float, flexion: float, i: Ints) -> list[Part]:
    """Springs of a rectangular topology: neighbours, both diagonals, every second neighbour."""

    def link(pairs: list[tuple[Ints, Ints]], stiffness: float, limited: bool) -> Part:
        ends = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
        rest = np.linalg.norm(garment.uv[ends[:, 1]] - garment.uv[ends[:, 0]], axis=1)
        return _part(garment.uv_particle[ends], rest, stiffness, limited)

    return [
        link([(i[:, :-1], i[:, 1:]), (i[:-1], i[1:])], structural, True),
        link([(i[:-1, :-1], i[1:, 1:]), (i[:-1, 1:], i[1:, :-1])], shear, True),
        link([(i[:, :-2], i[:, 2:]), (i[:-2], i[2:])], flexion, False),
    ]


def with_seams(springs: Springs, pairs: Ints, stiffness: float) -> Springs:
    """Return the springs and those that pull seams together: they have no length."""
    count = len(pairs)
    return Springs(
        np.concatenate([springs.ends, pairs]).astype(np.int32),
        np.concatenate([springs.rest, np.zeros(count)]),
        np.concatenate([springs.stiffness, np.full(count, stiffness)]),
        np.concatenate([springs.limited, np.zeros(count, dtype=bool)]),
        springs.colour_start,
    )


def longest_step(mass: Floats, springs: Springs) -> float:
    """Return the longest stable step [s]: 0.4 π √(m / K), equation 4.

    K is the sum of the springs at a particle. With that reading the step is below √2 √(m / K), which by
    Gershgorin's theorem bounds 2 / ω of any mesh; with K of a single spring it is not.
    """
    total = np.bincount(springs.ends.ravel(), np.repeat(springs.stiffness, 2), len(mass))
    return float(0.4 * np.pi * np.sqrt((mass / np.maximum(total, 1e-12)).min()))
