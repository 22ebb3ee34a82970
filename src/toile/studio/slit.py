"""Scissors: cloth is cut along edges of its mesh. The pattern knows nothing of it; sewing anew mends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from toile.core.errors import ToileError
from toile.core.records import Floats, Garment, Ints
from toile.geometry.topology import linked


def slit(garment: Garment, position: Floats, particles: Sequence[int]) -> tuple[Garment, Ints]:
    """Return the garment cut along the way through these particles, and the old particle of each new one.

    Old particles keep their numbers, new ones come after them. A cut opens where it goes on, or reaches a
    border: its ends within the cloth stay whole.
    """
    line = _line(garment, position, particles)
    if len(line) < 2:
        raise ToileError("a cut goes through two points at least: draw a longer one")
    count = garment.particle_count
    on = np.zeros(count, dtype=bool)
    on[line] = True
    cut = {(min(a, b), max(a, b)) for a, b in pairwise(line)}
    label = _parted(garment, on, cut)
    corners, triangles_uv = garment.triangles.copy(), garment.triangles_uv.copy()
    source: list[int] = []
    points: dict[tuple[int, int], int] = {}
    uv_source: list[int] = []
    for particle in line:
        mine = np.flatnonzero(garment.triangles.ravel() == particle)
        # the first part keeps the particle
        for part in np.unique(label[mine])[1:]:
            number = count + len(source)
            source.append(particle)
            for corner in mine[label[mine] == part]:
                corners.reshape(-1)[corner] = number
                key = (number, int(triangles_uv.reshape(-1)[corner]))
                if key not in points:
                    points[key] = len(garment.uv) + len(uv_source)
                    uv_source.append(key[1])
                triangles_uv.reshape(-1)[corner] = points[key]
    if not source:
        raise ToileError("this cut opens nothing: draw it across the cloth, or from its border")
    more, more_uv = np.array(source, np.int32), np.array(uv_source, np.int32)
    owner = np.array([number for number, _ in points], np.int32)
    made = replace(
        garment,
        triangles=corners,
        triangles_uv=triangles_uv,
        uv=np.concatenate([garment.uv, garment.uv[more_uv]]),
        uv_panel=np.concatenate([garment.uv_panel, garment.uv_panel[more_uv]]),
        uv_particle=np.concatenate([garment.uv_particle, owner]),
        particle_garment=np.concatenate([garment.particle_garment, garment.particle_garment[more]]),
        panel_grid=np.zeros((0, 2), np.int32),
    )
    return made, np.concatenate([np.arange(count, dtype=np.int32), more])


def _line(garment: Garment, position: Floats, particles: Sequence[int]) -> list[int]:
    """Return the shortest way along edges of the mesh through these particles."""
    count = garment.particle_count
    if any(not 0 <= p < count for p in particles):
        raise ToileError(f"there is no such point: the cloth has {count}")
    ends = garment.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    length = np.linalg.norm(position[ends[:, 0]] - position[ends[:, 1]], axis=1)
    pairs = np.concatenate([ends, ends[:, ::-1]])
    order = np.unique(pairs, axis=0, return_index=True)[1]
    both = np.concatenate([length, length])[order]
    graph = coo_array((both, pairs[order].T), shape=(count, count)).tocsr()
    line = [int(particles[0])] if particles else []
    for goal in particles[1:]:
        _, before = dijkstra(graph, directed=False, indices=line[-1], return_predecessors=True)
        way = [int(goal)]
        while way[-1] != line[-1]:
            if before[way[-1]] < 0:
                raise ToileError("a cut stays within one garment")
            way.append(int(before[way[-1]]))
        # a way that crosses itself is cut once
        line += [p for p in way[-2::-1] if p not in line]
    return [p for k, p in enumerate(line) if k == 0 or _joined(ends, line[k - 1], p)]


def _joined(ends: Ints, a: int, b: int) -> bool:
    return bool((((ends[:, 0] == a) & (ends[:, 1] == b)) | ((ends[:, 0] == b) & (ends[:, 1] == a))).any())


def _parted(garment: Garment, on: np.ndarray, cut: set[tuple[int, int]]) -> Ints:
    """Return the part of its fan that each corner of a triangle (3 t,) is in: parts meet at the cut only."""
    triangles = garment.triangles
    seen: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for number in np.flatnonzero(on[triangles].any(axis=1)).tolist():
        row = triangles[number].tolist()
        for k in range(3):
            a, b = row[k], row[(k + 1) % 3]
            seen.setdefault((min(a, b), max(a, b)), []).append((number, k))
    links = []
    for edge, sides in seen.items():
        if edge in cut or len(sides) < 2:
            continue
        for particle in edge:
            found = [3 * t + triangles[t].tolist().index(particle) for t, _ in sides]
            links += [(found[0], other) for other in found[1:]]
    pairs = np.array(links, np.int32).reshape(-1, 2)
    return np.asarray(linked(3 * len(triangles), pairs))
