"""Cells are computed here, one process a core, or on a Dask cluster; either way into the same store.

Exactly once comes from the names: a cell that is there is not computed, and two who compute it write the same
bytes. So whatever dies, the same command goes on where the store is.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import toile
from toile.batches.cell import (
    GIVEN_UP,
    PASSED,
    Cell,
    Task,
    done_keys,
    forget_cell,
    own_worker,
    read_cell,
    run_task,
    share_inputs,
    task_of,
)
from toile.batches.store import MARK, Store, StoreLost
from toile.core.errors import ToileError
from toile.core.work import Asked, Cancelled, never
from toile.jobs.describe import Inputs
from toile.jobs.worker import JobCrashed

TRIES = 3
"""a cell that crashes so often is given up"""
LIST = "cells.jsonl"
"""every cell of the batch: key, labels, job; written once"""
CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a cell."""

    key: str
    status: str
    """passed, failed (its audit), refused (its job) or crashed (given up)"""
    reason: str = ""


Runner = Callable[[Iterable[Task], Store, Asked], Iterator[Outcome]]
"""computes tasks into the store, in any order, and tells of each"""
Tell = Callable[[Outcome, int, int], None]
"""called with an outcome, how many cells are done, and of how many"""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a cell may take."""

    seconds: float | None = 3600.0
    """[s]"""
    memory: int | None = None
    """[bytes]"""


def silent(outcome: Outcome, done: int, count: int) -> None:
    """Tell nothing."""


def run_batch(
    cells: Sequence[Cell],
    store: Store,
    runner: Runner,
    *,
    inputs: Inputs | None = None,
    limits: Limits | None = None,
    about: Mapping[str, Any] | None = None,
    tell: Tell = silent,
    cancel: Asked = never,
) -> Counter[str]:
    """Compute all cells that are not in the store; return how many came out how in this run.

    about: what is kept about the batch. Raises StoreLost when nothing can be written any more: say the same
    again later.
    """
    if not cells:
        raise ToileError("the batch has no cells")
    inputs, limits = inputs or Inputs(), limits or Limits()
    store.put(MARK, json.dumps({"toile": toile.__version__, "count": len(cells), **(about or {})}).encode())
    shared = share_inputs(list(cells), inputs, store)
    tasks = {}
    for cell in cells:
        task = task_of(cell, inputs, shared, seconds=limits.seconds, memory=limits.memory)
        tasks[task.key] = task, cell
    store.put(LIST, _listed(tasks))
    return _computed([task for task, _ in tasks.values()], store, runner, tell, cancel)


def _computed(tasks: Sequence[Task], store: Store, runner: Runner, tell: Tell, cancel: Asked) -> Counter[str]:
    """Compute what is not there yet; return how many came out how."""
    settled = done_keys(store) | given_up(store)
    left = [task for task in tasks if task.key not in settled]
    done = len(tasks) - len(left)
    counts = Counter({"kept": done})
    for outcome in runner(left, store, cancel):
        done += 1
        counts[outcome.status] += 1
        if outcome.status == CRASHED:
            store.put(f"{GIVEN_UP}/{outcome.key}.json", json.dumps({"reason": outcome.reason}).encode())
        tell(outcome, done, len(tasks))
    store.tidy()
    return counts


def retry_batch(
    store: Store, runner: Runner, *, failed: bool = False, tell: Tell = silent, cancel: Asked = never
) -> Counter[str]:
    """Compute cells again that were given up, and go on with what is left; failed: also bad results."""
    for key in given_up(store):
        forget_cell(store, key)
    tasks = [Task(one["key"], one["job"], **one["task"]) for one in listed(store)]
    if failed:
        for task in tasks:
            known = read_cell(store, task.key)
            if known is not None and known["status"] != PASSED:
                forget_cell(store, task.key)
    return _computed(tasks, store, runner, tell, cancel)


def _listed(tasks: Mapping[str, tuple[Task, Cell]]) -> bytes:
    """Return a line a cell: all that is needed to tell of it, and to compute it."""
    lines = []
    for key, (task, cell) in tasks.items():
        how = {"views": task.views, "files": task.files, "seconds": task.seconds, "memory": task.memory}
        row = {"key": key, "labels": dict(cell.labels), "job": task.job, "task": how}
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def listed(store: Store) -> list[dict[str, Any]]:
    """Return key, labels and job of every cell of a batch."""
    data = store.get(LIST)
    if data is None:
        raise ToileError(f"{store.url}: there is no batch here")
    return [json.loads(line) for line in data.decode().splitlines()]


def given_up(store: Store) -> set[str]:
    """Return the keys of cells that crashed too often."""
    return {name.rpartition("/")[2].removesuffix(".json") for name in store.names(GIVEN_UP)}


# ---------------------------------------------------------------------------- here


class Local:
    """Worker processes on this machine, each with one thread: two with more would take twice as long."""

    def __init__(self, workers: int) -> None:
        """Take how many."""
        if not 1 <= workers <= 1024:
            raise ToileError(f"{workers} workers: give 1 to 1024")
        self._workers = workers

    def __call__(self, tasks: Iterable[Task], store: Store, cancel: Asked) -> Iterator[Outcome]:
        """Yield outcomes as they come."""
        waiting, stop = iter(tasks), threading.Event()
        lock, told = threading.Lock(), queue.Queue[Outcome | BaseException | None]()

        def take() -> Task | None:
            with lock:
                return None if stop.is_set() or cancel() else next(waiting, None)

        def work() -> None:
            try:
                while (task := take()) is not None:
                    told.put(_tried(task, store.url, lambda: stop.is_set() or cancel()))
            except BaseException as error:
                # told to the one who waits; the others stop at their next look
                stop.set()
                told.put(error)
            finally:
                own_worker(None).close()
                told.put(None)

        threads = [threading.Thread(target=work, daemon=True) for _ in range(self._workers)]
        for thread in threads:
            thread.start()
        try:
            yield from _outcomes(told, len(threads))
        finally:
            stop.set()
            for thread in threads:
                thread.join()


def _outcomes(told: queue.Queue[Outcome | BaseException | None], ends: int) -> Iterator[Outcome]:
    wrong: BaseException | None = None
    while ends:
        found = told.get()
        if isinstance(found, Outcome):
            yield found
        elif found is None:
            ends -= 1
        elif wrong is None or isinstance(wrong, Cancelled):
            wrong = found
    if wrong is not None:
        raise wrong


def _tried(task: Task, url: str, cancel: Asked) -> Outcome:
    """Return what came of a task; a crash is tried again."""
    reason = ""
    for _ in range(TRIES):
        try:
            return outcome_of(run_task(task.text(), url, cancel))
        except JobCrashed as error:
            reason = str(error)
    return Outcome(task.key, CRASHED, reason)


def outcome_of(text: str) -> Outcome:
    """Return the outcome that a task's summary tells."""
    summary = json.loads(text)
    return Outcome(summary["key"], summary["status"])


