"""What came of a job: facts as JSON, files in a folder or an object in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toile.core.atomic import replacing
from toile.core.errors import ToileError
from toile.jobs.describe import job_from_json, job_to_json
from toile.jobs.plain import from_plain
from toile.jobs.records import Job

RESULT = "result.json"
"""written last: where it is, all other files are"""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Result:
    """What came of a job."""

    job: Job
    hash: str = ""
    """of the job and its input files (`job_hash`)"""
    facts: Mapping[str, Any]
    """what was found, as JSON: counts, measures, the audit"""
    problems: tuple[str, ...] = ()
    """of the audit; empty: it passes"""
    notes: tuple[str, ...] = ()
    """what was assumed or changed, one line each"""
    files: tuple[str, ...] = ()
    """names in the folder"""
    value: Any = field(default=None, repr=False)
    """the recording, body … itself, where no folder was given"""

    @property
    def ok(self) -> bool:
        """Return whether the audit found nothing."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """Return all but the value as JSON."""
        return {
            "job": job_to_json(self.job),
            "hash": self.hash,
            "facts": dict(self.facts),
            "problems": list(self.problems),
            "notes": list(self.notes),
            "files": list(self.files),
        }


def write_result(result: Result, folder: Path) -> None:
    """Write the facts beside the files, last of all."""
    with replacing(folder / RESULT) as file:
        file.write(json.dumps(result.to_json(), indent=1, ensure_ascii=False, allow_nan=False).encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    job: Mapping[str, Any]
    hash: str
    facts: Mapping[str, Any]
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def read_result(folder: Path) -> Result | None:
    """Return the result that a folder holds; None: it was not finished."""
    path = folder / RESULT
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise ToileError(f"{path}: no result of a job ({str(error)[:80]}): remove its folder") from None
    return result_from_json(data, str(path))


def result_from_json(data: Any, where: str) -> Result:
    """Return the result that JSON describes, without its value."""
    kept = from_plain(_Stored, data, where)
    job = job_from_json(kept.job, f"{where}: job")
    return Result(
        job=job, hash=kept.hash, facts=kept.facts, problems=kept.problems, notes=kept.notes, files=kept.files
    )
