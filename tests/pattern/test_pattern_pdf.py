"""Patterns for a home printer: sound files, as many sheets as needed, true size."""

import numpy as np
import pytest

from pattern_cases import square
from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.pattern.formats.pdf import SHEETS, write_pdf
from toile.pattern.formats.text.read import parse as parse_text
from toile.pattern.library import write_pattern
from toile.pattern.model.allowance import with_allowance


def test_pdf_is_a_sound_file(tmp_path):
    write_pattern(Pattern("one (1)", (square("a", 0.1),)), tmp_path / "one.pdf")
    data = (tmp_path / "one.pdf").read_bytes()
    assert data.startswith(b"%PDF-1.4")
    assert b"/Count 2 " in data  # the plan and one sheet
    # the cross-reference table points to the objects
    table = data[int(data.split(b"startxref\n")[1].split()[0]) :].split(b"\n")
    for number, row in enumerate(table[3 : 3 + int(table[1].split()[1]) - 1], start=1):
        assert data[int(row[:10]) :].startswith(f"{number} 0 obj".encode())


def test_pdf_sheets_are_as_many_as_the_pieces_need(tmp_path):
    large = Pattern("large", (square("a", 1.0),))
    # 1 m needs 6 columns of 19 cm and 4 rows of 27.7 cm
    assert write_pdf(large, tmp_path / "a4.pdf") == 1 + 24
    assert write_pdf(large, tmp_path / "a0.pdf", sheet="a0") == 1 + 2
    # sheets between two pieces far apart are left out
    bent = parse_text("panel a\nfrom 0 0\nline to 100 0\nline to 100 3\nline to 3 3\nline to 3 100\n"
                      "line to 0 100\nline to start\n", "a", "a")  # fmt: skip
    assert write_pdf(bent, tmp_path / "bent.pdf") < 1 + 14
    with pytest.raises(ToileError, match="sheet 'b5' is unknown"):
        write_pdf(large, tmp_path / "b5.pdf", sheet="b5")
    with pytest.raises(ToileError, match="take larger paper"):
        write_pdf(Pattern("huge", (square("a", 10.0),)), tmp_path / "huge.pdf")


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_pdf_sheets_glued_together_show_the_piece_at_true_size(tmp_path, paper):
    reader = pytest.importorskip("pypdfium2")
    pattern = with_allowance(Pattern("p", (square("a", 0.3),)), 0.01)
    count = write_pdf(pattern, tmp_path / "a.pdf", sheet=paper)
    document = reader.PdfDocument(str(tmp_path / "a.pdf"))
    assert len(document) == count
    wide, high = SHEETS[paper]
    dots = 200 / 2.54  # per cm, at 200 dots an inch
    pages = [np.asarray(page.render(scale=200 / 72).to_pil().convert("L")) for page in document]
    assert pages[0].shape == pytest.approx([high * 100 * dots, wide * 100 * dots], abs=2)
    # the plan's square: dark lines 10 cm long, 10 cm apart
    dark = pages[0] < 120
    rows = np.flatnonzero(dark[:, : int(12 * dots)].sum(axis=1) > 9.5 * dots)
    assert np.ptp(rows) == pytest.approx(10 * dots, abs=3)
    # the sheets cut along their borders and put side by side
    margin = round(dots)
    columns = 2
    inner = [page[margin:-margin, margin:-margin] for page in pages[1:]]
    whole = np.vstack([np.hstack(inner[k : k + columns]) for k in range(0, len(inner), columns)])
    lines = np.flatnonzero((whole < 110).sum(axis=1) > 25 * dots)
    assert len(lines) > 1
    assert np.ptp(lines) == pytest.approx(32 * dots, abs=6)  # 30 cm and an allowance of 1 cm on both sides
