"""Writing pieces as SVG at true size in millimetres, every edge a path of its own, curves kept as curves."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from toile.core.records import CurveKind, Floats, Notch, Pattern
from toile.pattern.drawing.layout import Spot, lay_out
from toile.pattern.model import curves

_MM = 1000.0
_STYLE = (
    ".outline{fill:#fff;stroke:none}.edge{fill:none;stroke:#000;stroke-width:.5}"
    ".mark{fill:none;stroke:#777;stroke-width:.3}.fold{stroke-dasharray:4 2}.cut{stroke-dasharray:1 1}"
    ".notch{stroke:#000;stroke-width:.8}.grain{stroke:#777;stroke-width:.4}"
    "text{font:8px sans-serif;text-anchor:middle;fill:#555}"
)


def to_svg_pattern(pattern: Pattern) -> str:
    """Return the pieces as an SVG drawing for print or plot; seams need a seam file beside it."""
    spots, width, height = lay_out(pattern, 0.04)
    size = f"{width * _MM + 40:.2f}", f"{height * _MM + 40:.2f}"
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" data-toile="1" width="{size[0]}mm" height="{size[1]}mm" '
        f'viewBox="0 0 {size[0]} {size[1]}">',
        f"<style>{_STYLE}</style>",
        f"<title>{escape(pattern.name)}</title>",
    ]
    for spot in sorted(spots, key=lambda spot: pattern.panels.index(spot.panel)):
        rows += _piece(spot)
    return "\n".join([*rows, "</svg>", ""])


def _piece(spot: Spot) -> list[str]:
    panel = spot.panel
    # the page's y points down: the group moves, the paths keep the panel's coordinates with -y
    shift = (spot.x - spot.low[0]) * _MM + 20.0, (spot.y + spot.low[1] + spot.size[1]) * _MM + 20.0
    parts = [_data(edge.kind, curves.edge_points(panel, i)) for i, edge in enumerate(panel.edges)]
    whole = f"M {_at(panel.vertices[panel.edges[0].start])} " + " ".join(parts) + " Z"
    rows = [
        f'<g data-piece={quoteattr(panel.name)} transform="translate({shift[0]!r} {shift[1]!r})">',
        f'<path class="outline" d="{whole}"/>',
    ]
    for i, part in enumerate(parts):
        name = f" data-name={quoteattr(panel.edges[i].name)}" if panel.edges[i].name else ""
        rows.append(f'<path class="edge"{name} d="M {_at(panel.vertices[panel.edges[i].start])} {part}"/>')
    for notch in panel.notches:
        rows.append(_notch(spot, notch))
    for mark in panel.marks:
        points = " L ".join(_at(p) for p in mark.points)
        if len(mark.points) == 1:
            points += " h 1"
        name = f" data-name={quoteattr(mark.name)}" if mark.name else ""
        rows.append(f'<path class="mark {mark.kind}"{name} d="M {points}"/>')
    rows += _grain_and_name(spot)
    return [*rows, "</g>"]


def _at(point: Floats) -> str:
    return f"{float(point[0]) * _MM!r} {-float(point[1]) * _MM!r}"


def _data(kind: CurveKind, points: Floats) -> str:
    if kind == "arc":
        turn = curves.arc_turn(points)
        if abs(turn) < 1e-6:
            return f"L {_at(points[-1])}"
        radius = float(np.hypot(*(points[2] - points[0]))) / (2.0 * math.sin(abs(turn) / 2.0)) * _MM
        # clockwise with y up is clockwise on the page: sweep 1
        return f"A {radius!r} {radius!r} 0 {int(abs(turn) > math.pi)} {int(turn > 0)} {_at(points[-1])}"
    letter = {"quadratic": "Q", "cubic": "C"}.get(kind, "L")
    return f"{letter} " + " ".join(_at(p) for p in points[1:])


def _notch(spot: Spot, notch: Notch) -> str:
    edge, fraction = notch.edge, notch.fraction
    name = f" data-name={quoteattr(notch.name)}" if notch.name else ""
    at = curves.sample_edge(spot.panel, edge, [fraction])[0]
    ends = [min(max(fraction + d, 0.0), 1.0) for d in (-0.01, 0.01)]
    low, high = curves.sample_edge(spot.panel, edge, ends)
    step = (high - low) / max(float(np.hypot(*(high - low))), 1e-12)
    tip = at + 0.005 * np.array([-step[1], step[0]]) * curves.orientation(spot.panel)
    return f'<path class="notch"{name} d="M {_at(at)} L {_at(tip)}"/>'


def _grain_and_name(spot: Spot) -> list[str]:
    panel = spot.panel
    middle = spot.low + spot.size / 2.0
    direction = np.array([-math.sin(panel.grain), math.cos(panel.grain)]) * 0.2 * float(spot.size.min())
    x, y = float(middle[0]) * _MM, -float(middle[1]) * _MM
    return [
        f'<path class="grain" d="M {_at(middle - direction)} L {_at(middle + direction)}"/>',
        f'<text x="{x:.2f}" y="{y:.2f}">{escape(panel.name)}</text>',
    ]
