"""The core records of flat patterns: edges, panels, seams; what `toile.core.records` hands on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from toile.core.arrays import Floats, as_floats, set_fields
from toile.core.errors import ToileError

CurveKind = Literal["line", "quadratic", "cubic", "arc", "polyline"]


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """One side of a panel's outline, from one corner to the next."""

    start: int
    """index into Panel.vertices"""
    end: int
    """index into Panel.vertices"""
    kind: CurveKind = "line"
    """line (no control point), quadratic (1), cubic (2), arc (1: any point that the arc passes),
    polyline (n: points between start and end)"""
    controls: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """control points in panel coordinates [m], (k, 2)"""
    name: str = ""
    """tailor's word for it: waist, hem, side … (may be empty)"""

    def __post_init__(self) -> None:
        controls = as_floats(np.asarray(self.controls).reshape(-1, 2), -1, 2, name="edge controls")
        wanted = {"line": 0, "quadratic": 1, "cubic": 2, "arc": 1}.get(self.kind, len(controls))
        if len(controls) != wanted:
            raise ToileError(f"a {self.kind} edge takes {wanted} control points, not {len(controls)}")
        set_fields(self, controls=controls)


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """Where a panel stands before sewing, before it is aligned to a body."""

    translation: Floats
    """position of the panel's origin [m], (3,)"""
    rotation: Floats
    """world_from_panel, (3, 3); panel coordinates are (x, y, 0)"""
    around: str = ""
    """what the panel is curved round: torso, left_arm, right_arm, left_leg, right_leg, neck, head;
    empty: stays flat"""

    def __post_init__(self) -> None:
        set_fields(
            self,
            translation=as_floats(self.translation, 3, name="placement translation"),
            rotation=as_floats(self.rotation, 3, 3, name="placement rotation"),
        )


@dataclass(frozen=True, slots=True)
class Notch:
    """A mark on an edge that must meet its partner across the seam."""

    edge: int
    """position in Panel.edges"""
    fraction: float
    """place along the edge's length, 0 at its start, 1 at its end"""
    name: str = ""
    """notches of the same name meet (may be empty)"""


@dataclass(frozen=True, eq=False, slots=True)
class Mark:
    """A line drawn inside a panel."""

    kind: Literal["internal", "guide", "fold", "cutout", "sew", "drill", "cut"]
    """internal: to be followed by the mesh; guide: drawn only, such as lines of other sizes, hems, pockets;
    fold: crease or pleat; cutout: closed, the inside is removed;
    sew: seam line inside the cut line; drill: single points; cut: where the scissors go (allowance)"""
    points: Floats
    """in panel coordinates [m], (k, 2)"""
    angle: float = 0.0
    """fold: how far the cloth is folded along the line [rad], 0 flat, positive towards the panel's +z side"""
    name: str = ""

    def __post_init__(self) -> None:
        set_fields(self, points=as_floats(np.asarray(self.points).reshape(-1, 2), -1, 2, name="mark points"))


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """A flat piece of cloth: a closed loop of edges."""

    name: str
    vertices: Floats
    """corners in the panel's plane [m], (n, 2); y along the warp (grain) unless grain says otherwise"""
    edges: tuple[Edge, ...]
    """in order: each edge ends where the next starts, the last ends where the first starts"""
    placement: Placement | None = None
    fabric: str = ""
    """name in the fabric database; empty: the garment's fabric"""
    grain: float = 0.0
    """angle of the warp from the panel's y axis [rad], counter-clockwise"""
    label: str = ""
    """free text: part of the body, or what the source file said"""
    notches: tuple[Notch, ...] = ()
    marks: tuple[Mark, ...] = ()
    """internal lines, fold lines, cut-outs"""

    def __post_init__(self) -> None:
        set_fields(self, vertices=as_floats(self.vertices, -1, 2, name=f"panel {self.name}: vertices"))


@dataclass(frozen=True, slots=True)
class EdgeRef:
    """An edge as a seam runs along it."""

    panel: str
    edge: int
    """position in Panel.edges"""
    reversed: bool = False
    """the seam runs from the edge's end to its start"""


@dataclass(frozen=True, slots=True)
class Seam:
    """Two chains of edges sewn together: the start of chain a meets the start of chain b."""

    a: tuple[EdgeRef, ...]
    b: tuple[EdgeRef, ...]
    ease: float | None = None
    """declared length of b / length of a (gathers, ease); None: equal lengths were meant"""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Hold:
    """An edge that stays where the body carries it: a waistband, an elastic."""

    edge: EdgeRef
    kind: Literal["pin", "elastic"] = "pin"
    ratio: float = 1.0
    """elastic: relaxed length / cut length"""


@dataclass(frozen=True, slots=True)
class Grade:
    """How a pattern changes from one size to the next, along one edge or at one of its ends."""

    edge: EdgeRef
    where: Literal["out", "start", "end"] = "out"
    """out: the whole edge moves outward; start, end: that corner moves"""
    x: float = 0.0
    """out: how far; else to the right, per step [m]"""
    y: float = 0.0
    """upward, per step; not used by out [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class Pattern:
    """The flat pieces of one garment and the seams that join them."""

    name: str
    panels: tuple[Panel, ...]
    seams: tuple[Seam, ...] = ()
    holds: tuple[Hold, ...] = ()
    layer: int = 0
    """0 is worn next to the skin; higher layers lie over lower ones"""
    origin: Literal["floor", "waist", "body", "unknown"] = "unknown"
    """what y = 0 of the placements means; body: already aligned to the body it was drafted for"""
    notes: tuple[str, ...] = ()
    """what a reader had to assume, one sentence each, for the user to see"""
    tuck: str = ""
    """garment of the same outfit that this one is tucked into: a shirt into trousers"""
    sizes: tuple[str, ...] = ()
    """sizes that the grade rules lead to, in order"""
    size: str = ""
    """the one of them that is drawn"""
    grades: tuple[Grade, ...] = ()
    """what each edge does from one size to the next"""
    recipe: str = ""
    """draft and style that it was drafted by, such as 'skirt length=0.6'; empty: drawn by hand"""

    def panel(self, name: str) -> Panel:
        """Return the panel of that name."""
        for panel in self.panels:
            if panel.name == name:
                return panel
        raise ToileError(f"pattern {self.name}: no panel '{name}'")
