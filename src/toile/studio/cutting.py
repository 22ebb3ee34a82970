"""From a project to cloth, and from cloth that hangs to the cloth of an edited pattern, without sewing anew.

Three ways, the quickest that will do: the rest shape changes under the same triangles; pieces are meshed anew
and hang where the old ones hung; the outfit is sewn from flat pieces (seams, pieces or layers changed).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Body, Fabric, Floats, Garment, Ints, Panel, PanelMesh, Pattern
from toile.fit.tuck import tuck_in
from toile.garment.build import MESHES, build, fabrics_of, panel_coordinates, warp_up, weld
from toile.garment.elastic import with_elastic_bands
from toile.garment.outfit import join, layered
from toile.studio.project import Project, fabric_of
from toile.studio.warp import is_sound, places_in, same_outline, warped


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """An outfit as it was cut: what an edit of the pattern is compared with."""

    garment: Garment
    """welded"""
    fitted: tuple[Pattern, ...]
    """as they were cut: tucked, with elastic bands"""
    meshes: tuple[PanelMesh, ...]
    """of all pieces, in the order of garments and pieces, as they were first cut"""
    flat: tuple[Floats, ...]
    """where their points lie now, in each piece's own plane [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class Recut:
    """The cloth after an edit."""

    cut: Cut
    carried: tuple[Ints, Floats] | None
    """new particles of old ones: which (n, 3) and their shares (n, 3); None: the particles are the same"""

    def carry(self, values: Floats) -> Floats:
        """Return positions or velocities of the old particles for the new ones, (n, 3)."""
        if self.carried is None:
            return values
        which, share = self.carried
        return np.asarray(np.einsum("nk,nkx->nx", share, values[which]))


def fitted_patterns(project: Project, body: Body) -> tuple[Pattern, ...]:
    """Return the garments as they are cut for the body (see sim/dress/dress.py)."""
    tucked, _ = tuck_in([worn.pattern for worn in project.garments], body)
    return tuple(with_elastic_bands(pattern, body)[0] for pattern in tucked)


def cut_of(project: Project, body: Body, garment: Garment) -> Cut:
    """Return how a garment that was sewn from the project had been cut."""
    fitted = fitted_patterns(project, body)
    meshes = _meshes(project, fitted)
    return Cut(garment, fitted, meshes, tuple(mesh.uv for mesh in meshes))


def _meshes(project: Project, patterns: tuple[Pattern, ...]) -> tuple[PanelMesh, ...]:
    found: list[PanelMesh] = []
    for pattern in patterns:
        meshes = MESHES[project.mesh.mesh](pattern, project.mesh.edge_length)
        found += [meshes[panel.name] for panel in pattern.panels]
    return tuple(found)


def unsewn(project: Project, body: Body) -> Garment:
    """Return the outfit as flat pieces."""
    fitted = fitted_patterns(project, body)
    return layered(
        join(
            [
                build(pattern, fabric_of(worn), project.mesh.edge_length, mesh=project.mesh.mesh)
                for pattern, worn in zip(fitted, project.garments, strict=True)
            ]
        )
    )


def needs_sewing(before: Project, after: Project) -> bool:
    """Say whether an edit changed what is sewn to what, or put a person of another make into the clothes."""
    other = before.person != after.person and bool(before.person.file or after.person.file)
    if len(before.garments) != len(after.garments) or other:
        return True
    pairs = zip(before.garments, after.garments, strict=True)
    return any(a.pattern is not b.pattern and _sewn_otherwise(a.pattern, b.pattern) for a, b in pairs)


def _sewn_otherwise(a: Pattern, b: Pattern) -> bool:
    if [p.name for p in a.panels] != [p.name for p in b.panels] or a.layer != b.layer or a.tuck != b.tuck:
        return True
    if a.holds != b.holds:
        return True
    counts = [(len(p.edges), len(q.edges)) for p, q in zip(a.panels, b.panels, strict=True)]
    if any(first != second for first, second in counts):
        # a point more or less: the seams' numbers are others, the seams may be the same
        return len(a.seams) != len(b.seams)
    return [(s.a, s.b) for s in a.seams] != [(s.a, s.b) for s in b.seams]


