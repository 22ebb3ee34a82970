"""Wavefront OBJ: points and faces read; lines of names and numbers for writing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toile.core.records import Floats
from toile.io.polygons import (
    Polygons,
    file_bytes,
    lines_after,
    point_rows,
    triangulate_fans,
    whole_numbers,
    word_counts,
)


def read_obj(path: Path) -> Polygons:
    """Return points and triangles of an OBJ file; texture and normal numbers are left out."""
    raw = file_bytes(path)
    points = point_rows(lines_after(raw, b"v", path.name))
    # texture and normal numbers behind a slash are left out
    text = re.sub(rb"/[^\s]*", b"", lines_after(raw, b"f", path.name))
    corners, counts = whole_numbers(text), word_counts(text)
    if len(corners) != counts.sum():
        raise ValueError("a face of something else than numbers")
    if len(corners) and corners.min() < 0:
        before = np.repeat(_points_before_faces(raw), counts)
        corners = np.where(corners < 0, corners + before + 1, corners)
    return points, triangulate_fans(corners - 1, counts, path.name)


def _points_before_faces(raw: bytes) -> NDArray[np.int64]:
    """Return how many points stand before each face: negative numbers count back from there."""
    kinds = re.findall(rb"^[ \t]*([vf])[ \t]", raw, re.MULTILINE)
    is_point = np.array([kind == b"v" for kind in kinds])
    before: NDArray[np.int64] = np.cumsum(is_point)[~is_point]
    return before


def object_name(name: str) -> str:
    """Return a name without blanks, which end names in this format."""
    return "_".join(name.split()) or "unnamed"


def rows_of(mark: str, values: Floats, digits: int) -> str:
    """Return one line per row: mark and numbers."""
    lines: str = (mark + f" %.{digits}f" * values.shape[1] + "\n") * len(values)
    numbers: list[float] = values.ravel().tolist()
    return lines % tuple(numbers)
