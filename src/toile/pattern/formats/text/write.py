"""Writing the garment text file: any pattern, read back equal."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from toile.core.records import Floats, Grade, Hold, Panel, Pattern, Seam
from toile.pattern.formats.text.edge_names import EdgeNames, moved_edge, source_panel
from toile.pattern.formats.text.words import angle_text, length_text, quote
from toile.pattern.model.angles import degrees_from_rotation, rotation_from_degrees
from toile.pattern.model.mirror import mirror_panel
from toile.pattern.model.sides import reversed_chain

_WORDS = {"line": "line", "quadratic": "curve", "cubic": "curve", "arc": "arc", "polyline": "polyline"}


def to_text(pattern: Pattern) -> str:
    """Return the pattern as garment text, lengths in centimetres, exact to the last bit."""
    return outfit_to_text((pattern,))


def outfit_to_text(patterns: tuple[Pattern, ...]) -> str:
    """Return several garments, inner first, as one text."""
    lines: list[str] = []
    for pattern in patterns:
        lines += [*_garment_lines(pattern), ""]
    return "\n".join(lines)


def seams_to_text(
    pattern: Pattern,
    remarks: Sequence[str] = (),
    base: Pattern | None = None,
    unsure: Collection[int] = (),
    told: Sequence[str] = (),
) -> str:
    """Return what a DXF or SVG file cannot hold: seams, holds, placements, edge names, fabrics.

    ``remarks`` are comments, one for each seam. ``base`` is what that file itself holds: pieces that are
    not in it must be twins of some that are, and its other pieces are left out. Seams at the places in
    ``unsure`` stand below a mark of doubt, with other ways to sew them; ``told`` are comments at the top.
    """
    lines = [
        *[f"# {line}" for line in told],
        f"garment {quote(pattern.name)}",
        f"origin {pattern.origin}",
        f"layer {pattern.layer}",
    ]
    lines += [*_size_lines(replace(pattern, recipe="")), ""]
    if base is not None:
        lines += _piece_changes(pattern, base)
    names = EdgeNames(pattern, base)
    for panel in pattern.panels:
        details = _placement_lines(panel) + _detail_lines(panel)
        moved = moved_edge(panel, source_panel(panel, base)) if base is not None else None
        if moved:
            details.append(f"move {moved[0]} out {length_text(moved[1])}")
        details += [f"edge {i}{_as(name)}" for i, name in names.names(panel)]
        if details:
            lines += [f"panel {quote(panel.name)}", *[f"  {line}" for line in details], ""]
    joins = _join_lines(pattern, names)
    for i, remark in enumerate(remarks[: len(pattern.seams)]):
        joins[i] += f"   # {remark}" if remark else ""
    for i in unsure:
        seam = pattern.seams[i]
        turned = replace(seam, b=reversed_chain(seam.b))
        joins[i] = (
            f"# DOUBTFUL: look at the next seam. Leave it open: put # in front. The other way round:\n"
            f"# {_seam_line(turned, names)}\n{joins[i]}"
        )
    return "\n".join([*lines, *joins, ""])


def _piece_changes(pattern: Pattern, base: Pattern) -> list[str]:
    """Return the lines that make a pattern's pieces out of those in a file."""
    there = {panel.name for panel in base.panels}
    wanted = {panel.name for panel in pattern.panels}
    lines = []
    for panel in pattern.panels:
        if panel.name not in there:
            twin = source_panel(panel, base)
            of = next(
                p.name for p in base.panels if np.array_equal(mirror_panel(p, "").vertices, twin.vertices)
            )
            lines.append(f"panel {quote(panel.name)} mirror of {quote(of)}")
    gone = [quote(panel.name) for panel in base.panels if panel.name not in wanted]
    return [*lines, *[f"remove {name}" for name in gone], ""]


def _garment_lines(pattern: Pattern) -> list[str]:
    lines = [f"garment {quote(pattern.name)}", "units cm", f"origin {pattern.origin}"]
    if pattern.layer:
        lines.append(f"layer {pattern.layer}")
    lines += _size_lines(pattern)
    lines += [f"note {quote(note)}" for note in pattern.notes]
    for panel in pattern.panels:
        lines += ["", f"panel {quote(panel.name)}", *[f"  {line}" for line in _panel_lines(panel)]]
    joins = _join_lines(pattern, EdgeNames(pattern))
    return [*lines, "", *joins] if joins else lines


def _size_lines(pattern: Pattern) -> list[str]:
    lines = [f"tuck into {quote(pattern.tuck)}"] if pattern.tuck else []
    if pattern.sizes:
        lines.append("sizes " + " ".join(quote(size) for size in pattern.sizes))
    if pattern.size:
        lines.append(f"size {quote(pattern.size)}")
    return lines + ([f"drafted {quote(pattern.recipe)}"] if pattern.recipe else [])


