import json
import os
import random
import signal
import struct
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from toile.core import container
from toile.core.container import Reader, Writer, load, replacing, save
from toile.core.errors import ToileError

ARRAYS = {
    "position": np.random.default_rng(1).normal(size=(50, 3)),
    "triangles": np.arange(60, dtype=np.int32).reshape(20, 3),
    "flag": np.array([True, False]),
    "empty": np.zeros((0, 3)),
    "number": np.array(2.5, dtype=np.float32),
}
META = {"name": "jupe évasée", "list": [1, 2.5, None, True], "nested": {"a": "b"}}


@pytest.mark.parametrize("deflate", [True, False])
def test_round_trip(tmp_path: Path, deflate: bool) -> None:
    path = tmp_path / "a.toile"
    save(path, ARRAYS, META, deflate=deflate)
    arrays, meta = load(path)
    assert meta == META
    assert list(arrays) == list(ARRAYS)
    for name, want in ARRAYS.items():
        assert arrays[name].dtype == want.dtype
        assert arrays[name].shape == want.shape
        np.testing.assert_array_equal(arrays[name], want)
        assert not arrays[name].flags.writeable


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    save(tmp_path / "a.toile", ARRAYS, META)
    save(tmp_path / "b.toile", ARRAYS, META)
    assert (tmp_path / "a.toile").read_bytes() == (tmp_path / "b.toile").read_bytes()


@pytest.mark.parametrize("bad", [np.array([object()]), np.array(["text"]), np.array([1j])])
def test_arrays_that_are_not_numbers_are_refused(tmp_path: Path, bad: np.ndarray) -> None:
    with pytest.raises(ToileError, match="'x' of type"):
        save(tmp_path / "a.toile", {"x": bad}, {})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("bad", [{"x": float("nan")}, {"x": object()}])
def test_descriptions_that_are_not_json_are_refused(tmp_path: Path, bad: dict[str, object]) -> None:
    with pytest.raises(ToileError, match="JSON"):
        save(tmp_path / "a.toile", {}, bad)


# ---------------------------------------------------------------------------- damage


def test_every_truncation_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "a.toile"
    save(path, ARRAYS, META)
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(ToileError, match=r"a\.toile") as caught:
            load(path)
        assert "\n" not in str(caught.value)


def test_bit_flips_never_change_the_content(tmp_path: Path) -> None:
    path = tmp_path / "a.toile"
    save(path, ARRAYS, META)
    whole = path.read_bytes()
    want = load(path)[0]["position"]
    pick = random.Random(3)
    for _ in range(400):
        at = pick.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << pick.randrange(8)]) + whole[at + 1 :])
        try:
            arrays, meta = load(path)
        except ToileError as error:
            assert "a.toile" in str(error)  # noqa: PT017
            continue
        # the flip hit padding or the reserved field
        np.testing.assert_array_equal(arrays["position"], want)
        assert meta == META


def raw_file(description: object, body: bytes = b"") -> bytes:
    """Return a file whose checksums are right but whose description lies."""
    text = description if isinstance(description, bytes) else json.dumps(description).encode()
    payload = struct.pack("<Q", len(text)) + text + body
    chunks = container._chunk_bytes(b"HEAD", 0, payload) + container._chunk_bytes(b"DONE", 0, b"")
    return struct.pack("<8sII", container.SIGNATURE, 1, 0) + chunks


def entry(**change: object) -> dict[str, object]:
    good = {"type": "<f8", "shape": [2], "at": 0, "bytes": 16}
    return {"meta": {}, "arrays": {"x": good | change}}


HOSTILE = {
    "100 GiB": raw_file(entry(shape=[100_000_000_000]), bytes(16)),
    "product overflows": raw_file(entry(shape=[2**33, 2**33]), bytes(16)),
    "negative": raw_file(entry(shape=[-2, -1]), bytes(16)),
    "fraction": raw_file(entry(shape=[2.0]), bytes(16)),
    "true": raw_file(entry(shape=[True, 2]), bytes(16)),
    "no list": raw_file(entry(shape="23"), bytes(16)),
    "offset": raw_file(entry(at=2**60), bytes(16)),
    "object type": raw_file(entry(type="|O"), bytes(16)),
    "text type": raw_file(entry(type="<U4"), bytes(16)),
    "type is a list": raw_file(entry(type=[]), bytes(16)),
    "many dimensions": raw_file(entry(shape=[1] * 40), bytes(16)),
    "bomb": raw_file(
        entry(shape=[10_000_000], bytes=len(zlib.compress(bytes(10_000)))) | {}, zlib.compress(bytes(10_000))
    ),
    "deflate lies": raw_file(entry(deflate=True, bytes=8), zlib.compress(bytes(99))),
    "deep": raw_file(b"[" * 200_000),
    "nan": raw_file(b'{"arrays": {}, "meta": {"x": NaN}}'),
    "1e999": raw_file(b'{"arrays": {}, "meta": {"x": 1e999}}'),
    "no meta": raw_file({"arrays": {}}),
    "list": raw_file([]),
    "not utf-8": raw_file(b'{"arrays": {}, "meta": {"\xff": 1}}'),
    "long json": struct.pack("<8sII", container.SIGNATURE, 1, 0)
    + container._chunk_bytes(b"HEAD", 0, struct.pack("<Q", 2**62)),
    "huge chunk": struct.pack("<8sII", container.SIGNATURE, 1, 0)
    + container._chunk_header(b"HEAD", 0, b"").replace(bytes(8), b"\xff" * 8, 1),
    "later version": struct.pack("<8sII", container.SIGNATURE, 9, 0) + bytes(100),
    "another file": b"PK\x03\x04" + bytes(200),
    "empty": b"",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.toile"
    path.write_bytes(HOSTILE[name])
    with pytest.raises(ToileError, match=r"bad\.toile") as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="no such file"):
        load(tmp_path / "none.toile")
    with pytest.raises(ToileError, match="cannot write"):
        save(tmp_path / "none" / "a.toile", {}, {})


