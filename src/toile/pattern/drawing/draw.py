"""The pieces drawn flat, with names, sizes, grain and seams: one number and colour on both sides."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import shapely

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Floats, Pattern
from toile.io.untrusted_files import write_bytes
from toile.pattern.drawing.canvas import Canvas, Disc, Line, Words, text_width, to_png, to_svg
from toile.pattern.drawing.colours import panel_colour, seam_colour
from toile.pattern.drawing.layout import Spot, lay_out
from toile.pattern.model import curves
from toile.pattern.model.lengths import panel_size

_INK, _GREY = "#2b2a28", "#77736c"
_PAGE = 1500.0  # width of the pieces on the page [px]
_MARGIN, _TITLE = 60.0, 74.0
_RADIUS = 12.0
_NAME = 19.0
_MARK_DASH = {
    "internal": None,
    "guide": (1.5, 3.0),
    "fold": (10.0, 5.0),
    "cutout": None,
    "sew": (3.0, 4.0),
    "drill": None,
    "cut": (2.0, 5.0),
}


def draw_pattern(
    pattern: Pattern,
    path: str | os.PathLike[str],
    *,
    subtitle: str = "",
    unsure: Collection[int] = (),
    numbers: bool = False,
) -> None:
    """Write a drawing of the pieces as .svg or .png; seams at the places in ``unsure`` are dashed.

    ``numbers``: with the number of each edge and the origin of each piece.
    """
    ending = Path(path).suffix.lower()
    if ending not in (".svg", ".png"):
        raise ToileError(f"{Path(path).name}: drawings are written as .svg or .png: change the ending")
    canvas = sketch(pattern, subtitle=subtitle, unsure=unsure, numbers=numbers)
    write_bytes(path, to_png(canvas) if ending == ".png" else to_svg(canvas).encode("utf-8"))


def sketch(
    pattern: Pattern, *, subtitle: str = "", unsure: Collection[int] = (), numbers: bool = False
) -> Canvas:
    """Return the drawing of a pattern's pieces."""
    first = lay_out(pattern, 0.05)
    scale = _PAGE / max(first[1], 0.6 * first[2], 0.3)
    spots, width, height = lay_out(pattern, 72.0 / scale)
    canvas = Canvas(max(width * scale, 700.0) + 2 * _MARGIN, height * scale + 2 * _MARGIN + _TITLE + 40.0)
    shift = np.array([(canvas.width - width * scale) / 2.0, _MARGIN + _TITLE])
    _title(canvas, pattern, subtitle)
    pens = [_Pen(spot, scale, shift) for spot in spots]
    for index, pen in enumerate(pens):
        _piece(canvas, pen, index)
    _holds(canvas, pattern, pens)
    for pen in pens if numbers else ():
        _edge_numbers(canvas, pen)
    _seams(canvas, pattern, pens, unsure)
    for pen in pens:
        _names(canvas, pen)
    _scale_bar(canvas, scale)
    return canvas


class _Pen:
    """Draws in the coordinates of one panel."""

    def __init__(self, spot: Spot, scale: float, shift: Floats) -> None:
        self.spot, self.panel, self.scale, self.shift = spot, spot.panel, scale, shift
        self.ring = self(curves.outline(spot.panel, 2e-4))
        self.shape = shapely.Polygon(self.ring)
        self.taken: list[tuple[float, float, float]] = []

    def __call__(self, points: Floats) -> Floats:
        return self.spot.to_page(points) * self.scale + self.shift

    def along(self, edge: int, fraction: float) -> tuple[Floats, Floats]:
        """Return a place on an edge and the unit vector into the cloth there [px]."""
        ends = [min(max(fraction + d, 0.0), 1.0) for d in (-0.01, 0.01)]
        low, at, high = self(curves.sample_edge(self.panel, edge, [ends[0], fraction, ends[1]]))
        step = (high - low) / max(float(np.hypot(*(high - low))), 1e-12)
        inward = np.array([step[1], -step[0]]) * curves.orientation(self.panel)
        return at, inward

    def free(self, at: Floats, radius: float) -> bool:
        """Return whether nothing has been drawn there yet."""
        return all(math.hypot(at[0] - x, at[1] - y) > radius + r for x, y, r in self.taken)


# ---------------------------------------------------------------------------- parts


def _title(canvas: Canvas, pattern: Pattern, subtitle: str) -> None:
    count = f"{len(pattern.panels)} pieces · {len(pattern.seams)} seams"
    canvas.shapes.append(Words(_MARGIN, 52.0, pattern.name, 34.0, _INK, bold=True, anchor="start"))
    canvas.shapes.append(Words(_MARGIN, 86.0, subtitle or count, 18.0, _GREY, anchor="start"))


