"""Any triangle mesh as a garment (Rudomín & Castillo 2002): vertices are particles, edges are springs.

The rest lengths are those in the file, so the mesh must be modelled round the body that wears it. Unit and
axes are found by trying which of them puts the cloth round the body. See docs/mesh-garments.md.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components
from scipy.spatial import cKDTree

from toile.core import defaults
from toile.core.errors import ToileError
from toile.core.records import Body, Bools, Fabric, Floats, Garment, Ints
from toile.garment.fabric import fabric as fabric_named
from toile.geometry.topology import components, edge_triangle_counts, hinges, unique_edges
from toile.geometry.triangles import vertex_normals
from toile.io.surfaces import FORMATS, read_triangles

MESH_ENDINGS = tuple(FORMATS)
"""of files that hold triangles"""
MOST = 200_000
"""triangles of a garment"""
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
"""name → metres"""
NEAR, DEEP = 0.15, 0.03
"""cloth of a garment lies within NEAR of the skin and not DEEP under it [m]"""
SMALLEST, LARGEST = 0.2, 3.0
"""longest side of the box round a garment [m]"""
LEAST_FIT = 0.5
"""smallest share of vertices that must lie so"""
_SAME = 1e-5
"""vertices nearer to each other are one [m]"""
_NO_AREA = 1e-10
"""[m²]"""
_AXES = {
    "y up": np.eye(3),
    "z up": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "y up, facing back": np.diag([-1.0, 1, -1]),
    "z up, facing back": np.array([[-1.0, 0, 0], [0, 0, 1], [0, 1, 0]]),
}
"""world_from_file rotations"""


@dataclass(frozen=True, eq=False, slots=True)
class MeshGarment:
    """A garment that comes sewn and in place."""

    garment: Garment
    position: Floats
    """where its particles start [m], (n, 3)"""
    notes: tuple[str, ...] = ()
    """what was found out or mended, one sentence each"""
    fabric_stated: bool = True
    """off: it takes the fabric of the outfit"""

    def made_of(self, fabric: str | Fabric) -> MeshGarment:
        """Return it in the outfit's fabric, unless its own was stated."""
        if self.fabric_stated:
            return self
        named = fabric_named(fabric) if isinstance(fabric, str) else fabric
        return replace(self, garment=replace(self.garment, fabrics=(named,)))


