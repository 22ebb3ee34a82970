"""The sessions of a server: each a process of its own, found again by its name."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import shutil
import struct
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from toile.core.errors import ToileError
from toile.studio.process import CONTROL, HEAD, TEXT, parcel

Deliver = Callable[[int, bytes], Awaitable[None]]
NAME = re.compile(r"[0-9a-f]{32}")
MOST_SESSIONS = 6
FORGOTTEN = 1800.0
"""a session that no page is open for ends after this; its folder stays [s]"""
GRACE = 3.0
"""time that a session gets to end by itself [s]"""
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}


class Running:
    """One session's process."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name, self.process = name, process
        self.deliver: Deliver | None = None
        """takes what the session says to the page that is open"""
        self.used = time.monotonic()
        self.ended = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        with contextlib.suppress(asyncio.IncompleteReadError, struct.error, ConnectionError):
            while True:
                length, kind = HEAD.unpack(await pipe.readexactly(HEAD.size))
                data = await pipe.readexactly(length)
                if self.deliver is not None:
                    with contextlib.suppress(Exception):
                        await self.deliver(kind, data)
        await self.process.wait()
        self.ended.set()

    async def send(self, kind: int, data: bytes) -> None:
        """Hand a parcel to the session."""
        pipe = self.process.stdin
        assert pipe is not None
        with contextlib.suppress(ConnectionError):
            pipe.write(parcel(kind, data))
            await pipe.drain()

    async def attach(self, deliver: Deliver) -> None:
        """Let a page have what the session says."""
        self.deliver = deliver
        await self.send(CONTROL, b"attach")

    async def detach(self) -> None:
        """No page is there any more."""
        self.deliver, self.used = None, time.monotonic()
        await self.send(CONTROL, b"detach")

    async def say(self, text: str) -> None:
        """Hand over a text message of the page."""
        await self.send(TEXT, text.encode())

    async def stop(self) -> None:
        """Let the session end and keep its work; kill it if it does not."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            await asyncio.wait_for(self.ended.wait(), GRACE)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.ended.wait()


class Sessions:
    """All sessions of a server, and their folders."""

    def __init__(self, folder: Path, *, confined: bool, files: tuple[Path, ...] = ()) -> None:
        """files: what the first new session opens."""
        self.folder, self._confined, self._files = folder, confined, files
        self._running: dict[str, Running] = {}
        self._lock = asyncio.Lock()

    def place(self, name: str) -> Path:
        """Return the folder of a session; refuses names that are none."""
        if not NAME.fullmatch(name):
            raise ToileError("there is no such session")
        return self.folder / name

    def known(self, name: str) -> bool:
        """Say whether there is, or was, such a session."""
        return bool(NAME.fullmatch(name)) and self.place(name).is_dir()

    def newest(self) -> str:
        """Return the session that was worked on last; empty: there is none."""
        found = [p for p in self.folder.iterdir() if NAME.fullmatch(p.name)] if self.folder.is_dir() else []
        return max(found, key=lambda p: p.stat().st_mtime).name if found else ""

    async def open(self, name: str = "") -> Running:
        """Return a session's process: a new one, one that runs, or one that goes on from its folder."""
        async with self._lock:
            if name in self._running and not self._running[name].ended.is_set():
                return self._running[name]
            await self._forget()
            if len(self._running) >= MOST_SESSIONS:
                raise ToileError(f"{MOST_SESSIONS} sessions are open already: close one")
            name = name or secrets.token_hex(16)
            self._running[name] = await self._started(name)
            return self._running[name]

    async def _started(self, name: str) -> Running:
        place = self.place(name)
        place.mkdir(parents=True, exist_ok=True)
        files, self._files = self._files, ()
        for file in files:
            shutil.copyfile(file, place / file.name)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "toile.studio.process", name, str(place),
            "confined" if self._confined else "open", *[file.name for file in files],
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **ENVIRONMENT}, limit=1 << 22,
        )  # fmt: skip
        return Running(name, process)

    async def _forget(self) -> None:
        """End sessions that nobody has looked at for long, or for whose like there is no room any more."""
        self._running = {name: one for name, one in self._running.items() if not one.ended.is_set()}
        unseen = sorted((one.used, name) for name, one in self._running.items() if one.deliver is None)
        for used, name in unseen:
            crowded = len(self._running) >= MOST_SESSIONS
            if crowded or time.monotonic() - used > FORGOTTEN:
                # its work is kept in its folder: it goes on from there when it is asked for
                await self._running.pop(name).stop()

    async def close(self) -> None:
        """End all."""
        await asyncio.gather(*(one.stop() for one in self._running.values()))
        self._running = {}
