"""How a recording came to be: the job that made it, the checksums of its files, what there was to be told.

It is kept in the recording's `Provenance` as JSON, beside what the simulation notes there. Recordings from
before there were jobs kept the options of `toile walk`; they are understood as the job that these options
are now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toile.body.model.make import NAMED
from toile.core.errors import ToileError
from toile.core.provenance import Provenance
from toile.jobs.describe import Inputs, input_digests, job_from_json, job_to_json
from toile.jobs.plain import Checked, from_plain, to_plain
from toile.jobs.records import BodySource, DressJob, GarmentSource, Job, MotionSource, WalkJob
from toile.motion.library import MOTIONS
from toile.sim.walk.loop import closure_in
from toile.sim.walk.stream import is_walk
from toile.store.record import RecordedFile

WHERE = "the recording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Checked):
    """What is to be told about how a result began."""

    doubts: tuple[str, ...] = ()
    """about the body"""
    sizes: tuple[str, ...] = ()
    """which were taken, and why"""
    notes: tuple[str, ...] = ()
    """what was assumed about the patterns, or done to them"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeBy:
    """The job that a recording is the result of."""

    job: Job | None = None
    """None: it was made by functions, or before there were jobs"""
    begun: Job | None = None
    """of a walk that was branched or worn over: the job of the first one"""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """checksum of each file of the job, by its name there"""
    told: Told = field(default_factory=Told)
    toile: str = ""
    """version of the program"""

    @property
    def walk(self) -> WalkJob | None:
        """Return the walk that was asked for first; None: it does not say."""
        first = self.begun or self.job
        return first if isinstance(first, WalkJob) else None

    def same_work(self, job: Job, inputs: Inputs) -> bool:
        """Return whether it is the work of this job on these files."""
        return self.job == job and dict(self.inputs) == input_digests(job, inputs)

    def fields(self) -> dict[str, Any]:
        """Return the fields of a recording's provenance that keep it."""
        kept: dict[str, Any] = {"inputs": dict(self.inputs), "told": to_plain(self.told)}
        kept |= {"job": job_to_json(self.job)} if self.job is not None else {}
        return kept | ({"begun": job_to_json(self.begun)} if self.begun is not None else {})


def made_by_job(job: Job, inputs: Inputs, *, begun: Job | None = None, told: Told | None = None) -> MadeBy:
    """Return how what a job makes comes to be."""
    return MadeBy(job=job, begun=begun, inputs=input_digests(job, inputs), told=told or Told())


def made_by(provenance: Provenance) -> MadeBy:
    """Return what a recording tells, also an old one; what is no JSON of ours is refused."""
    if not all(isinstance(v, str) for v in provenance.inputs.values()):
        raise ToileError(f"{WHERE}'s inputs are no checksums: make it again")
    return MadeBy(
        job=_job(provenance.job, "job") or _job_of_options(provenance.more.get("asked")),
        begun=_job(provenance.begun, "begun"),
        inputs=provenance.inputs,
        told=from_plain(Told, provenance.told, f"{WHERE}: told"),
        toile=provenance.toile[:40],
    )


def _job(kept: Mapping[str, Any], key: str) -> Job | None:
    return job_from_json(kept, f"{WHERE}: {key}") if kept else None


def _job_of_options(asked: Any) -> WalkJob | None:
    """Return the job of a recording from before there were jobs; its garments are in the recording."""
    if not isinstance(asked, Mapping):
        return None
    try:
        body, motion = str(asked["body"]), str(asked["motion"])
        return WalkJob(
            dress=DressJob(
                body=BodySource(named=body) if body in NAMED else BodySource(file=body),
                garments=tuple(GarmentSource(file=str(p).split(" ")[0]) for p in asked["patterns"] or ["-"]),
                fabric=tuple(word.strip() for word in asked["fabric"].split(",")), edge_length=asked["edge"],
            ),
            motion=MotionSource(named=motion) if motion in MOTIONS else MotionSource(file=motion),
            skinning=asked["skinning"], wind=tuple(asked["wind"]), rounding=asked["rounding"],
            **{name: asked[name] or None for name in ("seconds", "fps")}, loop=asked["loop"],
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError, IndexError):
        raise ToileError(f"{WHERE} does not say how it was made: make it again") from None


def begun_by(path: Path) -> MadeBy | None:
    """Return what made a recorded walk that can be gone on with; None: there is none."""
    if not path.exists():
        return None
    try:
        with RecordedFile(path) as recorded:
            goes_on = is_walk(recorded) or closure_in(recorded.provenance) is not None
            return made_by(recorded.provenance) if goes_on else None
    except ToileError:
        return None
