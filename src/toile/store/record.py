"""Recordings on disk: what was made (garment, body, settings), then one chunk per frame.

A recording grows frame by frame while it is simulated, is readable meanwhile and can be resumed after a
crash. A result that does not move is a recording of one frame.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

import toile
from toile.body.model.skin import Method, pose_body
from toile.core.container import Arrays, Meta, Reader, Writer, replacing_path
from toile.core.errors import ToileError
from toile.core.provenance import Provenance, provenance_from_plain, provenance_to_plain
from toile.core.records import Body, Floats, Garment, Recording
from toile.store.quantise import checked_step
from toile.store.quantise import dequantise as dequantise
from toile.store.quantise import quantise as quantise
from toile.store.serialise import from_plain, to_plain
from toile.store.validate import check_body, check_garment, number_in

Path: TypeAlias = str | os.PathLike[str]
T = TypeVar("T")
_SKINNING: tuple[Method, ...] = ("linear", "dual")


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """One instant of a recording."""

    time: float
    """[s]"""
    position: Floats
    """of the particles [m], (n, 3)"""
    skin: Callable[[], Floats]
    """gives body_vertices; those who need the cloth alone never ask"""
    extra: Mapping[str, NDArray[Any]]
    """what else the writer stored: velocity, world_from_joint …"""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """what was found out about the frame, such as its audit"""
    posed: Method | None = None
    """how the skin follows exactly from world_from_joint; None: it does not, or it is unknown"""

    @property
    def body_vertices(self) -> Floats:
        """Return the skin [m], (b, 3); b = 0 without a body."""
        return self.skin()


def given(points: Floats) -> Callable[[], Floats]:
    """Return the skin of a frame whose points are known."""
    return lambda: points


@dataclass(frozen=True, eq=False, slots=True)
class Checkpoint:
    """What a simulation stored to go on from."""

    frame: int
    """the frame it belongs to"""
    arrays: Mapping[str, NDArray[Any]]


class Source(Protocol):
    """Something that can be replayed frame by frame without holding all frames in memory."""

    garment: Garment
    body: Body | None
    provenance: Provenance

    def __len__(self) -> int:
        """Return the number of frames."""

    def frame(self, number: int) -> Frame:
        """Return one frame."""

    def time(self, number: int) -> float:
        """Return when a frame is [s], without unpacking its points where possible."""


Replayable: TypeAlias = "Recording | Source | Path"


# ---------------------------------------------------------------------------- writing


class RecordWriter:
    """Appends frames to a recording; what was appended survives the end of the process, however it comes."""

    def __init__(
        self,
        writer: Writer,
        encoding: Mapping[str, Any],
        body: Body | None = None,
        stored: tuple[int, Arrays] | None = None,
    ) -> None:
        self._writer = writer
        self._step = encoding.get("step")
        self._body = body
        self._stored = stored or (-1, {})
        """frame that holds the body last stored, and how it was stored there"""
        self.checkpoint: Checkpoint | None = None
        """after resume: everything that the simulation needs to go on"""

    @classmethod
    def create(
        cls,
        path: Path,
        garment: Garment,
        body: Body | None = None,
        provenance: Provenance | None = None,
        *,
        step: float | None = None,
        records: Mapping[str, object] | None = None,
    ) -> RecordWriter:
        """Start a recording. step: largest rounding error of positions [m]; None stores every bit.

        records: more dataclasses to keep in the file by name (see RecordedFile.record).
        """
        arrays: Arrays = {}
        encoding = {} if step is None else {"step": checked_step(step)}
        meta = {
            "content": "recording",
            "toile": toile.__version__,
            "frames": encoding,
            "settings": provenance_to_plain(provenance or Provenance()),
            "garment": to_plain(garment, arrays, "garment"),
            "body": None if body is None else to_plain(body, arrays, "body"),
            "records": {name: to_plain(value, arrays, name) for name, value in (records or {}).items()},
        }
        return cls(Writer.create(path, arrays, meta), encoding, body)

    @classmethod
    def resume(cls, path: Path, *, frame_count: int | None = None) -> RecordWriter:
        """Go on after the last whole frame (or after frame_count frames)."""
        with RecordedFile(path) as recorded:
            writer = Writer.resume(path, frame_count=frame_count)
            stored = recorded.stored_body(writer.frame_count - 1) if writer.frame_count else None
            return cls(writer, recorded.encoding, recorded.body, stored)

    @classmethod
    def resume_at_checkpoint(cls, path: Path) -> RecordWriter:
        """Go on after the last whole frame that holds a checkpoint; later frames are computed again.

        The writer's checkpoint tells where the simulation goes on; None: from the start, with no frames.
        """
        with RecordedFile(path) as recorded:
            found = recorded.last_checkpoint()
        writer = cls.resume(path, frame_count=0 if found is None else found.frame + 1)
        writer.checkpoint = found
        return writer

    @property
    def frame_count(self) -> int:
        """Frames stored so far."""
        return self._writer.frame_count

    def append(
        self,
        time: float,
        position: Floats,
        body_vertices: Floats | None = None,
        extra: Mapping[str, NDArray[Any]] | None = None,
        checkpoint: Mapping[str, NDArray[Any]] | None = None,
        notes: Mapping[str, Any] | None = None,
        posed: Method | None = None,
    ) -> None:
        """Store one frame. A body that stands still is stored once and pointed to afterwards.

        extra: arrays for readers, such as world_from_joint. checkpoint: arrays from which the simulation can
        go on to the same bits; stored exactly. notes: JSON. posed: how whoever made body_vertices has skinned
        them from world_from_joint; None: it is found out, by skinning them again.
        """
        if not np.isfinite(position).all():
            raise ToileError(f"frame {self.frame_count} holds NaN or infinite positions: nothing was stored")
        arrays: Arrays = dict(self._encode("position", position))
        meta: dict[str, Any] = {"time": float(time)}
        joints = (extra or {}).get("world_from_joint")
        if posed is not None and joints is not None and self._body is not None:
            meta["posed"] = posed
        elif body_vertices is not None and len(body_vertices):
            self._add_body(arrays, meta, body_vertices, joints)
        arrays |= {f"extra.{name}": values for name, values in (extra or {}).items()}
        if checkpoint is not None:
            arrays |= {f"checkpoint.{name}": values for name, values in checkpoint.items()}
            meta["checkpoint"] = {}
        if notes:
            meta["notes"] = dict(notes)
        self._writer.append(arrays, meta, deflate=self._step is not None)

    def append_frame(self, frame: Frame, notes: Mapping[str, Any] | None = None) -> None:
        """Store a frame of another recording, with its own notes or others; its skin is not made again."""
        skin = None if frame.posed is not None else frame.body_vertices
        notes = notes or frame.notes
        self.append(frame.time, frame.position, skin, frame.extra, notes=notes, posed=frame.posed)

    def copy(self, recorded: RecordedFile, number: int) -> None:
        """Store a frame of another recording of the same encoding as it is, checkpoint included.

        All frames before it must have been copied too: it may refer to their body.
        """
        arrays, meta = recorded.raw_frame(number)
        if "body_frame" not in meta and "posed" not in meta:
            self._stored = (self.frame_count, recorded.stored_body(number, (arrays, meta))[1])
        self._writer.append(arrays, meta, deflate=self._step is not None)

    def _add_body(self, arrays: Arrays, meta: Meta, vertices: Floats, joints: Floats | None) -> None:
        """Store the skin in the shortest way that gives it back: by its joints, as before, or whole."""
        method = None if self._body is None or joints is None else _explains(self._body, joints, vertices)
        if method is not None:
            meta["posed"] = method
            return
        stored = self._encode("body_vertices", vertices)
        number, before = self._stored
        if stored.keys() == before.keys() and all(np.array_equal(stored[k], before[k]) for k in stored):
            meta["body_frame"] = number
        else:
            arrays.update(stored)
            self._stored = (self.frame_count, stored)

    def _encode(self, name: str, values: Floats) -> Arrays:
        if self._step is None:
            return {name: np.asarray(values, dtype=np.float64)}
        return quantise(name, values, self._step)

    def sync(self) -> None:
        """Wait until everything is on the disk."""
        self._writer.sync()

    def close(self, *, done: bool = True) -> None:
        """Close the file; done marks it as finished."""
        self._writer.close(done=done)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(done=kind is None)


def _fits(world_from_joint: Any, body: Body) -> bool:
    """Return whether these are finite places of the body's joints."""
    if np.shape(world_from_joint) != body.skeleton.world_from_joint.shape:
        return False
    return bool(np.issubdtype(world_from_joint.dtype, np.floating) and np.isfinite(world_from_joint).all())


