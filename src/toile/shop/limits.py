"""How often something may be asked: a bucket of tokens for each asker and kind, in memory."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_ASKERS = 50_000
"""the longest silent ones are forgotten first"""


@dataclass(frozen=True, slots=True)
class Limit:
    """So many at once, and so many a second for long."""

    burst: float
    rate: float
    """[1/s]"""


LIMITS = {
    "read": Limit(400, 100),
    "live": Limit(60, 20),
    "write": Limit(60, 5),
    "work": Limit(30, 0.5),
    "upload": Limit(20, 0.2),
    "newcomer": Limit(60, 1),
    "wrong_token": Limit(10, 0.1),
}
"""kind → limit; live: a slider that moves; work: jobs that compute"""


class Limiter:
    """Counts who asks how often."""

    def __init__(self, factor: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        """factor: on all limits; 0: none."""
        self._factor, self._clock, self._lock = factor, clock, threading.Lock()
        self._left: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def wait(self, kind: str, asker: str) -> float:
        """Take one token; return 0, or after how many seconds there will be one [s]."""
        if not self._factor:
            return 0.0
        limit, now = LIMITS[kind], self._clock()
        burst, rate = limit.burst * self._factor, limit.rate * self._factor
        with self._lock:
            tokens, then = self._left.pop((kind, asker), (burst, now))
            tokens = min(burst, tokens + (now - then) * rate)
            enough = tokens >= 1.0
            self._left[kind, asker] = (tokens - enough, now)
            if len(self._left) > MOST_ASKERS:
                self._left.popitem(last=False)
        return 0.0 if enough else (1.0 - tokens) / rate
