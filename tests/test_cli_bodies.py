"""``toile body`` and ``toile measure``."""

from toile.body import load_body
from toile.cli import main


def test_body_from_measures(tmp_path, capsys):
    path = tmp_path / "me.toile"
    asked = {"sex": "female", "height": "172", "bust": "92", "waist": "74", "hips": "100", "inseam": "79cm"}
    words = [word for name, value in asked.items() for word in (f"--{name}", value)]
    assert main(["body", *words, "-o", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "waist" in shown
    assert "74.0 cm" in shown
    body = load_body(path)
    assert body.name == "me"
    assert abs(body.measurements["hips"] - 1.0) < 0.002
    assert main(["measure", str(path)]) == 0
    assert "172.0 cm" in capsys.readouterr().out


def test_impossible_body_is_one_line_and_no_file(tmp_path, capsys):
    path = tmp_path / "me.toile"
    assert main(["body", "--waist", "165", "--hips", "100", "-o", str(path)]) == 2
    error = capsys.readouterr().err
    assert "waist 165.0 cm does not go with hips 100.0 cm" in error
    assert error.count("\n") == 1
    assert not path.exists()


def test_a_miss_is_told_and_the_nearest_body_written(tmp_path, capsys):
    path = tmp_path / "me.toile"
    assert main(["body", "--height", "145", "--weight", "160", "-o", str(path)]) == 0
    assert "warning: no female body has all these measures" in capsys.readouterr().err
    assert path.exists()


def test_measures_and_file_together_are_refused(capsys):
    assert main(["body", "woman", "--height", "170"]) == 2
    assert "not both" in capsys.readouterr().err
    assert main(["measure", "body.stl"]) == 2
    assert "no such file" in capsys.readouterr().err
