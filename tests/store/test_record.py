import copy
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dressed_samples import recording, tube
from folders import SUPPORT
from toile.body.model.skin import Method, pose_body
from toile.core.container import Reader, Writer, load, save
from toile.core.errors import ToileError
from toile.motion.track import Track
from toile.store.record import (
    RecordedFile,
    RecordWriter,
    dequantise,
    load_recording,
    quantise,
    save_recording,
    sound_frames,
)
from toile.store.serialise import from_plain, to_plain


def test_a_recording_comes_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "a.toile"
    want = recording(4)
    save_recording(want, path)
    got = load_recording(path)
    for name in ("times", "positions", "body_vertices"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name))
    assert got.provenance == want.provenance
    # the records, patterns included, are equal field by field
    for one, other in ((want.garment, got.garment), (want.body, got.body)):
        a: dict[str, np.ndarray] = {}
        b: dict[str, np.ndarray] = {}
        assert to_plain(one, a, "x") == to_plain(other, b, "x")
        assert a.keys() == b.keys()
        assert all(np.array_equal(a[k], b[k]) and a[k].dtype == b[k].dtype for k in a)
    assert got.garment.patterns[0].panels[0].edges[2].kind == "quadratic"


@pytest.mark.parametrize("error", [5e-5, 1e-3])
def test_rounded_positions_stay_within_the_error(tmp_path: Path, error: float) -> None:
    path = tmp_path / "a.toile"
    want = recording(4)
    save_recording(want, path, step=error)
    got = load_recording(path)
    assert np.abs(got.positions - want.positions).max() <= error
    assert np.abs(got.body_vertices - want.body_vertices).max() <= error


def test_rounding_is_stable() -> None:
    values = np.random.default_rng(0).normal(size=(100, 3))
    once = dequantise(quantise("x", values, 5e-5)["x.planes"], 5e-5)
    twice = dequantise(quantise("x", once, 5e-5)["x.planes"], 5e-5)
    np.testing.assert_array_equal(once, twice)


def test_a_file_is_copied_rounded_and_shortened(tmp_path: Path) -> None:
    take = recording(5)
    save_recording(take, tmp_path / "a.toile")
    save_recording(tmp_path / "a.toile", tmp_path / "b.toile", step=5e-5, frames=[1, 3])
    got = load_recording(tmp_path / "b.toile")
    np.testing.assert_array_equal(got.times, take.times[[1, 3]])
    np.testing.assert_allclose(got.positions, take.positions[[1, 3]], atol=5e-5)
    assert got.provenance == take.provenance
    with pytest.raises(ToileError, match="frame 9 does not exist"):
        save_recording(tmp_path / "a.toile", tmp_path / "c.toile", frames=[9])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.toile", "b.toile"]


def test_a_still_body_is_stored_once(tmp_path: Path) -> None:
    take = recording(5)
    path = tmp_path / "a.toile"
    with RecordWriter.create(path, take.garment, take.body) as writer:
        for n in range(5):
            writer.append(
                n / 30, take.positions[n], take.body_vertices[min(n, 2)], {"velocity": take.positions[n]}
            )
    got = load_recording(path)
    np.testing.assert_array_equal(got.body_vertices, take.body_vertices[[0, 1, 2, 2, 2]])
    with RecordedFile(path) as recorded:
        np.testing.assert_array_equal(recorded.frame(3).extra["velocity"], take.positions[3])


