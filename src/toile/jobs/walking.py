"""Runs of WalkJob, OverJob and BranchJob: into a recording that grows and can be gone on with."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from toile.audit.findings import Row, audit_rows
from toile.body.avatar.read import read_avatar_clip
from toile.core import defaults
from toile.core.errors import ToileError
from toile.core.records import Body, Motion
from toile.core.work import may_go_on, tell
from toile.jobs.describe import Inputs
from toile.jobs.dressing import dressed, method_of
from toile.jobs.provenance import Told, begun_by, made_by, made_by_job
from toile.jobs.records import BranchJob, OverJob, WalkJob
from toile.jobs.result import Result
from toile.jobs.sources import cloths, goes_its_own_way, open_garments, open_motion
from toile.motion.avatar_clip import avatar_track
from toile.motion.cycle import as_loop
from toile.motion.track import Track
from toile.sim.method import make_method
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.layer_over import dress_over
from toile.sim.walk.loop import Closure, close_loop, closure_in, loop_plan
from toile.sim.walk.stream import Moment, branch_walk, is_walk, plan_in, record_walk, resume_walk
from toile.sim.walk.walker import AnimateSettings
from toile.store.record import RecordedFile, load_recording

WALK = "walk.toile"
"""name of the result"""
Watch = Callable[[Moment], None]
AnyWalk = WalkJob | OverJob | BranchJob


@dataclass(frozen=True, eq=False, slots=True)
class Walked:
    """A finished walk in its file, and what is to be told about it."""

    path: Path
    rows: list[tuple[int, Row]]
    """number and findings of each frame"""
    vertex_count: int
    told: Told = field(default_factory=Told)
    closure: Closure | None = None
    """how well a loop closes"""
    kept: int | None = None
    """frames that were there already"""
    measures: Mapping[str, float] = field(default_factory=dict)
    """of the body [m; kg]"""

    @property
    def problems(self) -> tuple[str, ...]:
        """Return each problem of the audit, with its frame."""
        return tuple(f"frame {number}: {text}" for number, row in self.rows for text in row["problems"])


def telling(moment: Moment) -> None:
    """Tell how far a walk is."""
    done = max(moment.number + 1, 0) / moment.count
    tell("walking", done, f"frame {moment.number + 1} of {moment.count}" if moment.number >= 0 else "lead-in")


def walk_into(path: Path, job: AnyWalk, inputs: Inputs, watch: Watch = telling) -> Walked:
    """Dress and walk into a file. A walk of the same job that was interrupted there goes on."""
    before = begun_by(path)
    if before is not None and before.same_work(job, inputs):
        return finish(path, kept=go_on(path, watch))
    BEGIN[type(job)](path, job, inputs, watch)
    return finish(path)


def go_on(path: Path, watch: Watch = telling) -> int | None:
    """Go on with an interrupted walk; return how many frames it had, None: it is a closed loop already."""
    with RecordedFile(path) as recorded:
        if closure_in(recorded.provenance) is not None:
            return None
    return resume_walk(path, watch=_stoppable(watch))


def finish(path: Path, *, kept: int | None = None) -> Walked:
    """Make a loop of a walk that was meant to become one, and read its audit."""
    with RecordedFile(path) as recorded:
        closure, plan = closure_in(recorded.provenance), plan_in(recorded) if is_walk(recorded) else None
    if plan is not None and plan.loop_frames:
        tell("closing", 0.0)
        closure = close_loop(path, path, plan)
    with RecordedFile(path) as recorded:
        rows, count = audit_rows(recorded), recorded.garment.particle_count
        told, body = made_by(recorded.provenance).told, recorded.body
    measures = {} if body is None else body.measurements
    return Walked(path, rows, count, told, closure, kept, measures)


def _stoppable(watch: Watch) -> Watch:
    def watched(moment: Moment) -> None:
        may_go_on("walking")
        watch(moment)

    return watched


def _begin(path: Path, job: WalkJob, inputs: Inputs, watch: Watch) -> None:
    """Dress and walk from the start."""
    pace = pace_of(job, inputs)
    settings = AnimateSettings(fps=pace.fps, seconds=pace.seconds or 1.0, skinning=job.skinning)
    made = dressed(job.dress, inputs)
    body = made.body.body
    motion, origin = _motion(job, body, pace, inputs)
    plan = plan_walk(
        made.recording, body, motion,
        settings=settings, method=make_method(**method_of(job.dress)), wind=np.array(job.wind),
    )  # fmt: skip
    if job.loop:
        cycle = (plan.track.frame_count - 1) / settings.fps
        plan = loop_plan(plan, max(1, round(pace.seconds / cycle)))
    told = Told(doubts=made.body.doubts, sizes=made.wardrobe.sizes, notes=made.notes)
    by = made_by_job(job, inputs, told=told)
    kept = replace(made.recording.provenance, came_from=origin, motion=motion.name, **by.fields())
    record_walk(
        path, made.recording.garment, body, plan,
        provenance=kept, step=job.rounding or None, watch=_stoppable(watch),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast and how long a walk is recorded."""

    fps: float
    seconds: float
    """0: one cycle of the motion"""
    own: bool
    """an avatar moves by its own clip"""


