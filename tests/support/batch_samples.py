"""Small batches for tests, and tasks that do nothing or crash."""

import json
import os
import signal

import toile
from toile.batches.cell import Cell, Task, run_task
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


def crash_some(text: str, url: str) -> str:
    """Do a task; every third time a process comes here it dies, the first time for sure."""
    task, store = Task.read(text), open_store(url)
    tried = len(list(store.names(f"tried/{task.key}")))
    store.put(f"tried/{task.key}/{tried}", b"")
    if tried == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return run_task(text, url)
