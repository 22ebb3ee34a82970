"""Loose closed lines sorted into pieces: what lies inside one is its sew line or an internal line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from toile.core.errors import ToileError
from toile.core.records import Floats, Mark
from toile.pattern.pieces.panels import Curve, Piece, is_sew_line, outline_ring

LOOP_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Loop:
    """A closed line with the name that the file gives it."""

    outline: list[Curve]
    name: str = ""


def pieces_from_loops(
    loops: Sequence[Loop],
    lines: Sequence[Floats] = (),
    labels: Sequence[tuple[Floats, str]] = (),
    notes: list[str] | None = None,
) -> list[Piece]:
    """Return one piece per outermost loop, with loops, open lines and words inside it as its details.

    ``lines`` are open lines (k, 2), ``labels`` are places (2,) with words; all in metres.
    """
    if len(loops) > LOOP_LIMIT or len(lines) > 50 * LOOP_LIMIT:
        raise ToileError(f"{len(loops)} closed lines, at most {LOOP_LIMIT} are accepted")
    rings = [outline_ring(loop.outline) for loop in loops]
    shapes = [shapely.Polygon(ring if len(ring) > 2 else None) for ring in rings]
    usable = [i for i, shape in enumerate(shapes) if shape.is_valid and shape.area > 1e-4]
    usable.sort(key=lambda i: -shapes[i].area)
    outer: list[int] = []
    inner: dict[int, list[int]] = {}
    for i in usable:
        at = shapes[i].representative_point()
        home = next((k for k in outer if shapes[k].contains(at)), None)
        if home is None:
            outer.append(i)
            inner[i] = []
        else:
            inner[home].append(i)
    outer.sort()
    return [
        _piece(loops, rings, shapes, i, inner[i], lines, labels, number, notes)
        for number, i in enumerate(outer, start=1)
    ]


def _piece(
    loops: Sequence[Loop],
    rings: list[Floats],
    shapes: list[shapely.Polygon],
    index: int,
    inside: list[int],
    lines: Sequence[Floats],
    labels: Sequence[tuple[Floats, str]],
    number: int,
    notes: list[str] | None,
) -> Piece:
    loop, shape = loops[index], shapes[index]
    name = loop.name or next(
        (words for at, words in labels if shape.contains(shapely.Point(float(at[0]), float(at[1])))),
        f"piece_{number}",
    )
    marks = [Mark("internal", line) for line in lines if shape.covers(shapely.LineString(line))]
    outline = loop.outline
    for k in inside:
        ring = np.vstack([rings[k], rings[k][:1]])
        if outline is loop.outline and is_sew_line(rings[index], rings[k]):
            outline = loops[k].outline
            marks.append(Mark("cut", np.vstack([rings[index], rings[index][:1]])))
            note = "outline: the inner of two parallel lines, the outer one is the cutting line"
            if notes is not None and note not in notes:
                notes.append(note)
        else:
            marks.append(Mark("internal", ring))
    return Piece(name, outline, marks=marks)
