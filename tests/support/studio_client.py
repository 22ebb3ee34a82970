"""A page of the studio without a browser: a real WebSocket to a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from toile.io.blocks import Block, unpack_blocks
from toile.studio.frames import Frame, Kind, read_frame

PATIENCE = 60.0


class Server:
    """``toile studio`` as it is started by a person."""

    def __init__(self, folder: Path, *files: Path, host: str = "127.0.0.1") -> None:
        command = [
            sys.executable, "-m", "toile", "studio", *map(str, files), "--folder", str(folder), "--port", "0",
            "--no-browser", "--host", host,
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.address = next(word for word in line.split() if word.startswith("http"))
        self.base = self.address.partition("/studio")[0]

    def live(self, query: str = "", **headers: str) -> ClientConnection:
        words = f"?{query}" if query else ""
        end = time.monotonic() + 20
        while True:
            try:
                return connect(
                    f"ws{self.base[4:]}/studio/live{words}", max_size=None, max_queue=None, compression=None,
                    additional_headers=headers or None,
                )  # fmt: skip
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Page:
    """What a page knows, and how it asks."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.told: dict[str, dict[str, Any]] = {}
        """the newest message of each type"""
        self.pieces: dict[tuple[int, str], dict[str, Any]] = {}
        self.cloth: dict[int, tuple[int, Block]] = {}
        self.body: tuple[int, Block] | None = None
        self.frames: dict[int, Frame] = {}
        """the newest frame of each side"""
        self.scene: bytes | None = None
        self.answers: dict[int, dict[str, Any]] = {}
        self.refusals: list[str] = []
        self._id = 0
        self.wait(lambda: "project" in self.told)

    @property
    def session(self) -> str:
        return str(self.told["hello"]["session"])

    @property
    def frame(self) -> Frame:
        return self.frames[0]

    def take(self, timeout: float = PATIENCE) -> None:
        """Take one message."""
        message = self.socket.recv(timeout)
        if isinstance(message, str):
            self._text(json.loads(message))
        else:
            self._binary(message)

    def _text(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        self.told[kind] = message
        if kind == "pieces":
            self.pieces |= {(p["garment"], p["piece"]): p for p in message["changed"]}
            for key in message["gone"]:
                del self.pieces[tuple(key)]
        if kind in ("done", "refused") and message["id"] is not None:
            self.answers[message["id"]] = message
        if kind == "refused":
            self.refusals.append(message["error"])

    def _binary(self, data: bytes) -> None:
        if data[0] == Kind.FRAME:
            frame = read_frame(data)
            self.send("ack", frame=frame.number)
            if frame.side in self.cloth and frame.mesh == self.cloth[frame.side][0]:
                self.frames[frame.side] = frame
            return
        (block,) = unpack_blocks(data[16:])[:1]
        number, side = int.from_bytes(data[4:8], "little"), int.from_bytes(data[2:4], "little")
        if data[0] == Kind.CLOTH:
            self.cloth[side] = number, block
            self.frames.pop(side, None)
        elif data[0] == Kind.BODY:
            self.body = number, block
        else:
            self.scene = data[16:]

    def wait(self, until: Callable[[], Any], timeout: float = PATIENCE) -> None:
        """Take messages until something holds."""
        end = time.monotonic() + timeout
        while not until():
            left = end - time.monotonic()
            assert left > 0, f"nothing came of it; told {sorted(self.told)}, refused {self.refusals[-3:]}"
            try:
                self.take(left)
            except TimeoutError:
                continue

    def send(self, kind: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"type": kind, **fields}))

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a message and return how it was answered."""
        self._id += 1
        number = self._id
        self.send(kind, id=number, **fields)
        self.wait(lambda: number in self.answers)
        return self.answers[number]

    def do(self, kind: str, **fields: Any) -> None:
        """Send a message that must be carried out."""
        answer = self.ask(kind, **fields)
        assert answer["type"] == "done", answer

    def settle(self, frames: int) -> None:
        """Let so many frames be simulated."""
        self.do("play", on=False)
        self.do("step_on", frames=frames)
        self.seen()

    def seen(self) -> None:
        """Wait for a frame that takes the last message into account."""
        wanted = self._id
        self.wait(lambda: 0 in self.frames and self.frames[0].echo >= wanted)

    def sewn(self) -> None:
        """Wait until the outfit is sewn."""
        self.wait(lambda: self.told.get("status", {}).get("sewn") and 0 in self.frames
                  and not self.frames[0].flags & 2)  # fmt: skip


@contextmanager
def page_of(server: Server, query: str = "") -> Iterator[Page]:
    with server.live(query) as socket:
        yield Page(socket)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return found


def kill_session(server: Server, session: str) -> None:
    """Kill a session's process as the kernel would."""
    for pid in children(server.process.pid):
        if session.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)
            return
    raise AssertionError("the session has no process")
