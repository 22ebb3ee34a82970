"""What is asked for on the command line, as jobs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from toile.body.model.make import NAMED
from toile.core import defaults
from toile.core.errors import ToileError
from toile.garment.from_mesh import is_mesh_file
from toile.gpu.device import DEVICES
from toile.jobs.describe import Inputs, input_digests
from toile.jobs.plain import to_plain
from toile.jobs.provenance import made_by
from toile.jobs.records import (
    BodySource,
    BranchJob,
    DressJob,
    GarmentSource,
    MotionSource,
    OverJob,
    WalkJob,
)
from toile.motion.library import MOTIONS
from toile.sim.method import device_tuning, parse_tuning
from toile.sim.papers import paper
from toile.store.record import RecordedFile

OPTIONS = {"edge_length": "edge", "garments": "patterns", "rounding": "round"}
"""field of a job → option, where they differ"""


USUAL = {"solver": defaults.SOLVER, "collider": defaults.COLLIDER, "tune": {}}
"""the method that is taken where none is named"""


def wind(text: str) -> tuple[float, float, float]:
    """Return the air's velocity [m/s] from 3m/s (against a person who faces +z) or three numbers."""
    try:
        numbers = [float(word) for word in text.removesuffix("m/s").split(",")]
        if len(numbers) not in (1, 3) or not np.isfinite(numbers).all() or max(map(abs, numbers)) > 100:
            raise ValueError
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a wind: write a number of m/s, such as 3m/s, or three, such as 1,0,-3"
        ) from error
    x, y, z = numbers if len(numbers) == 3 else (0.0, 0.0, -numbers[0])
    return (x, y, z)


def words(text: str) -> tuple[str, ...]:
    """Return what a list with commas names."""
    return tuple(word.strip() for word in text.split(","))


def body_source(text: str, bones: Mapping[str, str] | None = None) -> BodySource:
    """Return the body that a name or a file means."""
    if text in NAMED:
        return BodySource(named=text)
    return BodySource(file=text, bones=bones or {})


def motion_source(text: str) -> MotionSource:
    """Return the motion that a name or a file means; what is neither is told by its reader."""
    return MotionSource(named=text) if text in MOTIONS else MotionSource(file=text)


def garment_sources(options: argparse.Namespace) -> tuple[GarmentSource, ...]:
    """Return what is worn, inner garments first; --seams belongs to a single pattern."""
    patterns = [path for path in options.patterns if not is_mesh_file(path)]
    if options.seams is not None and len(patterns) > 1:
        raise ToileError("--seams belongs to one pattern: name the file PATTERN.seams beside each instead")
    return tuple(_garment(options, path) for path in options.patterns)


def _garment(options: argparse.Namespace, path: str) -> GarmentSource:
    if is_mesh_file(path):
        return GarmentSource(file=path, units=options.units, hold=options.hold)
    return GarmentSource(file=path, size=options.size, units=options.units, seams=options.seams or "")


def dress_job(options: argparse.Namespace, base: DressJob | None = None) -> DressJob:
    """Return the job of `toile dress`; base tells what is taken where nothing is asked for."""
    given: dict[str, Any] = {} if base is None else _fields(base)
    if options.body is not None:
        given["body"] = body_source(options.body)
    if options.patterns:
        given["garments"] = garment_sources(options)
    if options.fabric is not None:
        given["fabric"] = words(options.fabric)
    if options.edge is not None:
        given["edge_length"] = options.edge
    if base is None or _method(options) != USUAL:
        given |= _method(options)
    if base is None or _mesh(options) != defaults.MESH:
        given["mesh"] = _mesh(options)
    return DressJob(**given)


