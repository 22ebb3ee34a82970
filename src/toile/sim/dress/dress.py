"""Patterns and a body → a dressed body: the whole chain in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

import toile
from toile.body.model.skin import rest_pose
from toile.core import defaults
from toile.core.bar import Heard, heard
from toile.core.records import Body, Fabric, Floats, Garment, Ints, Pattern, Recording
from toile.fit.tuck import tuck_in
from toile.garment.build import build
from toile.garment.elastic import with_elastic_bands
from toile.garment.fabric import Fabrics, fabric_of_each
from toile.garment.from_mesh import MeshGarment
from toile.garment.outfit import join, layered
from toile.garment.place.dressing_order import sewing_groups
from toile.garment.place.place import place
from toile.sim.colliders.hand_proxy import with_hulls
from toile.sim.dress.open_seams import OpenSeam
from toile.sim.dress.settle import sew_with
from toile.sim.dress.sew import Progress, Sewn, SewSettings, silent
from toile.sim.method import COLLIDER, SOLVER, Method, make_method
from toile.sim.solvers.xpbd import XpbdSettings


def dress(
    patterns: Pattern | MeshGarment | Sequence[Pattern | MeshGarment],
    body: Body,
    *,
    fabric: Fabrics = defaults.FABRIC,
    edge_length: float = defaults.EDGE_LENGTH,
    settings: SewSettings | None = None,
    engine: XpbdSettings | None = None,
    solver: str = SOLVER,
    collider: str = COLLIDER,
    tune: Mapping[str, Any] | None = None,
    mesh: str = defaults.MESH,
    progress: Heard | bool = True,
) -> Recording:
    """Return the body in its rest pose, wearing the garments, as a recording of the last two frames.

    One pattern or several, or meshes that come in place (`read_garment`), are worn in their order: a later
    one lies over the earlier ones. edge_length [m] is the mesh's target; fabric is one for all or one for
    each pattern. solver and collider name another method
    to drape with, tune its settings by name (docs/papers.md); mesh is "triangles" or "grid". Progress is
    shown in terminals and notebooks; False turns it off, a function (what, share done) is told instead.
    """
    patterns = _worn("dress", patterns, body)
    method = make_method(solver, collider, tune, engine)
    with heard(progress) as told:
        return _dress(patterns, body, fabric, edge_length, settings, method, mesh, told)


def check_kind(function: str, argument: str, value: object, kinds: tuple[type, ...], advice: str) -> None:
    """Raise a TypeError that names the argument and says what to give instead."""
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{function}: {argument} is a {type(value).__name__}, wanted a {wanted}: {advice}")


def _worn(function: str, patterns: Any, body: object) -> Sequence[Pattern | MeshGarment]:
    """Return what is worn as a list; whatever is no garment or no body is named."""
    check_kind(function, "body", body, (Body,), 'such as toile.named_body("woman")')
    if isinstance(patterns, Pattern | MeshGarment):
        return (patterns,)
    advice = 'such as toile.draft("skirt", body.measurements) or toile.read_pattern("skirt.txt")'
    if isinstance(patterns, str | bytes) or not isinstance(patterns, Sequence):
        check_kind(function, "patterns", patterns, (Pattern,), advice)
    for k, one in enumerate(patterns):
        check_kind(function, f"patterns[{k}]", one, (Pattern, MeshGarment), advice)
    return list(patterns)


def _dress(
    patterns: Sequence[Pattern | MeshGarment],
    body: Body,
    fabric: Fabrics,
    edge_length: float,
    settings: SewSettings | None,
    method: Method,
    mesh: str,
    progress: Progress,
) -> Recording:
    fabrics = fabric_of_each(fabric, len(patterns))
    progress("cutting", 0.0)
    items = list(zip(patterns, fabrics, strict=True))
    flat = [(item, chosen) for item, chosen in items if not isinstance(item, MeshGarment)]
    cut, notes = cut_out(flat, body, edge_length, mesh)
    left = iter(cut)
    garments = [
        item.made_of(chosen) if isinstance(item, MeshGarment) else next(left) for item, chosen in items
    ]
    recording = dress_garments(garments, body, settings=settings, method=method, progress=progress)
    return replace(recording, provenance=replace(recording.provenance, notes=tuple(notes)))


def cut_out(
    patterns: Sequence[tuple[Pattern, str | Fabric]],
    body: Body,
    edge_length: float,
    mesh: str = defaults.MESH,
) -> tuple[list[Garment], list[str]]:
    """Return patterns, inner first, each of its fabric, cut for this body, and notes on what that took.

    What is tucked in is taken in, short waistbands become elastic.
    """
    garments = []
    tucked, notes = tuck_in([pattern for pattern, _ in patterns], body)
    for pattern, (_, fabric) in zip(tucked, patterns, strict=True):
        fitted, note = with_elastic_bands(pattern, body)
        garments.append(build(fitted, fabric, edge_length, mesh=mesh))
        notes += [note] if note else []
    return garments, notes


def dress_garments(
    garments: Sequence[Garment | MeshGarment],
    body: Body,
    *,
    settings: SewSettings | None = None,
    method: Method | None = None,
    progress: Progress = silent,
) -> Recording:
    """Return the body wearing garments that are built but not sewn (see dress)."""
    settings, method = settings or SewSettings(), method or Method()
    *first, last = sewing_groups(garments, body)
    sewing = Method(solver_settings=method.sewing_settings)
    worn: MeshGarment | None = None
    left_open: tuple[OpenSeam, ...] = ()
    for group in first:
        sewn = _put_on(group, body, worn, sewing, settings, progress)
        worn, left_open = MeshGarment(sewn.garment, sewn.state.position), (*left_open, *sewn.open_seams)
    sewn = _put_on(last, body, worn, method, settings, progress)
    recording = still_recording(sewn, body, settings, method)
    left_open = (*left_open, *sewn.open_seams)
    if not left_open:
        return recording
    told = replace(recording.provenance, left_open=tuple(str(one) for one in left_open))
    return replace(recording, provenance=told)


def _put_on(
    garments: Sequence[Garment | MeshGarment],
    body: Body,
    worn: MeshGarment | None,
    method: Method,
    settings: SewSettings,
    progress: Progress,
) -> Sewn:
    """Return these garments sewn over what is worn already, all together at rest."""
    body = with_hulls(body) if method.is_default else body
    outfit, start = place_outfit(garments, body, worn)
    if worn is None:
        return sew_with(method, outfit, start, rest_pose(body), settings=settings, progress=progress)
    # All start clear of each other, so each side of the cloth is the right one. The order of the layers would
    # push them out of what is worn along its normals, and in a fold that has tipped over these point inward.
    together = replace(outfit, garment_layer=np.zeros_like(outfit.garment_layer))
    sewn = sew_with(
        method, together, start, rest_pose(body),
        settings=settings, progress=progress, order=outfit.garment_layer, **_kept(worn),
    )  # fmt: skip
    return replace(sewn, garment=replace(sewn.garment, garment_layer=outfit.garment_layer))


def place_outfit(
    garments: Sequence[Garment | MeshGarment], body: Body, worn: MeshGarment | None = None
) -> tuple[Garment, Floats]:
    """Return all garments as one and where its particles start round the body [m], (n, 3).

    What is worn already comes first and stays where it is, the others start round it.
    """
    starts = [g.position if isinstance(g, MeshGarment) else place(g, body, worn) for g in garments]
    built = [g.garment if isinstance(g, MeshGarment) else g for g in garments]
    if worn is None:
        return layered(join(built)), np.concatenate(starts)
    above = int(worn.garment.garment_layer.max(initial=0)) + 1
    outer = layered(join(built))
    outer = replace(outer, garment_layer=outer.garment_layer + above)
    return join([worn.garment, outer]), np.concatenate([worn.position, *starts])


def _kept(worn: MeshGarment) -> dict[str, Ints]:
    """Return what is worn already and what of it is held, while other garments are sewn over it."""
    return {
        "fixed": worn.garment.hold_particle,
        "worn": np.arange(worn.garment.particle_count, dtype=np.int32),
    }


def still_recording(sewn: Sewn, body: Body, settings: SewSettings, method: Method) -> Recording:
    """Return the last two frames of a drape: enough to see whether it rests."""
    frame = 1 / settings.fps
    return Recording(
        garment=sewn.garment,
        body=body,
        times=np.array([sewn.state.time - frame, sewn.state.time]),
        positions=np.stack([sewn.previous, sewn.state.position]),
        body_vertices=np.stack([body.vertices, body.vertices]),
        provenance=replace(method.provenance(), toile=toile.__version__, sew=asdict(settings)),
    )
