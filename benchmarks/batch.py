"""How fast a batch is: cells a minute here, the ratio to a plain loop, memory, and reading a packed data set.

python benchmarks/batch.py --minutes 15 --workers 2           # as many drapes as fit, then packed and read
python benchmarks/batch.py --nothing 100000                   # cells that do nothing, on a Dask cluster here
    python benchmarks/batch.py --kills 20                         # a worker or driver is killed, 20 times
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import toile
from toile.batches.cell import CELLS, Cell, Task, done_keys
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


def megabytes() -> float:
    """Return the most memory that a process of ours took."""
    mine, children = (
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return max(mine, children) / 1024


def timed_batch(minutes: float, workers: int, out: Path) -> None:
    """Print how many cells a minute are done, and how that compares to a plain loop."""
    cells, loop = drapes(334), 6
    start = time.perf_counter()
    for cell in cells[:loop]:
        run(cell.job)
    plain = (time.perf_counter() - start) / loop
    start, done = time.perf_counter(), 0

    def tell(outcome: object, count: int, of: int) -> None:
        nonlocal done
        done += 1

    store = open_store(out, make=True)
    with contextlib.suppress(Cancelled):
        run_batch(
            cells[:1000], store, Local(workers), limits=Limits(), tell=tell,
            cancel=lambda: time.perf_counter() - start > 60 * minutes,
        )  # fmt: skip
    spent = time.perf_counter() - start
    rate = done / spent
    print(f"{done} cells in {spent:.0f} s: {60 * rate:.1f} a minute with {workers} workers")
    print(f"plain loop: {plain:.2f} s a cell; ratio to it {rate * plain:.2f}")
    print(f"most memory of a process: {megabytes():.0f} MB")
    print(status_lines(rows_of(store))[0])


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
    try:
        import duckdb
        import pandas
    except ImportError:
        return
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


def nothing(text: str, url: str) -> str:
    """Do a cell in no time."""
    return json.dumps({"key": Task.read(text).key, "status": "passed"})


def timed_nothing(count: int, workers: int) -> None:
    """Print what a cell costs beside its computation."""
    from distributed import Client, LocalCluster

    class Nowhere:
        url = "/"

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        tasks = (Task(f"{k:064x}", {"job": "dress"}, None, {}) for k in range(count))
        start, mine = time.perf_counter(), time.process_time()
        found = {one.key for one in Cluster(client, nothing)(tasks, Nowhere(), lambda: False)}
        spent, used = time.perf_counter() - start, time.process_time() - mine
    print(f"{len(found)} cells of {count}: {1000 * spent / count:.2f} ms each")
    print(f"processor of the driver and the scheduler, which are one here: {1000 * used / count:.2f} ms each")


DRIVER = """
import sys
sys.path.insert(0, sys.argv[2])
from batch import drapes
from toile.batches.run import Local, run_batch
from toile.batches.store import open_store
store = open_store(sys.argv[1], make=True)
run_batch(drapes(4, 0.05), store, Local(2), tell=lambda *a: print(a[1], flush=True))
"""


def contents(folder: Path) -> dict[str, str]:
    """Return name → checksum of all results."""
    files = (path for path in (folder / CELLS).rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def kills(count: int, out: Path) -> None:
    """Kill a worker process or the driver in mid-task, again and again; compare with a serial run."""
    serial = out / "serial"
    run_batch(drapes(4, 0.05), open_store(serial, make=True), Local(1))
    wanted, chance, killed, rounds = contents(serial), random.Random(0), {"worker": 0, "driver": 0}, 0
    while sum(killed.values()) < count:
        folder, rounds = out / f"round{rounds}", rounds + 1
        while len(done_keys(open_store(folder, make=True))) < len(drapes(4, 0.05)):
            command = [sys.executable, "-c", DRIVER, str(folder), str(Path(__file__).parent)]
            driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            while driver.poll() is None and sum(killed.values()) < count:
                time.sleep(chance.uniform(1.0, 4.0))
                _kill_one(driver, chance, killed)
            driver.wait()
        same = contents(folder) == wanted
        print(f"round {rounds}: {killed}, every cell once and the same bytes: {same}", flush=True)
        if not same:
            raise SystemExit(1)
        shutil.rmtree(folder)


def _kill_one(driver: subprocess.Popen[str], chance: random.Random, killed: dict[str, int]) -> None:
    children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children")
    workers = [int(word) for word in children.read_text().split()] if children.exists() else []
    if workers and chance.random() < 0.7:
        os.kill(chance.choice(workers), signal.SIGKILL)
        killed["worker"] += 1
    elif driver.poll() is None:
        driver.kill()
        killed["driver"] += 1


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--nothing", type=int, default=0)
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="toile-batch-") as folder:
        if options.minutes:
            timed_batch(options.minutes, options.workers, Path(folder) / "out")
            timed_data(Path(folder) / "out", Path(folder) / "data")
        if options.nothing:
            timed_nothing(options.nothing, options.workers)
        if options.kills:
            kills(options.kills, Path(folder))


if __name__ == "__main__":
    main()
