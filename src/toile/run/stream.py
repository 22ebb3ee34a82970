"""A walk goes frame by frame into a growing file: readable meanwhile, resumable to the same bits.

The file's first chunk holds all that decides the walk (garment, body, plan). Every few frames a checkpoint
holds the exact state; resuming goes back to the last one and computes on. Frames are audited in a second
thread while the next one is simulated, and the findings are stored with them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from toile.errors import ToileError
from toile.run.check import Audit, Auditor
from toile.run.over import Recorded, open_inner
from toile.run.record import Checkpoint, RecordedFile, RecordWriter
from toile.run.walker import Plan, Step, Walker
from toile.types import Body, Floats, Garment, Settings, State

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
    settings: Settings | None = None,
    step: float | None = None,
    watch: Watch = unwatched,
) -> None:
    """Simulate a plan into a new file. step: largest rounding error of stored positions [m]; None: none."""
    walker = make_walker(garment, body, plan, path)
    with RecordWriter.create(path, garment, body, settings, step=step, records={"plan": plan}) as writer:
        _go_on(writer, walker, watch, exact=step is None)


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
        _go_on(writer, walker, watch, exact=exact)
    return kept


def branch_walk(
    source: Path, path: Path, number: int, wind: Floats, *, settings: Settings | None = None,
    watch: Watch = unwatched,
) -> None:  # fmt: skip
    """Write a walk that equals another one up to frame ``number``; from there another wind blows [m/s]."""
    with RecordedFile(source) as recorded:
        plan = plan_in(recorded).with_wind(number, wind)
        if not 0 <= number <= len(recorded) or number >= plan.settings.frame_count:
            raise ToileError(f"{source}: there is no frame {number} to go on from; it has {len(recorded)}")
        found = recorded.last_checkpoint(number - 1)
        walker = walker_at(recorded, found, plan)
        kept, error = 0 if found is None else found.frame + 1, recorded.encoding.get("step")
        head = {**recorded.settings, **(settings or {})}
        with RecordWriter.create(
            path, recorded.garment, recorded.body, head, step=error, records={"plan": plan}
        ) as writer:
            for before in range(kept):
                writer.copy(recorded, before)
            _go_on(writer, walker, watch, exact=error is None)


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
    return Walker(garment, body, plan, Recorded(under, plan_in(under)))


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


def _go_on(writer: RecordWriter, walker: Walker, watch: Watch, *, exact: bool) -> None:
    """Simulate and store what is left; each frame is audited while the next is simulated."""
    plan = walker.plan
    auditor = Auditor(walker.garment, walker.body) if plan.audit else None
    waiting: tuple[Step, Future[Audit] | None] | None = None
    with ThreadPoolExecutor(1) as pool:
        for step in frames_of(walker, watch):
            if waiting is not None:
                _store(writer, walker, *waiting, watch, exact)
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
    )
    if checkpoint is not None:
        writer.sync()
    watch(Moment(step.number, plan.settings.frame_count, walker, audit))


# ---------------------------------------------------------------------------- the audit of all frames

Row: TypeAlias = Mapping[str, Any]
"""the findings of one frame"""


def findings(audit: Audit) -> dict[str, Any]:
    """Return what is kept of an audit with a frame; lengths in metres."""
    return {
        "inside": audit.inside_count,
        "inside_deep": audit.inside_deep_count,
        "deepest": audit.deepest,
        "body_pairs": audit.body_pairs,
        "self_pairs": audit.self_pairs,
        "layer_pairs": audit.layer_pairs,
        "seam_gap": audit.seam_gap,
        "stretch_mean": audit.stretch.mean,
        "stretch_99": audit.stretch.percentile_99,
        "stretch_largest": audit.stretch.largest,
        "problems": list(audit.problems),
    }


KEYS = tuple(findings(Audit(0, True)))


def audit_rows(recorded: RecordedFile) -> list[tuple[int, Row]]:
    """Return number and findings of each readable frame; those without stored findings are audited now."""
    auditor: Auditor | None = None
    rows: list[tuple[int, Row]] = []
    for number in range(len(recorded)):
        try:
            row = recorded.notes(number)
            if not all(key in row for key in KEYS):
                frame = recorded.frame(number)
                auditor = auditor or Auditor(recorded.garment, recorded.body)
                skin = frame.body_vertices if len(frame.body_vertices) else None
                row = findings(auditor.audit(frame.position, skin))
        except ToileError:
            continue
        rows.append((number, row))
    if not rows:
        raise ToileError(f"{recorded.path}: no frame can be read")
    return rows


def report(rows: list[tuple[int, Row]], vertex_count: int) -> list[str]:
    """Return the audit over all frames: the worst of each finding and where it is."""

    def worst(key: str) -> tuple[float, int]:
        number, row = max(rows, key=lambda r: r[1][key])
        return row[key], number

    def worst_pairs(key: str) -> str:
        value, number = worst(key)
        return f"{value}" + (f" (frame {number})" if value else "")

    deep, where = worst("inside_deep")
    depth, deepest = worst("deepest")
    clean = sum(not row["problems"] for _, row in rows)
    share = 100 * deep / max(vertex_count, 1)
    lines = [
        f"frames           {len(rows)}, {vertex_count} vertices",
        f"inside           at most {deep} ({share:.3f} %) deeper than 1 mm (frame {where}), "
        f"deepest {1000 * depth:.2f} mm (frame {deepest})",
        "crossing pairs   at most: body {}, self {}, layers {}".format(
            *map(worst_pairs, ("body_pairs", "self_pairs", "layer_pairs"))
        ),
        f"seam gap         {1000 * worst('seam_gap')[0]:.3f} mm",
        f"stretch          mean {worst('stretch_mean')[0]:.2%}, 99 % {worst('stretch_99')[0]:.2%}, "
        f"largest {worst('stretch_largest')[0]:.2%} in the worst frame",
        f"clean frames     {clean} of {len(rows)}",
    ]
    return lines + [f"FAILED           {text}" for text in _problems(rows)]


def _problems(rows: list[tuple[int, Row]]) -> list[str]:
    """Return each kind of problem once, with the frame where it came first and how often it came."""
    seen: dict[str, list[int | str]] = {}
    for number, row in rows:
        for text in row["problems"]:
            kind = "".join(c for c in text if not c.isdigit())
            entry = seen.setdefault(kind, [0, number, text])
            entry[0] = int(entry[0]) + 1
    return [f"frame {first}: {text} (and in {count} frames in all)" for count, first, text in seen.values()]
