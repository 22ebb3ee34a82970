"""Walks that end where they began: simulated until they repeat themselves, what is left is blended away.

The body goes through its cycle again and again. Cloth has a memory and falls a little differently each time
(a wide skirt never comes back to the same folds), so the round is kept that ends most like the one before it.
Towards its end it is led over into that one, of which its own first frame is the continuation (as Schödl et
al., Video textures, 2000, do with pictures). The person stays on the spot: what a round travels is taken out.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from functools import cache

import numpy as np

from toile.audit.check import Auditor
from toile.audit.findings import findings
from toile.body.model.skin import pose_body
from toile.core.container import replacing_path
from toile.core.errors import ToileError
from toile.core.provenance import Provenance
from toile.core.records import Floats
from toile.geometry.rotation import rotate, to_matrix, yaw
from toile.motion.track import Track, loop_travel
from toile.sim.walk.walker import Plan
from toile.store.record import Frame, RecordedFile, RecordWriter

MORE_CYCLES = 4
"""cycles of the motion that are simulated after two rounds, in search of an end that fits"""
CLOSE = 0.004
"""a walk repeats itself when 99 % of the cloth is back within this distance after a round [m]"""
BLEND = 0.5
"""share of a round, at its end, that is led over"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """How well a loop closes; distances are those of 99 % of the vertices [m]."""

    frames: int
    fps: float
    """frames a second"""
    walked: int
    """frames that were simulated to find it"""
    apart: float
    """how far the round ended from where the round before had ended"""
    apart_largest: float
    """the same, of the worst vertex"""
    jump: float
    """from where the last two frames lead to where the first frame is"""
    jump_unblended: float
    """the same, if nothing were blended"""
    usual: float
    """the same between other frames, in the worst place: cloth does not move evenly"""

    def lines(self) -> list[str]:
        """Return what a user wants to know."""
        lengths = ("apart", "apart_largest", "jump", "jump_unblended", "usual")
        mm = {name: 1000 * getattr(self, name) for name in lengths}
        return [
            f"loop             {self.frames} frames, {self.frames / self.fps:.2f} s, best of {self.walked}: "
            f"cloth came back to {mm['apart']:.1f} mm (worst {mm['apart_largest']:.1f} mm)",
            f"seam             jump {mm['jump']:.2f} mm ({mm['jump_unblended']:.2f} before it was blended; "
            f"between other frames up to {mm['usual']:.2f})",
        ]


def closure_in(made: Provenance) -> Closure | None:
    """Return how well a recording closes; None: it is no loop."""
    known = made.loop
    try:
        return None if not known else Closure(**{name: known[name] + 0 for name in Closure.__slots__})
    except (KeyError, TypeError):
        raise ToileError("the recording does not say how its loop closes: make it again") from None


def loop_plan(plan: Plan, cycles: int = 1) -> Plan:
    """Return the plan of a walk of so many of the motion's cycles that is repeated until it closes.

    The motion's clock is set so that a cycle is a whole number of frames (at most half a frame's change).
    """
    if not plan.track.loop or plan.track.frame_count < 3:
        raise ToileError(f"motion {plan.track.name} does not repeat itself: no loop can be made of it")
    if cycles < 1:
        raise ToileError("a loop takes at least one cycle of the motion")
    cycle = plan.track.frame_count - 1
    frames = cycles * cycle
    settings = replace(plan.settings, seconds=(2 * frames + MORE_CYCLES * cycle) / plan.settings.fps)
    return replace(
        plan, track=replace(plan.track, fps=plan.settings.fps), settings=settings, loop_frames=frames
    )


def travel(track: Track, frames: int, share: float = 1.0) -> Floats:
    """Return how far a loop of so many frames travels, or a share of that: a level motion (4, 4)."""
    angle, shift = loop_travel(track.rotations[:, 0], track.root)
    share = share * frames / (track.frame_count - 1)
    move = np.eye(4)
    if abs(angle) < 1e-6:
        move[:3, 3] = share * shift
        return move
    # a turn about a point that stays: p = R p + shift, in the plane of the floor
    rotation = to_matrix(yaw(angle))[np.ix_([0, 2], [0, 2])]
    pivot = np.zeros(3)
    pivot[[0, 2]] = np.linalg.solve(np.eye(2) - rotation, shift[[0, 2]])
    move[:3, :3] = to_matrix(yaw(share * angle))
    move[:3, 3] = pivot - rotate(yaw(share * angle), pivot)
    return move


def _moved(matrix: Floats, points: Floats) -> Floats:
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


class Rounds:
    """The rounds of a walk in a file, which may still be growing."""

    def __init__(self, recorded: RecordedFile, plan: Plan) -> None:
        """Take an open recording and its plan."""
        self.recorded, self.plan, self.frames = recorded, plan, plan.loop_frames
        self._travel = travel(plan.track, plan.loop_frames)

    def before(self, number: int) -> Floats:
        """Return where the cloth of a frame was one round before, moved on by what a round travels [m]."""
        return _moved(self._travel, self.recorded.frame(number - self.frames).position)

    def apart(self, number: int) -> Floats:
        """Return how far each vertex is from where it was one round before [m]."""
        gap = self.recorded.frame(number).position - self.before(number)
        return np.asarray(np.linalg.norm(gap, axis=1))

    def best_end(self) -> int:
        """Return the frame that is most like the one a round before it, with a whole round before that."""
        count = len(self.recorded)
        if not self.frames or count < 2 * self.frames:
            raise ToileError(
                f"{self.recorded.path}: {count} frames are not two rounds: finish the walk first"
            )
        ends = range(2 * self.frames - 1, count)
        return min(ends, key=lambda number: float(np.percentile(self.apart(number), 99)))


class Watcher:
    """Tells when a walk that grows in a file has come back to where it was: from its stored frames alone."""

    def __init__(self, path: str | os.PathLike[str], plan: Plan) -> None:
        self._path, self._plan = path, plan

    def enough(self, count: int) -> bool:
        """Return whether the walk repeats itself after so many frames."""
        if not self._plan.loop_frames or count < 2 * self._plan.loop_frames:
            return False
        with RecordedFile(self._path) as recorded:
            gap = Rounds(recorded, self._plan).apart(count - 1)
        return bool(np.percentile(gap, 99) <= CLOSE)


def close_loop(path: str | os.PathLike[str], out: str | os.PathLike[str], plan: Plan) -> Closure:
    """Write the best round of a walk as a loop whose last frame runs into its first; return how well it does.

    out may be the walk itself.
    """
    with RecordedFile(path) as recorded:
        loop = Loop(Rounds(recorded, plan))
        closure = loop.closure()
        auditor = Auditor(recorded.garment, recorded.body) if plan.audit else None
        made = replace(recorded.provenance, loop=asdict(closure))
        step = recorded.encoding.get("step")
        with (
            replacing_path(out) as part,
            RecordWriter.create(part, recorded.garment, recorded.body, made, step=step) as writer,
        ):
            for index in range(plan.loop_frames):
                frame = loop.frame(index)
                found = None if auditor is None else auditor.audit(frame.position, frame.body_vertices)
                notes = None if found is None else findings(found)
                writer.append_frame(frame, notes)
    return closure


class Loop:
    """The best round of a walk, on the spot, its end led over into the round before."""

    def __init__(self, rounds: Rounds) -> None:
        """Choose the round."""
        self._rounds, self._plan, self._frames = rounds, rounds.plan, rounds.frames
        self._end = rounds.best_end()

    def frame(self, index: int, blend: float = BLEND) -> Frame:
        """Return one frame; after the last it begins again."""
        index %= self._frames
        number = self._end - self._frames + 1 + index
        frame = self._rounds.recorded.frame(number)
        position = frame.position
        led = round(blend * self._frames)
        share = max(0.0, (index - (self._frames - led) + 1) / (led + 1))
        if share > 0.0:
            gap = self._rounds.before(number) - position
            position = position + share**3 * (10 - 15 * share + 6 * share**2) * gap
        stay = travel(self._plan.track, self._frames, -index / self._frames)
        joints = stay @ frame.extra["world_from_joint"]
        body = self._rounds.recorded.body
        assert body is not None
        method = self._plan.settings.skinning
        skin = cache(lambda: pose_body(body, joints, method=method).vertices)
        time = (index + 1) / self._plan.settings.fps
        return Frame(time, _moved(stay, position), skin, {"world_from_joint": joints}, posed=method)

    def jump(self, last: int, blend: float = BLEND) -> float:
        """Return how far the step after a frame is from going on evenly; of 99 % of the vertices [m]."""
        a, b, c = (self.frame(last + k, blend).position for k in (-1, 0, 1))
        return float(np.percentile(np.linalg.norm(c - 2 * b + a, axis=1), 99))

    def closure(self) -> Closure:
        """Return how well it closes."""
        apart, last = self._rounds.apart(self._end), self._frames - 1
        others = range(1, self._frames - 2, max(1, self._frames // 16))
        return Closure(
            frames=self._frames,
            fps=self._plan.settings.fps,
            walked=len(self._rounds.recorded),
            apart=float(np.percentile(apart, 99)),
            apart_largest=float(apart.max()),
            jump=self.jump(last),
            jump_unblended=self.jump(last, 0.0),
            usual=max(self.jump(other) for other in others),
        )