def _piece(canvas: Canvas, pen: _Pen, index: int) -> None:
    canvas.shapes.append(Line(pen.ring + np.array([3.0, 4.0]), fill="#e9e4da", closed=True))
    canvas.shapes.append(Line(pen.ring, _INK, 1.6, panel_colour(index), closed=True))
    for mark in pen.panel.marks:
        points = pen(mark.points)
        if len(points) == 1 or mark.kind == "drill":
            canvas.shapes += [Disc(float(x), float(y), 3.0, _GREY) for x, y in points]
        else:
            fill = canvas.background if mark.kind == "cutout" else ""
            dash = _MARK_DASH[mark.kind]
            canvas.shapes.append(Line(points, _GREY, 1.4, fill, mark.kind == "cutout", dash))
    for notch in pen.panel.notches:
        at, inward = pen.along(notch.edge, notch.fraction)
        side = np.array([inward[1], -inward[0]])
        canvas.shapes.append(
            Line(np.array([at + 4 * side, at + 9 * inward, at - 4 * side]), fill=_INK, closed=True)
        )


def _edge_line(pen: _Pen, edge: int) -> Floats:
    return pen(curves.flatten_edge(pen.panel, edge, 2e-4))


def _holds(canvas: Canvas, pattern: Pattern, pens: list[_Pen]) -> None:
    by_name = {pen.panel.name: pen for pen in pens}
    for hold in pattern.holds:
        pen = by_name[hold.edge.panel]
        length = curves.edge_length(pen.panel, hold.edge.edge) * pen.scale
        count = max(2, int(length / 14.0))
        for fraction in (np.arange(count) + 0.5) / count:
            at, inward = pen.along(hold.edge.edge, float(fraction))
            lean = np.array([inward[1], -inward[0]]) * (4.0 if hold.kind == "pin" else 0.0)
            canvas.shapes.append(Line(np.array([at, at - 9.0 * inward + lean]), _GREY, 1.6))


def _seams(canvas: Canvas, pattern: Pattern, pens: list[_Pen], unsure: Collection[int]) -> None:
    by_name = {pen.panel.name: pen for pen in pens}
    badges = []
    for index, seam in enumerate(pattern.seams):
        badges += [(*_longest(by_name, run), index) for side in (seam.a, seam.b) for run in _runs(side)]
        for ref in (*seam.a, *seam.b):
            pen = by_name[ref.panel]
            dash = (9.0, 9.0) if index in unsure else None
            canvas.shapes.append(Line(_edge_line(pen, ref.edge), seam_colour(index), 5.0, dash=dash))
    # long edges first: they have one good place, short ones are moved aside
    for length, pen, ref, index in sorted(badges, key=lambda badge: -badge[0]):
        _badge(canvas, pen, ref, index)
        if length * pen.scale > 7.0 * _RADIUS:
            _arrow(canvas, pen, ref, seam_colour(index))


def _runs(side: Sequence[EdgeRef]) -> list[list[EdgeRef]]:
    """Return the edges of one side of a seam, those of one piece together: each run gets one number."""
    runs: list[list[EdgeRef]] = []
    for ref in side:
        if runs and runs[-1][-1].panel == ref.panel:
            runs[-1].append(ref)
        else:
            runs.append([ref])
    return runs


def _longest(pens: Mapping[str, _Pen], run: Sequence[EdgeRef]) -> tuple[float, _Pen, EdgeRef]:
    pen = pens[run[0].panel]
    lengths = [curves.edge_length(pen.panel, ref.edge) for ref in run]
    return max(lengths), pen, run[int(np.argmax(lengths))]


def _edge_numbers(canvas: Canvas, pen: _Pen) -> None:
    """Write the number, and the name, of each edge beside it, and mark where the piece's 0 0 lies.

    By these a person writes seams for a file that has none: PIECE.3 is edge 3 of that piece.
    """
    for edge in range(len(pen.panel.edges)):
        at, inward = pen.along(edge, 0.5)
        name = pen.panel.edges[edge].name
        short = curves.edge_length(pen.panel, edge) * pen.scale < 14.0
        if not name and short and len(pen.panel.edges) > 40:
            continue
        spot = at - (14.0 if not name else 16.0) * inward
        text = f"{edge} {name}" if name else str(edge)
        canvas.shapes.append(Words(float(spot[0]), float(spot[1]), text, 11.0, _GREY))
    x, y = (float(v) for v in pen(np.zeros((1, 2)))[0])
    low, high = pen.ring.min(axis=0) - 30.0, pen.ring.max(axis=0) + 30.0
    if low[0] <= x <= high[0] and low[1] <= y <= high[1]:
        canvas.shapes.append(Line(np.array([[x, y - 16.0], [x, y], [x + 16.0, y]]), _GREY, 1.2))
        canvas.shapes.append(Words(x + 9.0, y - 9.0, "0 0", 10.0, _GREY))


