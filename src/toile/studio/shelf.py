"""The files of a session: recordings that are made and shown, exports, names that stay inside the folder."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

import numpy as np

import toile
from toile.core.container import Reader
from toile.core.errors import ToileError
from toile.core.records import Recording, State
from toile.core.work import tell
from toile.export.joints import PoseFinder
from toile.export.page_scene import page_scene
from toile.io.blocks import pack_blocks
from toile.jobs.describe import Inputs
from toile.jobs.exporting import export_to
from toile.jobs.names import ending_of
from toile.jobs.plain import from_plain
from toile.jobs.records import ExportJob
from toile.sim.walk.walker import AnimateSettings, Plan, Walker
from toile.store.record import RecordedFile, RecordWriter, save_recording
from toile.studio import told
from toile.studio.asked import Export
from toile.studio.frames import Flags, joints_of, scene_message
from toile.studio.project import method_of

if TYPE_CHECKING:
    from toile.studio.session import Session

_NAME = re.compile(r"[^/\\\x00-\x1f]{1,120}")
RECORDING = ".toile"
MOST_FILES = 2000
Kind = Literal["project", "recording", "export", "script"]


def safe_name(name: str) -> str:
    """Return a name of a file in the folder itself; refuses ways out of it and hidden files."""
    if not _NAME.fullmatch(name) or name.startswith(".") or Path(name).name != name:
        raise ToileError(f"{name[:80]!r} is no name for a file: write letters, digits and an ending")
    return name


class Shelf:
    """What lies in a session's folder."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._writer: RecordWriter | None = None
        self.recording = ""
        """name of the file that is recorded into"""
        self._garment: Any = None
        self._shown: RecordedFile | None = None
        self._finder: PoseFinder | None = None
        self._at = 0.0

    # ------------------------------------------------------------------ names

    def name_for(self, name: str, ending: str) -> str:
        """Return a name with its ending."""
        return safe_name(name if name.lower().endswith(ending) else f"{name}{ending}")

    def _free(self, stem: str, ending: str) -> str:
        names = (f"{stem}-{k}{ending}" for k in range(1, MOST_FILES))
        return next(name for name in names if not (self._session.folder / name).exists())

    def written(self, name: str, kind: Kind) -> None:
        """Tell of a file that is there now."""
        size = (self._session.folder / name).stat().st_size
        url = f"/studio/files/{self._session.name}/{quote(name)}"
        self._session.out.tell(told.FileWritten(name=name, bytes=size, kind=kind, url=url))
        self.tell_files()

    def tell_files(self) -> None:
        """Tell which files there are."""
        found = sorted(p.name for p in self._session.folder.iterdir() if p.is_file() and p.name[0] != ".")
        self._session.out.tell(told.Files(names=tuple(found[:MOST_FILES])))

    # ------------------------------------------------------------------ recording

    def record(self, on: bool, name: str) -> None:
        """Begin to record, or end it."""
        if not on:
            self.end_recording()
            return
        stage = self._session.stage
        if stage.cloth is None:
            raise ToileError("there is no cloth to record yet")
        self.end_recording()
        self.recording = self.name_for(name, RECORDING) if name else self._free("recording", RECORDING)
        body = stage.body if stage.person_seen else None
        project = self._session.history.project
        how = replace(method_of(project).provenance(), toile=toile.__version__, motion=project.motion.named)
        self._garment = stage.cloth.garment
        path = self._session.folder / self.recording
        self._writer = RecordWriter.create(path, stage.cloth.garment, body, how)
        self.record_frame()

    def record_frame(self) -> None:
        """Store the frame that is there now; another outfit ends the recording."""
        stage = self._session.stage
        if self._writer is None:
            return
        if stage.cloth is None or stage.cloth.garment is not self._garment:
            self.end_recording()
            return
        posed = stage.posed
        if not stage.person_seen:
            self._writer.append(stage.time, stage.cloth.state.position)
            return
        self._writer.append(
            stage.time, stage.cloth.state.position, posed.vertices,
            {"world_from_joint": posed.world_from_joint}, posed="linear",
        )  # fmt: skip

    def end_recording(self) -> None:
        """Close the file."""
        if self._writer is None:
            return
        name = self.recording
        self._writer.close()
        self._writer, self.recording = None, ""
        self.written(name, "recording")

    # ------------------------------------------------------------------ playing back

    def is_recording(self, path: Path) -> bool:
        """Say whether a file is a recording."""
        if path.suffix.lower() != RECORDING:
            return False
        with Reader(path) as reader:
            return bool(reader.meta.get("content") == "recording")

    @property
    def replaying(self) -> bool:
        """Return whether a recording is shown."""
        return self._shown is not None

    def replay(self, name: str, frame: int) -> None:
        """Show a recording, or living cloth again."""
        if not name:
            self._close_shown()
            return
        path = self._session.inputs.path(name)
        if self._shown is None or Path(self._shown.path) != path:
            if not self.is_recording(path):
                raise ToileError(f"{name[:80]} is no recording")
            shown = RecordedFile(path)
            self._close_shown()
            self._shown = shown
            self._finder = None if shown.body is None else PoseFinder(shown.body)
        if not 0 <= frame < len(self._shown):
            raise ToileError(f"{name[:80]} has {len(self._shown)} frames: there is no frame {frame}")
        self._at = float(frame)

    def _close_shown(self) -> None:
        if self._shown is not None:
            self._shown.close()
        self._shown = self._finder = None

    def show_next(self, playing: bool) -> None:
        """Show the frame whose turn it is."""
        shown, out = self._shown, self._session.out
        assert shown is not None
        number = int(self._at)
        frame = shown.frame(number)
        body, joints = 0, np.zeros((0, 3, 4))
        if shown.body is not None and self._finder is not None:
            body = out.body(shown.body)
            joints = joints_of(shown.body, self._finder.world_from_joint(frame)[0])
        out.cloth(0, shown.garment, self._session.looks(shown.garment))
        flags = Flags.RECORDED | Flags.PLAYING * playing
        out.frame(
            0, time_=frame.time, position=frame.position, body=body, joints=joints, overlay="none",
            values=None, flags=int(flags), milliseconds=0.0,
        )  # fmt: skip
        rate = (len(shown) - 1) / max(shown.time(len(shown) - 1) - shown.time(0), 1e-6)
        told_ = told.Recording(file=Path(shown.path).name, frames=len(shown), frame=number, fps=rate)
        out.tell(told_)
        if playing:
            self._at = (self._at + self._session.pace * rate / 60.0) % max(len(shown), 1)

    # ------------------------------------------------------------------ export

    def export(self, message: Export) -> None:
        """Write a recording, or the cloth as it lies, in another format."""
        session = self._session
        plain = {"recording": message.file or "now", "format": message.format, **message.settings}
        job = from_plain(ExportJob, plain, "export")
        ending = ending_of(job)
        stem = Path(message.file).stem if message.file else session.history.project.name
        name = safe_name(re.sub(r"[^\w .-]", "_", stem) + ending)
        now = None if message.file else self._now()

        def work() -> list[str]:
            with tempfile.TemporaryDirectory(prefix="toile") as temporary:
                inputs = session.inputs
                if now is not None:
                    save_recording(now, Path(temporary) / "now")
                    inputs = Inputs({"now": Path(temporary) / "now"})
                return [path.name for path in export_to(session.folder / name, job, inputs)]

        def then(names: list[str]) -> None:
            for one in names:
                self.written(one, "export")

        session.background.start("exporting", work, then, self._refused)

    def _refused(self, why: str) -> None:
        self._session.out.tell(told.Refused(error=why, place="export"))

    def _now(self) -> Recording:
        stage = self._session.stage
        if stage.cloth is None:
            raise ToileError("there is no cloth to export yet: sew the outfit first")
        body = stage.body if stage.person_seen else None
        skin = stage.posed.vertices if body is not None else np.zeros((0, 3))
        position, dt = stage.cloth.state.position, 1 / 60
        return Recording(
            garment=stage.cloth.garment,
            body=body,
            times=np.array([stage.time, stage.time + dt]),
            positions=np.stack([position, position]),
            body_vertices=np.stack([skin, skin]),
        )

    # ------------------------------------------------------------------ the engine in the page

    def prepare_scene(self) -> None:
        """Send the outfit as a scene that lives in the page: the way into the motion is simulated here."""
        session, stage = self._session, self._session.stage
        if stage.cut is None or stage.dressed is None:
            raise ToileError("there is nothing to hand over yet: sew the outfit first")
        method = method_of(session.history.project)
        if not method.is_default:
            raise ToileError(
                "the page computes the default method only: choose solver xpbd, collider surface"
            )
        garment, body = stage.cut.garment, stage.body
        plan = Plan(
            start=stage.dressed, track=stage.mover.track, settings=AnimateSettings(seconds=0.1),
            method=method, audit=False,
        )  # fmt: skip

        def work() -> bytes:
            with tempfile.TemporaryDirectory(prefix="toile") as temporary:
                path = Path(temporary) / "scene.toile"
                _two_frames(path, Walker(garment, body, plan), plan)
                with RecordedFile(path) as recorded:
                    return pack_blocks(page_scene(recorded, motions=(), fabrics=()))

        session.background.start(
            "preparing", work, lambda data: session.out.bytes(scene_message(data)), self._refused
        )


def _two_frames(path: Path, walker: Walker, plan: Plan) -> None:
    """Write the first two recorded frames of a walk."""
    with RecordWriter.create(path, walker.garment, walker.body, records={"plan": plan}) as writer:
        while walker.number < 2:
            tell("preparing", 1 + walker.number / max(plan.settings.lead_count, 1))
            step = walker.step()
            if step.number >= 0:
                state: State = step.state
                writer.append(
                    state.time, state.position, step.body.vertices,
                    {"world_from_joint": step.body.world_from_joint}, posed=plan.settings.skinning,
                )  # fmt: skip
