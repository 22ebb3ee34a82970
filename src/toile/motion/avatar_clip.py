"""An avatar's own clip on the avatar itself, frame by frame, in a form that can be written back to its file.

Nothing is retargeted: feet, arms and bones stay as they were animated. The way to the person's own start
(at the origin, facing +z) is kept, with the file's axes and units, for the files that are written back.
"""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from toile.body.avatar.bone_names import find_bones
from toile.body.avatar.read import read_avatar_clip
from toile.core.errors import ToileError
from toile.core.provenance import Provenance
from toile.core.records import Body, Floats
from toile.geometry.rotation import to_matrix, yaw
from toile.io.axes import Axes
from toile.motion.track import Track, track_of


@dataclass(frozen=True, eq=False, slots=True)
class AvatarOrigin:
    """Where an avatar came from: all that is needed to hand it back as it came."""

    file: str
    fps: float
    """of its clip"""
    axes: Axes
    file_from_ours: Floats
    """from our places [m] to the file's, in its units: turn, scale and shift, (4, 4)"""

    def __post_init__(self) -> None:
        square = self.file_from_ours[:3, :3]
        scale = abs(float(np.linalg.det(square))) ** (1 / 3)
        even = np.allclose(square @ square.T, scale**2 * np.eye(3), atol=1e-4 * scale**2)
        if not (
            np.isfinite(self.file_from_ours).all() and 1e-6 < scale < 1e6 and even and 0 < self.fps < 1e4
        ):
            raise ToileError(f"the way back to {self.file} is no turn, scale and shift: walk again")

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON."""
        rows = [[float(x) for x in row] for row in self.file_from_ours]
        return {"file": self.file, "fps": self.fps, "axes": asdict(self.axes), "file_from_ours": rows}


def origin_of(made: Provenance) -> AvatarOrigin | None:
    """Return the origin that a recording keeps; None: it is our own."""
    kept = made.came_from
    if not kept:
        return None
    try:
        axes = Axes(str(kept["axes"]["up"]), float(kept["axes"]["metres"]), float(kept["axes"]["first"]))
        matrix = np.array(kept["file_from_ours"], dtype=np.float64).reshape(4, 4)
        return AvatarOrigin(str(kept["file"])[:200], float(kept["fps"]), axes, matrix)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ToileError(f"the recording does not say where its avatar came from ({error})") from None


def avatar_track(
    path: str | os.PathLike[str], body: Body, *, fps: float | None = None, clip: int = 0
) -> tuple[Track, AvatarOrigin]:
    """Return an avatar's clip as the track of its body, which stands at the origin and faces +z at first."""
    own = read_avatar_clip(path, clip, fps=fps)
    if own.world_from_joint.shape[1] != len(body.skeleton.names):
        raise ToileError(
            f"{os.path.basename(path)}: its clip moves another body than the one that is dressed"
        )
    ours_from_read = _start_here(own.world_from_joint[0], body)
    track = track_of(body, ours_from_read @ own.world_from_joint, own.fps, name=own.name)
    error = np.abs(track.world_from_joint - ours_from_read @ own.world_from_joint)[..., :3, 3].max()
    back = own.file_from_ours @ np.linalg.inv(ours_from_read)
    origin = AvatarOrigin(os.path.basename(path), own.fps, own.axes, back)
    return replace(track, report={"joint_error": float(error)}), origin


def _start_here(first: Floats, body: Body) -> Floats:
    """Return the turn about the vertical and the shift along the floor that bring a pose to our start."""
    bones = find_bones(body.skeleton.names, body.skeleton.parents.tolist(), source=body.name)
    left, right = (first[bones.limbs[f"{side}_thigh"], :3, 3] for side in ("left", "right"))
    across = left - right
    # ahead is left × up
    rotation = to_matrix(yaw(-math.atan2(-across[2], across[0])))
    move = np.eye(4)
    move[:3, :3] = rotation
    move[:3, 3] = -rotation @ (first[bones.hips, :3, 3] * np.array([1.0, 0.0, 1.0]))
    return move


def with_run_up(track: Track, frames: int) -> Track:
    """Return the track with frames before its first, in which the person glides to the start.

    They are for the way from the rest pose into the motion, so that its first frame can be recorded.
    """
    step = (track.root[1] - track.root[0]) * np.array([1.0, 0.0, 1.0]) if track.frame_count > 1 else 0.0
    before = track.root[0] + np.arange(-frames, 0)[:, None] * step
    held = np.repeat(track.rotations[:1], frames, axis=0)
    rotations = np.concatenate([held, track.rotations])
    return replace(track, rotations=rotations, root=np.concatenate([before, track.root]))