def is_mesh_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds triangles rather than a pattern, told by its ending."""
    return Path(path).suffix.lower() in MESH_ENDINGS


def read_garment(
    path: str | os.PathLike[str],
    body: Body,
    fabric: str | Fabric | None = None,
    *,
    units: str = "",
    hold: bool = False,
) -> MeshGarment:
    """Return the garment of a mesh file (OBJ, GLB, PLY, STL) that was modelled round this body.

    fabric: left out, that of the outfit; units: m, cm, mm or in, instead of the one that fits the body;
    hold: its upper border stays on the body.
    """
    name = Path(path).stem
    points, triangles = read_triangles(path, what="garment", fewest=1)
    if units and units not in UNITS:
        raise ToileError(f"{Path(path).name}: no unit '{units[:20]}': choose from {', '.join(UNITS)}")
    if len(triangles) > MOST:
        raise ToileError(f"{Path(path).name}: {len(triangles)} triangles: reduce the garment to {MOST}")
    position, how = _on_body(points, triangles, body, units, Path(path).name)
    position, triangles, mended = _clean(position, triangles, Path(path).name)
    triangles = _outward(position, triangles, body)
    held = _upper_border(position, triangles) if hold else None
    garment = mesh_garment(name, position, triangles, fabric or defaults.FABRIC, held)
    return MeshGarment(garment, position, tuple(how + mended), fabric is not None)


def mesh_garment(
    name: str,
    position: Floats,
    triangles: Ints,
    fabric: str | Fabric = defaults.FABRIC,
    held: Ints | None = None,
) -> Garment:
    """Return the garment whose rest lengths are those of a mesh in space [m], (n, 3).

    Each triangle is laid flat by itself, with the warp as upright as it lies, on three uv points of its own.
    """
    uv = _flat(position, triangles)
    count = len(triangles)
    return Garment(
        name=name,
        triangles=triangles,
        uv=uv.reshape(-1, 2),
        triangles_uv=np.arange(3 * count, dtype=np.int32).reshape(-1, 3),
        uv_particle=triangles.ravel(),
        uv_panel=np.zeros(3 * count, dtype=np.int32),
        panel_names=(name,),
        fabrics=(fabric_named(fabric) if isinstance(fabric, str) else fabric,),
        triangle_fabric=np.zeros(count, dtype=np.int32),
        seam_uv=np.zeros((0, 2), dtype=np.int32),
        seam_id=np.zeros(0, dtype=np.int32),
        seam_names=(),
        hold_particle=np.zeros(0, dtype=np.int32) if held is None else held,
        particle_garment=np.zeros(len(position), dtype=np.int32),
        garment_names=(name,),
        garment_layer=np.zeros(1, dtype=np.int32),
        edge_length=float(np.median(_edge_lengths(position, triangles))),
    )


def _edge_lengths(position: Floats, triangles: Ints) -> Floats:
    edges, _ = unique_edges(triangles)
    return np.asarray(np.linalg.norm(position[edges[:, 1]] - position[edges[:, 0]], axis=1))


def _flat(position: Floats, triangles: Ints) -> Floats:
    """Return each triangle in its own plane, +y as upright as it can be [m], (t, 3, 2).

    The triangles' middles are spread as on an unrolled cylinder, so that textures look continuous.
    """
    corner = position[triangles]
    middle = corner.mean(axis=1, keepdims=True)
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    # where a triangle lies flat, "up" runs to the back
    up = np.where(np.abs(normal[:, 1:2]) < 0.98, [[0.0, 1.0, 0.0]], [[0.0, 0.0, -1.0]])
    warp = up - np.einsum("tk,tk->t", up, normal)[:, None] * normal
    warp /= np.linalg.norm(warp, axis=1, keepdims=True)
    weft = np.cross(warp, normal)
    inside = corner - middle
    flat = np.stack([np.einsum("tik,tk->ti", inside, axis) for axis in (weft, warp)], axis=2)
    away = middle[:, 0] - position.mean(axis=0)
    radius = float(np.hypot(away[:, 0], away[:, 2]).mean())
    spread = np.stack([radius * np.arctan2(away[:, 0], away[:, 2]), middle[:, 0, 1]], axis=1)
    return np.asarray(flat + spread[:, None])


def _on_body(points: Floats, triangles: Ints, body: Body, units: str, name: str) -> tuple[Floats, list[str]]:
    """Return the points in the body's world [m] and how they were read, or say how far off they are."""
    used = np.unique(triangles)
    sample = points[used[:: max(1, len(used) // 2000)]]
    tree, normals = cKDTree(body.vertices), vertex_normals(body.vertices, body.triangles)
    best, best_fit = (1.0, "m", "y up"), -1.0
    scales = {units: UNITS[units]} if units else UNITS
    span = float(np.ptp(points[used], axis=0).max())
    for (unit, scale), axes in product(scales.items(), _AXES):
        if not SMALLEST <= scale * span <= LARGEST:
            continue
        fit = _fit(scale * sample @ _AXES[axes].T, tree, normals)
        if fit > best_fit + 0.02:
            best, best_fit = (scale, unit, axes), fit
    scale, unit, axes = best
    if best_fit < LEAST_FIT:
        sides = " × ".join(f"{v:.3g}" for v in np.ptp(points[used], axis=0))
        raise ToileError(
            f"{name}: lies round the body in no unit (it spans {sides}; at best {max(best_fit, 0):.0%} of it "
            f"is near the skin): model it round body {body.name} and export it in place"
        )
    told = [] if (unit, axes) == ("m", "y up") else [f"read as {unit}, {axes}"]
    return scale * points @ _AXES[axes].T, told


def _fit(position: Floats, tree: cKDTree, normals: Floats) -> float:
    """Return the share of points that lie as cloth does: near the skin, not deep under it."""
    distance, nearest = tree.query(position, distance_upper_bound=0.4)
    found = np.isfinite(distance)
    nearest = np.where(found, nearest, 0)
    height = np.einsum("nk,nk->n", position - tree.data[nearest], normals[nearest])
    return float((found * (distance < NEAR) * np.clip(1 + height / DEEP, 0.0, 1.0)).mean())


def _clean(position: Floats, triangles: Ints, name: str) -> tuple[Floats, Ints, list[str]]:
    """Return the mesh without double vertices, needles and closed bodies; tells what was dropped."""
    told = []
    near = cKDTree(position).query_pairs(_SAME, output_type="ndarray")
    graph = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])), shape=(len(position),) * 2)
    label = connected_components(graph, directed=False)[1]
    # the first vertex of each place stands for it
    _, first = np.unique(label, return_index=True)
    position, triangles = position[first], np.asarray(label[triangles], dtype=np.int32)
    corner = position[triangles]
    area = 0.5 * np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    kept = area > _NO_AREA
    _, once = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    kept &= np.isin(np.arange(len(triangles)), once)
    if not kept.all():
        told.append(f"dropped {int((~kept).sum())} triangles without area or given twice")
    triangles = triangles[kept]
    triangles, closed = _without_closed(triangles, len(position))
    if closed:
        told.append(f"dropped {closed} closed part{'s' * (closed > 1)} (a body, a button)")
    if not len(triangles):
        raise ToileError(f"{name}: holds no open surface: a garment has openings for neck, arms or legs")
    _refuse_branches(position, triangles, name)
    used, flat = np.unique(triangles, return_inverse=True)
    return position[used], flat.reshape(-1, 3).astype(np.int32), told


