from dataclasses import replace

import numpy as np
import pytest

from toile.bench.stress import SCENES, Outcome, judge, known_results, run_scene, sheet
from toile.cli import main
from toile.types import State

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
