"""Edits of corners, edges, curves and what is marked on a piece: function(pattern, edit) → new pattern."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Edge, EdgeRef, Floats, Mark, Notch, Panel, Pattern, Seam
from toile.pattern.model import curves
from toile.pattern.model.split import split_edges
from toile.studio import commands as c


def with_panel(pattern: Pattern, panel: Panel) -> Pattern:
    """Return the pattern with a piece in the place of the one of its name."""
    return replace(pattern, panels=tuple(panel if p.name == panel.name else p for p in pattern.panels))


def edge_of(panel: Panel, number: int) -> Edge:
    """Return an edge by its number."""
    _within([number], len(panel.edges), "edge", panel)
    return panel.edges[number]


def _within(numbers: Iterable[int], count: int, what: str, panel: Panel) -> None:
    for number in numbers:
        if not 0 <= number < count:
            raise ToileError(f"piece '{panel.name}' has no {what} {number}: it has {count}")


def _moved(panel: Panel, points: set[int], by: c.Point, edges: set[int]) -> Panel:
    """Return the piece with corners moved; curves keep their shape between their ends.

    edges are moved as they are; of the others a control point goes along with the corner that it is near to.
    """
    way = np.array(by)
    vertices = np.array(panel.vertices)
    vertices[sorted(points)] += way
    new = []
    for number, edge in enumerate(panel.edges):
        share = _shares(panel, number)
        if number in edges:
            share = np.ones_like(share)
        else:
            share = (edge.start in points) * (1 - share) + (edge.end in points) * share
        new.append(replace(edge, controls=edge.controls + share[:, None] * way))
    return replace(panel, vertices=vertices, edges=tuple(new))


def _shares(panel: Panel, number: int) -> Floats:
    """Return how far along its edge each control point lies, 0 at the start, 1 at the end."""
    points = curves.edge_points(panel, number)
    chord = points[-1] - points[0]
    along = (points[1:-1] - points[0]) @ chord / max(float(chord @ chord), 1e-18)
    return np.asarray(np.clip(along, 0.0, 1.0))


def move_points(pattern: Pattern, edit: c.MovePoints) -> Pattern:
    """Move corners."""
    panel = pattern.panel(edit.piece)
    _within(edit.points, len(panel.vertices), "corner", panel)
    points = set(edit.points)
    whole = {k for k, edge in enumerate(panel.edges) if edge.start in points and edge.end in points}
    return with_panel(pattern, _moved(panel, points, edit.by, whole))


def move_edges(pattern: Pattern, edit: c.MoveEdges) -> Pattern:
    """Move edges with their corners."""
    panel = pattern.panel(edit.piece)
    _within(edit.edges, len(panel.edges), "edge", panel)
    points = {end for k in edit.edges for end in (panel.edges[k].start, panel.edges[k].end)}
    return with_panel(pattern, _moved(panel, points, edit.by, set(edit.edges)))


def set_curve(pattern: Pattern, edit: c.SetCurve) -> Pattern:
    """Give an edge another curve."""
    panel = pattern.panel(edit.piece)
    old = edge_of(panel, edit.edge)
    new = Edge(old.start, old.end, edit.kind, np.array(edit.controls).reshape(-1, 2), old.name)
    edges = tuple(new if k == edit.edge else edge for k, edge in enumerate(panel.edges))
    return with_panel(pattern, replace(panel, edges=edges))


def set_length(pattern: Pattern, edit: c.SetLength) -> Pattern:
    """Make an edge so long; a curve's chord grows until its length is right."""
    panel = pattern.panel(edit.piece)
    edge = edge_of(panel, edit.edge)
    for _ in range(30):
        chord = panel.vertices[edge.end] - panel.vertices[edge.start]
        missing = edit.length - curves.edge_length(panel, edit.edge)
        if abs(missing) < 1e-9:
            break
        x, y = (missing * chord / max(float(np.hypot(*chord)), 1e-9)).tolist()
        panel = _moved(panel, {edge.end}, (x, y), set())
    return with_panel(pattern, panel)


def add_point(pattern: Pattern, edit: c.AddPoint) -> Pattern:
    """Cut an edge in two."""
    edge_of(pattern.panel(edit.piece), edit.edge)
    return split_edges(pattern, {(edit.piece, edit.edge): (edit.fraction,)})


def delete_point(pattern: Pattern, edit: c.DeletePoint) -> Pattern:
    """Join the two edges that meet at a corner."""
    panel = pattern.panel(edit.piece)
    after = next((k for k, edge in enumerate(panel.edges) if edge.start == edit.point), -1)
    if after < 0:
        raise ToileError(f"piece '{panel.name}' has no corner {edit.point}")
    if len(panel.edges) <= 3:
        raise ToileError(f"piece '{panel.name}' has only {len(panel.edges)} edges: no corner can go")
    before = (after - 1) % len(panel.edges)
    first, second = panel.edges[before], panel.edges[after]
    joined = Edge(first.start, second.end, "line", np.zeros((0, 2)), first.name)
    edges = [joined if k == before else e for k, e in enumerate(panel.edges) if k != after]
    numbers = {k: (before if k == after else k) - (k > after) for k in range(len(panel.edges))}
    numbers[after] = before - (before > after)
    numbers[before] = before - (before > after)
    slim = without_spare_corners(replace(panel, edges=tuple(edges), notches=()))
    kept = tuple(replace(n, edge=numbers[n.edge]) for n in panel.notches if n.edge not in (before, after))
    return renumbered(with_panel(pattern, replace(slim, notches=kept)), panel.name, numbers)


