"""Grading by rules, outfits, recipes: what the text file says about sizes and about wearing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toile.body.model.make import named_body
from toile.cli.main import main
from toile.core.errors import ToileError
from toile.fit.size import read_fitted
from toile.pattern.drafts.library import draft, draft_again
from toile.pattern.formats.text.read import parse
from toile.pattern.formats.text.write import to_text
from toile.pattern.grading.rules import graded
from toile.pattern.grading.sizes import SIZES
from toile.pattern.library import convert, pattern_sizes, read_outfit, read_pattern, write_pattern
from toile.pattern.model.compare import differences
from toile.pattern.model.lengths import seam_lengths

TUBE = """
garment tube
sizes S M L XL
size M
panel front
  at 0 80 10
  around torso
  from 0 0
  line to 40 0 as hem
  curve 41 30 to 40 60 as left
  line to 0 60 as waist
  line to start as right
panel back
  at 0 80 -10
  turn 0 180 0
  around torso
  from 0 0
  line to 40 0 as hem
  line to 40 60 as left
  line to 0 60 as waist
  curve -1 30 to start as right
seam front.left = -back.right
seam front.right = -back.left
grade front.left, front.right out 1
grade back.left, back.right out 1
grade front.hem out 0.5
grade back.hem out 0.5
grade front.waist start 1 2
"""


def test_edges_move_outward_and_corners_as_told() -> None:
    pattern = parse(TUBE, "tube", "tube.txt")
    large = graded(pattern, "XL")
    front = large.panel("front").vertices * 100
    # two steps: the sides move 2 cm out, the hem 1 cm down; the corner's own rule goes before
    assert front[0] == pytest.approx([-2.0, -1.0])
    assert front[2] == pytest.approx([42.0, 64.0])
    assert front[3] == pytest.approx([-2.0, 60.0], abs=0.01)
    assert large.size == "XL"
    small = graded(pattern, "S").panel("back").vertices * 100
    assert np.ptp(small[:, 0]) == pytest.approx(38.0, abs=0.02)
    assert graded(pattern, "M") is pattern
    for seam in pattern.seams[1:]:
        a, b = seam_lengths(graded(pattern, "L"), seam)
        assert a == pytest.approx(b, rel=0.02)


def test_rules_survive_every_format(tmp_path: Path) -> None:
    path = tmp_path / "tube.txt"
    path.write_text(TUBE)
    pattern = read_pattern(path)
    assert not differences(parse(to_text(pattern), "tube", "tube.txt"), pattern)
    convert(path, tmp_path / "tube.json")
    convert(tmp_path / "tube.json", tmp_path / "again.txt")
    again = read_pattern(tmp_path / "again.txt")
    assert not differences(replace(again, notes=()), pattern, tolerance=1e-9)
    convert(path, tmp_path / "tube.dxf")
    flat = read_pattern(tmp_path / "tube.dxf")
    assert (flat.sizes, flat.size, flat.grades) == (pattern.sizes, "M", pattern.grades)
    assert pattern_sizes(path) == ["S", "M", "L", "XL"]
    assert read_pattern(path, size="L").size == "L"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("size M", "size Q"), "'Q' is not one of the sizes"),
        (("sizes S M L XL", "sizes S M M"), "named twice"),
        (("out 0.5", "out 50"), "too much"),
        (("front.hem out", "front.hen out"), "no edge 'hen'"),
        (("start 1 2", "begin 1 2"), "write 'grade"),
    ],
)
def test_wrong_rules_are_named(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    path = tmp_path / "tube.txt"
    path.write_text(TUBE.replace(*change))
    with pytest.raises(ToileError, match=words):
        read_pattern(path)


def test_auto_takes_one_of_the_sizes_of_the_rules(tmp_path: Path) -> None:
    body = named_body("woman")
    path = tmp_path / "tube.txt"
    path.write_text(TUBE.replace("40", "48").replace("41 30", "49 30"))
    (fitted,) = read_fitted(path, body)
    # 96 cm in M, 4 cm more each size: hips of 99 cm and 4 cm of ease take XL or L
    assert fitted.size in ("L", "XL")
    assert fitted.pattern.size == fitted.size


def test_a_draft_remembers_its_recipe(tmp_path: Path) -> None:
    body = named_body("woman")
    write_pattern(draft("skirt", body.measurements, length=0.5), tmp_path / "skirt.txt")
    pattern = read_pattern(tmp_path / "skirt.txt")
    assert pattern.recipe == "skirt length=0.5"
    assert not differences(draft_again(pattern.recipe, body.measurements), pattern, tolerance=1e-12)
    (fitted,) = read_fitted(tmp_path / "skirt.txt", body)
    assert fitted.size in SIZES["woman"]
    with pytest.raises(ToileError, match="no option of skirt"):
        draft_again("skirt wings=2", body.measurements)


def test_grade_command_takes_drafts_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skirt, tube = tmp_path / "skirt.txt", tmp_path / "tube.txt"
    write_pattern(draft("skirt", named_body("woman").measurements), skirt)
    tube.write_text(TUBE)
    assert main(["grade", str(skirt), "--sizes", "34-38", "-o", str(tmp_path / "a")]) == 0
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == [f"skirt_{n}.txt" for n in (34, 36, 38)]
    assert main(["grade", str(tube), "--sizes", "all", "-o", str(tmp_path / "b")]) == 0
    assert len(list((tmp_path / "b").iterdir())) == 4
    plain = tmp_path / "plain.txt"
    write_pattern(replace(read_pattern(skirt), recipe="", origin="unknown"), plain)
    assert main(["grade", str(plain), "--sizes", "36,44", "-o", str(tmp_path / "c")]) == 0
    widths = [
        np.ptp(read_pattern(tmp_path / "c" / f"plain_{n}.txt").panels[0].vertices[:, 0]) for n in (36, 44)
    ]
    assert widths[1] > widths[0] + 0.03
    assert "size 44" in capsys.readouterr().out


def test_style_may_be_written_as_flags(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    assert main(["draft", "skirt", "--length", "50cm", "-o", str(path)]) == 0
    assert read_pattern(path).recipe == "skirt length=0.5"


# ---------------------------------------------------------------------------- outfits

PIECE = "panel p\n  from 0 0\n  line to 40 0\n  line to 40 50\n  line to start\n"


def outfit(*garments: str) -> str:
    """Return an outfit text of garments given as their lines."""
    return "".join(f"garment {name}\n{PIECE}" for name in garments)


@pytest.mark.parametrize(
    ("garments", "order"),
    [
        (("skirt", "shirt"), ["skirt", "shirt"]),
        (("skirt", "shirt\ntuck into skirt"), ["shirt", "skirt"]),
        (("coat\nlayer 2", "skirt", "shirt\nlayer 1\ntuck into skirt"), ["shirt", "skirt", "coat"]),
    ],
)
def test_what_is_tucked_in_goes_under(tmp_path: Path, garments: tuple[str, ...], order: list[str]) -> None:
    path = tmp_path / "outfit.txt"
    path.write_text(outfit(*garments))
    found = read_outfit(path)
    assert [g.name for g in found] == order
    assert [g.layer for g in found] == sorted(g.layer for g in found)
    convert(path, tmp_path / "again.txt")
    assert [g.name for g in read_outfit(tmp_path / "again.txt")] == order


def test_impossible_tucks_are_named(tmp_path: Path) -> None:
    path = tmp_path / "outfit.txt"
    path.write_text(outfit("skirt", "shirt\ntuck into trousers"))
    with pytest.raises(ToileError, match="'shirt' is tucked into 'trousers'"):
        read_outfit(path)
    path.write_text(outfit("skirt\ntuck into shirt", "shirt\ntuck into skirt"))
    with pytest.raises(ToileError, match="tucked into each other"):
        read_outfit(path)
    path.write_text(outfit("skirt", "shirt"))
    with pytest.raises(ToileError, match=r"2 garments go into a \.txt file"):
        convert(path, tmp_path / "outfit.dxf")
