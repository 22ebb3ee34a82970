"""The live line of a walk."""

from __future__ import annotations

import sys
import time

from toile.cli.common import Progress
from toile.cli.talk import TALK
from toile.sim.walk.stream import Moment


class WalkProgress:
    """The live line of a walk: frames, speed, stretch, contacts, time left. Quiet where no one watches."""

    def __init__(self, interval: float = 0.25) -> None:
        self._live = sys.stderr.isatty() and not TALK.quiet
        self._interval = interval if self._live else 20.0
        self._shown = self._start = time.monotonic()
        self._first: int | None = None
        self._before = Progress()

    def stage(self, what: str, done: float, words: str = "") -> None:
        """Show what is done before and after the walk itself."""
        if what != "walking":
            self._before(what, done)

    def __call__(self, moment: Moment) -> None:
        """Show a moment, if the last one was shown long enough ago."""
        now = time.monotonic()
        if self._first is None:
            self._first, self._start = moment.number, now
        if TALK.quiet or now - self._shown < self._interval:
            return
        self._shown = now
        text = self.line(moment, now)
        print(f"\r\x1b[K{text}" if self._live else text, end="" if self._live else "\n", file=sys.stderr)
        sys.stderr.flush()

    def line(self, moment: Moment, now: float) -> str:
        """Return what the line says at a time of the clock [s]."""
        first = moment.number if self._first is None else self._first
        speed = max(moment.number - first, 0) / max(now - self._start, 1e-6)
        left = (moment.count - 1 - moment.number) / speed if speed else None
        words = [f"frame {moment.number + 1}/{moment.count}" if moment.number >= 0 else "lead-in"]
        words.append(f"{speed:.1f} fps")
        if moment.audit is not None:
            a = moment.audit
            words.append(f"stretch {a.stretch.mean:.1%} (99 %: {a.stretch.percentile_99:.1%})")
            crossing = a.body_pairs + a.self_pairs + a.layer_pairs
            words.append(f"{moment.walker.touching()} contacts, {crossing} crossing")
        if left is not None:
            words.append(f"{int(left) // 60}:{int(left) % 60:02d} left")
        return "walking  " + "  ".join(words)

    def finish(self) -> None:
        """Clear the line."""
        print("\r\x1b[K" if self._live else "", end="", file=sys.stderr, flush=True)
