"""Point caches: PC2 and MDD files that move the points of an OBJ file written beside them.

NAME.pc2 moves NAME.obj (the garment), NAME_body.pc2 moves NAME_body.obj. Points are in the OBJ's order,
metres, y up, as 32-bit numbers.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from toile.core.container import replacing
from toile.core.records import Floats
from toile.export.obj import write_frame, write_materials
from toile.store.clip import Clip, clip_of, point_bytes, require_space
from toile.store.record import Frame, Replayable, source_of

Pick = Callable[[Frame], Floats]


def _write_pc2(file: IO[bytes], clip: Clip, pick: Pick, count: int) -> None:
    file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, count, 0.0, 1.0, len(clip.numbers)))
    for number in clip.numbers:
        file.write(pick(clip.source.frame(number)).astype("<f4").tobytes())


def _write_mdd(file: IO[bytes], clip: Clip, pick: Pick, count: int) -> None:
    file.write(struct.pack(">ii", len(clip.numbers), count))
    file.write(clip.times.astype(">f4").tobytes())
    for number in clip.numbers:
        file.write(np.ascontiguousarray(pick(clip.source.frame(number))).astype(">f4").tobytes())


_FORMATS = {".pc2": _write_pc2, ".mdd": _write_mdd}


def write_point_cache(
    recording: Replayable, path: str | os.PathLike[str], *, frames: Sequence[int] | None = None
) -> list[Path]:
    """Write a PC2 or MDD file (by the path's suffix) per surface with its OBJ file; return all paths."""
    clip = clip_of(source_of(recording), frames)
    require_space(path, point_bytes(clip))
    final = Path(path)
    body_path = final.with_name(f"{final.stem}_body{final.suffix}")
    source = clip.source
    first = source.frame(clip.numbers[0])
    write = _FORMATS[final.suffix.lower()]
    materials = final.with_suffix(".mtl")
    write_materials(materials, source.garment)
    written = [materials, final.with_suffix(".obj"), final]
    write_frame(written[1], source.garment, None, first, materials=materials.name)
    with replacing(final) as file:
        write(file, clip, lambda f: f.position, source.garment.particle_count)
    if source.body is not None:
        write_frame(body_path.with_suffix(".obj"), None, source.body, first, materials=materials.name)
        with replacing(body_path) as file:
            write(file, clip, lambda f: f.body_vertices, len(source.body.vertices))
        written += [body_path.with_suffix(".obj"), body_path]
    return written
