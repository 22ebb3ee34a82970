"""Motions by name or by file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from toile.core.choices import meant
from toile.core.errors import ToileError
from toile.core.records import Motion
from toile.motion.files.bvh import read_bvh
from toile.motion.files.clips import read_avatar_motion
from toile.motion.files.prepare import start_here
from toile.motion.files.smpl import read_npz
from toile.motion.synthesis.gait import run, walk
from toile.motion.synthesis.in_place import idle, reach, sit, turn
from toile.motion.synthesis.walk_with_turn import walk_with_turn

MOTIONS: Mapping[str, Callable[..., Motion]] = {
    "walk": walk,
    "stroll": partial(walk, cadence=92.0, stride=1.1, arm_swing=0.7),
    "catwalk": partial(walk, cadence=116.0, stride=1.5, hip_sway=1.9, step_width=0.02),
    "run": run,
    "idle": idle,
    "turn": turn,
    "sit": sit,
    "reach": reach,
    "tour": walk_with_turn,
}
"""our own motions; each takes its settings as keywords"""

READERS: Mapping[str, Callable[..., Motion]] = {
    ".bvh": read_bvh,
    ".npz": read_npz,
    ".glb": read_avatar_motion,
    ".vrm": read_avatar_motion,
    ".usd": read_avatar_motion,
    ".usdc": read_avatar_motion,
    ".usda": read_avatar_motion,
    ".usdz": read_avatar_motion,
}


def read_motion(
    name: str | os.PathLike[str], *, bones: Mapping[str, str] | None = None, **settings: float
) -> Motion:
    """Return one of our own motions by name (walk, run …), or a file (.bvh, .npz, .glb, .vrm, .usd).

    Files start at the origin, facing +z; bones (part → bone name) helps where theirs have unknown names.
    settings go to our own motion: ``read_motion("walk", cadence=100)``.
    """
    if str(name) in MOTIONS:
        try:
            return MOTIONS[str(name)](**settings)
        except TypeError:
            raise ToileError(f"motion {name}: it has no setting {', '.join(settings)}") from None
    path = Path(name)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise ToileError(
            f"'{name}' is no motion{meant(str(name), MOTIONS)}: give {', '.join(MOTIONS)} "
            f"or a file ending in {', '.join(READERS)}"
        )
    if settings:
        raise ToileError(f"{path.name}: {', '.join(settings)} belong to our own walk and run, not to files")
    return start_here(reader(path, table=bones))
