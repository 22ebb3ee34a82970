"""Runs of DressJob and BodyJob."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toile.audit.check import Audit, audit_drape
from toile.audit.findings import findings
from toile.body.model.make import save_body
from toile.core.records import Recording
from toile.core.work import tell
from toile.jobs.describe import Inputs
from toile.jobs.provenance import Told, made_by_job
from toile.jobs.records import BodyJob, DressJob
from toile.jobs.result import Result
from toile.jobs.sources import Opened, Wardrobe, cloths, open_garments, open_source
from toile.sim.dress.dress import dress
from toile.store.record import save_recording

DRESSED, BODY = "dressed.toile", "body.toile"
"""names of results"""


@dataclass(frozen=True, eq=False, slots=True)
class Dressed:
    """A dressed body, and what is to be told about it."""

    recording: Recording
    body: Opened
    wardrobe: Wardrobe

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was assumed about the patterns, or done to them."""
        return (*self.wardrobe.notes, *self.recording.provenance.notes)


def dressed(job: DressJob, inputs: Inputs) -> Dressed:
    """Sew and drape."""
    opened = open_source(job.body, inputs)
    wardrobe = open_garments(job.garments, opened.body, inputs)
    recording = dress(
        wardrobe.garments, opened.body, fabric=cloths(job.fabric), edge_length=job.edge_length,
        mesh=job.mesh, progress=tell, **method_of(job),
    )  # fmt: skip
    made = Dressed(recording, opened, wardrobe)
    told = Told(doubts=opened.doubts, sizes=wardrobe.sizes, notes=made.notes)
    kept = replace(recording.provenance, **made_by_job(job, inputs, told=told).fields())
    return replace(made, recording=replace(recording, provenance=kept))


def method_of(job: DressJob) -> dict[str, Any]:
    """Return solver, collider and tuning as `dress` takes them."""
    return {"solver": job.solver, "collider": job.collider, "tune": job.tune}


def run_dress(job: DressJob, inputs: Inputs, folder: Path | None) -> Result:
    """Sew, drape, audit; the recording goes into the folder."""
    made = dressed(job, inputs)
    tell("checking", 0.0)
    audit = audit_drape(made.recording)
    if folder is not None:
        tell("writing", 0.0)
        save_recording(made.recording, folder / DRESSED)
    return Result(
        job=job,
        facts=dress_facts(made, audit),
        problems=audit.problems,
        notes=(*made.wardrobe.sizes, *made.body.doubts, *made.notes),
        files=() if folder is None else (DRESSED,),
        value=made.recording if folder is None else None,
    )


def dress_facts(made: Dressed, audit: Audit) -> dict[str, Any]:
    """Return what was found, as JSON."""
    garment = made.recording.garment
    return {
        "garments": list(garment.garment_names),
        "vertex_count": garment.particle_count,
        "triangle_count": len(garment.triangles),
        "fabrics": [fabric.name for fabric in garment.fabrics],
        "sizes": list(made.wardrobe.sizes),
        "measures": dict(made.body.body.measurements),
        "audit": findings(audit),
    }


def run_body(job: BodyJob, inputs: Inputs, folder: Path | None) -> Result:
    """Make a body; it goes into the folder."""
    opened = open_source(job.body, inputs)
    if folder is not None:
        save_body(opened.body, folder / BODY)
    return Result(
        job=job,
        facts=body_facts(opened),
        notes=opened.doubts,
        files=() if folder is None else (BODY,),
        value=opened if folder is None else None,
    )


def body_facts(opened: Opened) -> dict[str, Any]:
    """Return what was found, as JSON."""
    body, fit = opened.body, opened.fit
    facts: dict[str, Any] = {
        "name": body.name,
        "measures": dict(body.measurements),
        "vertex_count": len(body.vertices),
    }
    if fit is not None:
        facts["scan"] = {"summary": fit.summary(), "mean_error": fit.mean_error, "high_error": fit.high_error}
    return facts
