"""Lengths along seams, sizes of pieces."""

from __future__ import annotations

import numpy as np

from toile.core.records import EdgeRef, Panel, Pattern, Seam
from toile.pattern.model import curves


def chain_length(pattern: Pattern, chain: tuple[EdgeRef, ...]) -> float:
    """Return the length of a chain of edges [m]."""
    return sum(curves.edge_length(pattern.panel(ref.panel), ref.edge) for ref in chain)


def seam_lengths(pattern: Pattern, seam: Seam) -> tuple[float, float]:
    """Return the lengths of both sides of a seam [m]."""
    return chain_length(pattern, seam.a), chain_length(pattern, seam.b)


def panel_size(panel: Panel) -> tuple[float, float]:
    """Return width and height of a piece as drawn [m]."""
    width, height = np.ptp(curves.outline(panel), axis=0)
    return float(width), float(height)


def edge_words(pattern: Pattern, ref: EdgeRef) -> str:
    """Return what people call an edge: its panel and its name or number, a minus sign for backwards."""
    edges = pattern.panel(ref.panel).edges
    name = edges[ref.edge].name
    alone = name and sum(edge.name == name for edge in edges) == 1
    return f"{'-' if ref.reversed else ''}{ref.panel}.{name if alone else ref.edge}"
