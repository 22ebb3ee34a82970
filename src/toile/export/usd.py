"""USD files (.usd, .usdc, .usda, .usdz): time-sampled points, for Blender, Houdini, Omniverse, Maya, 3ds Max.

Needs the extra ``usd`` (usd-core). One mesh per garment with panel texture coordinates (metres), a face
set per panel, materials per fabric, and the seams as a primvar; the body as a point-animated mesh.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from toile.core.container import replacing_path
from toile.core.errors import ToileError
from toile.core.records import Body, Bools, Floats, Garment, Ints
from toile.io.usd import prim_name
from toile.render.picture import SKIN
from toile.render.surface import SurfaceNormals
from toile.store.clip import Clip, clip_of, point_bytes, require_space
from toile.store.record import Frame, Replayable, source_of

SAVE_EVERY = 32
"""frames after which the file is brought up to date, so that memory does not grow with their number"""


def _pxr(path: str | os.PathLike[str]) -> Any:
    try:
        from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdShade, Vt
    except ImportError as error:
        raise ToileError(f"cannot write {path}: USD needs the extra: pip install 'toile[usd]'") from error
    return type("pxr", (), {m.__name__.split(".")[-1]: m for m in (Gf, Sdf, Tf, Usd, UsdGeom, UsdShade, Vt)})


@dataclass(frozen=True, eq=False, slots=True)
class _Moving:
    """A mesh prim whose points are set frame by frame."""

    mesh: Any
    used: Ints | None
    """particles of the outfit that it shows; None: the body's vertices"""
    normals: SurfaceNormals

    def points(self, frame: Frame) -> Floats:
        """Return its points in a frame."""
        return frame.body_vertices if self.used is None else frame.position[self.used]


class _Scene:
    """A stage under construction."""

    def __init__(self, pxr: Any, file: Path, clip: Clip) -> None:
        self.pxr = pxr
        self.stage = pxr.Usd.Stage.CreateNew(os.fspath(file))
        axes = clip.axes
        self.stage.SetMetadata("comment", f"made by toile; {axes.up.lower()} up, {axes.metres:g} m a unit")
        pxr.UsdGeom.SetStageUpAxis(self.stage, axes.up)
        pxr.UsdGeom.SetStageMetersPerUnit(self.stage, axes.metres)
        self.stage.SetTimeCodesPerSecond(clip.fps)
        self.stage.SetFramesPerSecond(clip.fps)
        self.stage.SetStartTimeCode(axes.first)
        self.stage.SetEndTimeCode(axes.first + float(clip.times[-1]) * clip.fps)
        self.root = pxr.UsdGeom.Xform.Define(self.stage, "/look")
        self.stage.SetDefaultPrim(self.root.GetPrim())
        pxr.Usd.ModelAPI(self.root).SetKind("component")
        self.taken: set[str] = {"materials"}

    def material(self, name: str, colour: Sequence[float], roughness: float) -> Any:
        """Add a preview material of that linear colour."""
        pxr = self.pxr
        path = f"/look/materials/{name}"
        material = pxr.UsdShade.Material.Define(self.stage, path)
        shader = pxr.UsdShade.Shader.Define(self.stage, f"{path}/surface")
        shader.CreateIdAttr("UsdPreviewSurface")
        kinds = pxr.Sdf.ValueTypeNames
        shader.CreateInput("diffuseColor", kinds.Color3f).Set(pxr.Gf.Vec3f(*map(float, colour)))
        shader.CreateInput("roughness", kinds.Float).Set(roughness)
        shader.CreateInput("metallic", kinds.Float).Set(0.0)
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        return material

    def mesh(self, name: str, triangles: Ints, *, double_sided: bool) -> Any:
        """Add a mesh of triangles without points."""
        pxr = self.pxr
        mesh = pxr.UsdGeom.Mesh.Define(self.stage, f"/look/{prim_name(name, self.taken)}")
        mesh.CreateSubdivisionSchemeAttr(pxr.UsdGeom.Tokens.none)
        mesh.CreateFaceVertexCountsAttr(pxr.Vt.IntArray.FromNumpy(np.full(len(triangles), 3, np.int32)))
        flat = np.ascontiguousarray(triangles, dtype=np.int32).reshape(-1)
        mesh.CreateFaceVertexIndicesAttr(pxr.Vt.IntArray.FromNumpy(flat))
        mesh.CreateDoubleSidedAttr(double_sided)
        mesh.SetNormalsInterpolation(pxr.UsdGeom.Tokens.vertex)
        return mesh

    def bind(self, prim: Any, material: Any) -> None:
        """Give a prim its material."""
        self.pxr.UsdShade.MaterialBindingAPI.Apply(prim).Bind(material)


