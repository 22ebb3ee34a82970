"""Grade rule tables beside a DXF file: points that name a rule, sizes that the DXF does not hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_pattern_cad import block, dxf, line, point, polyline, words

from toile.cli.main import main
from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.pattern.library import pattern_sizes, read_pattern
from toile.pattern.model import curves

HALF = [(0, 0), (200, 0), (210, 300), (190, 590), (0, 600)]
"""half a front, folded at x = 0 [mm]"""

TABLE = """ASTM/D13Proposal 1 Version: D 6673-04
AUTHOR: SOMEBODY
UNITS: {units}
GRADE RULE TABLE: SKIRT
NUMBER OF SIZES: 4
SIZE LIST:  36 38 40 42
SAMPLE SIZE: 38
RULE: DELTA 1
   0.0,  5.0    0.0, 0.0
   0.0, -5.0    0.0, -10.0
RULE: DELTA 2
  -10.0, 5.0
  0.000, 0.000
  10.0, -5.0
  20.0, -10.0
RULE: DELTA 3
 -8.0, 0.0  0.0, 0.0  8.0, 0.0  16.0, 0.0
RULE: DELTA 4
 0 0 0 0 0 0 0 0
END
"""


def label(number: int, at: tuple[float, float], layer: int = 2) -> str:
    return f"0 TEXT 8 {layer} 10 {at[0]} 20 {at[1]} 40 5 1 #~{number}"


def write(folder: Path, *, named: bool = True, units: str = "METRIC", table: str = TABLE) -> Path:
    rules = [1, 2, 0, 3, 4]
    turns = [(at, rule) for at, rule in zip(HALF, rules, strict=True) if rule]
    entities = [
        words("Piece Name: Front"), words("Units: METRIC"), words("Size: 38"),
        polyline(HALF), line((0, 0), (0, 600), 6), line((100, 100), (100, 400), 7),
        point((205, 150), 4), point((100, 300), 13),
        *[point(at, 2) for at, _ in turns], point(HALF[2], 3),
    ]  # fmt: skip
    if named:
        entities += [label(rule, at) for at, rule in turns]
    path = folder / "skirt.dxf"
    path.write_text(dxf(block("FRONT_38", *entities)))
    path.with_suffix(".rul").write_text(table.format(units=units))
    return path


def corners(pattern: Pattern) -> np.ndarray:
    """Return the corners of the right half of the front, from the lower one up [cm]."""
    found = pattern.panels[0].vertices * 100.0
    right = found[found[:, 0] > 1.0]
    return right[np.argsort(right[:, 1])]


def test_the_sizes_of_the_table_are_those_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert pattern_sizes(path) == ["36", "38", "40", "42"]
    drawn = read_pattern(path)
    assert np.allclose(corners(drawn)[[0, -1]], [[20.0, 0.0], [19.0, 59.0]])


def test_points_move_as_their_rules_say_and_the_rest_in_between(tmp_path: Path) -> None:
    larger = read_pattern(write(tmp_path), size="42")
    assert np.allclose(corners(larger)[[0, -1]], [[22.0, -1.0], [20.6, 59.0]])
    # the curve point of the side lies half way between both rules
    ring = curves.outline(larger.panels[0]) * 100.0
    side = np.array([21.0 + (2.0 + 1.6) / 2.0, 30.0 - 0.5])
    assert np.hypot(*(ring - side).T).min() < 0.05
    # unfolded: hem and top are twice as wide
    assert np.ptp(ring[:, 0]) == pytest.approx(2 * side[0], abs=0.05)
    drills = [m.points[0] * 100.0 for m in larger.panels[0].marks if m.kind == "drill"]
    assert [abs(at[0]) > 10.3 for at in drills] == [True, True]  # inside points go with the whole
    front = larger.panels[0]
    notches = [curves.sample_edge(front, n.edge, [n.fraction])[0, 0] * 100 for n in front.notches]
    assert sorted(round(float(x), 1) for x in notches) == [-22.4, 22.4]
    assert any("grade rules from 38" in note for note in larger.notes)


def test_tables_in_inches_and_points_without_names(tmp_path: Path) -> None:
    inches = read_pattern(write(tmp_path, units="ENGLISH", table=_divided(25.4)), size="40")
    assert np.allclose(corners(inches)[0], [21.0, -0.5], atol=1e-3)
    ordered = read_pattern(write(tmp_path, named=False), size="40")
    assert np.allclose(corners(ordered)[0], [21.0, -0.5])
    assert any("taken in order" in note for note in ordered.notes)


def _divided(by: float) -> str:
    head, _, body = TABLE.partition("RULE: DELTA 1")
    rows = []
    for row in ("RULE: DELTA 1" + body).splitlines():
        numbers = row.replace(",", " ").split()
        plain = not row.startswith(("RULE", "END")) and numbers
        rows.append(" ".join(f"{float(n) / by:.6f}" for n in numbers) if plain else row)
    return head + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("SAMPLE SIZE: 38", "SAMPLE SIZE: 39", "sample size '39' is not in its SIZE LIST"),
        (" 0 0 0 0 0 0 0 0", " 0 0 0 0", "rule 4 has 4 numbers, 8 are wanted for 4 sizes"),
        ("0.0,  5.0    0.0, 0.0", "0.0, 5.0  1.0, 0.0", "rule 1 moves the sample size 38"),
        ("RULE: DELTA 3", "RULE: DELTA 30", "piece 'Front' names grade rule 3, which is not in the table"),
        ("-8.0, 0.0", "wide", "line 17: a pair 'dx, dy' is wanted"),
        ("-8.0, 0.0", "nan, 0.0", "line 17: a pair 'dx, dy' is wanted"),
        ("SIZE LIST:", "SIZES:", "no grade rules"),
    ],
)
def test_bad_tables_are_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, table=TABLE.replace(old, new, 1))
    with pytest.raises(ToileError, match=message):
        read_pattern(path, size="40")


def test_grade_writes_every_size_of_the_table(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert main(["grade", str(path), "--sizes", "all", "-o", str(tmp_path / "sizes")]) == 0
    widths = [
        np.ptp(read_pattern(tmp_path / "sizes" / f"skirt_{size}.txt").panels[0].vertices[:, 0])
        for size in (36, 38, 40, 42)
    ]
    assert np.allclose(np.diff(widths), 0.02, atol=2e-3)
    assert main(["grade", str(path), "--sizes", "38-42", "-o", str(tmp_path / "some")]) == 0
    assert sorted(p.name for p in (tmp_path / "some").iterdir()) == [f"skirt_{n}.txt" for n in (38, 40, 42)]
    with pytest.raises(ToileError, match="no size '50': its grade rules hold 36, 38, 40, 42"):
        read_pattern(path, size="50")
