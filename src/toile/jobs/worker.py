"""Jobs in a process of their own, with limits on time and memory: a crash fails one job and no more.

A `Worker` is one such process, which does one job after the other and is started again when it died. Both
sides speak JSON, a line a message, over pipes: nothing is pickled. When the caller dies, however it comes,
the worker ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import IO, Any

from toile.core.errors import ToileError
from toile.core.processes import end_process, limit_memory
from toile.core.work import Asked, Cancelled, Progress, never, unheard
from toile.jobs.describe import Inputs, job_from_json, job_to_json
from toile.jobs.records import Job
from toile.jobs.result import Result, result_from_json

GRACE = 0.8
"""a worker that was asked to stop gets this long before it is killed [s]"""
POLL = 0.05
"""between two looks at cancelling and time [s]"""
QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""environment of a worker: one process a core, not one process for all cores"""


class JobCrashed(Exception):  # noqa: N818 - says what happened
    """The process died, or took too long or too much memory: nothing is wrong with other jobs."""


class Worker:
    """A process that does jobs, one at a time."""

    def __init__(self, *, memory: int | None = None, threads: int = 1) -> None:
        """memory: the most that a job may take [bytes]; threads: of the simulation."""
        self.memory, self._threads = memory, threads
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    @property
    def pid(self) -> int | None:
        """Return the number of the process; None: it does not run."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process, if it does not run: the first job is then quicker."""
        if self._process is not None and self._process.poll() is None:
            return
        command = [sys.executable, "-m", "toile.jobs.worker", str(self.memory or 0)]
        environment = {**os.environ, **QUIET, "TOILE_THREADS": str(self._threads)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True,
            start_new_session=True,
        )  # fmt: skip
        self._lines = queue.Queue()
        threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()

    def run(
        self,
        job: Job,
        *,
        folder: str | os.PathLike[str],
        inputs: Inputs | None = None,
        progress: Progress = unheard,
        cancel: Asked = never,
        seconds: float | None = None,
    ) -> Result:
        """Do a job into a folder, as `toile.jobs.run` does; seconds: the longest that it may take.

        Raises ToileError if the job is wrong, Cancelled if it was cancelled, JobCrashed if the process died.
        """
        self.start()
        task = {
            "job": job_to_json(job),
            "inputs": (inputs or Inputs()).to_json(),
            "folder": os.fspath(folder),
        }
        self._send({"run": task})
        end = None if seconds is None else time.monotonic() + seconds
        stage = "starting"
        while True:
            message = self._next()
            if message is None:
                if cancel():
                    return self._stop(stage)
                if end is not None and time.monotonic() > end:
                    self.kill()
                    raise JobCrashed(f"took longer than {seconds:g} s (while {stage})")
            elif "progress" in message:
                stage, done, words = message["progress"]
                progress(stage, done, words)
            else:
                return self._outcome(message, stage)

    def _outcome(self, message: Mapping[str, Any], stage: str) -> Result:
        if "result" in message:
            return result_from_json(message["result"], "the worker's result")
        if "refused" in message:
            raise ToileError(message["refused"])
        if "cancelled" in message:
            raise Cancelled(message["cancelled"])
        code = self.kill()
        if "failed" in message:
            raise JobCrashed(message["failed"])
        why = f"by {signal.Signals(-code).name}" if code and code < 0 else f"with exit code {code}"
        raise JobCrashed(f"the process ended {why} (while {stage})")

    def _stop(self, stage: str) -> Result:
        """Ask the worker to stop; kill it if it does not."""
        self._send({"cancel": True})
        end = time.monotonic() + GRACE
        while time.monotonic() < end:
            message = self._next()
            if message is not None and "progress" not in message:
                if "result" in message:
                    return self._outcome(message, stage)
                if "died" in message:
                    self.kill()
                raise Cancelled(f"cancelled while {stage}")
        self.kill()
        raise Cancelled(f"cancelled while {stage}")

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        # a broken pipe is told by the end of the worker's lines
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def _next(self) -> dict[str, Any] | None:
        """Return the worker's next message; None: nothing yet; died: it said its last."""
        try:
            line = self._lines.get(timeout=POLL)
        except queue.Empty:
            return None
        message: dict[str, Any] = {"died": True} if line is None else json.loads(line)
        return message

    def kill(self) -> int | None:
        """End the process now; return its exit code."""
        process, self._process = self._process, None
        # what a writer of films started goes, too
        return None if process is None else end_process(process)

    def close(self) -> None:
        """End the process."""
        self.kill()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(pipe: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    assert pipe is not None
    with contextlib.suppress(ValueError, OSError):
        for line in pipe:
            lines.put(line)
    lines.put(None)


# ---------------------------------------------------------------------------- in the process itself


class _Channel:
    """Messages to the caller; progress at most ten times a second."""

    def __init__(self, pipe: IO[str]) -> None:
        self._pipe, self._last = pipe, ("", 0.0)

    def send(self, **message: Any) -> None:
        self._pipe.write(json.dumps(message) + "\n")
        self._pipe.flush()

    def progress(self, stage: str, done: float, words: str) -> None:
        now = time.monotonic()
        if stage != self._last[0] or now - self._last[1] >= 0.1 or done >= 1.0:
            self._last = stage, now
            self.send(progress=[stage, done, words])


def _do(task: Mapping[str, Any], channel: _Channel, stop: threading.Event) -> None:
    """Do one job and say what came of it."""
    from toile.jobs.run import run

    try:
        job = job_from_json(task["job"])
        inputs = Inputs.from_json(task["inputs"])
        result = run(job, inputs=inputs, folder=task["folder"], progress=channel.progress, cancel=stop.is_set)
        channel.send(result=result.to_json())
    except ToileError as error:
        channel.send(refused=str(error))
    except Cancelled as end:
        channel.send(cancelled=str(end))
    except MemoryError:
        channel.send(failed="needs more memory than a worker may take")
    except Exception as error:
        channel.send(failed=f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
        raise


def main(arguments: list[str]) -> int:
    """Do the jobs that come over the standard input until it ends."""
    # what libraries print must not come between the messages
    channel = _Channel(os.fdopen(os.dup(1), "w"))
    os.dup2(2, 1)
    limit_memory(int(arguments[0]) if arguments else 0)
    tasks: queue.Queue[Mapping[str, Any]] = queue.Queue()
    stop = threading.Event()

    def listen() -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if "run" in message:
                stop.clear()
                tasks.put(message["run"])
            else:
                stop.set()
        # the caller is gone: stop
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        _do(tasks.get(), channel, stop)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
