"""Pieces at true size on sheets of a home printer: a PDF of our own, lines and curves only.

The first sheet is the plan: which sheet goes where, and a square of 10 cm to measure after printing at 100 %.
The others carry a letter and number for row and column, crosses at the corners of the drawing and, in the
middle of each border, half a diamond that names the sheets that meet there: cut along the border and glue
edge to edge. Sheets without a piece are left out.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace

import numpy as np
import shapely

from toile.core.errors import ToileError
from toile.core.records import Floats, Pattern
from toile.io.untrusted_files import write_bytes
from toile.pattern.drawing.layout import Spot, lay_out
from toile.pattern.model import curves
from toile.pattern.model.check import check_pattern

SHEETS = {"a4": (0.210, 0.297), "a3": (0.297, 0.420), "a0": (0.841, 1.189), "letter": (0.2159, 0.2794)}
"""width and height [m]"""
SHEET_LIMIT = 400
_POINT = 72.0 / 0.0254  # points per metre
_MARGIN = 0.010
_INSET = 0.003  # lines at the outer border are printed whole


@dataclass(frozen=True, slots=True)
class _Grid:
    """How sheets divide the drawing."""

    columns: int
    rows: int
    width: float
    """printed width of a sheet [m]"""
    height: float
    """printed height of a sheet [m]"""

    def tile(self, row: int, column: int) -> shapely.Polygon:
        """Return the part of the drawing on a sheet; rows count from the top [m]."""
        x, y = column * self.width, (self.rows - 1 - row) * self.height
        return shapely.box(x, y, x + self.width, y + self.height)


def write_pdf(pattern: Pattern, path: str | os.PathLike[str], *, sheet: str = "a4") -> int:
    """Write the pieces at true size on sheets of paper; return how many sheets, the plan included."""
    check_pattern(pattern, f"pattern '{pattern.name}'")
    data = to_pdf(pattern, sheet=sheet)
    write_bytes(path, data)
    return data.count(b"/Type /Page ")


def to_pdf(pattern: Pattern, *, sheet: str = "a4") -> bytes:
    """Return a PDF of the pieces at true size on sheets of paper."""
    if sheet not in SHEETS:
        raise ToileError(f"sheet '{sheet[:20]}' is unknown: choose {', '.join(SHEETS)}")
    spots, width, height = lay_out(pattern, 0.03)
    spots = [replace(spot, x=spot.x + _INSET, y=spot.y + _INSET) for spot in spots]
    grid = _grid(width + 2 * _INSET, height + 2 * _INSET, SHEETS[sheet])
    if grid.columns * grid.rows > SHEET_LIMIT:
        raise ToileError(
            f"{grid.columns * grid.rows} sheets of {sheet} are needed, at most {SHEET_LIMIT}: "
            "take larger paper"
        )
    top = grid.rows * grid.height  # the first row of sheets is full
    drawings = [(_shape(spot, top), "\n".join(_piece(spot, top))) for spot in spots]
    tiles = [(row, column) for row in range(grid.rows) for column in range(grid.columns)]
    used = [t for t in tiles if any(shape.intersects(grid.tile(*t)) for shape, _ in drawings)]
    plan = _plan(drawings, grid, used, pattern.name, SHEETS[sheet])
    pages = [_page(drawings, grid, tile, used, pattern.name) for tile in used]
    return _document([plan, *pages], SHEETS[sheet])


def _shape(spot: Spot, height: float) -> shapely.Polygon:
    """Return the room that a piece takes, in the frame of the whole drawing."""
    cut = [mark.points for mark in spot.panel.marks if mark.kind == "cut"]
    ring = spot.to_page(cut[0] if cut else curves.outline(spot.panel)) * [1.0, -1.0] + [0.0, height]
    return shapely.Polygon(ring).buffer(0.007)  # a notch reaches 6 mm


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
    allowance = any(mark.kind == "cut" for mark in panel.marks)
    pen = "0.4 0.4 0.4 RG 0.5 w [6 3] 0 d" if allowance else "0 0 0 RG 0.8 w"
    rows = [pen, f"{_xy(place(panel.vertices[panel.edges[0].start])[0])} m"]
    rows += [_edge(place(curves.edge_points(panel, i)), panel.edges[i].kind) for i in range(len(panel.edges))]
    rows.append("s [] 0 d 0 0 0 RG 0.8 w")
    for notch in panel.notches:
        at, tip = place(_notch(spot, notch.edge, notch.fraction))
        rows.append(f"1.5 w {_xy(at)} m {_xy(tip)} l S 0.8 w")
    for mark in panel.marks:
        rows.append("0 0 0 RG 0.8 w" if mark.kind == "cut" else "0.5 0.5 0.5 RG 0.5 w [4 3] 0 d")
        points = place(mark.points)
        rows += [f"{_xy(points[0])} m", *[f"{_xy(point)} l" for point in points[1:]], "S [] 0 d"]
    middle = place(np.asarray(spot.low + spot.size / 2.0)[None])[0]
    direction = np.array([-math.sin(panel.grain), math.cos(panel.grain)]) * 0.2 * float(spot.size.min())
    rows.append(f"0.5 0.5 0.5 RG 0.5 w {_xy(middle - direction)} m {_xy(middle + direction)} l S")
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


def _label(tile: tuple[int, int]) -> str:
    row, column = tile
    return f"{chr(65 + row % 26) * (1 + row // 26)}{column + 1}"


def _page(
    drawings: list[tuple[shapely.Polygon, str]],
    grid: _Grid,
    tile: tuple[int, int],
    used: list[tuple[int, int]],
    name: str,
) -> str:
    """Return one sheet: the part of the drawing under it, clipped, with crosses, diamonds and its letter."""
    row, column = tile
    width, height = grid.width * _POINT, grid.height * _POINT
    margin = _MARGIN * _POINT
    shift = margin - column * width, margin - (grid.rows - 1 - row) * height
    here = grid.tile(row, column)
    cross = "\n".join(
        f"{x - 8:.2f} {y:.2f} m {x + 8:.2f} {y:.2f} l {x:.2f} {y - 8:.2f} m {x:.2f} {y + 8:.2f} l S"
        for x in (margin, margin + width)
        for y in (margin, margin + height)
    )
    return "\n".join(
        [
            f"q {margin:.3f} {margin:.3f} {width:.3f} {height:.3f} re W n",
            f"1 0 0 1 {shift[0]:.3f} {shift[1]:.3f} cm",
            *[drawing for shape, drawing in drawings if shape.intersects(here)],
            "Q 0.6 0.6 0.6 RG 0.5 w",
            f"{margin:.3f} {margin:.3f} {width:.3f} {height:.3f} re S",
            cross,
            *_diamonds(tile, used, width, height),
            "0 0 0 RG",
            _words(f"{_label(tile)}  {name}", np.array([_MARGIN + 0.03, 0.004]), 8.0),
        ]
    )


def _diamonds(tile: tuple[int, int], used: list[tuple[int, int]], width: float, height: float) -> list[str]:
    """Return half a diamond at each border where a neighbour is glued on, with the names of both sheets."""
    margin, size = _MARGIN * _POINT, 12.0
    rows = []
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        other = tile[0] + down, tile[1] + right
        if other not in used:
            continue
        x = margin + width * (0.5 + 0.5 * right)
        y = margin + height * (0.5 - 0.5 * down)
        along = (0.0, size) if right else (size, 0.0)
        tip = x - size * right, y + size * down
        ends = (x - along[0], y - along[1]), (x + along[0], y + along[1])
        corners = zip((ends[0], tip, ends[1]), "mll", strict=True)
        points = " ".join(f"{p[0]:.2f} {p[1]:.2f} {pen}" for p, pen in corners)
        names = "-".join(sorted((_label(tile), _label(other))))
        at = np.array([x - (size + 12.0) * right, y + (size + 6.0) * down - 2.0]) / _POINT
        rows += [f"{points} S", _words(names, at, 6.0)]
    return rows


def _plan(
    drawings: list[tuple[shapely.Polygon, str]],
    grid: _Grid,
    used: list[tuple[int, int]],
    name: str,
    paper: tuple[float, float],
) -> str:
    """Return the first sheet: a square to measure, and all sheets small with their letters."""
    top = paper[1] - _MARGIN - 0.012
    square = np.array([_MARGIN + 0.005, top - 0.008 - 0.1])
    space = paper[0] - 2 * _MARGIN, square[1] - 0.012 - _MARGIN
    scale = min(space[0] / (grid.columns * grid.width), space[1] / (grid.rows * grid.height), 0.5)
    rows = [
        "0 0 0 RG 0.8 w",
        _words(f"{name}: {len(used)} sheets", np.array([_MARGIN + 0.05, top]), 12.0),
        f"{_xy(square)} {0.1 * _POINT:.3f} {0.1 * _POINT:.3f} re S",
        _words("this square is 10 cm wide:", square + np.array([0.05, 0.055]), 9.0),
        _words("print at 100 %, do not scale", square + np.array([0.05, 0.045]), 9.0),
        f"q {scale:.5f} 0 0 {scale:.5f} {_MARGIN * _POINT:.3f} {_MARGIN * _POINT:.3f} cm",
        *[drawing for _, drawing in drawings],
        "Q 0.6 0.6 0.6 RG 0.5 w",
    ]
    for tile in used:
        x, y, right, up = (float(v) * scale + _MARGIN for v in grid.tile(*tile).bounds)
        corner = _xy(np.array([x, y]))
        rows.append(f"{corner} {(right - x) * _POINT:.3f} {(up - y) * _POINT:.3f} re S")
        rows.append(_words(_label(tile), np.array([x + 0.006, up - 0.005]), 8.0))
    return "\n".join(rows)


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
