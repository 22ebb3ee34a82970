"""A project as the page is told of it: polylines, lengths, seams in colours, warnings."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Floats, Panel, Pattern, Seam
from toile.export.playback import fabric_look
from toile.jobs.plain import to_plain
from toile.pattern.drafts.library import options
from toile.pattern.model import curves
from toile.pattern.model.lengths import seam_lengths
from toile.pattern.seams.review import Finding, check_seams
from toile.studio import told
from toile.studio.commands import EdgeAt, Point, SetLook
from toile.studio.project import FIGURES, Project, Worn, fabric_of

LINE = 5e-4
"""how far a drawn line may be from its curve [m]"""


def points_of(points: Floats) -> tuple[Point, ...]:
    """Return points as they travel: to a hundredth of a millimetre, which a page cannot show."""
    return tuple((float(x), float(y)) for x, y in np.round(points, 5).tolist())


def exact_points(points: Floats) -> tuple[Point, ...]:
    """Return points with all their bits: what is edited goes back as it came."""
    return tuple((float(x), float(y)) for x, y in np.asarray(points).tolist())


def piece_seen(number: int, worn: Worn, panel: Panel) -> told.PieceSeen:
    """Return a piece of a garment."""
    look = look_of(worn, panel.name)
    return told.PieceSeen(
        garment=number,
        piece=panel.name,
        corners=exact_points(panel.vertices),
        edges=tuple(_edge_seen(worn.pattern, panel, k) for k in range(len(panel.edges))),
        notches=tuple(
            told.NotchSeen(
                edge=n.edge,
                fraction=n.fraction,
                name=n.name,
                at=points_of(curves.sample_edge(panel, n.edge, [n.fraction]))[0],
            )
            for n in panel.notches
        ),
        lines=tuple(
            told.LineSeen(kind=m.kind, points=points_of(m.points), angle=m.angle) for m in panel.marks
        ),
        grain=panel.grain,
        area=abs(curves.area(panel)),
        table=worn.table.get(panel.name, (0.0, 0.0)),
        fabric=panel.fabric,
        colour=look.colour,
        print=look.print,
        second=look.second,
        repeat=look.repeat,
        place=panel.placement.around if panel.placement else "",
    )


def look_of(worn: Worn, piece: str) -> SetLook:
    """Return the colour and print of a piece: its own, the garment's, or the fabric's colour."""
    found = worn.looks.get(piece) or worn.looks.get("")
    return found or SetLook(colour=str(fabric_look(fabric_of(worn))["color"]))


def _edge_seen(pattern: Pattern, panel: Panel, number: int) -> told.EdgeSeen:
    edge = panel.edges[number]
    held = next((h.kind for h in pattern.holds if (h.edge.panel, h.edge.edge) == (panel.name, number)), "")
    along = [
        k
        for k, seam in enumerate(pattern.seams)
        if any((ref.panel, ref.edge) == (panel.name, number) for ref in (*seam.a, *seam.b))
    ]
    return told.EdgeSeen(
        name=edge.name,
        kind=edge.kind,
        start=edge.start,
        end=edge.end,
        controls=exact_points(edge.controls),
        line=points_of(curves.flatten_edge(panel, number, LINE)),
        length=curves.edge_length(panel, number),
        seams=tuple(along),
        held=held,
    )


def seam_colour(number: int) -> str:
    """Return a colour for a seam: neighbours in the list differ most."""
    red, green, blue = colorsys.hls_to_rgb((0.07 + 0.618034 * number) % 1.0, 0.42, 0.62)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def edges_at(refs: tuple[EdgeRef, ...]) -> tuple[EdgeAt, ...]:
    """Return a chain as it travels."""
    return tuple(EdgeAt(piece=ref.panel, edge=ref.edge, reversed=ref.reversed) for ref in refs)


def _seam_seen(pattern: Pattern, seam: Seam, number: int, warnings: Mapping[int, str]) -> told.SeamSeen:
    first, second = seam_lengths(pattern, seam)
    return told.SeamSeen(
        name=seam.name,
        colour=seam_colour(number),
        a=edges_at(seam.a),
        b=edges_at(seam.b),
        length_a=first,
        length_b=second,
        warning=warnings.get(number, ""),
    )


@lru_cache(maxsize=64)
def _findings(pattern: Pattern) -> tuple[Finding, ...]:
    return tuple(check_seams(pattern)) if pattern.seams else ()


@lru_cache(maxsize=64)
def garment_seen(worn: Worn) -> told.GarmentSeen:
    """Return a garment without its pieces."""
    pattern = worn.pattern
    findings = _findings(pattern)
    about = {f.seam: f.text for f in findings if f.seam >= 0}
    general = [f.text for f in findings if f.seam < 0]
    unplaced = [panel.name for panel in pattern.panels if panel.placement is None]
    if unplaced:
        general.append(f"not placed on the body: {', '.join(unplaced[:6])}")
    fabric = fabric_of(worn)
    return told.GarmentSeen(
        name=pattern.name,
        pieces=tuple(panel.name for panel in pattern.panels),
        seams=tuple(_seam_seen(pattern, seam, k, about) for k, seam in enumerate(pattern.seams)),
        fabric=worn.fabric,
        figures={name: float(getattr(fabric, name)) for name in FIGURES},
        colour=look_of(worn, "").colour,
        draft=worn.draft,
        style={**options(worn.draft), **worn.style} if worn.draft else {},
        edited=worn.edited,
        warnings=(*general, *pattern.notes),
    )


def project_seen(
    project: Project, *, revision: int, measures: Mapping[str, float], duration: float,
    words: tuple[str, str], saved: bool, warnings: tuple[str, ...],
) -> told.Project:  # fmt: skip
    """Return a project without its pieces."""
    return told.Project(
        revision=revision,
        name=project.name,
        garments=tuple(garment_seen(worn) for worn in project.garments),
        person=to_plain(project.person),
        measures={name: float(value) for name, value in measures.items()},
        motion=to_plain(project.motion),
        duration=duration,
        method=to_plain(project.method),
        mesh=to_plain(project.mesh),
        air=to_plain(project.air),
        undo=words[0],
        redo=words[1],
        saved=saved,
        warnings=warnings,
    )


class SeenPieces:
    """Remembers which pieces the page knows, so that it is told only of what is new."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], told.PieceSeen] = {}
        self._from: dict[tuple[int, str], tuple[object, ...]] = {}
        """what each was made of: what is the same need not be looked at again"""

    def told(self, project: Project, revision: int) -> told.Pieces:
        """Return what has changed since the last time."""
        now: dict[tuple[int, str], told.PieceSeen] = {}
        made_of: dict[tuple[int, str], tuple[object, ...]] = {}
        for k, worn in enumerate(project.garments):
            for panel in worn.pattern.panels:
                key, parts = (k, panel.name), _parts(worn, panel)
                same = _are(parts, self._from.get(key))
                now[key] = self._known[key] if same else piece_seen(k, worn, panel)
                made_of[key] = parts
        self._from = made_of
        changed = tuple(piece for key, piece in now.items() if self._known.get(key) != piece)
        gone = tuple(key for key in self._known if key not in now)
        self._known = now
        return told.Pieces(revision=revision, changed=changed, gone=gone)


