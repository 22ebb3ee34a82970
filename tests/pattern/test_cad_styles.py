"""Whole files as Gerber, CLO and Valentina write them: every habit of a writer at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_pattern_cad import block, dxf, line, point, polyline, words

from toile.core.records import Mark, Panel
from toile.pattern.library import read_pattern
from toile.pattern.model import curves


def marks(panel: Panel, kind: str) -> list[Mark]:
    return [mark for mark in panel.marks if mark.kind == kind]


def notch_places(panel: Panel) -> list[tuple[float, float]]:
    """Return where the notches are [cm]."""
    at = [curves.sample_edge(panel, n.edge, [n.fraction])[0] * 100.0 for n in panel.notches]
    return sorted((round(float(x), 1), round(float(y), 1)) for x, y in at)


def gerber() -> bytes:
    """Return a half front (fold at x = 0) and a sleeve cut as a pair, in inches, boundary in open lines."""
    front = [(0, 0), (10, 0), (10.5, 12), (9, 20), (6, 24), (0, 22)]
    sew = [(0, 0.5), (9.5, 0.5), (10, 12), (8.5, 19.6), (5.8, 23.4), (0, 21.5)]
    sides = [front[k : k + 2] for k in range(5)] + [[front[-1], front[0]]]
    head = [words("Units: ENGLISH"), words("Sample Size: M"), words("ASTM/D13Proposal 1 Version: D 6673-04")]
    pieces = []
    for size, grow in (("S", 0.96), ("M", 1.0), ("L", 1.04)):
        scaled = [[(x * grow, y * grow) for x, y in side] for side in sides]
        pieces.append(
            block(
                f"FRONT_{size}",
                words("Piece Name: FRONT"),
                words(f"Size: {size}"),
                words("Quantity: 1"),
                *[polyline(side, closed=False) for side in scaled],
                polyline([(x * grow, y * grow) for x, y in sew], layer=14),
                *[point((x * grow, y * grow), 2) for x, y in front],
                point((10.25 * grow, 6 * grow), 4),
                point((3 * grow, 0.5 * grow), 80),
                point((4 * grow, 10 * grow), 13),
                line((2 * grow, 2 * grow), (8 * grow, 2 * grow), 8),
                line((0, 0), (0, 22 * grow), 6),
                line((5, 3), (5, 18), 7),
                line((5, 4), (5, 17), 5),
            )
        )
        sleeve = [(x * grow, y * grow) for x, y in [(0, 0), (14, 0), (15, 6), (7.5, 12), (-1, 6)]]
        pieces.append(
            block(
                f"SLEEVE_{size}",
                words("Piece Name: SLEEVE"),
                words(f"Size: {size}"),
                words("Quantity: 1,1"),
                *[polyline(pair, closed=False) for pair in zip(sleeve, sleeve[1:] + sleeve[:1], strict=True)],
            )
        )
    return dxf(*pieces, entities=" ".join(head)).replace("\n", "\r\n").encode("ascii")


def test_gerber_with_sizes_fold_sew_line_drill_holes_and_pairs(tmp_path: Path) -> None:
    path = tmp_path / "shirt.dxf"
    path.write_bytes(gerber())
    pattern = read_pattern(path)
    assert [panel.name for panel in pattern.panels] == ["FRONT", "SLEEVE", "SLEEVE_mirrored"]
    told = " ".join(pattern.notes)
    assert "size: M taken of S, M, L" in told
    assert "units: in (the file says ENGLISH)" in told
    assert "sew line on layer 14" in told
    front = pattern.panels[0]
    # the sew line, unfolded: twice 10 inches wide
    assert np.ptp(curves.outline(front)[:, 0]) == pytest.approx(20 * 0.0254, abs=1e-4)
    assert len(marks(front, "cut")) == 2  # the boundary and its mirror image
    assert sorted(round(float(m.points[0, 0]) / 0.0254, 2) for m in marks(front, "drill")) == [-4.0, 4.0]
    assert sorted(round(float(np.ptp(m.points[:, 0])) / 0.0254, 2) for m in marks(front, "guide")) == [
        6,
        6,
    ]
    # notches lie on the cutting line: they belong to the sew line beside it, on both halves
    assert [x for x, _ in notch_places(front)] == pytest.approx([-24.8, -7.6, 7.6, 24.8], abs=0.6)
    assert front.grain == 0.0
    large = read_pattern(path, size="L")
    ratio = np.ptp(large.panels[1].vertices[:, 0]) / np.ptp(pattern.panels[1].vertices[:, 0])
    assert ratio == pytest.approx(1.04)
    twin = pattern.panels[2]
    assert np.allclose(np.sort(twin.vertices[:, 0]), np.sort(-pattern.panels[1].vertices[:, 0]))


def clo(scale: float) -> bytes:
    """Return a back and a belt with Korean names, one closed line each, METRIC in mm or cm."""
    back = [(0, 0), (240, 0), (245, 150), (250, 300), (200, 420), (120, 440), (0, 430)]
    drawn = [(x * scale, y * scale) for x, y in back]
    turns = [drawn[k] for k in (0, 1, 3, 4, 5, 6)]
    pieces = [
        block(
            "뒤판_M",
            words("Piece Name: 뒤판"), words("Size: M"), words("Annotation: CUT 2"), words("Units: METRIC"),
            polyline(drawn), *[point(at, 2) for at in turns], point(drawn[2], 3),
            line((50 * scale, 100 * scale), (60 * scale, 300 * scale), 7),
            polyline([(x * scale, y * scale) for x, y in [(100, 50), (140, 50), (120, 90)]], layer=11),
        ),
        block(
            "벨트_M", words("Piece Name: 벨트"), words("Size: M"), words("Units: METRIC"),
            polyline([(x * scale, y * scale) for x, y in [(0, 0), (700, 0), (700, 40), (0, 40)]]),
        ),
    ]  # fmt: skip
    return dxf(*pieces).encode("cp949")


@pytest.mark.parametrize(("scale", "unit"), [(1.0, "mm"), (0.1, "cm")])
def test_clo_with_foreign_names_and_either_metric_unit(tmp_path: Path, scale: float, unit: str) -> None:
    path = tmp_path / "skirt.dxf"
    path.write_bytes(clo(scale))
    pattern = read_pattern(path)
    assert len(pattern.panels) == 3  # two pieces, one of them a pair; names are broken but stay apart
    assert len({panel.name for panel in pattern.panels}) == 3
    assert any(f"units: {unit}" in note for note in pattern.notes)
    back = pattern.panels[0]
    assert np.ptp(back.vertices, axis=0) == pytest.approx([0.25, 0.44])
    assert len(back.edges) == 6  # the curve point does not cut the side
    assert len(marks(back, "cutout")) == 1
    assert np.degrees(back.grain) == pytest.approx(-np.degrees(np.arctan2(10, 200)), abs=0.01)


def test_valentina_without_texts_and_with_question_marks_for_names(tmp_path: Path) -> None:
    def nested(wide: float, high: float, at: float) -> str:
        ring = [(at, 0), (at + wide, 0), (at + wide, high), (at, high)]
        inner = [(at + 10, 10), (at + wide - 10, 10), (at + wide - 10, high - 10), (at + 10, high - 10)]
        return polyline(ring) + " " + polyline(inner, layer=8)

    data = dxf(block("??????", nested(400, 600, 0)), block("??????", nested(300, 500, 900)))
    (tmp_path / "a.dxf").write_text(data)
    pattern = read_pattern(tmp_path / "a.dxf")
    assert len({panel.name for panel in pattern.panels}) == 2
    sizes = [tuple(np.round(np.ptp(panel.vertices, axis=0), 3)) for panel in pattern.panels]
    assert sizes == [(0.38, 0.58), (0.28, 0.48)]
    assert any("mm (the file names no units)" in note for note in pattern.notes)


def test_a_fold_line_off_the_border_is_a_crease_not_a_mirror(tmp_path: Path) -> None:
    ring = [(0, 0), (400, 0), (400, 600), (0, 600)]
    data = dxf(block("CUFF", words("Units: METRIC"), polyline(ring), line((0, 300), (400, 300), 6)))
    (tmp_path / "a.dxf").write_text(data)
    (panel,) = read_pattern(tmp_path / "a.dxf").panels
    assert np.ptp(panel.vertices, axis=0) == pytest.approx([0.4, 0.6])
    assert len(marks(panel, "fold")) == 1


def test_freesewing_svg_with_fold_pair_and_notches(tmp_path: Path) -> None:
    data = """<svg xmlns="http://www.w3.org/2000/svg" width="800mm" height="700mm" viewBox="0 0 800 700">
      <g id="fs-stack-back"><g id="fs-part-back">
        <path class="fabric" d="M 0,0 L 200,0 C 210,150 230,200 250,300 L 250,600 L 0,600 z"/>
      </g></g></svg>"""
    (tmp_path / "a.svg").write_text(data)
    (panel,) = read_pattern(tmp_path / "a.svg").panels
    assert np.ptp(curves.outline(panel), axis=0) == pytest.approx([0.25, 0.6], abs=1e-3)
    assert [edge.kind for edge in panel.edges].count("cubic") == 1
