"""GarmentCode and Garment-Pattern-Generator JSON: outline, seams and placement in one file.

Facts of the format (Korosteleva and Lee 2021, Korosteleva and Sorkine-Hornung 2023): edges are known by
their place in the list; a relative control point is start + cx·e + cy·perp(e) with e = end − start;
rotation is Rz·Ry·Rx in degrees; a stitch joins start to end, unless it is marked ``right_wrong``.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import CurveKind, Edge, EdgeRef, Floats, Panel, Pattern, Placement, Seam
from toile.io.untrusted_files import parse_json
from toile.pattern.formats.garmentcode_extra import extra_from_pattern, whole_extra, whole_garment, with_extra
from toile.pattern.model import curves
from toile.pattern.model.angles import degrees_from_rotation, rotation_from_degrees
from toile.pattern.model.split import explode_polylines, one_to_one

FLOOR_HEIGHT = 0.8
"""placed cloth that reaches higher than this [m] was placed from the floor, not from the waist"""
PANEL_LIMIT, EDGE_LIMIT, STITCH_LIMIT = 500, 2_000, 10_000
_UNITS = 100.0


# ---------------------------------------------------------------------------- read


def parse(text: str, name: str, source: str) -> Pattern:
    """Return the pattern in a JSON text; ``source`` is the file's name for errors."""
    root = _object(parse_json(text, source), source, "the file")
    spec = _object(root.get("pattern"), source, "'pattern'")
    properties = _object(root.get("properties", {}), source, "'properties'")
    units = _number(properties.get("units_in_meter", _UNITS), f"{source}: units_in_meter")
    if not 1e-3 <= units <= 1e5:
        raise ToileError(f"{source}: units_in_meter is {units:g}: write 100 for centimetres")
    coordinates = properties.get("curvature_coords", "relative")
    if coordinates not in ("relative", "absolute"):
        raise ToileError(f"{source}: curvature_coords is {_show(coordinates)}: write relative or absolute")
    raw = _object(spec.get("panels"), source, "'pattern.panels'")
    if len(raw) > PANEL_LIMIT:
        raise ToileError(f"{source}: {len(raw)} panels, at most {PANEL_LIMIT} are accepted")
    panels = tuple(_panel(key, value, units, coordinates == "relative", source) for key, value in raw.items())
    stitches = _list(spec.get("stitches", []), f"{source}: 'pattern.stitches'", STITCH_LIMIT)
    seams = tuple(_seam(stitch, f"{source}: seam {k}") for k, stitch in enumerate(stitches, 1))
    pattern = Pattern(name, panels, seams, origin=_origin(panels))
    if "toile" not in root:
        return pattern
    return whole_garment(root["toile"], spec, source) or with_extra(pattern, root["toile"], source)


def _panel(name: str, raw: Any, units: float, relative: bool, source: str) -> Panel:
    where = f"{source}: panel '{name[:60]}'"
    panel = _object(raw, where, "it")
    vertices = _points(panel.get("vertices"), f"{where}, vertices") / units
    edges = tuple(
        _edge(edge, vertices, units, relative, f"{where}, edge {i}")
        for i, edge in enumerate(_list(panel.get("edges"), f"{where}, edges", EDGE_LIMIT))
    )
    return Panel(name, vertices, edges, _placement(panel, units, where), label=_word(panel.get("label")))


def _edge(raw: Any, vertices: Floats, units: float, relative: bool, where: str) -> Edge:
    edge = _object(raw, where, "it")
    ends = _list(edge.get("endpoints"), f"{where}, endpoints", 2)
    if len(ends) != 2:
        raise ToileError(f"{where}: endpoints must be two corner numbers")
    start, end = (_index(value, len(vertices), f"{where}: corner") for value in ends)
    kind, controls = _curve(
        edge.get("curvature"), vertices[start], vertices[end], units, relative, f"{where}, curvature"
    )
    return Edge(start, end, kind, controls, _word(edge.get("label")))