def _body(scene: _Scene, body: Body) -> _Moving:
    mesh = scene.mesh(body.name or "body", body.triangles, double_sided=False)
    scene.bind(mesh.GetPrim(), scene.material("skin", SKIN, 0.6))
    return _Moving(mesh, None, SurfaceNormals(body.triangles, len(body.vertices)))


def _where(chosen: Bools) -> Ints:
    return np.flatnonzero(chosen).astype(np.int32)


def _garments(scene: _Scene, garment: Garment) -> list[_Moving]:
    taken: set[str] = {"skin"}
    materials = [scene.material(prim_name(f.name, taken), f.colour, 0.9) for f in garment.fabrics]
    owner = garment.particle_garment[garment.triangles[:, 0]] if len(garment.triangles) else np.zeros(0)
    parts = []
    for index, name in enumerate(garment.garment_names):
        faces = _where(owner == index)
        if len(faces):
            parts.append(_garment(scene, garment, name, faces, materials))
    return parts


def _garment(scene: _Scene, garment: Garment, name: str, faces: Ints, materials: list[Any]) -> _Moving:
    used, local = np.unique(garment.triangles[faces], return_inverse=True)
    triangles = local.reshape(-1, 3).astype(np.int32)
    mesh = scene.mesh(name, triangles, double_sided=True)
    _texture_and_seams(scene, mesh, garment, faces, used)
    _face_sets(scene, mesh, garment, faces, materials)
    return _Moving(mesh, used, SurfaceNormals(triangles, len(used)))


def _texture_and_seams(scene: _Scene, mesh: Any, garment: Garment, faces: Ints, used: Ints) -> None:
    """Add texture coordinates per face corner and the seam of each point (0: none) as primvars."""
    pxr = scene.pxr
    api, kinds = pxr.UsdGeom.PrimvarsAPI(mesh), pxr.Sdf.ValueTypeNames
    points, index = np.unique(garment.triangles_uv[faces], return_inverse=True)
    st = api.CreatePrimvar("st", kinds.TexCoord2fArray, pxr.UsdGeom.Tokens.faceVarying)
    st.Set(pxr.Vt.Vec2fArray.FromNumpy(garment.uv[points].astype(np.float32)))
    st.SetIndices(pxr.Vt.IntArray.FromNumpy(index.reshape(-1).astype(np.int32)))
    seam = np.zeros(garment.particle_count, dtype=np.int32)
    seam[garment.uv_particle[garment.seam_uv]] = garment.seam_id[:, None] + 1
    primvar = api.CreatePrimvar("seam", kinds.IntArray, pxr.UsdGeom.Tokens.vertex)
    primvar.Set(pxr.Vt.IntArray.FromNumpy(np.ascontiguousarray(seam[used])))
    mesh.GetPrim().SetCustomDataByKey("toile:seams", pxr.Vt.StringArray(list(garment.seam_names)))
    mesh.GetPrim().SetCustomDataByKey("toile:panels", pxr.Vt.StringArray(list(garment.panel_names)))


def _face_sets(scene: _Scene, mesh: Any, garment: Garment, faces: Ints, materials: list[Any]) -> None:
    """Add a face set per panel, and one per fabric that carries the material."""
    pxr = scene.pxr
    panel = garment.uv_panel[garment.triangles_uv[faces, 0]]
    fabric = garment.triangle_fabric[faces]
    taken: set[str] = set()

    def subset(name: str, chosen: Ints, family: str) -> Any:
        return pxr.UsdGeom.Subset.CreateGeomSubset(
            mesh, prim_name(name, taken), pxr.UsdGeom.Tokens.face,
            pxr.Vt.IntArray.FromNumpy(chosen), family, pxr.UsdGeom.Tokens.partition,
        )  # fmt: skip

    for index in np.unique(fabric):
        part = subset(garment.fabrics[index].name, _where(fabric == index), "materialBind")
        scene.bind(part.GetPrim(), materials[index])
    for index in np.unique(panel):
        subset(garment.panel_names[index], _where(panel == index), "panel")


