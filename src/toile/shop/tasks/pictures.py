"""Pictures of the catalogue: a garment sewn on a body, rendered in each of its colours."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from toile.audit.check import audit_drape
from toile.body.model.make import load_body
from toile.core.records import Body, Recording
from toile.geometry.raster import Floats32
from toile.render.camera import frame_views
from toile.render.picture import LitScene, Studio, frame_meshes, light_scene, render
from toile.shop.tasks.colours import linear
from toile.shop.tasks.dressing import sewn
from toile.shop.tasks.looks import painted, printer
from toile.shop.tasks.mannequin import dressed_skin, hair_mesh
from toile.shop.tasks.moving import standing
from toile.shop.tasks.sizes import best, size_fits
from toile.shop.worker import Tell
from toile.store.record import save_recording

QUALITY = 86
STUDIO = Studio(background=(0.80, 0.775, 0.735), vignette=0.05, exposure=0.92, samples=6)
"""warm paper behind the garment, as the pages have it"""


def drape_picture(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Sew a garment on a body in the size that fits it, and render it in all its colours."""
    body, content = load_body(folder / "body.toile"), request["content"]
    size, _ = best(size_fits(content, folder, body), content["sex"])
    wear = [{"content": content, "size": size, "colour": content["colours"][0]["id"], "fabric": None}]
    _, _, recording, _ = sewn(wear, body, folder, request["edge"], tell)
    found = audit_drape(recording)
    save_recording(recording, folder / "dressed.toile")
    shots = list(_shots(recording, body, content, folder, tuple(request["size"]), tell))
    return {"pictures": shots, "problems": list(found.problems), "size": size}, b""


def _shots(
    recording: Recording, body: Body, content: dict[str, Any], folder: Path, size: tuple[int, int], tell: Tell
) -> Any:
    tell("lighting", 0.0)
    *_, last = standing(recording, body)[1]
    skin, cloth = frame_meshes(recording.garment, body, last)
    hair = hair_mesh(body, last.body_vertices)
    scene = light_scene([dressed_skin(body, skin), cloth, *([hair] if hair else [])], STUDIO)
    ways = content["colours"]
    for number, way in enumerate(ways):
        shown = _painted(scene, recording, body, way, folder)
        # the back is shown once: the cut is the same in every colour
        for view in ("three_quarter", "back") if number == 0 else ("three_quarter",):
            tell("taking pictures", number / len(ways))
            width, height = size
            camera = frame_views(scene.vertices[: scene.floor_start], [view], width, height)[0][0]
            name = f"{way['id']}-{view.replace('_', '-')}.jpg"
            (folder / name).write_bytes(jpeg(render(shown, camera, width, height)))
            yield {"file": name, "colour": way["id"], "view": view, "width": width, "height": height}


def _painted(
    scene: LitScene, recording: Recording, body: Body, way: dict[str, Any], folder: Path
) -> LitScene:
    first, colour = len(body.triangles), scene.colour.copy()
    colour[first : first + len(recording.garment.triangles)] = np.array(linear(way["colour"]), np.float32)
    paint = painted(recording.garment, body, [printer(way, folder)], first)
    return replace(scene, colour=colour, paint=paint)


def jpeg(picture: Floats32) -> bytes:
    """Return a picture of values from 0 to 1 as a JPEG file."""
    target = io.BytesIO()
    pixels = np.round(255 * np.clip(picture, 0, 1)).astype(np.uint8)
    Image.fromarray(pixels).save(target, "JPEG", quality=QUALITY, optimize=True)
    return target.getvalue()
