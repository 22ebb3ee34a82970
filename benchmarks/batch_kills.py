"""Batches of which a worker, a node, the scheduler or the driver is killed (kill -9) in mid-task.

    python benchmarks/batch_kills.py --kills 20

Two nodes on this machine, each a Dask nanny with a worker, compute cells that a driver hands out. Something
is killed at a random moment and started again, until all cells are done. Every cell must be there once, with
the bytes of a serial run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from batch import contents, drapes

from dask_nodes import ENVIRONMENT, Nodes, children_of
from toile.batches.cell import done_keys
from toile.batches.report import rows_of, status_lines
from toile.batches.run import Local, run_batch
from toile.batches.store import open_store

PLACES = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "tests" / "support")]
BODIES, EDGE = 4, 0.04
DRIVER = f"""
import sys
sys.path.extend(sys.argv[3:])
from batch import drapes
from distributed import Client
from toile.batches.run import Cluster, run_batch
from toile.batches.store import StoreLost, open_store
with Client(sys.argv[2], timeout=60) as client:
    try:
        run_batch(drapes({BODIES}, {EDGE}), open_store(sys.argv[1], make=True), Cluster(client))
    except StoreLost as error:
        print(error, flush=True)
        sys.exit(3)
"""
LONGEST = 300.0
"""for one round [s]"""


def start_driver(folder: Path, nodes: Nodes) -> subprocess.Popen[bytes]:
    """Start a batch on the nodes."""
    with open(nodes.folder / "driver.log", "ab") as log:
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(folder), nodes.address, *PLACES],
            env=ENVIRONMENT, stdout=log, stderr=log,
        )  # fmt: skip


def kill(what: str, nodes: Nodes, driver: subprocess.Popen[bytes], chance: random.Random) -> None:
    """Kill a part of it; what does not come back by itself is started again."""
    if what == "scheduler":
        nodes.kill(nodes.scheduler)
        nodes.scheduler = nodes.start_scheduler()
    elif what == "driver":
        driver.kill()
    elif what == "node":
        number = chance.randrange(len(nodes.nodes))
        nodes.kill(nodes.nodes[number])
        nodes.nodes[number] = nodes.start_node(number)
    else:
        # a worker of Dask, or the process in which it computes
        below = children_of(chance.choice(nodes.nodes).pid)
        if below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(below), signal.SIGKILL)


def revive(nodes: Nodes) -> None:
    """Start nodes again that ended themselves, as a queue of jobs would."""
    for number, node in enumerate(nodes.nodes):
        if node.poll() is not None:
            nodes.nodes[number] = nodes.start_node(number)


def one_round(folder: Path, wanted: int, kills: list[str], chance: random.Random) -> Counter[str]:
    """Compute a batch while parts of it are killed; return what was killed."""
    folder.mkdir()
    nodes, killed, out = Nodes(folder), Counter[str](), folder / "out"
    end = time.monotonic() + LONGEST
    driver = start_driver(out, nodes)
    try:
        while driver.poll() != 0:
            if time.monotonic() > end:
                raise SystemExit(f"not done after {LONGEST:g} s: {status_lines(rows_of(open_store(out)))}")
            if driver.poll() is not None:
                driver = start_driver(out, nodes)
            time.sleep(chance.uniform(0.5, 4.0))
            revive(nodes)
            begun = out.is_dir() and 0 < len(done_keys(open_store(out))) < wanted
            if begun and kills and driver.poll() is None:
                kill(kills[-1], nodes, driver, chance)
                killed[kills.pop()] += 1
    finally:
        driver.kill()
        driver.wait()
        nodes.close()
    return killed


def main() -> None:
    """Kill, and compare with a serial run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance, total, rounds = random.Random(options.seed), Counter[str](), 0
    kinds = ["worker", "node", "scheduler", "driver"]
    left = [kinds[k % 4] for k in range(options.kills)]
    chance.shuffle(left)
    with tempfile.TemporaryDirectory(prefix="toile-kills-") as name:
        place = Path(name)
        cells = drapes(BODIES, EDGE)
        print(run_batch(cells, open_store(place / "serial", make=True), Local(1)), flush=True)
        wanted = contents(place / "serial")
        while left:
            rounds += 1
            folder = place / f"round{rounds}"
            total += one_round(folder, len(cells), left, chance)
            run_batch(cells, open_store(folder / "out"), Local(1))
            same = contents(folder / "out") == wanted
            print(
                f"round {rounds}: killed {dict(total)}; every cell once, the same bytes: {same}", flush=True
            )
            if not same:
                raise SystemExit(1)
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
