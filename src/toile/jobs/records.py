"""What every caller can ask for, as records: who is dressed in what, how they move, what is written.

A job is data. It names its input files and says nothing about where results go, who watches or where it is
computed: `run` gets that. Lengths are metres; in JSON and TOML a text with a unit will do, too ("1.5cm").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toile.core import defaults
from toile.core.errors import ToileError
from toile.jobs.plain import LENGTH, Checked, file_name, lengths, number

Setting = float | int | bool | str
"""a value of a setting by name"""
Cloth = str | Mapping[str, float | str | tuple[float, ...]]
"""a fabric by name, or its figures (see docs/fabrics.md) with its name among them"""
AUTO = "auto"
"""the size that fits best"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySource(Checked):
    """A body: one that comes with the program, one from measures, or one from a file."""

    named: str = ""
    """woman or man; the default if nothing else is given"""
    file: str = file_name()
    """a body, scan, avatar or recording (whose body it is)"""
    bones: Mapping[str, str] = field(default_factory=dict)
    """part → bone name, where an avatar's bones have unknown names"""
    sex: Literal["", "female", "male"] = ""
    """with measures (default: female)"""
    age: float | None = number(None, 18.0, 90.0, "years")
    measures: Mapping[str, float] = lengths(low=0.05, high=300.0)
    """[m], weight in kg; what is not given is inferred"""
    label: str = ""
    """name of a body from measures"""

    def check(self) -> None:
        """Refuse two bodies at once."""
        measured = bool(self.measures or self.sex or self.age is not None)
        if bool(self.named) + bool(self.file) + measured > 1:
            raise ToileError("a body is named, from a file or from measures: give one of these")
        if not (self.named or self.file or measured):
            object.__setattr__(self, "named", defaults.BODY)
        if measured and not self.sex:
            object.__setattr__(self, "sex", "female")


@dataclass(frozen=True, slots=True, kw_only=True)
class GarmentSource(Checked):
    """What is worn: a pattern or mesh file, a draft, or the garments of a recording."""

    file: str = file_name(pattern=True)
    draft: str = ""
    style: Mapping[str, Setting] = lengths()
    """options of the draft"""
    tuck: str = ""
    """the garment that a draft is tucked into"""
    size: str = ""
    """one of the file's sizes; auto; +1 or -2 grade a recording's garments"""
    units: Literal["", "mm", "cm", "in", "m"] = ""
    """of a DXF, SVG or mesh file, instead of what it says"""
    seams: str = file_name()
    """a seam file to add (without: NAME.seams beside a DXF, SVG or HPGL)"""
    hold: bool = False
    """keep the upper border of a mesh on the body"""

    def check(self) -> None:
        """Refuse options that would be passed over."""
        if bool(self.file) == bool(self.draft):
            raise ToileError("a garment is from a file or drafted: give 'file' or 'draft'")
        if self.file and (self.style or self.tuck):
            raise ToileError(f"'{'style' if self.style else 'tuck'}' belongs to a draft, not to a file")
        if self.draft and (self.seams or self.units or self.hold):
            raise ToileError("'seams', 'units' and 'hold' belong to a file, not to a draft")


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionSource(Checked):
    """How a body moves: one of our own motions, or a file."""

    named: str = ""
    """walk, run, sit …; the default if no file is given"""
    file: str = file_name()
    settings: Mapping[str, float] = field(default_factory=dict)
    """of our own walk and run, such as cadence"""
    bones: Mapping[str, str] = field(default_factory=dict)
    """part → bone name, where a file's bones have unknown names"""

    def check(self) -> None:
        """Refuse two motions at once."""
        if self.named and self.file:
            raise ToileError("a motion is named or from a file: give one of these")
        if self.file and self.settings:
            raise ToileError("'settings' belong to our own motions, not to files")
        if not (self.named or self.file):
            object.__setattr__(self, "named", defaults.MOTION)