def _join_lines(pattern: Pattern, names: EdgeNames) -> list[str]:
    seams = [_seam_line(seam, names) for seam in pattern.seams]
    holds = [_hold_line(hold, names) for hold in pattern.holds]
    return [*seams, *holds, *[_grade_line(grade, names) for grade in pattern.grades]]


def _grade_line(grade: Grade, names: EdgeNames) -> str:
    values = (grade.x,) if grade.where == "out" else (grade.x, grade.y)
    return f"grade {names.chain([grade.edge])} {grade.where} {' '.join(length_text(v) for v in values)}"


def _panel_lines(panel: Panel) -> list[str]:
    lines = _placement_lines(panel) + _detail_lines(panel) + _outline_lines(panel)
    for notch in panel.notches:
        lines.append(f"notch {notch.edge} {_number(notch.fraction)}{_as(notch.name)}")
    for mark in panel.marks:
        angle = f" angle {angle_text(mark.angle)}" if mark.angle else ""
        lines += _wrap(f"mark {mark.kind}{angle} {_points(mark.points)}{_as(mark.name)}")
    return lines


def _detail_lines(panel: Panel) -> list[str]:
    lines = []
    if panel.fabric:
        lines.append(f"fabric {quote(panel.fabric)}")
    if panel.grain:
        lines.append(f"grain {angle_text(panel.grain)}")
    if panel.label:
        lines.append(f"label {quote(panel.label)}")
    return lines


def _placement_lines(panel: Panel) -> list[str]:
    placement = panel.placement
    if placement is None:
        return []
    lines = ["at " + " ".join(length_text(v) for v in placement.translation)]
    if not np.array_equal(placement.rotation, np.eye(3)):
        lines.append(_turn_line(placement.rotation))
    if placement.around:
        lines.append(f"around {quote(placement.around)}")
    return lines


def _turn_line(rotation: Floats) -> str:
    """Return angles in degrees where they give exactly this rotation, else the matrix."""
    x, y, z = degrees_from_rotation(rotation)
    # the same rotation in two ways; take the one with fewer digits and more zeros
    twin = (x - math.copysign(180.0, x), math.copysign(180.0, y) - y, z - math.copysign(180.0, z))
    for digits in (0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 20):
        rounded = [[round(angle, digits) + 0.0 for angle in exact] for exact in ((x, y, z), twin)]
        for angles in sorted(rounded, key=lambda angles: -angles.count(0.0)):
            if np.array_equal(rotation_from_degrees(*angles), rotation):
                return "turn " + " ".join(_number(angle) for angle in angles)
    return "matrix " + " ".join(_number(float(v)) for v in rotation.ravel())


def _outline_lines(panel: Panel) -> list[str]:
    count = len(panel.edges)
    ordered = len(panel.vertices) == count and all(
        (edge.start, edge.end) == (i, (i + 1) % count) for i, edge in enumerate(panel.edges)
    )
    points = [_points(vertex) for vertex in panel.vertices]
    lines = [] if ordered else [f"corner c{i} {point}" for i, point in enumerate(points)]
    names = points if ordered else [f"c{i}" for i in range(len(points))]
    lines.append(f"from {names[panel.edges[0].start]}")
    for i, edge in enumerate(panel.edges):
        to = "start" if i == count - 1 else names[edge.end]
        controls = _points(edge.controls)
        lines += _wrap(f"{_WORDS[edge.kind]}{' ' if controls else ''}{controls} to {to}{_as(edge.name)}")
    return lines


def _points(points: Floats) -> str:
    rows = np.asarray(points).reshape(-1, 2)
    return "  ".join(f"{length_text(x)} {length_text(y)}" for x, y in rows)


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _as(name: str) -> str:
    return f" as {quote(name)}" if name else ""


def _wrap(line: str) -> list[str]:
    """Break a long line between words; quoted names never reach the breaking point's far side broken."""
    if len(line) <= 110 or '"' in line:
        return [line]
    rows = textwrap.wrap(line, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return [row + " \\" for row in rows[:-1]] + rows[-1:]


def _seam_line(seam: Seam, names: EdgeNames) -> str:
    name = f"{quote(seam.name)}: " if seam.name else ""
    ease = f" ease {_number(seam.ease)}" if seam.ease is not None else ""
    return f"seam {name}{names.chain(seam.a)} = {names.chain(seam.b)}{ease}"


def _hold_line(hold: Hold, names: EdgeNames) -> str:
    if hold.kind == "pin" and hold.ratio == 1.0:
        return f"pin {names.chain([hold.edge])}"
    return f"{hold.kind} {names.chain([hold.edge])} {_number(hold.ratio)}"
