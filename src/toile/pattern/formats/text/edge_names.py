"""How edges are called in a garment text file: by name or number, parts of an edge with their lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Panel, Pattern
from toile.pattern.formats.text.words import length_text, quote
from toile.pattern.grading.rules import moved_out
from toile.pattern.model import curves
from toile.pattern.model.mirror import mirror_panel

_SAME = 1e-7
"""lengths nearer than this are equal [m]"""

Span = tuple[int, float, float]
"""edge, where on it a part begins and where it ends [m]"""


class EdgeNames:
    """The names of a pattern's edges, in the numbering of the file that its seam file goes with.

    Where a pattern's edges were cut to sew only a part of them, that file still has the whole edges.
    """

    def __init__(self, pattern: Pattern, base: Pattern | None = None) -> None:
        """Find which edges of the base are in pieces; without a base edges are called as they are."""
        self._panel: dict[str, Panel] = {}
        self._span: dict[str, list[Span]] = {}
        for panel in pattern.panels:
            whole = source_panel(panel, base) if base else panel
            self._panel[panel.name] = whole
            self._span[panel.name] = _spans(panel, whole)

    def names(self, panel: Panel) -> list[tuple[int, str]]:
        """Return number and name of the named edges of a panel."""
        spans = self._span[panel.name]
        return list(
            {i: edge.name for (i, _, _), edge in zip(spans, panel.edges, strict=True) if edge.name}.items()
        )

    def chain(self, refs: Sequence[EdgeRef]) -> str:
        """Return the edges of one side of a seam, as a seam line has them."""
        words: list[tuple[str, bool, Span]] = []
        for ref in refs:
            span = self._span[ref.panel][ref.edge]
            if (
                words
                and words[-1][:2] == (ref.panel, ref.reversed)
                and (joined := _joined(words[-1][2], span))
            ):
                words[-1] = (ref.panel, ref.reversed, joined)
            else:
                words.append((ref.panel, ref.reversed, span))
        return ", ".join(self._word(*word) for word in words)

    def _word(self, name: str, backwards: bool, span: Span) -> str:
        edge, low, high = span
        panel = self._panel[name]
        called = panel.edges[edge].name
        alone = called and sum(e.name == called for e in panel.edges) == 1
        part = ""
        if low > 0.0 or high < curves.edge_length(panel, edge) - _SAME:
            ends = length_text(low) if low else "", length_text(high)
            part = f"[{ends[0]}..{ends[1] if high < curves.edge_length(panel, edge) - _SAME else ''}]"
        return f"{'-' if backwards else ''}{quote(name)}.{quote(called) if alone else edge}{part}"


def _joined(a: Span, b: Span) -> Span | None:
    """Return two parts of one edge that follow one another as one."""
    if a[0] != b[0]:
        return None
    first, second = (a, b) if a[1] < b[1] else (b, a)
    return (a[0], first[1], second[2]) if abs(first[2] - second[1]) < _SAME else None


def source_panel(panel: Panel, base: Pattern) -> Panel:
    """Return the piece of a file that a panel is, as the twin of another one if need be."""
    for candidate in base.panels:
        if candidate.name == panel.name:
            return candidate
    for candidate in base.panels:
        twin = mirror_panel(candidate, panel.name)
        if _outlines(twin, panel):
            return twin
    raise ToileError(f"panel '{panel.name}' is neither in the file nor a twin: save the whole as .txt")


def moved_edge(panel: Panel, whole: Panel) -> tuple[int, float] | None:
    """Return the edge that was moved outward to make one panel of another, and how far; None: no edge was."""
    if panel.vertices.shape != whole.vertices.shape or np.array_equal(panel.vertices, whole.vertices):
        return None
    gone = np.flatnonzero(np.hypot(*(panel.vertices - whole.vertices).T) > 1e-9)
    for i, edge in enumerate(whole.edges):
        if sorted((edge.start, edge.end)) == sorted(gone):
            one = moved_out(whole, i, 1e-3).vertices - whole.vertices
            step = float(np.vdot(panel.vertices - whole.vertices, one) / np.vdot(one, one)) * 1e-3
            if np.allclose(moved_out(whole, i, step).vertices, panel.vertices, atol=1e-9):
                return i, step
    raise ToileError(f"panel '{panel.name}' was redrawn: save the whole pattern as .txt")


def _outlines(whole: Panel, panel: Panel) -> bool:
    """Return whether a panel has the corners of another, perhaps with some edges cut in pieces."""
    gaps = whole.vertices[:, None] - panel.vertices[None]
    return bool(np.all(np.hypot(gaps[..., 0], gaps[..., 1]).min(axis=1) < 1e-9))


def _spans(panel: Panel, whole: Panel) -> list[Span]:
    """Return for each edge of a panel which part of which edge of the whole it is."""
    if len(panel.edges) == len(whole.edges):
        return [(i, 0.0, curves.edge_length(whole, i)) for i in range(len(whole.edges))]
    spans: list[Span] = []
    edge, at = 0, 0.0
    for i in range(len(panel.edges)):
        end = at + curves.edge_length(panel, i)
        spans.append((edge, at, end))
        whole_length = curves.edge_length(whole, min(edge, len(whole.edges) - 1))
        edge, at = (edge + 1, 0.0) if end > whole_length - _SAME else (edge, end)
    if edge != len(whole.edges):
        raise ToileError(f"panel '{panel.name}' was redrawn: save the whole pattern as .txt")
    return spans
