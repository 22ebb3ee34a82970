"""The audit: is this result right? Every figure is measured on the finished result.

Inside and outside are decided by exact winding numbers, crossings by exact triangle tests, independently of
the nearest-point signs that the simulation itself uses.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

import numpy as np

from toile._kernels import SurfaceTree, meeting_pairs, meeting_pairs_self
from toile.audit.openings import Branches, Opening, openings
from toile.audit.tightness import tightest_level
from toile.core.errors import ToileError
from toile.core.records import Body, Bools, Floats, Garment, Ints, PosedBody, Recording
from toile.garment.build import seam_gaps
from toile.garment.particles import sewn_labels
from toile.geometry.topology import components
from toile.geometry.triangles import StretchStatistics, edge_elongation, stretch_statistics
from toile.store.record import Frame, Replayable, sound_frames, source_of

STILL = 0.0003
"""cloth that moves less in a frame is at rest [m]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """What a result may at most be; beyond that the audit fails."""

    inside_depth: float = 0.001
    """a vertex counts as deep inside from here on [m]"""
    inside_deep_share: float = 0.0
    """share of vertices deep inside the body"""
    inside_share: float = 0.001
    """share of vertices inside the body at all"""
    body_pairs: int = 0
    """triangle pairs of cloth and body that cross"""
    self_pairs: int = 0
    """triangle pairs of one garment that cross"""
    layer_pairs: int = 0
    """triangle pairs of two garments that cross"""
    seam_gap: float = 0.0005
    """widest open seam [m]"""
    stretch_mean: float = 0.015
    """mean elongation of the edges"""
    stretch_99: float = 0.08
    """99th percentile of it"""
    stretch_largest: float = 0.5
    """largest elongation of any edge"""
    still_distance: float = STILL
    """a vertex moves when it goes farther than this in one frame [m]"""
    moving_share: float = 0.005
    """share of moving vertices of cloth at rest"""
    smallest_opening: float = 0.15
    """an opening with a shorter border may go round nothing: a keyhole, a gap between buttons [m]"""
    below_hips: float = 0.10
    """the top of a garment may be this far below the hip joints [m]"""
    floor_share: float = 0.2
    """share of a garment's vertices that may lie on the floor"""
    floor_height: float = 0.02
    """what is lower than this above the soles lies on the floor [m]"""
    away: float = 0.35
    """how far a garment's middle may be from the body [m]"""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) >= 0:
                raise ToileError(f"audit limit {name} must not be negative")


GIVES = 0.05
"""what the cloth gives that the limits of stretch are made for: cotton poplin"""
ELASTIC = 0.5
"""fabrics with a larger strain limit are elastics"""

LIMITS = {
    "strict": AuditSettings(),
    "draft": AuditSettings(
        inside_deep_share=0.001, inside_share=0.01, body_pairs=35, self_pairs=300, layer_pairs=300
    ),
}
"""ready-made limits; draft accepts what published garment data sets accept"""


