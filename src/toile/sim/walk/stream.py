"""A walk goes frame by frame into a growing file: readable meanwhile, resumable to the same bits.

The file's first chunk holds all that decides the walk (garment, body, plan). Every few frames a checkpoint
holds the exact state; resuming goes back to the last one and computes on. Frames are audited in a second
thread while the next one is simulated, and the findings are stored with them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from toile.audit.check import Audit, Auditor
from toile.audit.findings import findings
from toile.core.errors import ToileError
from toile.core.provenance import Provenance
from toile.core.records import Body, Floats, Garment, State
from toile.sim.walk.layer_over import RecordedGarments, open_inner
from toile.sim.walk.loop import Watcher
from toile.sim.walk.walker import Plan, Step, Walker
from toile.store.record import Checkpoint, RecordedFile, RecordWriter

Path: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, slots=True)
class Moment:
    """What a progress line may show after a frame."""

    number: int
    """of the frame; negative: on the way into the motion"""
    count: int
    """of all frames"""
    walker: Walker
    audit: Audit | None = None
    """of a frame that was stored"""


Watch = Callable[[Moment], None]


def unwatched(moment: Moment) -> None:
    """Show nothing."""


def record_walk(
    path: Path,
    garment: Garment,
    body: Body,
    plan: Plan,
    *,
    provenance: Provenance | None = None,
    step: float | None = None,
    watch: Watch = unwatched,
) -> None:
    """Simulate a plan into a new file. step: largest rounding error of stored positions [m]; None: none."""
    walker = make_walker(garment, body, plan, path)
    with RecordWriter.create(path, garment, body, provenance, step=step, records={"plan": plan}) as writer:
        _go_on(writer, walker, watch, path, exact=step is None)


def resume_walk(path: Path, *, watch: Watch = unwatched) -> int:
    """Go on with an interrupted walk; return the number of frames that were kept.

    The finished file has the same bytes as if nothing had happened. A finished one is left alone.
    """
    with RecordedFile(path) as recorded:
        plan = plan_in(recorded)
        if recorded.complete and not recorded.damaged_frames:
            return len(recorded)
        walker = walker_at(recorded, recorded.last_checkpoint())
        exact = "step" not in recorded.encoding
    writer = RecordWriter.resume_at_checkpoint(path)
    if writer.frame_count > plan.settings.frame_count:
        raise ToileError(f"{path} holds more frames than it was planned for: make it again")
    kept = writer.frame_count
    with writer:
        _go_on(writer, walker, watch, path, exact=exact)
    return kept


def branch_walk(
    source: Path, path: Path, number: int, wind: Floats, *, changed: Mapping[str, Any] | None = None,
    watch: Watch = unwatched,
) -> None:  # fmt: skip
    """Write a walk that equals another one up to frame ``number``; from there another wind blows [m/s]."""
    with RecordedFile(source) as recorded:
        plan = replace(plan_in(recorded).with_wind(number, wind), loop_frames=0)
        if not 0 <= number <= len(recorded) or number >= plan.settings.frame_count:
            raise ToileError(f"{source}: there is no frame {number} to go on from; it has {len(recorded)}")
        found = recorded.last_checkpoint(number - 1)
        walker = walker_at(recorded, found, plan)
        kept, error = 0 if found is None else found.frame + 1, recorded.encoding.get("step")
        head = replace(recorded.provenance, **(changed or {}))
        with RecordWriter.create(
            path, recorded.garment, recorded.body, head, step=error, records={"plan": plan}
        ) as writer:
            for before in range(kept):
                writer.copy(recorded, before)
            _go_on(writer, walker, watch, path, exact=error is None)


def plan_in(recorded: RecordedFile) -> Plan:
    """Return the plan of a recorded walk."""
    plan = recorded.record(Plan, "plan")
    if plan is None or recorded.body is None:
        raise ToileError(f"{recorded.path} is no recording of `toile walk`: it cannot be computed further")
    return plan


def is_walk(recorded: RecordedFile) -> bool:
    """Return whether a recording can be computed further."""
    return recorded.record_names >= {"plan"} and recorded.body is not None


def make_walker(garment: Garment, body: Body, plan: Plan, path: Path) -> Walker:
    """Return a walker in the rest pose; what lies under it is read from its own recording."""
    if plan.inner is None:
        return Walker(garment, body, plan)
    under = open_inner(plan.inner, path)
    if len(under) < plan.settings.frame_count:
        raise ToileError(f"{under.path} has {len(under)} frames: finish it first, or walk for a shorter time")
    return Walker(garment, body, plan, RecordedGarments(under, plan_in(under)))


def walker_at(recorded: RecordedFile, found: Checkpoint | None, plan: Plan | None = None) -> Walker:
    """Return a walker that stands where the checkpoint was taken; None: in the rest pose."""
    plan = plan or plan_in(recorded)
    assert recorded.body is not None
    walker = make_walker(recorded.garment, recorded.body, plan, recorded.path)
    if found is not None:
        velocity = found.arrays.get("velocity")
        position = found.arrays.get("position")
        if position is None:
            position = recorded.frame(found.frame).position
        if velocity is None or velocity.shape != position.shape or not np.isfinite(velocity).all():
            raise ToileError(f"{recorded.path}: frame {found.frame}: its checkpoint cannot be read")
        time = (found.frame + 1) / plan.settings.fps
        walker.go_to(found.frame, State(np.array(position), np.array(velocity), time))
    return walker


def frames_of(walker: Walker, watch: Watch = unwatched) -> Iterator[Step]:
    """Yield the recorded frames that are still to come."""
    count = walker.plan.settings.frame_count
    while walker.number < count:
        step = walker.step()
        if step.number >= 0:
            yield step
        else:
            watch(Moment(step.number, count, walker))


def _go_on(writer: RecordWriter, walker: Walker, watch: Watch, path: Path, *, exact: bool) -> None:
    """Simulate and store what is left; each frame is audited while the next is simulated.

    A loop ends when it repeats itself. That is told from the stored frames alone, so that a resumed walk
    ends at the same one.
    """
    plan = walker.plan
    loop = Watcher(path, plan)
    if loop.enough(writer.frame_count):
        return
    auditor = Auditor(walker.garment, walker.body) if plan.audit else None
    waiting: tuple[Step, Future[Audit] | None] | None = None
    with ThreadPoolExecutor(1) as pool:
        for step in frames_of(walker, watch):
            if waiting is not None:
                _store(writer, walker, *waiting, watch, exact)
                waiting = None
                if loop.enough(writer.frame_count):
                    break
            found = None
            if auditor is not None:
                found = pool.submit(auditor.audit, step.state.position, step.body.vertices)
            waiting = (step, found)
        if waiting is not None:
            _store(writer, walker, *waiting, watch, exact)


def _store(
    writer: RecordWriter, walker: Walker, step: Step, found: Future[Audit] | None, watch: Watch, exact: bool
) -> None:
    plan, state = walker.plan, step.state
    audit = None if found is None else found.result()
    checkpoint = None
    if (step.number + 1) % plan.checkpoint_every == 0:
        checkpoint = {"velocity": state.velocity} | ({} if exact else {"position": state.position})
    writer.append(
        state.time,
        state.position,
        step.body.vertices,
        {"world_from_joint": step.body.world_from_joint},
        checkpoint,
        notes=None if audit is None else findings(audit),
        posed=plan.settings.skinning,
    )
    if checkpoint is not None:
        writer.sync()
    watch(Moment(step.number, plan.settings.frame_count, walker, audit))