def _curve(
    raw: Any, start: Floats, end: Floats, units: float, relative: bool, where: str
) -> tuple[CurveKind, Floats]:
    none = np.zeros((0, 2))
    if raw is None:
        return "line", none
    if isinstance(raw, list):  # the old spelling of a quadratic curve
        raw = {"type": "quadratic", "params": [raw]}
    curve = _object(raw, where, "it")
    kind, params = curve.get("type"), _list(curve.get("params"), f"{where}, params", 3)
    if kind == "circle":
        return _circle(params, start, end, units, where)
    if kind not in ("quadratic", "cubic"):
        raise ToileError(f"{where}: type {_show(kind)} is unknown: write quadratic, cubic or circle")
    points = _points(params, f"{where}, params")
    if len(points) != (1 if kind == "quadratic" else 2):
        raise ToileError(f"{where}: a {kind} curve has {len(points)} control points")
    if not relative:
        return kind, points / units
    along = end - start
    across = np.array([-along[1], along[0]])
    return kind, start + points[:, :1] * along + points[:, 1:] * across


def _circle(
    params: list[Any], start: Floats, end: Floats, units: float, where: str
) -> tuple[CurveKind, Floats]:
    """Return the arc's middle point: radius, large_arc, right (the side of the chord where it bulges)."""
    if len(params) != 3:
        raise ToileError(f"{where}: a circle takes radius, large_arc, right")
    radius, large, right = (_number(value, where) for value in params)
    chord = end - start
    half = float(np.hypot(*chord)) / 2.0
    radius = abs(radius) / units
    if half <= 0.0 or not radius > 0.0:
        raise ToileError(f"{where}: a circle arc needs two different corners and a radius above 0")
    radius = max(radius, half)  # as SVG does: a radius too small for the chord is a half circle
    depth = math.sqrt((radius - half) * (radius + half))
    sagitta = radius + depth if large else half * half / (radius + depth)
    side = np.array([chord[1], -chord[0]]) if right else np.array([-chord[1], chord[0]])
    return "arc", ((start + end) / 2.0 + side * (sagitta / (2.0 * half)))[None]


def _placement(panel: dict[str, Any], units: float, where: str) -> Placement | None:
    if "translation" not in panel and "rotation" not in panel:
        return None
    translation = _vector(panel.get("translation", [0, 0, 0]), 3, f"{where}, translation") / units
    x, y, z = _vector(panel.get("rotation", [0, 0, 0]), 3, f"{where}, rotation")
    return Placement(translation, rotation_from_degrees(float(x), float(y), float(z)))


def _seam(raw: Any, where: str) -> Seam:
    stitch = _list(raw, where, 3)
    if len(stitch) < 2:
        raise ToileError(f"{where}: a stitch joins two edges")
    (panel_a, edge_a), (panel_b, edge_b) = (_side(side, where) for side in stitch[:2])
    same_way = len(stitch) > 2 and stitch[2] == "right_wrong"
    return Seam((EdgeRef(panel_a, edge_a),), (EdgeRef(panel_b, edge_b, reversed=not same_way),))


def _side(raw: Any, where: str) -> tuple[str, int]:
    side = _object(raw, where, "each side")
    panel = side.get("panel")
    if not isinstance(panel, str):
        raise ToileError(f"{where}: 'panel' is {_show(panel)}: write a panel's name")
    return panel, _index(side.get("edge"), EDGE_LIMIT, f"{where}, panel '{panel[:60]}': edge")


def _origin(panels: tuple[Panel, ...]) -> Any:
    """Return floor or waist: cloth placed from the floor reaches the hips, from the waist it never does."""
    tops = [
        float((p.placement.translation + p.vertices @ p.placement.rotation[:, :2].T)[:, 1].max())
        for p in panels
        if p.placement is not None and len(p.vertices)
    ]
    if not tops:
        return "unknown"
    return "floor" if max(tops) >= FLOOR_HEIGHT else "waist"


# ---------------------------------------------------------------------------- values


def _show(value: Any) -> str:
    return repr(value)[:40]