def _method(options: argparse.Namespace) -> dict[str, Any]:
    tune = parse_tuning(options.tune)
    if not options.paper:
        tune = _on_device(options.solver, options.collider, options.device) | tune
        return {"solver": options.solver, "collider": options.collider, "tune": tune}
    published, usual = paper(options.paper), {"solver": defaults.SOLVER, "collider": defaults.COLLIDER}
    for kind, name in usual.items():
        if getattr(options, kind) not in (name, getattr(published, kind)):
            raise ToileError(
                f"--paper {options.paper} is {kind} {getattr(published, kind)}: leave out --{kind}"
            )
    tune = _on_device(published.solver, published.collider, options.device) | tune
    return {**published.options(), "tune": {**published.tune, **tune}}


def _on_device(solver: str, collider: str, device: str) -> dict[str, str]:
    """Return what --device sets; nothing is said of the processor, so that jobs stay as they were."""
    return {} if device == DEVICES[0] else device_tuning(solver, collider, device)


def _mesh(options: argparse.Namespace) -> str:
    asked: str = options.mesh
    return paper(options.paper).mesh if options.paper and asked == defaults.MESH else asked


def _fields(record: Any) -> dict[str, Any]:
    return {f.name: getattr(record, f.name) for f in fields(record)}


def walk_job(options: argparse.Namespace, base: WalkJob | None = None) -> WalkJob:
    """Return the job of `toile walk`; base tells what is taken where nothing is asked for."""
    given: dict[str, Any] = {} if base is None else _fields(base)
    given["dress"] = dress_job(options, None if base is None else base.dress)
    for name in ("seconds", "fps", "skinning", "wind", "rounding", "loop"):
        if getattr(options, name) is not None:
            given[name] = getattr(options, name)
    if options.motion is not None:
        given["motion"] = motion_source(options.motion)
    return WalkJob(**given)


def again_job(options: argparse.Namespace) -> WalkJob:
    """Return the job of a walk in a recording's garments, with what is asked for anew: size, body …"""
    source = options.source
    with RecordedFile(source) as recorded:
        before = made_by(recorded.provenance).walk
    if before is None:
        worn = DressJob(body=BodySource(file=source), garments=(GarmentSource(file=source),))
        before = WalkJob(dress=worn)
    job = walk_job(options, before)
    garments = (GarmentSource(file=source, size=options.size),)
    same = options.body is None or job.dress.body == before.dress.body
    body = BodySource(file=source) if same else job.dress.body
    return replace(job, dress=replace(job.dress, garments=garments, body=body))


def over_job(options: argparse.Namespace) -> OverJob:
    """Return the job of `toile walk --over`."""
    given = {name: getattr(options, name) for name in ("seconds", "rounding")}
    job = dress_job(options)
    return OverJob(
        walk=options.over, garments=job.garments, fabric=job.fabric, edge_length=job.edge_length,
        **{name: value for name, value in given.items() if value is not None},
    )  # fmt: skip


def branch_job(options: argparse.Namespace) -> BranchJob:
    """Return the job of `toile walk --from-frame`."""
    return BranchJob(walk=options.source, frame=options.from_frame, wind=options.wind)


def check_same(target: Path, options: argparse.Namespace) -> None:
    """Refuse to go on with a walk that was begun with something else than what is asked for now."""
    with RecordedFile(target) as recorded:
        made = made_by(recorded.provenance)
    begun, kept = made.job, made.inputs
    if not isinstance(begun, WalkJob) or not recorded.provenance.job:
        return
    named = {*options.patterns, options.body, options.motion, options.seams}
    now = walk_job(options, begun)
    digests = {**kept, **input_digests(now, Inputs(), only=named)}
    changed = _first_difference(_by_content(begun, kept), _by_content(now, digests))
    if changed:
        raise ToileError(
            f"{target} was begun with another {changed}: leave the option out, or write to another file"
        )


def _by_content(job: WalkJob, digests: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a job as JSON, files by their content: names and folders may differ."""
    plain: Mapping[str, Any] = to_plain(job, lambda name, role: digests.get(name))
    return plain


def _first_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the option that differs; empty: none does."""
    for name, value in before.items():
        if now[name] != value:
            if name == "dress":
                return _first_difference(value, now[name])
            return OPTIONS.get(name, name)
    return ""
