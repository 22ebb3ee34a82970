"""Pictures for machines to learn from: colour, distance, normals and what each pixel shows, pixel by pixel.

All four layers of a view come from the same rasteriser and the same camera, so they agree to the pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, Ints
from toile.geometry.raster import rasterise
from toile.render.camera import Camera, frame_views
from toile.render.image import as_bytes
from toile.render.picture import LitScene, Studio, frame_meshes, light_scene, render
from toile.store.record import Frame

NOTHING, BODY, FIRST_PANEL = 0, 1, 2
"""labels: background, skin, and the garment's panels in their order from here on"""
DEPTH_UNIT = 0.0001
"""of a depth picture's values [m]"""
STUDIO = Studio(samples=2, sky_count=24, key_count=8)
"""light that is quick to compute"""


@dataclass(frozen=True, eq=False, slots=True)
class Layers:
    """What one camera sees."""

    colour: NDArray[np.uint8]
    """sRGB, (h, w, 3)"""
    depth: NDArray[np.float64]
    """distance along the line of sight [m], 0 where there is nothing, (h, w)"""
    normal: NDArray[np.float64]
    """unit, in the camera's axes (right, up, backward), 0 where there is nothing, (h, w, 3)"""
    label: NDArray[np.uint8]
    """NOTHING, BODY or FIRST_PANEL + panel, (h, w)"""
    camera: Camera

    def files(self, name: str) -> dict[str, bytes]:
        """Return the layers as PNG files by name: depth in DEPTH_UNIT, normals as (n + 1) / 2."""
        depth = np.clip(np.round(self.depth / DEPTH_UNIT), 0, 65535).astype(np.uint16)
        normal = np.where(self.label[..., None] > NOTHING, 0.5 + 0.5 * self.normal, 0.0)
        return {
            f"{name}.png": _png(self.colour),
            f"{name}.depth.png": _png(depth),
            f"{name}.normal.png": _png(np.round(255 * normal).astype(np.uint8)),
            f"{name}.label.png": _png(self.label),
        }

    def facts(self) -> dict[str, Any]:
        """Return the camera as JSON: places [m], tangent of half the vertical angle of view."""
        camera = self.camera
        return {
            "eye": [float(v) for v in camera.eye],
            "target": [float(v) for v in camera.target],
            "half_height": float(camera.half_height),
            "width": self.label.shape[1],
            "height": self.label.shape[0],
        }


def _png(picture: NDArray[Any]) -> bytes:
    out = BytesIO()
    Image.fromarray(picture).save(out, format="PNG")
    return out.getvalue()


def draw_layers(
    garment: Garment, body: Body | None, frame: Frame, views: Sequence[str | float], width: int, height: int
) -> list[Layers]:
    """Return what each camera sees of a frame; each view fills a picture of its own."""
    if len(garment.panel_names) > 255 - FIRST_PANEL:
        raise ToileError(f"{garment.name}: more than {255 - FIRST_PANEL} panels cannot be told apart")
    scene = light_scene(frame_meshes(garment, body, frame), STUDIO)
    labels = labels_of(garment, body)
    points = scene.vertices[: scene.floor_start]
    cameras = [frame_views(points, [view], width, height)[0][0] for view in views]
    return [_layers(scene, labels, camera, width, height) for camera in cameras]


def labels_of(garment: Garment, body: Body | None) -> NDArray[np.uint8]:
    """Return the label of each triangle of the scene, skin first."""
    panel = garment.uv_panel[garment.triangles_uv[:, 0]]
    skin = np.full(0 if body is None else len(body.triangles), BODY)
    return np.concatenate([skin, FIRST_PANEL + panel]).astype(np.uint8)


def _layers(scene: LitScene, labels: NDArray[np.uint8], camera: Camera, width: int, height: int) -> Layers:
    points, inverse_w = camera.project(scene.vertices, width, height)
    things: Ints = np.ascontiguousarray(scene.triangles[: scene.floor_triangle])
    seen = rasterise(points, things, width, height, inverse_w=inverse_w)
    distance = -1.0 / np.minimum(seen.depth.astype(np.float64), -1e-6)
    covered = seen.triangle >= 0
    label = np.where(covered, labels[np.maximum(seen.triangle, 0)], NOTHING).astype(np.uint8)
    return Layers(
        colour=as_bytes(render(scene, camera, width, height)),
        depth=np.where(covered, distance, 0.0),
        normal=seen.image(_facing_normals(scene, camera, things, seen.hit)),
        label=label,
        camera=camera,
    )


def _facing_normals(scene: LitScene, camera: Camera, things: Ints, hit: Ints) -> Floats:
    """Return the normals of the triangles that are seen, towards the camera, in its axes, (p, 3)."""
    a, b, c = (scene.vertices[things[hit, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    away = np.einsum("ij,ij->i", normal, a - camera.eye) > 0
    normal[away] *= -1.0
    # a sum in a fixed order, not a matrix product: the same bits with any linear algebra library
    axes = camera.axes()
    turned = normal[:, :1] * axes[:, 0] + normal[:, 1:2] * axes[:, 1] + normal[:, 2:] * axes[:, 2]
    return np.asarray(turned)
