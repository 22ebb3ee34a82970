"""What changes a project: each edit is a small record, which can be undone, written as Python, and sent.

The page sends them as JSON, `{"type": "move_points", …}`; a script makes them by their class. What each does
stands in `edit_points.py`, `edit_pieces.py`, `edit_seams.py` and `edit_project.py`; `edits.py` has the table.
Lengths are metres in the piece's plane, angles radians. Garments are numbered from the innermost, pieces go
by their name, corners and edges by their number in the piece (edge k ends where edge k + 1 begins).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toile.core import defaults
from toile.core.errors import ToileError
from toile.jobs.plain import Checked, number
from toile.jobs.records import Setting

Point = tuple[float, float]
CurveKind = Literal["line", "quadratic", "cubic", "arc", "polyline"]
Places = Literal[
    "front", "back", "left", "right", "left_arm", "right_arm", "left_leg", "right_leg", "neck", "head"
]
"""where a piece may be dropped on the body"""
Print = Literal["plain", "stripes", "dots", "checks"]
_REACH = {"low": -50.0, "high": 50.0, "unit": "m"}
_COLOUR = re.compile(r"#[0-9a-f]{6}")


def _points() -> tuple[Point, ...]:
    made: tuple[Point, ...] = field(default=(), metadata=_REACH)
    return made


def snake(name: str) -> str:
    """Return a class's name as messages have it: MovePoints → move_points."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Edit(Checked):
    """An edit of the project."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeAt(Checked):
    """An edge of a piece, in a direction."""

    piece: str
    edge: int = number(0, 0, 2000)
    reversed: bool = False
    """run from the edge's end to its start"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnGarment(Edit):
    """An edit of one garment."""

    garment: int = number(0, 0, 30)
    """number of the garment, from the innermost"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPiece(OnGarment):
    """An edit of one piece."""

    piece: str


# ---------------------------------------------------------------------------- points, edges, curves


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePoints(OnPiece):
    """Move corners of a piece; curves of the edges beside them follow."""

    points: tuple[int, ...]
    by: Point = field(default=(0.0, 0.0), metadata=_REACH)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveEdges(OnPiece):
    """Move edges of a piece as they are, with their corners."""

    edges: tuple[int, ...]
    by: Point = field(default=(0.0, 0.0), metadata=_REACH)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCurve(OnPiece):
    """Give an edge another curve: line, quadratic (1 control point), cubic (2), arc (1 on it), polyline."""

    edge: int = number(0, 0, 2000)
    kind: CurveKind = "line"
    controls: tuple[Point, ...] = _points()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLength(OnPiece):
    """Make an edge so long: its end moves along the edge's direction."""

    edge: int = number(0, 0, 2000)
    length: float = number(0.1, 0.001, 20.0, "m")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPoint(OnPiece):
    """Cut an edge in two at a fraction of its length; seams, notches and holds follow."""

    edge: int = number(0, 0, 2000)
    fraction: float = number(0.5, 0.001, 0.999)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePoint(OnPiece):
    """Take a corner away: the two edges that meet there become one line."""

    point: int = number(0, 0, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddDart(OnPiece):
    """Cut a dart into an edge and sew it shut."""

    edge: int = number(0, 0, 2000)
    fraction: float = number(0.5, 0.01, 0.99)
    """where its middle is, of the edge's length"""
    width: float = number(0.03, 0.002, 0.5, "m")
    depth: float = number(0.1, 0.005, 2.0, "m")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNotch(OnPiece):
    """Mark a place of an edge; notches of one name meet when edges are sewn."""

    edge: int = number(0, 0, 2000)
    fraction: float = number(0.5, 0.0, 1.0)
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteNotch(OnPiece):
    """Take a notch away."""

    notch: int = number(0, 0, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGrain(OnPiece):
    """Turn the warp of a piece."""

    angle: float = number(0.0, -3.1416, 3.1416, "rad")
    """from the piece's y axis, counter-clockwise"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddLine(OnPiece):
    """Draw a line inside a piece: drawn only, followed by the mesh, folded, or cut out."""

    kind: Literal["internal", "guide", "fold", "cutout"] = "internal"
    points: tuple[Point, ...] = _points()
    angle: float = number(0.0, -3.1416, 3.1416, "rad")
    """how far the cloth is folded along it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteLine(OnPiece):
    """Take an inner line away."""

    line: int = number(0, 0, 2000)


# ---------------------------------------------------------------------------- pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPiece(OnPiece):
    """Add a piece with straight edges through these corners."""

    outline: tuple[Point, ...] = _points()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePiece(OnPiece):
    """Take a piece away, with its seams."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamePiece(OnPiece):
    """Give a piece another name; its seams follow."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePiece(OnPiece):
    """Move a piece on the table of the 2D view; the garment stays as it is."""

    by: Point = field(default=(0.0, 0.0), metadata=_REACH)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPiece(OnPiece):
    """Cut a piece in two along the line between two corners."""

    first: int = number(0, 0, 2000)
    second: int = number(0, 0, 2000)
    name: str = ""
    """of the new piece; empty: one is found"""
    sew: bool = False
    """sew both parts together again along the cut"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorPiece(OnPiece):
    """Turn a piece over, left for right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPiece(OnPiece):
    """Add a copy of a piece, mirrored onto the other side of the body if wanted."""

    name: str = ""
    mirrored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfoldPiece(OnPiece):
    """Unfold a half piece along a straight edge."""

    edge: int = number(0, 0, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacePiece(OnPiece):
    """Say where a piece goes on the body."""

    place: Places
    height: float | None = number(None, 0.0, 2.6, "m")
    """of its middle above the floor; None: found from its name and seams"""


# ---------------------------------------------------------------------------- seams


@dataclass(frozen=True, slots=True, kw_only=True)
class Sew(OnGarment):
    """Sew two chains of edges together: the start of a meets the start of b."""

    a: tuple[EdgeAt, ...]
    b: tuple[EdgeAt, ...]
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReverseSeam(OnGarment):
    """Let a seam's second side run the other way."""

    seam: int = number(0, 0, 10000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsew(OnGarment):
    """Take seams out."""

    seams: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeSeams(OnGarment):
    """Take the seams and places that are proposed for pieces without them (message `proposal` shows them)."""

    but: tuple[int, ...] = ()
    """numbers of proposed seams that are left out"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldEdge(OnPiece):
    """Let an edge stay where the body carries it: a waistband, or an elastic."""

    edge: int = number(0, 0, 2000)
    kind: Literal["pin", "elastic"] = "pin"
    ratio: float = number(1.0, 0.2, 1.0)
    """elastic: relaxed length / cut length"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeEdge(OnPiece):
    """Let an edge go that was held."""

    edge: int = number(0, 0, 2000)


# ---------------------------------------------------------------------------- garments, cloth


@dataclass(frozen=True, slots=True, kw_only=True)
class AddDraft(Edit):
    """Draft a garment from the person's measures; it is worn over the others."""

    draft: str
    style: Mapping[str, Setting] = field(default_factory=dict)
    fabric: str = defaults.FABRIC


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDraft(OnGarment):
    """Change options of a drafted garment: it is drafted anew, edits by hand are lost."""

    style: Mapping[str, Setting]
    """options to change; the others stay"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPattern(Edit):
    """Add the garments of a pattern file (DXF, SVG, HPGL, PDF, GarmentCode, our text)."""

    file: str
    """name in the project's folder"""
    units: Literal["", "mm", "cm", "in", "m"] = ""
    size: str = ""
    fabric: str = defaults.FABRIC


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGarment(Edit):
    """Begin a garment with one rectangular piece."""

    name: str = "garment"
    width: float = number(0.5, 0.01, 10.0, "m")
    height: float = number(0.6, 0.01, 10.0, "m")
    fabric: str = defaults.FABRIC


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteGarment(OnGarment):
    """Take a garment away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderGarments(Edit):
    """Wear the garments in another order."""

    order: tuple[int, ...]
    """their present numbers, innermost first"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFabric(OnGarment):
    """Cut a garment, or one of its pieces, from another fabric."""

    fabric: str
    piece: str = ""
    """empty: the whole garment"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFigures(OnGarment):
    """Change figures of a garment's fabric: mass, stretch_warp, bend_weft … in SI units."""

    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLook(OnGarment):
    """Colour and print of a garment, or of one of its pieces."""

    piece: str = ""
    """empty: the whole garment"""
    colour: str = "#b3b3b8"
    """#rrggbb"""
    print: Print = "plain"
    second: str = "#ffffff"
    repeat: float = number(0.02, 0.002, 1.0, "m")

    def check(self) -> None:
        """Refuse what is no colour."""
        for colour in (self.colour, self.second):
            if not _COLOUR.fullmatch(colour):
                raise ToileError(f"{colour[:20]!r} is no colour: write #rrggbb, such as #7a1f2b")


# ---------------------------------------------------------------------------- person, motion, method


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPerson(Edit):
    """Choose who wears it: by name, by file, or by measures. Drafts that nobody edited are drafted anew."""

    named: str = ""
    """woman or man"""
    file: str = ""
    """body, scan or avatar in the project's folder"""
    sex: Literal["", "female", "male"] = ""
    age: float | None = number(None, 18.0, 90.0, "years")
    measures: Mapping[str, float] = field(default_factory=dict, metadata={"low": 0.05, "high": 300.0})
    """[m], weight in kg; what is not given is inferred"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMotion(Edit):
    """Choose how the person moves."""

    named: str = defaults.MOTION
    """one of our own; "stand": none"""
    file: str = ""
    """BVH, AMC, FBX … in the project's folder"""
    settings: Mapping[str, float] = field(default_factory=dict)
    """of our own walk and run, such as cadence"""
    start: float = number(0.0, 0.0, 3600.0, "s")
    """trimmed away before"""
    end: float | None = number(None, 0.0, 3600.0, "s")
    """trimmed away after; None: nothing"""
    speed: float = number(1.0, 0.05, 4.0)
    amplitude: float = number(1.0, 0.0, 2.0)
    """of the joints' turns about their mean"""
    loop: bool = True
    """begin again at the end"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMethod(Edit):
    """Choose what moves the cloth and what keeps it off the skin, with their settings."""

    solver: str = defaults.SOLVER
    collider: str = defaults.COLLIDER
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """by name; "collider.NAME" where both have one"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMesh(Edit):
    """Choose how fine the cloth is cut into triangles."""

    edge_length: float = number(defaults.EDGE_LENGTH, 0.003, 0.2, "m")
    mesh: Literal["triangles", "grid"] = "triangles"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAir(Edit):
    """Wind and gravity."""

    wind: tuple[float, float, float] = field(
        default=(0.0, 0.0, 0.0), metadata={"low": -100.0, "high": 100.0, "unit": "m/s"}
    )
    gravity: tuple[float, float, float] = field(
        default=(0.0, -9.81, 0.0), metadata={"low": -50.0, "high": 50.0, "unit": "m/s²"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetName(Edit):
    """Name the project."""

    name: str


EDITS: Mapping[str, type[Edit]] = {
    snake(kind.__name__): kind
    for kind in (
        MovePoints, MoveEdges, SetCurve, SetLength, AddPoint, DeletePoint, AddDart, AddNotch, DeleteNotch,
        SetGrain, AddLine, DeleteLine, AddPiece, DeletePiece, RenamePiece, MovePiece, SplitPiece, MirrorPiece,
        CopyPiece, UnfoldPiece, PlacePiece, Sew, ReverseSeam, Unsew, ProposeSeams, HoldEdge, FreeEdge,
        AddDraft, SetDraft, OpenPattern, NewGarment, DeleteGarment, OrderGarments, SetFabric, SetFigures,
        SetLook, SetPerson, SetMotion, SetMethod, SetMesh, SetAir, SetName,
    )
}  # fmt: skip
"""name in messages → record"""
