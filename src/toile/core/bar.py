"""Progress for people who call Toile from Python: one line, where a terminal or a notebook is there."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from toile.core.work import at_work, is_heard, tell

Heard = Callable[[str, float], object]
"""called with what is being done and how far it is (0 … 1)"""
WAIT = 1.0
"""what is done within this time is not shown [s]"""


def is_watched(stream: TextIO | None = None) -> bool:
    """Return whether somebody looks: a terminal, or a notebook's kernel."""
    stream = sys.stderr if stream is None else stream
    return "ipykernel" in sys.modules or bool(stream and stream.isatty())


class Bar:
    """A line that is drawn again and again, from a second on."""

    def __init__(self, stream: TextIO, wait: float = WAIT) -> None:
        self._stream, self._wait = stream, wait
        self._began = time.monotonic()
        self._drawn = False

    def __call__(self, what: str, done: float, words: str = "") -> None:
        """Show that something is at a fraction 0 … 1."""
        if time.monotonic() - self._began < self._wait:
            return
        full = "█" * round(24 * min(max(done, 0.0), 1.0))
        self._stream.write(f"\r{what[:24]:<24} {full:<24} {done:4.0%}")
        self._stream.flush()
        self._drawn = True

    def finish(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._stream.write("\r" + " " * 56 + "\r")
            self._stream.flush()


@contextmanager
def heard(progress: bool | Heard) -> Iterator[Heard]:
    """Yield whom to tell: the caller's own function, a bar where somebody looks, or nobody.

    Somebody who listens already (the command line, a job) has lines of their own.
    """
    if callable(progress):
        yield progress
    elif not progress or is_heard() or not is_watched():
        yield _nobody
    else:
        bar = Bar(sys.stderr)
        try:
            with at_work(bar):
                yield tell
        finally:
            bar.finish()


def _nobody(what: str, done: float) -> None:
    """Show no progress."""