def recut(old: Cut, project: Project, body: Body) -> Recut:
    """Return the cloth of an edited project; its seams are those of the old one."""
    fitted = fitted_patterns(project, body)
    quick = _in_place(old, project, fitted)
    return Recut(quick, None) if quick is not None else _meshed_anew(old, project, fitted, body)


def _panels(patterns: tuple[Pattern, ...]) -> list[Panel]:
    return [panel for pattern in patterns for panel in pattern.panels]


def _in_place(old: Cut, project: Project, fitted: tuple[Pattern, ...]) -> Cut | None:
    """Return the same triangles in their new rest shape; None: they would be unfit."""
    panels, before = _panels(fitted), _panels(old.fitted)
    if project.mesh.edge_length != old.garment.edge_length or len(panels) != len(before):
        return None
    if not all(p is q or same_outline(p, q) for p, q in zip(before, panels, strict=True)):
        return None
    flat = []
    for mesh, known, was, panel in zip(old.meshes, old.flat, before, panels, strict=True):
        flat.append(known if was is panel else warped(mesh, panel))
        if was is not panel and not is_sound(mesh, flat[-1]):
            return None
    uv = np.concatenate([warp_up(panel, points) for panel, points in zip(panels, flat, strict=True)])
    if len(uv) != len(old.garment.uv):
        raise ToileError("the outfit's mesh is not that of its pattern: sew anew")
    fabrics: list[Fabric] = []
    of_panel: list[Ints] = []
    first = 0
    for pattern, worn in zip(fitted, project.garments, strict=True):
        own, which = fabrics_of(pattern, fabric_of(worn))
        fabrics += own
        of_panel.append(which + first)
        first += len(own)
    panel_fabric = np.concatenate(of_panel).astype(np.int32)
    garment = replace(
        old.garment,
        uv=uv,
        fabrics=tuple(fabrics),
        triangle_fabric=panel_fabric[old.garment.uv_panel[old.garment.triangles_uv[:, 0]]],
        patterns=fitted,
    )
    # meshes stay those of the first cut: small steps of a drag do not add up to bad triangles
    return Cut(garment, fitted, old.meshes, tuple(flat))


def _meshed_anew(old: Cut, project: Project, fitted: tuple[Pattern, ...], body: Body) -> Recut:
    """Return new meshes, and where each particle hung in the old ones."""
    flat = unsewn(project, body)
    welded = weld(flat)
    which, share = _carried(old, fitted, flat)
    # a welded particle hangs at the mean of its points: the shares of the first point do, seams are closed
    first = np.full(welded.particle_count, len(flat.uv), dtype=np.int64)
    np.minimum.at(first, welded.uv_particle, np.arange(len(flat.uv)))
    meshes = _meshes(project, fitted)
    cut = Cut(welded, fitted, meshes, tuple(mesh.uv for mesh in meshes))
    return Recut(cut, (which[first], share[first]))


def _carried(old: Cut, fitted: tuple[Pattern, ...], flat: Garment) -> tuple[Ints, Floats]:
    """Return for each new uv point three old particles and their shares."""
    panels, before = _panels(fitted), _panels(old.fitted)
    uv, coordinates = panel_coordinates(old.garment), panel_coordinates(flat)
    which, share = np.zeros((len(flat.uv), 3), np.int32), np.zeros((len(flat.uv), 3))
    ends = np.cumsum([0, *[len(mesh.uv) for mesh in old.meshes]])
    for number, (panel, (low, high)) in enumerate(zip(panels, pairwise(ends), strict=True)):
        mesh = old.meshes[number]
        # the old mesh in the new outline: points that were added outside have their place in it, too
        shape = warped(mesh, panel) if same_outline(before[number], panel) else uv[low:high]
        mine = np.flatnonzero(flat.uv_panel == number)
        found, place = places_in(shape, mesh.triangles, coordinates[mine])
        corners = old.garment.uv_particle[low:high][mesh.triangles[found]]
        which[mine], share[mine] = corners, place
    return which, share
