"""Soft light at mesh points: many distant lights, each with a small shadow map from the rasteriser.

Sky and studio are a sphere of directions; what reaches a point is summed over those directions that
nothing hides. One method so gives ambient occlusion, soft shadows and the contact shadow on the floor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile import _kernels
from toile.core.records import Floats, Ints
from toile.geometry.raster import Floats32, visible


@dataclass(frozen=True, eq=False, slots=True)
class Shadower:
    """What throws shadows, enclosed in a ball."""

    vertices: Floats
    """[m], (n, 3)"""
    triangles: Ints
    centre: Floats
    """[m], (3,)"""
    radius: float
    """[m]"""
    size: int = 320
    """pixels a side of each shadow map"""


def shadower(vertices: Floats, triangles: Ints) -> Shadower:
    """Return the things that throw shadows; vertices [m]."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    centre = 0.5 * (low + high)
    radius = float(np.linalg.norm(vertices - centre, axis=1).max()) * 1.01 + 1e-6
    return Shadower(np.ascontiguousarray(vertices), triangles, centre, radius)


def sphere_directions(count: int) -> Floats:
    """Return evenly spread unit vectors, (count, 3): the golden-angle spiral, y from top to bottom."""
    i = np.arange(count) + 0.5
    y = 1.0 - 2.0 * i / count
    angle = i * np.pi * (3.0 - np.sqrt(5.0))
    ring = np.sqrt(1.0 - y * y)
    return np.column_stack([ring * np.sin(angle), y, ring * np.cos(angle)])


def cone_directions(axis: Floats, half_angle: float, count: int) -> Floats:
    """Return unit vectors evenly spread over a disc of that half angle [rad] round the axis, (count, 3)."""
    right, up = _across(axis)
    i = np.arange(count) + 0.5
    radius = np.tan(half_angle) * np.sqrt(i / count)
    angle = i * np.pi * (3.0 - np.sqrt(5.0))
    spread = axis + np.outer(radius * np.cos(angle), right) + np.outer(radius * np.sin(angle), up)
    unit: Floats = spread / np.linalg.norm(spread, axis=1, keepdims=True)
    return unit


def _across(axis: Floats) -> tuple[Floats, Floats]:
    helper = np.array([0.0, 1.0, 0.0]) if abs(axis[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    right = np.cross(helper, axis)
    right /= np.linalg.norm(right)
    return right, np.cross(axis, right)


def reaches(thing: Shadower, direction: Floats, points: Floats, normals: Floats) -> Floats32:
    """Return the share (0 to 1) of a distant light from that direction that reaches each point, (n,)."""
    right, up = _across(direction)
    scale = 0.5 * thing.size / thing.radius
    basis = np.stack([right * scale, -up * scale, -direction])

    def on_map(p: Floats) -> Floats:
        seen: Floats = (p - thing.centre) @ basis.T
        seen[:, :2] += 0.5 * thing.size
        return seen

    _, depth = visible(on_map(thing.vertices), thing.triangles, thing.size, thing.size)
    # looked up a little above the surface: a pixel of the map is wider than the surface is flat
    pixel = 1.0 / scale
    lifted = points + normals * (1.2 * pixel)
    share: Floats32 = _kernels.unhidden(depth, on_map(lifted), 0.8 * pixel)
    return share


def ambient(
    thing: Shadower, points: Floats, normals: Floats, directions: Floats, radiance: Floats
) -> tuple[Floats, Floats]:
    """Return light from all directions (k, 3) of these radiances (k, 3) at each point, (n, 3).

    The second array is the same without anything in the way. Directions share the sphere evenly: the
    sum of radiance · cosine is scaled so that radiance 1 everywhere gives 1 without occlusion.
    """
    cosine = np.maximum(normals @ directions.T, 0.0)
    lit = np.zeros_like(cosine)
    for k, direction in enumerate(directions):
        facing = np.flatnonzero(cosine[:, k])
        lit[facing, k] = reaches(thing, direction, points[facing], normals[facing])
    scale = 4.0 / len(directions)
    return (lit * cosine) @ radiance * scale, cosine @ radiance * scale


def key_share(thing: Shadower, points: Floats, normals: Floats, directions: Floats) -> Floats:
    """Return the share of a broad light, sampled by directions (k, 3), that reaches each point, (n,)."""
    total = np.zeros(len(points))
    middle = directions.mean(axis=0)
    # a point that looks well away from the light is dark anyway
    facing = np.flatnonzero(normals @ middle > -0.3)
    for direction in directions:
        total[facing] += reaches(thing, direction, points[facing], normals[facing])
    return total / len(directions)