def _explains(body: Body, world_from_joint: Floats, vertices: Floats) -> str | None:
    """Return the way of skinning that gives exactly these vertices from these joints, if there is one."""
    if not _fits(world_from_joint, body):
        return None
    for method in _SKINNING:
        if np.array_equal(pose_body(body, world_from_joint, method=method).vertices, vertices):
            return method
    return None


def save_recording(
    recording: Replayable, path: Path, *, step: float | None = None, frames: Sequence[int] | None = None
) -> None:
    """Write a whole recording (or some of its frames), atomically; checkpoints are left out.

    step: largest rounding error [m]; None stores every bit.
    """
    source = source_of(recording)
    with replacing_path(path) as part:
        writer = RecordWriter.create(part, source.garment, source.body, source.provenance, step=step)
        with writer:
            for number in range(len(source)) if frames is None else frames:
                writer.append_frame(source.frame(number))


# ---------------------------------------------------------------------------- reading


class RecordedFile:
    """A recording on disk, read frame by frame."""

    def __init__(self, path: Path) -> None:
        self._reader = Reader(path)
        try:
            self._open()
        except BaseException:
            self._reader.close()
            raise

    def _open(self) -> None:
        where, meta, arrays = self._reader.path, self._reader.meta, self._reader.arrays
        if meta.get("content") != "recording":
            raise ToileError(f"{where} holds no recording")
        encoding = meta.get("frames")
        self.encoding: dict[str, Any] = encoding if isinstance(encoding, dict) else {}
        if "step" in self.encoding:
            checked_step(number_in(self.encoding["step"], f"{where}: the rounding error"))
        self.garment: Garment = from_plain(Garment, meta.get("garment"), arrays, "garment", where)
        self.body: Body | None = None
        if meta.get("body") is not None:
            self.body = from_plain(Body, meta["body"], arrays, "body", where)
        settings = meta.get("settings")
        self.provenance = provenance_from_plain(settings if isinstance(settings, dict) else {}, where)
        check_garment(self.garment, where)
        if self.body is not None:
            check_body(self.body, where)

    @property
    def path(self) -> str:
        """Return the file's name."""
        return self._reader.path

    @property
    def complete(self) -> bool:
        """The recording was finished, not interrupted."""
        return self._reader.complete

    @property
    def damaged_frames(self) -> list[int]:
        """Numbers of the frames that cannot be read."""
        return [n for n in range(len(self)) if not self._reader.is_sound(n)]

    def __len__(self) -> int:
        return len(self._reader)

    def refresh(self) -> int:
        """Look for frames that were appended since; return the number of frames."""
        return self._reader.refresh()

    def frame(self, number: int) -> Frame:
        """Return one frame; an error names a damaged one."""
        arrays, meta = self._reader.frame(number)
        where = f"{self._reader.path}: frame {number}"
        position = self._decode(arrays, "position", self.garment.particle_count, where)
        return Frame(
            time=number_in(meta.get("time", 0.0), f"{where}: its time"),
            position=position,
            skin=self._skin(number, (arrays, meta), where),
            extra={n.removeprefix("extra."): a for n, a in arrays.items() if n.startswith("extra.")},
            notes=meta["notes"] if isinstance(meta.get("notes"), dict) else {},
            posed=None if self.body is None else meta.get("posed"),
        )

    def time(self, number: int) -> float:
        """Return when a frame is [s], without its points."""
        return number_in(
            self._reader.frame(number)[1].get("time", 0.0), f"{self.path}: frame {number}: its time"
        )

    def raw_frame(self, number: int) -> tuple[Arrays, Meta]:
        """Return a frame as it is stored."""
        return self._reader.frame(number)

    def notes(self, number: int) -> Mapping[str, Any]:
        """Return what was found out about a frame, without its points."""
        notes = self._reader.frame(number)[1].get("notes")
        return notes if isinstance(notes, dict) else {}

    @property
    def record_names(self) -> set[str]:
        """Return the names of the dataclasses that the writer kept in the file."""
        records = self._reader.meta.get("records")
        return set(records) if isinstance(records, dict) else set()

    def record(self, kind: type[T], name: str) -> T | None:
        """Return a dataclass that the writer kept in the file under that name; None: there is none."""
        if name not in self.record_names:
            return None
        return from_plain(
            kind, self._reader.meta["records"][name], self._reader.arrays, name, self._reader.path
        )

    def last_checkpoint(self, until: int | None = None) -> Checkpoint | None:
        """Return the checkpoint of the last undamaged frame that has one (at most frame ``until``)."""
        count = self._reader.sound_count if until is None else min(self._reader.sound_count, until + 1)
        for number in range(count - 1, -1, -1):
            arrays, meta = self._reader.frame(number)
            if isinstance(meta.get("checkpoint"), dict):
                mine = {
                    n.removeprefix("checkpoint."): a for n, a in arrays.items() if n.startswith("checkpoint.")
                }
                return Checkpoint(number, mine)
        return None

    def stored_body(self, number: int, content: tuple[Arrays, Meta] | None = None) -> tuple[int, Arrays]:
        """Return which frame holds the body of a frame, and how it is stored there (empty: rest pose)."""
        arrays, meta = content or self._reader.frame(number)
        if type(meta.get("body_frame")) is int:
            number = meta["body_frame"]
            arrays, _ = self._reader.frame(number)
        return number, {n: a for n, a in arrays.items() if n.split(".")[0] == "body_vertices"}

    def _skin(self, number: int, content: tuple[Arrays, Meta], where: str) -> Callable[[], Floats]:
        """Return what gives the frame's skin: checked now, skinned once, when it is first asked for."""
        body = self.body
        if body is None:
            return given(np.zeros((0, 3)))
        posed, joints = content[1].get("posed"), content[0].get("extra.world_from_joint")
        if posed is not None:
            if posed not in _SKINNING or joints is None or not _fits(joints, body):
                raise ToileError(f"{where}: the body's pose cannot be read")
            return cache(lambda: pose_body(body, joints, method=posed).vertices)
        _, arrays = self.stored_body(number, content)
        if not arrays:
            return given(body.vertices)
        return given(self._decode(arrays, "body_vertices", len(body.vertices), where))

    def _decode(self, arrays: Arrays, name: str, count: int, where: str) -> Floats:
        try:
            if "step" in self.encoding:
                values = dequantise(arrays[f"{name}.planes"], self.encoding["step"])
            else:
                values = arrays[name]
        except KeyError:
            raise ToileError(f"{where} has no {name}") from None
        if values.shape != (count, 3) or values.dtype != np.float64 or not np.isfinite(values).all():
            raise ToileError(f"{where}: {name} is not {count} finite points")
        values.setflags(write=False)
        return values

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def __enter__(self) -> RecordedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Played:
    """A recording in memory, seen frame by frame."""

    def __init__(self, recording: Recording) -> None:
        self.garment, self.body, self.provenance = recording.garment, recording.body, recording.provenance
        self._recording = recording

    def __len__(self) -> int:
        return len(self._recording.times)

    def frame(self, number: int) -> Frame:
        """Return one frame."""
        r = self._recording
        body = r.body_vertices[number] if len(r.body_vertices) else np.zeros((0, 3))
        if not len(body) and r.body is not None:
            body = r.body.vertices
        return Frame(float(r.times[number]), r.positions[number], given(body), {})

    def time(self, number: int) -> float:
        """Return when a frame is [s]."""
        return float(self._recording.times[number])