def _write_frame(scene: _Scene, moving: _Moving, frame: Frame, time: Any, normals: bool) -> None:
    vt = scene.pxr.Vt
    points = moving.points(frame)
    low_high = np.stack([points.min(axis=0), points.max(axis=0)]).astype(np.float32)
    moving.mesh.GetPointsAttr().Set(vt.Vec3fArray.FromNumpy(points.astype(np.float32)), time)
    moving.mesh.GetExtentAttr().Set(vt.Vec3fArray.FromNumpy(low_high), time)
    if normals:
        found = moving.normals(points).astype(np.float32)
        moving.mesh.GetNormalsAttr().Set(vt.Vec3fArray.FromNumpy(found), time)


def _write_stage(pxr: Any, file: Path, clip: Clip, normals: bool) -> None:
    scene = _Scene(pxr, file, clip)
    source = clip.source
    parts = [] if source.body is None else [_body(scene, source.body)]
    parts += _garments(scene, source.garment)
    still, first = len(clip.numbers) == 1, clip.axes.first
    for count, (number, time) in enumerate(zip(clip.numbers, clip.times, strict=True), start=1):
        frame = source.frame(number)
        code = pxr.Usd.TimeCode.Default() if still else pxr.Usd.TimeCode(first + round(time * clip.fps, 6))
        for moving in parts:
            _write_frame(scene, moving, frame, code, normals)
        if count % SAVE_EVERY == 0:
            scene.stage.GetRootLayer().Save()
    scene.stage.GetRootLayer().Save()


def write_usd(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frames: Sequence[int] | None = None,
    normals: bool = True,
) -> None:
    """Write a recording as USD; frame 1 is the first, or that of the file an avatar came from.

    normals: store them for every frame too.
    """
    pxr = _pxr(path)
    clip = clip_of(source_of(recording), frames)
    require_space(path, point_bytes(clip, normals=normals))
    try:
        _write_whole(pxr, path, clip, normals)
    except pxr.Tf.ErrorException as error:
        quoted = re.findall(r"'([^']+)'\s*$", str(error), flags=re.MULTILINE)
        raise ToileError(f"cannot write {path}: {quoted[0] if quoted else 'USD failed'}") from error


def _write_whole(pxr: Any, path: str | os.PathLike[str], clip: Clip, normals: bool) -> None:
    with replacing_path(path) as part:
        if part.suffix.lower() != ".usdz":
            _write_stage(pxr, part, clip, normals)
            return
        # a package: the scene is written in binary first, then wrapped
        with tempfile.TemporaryDirectory(dir=part.parent, prefix=".toile") as folder:
            inner = Path(folder) / "look.usdc"
            _write_stage(pxr, inner, clip, normals)
            _package(inner, part, path)


def _package(inner: Path, part: Path, path: str | os.PathLike[str]) -> None:
    """Write a USDZ package of one layer: a ZIP that stores it as it is, from a multiple of 64 bytes on.

    Copied piece by piece: the library's own function holds the whole layer in memory.
    """
    size = inner.stat().st_size
    if size > zipfile.ZIP64_LIMIT:
        raise ToileError(f"cannot write {path}: packages end at 2 GB: write .usdc instead")
    entry = zipfile.ZipInfo(inner.name)
    entry.file_size = size
    # local header, name, and an extra field (id, length, zeros) that fills up to the next multiple
    spare = -(30 + len(inner.name) + 4) % 64
    entry.extra = struct.pack("<HH", 0x1986, spare) + bytes(spare)
    with (
        zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as package,
        package.open(entry, "w") as target,
        inner.open("rb") as layer,
    ):
        shutil.copyfileobj(layer, target, 1 << 20)
