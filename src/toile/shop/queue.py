"""Jobs in the database: asked for, taken in turn by worker processes, finished once whoever dies.

A row is the job. A server that dies leaves it marked as running; the next start puts it back in the queue.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, and_, func, insert, or_, select, update
from sqlalchemy.engine import RowMapping

from toile.core.errors import ToileError
from toile.shop.bodies import work_folder
from toile.shop.cluster import Cluster, ClusterWorker
from toile.shop.logs import tell, tell_error
from toile.shop.messages import File, Work
from toile.shop.schema import files, jobs
from toile.shop.secrets_kept import new_id
from toile.shop.shop import Shop, files_of, keep_file
from toile.shop.workers import CancelledError, Limits, Worker, WorkerGoneError

SOON, BESIDE, LATER = 0, 5, 10
"""somebody waits for it; it is nice to have; pictures of the catalogue"""
MOST_ATTEMPTS = 5
MOST_WAITING = 20
"""of one visitor at a time"""
KINDS = {
    ".bin": ("mesh", "application/octet-stream"), ".jpg": ("picture", "image/jpeg"),
    ".png": ("picture", "image/png"), ".fit": ("fit", "application/octet-stream"),
    ".scene": ("scene", "application/octet-stream"),
    ".play": ("recording", "application/octet-stream"), ".glb": ("mesh", "model/gltf-binary"),
    ".json": ("fit", "application/json"), ".toile": ("engine", "application/octet-stream"),
}  # fmt: skip
"""file ending → kind for the pages, media type"""
Prepare = Callable[[Shop, RowMapping, Path], dict[str, Any]]
"""gathers what a job's worker needs into its folder; returns the request"""
Finish = Callable[[Shop, Connection, RowMapping, dict[str, Any], Path], None]
"""keeps what came of it, in the transaction that marks the job as done"""


@dataclass(frozen=True, slots=True)
class Kind:
    """How jobs of a kind are done."""

    task: str
    prepare: Prepare
    finish: Finish


def add_job(
    shop: Shop,
    connection: Connection,
    kind: str,
    request: dict[str, Any],
    *,
    visitor_id: str | None = None,
    tryon_id: str | None = None,
    urgency: int = SOON,
) -> str:
    """Put a job into the queue; return its id."""
    job_id = new_id()
    connection.execute(
        insert(jobs).values(
            id=job_id, visitor_id=visitor_id, tryon_id=tryon_id, kind=kind, request=json.dumps(request),
            state="queued", urgency=urgency, attempts=0, stage="waiting", progress=0.0, created=shop.now(),
        )
    )  # fmt: skip
    return job_id


def waiting_of(connection: Connection, visitor_id: str) -> int:
    """Return how many jobs of a visitor are not finished."""
    mine = (jobs.c.visitor_id == visitor_id, jobs.c.state.in_(("queued", "running")))
    return int(connection.execute(select(func.count()).select_from(jobs).where(*mine)).scalar_one())


def work_message(shop: Shop, connection: Connection, row: RowMapping, base: str) -> Work:
    """Return a job as the pages see it; base: address under which its files are."""
    before = 0
    if row["state"] == "queued":
        earlier = or_(
            jobs.c.urgency < row["urgency"],
            and_(jobs.c.urgency == row["urgency"], jobs.c.created < row["created"]),
        )
        count = select(func.count()).select_from(jobs).where(jobs.c.state == "queued", earlier)
        before = connection.execute(count).scalar_one()
    request = json.loads(row["request"])
    return Work(
        id=row["id"], kind=row["kind"], act=request.get("act"), state=row["state"], stage=row["stage"],
        progress=row["progress"], queue_position=before, error=row["error"],
        files=file_messages(connection, row["id"], base) or _growing(shop, row, base),
        seconds=row["finished"] - row["started"] if row["finished"] and row["started"] else None,
    )  # fmt: skip


def _growing(shop: Shop, row: RowMapping, base: str) -> list[File]:
    """Return the recordings that a running job has begun: they can be followed as they grow."""
    folder = shop.live.get(row["id"])
    if folder is None or row["state"] != "running":
        return []
    return [
        File(name=path.name, kind="recording", url=f"{base}/{path.name}", bytes=path.stat().st_size)
        for path in sorted(folder.glob("*.play"))
        if not path.name.startswith(".")
    ]


