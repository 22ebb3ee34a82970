"""Watching a garment being sewn: whoever wants to see it, gets each frame as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from toile.core.records import Floats, Garment

Watch = Callable[[Garment, Floats], None]
"""called with a garment, its seams open or welded, and the places of its particles [m], (n, 3)"""
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Let a function see every frame of what is sewn within."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def show(garment: Garment, position: Floats) -> None:
    """Show a frame to whoever watches."""
    watch = _watch.get()
    if watch is not None:
        watch(garment, position)
