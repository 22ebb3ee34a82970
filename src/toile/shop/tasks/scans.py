"""Scans that visitors upload: told by their content, read, fitted; the file itself is not kept."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from toile.body.avatar.measures import read_measured
from toile.body.model.make import load_body
from toile.body.scan.reconstruct import ScanFit, fit_surface, is_scan
from toile.core.errors import ToileError
from toile.core.records import Body, Skeleton
from toile.io.surfaces import read_triangles
from toile.shop.tasks.bodies import write_body
from toile.shop.worker import Tell

MOST_VERTICES = 2_000_000
DOUBTS = {"height": "height", "which way is up": "up", "the front": "front"}
"""words of a doubt → id of the question"""


def scanned_body(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Fit a body to a scan; what is doubtful becomes a question."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / f"scan{ending(data)}"
        path.write_bytes(data)
        doubts: tuple[str, ...] = ()
        try:
            if path.suffix == ".glb" and not is_scan(path):
                body, sex = read_measured(str(path)), None
                tell("measuring", 0.0)
            else:
                points, triangles = read_triangles(path)
                if len(points) > MOST_VERTICES:
                    raise ToileError(f"the scan has {len(points)} vertices: reduce it to {MOST_VERTICES}")
                tell("measuring", 0.0)
                fit = fit_surface(points, triangles, path.name)
                body, sex, doubts = fit.body, _sex(fit), fit.doubts
        except ToileError as error:
            raise ToileError(_plain(str(error), path)) from None
    measures = {k: float(v) for k, v in body.measurements.items()}
    found = {"sex": sex, "measures": measures, "notes": [], "questions": questions(measures, doubts)}
    return found | write_body(body, folder), b""


def _plain(error: str, path: Path) -> str:
    """Return what went wrong without the names that we gave the file."""
    told = error.removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
    return told.replace(str(path), "the scan").replace(path.name, "the scan")


def ending(data: bytes) -> str:
    """Return the file ending that a content deserves, whatever its sender called it."""
    head = data[:4096].lstrip()
    if data[:4] == b"glTF":
        return ".glb"
    if data[:3] == b"ply":
        return ".ply"
    if b"<VTKFile" in head:
        return ".vtp"
    if _binary_stl(data) or head[:6].lower() == b"solid ":
        return ".stl"
    if any(line.split()[:1] == [b"v"] for line in data[:200_000].splitlines()):
        return ".obj"
    raise ToileError("this is no scan that we can read: send OBJ, PLY, STL, GLB or VTP")


def _binary_stl(data: bytes) -> bool:
    count = int.from_bytes(data[80:84], "little")
    return len(data) >= 84 and len(data) == 84 + 50 * count and count > 0


def _sex(fit: ScanFit) -> str:
    return str(fit.facing.sex)


def questions(measures: dict[str, float], doubts: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return what only the visitor knows; the height is always asked, since a file's unit may be wrong."""
    tall = measures.get("height")
    found: dict[str, dict[str, Any]] = {}
    if tall is not None:
        text = f"Is this person {tall * 100:.0f} cm tall?"
        found["height"] = {"id": "height", "text": text, "value": tall, "answered": False}
    for doubt in doubts:
        key = next((key for words, key in DOUBTS.items() if words in doubt), "other")
        if key not in found:
            text = f"{doubt[0].upper()}{doubt[1:]}."
            found[key] = {"id": key, "text": text, "value": None, "answered": False}
    return list(found.values())


def rescaled_body(
    request: dict[str, Any], data: bytes, folder: Path, tell: Tell
) -> tuple[dict[str, Any], bytes]:
    """Bring a body to its true height."""
    (folder / "old.toile").write_bytes(data)
    body = scaled(load_body(folder / "old.toile"), float(request["height"]))
    return {"measures": {k: float(v) for k, v in body.measurements.items()}} | write_body(body, folder), b""


def scaled(body: Body, height: float) -> Body:
    """Return a body so much larger that it has this height [m]."""
    factor = height / body.measurements["height"]
    if not 0.3 < factor < 3.0:
        raise ToileError("that height is too far from the scan's: was another unit meant?")
    frames = body.skeleton.world_from_joint.copy()
    frames[:, :3, 3] *= factor
    skeleton = Skeleton(body.skeleton.names, body.skeleton.parents, frames, body.skeleton.tails * factor)
    measures = {k: v * (factor**3 if k == "weight" else factor) for k, v in body.measurements.items()}
    return replace(body, vertices=body.vertices * factor, skeleton=skeleton, measurements=measures)
