"""Many dressings in one process, two contexts at once: memory and threads before, meanwhile and after.

    python benchmarks/bench_contexts.py --count 1000

Each dressing meshes and sews a skirt on a body in a context of its own; all must end in the same bits.
"""

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np

import toile
from toile.sim.dress.sew import SewSettings

HASTY = SewSettings(closing=0.5, relax=0.1, drape=0.1, repair_frames=0)
"""not well draped, but all that a dressing does"""


def resident() -> float:
    """Return the memory that this process holds [MB]."""
    return (
        int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        * os.sysconf("SC_PAGE_SIZE")
        / 1e6
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--edge", type=float, default=0.06, help="of the mesh [m]")
    options = parser.parse_args()
    body = toile.named_body("woman")
    skirt = toile.draft("skirt", body.measurements, length=0.45)

    def dress(_: int) -> str:
        with toile.Context(threads=1):
            dressed = toile.dress([skirt], body, edge_length=options.edge, settings=HASTY)
        return sha256(np.ascontiguousarray(dressed.positions[-1]).tobytes()).hexdigest()

    start, digests = time.perf_counter(), set()
    with ThreadPoolExecutor(2) as callers:
        for done, digest in enumerate(callers.map(dress, range(options.count)), start=1):
            digests.add(digest)
            if done in (10, 50) or done % max(1, options.count // 10) == 0:
                threads = len(os.listdir("/proc/self/task"))
                took = time.perf_counter() - start
                print(
                    f"{done:5d} dressings  {took:6.0f} s  {resident():7.1f} MB  {threads} threads", flush=True
                )
    print(f"{len(digests)} different result(s)")


if __name__ == "__main__":
    main()
