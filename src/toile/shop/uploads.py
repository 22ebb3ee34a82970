"""Strangers' files are read by a process of their own, which ends with the file."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from toile.shop.problems import RefusedError
from toile.shop.workers import CancelledError, Limits, Worker, WorkerGoneError

READ_SECONDS, LONGEST = 4.0, 30.0
"""in which a file must be understood: processor time, and time on a busy machine [s]"""
LOADS = ("scans", "patterns", "textures")
"""modules that are ready before the file comes"""
MEMORY = 1_800_000_000
AT_ONCE = 2


class Uploads:
    """Fresh processes for files, one of them always ready."""

    def __init__(self) -> None:
        self._limits = Limits(memory=MEMORY, nice=5)
        self._spare: Worker | None = None
        self._lock, self._turn = threading.Lock(), threading.Semaphore(AT_ONCE)

    def start(self) -> None:
        """Start the process that waits for the next file."""
        with self._lock:
            if self._spare is None:
                self._spare = Worker(self._limits, LOADS)
                self._spare.start()

    def run(
        self,
        task: str,
        asked: dict[str, Any],
        data: bytes,
        *,
        folder: Path | None = None,
        seconds: float = 20.0,
    ) -> dict[str, Any]:
        """Return what a task makes of a file."""
        if not self._turn.acquire(timeout=10.0):
            raise RefusedError(503, "many files are being read right now: try again in a moment", wait=5.0)
        try:
            return self._run(task, asked, data, folder, seconds)
        finally:
            self._turn.release()

    def _run(
        self, task: str, asked: dict[str, Any], data: bytes, folder: Path | None, seconds: float
    ) -> dict[str, Any]:
        with self._lock:
            worker, self._spare = self._spare or Worker(self._limits, LOADS), None
        worker.start()
        worker.wait_ready()
        self.start()
        end, most, understood = time.monotonic() + LONGEST, worker.spent() + READ_SECONDS, False

        def progress(stage: str, done: float) -> None:
            nonlocal understood
            understood = True

        try:
            result, _ = worker.run(
                task, asked, data, folder=folder, seconds=seconds, progress=progress,
                wanted=lambda: understood or (time.monotonic() < end and worker.spent() < most),
            )  # fmt: skip
            return result
        except CancelledError:
            raise RefusedError(
                422, "the file takes too long to read: is it larger or more nested than it should be?"
            ) from None
        except WorkerGoneError as error:
            why = (
                "takes too long"
                if "too long" in str(error)
                else "needs more memory than it may have, or is damaged"
            )
            raise RefusedError(422, f"the file cannot be read: it {why}") from None
        finally:
            worker.stop()

    def stop(self) -> None:
        """End the waiting process."""
        with self._lock:
            if self._spare is not None:
                self._spare.stop()
                self._spare = None
