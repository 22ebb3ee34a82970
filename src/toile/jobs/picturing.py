"""Runs of PictureJob: colour, depth, normals and panels of a recording's frame from several cameras."""

from __future__ import annotations

from pathlib import Path

from toile.core.atomic import replacing
from toile.core.errors import ToileError
from toile.core.work import tell
from toile.jobs.describe import Inputs
from toile.jobs.records import PictureJob
from toile.jobs.result import Result
from toile.render.layers import BODY, DEPTH_UNIT, FIRST_PANEL, NOTHING, draw_layers
from toile.store.record import RecordedFile


def run_pictures(job: PictureJob, inputs: Inputs, folder: Path | None) -> Result:
    """Draw; four PNG files a view go into the folder."""
    tell("drawing", 0.0)
    with RecordedFile(inputs.path(job.recording)) as recorded:
        if not len(recorded) or (job.frame is not None and job.frame >= len(recorded)):
            raise ToileError(f"{recorded.path} has {len(recorded)} frames: choose one of them")
        frame = recorded.frame(len(recorded) - 1 if job.frame is None else job.frame)
        garment = recorded.garment
        drawn = draw_layers(garment, recorded.body, frame, job.views, job.width, job.height)
    names = [view_name(view) for view in job.views]
    files = {
        name: data for one, named in zip(drawn, names, strict=True) for name, data in one.files(named).items()
    }
    if folder is not None:
        for name, data in files.items():
            with replacing(folder / name) as file:
                file.write(data)
    labels = {"nothing": NOTHING, "body": BODY}
    labels |= {panel: FIRST_PANEL + k for k, panel in enumerate(garment.panel_names)}
    cameras = {name: one.facts() for name, one in zip(names, drawn, strict=True)}
    facts = {"cameras": cameras, "depth_unit": DEPTH_UNIT, "labels": labels}
    return Result(job=job, facts=facts, files=tuple(files), value=None if folder else files)


def view_name(view: float | str) -> str:
    """Return the name of a view's files."""
    return view if isinstance(view, str) else f"{view:g}deg"
