"""Options of a walk: defaults, what a recording keeps of them, and whether they are the same again."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from toile.body.avatar.read import READERS as AVATARS
from toile.body.avatar.read import read_avatar_clip
from toile.cli.common import method_of
from toile.core.errors import ToileError
from toile.sim.method import COLLIDER, SOLVER
from toile.store.record import RecordedFile

DEFAULTS: Mapping[str, Any] = {
    "body": "woman",
    "fabric": "cotton",
    "edge": 0.015,
    "motion": "walk",
    "seconds": 4.0,
    "fps": 60.0,
    "skinning": "linear",
    "wind": (0.0, 0.0, 0.0),
    "rounding": 0.0,
    "loop": False,
}
"""what is taken where nothing is asked for; an interrupted walk keeps what it was begun with"""


def wind(text: str) -> tuple[float, float, float]:
    """Return the air's velocity [m/s] from 3m/s (against a person who faces +z) or three numbers."""
    try:
        numbers = [float(word) for word in text.removesuffix("m/s").split(",")]
        if len(numbers) not in (1, 3) or not np.isfinite(numbers).all() or max(map(abs, numbers)) > 100:
            raise ValueError
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a wind: write a number of m/s, such as 3m/s, or three, such as 1,0,-3"
        ) from error
    x, y, z = numbers if len(numbers) == 3 else (0.0, 0.0, -numbers[0])
    return (x, y, z)


def asked_for(options: argparse.Namespace) -> dict[str, Any]:
    """Return all that was asked for, defaults filled in, as JSON; files by name and content."""
    asked = {name: getattr(options, name) for name in DEFAULTS}
    filled = {**DEFAULTS, **{name: value for name, value in asked.items() if value is not None}}
    if goes_its_own_way(filled):
        filled |= {name: value for name, value in _pace(filled["motion"]).items() if asked[name] is None}
    if filled["loop"] and asked["seconds"] is None:
        # one cycle of the motion, however long
        filled["seconds"] = 0.0
    filled["wind"] = list(filled["wind"])
    return {
        **filled,
        "size": options.size,
        "mesh": options.mesh,
        "method": method_of(options),
        "units": options.units,
        "patterns": [_fingerprint(path) for path in options.patterns],
        "motion_file": _fingerprint(filled["motion"]),
        "body_file": _fingerprint(filled["body"]),
    }


def goes_its_own_way(asked: Mapping[str, Any]) -> bool:
    """Return whether an avatar moves by its own clip: the same file is named as body and as motion."""
    body, motion = Path(asked["body"]), Path(asked["motion"])
    if asked["loop"] or body.suffix.lower() not in AVATARS or not (body.is_file() and motion.is_file()):
        return False
    return body.samefile(motion)


def _pace(path: str) -> dict[str, float]:
    """Return frame rate and length of an avatar's own clip."""
    clip = read_avatar_clip(path)
    return {"fps": clip.fps, "seconds": len(clip.world_from_joint) / clip.fps}


def _fingerprint(path: str) -> str:
    """Return a file's name and checksum; the word itself where there is no such file."""
    try:
        return f"{Path(path).name} {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"
    except OSError:
        return path


def check_same(target: Path, options: argparse.Namespace) -> None:
    """Refuse to go on with a walk that was begun with something else than what is asked for now."""
    with RecordedFile(target) as recorded:
        begun = recorded.settings.get("asked")
    if not isinstance(begun, dict):
        return
    now = asked_for(options)
    given = {name for name in DEFAULTS if getattr(options, name) is not None}
    given |= {"patterns"} if options.patterns else set()
    if now["method"] != {"solver": SOLVER, "collider": COLLIDER, "tune": {}}:
        given |= {"method"}
    given |= {f"{name}_file" for name in given & {"motion", "body"}}
    for name in sorted(given):
        if now[name] != begun.get(name):
            word = "round" if name == "rounding" else name.removesuffix("_file")
            raise ToileError(
                f"{target} was begun with another {word} ({str(begun.get(name))[:60]}): "
                "leave the option out, or write to another file"
            )
