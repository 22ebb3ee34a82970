"""Writing DXF-AAMA for the cutting room: one block per piece, millimetres, R12 tags.

Each edge is an open polyline on the boundary layer, head to tail as Gerber writes it: corners survive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from toile.core.records import Floats, Mark, Panel, Pattern
from toile.pattern.drawing.layout import lay_out
from toile.pattern.model import curves

_TOLERANCE = 3e-6  # a curve is within this of its polyline [m]
_MM = 1000.0
_MARK_LAYER = {"internal": 8, "guide": 8, "fold": 8, "cutout": 11, "sew": 14, "cut": 1, "drill": 13}


def to_dxf(pattern: Pattern) -> str:
    """Return the pieces as DXF-AAMA text; seams and placements need a seam file beside it."""
    names = _block_names(pattern)
    rows: list[str] = []
    _section(rows, "HEADER", [(9, "$ACADVER"), (1, "AC1009"), (9, "$INSUNITS"), (70, 4)])
    _section(rows, "TABLES", _layers())
    blocks = [tag for panel in pattern.panels for tag in _block(panel, names[panel.name], pattern.size)]
    _section(rows, "BLOCKS", blocks)
    spots, _, _ = lay_out(pattern, 0.05)
    inserts: list[tuple[int, object]] = [(0, "TEXT"), *_text_tags("Style Name: " + pattern.name, 0.0, -20.0)]
    inserts += [(0, "TEXT"), *_text_tags("Product: Toile", 0.0, -32.0)]
    for spot in spots:
        at = np.array([spot.x, -spot.y - spot.size[1]]) - spot.low
        inserts += [(0, "INSERT"), (8, "1"), (2, names[spot.panel.name]), *_xy(at * _MM)]
    _section(rows, "ENTITIES", inserts)
    return "".join([*rows, "  0\nEOF\n"])


def _section(rows: list[str], name: str, tags: Iterable[tuple[int, object]]) -> None:
    for code, value in [(0, "SECTION"), (2, name), *tags, (0, "ENDSEC")]:
        rows.append(f"{code:3d}\n{_value(value)}\n")


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    return "".join(c if ord(c) < 128 else f"\\U+{ord(c):04X}" for c in str(value) if ord(c) < 0x10000)


def _layers() -> list[tuple[int, object]]:
    used = (0, 1, 2, 3, 4, 6, 7, 8, 11, 13, 14, 15)
    tags: list[tuple[int, object]] = [(0, "TABLE"), (2, "LAYER"), (70, len(used))]
    for layer in used:
        tags += [(0, "LAYER"), (2, str(layer)), (70, 0), (62, 7), (6, "CONTINUOUS")]
    return [*tags, (0, "ENDTAB")]


def _block_names(pattern: Pattern) -> dict[str, str]:
    """Return a plain, unique block name per panel; the true name stands inside the block."""
    names: dict[str, str] = {}
    for number, panel in enumerate(pattern.panels):
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in panel.name)[:31]
        names[panel.name] = (
            plain.upper() if plain.upper() not in names.values() else f"P{number}_{plain.upper()}"[:31]
        )
    return names


def _block(panel: Panel, name: str, size: str) -> list[tuple[int, object]]:
    tags: list[tuple[int, object]] = [
        (0, "BLOCK"),
        (8, "1"),
        (2, name),
        (70, 0),
        *_xy(np.zeros(2)),
        (3, name),
    ]
    low = panel.vertices.min(axis=0) * _MM
    lines = [f"Piece Name: {panel.name}", f"Size: {size}", "Quantity: 1", "Units: METRIC"]
    if panel.label:
        lines.append(f"Annotation: {panel.label}")
    for row, line in enumerate(lines):
        tags += [(0, "TEXT"), *_text_tags(line, float(low[0]), float(low[1]) - 12.0 * (row + 1))]
    cut = [mark for mark in panel.marks if mark.kind == "cut"]
    boundary = 14 if cut else 1
    for index in range(len(panel.edges)):
        tags += _polyline(curves.flatten_edge(panel, index, _TOLERANCE), boundary)
    tags += _points(panel)
    for notch in panel.notches:
        at = curves.sample_edge(panel, notch.edge, [notch.fraction])[0]
        tags += [(0, "POINT"), (8, "4"), *_xy(at * _MM)]
    tags += _grain(panel)
    for mark in panel.marks:
        tags += _mark(mark)
    return [*tags, (0, "ENDBLK"), (8, "1")]


def _points(panel: Panel) -> list[tuple[int, object]]:
    """Return turn points at the corners and curve points along curved edges."""
    tags: list[tuple[int, object]] = []
    for index, edge in enumerate(panel.edges):
        tags += [(0, "POINT"), (8, "2"), *_xy(panel.vertices[edge.start] * _MM)]
        if edge.kind != "line":
            for at in curves.flatten_edge(panel, index, _TOLERANCE)[1:-1]:
                tags += [(0, "POINT"), (8, "3"), *_xy(at * _MM)]
    return tags


def _polyline(points: Floats, layer: int) -> list[tuple[int, object]]:
    tags: list[tuple[int, object]] = [(0, "POLYLINE"), (8, str(layer)), (66, 1), *_xy(np.zeros(2)), (70, 0)]
    for point in points:
        tags += [(0, "VERTEX"), (8, str(layer)), *_xy(point * _MM)]
    return [*tags, (0, "SEQEND"), (8, str(layer))]


def _mark(mark: Mark) -> list[tuple[int, object]]:
    layer = _MARK_LAYER[mark.kind]
    if mark.kind == "drill" or len(mark.points) == 1:
        return [tag for point in mark.points for tag in [(0, "POINT"), (8, "13"), *_xy(point * _MM)]]
    return _polyline(mark.points, layer)


def _grain(panel: Panel) -> list[tuple[int, object]]:
    low, high = panel.vertices.min(axis=0), panel.vertices.max(axis=0)
    direction = np.array([-math.sin(panel.grain), math.cos(panel.grain)]) * 0.3 * float(np.max(high - low))
    middle = (low + high) / 2.0
    ends = (middle - direction) * _MM, (middle + direction) * _MM
    return [(0, "LINE"), (8, "7"), *_xy(ends[0]), (11, float(ends[1][0])), (21, float(ends[1][1])), (31, 0.0)]


def _text_tags(text: str, x: float, y: float) -> list[tuple[int, object]]:
    return [(8, "1"), *_xy(np.array([x, y])), (40, 8.0), (1, text)]


def _xy(point: Floats) -> list[tuple[int, object]]:
    return [(10, float(point[0])), (20, float(point[1])), (30, 0.0)]
