"""Bodies as bytes for the page: small enough to follow a slider (see docs/serve.md)."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from toile.core.records import Body, Floats

STEPS = 65535


def vertices_bytes(vertices: Floats, about: Mapping[str, Any]) -> bytes:
    """Return a length, a JSON description, and x y z of all points as 16-bit steps between its bounds."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    span = np.maximum(high - low, 1e-9)
    steps = np.round((vertices - low) / span * STEPS).astype("<u2")
    head = {"count": len(vertices), "low": low.tolist(), "high": high.tolist(), **about}
    return with_head(head, steps.tobytes())


def with_head(head: Mapping[str, Any], *blocks: bytes) -> bytes:
    """Return a description as JSON behind its length (32 bit), then blocks; all begin at multiples of 4."""
    text = json.dumps(head, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    padded = (block + bytes(-len(block) % 4) for block in blocks)
    return struct.pack("<I", len(text)) + text + b"".join(padded)


def mesh_bytes(body: Body) -> bytes:
    """Return what stays the same when measures change: triangles, limbs, joint and share of each weight."""
    width = body.weight.shape[1]
    skeleton = body.skeleton
    head = {
        "vertices": len(body.vertices),
        "triangles": len(body.triangles),
        "influences": width,
        "joints": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "blocks": ["triangles u32", "limb u8", "weight_joint u16", "weight f32", "world_from_joint f32"],
    }
    blocks = (
        body.triangles.astype("<u4"), body.limb.astype("<u1"), body.weight_joint.astype("<u2"),
        body.weight.astype("<f4"), skeleton.world_from_joint.astype("<f4"),
    )  # fmt: skip
    return with_head(head, *(block.tobytes() for block in blocks))
