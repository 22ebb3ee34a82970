"""Wavefront OBJ: points, panel texture coordinates, normals, a group per panel, materials in an MTL file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from toile.core.container import replacing
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, Ints
from toile.io.obj import object_name, rows_of
from toile.render.picture import SKIN
from toile.render.surface import vertex_normals
from toile.store.record import Frame, Replayable, source_of


def _faces(pattern: str, *columns: Ints) -> str:
    table = np.stack(columns, axis=-1).reshape(len(columns[0]), -1)
    lines = f"f {pattern} {pattern} {pattern}\n" * len(table)
    numbers: list[int] = table.ravel().tolist()
    return lines % tuple(numbers)


def _body_lines(body: Body, vertices: Floats) -> Iterator[str]:
    yield f"o {object_name(body.name or 'body')}\n"
    yield rows_of("v", vertices, 6)
    yield rows_of("vn", vertex_normals(vertices, body.triangles), 4)
    yield "usemtl skin\n"
    yield _faces("%d//%d", body.triangles + 1, body.triangles + 1)


def _garment_lines(garment: Garment, position: Floats, start: int) -> Iterator[str]:
    """Yield the garment; v are its particles in order, vt its uv points; start: points before it."""
    yield f"o {object_name(garment.name)}\n"
    yield rows_of("v", position, 6)
    yield rows_of("vt", garment.uv, 6)
    yield rows_of("vn", vertex_normals(position, garment.triangles), 4)
    panel = garment.uv_panel[garment.triangles_uv[:, 0]]
    for index, name in enumerate(garment.panel_names):
        chosen = np.flatnonzero(panel == index)
        yield f"g {object_name(name)}\n"
        for fabric in np.unique(garment.triangle_fabric[chosen]):
            mine = chosen[garment.triangle_fabric[chosen] == fabric]
            points = garment.triangles[mine] + 1 + start
            yield f"usemtl {object_name(garment.fabrics[fabric].name)}\n"
            yield _faces("%d/%d/%d", points, garment.triangles_uv[mine] + 1, points)


def _materials(garment: Garment) -> str:
    known = {"skin": SKIN} | {object_name(f.name): f.colour for f in garment.fabrics}
    return "".join(
        f"newmtl {n}\nKd {r:.4f} {g:.4f} {b:.4f}\nNs 10\nillum 1\n\n" for n, (r, g, b) in known.items()
    )


def write_frame(
    path: str | os.PathLike[str],
    garment: Garment | None,
    body: Body | None,
    frame: Frame,
    *,
    materials: str | None = None,
) -> None:
    """Write one frame of a garment, a body or both; materials: name of the MTL file beside it."""
    with replacing(path) as file:
        lines = ["# metres, y up\n"]
        file.write("".join(lines + ([f"mtllib {materials}\n"] if materials else [])).encode())
        parts: list[Iterator[str]] = []
        if body is not None:
            parts.append(_body_lines(body, frame.body_vertices))
        if garment is not None:
            parts.append(_garment_lines(garment, frame.position, len(frame.body_vertices) if body else 0))
        for part in parts:
            for text in part:
                file.write(text.encode())


def write_materials(path: str | os.PathLike[str], garment: Garment) -> None:
    """Write the MTL file of a garment's fabrics."""
    with replacing(path) as file:
        file.write(_materials(garment).encode())


def write_obj(recording: Replayable, path: str | os.PathLike[str], *, frame: int = -1) -> None:
    """Write one frame (the last by default) as OBJ, with an MTL file of the same name beside it."""
    source = source_of(recording)
    if len(source) == 0:
        raise ToileError(f"cannot write {path}: the recording has no frames")
    materials = Path(path).with_suffix(".mtl")
    write_materials(materials, source.garment)
    chosen = source.frame(frame % len(source))
    write_frame(path, source.garment, source.body, chosen, materials=materials.name)


def write_obj_sequence(
    recording: Replayable, path: str | os.PathLike[str], *, frames: Sequence[int] | None = None
) -> list[Path]:
    """Write every frame as NAME_0001.obj, NAME_0002.obj …; return the paths. All share NAME.mtl."""
    source = source_of(recording)
    base = Path(os.path.realpath(path))
    if not base.parent.is_dir():
        raise ToileError(f"cannot write {path}: there is no folder {base.parent}")
    materials = base.with_suffix(".mtl")
    names = []
    try:
        # all of them appear, or none
        with tempfile.TemporaryDirectory(dir=base.parent, prefix=".toile") as folder:
            for count, number in enumerate(range(len(source)) if frames is None else frames, start=1):
                names.append(f"{base.stem}_{count:04d}.obj")
                target = Path(folder) / names[-1]
                write_frame(
                    target, source.garment, source.body, source.frame(number), materials=materials.name
                )
            write_materials(materials, source.garment)
            for name in names:
                os.replace(Path(folder) / name, base.with_name(name))
    except (OSError, ToileError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error).rpartition(": ")[2]
        raise ToileError(f"cannot write {path}: {reason}") from error
    return [base.with_name(name) for name in names]
