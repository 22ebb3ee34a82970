"""Edits of garments as a whole, of the person, the motion and the method: function(project, edit, inputs)."""

from __future__ import annotations

from dataclasses import replace

from toile.core.choices import choose
from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.garment.fabric import fabric as fabric_named
from toile.jobs.describe import Inputs
from toile.jobs.records import Setting
from toile.motion.library import MOTIONS
from toile.pattern.drafts.library import check_style, draft, options
from toile.pattern.library import read_outfit
from toile.sim.method import make_method
from toile.studio import commands as c
from toile.studio.edit_pieces import rectangle
from toile.studio.project import Project, Worn, body_of, fabric_of, opened_person
from toile.studio.table import laid_out

MOST_GARMENTS = 12
STAND = "stand"
"""the motion of somebody who does not move"""


def _with_more(project: Project, *more: Worn) -> Project:
    count = len(project.garments) + len(more)
    if count > MOST_GARMENTS:
        raise ToileError(f"an outfit of {count} garments is more than {MOST_GARMENTS}: take some away")
    return replace(project, garments=(*project.garments, *more))


def _worn(pattern: Pattern, **more: object) -> Worn:
    return Worn(pattern=pattern, table=laid_out(pattern, {}), **more)  # type: ignore[arg-type]


def add_draft(project: Project, edit: c.AddDraft, inputs: Inputs) -> Project:
    """Draft a garment for the person."""
    fabric_named(edit.fabric)
    check_style(edit.draft, edit.style)
    pattern = draft(edit.draft, body_of(project, inputs).measurements, **edit.style)
    return _with_more(project, _worn(pattern, fabric=edit.fabric, draft=edit.draft, style=dict(edit.style)))


def set_draft(project: Project, edit: c.SetDraft, inputs: Inputs) -> Project:
    """Draft a garment anew with other options."""
    worn = project.worn(edit.garment)
    if not worn.draft:
        raise ToileError(f"garment {worn.pattern.name} was not drafted: it has no options")
    style = {k: v for k, v in {**worn.style, **edit.style}.items() if v != options(worn.draft).get(k)}
    check_style(worn.draft, {**edit.style, **style})
    pattern = draft(worn.draft, body_of(project, inputs).measurements, **style)
    return project.with_garment(edit.garment, redrafted(worn, pattern, style))


def redrafted(worn: Worn, pattern: Pattern, style: dict[str, Setting]) -> Worn:
    """Return a garment drafted anew: its pieces stay on the table where they are."""
    return replace(worn, pattern=pattern, style=style, edited=False, table=laid_out(pattern, worn.table))


def open_pattern(project: Project, edit: c.OpenPattern, inputs: Inputs) -> Project:
    """Add the garments of a pattern file."""
    fabric_named(edit.fabric)
    found = read_outfit(inputs.path(edit.file), size=edit.size, units=edit.units)
    return _with_more(project, *(_worn(pattern, fabric=edit.fabric) for pattern in found))


def new_garment(project: Project, edit: c.NewGarment, inputs: Inputs) -> Project:
    """Begin a garment with a rectangle."""
    fabric_named(edit.fabric)
    pattern = Pattern(edit.name, (rectangle("piece", edit.width, edit.height),))
    return _with_more(project, _worn(pattern, fabric=edit.fabric))


def delete_garment(project: Project, edit: c.DeleteGarment, inputs: Inputs) -> Project:
    """Take a garment away."""
    project.worn(edit.garment)
    return replace(project, garments=tuple(w for k, w in enumerate(project.garments) if k != edit.garment))


def order_garments(project: Project, edit: c.OrderGarments, inputs: Inputs) -> Project:
    """Wear the garments in another order."""
    if sorted(edit.order) != list(range(len(project.garments))):
        raise ToileError("an order names each garment once")
    return replace(project, garments=tuple(project.garments[k] for k in edit.order))


def set_fabric(project: Project, edit: c.SetFabric, inputs: Inputs) -> Project:
    """Cut a garment or a piece from another fabric."""
    worn = project.worn(edit.garment)
    fabric_named(edit.fabric)
    if not edit.piece:
        return project.with_garment(edit.garment, replace(worn, fabric=edit.fabric, figures={}))
    panel = worn.pattern.panel(edit.piece)
    panels = tuple(replace(p, fabric=edit.fabric) if p is panel else p for p in worn.pattern.panels)
    return project.with_garment(edit.garment, replace(worn, pattern=replace(worn.pattern, panels=panels)))


def set_figures(project: Project, edit: c.SetFigures, inputs: Inputs) -> Project:
    """Change figures of a garment's fabric."""
    worn = project.worn(edit.garment)
    changed = replace(worn, figures={**worn.figures, **edit.figures})
    fabric_of(changed)
    return project.with_garment(edit.garment, changed)


def set_look(project: Project, edit: c.SetLook, inputs: Inputs) -> Project:
    """Colour and print a garment or a piece."""
    worn = project.worn(edit.garment)
    if edit.piece:
        worn.pattern.panel(edit.piece)
    return project.with_garment(edit.garment, replace(worn, looks={**worn.looks, edit.piece: edit}))


def move_piece(project: Project, edit: c.MovePiece, inputs: Inputs) -> Project:
    """Move a piece on the table."""
    worn = project.worn(edit.garment)
    worn.pattern.panel(edit.piece)
    x, y = worn.table.get(edit.piece, (0.0, 0.0))
    table = {**worn.table, edit.piece: (x + edit.by[0], y + edit.by[1])}
    return project.with_garment(edit.garment, replace(worn, table=table))


def set_person(project: Project, edit: c.SetPerson, inputs: Inputs) -> Project:
    """Choose who wears it; drafts that nobody edited are drafted for the new person."""
    measurements = opened_person(edit, inputs).body.measurements
    garments = tuple(
        worn
        if worn.edited or not worn.draft
        else redrafted(worn, draft(worn.draft, measurements, **worn.style), dict(worn.style))
        for worn in project.garments
    )
    return replace(project, person=edit, garments=garments)


def set_motion(project: Project, edit: c.SetMotion, inputs: Inputs) -> Project:
    """Choose how the person moves."""
    if edit.file:
        inputs.path(edit.file)
    elif edit.named != STAND:
        choose("motion", MOTIONS, edit.named)
        try:
            MOTIONS[edit.named](**edit.settings)
        except TypeError:
            raise ToileError(f"{edit.named} has no setting {', '.join(edit.settings)}") from None
    if edit.end is not None and edit.end - edit.start < 0.1:
        raise ToileError("a motion lasts at least 0.1 s: trim less away")
    return replace(project, motion=edit)


def set_method(project: Project, edit: c.SetMethod, inputs: Inputs) -> Project:
    """Choose solver and collider."""
    make_method(edit.solver, edit.collider, edit.settings)
    return replace(project, method=edit)


def set_mesh(project: Project, edit: c.SetMesh, inputs: Inputs) -> Project:
    """Choose how fine the cloth is."""
    return replace(project, mesh=edit)


def set_air(project: Project, edit: c.SetAir, inputs: Inputs) -> Project:
    """Wind and gravity."""
    return replace(project, air=edit)


def set_name(project: Project, edit: c.SetName, inputs: Inputs) -> Project:
    """Name the project."""
    return replace(project, name=edit.name.strip() or "project")
