"""Jobs as JSON, and their hash: the same work has the same hash, wherever its files lie and whatever they
are called.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import toile
from toile.core.errors import ToileError
from toile.core.reading import checksum
from toile.jobs.plain import from_plain, to_plain
from toile.jobs.records import JOBS, Job

KIND = "job"
"""key of a job's name in JSON"""
BESIDE = (".seams", ".rul", ".RUL")
"""endings of files beside a pattern that are read with it"""


def job_to_json(job: Job) -> dict[str, Any]:
    """Return a job as JSON, all defaults filled in."""
    return {KIND: kind_of(job), **to_plain(job)}


def job_from_json(data: Any, where: str = "job") -> Job:
    """Return the job that JSON describes; an error names the key that is wrong."""
    if not isinstance(data, Mapping) or not isinstance(data.get(KIND), str):
        raise ToileError(f"{where} must be a table with '{KIND}': one of {', '.join(JOBS)}")
    if data[KIND] not in JOBS:
        raise ToileError(f"{where}.{KIND} is '{data[KIND][:40]}': choose from {', '.join(JOBS)}")
    return from_plain(JOBS[data[KIND]], {k: v for k, v in data.items() if k != KIND}, where)


def kind_of(job: Job) -> str:
    """Return the name of a job's kind."""
    return next(name for name, kind in JOBS.items() if type(job) is kind)


class Inputs:
    """Where the files lie that jobs name."""

    def __init__(
        self,
        files: Mapping[str, str | os.PathLike[str]] | None = None,
        *,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        """files: name → path, and no others; folder: names are paths in it; neither: paths as they are."""
        self._files = None if files is None else {name: Path(path) for name, path in files.items()}
        self._folder = None if folder is None else Path(folder).resolve()
        self._known: dict[tuple[str, int, int], str] = {}

    def to_json(self) -> dict[str, Any]:
        """Return it for another process."""
        files = None if self._files is None else {name: str(path) for name, path in self._files.items()}
        return {"files": files, "folder": None if self._folder is None else str(self._folder)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Inputs:
        """Return what another process sent."""
        return cls(data["files"], folder=data["folder"])

    def path(self, name: str) -> Path:
        """Return where a file lies; refuses what was not given."""
        if self._files is not None:
            if name not in self._files:
                raise ToileError(f"the job names the file '{name[:80]}', which was not given with it")
            return self._files[name]
        if self._folder is None:
            return Path(name)
        path = (self._folder / name).resolve()
        if not path.is_relative_to(self._folder):
            raise ToileError(f"{name[:80]}: lies outside of {self._folder}: use files inside")
        return path

    def digest(self, name: str, role: str = "file") -> str:
        """Return the checksum of a file's content; of a pattern, also of the files beside it."""
        path = self.path(name)
        found = [f"{path.suffix.lower() if role == 'file' else ''} {self._digest(path)}"]
        if role == "pattern":
            beside = [path.with_suffix(ending) for ending in BESIDE if path.suffix != ending]
            found += [f"{p.suffix} {self._digest(p)}" for p in beside if p.is_file()]
        return _hash("\n".join(found))

    def _digest(self, path: Path) -> str:
        try:
            status = path.stat()
            key = (str(path), status.st_size, status.st_mtime_ns)
            if key not in self._known:
                self._known[key] = checksum(path)
        except OSError as error:
            raise ToileError(f"{path}: cannot be read ({error.strerror or error})") from None
        return self._known[key]


def input_names(job: Job) -> list[str]:
    """Return the names of all files that a job reads, each once."""
    found: dict[str, None] = {}

    def note(name: str, role: str) -> str:
        found[name] = None
        return name

    to_plain(job, note)
    return list(found)


def input_digests(job: Job, inputs: Inputs, only: Collection[str | None] | None = None) -> dict[str, str]:
    """Return name → checksum of the files that a job reads, or of some of them."""
    found: dict[str, str] = {}

    def note(name: str, role: str) -> str:
        if only is None or name in only:
            found[name] = inputs.digest(name, role)
        return name

    to_plain(job, note)
    return found


def job_hash(job: Job, inputs: Inputs | None = None) -> str:
    """Return what names a job's result: of the job, its files' content and the program's version."""
    inputs = inputs or Inputs()
    plain = to_plain(job, lambda name, role: {"content": inputs.digest(name, role)})
    content = {"toile": toile.__version__, KIND: kind_of(job), **plain}
    return _hash(json.dumps(content, sort_keys=True, allow_nan=False))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
