"""A file is opened for what it is: garment, person or motion."""

from __future__ import annotations

from pathlib import Path

from toile.body.avatar.read import READERS as AVATARS
from toile.body.scan.reconstruct import is_scan
from toile.core.errors import ToileError
from toile.motion.library import READERS as MOTION_FILES
from toile.studio.commands import Edit, OpenPattern, SetMotion, SetPerson

PATTERNS = (".json", ".txt", ".dxf", ".svg", ".plt", ".hpgl")
BODIES = (".toile",)


def edit_for(path: Path, name: str) -> Edit:
    """Return the edit that takes a file of the project's folder in."""
    ending = path.suffix.lower()
    if ending in PATTERNS:
        return OpenPattern(file=name)
    if ending in AVATARS or ending in BODIES or is_scan(path):
        return SetPerson(file=name)
    if ending in MOTION_FILES:
        return SetMotion(file=name)
    raise ToileError(
        f"{name[:80]}: the studio opens patterns ({', '.join(PATTERNS)}), bodies and scans, motions, "
        "recordings (.toile) and projects (.studio)"
    )
