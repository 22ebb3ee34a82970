"""One person at work: messages of the page change project and stage, and what follows is told and shown."""

from __future__ import annotations

import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Garment, PosedBody, Recording
from toile.core.work import tell
from toile.garment.particles import points_apart
from toile.jobs.describe import Inputs
from toile.studio import asked as a
from toile.studio import told
from toile.studio.background import Background
from toile.studio.commands import AddDraft, Edit, NewGarment, OpenPattern
from toile.studio.cutting import needs_sewing
from toile.studio.frames import Flags, joints_of
from toile.studio.handling import FPS, HANDLERS
from toile.studio.history import script_of
from toile.studio.keeping import AUTOSAVE, CLOTH, is_project, load_project, recovered, save_project
from toile.studio.living import Living
from toile.studio.messages import Envelope
from toile.studio.opening import edit_for
from toile.studio.outgoing import NO_JOINTS, Clock, Outgoing, Send
from toile.studio.overlays import OVERLAYS, overlay_bytes, touching, triangle_strain
from toile.studio.panels import hello
from toile.studio.project import Project, dressed, sewable
from toile.studio.scenes import ball_body
from toile.studio.seen import SeenPieces, look_of, project_seen
from toile.studio.shelf import Shelf
from toile.studio.stage import Stage

STATUS_EVERY, CLOTH_EVERY, DRAG_EVERY, OVERLAY_EVERY = 0.25, 5.0, 0.3, 1 / 15
"""between two status messages, two autosaves of how the cloth lies, two of a drag, two overlays [s]"""
NOTHING: tuple[str, float, Any, Any] = ("", 0.0, None, None)


