"""Recordings made elsewhere: cloth animated in another program comes back through a USD file.

The garment (and body) must be the ones that were exported: the meshes are found by name, else by their
number of points. Only the file itself is opened, never one that it refers to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from toile.core.container import replacing_path
from toile.core.errors import ToileError
from toile.core.provenance import Provenance
from toile.core.records import Body, Floats, Garment, Ints
from toile.io.usd import axes_of, open_stage, prim_name
from toile.store.record import Frame, RecordWriter, given

LIMIT_FRAMES = 200_000


@dataclass(frozen=True, eq=False, slots=True)
class _Target:
    """A mesh of the file and the points that it moves."""

    mesh: Any
    particles: Ints | None
    """None: the body's vertices"""


def _meshes(stage: Any) -> dict[str, tuple[Any, int]]:
    """Return the meshes by the names of themselves and their parents, with their number of points."""
    from pxr import Usd, UsdGeom

    found: dict[str, tuple[Any, int]] = {}
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Mesh):
            continue
        mesh = UsdGeom.Mesh(prim)
        points = mesh.GetPointsAttr().Get(Usd.TimeCode.EarliestTime())
        if points is not None:
            for name in (prim.GetParent().GetName(), prim.GetName()):
                found.setdefault(name, (mesh, len(points)))
    return found


def _find(meshes: dict[str, tuple[Any, int]], name: str, count: int, path: object) -> Any:
    """Return the mesh of that name, or the only one with that number of points."""
    named = meshes.get(prim_name(name, set()))
    if named is not None and named[1] == count:
        return named[0]
    same = {id(mesh): mesh for mesh, points in meshes.values() if points == count}
    by_path = {str(m.GetPath()): m for m in same.values()}
    if len(by_path) != 1:
        have = ", ".join(f"{n} ({c})" for n, (_, c) in list(meshes.items())[:8]) or "none"
        raise ToileError(f"{path}: no mesh for '{name}' with {count} points; meshes found: {have}")
    return next(iter(by_path.values()))


def _targets(stage: Any, garment: Garment, body: Body | None, path: object) -> list[_Target]:
    meshes = _meshes(stage)
    targets = []
    owner = garment.particle_garment[garment.triangles[:, 0]]
    for index, name in enumerate(garment.garment_names):
        used = np.unique(garment.triangles[owner == index])
        if len(used):
            targets.append(_Target(_find(meshes, name, len(used), path), used))
    if body is not None:
        targets.append(_Target(_find(meshes, body.name or "body", len(body.vertices), path), None))
    return targets


def _world_points(target: _Target, time: Any, rotation: Floats) -> Floats:
    """Return a mesh's points in our world [m] at a time."""
    from pxr import UsdGeom

    points = np.array(target.mesh.GetPointsAttr().Get(time), dtype=np.float64).reshape(-1, 3)
    matrix = np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(target.mesh.GetPrim()))
    world: Floats = (points @ matrix[:3, :3] + matrix[3, :3]) @ rotation.T
    return world


def usd_frames(path: str | os.PathLike[str], garment: Garment, body: Body | None = None) -> Iterator[Frame]:
    """Yield the frames of a USD file as positions of that garment's particles (and that body's vertices)."""
    stage = open_stage(path)
    from pxr import Usd

    rotation = axes_of(stage).ours_from_file
    targets = _targets(stage, garment, body, path)
    times = sorted({t for target in targets for t in target.mesh.GetPointsAttr().GetTimeSamples()})
    if len(times) > LIMIT_FRAMES:
        raise ToileError(f"{path}: {len(times)} frames are more than the {LIMIT_FRAMES} allowed")
    rate = float(stage.GetTimeCodesPerSecond()) or 24.0
    for time in times or [0.0]:
        position = np.zeros((garment.particle_count, 3))
        skin = np.zeros((0, 3))
        for target in targets:
            points = _world_points(target, Usd.TimeCode(time) if times else Usd.TimeCode.Default(), rotation)
            if len(points) != (len(target.particles) if target.particles is not None else len(points)):
                raise ToileError(f"{path}: {target.mesh.GetPath()} changes its number of points at {time}")
            if target.particles is None:
                skin = points
            else:
                position[target.particles] = points
        if not (np.isfinite(position).all() and np.isfinite(skin).all()):
            raise ToileError(f"{path}: points at time {time} are not finite")
        yield Frame((time - (times[0] if times else 0.0)) / rate, position, given(skin), {})


def import_usd(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    garment: Garment,
    body: Body | None = None,
    provenance: Provenance | None = None,
) -> int:
    """Write a USD file's frames as a recording of that garment and body; return the number of frames."""
    made = replace(provenance or Provenance(), imported_from=os.path.basename(path))
    with replacing_path(out) as part, RecordWriter.create(part, garment, body, made) as writer:
        for frame in usd_frames(path, garment, body):
            writer.append(frame.time, frame.position, frame.body_vertices)
        return writer.frame_count
