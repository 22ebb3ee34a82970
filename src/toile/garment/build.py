"""Pattern + fabric → Garment: meshes the panels, joins the lists, notes seams and held edges; welds seams.

`build` gives the unsewn garment: every uv point is its own particle and the seams are pairs of points still
to be brought together. `weld` merges each pair into one particle, once the sewing has closed the gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from toile.core import defaults
from toile.core.choices import choose
from toile.core.errors import ToileError
from toile.core.records import Bools, EdgeRef, Fabric, Floats, Garment, Ints, Panel, PanelMesh, Pattern
from toile.garment.fabric import fabric as fabric_named
from toile.garment.mesh.grid_pattern import grid_pattern
from toile.garment.mesh.sample import seam_title
from toile.garment.mesh.triangulate import mesh_pattern
from toile.garment.particles import mean_of_each
from toile.garment.place.facing import panels_face_down
from toile.geometry.topology import linked

MESHES: Mapping[str, Callable[[Pattern, float], dict[str, PanelMesh]]] = {
    "triangles": mesh_pattern,
    "grid": grid_pattern,
}
"""name → how a pattern is cut into meshes"""


def build(
    pattern: Pattern,
    fabric: str | Fabric = defaults.FABRIC,
    edge_length: float = defaults.EDGE_LENGTH,
    *,
    mesh: str = defaults.MESH,
) -> Garment:
    """Return the unsewn garment of a pattern: particle i is uv point i.

    A panel's own fabric goes before `fabric`; edge_length is the mesh's target [m]. Triangles are
    counter-clockwise seen from the outside of the garment, so in panels that are drawn from inside they run
    clockwise in uv. mesh is "triangles", or "grid" for rows and columns in all panels that allow it.
    """
    meshes = choose("mesh", MESHES, mesh)(pattern, edge_length)
    parts = [meshes[panel.name] for panel in pattern.panels]
    offsets = np.cumsum([0] + [len(mesh.uv) for mesh in parts])
    down = panels_face_down(pattern)
    triangles = np.concatenate(
        [
            (mesh.triangles[:, ::-1] if d else mesh.triangles) + o
            for mesh, d, o in zip(parts, down, offsets[:-1], strict=True)
        ]
    )
    count = int(offsets[-1])
    first = {panel.name: int(o) for panel, o in zip(pattern.panels, offsets[:-1], strict=True)}
    seam_uv, seam_id = _seam_pairs(pattern, meshes, first)
    fold_uv, fold_angle = _folds(pattern, meshes, first, down)
    fabrics, panel_fabric = fabrics_of(pattern, fabric)
    panel_of_triangle = np.repeat(np.arange(len(parts)), [len(mesh.triangles) for mesh in parts])
    return Garment(
        name=pattern.name,
        triangles=triangles,
        uv=np.concatenate([warp_up(panel, meshes[panel.name].uv) for panel in pattern.panels]),
        triangles_uv=triangles,
        uv_particle=np.arange(count, dtype=np.int32),
        uv_panel=np.repeat(np.arange(len(parts)), np.diff(offsets)),
        panel_names=tuple(panel.name for panel in pattern.panels),
        fabrics=fabrics,
        triangle_fabric=panel_fabric[panel_of_triangle],
        seam_uv=seam_uv,
        seam_id=seam_id,
        seam_names=tuple(seam_title(seam, i) for i, seam in enumerate(pattern.seams)),
        hold_particle=_held(pattern, meshes, first),
        particle_garment=np.zeros(count, dtype=np.int32),
        garment_names=(pattern.name,),
        garment_layer=np.array([pattern.layer]),
        patterns=(pattern,),
        edge_length=edge_length,
        fold_uv=fold_uv,
        fold_angle=fold_angle,
        panel_grid=np.array([mesh.grid for mesh in parts]),
    )


def weld(garment: Garment) -> Garment:
    """Return the garment with the points of each seam merged into one particle.

    Points where several seams meet become one particle too. A triangle whose corners were sewn to each
    other has no area left and is dropped (see `collapsed_triangles`); a particle that so loses its last
    triangle joins a corner of it. The uv points stay as they were: `uv_particle` tells where each went.
    """
    label = linked(garment.particle_count, garment.uv_particle[garment.seam_uv])
    label = _absorb_lonely(garment.triangles, label)
    triangles = label[garment.triangles]
    kept = ~_collapsed(triangles)
    _refuse_vanished_panels(garment, kept)
    new_count = int(label.max(initial=-1)) + 1
    particle_garment = np.zeros(new_count, dtype=np.int32)
    particle_garment[label] = garment.particle_garment
    return replace(
        garment,
        triangles=triangles[kept],
        triangles_uv=garment.triangles_uv[kept],
        triangle_fabric=garment.triangle_fabric[kept],
        uv_particle=label[garment.uv_particle],
        hold_particle=np.unique(label[garment.hold_particle]),
        particle_garment=particle_garment,
    )


def weld_positions(garment: Garment, welded: Garment, position: Floats) -> Floats:
    """Return the particles of the welded garment: each the mean of the points it joins [m], (n, 3)."""
    return mean_of_each(welded.uv_particle, position[garment.uv_particle], welded.particle_count)


def collapsed_triangles(garment: Garment) -> Ints:
    """Return the triangles that `weld` would drop, because their corners are sewn to each other."""
    label = linked(garment.particle_count, garment.uv_particle[garment.seam_uv])
    return np.flatnonzero(_collapsed(label[garment.triangles])).astype(np.int32)


def seam_gaps(garment: Garment, position: Floats) -> Floats:
    """Return how far apart the points of each sewn pair are [m], (s,)."""
    pairs = garment.uv_particle[garment.seam_uv]
    return np.asarray(np.linalg.norm(position[pairs[:, 0]] - position[pairs[:, 1]], axis=1))


def panel_coordinates(garment: Garment) -> Floats:
    """Return the uv points in the coordinates of their panels, the warp's turn undone [m], (u, 2)."""
    grain = np.array([panel.grain for pattern in garment.patterns for panel in pattern.panels])
    if not grain.any():
        return garment.uv
    return _turned(garment.uv, grain[garment.uv_panel])


