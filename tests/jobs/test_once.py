"""On its way from a file to an exported walk nothing is done twice: files, layout of panels, skin."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from toile import _kernels
from toile.cli import main
from toile.core.reading import checksum, files_read_once, read_plain
from toile.garment.place import unroll
from toile.motion import track
from toile.sim.walk.stream import plan_in
from toile.store.record import RecordedFile, RecordWriter

OPENED: Counter[str] = Counter()
WATCHED: set[str] = set()


def _note(event: str, arguments: tuple) -> None:
    if event == "open" and WATCHED and str(arguments[0]) in WATCHED:
        OPENED[str(arguments[0])] += 1


sys.addaudithook(_note)


@pytest.fixture
def opened():
    """How often watched files are opened, by name; a hook cannot be removed, but told to watch nothing."""
    OPENED.clear()
    yield OPENED
    WATCHED.clear()


@pytest.fixture
def skinned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each time that a skin is computed."""
    times, real = [], _kernels.skin
    monkeypatch.setattr(_kernels, "skin", lambda *a: times.append(1) or real(*a))
    return times


@pytest.fixture
def stood(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each pose of the lead-in that is put on the floor: it is not yet a frame's."""
    times, real = [], track.pose_body
    monkeypatch.setattr(track, "pose_body", lambda *a: times.append(1) or real(*a))
    return times


def test_nothing_is_done_twice(
    tmp_path: Path, opened: Counter[str], skinned: list[int], stood: list[int]
) -> None:
    pattern, out = tmp_path / "x.json", tmp_path / "a.toile"
    main(["draft", "skirt", "length=40cm", "-o", str(pattern)])
    unroll.unroll_panels.cache_clear()
    WATCHED.add(str(pattern))
    words = ["walk", str(pattern), "--edge", "8cm", "--seconds", "0.2", "--fps", "30", "-o", str(out)]
    assert main(words) in (0, 1)
    assert opened[str(pattern)] == 1
    assert unroll.unroll_panels.cache_info().misses == 1
    with RecordedFile(out) as recorded:
        # each frame and each frame of the lead-in
        lead = plan_in(recorded).settings.lead_count
        assert len(skinned) - len(stood) == len(recorded) + lead
        assert len(stood) <= lead

        # cloth alone, copies and exports of cloth need no skin; who asks twice gets the same one
        skinned.clear()
        frames = [recorded.frame(k) for k in range(len(recorded))]
        assert all(frame.posed == "linear" for frame in frames)
        with RecordWriter.create(tmp_path / "b.toile", recorded.garment, recorded.body) as writer:
            for frame in frames:
                writer.append_frame(frame)
        assert not skinned
        assert frames[0].body_vertices is frames[0].body_vertices
        assert len(skinned) == 1
        with RecordedFile(tmp_path / "b.toile") as copied:
            assert (copied.frame(0).body_vertices == frames[0].body_vertices).all()


def test_a_file_is_read_once_unless_it_changes(tmp_path: Path, opened: Counter[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    WATCHED.add(str(path))
    with files_read_once():
        assert read_plain(path, 100) == b"one"
        assert checksum(path) == checksum(str(path))
        assert read_plain(path, 100) == b"one"
        assert opened[str(path)] == 1
        path.write_bytes(b"three")
        os.utime(path, ns=(1, 1))
        assert read_plain(path, 100) == b"three"
    read_plain(path, 100)
    read_plain(path, 100)
    assert opened[str(path)] == 5