# ---------------------------------------------------------------------------- atomic


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), replacing(path) as file:
        file.writelines([b"new", "text is no bytes"])  # type: ignore[list-item]
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_said_in_words() -> None:
    with open("/dev/full", "r+b", buffering=0) as full:
        writer = Writer(full, "look.toile", 0)
        with pytest.raises(ToileError, match=r"look\.toile: No space left"):
            writer.append({"x": np.zeros(10)})


# ---------------------------------------------------------------------------- frames


def frame(number: int) -> dict[str, np.ndarray]:
    return {"position": np.full((40, 3), float(number))}


def test_frames_are_visible_while_the_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "walk.toile"
    with Writer.create(path, ARRAYS, META) as writer, Reader(path) as reader:
        assert len(reader) == 0
        assert not reader.complete
        for number in range(5):
            writer.append(frame(number), {"time": number / 60})
            assert reader.refresh() == number + 1
            arrays, meta = reader.frame(number)
            assert meta == {"time": number / 60}
            np.testing.assert_array_equal(arrays["position"], number)
        writer.close()
        reader.refresh()
        assert reader.complete
    np.testing.assert_array_equal(load(path)[0]["position"], ARRAYS["position"])


def test_resume_continues_to_the_identical_file(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.toile", tmp_path / "cut.toile"
    with Writer.create(whole, ARRAYS, META) as writer:
        for number in range(6):
            writer.append(frame(number))
    data = whole.read_bytes()
    with Reader(whole) as reader:
        head = reader.frame_end(0)
    for length in random.Random(5).sample(range(head, len(data)), 30):
        cut.write_bytes(data[:length])
        with Writer.resume(cut) as writer:
            for number in range(writer.frame_count, 6):
                writer.append(frame(number))
        assert cut.read_bytes() == data


def test_a_damaged_frame_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "walk.toile"
    with Writer.create(path, {}, {}) as writer:
        for number in range(6):
            writer.append(frame(number))
    data = bytearray(path.read_bytes())
    with Reader(path) as reader:
        payload, header = reader.frame_end(2) + 200, reader.frame_end(5) + 5
    data[payload] ^= 1
    data[header] ^= 1
    path.write_bytes(data)
    with Reader(path) as reader:
        assert len(reader) == 6
        assert reader.damaged
        assert [n for n in range(6) if reader.is_sound(n)] == [0, 1, 3, 4]
        assert reader.sound_count == 2
        for number in (2, 5):
            with pytest.raises(ToileError, match=rf"walk\.toile: frame {number} is damaged"):
                reader.frame(number)
        np.testing.assert_array_equal(reader.frame(4)[0]["position"], 4)
        with pytest.raises(ToileError, match="frame 6 does not exist"):
            reader.frame(6)
    # what follows a damaged frame is computed again
    with Writer.resume(path) as writer:
        assert writer.frame_count == 2


def test_two_writers_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path = tmp_path / "walk.toile"
    with Writer.create(path, {}, {}), pytest.raises(ToileError, match="being written"):
        Writer.resume(path)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_kill_at_any_moment_loses_no_whole_frame(tmp_path: Path) -> None:
    script = """
        import sys, numpy as np
        from toile.core.container import Writer
        with Writer.create(sys.argv[1], {}, {}) as writer:
            for number in range(100_000):
                writer.append({"x": np.full(100_000, float(number))})
                print(number, flush=True)
    """
    for wait in (0.01, 0.05, 0.1):
        path = tmp_path / f"{wait}.toile"
        child = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), os.fspath(path)], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(wait)
        child.kill()
        announced = [0, *map(int, child.stdout.read().split())]
        child.wait()
        with Reader(path) as reader:
            assert not reader.complete
            assert reader.sound_count == len(reader) >= announced[-1] + 1
            np.testing.assert_array_equal(reader.frame(len(reader) - 1)[0]["x"], float(len(reader) - 1))


def test_random_access_is_quick(tmp_path: Path) -> None:
    path = tmp_path / "long.toile"
    big = {"position": np.random.default_rng(0).normal(size=(10_000, 3))}
    with Writer.create(path, {}, {}) as writer:
        for _ in range(40):
            writer.append(big)
    with Reader(path) as reader:
        times = []
        for number in random.Random(1).sample(range(40), 20):
            start = time.perf_counter()
            reader.frame(number)
            times.append(time.perf_counter() - start)
    assert np.median(times) < 0.02  # about 0.3 ms on an idle machine; the limit is generous for a busy one
