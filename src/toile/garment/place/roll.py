"""Rolling a flat panel round a limb without stretching it: on a cylinder or a cone over any convex section.

A panel is laid out as (s, u): s along the girth, u along the limb, as if it were unrolled. On a cylinder s
becomes arc length along the section. On a cone the distance from the apex is kept, and the angle at the
apex becomes arc length on the unit sphere of directions. Both maps are isometries: the cloth is bent, never
stretched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from toile.core.errors import ToileError
from toile.core.records import Floats


@dataclass(frozen=True, eq=False, slots=True)
class ConvexSection:
    """A closed convex curve round a limb, from the front over the left."""

    points: Floats
    """(x, z), the first repeated at the end [m], (k, 2)"""
    length: Floats
    """arc length at each point [m], (k,)"""

    @property
    def girth(self) -> float:
        """Return the whole length [m]."""
        return float(self.length[-1])

    def at(self, s: Floats) -> Floats:
        """Return (x, z) at arc lengths from the front [m], (n, 2)."""
        wrapped = np.mod(s, self.girth)
        return np.stack([np.interp(wrapped, self.length, self.points[:, k]) for k in (0, 1)], axis=1)


def convex_section(skin: Floats, offset: float) -> ConvexSection:
    """Return the convex section round these points (x, z), that far outside [m]."""
    if len(skin) < 3:
        raise ToileError("there is no body to roll a panel round")
    hull = shapely.MultiPoint(skin).convex_hull
    # corners rounder than the mesh is coarse: chords of the cloth then hardly shorten it
    roundness = 0.5 * math.sqrt(hull.area / math.pi)
    core = hull.buffer(-roundness, quad_segs=32)
    hull = (
        hull.buffer(offset, quad_segs=64) if core.is_empty else core.buffer(roundness + offset, quad_segs=64)
    )
    ring = np.array(shapely.get_coordinates(hull.exterior))[:-1]
    if shapely.is_ccw(hull.exterior):  # (x, z) seen with x to the right and z up: front → left is clockwise
        ring = ring[::-1]
    return _section(_from_front(ring))


def _section(closed: Floats) -> ConvexSection:
    steps = np.hypot(*np.diff(closed, axis=0).T)
    return ConvexSection(closed, np.concatenate([[0.0], np.cumsum(steps)]))


def _from_front(ring: Floats) -> Floats:
    """Return the closed ring, starting where it crosses the middle of the front (x = middle, z largest)."""
    middle = 0.0 if ring[:, 0].min() < 0.0 < ring[:, 0].max() else float(ring[:, 0].mean())
    following = np.roll(ring, -1, axis=0)
    crossing = (ring[:, 0] <= middle) & (following[:, 0] > middle)
    k = int(np.flatnonzero(crossing)[0])
    a, b = ring[k], following[k]
    t = (middle - a[0]) / (b[0] - a[0])
    start = a + t * (b - a)
    rest = np.roll(ring, -(k + 1), axis=0)
    return np.vstack([start, rest, start])


def roll_cylinder(around: ConvexSection, s: Floats, u: Floats) -> Floats:
    """Return limb coordinates of a panel laid out as (s, u) on the cylinder over a section [m], (n, 3)."""
    xz = around.at(s)
    return np.stack([xz[:, 0], u, xz[:, 1]], axis=1)


@dataclass(frozen=True, eq=False, slots=True)
class Cone:
    """A cone over a section, as the curve of its directions on the unit sphere."""

    apex: Floats
    """[m], (3,)"""
    directions: Floats
    """unit vectors from the apex, (k, 3)"""
    angle: Floats
    """arc length on the sphere at each of them [rad], (k,)"""

    def along(self, angle: Floats) -> Floats:
        """Return unit directions at angles from the front [rad], (n, 3)."""
        wrapped = np.mod(angle, self.angle[-1])
        g = np.stack([np.interp(wrapped, self.angle, self.directions[:, k]) for k in range(3)], axis=1)
        return np.asarray(g / np.linalg.norm(g, axis=1, keepdims=True))


def cone_over(
    around: ConvexSection,
    base_height: float,
    top_height: float,
    radius: float,
    share: float,
    lean: Floats | tuple[float, float] = (0.0, 0.0),
) -> Cone:
    """Return the cone whose surface passes the section at base_height.

    Its apex is where a ray at the share of the girth, that long from the apex, ends at top_height [m]. lean:
    how far its axis moves along x and z per height.
    """
    base = np.insert(around.points, 1, base_height, axis=1)
    middle = (around.points.min(axis=0) + around.points.max(axis=0)) / 2.0
    apex_y = top_height + radius
    for _ in range(20):
        x, z = middle + (apex_y - base_height) * np.asarray(lean)
        apex = np.array([x, apex_y, z])
        rays = base - apex
        directions = rays / np.linalg.norm(rays, axis=1, keepdims=True)
        cosines = np.clip((directions[:-1] * directions[1:]).sum(axis=1), -1.0, 1.0)
        chord = np.linalg.norm(np.diff(directions, axis=0), axis=1)
        # arccos loses small angles; chords keep them
        steps = np.where(cosines > 0.99, 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0)), np.arccos(cosines))
        cone = Cone(apex, directions, np.concatenate([[0.0], np.cumsum(steps)]))
        ray = cone.along(np.array([share * cone.angle[-1]]))[0]
        wanted = top_height - radius * float(ray[1])
        if abs(wanted - apex_y) < 1e-6:
            break
        apex_y = max(wanted, base_height + 0.02)
    return cone


def fluted(cone: Cone, angle: float, *, count: int = 8) -> Cone:
    """Return a cone with flutes that swing outward, so that its directions run over that angle [rad].

    A full circle of cloth has a whole turn at its apex: no convex cone but the flat one has room for it.
    """
    share = np.linspace(0.0, 1.0, 60 * count + 1)
    g = cone.along(share[:-1] * cone.angle[-1])
    g = np.vstack([g, g[:1]])
    tilt, azimuth = np.arccos(np.clip(-g[:, 1], -1.0, 1.0)), np.arctan2(g[:, 0], g[:, 2])
    swing = 0.5 * (1.0 - np.cos(2.0 * np.pi * count * share))

    def with_swing(size: float) -> Cone:
        a = tilt + size * swing
        rays = np.stack([np.sin(a) * np.sin(azimuth), -np.cos(a), np.sin(a) * np.cos(azimuth)], axis=1)
        steps = 2.0 * np.arcsin(np.linalg.norm(np.diff(rays, axis=0), axis=1) / 2.0)
        return Cone(cone.apex, rays, np.concatenate([[0.0], np.cumsum(steps)]))

    low, high = 0.0, 1.2
    for _ in range(40):
        size = (low + high) / 2.0
        low, high = (size, high) if with_swing(size).angle[-1] < angle else (low, size)
    return with_swing(high)


def roll_cone(cone: Cone, apex: Floats, start: float, s: Floats, u: Floats) -> Floats:
    """Return limb coordinates of a panel laid out as (s, u) about its own apex (s, u) [m], (n, 3).

    start: angle along the cone where the panel's line straight down from its apex comes to lie [rad].
    """
    across, down = s - apex[0], apex[1] - u
    radius, angle = np.hypot(across, down), np.arctan2(across, down)
    return np.asarray(cone.apex + radius[:, None] * cone.along(start + angle))


def arc_centre(arcs: Sequence[Floats], perimeter: float) -> Floats | None:
    """Return the common centre of a ring's arcs, each three points (s, u) [m]; None without one."""
    centres, lengths = [], []
    for a, b, c in arcs:
        rows = 2.0 * np.array([b - a, c - a])
        if abs(np.linalg.det(rows)) < 1e-6:
            continue
        centres.append(np.linalg.solve(rows, [b @ b - a @ a, c @ c - a @ a]))
        lengths.append(np.linalg.norm(b - a) + np.linalg.norm(c - b))
    if len(centres) < 2 or sum(lengths) < 0.4 * perimeter:
        return None
    middle = np.average(centres, axis=0, weights=lengths)
    near = np.linalg.norm(np.array(centres) - middle, axis=1).max() < 0.02
    below = all(arc[:, 1].max() < middle[1] + 0.01 for arc in arcs)
    return np.asarray(middle) if near and below else None


