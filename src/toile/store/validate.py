"""What a file says is checked before it is used: numbers are numbers, indices lead somewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Body, Garment, Ints


def number_in(value: Any, what: str) -> float:
    """Return a number of a file; refuses anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        raise ToileError(f"{what} is not a number: {str(value)[:40]!r}")
    return float(value)


def _within(values: Ints, count: int, what: str, where: str) -> None:
    if values.size and (values.min() < 0 or values.max() >= count):
        raise ToileError(f"{where}: {what} points to something that does not exist")


def check_garment(garment: Garment, where: str) -> None:
    """Refuse a garment whose indices lead nowhere."""
    g = garment
    _within(g.triangles, g.particle_count, "a garment triangle", where)
    _within(g.triangles_uv, len(g.uv), "a garment uv triangle", where)
    _within(g.uv_particle, g.particle_count, "a uv point", where)
    _within(g.uv_panel, len(g.panel_names), "a uv point's panel", where)
    _within(g.triangle_fabric, len(g.fabrics), "a triangle's fabric", where)
    _within(g.seam_uv, len(g.uv), "a seam", where)
    _within(g.seam_id, len(g.seam_names), "a seam's name", where)
    _within(g.hold_particle, g.particle_count, "a held edge", where)
    _within(g.particle_garment, len(g.garment_names), "a particle's garment", where)
    if g.triangles.size and not np.array_equal(g.uv_particle[g.triangles_uv], g.triangles):
        raise ToileError(f"{where}: garment triangles and their uv triangles disagree")


def check_body(body: Body, where: str) -> None:
    """Refuse a body whose indices lead nowhere."""
    joints = len(body.skeleton.names)
    _within(body.triangles, len(body.vertices), "a body triangle", where)
    _within(body.weight_joint, joints, "a skin weight", where)
    parents = body.skeleton.parents
    if len(parents) and ((parents < -1) | (parents >= np.arange(joints))).any():
        raise ToileError(f"{where}: a joint's parent does not come before it")
    if body.weight.shape != body.weight_joint.shape:
        raise ToileError(f"{where}: skin weights and their joints differ in number")
