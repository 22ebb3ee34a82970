"""Alembic files (.abc): meshes whose points move, for Maya, Houdini, Blender, Unreal, Cinema 4D.

Needs the extra ``alembic`` (alembic3d). Frames are written as they come; topology and texture coordinates
once. Alembic lists the corners of a face clockwise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from toile.core.container import replacing_path
from toile.core.errors import ToileError
from toile.core.records import Floats, Garment, Ints
from toile.render.surface import SurfaceNormals
from toile.store.clip import Clip, clip_of, point_bytes, require_space
from toile.store.record import Frame, Replayable, source_of


def _modules(path: str | os.PathLike[str]) -> tuple[Any, Any]:
    try:
        import alembic3d
        import imath
    except ImportError as error:
        message = "Alembic needs the extra: pip install 'toile[alembic]'"
        raise ToileError(f"cannot write {path}: {message}") from error
    return alembic3d, imath


@dataclass(frozen=True, eq=False, slots=True)
class _Surface:
    """A mesh of the file before it has an object there."""

    name: str
    used: Ints | None
    """particles of the outfit; None: the body"""
    triangles: Ints
    uv: Floats | None
    """(u, 2)"""
    triangles_uv: Ints | None
    face_sets: dict[str, Ints]
    seam: Ints | None = None
    """1 + index of each point's seam, 0: none"""

    def points(self, frame: Frame) -> Floats:
        """Return its points in a frame [m]."""
        return frame.body_vertices if self.used is None else frame.position[self.used]


def _surfaces(clip: Clip) -> list[_Surface]:
    body, garment = clip.source.body, clip.source.garment
    found = []
    if body is not None:
        found.append(_Surface(_plain(body.name or "body"), None, body.triangles, None, None, {}))
    for index, name in enumerate(garment.garment_names):
        faces = np.flatnonzero(garment.particle_garment[garment.triangles[:, 0]] == index).astype(np.int32)
        if len(faces):
            found.append(_garment_surface(garment, name, faces))
    return found


def _garment_surface(garment: Garment, name: str, faces: Ints) -> _Surface:
    used, local = np.unique(garment.triangles[faces], return_inverse=True)
    points, corner = np.unique(garment.triangles_uv[faces], return_inverse=True)
    panel = garment.uv_panel[garment.triangles_uv[faces, 0]]
    sets = {
        _plain(garment.panel_names[p]): np.flatnonzero(panel == p).astype(np.int32) for p in np.unique(panel)
    }
    seam = np.zeros(garment.particle_count, dtype=np.int32)
    seam[garment.uv_particle[garment.seam_uv]] = garment.seam_id[:, None] + 1
    return _Surface(
        _plain(name), used, local.reshape(-1, 3).astype(np.int32), garment.uv[points],
        corner.reshape(-1, 3).astype(np.int32), sets, seam[used],
    )  # fmt: skip


def _plain(name: str) -> str:
    """Return a name without slashes, which separate objects."""
    return re.sub(r"[/\s]+", "_", name) or "unnamed"


class _Writer:
    """One mesh of the archive."""

    def __init__(self, modules: tuple[Any, Any], top: Any, sampling: Any, surface: _Surface) -> None:
        self._abc, self._imath = modules
        self._surface = surface
        self._normals = SurfaceNormals(surface.triangles, int(surface.triangles.max()) + 1)
        self._mesh = self._abc.AbcGeom.OPolyMesh(top, surface.name)
        self._schema = self._mesh.getSchema()
        self._schema.setTimeSampling(sampling)
        self._first = True

    def _vectors(self, values: Floats) -> Any:
        kind = self._imath.V3fArrayFromBuffer if values.shape[1] == 3 else self._imath.V2fArrayFromBuffer
        return kind(np.ascontiguousarray(values, dtype=np.float32))

    def _numbers(self, values: Ints) -> Any:
        return self._imath.IntArrayFromBuffer(np.ascontiguousarray(values, dtype=np.int32).reshape(-1))

    def add(self, frame: Frame, with_normals: bool) -> None:
        """Append one frame."""
        geom = self._abc.AbcGeom
        points = self._surface.points(frame)
        if self._first:
            sample = self._first_sample(points)
        else:
            sample = geom.OPolyMeshSchemaSample(self._vectors(points))
        if with_normals:
            normals = self._vectors(self._normals(points))
            sample.setNormals(geom.ON3fGeomParamSample(normals, geom.GeometryScope.kVertexScope))
        self._schema.set(sample)
        if self._first:
            self._add_face_sets()
            self._add_seams()
        self._first = False

    def _first_sample(self, points: Floats) -> Any:
        geom, surface = self._abc.AbcGeom, self._surface
        corners = self._numbers(surface.triangles[:, ::-1])
        counts = self._numbers(np.full(len(surface.triangles), 3, np.int32))
        sample = geom.OPolyMeshSchemaSample(self._vectors(points), corners, counts)
        if surface.uv is not None and surface.triangles_uv is not None:
            index = surface.triangles_uv[:, ::-1].astype(np.uint32)
            values = self._vectors(surface.uv)
            numbers = self._imath.UnsignedIntArray(index.size)
            for i, number in enumerate(index.reshape(-1).tolist()):
                numbers[i] = number
            sample.setUVs(geom.OV2fGeomParamSample(values, numbers, geom.GeometryScope.kFacevaryingScope))
        return sample

    def _add_seams(self) -> None:
        if self._surface.seam is None:
            return
        geom = self._abc.AbcGeom
        scope = geom.GeometryScope.kVertexScope
        param = geom.OInt32GeomParam(self._schema.getArbGeomParams(), "seam", False, scope, 1)
        param.set(geom.OInt32GeomParamSample(self._numbers(self._surface.seam), scope))

    def _add_face_sets(self) -> None:
        geom = self._abc.AbcGeom
        for name, faces in self._surface.face_sets.items():
            made = self._schema.createFaceSet(name).getSchema()
            made.set(geom.OFaceSetSchemaSample(self._numbers(faces)))


def _sampling(abc: Any, clip: Clip) -> Any:
    """Return when samples are taken; frame 1 is the first."""
    core = abc.AbcCoreAbstract
    steps = np.diff(clip.times)
    start = 1.0 / clip.fps
    if len(steps) == 0 or np.abs(steps * clip.fps - 1).max() < 1e-3:
        return core.TimeSampling(1.0 / clip.fps, start)
    times = core.TimeVector()
    times[:] = [float(t) + start for t in clip.times]
    return core.TimeSampling(core.TimeSamplingType(core.AcyclicFlag.kAcyclic), times)


def write_alembic(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frames: Sequence[int] | None = None,
    normals: bool = False,
) -> None:
    """Write a recording as Alembic (Ogawa). normals: store them for every frame (twice the size)."""
    modules = _modules(path)
    abc = modules[0]
    clip = clip_of(source_of(recording), frames)
    # the library ends the whole process when the disk is full
    require_space(path, point_bytes(clip, normals=normals))
    with replacing_path(path) as part:
        archive = abc.Abc.OArchive(os.fspath(part))
        sampling = _sampling(abc, clip)
        writers = [_Writer(modules, archive.getTop(), sampling, s) for s in _surfaces(clip)]
        for number in clip.numbers:
            frame = clip.source.frame(number)
            for writer in writers:
                writer.add(frame, normals)
        # the file is complete when its last object is let go
        del archive, writers, writer
