"""Tries of a folder: a bad file ends alone, results are kept, true seams are compared."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from toile.body.model.make import named_body
from toile.cli.main import main
from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.jobs.trial import Trial, TrialSettings, pattern_files, run_trials, table
from toile.pattern.drafts.library import draft
from toile.pattern.library import read_pattern, write_pattern
from toile.pattern.seams.compare import seams_compared


@pytest.fixture(scope="module")
def shirt() -> Pattern:
    return draft("tshirt", named_body("woman").measurements)


def test_each_file_is_tried_alone_and_results_are_kept(shirt: Pattern, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write_pattern(shirt, folder / "shirt.dxf")
    (folder / "bad.json").write_text("{")
    files = [(path.name, path) for path in pattern_files(folder)]
    told: list[str] = []
    settings = TrialSettings(sew=False, workers=2, seconds=120)
    good = {t.name: t for t in run_trials(files, tmp_path / "out", settings, lambda t: told.append(t.name))}
    assert sorted(told) == ["bad.json", "shirt.dxf"]
    assert good["bad.json"].stage == "read"
    assert "not valid JSON" in good["bad.json"].verdict
    assert good["shirt.dxf"].ok
    assert good["shirt.dxf"].seams == len(shirt.seams)
    assert (tmp_path / "out" / "shirt.dxf.pieces.png").is_file()
    told.clear()
    again = run_trials(files, tmp_path / "out", settings, lambda t: told.append(t.name))
    assert told == []
    assert again == [good["bad.json"], good["shirt.dxf"]]


def test_a_file_that_takes_too_long_is_ended_and_said(shirt: Pattern, tmp_path: Path) -> None:
    write_pattern(shirt, tmp_path / "shirt.txt")
    settings = TrialSettings(sew=False, seconds=0.05)
    (trial,) = run_trials([("shirt.txt", tmp_path / "shirt.txt")], tmp_path / "out", settings)
    assert not trial.ok
    assert "took longer" in trial.verdict
    assert json.loads((tmp_path / "out" / "shirt.txt.json").read_text())["trial"]["stage"] == "lost"


def test_a_garment_is_sewn_on_a_body_of_its_size(shirt: Pattern, tmp_path: Path) -> None:
    write_pattern(shirt, tmp_path / "shirt.txt")
    settings = TrialSettings(edge_length=0.04)
    (trial,) = run_trials([("shirt.txt", tmp_path / "shirt.txt")], tmp_path / "out", settings)
    assert trial.stage == "done", trial.verdict
    assert trial.body.startswith("woman")
    assert (tmp_path / "out" / "shirt.txt.png").is_file()


def test_one_page_shows_pieces_seams_and_result(shirt: Pattern, tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    write_pattern(shirt, folder / "a<b>&c.dxf")
    (folder / "a<b>&c.seams").unlink()  # as files of other programs come
    assert main(["trial", str(folder), "-o", str(out), "--no-sew"]) == 0
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "a&lt;b&gt;&amp;c.dxf" in page
    assert "<b>" not in page
    assert page.count("data:image/png;base64,") == 1
    # the seam file that was written can be read with the pattern
    seams = out / "a<b>&c.dxf.seams"
    again = read_pattern(folder / "a<b>&c.dxf", seams=seams)
    kept = json.loads((out / "a<b>&c.dxf.json").read_text())["trial"]
    assert len(again.seams) == kept["seams"] > 5
    assert all(line in page for line in ("seam ", "correct it"))


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="holds no pattern files"):
        pattern_files(tmp_path)


def test_the_table_counts_rates() -> None:
    trials = [Trial("a", "done", right=3, true=4, wrong=1), Trial("b", "read", problems=("no",))]
    assert (
        table(trials)[-1] == "1 of 2 sewn and passed; 3 of 4 true seams right (75%), 1 wrong without a mark"
    )


def test_seams_are_compared_by_what_they_put_together(shirt: Pattern) -> None:
    same = seams_compared(shirt, shirt)
    assert (same.right, same.true, same.wrong) == (len(shirt.seams), len(shirt.seams), 0)
    turned = replace(
        shirt.seams[0], b=tuple(replace(r, reversed=not r.reversed) for r in shirt.seams[0].b[::-1])
    )
    bad = replace(shirt, seams=(turned, *shirt.seams[1:]))
    score = seams_compared(bad, shirt)
    assert (score.right, score.wrong, score.wrong_unmarked) == (len(shirt.seams) - 1, 1, 1)
    assert seams_compared(bad, shirt, {0}).wrong_unmarked == 0
