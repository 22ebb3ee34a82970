"""Recordings that a page plays while they are being made: each block is on the disk when it is whole."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from pathlib import Path
from typing import TypeVar

import numpy as np

from toile.core.provenance import Provenance
from toile.core.records import Body, Floats, Garment
from toile.export.playback import playback_blocks
from toile.garment.particles import points_apart
from toile.io.blocks import packed
from toile.sim.dress.watch import watched
from toile.store.clip import Clip
from toile.store.record import Frame, given

FPS = 30.0
CLOTH_STEP = 2e-4
"""grid of the cloth [m]"""
T = TypeVar("T")


class Coming:
    """A recording whose frames are taken from an iterator as they are asked for, each once and in turn."""

    def __init__(self, garment: Garment, body: Body, frames: Iterator[Frame], count: int) -> None:
        self.garment, self._count = garment, count
        self.body: Body | None = body
        self.provenance = Provenance()
        self._frames = frames

    def __len__(self) -> int:
        """Return how many there will be."""
        return self._count

    def frame(self, number: int) -> Frame:
        """Return the next frame."""
        return next(self._frames)

    def time(self, number: int) -> float:
        """Return when a frame is [s]."""
        return number / FPS


def stream(coming: Coming, path: Path) -> None:
    """Write a recording block by block; readers may follow."""
    count = len(coming)
    clip = Clip(coming, tuple(range(count)), np.arange(count) / FPS)
    with open(path, "wb") as file:
        for data in packed(playback_blocks(clip, CLOTH_STEP)):
            file.write(data)
            file.flush()


class SewingFilm:
    """Records each sewing that goes on within as sewing-1.play, sewing-2.play … in a folder.

    So many frames are stored, whatever the sewing takes: a page can tell how long it will be. What takes
    longer ends early here, what is shorter stands still at its end.
    """

    COUNT = 100
    EVERY = 2
    """the sewing has 60 frames a second"""

    def __init__(self, body: Body, folder: Path) -> None:
        self._body, self._folder = body, folder
        self.names: list[str] = []
        self._uv = -1
        self._number = 0
        self._frames: queue.Queue[Floats | None] = queue.Queue()
        self._thread: threading.Thread | None = None

    def __call__(self, garment: Garment, position: Floats) -> None:
        """Take a frame."""
        if len(garment.uv) != self._uv:
            self.end()
            self._begin(garment)
        if self._number % self.EVERY == 0:
            self._frames.put(position[garment.uv_particle])
        self._number += 1

    def _begin(self, garment: Garment) -> None:
        self._uv, self._number, self._frames = len(garment.uv), 0, queue.Queue()
        name = f"sewing-{len(self.names) + 1}.play"
        self.names.append(name)
        coming = Coming(points_apart(garment), self._body, self._taken(self._frames), self.COUNT)
        self._thread = threading.Thread(target=stream, args=(coming, self._folder / name))
        self._thread.start()

    def _taken(self, frames: queue.Queue[Floats | None]) -> Iterator[Frame]:
        rest = {"world_from_joint": self._body.skeleton.world_from_joint}
        last: Floats | None = None
        ended = False
        for number in range(self.COUNT):
            found = None if ended else frames.get()
            ended = ended or found is None
            last = last if found is None else found
            assert last is not None
            yield Frame(number / FPS, last, given(self._body.vertices), rest)

    def end(self) -> None:
        """Wait until what was taken is written."""
        if self._thread is not None:
            self._frames.put(None)
            self._thread.join()
            self._thread = None

    def over(self, work: Callable[[], T]) -> T:
        """Return what a function gives, recording what is sewn in it."""

        def seen() -> T:
            with watched(self):
                return work()

        try:
            return copy_context().run(seen)
        finally:
            self.end()
