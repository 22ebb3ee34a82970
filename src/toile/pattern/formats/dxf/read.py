"""DXF of the cutting room: AAMA and ASTM D6673 as Gerber, CLO and Valentina/Seamly2D write them.

One block per piece and size. Layers: 1 boundary, 2 turn points, 3 curve points, 4 and 80–83 notches,
6 mirror line, 7 grain, 8 internal lines, 11 cut-outs, 13 drill holes, 14 sew line, 15 annotation. The
standard has no seams.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Mark, Pattern
from toile.pattern.formats.dxf.entities import Drawing, Entity, expand, read_drawing
from toile.pattern.formats.dxf.grade_rules import Mover, RuleTable, rule_points
from toile.pattern.model.check import PANEL_LIMIT
from toile.pattern.model.curves import sample_curve
from toile.pattern.pieces import panels as pieces
from toile.pattern.pieces.panels import Curve, Piece
from toile.pattern.understand.upright import SIDEWAYS

BLOCK_LIMIT = 3_000
"""pieces times sizes of a file"""
_NOTCHES = (4, 80, 81, 82, 83)
_CUT = re.compile(r"\bcut\s*[:x]?\s*(\d)\b", re.IGNORECASE)


@dataclass(slots=True)
class _Raw:
    """A block sorted by layers, in file units."""

    block: str
    texts: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    lines: dict[int, list[Entity]] = field(default_factory=dict)
    points: dict[int, list[Floats]] = field(default_factory=dict)
    labels: list[Entity] = field(default_factory=list)
    """texts with their places"""

    @property
    def name(self) -> str:
        """Return the piece's name: as written in it, else its block's without the size."""
        name = self.texts.get("piece name", "")
        if name.strip("? "):
            return name
        size = self.size
        return self.block.removesuffix(f"_{size}") if size else self.block

    @property
    def size(self) -> str:
        """Return the size, empty if none is named."""
        return self.texts.get("size", "")


def parse(
    data: bytes, name: str, source: str, *, size: str = "", units: str = "", rules: RuleTable | None = None
) -> Pattern:
    """Return the pieces of a DXF file in one size, half pieces unfolded and twins added.

    Without ``size`` the file's sample size, or the middle of its sizes, is taken; ``units`` (mm, cm, in, m)
    overrides what the file says; ``rules`` lead to sizes that the file does not hold. What was assumed stands
    in the notes.
    """
    raws = _raws(_drawing(data, source), source)
    notes: list[str] = []
    graded = rules is not None and bool(size) and size not in {raw.size for raw in raws}
    raws = _of_size(raws, rules.sample if rules and graded else size, source, notes, rules)
    largest = pieces.largest_extent([np.vstack([e.points for e in raw.lines[1]]) for raw in raws])
    if len(raws) > PANEL_LIMIT:
        raise ToileError(f"{source}: {len(raws)} pieces, at most {PANEL_LIMIT} are accepted")
    scale = _scale(raws, largest, units, notes)
    if rules is not None and graded:
        raws = _graded(raws, rules, size, scale, source, notes)
    made = [piece for raw in raws if (piece := _piece(raw, scale, notes, source)) is not None]
    if not made:
        raise ToileError(f"{source}: no closed outline on layer 1 in any block: not an AAMA or ASTM pattern")
    # what Toile wrote lies as it was, with the places of its seam file
    foreign = all(raw.texts.get("product", "").lower() != "toile" for raw in raws)
    panels = pieces.panels_from_pieces(made, turn=foreign)
    sideways = sum(piece.grain is not None and _lies(piece.grain) for piece in made)
    if foreign and sideways:
        notes.append(f"grain: {sideways} pieces lay along their grain line and were turned upright")
    return Pattern(name, panels, notes=tuple(notes))


def _lies(grain: Floats) -> bool:
    """Return whether a grain line runs along the table, not up the drawing."""
    run, rise = np.abs(grain[1] - grain[0])
    return bool(math.atan2(float(run), float(rise)) > SIDEWAYS)


def sizes(data: bytes, source: str) -> list[str]:
    """Return the sizes that a DXF file holds, in the order of the file."""
    return list(dict.fromkeys(raw.size for raw in _raws(_drawing(data, source), source) if raw.size))


# ---------------------------------------------------------------------------- blocks


def _drawing(data: bytes, source: str) -> Drawing:
    if data.startswith(b"AutoCAD Binary DXF"):
        raise ToileError(f"{source}: binary DXF: save it as ASCII (text) DXF")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return read_drawing(text.replace("\r\n", "\n").replace("\r", "\n"), source)


def _raws(drawing: Drawing, source: str) -> list[_Raw]:
    """Return the blocks that have a boundary, or the loose entities if there are none."""
    common = _sorted_block("", drawing.loose.entities)
    result = []
    for block in drawing.blocks:
        raw = _sorted_block(block.name, expand(drawing, block, source))
        if 1 in raw.lines:
            raw.texts = common.texts | {"header unit": drawing.unit} | raw.texts
            result.append(raw)
    if len(result) > BLOCK_LIMIT:
        raise ToileError(f"{source}: {len(result)} pieces and sizes, at most {BLOCK_LIMIT} are accepted")
    if result:
        return result
    loose = expand(drawing, drawing.loose, source)
    outlines = [e for e in loose if e.kind == "line" and e.layer in (0, 1, -1) and _is_closed(e)]
    return [
        _Raw(f"piece_{i + 1}", {"header unit": drawing.unit}, lines={1: [entity]})
        for i, entity in enumerate(outlines[:500])
    ]


def _sorted_block(name: str, entities: Sequence[Entity]) -> _Raw:
    raw = _Raw(name)
    for entity in entities:
        if entity.kind == "text":
            key, colon, value = entity.text.partition(":")
            if colon and key.strip().lower() not in raw.texts:
                raw.texts[key.strip().lower()] = value.strip()
            raw.remarks.append(entity.text.strip())
            raw.labels.append(entity)
        elif entity.kind == "point":
            raw.points.setdefault(entity.layer, []).append(entity.points[0])
        elif len(entity.points) > 1:
            raw.lines.setdefault(entity.layer, []).append(entity)
    return raw


def _graded(
    raws: list[_Raw], rules: RuleTable, size: str, scale: float, source: str, notes: list[str]
) -> list[_Raw]:
    """Return the blocks of the sample size moved to another by a grade rule table."""
    if size not in rules.sizes:
        raise ToileError(
            f"{source}: no size '{size[:20]}': its grade rules hold {', '.join(rules.sizes[:20])}"
        )
    points = [rule_points(raw.labels, _all_points(raw)) for raw in raws]
    turns = [raw.points.get(2, []) for raw in raws]
    if not any(points) and sum(map(len, turns)) == len(rules.rules):
        notes.append("grading: the points name no rules; they are taken in order")
        number = iter(sorted(rules.rules))
        points = [[(at, next(number)) for at in turn] for turn in turns]
    if not any(points):
        raise ToileError(
            f"{source}: no point names a grade rule ('# 1'): sizes cannot be drawn from its table"
        )
    unit = rules.metres(scale) / scale
    notes.append(f"size: {size} by grade rules from {rules.sample}")
    return [
        _moved(raw, at, rules, size, unit, source) if at else raw
        for raw, at in zip(raws, points, strict=True)
    ]


def _all_points(raw: _Raw) -> list[Floats]:
    drawn = [p for lines in raw.lines.values() for line in lines for p in line.points]
    return drawn + [p for points in raw.points.values() for p in points]


def _moved(
    raw: _Raw, at: list[tuple[Floats, int]], rules: RuleTable, size: str, unit: float, source: str
) -> _Raw:
    missing = [number for _, number in at if number not in rules.rules]
    if missing:
        raise ToileError(
            f"{source}: piece '{raw.name[:40]}' names grade rule {missing[0]}, which is not in the table"
        )
    ring = np.vstack([line.points for line in _chained(raw.lines[1])])
    move = Mover(ring, np.array([p for p, _ in at]), np.array([rules.moves(n, size) for _, n in at]) * unit)
    lines = {
        layer: [replace(line, points=move(line.points)) for line in of] for layer, of in raw.lines.items()
    }
    points = {layer: list(move(np.array(of))) for layer, of in raw.points.items()}
    return _Raw(raw.block, raw.texts | {"size": size}, raw.remarks, lines, points, raw.labels)


def _chained(lines: list[Entity]) -> list[Entity]:
    """Return the largest closed boundary, or open lines one after the other, head to tail."""
    closed = [line for line in lines if _is_closed(line)]
    if closed:
        return [max(closed, key=_extent)]
    rest, chain = lines[1:], [lines[0]]
    while rest:
        end = chain[-1].points[-1]
        gaps = [min(np.hypot(*(line.points[k] - end)) for k in (0, -1)) for line in rest]
        line = rest.pop(int(np.argmin(gaps)))
        ahead = np.hypot(*(line.points[0] - end)) <= np.hypot(*(line.points[-1] - end))
        chain.append(line if ahead else replace(line, points=line.points[::-1]))
    return chain


def _of_size(
    raws: list[_Raw], size: str, source: str, notes: list[str], rules: RuleTable | None = None
) -> list[_Raw]:
    """Return the blocks of one size; pieces without a size belong to all."""
    known = list(dict.fromkeys(raw.size for raw in raws if raw.size))
    if rules is not None and size == rules.sample and not known:
        return raws
    if size and size not in known:
        raise ToileError(f"{source}: no size '{size[:20]}': it holds {', '.join(known[:20]) or 'no sizes'}")
    if len(known) < 2 and not size:
        return raws
    sample = next((raw.texts["sample size"] for raw in raws if raw.texts.get("sample size") in known), "")
    chosen = size or sample or known[len(known) // 2]
    if not size:
        notes.append(f"size: {chosen} taken of {', '.join(known[:20])}"[:110])
    return [raw for raw in raws if raw.size in ("", chosen)]


def _scale(raws: list[_Raw], largest: float, units: str, notes: list[str]) -> float:
    """Return metres per file unit."""
    if units:
        return pieces.UNIT_METRES[units]
    said = next((raw.texts["units"] for raw in raws if raw.texts.get("units")), "").strip().lower()
    header = next((raw.texts["header unit"] for raw in raws if raw.texts.get("header unit")), "")
    table = {
        "metric": "mm cm",
        "english": "in",
        "mm": "mm",
        "cm": "cm",
        "inch": "in",
        "inches": "in",
        "in": "in",
    }
    if said in table:
        declared, where = table[said], f"the file says {said.upper()}"
        if header in declared.split():
            declared = " ".join([header, *[u for u in declared.split() if u != header]])
    elif header:
        declared, where = header, "the header says so"
    else:
        declared, where = "mm", "the file names no units"
    scale, note = pieces.choose_unit(largest, declared, where)
    notes.append(note)
    return scale


# ---------------------------------------------------------------------------- one piece


def _piece(raw: _Raw, scale: float, notes: list[str], source: str) -> Piece | None:
    corners = np.array(raw.points.get(2, [])).reshape(-1, 2) * scale
    outline = _outline(raw.lines[1], corners, scale)
    if outline is None:
        notes.append(f"piece '{raw.name[:40]}' left out: its boundary does not close")
        return None
    marks = _marks(raw, scale)
    outline, marks = _sewing_outline(raw, outline, marks, corners, scale, notes)
    quantity = _quantity(raw)
    return Piece(
        raw.name,
        outline,
        fold=_straight(raw.lines.get(6, []), scale),
        grain=_straight(raw.lines.get(7, []), scale),
        quantity=2 if quantity == 2 else 1,
        notches=[(at, "") for at in _notches(raw, scale)],
        marks=marks,
        label=_label(raw),
    )


def _is_closed(entity: Entity) -> bool:
    gap = float(np.hypot(*(entity.points[0] - entity.points[-1])))
    return len(entity.points) > 2 - bool(entity.bulges) and (entity.closed or gap < 1e-6 * _extent(entity))


def _extent(entity: Entity) -> float:
    return float(np.ptp(entity.points, axis=0).max())


def _outline(lines: Sequence[Entity], corners: Floats, scale: float) -> list[Curve] | None:
    """Return the closed outline that lines on a layer make; the largest if there are several."""
    closed = [line for line in lines if _is_closed(line)]
    if closed:
        best = max(closed, key=_extent)
        if best.bulges:
            return _arcs(best, scale, closed=True)
        return pieces.ring_to_curves(best.points * scale, corners) or None
    open_lines = [curve for line in lines for curve in _open_curves(line, corners, scale)]
    return pieces.join_curves(open_lines) if open_lines else None


def _open_curves(line: Entity, corners: Floats, scale: float) -> list[Curve]:
    """Return an open line as curves, cut at the file's turn points."""
    if line.bulges:
        return _arcs(line, scale, closed=False)
    points = line.points * scale
    keep = np.concatenate([[True], np.hypot(*np.diff(points, axis=0).T) > 1e-6])
    points = points[keep]
    inner = pieces.nearest_points(points, corners) if len(corners) and len(points) > 2 else []
    cuts = [0, *[i for i in inner if 0 < i < len(points) - 1], len(points) - 1]
    parts = [points[a : b + 1] for a, b in pairwise(cuts) if b > a]
    return [("polyline" if len(part) > 2 else "line", part) for part in parts]