def without_spare_corners(panel: Panel) -> Panel:
    """Return the piece without corners that no edge begins at."""
    used = sorted({edge.start for edge in panel.edges})
    place = {old: new for new, old in enumerate(used)}
    edges = tuple(replace(e, start=place[e.start], end=place[e.end]) for e in panel.edges)
    return replace(panel, vertices=panel.vertices[used], edges=edges)


def renumbered(pattern: Pattern, piece: str, numbers: dict[int, int]) -> Pattern:
    """Return the pattern with other numbers for a piece's edges in seams, holds and grades.

    What ran along an edge that is not among the numbers is gone; what runs along one edge twice, runs once.
    """

    def chain(refs: tuple[EdgeRef, ...]) -> tuple[EdgeRef, ...]:
        found: list[EdgeRef] = []
        for ref in refs:
            if ref.panel == piece:
                if ref.edge not in numbers:
                    return ()
                ref = replace(ref, edge=numbers[ref.edge])
            if not found or ref != found[-1]:
                found.append(ref)
        return tuple(found)

    seams = [replace(seam, a=chain(seam.a), b=chain(seam.b)) for seam in pattern.seams]
    holds = [replace(hold, edge=ref) for hold in pattern.holds for ref in chain((hold.edge,))]
    grades = [replace(grade, edge=ref) for grade in pattern.grades for ref in chain((grade.edge,))]
    return replace(
        pattern, seams=tuple(s for s in seams if s.a and s.b), holds=tuple(holds), grades=tuple(grades)
    )


def add_dart(pattern: Pattern, edit: c.AddDart) -> Pattern:
    """Cut a dart into an edge; its legs are sewn."""
    panel = pattern.panel(edit.piece)
    edge_of(panel, edit.edge)
    length = curves.edge_length(panel, edit.edge)
    half = 0.5 * edit.width / length
    low, high = edit.fraction - half, edit.fraction + half
    if not (low > 0.0 and high < 1.0):
        raise ToileError(
            f"a dart of {100 * edit.width:g} cm does not fit there: the edge is {100 * length:.3g} cm"
        )
    cut = split_edges(pattern, {(edit.piece, edit.edge): (low, high)})
    panel, middle = cut.panel(edit.piece), edit.edge + 1
    mouth = curves.edge_points(panel, middle)
    way = mouth[-1] - mouth[0]
    inward = np.array([-way[1], way[0]]) / np.hypot(*way) * curves.orientation(panel)
    tip = 0.5 * (mouth[0] + mouth[-1]) + edit.depth * inward
    # the mouth becomes two legs
    taken = panel.edges[middle]
    number = len(panel.vertices)
    legs = (Edge(taken.start, number, name="dart"), Edge(number, taken.end, name="dart"))
    edges = (*panel.edges[:middle], *legs, *panel.edges[middle + 1 :])
    notches = tuple(replace(n, edge=n.edge + (n.edge > middle)) for n in panel.notches if n.edge != middle)
    sharp = replace(panel, vertices=np.vstack([panel.vertices, tip]), edges=edges, notches=notches)
    numbers = {k: k + (k > middle) for k in range(len(panel.edges)) if k != middle}
    shifted = renumbered(_without_edge(with_panel(cut, sharp), edit.piece, middle), edit.piece, numbers)
    seam = Seam((EdgeRef(edit.piece, middle),), (EdgeRef(edit.piece, middle + 1, True),), name="dart")
    return replace(shifted, seams=(*shifted.seams, seam))


def _without_edge(pattern: Pattern, piece: str, edge: int) -> Pattern:
    """Return the pattern whose seams leave an edge of a piece out, and nothing else."""

    def chain(refs: tuple[EdgeRef, ...]) -> tuple[EdgeRef, ...]:
        return tuple(ref for ref in refs if (ref.panel, ref.edge) != (piece, edge))

    seams = [replace(seam, a=chain(seam.a), b=chain(seam.b)) for seam in pattern.seams]
    return replace(pattern, seams=tuple(s for s in seams if s.a and s.b))


def add_notch(pattern: Pattern, edit: c.AddNotch) -> Pattern:
    """Mark a place of an edge."""
    panel = pattern.panel(edit.piece)
    edge_of(panel, edit.edge)
    notch = Notch(edit.edge, edit.fraction, edit.name)
    return with_panel(pattern, replace(panel, notches=(*panel.notches, notch)))


def delete_notch(pattern: Pattern, edit: c.DeleteNotch) -> Pattern:
    """Take a notch away."""
    panel = pattern.panel(edit.piece)
    _within([edit.notch], len(panel.notches), "notch", panel)
    kept = tuple(n for k, n in enumerate(panel.notches) if k != edit.notch)
    return with_panel(pattern, replace(panel, notches=kept))


def set_grain(pattern: Pattern, edit: c.SetGrain) -> Pattern:
    """Turn the warp."""
    return with_panel(pattern, replace(pattern.panel(edit.piece), grain=edit.angle))


def add_line(pattern: Pattern, edit: c.AddLine) -> Pattern:
    """Draw a line inside a piece."""
    panel = pattern.panel(edit.piece)
    if len(edit.points) < (3 if edit.kind == "cutout" else 2):
        raise ToileError(f"a line of kind {edit.kind} has more than {len(edit.points)} points")
    mark = Mark(edit.kind, np.array(edit.points), edit.angle)
    return with_panel(pattern, replace(panel, marks=(*panel.marks, mark)))


def delete_line(pattern: Pattern, edit: c.DeleteLine) -> Pattern:
    """Take an inner line away."""
    panel = pattern.panel(edit.piece)
    _within([edit.line], len(panel.marks), "line", panel)
    kept = tuple(m for k, m in enumerate(panel.marks) if k != edit.line)
    return with_panel(pattern, replace(panel, marks=kept))