@dataclass(frozen=True, eq=False, slots=True)
class Audit:
    """What was found. `problems` names each thing beyond its limit, one line each."""

    vertex_count: int
    finite: bool
    inside_count: int = 0
    """vertices inside the body"""
    inside_deep_count: int = 0
    """of these deeper than the limit depth"""
    deepest: float = 0.0
    """[m]"""
    body_pairs: int = 0
    """crossing triangle pairs: cloth and body"""
    self_pairs: int = 0
    """within one garment"""
    layer_pairs: int = 0
    """between two garments"""
    pinched_skin: int = 0
    """triangle pairs of the body itself that cross in this pose, not at rest: no room for cloth"""
    pinched_pairs: int = 0
    """of the crossings of cloth and body, those at pinched skin"""
    crossing_place: str = ""
    """where cloth crosses cloth most: the panels' names"""
    seam_gap: float = 0.0
    """widest [m]"""
    seam_worst: str = ""
    """where"""
    stretch: StretchStatistics = field(default_factory=lambda: StretchStatistics(0.0, 0.0, 0.0))
    tightest: str = ""
    """panel that is stretched most on the mean"""
    strain: StretchStatistics | None = None
    """stretch as a share of what each fabric gives, times what cotton gives; None: as the stretch"""
    moving_share: float | None = None
    """share of vertices that move; None: one frame alone does not tell"""
    openings: tuple[Opening, ...] = ()
    """borders of tubes and the limbs through them; empty without a body that has limbs"""
    problems: tuple[str, ...] = ()
    tight: tuple[str, ...] = ()
    """those of the problems that say that it is tight: it is worn all the same"""

    @property
    def ok(self) -> bool:
        """Return whether nothing is beyond its limit."""
        return not self.problems

    @property
    def broken(self) -> tuple[str, ...]:
        """Return the problems of a garment that is not worn as it should be, tight or not."""
        return tuple(problem for problem in self.problems if problem not in self.tight)

    def lines(self) -> list[str]:
        """Return the report, one finding per line."""
        moving = "unknown" if self.moving_share is None else f"{100 * self.moving_share:.2f} % of vertices"
        s = self.stretch
        rows = [
            (
                "inside the body",
                f"{self.inside_count} of {self.vertex_count}, {1000 * self.deepest:.2f} mm deep",
            ),
            ("crossing pairs", f"body {self.body_pairs}, self {self.self_pairs}, layers {self.layer_pairs}"),
            (
                "seam gap",
                f"{1000 * self.seam_gap:.3f} mm" + (f" ({self.seam_worst})" if self.seam_gap else ""),
            ),
            ("stretch", f"mean {s.mean:.2%}, 99 % {s.percentile_99:.2%}, largest {s.largest:.2%}"),
            ("moving", moving),
        ]
        if self.pinched_skin:
            where = (
                f"skin crosses itself in {self.pinched_skin} pairs; {self.pinched_pairs} crossings are there"
            )
            rows.insert(2, ("pinched", where))
        for o in self.openings:
            rows.append(
                (
                    f"opening {100 * o.girth:.0f} cm",
                    f"{o.garment}, {o.panels[0]}: {', '.join(o.branches) or 'nothing'}",
                )
            )
        text = [f"{name:<16} {value}" for name, value in rows]
        tight = [f"TIGHT            {problem}" for problem in self.tight]
        return text + tight + [f"FAILED           {problem}" for problem in self.broken]


MOST_PAIRS = 10_000_000
"""crossings that are listed"""


def _codes(pairs: Ints) -> Ints:
    """Return one number per pair of triangles."""
    return np.asarray(pairs[:, 0].astype(np.int64) << 32 | pairs[:, 1])


