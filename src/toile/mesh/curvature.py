"""Curvature along the border of a cloth, as weighted sums of particles.

The cotangent operator gives the curvature of inner vertices only. A free edge that bends along its own
direction would cost nothing without these: a hem or a narrow strip would hang too limply.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toile.mesh.topology import boundary_edges, vertex_triangles
from toile.types import Floats, Ints

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
    around = vertex_triangles(triangles, vertex_count)
    sides = boundary_edges(triangles)
    onward = dict(sides.tolist())
    once = np.bincount(sides[:, 0], minlength=vertex_count) == 1
    found = [
        star
        for vertex in sorted(onward)
        if once[vertex] and (star := _star(vertex, around[vertex].tolist(), triangles, corners))
    ]
    vertices = np.array([f[0] for f in found], dtype=np.int32).reshape(-1, 4)
    weight = np.array([f[1] for f in found], dtype=np.float64).reshape(-1, 4)
    return BorderCurvature(vertices, weight, np.array([f[2] for f in found], dtype=np.float64))


def _star(
    vertex: int, around: list[int], triangles: Ints, corners: Floats
) -> tuple[list[int], list[float], float] | None:
    """Return vertices, weights and warp share of one border vertex; None at corners."""
    spokes, warp = _fan(vertex, around, triangles, corners)
    if len(spokes) < 3:
        return None
    angle = spokes[-1][1]
    if abs(angle - math.pi) > _CORNER:
        return None
    first, last = spokes[0], spokes[-1]
    inner = min(spokes[1:-1], key=lambda spoke: abs(spoke[1] - 0.5 * angle))
    chosen = (last, inner, first)
    # in axes along the border (s) and into the cloth (q): turn so that first and last are symmetric
    turn = 0.5 * (math.pi - angle)
    s = [length * math.cos(direction + turn) for _, direction, length in chosen]
    q = [length * math.sin(direction + turn) for _, direction, length in chosen]
    # the one combination of three plane vectors that vanishes
    c = np.array([s[1] * q[2] - s[2] * q[1], s[2] * q[0] - s[0] * q[2], s[0] * q[1] - s[1] * q[0]])
    scale = 0.5 * float(c @ np.square(s))
    if abs(scale) < 1e-12 * max(spoke[2] for spoke in chosen) ** 4:
        return None
    c /= scale
    return [vertex, *(spoke[0] for spoke in chosen)], [-float(c.sum()), *c.tolist()], warp


def _fan(
    vertex: int, around: list[int], triangles: Ints, corners: Floats
) -> tuple[list[tuple[int, float, float]], float]:
    """Return the neighbours of a border vertex as (index, angle, distance) from one border to the other.

    Also the warp share of the border's direction. Empty where the triangles do not form one fan.
    """
    wedge = {}
    for t in around:
        at = triangles[t].tolist().index(vertex)
        here, a, b = (corners[t, (at + k) % 3] for k in (0, 1, 2))
        ahead, behind = (int(triangles[t, (at + k) % 3]) for k in (1, 2))
        wedge[ahead] = (behind, a - here, b - here)
    start = set(wedge) - {behind for behind, _, _ in wedge.values()}
    if len(start) != 1:
        return [], 0.0
    here_index = start.pop()
    spokes = [(here_index, 0.0, float(np.hypot(*wedge[here_index][1])))]
    sine = [_warp_share(wedge[here_index][1])]
    angle, last = 0.0, wedge[here_index][2]
    while here_index in wedge and len(spokes) <= len(around):
        behind, a, b = wedge[here_index]
        angle += abs(math.atan2(a[0] * b[1] - a[1] * b[0], float(a @ b)))
        spokes.append((behind, angle, float(np.hypot(*b))))
        here_index, last = behind, b
    sine.append(_warp_share(last))
    return (spokes if len(spokes) == len(around) + 1 else []), 0.5 * sum(sine)


def _warp_share(direction: Floats) -> float:
    return float(direction[1] ** 2 / max(float(direction @ direction), 1e-30))
