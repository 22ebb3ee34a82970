"""Curvature along the border of a cloth, as weighted sums of particles.

The cotangent operator gives the curvature of inner vertices only. A free edge that bends along its own
direction would cost nothing without these: a hem or a narrow strip would hang too limply.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toile.core.records import Bools, Floats, Ints
from toile.geometry.topology import boundary_edges

_CORNER = math.radians(45.0)
"""where the border turns by more it is a corner and has no curvature along it"""


@dataclass(frozen=True, eq=False, slots=True)
class BorderCurvature:
    """Σ weight · position is the curvature vector along the border, zero on flat cloth [1/m]."""

    vertices: Ints
    """the vertex, the one before, an inner neighbour, the one after, (b, 4)"""
    weight: Floats
    """[1/m²], (b, 4)"""
    warp: Floats
    """sin² of the angle between border and weft: 1 where the border runs along the warp, (b,)"""


def border_curvature(triangles: Ints, corners: Floats, vertex_count: int) -> BorderCurvature:
    """Return the curvature along all straight or gently curved borders.

    corners (t, 3, 2) are the flat triangles [m]; at seams they come from different panels. At each border
    vertex the triangles round it are laid flat side by side; three neighbours in the plane always have one
    combination c with Σ c_k (x_k − x) = 0, which is then scaled to give 1 for a unit curvature.
    """
    fans = _fans(triangles, corners, vertex_count)
    angle = fans.angle[np.arange(len(fans.vertex)), fans.count]
    gentle = (fans.count >= 2) & (np.abs(angle - math.pi) <= _CORNER)
    fans, angle = fans.chosen(gentle), angle[gentle]
    row, last = np.arange(len(angle)), fans.count
    # of the neighbours between the first and the last the one nearest to the middle
    column = np.arange(fans.angle.shape[1])
    aside = np.abs(fans.angle - 0.5 * angle[:, None])
    between = (column > 0) & (column < last[:, None])
    inner = np.where(between, aside, np.inf).argmin(axis=1)
    chosen = np.stack([last, inner, np.zeros_like(last)], axis=1)
    direction, length = fans.angle[row[:, None], chosen], fans.length[row[:, None], chosen]
    # in axes along the border (s) and into the cloth (q): turn so that first and last are symmetric
    direction = direction + 0.5 * (math.pi - angle)[:, None]
    s, q = length * np.cos(direction), length * np.sin(direction)
    # the one combination of three plane vectors that vanishes
    c = s[:, [1, 2, 0]] * q[:, [2, 0, 1]] - s[:, [2, 0, 1]] * q[:, [1, 2, 0]]
    scale = 0.5 * (c * s * s).sum(axis=1)
    kept = np.abs(scale) >= 1e-12 * length.max(axis=1, initial=0.0) ** 4
    c = c[kept] / scale[kept, None]
    vertices = np.column_stack([fans.vertex, fans.neighbour[row[:, None], chosen]])[kept]
    weight = np.column_stack([-c.sum(axis=1), c])
    return BorderCurvature(vertices.astype(np.int32), weight, fans.warp[kept])


@dataclass(frozen=True, eq=False, slots=True)
class _Fans:
    """The neighbours of border vertices, one column after the other from one border to the other."""

    vertex: Ints
    """(b,)"""
    count: Ints
    """of the triangles round each, one less than of the neighbours, (b,)"""
    neighbour: Ints
    """(b, k)"""
    angle: Floats
    """from the first neighbour, with the triangles laid flat side by side [rad], (b, k)"""
    length: Floats
    """distance of the neighbour [m], (b, k)"""
    warp: Floats
    """warp share of the border's direction, (b,)"""

    def chosen(self, rows: Bools) -> _Fans:
        """Return some of them."""
        return _Fans(*(getattr(self, name)[rows] for name in self.__slots__))


def _fans(triangles: Ints, corners: Floats, vertex_count: int) -> _Fans:
    """Return the fans of all vertices through which one border runs, where the triangles form one fan."""
    start = boundary_edges(triangles)[:, 0]
    vertex = np.flatnonzero(np.bincount(start, minlength=vertex_count) == 1)
    number = np.full(vertex_count, -1)
    number[vertex] = np.arange(len(vertex))
    # sectors from the neighbour ahead to the one behind, seen from the vertex
    t, k = np.nonzero(number[triangles] >= 0)
    owner = number[triangles[t, k]]
    ahead, behind = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
    a, b = (corners[t, (k + n) % 3] - corners[t, k] for n in (1, 2))
    corner_angle = np.abs(np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1)))
    key = owner * vertex_count + ahead
    order = np.argsort(key, kind="stable")
    first = ~np.isin(key, owner * vertex_count + behind)
    count, starts = (np.bincount(of, minlength=len(vertex)) for of in (owner, owner[first]))
    here = np.full(len(vertex), -1)
    here[owner[first]] = np.flatnonzero(first)
    here[starts != 1] = -1
    most = int(count.max(initial=0))
    neighbour = np.zeros((len(vertex), most + 1), dtype=np.int32)
    angle, length = np.zeros((2, len(vertex), most + 1))
    found, warp = np.zeros(len(vertex), dtype=np.int64), np.zeros(len(vertex))
    at = np.flatnonzero(here >= 0)
    neighbour[at, 0], length[at, 0] = ahead[here[at]], np.hypot(*a[here[at]].T)
    warp[at] = _warp_share(a[here[at]])
    end = np.zeros((len(vertex), 2))
    for step in range(1, most + 1):
        sector = here[at]
        neighbour[at, step], length[at, step] = behind[sector], np.hypot(*b[sector].T)
        angle[at, step] = angle[at, step - 1] + corner_angle[sector]
        end[at], found[at] = b[sector], step
        sought = at * vertex_count + behind[sector]
        place = np.minimum(np.searchsorted(key, sought, sorter=order), len(key) - 1)
        goes_on = (key[order[place]] == sought) & (step < count[at])
        here[at] = order[place]
        at = at[goes_on]
    whole = (found == count) & (found > 0)
    warp = 0.5 * (warp + _warp_share(end))
    numbers = vertex.astype(np.int32), count.astype(np.int32)
    return _Fans(*numbers, neighbour, angle, length, warp).chosen(whole)


def _warp_share(direction: Floats) -> Floats:
    return np.asarray(direction[:, 1] ** 2 / np.maximum((direction**2).sum(axis=1), 1e-30))