class Session:
    """Project, stage and page of one session."""

    def __init__(self, name: str, folder: Path, send: Send, files: tuple[str, ...] = ()) -> None:
        """Take up what lies in the folder, or begin anew; files: of the folder, to be opened first."""
        self.name, self.folder, self.inputs = name, folder, Inputs(folder=folder)
        self.out: Outgoing = Outgoing(send)
        self.history, hung, self.recovered = recovered(folder)
        self.stage: Stage = Stage(self.history.project, self.inputs)
        self.pieces = SeenPieces()
        self.background: Background = Background(lambda *words: self.out.tell(
            told.Working(what=words[0], fraction=words[1], words=words[2])
        ))  # fmt: skip
        self.shelf: Shelf = Shelf(self)
        self.playing, self.pace, self.overlay = True, 1.0, "none"
        self.revision = self.history.at
        self.saved_at, self.file = -1, ""
        self.warning = ""
        self.edit_ms, self._edit_came = 0.0, 0.0
        self._ball = ball_body()
        self._sewn_for: Project | None = None
        self._sewing: tuple[Garment, Garment] | None = None
        self._overlays: dict[int, tuple[str, float, Any, Any]] = {}
        self._looks: tuple[Any, Any, list[dict[str, Any]]] = (None, None, [])
        self._unsaved = 0.0
        self._figures: tuple[float, float] | None = None
        self._behind = False
        """the cloth is still that of an earlier edit of a drag"""
        self._clock, self._dirty, self._contacts = Clock(), True, (0.0, 0)
        self._next_frame = self._next_status = 0.0
        self._next_cloth = time.monotonic() + CLOTH_EVERY
        if hung is not None:
            self._hang(hung)
        for file in files:
            self._do(Envelope(content=a.Open(file=file)))

    def _hang(self, hung: Any) -> None:
        try:
            self.stage.hang_up(hung)
        except ToileError:
            self.stage.undress()

    # ------------------------------------------------------------------ the page comes and goes

    def attach(self) -> None:
        """Tell a page everything."""
        self.out.again()
        self.pieces = SeenPieces()
        self.out.tell(hello(self.name, self.recovered))
        self._tell_project()
        self.shelf.tell_files()
        self._dirty = True
        if self.stage.cut is None and sewable(self.history.project) and not self.background.busy:
            self._sew()

    def _tell_project(self) -> None:
        project = self.history.project
        warnings = [*self.stage.doubts, *([self.warning] if self.warning else [])]
        self.out.tell(
            project_seen(
                project, revision=self.revision, measures=self.stage.body.measurements,
                duration=self.stage.mover.duration, words=self.history.words(),
                saved=self.saved_at == self.revision, warnings=tuple(warnings),
            )
        )  # fmt: skip
        self.out.tell(self.pieces.told(project, self.revision))

    # ------------------------------------------------------------------ messages

    def receive(self, envelope: Envelope) -> None:
        """Carry out a message; what is refused has changed nothing."""
        try:
            self._do(envelope)
        except ToileError as error:
            self.out.tell(told.Refused(error=str(error), id=envelope.id))
            return
        except Exception as error:
            # a fault of ours must not take the work along
            traceback.print_exc()
            words = f"something went wrong on our side: {type(error).__name__}"
            self.out.tell(told.Refused(error=words, id=envelope.id))
            return
        if envelope.id is not None:
            self.out.echo = envelope.id
            self.out.tell(told.Done(id=envelope.id))

    def _do(self, envelope: Envelope) -> None:
        content = envelope.content
        if isinstance(content, Edit):
            self._edit(content, envelope.group)
            return
        if isinstance(content, a.Ack):
            HANDLERS[a.Ack](self, content)
            return
        # hands, steps and exports act on cloth that has followed the drag before them
        self._catch_up()
        HANDLERS[type(content)](self, content)
        self._dirty = True

    def _edit(self, edit: Edit, group: str) -> None:
        self._edit_came = time.monotonic()
        before = self.history.project
        self.history.do(edit, self.inputs, group)
        try:
            self._changed(before, isinstance(edit, AddDraft | OpenPattern | NewGarment), dragged=bool(group))
        except Exception:
            self.history.undo_last()
            self.stage.project = before
            raise

    @property
    def sewing(self) -> bool:
        """Return whether the outfit is being sewn."""
        return self.background.busy and self.background.what == "sewing"

    def undo(self, steps: int) -> None:
        """Take edits back."""
        self._edit_came, before = time.monotonic(), self.history.project
        for _ in range(steps):
            self.history.undo(self.inputs)
        self._changed(before, True)

    def redo(self, steps: int) -> None:
        """Make edits again."""
        self._edit_came, before = time.monotonic(), self.history.project
        for _ in range(steps):
            self.history.redo(self.inputs)
        self._changed(before, True)

    def _changed(self, before: Project, may_sew: bool, *, dragged: bool = False) -> None:
        """Let the stage follow the project, tell the page, keep it."""
        after = self.history.project
        was_sewn = self.stage.sewn
        anew = needs_sewing(self.stage.project, after)
        self.warning = ""
        if self.sewing:
            if not needs_sewing(before, after):
                # what is being sewn is brought up to date when it is done
                self.stage.project = after
            else:
                self.background.drop()
                self.stage = Stage(after, self.inputs)
                anew = may_sew = True
        if not self.sewing:
            # of the edits of a drag that have come together, the cloth follows the last
            self._behind = dragged and not anew
            if not self._behind:
                self._follow(after, was_sewn, may_sew, anew)
        self.revision += 1
        self._tell_project()
        self._unsaved = self._unsaved or time.monotonic()
        if not dragged:
            self.autosave()
        self._dirty = True

    def _catch_up(self) -> None:
        if self._behind and not self.sewing:
            self._follow(self.history.project, self.stage.sewn, False, False)

    def _follow(self, after: Project, was_sewn: bool, may_sew: bool, anew: bool) -> None:
        before, self._behind = self.stage.project, False
        if anew:
            self.stage.project = after
            if before.person != after.person:
                self.stage = Stage(after, self.inputs)
            else:
                self.stage.undress()
            if sewable(after) and (was_sewn or may_sew):
                self._sew()
            elif was_sewn:
                self.warning = "the outfit is not sewn: place all pieces and sew their edges, then dress"
            return
        try:
            self.stage.edit(after)
        except ToileError as error:
            if not was_sewn:
                raise
            self.warning = str(error)
            self.stage.project = after
            self.stage.undress()
            self._sew()

    def dress(self) -> None:
        """Sew the outfit from flat pieces."""
        if self.sewing:
            self.background.drop()
        self.stage.play_scene(a.Scene())
        self._sew()

    def _sew(self) -> None:
        project = self.history.project
        self._sewn_for, self._sewing = project, None
        self.background.start(
            "sewing", lambda: dressed(project, self.inputs, _told_by_work), self._sewn, self._not_sewn
        )

    def _sewn(self, recording: Recording) -> None:
        assert self._sewn_for is not None
        after = self.history.project
        self.stage.wear(self._sewn_for, recording)
        if after is not self._sewn_for:
            if needs_sewing(self._sewn_for, after):
                self.stage.project = after
                self.stage.undress()
                self._sew()
                return
            self.stage.edit(after)
        self._dirty, self.warning = True, ""
        self._tell_project()
        self._keep_cloth()

    def _not_sewn(self, why: str) -> None:
        self.warning, self._dirty = why, True
        self.stage.project = self.history.project
        self.stage.undress()
        self.out.tell(told.Refused(error=why, place="dress"))
        self._tell_project()

    # ------------------------------------------------------------------ keeping

    def autosave(self) -> None:
        """Keep what was done, in case that the process ends now."""
        self._unsaved = 0.0
        save_project(self.folder / AUTOSAVE, self.history, None)

    def _keep_cloth(self) -> None:
        self._next_cloth = time.monotonic() + CLOTH_EVERY
        hung = self.stage.hung()
        if hung is not None and self.stage.project is self.history.project:
            save_project(self.folder / CLOTH, self.history, hung)

    def save(self, file: str) -> None:
        """Write the project as one file."""
        self.file = self.shelf.name_for(file or self.file or f"{self.history.project.name}.studio", ".studio")
        save_project(self.folder / self.file, self.history, self.stage.hung())
        self.saved_at = self.revision
        self.shelf.written(self.file, "project")
        self._tell_project()

    def open(self, file: str) -> None:
        """Open a file for what it is."""
        path = self.inputs.path(file)
        if not path.is_file():
            raise ToileError(f"{file[:80]}: there is no such file in the project's folder")
        if is_project(path):
            self._open_project(path, file)
        elif self.shelf.is_recording(path):
            self.shelf.replay(file, 0)
        else:
            self._edit(edit_for(path, file), "")

    def _open_project(self, path: Path, file: str) -> None:
        history, hung = load_project(path)
        stage = Stage(history.project, self.inputs)
        if self.background.busy:
            self.background.drop()
        self.history, self.stage, self.file = history, stage, file
        self.revision += 1
        self.saved_at = self.revision
        if hung is not None:
            self._hang(hung)
        elif sewable(history.project):
            self._sew()
        self._tell_project()
        self.autosave()
        self._keep_cloth()

    # ------------------------------------------------------------------ time

    def wait(self) -> float:
        """Return how long there is nothing to do [s]."""
        now = time.monotonic()
        if self._dirty or self.background.busy:
            return min(max(self._next_frame - now, 0.0), 0.03)
        busy = self.playing and not self.stage.rests
        return max(min(self._next_frame if busy else self._next_status, self._next_status) - now, 0.0)

    def tick(self) -> None:
        """Compute and show a frame when it is time for one."""
        self.background.finished()
        self._catch_up()
        now = time.monotonic()
        if now >= self._next_frame and (self._dirty or self.background.busy or self._moves()):
            self._next_frame = max(self._next_frame + 1 / FPS, now - 1 / FPS)
            self._frame()
        if now >= self._next_status:
            self._next_status = now + STATUS_EVERY
            self.out.tell(self._status())
        if self._unsaved and now > self._unsaved + DRAG_EVERY:
            self.autosave()
        self._dirty = self._dirty or self.out.stale
        if now >= self._next_cloth and not self.stage.rests:
            self._keep_cloth()

    def _moves(self) -> bool:
        return self.playing and not (self.stage.rests and not self.shelf.replaying)

    def _frame(self) -> None:
        began = time.monotonic()
        if self.shelf.replaying:
            self._dirty = False
            self.shelf.show_next(self.playing)
            return
        if self.sewing:
            self._dirty = False
            self._show_sewing()
            return
        if self.playing:
            self.advance(self.pace / FPS)
        took = time.monotonic() - began
        self._clock.took(took)
        self._dirty = False
        self.show(1000 * took)
        if self._edit_came:
            self.edit_ms, self._edit_came = 1000 * (time.monotonic() - self._edit_came), 0.0

    def advance(self, dt: float) -> None:
        """Let time run; a method that blows up pauses."""
        try:
            self.stage.advance(dt)
        except ToileError as error:
            self.playing, self.warning = False, str(error)
            self.out.tell(told.Refused(error=str(error), place="play"))
        self.shelf.record_frame()

    def show(self, milliseconds: float = 0.0) -> None:
        """Send what is there now."""
        stage = self.stage
        body, joints = self._body()
        if stage.cloth is None:
            self._show_flat(body, joints)
            return
        for side, cloth in enumerate((stage.cloth, stage.other)):
            if cloth is None:
                continue
            self.out.cloth(side, cloth.garment, self.looks(cloth.garment))
            posed = stage.posed if stage.person_seen else None
            flags = Flags.PLAYING * self.playing | Flags.ASLEEP * cloth.asleep
            self.out.frame(
                side, time_=stage.time, position=cloth.state.position, body=body, joints=joints,
                overlay=self.overlay, flags=int(flags), milliseconds=milliseconds,
                values=self._values(side, cloth, posed),
            )  # fmt: skip

    def _values(self, side: int, cloth: Living, posed: PosedBody | None) -> Any:
        """Return the overlay of a side; while time runs it is looked up fifteen times a second."""
        now, (known, when, garment, values) = time.monotonic(), self._overlays.get(side, NOTHING)
        if known != self.overlay or garment is not cloth.garment or now > when + OVERLAY_EVERY:
            values = overlay_bytes(self.overlay, cloth.garment, cloth.state.position, posed)
            self._overlays[side] = self.overlay, now, cloth.garment, values
        return values

    def _body(self) -> tuple[int, Any]:
        stage = self.stage
        if stage.person_seen:
            return self.out.body(stage.body), joints_of(stage.body, stage.posed.world_from_joint)
        if stage.experiment is not None and stage.experiment.ball:
            assert stage.cloth is not None
            assert stage.cloth.ball is not None
            joints = np.concatenate([np.eye(3), stage.cloth.ball.centre[:, None]], axis=1)[None]
            return self.out.body(self._ball), joints
        return 0, NO_JOINTS

    def _show_flat(self, body: int, joints: Any) -> None:
        """Show pieces that are not sewn, or nobody but the person."""
        found = self.stage.flat
        position = np.zeros((1, 3)) if found is None else found[1]
        if found is None:
            self.out.no_cloth(0)
        else:
            self.out.cloth(0, found[0], self.looks(found[0]))
        self.out.frame(
            0, time_=self.stage.time, position=position, body=body, joints=joints, overlay="none",
            values=None, flags=0, milliseconds=0.0,
        )  # fmt: skip

    def _show_sewing(self) -> None:
        seen = self.background.seen()
        if seen is None:
            return
        garment, position = seen
        if self._sewing is None or len(self._sewing[0].uv) != len(garment.uv):
            self._sewing = garment, points_apart(garment)
        stage = self.stage
        self.out.cloth(0, self._sewing[1], self.looks(garment))
        self.out.frame(
            0, time_=0.0, position=position[garment.uv_particle], body=self.out.body(stage.body),
            joints=joints_of(stage.body, stage.body.skeleton.world_from_joint), overlay="none", values=None,
            flags=int(Flags.PLAYING | Flags.SEWING), milliseconds=0.0,
        )  # fmt: skip

    def looks(self, garment: Garment) -> list[dict[str, Any]]:
        """Return the colour of each part of a garment's mesh: one for each fabric of each garment."""
        garments = self.history.project.garments
        if self._looks[0] is not garment or self._looks[1] is not garments:
            self._looks = garment, garments, self._found_looks(garment)
        return self._looks[2]

    def _found_looks(self, garment: Garment) -> list[dict[str, Any]]:
        worn = {one.pattern.name: one for one in self.history.project.garments}
        owner = garment.particle_garment[garment.triangles[:, 0]]
        keys = np.unique(np.stack([owner, garment.triangle_fabric], axis=1), axis=0)
        return [
            {"color": look_of(worn[name], "").colour} if name in worn else {}
            for name in (garment.garment_names[k] for k, _ in keys.tolist())
        ]

    def _status(self) -> told.Status:
        stage, cloth, scale = self.stage, self.stage.cloth, OVERLAYS[self.overlay][1]
        vertices = triangles = left = pinned = 0
        energy = stretch = 0.0
        if cloth is not None:
            garment, state = cloth.garment, cloth.state
            vertices, triangles, left = garment.particle_count, len(garment.triangles), cloth.left
            pinned = len(cloth.pinned)
            if self._figures is None or not stage.rests:
                stretch = float(np.percentile(triangle_strain(garment, state.position), 99))
                self._figures = float(0.5 * np.sum(cloth.mass[:, None] * state.velocity**2)), stretch
            energy, stretch = self._figures
        return told.Status(
            playing=self.playing, moving=stage.mover.on, sewn=stage.sewn, scene=stage.scene.name,
            time=stage.time, motion_time=stage.mover.clock % max(stage.mover.duration, 1e-6),
            pace=self.pace, frame_ms=self._clock.milliseconds, fps=self._clock.fps, sent=self.out.sent,
            dropped=self.out.dropped, vertices=vertices, triangles=triangles,
            contacts=self._touching(),
            left=left, energy=energy, stretch=stretch, pinned=pinned, recording=self.shelf.recording,
            overlay=self.overlay, low=scale.low, high=scale.high, unit=scale.unit, edit_ms=self.edit_ms,
            asleep=stage.rests,
        )  # fmt: skip

    def _touching(self) -> int:
        """Return how many particles lie on the skin; looked up once a second."""
        stage, now = self.stage, time.monotonic()
        if stage.cloth is None or not stage.person_seen:
            return 0
        if now > self._contacts[0] + 1.0 and not (self.stage.rests and self._contacts[0]):
            cloth = stage.cloth
            self._contacts = now, touching(cloth.garment, cloth.state.position, stage.posed)
        return self._contacts[1]

    def script(self) -> tuple[str, tuple[str, ...]]:
        """Return the project as Python, and its lines."""
        edits = self.history.edits()
        text = script_of(edits, self.history.project.name)
        return text, tuple(line.strip() for line in text.splitlines() if line.startswith("    c."))

    def close(self) -> None:
        """End: what is going on is stopped, what was done is kept."""
        if self.background.busy:
            self.background.cancel()
        self.shelf.end_recording()
        if self._unsaved:
            self.autosave()
        if self.history.at:
            self._keep_cloth()


def _told_by_work(what: str, done: float) -> None:
    """Hand a stage of sewing on to whoever listens; raises where the work is to stop."""
    tell(what, done)
