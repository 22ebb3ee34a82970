"""What the page is told: what there is, the project as it is now, how the simulation goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from toile.jobs.records import Setting
from toile.studio.asked import Message
from toile.studio.commands import EdgeAt, Point


class Told(Message):
    """A message to the page: it is our own, and not checked on its way out."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Take it as it is."""


class Seen(Told):
    """A part of a message."""

    __slots__ = ()


# ---------------------------------------------------------------------------- what there is


@dataclass(frozen=True, slots=True, kw_only=True)
class Control(Seen):
    """One setting, as a panel shows it."""

    name: str
    kind: Literal["number", "whole", "switch", "choice", "text"]
    default: Setting
    help: str = ""
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel(Seen):
    """A named thing with settings: a solver, a collider, a draft, a motion."""

    name: str
    help: str = ""
    controls: tuple[Control, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello(Told):
    """The first message: what this studio can do."""

    protocol: int
    version: str
    session: str
    """to come back to this session after a broken connection: /studio/live?session=…"""
    solvers: tuple[Panel, ...]
    colliders: tuple[Panel, ...]
    drafts: tuple[Panel, ...]
    motions: tuple[Panel, ...]
    fabrics: tuple[Panel, ...]
    """figures of the fabric library"""
    measures: tuple[Control, ...]
    """sliders of a person"""
    scenes: tuple[str, ...]
    overlays: tuple[str, ...]
    formats: tuple[str, ...]
    """that Export writes"""
    recovered: bool
    """the project was found as it was before a crash"""


# ---------------------------------------------------------------------------- the project


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeSeen(Seen):
    """An edge of a piece, ready to be drawn."""

    name: str
    kind: str
    start: int
    """corner"""
    end: int
    controls: tuple[Point, ...]
    line: tuple[Point, ...]
    """points along it, both corners among them"""
    length: float
    seams: tuple[int, ...]
    """numbers of the seams that run along it"""
    held: str
    """"", pin or elastic"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotchSeen(Seen):
    """A notch of a piece."""

    edge: int
    fraction: float
    name: str
    at: Point


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSeen(Seen):
    """A line inside a piece."""

    kind: str
    points: tuple[Point, ...]
    angle: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceSeen(Seen):
    """A piece of a garment, in its own plane."""

    garment: int
    piece: str
    corners: tuple[Point, ...]
    edges: tuple[EdgeSeen, ...]
    notches: tuple[NotchSeen, ...]
    lines: tuple[LineSeen, ...]
    grain: float
    area: float
    """[m²]"""
    table: Point
    """where its origin lies on the table of the 2D view"""
    fabric: str
    """empty: the garment's"""
    colour: str
    print: str
    second: str
    repeat: float
    place: str
    """what it goes round: torso, left_arm …; empty: not placed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeamSeen(Seen):
    """A seam of a garment."""

    name: str
    colour: str
    """#rrggbb; both its sides have it"""
    a: tuple[EdgeAt, ...]
    b: tuple[EdgeAt, ...]
    length_a: float
    length_b: float
    warning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GarmentSeen(Seen):
    """A garment, but for its pieces."""

    name: str
    pieces: tuple[str, ...]
    seams: tuple[SeamSeen, ...]
    fabric: str
    figures: Mapping[str, float]
    """of its fabric, with what was changed by hand"""
    colour: str
    draft: str
    """empty: from a file or by hand"""
    style: Mapping[str, Setting]
    edited: bool
    """drafted, then edited by hand"""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(Told):
    """The project after an edit, but for its pieces (`pieces` brings those)."""

    revision: int
    """number of this state; frames are of the newest one that was cut"""
    name: str
    garments: tuple[GarmentSeen, ...]
    person: Mapping[str, Any]
    """fields of SetPerson"""
    measures: Mapping[str, float]
    """all measures of the person, also inferred ones"""
    motion: Mapping[str, Any]
    """fields of SetMotion"""
    duration: float
    """of the trimmed motion [s]"""
    method: Mapping[str, Any]
    """fields of SetMethod"""
    mesh: Mapping[str, Any]
    air: Mapping[str, Any]
    undo: str
    """what Undo would take back, in words; empty: nothing"""
    redo: str
    saved: bool
    """the file holds this state"""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces(Told):
    """Pieces that are new or changed, and which there are in all."""

    revision: int
    changed: tuple[PieceSeen, ...]
    gone: tuple[tuple[int, str], ...]
    """garment and name of pieces that are no more"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedSeam(Seen):
    """A seam that is proposed for a garment that has none."""

    a: tuple[EdgeAt, ...]
    b: tuple[EdgeAt, ...]
    remark: str
    """confidence and reason"""
    unsure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(Told):
    """Seams that ProposeSeams would take; edges are numbered as they will be then."""

    garment: int
    seams: tuple[ProposedSeam, ...]
    pieces: tuple[PieceSeen, ...]
    """as they will be: edges may be cut where seams end"""
    notes: tuple[str, ...]


# ---------------------------------------------------------------------------- what goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Told):
    """A message with an id was carried out."""

    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Told):
    """Something was not done; nothing has changed."""

    error: str
    """one line for a person"""
    id: int | None = None
    place: str = ""
    """name of the message, piece or seam that it is about"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Working(Told):
    """How far long work is; fraction 1: it has ended."""

    what: str
    """sewing, draping, cutting, exporting …"""
    fraction: float
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(Told):
    """How the simulation goes, a few times a second."""

    playing: bool
    moving: bool
    sewn: bool
    """the outfit is on the person"""
    scene: str
    time: float
    """of the simulation [s]"""
    motion_time: float
    pace: float
    frame_ms: float
    """to compute a frame, lately"""
    fps: float
    """frames computed a second"""
    sent: int
    dropped: int
    """frames that were computed and not sent, because four were on their way"""
    vertices: int
    triangles: int
    contacts: int
    left: int
    """crossings that the last frame left"""
    energy: float
    """of motion [J]"""
    stretch: float
    """99 % of the threads are stretched by less"""
    pinned: int
    recording: str
    """file that is recorded into; empty: none"""
    overlay: str
    low: float
    """what overlay byte 0 means"""
    high: float
    """what overlay byte 255 means"""
    unit: str
    edit_ms: float
    """from the last edit's arrival to its first frame [ms]"""
    asleep: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Script(Told):
    """The project as Python."""

    text: str
    lines: tuple[str, ...]
    """of the history, one edit each"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWritten(Told):
    """A file was written: GET /studio/files/SESSION/NAME brings it."""

    name: str
    bytes: int
    kind: Literal["project", "recording", "export", "script"]
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Files(Told):
    """The files of the project's folder."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording(Told):
    """A recording that is shown: how long it is and where it stands."""

    file: str
    frames: int
    frame: int
    fps: float
