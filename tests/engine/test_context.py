"""Contexts: simulations in threads of their own, side by side in one process, with the same bits as alone."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cloth_samples import lying, sheet
from toile import Context, ToileError, _kernels
from toile.core.records import Floats, Scene, State
from toile.sim.colliders.shapes import Sphere
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver


def draped(side: int, frames: int = 15) -> Floats:
    """Return where a square of cloth is that falls on a ball, large enough to be shared out among threads."""
    garment = sheet(side, side, 1.0, 1.0)
    solver = XpbdSolver(garment, XpbdSettings())
    position = lying(garment, 0.21) - [0.5, 0.0, 0.5]
    state = State(position, np.zeros_like(position))
    scene = Scene(None, Sphere(np.zeros(3), 0.2), np.array([0.0, -9.81, 0.0]), np.zeros(3))
    for _ in range(frames):
        state = solver.step(state, scene, 1 / 60)
    return state.position


def in_context(threads: int, side: int) -> Floats:
    with Context(threads=threads):
        assert _kernels.thread_count() == threads
        return draped(side)


def resident() -> int:
    """Return the memory that this process holds [bytes]."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_two_contexts_at_once_give_the_bits_of_one_after_the_other() -> None:
    alone = [draped(60), draped(52)]
    with ThreadPoolExecutor(2) as callers:
        at_once = [callers.submit(in_context, 2, side) for side in (60, 52)]
        for wanted, found in zip(alone, at_once, strict=True):
            np.testing.assert_array_equal(found.result(), wanted)


def test_a_context_holds_in_its_thread_and_until_it_is_left() -> None:
    outside = _kernels.thread_count()
    elsewhere: list[int] = []
    with Context(threads=3) as outer:
        assert outer.threads == 3
        with Context(threads=5):
            assert _kernels.thread_count() == 5
            other = threading.Thread(target=lambda: elsewhere.append(_kernels.thread_count()))
            other.start()
            other.join()
        assert _kernels.thread_count() == 3
    assert elsewhere == [outside]
    assert _kernels.thread_count() == outside


def test_an_error_inside_leaves_the_context() -> None:
    outside = _kernels.thread_count()
    with pytest.raises(ZeroDivisionError), Context(threads=7):
        raise ZeroDivisionError
    assert _kernels.thread_count() == outside


@pytest.mark.parametrize("threads", [-1, 65])
def test_impossible_numbers_of_threads_are_refused(threads: int) -> None:
    with pytest.raises(ToileError, match="1 to 64 threads"):
        Context(threads=threads)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_simulations_in_contexts_leave_no_memory_and_no_threads_behind() -> None:
    def several() -> None:
        with ThreadPoolExecutor(2) as callers:
            list(callers.map(in_context, [2] * 6, [24] * 6))

    several()
    before, threads = resident(), len(os.listdir("/proc/self/task"))
    for _ in range(8):
        several()
    assert resident() - before < 8 << 20
    # the system lists a thread for a moment after it was joined
    end = time.monotonic() + 5
    while len(os.listdir("/proc/self/task")) > threads and time.monotonic() < end:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/task")) <= threads
