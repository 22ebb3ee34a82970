"""What the page asks for besides edits: time, hands in the cloth, what is shown, what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toile.jobs.plain import Checked, number
from toile.jobs.records import Setting

Point3 = tuple[float, float, float]
_SPACE = {"low": -100.0, "high": 100.0}
Overlay = Literal["none", "fit", "strain", "pressure", "contact", "penetration"]
SceneName = Literal["outfit", "hang_corner", "hang_edge", "tablecloth", "falling"]
Side = Literal[0, 1]
"""0: the project; 1: what it is compared with"""


class Message(Checked):
    """A message, either way."""

    __slots__ = ()


# ---------------------------------------------------------------------------- time


@dataclass(frozen=True, slots=True, kw_only=True)
class Ack(Message):
    """A frame was drawn: no more than four may be on their way."""

    frame: int = number(0, 0, 2**32 - 1)
    side: Side = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Play(Message):
    """Let time run, or pause."""

    on: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOn(Message):
    """Compute so many frames, then pause."""

    frames: int = number(1, 1, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset(Message):
    """Go back to how the outfit was dressed, or the scene began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace(Message):
    """Slow motion: so many times as fast as life."""

    factor: float = number(1.0, 0.02, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seek(Message):
    """Put the person's motion at a time; the cloth goes along."""

    time: float = number(0.0, 0.0, 3600.0, "s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Message):
    """Let the person move, or stand in the rest pose."""

    on: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Dress(Message):
    """Sew the outfit onto the person, from flat pieces: seen as it goes, can be cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel(Message):
    """Stop the long work that is going on: sewing, exporting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene(Message):
    """Show the outfit, or one of the experiments."""

    name: SceneName = "outfit"
    cells: int = number(20, 4, 120)
    """of the experiments' cloth, along a side"""
    fabric: str = "cotton"


# ---------------------------------------------------------------------------- hands


@dataclass(frozen=True, slots=True, kw_only=True)
class Grab(Message):
    """Pull a particle, and gently the cloth round it, to a place; again and again while the mouse moves."""

    particle: int = number(0, 0, 10_000_000)
    to: Point3 = field(default=(0.0, 0.0, 0.0), metadata=_SPACE)
    side: Side = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LetGo(Message):
    """Let the cloth go that was grabbed, with a velocity if it is thrown."""

    velocity: Point3 = field(default=(0.0, 0.0, 0.0), metadata=_SPACE)
    side: Side = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin(Message):
    """Pin particles where they are."""

    particles: tuple[int, ...]
    side: Side = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpin(Message):
    """Take pins out; none named: all."""

    particles: tuple[int, ...] = ()
    side: Side = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Iron(Message):
    """Press the cloth round a particle flat: folds there are smoothed and come to rest."""

    particle: int = number(0, 0, 10_000_000)
    radius: float = number(0.08, 0.01, 1.0, "m")


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCloth(Message):
    """Cut the cloth along a line of particles; those between are found. The pattern stays as it is."""

    particles: tuple[int, ...]


# ---------------------------------------------------------------------------- seeing


@dataclass(frozen=True, slots=True, kw_only=True)
class Show(Message):
    """Colour the cloth by a value for each particle."""

    overlay: Overlay = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare(Message):
    """Show the outfit a second time, in step, with another method or fabric; on=false ends it."""

    on: bool = True
    solver: str = ""
    collider: str = ""
    fabric: str = ""
    """empty: as in the project"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskProposal(Message):
    """Ask for the seams and places that are proposed for a garment; answered by `proposal`."""

    garment: int = number(0, 0, 30)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskScript(Message):
    """Ask for the project as a Python script; answered by `script`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskScene(Message):
    """Ask for the prepared scene for the engine in the page; answered by a binary message of kind 4."""


# ---------------------------------------------------------------------------- keeping


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Message):
    """Take edits back."""

    steps: int = number(1, 1, 10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redo(Message):
    """Do again what was taken back."""

    steps: int = number(1, 1, 10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Save(Message):
    """Write the project and how the cloth lies as one file in the project's folder."""

    file: str = ""
    """NAME.studio; empty: the name it was opened by"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open(Message):
    """Open a file of the project's folder for what it is: project, recording, pattern, body, motion."""

    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFrames(Message):
    """Begin to record what is seen, or end it: a file NAME.toile in the project's folder."""

    on: bool = True
    file: str = ""
    """empty: recording-1.toile, recording-2.toile …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay(Message):
    """Show a recording of the folder, frame by frame; empty: go back to living cloth."""

    file: str = ""
    frame: int = number(0, 0, 3_600_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Message):
    """Write what is seen now, or a recording, in another format; answered by `file`."""

    format: str = "glb"
    file: str = ""
    """a recording of the folder; empty: the cloth as it lies now"""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """of an export job: smooth, view, turns, camera …"""
