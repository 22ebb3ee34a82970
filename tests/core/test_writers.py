"""One writer a file, special files, and input that is no plain file."""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from multiprocessing.synchronize import Event
from pathlib import Path

import numpy as np
import pytest

from toile.core import claims, container
from toile.core.atomic import replacing
from toile.core.errors import ToileError
from toile.core.reading import open_plain, read_plain


def write_slowly(path: Path, ready: Event, go: Event) -> None:
    with container.Writer.create(path, {}, {"who": "first"}) as writer:
        writer.append({"x": np.arange(3.0)})
        ready.set()
        go.wait(20)
        writer.append({"x": np.arange(4.0)})


@pytest.fixture
def first_writer(tmp_path: Path) -> Iterator[Path]:
    """A process that writes a recording until the test ends."""
    context = multiprocessing.get_context("spawn")
    ready, go = context.Event(), context.Event()
    path = tmp_path / "walk.toile"
    process = context.Process(target=write_slowly, args=(path, ready, go))
    process.start()
    assert ready.wait(20)
    yield path
    go.set()
    process.join(20)
    with container.Reader(path) as reader:
        assert (reader.complete, len(reader), reader.meta["who"]) == (True, 2, "first")


def test_a_second_writer_is_refused_and_the_first_ends_well(first_writer: Path) -> None:
    for _ in range(20):
        with pytest.raises(ToileError, match="is already being written"):
            container.Writer.create(first_writer, {}, {"who": "second"})
        with pytest.raises(ToileError, match="is already being written"):
            container.Writer.resume(first_writer)


def test_a_second_thread_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.toile"
    said: list[str] = []

    def second() -> None:
        try:
            container.Writer.create(path, {}, {})
        except ToileError as error:
            said.append(str(error))

    with container.Writer.create(path, {}, {}) as writer:
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        writer.append({})
    assert len(said) == 1
    assert "being written" in said[0]


def test_nothing_is_left_of_a_claim(tmp_path: Path) -> None:
    path = tmp_path / "a.toile"
    with container.Writer.create(path, {}, {}) as writer:
        writer.append({})
    container.Writer.create(path, {}, {}).close()
    with claims.claimed(path), pytest.raises(ToileError, match="being written"):
        container.Writer.create(path, {}, {})
    assert os.listdir(tmp_path) == ["a.toile"]


def test_a_lock_that_a_dead_writer_left_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / ".a.toile.lock").touch()
    container.Writer.create(tmp_path / "a.toile", {}, {}).close()
    assert os.listdir(tmp_path) == ["a.toile"]


def test_a_pipe_stays_a_pipe_and_gets_the_whole_result(tmp_path: Path) -> None:
    pipe = tmp_path / "out.glb"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with replacing(pipe) as file:
        file.write(b"one")
        file.write(b"two")
    reader.join(20)
    assert got == [b"onetwo"]
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["out.glb"]


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    link = tmp_path / "out.glb"
    link.symlink_to("/dev/null")
    with replacing(link) as file:
        file.write(b"gone")
    assert Path("/dev/null").is_char_device()
    assert link.is_symlink()


def test_a_recording_cannot_grow_in_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toile")
    with pytest.raises(ToileError, match="needs a plain file"):
        container.Writer.create(tmp_path / "a.toile", {}, {})


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="it is a folder"), replacing(tmp_path):
        pass


def test_pipes_devices_and_folders_are_no_input(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in.txt")
    for path in (tmp_path / "in.txt", Path("/dev/zero"), tmp_path):
        with pytest.raises(ToileError, match="not a file but"):
            open_plain(path)


def test_more_bytes_than_allowed_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(11))
    assert read_plain(tmp_path / "a", 11) == bytes(11)
    with pytest.raises(ToileError, match="larger than 10 bytes: cut it"):
        read_plain(tmp_path / "a", 10, "cut it")
