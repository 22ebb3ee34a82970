"""The shop's jobs on a Dask cluster: a node runs the same confined worker process as this machine would.

What a job needs travels with it, what it makes comes back piece by piece, so that a page can follow it. A
cluster trusts whoever reaches its scheduler: it belongs into a network of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toile.core.errors import ToileError
from toile.shop.secrets_kept import new_id
from toile.shop.workers import CancelledError, Limits, Worker, WorkerGoneError

CONNECT_SECONDS, LOOK, TELL = 20.0, 0.1, 0.3
"""to find the scheduler; between two looks of this machine, and of a node, at each other [s]"""
LARGEST_PIECE = 4_000_000
"""of a file in one message [bytes]"""


def connected(address: str) -> Any:
    """Return a client of a Dask cluster."""
    try:
        from distributed import Client
    except ImportError:
        raise ToileError("--cluster needs the extra batch: pip install 'toile[batch]'") from None
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ToileError(f"{address}: no Dask scheduler answers there ({str(error)[:100]})") from None


class Cluster:
    """One connection to a cluster, made again when the scheduler was away."""

    def __init__(self, address: str) -> None:
        """Find the scheduler."""
        self._address, self._lock = address, threading.Lock()
        self._client = connected(address)

    def client(self) -> Any:
        """Return a client that is connected."""
        with self._lock:
            if self._client.status != "running":
                with contextlib.suppress(Exception):
                    self._client.close(timeout=1)
                self._client = connected(self._address)
            return self._client

    def close(self) -> None:
        """Let the cluster go."""
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)


class ClusterWorker:
    """What workers.Worker is, on some node: one task at a time."""

    pid = None

    def __init__(self, cluster: Cluster, limits: Limits) -> None:
        """limits: of the process on the node."""
        self._cluster, self._limits = cluster, limits

    def start(self) -> None:
        """Nodes are there already."""

    def stop(self) -> None:
        """Nodes stay."""

    def run(
        self,
        task: str,
        request: dict[str, Any],
        data: bytes = b"",
        *,
        folder: Path | None = None,
        seconds: float = 0.0,
        progress: Callable[[str, float], None] = lambda stage, done: None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> tuple[dict[str, Any], bytes]:
        """Return what a task gives, as workers.Worker.run; what it writes comes into the folder."""
        from distributed import Event, Queue

        try:
            client = self._cluster.client()
        except ToileError as error:
            raise WorkerGoneError(str(error)) from None
        token = new_id()
        news, stop = Queue(f"news-{token}", client=client), Event(f"stop-{token}", client=client)
        files = {path.name: path.read_bytes() for path in folder.iterdir()} if folder is not None else {}
        limits = (self._limits.memory, seconds or self._limits.seconds, self._limits.nice)
        asked = (token, task, request, data, files, folder is not None, limits)
        future = client.submit(on_node, *asked, key=f"toile-{token}", pure=False)
        try:
            while not future.done():
                if not wanted():
                    stop.set()
                    future.cancel()
                    raise CancelledError
                if client.status != "running":
                    raise WorkerGoneError("the scheduler is gone")
                if not _take_news(news, folder, progress):
                    time.sleep(LOOK)
            _take_news(news, folder, progress)
            return _outcome(future)
        finally:
            with contextlib.suppress(Exception):
                news.close()


def _take_news(news: Any, folder: Path | None, progress: Callable[[str, float], None]) -> bool:
    """Write down what came from the node; say whether there was anything."""
    if not (size := news.qsize()):
        return False
    for piece in news.get(batch=size):
        if "stage" in piece:
            progress(str(piece["stage"]), float(piece["done"]))
        elif folder is not None:
            # a job that began anew on another node begins its files anew
            with open(folder / Path(piece["name"]).name, "wb" if piece["at"] == 0 else "ab") as file:
                file.write(piece["data"])
    return True


def _outcome(future: Any) -> tuple[dict[str, Any], bytes]:
    try:
        found = future.result()
    except Exception as error:
        # whatever a node dies of, one job fails
        raise WorkerGoneError(f"a node gave up: {type(error).__name__}") from None
    if "bad_input" in found:
        raise ToileError(found["bad_input"])
    if "gone" in found:
        raise WorkerGoneError(found["gone"])
    return found["result"], found["blob"]


# ---------------------------------------------------------------------------- on a node

_spare: list[tuple[tuple[int, float, int], Worker]] = []
_spare_lock = threading.Lock()


def on_node(
    token: str,
    task: str,
    request: dict[str, Any],
    data: bytes,
    files: dict[str, bytes],
    has_folder: bool,
    limits: tuple[int, float, int],
) -> dict[str, Any]:
    """Do a task in a process of its own here; news of it and its files go back through the scheduler."""
    from distributed import Event, Queue, get_client

    client = get_client()
    news, stop = Queue(f"news-{token}", client=client), Event(f"stop-{token}", client=client)
    worker = _worker(limits)
    with tempfile.TemporaryDirectory(prefix="toile-") as place:
        folder = Path(place)
        for name, content in files.items():
            (folder / Path(name).name).write_bytes(content)
        sender = _Sender(news, stop, folder, set(files))
        try:
            result, blob = worker.run(
                task, request, data, folder=folder if has_folder else None, progress=sender.progress,
                wanted=sender.wanted,
            )  # fmt: skip
        except CancelledError:
            return {"gone": "nobody wants it any more"}
        except ToileError as error:
            return {"bad_input": str(error)}
        except WorkerGoneError as error:
            return {"gone": str(error)}
        finally:
            with _spare_lock:
                _spare.append((limits, worker))
        sender.send()
        return {"result": result, "blob": blob}


def _worker(limits: tuple[int, float, int]) -> Worker:
    """Return a process that is warm from an earlier task, or a new one."""
    with _spare_lock:
        for place, (had, worker) in enumerate(_spare):
            if had == limits:
                del _spare[place]
                return worker
    worker = Worker(Limits(memory=limits[0], seconds=limits[1], nice=limits[2]))
    atexit.register(worker.stop)
    return worker


class _Sender:
    """Sends what a task writes as it grows, and asks whether it is still wanted."""

    def __init__(self, news: Any, stop: Any, folder: Path, known: set[str]) -> None:
        self._news, self._stop, self._folder, self._known = news, stop, folder, known
        self._sent: dict[str, int] = {}
        self._told: tuple[str, float] | None = None
        self._asked = time.monotonic()

    def progress(self, stage: str, done: float) -> None:
        self._told = (stage, done)

    def wanted(self) -> bool:
        if time.monotonic() - self._asked < TELL:
            return True
        self._asked = time.monotonic()
        self.send(only=".play")
        if self._told is not None:
            self._news.put({"stage": self._told[0], "done": self._told[1]})
            self._told = None
        return not self._stop.is_set()

    def send(self, only: str = "") -> None:
        for path in sorted(self._folder.iterdir()):
            # what is written beside its place comes when it is whole
            if path.name in self._known or path.name.startswith(".") or not path.name.endswith(only):
                continue
            at = self._sent.get(path.name, -1)
            with open(path, "rb") as file:
                file.seek(max(at, 0))
                while (piece := file.read(LARGEST_PIECE)) or at < 0:
                    self._news.put({"name": path.name, "at": max(at, 0), "data": piece})
                    at = max(at, 0) + len(piece)
            self._sent[path.name] = at