# ---------------------------------------------------------------------------- on a cluster


PREFIX = "cell-"
"""of the names of tasks"""
LOOK = 1.0
"""between two looks at cancelling and the scheduler [s]"""
GATHER = 5.0
"""longest wait for summaries of tasks that have ended [s]"""
SCHEDULER_GONE = "the cluster's scheduler is gone: start it and say the same again"
Say = Callable[[str], None]
"""called with words for the user"""


def unsaid(words: str) -> None:
    """Say nothing."""


class Cluster:
    """Workers of a Dask cluster. Its own retry is used; only summaries go through its scheduler."""

    WINDOW = 8
    """tasks per thread that the scheduler holds at a time, and at least LEAST"""
    LEAST = 1024
    PATIENCE = 30.0
    """without any outcome for so long, the user is told if there is nobody who works [s]"""

    def __init__(
        self, client: Any, function: Callable[[str, str], str] = run_task, *, say: Say = unsaid
    ) -> None:
        """Take a Dask client; function computes a task (tests give one that does nothing)."""
        self._client, self._function, self._say = client, function, say

    def __call__(self, tasks: Iterable[Task], store: Store, cancel: Asked) -> Iterator[Outcome]:
        """Yield outcomes as they come."""
        waiting, ended, pending = iter(tasks), queue.Queue[Any](), dict[str, tuple[Any, Task]]()
        window = max(self.LEAST, self.WINDOW * sum(self._client.nthreads().values()))

        def submit(some: list[Task]) -> None:
            for task, future in zip(some, self._futures(some, store.url), strict=True):
                pending[future.key] = future, task
                future.add_done_callback(ended.put)

        try:
            while True:
                # in few large messages
                if len(pending) <= window // 2:
                    submit(list(islice(waiting, window - len(pending))))
                if not pending:
                    return
                found = self._next(ended, cancel)
                known = self._summaries(found)
                for future in found:
                    task = pending.pop(future.key)[1]
                    outcome = self._outcome(future, task, known, store)
                    future.release()
                    if outcome is None:
                        submit([task])
                    else:
                        yield outcome
        finally:
            self._client.cancel([future for future, _ in pending.values()])

    def _futures(self, tasks: list[Task], url: str) -> list[Any]:
        if not tasks:
            return []
        # a task that is handed out again must not have the name under which its result was lost
        keys = [f"{PREFIX}{task.key}-{secrets.token_hex(4)}" for task in tasks]
        futures: list[Any] = self._client.map(
            self._function, [task.text() for task in tasks], [url] * len(tasks), key=keys, retries=TRIES - 1,
            pure=False,
        )  # fmt: skip
        return futures

    def _next(self, ended: queue.Queue[Any], cancel: Asked) -> list[Any]:
        """Return tasks that ended: at least one."""
        quiet = time.monotonic()
        while True:
            if cancel():
                raise Cancelled("cancelled")
            try:
                found = [ended.get(timeout=LOOK)]
                break
            except queue.Empty:
                pass
            if self._client.status != "running":
                raise StoreLost(SCHEDULER_GONE)
            if time.monotonic() - quiet > self.PATIENCE:
                quiet = time.monotonic()
                if not self._client.nthreads():
                    self._say("the cluster has no workers: waiting for some")
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(ended.get_nowait())
        return found

    def _summaries(self, found: list[Any]) -> dict[str, str]:
        """Return what finished tasks say, by their cells' keys; what died with its worker is not among them.

        All are asked for in one message: one for each would take longer than a short task itself.
        """
        finished = [future for future in found if future.status == "finished"]

        async def gathered() -> list[str]:
            texts = self._client.gather(finished, errors="skip", asynchronous=True)
            return await asyncio.wait_for(texts, GATHER)

        try:
            texts = self._client.sync(gathered) if finished else []
        except Exception:
            # a worker died with results that were not fetched: the store has them
            return {}
        return {json.loads(text)["key"]: text for text in texts}

    def _outcome(self, future: Any, task: Task, known: Mapping[str, str], store: Store) -> Outcome | None:
        """Return what came of a task; None: it must be done again."""
        from distributed.scheduler import KilledWorker

        if task.key in known:
            return outcome_of(known[task.key])
        if self._client.status != "running" or future.status in ("cancelled", "lost"):
            raise StoreLost(SCHEDULER_GONE)
        if future.status != "error":
            # its worker died when it had just finished: the store knows
            made = read_cell(store, task.key)
            return None if made is None else Outcome(task.key, made["status"])
        error = future.exception()
        if isinstance(error, JobCrashed | KilledWorker):
            return Outcome(task.key, CRASHED, str(error))
        if isinstance(error, StoreLost | ToileError):
            raise error
        raise StoreLost(f"a worker failed: {error!r}"[:300])
