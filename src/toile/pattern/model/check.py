"""Whether a pattern can be sewn at all; every error is one line that says where and what to do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import shapely

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Floats, Panel, Pattern, Seam
from toile.pattern.model import curves

ORIGINS = ("floor", "waist", "body", "unknown")
MARKS = ("internal", "guide", "fold", "cutout", "sew", "drill", "cut")
WHERE = ("out", "start", "end")
"""what a grade rule moves"""
PANEL_LIMIT = 500
EDGE_LIMIT = 2_000
"""edges of one panel"""
POINT_LIMIT = 50_000
"""control and corner points of one panel"""
PATTERN_POINT_LIMIT = 500_000
SEAM_LIMIT = 10_000
SIZE_LIMIT = 100
GRADE_LIMIT = 0.2
"""largest change from one size to the next [m]"""
NAME_LIMIT = 120
LABEL_LIMIT = 1_000
PANEL_SIZE = 20.0
"""[m]"""
PLACE_LIMIT = 50.0
"""distance of a placement from the origin [m]"""
EDGE_SHORTEST = 1e-4
"""[m]"""
SPIKE_WIDTH, SPIKE_LENGTH = 1e-4, 0.01
"""a corner whose sides are no farther apart than this after that way along them encloses no cloth [m]"""
AREA_SMALLEST = 1e-6
"""[m²]"""


def check_pattern(pattern: Pattern, source: str = "") -> None:
    """Raise ToileError for the first thing that makes the pattern impossible to cut or sew.

    ``source`` is the file's name, put in front of the message.
    """
    where = f"{source}: " if source else ""
    _check_counts(pattern, where)
    _check_names(pattern, where)
    for panel in pattern.panels:
        _check_panel(panel, f"{where}panel '{panel.name}'")
    _check_seams(pattern, where)
    _check_holds(pattern, where)
    _check_grades(pattern, where)


def describe_edge(panel: Panel, index: int) -> str:
    """Return what an error calls an edge: its position and its name."""
    name = panel.edges[index].name
    return f"edge {index} ({name})" if name else f"edge {index}"


def describe_seam(seam: Seam, index: int) -> str:
    """Return what people call a seam: its number, counted from 1, and its name."""
    return f"seam {index + 1} ({seam.name})" if seam.name else f"seam {index + 1}"


# ---------------------------------------------------------------------------- counts, names


def _check_counts(pattern: Pattern, where: str) -> None:
    if not pattern.panels:
        raise ToileError(f"{where}the pattern has no panels: nothing to sew")
    points = [len(p.vertices) + sum(len(e.controls) for e in p.edges) for p in pattern.panels]
    points = [n + sum(len(m.points) for m in p.marks) for n, p in zip(points, pattern.panels, strict=True)]
    for count, limit, what in (
        (len(pattern.panels), PANEL_LIMIT, "panels"),
        (len(pattern.seams), SEAM_LIMIT, "seams"),
        (len(pattern.holds), SEAM_LIMIT, "holds"),
        (sum(points), PATTERN_POINT_LIMIT, "points"),
    ):
        if count > limit:
            raise ToileError(f"{where}the pattern has {count} {what}, at most {limit} are accepted")
    for panel, count in zip(pattern.panels, points, strict=True):
        if len(panel.edges) > EDGE_LIMIT or count > POINT_LIMIT:
            raise ToileError(
                f"{where}panel '{panel.name[:NAME_LIMIT]}' has {len(panel.edges)} edges and {count} points, "
                f"at most {EDGE_LIMIT} and {POINT_LIMIT} are accepted"
            )


def _check_names(pattern: Pattern, where: str) -> None:
    names = [("pattern name", pattern.name, True)]
    names += [("note", note[:NAME_LIMIT], True) for note in pattern.notes]
    names += [("panel name", p.name, False) for p in pattern.panels]
    names += [("edge name", e.name, True) for p in pattern.panels for e in p.edges]
    names += [("seam name", s.name, True) for s in pattern.seams]
    names += [("size", size, False) for size in pattern.sizes]
    names += [("tuck", pattern.tuck, True), ("recipe", pattern.recipe, True)]
    for what, name, may_be_empty in names:
        if not (name or may_be_empty) or len(name) > NAME_LIMIT or not name.isprintable():
            raise ToileError(
                f"{where}{what} {name[:30]!r} is not usable: write 1 to {NAME_LIMIT} printable characters"
            )
    seen: set[str] = set()
    for panel in pattern.panels:
        if panel.name in seen:
            raise ToileError(f"{where}two panels are called '{panel.name}': rename one")
        seen.add(panel.name)


# ---------------------------------------------------------------------------- panels


def _check_panel(panel: Panel, where: str) -> None:
    _check_loop(panel, where)
    _check_size(panel, where)
    for i, edge in enumerate(panel.edges):
        if edge.kind == "arc":
            _check_arc(panel, i, where)
        length = curves.edge_length(panel, i)
        if not EDGE_SHORTEST <= length <= 4 * PANEL_SIZE:
            raise ToileError(
                f"{where}, {describe_edge(panel, i)}: its length is {length * 100:.4g} cm, "
                f"wanted {EDGE_SHORTEST * 100:g} to {400 * PANEL_SIZE:g} cm: remove or redraw it"
            )
    _check_crossing(panel, where)
    _check_spikes(panel, where)
    size = abs(curves.area(panel))
    if not size >= AREA_SMALLEST:
        raise ToileError(f"{where}: its area is only {size * 1e4:.3g} cm²: the outline encloses nothing")
    _check_details(panel, where)


def _check_loop(panel: Panel, where: str) -> None:
    if len(panel.edges) < 2:
        raise ToileError(f"{where} has {len(panel.edges)} edges: a closed outline needs at least 2")
    for i, edge in enumerate(panel.edges):
        for end in (edge.start, edge.end):
            if not 0 <= end < len(panel.vertices):
                raise ToileError(
                    f"{where}, {describe_edge(panel, i)}: corner {end} does not exist, "
                    f"the panel has corners 0 to {len(panel.vertices) - 1}"
                )
    for i, edge in enumerate(panel.edges):
        after = (i + 1) % len(panel.edges)
        if edge.end != panel.edges[after].start:
            raise ToileError(
                f"{where}: the outline is open between {describe_edge(panel, i)} (ends at corner {edge.end}) "
                f"and {describe_edge(panel, after)} (starts at corner {panel.edges[after].start}): "
                "let each edge end where the next starts"
            )
    for corner, count in Counter(edge.start for edge in panel.edges).items():
        if count > 1:
            raise ToileError(f"{where}: the outline passes corner {corner} twice: it must be a simple loop")


def _check_size(panel: Panel, where: str) -> None:
    points = np.vstack([panel.vertices, *[e.controls for e in panel.edges]])
    if not np.isfinite(points).all():
        raise ToileError(f"{where}: a coordinate is NaN or infinite: write a number")
    if np.abs(points).max() > PLACE_LIMIT:
        raise ToileError(
            f"{where}: a coordinate is {np.abs(points).max():.4g} m from the panel's origin: check the units"
        )
    width, height = np.ptp(panel.vertices[[e.start for e in panel.edges]], axis=0)
    if max(width, height) > PANEL_SIZE:
        raise ToileError(
            f"{where} is {width:.4g} m × {height:.4g} m, at most {PANEL_SIZE:g} m is accepted: "
            "check the units"
        )


def _check_arc(panel: Panel, index: int, where: str) -> None:
    points = curves.edge_points(panel, index)
    gaps = np.hypot(*np.diff(points[[0, 1, 2, 0]], axis=0).T)
    turn = abs(curves.arc_turn(points))
    if gaps.min() < 1e-9 or turn > 2.0 * math.pi - 1e-6:
        raise ToileError(
            f"{where}, {describe_edge(panel, index)}: no arc runs from its start to its end through "
            f"({points[1, 0]:.6g}, {points[1, 1]:.6g}) m: move that point between them"
        )


def _check_crossing(panel: Panel, where: str) -> None:
    parts = [curves.flatten_edge(panel, i, 2e-4)[:-1] for i in range(len(panel.edges))]
    ring = np.concatenate(parts)
    if len(ring) < 3:
        raise ToileError(f"{where}: the outline encloses nothing")
    if shapely.is_simple(shapely.linearrings(ring)):
        return
    first, second, at = _find_crossing(parts)
    raise ToileError(
        f"{where}: the outline crosses or touches itself near ({at[0] * 100:.2f}, {at[1] * 100:.2f}) cm, "
        f"between {describe_edge(panel, first)} and {describe_edge(panel, second)}: redraw one of them"
    )


def _check_spikes(panel: Panel, where: str) -> None:
    """Refuse corners where the outline turns back along itself, outward or inward."""
    ring = np.concatenate([curves.flatten_edge(panel, i, 2e-4)[:-1] for i in range(len(panel.edges))])
    back, ahead = np.roll(ring, 1, axis=0) - ring, np.roll(ring, -1, axis=0) - ring
    way = np.minimum(np.hypot(*back.T), np.hypot(*ahead.T))
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.hypot(*(back / np.hypot(*back.T)[:, None] - ahead / np.hypot(*ahead.T)[:, None]).T) * way
    spikes = np.flatnonzero((apart < SPIKE_WIDTH) & (way > SPIKE_LENGTH))
    if len(spikes):
        x, y = 100.0 * ring[spikes[0]]
        raise ToileError(
            f"{where}: a spike at ({x:.2f}, {y:.2f}) cm: its sides lie within {1000 * SPIKE_WIDTH:g} mm of "
            "each other: remove the corner"
        )


def _find_crossing(parts: list[Floats]) -> tuple[int, int, tuple[float, float]]:
    """Return the two edges that meet where they should not, and the place [m]."""
    closed = [np.vstack([part, parts[(i + 1) % len(parts)][0]]) for i, part in enumerate(parts)]
    lines = np.array([shapely.linestrings(points) for points in closed])
    for i, line in enumerate(lines):
        if not shapely.is_simple(line):
            x, y = closed[i].mean(axis=0)
            return i, i, (float(x), float(y))
    tree = shapely.STRtree(lines)
    for i, line in enumerate(lines):
        for j in sorted(int(j) for j in tree.query(line, predicate="intersects") if j > i):
            shared = [closed[i][0], closed[i][-1]] if j - i in (1, len(parts) - 1) else []
            meet = shapely.intersection(line, lines[j])
            for x, y in shapely.get_coordinates(meet):
                if all(math.hypot(x - c[0], y - c[1]) > 1e-9 for c in shared):
                    return i, j, (float(x), float(y))
    x, y = parts[0][0]
    return 0, 0, (float(x), float(y))


def _check_details(panel: Panel, where: str) -> None:
    if not math.isfinite(panel.grain):
        raise ToileError(f"{where}: the grain angle is not a number")
    around = panel.placement.around if panel.placement else ""
    for text in (
        panel.label,
        panel.fabric,
        around,
        *(n.name for n in panel.notches),
        *(m.name for m in panel.marks),
    ):
        if len(text) > LABEL_LIMIT or not text.isprintable():
            raise ToileError(f"{where}: the text {text[:30]!r} is too long or holds unprintable characters")
    for k, notch in enumerate(panel.notches):
        if not 0 <= notch.edge < len(panel.edges) or not 0.0 <= notch.fraction <= 1.0:
            raise ToileError(
                f"{where}: notch {k} is on edge {notch.edge} at {notch.fraction:g}: wanted edge 0 to "
                f"{len(panel.edges) - 1} and a place between 0 and 1"
            )
    for k, mark in enumerate(panel.marks):
        if not len(mark.points) or np.abs(mark.points).max() > PLACE_LIMIT or not math.isfinite(mark.angle):
            raise ToileError(f"{where}: {mark.kind} line {k} has no points, or they lie far outside")
    _check_placement(panel, where)


def _check_placement(panel: Panel, where: str) -> None:
    if panel.placement is None:
        return
    far = float(np.abs(panel.placement.translation).max())
    if far > PLACE_LIMIT:
        raise ToileError(f"{where}: it is placed {far:.4g} m away: check the units")
    rotation = panel.placement.rotation
    if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6) or np.linalg.det(rotation) < 0.0:
        raise ToileError(f"{where}: its placement is not a rotation: no scale, shear or mirror")


# ---------------------------------------------------------------------------- seams, holds


def _check_seams(pattern: Pattern, where: str) -> None:
    user: dict[tuple[str, int], str] = {}
    panels = {panel.name: panel for panel in pattern.panels}
    for k, seam in enumerate(pattern.seams):
        name = describe_seam(seam, k)
        if not seam.a or not seam.b:
            raise ToileError(f"{where}{name} has an empty side: name an edge on both sides")
        if seam.ease is not None and not (math.isfinite(seam.ease) and 0.05 <= seam.ease <= 20.0):
            raise ToileError(f"{where}{name}: ease {seam.ease:g} is not a ratio between 0.05 and 20")
        for ref in (*seam.a, *seam.b):
            _check_ref(panels, ref, f"{where}{name}")
            key = (ref.panel, ref.edge)
            if key in user:
                edge = describe_edge(panels[ref.panel], ref.edge)
                raise ToileError(
                    f"{where}panel '{ref.panel}', {edge} is in two seams, {user[key]} and {name}: remove one"
                    if user[key] != name
                    else f"{where}{name}: panel '{ref.panel}', {edge} is named twice: remove one"
                )
            user[key] = name


def _check_ref(panels: dict[str, Panel], ref: EdgeRef, where: str) -> None:
    if ref.panel not in panels:
        raise ToileError(
            f"{where} names panel '{ref.panel}', which does not exist: the panels are {_some(panels)}"
        )
    count = len(panels[ref.panel].edges)
    if not 0 <= ref.edge < count:
        raise ToileError(
            f"{where} names edge {ref.edge} of panel '{ref.panel}', which does not exist: "
            f"the panel has edges 0 to {count - 1}"
        )


def _some(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")


def _check_holds(pattern: Pattern, where: str) -> None:
    panels = {panel.name: panel for panel in pattern.panels}
    for k, hold in enumerate(pattern.holds):
        _check_ref(panels, hold.edge, f"{where}hold {k}")
        if hold.kind not in ("pin", "elastic"):
            raise ToileError(f"{where}hold {k}: '{hold.kind}' is unknown: write pin or elastic")
        if not (math.isfinite(hold.ratio) and 0.1 <= hold.ratio <= 2.0):
            raise ToileError(f"{where}hold {k}: ratio {hold.ratio:g} is not between 0.1 and 2")


def _check_grades(pattern: Pattern, where: str) -> None:
    panels = {panel.name: panel for panel in pattern.panels}
    if len(pattern.grades) > SEAM_LIMIT or len(pattern.sizes) > SIZE_LIMIT:
        raise ToileError(f"{where}more than {SEAM_LIMIT} grade rules or {SIZE_LIMIT} sizes")
    if len(set(pattern.sizes)) < len(pattern.sizes):
        raise ToileError(f"{where}a size is named twice: {_some(pattern.sizes)}")
    if pattern.sizes and pattern.size not in pattern.sizes:
        raise ToileError(
            f"{where}the drawn size '{pattern.size[:20]}' is not one of the sizes {_some(pattern.sizes)}: "
            "write 'size' with one of them"
        )
    for k, grade in enumerate(pattern.grades):
        _check_ref(panels, grade.edge, f"{where}grade rule {k}")
        if grade.where not in WHERE or not max(abs(grade.x), abs(grade.y)) <= GRADE_LIMIT:
            raise ToileError(
                f"{where}grade rule {k}: {100 * grade.x:g} {100 * grade.y:g} cm per size is too much"
            )
