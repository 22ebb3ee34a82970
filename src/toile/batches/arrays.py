"""What a data set keeps of a drape: meshes, pieces, cloth, strain, stress and distance to the skin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toile.body.model.skin import rest_pose
from toile.core.records import Body, Floats, Garment
from toile.geometry.triangles import strain, triangle_areas
from toile.sim.colliders.surface import SurfaceCollider, SurfaceSettings
from toile.store.record import Frame, RecordedFile

FAR = 0.1
"""distances to the skin beyond this are not measured [m]"""
MEANING = {
    "position": "draped vertices [m], (vertices, 3), y up, the body faces +z",
    "triangle": "of the draped mesh, (triangles, 3)",
    "uv": "flat points of the pieces [m], (uv, 2): the rest shape; seams are apart",
    "triangle_uv": "the same triangles by uv points, (triangles, 3)",
    "uv_vertex": "vertex of each uv point, (uv,)",
    "uv_panel": "piece of each uv point, (uv,): the segmentation",
    "seam_uv": "pairs of uv points that are sewn together, (pairs, 2)",
    "vertex_garment": "garment of each vertex, (vertices,)",
    "triangle_fabric": "fabric of each triangle, (triangles,)",
    "strain": "of each vertex: elongation along weft and warp, sine of the shear angle, (vertices, 3)",
    "stress": "of each vertex: weft, warp, shear [N/m], (vertices, 3)",
    "skin_distance": "of each vertex to the skin [m], negative inside, NaN beyond 0.1 m, (vertices,)",
    "body_position": "vertices of the body [m], (body vertices, 3)",
    "body_rest": "the same in the body's rest pose [m]",
    "joint": "world transforms of the body's joints, (joints, 4, 4)",
    "fit_size": "the size that fits the body best",
    "fit_slack": "room in the tightest girth of that size [m]; negative: too tight",
    "fit_girth": "the tightest girth",
}
"""column → what it holds; all are flat lists in row order"""


def arrays_of(recorded: RecordedFile, number: int = -1) -> dict[str, NDArray[Any]]:
    """Return the arrays of one frame of a recording, floats as float32."""
    garment, body = recorded.garment, recorded.body
    frame = recorded.frame(number % len(recorded))
    found: dict[str, NDArray[Any]] = {
        "position": frame.position,
        "triangle": garment.triangles,
        "uv": garment.uv,
        "triangle_uv": garment.triangles_uv,
        "uv_vertex": garment.uv_particle,
        "uv_panel": garment.uv_panel,
        "seam_uv": garment.seam_uv,
        "vertex_garment": garment.particle_garment,
        "triangle_fabric": garment.triangle_fabric,
        **cloth_arrays(garment, frame.position),
    }
    if body is not None:
        found |= _body_arrays(garment, body, frame)
    return {name: _small(values) for name, values in found.items()}


def _small(values: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(values, dtype=np.float32 if values.dtype.kind == "f" else np.int32)


def cloth_arrays(garment: Garment, position: Floats) -> dict[str, Floats]:
    """Return strain and stress of each vertex: means over the triangles round it, by their area."""
    stretched = strain(position, garment.triangles, garment.uv, garment.triangles_uv)
    stiffness = np.array([[f.stretch_weft, f.stretch_warp, f.shear] for f in garment.fabrics])
    pulled = stiffness[garment.triangle_fabric] * stretched
    area = triangle_areas(position, garment.triangles)
    return {"strain": _per_vertex(garment, area, stretched), "stress": _per_vertex(garment, area, pulled)}


def _per_vertex(garment: Garment, area: Floats, values: Floats) -> Floats:
    corner, count = garment.triangles.ravel(), garment.particle_count
    weight = np.repeat(area, 3)
    total = np.maximum(np.bincount(corner, weight, count), 1e-12)
    columns = [np.bincount(corner, weight * np.repeat(values[:, k], 3), count) / total for k in range(3)]
    return np.stack(columns, axis=1)


def _body_arrays(garment: Garment, body: Body, frame: Frame) -> dict[str, Floats]:
    skin = frame.body_vertices if len(frame.body_vertices) else body.vertices
    joints = frame.extra.get("world_from_joint", body.skeleton.world_from_joint)
    return {
        "skin_distance": skin_distance(body, skin, frame.position),
        "body_position": skin,
        "body_rest": body.vertices,
        "joint": np.asarray(joints),
    }


def skin_distance(body: Body, skin: Floats, position: Floats) -> Floats:
    """Return how far each vertex is outside the skin [m]; NaN: farther than FAR."""
    found = SurfaceCollider(body, SurfaceSettings(radius=FAR)).at(replace(rest_pose(body), vertices=skin))(
        position
    )
    distance = np.full(len(position), np.nan)
    # a point may touch more than one limb: the nearest counts
    order = np.argsort(-found.gap, kind="stable")
    distance[found.particle[order]] = found.gap[order]
    return distance