class Auditor:
    """Audits one garment on one body, frame after frame."""

    def __init__(self, garment: Garment, body: Body | None, settings: AuditSettings | None = None) -> None:
        """Prepare everything that does not change between frames."""
        self.garment, self.body = garment, body
        self.settings = settings or AuditSettings()
        self._label = sewn_labels(garment)
        self._owner = garment.particle_garment[garment.triangles[:, 0]] if len(garment.triangles) else None
        self._skin: SurfaceTree | None = None
        self._cloth: SurfaceTree | None = None
        self._rest_pairs: Ints | None = None
        self._branches = Branches(body) if body is not None else None
        self._piece = components(self._label[garment.triangles], garment.particle_count)[self._label]

    def audit(
        self, position: Floats, body_vertices: Floats | None = None, previous: Floats | None = None
    ) -> Audit:
        """Return the findings for one frame [m]; previous is the frame before, to see whether it moves."""
        garment = self.garment
        if position.shape != (garment.particle_count, 3):
            raise ToileError(
                f"audit: {garment.name} has {garment.particle_count} particles, not {position.shape}"
            )
        if not np.isfinite(position).all():
            lost = int((~np.isfinite(position).all(axis=1)).sum())
            return Audit(len(position), False, problems=(f"{lost} vertices are not finite numbers",))
        skin = None if self.body is None else self.body.vertices if body_vertices is None else body_vertices
        inside, deepest = self._inside(position, skin)
        crossed, own, layers = self._pairs(position)
        pinched, pinched_skin = self._pinched(skin)
        gap, worst = seam_gap(garment, position)
        found = Audit(
            vertex_count=len(position),
            finite=True,
            inside_count=len(inside),
            inside_deep_count=int((inside > self.settings.inside_depth).sum()),
            deepest=deepest,
            body_pairs=len(crossed),
            self_pairs=len(own),
            layer_pairs=len(layers),
            crossing_place=self._place(own if len(own) else layers),
            pinched_skin=pinched_skin,
            pinched_pairs=int(pinched[crossed].sum()) if len(crossed) else 0,
            seam_gap=gap,
            seam_worst=worst,
            stretch=stretch_statistics(position, garment.triangles, garment.uv, garment.triangles_uv),
            tightest=tightest_panel(garment, position),
            strain=strain_statistics(garment, position),
            moving_share=None if previous is None else self._moving(position - previous),
            openings=self._openings(position, skin),
        )
        return judged(found, self.settings, self._lost(position, skin))

    def _inside(self, position: Floats, skin: Floats | None) -> tuple[Floats, float]:
        """Return the depth of each vertex inside the body, and the greatest [m]."""
        if self.body is None or skin is None:
            return np.zeros(0), 0.0
        if self._skin is None:
            self._skin = SurfaceTree(self.body.triangles, self.body.vertices)
        self._skin.refit(skin)
        inside = np.flatnonzero(self._skin.winding(position) > 0)
        depth = np.abs(self._skin.nearest(position[inside], 10.0)[1])
        return depth, float(depth.max(initial=0.0))

    def _pinched(self, skin: Floats | None) -> tuple[Bools, int]:
        """Return which skin triangles touch skin that crosses itself in this pose, and how many pairs do."""
        if (
            self.body is None
            or skin is None
            or self._skin is None
            or np.array_equal(skin, self.body.vertices)
        ):
            return np.zeros(0 if self.body is None else len(self.body.triangles), dtype=bool), 0
        if self._rest_pairs is None:
            rest = SurfaceTree(self.body.triangles, self.body.vertices)
            self._rest_pairs = _codes(meeting_pairs_self(rest, None, MOST_PAIRS)[1])
        pairs = meeting_pairs_self(self._skin, None, MOST_PAIRS)[1]
        pairs = pairs[~np.isin(_codes(pairs), self._rest_pairs)]
        touched = np.zeros(len(skin), dtype=bool)
        touched[self.body.triangles[pairs.ravel()]] = True
        return np.asarray(touched[self.body.triangles].any(axis=1)), len(pairs)

    def _place(self, pairs: Ints) -> str:
        """Return the names of the panels that cross most."""
        if not len(pairs):
            return ""
        panel = np.sort(self.garment.uv_panel[self.garment.triangles_uv[pairs, 0]], axis=1)
        kinds, count = np.unique(panel, axis=0, return_counts=True)
        return " and ".join(panel_called(self.garment, int(k)) for k in np.unique(kinds[count.argmax()]))

    def _pairs(self, position: Floats) -> tuple[Ints, Ints, Ints]:
        """Return the skin triangles that cloth crosses, the pairs that cross within and between garments."""
        none = np.zeros((0, 2), np.int32)
        if self._owner is None:
            return none[:, 0], none, none
        if self._cloth is None:
            self._cloth = SurfaceTree(self.garment.triangles, position)
        self._cloth.refit(position)
        crossed = none if self._skin is None else meeting_pairs(self._skin, self._cloth, MOST_PAIRS)[1]
        pairs = meeting_pairs_self(self._cloth, self._label, MOST_PAIRS)[1]
        own = self._owner[pairs[:, 0]] == self._owner[pairs[:, 1]]
        return np.asarray(crossed[:, 0]), pairs[own], pairs[~own]

    def _moving(self, step: Floats) -> float:
        return (
            float((np.linalg.norm(step, axis=1) > self.settings.still_distance).mean()) if len(step) else 0.0
        )

    def _openings(self, position: Floats, skin: Floats | None) -> tuple[Opening, ...]:
        if self._branches is None or skin is None or not self._branches.known or self._owner is None:
            return ()
        return tuple(openings(self.garment, position, self._branches.at(skin), self._label))

    def _lost(self, position: Floats, skin: Floats | None) -> list[str]:
        """Return the garments that are not on the body any more."""
        if skin is None or not len(skin):
            return []
        lost = []
        for number, name in enumerate(self.garment.garment_names):
            mine = self.garment.particle_garment == number
            # pieces that are not sewn to the rest can be lost alone: a waistband round the ankles
            for piece in np.unique(self._piece[mine]):
                of_piece = mine & (self._piece == piece)
                if reason := self._why_lost(position[of_piece], skin):
                    whole = of_piece.sum() == mine.sum()
                    lost.append(f"{name} {reason}" if whole else f"{name}: {self._panel(of_piece)} {reason}")
        return lost

    def _panel(self, particles: Bools) -> str:
        """Return the name of the panel that most of these particles belong to."""
        panel = self.garment.uv_panel[particles[self.garment.uv_particle]]
        return panel_called(self.garment, int(np.bincount(panel).argmax()))

    def _why_lost(self, points: Floats, skin: Floats) -> str:
        s = self.settings
        ground = float(skin[:, 1].min())
        low = float((points[:, 1] < ground + s.floor_height).mean())
        if low > s.floor_share:
            return f"lies on the floor ({low:.0%} of it)"
        middle, nearest, farthest = points.mean(axis=0), skin.min(axis=0), skin.max(axis=0)
        apart = float(np.linalg.norm(middle - np.clip(middle, nearest, farthest)))
        if apart > s.away:
            return f"has left the body (its middle is {100 * apart:.0f} cm away)"
        if self._branches is None or not self._branches.known:
            return ""
        hips, up = self._branches.hips(skin)
        top = float(((points - hips) @ up).max())
        return f"has slid down (its top is {-100 * top:.0f} cm below the hips)" if top < -s.below_hips else ""