@pytest.mark.parametrize("method", ["linear", "dual"])
def test_a_body_moved_by_its_joints_is_stored_as_joints(tmp_path: Path, method: Method) -> None:
    take = recording(3)
    assert take.body is not None
    path = tmp_path / "a.toile"
    poses = np.tile(np.eye(4), (3, 1, 1, 1))
    poses[:, 0, 0, 3] = [0.0, 0.1, 0.3]
    poses[2, 0, :3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    skins = [pose_body(take.body, p, method=method).vertices for p in poses]
    with RecordWriter.create(path, take.garment, take.body) as writer:
        for n in range(3):
            writer.append(n / 30, take.positions[n], skins[n], {"world_from_joint": poses[n]})
        writer.append(0.1, take.positions[2], skins[2] + 0.01, {"world_from_joint": poses[2]})
    np.testing.assert_array_equal(load_recording(path).body_vertices[:3], skins)
    np.testing.assert_array_equal(load_recording(path).body_vertices[3], skins[2] + 0.01)
    with Reader(path) as reader:
        assert ["body_vertices" in reader.frame(n)[0] for n in range(4)] == [False, False, False, True]


@pytest.mark.parametrize("error", [None, 5e-5])
def test_resume_gives_the_same_bytes(tmp_path: Path, error: float | None) -> None:
    take = recording(6)
    take.body_vertices[3:] = take.body_vertices[3]  # the body stops
    whole, cut = tmp_path / "whole.toile", tmp_path / "cut.toile"
    save_recording(take, whole, step=error)
    data = whole.read_bytes()
    with RecordedFile(whole) as recorded:
        head = recorded._reader.frame_end(0)
    for share in (0.0, 0.3, 0.6, 0.8, 0.95, 1.0):
        cut.write_bytes(data[: head + int((len(data) - head) * share)])
        with RecordWriter.resume(cut) as writer:
            for n in range(writer.frame_count, 6):
                writer.append(float(take.times[n]), take.positions[n], take.body_vertices[n])
        assert cut.read_bytes() == data


def test_a_damaged_frame_is_named_and_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toile"
    save_recording(recording(4), path)
    data = bytearray(path.read_bytes())
    with RecordedFile(path) as recorded:
        data[recorded._reader.frame_end(1) + 3000] ^= 4
    path.write_bytes(data)
    with pytest.raises(ToileError, match=r"a\.toile: frame 1 is damaged"):
        load_recording(path)
    with RecordedFile(path) as recorded:
        assert recorded.damaged_frames == [1]
        assert [n for n, _ in sound_frames(recorded)] == [0, 2, 3]


def test_nan_is_not_stored(tmp_path: Path) -> None:
    take = recording(1)
    with RecordWriter.create(tmp_path / "a.toile", take.garment) as writer:
        with pytest.raises(ToileError, match="frame 0 holds NaN"):
            writer.append(0.0, np.full_like(take.positions[0], np.nan))
        assert writer.frame_count == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("garment.triangles", 10_000, "triangle"),
        ("garment.uv_particle", -1, "uv point"),
        ("garment.triangle_fabric", 2, "fabric"),
        ("garment.seam_uv", 10_000, "seam"),
        ("garment.particle_garment", 1, "garment"),
        ("body.triangles", 10_000, "body triangle"),
        ("body.weight_joint", 1, "skin weight"),
        ("body.skeleton.parents", 0, "parent"),
    ],
)
def test_indices_that_lead_nowhere_are_refused(tmp_path: Path, name: str, value: int, message: str) -> None:
    path = tmp_path / "a.toile"
    save_recording(recording(1), path)
    arrays, meta = load(path)
    bad = arrays[name].copy()
    bad.flat[-1] = value
    save(path, arrays | {name: bad}, meta)
    with pytest.raises(ToileError, match=message):
        RecordedFile(path)


@pytest.mark.parametrize(
    "change",
    [
        {"garment": None},
        {"garment": {}},
        {"garment": {"name": 3}},
        {"content": "something"},
        {"body": []},
    ],
)
def test_files_that_hold_something_else_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "a.toile"
    save_recording(recording(1), path)
    arrays, meta = load(path)
    save(path, arrays, meta | change)
    with pytest.raises(ToileError, match=r"a\.toile"):
        RecordedFile(path)


