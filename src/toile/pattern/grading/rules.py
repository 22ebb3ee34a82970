"""Grading by rules: what edges and corners do from one size to the next.

A corner moves as its own rule says, else so that both edges that meet there come to lie where theirs say;
an edge without a rule slides along itself. Between its ends an edge follows them evenly.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Floats, Grade, Panel, Pattern
from toile.pattern.model import curves

PARALLEL = 0.2
"""sine of the angle between two edges under which they count as one line"""


def graded(pattern: Pattern, size: str) -> Pattern:
    """Return the pattern in one of its sizes, drawn by its grade rules."""
    if size not in pattern.sizes:
        known = ", ".join(pattern.sizes) or "no sizes"
        raise ToileError(f"pattern {pattern.name}: no size '{size[:20]}': it holds {known}")
    steps = pattern.sizes.index(size) - pattern.sizes.index(pattern.size)
    if steps == 0:
        return pattern
    panels = tuple(
        _graded_panel(panel, [g for g in pattern.grades if g.edge.panel == panel.name], steps)
        for panel in pattern.panels
    )
    return replace(pattern, panels=panels, size=size)


def moved_out(panel: Panel, edge: int, distance: float) -> Panel:
    """Return a panel with one edge moved outward [m], inward if negative; its neighbours end there."""
    return _graded_panel(panel, [Grade(EdgeRef(panel.name, edge), "out", distance)], 1)


def _graded_panel(panel: Panel, rules: list[Grade], steps: int) -> Panel:
    if not rules:
        return panel
    move = steps * _corner_moves(panel, rules)
    vertices = panel.vertices + move
    edges = []
    for edge in panel.edges:
        share = (np.arange(len(edge.controls)) + 1.0)[:, None] / (len(edge.controls) + 1.0)
        shift = (1.0 - share) * move[edge.start] + share * move[edge.end]
        edges.append(replace(edge, controls=edge.controls + shift))
    marks = tuple(
        replace(mark, points=_carried(mark.points, panel.vertices, vertices)) for mark in panel.marks
    )
    return replace(panel, vertices=vertices, edges=tuple(edges), marks=marks)


def _corner_moves(panel: Panel, rules: list[Grade]) -> Floats:
    """Return how far each corner moves per size [m], (n, 2)."""
    out = {rule.edge.edge: rule.x for rule in rules if rule.where == "out"}
    move = np.zeros_like(panel.vertices)
    before = {edge.end: i for i, edge in enumerate(panel.edges)}
    for i, edge in enumerate(panel.edges):
        pair = (before[edge.start], i)
        if any(k in out for k in pair):
            normals = np.array([_normal(panel, pair[0], 1.0), _normal(panel, pair[1], 0.0)])
            move[edge.start] = _meeting(normals, np.array([out.get(k, 0.0) for k in pair]))
    for rule in rules:
        if rule.where != "out":
            edge = panel.edges[rule.edge.edge]
            move[edge.start if rule.where == "start" else edge.end] = (rule.x, rule.y)
    return move


def _meeting(normals: Floats, out: Floats) -> Floats:
    """Return the move of a corner that shifts both its edges outward [m], (2,)."""
    sine = abs(normals[0, 0] * normals[1, 1] - normals[0, 1] * normals[1, 0])
    if sine < PARALLEL:
        return np.asarray((normals * out[:, None]).mean(axis=0))
    return np.asarray(np.linalg.solve(normals, out))


def _normal(panel: Panel, edge: int, at: float) -> Floats:
    """Return the outward normal of an edge near its start (0) or its end (1), (2,)."""
    near = curves.sample_edge(panel, edge, [0.0, 0.02] if at == 0.0 else [0.98, 1.0])
    along = near[1] - near[0]
    along = along / max(float(np.hypot(*along)), 1e-12)
    return np.array([along[1], -along[0]]) * curves.orientation(panel)


def _carried(points: Floats, old: Floats, new: Floats) -> Floats:
    """Return points inside a panel moved as its corners moved on the whole [m], (k, 2)."""
    ones = np.ones((len(old), 1))
    matrix = np.linalg.lstsq(np.hstack([old, ones]), new - old, rcond=None)[0]
    return np.asarray(points + np.hstack([points, np.ones((len(points), 1))]) @ matrix)
