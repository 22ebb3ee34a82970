"""How fast a batch is: cells a minute here, the ratio to a plain loop, memory, and reading a packed data set.

python benchmarks/batch.py --out here --minutes 7 --workers 2     # drapes; say it again to go on
python benchmarks/batch.py --out here --data there                # packed, and read in several ways
python benchmarks/batch.py --nothing 100000                       # cells that do nothing, on two nodes
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import numpy as np

import toile
from batch_samples import nothing_stored
from dask_nodes import Nodes, children_of
from toile.batches.cell import CELLS, Cell
from toile.batches.pack import pack
from toile.batches.report import rows_of, status_lines
from toile.batches.run import Cluster, Limits, Local, run_batch
from toile.batches.store import open_store
from toile.core.work import Cancelled
from toile.jobs.run import run

GARMENTS = ("tshirt", "skirt", "trousers")


def drapes(bodies: int, edge: float = 0.025) -> list[Cell]:
    """Return T-shirts, skirts and trousers on random bodies."""
    return toile.grid({"random": bodies}, GARMENTS, edge_length=edge, seed=1)


@contextlib.contextmanager
def watched_memory() -> Iterator[dict[str, float]]:
    """Look at this process and all that it started, four times a second; gives the most [MB]."""
    most, stop, own = {"one process": 0.0, "all": 0.0}, threading.Event(), resource.getpagesize() / 1e6

    def look() -> None:
        while not stop.wait(0.25):
            sizes = []
            for path in (Path(f"/proc/{pid}/statm") for pid in ("self", *children_of("self"))):
                with contextlib.suppress(OSError):
                    sizes.append(int(path.read_text().split()[1]) * own)
            most.update(
                {"one process": max(most["one process"], *sizes), "all": max(most["all"], sum(sizes))}
            )

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        stop.set()
        thread.join()


def plain_loop(cells: list[Cell], count: int = 12) -> float:
    """Return how long a cell takes in a loop of one thread that keeps its results [s]; the first warms up."""
    with tempfile.TemporaryDirectory(prefix="toile-loop-") as folder:
        places = [Path(folder) / str(k) for k in range(count + 1)]
        for one in places:
            one.mkdir()
        run(cells[0].job, folder=places[-1])
        start = time.perf_counter()
        for cell, one in zip(cells, places[:count], strict=False):
            run(cell.job, folder=one)
        return (time.perf_counter() - start) / count


def timed_drapes(minutes: float, workers: int, out: Path) -> None:
    """Print how many cells a minute are done, and how that compares to a plain loop."""
    cells = drapes(334)[:1000]
    plain = plain_loop(cells)
    store, told = open_store(out, make=True), list[float]()
    start = time.perf_counter()
    with contextlib.suppress(Cancelled), watched_memory() as most:
        run_batch(
            cells, store, Local(workers), limits=Limits(),
            tell=lambda *_: told.append(time.perf_counter()),
            cancel=lambda: time.perf_counter() - start > 60 * minutes,
        )  # fmt: skip
    if told:
        rate = len(told) / (told[-1] - start)
        print(f"{len(told)} cells in {told[-1] - start:.0f} s: {60 * rate:.1f} a minute, {workers} workers")
        print(f"plain loop: {plain:.2f} s a cell, so {rate * plain:.2f} times its rate")
        print("most memory [MB]: " + ", ".join(f"{name} {size:.0f}" for name, size in most.items()))
    print(status_lines(rows_of(store))[0])


class Vertices:
    """A data set as PyTorch's DataLoader takes it: a length and items."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._data = folder, None

    def __len__(self) -> int:
        return len(self._opened())

    def __getitem__(self, number: int) -> dict[str, np.ndarray]:
        return self._opened()[number]

    def _opened(self) -> toile.batches.dataset.Dataset:
        # each process of a loader opens the files for itself
        if self._data is None:
            self._data = toile.load_dataset(self._folder, columns=["position", "body_position"])
        return self._data


def timed_loader(data: Path) -> None:
    """Print how fast two processes that read items in random order are, as a DataLoader's do."""
    start, count = time.perf_counter(), len(Vertices(data))
    order = random.Random(0).sample(range(count), count)
    with ProcessPoolExecutor(2, initializer=_open, initargs=(data,)) as pool:
        sizes = list(pool.map(_item, order, chunksize=32))
    print(f"two processes, random order: {len(sizes) / (time.perf_counter() - start):.0f} rows a second")


