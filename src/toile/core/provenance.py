"""How a recording came to be, as one record: what was chosen, with which program, and what there is to tell.

In a file it is one JSON object (`meta.settings`) whose keys are the fields' names, except that the settings
of solver and collider stand under the methods' own names; files of every version read alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from toile.core.errors import ToileError

WHERE = "the recording's provenance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How a recording came to be; everything in it can be written as JSON."""

    toile: str = ""
    """version of the program"""
    solver: str = ""
    """name of the cloth's method; empty: nothing was simulated"""
    collider: str = ""
    solver_settings: Mapping[str, Any] = field(default_factory=dict)
    collider_settings: Mapping[str, Any] = field(default_factory=dict)
    sew: Mapping[str, Any] = field(default_factory=dict)
    """settings of sewing"""
    animate: Mapping[str, Any] = field(default_factory=dict)
    """settings of the walk"""
    motion: str = ""
    """name of the motion"""
    notes: tuple[str, ...] = ()
    """what was assumed about the patterns, or done to them"""
    left_open: tuple[str, ...] = ()
    """seams that did not close: where, how far and why, one line each"""
    left_crossing: tuple[int, ...] = ()
    """pairs that still crossed, by frame"""
    loop: Mapping[str, Any] = field(default_factory=dict)
    """how the last frame runs into the first (`closure_in`); empty: it is no loop"""
    came_from: Mapping[str, Any] = field(default_factory=dict)
    """of an avatar: where its file had it (`origin_of`); empty: the body stands where ours does"""
    imported_from: str = ""
    """name of the file that the frames were read from"""
    over: str = ""
    """name of the walk that the garments are worn over"""
    job: Mapping[str, Any] = field(default_factory=dict)
    """the job that made it (`made_by`); empty: it was made by functions"""
    begun: Mapping[str, Any] = field(default_factory=dict)
    """of a walk that was branched or worn over: the job of the first one"""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """checksum of each file of the job, by its name there"""
    told: Mapping[str, Any] = field(default_factory=dict)
    """what the job told about body, sizes and patterns"""
    more: Mapping[str, Any] = field(default_factory=dict)
    """whatever else a program keeps, and what older versions did"""

    def __post_init__(self) -> None:
        for one in fields(self):
            kind, value = _KINDS[one.name], getattr(self, one.name)
            if kind is tuple and isinstance(value, list):
                object.__setattr__(self, one.name, tuple(value))
            elif not isinstance(value, kind):
                raise ToileError(f"{WHERE}: {one.name} is {str(value)[:40]!r}: make it again")


_KINDS: dict[str, type] = {
    f.name: str if f.type == "str" else tuple if str(f.type).startswith("tuple") else Mapping
    for f in fields(Provenance)
}
_METHODS = (("solver", ""), ("collider", "collider "))


def provenance_to_plain(made: Provenance) -> dict[str, Any]:
    """Return it as a file keeps it: what is not known is left out."""
    plain = dict(made.more)
    for one in fields(made):
        value = getattr(made, one.name)
        if value and one.name != "more" and not one.name.endswith("_settings"):
            plain[one.name] = list(value) if isinstance(value, tuple) else value
    for kind, prefix in _METHODS:
        if getattr(made, kind):
            plain[prefix + getattr(made, kind)] = dict(getattr(made, f"{kind}_settings"))
    return plain


def provenance_from_plain(plain: Mapping[str, Any], where: str) -> Provenance:
    """Return what the file where keeps; a field that is not what it should be is told in one line."""
    left = dict(plain)
    given = {name: left.pop(name) for name in _KINDS if name != "more" and name in left}
    for kind, prefix in _METHODS:
        name = given.get(kind)
        if isinstance(name, str) and name and isinstance(left.get(prefix + name), Mapping):
            given[f"{kind}_settings"] = left.pop(prefix + name)
    given = {name: value for name, value in given.items() if value is not None}
    try:
        return Provenance(**given, more=left)
    except ToileError as error:
        raise ToileError(f"{where}: {error}") from None
