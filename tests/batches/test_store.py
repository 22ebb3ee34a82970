"""Stores: a folder and an S3 server on this machine behave alike."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from batch_samples import skirts
from toile.batches.cell import DONE, done_keys
from toile.batches.report import rows_of, status_lines
from toile.batches.run import Local, run_batch
from toile.batches.store import MARK, FolderStore, S3Store, Store, StoreLost, open_store
from toile.core.errors import ToileError

boto3 = pytest.importorskip("boto3")
moto_server = pytest.importorskip("moto.server")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An S3 server with an empty bucket."""
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    boto3.client("s3").create_bucket(Bucket="drapes")
    yield "s3://drapes/try"
    server.stop()


def check(store: Store) -> None:
    assert store.get("a/b.txt") is None
    store.put(MARK, b"{}")
    store.put("a/b.txt", b"one")
    store.put("a/b.txt", b"two")
    store.put("a/c/d.txt", b"")
    assert store.get("a/b.txt") == b"two"
    assert list(store.names("a")) == ["a/b.txt", "a/c/d.txt"]
    store.remove("a/b.txt")
    assert list(store.names("a")) == ["a/c/d.txt"]
    assert list(store.names("none")) == []


def test_a_folder(tmp_path: Path) -> None:
    check(FolderStore(tmp_path))
    with pytest.raises(ToileError, match="no such folder"):
        open_store(tmp_path / "none")


def test_an_s3_bucket(bucket: str, tmp_path: Path) -> None:
    store = open_store(bucket)
    assert isinstance(store, S3Store)
    check(store)
    (tmp_path / "file").write_bytes(b"from a file")
    store.put("x", tmp_path / "file")
    assert store.get("x") == b"from a file"
    with pytest.raises(StoreLost, match="does not answer"):
        S3Store("s3://nowhere/x").get("x")


def test_a_batch_into_a_bucket(bucket: str, tmp_path: Path) -> None:
    store = open_store(bucket)
    run_batch(skirts(1), store, Local(1))
    assert len(done_keys(store)) == 1
    assert status_lines(rows_of(store))[0].startswith("1 cells: ")
    folder = FolderStore(tmp_path, make=True)
    run_batch(skirts(1), folder, Local(1))
    names = [name for name in store.names("cells") if name.endswith((".toile", DONE))]
    assert names == list(folder.names("cells"))
    assert all(store.get(name) == folder.get(name) for name in names)