def pace_of(job: WalkJob, inputs: Inputs) -> Pace:
    """Return frame rate and length of a walk; what was not asked for comes from the motion."""
    own = goes_its_own_way(job.dress.body, job.motion, job.loop, inputs)
    fps, seconds = defaults.FPS, 0.0 if job.loop else defaults.SECONDS
    if own and (job.fps is None or job.seconds is None):
        clip = read_avatar_clip(inputs.path(job.motion.file))
        fps, seconds = clip.fps, len(clip.world_from_joint) / clip.fps
    return Pace(job.fps or fps, seconds if job.seconds is None else job.seconds, own)


def _motion(job: WalkJob, body: Body, pace: Pace, inputs: Inputs) -> tuple[Motion | Track, dict[str, Any]]:
    """Return how the body moves, and what the recording keeps about where it came from."""
    if pace.own:
        track, origin = avatar_track(inputs.path(job.motion.file), body, fps=pace.fps)
        return track, origin.to_plain()
    motion = open_motion(job.motion, inputs)
    return (as_loop(motion) if job.loop else motion), {}


def _over(path: Path, job: OverJob, inputs: Inputs, watch: Watch) -> None:
    """Wear more garments over a recorded walk."""
    with RecordedFile(inputs.path(job.walk)) as recorded:
        plan, body = plan_in(recorded), recorded.body
        assert body is not None
        wardrobe = open_garments(job.garments, body, inputs)
        patterns = wardrobe.patterns()
        garment, plan, notes = dress_over(
            recorded, plan, patterns, fabric=cloths(job.fabric), edge_length=job.edge_length, progress=tell
        )
        if job.seconds is not None:
            plan = replace(plan, settings=replace(plan.settings, seconds=job.seconds))
        notes = [*recorded.provenance.notes, *notes]
        told = Told(sizes=wardrobe.sizes, notes=(*wardrobe.notes, *notes))
        by = made_by_job(job, inputs, begun=made_by(recorded.provenance).walk, told=told)
        kept = replace(recorded.provenance, notes=tuple(notes), over=Path(job.walk).name, **by.fields())
    record_walk(
        path, garment, body, plan, provenance=kept, step=job.rounding or None, watch=_stoppable(watch)
    )


def _branch(path: Path, job: BranchJob, inputs: Inputs, watch: Watch) -> None:
    """Take over a recorded walk and let another wind blow from a frame on."""
    source = inputs.path(job.walk)
    if path.exists() and path.samefile(source):
        raise ToileError(f"{path}: choose another name than the walk that is taken over")
    with RecordedFile(source) as recorded:
        by = made_by_job(job, inputs, begun=made_by(recorded.provenance).walk)
    branch_walk(source, path, job.frame, np.array(job.wind), changed=by.fields(), watch=_stoppable(watch))


BEGIN: Mapping[type, Callable[..., None]] = {
    WalkJob: _begin,
    OverJob: _over,
    BranchJob: _branch,
}
"""kind of walk → how it begins"""


def run_walk(job: AnyWalk, inputs: Inputs, folder: Path | None) -> Result:
    """Walk; the recording goes into the folder, where an interrupted one goes on."""
    if folder is not None:
        return _result(job, walk_into(folder / WALK, job, inputs), (WALK,), None)
    with tempfile.TemporaryDirectory(prefix="toile") as temporary:
        walked = walk_into(Path(temporary) / WALK, job, inputs)
        return _result(job, walked, (), load_recording(walked.path))


def _result(job: AnyWalk, walked: Walked, files: tuple[str, ...], value: Any) -> Result:
    facts = {
        "vertex_count": walked.vertex_count,
        "frame_count": len(walked.rows),
        "clean_frames": sum(not row["problems"] for _, row in walked.rows),
        "measures": dict(walked.measures),
        "audit": dict(walked.rows[-1][1]),
        "sizes": list(walked.told.sizes),
    }
    told = walked.told
    return Result(
        job=job, facts=facts, problems=walked.problems[:100], notes=(*told.sizes, *told.doubts, *told.notes),
        files=files, value=value,
    )  # fmt: skip
