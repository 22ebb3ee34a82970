"""Jobs in worker processes: limits, crashes, cancelling; the next job is not harmed."""

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from toile.core.errors import ToileError
from toile.core.work import Cancelled
from toile.jobs.describe import Inputs
from toile.jobs.records import BodyJob, DressJob, GarmentSource
from toile.jobs.run import run
from toile.jobs.worker import JobCrashed, Worker

SKIRT = DressJob(garments=(GarmentSource(draft="skirt"),), edge_length=0.04)
FINE = replace(SKIRT, garments=(GarmentSource(draft="dress"),), edge_length=0.02)


def folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_a_worker_makes_the_same_bytes(tmp_path: Path) -> None:
    here, there = folder(tmp_path, "here"), folder(tmp_path, "there")
    heard: list[str] = []
    first = run(SKIRT, folder=here)
    with Worker() as worker:
        other = worker.run(SKIRT, folder=there, progress=lambda stage, *_: heard.append(stage))
    assert other.to_json() == first.to_json()
    assert "draping" in heard
    assert {p.name: p.read_bytes() for p in here.iterdir()} == {
        p.name: p.read_bytes() for p in there.iterdir()
    }


def test_wrong_jobs_crashes_and_cancelling_do_not_harm_the_next(tmp_path: Path) -> None:
    with Worker() as worker:
        with pytest.raises(ToileError, match="no fabric 'paper'"):
            worker.run(replace(SKIRT, fabric="paper"), folder=folder(tmp_path, "wrong"))
        first = worker.pid
        # killed from outside while it sews
        killed = folder(tmp_path, "killed")

        def kill(stage: str, done: float, words: str) -> None:
            if stage == "sewing" and worker.pid is not None:
                os.kill(worker.pid, signal.SIGKILL)

        with pytest.raises(JobCrashed, match="SIGKILL"):
            worker.run(FINE, folder=killed, progress=kill)
        assert list(killed.iterdir()) == []
        # cancelled
        asked = threading.Event()
        with pytest.raises(Cancelled):
            worker.run(
                FINE,
                folder=killed,
                progress=lambda at, *_: at == "sewing" and asked.set(),
                cancel=asked.is_set,
            )
        assert list(killed.iterdir()) == []
        assert worker.run(SKIRT, folder=folder(tmp_path, "good")).ok
        assert worker.pid != first


def test_cancelled_within_a_second_from_outside(tmp_path: Path) -> None:
    at = [0.0]

    def watch(stage: str, done: float, words: str) -> None:
        if stage == "sewing" and not at[0]:
            at[0] = time.monotonic()

    with Worker() as worker, pytest.raises(Cancelled):
        worker.run(FINE, folder=tmp_path, progress=watch, cancel=lambda: at[0] > 0)
    assert time.monotonic() - at[0] < 1.5


def test_limits_of_time_and_memory(tmp_path: Path) -> None:
    with Worker() as worker, pytest.raises(JobCrashed, match="took longer than"):
        worker.run(FINE, folder=tmp_path, seconds=0.3)
    with Worker(memory=300_000_000) as worker:
        with pytest.raises(JobCrashed, match="memory"):
            worker.run(replace(FINE, edge_length=0.001), folder=tmp_path)
        assert worker.run(BodyJob(), folder=tmp_path).facts["name"] == "woman"


def test_files_are_those_that_were_given(tmp_path: Path) -> None:
    with Worker() as worker, pytest.raises(ToileError, match="was not given"):
        worker.run(BodyJob(body={"file": "/etc/passwd"}), folder=tmp_path, inputs=Inputs({}))