def _without_closed(triangles: Ints, count: int) -> tuple[Ints, int]:
    """Return the triangles of parts that have a border, and how many parts have none."""
    if not len(triangles):
        return triangles, 0
    part = components(triangles.astype(np.int32), count)[triangles[:, 0]]
    edges, of_side = unique_edges(triangles)
    border = np.bincount(of_side, minlength=len(edges))[of_side].reshape(-1, 3).min(axis=1) == 1
    open_parts = np.unique(part[border])
    kept = np.isin(part, open_parts)
    return triangles[kept], len(np.unique(part)) - len(open_parts)


def _refuse_branches(position: Floats, triangles: Ints, name: str) -> None:
    counts = edge_triangle_counts(triangles)
    if (counts > 2).any():
        edges, _ = unique_edges(triangles)
        at = position[edges[int(np.argmax(counts > 2))]].mean(axis=0)
        raise ToileError(
            f"{name}: {int((counts > 2).sum())} edges join more than two triangles, the first at "
            f"({at[0]:.2f}, {at[1]:.2f}, {at[2]:.2f}) m: a garment must be a single sheet there"
        )


def _outward(position: Floats, triangles: Ints, body: Body) -> Ints:
    """Return triangles that run the same way round within each part, seen from outside."""
    triangles = triangles.copy()
    flip, part = _consistent(triangles)
    triangles[flip] = triangles[flip][:, ::-1]
    corner = position[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    _, nearest = cKDTree(body.vertices).query(corner.mean(axis=1))
    skin = vertex_normals(body.vertices, body.triangles)[nearest]
    votes = np.bincount(part, np.einsum("tk,tk->t", normal, skin))
    inward = votes[part] < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


def _consistent(triangles: Ints) -> tuple[Bools, Ints]:
    """Return which triangles to flip so that neighbours agree, and the part of each, (t,)."""
    _, pair = hinges(triangles)
    count = len(triangles)
    graph = coo_array((np.ones(len(pair)), (pair[:, 0], pair[:, 1])), shape=(count, count)).tocsr()
    part = connected_components(graph, directed=False)[1]
    agree = _agreement(triangles, pair)
    flip = np.zeros(count, dtype=bool)
    for start in np.unique(part, return_index=True)[1].tolist():
        order, before = breadth_first_order(graph, start, directed=False)
        for triangle in order[1:].tolist():
            other = int(before[triangle])
            flip[triangle] = flip[other] ^ (not agree[frozenset((triangle, other))])
    return flip, part


def _agreement(triangles: Ints, pair: Ints) -> dict[frozenset[int], bool]:
    """Return for each pair of neighbours whether they run through their common edge in opposite ways."""
    found = {}
    sides = [{(a, b), (b, c), (c, a)} for a, b, c in triangles.tolist()]
    for one, two in pair.tolist():
        found[frozenset((one, two))] = not (sides[one] & sides[two])
    return found


def _upper_border(position: Floats, triangles: Ints) -> Ints:
    """Return the vertices of the border whose middle is highest, ascending."""
    edges, _ = unique_edges(triangles)
    border = edges[edge_triangle_counts(triangles) == 1]
    graph = coo_array((np.ones(len(border)), (border[:, 0], border[:, 1])), shape=(len(position),) * 2)
    loop = connected_components(graph, directed=False)[1]
    on_border = np.unique(border)
    of_loop = loop[on_border]
    height = np.bincount(of_loop, position[on_border, 1]) / np.maximum(np.bincount(of_loop), 1)
    highest = max(np.unique(of_loop).tolist(), key=lambda k: float(height[k]))
    return np.asarray(on_border[of_loop == highest], dtype=np.int32)
