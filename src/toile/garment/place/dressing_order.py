"""Which garments of an outfit are put on together, and which afterwards, over the others.

A T-shirt and a skirt overlap by a hand's breadth and can be sewn at once. A coat lies over the whole of what
is under it: sewn at once, its panels close on others that hang open, and all of them crumple.
"""

from __future__ import annotations

from collections.abc import Sequence

from toile.core.records import Body, Garment
from toile.garment.from_mesh import MeshGarment
from toile.garment.place.place import align_to_body
from toile.garment.place.position_search import WIDEST, UnrolledShape

COVERING_SHARE = 0.5
"""a garment that shares more than this share of the shorter one's height with another is put on after it"""


def sewing_groups(garments: Sequence[Garment | MeshGarment], body: Body) -> list[list[Garment | MeshGarment]]:
    """Return the garments, inner first, in the groups that are sewn one after the other.

    A garment on a higher stated layer, over most of another, a full skirt or a tucked one comes later: folds
    that are caught while they form never part.
    """
    shapes = [[] if isinstance(g, MeshGarment) else _shapes(g, body) for g in garments]
    layers, spans = (
        [_layer(g) for g in garments],
        [_span(g, s) for g, s in zip(garments, shapes, strict=True)],
    )
    full, tucked = [_is_full(s) for s in shapes], [_is_tucked(g) for g in garments]
    groups: list[list[int]] = []
    for k in sorted(range(len(garments)), key=lambda k: layers[k]):
        now = groups[-1] if groups else []
        if now and not any(
            layers[k] > layers[j] or full[j] or tucked[j] or _shared(spans[k], spans[j]) > COVERING_SHARE
            for j in now
        ):
            now.append(k)
        else:
            groups.append([k])
    return [[garments[k] for k in group] for group in groups]


def _layer(garment: Garment | MeshGarment) -> int:
    made = garment.garment if isinstance(garment, MeshGarment) else garment
    return int(made.garment_layer.max(initial=0))


def _span(garment: Garment | MeshGarment, shapes: list[UnrolledShape]) -> tuple[float, float]:
    """Return from which height to which a garment hangs, without its sleeves [m]."""
    if isinstance(garment, MeshGarment):
        height = garment.position[:, 1]
        return float(height.min()), float(height.max())
    return min(shape.hanging for shape in shapes), max(shape.top for shape in shapes)


def _is_tucked(garment: Garment | MeshGarment) -> bool:
    return isinstance(garment, Garment) and any(pattern.tuck for pattern in garment.patterns)


def _is_full(shapes: list[UnrolledShape]) -> bool:
    """Return whether panels have more cloth at their hem than a smooth cone: a circle skirt."""
    return sum(shape.angle for shape in shapes) > WIDEST


def _shapes(garment: Garment, body: Body) -> list[UnrolledShape]:
    """Return the panels of a garment as they hang, without its sleeves."""
    laid = [one for pattern in garment.patterns for one in align_to_body(pattern, body).values()]
    return [UnrolledShape(one) for one in laid if not one.limb.endswith("_arm")] or [
        UnrolledShape(one) for one in laid
    ]


def _shared(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return which share of the shorter span lies beside the other."""
    both = min(a[1], b[1]) - max(a[0], b[0])
    return both / max(min(a[1] - a[0], b[1] - b[0]), 1e-6)
