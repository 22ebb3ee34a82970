"""Verlet cloth on the device: predicted, relaxed and stopped there (shaders/cloth.wgsl)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from toile.gpu.device import Array, Device, groups_of
from toile.gpu.limb_maps import Contact, PartMaps

OFFSET = 256
"""uniform values at a dynamic offset lie so many bytes apart"""


@dataclass(frozen=True, eq=False, slots=True)
class Sweep:
    """What one sweep visits: classes of a grid's links or colours of the connectivity table, in order."""

    entry: str
    """relax_grid or relax_table"""
    links: Array
    """of each dispatch: first, count, kind, parity, down, right, share, look, (d,)"""
    table: Array
    """two particles, shortest and longest length of each link, (m, 4)"""
    rest: Array
    """grid: lengths, class after class"""
    rows: int = 0
    columns: int = 0


LINKS = np.dtype(
    [("first", "u4"), ("count", "u4"), ("kind", "u4"), ("parity", "u4"),
     ("down", "i4"), ("right", "i4"), ("share", "f4"), ("look", "u4")]
)  # fmt: skip
STEP = np.dtype(
    [("count", "u4"), ("rows", "u4"), ("columns", "u4"), ("allowed", "u4"),
     ("dt", "f4"), ("keep", "f4"), ("threshold", "f4"), ("first", "u4"),
     ("gravity", "f4", 4), ("wind", "f4", 4)]
)  # fmt: skip


def grid_sweep(rows: int, columns: int, ways: Sequence[tuple[int, int]], rest: Array, share: Array) -> Sweep:
    """Return the sweep of a grid; ways are rows and columns between the ends of each class of links.

    Links of a class whose first rows (across: columns) have one parity share no particle.
    """
    found = [
        (0, 0, kind, parity, down, right, share[kind], 0)
        for kind, (down, right) in enumerate(ways)
        for parity in (0, 1)
        if share[kind] > 0
    ]
    links = np.array(found, dtype=LINKS)
    flat = np.asarray(rest, np.float32).ravel()
    return Sweep("relax_grid", links, np.zeros((0, 4), np.uint32), flat, rows, columns)


def table_sweep(pairs: Array, low: Array, high: Array, colour: Array, share: float) -> Sweep:
    """Return the sweep over a connectivity table: links (m, 2) sorted by colours that share no particle."""
    order = np.argsort(colour, kind="stable")
    table = np.zeros((len(pairs), 4), np.uint32)
    table[:, :2] = pairs[order]
    table[:, 2] = np.asarray(low, np.float32)[order].view(np.uint32)
    table[:, 3] = np.asarray(high, np.float32)[order].view(np.uint32)
    count = np.bincount(colour)
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    found = [(first[c], count[c], 0, 0, 0, 0, share, 0) for c in range(len(count))]
    return Sweep("relax_table", np.array(found, dtype=LINKS), table, np.zeros(1, np.float32))


WIDER = 0.05
"""cloth goes no farther within a step: parts of so much wider boxes are drawn for all looks of a step [m]"""