def _parts(worn: Worn, panel: Panel) -> tuple[object, ...]:
    """Return what a piece is seen by."""
    pattern = worn.pattern
    place = worn.table.get(panel.name)
    return panel, pattern.seams, pattern.holds, place, look_of(worn, panel.name)


def _are(now: tuple[object, ...], before: tuple[object, ...] | None) -> bool:
    """Say whether these are the same things, or, of texts and numbers, equal ones."""
    return before is not None and all(a is b or a == b for a, b in zip(now, before, strict=True))


def proposal_seen(number: int, worn: Worn) -> told.Proposal:
    """Return the seams that are proposed for a garment."""
    from toile.studio.edit_seams import proposed

    found = proposed(worn.pattern)
    old = len(worn.pattern.seams)
    changed = Worn(pattern=found.pattern, fabric=worn.fabric, table=worn.table, looks=worn.looks)
    seams = found.pattern.seams
    if not seams and not found.pattern.panels:
        raise ToileError(f"garment {worn.pattern.name}: nothing is proposed")
    return told.Proposal(
        garment=number,
        seams=tuple(
            told.ProposedSeam(
                a=edges_at(seam.a), b=edges_at(seam.b), remark=found.remarks[k], unsure=k in found.unsure
            )
            for k, seam in enumerate(seams)
            if k >= old
        ),
        pieces=tuple(piece_seen(number, changed, panel) for panel in found.pattern.panels),
        notes=found.pieces,
    )
