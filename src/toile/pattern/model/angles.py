"""Euler angles in degrees ↔ rotation matrices, in the order of GarmentCode files: Rz · Ry · Rx."""

from __future__ import annotations

import math

import numpy as np

from toile.core.records import Floats


def rotation_from_degrees(x: float, y: float, z: float) -> Floats:
    """Return world_from_panel = Rz · Ry · Rx, (3, 3); multiples of 90° are exact."""
    (cx, sx), (cy, sy), (cz, sz) = _turn(x), _turn(y), _turn(z)
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    about_y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    about_z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    return np.asarray(about_z @ about_y @ about_x) + 0.0


def degrees_from_rotation(rotation: Floats) -> tuple[float, float, float]:
    """Return the angles about x, y, z [degrees] with Rz · Ry · Rx equal to the rotation."""
    flat = math.hypot(rotation[0, 0], rotation[1, 0])
    y = math.atan2(-rotation[2, 0], flat)
    if flat > 1e-9:
        x = math.atan2(rotation[2, 1], rotation[2, 2])
        z = math.atan2(rotation[1, 0], rotation[0, 0])
    else:  # looking along the y axis of rotation x and z turn the same way: take it all in x
        x, z = math.atan2(-rotation[1, 2], rotation[1, 1]), 0.0
    return math.degrees(x) + 0.0, math.degrees(y) + 0.0, math.degrees(z) + 0.0


def _turn(degrees: float) -> tuple[float, float]:
    """Return cosine and sine, exact at multiples of 90°."""
    quarters, rest = divmod(degrees, 90.0)
    if rest == 0.0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    angle = math.radians(degrees)
    return math.cos(angle), math.sin(angle)
