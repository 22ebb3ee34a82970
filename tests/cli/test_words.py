"""One rule for lengths, angles and sexes on every command."""

import pytest

from toile.cli.main import main
from toile.core.errors import ToileError
from toile.core.units import parse_length


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("60cm", 0.60), ("600 mm", 0.60), ("0.6m", 0.60), ("60", 0.60), ("23.5in", 0.5969), ("5ft", 1.524),
        ("5ft 7in", 1.7018), ("5'7\"", 1.7018), ("5′ 7″", 1.7018), ("5 ft 7", 1.7018), ("-5cm", -0.05),
    ],
)  # fmt: skip
def test_lengths_in_every_unit(text, metres):
    assert parse_length(text) == pytest.approx(metres)


@pytest.mark.parametrize(
    "text", ["", "5 stone", "5ft 13in", "5ft -3in", "cm", "nan", "1e999cm", "1.2.3cm", "5ft7in2"]
)
def test_what_is_no_length_is_refused(text):
    with pytest.raises(ToileError, match="is not a length"):
        parse_length(text)


def test_a_bare_number_is_centimetres_in_every_command_and_is_told(tmp_path, capsys):
    file = tmp_path / "skirt.txt"
    assert main(["draft", "skirt", "length=60", "waistband=4cm", "-o", str(file)]) == 0
    told = capsys.readouterr()
    assert "read as cm: 60" in told.err
    assert "length=0.6" in file.read_text()
    assert main(["info", str(file), "--edge", "2", "-o", str(tmp_path / "a.png")]) == 0
    assert "read as cm: 2" in capsys.readouterr().err
    assert main(["info", str(file), "--edge", "2cm", "-o", str(tmp_path / "b.png")]) == 0
    assert "read as cm" not in capsys.readouterr().err


def test_counts_and_ratios_have_no_unit(tmp_path, capsys):
    file = tmp_path / "skirt.txt"
    assert main(["draft", "pleated_skirt", "pleats=20", "fullness=2.5", "-o", str(file)]) == 0
    assert "read as cm" not in capsys.readouterr().err
    assert main(["draft", "pleated_skirt", "pleats=20cm", "-o", str(tmp_path / "other.txt")]) == 2
    assert "wanted a number" in capsys.readouterr().err


@pytest.mark.parametrize("length", ["1cm", "20cm", "0", "-50cm", "-3m", "50m"])
def test_nonsense_lengths_are_refused(length, tmp_path, capsys):
    file = tmp_path / "skirt.txt"
    assert main(["draft", "skirt", f"length={length}", "-o", str(file)]) == 2
    assert "length" in capsys.readouterr().err
    assert not file.exists()


@pytest.mark.parametrize("word", ["female", "woman", "FEMALE"])
def test_a_sex_has_the_same_names_everywhere(word, tmp_path):
    folder = tmp_path / "sizes"
    assert main(["grade", "skirt", "--sizes", "38", "--sex", word, "-o", str(folder)]) == 0
    assert main(["body", "--sex", word, "--height", "5ft 7in", "-o", str(tmp_path / "me.toile")]) == 0


def test_what_a_motion_is_tuned_by_has_units(tmp_path, capsys):
    file = tmp_path / "slow.bvh"
    assert main(["motion", "walk", "--stride", "1.2m", "--heading", "30deg", "-o", str(file)]) == 0
    assert main(["motion", "walk", "--stride", "1.2", "-o", str(tmp_path / "b.bvh")]) == 2
    assert "stride" in capsys.readouterr().err
