"""A Dask scheduler and nodes as processes on this machine, which can be killed as a whole."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

ENVIRONMENT = {
    **os.environ, "TOILE_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parent),
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
}  # fmt: skip


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def children_of(pid: int | str) -> list[int]:
    """Return the processes that a process started, and that they started."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        own = [int(word) for thread in threads for word in (thread / "children").read_text().split()]
    except OSError:
        return []
    return [*own, *(below for child in own for below in children_of(child))]


class Nodes:
    """A scheduler and nodes with a worker each; what they say goes to log files in the folder."""

    def __init__(self, folder: Path, count: int = 2) -> None:
        """Start them all."""
        self.folder, self.port = folder, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self.start_scheduler()
        self.nodes = [self.start_node(k) for k in range(count)]

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        """Start a scheduler."""
        return self._started(
            "scheduler", "dask_scheduler", "--port", str(self.port), "--host", "127.0.0.1", "--no-dashboard",
            "--no-show",
        )  # fmt: skip

    def start_node(self, number: int) -> subprocess.Popen[bytes]:
        """Start a node: a nanny, which keeps a worker running."""
        return self._started(
            f"node{number}", "dask_worker", self.address, "--nworkers", "1", "--nthreads", "1",
            "--no-dashboard", "--local-directory", str(self.folder / f"node{number}"),
        )  # fmt: skip

    def _started(self, name: str, module: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen(command, env=ENVIRONMENT, stdout=log, stderr=log, start_new_session=True)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process and all that it started, at once."""
        for pid in [process.pid, *children_of(process.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        """Kill everything."""
        for process in [*self.nodes, self.scheduler]:
            self.kill(process)