def warp_up(panel: Panel, uv: Floats) -> Floats:
    """Return panel coordinates turned so that the warp is +y."""
    return uv if panel.grain == 0.0 else _turned(uv, np.full(len(uv), -panel.grain))


def _turned(points: Floats, angle: Floats) -> Floats:
    """Return points turned counter-clockwise about the origin by an angle each [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1]], axis=1)


def fabrics_of(pattern: Pattern, fabric: str | Fabric) -> tuple[tuple[Fabric, ...], Ints]:
    """Return the fabrics in use and the index of each panel's fabric."""
    main = fabric_named(fabric) if isinstance(fabric, str) else fabric
    by_name: dict[str, Fabric] = {"": main}
    for panel in pattern.panels:
        if panel.fabric and panel.fabric not in by_name:
            by_name[panel.fabric] = fabric_named(panel.fabric)
    names = list(by_name)
    which = np.array([names.index(panel.fabric) for panel in pattern.panels], dtype=np.int32)
    return tuple(by_name.values()), which


def _steps(chain: tuple[EdgeRef, ...], meshes: Mapping[str, PanelMesh], first: Mapping[str, int]) -> Ints:
    """Return the steps of a chain of edges in the seam's direction: uv points (begin, end), (m, 2)."""
    steps = []
    for ref in chain:
        vertices = meshes[ref.panel].edge_vertices[ref.edge] + first[ref.panel]
        vertices = vertices[::-1] if ref.reversed else vertices
        steps.append(np.stack([vertices[:-1], vertices[1:]], axis=1))
    return np.concatenate(steps)


def _seam_pairs(
    pattern: Pattern, meshes: Mapping[str, PanelMesh], first: Mapping[str, int]
) -> tuple[Ints, Ints]:
    """Return the uv points that are sewn together (s, 2) and the seam of each pair (s,)."""
    pairs, ids = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for index, seam in enumerate(pattern.seams):
        a, b = _steps(seam.a, meshes, first), _steps(seam.b, meshes, first)
        found = np.stack([a.ravel(), b.ravel()], axis=1)
        # the apex of a dart lies on both sides
        found = found[found[:, 0] != found[:, 1]]
        _, order = np.unique(found, axis=0, return_index=True)
        found = found[np.sort(order)]
        pairs.append(found)
        ids.append(np.full(len(found), index))
    return np.concatenate(pairs).astype(np.int32), np.concatenate(ids).astype(np.int32)


def _folds(
    pattern: Pattern, meshes: Mapping[str, PanelMesh], first: Mapping[str, int], down: Bools
) -> tuple[Ints, Floats]:
    """Return the mesh edges along fold lines (k, 2) and their angles, positive towards the outside (k,)."""
    edges, angles = [np.zeros((0, 2), dtype=np.int32)], [np.zeros(0)]
    for panel, is_down in zip(pattern.panels, down, strict=True):
        for mark, along in zip(panel.marks, meshes[panel.name].mark_edges, strict=True):
            if mark.kind == "fold" and mark.angle:
                edges.append(along + np.int32(first[panel.name]))
                angles.append(np.full(len(along), -mark.angle if is_down else mark.angle))
    return np.concatenate(edges), np.concatenate(angles)


def _held(pattern: Pattern, meshes: Mapping[str, PanelMesh], first: Mapping[str, int]) -> Ints:
    """Return the particles of the held edges, ascending."""
    held = [
        meshes[hold.edge.panel].edge_vertices[hold.edge.edge] + first[hold.edge.panel]
        for hold in pattern.holds
    ]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *held])).astype(np.int32)


def _collapsed(triangles: Ints) -> Bools:
    """Return which triangles name a vertex twice."""
    a, b, c = triangles.T
    return np.asarray((a == b) | (b == c) | (c == a))


def _refuse_vanished_panels(garment: Garment, kept: Bools) -> None:
    """Raise when a panel would lose all its triangles: the mesh is too coarse for its seams."""
    panel = garment.uv_panel[garment.triangles_uv[:, 0]]
    for lost in np.setdiff1d(panel, panel[kept]).tolist():
        raise ToileError(
            f"panel '{garment.panel_names[lost]}' vanishes when its seams close; use a shorter edge length"
        )


def _absorb_lonely(triangles: Ints, label: Ints) -> Ints:
    """Return labels in which a particle with only collapsed triangles is merged into their other corners."""
    used = np.zeros(int(label.max(initial=-1)) + 1, dtype=bool)
    merged = label[triangles]
    gone = _collapsed(merged)
    had = used.copy()
    had[merged] = True
    used[merged[~gone]] = True
    if not (lonely := had & ~used).any():
        return label
    links = np.array(
        [
            (corner, other)
            for row in merged[gone].tolist()
            for corner in row
            for other in row
            if lonely[corner]
        ]
    )
    onto = linked(len(used), links)
    return onto[label]
