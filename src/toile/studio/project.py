"""A project: the person, the garments and how all of it is simulated. Every state is a record of its own.

Records are never changed, so that undo is a list of states. `dressed` is what the studio shows when it sews,
and what a script gets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from toile.core.defaults import BODY, FABRIC
from toile.core.errors import ToileError
from toile.core.records import Body, Fabric, Pattern, Recording
from toile.garment.fabric import fabric as fabric_named
from toile.garment.fabric import fabric_of_figures
from toile.jobs.describe import Inputs
from toile.jobs.names import cloth_of
from toile.jobs.plain import from_plain, to_plain
from toile.jobs.records import BodySource, Setting
from toile.jobs.sources import Opened, open_source
from toile.sim.dress.dress import dress
from toile.sim.dress.sew import Progress, silent
from toile.sim.method import Method, make_method
from toile.studio.commands import Point, SetAir, SetLook, SetMesh, SetMethod, SetMotion, SetPerson

FIGURES = (
    "mass", "stretch_warp", "stretch_weft", "shear", "bend_warp", "bend_weft", "thickness", "friction",
    "friction_cloth", "strain_limit", "damping",
)  # fmt: skip
"""of a fabric, that may be changed by hand"""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Worn:
    """One garment of a project."""

    pattern: Pattern
    fabric: str = FABRIC
    figures: Mapping[str, float] = field(default_factory=dict)
    """of its fabric, that were changed by hand"""
    draft: str = ""
    """the draft that it is of; empty: from a file, or by hand"""
    style: Mapping[str, Setting] = field(default_factory=dict)
    """options of the draft"""
    edited: bool = False
    """edited by hand since it was drafted"""
    table: Mapping[str, Point] = field(default_factory=dict)
    """where pieces lie on the table of the 2D view [m]"""
    looks: Mapping[str, SetLook] = field(default_factory=dict)
    """colour and print by piece; "": of the whole garment"""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Project:
    """Everything that a person decides in the studio."""

    name: str = "project"
    garments: tuple[Worn, ...] = ()
    """inner ones first"""
    person: SetPerson = field(default_factory=lambda: SetPerson(named=BODY))
    motion: SetMotion = field(default_factory=SetMotion)
    method: SetMethod = field(default_factory=SetMethod)
    mesh: SetMesh = field(default_factory=SetMesh)
    air: SetAir = field(default_factory=SetAir)

    def worn(self, number: int) -> Worn:
        """Return a garment by its number."""
        if not 0 <= number < len(self.garments):
            raise ToileError(f"there is no garment {number}: the outfit has {len(self.garments)}")
        return self.garments[number]

    def with_garment(self, number: int, worn: Worn) -> Project:
        """Return the project with another garment in its place."""
        self.worn(number)
        return replace(
            self, garments=tuple(worn if k == number else one for k, one in enumerate(self.garments))
        )


def opened_person(person: SetPerson, inputs: Inputs) -> Opened:
    """Return the body that was chosen, and what is to be told about it."""
    if person.file:
        # a file may change: what it says is not kept
        return open_source(_source(person), inputs)
    return _made_person(json.dumps(to_plain(person), sort_keys=True))


@lru_cache(maxsize=32)
def _made_person(text: str) -> Opened:
    return open_source(_source(from_plain(SetPerson, json.loads(text), "person")), Inputs())


def _source(person: SetPerson) -> BodySource:
    return BodySource(
        named=person.named, file=person.file, sex=person.sex, age=person.age, measures=person.measures
    )


def body_of(project: Project, inputs: Inputs) -> Body:
    """Return the person of a project."""
    return opened_person(project.person, inputs).body


def fabric_of(worn: Worn) -> Fabric:
    """Return the fabric of a garment, with what was changed by hand."""
    if not worn.figures:
        return cloth_of(worn.fabric)
    base = fabric_named(worn.fabric)
    known = {name: getattr(base, name) for name in FIGURES}
    return fabric_of_figures(
        worn.fabric, {**known, **worn.figures, "colour": list(base.colour)}, worn.pattern.name
    )


def method_of(project: Project) -> Method:
    """Return the solver and collider of a project."""
    chosen = project.method
    return make_method(chosen.solver, chosen.collider, chosen.settings)


def sewable(project: Project) -> bool:
    """Say whether there is something to sew: garments whose pieces all have their place."""
    return bool(project.garments) and all(
        panel.placement is not None for worn in project.garments for panel in worn.pattern.panels
    )


def dressed(project: Project, inputs: Inputs | None = None, progress: Progress = silent) -> Recording:
    """Return the person wearing the outfit, sewn from flat pieces."""
    if not project.garments:
        raise ToileError("there is nothing to sew: add a garment first")
    chosen = project.method
    return dress(
        [worn.pattern for worn in project.garments],
        body_of(project, inputs or Inputs()),
        fabric=[fabric_of(worn) for worn in project.garments],
        edge_length=project.mesh.edge_length,
        solver=chosen.solver,
        collider=chosen.collider,
        tune=chosen.settings,
        mesh=project.mesh.mesh,
        progress=progress,
    )
