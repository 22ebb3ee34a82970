"""One cell of a batch: a job, perhaps pictures of its result, under a name that is their hash.

A cell is done when its `cell.json` is in the store, which is written last. Whoever computes it, and however
often, writes the same bytes under the same names.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toile.batches.store import Store, StoreLost, open_store
from toile.core.errors import ToileError
from toile.core.work import Asked, never
from toile.jobs.describe import BESIDE, Inputs, input_names, job_from_json, job_hash, job_to_json
from toile.jobs.plain import Checked, from_plain, to_plain
from toile.jobs.records import Job, PictureJob
from toile.jobs.worker import Worker

CELLS, INPUTS, GIVEN_UP, DONE = "cells", "inputs", "given-up", "cell.json"
"""folders in a store, and the file that says that a cell is done"""
PASSED, FAILED, REFUSED = "passed", "failed", "refused"
"""what came of a cell: its audit passed or failed; its job cannot be done"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views(Checked):
    """Cameras that draw each cell's result."""

    views: tuple[float | str, ...] = ("front", "back")
    width: int = field(default=384, metadata={"low": 16, "high": 4096, "unit": "px"})
    height: int = field(default=512, metadata={"low": 16, "high": 4096, "unit": "px"})

    def job(self, recording: str) -> PictureJob:
        """Return the job that draws."""
        return PictureJob(recording=recording, views=self.views, width=self.width, height=self.height)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A job of a batch and what it is called there."""

    job: Job
    views: Views | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    """body, garment, size, fabric, motion, split …: for tables, not for the computation"""

    def key(self, inputs: Inputs) -> str:
        """Return the name of the cell's result: the job's own hash where nothing is drawn."""
        own = job_hash(self.job, inputs)
        if self.views is None:
            return own
        text = json.dumps({"job": own, "views": to_plain(self.views)}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Task:
    """A cell on its way to a worker: all of it is text."""

    key: str
    job: Mapping[str, Any]
    views: Mapping[str, Any] | None
    files: Mapping[str, str]
    """file of the job → its name in the store"""
    seconds: float | None = None
    memory: int | None = None

    def text(self) -> str:
        """Return it as one line."""
        return json.dumps([self.key, self.job, self.views, self.files, self.seconds, self.memory])

    @classmethod
    def read(cls, text: str) -> Task:
        """Return what text() wrote."""
        return cls(*json.loads(text))


def place(key: str) -> str:
    """Return the folder of a cell in the store."""
    return f"{CELLS}/{key[:2]}/{key}"


def done_keys(store: Store) -> set[str]:
    """Return the keys of all cells that are done."""
    return {name.split("/")[2] for name in store.names(CELLS) if name.endswith(f"/{DONE}")}


def read_cell(store: Store, key: str) -> dict[str, Any] | None:
    """Return what came of a cell; None: it is not done."""
    data = store.get(f"{place(key)}/{DONE}")
    return None if data is None else json.loads(data)


def forget_cell(store: Store, key: str) -> None:
    """Let a cell be computed again."""
    store.remove(f"{place(key)}/{DONE}")
    store.remove(f"{GIVEN_UP}/{key}.json")


def share_inputs(cells: list[Cell], inputs: Inputs, store: Store) -> dict[str, str]:
    """Put all input files into the store, each once, by content; return name → name there."""
    names = dict.fromkeys(name for cell in cells for name in input_names(cell.job))
    found = {name: _share(name, inputs, store) for name in names}
    return found


def _share(name: str, inputs: Inputs, store: Store) -> str:
    path = inputs.path(name)
    folder = f"{INPUTS}/{inputs.digest(name, 'pattern')}"
    there = set(store.names(folder))
    for one in [path, *(path.with_suffix(ending) for ending in BESIDE)]:
        if one.is_file() and f"{folder}/{one.name}" not in there:
            store.put(f"{folder}/{one.name}", one)
    return f"{folder}/{path.name}"


def task_of(cell: Cell, inputs: Inputs, shared: Mapping[str, str], **limits: Any) -> Task:
    """Return a cell as text for a worker."""
    files = {name: shared[name] for name in input_names(cell.job)}
    views = None if cell.views is None else to_plain(cell.views)
    return Task(cell.key(inputs), job_to_json(cell.job), views, files, **limits)


SCRATCH = "toile-cell-"
"""beginning of the names of folders in which cells are computed; then the number of the process"""
_HERE = threading.local()


def own_worker(memory: int | None) -> Worker:
    """Return this thread's process for jobs; it stays for the next cell."""
    known: Worker | None = getattr(_HERE, "worker", None)
    if known is None or known.memory != memory:
        if known is not None:
            known.close()
        _tidy_scratch()
        known = _HERE.worker = Worker(memory=memory)
    return known


