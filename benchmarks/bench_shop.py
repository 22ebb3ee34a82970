"""Load on the loopback: catalogue requests while two outfits are sewn, and viewers who stream a recording.

    python benchmarks/bench_shop.py --seconds 20 --rate 500

Wanted: p99 of the catalogue ≤ 50 ms at 500 requests/s, no 5xx, memory flat.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from shop_server import ShopServer

CONNECTIONS, VIEWERS = 32, 20
PATHS = ("/api/catalogue", "/api/catalogue?kind=skirt", "/api/catalogue?sex=female&order=price")


def resident(pid: int) -> float:
    """Return the memory of a process [MB]."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


async def asked(address: str, seconds: float, rate: float) -> tuple[list[float], dict[int, int]]:
    """Ask at a steady rate; return times from when each request was due [s], and answers by status."""
    times, statuses = [], {}
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=30) as client:
        start = time.monotonic()

        async def asker(first: int) -> None:
            number = first
            while (due := start + number / rate) < start + seconds:
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                answer = await client.get(PATHS[number % len(PATHS)])
                times.append(time.monotonic() - due)
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
                number += CONNECTIONS

        await asyncio.gather(*(asker(k) for k in range(CONNECTIONS)))
    return times, statuses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=500.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        server = ShopServer(Path(place) / "shop", "--workers", "2", "--rate", "0", TOILE_SHOP_EDGE="0.018")
        try:
            server.ready()
            visitor = server.visitor()
            asyncio.run(asked(server.address, 2.0, 100.0))
            before = resident(server.process.pid)
            # enough work for both workers as long as it is measured
            works = [visitor.try_on("coat", "shirt"), visitor.try_on("hooded-jacket", "trousers")]
            times, statuses = asyncio.run(asked(server.address, options.seconds, options.rate))
            ms = 1000 * np.quantile(times, [0.5, 0.99, 1.0])
            print(f"{len(times)} requests at {options.rate:.0f}/s")
            print(f"p50 {ms[0]:.1f}, p99 {ms[1]:.1f}, worst {ms[2]:.1f} ms")
            print(f"answers {statuses}; memory {before:.0f} to {resident(server.process.pid):.0f} MB")
            states = [visitor.get(f"/api/tryons/{work['id']}").json()["work"]["state"] for work in works]
            print(f"outfits meanwhile: {states}")
        finally:
            server.close()


if __name__ == "__main__":
    main()