def _open(data: Path) -> None:
    global opened
    opened = Vertices(data)


def _item(number: int) -> int:
    return opened[number]["position"].nbytes


def timed_data(out: Path, data: Path) -> None:
    """Print how long packing and reading take."""
    start = time.perf_counter()
    about = pack(open_store(out), data, failed=True)
    size = sum(path.stat().st_size for path in data.rglob("*") if path.is_file()) / 1e6
    spent, rows = time.perf_counter() - start, max(about["rows"], 1)
    print(f"packed {about['rows']} rows in {spent:.1f} s, {size / rows:.2f} MB a row")
    start = time.perf_counter()
    read = toile.load_dataset(data, columns=["position", "triangle", "body_position"])
    count = sum(len(batch["position"]) for batch in read.batches(32, seed=0))
    print(f"load_dataset: {count / (time.perf_counter() - start):.0f} rows a second")
    timed_loader(data)
    import duckdb
    import pandas

    start = time.perf_counter()
    print(
        duckdb.sql(
            f"select garment, count(*), avg(audit_stretch_mean) from '{data}/*.parquet' group by 1"
        ).fetchall()
    )
    print(f"DuckDB: {1000 * (time.perf_counter() - start):.0f} ms")
    start = time.perf_counter()
    frame = pandas.concat(
        pandas.read_parquet(p, columns=["key", "garment", "measure_waist"])
        for p in sorted(data.glob("*.parquet"))
    )
    print(f"pandas: {len(frame)} rows of figures in {1000 * (time.perf_counter() - start):.0f} ms")


def processor_time(pid: int) -> float:
    """Return what a process and its threads used [s]."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / 100


def timed_nothing(count: int, folder: Path) -> None:
    """Print what a cell costs beside its computation: planned, handed out, told, stored."""
    start = time.perf_counter()
    cells = toile.grid({"random": count}, ["skirt"], seed=1)
    print(f"plan to cells: {1000 * (time.perf_counter() - start) / count:.2f} ms each")
    nodes, store, told = Nodes(folder), open_store(folder / "out", make=True), list[float]()
    try:
        from distributed import Client

        with Client(nodes.address, timeout=60) as client, watched_memory() as most:
            client.wait_for_workers(2)
            before, mine = processor_time(nodes.scheduler.pid), time.process_time()
            start = time.perf_counter()
            runner = Cluster(client, nothing_stored)
            counts = run_batch(cells, store, runner, tell=lambda *_: told.append(time.perf_counter()))
            spent = time.perf_counter() - start
            used = processor_time(nodes.scheduler.pid) - before, time.process_time() - mine
        each = [1000 * one / count for one in (spent, told[0] - start, *used)]
        print(f"{counts['passed']} of {count} cells in {spent:.0f} s: {each[0]:.2f} ms each")
        print(f"of that before the first one ended (hashes, list): {each[1]:.2f} ms each")
        print(f"processor: scheduler {each[2]:.2f} ms, driver {each[3]:.2f} ms each")
        halves = [(told[len(told) // 2] - told[0]), told[-1] - told[len(told) // 2]]
        print(f"first half {halves[0]:.0f} s, second half {halves[1]:.0f} s; memory {most['all']:.0f} MB")
    finally:
        nodes.close()
    start = time.perf_counter()
    kept = run_batch(cells, store, Local(1))
    print(f"again, all done: {kept['kept']} kept in {time.perf_counter() - start:.0f} s")
    start = time.perf_counter()
    print(f"{status_lines(rows_of(store))[0]}; told in {time.perf_counter() - start:.0f} s")


def contents(folder: Path) -> dict[str, str]:
    """Return name → checksum of all results."""
    files = (path for path in (folder / CELLS).rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, help="a batch's folder, kept")
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--data", type=Path, help="a folder for the data set, kept")
    parser.add_argument("--nothing", type=int, default=0)
    options = parser.parse_args()
    if options.minutes:
        timed_drapes(options.minutes, options.workers, options.out)
    if options.data:
        timed_data(options.out, options.data)
    if options.nothing:
        with tempfile.TemporaryDirectory(prefix="toile-batch-") as folder:
            timed_nothing(options.nothing, Path(folder))


if __name__ == "__main__":
    main()
