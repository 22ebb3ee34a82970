"""Pieces at true size on sheets of a home printer: a PDF of our own, lines and curves only.

Sheets carry a letter and number for row and column, and crosses at the corners of the drawing: cut along
them and glue edge to edge. Print at 100 %: the bar on the first sheet measures 10 cm.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np

from toile.errors import ToileError
from toile.pattern import curves
from toile.pattern.check import check_pattern
from toile.pattern.files import write_bytes
from toile.pattern.layout import Spot, lay_out
from toile.types import Floats, Pattern

SHEETS = {"a4": (0.210, 0.297), "a3": (0.297, 0.420), "a0": (0.841, 1.189), "letter": (0.2159, 0.2794)}
"""width and height [m]"""
SHEET_LIMIT = 400
_POINT = 72.0 / 0.0254  # points per metre
_MARGIN = 0.010


@dataclass(frozen=True, slots=True)
class _Grid:
    """How sheets divide the drawing."""

    columns: int
    rows: int
    width: float
    """printed width of a sheet [m]"""
    height: float


def write_pdf(pattern: Pattern, path: str | os.PathLike[str], *, sheet: str = "a4") -> None:
    """Write the pieces at true size on sheets of paper."""
    check_pattern(pattern, f"pattern '{pattern.name}'")
    write_bytes(path, to_pdf(pattern, sheet=sheet))


def to_pdf(pattern: Pattern, *, sheet: str = "a4") -> bytes:
    """Return a PDF of the pieces at true size on sheets of paper."""
    if sheet not in SHEETS:
        raise ToileError(f"sheet '{sheet[:20]}' is unknown: choose {', '.join(SHEETS)}")
    spots, width, height = lay_out(pattern, 0.03)
    grid = _grid(width, height, SHEETS[sheet])
    if grid.columns * grid.rows > SHEET_LIMIT:
        raise ToileError(
            f"{grid.columns * grid.rows} sheets of {sheet} are needed, at most {SHEET_LIMIT}: "
            "take larger paper"
        )
    drawing = "\n".join(line for spot in spots for line in _piece(spot, height))
    pages = [
        _page(drawing, grid, column, row, pattern.name)
        for row in range(grid.rows)
        for column in range(grid.columns)
    ]
    return _document(pages, SHEETS[sheet])


def _grid(width: float, height: float, paper: tuple[float, float]) -> _Grid:
    usable = paper[0] - 2 * _MARGIN, paper[1] - 2 * _MARGIN
    columns, rows = (
        max(1, math.ceil(size / step - 1e-9)) for size, step in zip((width, height), usable, strict=True)
    )
    return _Grid(columns, rows, *usable)


# ---------------------------------------------------------------------------- drawing


def _xy(point: Floats) -> str:
    return f"{float(point[0]) * _POINT:.3f} {float(point[1]) * _POINT:.3f}"


def _piece(spot: Spot, height: float) -> list[str]:
    """Return drawing commands in a frame with y up from the lower left of the whole drawing."""

    def place(points: Floats) -> Floats:
        page = spot.to_page(points)
        page[:, 1] = height - page[:, 1]
        return page

    panel = spot.panel
    rows = ["0 0 0 RG 0.8 w", f"{_xy(place(panel.vertices[panel.edges[0].start])[0])} m"]
    rows += [_edge(place(curves.edge_points(panel, i)), panel.edges[i].kind) for i in range(len(panel.edges))]
    rows.append("s")
    for notch in panel.notches:
        at, tip = place(_notch(spot, notch.edge, notch.fraction))
        rows.append(f"1.5 w {_xy(at)} m {_xy(tip)} l S 0.8 w")
    for mark in panel.marks:
        rows.append("0.5 0.5 0.5 RG 0.5 w [4 3] 0 d")
        points = place(mark.points)
        rows += [f"{_xy(points[0])} m", *[f"{_xy(point)} l" for point in points[1:]], "S [] 0 d"]
    middle = place(np.asarray(spot.low + spot.size / 2.0)[None])[0]
    way = np.array([-math.sin(panel.grain), math.cos(panel.grain)]) * 0.2 * float(spot.size.min())
    rows.append(f"0.5 0.5 0.5 RG 0.5 w {_xy(middle - way)} m {_xy(middle + way)} l S")
    rows.append(_words(panel.name, middle, 12.0))
    return rows


def _edge(points: Floats, kind: str) -> str:
    if kind == "quadratic":  # the same curve with two control points
        points = np.stack([points[0], *(points[[0, 2]] + 2.0 * points[1]) / 3.0, points[2]])
    if kind in ("quadratic", "cubic"):
        return " ".join(_xy(point) for point in points[1:]) + " c"
    if kind == "arc":
        points = curves.sample_curve("arc", points, np.linspace(0.0, 1.0, 65))
    return "\n".join(f"{_xy(point)} l" for point in points[1:])


def _notch(spot: Spot, edge: int, fraction: float) -> Floats:
    at = curves.sample_edge(spot.panel, edge, [fraction])[0]
    low, high = curves.sample_edge(spot.panel, edge, [max(fraction - 0.01, 0.0), min(fraction + 0.01, 1.0)])
    step = (high - low) / max(float(np.hypot(*(high - low))), 1e-12)
    return np.stack([at, at + 0.006 * np.array([-step[1], step[0]]) * curves.orientation(spot.panel)])


def _words(text: str, at: Floats, size: float) -> str:
    plain = "".join(c if 31 < ord(c) < 127 else "?" for c in text)[:60]
    escaped = plain.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    shift = at - np.array([len(plain) * 0.25 * size / _POINT, 0.0])
    return f"BT /F {size:g} Tf {_xy(shift)} Td ({escaped}) Tj ET"


def _page(drawing: str, grid: _Grid, column: int, row: int, name: str) -> str:
    """Return one sheet: the part of the drawing under it, clipped, with crosses and its letter."""
    width, height = grid.width * _POINT, grid.height * _POINT
    margin = _MARGIN * _POINT
    # rows count from the top
    shift = margin - column * width, margin - (grid.rows - 1 - row) * height
    label = f"{chr(65 + row % 26)}{column + 1}  {name}"
    cross = "\n".join(
        f"{x - 8:.2f} {y:.2f} m {x + 8:.2f} {y:.2f} l {x:.2f} {y - 8:.2f} m {x:.2f} {y + 8:.2f} l S"
        for x in (margin, margin + width)
        for y in (margin, margin + height)
    )
    bar = ""
    if column == row == 0:
        top = margin + height - 20.0
        bar = f"2 w {margin + 20:.2f} {top:.2f} m {margin + 20 + 0.1 * _POINT:.2f} {top:.2f} l S "
        bar += _words("10 cm", np.array([margin / _POINT + 0.12, top / _POINT - 0.001]), 10.0)
    return "\n".join(
        [
            f"q {margin:.3f} {margin:.3f} {width:.3f} {height:.3f} re W n",
            f"1 0 0 1 {shift[0]:.3f} {shift[1]:.3f} cm",
            drawing,
            "Q 0.6 0.6 0.6 RG 0.5 w",
            cross,
            "0 0 0 RG",
            bar,
            _words(label, np.array([margin / _POINT + 0.03, 0.004]), 8.0),
        ]
    )


# ---------------------------------------------------------------------------- file


def _document(pages: list[str], paper: tuple[float, float]) -> bytes:
    """Return a PDF 1.4 file: catalogue, page tree, one font, a page and its stream each."""
    size = f"[0 0 {paper[0] * _POINT:.2f} {paper[1] * _POINT:.2f}]"
    kids = " ".join(f"{4 + 2 * k} 0 R" for k in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} /MediaBox {size} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for k, content in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 3 0 R >> >> /Contents {5 + 2 * k} 0 R >>"
        )
        objects.append(f"<< /Length {len(content.encode('ascii'))} >>\nstream\n{content}\nendstream")
    body = bytearray(b"%PDF-1.4\n")
    places = []
    for number, text in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n".encode("ascii")
    start = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode("ascii")
    body += "".join(f"{place:010d} 00000 n \n" for place in places).encode("ascii")
    body += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode(
        "ascii"
    )
    return bytes(body)
