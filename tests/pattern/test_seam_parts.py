"""Seams along a part of an edge, pleats: garment text, seam files, mesh."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.core.records import Garment, Pattern
from toile.garment.build import build, weld
from toile.pattern.formats.text.read import add_seams, parse
from toile.pattern.formats.text.write import to_text
from toile.pattern.library import read_pattern, write_pattern, write_seams
from toile.pattern.model.check import check_pattern
from toile.pattern.model.compare import same_pattern
from toile.pattern.model.lengths import seam_lengths
from toile.pattern.seams.review import check_seams

BAND = """
garment skirt
panel cloth
  from 0 0
  line to 60 0 as hem
  line to 60 40 as right
  line to 0 40 as waist
  line to start as left
panel band
  from 0 0
  line to 66 0 as lower
  line to 66 4
  line to 0 4
  line to start
"""


def text(lines: str) -> Pattern:
    return parse(BAND + lines, "skirt", "skirt.txt")


def test_a_seam_takes_part_of_an_edge_and_leaves_the_underlap_free() -> None:
    pattern = text("seam band.lower[..60] = -cloth.waist\npin band.lower[60..]")
    assert seam_lengths(pattern, pattern.seams[0]) == pytest.approx((0.60, 0.60))
    assert [round(h.edge.edge) for h in pattern.holds] == [1]
    assert len(pattern.panel("band").edges) == 5
    assert not check_seams(pattern)


def test_parts_are_lengths_from_the_start_or_per_cent() -> None:
    pattern = text(
        "seam band.lower[10%..9.6] = -cloth.waist[50%..33]\nseam band.lower[9.6..] = cloth.hem[..56.4]"
    )
    assert [len(p.edges) for p in pattern.panels] == [4 + 2 + 1, 4 + 2]
    first, second = (seam_lengths(pattern, seam) for seam in pattern.seams)
    assert first == pytest.approx((0.03, 0.03))
    assert second == pytest.approx((0.564, 0.564))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "seam band.lower[3..70] = -cloth.waist",
            r"band.lower\[3..70\] is no part of this edge, .* 66.00 long",
        ),
        ("seam band.lower[9..3] = -cloth.waist", "is no part of this edge"),
        ("seam band.lower[5] = -cloth.waist", r"panel.edge\[3..12.5\]"),
        ("seam band.lower[..60] = -cloth.waist\nseam band.lower[50..] = cloth.hem", "in two seams"),
        ("pleat cloth.waist at 56 depth 3", "a pleat from 56.0 to 62.0 cm does not lie on the edge"),
        ("pleat cloth.waist at 10 depth 3\npleat cloth.waist at 14 depth 3", "two pleats overlap"),
        ("pleat cloth.waist at 10", "pleat PANEL.EDGE at PLACE depth DEPTH"),
    ],
)
def test_wrong_parts_and_pleats_are_named(lines: str, message: str) -> None:
    with pytest.raises(ToileError, match=message):
        check_pattern(text(lines), "skirt.txt")


PLEATS = """
pleat cloth.waist at 10 depth 3 length 20
pleat cloth.waist at 30 depth 4
seam waist: band.lower[..46] = -cloth.waist
"""


def test_a_pleat_sews_its_halves_together_and_the_waist_passes_over_it() -> None:
    pattern = text(PLEATS)
    waist, *pleats = pattern.seams
    assert seam_lengths(pattern, waist) == pytest.approx((0.46, 0.60 - 2 * 0.03 - 2 * 0.04))
    assert [seam_lengths(pattern, pleat) for pleat in pleats] == [
        pytest.approx((0.03, 0.03)),
        pytest.approx((0.04, 0.04)),
    ]
    assert not check_seams(pattern)
    # pressed lines 20 cm into the cloth: the first turns it under, the second back again
    cloth = pattern.panel("cloth")
    under, back = cloth.marks
    assert np.allclose(under.points, [[0.50, 0.40], [0.50, 0.20]])
    assert np.allclose(back.points, [[0.47, 0.40], [0.47, 0.20]])
    assert under.angle < 0.0 < back.angle


def test_pleats_become_hinges_at_an_angle_and_the_waist_closes() -> None:
    garment = weld(build(text(PLEATS), "cotton", 0.02))
    # mesh edges follow both pressed lines over their whole length
    ends = garment.uv[garment.fold_uv]
    assert np.ptp(ends[..., 1]) == pytest.approx(0.20, abs=1e-6)
    assert {float(x) for x in np.round(ends[..., 0], 6).ravel()} == {0.47, 0.50}
    assert {round(float(np.degrees(a))) for a in garment.fold_angle} == {-150, 150}
    # the edges of a pleat meet: the corners where it begins and ends are one particle
    at = {x: _particle(garment, x, 0.40) for x in (0.50, 0.44)}
    assert at[0.50] == at[0.44]


def _particle(garment: Garment, x: float, y: float) -> int:
    near = np.flatnonzero(np.hypot(*(garment.uv - [x, y]).T) < 1e-6)
    assert len(near) == 1
    return int(garment.uv_particle[near[0]])


def test_parts_and_pleats_survive_text_json_and_seam_files(tmp_path: Path) -> None:
    pattern = text(PLEATS)
    assert same_pattern(parse(to_text(pattern), "skirt", "x.txt"), pattern)
    write_pattern(pattern, tmp_path / "skirt.json")
    again = read_pattern(tmp_path / "skirt.json")
    assert len(again.seams) >= 3
    assert not check_seams(again)
    # the pieces in a DXF, the seams beside them in the numbering of the DXF
    bare = parse(BAND, "skirt", "skirt.txt")
    write_pattern(bare, tmp_path / "skirt.dxf")
    base = read_pattern(tmp_path / "skirt.dxf", alone=True)
    lines = "seam waist: band.0[..60] = -cloth.2\nseam band.0[60..] = band.2[5..11]"
    sewn = add_seams(lines, base, "x.seams")
    write_seams(sewn, tmp_path / "skirt.seams", base=base)
    assert "band.0[..60] = -cloth.2" in (tmp_path / "skirt.seams").read_text()
    back = read_pattern(tmp_path / "skirt.dxf")
    assert same_pattern(replace(back, notes=(), name=""), replace(sewn, notes=(), name=""), tolerance=1e-9)


def test_corners_that_nearly_meet_leave_no_edge_too_short_for_json(tmp_path: Path) -> None:
    lines = """
panel a
  from 0 0
  line to 30 0
  polyline 31 20 30 40.004 to 30 60
  line to start
panel b
  from 0 0
  line to 30 0
  polyline 31 20.003 30 40 to 30 60
  line to start
seam a.1 = b.1
"""
    pattern = parse(lines, "pair", "pair.txt")
    write_pattern(pattern, tmp_path / "pair.json")
    assert same_pattern(read_pattern(tmp_path / "pair.json"), pattern)
    # as other programs see it; the checker refuses edges under 0.1 mm
    root = json.loads((tmp_path / "pair.json").read_text())
    del root["toile"]["whole"]
    (tmp_path / "pair.json").write_text(json.dumps(root))
    assert len(read_pattern(tmp_path / "pair.json").seams) == 3
