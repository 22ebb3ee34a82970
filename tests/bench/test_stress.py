import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toile.audit.findings import audit_rows, report
from toile.bench.stress import SCENES, Outcome, dressed, judge, known_results, run_scene, sheet
from toile.cli import main
from toile.core.records import Recording, State
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.sim.walk.stream import record_walk
from toile.sim.walk.walker import AnimateSettings, Plan
from toile.store.record import RecordedFile
from toile.web.play import Show

QUICK = [name for name in SCENES if "," not in name and "dummy" not in name]


@pytest.mark.parametrize("name", QUICK)
def test_nothing_breaks_the_engine(name: str) -> None:
    result = run_scene(name, 7)
    assert result.outcome.ok, result.outcome.words


def test_there_are_enough_scenes() -> None:
    assert len(SCENES) >= 25


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: np.where(np.arange(len(x))[:, None] == 3, np.nan, x), "not a number"),
        (lambda x: x + 100.0, "flew"),
        (lambda x: np.where(np.arange(len(x))[:, None] == 3, x + 5.0, x), "times as long"),
    ],
)
def test_what_blew_up_is_seen(change, words) -> None:
    garment, x = sheet(np.random.default_rng(0))
    found = judge(garment, x, State(change(x), np.zeros_like(x)))
    assert not found.ok
    assert words in found.words


def test_overstretched_cloth_is_called_poor() -> None:
    garment, x = sheet(np.random.default_rng(0))
    found = judge(garment, x, State(x * 1.5, np.zeros_like(x)))
    assert found.ok
    assert "poor" in found.words


def test_an_interrupted_test_goes_on(tmp_path, monkeypatch, capsys) -> None:
    made = []

    def scene(random):
        made.append(float(random.random()))
        return Outcome(True, "good")

    monkeypatch.setitem(SCENES, "made by hand", scene)
    keep = tmp_path / "runs.jsonl"
    command = ["stress", "--only", "made by hand", "-o", str(keep), "--runs"]
    assert main([*command, "3"]) == 0
    keep.write_text(keep.read_text()[:-30])
    assert len(known_results(keep)) == 2
    assert main([*command, "5"]) == 0
    assert main([*command, "5"]) == 0
    assert len(made) == 6  # the third was cut off and made again
    assert made[2] == made[3]
    assert "1 scenes, 5 runs, 0 failed" in capsys.readouterr().out
    keep.write_text("not a run\n" + keep.read_text())
    assert main([*command, "5"]) == 2
    assert "line 1 is no run" in capsys.readouterr().err


def test_an_exception_is_a_failure(monkeypatch, capsys) -> None:
    def broken(random):
        raise ZeroDivisionError("by hand")

    monkeypatch.setitem(SCENES, "broken by hand", broken)
    assert main(["stress", "--runs", "1", "--only", "broken by hand"]) == 1
    assert "FAILED broken by hand" in capsys.readouterr().out
    assert replace(run_scene("broken by hand", 0), seconds=0.0).outcome.words == "ZeroDivisionError: by hand"


def walk_of(made: Recording, jump: float, path: Path) -> Path:
    """Record 0.4 s of standing; after 0.2 s the body is somewhere else at once [m]."""
    assert made.body is not None
    pose, fps = retarget(read_motion("walk"), made.body, fps=30.0), 30.0
    root = np.repeat(pose.root[:1], 40, axis=0)
    # the track's clock is half a lead-in behind
    root[round((0.2 + 0.25) * fps) :, 0] += jump
    track = replace(pose, rotations=np.repeat(pose.rotations[:1], 40, axis=0), root=root, loop=False)
    settings = AnimateSettings(fps=fps, seconds=0.4, lead=0.5)
    record_walk(path, made.garment, made.body, Plan(start=made.positions[-1], track=track, settings=settings))
    return path


def test_a_body_that_jumps_is_told_by_its_recording(tmp_path, capsys) -> None:
    path = walk_of(dressed("skirt", "woman"), 1.0, tmp_path / "jump.toile")
    with RecordedFile(path) as recorded:
        flawed = [bool(recorded.notes(n)["problems"]) for n in range(len(recorded))]
        told = report(audit_rows(recorded), recorded.garment.particle_count)
        shown = [bool(json.loads(Show(recorded).problems(n))) for n in range(len(recorded))]
    assert not any(flawed[:5])
    assert any(flawed[5:])
    assert shown == flawed
    assert any(line.startswith("FAILED") for line in told)
    assert main(["check", str(path)]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_cloth_like_chewing_gum_is_told_by_its_recording(tmp_path) -> None:
    made, weak = (
        dressed("skirt", "woman"),
        {"stretch_warp": 1.0, "stretch_weft": 1.0, "shear": 0.1, "mass": 2.0},
    )
    gum = tuple(replace(kind, **weak) for kind in made.garment.fabrics)
    made = replace(made, garment=replace(made.garment, fabrics=gum))
    with RecordedFile(walk_of(made, 0.0, tmp_path / "gum.toile")) as recorded:
        problems = recorded.notes(len(recorded) - 1)["problems"]
    assert any("longer by" in line for line in problems)
