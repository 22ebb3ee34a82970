"""Recordings shown finer than they were simulated: fine folds at the price of a coarse mesh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix

from toile.core.errors import ToileError
from toile.core.records import Body, Bools, Garment, Ints
from toile.geometry.subdivide import smooth_weights
from toile.render.surface import seam_edges
from toile.store.record import Frame, Source

LARGEST = 3
"""how often a mesh may be refined: each time has four times the triangles"""


def finer_garment(garment: Garment) -> tuple[Garment, csr_matrix]:
    """Return the garment with four times the triangles, and the matrix from old particles to new ones.

    Seams are smoothed along themselves, as hems are: across irregular triangles they would become wavy.
    """
    flat, uv_matrix = smooth_weights(garment.triangles_uv, len(garment.uv))
    sewn = _sewn_sides(garment, flat.sides)
    ends = garment.uv_particle[flat.sides]
    # the texture is smoothed by the same rules, so that it moves with the cloth; panels end at their seams
    shape, matrix = smooth_weights(garment.triangles, garment.particle_count, ends[sewn])
    new_particle = _middles(shape.sides, garment.particle_count)
    particle = np.array([new_particle[min(a, b), max(a, b)] for a, b in ends.tolist()], np.int32)
    seam_uv, seam_id = _seam_middles(garment, flat.sides, sewn, particle)
    made = replace(
        garment,
        triangles=shape.triangles,
        uv=np.asarray(uv_matrix @ garment.uv),
        triangles_uv=flat.triangles,
        uv_particle=np.concatenate([garment.uv_particle, particle]),
        uv_panel=np.concatenate([garment.uv_panel, garment.uv_panel[flat.sides[:, 0]]]),
        triangle_fabric=np.tile(garment.triangle_fabric, 4),
        particle_garment=np.concatenate(
            [garment.particle_garment, garment.particle_garment[shape.sides[:, 0]]]
        ),
        edge_length=garment.edge_length / 2,
        seam_uv=np.concatenate([garment.seam_uv, seam_uv]),
        seam_id=np.concatenate([garment.seam_id, seam_id]),
        fold_uv=np.zeros((0, 2), np.int32),
        fold_angle=np.zeros(0),
        panel_grid=np.zeros((0, 2), np.int32),
    )
    return made, matrix


def _sewn_sides(garment: Garment, sides: Ints) -> Bools:
    """Return which sides of the flat pieces (e, 2) are sewn: borders whose ends are."""
    seam, _ = seam_edges(garment)
    across = np.sort(garment.triangles_uv[:, [[1, 2], [2, 0], [0, 1]]], axis=2)
    keys = np.asarray(across[seam], np.int64) @ [len(garment.uv), 1]
    found: Bools = np.isin(sides.astype(np.int64) @ [len(garment.uv), 1], keys)
    return found


def _seam_middles(garment: Garment, sides: Ints, sewn: Bools, particle: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of new points along seams and their seams: middles that became one particle."""
    of_point: dict[int, int] = {}
    for pair, name in zip(garment.seam_uv.tolist(), garment.seam_id.tolist(), strict=True):
        of_point |= dict.fromkeys(pair, name)
    first: dict[int, int] = {}
    pairs, names = [], []
    for k in np.flatnonzero(sewn).tolist():
        new, at = len(garment.uv) + k, int(particle[k])
        if at in first:
            pairs.append((first[at], new))
            names.append(of_point[int(sides[k, 0])])
        first[at] = new
    return np.array(pairs, np.int32).reshape(-1, 2), np.array(names, np.int32)


def _middles(sides: Ints, count: int) -> dict[tuple[int, int], int]:
    return {(a, b): count + k for k, (a, b) in enumerate(sides.tolist())}


class Smoothed:
    """A recording whose garment is refined as it is read, frame by frame."""

    def __init__(self, source: Source, times: int = 1) -> None:
        """Refine so many times (1 to 3)."""
        if not 1 <= times <= LARGEST:
            raise ToileError(f"smooth is {times}: choose 1 to {LARGEST}; each has four times the triangles")
        self.source = source
        """as it was simulated"""
        self.body: Body | None = source.body
        self.provenance = source.provenance
        self.garment = source.garment
        self._matrices = []
        for _ in range(times):
            self.garment, matrix = finer_garment(self.garment)
            self._matrices.append(matrix)

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.source)

    def time(self, number: int) -> float:
        """Return when a frame is [s]."""
        return self.source.time(number)

    def frame(self, number: int) -> Frame:
        """Return a frame with the finer cloth."""
        found = self.source.frame(number)
        position = found.position
        for matrix in self._matrices:
            position = np.asarray(matrix @ position)
        return replace(found, position=position)
