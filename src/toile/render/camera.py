"""Cameras: where a picture is taken from, and points of space on its pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats

VIEWS = {"front": 0.0, "three_quarter": 35.0, "side": 90.0, "back": 180.0, "other_side": 270.0}
"""name → angle from which the person is seen [degrees]; 90 sees the person's left side"""


@dataclass(frozen=True, eq=False, slots=True)
class Camera:
    """A pinhole camera that looks at a point; y is up."""

    eye: Floats
    """[m], (3,)"""
    target: Floats
    """[m], (3,)"""
    half_height: float
    """tangent of half the vertical angle of view"""

    def axes(self) -> Floats:
        """Return right, up and backward of the picture as rows, (3, 3)."""
        back = (self.eye - self.target) / np.linalg.norm(self.eye - self.target)
        right = np.cross([0.0, 1.0, 0.0], back)
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(back, right), back])

    def project(self, points: Floats, width: int, height: int) -> tuple[Floats, Floats]:
        """Return pixel x, pixel y (down), depth, (n, 3), and 1/w, (n,); points behind the eye become NaN."""
        seen = (points - self.eye) @ self.axes().T
        distance = np.where(seen[:, 2] < -0.01, -seen[:, 2], np.nan)
        inverse = 1.0 / distance
        scale = 0.5 * height / self.half_height
        x = 0.5 * width + seen[:, 0] * inverse * scale
        y = 0.5 * height - seen[:, 1] * inverse * scale
        # 1/w is linear on the screen; negated, nearer is smaller
        return np.column_stack([x, y, -inverse]), inverse


def view_angle(view: str | float) -> float:
    """Return the angle of a named view or of a number of degrees [rad]."""
    if isinstance(view, str) and view not in VIEWS:
        raise ToileError(f"no view '{view}': choose one of {', '.join(VIEWS)} or an angle in degrees")
    degrees = VIEWS[view] if isinstance(view, str) else view
    if not np.isfinite(degrees):
        raise ToileError("the angle of a view must be a number of degrees")
    return float(np.radians(degrees))


def _turned(view: str | float, tilt: float = 4.0) -> Floats:
    """Return right, up and backward of a camera that sees the person from that side, (3, 3)."""
    angle, rise = view_angle(view), np.radians(tilt)
    back = np.array([np.sin(angle) * np.cos(rise), np.sin(rise), np.cos(angle) * np.cos(rise)])
    right = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    return np.stack([right, np.cross(back, right), back])


def frame_views(
    points: Floats,
    views: Sequence[str | float],
    width: int,
    height: int,
    *,
    angle_of_view: float = 18.0,
    margin: float = 0.06,
) -> list[tuple[Camera, int]]:
    """Return a camera and a number of columns per view; all points [m], (n, 3), are seen at one scale.

    angle_of_view: vertical [degrees]. margin: free share of the picture's height
    round the person. The eye stands slightly above the middle.
    """
    tangent = float(np.tan(np.radians(angle_of_view) / 2))
    room = tangent * (1 - 2 * margin)
    seen = [points @ _turned(view).T for view in views]
    middle = [0.5 * (s.min(axis=0) + s.max(axis=0)) for s in seen]
    off = [np.abs(s - m) for s, m in zip(seen, middle, strict=True)]
    # columns in proportion to what each view shows
    tallest = max(float(o[:, 1].max()) for o in off)
    share = np.array([float(o[:, 0].max()) + margin * tallest + 1e-6 for o in off])
    edges = np.round(np.concatenate([[0], np.cumsum(share) / share.sum()]) * width).astype(int)
    columns = np.maximum(np.diff(edges), 1)
    distance = 0.05
    for s, m, o, c in zip(seen, middle, off, columns, strict=True):
        need = s[:, 2] - m[2] + np.maximum(o[:, 1] / room, o[:, 0] * height / (room * c))
        distance = max(distance, float(need.max()))
    cameras = []
    for view, m, c in zip(views, middle, columns, strict=True):
        axes = _turned(view)
        target = axes.T @ m
        cameras.append((Camera(target + axes[2] * distance, target, tangent), int(c)))
    return cameras


def natural_width(points: Floats, views: Sequence[str | float], height: int) -> int:
    """Return the number of columns with which people fill a picture of that height, 16 at least."""
    total = 0.0
    for view in views:
        size = np.ptp(points @ _turned(view).T, axis=0)
        total += size[0] / max(size[1], 0.3 * size[0], 1e-6) + 0.12
    return int(np.clip(round(total * 0.9 * height), 16, 16384))


def frame_camera(points: Floats, aspect: float, *, view: str | float = "three_quarter") -> Camera:
    """Return a camera that sees all points [m], (n, 3), in a picture of width/height = aspect."""
    return frame_views(points, [view], round(1000 * aspect), 1000)[0][0]
