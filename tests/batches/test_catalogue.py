"""The catalogue: tables, results that are kept, the command and its exit codes."""

import re

import pytest

from toile.batches.catalogue import PEOPLE, catalogue_body, enough, table
from toile.batches.report import Row
from toile.cli import catalogue, main


def rows(good: int, bad: int) -> list[Row]:
    wrong = [row("coat", f"b{i}", "seam zip is open by 3.0 mm") for i in range(bad)]
    return [row("coat", f"g{i}") for i in range(good)] + wrong


def row(garment: str, body: str, *problems: str) -> Row:
    return Row("", {"garment": garment, "body": body}, "failed" if problems else "passed", problems)


def test_people_are_of_both_sexes_small_to_very_large():
    sexes, heights, waists = zip(*PEOPLE.values(), strict=True)
    assert len(PEOPLE) == 12
    assert sexes.count("female") == sexes.count("male") == 6
    assert (min(heights), max(heights)) == (1.50, 2.00)
    assert (min(waists), max(waists)) == (0.58, 1.30)


@pytest.mark.parametrize("name", ["w150-58", "m200-130"])
def test_catalogue_body_has_the_height_and_waist_of_its_name(name):
    _, height, waist = PEOPLE[name]
    found = catalogue_body(name).measurements
    assert found["height"] == pytest.approx(height, abs=0.01)
    assert found["waist"] == pytest.approx(waist, abs=0.012)


def test_table_names_each_failure_and_counts():
    lines = table(
        [row("top", "w"), row("top", "m", "too small", "moves"), row("coat", "w"), row("coat", "m")]
    )
    assert lines[0].split() == ["w", "m"]
    assert lines[1].split() == ["top", "pass", "FAIL"]
    assert lines[2].split() == ["coat", "pass", "pass"]
    assert lines[3] == "FAILED top on m: too small; moves"
    assert lines[-1].startswith("3 of 4 pass (75.0%")


def test_98_percent_are_enough():
    assert enough(rows(142, 2))
    assert not enough(rows(141, 3))


def test_command_prints_a_table_keeps_results_and_goes_on(tmp_path, capsys):
    command = ["catalogue", "--garments", "skirt", "--bodies", "w168-74", "--edge", "4cm", "--workers", "1"]
    command += ["-o", str(tmp_path), "--picture"]
    assert main(command) == 0
    shown = capsys.readouterr()
    assert "1 of 1 pass" in shown.out
    assert re.search(r"1 of 1  skirt on w168-74: pass", shown.err)
    assert (tmp_path / "sheet.png").stat().st_size > 1000
    (made,) = tmp_path.rglob("dressed.toile")
    before, content = made.stat().st_mtime_ns, made.read_bytes()
    # the second run takes over what is kept
    assert main(command) == 0
    assert capsys.readouterr().err == ""
    assert made.stat().st_mtime_ns == before
    # again: the same bytes are made anew; other options: another cell
    assert main([*command, "--again"]) == 0
    assert made.stat().st_mtime_ns > before
    assert made.read_bytes() == content
    assert main([*command[:-1], "--edge", "5cm"]) in (0, 1)
    assert len(list(tmp_path.rglob("dressed.toile"))) == 2


def test_stopped_run_keeps_what_was_done(tmp_path, monkeypatch, capsys):
    command = ["catalogue", "--garments", "top,skirt", "--bodies", "woman", "--edge", "6cm"]
    command += ["--workers", "1", "-o", str(tmp_path)]
    real = catalogue._Reporter.__call__

    def stop(self, outcome, done, count):
        real(self, outcome, done, count)
        raise KeyboardInterrupt

    monkeypatch.setattr(catalogue._Reporter, "__call__", stop)
    assert main(command) == 130
    assert "1 of 2 are kept" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(command) in (0, 1)
    assert "skirt on woman" in capsys.readouterr().err
    assert len(list(tmp_path.rglob("cell.json"))) == 2


def test_what_cannot_be_sewn_is_a_reason_not_the_end(tmp_path, capsys):
    # no needle goes through a mesh of half metres
    command = ["catalogue", "--garments", "shirt", "--bodies", "woman", "--edge", "50cm"]
    assert main([*command, "--workers", "1", "-o", str(tmp_path)]) == 1
    assert "FAILED shirt on woman: " in capsys.readouterr().out


def test_unknown_garment_body_and_fabric(tmp_path, capsys):
    out = ["-o", str(tmp_path)]
    assert main(["catalogue", "--garments", "toga", *out]) == 2
    assert "no draft 'toga'" in capsys.readouterr().err
    assert main(["catalogue", "--garments", "top", "--bodies", "w1", *out]) == 2
    assert "no body 'w1'" in capsys.readouterr().err
    assert main(["catalogue", "--garments", "top", "--fabric", "paper", *out]) == 2
    assert "paper" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
