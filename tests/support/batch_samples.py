"""Small batches for tests, and tasks that do nothing or crash."""

import json
import os
import signal
import time

import toile
from toile.batches.cell import DONE, Cell, Task, place, run_task
from toile.batches.store import open_store


def skirts(count: int = 2, **options: object) -> list[Cell]:
    """Return cells of coarse skirts of several lengths on one body."""
    lengths = [round(0.4 + 0.02 * k, 2) for k in range(count)]
    return toile.grid(
        ["woman"], [{"draft": "skirt", "style": {"length": lengths}}], edge_length=0.06, **options
    )


def nothing(text: str, url: str) -> str:
    """Do a task in no time."""
    return json.dumps({"key": Task.read(text).key, "status": "passed"})


def nothing_stored(text: str, url: str) -> str:
    """Do a task in no time, and store that it is done."""
    task = Task.read(text)
    made = {"key": task.key, "status": "passed", "job": task.job, "files": [], "problems": [], "facts": {}}
    open_store(url).put(f"{place(task.key)}/{DONE}", json.dumps(made).encode())
    return nothing(text, url)


def crash_some(text: str, url: str) -> str:
    """Do a task; the first process that takes it dies."""
    task, store = Task.read(text), open_store(url)
    tried = len(list(store.names(f"tried/{task.key}")))
    store.put(f"tried/{task.key}/{tried}", b"")
    if tried == 0:
        # a node gives up when its worker dies while it is being started
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    return run_task(text, url)