@dataclass(frozen=True, slots=True, kw_only=True)
class DressJob(Checked):
    """Sew garments on a body and drape them. Result: dressed.toile."""

    body: BodySource = field(default_factory=BodySource)
    garments: tuple[GarmentSource, ...]
    """inner ones first"""
    fabric: tuple[Cloth, ...] = (defaults.FABRIC,)
    """of all garments, or of each"""
    edge_length: float = number(defaults.EDGE_LENGTH, 0.001, 0.5, LENGTH)
    """of the mesh [m]"""
    mesh: Literal["triangles", "grid"] = defaults.MESH
    solver: str = defaults.SOLVER
    collider: str = defaults.COLLIDER
    tune: Mapping[str, Setting] = field(default_factory=dict)
    """settings of solver and collider by name"""

    def check(self) -> None:
        """Refuse a job with nothing to wear."""
        if not self.garments:
            raise ToileError("nothing to wear: name at least one garment")
        if not self.fabric:
            raise ToileError("'fabric' is empty: name one, or leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkJob(Checked):
    """Dress a body and let it move. Result: walk.toile."""

    dress: DressJob
    motion: MotionSource = field(default_factory=MotionSource)
    seconds: float | None = number(None, 0.001, 3600.0, "s")
    """of the recording; None: 4 s, one cycle of a loop, or an avatar's own clip"""
    fps: float | None = number(None, 1.0, 1000.0, "frames a second")
    """None: 60, or that of an avatar's own clip"""
    skinning: Literal["linear", "dual"] = defaults.SKINNING
    wind: tuple[float, float, float] = field(
        default=(0.0, 0.0, 0.0), metadata={"low": -100.0, "high": 100.0, "unit": "m/s"}
    )
    """velocity of the air [m/s]"""
    rounding: float = number(0.0, 0.0, 0.01, LENGTH)
    """largest error of stored positions [m]; 0: every bit is stored"""
    loop: bool = False
    """end where it began"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverJob(Checked):
    """Wear more garments over a recorded walk. Result: walk.toile."""

    walk: str = file_name()
    garments: tuple[GarmentSource, ...]
    """inner ones first"""
    fabric: tuple[Cloth, ...] = (defaults.FABRIC,)
    edge_length: float = number(defaults.EDGE_LENGTH, 0.001, 0.5, LENGTH)
    """of the new garments' mesh [m]"""
    seconds: float | None = number(None, 0.001, 3600.0, "s")
    """None: as long as the walk"""
    rounding: float = number(0.0, 0.0, 0.01, LENGTH)

    def check(self) -> None:
        """Refuse a job with nothing to wear, or over nothing."""
        if not self.walk or not self.garments:
            raise ToileError("name the recorded walk and at least one garment to wear over it")


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchJob(Checked):
    """Take over a recorded walk and let another wind blow from a frame on. Result: walk.toile."""

    walk: str = file_name()
    frame: int = number(0, 0, 3_600_000)
    """the first one that is computed anew"""
    wind: tuple[float, float, float] = field(
        default=(0.0, 0.0, 0.0), metadata={"low": -100.0, "high": 100.0, "unit": "m/s"}
    )

    def check(self) -> None:
        """Refuse a branch of nothing."""
        if not self.walk:
            raise ToileError("name the recorded walk that is taken over")


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyJob(Checked):
    """Make a body from measures, a scan or an avatar. Result: body.toile."""

    body: BodySource = field(default_factory=BodySource)


@dataclass(frozen=True, slots=True, kw_only=True)
class FitJob(Checked):
    """Tell how the sizes of a garment fit a body, by girths of the cut pieces: nothing is simulated."""

    body: BodySource = field(default_factory=BodySource)
    garment: GarmentSource
    """its size is left out: all are compared"""

    def check(self) -> None:
        """Refuse a size."""
        if self.garment.size:
            raise ToileError("'garment.size' is what a fit finds: leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportJob(Checked):
    """Write a recording in another format. Result: export.ENDING, or several numbered ones."""

    recording: str = file_name()
    format: str = "glb"
    """ending of the file"""
    smooth: int = number(0, 0, 3)
    """show the cloth finer than it was simulated: so many times four triangles for one"""
    frame: int | None = number(None, 0, 3_600_000)
    """only this one"""
    skip_damaged: bool = False
    """leave frames out that cannot be read"""
    view: float | str | None = None
    """of pictures and films: a name, or an angle [degrees]"""
    turns: float | None = number(None, -100.0, 100.0)
    """how often the camera of a film goes round"""
    camera: Literal["", "follow", "stand"] = ""

    def check(self) -> None:
        """Refuse an export of nothing."""
        if not self.recording:
            raise ToileError("name the recording that is written")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureJob(Checked):
    """Draw a frame from several cameras. Results: VIEW.png, VIEW.depth.png, .normal.png, .label.png."""

    recording: str = file_name()
    views: tuple[float | str, ...] = ("front", "back")
    """names, or angles round the person [degrees]"""
    width: int = number(384, 16, 4096, "px")
    height: int = number(512, 16, 4096, "px")
    frame: int | None = number(None, 0, 3_600_000)
    """None: the last"""

    def check(self) -> None:
        """Refuse pictures of nothing."""
        if not self.recording or not self.views:
            raise ToileError("name the recording that is drawn and at least one view")


Job = DressJob | WalkJob | OverJob | BranchJob | BodyJob | FitJob | ExportJob | PictureJob
JOBS: Mapping[str, type[Job]] = {
    "dress": DressJob,
    "walk": WalkJob,
    "over": OverJob,
    "branch": BranchJob,
    "body": BodyJob,
    "fit": FitJob,
    "export": ExportJob,
    "pictures": PictureJob,
}
"""name in JSON → class"""
