"""Patterns and a body → a dressed body: the whole chain in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

import toile
from toile.body.skin import rest_pose
from toile.cloth.xpbd import XpbdSettings
from toile.garment.build import build
from toile.garment.elastic import with_elastic_bands
from toile.garment.from_mesh import Worn
from toile.garment.outfit import join, layered
from toile.garment.place import place
from toile.run.method import COLLIDER, SOLVER, Method, make_method
from toile.run.settle import sew_with
from toile.run.sew import Progress, Sewn, SewSettings, silent
from toile.types import Body, Fabric, Floats, Garment, Pattern, Recording


def dress(
    patterns: Sequence[Pattern | Worn],
    body: Body,
    *,
    fabric: str | Fabric | Sequence[str | Fabric] = "cotton",
    edge_length: float = 0.015,
    settings: SewSettings | None = None,
    engine: XpbdSettings | None = None,
    solver: str = SOLVER,
    collider: str = COLLIDER,
    tune: Mapping[str, Any] | None = None,
    mesh: str = "triangles",
    progress: Progress = silent,
) -> Recording:
    """Return the body in its rest pose, wearing the garments, as a recording of the last two frames.

    Patterns, or meshes that come in place (`read_garment`), are worn in their order: a later one lies over
    the earlier ones. edge_length [m] is the
    mesh's target; fabric is one for all or one for each pattern. solver and collider name another method
    to drape with, tune its settings by name (docs/papers.md); mesh is "triangles" or "grid".
    """
    method = make_method(solver, collider, tune, engine)
    progress("cutting", 0.0)
    fabrics = [fabric] * len(patterns) if isinstance(fabric, str | Fabric) else list(fabric)
    garments: list[Garment | Worn] = []
    notes: list[str] = []
    for item, chosen in zip(patterns, fabrics, strict=True):
        if isinstance(item, Worn):
            garments.append(item.made_of(chosen))
            continue
        fitted, note = with_elastic_bands(item, body)
        garments.append(build(fitted, chosen, edge_length, mesh=mesh))
        notes += [note] if note else []
    recording = dress_garments(garments, body, settings=settings, method=method, progress=progress)
    return replace(recording, settings={**recording.settings, "notes": notes})


def dress_garments(
    garments: Sequence[Garment | Worn],
    body: Body,
    *,
    settings: SewSettings | None = None,
    method: Method | None = None,
    progress: Progress = silent,
) -> Recording:
    """Return the body wearing garments that are built but not sewn (see dress)."""
    settings, method = settings or SewSettings(), method or Method()
    outfit, start = place_outfit(garments, body)
    sewn = sew_with(method, outfit, start, rest_pose(body), settings=settings, progress=progress)
    return still_recording(sewn, body, settings, method)


def place_outfit(garments: Sequence[Garment | Worn], body: Body) -> tuple[Garment, Floats]:
    """Return all garments as one and where its particles start round the body [m], (n, 3)."""
    starts = [g.position if isinstance(g, Worn) else place(g, body) for g in garments]
    built = [g.garment if isinstance(g, Worn) else g for g in garments]
    return layered(join(built)), np.concatenate(starts)


def still_recording(sewn: Sewn, body: Body, settings: SewSettings, method: Method) -> Recording:
    """Return the last two frames of a drape: enough to see whether it rests."""
    frame = 1 / settings.fps
    return Recording(
        garment=sewn.garment,
        body=body,
        times=np.array([sewn.state.time - frame, sewn.state.time]),
        positions=np.stack([sewn.previous, sewn.state.position]),
        body_vertices=np.stack([body.vertices, body.vertices]),
        settings={"toile": toile.__version__, "sew": asdict(settings), **method.chosen()},
    )
