"""A garment as arrays by name, as the engine's solver reads them (engine/frame/scene_arrays.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from toile.core.arrays import as_kernel_arrays
from toile.core.records import Floats, Garment, Ints
from toile.garment.particles import particle_mass, sewn_labels
from toile.sim.solvers.constraints import (
    BendingStencils,
    Membrane,
    bending_stencils,
    cloth_distance,
    extra_thickness,
    give,
    mean_edge,
    membrane,
    particle_average,
    particle_order,
    skin_distance,
)
from toile.sim.solvers.folds import fold_arrays
from toile.sim.solvers.gathers import gathered_corners
from toile.sim.solvers.grid import Grid, find_grid, grid_stencil
from toile.sim.solvers.threads import long_threads

if TYPE_CHECKING:
    from toile.sim.solvers.xpbd import XpbdSettings

Arrays = dict[str, Any]


def cloth_arrays(
    garment: Garment,
    settings: XpbdSettings,
    *,
    seams: Ints | None = None,
    seam_gap: Floats | None = None,
    worn: Floats | None = None,
) -> Arrays:
    """Return everything about the cloth that does not change while it moves.

    seams (s, 2) are particle pairs that pull shut from seam_gap [m], (s,); worn is how the garment sits on
    the body [m], (n, 3).
    """
    mass = particle_mass(garment)
    bends = bending_stencils(garment, settings.bend_scale)
    threads = membrane(garment, settings.stretch_scale)
    grid = find_grid(garment) if seams is None and worn is None else None
    order = particle_order(garment) if grid is None else np.arange(len(mass), dtype=np.int32)
    least = settings.thickness
    distance = least if worn is None else skin_distance(mean_edge(garment), least)
    arrays: Arrays = {
        "cloth.order": order,
        "cloth.inverse_mass": 1 / mass,
        "cloth.drag": particle_average(garment, "damping"),
        "cloth.thickness": distance + extra_thickness(garment),
        "cloth.friction": particle_average(garment, "friction"),
        "cloth.triangles": garment.triangles,
        "cloth.triangle_weight": threads.weight,
        "cloth.triangle_stiffness": threads.stiffness,
        "cloth.stencils": bends.particles,
        "cloth.stencil_weight": bends.weight,
        "cloth.stencil_stiffness": bends.stiffness,
        "cloth.stencil_centre": bends.centre,
        "cloth.stencils_along": np.array([bends.along]),
    }
    if seams is not None and seam_gap is not None:
        arrays |= {"cloth.seams": seams, "cloth.seam_rest": seam_gap}
    if len(garment.fold_uv):
        arrays |= fold_arrays(garment, bends.centre, settings.bend_scale)
    if grid is not None:
        arrays |= _grid_arrays(garment, grid, threads, bends, limits=settings.levels > 0)
    if settings.self_collision:
        arrays |= _layer_arrays(garment, settings.cloth_thickness)
    return as_kernel_arrays(
        arrays | _limit_arrays(garment, worn, threads=settings.levels > 0 and grid is None)
    )


def _grid_arrays(
    garment: Garment, grid: Grid, threads: Membrane, bends: BendingStencils, *, limits: bool
) -> Arrays:
    """Return a rectangle of equal cells, which is swept without lists."""
    stencil_of, bend = grid_stencil(grid, bends.particles, bends.weight, bends.centre)
    span = 2 * (1 + give(garment).max()) if limits else 0.0
    return {
        "grid.size": np.array([grid.rows, grid.columns]),
        "grid.cell": grid.cell,
        "grid.stiffness": threads.stiffness[0],
        "grid.bend": bend,
        "grid.reach": span * grid.cell,
        "grid.stencil_of": stencil_of,
        "grid.alternate": np.array([grid.alternate]),
    }


def _layer_arrays(garment: Garment, least: float) -> Arrays:
    """Return what keeps cloth from passing through cloth."""
    return {
        "layers.label": sewn_labels(garment),
        "layers.layer": garment.garment_layer[garment.particle_garment],
        "layers.friction": particle_average(garment, "friction_cloth"),
        "layers.thickness": cloth_distance(garment, least),
    }


def _limit_arrays(garment: Garment, worn: Floats | None, *, threads: bool) -> Arrays:
    """Return what coarse limits and long threads are laid out by: as far as cloth gives, or is worn."""
    corner, slack = gathered_corners(garment), give(garment)
    arrays: Arrays = {
        "levels.corner": corner * (1 + slack)[:, None, None] if slack.any() else corner,
        "levels.panel": garment.uv_panel[garment.triangles_uv[:, 0]],
        "levels.flat": garment.triangles_uv,
    }
    if worn is not None:
        arrays["levels.worn"] = worn
    if not threads:
        return arrays
    pairs, rest = slack_threads(garment, corner, slack, worn)
    return arrays | {"threads.pairs": pairs, "threads.rest": rest}


def slack_threads(
    garment: Garment, corner: Floats, slack: Floats, worn: Floats | None = None
) -> tuple[Ints, Floats]:
    """Return pairs of particles and how far apart they may be [m]: as far as cloth gives, or is worn.

    corner (t, 3, 2) are the triangles' flat corners [m], slack (t,) is how much each may stretch.
    """
    pairs, rest = long_threads(garment, corner, mean_edge(garment))
    most = np.zeros(garment.particle_count)
    np.maximum.at(most, garment.triangles, slack[:, None])
    rest = rest * (1 + most[pairs].max(axis=1, initial=0.0))
    if worn is not None:
        rest = np.maximum(rest, np.linalg.norm(worn[pairs[:, 0]] - worn[pairs[:, 1]], axis=1))
    return pairs, rest
