"""What each message of the page does, but for edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from toile.core.errors import ToileError
from toile.studio import asked as a
from toile.studio import told
from toile.studio.living import Living
from toile.studio.seen import proposal_seen

if TYPE_CHECKING:
    from toile.studio.session import Session

FPS = 60.0
"""frames a second of simulated time"""


def _play(session: Session, message: a.Play) -> None:
    session.playing = message.on


def _step_on(session: Session, message: a.StepOn) -> None:
    session.playing = False
    for _ in range(message.frames):
        session.advance(1 / FPS)


def _grab(session: Session, message: a.Grab) -> None:
    _cloth(session, message.side).grab(message.particle, np.array(message.to))


def _let_go(session: Session, message: a.LetGo) -> None:
    _cloth(session, message.side).let_go(np.array(message.velocity))


def _pin(session: Session, message: a.Pin) -> None:
    cloth = _cloth(session, message.side)
    cloth.pin(np.union1d(cloth.pinned, np.array(message.particles, np.int64)).astype(np.int32))


def _unpin(session: Session, message: a.Unpin) -> None:
    cloth = _cloth(session, message.side)
    gone = message.particles or tuple(cloth.pinned.tolist())
    cloth.pin(np.setdiff1d(cloth.pinned, np.array(gone, np.int64)).astype(np.int32))


def _cloth(session: Session, side: int) -> Living:
    cloth = session.stage.other if side else session.stage.cloth
    if cloth is None:
        raise ToileError("there is no cloth yet: add a garment, or choose a scene")
    return cloth


def _pace(session: Session, message: a.Pace) -> None:
    session.pace = message.factor


def _move(session: Session, message: a.Move) -> None:
    session.stage.mover.on = message.on


def _show(session: Session, message: a.Show) -> None:
    session.overlay = message.overlay


def _scene(session: Session, message: a.Scene) -> None:
    if session.sewing:
        session.background.drop()
    session.stage.play_scene(message)


def _script(session: Session, message: a.AskScript) -> None:
    text, lines = session.script()
    session.out.tell(told.Script(text=text, lines=lines))


def _proposal(session: Session, message: a.AskProposal) -> None:
    worn = session.history.project.worn(message.garment)
    session.out.tell(proposal_seen(message.garment, worn))


HANDLERS: Mapping[type[a.Message], Callable[[Session, Any], None]] = {
    a.Ack: lambda session, m: session.out.acknowledged(m.frame),
    a.Play: _play,
    a.StepOn: _step_on,
    a.Reset: lambda session, m: session.stage.reset(),
    a.Pace: _pace,
    a.Seek: lambda session, m: session.stage.seek(m.time),
    a.Move: _move,
    a.Dress: lambda session, m: session.dress(),
    a.Cancel: lambda session, m: session.background.cancel(),
    a.Scene: _scene,
    a.Grab: _grab,
    a.LetGo: _let_go,
    a.Pin: _pin,
    a.Unpin: _unpin,
    a.Iron: lambda session, m: _cloth(session, 0).press(m.particle, m.radius),
    a.CutCloth: lambda session, m: session.stage.cut_cloth(m.particles),
    a.Show: _show,
    a.Compare: lambda session, m: session.stage.compare(m),
    a.AskProposal: _proposal,
    a.AskScript: _script,
    a.AskScene: lambda session, m: session.shelf.prepare_scene(),
    a.Undo: lambda session, m: session.undo(m.steps),
    a.Redo: lambda session, m: session.redo(m.steps),
    a.Save: lambda session, m: session.save(m.file),
    a.Open: lambda session, m: session.open(m.file),
    a.RecordFrames: lambda session, m: session.shelf.record(m.on, m.file),
    a.Replay: lambda session, m: session.shelf.replay(m.file, m.frame),
    a.Export: lambda session, m: session.shelf.export(m),
}
"""message → function(session, message)"""
