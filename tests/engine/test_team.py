import os

import pytest

from toile import _kernels


def test_thread_count_can_be_set_and_reset() -> None:
    _kernels.set_thread_count(3)
    assert _kernels.thread_count() == 3
    _kernels.set_thread_count(0)
    assert 1 <= _kernels.thread_count() <= 64


def test_environment_sets_the_thread_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # the C runtime reads the environment that os.environ writes through putenv
    monkeypatch.setitem(os.environ, "TOILE_THREADS", "5")
    assert _kernels.thread_count() == 5
