"""What a job names → bodies, garments, motions: files are opened here, and what was assumed is told."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toile.body.avatar.measures import read_measured
from toile.body.avatar.read import READERS as AVATARS
from toile.body.library import open_body
from toile.body.model.check_measures import BodyWarning, unusual
from toile.body.model.make import make_body
from toile.body.scan.reconstruct import ScanFit, fit_scan, is_scan
from toile.core.container import Reader
from toile.core.errors import ToileError
from toile.core.records import Body, Fabric, Motion, Pattern
from toile.core.work import tell
from toile.fit.size import fitted, fitted_size, read_fitted, stepped_size
from toile.garment.from_mesh import MeshGarment, is_mesh_file, read_garment
from toile.jobs.describe import Inputs
from toile.jobs.names import cloth_of
from toile.jobs.records import AUTO, BodySource, Cloth, GarmentSource, MotionSource
from toile.motion.library import read_motion
from toile.pattern.drafts.library import draft
from toile.pattern.library import pattern_sizes, read_outfit
from toile.pattern.model.outfits import in_wearing_order
from toile.store.record import RecordedFile

RECORDING = ".toile"


@dataclass(frozen=True, eq=False, slots=True)
class Opened:
    """A body, and what is to be told about it."""

    body: Body
    doubts: tuple[str, ...] = ()
    """what could not be had as it was asked for, or should be confirmed"""
    fit: ScanFit | None = None
    """how well it lies in the scan it came from"""


def open_source(source: BodySource, inputs: Inputs) -> Opened:
    """Return the body that a job names."""
    tell("body", 0.0)
    if source.measures or source.sex or source.age is not None:
        return _measured(source)
    if not source.file:
        return Opened(open_body(source.named))
    path = inputs.path(source.file)
    if path.suffix.lower() == RECORDING and _is_recording(path):
        return Opened(_body_in(path))
    if is_scan(path):
        fit = fit_scan(path)
        return Opened(fit.body, fit.doubts, fit)
    body = read_measured(str(path), table=source.bones) if source.bones else open_body(str(path))
    return Opened(body, unusual(body.measurements) if path.suffix.lower() != RECORDING else ())


def _measured(source: BodySource) -> Opened:
    """Return a body with the wanted measures, and what cannot be had."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BodyWarning)
        body = make_body(source.sex, source.age, source.label or "body", **source.measures)
    return Opened(body, tuple(str(warning.message) for warning in caught))


def _is_recording(path: Path) -> bool:
    with Reader(path) as reader:
        return reader.meta.get("content") == "recording"


def _body_in(path: Path) -> Body:
    with RecordedFile(path) as recorded:
        if recorded.body is None:
            raise ToileError(f"{path}: the recording has no body: name another one")
        return recorded.body


