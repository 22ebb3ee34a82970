"""Where an outfit is tight: stretch as a share of what its fabric bears, and distance to the skin."""

from __future__ import annotations

from typing import Any

import numpy as np

from toile.body.scan.fit import surface_gap
from toile.core.records import Body, Floats, Garment, Recording
from toile.export.playback import spread
from toile.shop.wire import with_head

LAYERS: list[dict[str, Any]] = [
    {
        "name": "stretch", "unit": "share", "low": 0.0, "high": 1.0,
        "words": ["loose", "easy", "close", "tight", "too tight"], "stops": [0.05, 0.2, 0.45, 0.8],
    },
    {
        "name": "distance", "unit": "m", "low": 0.0, "high": 0.08,
        "words": ["touching", "close", "easy", "loose", "far"], "stops": [0.004, 0.012, 0.03, 0.06],
    },
]  # fmt: skip


def strains(garment: Garment, position: Floats) -> Floats:
    """Return the largest principal strain of each triangle: σ₁ of ∂x/∂u minus 1, (t,)."""
    uv, x = garment.uv[garment.triangles_uv], position[garment.triangles]
    flat = np.stack([uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]], axis=2)
    bent = np.stack([x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]], axis=2)
    area = np.linalg.det(flat)
    safe = np.where(np.abs(area) < 1e-12, 1.0, area)
    inverse = np.zeros_like(flat)
    inverse[:, 0, 0], inverse[:, 1, 1] = flat[:, 1, 1] / safe, flat[:, 0, 0] / safe
    inverse[:, 0, 1], inverse[:, 1, 0] = -flat[:, 0, 1] / safe, -flat[:, 1, 0] / safe
    gradient = np.einsum("tij,tjk->tik", bent, inverse)
    right = np.einsum("tij,tik->tjk", gradient, gradient)
    half, off = 0.5 * (right[:, 0, 0] + right[:, 1, 1]), 0.5 * (right[:, 0, 0] - right[:, 1, 1])
    largest = half + np.sqrt(off**2 + right[:, 0, 1] ** 2)
    found: Floats = np.where(np.abs(area) < 1e-12, 0.0, np.sqrt(np.maximum(largest, 0.0)) - 1.0)
    return found


def stretch_share(garment: Garment, position: Floats) -> Floats:
    """Return at each particle how much of what the fabric bears is taken up, (n,)."""
    limit = np.array([f.strain_limit for f in garment.fabrics])[garment.triangle_fabric]
    share = np.maximum(strains(garment, position), 0.0) / limit
    total, count = np.zeros(garment.particle_count), np.zeros(garment.particle_count)
    np.add.at(total, garment.triangles, share[:, None])
    np.add.at(count, garment.triangles, 1.0)
    mean: Floats = total / np.maximum(count, 1.0)
    return mean


def map_bytes(recording: Recording, body: Body) -> bytes:
    """Return both layers as 8-bit steps between their bounds, particles in the order of the recordings."""
    garment, position = recording.garment, recording.positions[-1]
    values = {
        "stretch": stretch_share(garment, position),
        "distance": surface_gap(position, body.vertices, body.triangles),
    }
    order, _ = spread(garment)
    blocks = []
    for layer in LAYERS:
        share = (values[layer["name"]][order] - layer["low"]) / (layer["high"] - layer["low"])
        blocks.append(np.round(255 * np.clip(share, 0.0, 1.0)).astype(np.uint8).tobytes())
    head = {"count": garment.particle_count, "layers": [layer["name"] for layer in LAYERS]}
    # scenes have the particles in the engine's order: which one each of these is
    return with_head(head, *blocks, order.astype("<u4").tobytes())