def _tidy_scratch() -> None:
    """Remove folders of processes on this machine that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*"):
        pid = path.name.removeprefix(SCRATCH).partition("-")[0]
        if pid.isdigit() and not _runs(int(pid)):
            shutil.rmtree(path, ignore_errors=True)


def _runs(pid: int) -> bool:
    if os.name == "nt":
        # there, any signal ends a process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def run_task(text: str, url: str, cancel: Asked = never) -> str:
    """Compute a cell into the store, if it is not there; return a short summary.

    A job that is refused is a result with its reason. A crash raises JobCrashed: whoever runs it tries again.
    """
    task, store = Task.read(text), open_store(url)
    known = read_cell(store, task.key)
    if known is None:
        with tempfile.TemporaryDirectory(prefix=f"{SCRATCH}{os.getpid()}-") as folder:
            known = _compute(task, store, Path(folder), cancel)
    return json.dumps({"key": task.key, "status": known["status"]})


def _compute(task: Task, store: Store, folder: Path, cancel: Asked) -> dict[str, Any]:
    inputs = fetch_inputs(task.files, store)
    worker, job = own_worker(task.memory), job_from_json(task.job)
    try:
        done = worker.run(job, folder=folder, inputs=inputs, cancel=cancel, seconds=task.seconds)
        facts = {"facts": dict(done.facts), "problems": list(done.problems), "notes": list(done.notes)}
        status = PASSED if done.ok else FAILED
        if task.views is not None:
            facts["pictures"] = _draw(task, worker, folder, done.files, cancel)
    except ToileError as error:
        facts, status = {"problems": [str(error)]}, REFUSED
        for path in folder.iterdir():
            path.unlink()
    files = sorted(path.name for path in folder.iterdir() if path.name != "result.json")
    for name in files:
        store.put(f"{place(task.key)}/{name}", folder / name)
    made = {"key": task.key, "status": status, "job": task.job, "files": files, **facts}
    store.put(f"{place(task.key)}/{DONE}", json.dumps(made, ensure_ascii=False, allow_nan=False).encode())
    return made


def _draw(task: Task, worker: Worker, folder: Path, files: tuple[str, ...], cancel: Asked) -> dict[str, Any]:
    """Draw a cell's recording beside it."""
    recording = next((name for name in files if name.endswith(".toile")), "")
    if not recording:
        raise ToileError("the job makes nothing that could be drawn: leave the views out")
    views = from_plain(Views, task.views, "views")
    (folder / "result.json").unlink()
    job, inputs = views.job(recording), Inputs({recording: folder / recording})
    drawn = worker.run(job, folder=folder, inputs=inputs, cancel=cancel, seconds=task.seconds)
    return dict(drawn.facts)


def fetch_inputs(files: Mapping[str, str], store: Store) -> Inputs:
    """Return a cell's input files, fetched once a machine and kept by their content."""
    cache = Path(tempfile.gettempdir()) / f"toile-inputs-{os.getuid()}"
    return Inputs({name: _fetched(there, store, cache) for name, there in files.items()})


def _fetched(there: str, store: Store, cache: Path) -> Path:
    folder = cache / there.split("/")[1]
    if not folder.is_dir():
        cache.mkdir(mode=0o700, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=cache))
        for name in store.names(there.rpartition("/")[0]):
            data = store.get(name)
            if data is None:
                raise StoreLost(f"{store.url}: {name} is gone: start the batch again")
            (part / name.rpartition("/")[2]).write_bytes(data)
        try:
            part.rename(folder)
        except OSError:
            # another process was quicker
            for path in part.iterdir():
                path.unlink()
            part.rmdir()
    return folder / there.rpartition("/")[2]