@dataclass(frozen=True, eq=False, slots=True)
class Wardrobe:
    """The garments of a job, inner ones first."""

    garments: Sequence[Pattern | MeshGarment]
    sizes: tuple[str, ...] = ()
    """why a size was taken, one line each"""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was assumed about them."""
        return tuple(note for garment in self.garments for note in garment.notes)

    def patterns(self) -> list[Pattern]:
        """Return the garments where only patterns can be worn."""
        if any(isinstance(garment, MeshGarment) for garment in self.garments):
            raise ToileError("a mesh cannot be worn over a recorded walk: give a pattern")
        return [garment for garment in self.garments if isinstance(garment, Pattern)]


def open_garments(sources: Sequence[GarmentSource], body: Body, inputs: Inputs) -> Wardrobe:
    """Return the garments that a job names, in their sizes."""
    tell("reading", 0.0)
    _refuse_useless_sizes(sources, inputs)
    worn: list[Pattern | MeshGarment] = []
    reasons: list[str] = []
    for source in sources:
        found, why = _garments(source, body, inputs)
        worn += found
        reasons += why
    if any(source.tuck for source in sources):
        worn = list(in_wearing_order([garment for garment in worn if isinstance(garment, Pattern)]))
    return Wardrobe(tuple(worn), tuple(reasons))


def _garments(
    source: GarmentSource, body: Body, inputs: Inputs
) -> tuple[Sequence[Pattern | MeshGarment], Sequence[str]]:
    if source.draft:
        return _drafted(source, body)
    path = inputs.path(source.file)
    if path.suffix.lower() == RECORDING:
        return _recorded(path, source.size, body)
    if is_mesh_file(path):
        return [read_garment(path, body, units=source.units, hold=source.hold)], []
    how = _how(source, inputs)
    if source.size != AUTO:
        return read_outfit(path, size=source.size, **how), []
    sized = read_fitted(path, body, **how)
    return [one.pattern for one in sized], [one.reason for one in sized]


def check_garment_file(source: GarmentSource, inputs: Inputs) -> None:
    """Refuse a pattern file that cannot be read, or has no such size; the others are read for a body."""
    if source.draft:
        return
    _refuse_useless_sizes([source], inputs)
    path = inputs.path(source.file)
    if path.suffix.lower() != RECORDING and not is_mesh_file(path):
        read_outfit(path, size="" if source.size == AUTO else source.size, **_how(source, inputs))


def _how(source: GarmentSource, inputs: Inputs) -> dict[str, Any]:
    """Return how a pattern file is read."""
    return {"units": source.units, "seams": inputs.path(source.seams) if source.seams else None}


def _drafted(source: GarmentSource, body: Body) -> tuple[list[Pattern], list[str]]:
    pattern = replace(draft(source.draft, body.measurements, **source.style), tuck=source.tuck)
    if not source.size:
        return [pattern], []
    if source.size != AUTO:
        raise ToileError(f"size {source.size[:20]}: a draft is made for the body: leave it out, or say auto")
    one = fitted(pattern, body)
    return [one.pattern], [one.reason]


def _recorded(path: Path, size: str, body: Body) -> tuple[list[Pattern], list[str]]:
    """Return the garments of a recording, graded: auto, +1, -2."""
    if size and size != AUTO and not re.fullmatch(r"[+-]?\d{1,2}", size):
        raise ToileError(f"size {size[:20]}: a recorded garment is graded by +1, -2 … sizes, or auto")
    with RecordedFile(path) as recorded:
        patterns = list(recorded.garment.patterns)
    if not patterns:
        raise ToileError(f"{path}: its garments came as meshes: name their files instead")
    if not size:
        return patterns, []
    sized = [
        fitted_size(pattern, body) if size == AUTO else stepped_size(pattern, body, int(size))
        for pattern in patterns
    ]
    return [one.pattern for one in sized], [one.reason for one in sized]


def _refuse_useless_sizes(sources: Sequence[GarmentSource], inputs: Inputs) -> None:
    """Refuse a size that no garment has which it was given for."""
    for size in {source.size for source in sources if source.size not in ("", AUTO)}:
        paths = [inputs.path(s.file) for s in sources if s.size == size and s.file]
        if any(path.suffix.lower() == RECORDING for path in paths):
            continue
        patterns = [path for path in paths if not is_mesh_file(path)]
        if not any(pattern_sizes(path) for path in patterns):
            name = patterns[0].name if patterns else "the garment"
            raise ToileError(f"--size {size[:20]}: {name} holds no sizes: leave it out")


def cloths(names: Sequence[Cloth]) -> Fabric | list[Fabric]:
    """Return one fabric for all garments, or one for each."""
    found = [cloth_of(cloth) for cloth in names]
    return found[0] if len(found) == 1 else found


def open_motion(source: MotionSource, inputs: Inputs) -> Motion:
    """Return the motion that a job names."""
    if source.file:
        return read_motion(inputs.path(source.file), bones=source.bones or None)
    return read_motion(source.named, bones=None, **source.settings)


def goes_its_own_way(body: BodySource, motion: MotionSource, loop: bool, inputs: Inputs) -> bool:
    """Return whether an avatar moves by its own clip: the same file is body and motion."""
    if loop or not (body.file and motion.file):
        return False
    one, other = inputs.path(body.file), inputs.path(motion.file)
    return one.suffix.lower() in AVATARS and one.is_file() and other.is_file() and one.samefile(other)