def _arcs(line: Entity, scale: float, *, closed: bool) -> list[Curve]:
    """Return a polyline with bulges as lines and arcs."""
    points, bulges = line.points * scale, [*line.bulges, *[0.0] * len(line.points)]
    last = len(points) if closed else len(points) - 1
    result: list[Curve] = []
    for i in range(last):
        start, end = points[i], points[(i + 1) % len(points)]
        chord = end - start
        if np.hypot(*chord) < 1e-6:
            continue
        if abs(bulges[i]) < 1e-9:
            result.append(("line", np.stack([start, end])))
        else:  # a positive bulge turns counter-clockwise: the arc lies on the right of its chord
            middle = (start + end) / 2.0 + bulges[i] / 2.0 * np.array([chord[1], -chord[0]])
            result.append(("arc", np.stack([start, middle, end])))
    return result


def _sewing_outline(
    raw: _Raw, outline: list[Curve], marks: list[Mark], corners: Floats, scale: float, notes: list[str]
) -> tuple[list[Curve], list[Mark]]:
    """Return the sew line as outline where the file has one; the boundary becomes the cutting line."""
    ring = pieces.outline_ring(outline)
    for layer in (14, 8):
        lines = raw.lines.get(layer, [])
        if layer == 8:
            lines = [line for line in lines if _is_closed(line)]
        inner = _outline(lines, _corners_on(lines, corners, scale), scale) if lines else None
        if inner and _is_inside(layer, ring, pieces.outline_ring(inner)):
            rest = [m for m in marks if m.kind != "sew" and not (layer == 8 and _same(m, lines, scale))]
            note = f"outline: the sew line on layer {layer}, inside the cutting line on layer 1"
            if note not in notes:
                notes.append(note)
            return inner, [*rest, _cut_line(raw, ring, scale)]
    return outline, marks


