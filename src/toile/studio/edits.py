"""One call for any edit of a project; what is refused raises a ToileError and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.jobs.describe import Inputs
from toile.pattern.model.check import check_pattern
from toile.studio import commands as c
from toile.studio import edit_pieces, edit_points, edit_project, edit_seams
from toile.studio.project import Project
from toile.studio.table import laid_out

OF_PATTERN: Mapping[type[c.Edit], Callable[[Pattern, Any], Pattern]] = {
    c.MovePoints: edit_points.move_points,
    c.MoveEdges: edit_points.move_edges,
    c.SetCurve: edit_points.set_curve,
    c.SetLength: edit_points.set_length,
    c.AddPoint: edit_points.add_point,
    c.DeletePoint: edit_points.delete_point,
    c.AddDart: edit_points.add_dart,
    c.AddNotch: edit_points.add_notch,
    c.DeleteNotch: edit_points.delete_notch,
    c.SetGrain: edit_points.set_grain,
    c.AddLine: edit_points.add_line,
    c.DeleteLine: edit_points.delete_line,
    c.AddPiece: edit_pieces.add_piece,
    c.DeletePiece: edit_pieces.delete_piece,
    c.RenamePiece: edit_pieces.rename_piece,
    c.SplitPiece: edit_pieces.split_piece,
    c.MirrorPiece: edit_pieces.mirror_piece,
    c.CopyPiece: edit_pieces.copy_piece,
    c.UnfoldPiece: edit_pieces.unfold_piece,
    c.PlacePiece: edit_pieces.place_piece,
    c.Sew: edit_seams.sew,
    c.ReverseSeam: edit_seams.reverse_seam,
    c.Unsew: edit_seams.unsew,
    c.ProposeSeams: edit_seams.propose_seams,
    c.HoldEdge: edit_seams.hold_edge,
    c.FreeEdge: edit_seams.free_edge,
}
"""edit → function(pattern of the garment, edit)"""
OF_PROJECT: Mapping[type[c.Edit], Callable[[Project, Any, Inputs], Project]] = {
    c.AddDraft: edit_project.add_draft,
    c.SetDraft: edit_project.set_draft,
    c.OpenPattern: edit_project.open_pattern,
    c.NewGarment: edit_project.new_garment,
    c.DeleteGarment: edit_project.delete_garment,
    c.OrderGarments: edit_project.order_garments,
    c.SetFabric: edit_project.set_fabric,
    c.SetFigures: edit_project.set_figures,
    c.SetLook: edit_project.set_look,
    c.MovePiece: edit_project.move_piece,
    c.SetPerson: edit_project.set_person,
    c.SetMotion: edit_project.set_motion,
    c.SetMethod: edit_project.set_method,
    c.SetMesh: edit_project.set_mesh,
    c.SetAir: edit_project.set_air,
    c.SetName: edit_project.set_name,
}
"""edit → function(project, edit, where its files lie)"""


def apply(project: Project, edit: c.Edit, inputs: Inputs | None = None) -> Project:
    """Return the project after an edit."""
    change = OF_PATTERN.get(type(edit))
    if change is None:
        return OF_PROJECT[type(edit)](project, edit, inputs or Inputs())
    number: int = edit.garment  # type: ignore[attr-defined]
    worn = project.worn(number)
    pattern = change(worn.pattern, edit)
    try:
        check_pattern(pattern, pattern.name)
    except (ValueError, IndexError) as error:
        raise ToileError(f"garment {pattern.name}: this cannot be cut ({error})") from None
    looks = {name: look for name, look in worn.looks.items() if not name or _has(pattern, name)}
    changed = replace(worn, pattern=pattern, edited=True, table=laid_out(pattern, worn.table), looks=looks)
    return project.with_garment(number, changed)


def _has(pattern: Pattern, piece: str) -> bool:
    return any(panel.name == piece for panel in pattern.panels)
