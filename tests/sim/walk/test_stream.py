"""Walks that go into a growing file: read meanwhile, killed, resumed to the same bytes, branched."""

import hashlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import toile
from toile.audit.findings import KEYS, audit_rows, report
from toile.cli import main
from toile.core.container import Reader
from toile.core.errors import ToileError
from toile.core.records import Body, Recording
from toile.fit.size import stepped_size
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.layer_over import dress_over
from toile.sim.walk.stream import Moment, branch_walk, plan_in, record_walk, resume_walk
from toile.sim.walk.walker import AnimateSettings, Plan
from toile.store.record import RecordedFile, RecordWriter, save_recording

FRAMES = 24


@pytest.fixture(scope="session")
def dressed() -> tuple[Recording, Body]:
    """A woman in a coarse skirt."""
    body = toile.named_body("woman")
    return toile.dress([toile.draft("skirt", body.measurements)], body, edge_length=0.06), body


@pytest.fixture(scope="session")
def plan(dressed: tuple[Recording, Body]) -> Plan:
    settings = AnimateSettings(fps=30, seconds=FRAMES / 30, lead=0.2)
    made = plan_walk(*dressed, toile.read_motion("walk"), settings=settings)
    return replace(made, checkpoint_every=5)


@pytest.fixture(scope="session")
def whole(dressed: tuple[Recording, Body], plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A walk that nothing happened to."""
    path = tmp_path_factory.mktemp("walk") / "whole.toile"
    record_walk(path, dressed[0].garment, dressed[1], plan)
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def cut(whole: Path, path: Path, frames: int, torn: int = 0) -> Path:
    """Write the beginning of a walk, with some bytes of the frame that came next."""
    with Reader(whole) as reader:
        end = reader.frame_end(frames)
    path.write_bytes(whole.read_bytes()[: end + torn])
    return path


def test_a_walk_is_read_while_it_is_written(
    tmp_path: Path, dressed: tuple[Recording, Body], plan: Plan, whole: Path
) -> None:
    path, seen = tmp_path / "walk.toile", []

    def watch(moment: Moment) -> None:
        if moment.number >= 0:
            with RecordedFile(path) as recorded:
                assert not recorded.complete
                assert len(recorded) == moment.number + 1
                seen.append(recorded.frame(moment.number).time)
            assert moment.audit is not None
            assert moment.walker.touching() >= 0

    short = replace(plan, settings=replace(plan.settings, seconds=6 / 30))
    record_walk(path, dressed[0].garment, dressed[1], short, watch=watch)
    np.testing.assert_allclose(seen, np.arange(1, 7) / 30)
    with RecordedFile(path) as recorded, RecordedFile(whole) as longer:
        assert recorded.complete
        # a longer walk begins with the same bits, and its findings are stored with the frames
        np.testing.assert_array_equal(recorded.frame(5).position, longer.frame(5).position)
        assert set(longer.notes(3)) == set(KEYS)


@pytest.mark.parametrize(("frames", "torn"), [(0, 40), (12, 100), (FRAMES, 0)])
def test_a_walk_that_was_cut_off_is_resumed_to_the_same_bytes(
    tmp_path: Path, whole: Path, frames: int, torn: int
) -> None:
    path = cut(whole, tmp_path / "cut.toile", frames, torn)
    assert resume_walk(path) == frames // 5 * 5
    assert digest(path) == digest(whole)


def test_a_finished_walk_is_left_alone(tmp_path: Path, whole: Path) -> None:
    path = Path(shutil.copy(whole, tmp_path / "done.toile"))
    assert resume_walk(path) == FRAMES
    assert digest(path) == digest(whole)


def test_a_damaged_walk_is_computed_again_from_the_damage_on(tmp_path: Path, whole: Path) -> None:
    with Reader(whole) as reader:
        where = reader.frame_end(12) - 200
    content = bytearray(whole.read_bytes())
    content[where] ^= 4
    path = tmp_path / "damaged.toile"
    path.write_bytes(content)
    with RecordedFile(path) as recorded:
        assert recorded.damaged_frames == [11]
    assert resume_walk(path) == 10
    assert digest(path) == digest(whole)


def test_kill_9_at_random_moments(tmp_path: Path, whole: Path) -> None:
    path = cut(whole, tmp_path / "killed.toile", 0)
    chance = random.Random(5)
    command = [sys.executable, "-m", "toile", "walk", "--resume", "-o", str(path)]
    for _ in range(3):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.8 + 1.2 * chance.random())
        child.kill()
        child.wait()
        with RecordedFile(path) as recorded:
            assert recorded.damaged_frames == []
    resume_walk(path)
    assert digest(path) == digest(whole)


def test_ctrl_c_leaves_a_walk_to_go_on_with(
    tmp_path: Path, dressed: tuple[Recording, Body], plan: Plan, whole: Path
) -> None:
    path = tmp_path / "stopped.toile"

    def stop(moment: Moment) -> None:
        if moment.number == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record_walk(path, dressed[0].garment, dressed[1], plan, watch=stop)
    with RecordedFile(path) as recorded:
        assert len(recorded) == 8
        assert not recorded.complete
    resume_walk(path)
    assert digest(path) == digest(whole)


def test_a_rounded_walk_is_resumed_exactly(
    tmp_path: Path, dressed: tuple[Recording, Body], plan: Plan, whole: Path
) -> None:
    path = tmp_path / "rounded.toile"
    record_walk(path, dressed[0].garment, dressed[1], plan, step=5e-5)
    again = cut(path, tmp_path / "again.toile", 17)
    resume_walk(again)
    assert digest(again) == digest(path)
    with RecordedFile(path) as recorded, RecordedFile(whole) as exact:
        error = recorded.frame(20).position - exact.frame(20).position
        assert np.abs(error).max() <= 5e-5


def test_another_wind_from_a_frame_on(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "windy.toile"
    branch_walk(whole, path, 12, np.array([0.0, 0.0, 6.0]), changed={"motion": "storm"})
    with RecordedFile(path) as recorded, RecordedFile(whole) as calm:
        assert len(recorded) == FRAMES
        assert recorded.provenance.motion == "storm"
        for number in range(12):
            np.testing.assert_array_equal(recorded.frame(number).position, calm.frame(number).position)
        # it comes from behind, where no leg is in the way; the skirt swings: one frame alone says little
        ways = [recorded.frame(k).position - calm.frame(k).position for k in range(12, FRAMES)]
        assert np.mean([way[:, 2].mean() for way in ways]) > 0.005
    # it can be interrupted and resumed like the first
    again = cut(path, tmp_path / "again.toile", 14)
    resume_walk(again)
    assert digest(again) == digest(path)
    with pytest.raises(ToileError, match="no frame 99"):
        branch_walk(whole, tmp_path / "no.toile", 99, np.zeros(3))


def test_a_recording_without_a_plan_cannot_be_computed_further(
    tmp_path: Path, dressed: tuple[Recording, Body]
) -> None:
    path = tmp_path / "still.toile"
    save_recording(dressed[0], path)
    with pytest.raises(ToileError, match="no recording of `toile walk`"):
        resume_walk(path)


def test_the_report_names_the_worst_frames(whole: Path) -> None:
    with RecordedFile(whole) as recorded:
        rows = audit_rows(recorded)
        lines = report(rows, recorded.garment.particle_count)
    assert [number for number, _ in rows] == list(range(FRAMES))
    assert lines[0].startswith(f"frames           {FRAMES}, ")
    assert any(line.startswith("clean frames") for line in lines)


def test_a_garment_is_worn_over_a_recorded_one(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "over.toile"
    with RecordedFile(whole) as recorded:
        body = recorded.body
        assert body is not None
        count = recorded.garment.particle_count
        pattern = toile.draft("tshirt", body.measurements)
        garment, planned, notes = dress_over(recorded, plan_in(recorded), [pattern], edge_length=0.04)
    assert notes == []
    assert garment.garment_names == ("skirt", "tshirt")
    planned = replace(planned, settings=replace(planned.settings, seconds=8 / 30))
    record_walk(path, garment, body, planned)
    with RecordedFile(path) as over, RecordedFile(whole) as under:
        for number in range(8):
            # what was recorded stays as it was
            frame = over.frame(number)
            np.testing.assert_array_equal(frame.position[:count], under.frame(number).position)
        worst = max(row["deepest"] for _, row in audit_rows(over))
    assert worst < 0.01
    again = cut(path, tmp_path / "again.toile", 6)
    resume_walk(again)
    assert digest(again) == digest(path)
    # without the recording below there is nothing to go on from
    lost = cut(path, tmp_path / "lost.toile", 6)
    with RecordedFile(whole) as recorded:
        inner = plan_in(recorded)
    assert inner.inner is None
    moved = whole.rename(whole.with_name("moved.toile"))
    try:
        with pytest.raises(ToileError, match="is missing: put it there again"):
            resume_walk(lost)
    finally:
        moved.rename(whole)


def test_a_recorded_garment_in_another_size(whole: Path) -> None:
    with RecordedFile(whole) as recorded:
        (pattern,), body = recorded.garment.patterns, recorded.body
    assert body is not None
    larger, smaller = (stepped_size(pattern, body, steps).pattern for steps in (2, -2))
    width = [max(np.ptp(panel.vertices[:, 0]) for panel in p.panels) for p in (smaller, pattern, larger)]
    assert width[0] < width[1] < width[2]
    assert "size: +2" in larger.notes[-1]


def test_whole_frames_of_a_damaged_walk_are_exported(
    tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Reader(whole) as reader:
        where = reader.frame_end(8) - 300
    content = bytearray(whole.read_bytes())
    content[where] ^= 1
    damaged, out = tmp_path / "damaged.toile", tmp_path / "look.pc2"
    # cut off in its last frame, too
    damaged.write_bytes(content[:-5000])
    assert main(["export", str(damaged), "-o", str(out)]) == 2
    assert "frame 7 is damaged" in capsys.readouterr().err
    assert not out.exists()
    assert main(["export", str(damaged), "-o", str(out), "--skip-damaged"]) == 0
    assert "left out 1 damaged of 23 frames: 7" in capsys.readouterr().out
    assert out.stat().st_size > 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full to stand for a full disk")
def test_a_full_disk_leaves_whole_frames(tmp_path: Path, whole: Path) -> None:
    """A writer whose disk is full ends with an error; what was there before stays readable."""
    path = cut(whole, tmp_path / "full.toile", 5)
    writer = RecordWriter.resume(path)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 1000, limit[1]))
    try:
        with RecordedFile(whole) as recorded:
            frame = recorded.frame(6)
        with pytest.raises(ToileError, match="cannot write"):
            writer.append(frame.time, frame.position, frame.body_vertices, frame.extra)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    writer.close(done=False)
    resume_walk(path)
    assert digest(path) == digest(whole)


def test_a_motion_with_nan_is_refused(plan: Plan) -> None:
    with pytest.raises(ToileError, match=r"NaN|finite"):
        replace(plan, track=replace(plan.track, root=plan.track.root * np.nan))
