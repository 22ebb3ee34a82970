"""Cloth or skin: how far a scan is off the fitted person round trunk, arms and legs.

The model knows people's shapes, not clothes'. Skin follows it round a limb within a few millimetres; cloth
hangs off in some places and lies on in others, and ends at hems. Both are looked at ring by ring: rings are
fixed on the template, across the bones. What follows the body everywhere (leggings, sportswear) is not seen.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from toile.body.model.data import load_template
from toile.body.model.landmarks import limb_mask, skin_at_rest
from toile.body.model.shape import Shape
from toile.body.model.skin import vertex_normals
from toile.body.scan.clean import Cloud
from toile.core.records import Bools, Floats, Ints

RING = 0.012
"""width of a ring on the template [m]"""
LEAST = 8
"""vertices that make a ring"""
CHAINS = {
    "arm": (("upper_arm", "forearm"), ("Arm", "ForeArm", "Hand"), (0.08, 0.03)),
    "leg": (("thigh", "shin"), ("UpLeg", "Leg", "Foot"), (0.10, 0.02)),
}
"""limbs, joints along them, what is left out at both ends (armpit, crotch, wrist, ankle) [m]"""
TRUNK_ENDS = (0.12, 0.06)
"""left out of the trunk below the shoulders and above the crotch [m]"""
ASIDE = 0.012
"""a vertex this far beside the scan's nearest points lies over a hole [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class BodyRings:
    """A part of the body cut into rings."""

    rows: Ints
    """vertices of the template, ring after ring"""
    start: Ints
    """where each ring starts in rows, and the end, (r + 1,)"""


@dataclass(frozen=True, slots=True)
class SurfaceOffset:
    """How a scan lies on one part of the body."""

    uneven: float
    """half the range of two thirds of a ring's distances to the person; a fifth of the rings exceed it [m]"""
    step: float
    """greatest change of a ring's middle distance from one ring to the next but two [m]"""


def scan_gaps(cloud: Cloud, skin: Floats) -> Floats:
    """Return how far outside each vertex the scan lies [m], nan where there is none."""
    normals = vertex_normals(skin, load_template().triangles)
    ways, near = cKDTree(cloud.points).query(skin, k=6)
    same = np.einsum("nka,na->nk", cloud.normals[near], normals) > 0.3
    off = np.einsum("nka,nka->nk", cloud.points[near] - skin[:, None], cloud.normals[near])
    same &= ways**2 - off**2 < ASIDE**2
    count = same.sum(axis=1)
    return np.where(count > 0, (off * same).sum(axis=1) / np.maximum(count, 1), np.nan)


def surface_offsets(gap: Floats) -> dict[str, SurfaceOffset]:
    """Return how the scan lies on the trunk, and on the worse of arms and legs; gap of each vertex [m]."""
    found = {name: _lie(gap, rings) for name, rings in template_rings().items()}
    return {
        part: SurfaceOffset(*(max(getattr(lie, field) for lie in group) for field in ("uneven", "step")))
        for part in ("trunk", *CHAINS)
        if (group := [lie for name, lie in found.items() if name.endswith(part)])
    }


def _lie(gap: Floats, rings: BodyRings) -> SurfaceOffset:
    middle, spread = [], []
    for start, end in pairwise(rings.start):
        values = gap[rings.rows[start:end]]
        values = values[~np.isnan(values)]
        known = len(values) >= LEAST
        low, half, high = np.percentile(values, (16, 50, 84)) if known else (np.nan,) * 3
        middle.append(half)
        spread.append((high - low) / 2)
    at = np.array(middle)
    # two rings on either side of one: a hem lies in between
    change = np.abs((at[:-4] + at[1:-3]) - (at[3:-1] + at[4:])) / 2
    uneven = np.array(spread)[~np.isnan(spread)]
    return SurfaceOffset(
        float(np.percentile(uneven, 80)) if len(uneven) else 0.0,
        float(np.nanmax(change)) if not np.isnan(change).all() else 0.0,
    )


@functools.cache
def template_rings() -> Mapping[str, BodyRings]:
    """Return trunk, left_arm, right_arm, left_leg and right_leg in rings."""
    template = load_template()
    stance = skin_at_rest(Shape())
    joint = dict(zip(template.rigs["cmu_mb"].names, stance.heads, strict=True))
    trunk = limb_mask(template.limb, "torso", "pelvis")
    found = {"trunk": _rings(trunk, -stance.skin[trunk, 1], TRUNK_ENDS)}
    for side in ("left", "right"):
        for name, (limbs, joints, ends) in CHAINS.items():
            part = limb_mask(template.limb, *(f"{side}_{limb}" for limb in limbs))
            line = np.array([joint[side.capitalize() + j] for j in joints])
            found[f"{side}_{name}"] = _rings(part, _along(stance.skin[part], line), ends)
    return found


def _along(points: Floats, line: Floats) -> Floats:
    """Return how far along a line of two pieces each point lies [m]."""
    best, place, before = np.full(len(points), np.inf), np.zeros(len(points)), 0.0
    for start, end in pairwise(line):
        length = float(np.linalg.norm(end - start))
        direction = (end - start) / length
        share = np.clip((points - start) @ direction, 0.0 if before else -np.inf, length)
        aside = np.linalg.norm(points - start - share[:, None] * direction, axis=1)
        nearer = aside < best
        best, place = np.where(nearer, aside, best), np.where(nearer, before + share, place)
        before += length
    return place


def _rings(part: Bools, along: Floats, ends: tuple[float, float]) -> BodyRings:
    """Return the vertices of a part cut into rings by their place along it [m], without its ends."""
    low = max(along.min(), 0.0) if along.max() > 0 else along.min()
    kept = (along > low + ends[0]) & (along < along.max() - ends[1])
    number = np.floor((along[kept] - low) / RING).astype(np.int64)
    number -= number.min()
    order = np.argsort(number, kind="stable")
    start = np.searchsorted(number[order], np.arange(number.max() + 2))
    return BodyRings(np.flatnonzero(part)[kept][order].astype(np.int32), start.astype(np.int32))
