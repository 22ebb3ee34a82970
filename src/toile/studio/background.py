"""Long work beside the live cloth: sewing, exporting. One at a time; it can be cancelled."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Garment
from toile.core.work import Cancelled, at_work
from toile.sim.dress.watch import watched

TELL_EVERY = 0.1
"""between two words about how far it is [s]"""


class Background:
    """A thread that does one thing; what came of it is fetched by `finished`."""

    def __init__(self, told: Callable[[str, float, str], None]) -> None:
        """told: called in that thread with what is done, how far, more words."""
        self._told = told
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._results: queue.Queue[Callable[[], None]] = queue.Queue()
        self._seen: tuple[Garment, Floats] | None = None
        self._last = 0.0
        self.what = ""

    @property
    def busy(self) -> bool:
        """Return whether something is being done."""
        return self._thread is not None

    def start(
        self, what: str, work: Callable[[], Any], then: Callable[[Any], None],
        refused: Callable[[str], None],
    ) -> None:  # fmt: skip
        """Do some work; then or refused is called by `finished` in the caller's own thread."""
        if self.busy:
            raise ToileError(f"{self.what} is still going on: wait, or cancel it")
        self._stop, self.what = threading.Event(), what
        self._thread = threading.Thread(target=self._run, args=(work, then, refused), daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Ask it to stop, and wait until it has."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def drop(self) -> None:
        """Stop it; nobody wants to hear what came of it."""
        self.cancel()
        self._thread, self._seen = None, None
        while not self._results.empty():
            self._results.get()

    def _run(
        self, work: Callable[[], Any], then: Callable[[Any], None], refused: Callable[[str], None]
    ) -> None:
        stop = self._stop
        try:
            with at_work(self._progress, stop.is_set), watched(self._watch):
                made = work()
            self._results.put(lambda: then(made))
        except Cancelled:
            self._results.put(lambda: refused(f"{self.what} was cancelled"))
        except ToileError as error:
            text = str(error)
            self._results.put(lambda: refused(text))
        except Exception as error:
            text = f"{self.what} failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            self._results.put(lambda: refused(text))

    def _progress(self, what: str, done: float, words: str) -> None:
        now = time.monotonic()
        if now - self._last > TELL_EVERY:
            self._last = now
            self._told(what, done, words)

    def _watch(self, garment: Garment, position: Floats) -> None:
        self._seen = garment, np.array(position)

    def seen(self) -> tuple[Garment, Floats] | None:
        """Return the newest cloth that is being sewn, once."""
        found, self._seen = self._seen, None
        return found

    def finished(self) -> None:
        """Hand over what came of it, if it has ended."""
        if self._thread is None or self._thread.is_alive():
            return
        self._thread.join()
        self._thread, self._seen = None, None
        self._told(self.what, 1.0, "")
        while not self._results.empty():
            self._results.get()()
