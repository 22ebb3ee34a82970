"""Recordings shown finer than they were simulated: fine folds at the price of a coarse mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from toile.errors import ToileError
from toile.mesh.subdivide import smooth_weights
from toile.run.record import Frame, Source
from toile.types import Body, Garment, Ints

LARGEST = 3
"""how often a mesh may be refined: each time has four times the triangles"""


def finer_garment(garment: Garment) -> tuple[Garment, csr_matrix]:
    """Return the garment with four times the triangles, and the matrix from old particles to new ones."""
    shape, matrix = smooth_weights(garment.triangles, garment.particle_count)
    # the texture is smoothed by the same rules, so that it moves with the cloth; panels end at their seams
    flat, uv_matrix = smooth_weights(garment.triangles_uv, len(garment.uv))
    new_particle = _middles(shape.sides, garment.particle_count)
    ends = garment.uv_particle[flat.sides]
    particle = np.array([new_particle[min(a, b), max(a, b)] for a, b in ends.tolist()], np.int32)
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
        fold_uv=np.zeros((0, 2), np.int32),
        fold_angle=np.zeros(0),
        panel_grid=np.zeros((0, 2), np.int32),
    )
    return made, matrix


def _middles(sides: Ints, count: int) -> dict[tuple[int, int], int]:
    return {(a, b): count + k for k, (a, b) in enumerate(sides.tolist())}


class Smoothed:
    """A recording whose garment is refined as it is read, frame by frame."""

    def __init__(self, source: Source, times: int = 1) -> None:
        """Refine so many times (1 to 3)."""
        if not 1 <= times <= LARGEST:
            raise ToileError(f"smooth is {times}: choose 1 to {LARGEST}; each has four times the triangles")
        self._source = source
        self.body: Body | None = source.body
        self.settings: Mapping[str, Any] = source.settings
        self.garment = source.garment
        self._matrices = []
        for _ in range(times):
            self.garment, matrix = finer_garment(self.garment)
            self._matrices.append(matrix)

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self._source)

    def time(self, number: int) -> float:
        """Return when a frame is [s]."""
        return self._source.time(number)

    def frame(self, number: int) -> Frame:
        """Return a frame with the finer cloth."""
        found = self._source.frame(number)
        position = found.position
        for matrix in self._matrices:
            position = np.asarray(matrix @ position)
        return replace(found, position=position)