def file_messages(connection: Connection, job_id: str, base: str) -> list[File]:
    """Return the files of a job that pages may have."""
    return [
        File(
            name=row["name"],
            kind=KINDS[Path(row["name"]).suffix][0],  # type: ignore[arg-type]
            url=f"{base}/{row['name']}",
            bytes=row["size"],
        )
        for row in files_of(connection, f"job:{job_id}")
        if KINDS[Path(row["name"]).suffix][0] != "engine"
    ]


def cancel(shop: Shop, connection: Connection, job_id: str) -> None:
    """Mark a job as not wanted; whoever works on it stops within a second."""
    open_ = (jobs.c.id == job_id, jobs.c.state.in_(("queued", "running")))
    values = {"state": "cancelled", "finished": shop.now(), "stage": "cancelled"}
    connection.execute(update(jobs).where(*open_).values(**values))


def keep_results(shop: Shop, connection: Connection, row: RowMapping, names: list[str], folder: Path) -> None:
    """Keep the files that a job made."""
    for name in names:
        data = (folder / Path(name).name).read_bytes()
        kind = KINDS[Path(name).suffix][1]
        keep_file(shop, connection, f"job:{row['id']}", name, data, kind, visitor_id=row["visitor_id"])


class Queue:
    """Threads that take jobs in turn, each with a worker process of its own."""

    def __init__(self, shop: Shop, kinds: dict[str, Kind], cluster: Cluster | None = None) -> None:
        self._shop, self._kinds, self._cluster = shop, kinds, cluster
        settings = shop.settings
        self._limits = Limits(memory=settings.job_memory, seconds=settings.job_seconds)
        self._wake, self._ending = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []
        self.pids: dict[int, int | None] = {}
        """number of the thread → process"""

    def start(self) -> None:
        """Put back what an earlier server left, then begin."""
        if self._shop.settings.workers:
            self._put_back()
        for number in range(self._shop.settings.workers):
            thread = threading.Thread(target=self._serve, args=(number,), name=f"jobs-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def wake(self) -> None:
        """There is something to do."""
        self._wake.set()

    def stop(self, wait: float = 5.0) -> None:
        """Stop at once; jobs that were running go back into the queue."""
        self._ending.set()
        self._wake.set()
        for thread in self._threads:
            thread.join(wait)
        if self._cluster is not None:
            self._cluster.close()

    def _put_back(self) -> None:
        # one server a database takes jobs; those marked as running are of its former life
        with self._shop.engine.begin() as connection:
            left = (jobs.c.state == "running",)
            again = {"state": "queued", "stage": "waiting", "progress": 0.0}
            tired = {"state": "failed", "error": "it was begun several times and never came to an end"}
            worn = update(jobs).where(*left, jobs.c.attempts >= MOST_ATTEMPTS)
            connection.execute(worn.values(finished=self._shop.now(), **tired))
            connection.execute(update(jobs).where(*left).values(**again))

    def _serve(self, number: int) -> None:
        worker = ClusterWorker(self._cluster, self._limits) if self._cluster else Worker(self._limits)
        worker.start()
        while not self._ending.is_set():
            self.pids[number] = worker.pid
            try:
                row = self._next()
                if row is None:
                    self._wake.wait(0.5)
                    self._wake.clear()
                    continue
                self._do(row, worker)
            except Exception:
                tell_error("queue")
                self._ending.wait(0.5)
        worker.stop()

    def _next(self) -> RowMapping | None:
        """Take the next job in turn, so that nobody else takes it."""
        turn = (
            select(jobs.c.id)
            .where(jobs.c.state == "queued")
            .order_by(jobs.c.urgency, jobs.c.created)
            .limit(1)
        )
        with self._shop.reader.connect() as connection:
            found = connection.execute(turn).scalar()
            waiting = select(func.count()).select_from(jobs).where(jobs.c.state == "queued")
            self._shop.metrics.waiting.set(connection.execute(waiting).scalar_one())
        if found is None:
            return None
        with self._shop.engine.begin() as connection:
            taken = update(jobs).where(jobs.c.id == found, jobs.c.state == "queued")
            values = {"state": "running", "started": self._shop.now(), "attempts": jobs.c.attempts + 1}
            if not connection.execute(taken.values(**values)).rowcount:
                return None
            return connection.execute(select(jobs).where(jobs.c.id == found)).mappings().one()

    def _do(self, row: RowMapping, worker: Worker | ClusterWorker) -> None:
        kind, shop = self._kinds[row["kind"]], self._shop
        try:
            with work_folder(shop) as folder:
                shop.live[row["id"]] = folder
                request = kind.prepare(shop, row, folder)
                watch = _Watch(shop, row["id"], self._ending)
                result, _ = worker.run(
                    kind.task, request, folder=folder, progress=watch.progress, wanted=watch.wanted
                )
                self._finish(row, kind, result, folder)
        except CancelledError:
            self._back(row)
        except ToileError as error:
            self._failed(row, str(error))
        except WorkerGoneError as error:
            tell("worker_gone", kind=row["kind"], why=str(error)[:200])
            why = "it took too long" if "too long" in str(error) else "the computation broke off"
            self._failed(row, f"{why}: try another size or body")
        except Exception:
            tell_error("job", kind=row["kind"])
            self._failed(row, "something went wrong on our side: try again")
        finally:
            shop.live.pop(row["id"], None)

    def _finish(self, row: RowMapping, kind: Kind, result: dict[str, Any], folder: Path) -> None:
        now = self._shop.now()
        with self._shop.engine.begin() as connection:
            mine = update(jobs).where(jobs.c.id == row["id"], jobs.c.state == "running")
            # somebody may have cancelled or deleted it in the last moment: then nothing is kept
            if connection.execute(
                mine.values(state="done", stage="done", progress=1.0, finished=now)
            ).rowcount:
                kind.finish(self._shop, connection, row, result, folder)
        self._count(row, "done", now)

    def _failed(self, row: RowMapping, error: str) -> None:
        now = self._shop.now()
        with self._shop.engine.begin() as connection:
            mine = update(jobs).where(jobs.c.id == row["id"], jobs.c.state == "running")
            connection.execute(mine.values(state="failed", stage="failed", error=error[:500], finished=now))
        self._count(row, "failed", now)

    def _back(self, row: RowMapping) -> None:
        """Put a job back that was stopped because the server stops; a cancelled one stays cancelled."""
        with self._shop.engine.begin() as connection:
            mine = update(jobs).where(jobs.c.id == row["id"], jobs.c.state == "running")
            connection.execute(
                mine.values(state="queued", stage="waiting", progress=0.0, attempts=row["attempts"] - 1)
            )
        self._count(row, "stopped", self._shop.now())

    def _count(self, row: RowMapping, state: str, now: float) -> None:
        self._shop.metrics.jobs.labels(row["kind"], state).inc()
        self._shop.metrics.job_seconds.labels(row["kind"]).observe(now - row["started"])
        tell("job", kind=row["kind"], state=state, seconds=round(now - row["started"], 2))


class _Watch:
    """Tells the database how far a job is, and asks whether it is still wanted."""

    EVERY = 0.25

    def __init__(self, shop: Shop, job_id: str, ending: threading.Event) -> None:
        self._shop, self._job_id, self._ending = shop, job_id, ending
        self._told, self._asked = -1e9, shop.now()

    def progress(self, stage: str, done: float) -> None:
        now = self._shop.now()
        if now - self._told < self.EVERY:
            return
        self._told = now
        with self._shop.engine.begin() as connection:
            mine = update(jobs).where(jobs.c.id == self._job_id, jobs.c.state == "running")
            connection.execute(mine.values(stage=stage[:40], progress=min(max(done, 0.0), 1.0)))

    def wanted(self) -> bool:
        if self._ending.is_set():
            return False
        now = self._shop.now()
        if now - self._asked < self.EVERY:
            return True
        self._asked = now
        with self._shop.reader.connect() as connection:
            state = connection.execute(select(jobs.c.state).where(jobs.c.id == self._job_id)).scalar()
        return state == "running"


__all__ = [
    "BESIDE",
    "KINDS",
    "LATER",
    "MOST_WAITING",
    "SOON",
    "Kind",
    "Queue",
    "add_job",
    "cancel",
    "file_messages",
    "files",
    "keep_results",
    "waiting_of",
    "work_message",
]
