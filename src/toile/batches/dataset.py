"""A packed data set, read row by row: nothing is loaded that is not asked for."""

from __future__ import annotations

import json
import os
import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from toile.batches.pack import DATASET, FRAMES, shard_paths
from toile.core.errors import ToileError

WIDTHS = {
    "position": 3, "triangle": 3, "uv": 2, "triangle_uv": 3, "seam_uv": 2, "strain": 3, "stress": 3,
    "body_position": 3, "body_rest": 3, "joint": 16,
}  # fmt: skip
"""column → numbers a row of its array; others are plain lists"""


class Dataset:
    """Rows of a data set by number, as dictionaries of NumPy arrays; fits PyTorch's DataLoader as it is."""

    def __init__(
        self, folder: str | os.PathLike[str], columns: Sequence[str] | None = None, **labels: str
    ) -> None:
        """Take a folder of `toile batch pack`; labels choose rows: body_split="train", garment="skirt" …"""
        import pyarrow.parquet as pq

        self.folder = Path(folder)
        if not (self.folder / DATASET).is_file():
            raise ToileError(f"{folder}: no data set: make one with toile batch pack")
        self.about: dict[str, Any] = json.loads((self.folder / DATASET).read_bytes())
        self._files = [pq.ParquetFile(path) for path in shard_paths(folder)]
        known = set(self.about["columns"])
        for name in [*(columns or ()), *labels]:
            if name not in known:
                raise ToileError(f"{folder}: no column '{name[:40]}'; there are {', '.join(sorted(known))}")
        self.columns = list(columns) if columns is not None else None
        self._groups = [(f, g) for f in self._files for g in range(f.num_row_groups)]
        ends = np.cumsum([f.metadata.row_group(g).num_rows for f, g in self._groups])
        self._ends: list[int] = ends.tolist()
        self._rows = self._chosen(labels)
        self._last: tuple[int, Any] = (-1, None)

    def _chosen(self, labels: dict[str, str]) -> list[int]:
        count = self._ends[-1] if self._ends else 0
        if not labels:
            return list(range(count))
        found, start = [], 0
        for file in self._files:
            rows = file.read(columns=list(labels)).to_pylist()
            found += [start + k for k, row in enumerate(rows) if all(row[n] == v for n, v in labels.items())]
            start += len(rows)
        return found

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def __getitem__(self, number: int) -> dict[str, Any]:
        """Return one row; its arrays have their shapes."""
        row = self._rows[number]
        group = bisect_right(self._ends, row)
        if self._last[0] != group:
            file, index = self._groups[group]
            self._last = group, file.read_row_group(index, columns=self.columns)
        start = self._ends[group - 1] if group else 0
        table = self._last[1]
        return {name: _value(table.column(name)[row - start], name) for name in table.column_names}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield all rows in order."""
        return (self[k] for k in range(len(self)))

    def batches(
        self, size: int, *, seed: int | None = None, torch: bool = False
    ) -> Iterator[dict[str, list[Any]]]:
        """Yield columns of so many rows; seed: in random order. torch: arrays as tensors.

        Rows that are stored together stay near each other, so that each is read once: what is shuffled are
        groups of rows, and the rows in each.
        """
        for start in range(0, len(self), size):
            if start == 0:
                order = self._order(seed)
            rows = [self[k] for k in order[start : start + size]]
            batch = {name: [row[name] for row in rows] for name in rows[0]}
            yield _as_tensors(batch) if torch else batch

    def _order(self, seed: int | None) -> list[int]:
        order = list(range(len(self)))
        if seed is None:
            return order
        chance, groups = random.Random(seed), dict[int, list[int]]()
        for k in order:
            groups.setdefault(bisect_right(self._ends, self._rows[k]), []).append(k)
        shuffled = list(groups.values())
        chance.shuffle(shuffled)
        for one in shuffled:
            chance.shuffle(one)
        return [k for one in shuffled for k in one]

    def body_triangles(self, name: str) -> Any:
        """Return the triangles (t, 3) of a body, which a row names under body_mesh."""
        if name != Path(name).name or not (self.folder / name).is_file():
            raise ToileError(f"{self.folder}: no file '{name[:60]}'")
        return np.load(self.folder / name, allow_pickle=False)

    def frames(self, key: str) -> Any:
        """Return the zarr group of a walk's frames: position (f, n, 3), world_from_joint (f, j, 4, 4)."""
        import zarr

        if not (self.folder / FRAMES / key).is_dir():
            raise ToileError(f"{self.folder}: no frames of '{key[:70]}': only walks have them")
        return zarr.open_group(self.folder / FRAMES, mode="r")[key]


def _value(cell: Any, name: str) -> Any:
    """Return a cell of a table as Python or NumPy."""
    kind = str(cell.type)
    if kind.startswith("list") and not kind.endswith("string>"):
        if cell.values is None:
            return None
        array = cell.values.to_numpy(zero_copy_only=False)
        array = array.reshape(-1, WIDTHS[name]) if name in WIDTHS else array
        return array.reshape(-1, 4, 4) if name == "joint" else array
    return cell.as_py()


def _as_tensors(batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
    try:
        import torch
    except ImportError:
        raise ToileError("torch=True needs PyTorch, which is not installed") from None
    return {
        name: [torch.from_numpy(np.array(v)) if isinstance(v, np.ndarray) else v for v in values]
        for name, values in batch.items()
    }


def load_dataset(
    folder: str | os.PathLike[str], columns: Sequence[str] | None = None, **labels: str
) -> Dataset:
    """Return a data set of `toile batch pack`: columns (default: all) of the rows with these labels."""
    return Dataset(folder, columns, **labels)
