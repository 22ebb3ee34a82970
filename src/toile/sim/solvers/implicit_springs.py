"""The springs of a triangle mesh, from the fabric's measured figures (Shi et al. 2010, after Choi & Ko 2002).

Tension and shear springs lie along mesh edges, bending springs reach across each inner edge. A spring along
an edge stands for the membrane of the triangles beside it (Van Gelder 1998).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.core.records import Floats, Garment, Ints
from toile.garment.particles import triangle_rest_areas
from toile.geometry.topology import hinges, unique_edges
from toile.sim.solvers.constraints import corner_uv, fabric_values
from toile.sim.solvers.edges import rest_lengths


@dataclass(frozen=True, eq=False, slots=True)
class Springs:
    """Linear springs between particles."""

    pairs: Ints
    """(s, 2)"""
    length: Floats
    """at rest [m], (s,)"""
    stiffness: Floats
    """[N/m], (s,)"""


def edge_springs(garment: Garment, scale: float = 1.0) -> Springs:
    """Return tension and shear springs: k = Σ E(θ) A / l² over the triangles beside an edge.

    E(θ) = weft cos⁴θ + warp sin⁴θ + 4 shear cos²θ sin²θ is what the fabric answers to a pure elongation
    along θ, the angle of the edge from the weft: tension along the threads, mostly shear across them.
    """
    edges, length = rest_lengths(garment)
    _, of_side = unique_edges(garment.triangles)
    corner = corner_uv(garment)
    edge = np.roll(corner, -1, axis=1) - corner
    squared = (edge**2).sum(axis=2)
    c2, s2 = edge[..., 0] ** 2 / squared, edge[..., 1] ** 2 / squared
    weft, warp, shear = (
        fabric_values(garment, k)[:, None] for k in ("stretch_weft", "stretch_warp", "shear")
    )
    along = weft * c2**2 + warp * s2**2 + 4 * shear * c2 * s2
    part = along * triangle_rest_areas(garment)[:, None] / squared
    return Springs(edges, length, np.asarray(scale * np.bincount(of_side, part.ravel()), np.float64))


def bending_springs(garment: Garment, angle: float, scale: float = 1.0) -> Springs:
    """Return springs across inner edges, as stiff as the fabric when it is folded there by `angle` [rad].

    A linear spring between the far corners shortens with the square of the fold, so it is too soft for
    smaller folds and too stiff for larger ones; at `angle` its energy ½ k δ² is ½ B (θ / h)² A, with h half
    the distance of the corners across the edge and A a third of both triangles.
    """
    found, sides = hinges(garment.triangles)
    area = triangle_rest_areas(garment)[sides]
    edge = _edge_length(garment, found)
    heights = 2 * area / edge[:, None]
    slip = _slip(garment, found, sides, edge)
    flat = np.sqrt(slip**2 + heights.sum(axis=1) ** 2)
    cosine = 2 * heights[:, 0] * heights[:, 1] * np.cos(angle)
    folded = np.sqrt(slip**2 + (heights**2).sum(axis=1) + cosine)
    rigidity = (fabric_values(garment, "bend_warp") + fabric_values(garment, "bend_weft"))[sides].mean(1) / 2
    energy = 0.5 * rigidity * (2 * angle / heights.sum(axis=1)) ** 2 * area.sum(axis=1) / 3
    real = found[:, 2] != found[:, 3]
    stiffness = scale * 2 * energy / (flat - folded) ** 2
    return Springs(found[real][:, 2:], flat[real], stiffness[real])


def _edge_length(garment: Garment, found: Ints) -> Floats:
    """Return the rest length of each hinge's edge [m], (h,)."""
    edges, length = rest_lengths(garment)
    span = garment.particle_count
    ends = np.sort(found[:, :2], axis=1).astype(np.int64)
    keys = edges[:, 0].astype(np.int64) * span + edges[:, 1]
    return np.asarray(length[np.searchsorted(keys, ends[:, 0] * span + ends[:, 1])])


def _slip(garment: Garment, found: Ints, sides: Ints, edge: Floats) -> Floats:
    """Return how far the two far corners lie apart along the hinge's edge [m], (h,)."""
    place = []
    for side, far in ((0, 2), (1, 3)):
        own, uv = garment.triangles[sides[:, side]], corner_uv(garment)[sides[:, side]]
        rows = np.arange(len(found))
        start, end, top = (uv[rows, (own == found[:, [k]]).argmax(axis=1)] for k in (0, 1, far))
        along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
        place.append(np.einsum("ij,ij->i", top - start, along))
    return np.asarray(np.minimum(np.abs(place[0] - place[1]), edge))


def joined(*parts: Springs) -> Springs:
    """Return all springs in one list."""
    return Springs(
        np.concatenate([s.pairs for s in parts]),
        np.concatenate([s.length for s in parts]),
        np.concatenate([s.stiffness for s in parts]),
    )
