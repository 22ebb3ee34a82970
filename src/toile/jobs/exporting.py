"""Runs of ExportJob."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

from toile.core.errors import ToileError
from toile.core.work import tell
from toile.export.library import EXPORTS, export
from toile.jobs.describe import Inputs
from toile.jobs.names import ending_of
from toile.jobs.records import ExportJob
from toile.jobs.result import Result
from toile.render.camera import view_angle
from toile.render.film import FILM_SHOT, GIF_SHOT, STRIP_SHOT
from toile.store.record import RecordedFile

SHOTS = {".png": STRIP_SHOT, ".gif": GIF_SHOT, ".mp4": FILM_SHOT}
"""formats that have a camera"""


def export_to(path: Path, job: ExportJob, inputs: Inputs) -> list[Path]:
    """Write a recording under a name, whose ending goes before the job's format; return what was written."""
    tell("writing", 0.0)
    source = inputs.path(job.recording)
    chosen = export_options(path.suffix.lower(), job, source)
    smooth = 0 if path.suffix.lower() == ".toile" else job.smooth
    with RecordedFile(source) as recorded:
        return export(recorded, path, smooth=smooth, **chosen)


def export_options(ending: str, job: ExportJob, source: Path) -> dict[str, Any]:
    """Return what a format's writer is asked for."""
    takes = signature(EXPORTS[ending]).parameters
    chosen: dict[str, Any] = {}
    with RecordedFile(source) as recorded:
        if job.frame is not None and not job.frame < len(recorded):
            raise ToileError(f"--frame {job.frame}: {source} has frames 0 to {len(recorded) - 1}")
        if job.skip_damaged and recorded.damaged_frames and "frames" in takes:
            damaged = set(recorded.damaged_frames)
            chosen["frames"] = [n for n in range(len(recorded)) if n not in damaged]
    if job.frame is not None:
        chosen |= {"frame": job.frame} if "frame" in takes else {"frames": [job.frame]}
    if (camera := camera_of(job)) and ending in SHOTS:
        chosen["shot"] = replace(SHOTS[ending], **camera)
    return chosen


def camera_of(job: ExportJob) -> dict[str, Any]:
    """Return what was asked of the camera."""
    camera: dict[str, Any] = {}
    if job.view is not None:
        view_angle(job.view)
        camera["view"] = job.view
    if job.turns is not None:
        camera["turns"] = job.turns
    if job.camera:
        camera["follow"] = job.camera == "follow"
    return camera


def run_export(job: ExportJob, inputs: Inputs, folder: Path | None) -> Result:
    """Write a recording in another format into the folder, or return its bytes by name."""
    ending = ending_of(job)
    if folder is not None:
        written = export_to(folder / f"export{ending}", job, inputs)
        return Result(job=job, facts=_sizes(written), files=tuple(path.name for path in written))
    with tempfile.TemporaryDirectory(prefix="toile") as temporary:
        written = export_to(Path(temporary) / f"export{ending}", job, inputs)
        value = {path.name: path.read_bytes() for path in written}
        return Result(job=job, facts=_sizes(written), value=value)


def _sizes(written: list[Path]) -> dict[str, Any]:
    return {"bytes": {path.name: path.stat().st_size for path in written}}
