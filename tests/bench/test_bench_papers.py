"""The papers' experiments on tiny sizes: tables are filled, claims judged, the report written."""

import math

import numpy as np
import pytest

from toile.bench.papers import EXPERIMENTS, run_papers
from toile.bench.papers.garments import cut
from toile.bench.papers.growth import subdivided
from toile.bench.papers.hanging import held_points
from toile.bench.papers.records import Claim, Plot, Section, Table, ratio
from toile.bench.papers.report import write_report
from toile.bench.papers.tablecloth import ride
from toile.body.model.make import named_body
from toile.cli import main
from toile.core.errors import ToileError
from toile.garment.shapes import square_cloth


def test_quick_experiments_write_one_report(tmp_path, capsys):
    folder = tmp_path / "papers"
    assert main(["bench", "papers", "-o", str(folder), "--quick", "--only", "tablecloth"]) == 0
    said = capsys.readouterr().out
    assert "hold: directional" in said or "holds: directional" in said
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert "figures mean nothing" in text
    assert "figure 8" in text
    assert "default engine" in text
    for name in ("none", "average", "directional", "default"):
        assert (folder / f"tablecloth_{name}.png").stat().st_size > 1000
        assert f"tablecloth_{name}.png" in (folder / "report.html").read_text(encoding="utf-8")


def test_unknown_experiments_are_told_with_the_choices(tmp_path, capsys):
    assert main(["bench", "papers", "-o", str(tmp_path / "x"), "--only", "voxels"]) == 2
    assert "choose from tablecloth" in capsys.readouterr().err
    with pytest.raises(ToileError, match="choose from"):
        run_papers(tmp_path, only=["nothing"])
    (tmp_path / "file").write_text("")
    assert main(["bench", "papers", "-o", str(tmp_path / "file")]) == 2
    assert len(EXPERIMENTS) == 8


def test_the_report_says_what_does_not_hold(tmp_path):
    x = np.array([1.0, 2.0])
    section = Section(
        "Title",
        "Authors 2001, table 1",
        "Text with `code` & signs <.",
        (Table("T", ("a", "b"), (("1|2", "3"),)),),
        (Plot("curve", "Curve", "x", "y", (("one", x, x),)),),
        (),
        (Claim("faster", False, "3 against 2 ms"), Claim("linear", True, "fit")),
    )
    write_report(tmp_path, [section], quick=False)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "**does not hold**: faster (3 against 2 ms)" in text
    assert "| 1/2 | 3 |" in text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<code>code</code> &amp; signs &lt;" in page
    assert 'class="no"' in page
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        assert "Plots are missing" in text
        assert "Plots are missing" in page
    else:
        assert (tmp_path / "curve.png").stat().st_size > 5000
        assert "curve.png" in text
        assert "Plots are missing" not in page
    assert ratio(0.5, 2.0) == "4 ×"
    assert ratio(0.5, 0.0) == "–"


def test_garments_get_about_the_wanted_vertices():
    body = named_body("woman")
    made = cut("skirt", body, 336)
    assert made.garment.particle_count == pytest.approx(336, rel=0.1)
    assert made.garment.panel_grid.all(), "without darts every panel is a grid"


def test_a_finer_body_has_the_same_shape():
    body = named_body("woman")
    finer = subdivided(body, 1)
    assert len(finer.triangles) == 4 * len(body.triangles)
    assert finer.weight.sum(axis=1) == pytest.approx(1.0)
    assert np.ptp(finer.vertices, axis=0) == pytest.approx(np.ptp(body.vertices, axis=0))


def test_hanging_cloth_is_held_where_the_figures_say():
    cloth = square_cloth(6, 6)
    assert len(held_points(cloth, "corner")) == 1
    assert len(held_points(cloth, "edge")) == 7


def test_cloth_on_the_ball_stays_behind_by_less_than_the_ball_went():
    found = ride("xpbd", 6, 0.2, 0.1)
    assert 0.0 < found.lag < 0.1
    assert math.isfinite(found.seconds)
    assert found.deepest < 0.001
