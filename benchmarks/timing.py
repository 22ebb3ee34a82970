"""How long a call takes."""

import time
from collections.abc import Callable


def milliseconds(work: Callable[[], object], count: int = 15) -> float:
    """Return the least time of a call by the wall clock: CPU time counts BLAS threads that only wait."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3
