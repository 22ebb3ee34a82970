"""Names in a job are checked before any work: fabrics, drafts and their options, methods, motions, bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

from toile.body.model.check_measures import check_measures
from toile.body.model.make import NAMED
from toile.core.choices import choose
from toile.core.errors import ToileError
from toile.core.records import Fabric
from toile.export.library import EXPORTS
from toile.garment.fabric import fabric, fabric_of_figures
from toile.jobs.records import (
    BodyJob,
    BodySource,
    BranchJob,
    Cloth,
    DressJob,
    ExportJob,
    FitJob,
    GarmentSource,
    MotionSource,
    OverJob,
    PictureJob,
    WalkJob,
)
from toile.motion.library import MOTIONS
from toile.pattern.drafts.library import check_style
from toile.render.camera import view_angle
from toile.sim.method import make_method


@singledispatch
def check_names(job: Any) -> None:
    """Refuse a job whose names mean nothing; the error says which key holds it."""
    raise TypeError(f"{type(job).__name__} is no job")


@check_names.register
def _(job: DressJob) -> None:
    named_as("body", _check_body, job.body)
    _check_garments(job.garments)
    named_as("fabric", _check_cloths, job.fabric)
    make_method(job.solver, job.collider, job.tune)


@check_names.register
def _(job: WalkJob) -> None:
    named_as("dress", check_names, job.dress)
    named_as("motion", _check_motion, job.motion)


@check_names.register
def _(job: OverJob) -> None:
    _check_garments(job.garments)
    named_as("fabric", _check_cloths, job.fabric)


@check_names.register
def _(job: BranchJob) -> None:
    return None


@check_names.register
def _(job: BodyJob) -> None:
    named_as("body", _check_body, job.body)


@check_names.register
def _(job: FitJob) -> None:
    named_as("body", _check_body, job.body)
    named_as("garment", _check_garment, job.garment)


@check_names.register
def _(job: ExportJob) -> None:
    ending_of(job)
    if job.view is not None:
        view_angle(job.view)


@check_names.register
def _(job: PictureJob) -> None:
    for number, view in enumerate(job.views):
        named_as(f"views[{number}]", view_angle, view)


def ending_of(job: ExportJob) -> str:
    """Return the ending of the file that an export writes."""
    ending = f".{job.format.lower().removeprefix('.')}"
    if ending not in EXPORTS:
        raise ToileError(f"format is '{job.format[:20]}': choose from {', '.join(e[1:] for e in EXPORTS)}")
    return ending


def cloth_of(cloth: Cloth) -> Fabric:
    """Return a fabric by its name or from its figures."""
    if isinstance(cloth, str):
        return fabric(cloth)
    figures = {key: list(value) if isinstance(value, tuple) else value for key, value in cloth.items()}
    return fabric_of_figures(str(figures.pop("name", "own")), figures, "job")


def named_as(key: str, check: Callable[[Any], object], value: Any) -> None:
    """Name the key in front of what is wrong with its value."""
    try:
        check(value)
    except ToileError as error:
        raise ToileError(f"{key}: {error}") from None


def _check_body(source: BodySource) -> None:
    if source.named:
        choose("body", NAMED, source.named)
    if source.sex:
        check_measures(source.sex, source.age, source.measures)


def _check_garments(garments: tuple[GarmentSource, ...]) -> None:
    for number, source in enumerate(garments):
        named_as(f"garments[{number}]", _check_garment, source)


def _check_garment(source: GarmentSource) -> None:
    if source.draft:
        check_style(source.draft, source.style)


def _check_cloths(cloths: tuple[Cloth, ...]) -> None:
    for cloth in cloths:
        cloth_of(cloth)


def _check_motion(source: MotionSource) -> None:
    if source.named:
        choose("motion", MOTIONS, source.named)
        _try_settings(MOTIONS[source.named], source)


def _try_settings(motion: Callable[..., Any], source: MotionSource) -> None:
    """Refuse settings that a motion does not have; making one of ours takes a millisecond."""
    settings: Mapping[str, float] = source.settings
    try:
        motion(**settings)
    except TypeError:
        raise ToileError(f"{source.named} has no setting {', '.join(settings)}") from None
