"""How bodies, patterns, garments and recordings show themselves: a short line, a picture in a notebook.

The records stay plain data: what shows them stands here and is attached when the package is first used.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import Body, Garment, Motion, Pattern, Recording
from toile.pattern.drawing.draw import draw_pattern
from toile.render.picture import picture_of
from toile.render.tapes import measure_picture

HEIGHT = 640
"""of a recording's picture in a notebook [pixels]"""


def _body(body: Body) -> str:
    tall = f", {body.measurements['height'] * 100:.0f} cm" if "height" in body.measurements else ""
    return f"<Body {body.name}{tall}: {len(body.vertices)} vertices, {len(body.skeleton.names)} joints>"


def _pattern(pattern: Pattern) -> str:
    return f"<Pattern {pattern.name}: {len(pattern.panels)} pieces, {len(pattern.seams)} seams>"


def _garment(garment: Garment) -> str:
    worn = ", ".join(garment.garment_names)
    return f"<Garment {worn}: {garment.particle_count} vertices, {len(garment.triangles)} triangles>"


def _recording(recording: Recording) -> str:
    who = f" on {recording.body.name}" if recording.body is not None else ""
    count = len(recording.times)
    lasts = float(recording.times[-1] - recording.times[0]) if count else 0.0
    return f"<Recording of {', '.join(recording.garment.garment_names)}{who}: {count} frames, {lasts:.2f} s>"


def _motion(motion: Motion) -> str:
    return f"<Motion {motion.name}: {len(motion.rotations)} frames at {motion.fps:g} a second>"


def _png(write: Callable[[Path], object]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="toile") as folder:
        path = Path(folder) / "picture.png"
        write(path)
        return path.read_bytes()


def _pattern_png(pattern: Pattern) -> bytes:
    return _png(lambda path: draw_pattern(pattern, path))


def _body_png(body: Body) -> bytes:
    return _png(lambda path: measure_picture(body, path))


def _recording_png(recording: Recording) -> bytes:
    return _png(lambda path: picture_of(recording, path, height=HEIGHT))


def to_trimesh(record: Body | Garment | Recording, frame: int = -1) -> Any:
    """Return a trimesh.Trimesh: a body at rest, or the cloth of a recording's frame [m]."""
    try:
        import trimesh
    except ImportError:
        raise ToileError("to_trimesh: trimesh is not installed: pip install trimesh") from None
    if isinstance(record, Body):
        return trimesh.Trimesh(rest_pose(record).vertices, record.triangles, process=False)
    assert isinstance(record, Recording)
    return trimesh.Trimesh(record.positions[frame], record.garment.triangles, process=False)


SHORT: dict[type, Callable[[Any], str]] = {
    Body: _body, Pattern: _pattern, Garment: _garment, Recording: _recording, Motion: _motion,
}  # fmt: skip
PICTURES: dict[type, Callable[[Any], bytes]] = {
    Body: _body_png, Pattern: _pattern_png, Recording: _recording_png,
}  # fmt: skip


def attach() -> None:
    """Give the records their short lines, pictures and meshes."""
    for kind, told in SHORT.items():
        kind.__repr__ = told  # type: ignore[method-assign, assignment]
    for kind, draw in PICTURES.items():
        kind._repr_png_ = draw  # type: ignore[attr-defined]
    for kind in (Body, Recording):
        kind.to_trimesh = to_trimesh  # type: ignore[union-attr]
