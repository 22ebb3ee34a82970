"""The catalogue: tables, results that are kept, the command and its exit codes."""

import json
import re

import pytest

from toile.cli import main
from toile.core.errors import ToileError
from toile.jobs import catalogue
from toile.jobs.catalogue import PEOPLE, Cell, catalogue_body, enough, run_catalogue, table


def cells(good: int, bad: int) -> list[Cell]:
    wrong = [Cell("coat", f"b{i}", ("seam zip is open by 3.0 mm",)) for i in range(bad)]
    return [Cell("coat", f"g{i}") for i in range(good)] + wrong


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
        [Cell("top", "w"), Cell("top", "m", ("too small", "moves")), Cell("coat", "w"), Cell("coat", "m")]
    )
    assert lines[0].split() == ["w", "m"]
    assert lines[1].split() == ["top", "pass", "FAIL"]
    assert lines[2].split() == ["coat", "pass", "pass"]
    assert lines[3] == "FAILED top on m: too small; moves"
    assert lines[-1].startswith("3 of 4 pass (75.0%")


def test_98_percent_are_enough():
    assert enough(cells(142, 2))
    assert not enough(cells(141, 3))


def test_command_prints_a_table_keeps_results_and_goes_on(tmp_path, capsys, monkeypatch):
    command = [
        "catalogue",
        "--garments",
        "skirt",
        "--bodies",
        "w168-74",
        "--edge",
        "4cm",
        "-o",
        str(tmp_path),
    ]
    assert main([*command, "--picture"]) == 0
    shown = capsys.readouterr()
    assert "1 of 1 pass" in shown.out
    assert re.search(r"1 of 1  skirt on w168-74: pass", shown.err)
    assert (tmp_path / "sheet.png").stat().st_size > 1000
    kept = json.loads((tmp_path / "catalogue.json").read_text())
    assert [c["garment"] for c in kept["cells"]] == ["skirt"]

    # the second run takes over what is kept: nothing may be sewn
    monkeypatch.setattr(catalogue, "dress", lambda *a, **k: pytest.fail("sewn again"))
    assert main(command) == 0
    # other options: not the same results
    monkeypatch.setattr(catalogue, "dress", stop)
    assert main([*command[:-3], "5cm", "-o", str(tmp_path)]) == 130


def stop(*args, **options):
    raise KeyboardInterrupt


def test_stopped_run_keeps_what_was_done(tmp_path, monkeypatch, capsys):
    body = catalogue_body("w168-74")
    monkeypatch.setattr(catalogue, "catalogue_body", lambda name: body)
    done = []

    def first_only(garment, name, body, **options):
        if done:
            raise KeyboardInterrupt
        done.append(garment)
        return Cell(garment, name), None

    monkeypatch.setattr(catalogue, "dress_cell", first_only)
    assert main(["catalogue", "--garments", "top,skirt", "--bodies", "a", "-o", str(tmp_path)]) == 130
    assert "1 of 2 are kept" in capsys.readouterr().err
    assert [c["garment"] for c in json.loads((tmp_path / "catalogue.json").read_text())["cells"]] == ["top"]


def test_errors_of_sewing_are_reasons_not_the_end(monkeypatch, tmp_path):
    def torn(*args, **options):
        raise ToileError("seam zip stays open by 9 cm")

    monkeypatch.setattr(catalogue, "dress", torn)
    (cell,) = run_catalogue(["skirt"], ["woman"])
    assert cell.problems == ("seam zip stays open by 9 cm",)
    assert main(["catalogue", "--garments", "skirt", "--bodies", "woman", "-o", str(tmp_path)]) == 1


@pytest.mark.parametrize("content", ["", "[]", '{"cells": 1}', "[" * 100_000])
def test_damaged_results_are_one_line(content, tmp_path, capsys):
    (tmp_path / "catalogue.json").write_text(content)
    assert main(["catalogue", "--garments", "skirt", "--bodies", "woman", "-o", str(tmp_path)]) == 2
    assert "catalogue.json" in capsys.readouterr().err


def test_unknown_garment_and_body(tmp_path, capsys):
    assert main(["catalogue", "--garments", "toga", "-o", str(tmp_path)]) == 2
    assert main(["catalogue", "--garments", "top", "--bodies", "w1", "-o", str(tmp_path)]) == 2
    assert "toga" in capsys.readouterr().err
