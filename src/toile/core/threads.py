"""The threads that simulations use: a context for each that runs beside others in one process."""

from __future__ import annotations

from threading import local
from types import TracebackType
from typing import Self

from toile import _kernels
from toile.core.errors import ToileError

MOST = 64
"""threads of one context"""


class Context:
    """Threads of their own for what one Python thread computes inside ``with Context(threads=2):``.

    Without a context all Python threads share one pool, and wait for each other there. Results are the same
    bits either way. A context holds in the thread that entered it, for as long as it is inside.
    """

    def __init__(self, threads: int = 0) -> None:
        """Make a context of some threads; 0: TOILE_THREADS, else all cores of this process."""
        if not 0 <= threads <= MOST:
            raise ToileError(f"a context has 1 to {MOST} threads, or 0 for all cores, not {threads}")
        self._pool = _kernels.ThreadPool(threads)

    @property
    def threads(self) -> int:
        """Return how many threads it has, with the caller's own."""
        return self._pool.threads

    def __enter__(self) -> Self:
        _entered().append(self)
        _kernels.use_pool(self._pool)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        inside = _entered()
        inside.pop()
        _kernels.use_pool(inside[-1]._pool if inside else None)


_HERE = local()


def _entered() -> list[Context]:
    """Return the contexts that the calling thread is inside of, innermost last; that keeps them alive."""
    if not hasattr(_HERE, "entered"):
        _HERE.entered = []
    entered: list[Context] = _HERE.entered
    return entered
