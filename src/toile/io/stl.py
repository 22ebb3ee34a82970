"""STL files, binary or text: triangles without common points."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from toile.core.errors import ToileError
from toile.io.polygons import Polygons, file_bytes, lines_after, point_rows


def read_stl(path: Path) -> Polygons:
    """Return points and triangles of an STL file; equal points are not joined."""
    raw = file_bytes(path)
    count = int.from_bytes(raw[80:84], "little")
    if len(raw) >= 84 and len(raw) == 84 + 50 * count:
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
        points = np.frombuffer(raw, record, count, 84)["corners"].astype(np.float64).reshape(-1, 3)
    elif raw[:5].lower() == b"solid":
        points = point_rows(lines_after(raw, b"vertex", path.name))
    else:
        raise ToileError(f"{path.name}: its length does not fit its {count} triangles: export it again")
    points = points[: len(points) // 3 * 3]
    return points, np.arange(len(points)).reshape(-1, 3)