def _corners_on(lines: Sequence[Entity], corners: Floats, scale: float) -> Floats:
    """Return the turn points if they are those of these lines: some writers turn the boundary only."""
    points = np.vstack([line.points for line in lines]) * scale
    there = len(corners) and len(pieces.nearest_points(points, corners)) >= max(3, len(corners) // 2)
    return corners if there else corners[:0]


def _cut_line(raw: _Raw, ring: Floats, scale: float) -> Mark:
    closed = [line.points * scale for line in raw.lines[1] if _is_closed(line) and not line.bulges]
    points = max(closed, key=len) if closed else ring
    same = np.allclose(points[0], points[-1], atol=1e-9)
    return Mark("cut", points if same else np.vstack([points, points[:1]]))


def _is_inside(layer: int, cut: Floats, inner: Floats) -> bool:
    """Return whether a closed line is the sew line: layer 14 always, layer 8 if it runs parallel."""
    if layer == 14:
        return bool(np.ptp(inner, axis=0).min() > 0.5 * np.ptp(cut, axis=0).min())
    return pieces.is_sew_line(cut, inner)


def _same(mark: Mark, lines: Sequence[Entity], scale: float) -> bool:
    biggest = max(lines, key=_extent)
    return (
        mark.kind in ("internal", "guide")
        and len(mark.points) >= len(biggest.points)
        and bool(np.allclose(mark.points[0], biggest.points[0] * scale))
    )


def _marks(raw: _Raw, scale: float) -> list[Mark]:
    marks = []
    # what other programs draw inside is for the eye: lines of sizes, hems and pockets, hundreds of them
    inner = "internal" if raw.texts.get("product", "").lower() == "toile" else "guide"
    for layer, kind in ((8, inner), (11, "cutout"), (14, "sew")):
        for line in raw.lines.get(layer, []):
            curves_ = _arcs(line, scale, closed=line.closed) if line.bulges else None
            points = _flat(curves_) if curves_ else line.points * scale
            if line.closed and not np.allclose(points[0], points[-1]):
                points = np.vstack([points, points[:1]])
            marks.append(Mark(kind, points))  # type: ignore[arg-type]
    marks += [Mark("drill", point[None] * scale) for point in raw.points.get(13, [])]
    return marks


def _flat(parts: list[Curve]) -> Floats:
    rows = [
        sample_curve(kind, points, np.linspace(0.0, 1.0, 2 if kind == "line" else 17))
        for kind, points in parts
    ]
    return np.vstack([rows[0], *[row[1:] for row in rows[1:]]])


def _straight(lines: Sequence[Entity], scale: float) -> Floats | None:
    """Return the ends of the longest line of a layer."""
    if not lines:
        return None
    best = max(lines, key=_extent)
    ends = np.stack([best.points[0], best.points[-1]]) * scale
    return ends if np.hypot(*(ends[1] - ends[0])) > 1e-3 else None


def _notches(raw: _Raw, scale: float) -> list[Floats]:
    found = [point * scale for layer in _NOTCHES for point in raw.points.get(layer, [])]
    return found + [line.points[0] * scale for layer in _NOTCHES for line in raw.lines.get(layer, [])]


def _quantity(raw: _Raw) -> int:
    """Return how often a piece is cut; two means a mirrored twin."""
    numbers = [int(n[:3]) for n in re.findall(r"\d+", raw.texts.get("quantity", ""))]
    if numbers:
        return sum(numbers)
    for remark in (raw.texts.get("annotation", ""), *raw.remarks):
        match = _CUT.search(remark)
        if match:
            return int(match[1])
    return 1


def _label(raw: _Raw) -> str:
    words = [raw.texts.get(key, "") for key in ("annotation", "category", "material")]
    text = ", ".join(word for word in words if word)
    return "".join(c for c in text if c.isprintable())[:200]
