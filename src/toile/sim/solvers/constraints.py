"""What the default engine makes of a garment: membrane, bending, order, distances (docs/engine.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from toile.core.records import Bools, Floats, Garment, Ints
from toile.garment.particles import triangle_rest_areas
from toile.geometry.curvature import border_curvature
from toile.geometry.topology import boundary_edges
from toile.geometry.triangles import signed_areas
from toile.sim.solvers.gathers import gathered_corners

STENCIL_SIZE = 16
"""particles of the largest stencil; a particle with more neighbours does not resist bending"""


@dataclass(frozen=True, eq=False, slots=True)
class Membrane:
    """How each triangle resists being stretched along its threads and sheared."""

    weight: Floats
    """Fu = a₁ (x₁ - x₀) + a₂ (x₂ - x₀) along the weft, Fv with b along the warp [1/m], (t, 2, 2)"""
    stiffness: Floats
    """area × membrane stiffness of weft, warp and shear [N·m], (t, 3)"""


@dataclass(frozen=True, eq=False, slots=True)
class BendingStencils:
    """Curvature constraints: the weighted sum of a particle and its neighbours is zero on flat cloth."""

    particles: Ints
    """the centre first, then its neighbours, -1 where there are fewer, (s, STENCIL_SIZE)"""
    weight: Floats
    """coefficients [√(N·m)], (s, STENCIL_SIZE)"""
    stiffness: Floats
    """1 / area of the particle [1/m²], (s,)"""
    centre: Ints
    """the particle whose curvature it is, (s,)"""
    along: int
    """how many of them, the last ones, run along a free edge"""


def corner_uv(garment: Garment) -> Floats:
    """Return the flat corners of each triangle [m], (t, 3, 2)."""
    return np.asarray(garment.uv[garment.triangles_uv])


def fabric_values(garment: Garment, name: str) -> Floats:
    """Return one fabric figure per triangle, (t,)."""
    return np.array([getattr(f, name) for f in garment.fabrics])[garment.triangle_fabric]


def particle_average(garment: Garment, name: str) -> Floats:
    """Return a fabric figure per particle, averaged over the triangles around it, (n,)."""
    values, area = fabric_values(garment, name), triangle_rest_areas(garment)
    count = garment.particle_count
    if (values == values[0]).all():  # to the bit: rectangles ask whether all are alike
        return np.full(count, values[0])
    total = np.bincount(garment.triangles.ravel(), np.repeat(values * area, 3), count)
    weight = np.bincount(garment.triangles.ravel(), np.repeat(area, 3), count)
    return np.asarray(np.where(weight > 0, total / np.where(weight > 0, weight, 1), values.mean()))


def membrane(garment: Garment, scale: float = 1.0) -> Membrane:
    """Return the membrane of a garment: F = ∂x/∂(u, v) per triangle, in the frame of its threads."""
    uv = gathered_corners(garment)
    # columns: the two sides from corner 0; inverse: how much of each side makes one metre of u or v
    sides = np.stack([uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]], axis=2)
    area = triangle_rest_areas(garment)
    inverse = np.linalg.inv(sides)
    figures = [fabric_values(garment, k) for k in ("stretch_weft", "stretch_warp", "shear")]
    return Membrane(
        weight=np.ascontiguousarray(inverse.transpose(0, 2, 1)),
        stiffness=np.stack(figures, axis=1) * (area * scale)[:, None],
    )


WEAR_TENSION = 40.0
"""tension that wear puts on cloth [N/m]: coarse limits must not stop a knit from giving way to it"""


def give(garment: Garment) -> Floats:
    """Return how much each triangle may stretch before the coarse limits hold it, (t,).

    Woven cloth gives next to nothing; knits and elastics follow the wearer up to their strain limit.
    """
    softest = np.minimum(fabric_values(garment, "stretch_warp"), fabric_values(garment, "stretch_weft"))
    slack = WEAR_TENSION / softest - 0.02
    return np.clip(slack, 0.0, fabric_values(garment, "strain_limit"))


def _curvature_operator(garment: Garment, scale: float) -> csr_matrix:
    """Return the stiffness matrix of ∇·(D ∇x) with D = diag(√weft, √warp) bending rigidity, (n, n)."""
    local = _local_operators(garment, scale)
    rows = np.repeat(garment.triangles, 3, axis=1).ravel()
    columns = np.tile(garment.triangles, (1, 3)).ravel()
    count = garment.particle_count
    return coo_matrix((local.ravel(), (rows, columns)), (count, count)).tocsr()


def _local_operators(garment: Garment, scale: float) -> Floats:
    """Return what each triangle adds to the curvature operator, (t, 3, 3)."""
    area, gradient = triangle_rest_areas(garment), _hat_gradients(garment)
    rigidity = np.stack([fabric_values(garment, "bend_weft"), fabric_values(garment, "bend_warp")], axis=-1)
    weighted = gradient * -np.sqrt(rigidity * scale)[:, None, :]
    return np.asarray(np.einsum("tad,tbd,t->tab", weighted, gradient, area))


def _hat_gradients(garment: Garment) -> Floats:
    """Return the gradient of each corner's hat function [1/m], (t, 3, 2)."""
    uv, area = corner_uv(garment), signed_areas(garment.uv, garment.triangles_uv)
    # the opposite side turned by 90°, over twice the area
    opposite = uv[:, [2, 0, 1]]
    opposite -= uv[:, [1, 2, 0]]
    opposite *= (np.sign(area) / (2 * np.abs(area)))[:, None, None]
    return np.stack([-opposite[..., 1], opposite[..., 0]], axis=-1)