def find_apex(outline: Floats, *, least: float = 0.12, tolerance: float = 0.012) -> Floats | None:
    """Return where the sides of a flared panel (s, u) meet above it [m], (2,); None if it is not flared.

    least: growth of the width per length from which a panel counts as flared; tolerance: how far its sides
    may stray from straight lines [m].
    """
    levels, low, high = extents(outline)
    return _lines_meet(levels, low, high, least, tolerance)


def find_taper(outline: Floats, *, least: float = 0.05, tolerance: float = 0.02) -> Floats | None:
    """Return where the sides of a sleeve (s, u) meet below it [m], (2,); its crown is left out of account."""
    levels, low, high = extents(outline)
    below = levels <= levels[np.argmax(high - low)]
    tip = _lines_meet(-levels[below][::-1], low[below][::-1], high[below][::-1], least, tolerance)
    return None if tip is None else tip * [1.0, -1.0]


def _lines_meet(levels: Floats, low: Floats, high: Floats, least: float, tolerance: float) -> Floats | None:
    """Return where straight sides meet above the highest level [m], (2,)."""
    height = float(np.ptp(levels)) if len(levels) else 0.0
    inner = (levels > levels.min() + 0.12 * height) & (levels < levels.max() - 0.12 * height)
    if height < 0.08 or inner.sum() < 3:
        return None
    left, right = (np.polyfit(levels[inner], side[inner], 1) for side in (low, high))
    for line, side in ((left, low), (right, high)):
        if np.abs(np.polyval(line, levels[inner]) - side[inner]).max() > tolerance:
            return None
    growth = left[0] - right[0]
    if growth < least:
        return None
    u = (right[1] - left[1]) / growth
    if u < levels.max():
        return None
    return np.array([np.polyval(left, u), u])


def extents(outline: Floats, step: float = 0.01) -> tuple[Floats, Floats, Floats]:
    """Return heights u and the least and greatest s of a closed outline (s, u) there [m], (k,) each."""
    closed = np.vstack([outline, outline[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    dense = np.linspace(0.0, length[-1], int(length[-1] / (step / 4.0)) + 2)
    s, u = (np.interp(dense, length, closed[:, k]) for k in (0, 1))
    row = np.round(u / step).astype(int)
    rows = np.unique(row)
    low = np.array([s[row == r].min() for r in rows])
    high = np.array([s[row == r].max() for r in rows])
    return rows * step, low, high
