"""The papers' garments: the same kinds and vertex counts, drafted for our body, as grids where they allow it.

The papers' own patterns are not published. Skirt and trousers are cut without darts (the waist almost as wide
as the hips), because rectangular patches have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toile.core.records import Body, Garment, Pattern
from toile.garment.build import build
from toile.pattern.drafts.library import draft

KINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "skirt": ("skirt", {}),
    "trousers": ("trousers", {}),
    "shirt": ("top", {}),
    "dress": ("top", {"length": 0.45}),
    "dress with sleeves": ("tshirt", {"length": 0.45}),
    "blouse": ("tshirt", {}),
    "pants": ("trousers", {}),
}
"""the paper's word → our draft and its style"""
DARTLESS = ("skirt", "trousers")


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """A garment cut to about a number of vertices."""

    pattern: Pattern
    garment: Garment
    wanted: int

    @property
    def vertices(self) -> str:
        """Return our count beside the paper's."""
        return f"{self.garment.particle_count} ({self.wanted})"


def cut(kind: str, body: Body, vertices: int, mesh: str = "grid", fabric: str = "cotton") -> Cut:
    """Return the garment with a vertex count as near as possible to the wanted one."""
    name, style = KINDS[kind]
    measures = dict(body.measurements)
    if name in DARTLESS:
        measures["waist"] = measures["hips"] - 0.01
    pattern = draft(name, measures, **style)
    edge, best = 0.03, None
    for _ in range(6):
        garment = build(pattern, fabric, edge, mesh=mesh)
        miss = abs(garment.particle_count - vertices)
        if best is None or miss < abs(best.particle_count - vertices):
            best = garment
        if miss <= 0.01 * vertices:
            break
        edge *= (garment.particle_count / vertices) ** 0.5
    assert best is not None
    return Cut(pattern, best, vertices)