def judged(audit: Audit, limits: AuditSettings, lost: list[str]) -> Audit:
    """Return the audit with one problem line for each thing beyond its limit."""
    count, moving, s = max(audit.vertex_count, 1), audit.moving_share or 0.0, audit.strain or audit.stretch
    inside, deep, depth = audit.inside_count, audit.inside_deep_count, 1000 * audit.deepest
    body, own, layers = audit.body_pairs, audit.self_pairs, audit.layer_pairs
    gap, seam = audit.seam_gap, audit.seam_worst
    where = f", most in {audit.crossing_place}" if audit.crossing_place else ""
    table = [
        (inside / count > limits.inside_share, f"{inside} vertices are inside the body"),
        (
            deep / count > limits.inside_deep_share,
            f"{deep} vertices are up to {depth:.1f} mm inside the body",
        ),
        (body > limits.body_pairs, f"{body} triangle pairs of cloth and body cross"),
        (own > limits.self_pairs, f"{own} triangle pairs within a garment cross{where}"),
        (layers > limits.layer_pairs, f"{layers} triangle pairs of two garments cross{where}"),
        (gap > limits.seam_gap, f"seam {seam} is open by {1000 * gap:.1f} mm"),
        (s.largest > limits.stretch_largest, f"an edge is stretched by {audit.stretch.largest:.0%}"),
        (moving > limits.moving_share, f"{moving:.1%} of the vertices still move"),
    ]
    tight = _tight(audit, limits)
    problems = [*tight, *(text for beyond, text in table if beyond)]
    matter = [o for o in audit.openings if o.branches or o.wanted or o.girth > limits.smallest_opening]
    problems += [o.problem for o in matter if o.problem]
    return replace(audit, problems=(*problems, *lost), tight=tuple(tight))


def _tight(audit: Audit, limits: AuditSettings) -> list[str]:
    """Return how a garment is tighter than its fabrics give, one line each."""
    s, raw = audit.strain or audit.stretch, audit.stretch
    table = [
        (
            s.mean > limits.stretch_mean,
            f"the mean stretch is {raw.mean:.1%}: too small, most in panel {audit.tightest}; "
            "try a larger size",
        ),
        (
            s.percentile_99 > limits.stretch_99,
            f"1 % of the edges are longer by {raw.percentile_99:.0%} or more, most in panel {audit.tightest}",
        ),
    ]
    return [text for beyond, text in table if beyond]


def strain_statistics(garment: Garment, position: Floats) -> StretchStatistics:
    """Return the stretch of all edges, each against what its fabric gives: as it is for 5 %."""
    longer = np.maximum(edge_elongation(position, garment.triangles, garment.uv, garment.triangles_uv), 0.0)
    if not longer.size:
        return StretchStatistics(0.0, 0.0, 0.0)
    limit = np.array([f.strain_limit for f in garment.fabrics])[garment.triangle_fabric][:, None]
    share = longer / np.maximum(limit / GIVES, 1.0)
    torn = np.maximum(longer - np.maximum(limit - GIVES, 0.0), 0.0)
    return StretchStatistics(float(share.mean()), float(np.percentile(share, 99.0)), float(torn.max()))


def panel_called(garment: Garment, panel: int) -> str:
    """Return a panel's name; where several garments are worn, with the garment that it belongs to."""
    name = garment.panel_names[panel]
    if len(garment.garment_names) < 2:
        return name
    points = np.flatnonzero(garment.uv_panel == panel)
    worn = garment.garment_names[int(garment.particle_garment[garment.uv_particle[points[0]]])]
    return f"{name} of {worn}"


