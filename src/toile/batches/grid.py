"""Batches from Python: every combination of bodies, garments, sizes, fabrics and motions as cells."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from toile.batches.cell import Cell
from toile.batches.plan import Plan, cells_of, check_plan, single_pieces
from toile.batches.run import Cluster, Limits, Local, Runner, Tell, run_batch, silent
from toile.batches.store import open_store
from toile.core.errors import ToileError
from toile.jobs.describe import Inputs
from toile.jobs.plain import from_plain
from toile.jobs.records import JOBS, Job


def grid(
    bodies: Sequence[str] | Mapping[str, Any] = (),
    garments: Sequence[Any] = (),
    *,
    sizes: Sequence[str] = ("",),
    fabrics: Sequence[Any] = ("cotton",),
    motions: Sequence[Any] = (),
    folder: str | os.PathLike[str] = ".",
    **options: Any,
) -> list[Cell]:
    """Return one cell for every combination.

    bodies: names and files, or what a plan says under [bodies]; garments: names of drafts, pattern files or
    what a plan says under [[garments]]; motions: names, files or [[motions]]. options are the other keys of
    a plan (docs/batch.md): edge_length, seed, pictures … Files lie in folder.
    """
    data = {
        "bodies": bodies if isinstance(bodies, Mapping) else _bodies(bodies),
        "garments": [_garment(one) for one in garments],
        "sizes": list(sizes),
        "fabrics": list(fabrics),
        "motions": [_motion(one) for one in motions],
        **options,
    }
    plan, inputs = from_plain(Plan, single_pieces(data), "grid"), Inputs(folder=folder)
    check_plan(plan, inputs)
    return list(cells_of(plan, inputs))


def _is_file(text: str) -> bool:
    return "." in text or "/" in text


def _bodies(names: Sequence[str]) -> dict[str, Any]:
    if isinstance(names, str):
        raise ToileError("bodies are a list: ['woman', 'me.toile']")
    return {"named": [n for n in names if not _is_file(n)], "files": [n for n in names if _is_file(n)]}


def _garment(one: Any) -> Any:
    return {"file" if _is_file(one) else "draft": one} if isinstance(one, str) else one


def _motion(one: Any) -> Any:
    return {"file" if _is_file(one) else "named": one} if isinstance(one, str) else one


def batch(
    jobs: Sequence[Cell | Job],
    out: str | os.PathLike[str],
    client: Any = None,
    *,
    folder: str | os.PathLike[str] = ".",
    workers: int | None = None,
    limits: Limits | None = None,
    tell: Tell = silent,
) -> Counter[str]:
    """Compute jobs or cells into a folder (or s3://…); return how many came out how.

    client is one of Dask; without it this machine's cores do it. What is there already is not computed again.
    """
    kinds = tuple(JOBS.values())
    cells = [Cell(job=one) if isinstance(one, kinds) else one for one in jobs]
    if not all(isinstance(one, Cell) for one in cells):
        raise ToileError("a batch takes jobs and cells: make them with toile.grid or toile.jobs.records")
    runner: Runner = Local(workers or own_cores()) if client is None else Cluster(client)
    inputs = Inputs(folder=folder)
    return run_batch(cells, open_store(out, make=True), runner, inputs=inputs, limits=limits, tell=tell)  # type: ignore[arg-type]


def own_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
