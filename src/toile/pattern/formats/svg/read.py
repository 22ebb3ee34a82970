"""SVG outlines: our own drawings, FreeSewing's, and whatever closed paths a drawing program made.

Nothing outside the file is ever opened: entities are refused, references are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Mark, Pattern
from toile.pattern.formats.svg.paths import is_similarity, matrix_of, numbers, subpaths, transformed
from toile.pattern.pieces import panels as pieces
from toile.pattern.pieces.loops import Loop, pieces_from_loops
from toile.pattern.pieces.panels import Curve, Piece

DEPTH = 100
ELEMENT_LIMIT = 100_000
SHAPE_LIMIT = 5_000
_SKIPPED = frozenset(
    {
        "defs", "symbol", "marker", "clipPath", "mask", "pattern", "linearGradient", "radialGradient",
        "style", "metadata", "script", "title", "desc",
    }
)  # fmt: skip
_PIXEL = 0.0254 / 96.0
_UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "pt": 0.0254 / 72, "pc": 0.0254 / 6, "px": _PIXEL}
_LENGTH = re.compile(r"\s*([-+0-9.eE]+)\s*([a-z]*)\s*$")
_CUT = re.compile(r"cut\W{0,3}(\d)", re.IGNORECASE)


@dataclass(slots=True)
class Shape:
    """One element that draws a line."""

    curves: list[Curve]
    """in user units of the document, y down"""
    closed: bool
    attributes: dict[str, str]
    groups: tuple[dict[str, str], ...]
    """attributes of the enclosing elements, outermost first"""


@dataclass(slots=True)
class Document:
    """What an SVG file draws."""

    root: dict[str, str] = field(default_factory=dict)
    shapes: list[Shape] = field(default_factory=list)
    words: list[tuple[str, tuple[dict[str, str], ...]]] = field(default_factory=list)
    stamps: list[tuple[str, Floats, tuple[dict[str, str], ...]]] = field(default_factory=list)
    """reused symbols: name, place, enclosing elements"""


def parse(data: bytes, name: str, source: str, *, units: str = "") -> Pattern:
    """Return the pieces of an SVG file; ``units`` overrides the size of a user unit (mm, cm, in, m)."""
    document = read_document(data, source)
    notes: list[str] = []
    scale = _scale(document, units, notes)
    flip = np.diag([scale, -scale, 1.0])
    if "data-toile" in document.root:
        found = _own_pieces(document, flip)
    elif any(key == "freesewing" for key in document.root):
        found = _freesewing_pieces(document, flip)
    else:
        found = _any_pieces(document, flip, notes)
    if not found:
        raise ToileError(f"{source}: no closed path is large enough to be a piece")
    return Pattern(name, pieces.panels_from_pieces(found), notes=tuple(notes))


# ---------------------------------------------------------------------------- XML


def read_document(data: bytes, source: str) -> Document:
    """Return the shapes of an SVG file; entities, depth and size are capped."""
    reader = _Reader(source)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = reader.entity
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ToileError(
            f"{source}, line {error.lineno}: not valid XML: {expat.ErrorString(error.code)}"
        ) from error
    if not reader.document.root and not reader.document.shapes:
        raise ToileError(f"{source}: not an SVG file")
    return reader.document


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.document = Document()
        self.stack: list[tuple[dict[str, str], Floats]] = []
        self.skipped = 0
        self.count = 0
        self.words: list[str] = []

    def entity(self, *_: object) -> None:
        raise ToileError(f"{self.source}: defines XML entities: save it as plain SVG")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        self.count += 1
        if self.count > ELEMENT_LIMIT:
            raise ToileError(f"{self.source}: more than {ELEMENT_LIMIT} elements, too many for a pattern")
        if len(self.stack) + self.skipped >= DEPTH:
            raise ToileError(f"{self.source}: nested deeper than {DEPTH} levels, not a pattern")
        if not self.stack and tag != "svg":
            raise ToileError(f"{self.source}: the outermost element is <{tag[:20]}>, not <svg>")
        if self.skipped or tag in _SKIPPED or _is_hidden(attributes):
            self.skipped += 1
            return
        try:
            self._open(tag, attributes)
        except ToileError as error:
            name = attributes.get("id", "")[:40]
            raise ToileError(f"{self.source}: <{tag[:20]}> '{name}': {error}") from None

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        before = self.stack[-1][1] if self.stack else np.eye(3)
        matrix = before @ matrix_of(attributes.get("transform", ""))
        if not np.isfinite(matrix).all() or np.abs(matrix).max() > 1e9:
            raise ToileError("the transform is not usable")
        groups = tuple(entry[0] for entry in self.stack)
        self.stack.append((attributes, matrix))
        if not groups:
            self.document.root = attributes
        elif tag == "use":
            reference = next((v for k, v in attributes.items() if k.rpartition(":")[2] == "href"), "")
            at = numbers(f"{attributes.get('x', '0')} {attributes.get('y', '0')}")
            place = matrix[:2, :2] @ np.array([*at, 0.0, 0.0])[:2] + matrix[:2, 2]
            self.document.stamps.append((reference.lstrip("#"), place, groups))
        elif tag in _SHAPES:
            for curves, closed in _SHAPES[tag](attributes, is_similarity(matrix)):
                moved = [transformed(curve, matrix) for curve in curves]
                self.document.shapes.append(Shape(moved, closed, attributes, groups))
            if len(self.document.shapes) > SHAPE_LIMIT:
                raise ToileError(f"more than {SHAPE_LIMIT} lines, too many for a pattern")

    def text(self, data: str) -> None:
        if not self.skipped and data.strip():
            self.document.words.append((data.strip()[:200], tuple(entry[0] for entry in self.stack)))

    def end(self, tag: str) -> None:
        if self.skipped:
            self.skipped -= 1
        else:
            self.stack.pop()


def _is_hidden(attributes: dict[str, str]) -> bool:
    style = attributes.get("style", "").replace(" ", "")
    return (
        attributes.get("display") == "none"
        or "display:none" in style
        or "visibility:hidden" in style
        or "hidden" in attributes.get("class", "").split()
    )


def _path(attributes: dict[str, str], circles: bool) -> list[tuple[list[Curve], bool]]:
    return subpaths(attributes.get("d", ""), circles=circles)


def _poly(attributes: dict[str, str], _: bool) -> list[tuple[list[Curve], bool]]:
    values = numbers(attributes.get("points", ""))
    data = "M " + " ".join(map(repr, values[: len(values) // 2 * 2]))
    return subpaths(data) if len(values) >= 4 else []


def _polygon(attributes: dict[str, str], circles: bool) -> list[tuple[list[Curve], bool]]:
    values = numbers(attributes.get("points", ""))
    return (
        subpaths("M " + " ".join(map(repr, values[: len(values) // 2 * 2])) + " Z")
        if len(values) >= 6
        else []
    )


def _value(attributes: dict[str, str], key: str) -> float:
    return (numbers(attributes.get(key, "0")) or [0.0])[0]


def _line(attributes: dict[str, str], _: bool) -> list[tuple[list[Curve], bool]]:
    a, b, c, d = (_value(attributes, key) for key in ("x1", "y1", "x2", "y2"))
    return subpaths(f"M {a!r} {b!r} L {c!r} {d!r}")


def _rect(attributes: dict[str, str], _: bool) -> list[tuple[list[Curve], bool]]:
    x, y, w, h = (_value(attributes, key) for key in ("x", "y", "width", "height"))
    return subpaths(f"M {x!r} {y!r} h {w!r} v {h!r} h {-w!r} Z") if w > 0 and h > 0 else []


def _oval(attributes: dict[str, str], circles: bool) -> list[tuple[list[Curve], bool]]:
    x, y = _value(attributes, "cx"), _value(attributes, "cy")
    rx, ry = (_value(attributes, key) or _value(attributes, "r") for key in ("rx", "ry"))
    if rx <= 0 or ry <= 0:
        return []
    right, left = x + rx, x - rx
    arc = f"A {rx!r} {ry!r} 0 0 1"
    return subpaths(f"M {right!r} {y!r} {arc} {left!r} {y!r} {arc} {right!r} {y!r} Z", circles=circles)


_SHAPES = {
    "path": _path, "polyline": _poly, "polygon": _polygon, "line": _line, "rect": _rect, "circle": _oval,
    "ellipse": _oval,
}  # fmt: skip


# ---------------------------------------------------------------------------- size of a unit


def _scale(document: Document, units: str, notes: list[str]) -> float:
    """Return metres per user unit: from width and viewBox, else by what would fit a person."""
    if units:
        return pieces.UNIT_METRES[units]
    box = numbers(document.root.get("viewBox", ""))
    match = _LENGTH.match(document.root.get("width", ""))
    if match and match[2] in _UNITS and match[2] != "px":
        width = abs(float(match[1])) * _UNITS[match[2]]
        scale = width / box[2] if len(box) == 4 and box[2] > 0.0 else _UNITS[match[2]]
        if scale > 0.0:
            return scale
    rings = [pieces.outline_ring(s.curves, 1e-3) for s in document.shapes if s.closed and len(s.curves) > 1]
    largest = pieces.largest_extent(rings)
    if pieces.PLAUSIBLE[0] <= largest * _PIXEL <= pieces.PLAUSIBLE[1]:
        notes.append("units: pixels of 1/96 inch (the file names no length units)")
        return _PIXEL
    scale, note = pieces.choose_unit(largest, "mm", "the file names no length units")
    notes.append(note)
    return scale


# ---------------------------------------------------------------------------- kinds of files


def _classes(shape: Shape) -> set[str]:
    return set(shape.attributes.get("class", "").lower().split())


def _moved(shape: Shape, flip: Floats) -> list[Curve]:
    return [transformed(curve, flip) for curve in shape.curves]


def _flat(shape: Shape, flip: Floats) -> Floats:
    """Return a shape as a polyline [m]."""
    moved = _moved(shape, flip)
    if shape.closed and len(moved) > 1:
        ring = pieces.outline_ring(moved)
        return np.vstack([ring, ring[:1]])
    rows = [pieces.flat_curve(curve) for curve in moved]
    return np.vstack([rows[0], *[row[1:] for row in rows[1:]]])


def _any_pieces(document: Document, flip: Floats, notes: list[str]) -> list[Piece]:
    loops, lines = [], []
    for shape in document.shapes:
        if shape.closed and len(shape.curves) > 1:
            loops.append(Loop(pieces.merge_lines(_moved(shape, flip)), _name_of(shape)))
        else:
            lines.append(_flat(shape, flip))
    return pieces_from_loops(loops, lines, notes=notes)


def _name_of(shape: Shape) -> str:
    for attributes in (shape.attributes, *reversed(shape.groups[1:])):
        for key in ("inkscape:label", "data-name", "id"):
            if attributes.get(key) and not re.fullmatch(
                r"(path|rect|g|layer|polygon)[-_]?\d*", attributes[key]
            ):
                return attributes[key]
    return ""


def _freesewing_pieces(document: Document, flip: Floats) -> list[Piece]:
    """Return the parts of a FreeSewing draft: seam line, seam allowance, fold, grain, notches, cut list."""
    parts: dict[str, list[Shape]] = {}
    for shape in document.shapes:
        part = _part(shape.groups)
        if part:
            parts.setdefault(part, []).append(shape)
    found = []
    for part, shapes in parts.items():
        cloth = [s for s in shapes if s.closed and len(s.curves) > 1 and "fabric" in _classes(s)]
        seam = [s for s in cloth if "sa" not in _classes(s)] or cloth
        if not seam:
            continue
        outline = max(seam, key=lambda s: float(np.ptp(np.vstack([p for _, p in s.curves]), axis=0).prod()))
        words = " ".join(text for text, groups in document.words if _part(groups) == part)
        match = _CUT.search(words)
        fold = _marker_line(shapes, "cutonfold", flip)
        notches = [
            (transformed(("line", at[None]), flip)[1][0], stamp[:40])
            for stamp, at, groups in document.stamps
            if "notch" in stamp and _part(groups) == part
        ]
        # a seam allowance of half a piece closes through the fold: no cutting line of its own
        cut = [Mark("cut", _flat(s, flip)) for s in cloth if "sa" in _classes(s) and s is not outline]
        found.append(
            Piece(
                part.rpartition(".")[2],
                _moved(outline, flip),
                fold=fold,
                grain=_marker_line(shapes, "grainline", flip) if fold is None else fold,
                quantity=2 if match and match[1] == "2" else 1,
                notches=notches,
                marks=[] if fold is not None else cut,
            )
        )
    return found


def _part(groups: Sequence[dict[str, str]]) -> str:
    """Return the id of the FreeSewing part around an element."""
    return next((g["id"] for g in reversed(groups) if g.get("id", "").startswith("fs-stack-")), "")


def _marker_line(shapes: Sequence[Shape], marker: str, flip: Floats) -> Floats | None:
    """Return first and last point of the path that carries a marker."""
    for shape in shapes:
        if marker in shape.attributes.get("marker-start", "").lower():
            moved = _moved(shape, flip)
            return np.stack([moved[0][1][0], moved[-1][1][-1]])
    return None


def _own_pieces(document: Document, flip: Floats) -> list[Piece]:
    """Return the pieces of a drawing that Toile wrote: every edge is a path of its own, in its own place."""
    parts: dict[str, list[Shape]] = {}
    shifts: dict[str, Floats] = {}
    for shape in document.shapes:
        group = next((g for g in reversed(shape.groups) if "data-piece" in g), None)
        if group is not None:
            parts.setdefault(group["data-piece"], []).append(shape)
            shifts[group["data-piece"]] = matrix_of(group.get("transform", ""))
    found = []
    for part, shapes in parts.items():
        place = flip @ np.linalg.inv(shifts[part])
        edges = [s for s in shapes if "edge" in _classes(s)]
        grain = next((_flat(s, place)[[0, -1]] for s in shapes if "grain" in _classes(s)), None)
        found.append(
            Piece(
                part,
                [_one_curve(shape, place) for shape in edges],
                grain=grain,
                notches=[
                    (_flat(s, place)[0], s.attributes.get("data-name", ""))
                    for s in shapes
                    if "notch" in _classes(s)
                ],
                marks=[_own_mark(s, place) for s in shapes if "mark" in _classes(s)],
            )
        )
    return [piece for piece in found if len(piece.outline) > 1]


def _one_curve(shape: Shape, place: Floats) -> Curve:
    moved = _moved(shape, place)
    if len(moved) == 1:
        return moved[0]
    return "polyline", np.vstack([moved[0][1], *[points[1:] for _, points in moved[1:]]])


def _own_mark(shape: Shape, place: Floats) -> Mark:
    kind = next(
        (c for c in ("guide", "fold", "cutout", "sew", "drill", "cut") if c in _classes(shape)), "internal"
    )
    points = _flat(shape, place)
    return Mark(kind, points[:1] if kind == "drill" else points, name=shape.attributes.get("data-name", ""))  # type: ignore[arg-type]