JUNK = [None, True, -1, 3.5, "x", [], {}, [1, 2], 10**30, -1e308]


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(content, list):
        content = dict(enumerate(content))
    for key, item in content.items() if isinstance(content, dict) else ():
        yield from places(item, (*path, key))


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_any_nonsense_inside_is_one_error(tmp_path: Path) -> None:
    """Checksums are right, the content is not: read fully or refused in words, never anything else."""
    path = tmp_path / "a.toile"
    save_recording(recording(2), path)
    with Reader(path) as reader:
        head, frames = (reader.arrays, reader.meta), [reader.frame(n) for n in range(2)]
    pick = random.Random(4)
    refused = 0
    for _ in range(150):
        arrays, meta = dict(head[0]), copy.deepcopy(head[1])
        frame_arrays, frame_meta = dict(frames[1][0]), dict(frames[1][1])
        name = pick.choice(list(arrays))
        *way, last = pick.choice([p for p in places(meta) if p])
        inner = meta
        for key in way:
            inner = inner[key]
        match pick.randrange(4):
            case 0 | 1:
                inner[last] = pick.choice(JUNK)
            case 2:
                arrays[name] = pick.choice([np.zeros(0), np.full_like(arrays[name], -5), np.zeros(())])
            case 3:
                frame_meta[pick.choice(["time", "body_frame", "posed", "checkpoint"])] = pick.choice(JUNK)
        with Writer.create(path, arrays, meta) as writer:
            writer.append(*frames[0])
            writer.append(frame_arrays, frame_meta)
        try:
            load_recording(path)
        except ToileError as error:
            assert "a.toile" in str(error) and "\n" not in str(error)  # noqa: PT017, PT018
            refused += 1
    assert refused > 50


def test_tube_sample_is_consistent() -> None:
    garment = tube()
    np.testing.assert_array_equal(garment.uv_particle[garment.triangles_uv], garment.triangles)
    a, b = garment.seam_uv.T
    np.testing.assert_array_equal(garment.uv_particle[a], garment.uv_particle[b])


SIMULATION = """
import sys, hashlib, numpy as np
sys.path.insert(0, sys.argv[2])
from dressed_samples import recording
from toile.core.errors import ToileError
from toile.store.record import RecordWriter

take = recording(1)
path, step = sys.argv[1], (None if sys.argv[3] == "exact" else 5e-5)
try:
    writer = RecordWriter.resume_at_checkpoint(path)
except ToileError:
    writer = RecordWriter.create(path, take.garment, take.body, step=step)
position, velocity = take.positions[0].copy(), np.zeros_like(take.positions[0])
if writer.checkpoint is not None:
    position, velocity = (writer.checkpoint.arrays[n].copy() for n in ("position", "velocity"))
with writer:
    for frame in range(writer.frame_count, 120):
        # a chaotic map: any lost bit would show
        velocity = np.sin(31 * position + velocity)
        position = position + 0.01 * velocity
        state = {"position": position, "velocity": velocity} if frame % 5 == 4 else None
        writer.append(frame / 60, position, take.body_vertices[0], checkpoint=state)
        print(frame, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.parametrize("kind", ["exact", "rounded"])
def test_kills_at_any_moment_do_not_change_the_end(tmp_path: Path, kind: str) -> None:
    def run(path: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", SIMULATION, str(path), str(SUPPORT), kind]
        return subprocess.Popen(command, stdout=subprocess.PIPE)

    whole, killed = tmp_path / "whole.toile", tmp_path / "killed.toile"
    assert run(whole).communicate(timeout=120)
    pick = random.Random(kind)
    for _ in range(2):
        child = run(killed)
        assert child.stdout is not None
        for _ in range(pick.randrange(1, 25)):
            child.stdout.readline()
        time.sleep(pick.random() * 0.003)
        child.kill()
        child.communicate()
    assert run(killed).communicate(timeout=120)
    assert killed.read_bytes() == whole.read_bytes()


def test_a_renamed_field_keeps_its_name_in_files() -> None:
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1, 1))
    track = Track("still", 30.0, np.array([-1]), np.zeros((1, 3)), turns, np.zeros((2, 3)))
    arrays: dict[str, np.ndarray] = {}
    plain = to_plain(track, arrays, "track")
    # walks that were recorded before the field was called rotations hold it as turns
    assert "track.turns" in arrays
    assert "rotations" not in plain
    back = from_plain(Track, plain, arrays, "track", "file")
    np.testing.assert_array_equal(back.rotations, track.rotations)