def _object(value: Any, where: str, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ToileError(f"{where}: {what} must be a JSON object, not {_show(value)}")
    return value


def _list(value: Any, where: str, limit: int) -> list[Any]:
    if not isinstance(value, list):
        raise ToileError(f"{where}: must be a list, not {_show(value)}")
    if len(value) > limit:
        raise ToileError(f"{where}: has {len(value)} entries, at most {limit} are accepted")
    return value


def _number(value: Any, where: str) -> float:
    if not isinstance(value, int | float):  # true and false are numbers here: flags of arcs
        raise ToileError(f"{where}: {_show(value)} is not a number")
    return float(value)


def _index(value: Any, count: int, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ToileError(f"{where} {_show(value)} is not a whole number")
    if not 0 <= value < count:
        raise ToileError(f"{where} {value} does not exist, there are 0 to {count - 1}")
    return value


def _vector(value: Any, size: int, where: str) -> Floats:
    numbers = _list(value, where, size)
    if len(numbers) != size:
        raise ToileError(f"{where}: {size} numbers are wanted, not {len(numbers)}")
    return np.array([_number(v, where) for v in numbers])


def _points(value: Any, where: str) -> Floats:
    rows = [_vector(point, 2, f"{where}, point {i}") for i, point in enumerate(_list(value, where, 10_000))]
    return np.array(rows).reshape(-1, 2)


def _word(value: Any) -> str:
    """Return a label on one line; anything but text is no label."""
    return "".join(c for c in value if c.isprintable())[:100] if isinstance(value, str) else ""


# ---------------------------------------------------------------------------- write


def to_json(pattern: Pattern) -> str:
    """Return the pattern as GarmentCode JSON in centimetres.

    The format joins single edges only: seams between chains are written edge by edge, edges being cut where
    their partners end, and polylines as straight edges. What the format cannot say (ease, holds, fabric,
    notches …) stands under the key ``toile``, which other programs ignore; so does the whole garment from
    before edges were cut, for as long as nobody changes the pieces.
    """
    simple = one_to_one(explode_polylines(pattern))
    pieces = {
        "panels": {panel.name: _panel_json(panel) for panel in simple.panels},
        "stitches": [_stitch_json(seam) for seam in simple.seams],
        "panel_order": [panel.name for panel in simple.panels],
    }
    spec = {
        "pattern": pieces,
        "properties": {
            "curvature_coords": "relative",
            "normalize_panel_translation": False,
            "units_in_meter": 100,
        },
        "parameters": {},
        "parameter_order": [],
        "toile": extra_from_pattern(simple) | whole_extra(pattern, simple, pieces),
    }
    return json.dumps(spec, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _panel_json(panel: Panel) -> dict[str, Any]:
    placement = panel.placement
    result: dict[str, Any] = {}
    if placement is not None:
        result["translation"] = (placement.translation * _UNITS).tolist()
        result["rotation"] = list(degrees_from_rotation(placement.rotation))
    result["vertices"] = (panel.vertices * _UNITS).tolist()
    result["edges"] = [_edge_json(panel, i) for i in range(len(panel.edges))]
    return result | ({"label": panel.label} if panel.label else {})


def _edge_json(panel: Panel, index: int) -> dict[str, Any]:
    edge = panel.edges[index]
    result: dict[str, Any] = {"endpoints": [edge.start, edge.end]}
    curvature = _curvature_json(edge.kind, curves.edge_points(panel, index))
    if curvature is not None:
        result["curvature"] = curvature
    return result | ({"label": edge.name} if edge.name else {})


def _curvature_json(kind: CurveKind, points: Floats) -> dict[str, Any] | None:
    start, along = points[0], points[-1] - points[0]
    if kind == "arc":
        half = abs(curves.arc_turn(points)) / 2.0
        if half < 1e-9:
            return None
        radius = float(np.hypot(*along)) / (2.0 * math.sin(half)) * _UNITS
        return {
            "type": "circle",
            "params": [radius, int(half > math.pi / 2), int(curves.arc_turn(points) < 0)],
        }
    if kind in ("quadratic", "cubic"):
        frame = np.array([along, [-along[1], along[0]]])
        relative = (points[1:-1] - start) @ frame.T / float(along @ along)
        return {"type": kind, "params": relative.tolist()}
    return None


def _stitch_json(seam: Seam) -> list[Any]:
    a, b = seam.a[0], seam.b[0]
    stitch: list[Any] = [{"panel": ref.panel, "edge": ref.edge} for ref in (a, b)]
    return [*stitch, "right_wrong"] if a.reversed == b.reversed else stitch
