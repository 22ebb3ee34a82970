"""The same jobs on a Dask cluster: followed, cancelled, and done although a node dies."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from dask_nodes import Nodes, children_of
from shop_server import ShopServer, wait_for
from toile.core.errors import ToileError
from toile.io.blocks import unpack_blocks
from toile.shop.cluster import Cluster
from toile.shop.settings import ShopSettings

pytestmark = pytest.mark.shop


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    started = Nodes(tmp_path_factory.mktemp("nodes"), 1)
    try:
        yield started
    finally:
        started.close()


@pytest.fixture(scope="module")
def clustered(nodes: Nodes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopServer]:
    folder = tmp_path_factory.mktemp("clustered") / "shop"
    started = ShopServer(folder, "--workers", "2", "--rate", "0", "--cluster", nodes.address)
    try:
        started.ready()
        yield started
    finally:
        started.close()


def processes_of(nodes: Nodes) -> list[int]:
    """Return the processes on the nodes that sew."""
    every = [pid for node in nodes.nodes for pid in children_of(node.pid)]
    return [p for p in every if b"toile.shop.worker" in Path(f"/proc/{p}/cmdline").read_bytes()]


def test_a_node_sews_and_the_film_comes_as_it_grows(clustered: ShopServer, nodes: Nodes) -> None:
    with clustered.visitor() as visitor:
        tryon = visitor.try_on("shell-top")
        seen = visitor.until(tryon, "running")
        wait_for(lambda: visitor.get(f"/api/tryons/{tryon['id']}").json()["work"]["files"], 120.0)
        seen = visitor.until(tryon, "done", "failed")
        assert seen["work"]["state"] == "done", seen["work"]["error"]
        files = {file["name"]: file["url"] for file in seen["work"]["files"]}
        assert {"sewing-1.play", "drape.play", "map.fit", "fit.json"} == files.keys()
        blocks = unpack_blocks(visitor.get(files["sewing-1.play"]).content)
        assert sum(len(block.arrays["cloth"]) for block in blocks[1:]) == 100
    assert clustered.workers() == []
    assert len(processes_of(nodes)) == 1


def test_a_job_on_a_node_is_cancelled(clustered: ShopServer, nodes: Nodes) -> None:
    with clustered.visitor() as visitor:
        tryon = visitor.try_on("coat", "shirt")
        visitor.until(tryon, "running")
        wait_for(lambda: visitor.get(f"/api/tryons/{tryon['id']}").json()["work"]["stage"] != "waiting", 60.0)
        before = set(processes_of(nodes))
        path = f"/api/tryons/{tryon['id']}/works/{tryon['work']['id']}"
        assert visitor.post(f"{path}/cancel").json()["state"] == "cancelled"
        wait_for(lambda: not before & set(processes_of(nodes)), 10.0)


def test_a_job_is_done_elsewhere_when_its_node_dies(clustered: ShopServer, nodes: Nodes) -> None:
    with clustered.visitor() as visitor:
        tryon = visitor.try_on("circle-skirt")
        visitor.until(tryon, "running")
        nodes.kill(nodes.nodes[0])
        nodes.nodes.append(nodes.start_node(1))
        seen = visitor.until(tryon, "done", "failed")
        assert seen["work"]["state"] == "done", seen["work"]["error"]


def test_addresses_without_a_scheduler_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="wanted tcp://"):
        ShopSettings(folder=tmp_path, cluster="example.org")
    with pytest.raises(ToileError, match="no Dask scheduler answers"):
        Cluster("tcp://127.0.0.1:9")
