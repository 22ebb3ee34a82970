"""Several garments worn at once → one Garment, so that one solver moves them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Fabric, Garment, Ints


def join(garments: Sequence[Garment]) -> Garment:
    """Return one outfit: lists in the order of the garments, indices shifted, layers kept.

    Two garments of the same layer stay on it; `layered` gives each its own.
    """
    if not garments:
        raise ToileError("an outfit needs at least one garment")
    if len(garments) == 1:
        return garments[0]
    particle = _offsets([g.particle_count for g in garments])
    uv = _offsets([len(g.uv) for g in garments])
    panel = _offsets([len(g.panel_names) for g in garments])
    seam = _offsets([len(g.seam_names) for g in garments])
    member = _offsets([len(g.garment_names) for g in garments])
    fabrics, fabric_index = _shared_fabrics(garments)
    return Garment(
        name=" + ".join(g.name for g in garments),
        triangles=_stack([g.triangles + o for g, o in zip(garments, particle, strict=True)]),
        uv=np.concatenate([g.uv for g in garments]),
        triangles_uv=_stack([g.triangles_uv + o for g, o in zip(garments, uv, strict=True)]),
        uv_particle=_stack([g.uv_particle + o for g, o in zip(garments, particle, strict=True)]),
        uv_panel=_stack([g.uv_panel + o for g, o in zip(garments, panel, strict=True)]),
        panel_names=tuple(name for g in garments for name in g.panel_names),
        fabrics=fabrics,
        triangle_fabric=_stack([i[g.triangle_fabric] for g, i in zip(garments, fabric_index, strict=True)]),
        seam_uv=_stack([g.seam_uv + o for g, o in zip(garments, uv, strict=True)]),
        seam_id=_stack([g.seam_id + o for g, o in zip(garments, seam, strict=True)]),
        seam_names=tuple(name for g in garments for name in g.seam_names),
        hold_particle=_stack([g.hold_particle + o for g, o in zip(garments, particle, strict=True)]),
        particle_garment=_stack([g.particle_garment + o for g, o in zip(garments, member, strict=True)]),
        garment_names=tuple(name for g in garments for name in g.garment_names),
        garment_layer=_stack([g.garment_layer for g in garments]),
        patterns=tuple(pattern for g in garments for pattern in g.patterns),
        edge_length=min(g.edge_length for g in garments),
        fold_uv=_stack([g.fold_uv + o for g, o in zip(garments, uv, strict=True)]),
        fold_angle=np.concatenate([g.fold_angle for g in garments]),
        panel_grid=_stack([_grids(g) for g in garments]),
    )


def layered(outfit: Garment) -> Garment:
    """Return the outfit with a layer of its own for each garment: by stated layer, then by order."""
    order = np.argsort(outfit.garment_layer, kind="stable")
    layer = np.zeros(len(order), dtype=np.int32)
    layer[order] = np.arange(len(order))
    return replace(outfit, garment_layer=layer)


def _grids(garment: Garment) -> Ints:
    """Return rows and columns per panel, 0 where it is no grid, (p, 2)."""
    return (
        garment.panel_grid if len(garment.panel_grid) else np.zeros((len(garment.panel_names), 2), np.int32)
    )


def _offsets(counts: Sequence[int]) -> list[int]:
    """Return where each part starts."""
    return [0, *np.cumsum(counts).tolist()[:-1]]


def _stack(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts).astype(np.int32)


def _shared_fabrics(garments: Sequence[Garment]) -> tuple[tuple[Fabric, ...], list[Ints]]:
    """Return the different fabrics, and per garment the new index of each of its fabrics."""
    fabrics: list[Fabric] = []
    indices = []
    for garment in garments:
        for fabric in garment.fabrics:
            if not any(fabric is known for known in fabrics):
                fabrics.append(fabric)
        indices.append(
            np.array([next(i for i, k in enumerate(fabrics) if k is f) for f in garment.fabrics], np.int32)
        )
    return tuple(fabrics), indices