def boundary_particles(garment: Garment) -> Bools:
    """Return which particles lie on a free edge, (n,)."""
    free = np.zeros(garment.particle_count, dtype=bool)
    free[boundary_edges(garment.triangles)] = True
    return free


def bending_stencils(garment: Garment, scale: float = 1.0) -> BendingStencils:
    """Return the bending constraints: E = ½ Σ |Σ c_k x_k|² / area; across free edges there is no moment."""
    operator = _curvature_operator(garment, scale)
    area = np.bincount(
        garment.triangles.ravel(), np.repeat(triangle_rest_areas(garment) / 3, 3), garment.particle_count
    )
    size = np.diff(operator.indptr)
    centres = np.flatnonzero(~boundary_particles(garment) & (size <= STENCIL_SIZE) & (size > 3))
    particles = np.full((len(centres), STENCIL_SIZE), -1, dtype=np.int32)
    weight = np.zeros((len(centres), STENCIL_SIZE))
    for column in range(STENCIL_SIZE):
        has = size[centres] > column
        at = operator.indptr[centres[has]] + column
        particles[has, column] = operator.indices[at]
        weight[has, column] = operator.data[at]
    border = _border_stencils(garment, scale, np.asarray(area, np.float64))
    return BendingStencils(
        particles=np.concatenate([particles, border.particles]),
        weight=np.concatenate([weight, border.weight]),
        stiffness=np.concatenate([1 / area[centres], border.stiffness]),
        centre=np.concatenate([centres, border.centre]).astype(np.int32),
        along=border.along,
    )


def _border_stencils(garment: Garment, scale: float, area: Floats) -> BendingStencils:
    """Return the bending constraints of free edges along themselves: without them hems are limp."""
    found = border_curvature(garment.triangles, corner_uv(garment), garment.particle_count)
    centre = found.vertices[:, 0]
    warp, weft = (np.sqrt(particle_average(garment, k)[centre] * scale) for k in ("bend_warp", "bend_weft"))
    root = warp * found.warp + weft * (1 - found.warp)
    particles = np.full((len(centre), STENCIL_SIZE), -1, dtype=np.int32)
    weight = np.zeros((len(centre), STENCIL_SIZE))
    particles[:, :4], weight[:, :4] = found.vertices, found.weight * (root * area[centre])[:, None]
    return BendingStencils(
        particles=particles, weight=weight, stiffness=1 / area[centre], centre=centre, along=len(centre)
    )


def particle_order(garment: Garment) -> Ints:
    """Return an order that keeps neighbours close in memory (reverse Cuthill–McKee)."""
    t, count = garment.triangles, garment.particle_count
    rows, columns = t[:, [0, 1, 2]].ravel(), t[:, [1, 2, 0]].ravel()
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), (count, count)).tocsr()
    return np.asarray(reverse_cuthill_mckee(graph + graph.T, symmetric_mode=True), dtype=np.int32)


ARM = 0.033
"""radius of a slim arm [m]: straight sides of 4 cm from skin to skin lie 6 mm deep in it"""
THIN = 0.001
"""fabrics up to this thick need no more distance from the skin than the settings say [m]"""


def skin_distance(edge: float, least: float) -> float:
    """Return how far particles of a worn garment stay from the skin [m]: so far that edges do, too."""
    return max(least, edge**2 / (8 * ARM))


def extra_thickness(garment: Garment) -> Floats:
    """Return how much farther than thin cloth the middle of thick cloth stays from the skin [m], (n,)."""
    return np.asarray(0.5 * np.maximum(particle_average(garment, "thickness") - THIN, 0.0))


def cloth_distance(garment: Garment, least: float) -> Floats:
    """Return the distance that cloth keeps from cloth [m], (n,); between two fabrics their mean holds."""
    # more, and neighbours in the mesh would push each other
    most = 0.4 * mean_edge(garment)
    return np.minimum(np.maximum(particle_average(garment, "thickness"), least), most)


def mean_edge(garment: Garment) -> float:
    """Return the side of an equilateral triangle as large as the mean one [m]."""
    return float(np.sqrt(triangle_rest_areas(garment).mean() * 4 / np.sqrt(3)))