def _badge(canvas: Canvas, pen: _Pen, ref: EdgeRef, index: int) -> None:
    """Put the seam's number on its edge, or beside it with a leader where there is no room."""
    at, spot = _badge_place(pen, ref.edge)
    pen.taken.append((float(spot[0]), float(spot[1]), _RADIUS))
    if math.hypot(*(spot - at)) > 0.5 * _RADIUS:
        canvas.shapes.append(Line(np.array([at, spot]), seam_colour(index), 1.6))
    x, y = float(spot[0]), float(spot[1])
    canvas.shapes.append(Disc(x, y, _RADIUS, seam_colour(index), "#ffffff", 1.5))
    text = str(index + 1)
    size = 15.0 if len(text) < 3 else 11.0
    canvas.shapes.append(Words(x, y, text, size, "#ffffff", bold=True))


def _badge_place(pen: _Pen, edge: int) -> tuple[Floats, Floats]:
    for distance in (0.0, 2.2, -2.2, 3.6, -3.6, 5.0, -5.0):
        for fraction in (0.5, 0.38, 0.62, 0.27, 0.73):
            at, inward = pen.along(edge, fraction)
            spot = at + distance * _RADIUS * inward
            if pen.free(spot, _RADIUS + 2.0):
                return at, spot
    at, inward = pen.along(edge, 0.5)
    return at, at


def _arrow(canvas: Canvas, pen: _Pen, ref: EdgeRef, colour: str) -> None:
    """Draw an arrow head on the cloth in the direction in which the seam runs."""
    fraction = 0.78
    at, inward = pen.along(ref.edge, 1.0 - fraction if ref.reversed else fraction)
    step = np.array([-inward[1], inward[0]]) * curves.orientation(pen.panel)
    step = -step if ref.reversed else step
    tip, back = at + 9.0 * step, at - 6.0 * step
    canvas.shapes.append(
        Line(np.array([tip, back + 7.5 * inward, back - 7.5 * inward]), "#ffffff", 1.0, colour, closed=True)
    )


def _names(canvas: Canvas, pen: _Pen) -> None:
    """Write name and size where they fit inside, else under the piece, and the grain arrow beside."""
    width, height = (f"{v * 100:.1f}" for v in panel_size(pen.panel))
    name, size = pen.panel.name, f"{width} × {height} cm"
    middle = shapely.maximum_inscribed_circle(pen.shape, tolerance=2.0)
    x, y = (float(v) for v in shapely.get_coordinates(middle)[0])
    space = float(shapely.length(middle)) - 2.0 * _RADIUS
    half = max(text_width(name, _NAME), text_width(size, 15.0)) / 2.0 + 6.0
    block = shapely.box(x - half, y - 22.0, x + half, y + 24.0)
    if not (space > 22.0 and pen.shape.contains(block)):
        low, high = pen.ring.min(axis=0), pen.ring.max(axis=0)
        x, y = float(low[0] + high[0]) / 2.0, float(high[1]) + 24.0
        space = float(high[0] - low[0]) + 60.0
        canvas.shapes.append(Words(x, y, name, min(15.0, 15.0 * space / text_width(name, 15.0)), _INK))
        canvas.shapes.append(Words(x, y + 17.0, size, 13.0, _GREY))
        return
    canvas.shapes.append(Words(x, y - 8.0, name, _NAME, _INK, bold=True))
    canvas.shapes.append(Words(x, y + 14.0, size, 15.0, _GREY))
    _grain(canvas, pen, x, y, half)


def _grain(canvas: Canvas, pen: _Pen, x: float, y: float, half: float) -> None:
    """Draw a double arrow along the warp, beside the name where the piece is wide enough, else under it."""
    length = 64.0
    up = np.array([-math.sin(pen.panel.grain), -math.cos(pen.panel.grain)])
    for dx, dy in ((half + 14.0, 0.0), (-half - 14.0, 0.0), (0.0, 74.0), (0.0, -70.0)):
        middle = np.array([x + dx, y + dy])
        ends = np.array([middle - up * length / 2.0, middle + up * length / 2.0])
        line = shapely.LineString(ends).buffer(10.0)
        if pen.shape.contains(line) and all(
            line.distance(shapely.Point(cx, cy)) > r for cx, cy, r in pen.taken
        ):
            canvas.shapes.append(Line(ends, _GREY, 1.5))
            side = np.array([up[1], -up[0]])
            for tip, direction in ((ends[1], up), (ends[0], -up)):
                head = np.array(
                    [
                        tip + 3.0 * direction,
                        tip - 8.0 * direction + 4.0 * side,
                        tip - 8.0 * direction - 4.0 * side,
                    ]
                )
                canvas.shapes.append(Line(head, fill=_GREY, closed=True))
            return


def _scale_bar(canvas: Canvas, scale: float) -> None:
    """Draw ten centimetres, black and white."""
    step = 0.02 * scale
    x, y = _MARGIN, canvas.height - 44.0
    for k in range(5):
        corners = np.array([[0.0, 0.0], [step, 0.0], [step, 8.0], [0.0, 8.0]]) + np.array([x + k * step, y])
        fill = _INK if k % 2 == 0 else "#ffffff"
        canvas.shapes.append(Line(corners, _INK, 1.0, fill, closed=True))
    canvas.shapes.append(Words(x + 5 * step + 12.0, y + 4.0, "10 cm", 16.0, _GREY, anchor="start"))
