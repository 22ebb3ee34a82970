"""Progress and cancelling of long work, without a parameter through every function.

Whoever starts work opens `at_work`; loops that may take long call `tell` now and then. Both belong to the
thread (or the asynchronous task) that opened them: several jobs in one process do not hear each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from toile.core.reading import files_read_once

Progress = Callable[[str, float, str], None]
"""called with what is being done, how far it is (0 … 1) and more words (may be empty)"""
Asked = Callable[[], bool]
"""returns whether the work is to stop"""


class Cancelled(Exception):  # noqa: N818 - it is no error
    """The work was asked to stop; what it wrote can be gone on with or is not there."""


def unheard(stage: str, done: float, message: str) -> None:
    """Show no progress."""


def never() -> bool:
    """Do not stop."""
    return False


@dataclass(frozen=True, slots=True)
class _Work:
    progress: Progress
    asked: Asked


_NOBODY = _Work(unheard, never)
_WORK: ContextVar[_Work] = ContextVar("work", default=_NOBODY)


@contextmanager
def at_work(progress: Progress = unheard, cancel: Asked = never) -> Iterator[None]:
    """Let `tell` inside this block call progress, and raise Cancelled once cancel returns true.

    Each input file is read once inside it.
    """
    token = _WORK.set(_Work(progress, cancel))
    try:
        with files_read_once():
            yield
    finally:
        _WORK.reset(token)


def is_heard() -> bool:
    """Return whether somebody has opened `at_work` round this."""
    return _WORK.get() is not _NOBODY


def tell(stage: str, done: float, message: str = "") -> None:
    """Tell how far a stage is (0 … 1); raises Cancelled if the work is to stop."""
    work = _WORK.get()
    if work.asked():
        raise Cancelled(f"cancelled while {stage}")
    work.progress(stage, min(max(done, 0.0), 1.0), message)


def may_go_on(stage: str) -> None:
    """Raise Cancelled if the work is to stop; nothing is told."""
    if _WORK.get().asked():
        raise Cancelled(f"cancelled while {stage}")
