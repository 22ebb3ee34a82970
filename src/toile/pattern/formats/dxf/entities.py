"""Entities of an ASCII DXF file, read with caps: blocks that contain each other are refused.

Our own small reader instead of a library: pattern files need seven entity types, and real ones break rules
(block names of question marks, missing sections) that stricter readers insist on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO

import numpy as np
from scipy.interpolate import BSpline

from toile.core.errors import ToileError
from toile.core.records import Floats

ENTITY_LIMIT = 100_000
"""entities in one block"""
POINT_LIMIT = 500_000
UNFOLD_LIMIT = 20_000
"""entities that blocks within blocks may unfold to"""
LINE_LIMIT = 20_000
"""points of one line"""
NESTING = 6
COPIES = 100
"""rows × columns of a repeated block"""
_WANTED = frozenset(
    {
        "POLYLINE",
        "VERTEX",
        "LWPOLYLINE",
        "LINE",
        "POINT",
        "TEXT",
        "MTEXT",
        "ARC",
        "CIRCLE",
        "SPLINE",
        "INSERT",
    }
)
_ESCAPE = re.compile(r"\\U\+([0-9A-Fa-f]{4})")

Tags = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Entity:
    """A drawn thing, in file units."""

    kind: str
    """line, point, text"""
    layer: int
    points: Floats
    """(k, 2)"""
    bulges: tuple[float, ...] = ()
    """per point of a line: tangent of a quarter of the arc that follows it; empty: all straight"""
    closed: bool = False
    text: str = ""


@dataclass(slots=True)
class Block:
    """A named group of entities: one piece in one size."""

    name: str
    entities: list[Entity] = field(default_factory=list)
    inserts: list[tuple[str, Floats]] = field(default_factory=list)
    """name of another block and its placement (2, 3)"""


@dataclass(slots=True)
class Drawing:
    """What a DXF file holds."""

    blocks: list[Block]
    loose: Block
    """entities outside blocks"""
    unit: str = ""
    """$INSUNITS as mm, cm, in, m; empty: not said"""
    unfolded: int = 0
    """entities that came out of blocks so far"""


# ---------------------------------------------------------------------------- tags


def read_drawing(text: str, source: str) -> Drawing:
    """Return blocks and loose entities of an ASCII DXF text."""
    try:
        return _read(text, source)
    except (ValueError, OverflowError, IndexError) as error:
        raise ToileError(f"{source}: damaged DXF ({str(error)[:60]})") from error


def _tags(text: str, source: str) -> Iterator[tuple[int, str]]:
    lines = StringIO(text)
    for number, code in enumerate(lines):
        value = next(lines, None)
        try:
            key = int(code)
        except ValueError:
            if not code.strip() and value is None:
                return
            raise ToileError(
                f"{source}, line {2 * number + 1}: '{code.strip()[:20]}' is not a DXF group code: "
                "the file is damaged"
            ) from None
        if value is None:
            raise ToileError(f"{source}: the file ends in the middle: it is truncated")
        yield key, value.strip("\r\n")


def _records(text: str, source: str) -> Iterator[tuple[str, Tags]]:
    """Return (type, tags) of each record; a record starts at code 0."""
    kind = ""
    tags: Tags = []
    for code, value in _tags(text, source):
        if code == 0:
            if kind:
                yield kind, tags
            kind, tags = value.strip().upper(), []
        else:
            tags.append((code, value))
            if len(tags) > POINT_LIMIT:
                raise ToileError(f"{source}: one {kind or 'header'} holds more than {POINT_LIMIT} values")
    if kind:
        yield kind, tags
    if kind != "EOF":
        raise ToileError(f"{source}: the file has no end mark: it is truncated")


def _read(text: str, source: str) -> Drawing:
    drawing = Drawing([], Block(""))
    section, block, line, count = "", drawing.loose, None, 0
    for kind, tags in _records(text, source):
        if kind == "SECTION":
            section = _first(tags, 2).upper()
            if section == "HEADER":
                drawing.unit = _header_unit(tags)
        elif kind == "ENDSEC":
            section = ""
        elif section == "BLOCKS" and kind == "BLOCK":
            block = Block(_decode(_first(tags, 2)))
            drawing.blocks.append(block)
        elif kind == "ENDBLK":
            block = drawing.loose
        elif section in ("BLOCKS", "ENTITIES"):
            count += 1
            if count > POINT_LIMIT or len(drawing.blocks) > ENTITY_LIMIT // 10:
                raise ToileError(f"{source}: more than {POINT_LIMIT} entities, too many for a pattern")
            line = _add(block, kind, tags, line, source)
    return drawing


def _first(tags: Tags, code: int, default: str = "") -> str:
    return next((value.strip() for key, value in tags if key == code), default)


def _number(tags: Tags, code: int, default: float = 0.0) -> float:
    return _finite(_first(tags, code, str(default)))


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or abs(value) > 1e7:
        raise ValueError(f"the number {text.strip()[:20]} is not a coordinate")
    return value


def _decode(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def _header_unit(tags: Tags) -> str:
    """Return the unit that the header names; a HEADER section is one record of variables."""
    name = ""
    for code, value in tags:
        if code == 9:
            name = value.strip().upper()
        elif name == "$INSUNITS" and code == 70:
            return {1: "in", 4: "mm", 5: "cm", 6: "m"}.get(int(value), "")
    return ""


# ---------------------------------------------------------------------------- entities


def _add(block: Block, kind: str, tags: Tags, line: list[Tags] | None, source: str) -> list[Tags] | None:
    """Add an entity to a block; returns the polyline that still waits for its vertices."""
    if kind == "VERTEX" and line is not None:
        line.append(tags)
        if len(line) > LINE_LIMIT:
            raise ToileError(f"{source}: a line has more than {LINE_LIMIT} points, too many for a pattern")
        return line
    if line is not None:
        _keep(block, _polyline(line), source)
    if kind == "POLYLINE":
        return [tags]
    if kind == "INSERT":
        block.inserts += _inserts(tags, source)
        if len(block.inserts) > ENTITY_LIMIT:
            raise ToileError(f"{source}: more than {ENTITY_LIMIT} inserted blocks, too many for a pattern")
    elif kind in _MAKERS:
        _keep(block, _MAKERS[kind](tags), source)
    return None


def _keep(block: Block, entity: Entity | None, source: str) -> None:
    if entity is not None:
        block.entities.append(entity)
    if len(block.entities) > ENTITY_LIMIT:
        raise ToileError(f"{source}: more than {ENTITY_LIMIT} entities in one block, too many for a pattern")


def _layer(tags: Tags) -> int:
    """Return the layer's number, -1 for layers with other names."""
    match = re.search(r"(\d{1,4})$", _first(tags, 8, "0"))
    return int(match[1]) if match else -1


