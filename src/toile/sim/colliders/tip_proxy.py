"""Tip proxies: the cone that cloth touches instead of a nipple or another feature finer than its mesh.

Cloth touches the skin with its vertices; a tip between them would come through the triangle. Around each
tip the skin that contact sees is raised to a cone. It encloses the true skin, which the audit still asks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from toile._kernels import ride
from toile.body.model.skin import vertex_normals
from toile.core.records import LIMBS, Body, Bools, Floats, Ints
from toile.geometry.triangles import triangle_axes

TIP = 0.001
"""a vertex that is higher than its neighbours' mean by this is a tip [m]"""
BESIDE = 0.009
"""its neighbours are within this [m]"""
REACH = 0.04
"""a cone covers skin within this of a tip [m]"""
SLOPE = 0.6
"""slope of the cone's sides"""
HIGHEST = 0.008
"""skin is raised by at most this [m]"""
BROAD = ("torso",)
"""limbs whose tips get cones; thin limbs are round, and fine ones (fingers, toes, ears) consist of tips"""


@dataclass(frozen=True, eq=False, slots=True)
class TipProxies:
    """The raised vertices of one body."""

    vertex: Ints
    """(v,)"""
    rise: Floats
    """how far each is raised, in the axes of its cone [m], (v, 3)"""
    cone: Ints
    """which cone each belongs to, (v,)"""
    frame: Ints
    """three skin vertices around each cone that turn with it, (t, 3)"""

    def over(self, vertices: Floats) -> Floats:
        """Return where the raised vertices of posed skin (n, 3) [m] are, (v, 3)."""
        return np.asarray(ride(vertices, self.frame, self.cone, self.rise, self.vertex))


def tip_proxies(body: Body) -> TipProxies:
    """Return the tip proxies of a body in its rest pose."""
    x, normal = body.vertices, vertex_normals(body.vertices, body.triangles)
    coarse = np.isin(body.limb, [LIMBS.index(limb) for limb in BROAD])
    parts = [_cone(x, normal, coarse, tips) for tips in _clusters(x, _tips(x, normal, coarse))]
    parts = [part for part in parts if len(part[0])]
    none = np.zeros(0, np.int32)
    if not parts:
        return TipProxies(none, np.zeros((0, 3)), none, np.zeros((0, 3), np.int32))
    # a vertex under two cones keeps the first
    vertex, first = np.unique(np.concatenate([part[0] for part in parts]), return_index=True)
    cone = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part[0]) for part in parts])
    rise, cone, frame = np.concatenate([part[1] for part in parts])[first], cone[first], [p[2] for p in parts]
    own = np.einsum("vab,va->vb", triangle_axes(x[np.stack(frame)])[cone], rise)
    return TipProxies(vertex.astype(np.int32), own, cone, np.stack(frame))


def _tips(x: Floats, normal: Floats, coarse: Bools) -> Ints:
    """Return the vertices that stand out from their neighbours."""
    pairs = cKDTree(x).query_pairs(BESIDE, output_type="ndarray")
    one, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    rise = np.einsum("pa,pa->p", x[other] - x[one], normal[one])
    mean = np.bincount(one, rise, len(x)) / np.maximum(np.bincount(one, minlength=len(x)), 1)
    return np.flatnonzero((mean < -TIP) & coarse).astype(np.int32)


def _clusters(x: Floats, tips: Ints) -> list[Ints]:
    """Return tips that are near each other together."""
    if not len(tips):
        return []
    pairs = cKDTree(x[tips]).query_pairs(0.5 * REACH, output_type="ndarray")
    graph = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), (len(tips), len(tips)))
    count, label = connected_components(graph, directed=False)
    return [tips[label == k] for k in range(count)]


def _cone(x: Floats, normal: Floats, coarse: Bools, tips: Ints) -> tuple[Ints, Floats, Ints]:
    """Return vertices, rise and frame of the cone over some tips, no side of it steeper than SLOPE."""
    centre = x[tips].mean(axis=0)
    near = np.flatnonzero(coarse & (np.linalg.norm(x - centre, axis=1) < REACH))
    none = np.zeros(0, np.int32)
    if len(near) < 3:
        # a ring of tips round nothing, as at the hem of modelled clothes: there is no cone over it
        return none, np.zeros((0, 3)), none
    axis = normal[near].mean(axis=0)
    axis = axis / max(float(np.linalg.norm(axis)), 1e-12)
    near = near[normal[near] @ axis > 0.2]
    if len(near) < 3:
        return none, np.zeros((0, 3)), none
    height = (x[near] - centre) @ axis
    aside = x[near] - centre - height[:, None] * axis
    apart = np.linalg.norm(aside[:, None] - aside[None], axis=2)
    rise = np.clip((height[None] - SLOPE * apart).max(axis=1) - height, 0.0, HIGHEST)
    # the rim stays
    rise *= np.clip(2 - 2 * np.linalg.norm(aside, axis=1) / REACH, 0.0, 1.0)
    moved = rise > 1e-5
    return near[moved].astype(np.int32), rise[moved, None] * axis, _rim(near, aside)


def _rim(near: Ints, aside: Floats) -> Ints:
    """Return three vertices far out round the cone, (3,)."""
    first = int(np.linalg.norm(aside, axis=1).argmax())
    second = int(np.linalg.norm(aside - aside[first], axis=1).argmax())
    area = np.linalg.norm(np.cross(aside - aside[first], aside[second] - aside[first]), axis=1)
    return near[[first, second, int(area.argmax())]].astype(np.int32)
