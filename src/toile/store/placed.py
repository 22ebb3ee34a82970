"""Recordings of an avatar that came from a file, seen where that file had it: its place, axes and units."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from toile.core.records import Body, Floats, Garment
from toile.io.axes import Axes
from toile.motion.avatar_clip import AvatarOrigin, origin_of
from toile.store.record import Frame, Source

JOINTS = "world_from_joint"


class Placed:
    """A recording turned, scaled and shifted as it is read, frame by frame."""

    def __init__(self, source: Source, matrix: Floats, axes: Axes) -> None:
        """Take the way from our metres, y up, to what these axes mean (4, 4)."""
        self._source, self._matrix, self.axes = source, matrix, axes
        self._scale = float(np.linalg.norm(matrix[:3, 0]))
        self.garment: Garment = source.garment
        self.provenance = source.provenance
        self.body: Body | None = None if source.body is None else _scaled(source.body, self._scale)

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self._source)

    def time(self, number: int) -> float:
        """Return when a frame is [s]."""
        return self._source.time(number)

    def frame(self, number: int) -> Frame:
        """Return a frame in the file's places."""
        found = self._source.frame(number)
        extra = dict(found.extra)
        if JOINTS in extra:
            extra[JOINTS] = self._joints(extra[JOINTS])
        return replace(
            found,
            position=self._move(found.position),
            skin=cache(lambda: self._move(found.body_vertices)),
            posed=None,
            extra=extra,
        )

    def _move(self, points: Floats) -> Floats:
        return np.asarray(points @ self._matrix[:3, :3].T + self._matrix[:3, 3])

    def _joints(self, world: Floats) -> Floats:
        moved = np.array(world)
        moved[:, :3, :3] = self._matrix[:3, :3] / self._scale @ world[:, :3, :3]
        moved[:, :3, 3] = self._move(world[:, :3, 3])
        return moved


def _scaled(body: Body, scale: float) -> Body:
    frames = np.array(body.skeleton.world_from_joint)
    frames[:, :3, 3] *= scale
    skeleton = replace(body.skeleton, world_from_joint=frames, tails=scale * body.skeleton.tails)
    return replace(body, vertices=scale * body.vertices, skeleton=skeleton)


def placed(source: Source, *, own_axes: bool) -> Source:
    """Return the recording as its avatar's file had it; our own people stay where they are.

    own_axes: in the file's axes and units too, for formats that can say which; else in metres, y up.
    """
    origin = origin_of(source.provenance)
    if origin is None:
        return source
    return Placed(source, *(_theirs(origin) if own_axes else _level(origin)))


def _theirs(origin: AvatarOrigin) -> tuple[Floats, Axes]:
    return origin.file_from_ours, origin.axes


def _level(origin: AvatarOrigin) -> tuple[Floats, Axes]:
    rotation = np.eye(4)
    rotation[:3, :3] = origin.axes.ours_from_file
    return rotation @ origin.file_from_ours, Axes(first=origin.axes.first)