def _points(tags: Tags) -> Floats:
    x = [_finite(value) for code, value in tags if code == 10]
    y = [_finite(value) for code, value in tags if code == 20]
    return np.array(list(zip(x, y, strict=False)), dtype=np.float64).reshape(-1, 2)


def _polyline(records: list[Tags]) -> Entity | None:
    head, *vertices = records
    kept = [
        values
        for tags in vertices
        if not int((values := dict(tags)).get(70, "0")) & 16  # 16: frame of a spline, not on the line
    ]
    if not kept:
        return None
    points = np.array([[_finite(v.get(10, "0")), _finite(v.get(20, "0"))] for v in kept])
    bulges = tuple(_finite(v.get(42, "0")) for v in kept)
    closed = bool(int(_number(head, 70)) & 1)
    return Entity("line", _layer(head), points, bulges if any(bulges) else (), closed)


def _lwpolyline(tags: Tags) -> Entity | None:
    bulges: list[float] = []
    for code, value in tags:
        if code == 10:
            bulges.append(0.0)
        elif code == 42 and bulges:
            bulges[-1] = _finite(value)
    points = _points(tags)
    closed = bool(int(_number(tags, 70)) & 1)
    return (
        Entity("line", _layer(tags), points, tuple(bulges) if any(bulges) else (), closed)
        if len(points)
        else None
    )


def _line(tags: Tags) -> Entity:
    ends = [[_number(tags, 10), _number(tags, 20)], [_number(tags, 11), _number(tags, 21)]]
    return Entity("line", _layer(tags), np.array(ends))


def _point(tags: Tags) -> Entity:
    return Entity("point", _layer(tags), np.array([[_number(tags, 10), _number(tags, 20)]]))


def _text(tags: Tags) -> Entity:
    words = "".join(value for code, value in tags if code in (1, 3))
    at = np.array([[_number(tags, 10), _number(tags, 20)]])
    return Entity("text", _layer(tags), at, text=_decode(words)[:500])


def _arc(tags: Tags) -> Entity:
    centre = np.array([_number(tags, 10), _number(tags, 20)])
    radius = _number(tags, 40)
    low, high = (math.radians(_number(tags, code)) for code in (50, 51))
    turn = (high - low) % math.tau or math.tau
    ends = np.array([[math.cos(low), math.sin(low)], [math.cos(low + turn), math.sin(low + turn)]])
    return Entity("line", _layer(tags), centre + radius * ends, (math.tan(turn / 4.0), 0.0))


