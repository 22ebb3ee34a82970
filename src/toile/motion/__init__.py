"""Motions: files and our own walk, retargeted to any body."""

from toile.motion.bvh import read_bvh, write_bvh
from toile.motion.library import MOTIONS, read_motion
from toile.motion.retarget import RetargetSettings, retarget
from toile.motion.track import Track, lead_in, pose_at, still, track_of

__all__ = [
    "MOTIONS",
    "RetargetSettings",
    "Track",
    "lead_in",
    "pose_at",
    "read_bvh",
    "read_motion",
    "retarget",
    "still",
    "track_of",
    "write_bvh",
]
