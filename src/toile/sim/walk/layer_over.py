"""Outer garments over a recorded walk: what was recorded moves as it did, the new garments are simulated."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from toile.body.model.skin import rest_pose
from toile.core import defaults
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, Pattern
from toile.garment.fabric import Fabrics, fabric_of_each
from toile.garment.outfit import join
from toile.garment.place.place import place
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.dress.dress import cut_out
from toile.sim.dress.sew import Progress, SewSettings, sew, silent, welded_points
from toile.sim.walk.walker import Inner, Plan, Walker
from toile.store.record import RecordedFile


class RecordedGarments:
    """The garments of a recorded walk, frame by frame; the way into the motion is simulated again."""

    def __init__(self, recorded: RecordedFile, plan: Plan) -> None:
        """Take a recorded walk and its plan."""
        self._recorded, self._plan = recorded, plan
        self._walker: Walker | None = None

    def __call__(self, number: int) -> Floats:
        """Return the garments' particles in a frame [m]; frames before the first come in their order."""
        if number >= 0:
            return self._recorded.frame(number).position
        if self._walker is None:
            assert self._recorded.body is not None
            self._walker = Walker(self._recorded.garment, self._recorded.body, self._plan)
        step = self._walker.step()
        if step.number != number:
            raise ToileError(f"{self._recorded.path}: the way into the motion cannot be begun in its middle")
        return step.state.position


def dress_over(
    recorded: RecordedFile,
    plan: Plan,
    patterns: Sequence[Pattern],
    *,
    fabric: Fabrics = defaults.FABRIC,
    edge_length: float = defaults.EDGE_LENGTH,
    progress: Progress = silent,
) -> tuple[Garment, Plan, list[str]]:
    """Return the outfit of recorded and new garments, the plan of its walk, and notes on how they were cut.

    The new garments are sewn over the old ones, which stay as they were dressed.
    """
    body = recorded.body
    if body is None or plan.inner is not None:
        raise ToileError(f"{recorded.path}: give a walk of one body that does not lie over another walk")
    fabrics = fabric_of_each(fabric, len(patterns))
    progress("cutting", 0.0)
    outer, notes = cut_out(list(zip(patterns, fabrics, strict=True)), body, edge_length)
    outfit, start = _outfit(recorded.garment, plan.start, body, outer)
    count = recorded.garment.particle_count
    inner = np.arange(count, dtype=np.int32)
    # while it is sewn and drapes, all of the inner garments is held
    held = replace(outfit, hold_particle=np.union1d(outfit.hold_particle, inner))
    sewn = sew(
        held, start, rest_pose(body), SurfaceCollider(body),
        settings=SewSettings(), engine=plan.method.sewing_settings, progress=progress, fixed=inner,
    )  # fmt: skip
    position = np.array(sewn.state.position)
    position[:count] = plan.start
    kept = _own_holds(outfit, sewn.garment, count)
    link = Inner(path=os.fspath(recorded.path), particle_count=count, digest=digest_of(recorded))
    return replace(sewn.garment, hold_particle=kept), replace(plan, start=position, inner=link), notes


def _outfit(inner: Garment, start: Floats, body: Body, outer: Sequence[Garment]) -> tuple[Garment, Floats]:
    """Return the joined garments, the new ones unsewn on layers above the old, and where they start."""
    top = int(inner.garment_layer.max(initial=0)) + 1
    raised = [replace(g, garment_layer=np.full(len(g.garment_layer), top + k)) for k, g in enumerate(outer)]
    return join([inner, *raised]), np.concatenate([start, *[place(g, body) for g in raised]])


def _own_holds(outfit: Garment, sewn: Garment, inner_count: int) -> np.ndarray:
    """Return the particles that the garments themselves hold, after sewing."""
    held = welded_points(outfit, sewn, outfit.hold_particle)
    # what is recorded is led anyway
    return np.asarray(held[held >= inner_count])


def digest_of(recorded: RecordedFile) -> str:
    """Return a fingerprint of what a recording is made of."""
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(recorded.garment.uv).tobytes())
    digest.update(np.ascontiguousarray(recorded.frame(0).position).tobytes())
    return digest.hexdigest()[:16]


def open_inner(inner: Inner, beside: str | os.PathLike[str]) -> RecordedFile:
    """Open the recording that a walk lies over: where it was, or beside the walk's own file."""
    places = [Path(inner.path), Path(beside).absolute().parent / Path(inner.path).name]
    found = next((p for p in places if p.is_file()), None)
    if found is None:
        raise ToileError(f"{beside} lies over {inner.path}, which is missing: put it there again")
    recorded = RecordedFile(found)
    if recorded.garment.particle_count != inner.particle_count or digest_of(recorded) != inner.digest:
        recorded.close()
        raise ToileError(f"{found} is not the recording that {beside} lies over: put that one there again")
    return recorded
