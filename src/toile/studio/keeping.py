"""A project as one file: what was decided, how it came about, and how the cloth lies; to the same bits.

The same file, hidden in the project's folder, is written after each edit: after a crash it is found there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from toile.core import container
from toile.core.container import Arrays
from toile.core.errors import ToileError
from toile.core.records import Floats, Garment
from toile.pattern.model.check import check_pattern
from toile.store.serialise import from_plain, to_plain
from toile.store.validate import check_garment
from toile.studio.commands import Edit
from toile.studio.history import Done, History
from toile.studio.messages import as_table, read_message
from toile.studio.project import Project

KIND = "studio"
ENDING = ".studio"
AUTOSAVE = ".autosave.studio"
CLOTH = ".autosave-cloth.studio"


@dataclass(frozen=True, eq=False, slots=True)
class Hung:
    """How the cloth lies."""

    garment: Garment
    dressed: Floats
    """on the person in the rest pose [m], (n, 3)"""
    position: Floats
    """[m], (n, 3)"""
    velocity: Floats
    """[m/s], (n, 3)"""
    time: float
    """of the simulation [s]"""
    clock: float
    """of the person's motion [s]"""
    share: float
    """0: the person stands, 1: moves"""
    pinned: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        count = self.garment.particle_count
        for values in (self.dressed, self.position, self.velocity):
            if values.shape != (count, 3) or not np.isfinite(values).all():
                raise ToileError("the cloth of the project is damaged: sew anew")


def save_project(path: Path, history: History, hung: Hung | None) -> None:
    """Write a project; the file appears whole or not at all."""
    arrays: Arrays = {}
    meta = {
        "content": KIND,
        "edits": [{**as_table(one.edit), "group": one.group} for one in history.done],
        "at": history.at,
        "project": to_plain(history.project, arrays, "project"),
        "hung": None if hung is None else to_plain(hung, arrays, "hung"),
    }
    container.save(path, arrays, meta)


def is_project(path: Path) -> bool:
    """Say whether a file is a project."""
    return path.suffix.lower() == ENDING


def load_project(path: Path) -> tuple[History, Hung | None]:
    """Return a project as it was written; whatever the file says is checked."""
    where = path.name
    arrays, meta = container.load(path)
    if meta.get("content") != KIND:
        raise ToileError(f"{where}: holds no project of the studio")
    edits, at = meta.get("edits"), meta.get("at")
    if not isinstance(edits, list) or type(at) is not int or not 0 <= at <= len(edits) <= 1_000_000:
        raise ToileError(f"{where}: its history cannot be read")
    done = [_edit(entry, where) for entry in edits]
    project = from_plain(Project, meta.get("project"), arrays, "project", where)
    for worn in project.garments:
        check_pattern(worn.pattern, where)
    history = History(done=done, at=at, states={0: Project(), at: project})
    return history, _hung(meta.get("hung"), arrays, where)


def recovered(folder: Path) -> tuple[History, Hung | None, bool]:
    """Return what was saved by itself, and whether there was any; a file that cannot be read is put aside."""
    path, cloth = folder / AUTOSAVE, folder / CLOTH
    if not path.is_file():
        return History(), None, False
    try:
        history, _ = load_project(path)
        other, hung = load_project(cloth) if cloth.is_file() else (None, None)
    except ToileError:
        path.replace(path.with_suffix(".damaged"))
        return History(), None, False
    # the cloth may be of an earlier state
    same = other is not None and other.edits() == history.edits()
    return history, hung if same else None, True


def _edit(entry: Any, where: str) -> Done:
    found = read_message(entry)
    if not isinstance(found.content, Edit):
        raise ToileError(f"{where}: its history holds what is no edit")
    return Done(found.content, found.group)


def _hung(data: Any, arrays: Arrays, where: str) -> Hung | None:
    if data is None:
        return None
    hung = from_plain(Hung, data, arrays, "hung", where)
    check_garment(hung.garment, where)
    return hung