class VerletCloth:
    """One garment's particles on the device."""

    def __init__(self, gpu: Device, count: int, sweep: Sweep) -> None:
        self.gpu, self.count, self.sweep = gpu, count, sweep
        self.free = np.ones(count, np.float32)
        self.friction = np.zeros(count, np.float32)
        four = 16 * count
        self.place, self.velocity, self.start, self.before = (gpu.buffer(four) for _ in range(4))
        control = np.array([groups_of(self._items()), 1, 1, groups_of(self._items()), 0, 0], np.uint32)
        self.control = gpu.buffer(control, indirect=True)
        self.step_values = np.zeros(1, STEP)
        self.uniform = gpu.uniform(self.step_values)
        # two sets: sweeps after which the moving particles are looked at, and others
        links = np.zeros(2 * len(sweep.links) * OFFSET, np.uint8)
        for k, value in enumerate(np.concatenate([sweep.links, sweep.links])):
            value["look"] = k >= len(sweep.links)
            links[k * OFFSET : k * OFFSET + LINKS.itemsize] = np.frombuffer(value.tobytes(), np.uint8)
        self._links = gpu.uniform(links)
        self._prepare()

    def _items(self) -> int:
        """Return the most particles or links that one dispatch visits."""
        if self.sweep.entry == "relax_grid":
            return self.count
        return int(self.sweep.links["count"].max(initial=1))

    def _prepare(self) -> None:
        gpu = self.gpu
        points = gpu.layout(["uniform", "write", "write", "write"])
        links = gpu.layout(["offset", "write", "read", "read"])
        control = gpu.layout(["write"])
        names = ("predict", "mark", "settle", "remember", "relax_grid", "relax_table")
        self._pipes = gpu.compute("cloth", names, [points, links])
        self._pipes |= gpu.compute("cloth", ("arm", "count_moving", "decide"), [points, links, control])
        self._points = gpu.group(points, [self.uniform, self.place, self.velocity, self.start])
        things = [self._links, self.before, gpu.buffer(self.sweep.table), gpu.buffer(self.sweep.rest)]
        self._table = gpu.group(links, things, LINKS.itemsize)
        self._control = gpu.group(control, [self.control])

    def put(self, position: Array, velocity: Array) -> None:
        """Bring the particles to the device [m], [m/s], (n, 3)."""
        for buffer, values, last in (
            (self.place, position, self.free),
            (self.velocity, velocity, self.friction),
        ):
            four = np.zeros((self.count, 4), np.float32)
            four[:, :3], four[:, 3] = values, last
            self.gpu.write(buffer, four)

    def get(self) -> tuple[Array, Array]:
        """Wait for the device and return position and velocity, (n, 3) each."""
        found = (self.gpu.read(b, np.float32).reshape(-1, 4) for b in (self.place, self.velocity))
        position, velocity = (values[:, :3].astype(np.float64) for values in found)
        return position, velocity

    @property
    def sweeps(self) -> int:
        """Wait for the device and return the sweeps of the last step."""
        return int(self.gpu.read(self.control, np.uint32)[5])

    def advance(
        self,
        dt: float,
        keep: float,
        gravity: Array,
        wind: Array,
        *,
        most: int,
        rounds: int,
        threshold: float,
        check_every: int,
        moving: int,
        touch: PartMaps | None = None,
        since: float = 0.0,
        thickness: float = 0.0,
        travel: tuple[float, ...] = (0.0, 0.0, 0.0),
    ) -> None:
        """Enqueue one time step: nothing comes back."""
        values = self.step_values
        values["count"], values["rows"], values["columns"] = self.count, self.sweep.rows, self.sweep.columns
        values["allowed"], values["dt"], values["keep"], values["threshold"] = moving, dt, keep, threshold
        values["gravity"][0, :3], values["wind"][0, :3] = gravity, wind
        each, left = -(-most // rounds), most
        while left:
            turn, first = min(each, left), left == most
            values["first"] = first
            self.gpu.write(self.uniform, values)
            encoder = self.gpu.device.create_command_encoder()
            self._encode_turn(encoder, turn, first, threshold > 0, check_every)
            if touch is not None:
                wider = WIDER if rounds > 1 else 0.0
                look = Contact(
                    dt=dt, since=since, thickness=thickness, travel=travel, draw=first, wider=wider
                )
                touch.encode(encoder, self, look)
            # what one turn changes in the uniform values must not reach the turn before
            self.gpu.device.queue.submit([encoder.finish()])
            left -= turn

    def _encode_turn(self, encoder: Any, turn: int, first: bool, adaptive: bool, check_every: int) -> None:
        run = encoder.begin_compute_pass()
        run.set_bind_group(0, self._points)
        run.set_bind_group(1, self._table, [0])
        run.set_bind_group(2, self._control)
        groups = groups_of(self.count)

        def dispatch(name: str, count: int) -> None:
            run.set_pipeline(self._pipes[name])
            run.dispatch_workgroups(count)

        dispatch("predict" if first else "mark", groups)
        dispatch("arm", 1)
        for sweep in range(1, turn + 1):
            look = adaptive and (sweep <= 2 or sweep % check_every == 0)
            if look:
                dispatch("remember", groups)
            run.set_pipeline(self._pipes[self.sweep.entry])
            for k in range(len(self.sweep.links)):
                run.set_bind_group(1, self._table, [k * OFFSET])
                run.dispatch_workgroups_indirect(self.control, 0)
            run.set_bind_group(1, self._table, [(len(self.sweep.links) if look else 0) * OFFSET])
            if look:
                dispatch("count_moving", groups)
            dispatch("decide", 1)
        dispatch("settle", groups)
        run.end()

    # the same calls as the compiled cloth has: position and velocity go there and come back

    def pin(self, particles: Array) -> None:
        """Let these particles move with their velocity."""
        self.free[:] = 1.0
        self.free[particles] = 0.0

    def step(
        self, x: Array, v: Array, dt: float, keep: float, gravity: Array, wind: Array, most: int, **stop: Any
    ) -> tuple[Array, Array, int]:
        """Return position, velocity and the sweeps that one time step without contact took."""
        self.put(x, v)
        self.advance(dt, keep, gravity, wind, most=most, rounds=1, **stop)
        return *self.get(), self.sweeps
