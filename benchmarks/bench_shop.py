"""Load on the loopback: catalogue requests, viewers who stream a walk, two outfits always being sewn.

    python benchmarks/bench_shop.py --seconds 60
    python benchmarks/bench_shop.py --seconds 600 --rate 500       # is the memory flat?

Wanted: p99 of the catalogue ≤ 50 ms at 500 requests/s, 20 viewers at 30 frames a second, no 5xx, memory flat.
First it tells what one visitor waits for: the first picture, a new drape, four seconds of walking.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import struct
import sys
import tempfile
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from shop_server import ShopServer, Visitor, wait_for

CONNECTIONS = 32
PATHS = ("/api/catalogue", "/api/catalogue?kind=skirt", "/api/catalogue?sex=female&order=price")
FPS, SECONDS = 30.0, 4.0
"""of the walk that the viewers watch"""
FABRICS = ("linen", "silk", "viscose", "polyester", "cotton", "wool")


@dataclass
class Seen:
    """What was measured."""

    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    frames: int = 0
    late: int = 0
    plays: int = 0
    memory: list[float] = field(default_factory=list)
    spent: float = 0.0
    """by the server [s of a processor]"""


class Connection:
    """As much of HTTP/1.1 as a benchmark needs; it costs little of the time that is measured."""

    def __init__(self, address: str, cookie: str = "") -> None:
        self._host, self._port = urlsplit(address).hostname, urlsplit(address).port
        self._lines = f" HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nCookie: {cookie}\r\n\r\n"

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port)

    async def get(self, path: str) -> tuple[int, int]:
        """Ask; return status and length of what follows."""
        self._writer.write(f"GET {path}{self._lines}".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = head.split(b"content-length: ")[1].split(b"\r\n")[0]
        return int(head.split(b" ", 2)[1]), int(length)

    async def read(self, most: int) -> bytes:
        return await self._reader.read(most)

    async def rest(self, length: int) -> bytes:
        return await self._reader.readexactly(length)


def resident(pid: int) -> float:
    """Return the memory of a process [MB]."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor(pid: int) -> float:
    """Return the processor time that a process took so far [s]."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def frame_ends(data: bytes) -> list[int]:
    """Return after how many bytes of a recording each of its frames can be shown."""
    tool, content, ends, at = zlib.decompressobj(31), b"", [], 12
    for start in range(0, len(data), 512):
        content += tool.decompress(data[start : start + 512])
        while at + 12 <= len(content) and at + 12 + (length := _length(content, at)) <= len(content):
            if content[at : at + 4] == b"FRAM":
                ends += [min(start + 512, len(data))] * _frames(content, at)
            at += 12 + length
    return ends


def _length(content: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", content, at + 4)[0])


def _frames(content: bytes, at: int) -> int:
    (size,) = struct.unpack_from("<I", content, at + 12)
    entries = json.loads(content[at + 16 : at + 16 + size])["arrays"]
    return int(next(entry for entry in entries if entry["name"] == "cloth")["shape"][0])


async def asker(address: str, first: int, start: float, seconds: float, rate: float, seen: Seen) -> None:
    """Ask for the catalogue at a steady rate; times count from when each request was due."""
    connection, number = Connection(address), first
    await connection.open()
    while (due := start + number / rate) < start + seconds:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        status, length = await connection.get(PATHS[number % len(PATHS)])
        await connection.rest(length)
        seen.times.append(time.monotonic() - due)
        seen.statuses[status] += 1
        number += CONNECTIONS


async def viewer(address: str, cookie: str, path: str, ends: list[int], until: float, seen: Seen) -> None:
    """Stream a walk again and again; a frame that is not there when it is due is late."""
    connection = Connection(address, cookie)
    await connection.open()
    while (start := time.monotonic()) < until:
        status, length = await connection.get(path)
        seen.statuses[status] += 1
        arrived, got = [], 0
        while got < length:
            got += len(await connection.read(min(1 << 16, length - got)))
            arrived.append((got, time.monotonic()))
        counts = np.array([count for count, _ in arrived])
        there = np.array([when for _, when in arrived])[np.searchsorted(counts, ends)]
        due = there[0] + np.arange(len(ends)) / FPS
        seen.frames += len(ends)
        seen.late += int((there > due).sum())
        seen.plays += 1
        await asyncio.sleep(max(0.0, start + SECONDS - time.monotonic()))


def sewn_forever(visitor: Visitor, until: float, busy: list[int]) -> None:
    """Keep both workers busy: ask for outfits that nobody had."""
    number, mine = 0, []
    while time.monotonic() < until:
        mine = [
            key
            for key in mine
            if visitor.get(f"/api/tryons/{key}").json()["work"]["state"] in ("queued", "running")
        ]
        while len(mine) < 3:
            fabric, size = FABRICS[number % len(FABRICS)], ("40", "42", "44")[number // len(FABRICS) % 3]
            wear = [
                {"garment_id": "shirt", "size": "40", "fabric": fabric},
                {"garment_id": "coat", "size": size},
            ]
            mine.append(visitor.post("/api/tryons", json={"body_id": "woman", "wear": wear}).json()["id"])
            number += 1
        busy.append(len(mine))
        time.sleep(0.5)


async def load(server: ShopServer, path: str, ends: list[int], options: Any, seen: Seen) -> list[int]:
    """Let everybody come at once."""
    watching, sewing, busy = server.visitor(), server.visitor(), []
    start = time.monotonic() + 1.0
    until = start + options.seconds
    cookie = f"toile_visitor={watching.cookies['toile_visitor']}"

    async def measured() -> None:
        while time.monotonic() < until:
            seen.memory.append(resident(server.process.pid))
            await asyncio.sleep(max(1.0, options.seconds / 60))

    await asyncio.gather(
        asyncio.to_thread(sewn_forever, sewing, until, busy),
        measured(),
        *(asker(server.address, k, start, options.seconds, options.rate, seen) for k in range(CONNECTIONS)),
        *(viewer(server.address, cookie, path, ends, until, seen) for _ in range(options.viewers)),
    )
    return busy


def first(visitor: Visitor, tryon: dict[str, Any], name: str, start: float) -> float:
    """Return how long it took until a file of a job began to grow [s]."""
    path = f"/api/tryons/{tryon['id']}"
    wait_for(lambda: any(f["name"] == name for f in visitor.get(path).json()["work"]["files"]), 120, 0.02)
    return time.monotonic() - start


def one_visitor(server: ShopServer) -> tuple[str, bytes]:
    """Tell what one visitor waits for; return the address of a walk for everybody, and its bytes."""
    visitor = server.visitor()
    # garments hang on standard bodies beforehand; this takes that time away from the visitor's
    body = visitor.post("/api/bodies", json={"sex": "female", "measures": {"height": 1.74, "waist": 0.78}})
    start = time.monotonic()
    tryon = visitor.try_on("tshirt", body=body.json()["id"])
    print(f"sewing begins to be seen after {first(visitor, tryon, 'sewing-1.play', start):.2f} s", end=", ")
    tryon = visitor.until(tryon, "done", "failed")
    print(f"a new drape on a new body after {time.monotonic() - start:.2f} s (T-shirt)")
    start = time.monotonic()
    path = f"/api/tryons/{tryon['id']}"
    work = visitor.post(f"{path}/motions", json={"act": "walk", "seconds": SECONDS}).json()
    with visitor.stream("GET", f"{path}/works/{work['id']}/walk.play") as answer:
        if answer.status_code == 200:
            next(answer.iter_raw())
    wait_for(lambda: visitor.get(f"{path}/works/{work['id']}").json()["progress"] > 0, 60, 0.02)
    print(f"a walk begins after {time.monotonic() - start:.2f} s", end=", ")
    wait_for(lambda: visitor.get(f"{path}/works/{work['id']}").json()["state"] == "done", 120, 0.05)
    data = visitor.get(f"{path}/works/{work['id']}/walk.play").content
    print(f"{SECONDS:g} s of it are made after {time.monotonic() - start:.2f} s: {len(data) / 1e6:.2f} MB")
    token = visitor.post(f"{path}/share", json={"motions": True}).json()["token"]
    shared = visitor.get(f"/api/shared/{token}").json()["files"]
    return next(file["url"] for file in shared if file["name"] == "walk.play"), data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=500.0, help="catalogue requests a second")
    parser.add_argument("--viewers", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        server = ShopServer(Path(place) / "shop", "--workers", "2", "--rate", "0", TOILE_SHOP_EDGE="0.018")
        try:
            server.ready()
            print(f"{os.cpu_count()} processors, load before {os.getloadavg()[0]:.1f}")
            path, data = one_visitor(server)
            seen, spent = Seen(), time.process_time()
            before = processor(server.process.pid)
            busy = asyncio.run(load(server, path, frame_ends(data), options, seen))
            seen.spent = processor(server.process.pid) - before
            told(seen, busy, options, time.process_time() - spent)
        finally:
            server.close()


def told(seen: Seen, busy: list[int], options: Any, spent: float) -> None:
    """Print what was measured."""
    ms = 1000 * np.quantile(seen.times, [0.5, 0.99, 1.0])
    print(f"{len(seen.times)} catalogue requests in {options.seconds:.0f} s: "
          f"p50 {ms[0]:.1f}, p99 {ms[1]:.1f}, worst {ms[2]:.1f} ms")  # fmt: skip
    late = 100 * seen.late / max(seen.frames, 1)
    print(f"{options.viewers} viewers: {seen.plays} walks, {seen.frames} frames, {late:.2f} % late")
    print(f"answers {dict(seen.statuses)}; fewest outfits on their way {min(busy)}")
    middle = len(seen.memory) // 2
    halves = [np.mean(part) for part in (seen.memory[:middle], seen.memory[middle:])]
    print(f"memory of the server: {seen.memory[0]:.0f} MB at first, {halves[0]:.1f} and {halves[1]:.1f} "
          f"in the halves, {max(seen.memory):.0f} at most")  # fmt: skip
    print(f"load average {os.getloadavg()[0]:.1f}; the server took {seen.spent:.0f} s of a processor, "
          f"this script {spent:.0f} s")  # fmt: skip


if __name__ == "__main__":
    main()
