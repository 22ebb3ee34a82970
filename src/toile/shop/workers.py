"""Worker processes as the server sees them: started, given a task, watched, stopped, started anew."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from toile.core.errors import ToileError
from toile.core.processes import end_process
from toile.shop.frames import read_frame, write_frame

KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "TOILE_THREADS", "TOILE_DEBUG")
"""what a worker learns of the environment: no secrets, no addresses of databases"""
START_SECONDS = 60.0


class WorkerGoneError(Exception):
    """The process died or took too long; it says which."""


class CancelledError(Exception):
    """Nobody wants the result any more."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may use."""

    memory: int = 3_000_000_000
    """[bytes]"""
    seconds: float = 180.0
    """longest that a task may take [s]"""
    nice: int = 10
    """the pages go before the sewing"""


class Worker:
    """One process; it serves one task at a time."""

    def __init__(self, limits: Limits, loads: tuple[str, ...] = ()) -> None:
        """Nothing is started before the first task, or start; loads: modules of tasks that it is for."""
        self._limits, self._loads = limits, loads
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: Queue[tuple[dict[str, Any], bytes] | None] = Queue()
        self._ready = False

    @property
    def pid(self) -> int | None:
        """Return the process's number; None: it does not run."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def spent(self) -> float:
        """Return the processor time that the process took so far [s]; 0 where the system does not tell."""
        try:
            words = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def start(self) -> None:
        """Start the process, without waiting until it is ready."""
        if self.pid is not None:
            return
        self.stop()
        limits = self._limits
        words = [str(limits.memory), "0", str(limits.nice), *self._loads]
        self._ready, self._answers = False, Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "toile.shop.worker", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={name: os.environ[name] for name in KEPT if name in os.environ} | {"OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=_listen, args=(self._process, self._answers), daemon=True).start()

    def wait_ready(self) -> None:
        """Wait until the process takes tasks."""
        end = time.monotonic() + START_SECONDS
        while not self._ready:
            message, _ = self._next(end, lambda: True)
            self._ready = bool(message.get("ready"))

    def run(
        self,
        task: str,
        request: dict[str, Any],
        data: bytes = b"",
        *,
        folder: Path | None = None,
        seconds: float = 0.0,
        progress: Callable[[str, float], None] = lambda stage, done: None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> tuple[dict[str, Any], bytes]:
        """Return what a task gives, or raise ToileError (bad input), WorkerGoneError, CancelledError."""
        self.start()
        end = time.monotonic() + (seconds or self._limits.seconds)
        sent = False
        try:
            while True:
                if not sent and self._ready:
                    self._send({"task": task, "request": request, "folder": str(folder or "")}, data)
                    sent = True
                message, blob = self._next(end, wanted)
                if message.get("ready"):
                    self._ready = True
                elif "stage" in message:
                    progress(str(message["stage"]), float(message["done"]))
                elif "result" in message:
                    return message["result"], blob
                elif message.get("kind") == "bad_input":
                    raise ToileError(str(message["error"]))
                else:
                    raise WorkerGoneError(f"{message.get('error')} {message.get('where', '')}".strip())
        except (WorkerGoneError, CancelledError):
            self.stop()
            raise

    def _send(self, content: dict[str, Any], data: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            write_frame(self._process.stdin, content, data)
        except OSError:
            raise WorkerGoneError("the worker ended") from None

    def _next(self, end: float, wanted: Callable[[], bool]) -> tuple[dict[str, Any], bytes]:
        while True:
            if not wanted():
                raise CancelledError
            if time.monotonic() > end:
                raise WorkerGoneError("it took too long")
            try:
                found = self._answers.get(timeout=0.1)
            except Empty:
                continue
            if found is None:
                raise WorkerGoneError("the worker ended")
            return found

    def stop(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        if process is not None:
            end_process(process)


def _listen(process: subprocess.Popen[bytes], answers: Queue[tuple[dict[str, Any], bytes] | None]) -> None:
    """Pass on what a process says, until it ends."""
    assert process.stdout is not None
    with contextlib.suppress(EOFError, OSError, ValueError, ToileError):
        while True:
            answers.put(read_frame(process.stdout))
    answers.put(None)


class Helpers:
    """A few warm workers for what somebody waits for: sliders, size advice, uploads."""

    def __init__(self, count: int, limits: Limits) -> None:
        """count: of processes, started by start."""
        self._workers = [Worker(limits) for _ in range(count)]
        self._free: Queue[Worker] = Queue()
        for worker in self._workers:
            self._free.put(worker)

    def start(self) -> None:
        """Start all processes."""
        for worker in self._workers:
            worker.start()

    @contextlib.contextmanager
    def one(self, wait: float) -> Iterator[Worker]:
        """Yield a free worker; Empty: all are busy for longer than this [s]."""
        worker = self._free.get(timeout=wait)
        try:
            yield worker
        finally:
            self._free.put(worker)

    def stop(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.stop()