def source_of(recording: Replayable) -> Source:
    """Return a recording, an open file or a path as something to be replayed."""
    if isinstance(recording, Recording):
        return Played(recording)
    if isinstance(recording, str | os.PathLike):
        return RecordedFile(recording)
    return recording


@contextlib.contextmanager
def opened(recording: Replayable) -> Iterator[Source]:
    """Yield a recording to be replayed, and close its file afterwards if it was opened here."""
    source = source_of(recording)
    try:
        yield source
    finally:
        if isinstance(source, RecordedFile) and source is not recording:
            source.close()


def sound_frames(source: Source) -> Iterator[tuple[int, Frame]]:
    """Yield number and content of every frame that can be read, leaving out damaged ones."""
    for number in range(len(source)):
        try:
            frame = source.frame(number)
        except ToileError:
            continue
        yield number, frame


def load_recording(path: Path) -> Recording:
    """Read a whole recording into memory. Long ones are better read with RecordedFile."""
    with RecordedFile(path) as recorded:
        frames = [recorded.frame(n) for n in range(len(recorded))]
        body_count = 0 if recorded.body is None else len(recorded.body.vertices)
        return Recording(
            garment=recorded.garment,
            body=recorded.body,
            times=np.array([f.time for f in frames], dtype=np.float64),
            positions=_stack([f.position for f in frames], recorded.garment.particle_count),
            body_vertices=_stack([f.body_vertices for f in frames], body_count),
            provenance=recorded.provenance,
        )


def _stack(parts: list[Floats], count: int) -> Floats:
    values = np.stack(parts) if parts else np.zeros((0, count, 3))
    values.setflags(write=False)
    return values
