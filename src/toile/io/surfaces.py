"""Triangle files (OBJ, PLY, STL, GLB, VTP) read with caps: nothing is allocated on a file's word alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toile.core.errors import ToileError
from toile.core.records import Floats, Ints
from toile.io.glb import GlbFile, accessor, read_glb
from toile.io.glb_nodes import read_nodes, rest_matrices
from toile.io.obj import read_obj
from toile.io.ply import read_ply
from toile.io.polygons import MAX_TRIANGLES, MAX_VERTICES, Polygons, limited
from toile.io.stl import read_stl
from toile.io.vtp import read_vtp


def read_triangles(
    path: str | os.PathLike[str], *, what: str = "scan", fewest: int = 500
) -> tuple[Floats, Ints]:
    """Return the points (n, 3) in the file's own unit and the triangles (t, 3) of a file.

    what it should hold is said in errors; with fewer triangles than `fewest` it cannot be that.
    """
    path = Path(path)
    reader = FORMATS.get(path.suffix.lower())
    if reader is None:
        raise ToileError(f"{path}: {what}s are read from {', '.join(FORMATS)}")
    try:
        points, triangles = reader(path)
    except OSError as error:
        raise ToileError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, IndexError, OverflowError) as error:
        raise ToileError(f"{path.name}: damaged ({str(error)[:60]}): export it again") from None
    return _checked(points, triangles, path.name, what, fewest)


def _checked(
    points: Floats, triangles: NDArray[np.int64], name: str, what: str, fewest: int
) -> tuple[Floats, Ints]:
    if len(points) > MAX_VERTICES or len(triangles) > MAX_TRIANGLES:
        raise ToileError(f"{name}: too many points or triangles (2 million each): reduce the {what}")
    if len(triangles) < fewest:
        of = f"{what} of a person" if what == "scan" else what
        raise ToileError(f"{name}: {len(triangles)} triangles are too few for a {of}")
    if not np.isfinite(points).all() or np.abs(points).max(initial=0.0) > 1e9:
        raise ToileError(f"{name}: holds NaN, infinite or absurd coordinates: export it again")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise ToileError(f"{name}: a triangle names a point that does not exist: export it again")
    return points, triangles.astype(np.int32)


def _read_glb(path: Path) -> Polygons:
    glb = read_glb(path)
    nodes = read_nodes(glb)
    points, triangles, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for node, world in zip(glb.items("nodes"), rest_matrices(nodes), strict=True):
        parts = glb.item("meshes", node["mesh"]).get("primitives", []) if "mesh" in node else []
        for part in parts if isinstance(parts, list) else []:
            place, corners = _primitive(glb, part)
            triangles.append(count + corners)
            points.append(place @ world[:3, :3].T + world[:3, 3])
            count = limited(count + len(place), path.name)
            limited(sum(len(t) for t in triangles), path.name)
    return np.concatenate(points), np.concatenate(triangles)


def _primitive(glb: GlbFile, part: Any) -> Polygons:
    """Return one part of a mesh; lines and points are no surface."""
    attributes = part.get("attributes") if isinstance(part, dict) else None
    if not isinstance(attributes, dict) or "POSITION" not in attributes or part.get("mode", 4) != 4:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    place = np.asarray(accessor(glb, attributes["POSITION"]), dtype=np.float64).reshape(-1, 3)
    flat = accessor(glb, part["indices"]) if "indices" in part else np.arange(len(place))
    flat = np.asarray(flat, dtype=np.int64).ravel()
    if len(flat) and flat.max() >= len(place):
        raise ToileError(f"{glb.name}: a triangle names a point that does not exist: export it again")
    return place, flat[: len(flat) // 3 * 3].reshape(-1, 3)


FORMATS: dict[str, Callable[[Path], Polygons]] = {
    ".obj": read_obj,
    ".ply": read_ply,
    ".stl": read_stl,
    ".glb": _read_glb,
    ".vtp": read_vtp,
}
"""file ending → reader"""
