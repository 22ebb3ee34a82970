"""GLB files for the web and for 3D programs: body and garments with panel texture coordinates.

Texture coordinates are metres in the flat pieces (u across, v against the warp, as glTF counts v
downwards): a repeating swatch of one metre lies on the cloth as it would be cut.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, Ints
from toile.export.materials import Variants, add_variants, fabric_materials
from toile.io.glb import INDICES, VERTICES, GlbBuilder
from toile.render.picture import SKIN
from toile.render.surface import vertex_normals
from toile.store.record import Replayable, Source, source_of


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """One garment of an outfit as a file stores it: points split at seams, triangles by fabric."""

    name: str
    particle: Ints
    """particle of the outfit that carries each point, (p,)"""
    uv: Floats
    """[m], (p, 2)"""
    panel: Ints
    """index into the outfit's panel_names, (p,)"""
    seam: Ints
    """1 + index into seam_names of a point on a seam, else 0, (p,)"""
    triangles: Ints
    """(t, 3)"""
    fabric: Ints
    """(t,)"""


def garment_parts(garment: Garment) -> list[Part]:
    """Return the garments of an outfit, each with its own points."""
    seam = np.zeros(len(garment.uv), dtype=np.int32)
    seam[garment.seam_uv] = garment.seam_id[:, None] + 1
    owner = garment.particle_garment[garment.uv_particle]
    parts = []
    for index, name in enumerate(garment.garment_names):
        chosen = np.flatnonzero(owner == index)
        local = np.zeros(len(garment.uv), dtype=np.int32)
        local[chosen] = np.arange(len(chosen))
        mine = owner[garment.triangles_uv[:, 0]] == index
        parts.append(
            Part(
                name=name,
                particle=garment.uv_particle[chosen],
                uv=garment.uv[chosen],
                panel=garment.uv_panel[chosen],
                seam=seam[chosen],
                triangles=local[garment.triangles_uv[mine]],
                fabric=garment.triangle_fabric[mine],
            )
        )
    return [p for p in parts if len(p.triangles)]


def skin_material(glb: GlbBuilder) -> int:
    """Add the mannequin's material."""
    pbr = {"baseColorFactor": [*SKIN, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6}
    return glb.add("materials", name="skin", pbrMetallicRoughness=pbr)


def _indices(triangles: Ints, count: int) -> np.ndarray:
    return triangles.reshape(-1).astype(np.uint16 if count < 65535 else np.uint32)


def body_primitive(glb: GlbBuilder, body: Body, vertices: Floats) -> dict[str, object]:
    """Add the body's arrays; return its primitive."""
    normals = vertex_normals(vertices, body.triangles)
    return {
        "attributes": {
            "POSITION": glb.array(vertices.astype(np.float32), VERTICES, bounds=True),
            "NORMAL": glb.array(_unit32(normals), VERTICES),
        },
        "indices": glb.array(_indices(body.triangles, len(vertices)), INDICES),
        "material": skin_material(glb),
    }


def part_primitives(
    glb: GlbBuilder,
    part: Part,
    points: Floats,
    normals: Floats,
    materials: Sequence[int],
    mappings: Sequence[list[dict[str, object]]] = (),
) -> list[dict[str, object]]:
    """Add a garment's arrays with these points and normals, (p, 3); return one primitive per fabric.

    mappings: of colourings to materials, for each fabric; see `materials.add_variants`.
    """
    attributes = {
        "POSITION": glb.array(points.astype(np.float32), VERTICES, bounds=True),
        "NORMAL": glb.array(_unit32(normals), VERTICES),
        "TEXCOORD_0": glb.array((part.uv * [1.0, -1.0]).astype(np.float32), VERTICES),
        "_PANEL": glb.array(part.panel.astype(np.uint16), VERTICES),
        "_SEAM": glb.array(part.seam.astype(np.uint16), VERTICES),
    }
    return [
        {
            "attributes": attributes,
            "indices": glb.array(_indices(part.triangles[part.fabric == f], len(part.particle)), INDICES),
            "material": materials[f],
            **({"extensions": {"KHR_materials_variants": {"mappings": mappings[f]}}} if mappings else {}),
        }
        for f in np.unique(part.fabric)
    ]


def _unit32(normals: Floats) -> np.ndarray:
    short = normals.astype(np.float32)
    short /= np.linalg.norm(short, axis=1, keepdims=True)
    return short


def part_extras(garment: Garment) -> dict[str, object]:
    """Return the names behind _PANEL and _SEAM (which counts from 1)."""
    return {"panels": list(garment.panel_names), "seams": list(garment.seam_names)}


def still_glb(source: Source, number: int, *, variants: Variants | None = None) -> GlbBuilder:
    """Return one frame as a glTF document; variants: colours to choose from, see `write_glb`."""
    glb = GlbBuilder()
    frame = source.frame(number)
    if source.body is not None:
        mesh = glb.add(
            "meshes", name="body", primitives=[body_primitive(glb, source.body, frame.body_vertices)]
        )
        glb.root(glb.add("nodes", name=source.body.name or "body", mesh=mesh))
    garment = source.garment
    materials = fabric_materials(glb, garment)
    mappings = add_variants(glb, garment, variants) if variants else []
    normals = vertex_normals(frame.position, garment.triangles)
    for part in garment_parts(garment):
        seen = frame.position[part.particle], normals[part.particle]
        primitives = part_primitives(glb, part, *seen, materials, mappings)
        mesh = glb.add("meshes", name=part.name, primitives=primitives, extras=part_extras(garment))
        glb.root(glb.add("nodes", name=part.name, mesh=mesh))
    return glb


def write_still_glb(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frame: int = -1,
    variants: Variants | None = None,
) -> None:
    """Write one frame of a recording (the last by default) as a GLB file; variants: see `write_glb`."""
    source = source_of(recording)
    if len(source) == 0:
        raise ToileError(f"cannot write {path}: the recording has no frames")
    still_glb(source, frame % len(source), variants=variants).write(path)
