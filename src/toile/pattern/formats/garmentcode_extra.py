"""What a GarmentCode file cannot say, kept under its key ``toile``: holds, ease, fabrics, notches, marks.

Edges that had to be cut for it (polylines, seams of one edge to many) stand there whole, as a garment text.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Grade, Hold, Mark, Notch, Panel, Pattern
from toile.pattern.formats.text.read import parse as parse_text
from toile.pattern.formats.text.write import to_text
from toile.pattern.model.check import MARKS, ORIGINS, WHERE


def extra_from_pattern(pattern: Pattern) -> dict[str, Any]:
    """Return what goes under the key ``toile``: lengths in metres, angles in radians."""
    return {
        "version": 1,
        "name": pattern.name,
        "layer": pattern.layer,
        "origin": pattern.origin,
        "notes": list(pattern.notes),
        "tuck": pattern.tuck,
        "sizes": list(pattern.sizes),
        "size": pattern.size,
        "recipe": pattern.recipe,
        "grades": [[g.edge.panel, g.edge.edge, g.where, g.x, g.y] for g in pattern.grades],
        "seams": [[seam.name, seam.ease] for seam in pattern.seams],
        "holds": [[h.edge.panel, h.edge.edge, h.kind, h.ratio] for h in pattern.holds],
        "panels": {panel.name: _panel_extra(panel) for panel in pattern.panels},
    }


def _panel_extra(panel: Panel) -> dict[str, Any]:
    values = {
        "fabric": panel.fabric,
        "grain": panel.grain,
        "around": panel.placement.around if panel.placement else "",
        "notches": [[n.edge, n.fraction, n.name] for n in panel.notches],
        "marks": [[m.kind, m.points.tolist(), m.angle, m.name] for m in panel.marks],
    }
    return {key: value for key, value in values.items() if value}


def whole_extra(pattern: Pattern, simple: Pattern, pieces: dict[str, Any]) -> dict[str, Any]:
    """Return the garment before its edges were cut, with what tells it from pieces changed since."""
    if _counts(pattern) == _counts(simple):
        return {}
    return {"whole": {"of": _fingerprint(pieces), "text": to_text(pattern).splitlines()}}


def whole_garment(extra: Any, pieces: dict[str, Any], source: str) -> Pattern | None:
    """Return the garment before its edges were cut; None: nothing was cut, or pieces were changed since."""
    whole = extra.get("whole") if isinstance(extra, dict) else None
    if not isinstance(whole, dict) or whole.get("of") != _fingerprint(pieces):
        return None
    lines = whole.get("text")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise ToileError(f"{source}: the garment under 'toile.whole' is no list of lines: remove it")
    return parse_text("\n".join(lines), "whole", f"{source}: toile.whole")


def _counts(pattern: Pattern) -> tuple[int, ...]:
    return (len(pattern.seams), *(len(panel.edges) for panel in pattern.panels))


def _fingerprint(pieces: dict[str, Any]) -> str:
    """Return a hash of the pieces and stitches as other programs see them."""
    seen = {key: pieces.get(key) for key in ("panels", "stitches")}
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


def with_extra(pattern: Pattern, extra: Any, source: str) -> Pattern:
    """Return the pattern with what stood under the key ``toile``."""
    try:
        return _with_extra(pattern, extra)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ToileError(
            f"{source}: the part under 'toile' is not understood ({str(error)[:60]!r}): remove it"
        ) from error


def _with_extra(pattern: Pattern, extra: Any) -> Pattern:
    seams = pattern.seams
    given = extra.get("seams", [])
    if len(given) == len(seams):
        seams = tuple(
            replace(seam, name=_text(name), ease=None if ease is None else float(ease))
            for seam, (name, ease) in zip(seams, given, strict=True)
        )
    details = extra.get("panels", {})
    return replace(
        pattern,
        name=_text(extra.get("name", pattern.name)),
        layer=int(extra.get("layer", 0)),
        origin=_one_of(extra.get("origin", pattern.origin), ORIGINS),
        seams=seams,
        notes=tuple(_text(note) for note in extra.get("notes", [])),
        tuck=_text(extra.get("tuck", "")),
        sizes=tuple(_text(size) for size in extra.get("sizes", [])),
        size=_text(extra.get("size", "")),
        recipe=_text(extra.get("recipe", "")),
        grades=tuple(
            Grade(EdgeRef(_text(panel), int(edge)), _one_of(where, WHERE), float(x), float(y))
            for panel, edge, where, x, y in extra.get("grades", [])
        ),
        holds=tuple(
            Hold(EdgeRef(_text(panel), int(edge)), _one_of(kind, ("pin", "elastic")), float(ratio))
            for panel, edge, kind, ratio in extra.get("holds", [])
        ),
        panels=tuple(_with_details(panel, details.get(panel.name, {})) for panel in pattern.panels),
    )


def _with_details(panel: Panel, details: Any) -> Panel:
    placement = panel.placement
    if placement is not None:
        placement = replace(placement, around=_text(details.get("around", "")))
    return replace(
        panel,
        placement=placement,
        fabric=_text(details.get("fabric", "")),
        grain=float(details.get("grain", 0.0)),
        notches=tuple(Notch(int(e), float(f), _text(name)) for e, f, name in details.get("notches", [])),
        marks=tuple(
            Mark(_one_of(kind, MARKS), np.array(points, dtype=np.float64), float(angle), _text(name))
            for kind, points, angle, name in details.get("marks", [])
        ),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise TypeError("text is wanted")
    return value


def _one_of(value: Any, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise ValueError(f"one of {', '.join(allowed)} is wanted")
    return value
