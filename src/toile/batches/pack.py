"""Results → a data set: Parquet shards of one row a cell, frames of walks as zarr, and its card."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import toile
from toile.batches.arrays import MEANING, arrays_of
from toile.batches.card import write_card
from toile.batches.cell import place, read_cell
from toile.batches.report import fits_of
from toile.batches.run import listed
from toile.batches.store import Store
from toile.core.atomic import replacing, replacing_path
from toile.core.errors import ToileError
from toile.core.records import Body
from toile.core.work import tell
from toile.store.record import RecordedFile

SHARD, GROUP = 256, 16
"""rows of a file, and rows that are read together"""
FRAMES, DATASET = "frames.zarr", "dataset.json"


def pack(store: Store, folder: str | os.PathLike[str], *, failed: bool = False) -> Mapping[str, Any]:
    """Write a batch's results as a data set; return its description. failed: also what its audit failed."""
    target = Path(folder)
    if (target / DATASET).exists():
        raise ToileError(f"{target} holds a data set already: name another folder")
    target.mkdir(parents=True, exist_ok=True)
    cells = listed(store)
    shards = _Shards(target)
    counts = {"passed": 0, "failed": 0, "refused": 0, "missing": 0}
    with tempfile.TemporaryDirectory(prefix="toile") as temporary:
        for number, one in enumerate(cells):
            tell("packing", number / len(cells), f"{number} of {len(cells)}")
            found = read_cell(store, one["key"])
            counts["missing" if found is None else found["status"]] += 1
            if found is None or found["status"] not in (("passed", "failed") if failed else ("passed",)):
                continue
            recording = _fetched(store, one["key"], found, Path(temporary) / "recording.toile")
            shards.add(_row(store, one, found, recording, target))
            if recording is not None:
                _add_frames(target / FRAMES, one["key"], recording)
    shards.close()
    about = {"toile": toile.__version__, "counts": counts, "rows": shards.count, "columns": shards.columns()}
    with replacing(target / DATASET) as file:
        file.write(json.dumps(about, indent=1).encode())
    write_card(target, about, cells)
    return about


def _fetched(store: Store, key: str, found: Mapping[str, Any], path: Path) -> Path | None:
    """Return a cell's recording as a file here; None: its job makes none."""
    name = next((n for n in found["files"] if n.endswith(".toile") and n != "body.toile"), None)
    data = None if name is None else store.get(f"{place(key)}/{name}")
    if data is None:
        return None
    path.write_bytes(data)
    return path


def _row(
    store: Store, one: Mapping[str, Any], found: Mapping[str, Any], recording: Path | None, target: Path
) -> dict[str, Any]:
    """Return one row: labels, figures, arrays, pictures."""
    facts = found["facts"]
    row: dict[str, Any] = {
        "key": one["key"],
        "status": found["status"],
        **{name: str(value) for name, value in one["labels"].items()},
        "problems": found["problems"],
        "job": json.dumps(found["job"], ensure_ascii=False),
        **{f"measure_{name}": float(value) for name, value in facts.get("measures", {}).items()},
    }
    audit = facts.get("audit", {})
    row |= {f"audit_{name}": value for name, value in audit.items() if isinstance(value, int | float)}
    for fit in fits_of(found):
        row |= {"fit_size": fit.size, "fit_slack": fit.slack, "fit_girth": fit.girth}
    if recording is not None:
        row |= _recorded(recording, target)
    for name in found["files"]:
        if name.endswith(".png"):
            row[f"picture_{name.removesuffix('.png').replace('.', '_')}"] = store.get(
                f"{place(one['key'])}/{name}"
            )
    if "pictures" in found:
        row["cameras"] = json.dumps(found["pictures"])
    return row


def _recorded(recording: Path, target: Path) -> dict[str, Any]:
    """Return what a recording has for a row."""
    with RecordedFile(recording) as recorded:
        garment = recorded.garment
        return {
            "vertex_count": garment.particle_count,
            "panel_names": list(garment.panel_names),
            "garment_names": list(garment.garment_names),
            "seam_names": list(garment.seam_names),
            "fabrics": json.dumps([asdict(f) for f in garment.fabrics]),
            "body_mesh": "" if recorded.body is None else _shared_mesh(recorded.body, target),
            **arrays_of(recorded),
        }


def _shared_mesh(body: Body, target: Path) -> str:
    """Return the name of the file with a body's triangles: most bodies have the same ones."""
    triangles = np.ascontiguousarray(body.triangles, dtype=np.int32)
    name = f"triangles-{hashlib.sha256(triangles.tobytes()).hexdigest()[:12]}.npy"
    if not (target / name).exists():
        with replacing(target / name) as file:
            np.save(file, triangles)
    return name


class _Shards:
    """Writes rows to Parquet files, each whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._rows, self._made = folder, list[dict[str, Any]](), 0
        self._types: dict[str, Any] = {}
        self.count = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one row."""
        self._rows.append(dict(row))
        self.count += 1
        if len(self._rows) == SHARD:
            self._write()

    def close(self) -> None:
        """Write what is left."""
        if self._rows:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        names = list(dict.fromkeys(name for row in self._rows for name in row))
        columns = {name: _column([row.get(name) for row in self._rows]) for name in names}
        table = pa.table(columns)
        self._types |= {f.name: str(f.type) for f in table.schema}
        with replacing_path(self._folder / f"part-{self._made:05d}.parquet") as part:
            pq.write_table(table, part, compression="zstd", row_group_size=GROUP)
        self._rows, self._made = [], self._made + 1

    def columns(self) -> dict[str, dict[str, str]]:
        """Return type and meaning of each column."""
        return {name: {"type": kind, "meaning": MEANING.get(name, "")} for name, kind in self._types.items()}


def _column(values: list[Any]) -> Any:
    """Return a column; arrays become flat lists."""
    import pyarrow as pa

    first = next((v for v in values if v is not None), None)
    if isinstance(first, list):
        return pa.array(values, pa.list_(pa.string()))
    if not isinstance(first, np.ndarray):
        return pa.array(values)
    flat = [np.zeros(0, first.dtype) if v is None else v.ravel() for v in values]
    ends = np.cumsum([0, *(len(v) for v in flat)], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(np.concatenate(flat)))


def _add_frames(path: Path, key: str, recording: Path) -> None:
    """Add every frame of a walk to the zarr group: cloth, and the joints that move the body."""
    with RecordedFile(recording) as recorded:
        count = len(recorded)
        # a drape has its last two frames only to tell that it rests
        if count < 3 or "plan" not in recorded.record_names:
            return
        import zarr

        group = zarr.open_group(path, mode="a")
        for name, of in _FRAME_ARRAYS.items():
            first = of(recorded, 0)
            made = group.create_array(
                f"{key}/{name}", shape=(count, *first.shape), chunks=(1, *first.shape),
                shards=(min(count, 60), *first.shape), dtype="f4",
            )  # fmt: skip
            for start in range(0, count, 60):
                numbers = range(start, min(start + 60, count))
                made[start : start + len(numbers)] = np.stack([of(recorded, n) for n in numbers])


_FRAME_ARRAYS: Mapping[str, Callable[[RecordedFile, int], Any]] = {
    "position": lambda recorded, n: recorded.frame(n).position.astype(np.float32),
    "world_from_joint": lambda recorded, n: recorded.frame(n).extra["world_from_joint"].astype(np.float32),
}
"""array of a walk → how it is had from a frame"""


def shard_paths(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the Parquet files of a data set in order."""
    yield from sorted(Path(folder).glob("part-*.parquet"))
