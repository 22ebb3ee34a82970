"""The same cells on a Dask cluster: nodes, workers and the scheduler die, every cell is there once."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import toile
from batch_samples import crash_some, nothing, skirts
from dask_nodes import Nodes
from toile.batches.cell import CELLS, Task
from toile.batches.run import CRASHED, Cluster, Local, run_batch
from toile.batches.store import StoreLost, open_store

distributed = pytest.importorskip("distributed")


def contents(folder: Path) -> dict[str, str]:
    """Return name → checksum of all results."""
    files = (path for path in (folder / CELLS).rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Nodes]:
    made = Nodes(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("serial")
    run_batch(skirts(3), open_store(folder), Local(1))
    return contents(folder)


@pytest.fixture
def client() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as made:  # fmt: skip
        yield made


def test_a_client_makes_the_same_bytes(client: Any, tmp_path: Path, serial: dict[str, str]) -> None:
    counts = toile.batch(skirts(3), tmp_path, client)
    assert sum(counts.values()) == 3
    assert contents(tmp_path) == serial
    assert toile.batch(skirts(3), tmp_path, client) == {"kept": 3}


def test_many_cells_that_do_nothing(client: Any) -> None:
    class Nowhere:
        url = "/"

    tasks = (Task(f"{k:064x}", {"job": "dress"}, None, {}) for k in range(1500))
    found = list(Cluster(client, nothing)(tasks, Nowhere(), lambda: False))  # type: ignore[arg-type]
    assert len({one.key for one in found}) == len(found) == 1500


def test_nodes_workers_and_scheduler_die_in_mid_task(
    nodes: Nodes, tmp_path: Path, serial: dict[str, str]
) -> None:
    out = tmp_path / "out"
    killed: list[str] = []

    def kill_a_node(outcome: object, done: int, count: int) -> None:
        if not killed:
            killed.append("node")
            nodes.kill(nodes.nodes[0])
            nodes.nodes[0] = nodes.start_node(0)

    with distributed.Client(nodes.address, timeout=60) as client:
        # each cell kills the first worker process that takes it
        counts = run_batch(
            skirts(3), open_store(out, make=True), Cluster(client, crash_some), tell=kill_a_node
        )
    assert counts[CRASHED] == 0
    assert killed
    assert contents(out) == serial
    # the scheduler: the driver says so, and the same command goes on
    again = tmp_path / "again"
    client = distributed.Client(nodes.address, timeout=20)

    def kill_the_scheduler(outcome: object, done: int, count: int) -> None:
        nodes.kill(nodes.scheduler)

    with pytest.raises(StoreLost, match="scheduler is gone"):
        run_batch(skirts(3), open_store(again, make=True), Cluster(client), tell=kill_the_scheduler)
    # workers are still at it: now they are gone, too, perhaps between writing a file and moving it
    nodes.close()
    run_batch(skirts(3), open_store(again), Local(1))
    assert contents(again) == serial
    assert not list(tmp_path.rglob("*.part"))