def _circle(tags: Tags) -> Entity:
    centre, radius = np.array([_number(tags, 10), _number(tags, 20)]), _number(tags, 40)
    ends = centre + radius * np.array([[1.0, 0.0], [-1.0, 0.0]])
    return Entity("line", _layer(tags), ends, (1.0, 1.0), True)


def _spline(tags: Tags) -> Entity | None:
    """Return a spline as a polyline of short pieces."""
    degree, closed = int(_number(tags, 71, 3.0)), bool(int(_number(tags, 70)) & 1)
    control = _points(tags)
    knots = np.array([_finite(value) for code, value in tags if code == 40])
    if len(control) > 2_000 or not 1 <= degree <= 5:
        raise ValueError("a spline is too large")
    if len(knots) != len(control) + degree + 1 or np.any(np.diff(knots) < 0.0) or not len(control):
        through = [[_finite(v) for c, v in tags if c == code] for code in (11, 21)]
        fit = (
            np.array(through, dtype=np.float64).T.reshape(-1, 2)
            if len(through[0]) == len(through[1])
            else control
        )
        return Entity("line", _layer(tags), fit, closed=closed) if len(fit) > 1 else None
    at = np.linspace(knots[degree], knots[-degree - 1], min(24 * len(control), 5_000))
    return Entity("line", _layer(tags), np.asarray(BSpline(knots, control, degree)(at)), closed=closed)


_MAKERS = {
    "LWPOLYLINE": _lwpolyline, "LINE": _line, "POINT": _point, "TEXT": _text, "MTEXT": _text, "ARC": _arc,
    "CIRCLE": _circle, "SPLINE": _spline,
}  # fmt: skip


# ---------------------------------------------------------------------------- blocks within blocks


def _inserts(tags: Tags, source: str) -> list[tuple[str, Floats]]:
    columns, rows = (max(1, int(_number(tags, code, 1.0))) for code in (70, 71))
    name = _decode(_first(tags, 2))
    if columns * rows > COPIES:
        raise ToileError(
            f"{source}: block '{name[:40]}' is inserted {columns} × {rows} times: "
            "a pattern repeats no piece so often"
        )
    angle = math.radians(_number(tags, 50))
    scale = np.diag([_number(tags, 41, 1.0), _number(tags, 42, 1.0)])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    origin = np.array([_number(tags, 10), _number(tags, 20)])
    step = np.array([_number(tags, 44), _number(tags, 45)])
    return [
        (name, np.column_stack([turn @ scale, origin + turn @ (step * (i, j))]))
        for i in range(columns)
        for j in range(rows)
    ]


def expand(drawing: Drawing, block: Block, source: str) -> list[Entity]:
    """Return a block's entities together with those of the blocks inside it."""
    if not block.inserts:
        return block.entities
    known = {b.name: b for b in drawing.blocks}
    result: list[Entity] = []

    def visit(block: Block, place: Floats, path: tuple[str, ...]) -> None:
        _check_budget(drawing, block, path, source)
        result.extend(_moved(entity, place) for entity in block.entities)
        for name, inner in block.inserts:
            if name in path:
                raise ToileError(f"{source}: block '{name[:40]}' contains itself")
            if name in known:
                step = np.column_stack(
                    [place[:, :2] @ inner[:, :2], place[:, :2] @ inner[:, 2] + place[:, 2]]
                )
                visit(known[name], step, (*path, name))

    visit(block, np.eye(2, 3), (block.name,))
    return result


def _check_budget(drawing: Drawing, block: Block, path: tuple[str, ...], source: str) -> None:
    if len(path) > NESTING:
        raise ToileError(f"{source}: blocks are nested deeper than {NESTING} ({' > '.join(path)[:80]} …)")
    drawing.unfolded += 1 + len(block.entities)
    if drawing.unfolded > UNFOLD_LIMIT:
        raise ToileError(f"{source}: block '{path[0][:40]}' unfolds to more than {UNFOLD_LIMIT} entities")


def _moved(entity: Entity, place: Floats) -> Entity:
    flip = np.linalg.det(place[:, :2]) < 0.0
    bulges = tuple(-b for b in entity.bulges) if flip else entity.bulges
    points = entity.points @ place[:, :2].T + place[:, 2]
    return Entity(entity.kind, entity.layer, points, bulges, entity.closed, entity.text)
