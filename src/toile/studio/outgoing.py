"""What goes to the page: meshes when they change, frames as fast as the page takes them, and words."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from toile.core.records import Body, Floats, Garment
from toile.studio.asked import Message
from toile.studio.frames import Frame, body_bytes, cloth_bytes, frame_bytes
from toile.studio.messages import MOST_WAITING, as_table
from toile.studio.overlays import OVERLAYS

Send = Callable[[str | bytes], None]
NO_JOINTS = np.zeros((0, 3, 4))
PAUSE = 0.4
"""after an edit, before a mesh of the same triangles is sent again [s]"""


class Outgoing:
    """The way to one page. At most four frames are on their way; the newest goes as soon as there is room."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._cloth: dict[int, tuple[Garment, str]] = {}
        self._stale: dict[int, float] = {}
        """since when the page has an older rest shape of the same triangles [s]"""
        self._body: Body | None = None
        self._numbers = {"mesh": 0, "body": 0, "frame": 0}
        self._mesh_of = {0: 0, 1: 0}
        self._waiting: set[int] = set()
        self._later: dict[int, Callable[[], None]] = {}
        self.sent = self.dropped = 0
        self.echo = 0
        """the newest message that frames take into account"""

    def tell(self, message: Message) -> None:
        """Send a text message."""
        self._send(json.dumps(as_table(message), allow_nan=False, separators=(",", ":")))

    def bytes(self, data: bytes) -> None:
        """Send a binary message that is no frame."""
        self._send(data)

    def again(self) -> None:
        """Forget what the page knows: it is another one."""
        self._cloth, self._body, self._waiting, self._later = {}, None, set(), {}
        self._stale = {}

    def cloth(self, side: int, garment: Garment, looks: list[dict[str, Any]]) -> None:
        """Send the mesh of a side, if it is another one than before."""
        key, now = json.dumps(looks), time.monotonic()
        known = self._cloth.get(side)
        if known is not None and known[1] == key and _same_triangles(known[0], garment):
            if known[0] is not garment:
                self._cloth[side] = garment, key
                if not np.array_equal(known[0].uv, garment.uv):
                    # while an outline is dragged only places change; its print follows when the hand pauses
                    self._stale[side] = now
            if side not in self._stale or now < self._stale[side] + PAUSE:
                return
        self._stale.pop(side, None)
        self._cloth[side] = garment, key
        self._numbers["mesh"] += 1
        self._mesh_of[side] = self._numbers["mesh"]
        self._send(cloth_bytes(garment, side, self._numbers["mesh"], looks))

    @property
    def stale(self) -> bool:
        """Return whether a mesh is to be sent again, now that the hand has paused."""
        return any(time.monotonic() > since + PAUSE for since in self._stale.values())

    def no_cloth(self, side: int) -> None:
        """Show no cloth on a side."""
        self._cloth.pop(side, None)
        self._stale.pop(side, None)

    def body(self, body: Body) -> int:
        """Send the mesh of a body, if it is another one than before; return its number."""
        if body is not self._body:
            self._body = body
            self._numbers["body"] += 1
            self._send(body_bytes(body, self._numbers["body"]))
        return self._numbers["body"]

    def frame(
        self, side: int, *, time_: float, position: Floats, body: int, joints: Floats, overlay: str,
        values: np.ndarray | None, flags: int, milliseconds: float,
    ) -> None:  # fmt: skip
        """Send a frame, or keep it until there is room."""

        def go() -> None:
            self._numbers["frame"] += 1
            number = self._numbers["frame"]
            self._waiting.add(number)
            self.sent += 1
            self._send(
                frame_bytes(
                    Frame(
                        side=side, mesh=self._mesh_of[side] if side in self._cloth else 0, number=number,
                        body=body, time=time_, position=position, joints=joints,
                        overlay=list(OVERLAYS).index(overlay), values=values, flags=flags, echo=self.echo,
                        milliseconds=milliseconds,
                    )
                )
            )  # fmt: skip

        if len(self._waiting) >= MOST_WAITING:
            self.dropped += side in self._later
            self._later[side] = go
        else:
            self._later.pop(side, None)
            go()

    def acknowledged(self, number: int) -> None:
        """Take note that a frame was drawn."""
        self._waiting.discard(number)
        while self._later and len(self._waiting) < MOST_WAITING:
            self._later.pop(next(iter(self._later)))()


def _same_triangles(a: Garment, b: Garment) -> bool:
    return a is b or (
        np.array_equal(a.triangles_uv, b.triangles_uv)
        and np.array_equal(a.uv_particle, b.uv_particle)
        and np.array_equal(a.triangle_fabric, b.triangle_fabric)
    )


class Clock:
    """How fast frames come: their number in the last second, and the mean time that one takes."""

    def __init__(self) -> None:
        self._times: list[tuple[float, float]] = []

    def took(self, seconds: float) -> None:
        """Count a frame."""
        now = time.monotonic()
        self._times = [one for one in self._times if one[0] > now - 1.0] + [(now, seconds)]

    @property
    def fps(self) -> float:
        """Return the frames of the last second."""
        now = time.monotonic()
        return float(sum(one[0] > now - 1.0 for one in self._times))

    @property
    def milliseconds(self) -> float:
        """Return the mean time of a frame [ms]."""
        times = [1000 * took for _, took in self._times]
        return float(np.mean(times)) if times else 0.0