def tightest_panel(garment: Garment, position: Floats) -> str:
    """Return the panel with the greatest mean elongation; elastic ones are made for it and do not count."""
    longer = np.maximum(
        edge_elongation(position, garment.triangles, garment.uv, garment.triangles_uv), 0.0
    ).mean(axis=1)
    limit = np.array([f.strain_limit for f in garment.fabrics])[garment.triangle_fabric]
    longer[limit > ELASTIC] = 0.0
    panel = garment.uv_panel[garment.triangles_uv[:, 0]]
    total = np.bincount(panel, longer, len(garment.panel_names))
    count = np.maximum(np.bincount(panel, minlength=len(garment.panel_names)), 1)
    return panel_called(garment, int((total / count).argmax()))


def seam_gap(garment: Garment, position: Floats) -> tuple[float, str]:
    """Return the widest gap between points that are sewn together [m] and the seam where it is."""
    gap = seam_gaps(garment, position)
    if not len(gap):
        return 0.0, ""
    worst = int(gap.argmax())
    name = garment.seam_names[int(garment.seam_id[worst])]
    if len(garment.garment_names) > 1:
        of = garment.particle_garment[garment.uv_particle[garment.seam_uv[worst, 0]]]
        name = f"{name} of {garment.garment_names[int(of)]}"
    return float(gap[worst]), name


def audit(
    garment: Garment,
    position: Floats,
    body: Body | PosedBody | None = None,
    *,
    body_vertices: Floats | None = None,
    previous: Floats | None = None,
    settings: AuditSettings | None = None,
) -> Audit:
    """Return the findings for one frame of a garment on a body; see Auditor for many frames."""
    if isinstance(body, PosedBody):
        body, body_vertices = body.body, body.vertices if body_vertices is None else body_vertices
    return Auditor(garment, body, settings).audit(position, body_vertices, previous)


def audit_drape(recording: Recording) -> Audit:
    """Return the audit of a drape: its last frame, with the one before to see whether it rests.

    Where it is too tight, the place is found; seams that did not close are told with their reasons.
    """
    garment, position = recording.garment, recording.positions[-1]
    found = audit(
        garment,
        position,
        recording.body,
        body_vertices=recording.body_vertices[-1],
        previous=recording.positions[-2],
    )
    if found.tight and recording.body is not None:
        level = tightest_level(garment, position, recording.body)
        if level is not None and level.lacks > 0.0:
            first = str(level)
            found = replace(found, problems=(first, *found.problems), tight=(first, *found.tight))
    left_open = recording.provenance.left_open
    others = tuple(p for p in found.problems if not (left_open and p.startswith(f"seam {found.seam_worst} ")))
    return replace(found, problems=(*left_open, *others))


def audit_recording(recording: Replayable, settings: AuditSettings | None = None) -> list[Audit]:
    """Return one audit per readable frame; whether it moves is asked only while the body stands still."""
    source = source_of(recording)
    auditor = Auditor(source.garment, source.body, settings)
    audits: list[Audit] = []
    before: Frame | None = None
    for _, frame in sound_frames(source):
        skin = frame.body_vertices if len(frame.body_vertices) else None
        stands = before is not None and np.array_equal(frame.body_vertices, before.body_vertices)
        previous = before.position if before is not None and stands else None
        audits.append(auditor.audit(frame.position, skin, previous))
        before = frame
    if not audits:
        raise ToileError("the recording has no readable frame")
    return audits


def check_file(path: str | os.PathLike[str]) -> tuple[bool, list[str]]:
    """Return whether a .toile file passes, and the report: the last frame, then what failed before."""
    audits = audit_recording(path)
    lines = audits[-1].lines()
    failed = [(number, a) for number, a in enumerate(audits[:-1]) if not a.ok]
    for number, one in failed[:10]:
        lines += [f"FAILED           frame {number}: {problem}" for problem in one.problems]
    if len(audits) > 1:
        clean, pinched = sum(a.ok for a in audits), sum(a.pinched_skin > 0 for a in audits)
        lines.append(f"{'clean frames':<16} {clean} of {len(audits)}")
        lines.append(f"{'pinched frames':<16} {pinched} of {len(audits)} (the body crosses itself)")
    return all(a.ok for a in audits), lines
