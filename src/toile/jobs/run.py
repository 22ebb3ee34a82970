"""One call for any job: here, with progress and cancelling, into a folder or into memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from toile.core.errors import ToileError
from toile.core.work import Asked, Progress, at_work, never, unheard
from toile.jobs.describe import Inputs, job_hash
from toile.jobs.dressing import run_body, run_dress
from toile.jobs.exporting import run_export
from toile.jobs.fitting import run_fit
from toile.jobs.names import check_names
from toile.jobs.picturing import run_pictures
from toile.jobs.records import (
    BodyJob,
    BranchJob,
    DressJob,
    ExportJob,
    FitJob,
    Job,
    OverJob,
    PictureJob,
    WalkJob,
)
from toile.jobs.result import Result, read_result, write_result
from toile.jobs.walking import run_walk

RUNNERS: Mapping[type, Callable[..., Result]] = {
    DressJob: run_dress,
    WalkJob: run_walk,
    OverJob: run_walk,
    BranchJob: run_walk,
    BodyJob: run_body,
    FitJob: run_fit,
    ExportJob: run_export,
    PictureJob: run_pictures,
}
"""kind of job → function(job, inputs, folder or None)"""


def run(
    job: Job,
    *,
    inputs: Inputs | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress = unheard,
    cancel: Asked = never,
) -> Result:
    """Do a job and return what came of it; ToileError says what is wrong with it.

    inputs tells where its files lie (default: their names are paths). With a folder the results are files
    there, result.json last, and a walk that was interrupted goes on; a finished result of the same job is
    returned as it is. Without one they are in the result's `value`. progress gets stage, fraction and words;
    once cancel returns true the work ends with Cancelled, within a second.
    """
    place, inputs = None if folder is None else Path(folder), inputs or Inputs()
    check_names(job)
    with at_work(progress, cancel):
        name = job_hash(job, inputs)
        if place is not None:
            if not place.is_dir():
                raise ToileError(f"{place}: the folder does not exist: create it first")
            found = read_result(place)
            if found is not None and found.hash == name:
                return found
        result = replace(RUNNERS[type(job)](job, inputs, place), hash=name)
    if place is not None:
        write_result(result, place)
    return result
