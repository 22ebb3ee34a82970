"""Picture strips: a motion on a body, pose after pose in a row, from the side and from the front."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from toile.body.model.skin import pose_body
from toile.core.errors import ToileError
from toile.core.records import Body, Floats
from toile.motion.track import Track, pose_at
from toile.render.camera import natural_width, view_angle
from toile.render.picture import Mesh, Studio, body_mesh, render_views, write_png


def motion_strip(
    body: Body,
    track: Track,
    path: str | os.PathLike[str],
    *,
    count: int = 8,
    views: Sequence[str | float] = ("other_side", "front"),
    height: int = 360,
    studio: Studio | None = None,
) -> None:
    """Write a PNG with a row of poses per view, evenly spread over the motion (one loop of a loop)."""
    if not 1 <= count <= 40 or not 1 <= len(views) <= 6:
        raise ToileError(f"a strip of {count} poses from {len(views)} sides cannot be drawn: 1 to 40, 1 to 6")
    last = count if track.loop else max(count - 1, 1)
    poses = [pose_body(body, pose_at(track, track.duration * k / last)).vertices for k in range(count)]
    rows = [_row(body, poses, view) for view in views]
    width = max(
        natural_width(np.concatenate([m.vertices for m in row]), [v], height)
        for row, v in zip(rows, views, strict=True)
    )
    studio = studio or Studio(samples=3, sky_count=24, key_count=8)
    pictures = [
        render_views(row, views=[view], width=width, height=height, studio=studio)
        for row, view in zip(rows, views, strict=True)
    ]
    write_png(path, np.concatenate(pictures))


def _row(body: Body, poses: Sequence[Floats], view: str | float) -> list[Mesh]:
    """Return the poses beside each other as a camera at that view sees them, first at its left."""
    angle = view_angle(view)
    right = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    seen = [points @ right for points in poses]
    step = max(float(np.ptp(side)) for side in seen) + 0.08
    meshes = []
    for place, (points, side) in enumerate(zip(poses, seen, strict=True)):
        middle = points[:, [0, 2]].mean(axis=0)
        still = points - np.array([middle[0], 0.0, middle[1]])
        offset = right * (place * step - 0.5 * (side.min() + side.max()) + middle @ right[[0, 2]])
        meshes.append(body_mesh(body, still + offset))
    return meshes
