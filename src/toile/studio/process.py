"""``python -m toile.studio.process``: one session in a process of its own, beside the server.

Both sides speak in parcels over pipes: length (u32), kind (u8), bytes. When the server dies, the pipe ends
and the session with it; what was done is in the project's folder.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from toile.core.confine import limit, no_network
from toile.core.errors import ToileError
from toile.studio import told
from toile.studio.messages import MOST_TEXT, Envelope, read_message
from toile.studio.session import Session

HEAD = struct.Struct("<IB")
TEXT, BINARY, CONTROL = 0, 1, 2
MEMORY = 8_000_000_000
"""address space of a session [bytes]"""


def parcel(kind: int, data: bytes) -> bytes:
    """Return a parcel as it goes through a pipe."""
    return HEAD.pack(len(data), kind) + data


def parcels(pipe: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield what comes out of a pipe until it ends."""
    while len(head := pipe.read(HEAD.size)) == HEAD.size:
        length, kind = HEAD.unpack(head)
        data = pipe.read(length)
        if len(data) < length:
            return
        yield kind, data


def read_text(data: bytes) -> Envelope:
    """Return the message of a text parcel."""
    if len(data) > MOST_TEXT:
        raise ToileError("this message is too long")
    try:
        return read_message(json.loads(data))
    except (ValueError, RecursionError):
        raise ToileError("a message is JSON") from None


class Runner:
    """Gives a session its messages and its time."""

    def __init__(self, session: Session, pipe: IO[bytes]) -> None:
        self._session, self._pipe = session, pipe
        self._inbox: queue.Queue[tuple[int, bytes] | None] = queue.Queue()
        self._attached = False

    def run(self) -> None:
        """Go on until the pipe ends."""
        threading.Thread(target=self._listen, daemon=True).start()
        while self._take(self._session.wait() if self._attached else 1.0):
            if self._attached:
                self._session.tick()
        self._session.close()

    def _listen(self) -> None:
        for one in parcels(self._pipe):
            self._inbox.put(one)
        self._inbox.put(None)

    def _take(self, patience: float) -> bool:
        """Carry out what has come; False: the server is gone."""
        try:
            one = self._inbox.get(timeout=max(patience, 1e-4))
            while True:
                if one is None:
                    return False
                self._carry_out(*one)
                one = self._inbox.get_nowait()
        except queue.Empty:
            return True

    def _carry_out(self, kind: int, data: bytes) -> None:
        if kind == CONTROL:
            self._attached = data == b"attach"
            if self._attached:
                self._session.attach()
            return
        try:
            envelope = read_text(data)
        except ToileError as error:
            self._session.out.tell(told.Refused(error=str(error), id=_id_in(data)))
            return
        self._session.receive(envelope)


def _id_in(data: bytes) -> int | None:
    """Return the id of a message that is no good otherwise."""
    try:
        found = json.loads(data).get("id")
    except (ValueError, AttributeError, RecursionError):
        return None
    return found if type(found) is int else None


def main(arguments: list[str]) -> int:
    """Run a session: its name, its folder, how it is confined, files to open."""
    name, folder, confined, *files = arguments
    # what libraries print must not come between the parcels
    # Ctrl-C is for the server, which ends its sessions
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    lock = threading.Lock()

    def send(message: str | bytes) -> None:
        data = message.encode() if isinstance(message, str) else message
        whole = memoryview(parcel(TEXT if isinstance(message, str) else BINARY, data))
        with lock:
            while whole:
                whole = whole[out.write(whole) or 0 :]

    if confined == "confined":
        limit(MEMORY, 0.0)
        no_network()
    try:
        session = Session(name, Path(folder), send, tuple(files))
    except ToileError as error:
        send(json.dumps({"type": "refused", "error": str(error), "id": None, "place": "open"}))
        return 2
    try:
        Runner(session, sys.stdin.buffer).run()
    except BrokenPipeError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
