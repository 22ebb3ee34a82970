"""A shop that is killed at any moment: what it acknowledged must be there afterwards, and whole."""

from __future__ import annotations

import io
import os
import random
import signal
import sqlite3
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import httpx
import numpy as np
from PIL import Image

from shop_server import Receiver, ShopServer, Visitor, wait_for
from toile.io.blocks import unpack_blocks

ITEM = {"garment_id": "tshirt", "size": "40", "colour": "white"}
FABRICS, SIZES = ("silk", "linen", "cotton", "wool"), ("36", "38", "40", "42", "44")
OFTEN, LONGER = (0.1, 1.5), (3.0, 6.0)
"""time between start and kill [s]; now and then long enough for jobs to end"""
OWN_BODIES = 12
"""a visitor may have 20: what was checked is deleted from here on"""


@dataclass
class Acknowledged:
    """What the server said it has."""

    orders: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    outfits: list[str] = field(default_factory=list)
    textures: dict[str, str] = field(default_factory=dict)
    """address → SHA-256 of what was served from there"""


def ordering(visitor: Visitor, had: Acknowledged, name: str, number: int) -> None:
    """Order something, and make a body."""
    visitor.post("/api/basket/items", json=ITEM)
    order = visitor.order(f"{name}-{number:04d}")
    if order.status_code == 201:
        had.orders.append(order.json()["number"])
    height = round(random.uniform(1.55, 1.85), 3)
    body = visitor.post("/api/bodies", json={"sex": "female", "measures": {"height": height}})
    if body.status_code == 201:
        had.bodies.append(body.json()["id"])


def trying(visitor: httpx.Client, had: Acknowledged, turn: int, number: int) -> None:
    """Ask for an outfit, a new one each turn, and move in it when it is sewn."""
    size, fabric = SIZES[turn % len(SIZES)], FABRICS[turn // len(SIZES) % len(FABRICS)]
    wear = {"garment_id": "shell-top", "size": size, "fabric": fabric}
    outfit = visitor.post("/api/tryons", json={"body_id": "woman", "wear": [wear]})
    if outfit.status_code != 202:
        time.sleep(0.3)
        return
    had.outfits.append(outfit.json()["id"])
    path = f"/api/tryons/{had.outfits[-1]}"
    while visitor.get(path).json()["work"]["state"] in ("queued", "running"):
        time.sleep(0.1)
    visitor.post(f"{path}/motions", json={"act": "turn", "seconds": 0.5})
    time.sleep(0.3)


def uploading(merchant: httpx.Client, had: Acknowledged, number: int) -> None:
    """Upload a picture that nobody else has."""
    file = io.BytesIO()
    pixels = np.random.default_rng(number).integers(0, 255, (64, 64, 3), np.uint8)
    Image.fromarray(pixels).save(file, "PNG")
    answer = merchant.post("/api/merchant/textures", content=file.getvalue())
    if answer.status_code == 201:
        # its address holds the hash of its content
        url = answer.json()["url"]
        had.textures[url] = url.rpartition("/")[2].partition(".")[0]


def repeated(act: Callable[[int], None], stop: threading.Event) -> threading.Thread:
    """Do something again and again until told to stop, whatever the server does meanwhile."""

    def run() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                act(number)
            except (httpx.HTTPError, ValueError):
                time.sleep(0.02)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def busy(
    server: ShopServer, visitor: Visitor, had: Acknowledged, seed: int, turn: int, seconds: float
) -> None:
    """Order, upload and try on, all at once, for so long and until the server is killed."""
    stop = threading.Event()
    with server.merchant() as merchant, same(server, visitor) as other:
        acts = (
            lambda number: ordering(visitor, had, f"round-{seed}-{turn}", number),
            lambda number: trying(other, had, turn, number),
            lambda number: uploading(merchant, had, (seed * 1000 + turn) * 1000 + number),
        )
        threads = [repeated(act, stop) for act in acts]
        time.sleep(seconds)
        server.kill()
        stop.set()
        for thread in threads:
            thread.join()


def same(server: ShopServer, visitor: Visitor) -> httpx.Client:
    """Return a second connection of the same visitor."""
    return httpx.Client(base_url=server.address, cookies=visitor.cookies, headers=visitor.headers, timeout=60)


def check(visitor: Visitor, had: Acknowledged) -> None:
    """Find everything that was acknowledged, whole."""
    mine = {order["number"] for order in visitor.get("/api/orders").json()["items"]}
    assert set(had.orders[-50:]) <= mine
    own = {body["id"]: body for body in visitor.get("/api/bodies").json()["own"]}
    assert set(had.bodies) <= own.keys()
    for key in had.bodies[-5:]:
        data = visitor.get(own[key]["vertices_url"]).content
        (length,) = struct.unpack_from("<I", data)
        assert len(data) > length + 70_000
    known = {item["id"]: item for item in visitor.get("/api/tryons").json()["items"]}
    assert set(had.outfits[-30:]) <= known.keys()
    for item in [item for item in known.values() if item["work"]["state"] == "done"][:4]:
        whole_outfit(visitor, item)
    for url, digest in list(had.textures.items())[-20:]:
        assert sha256(visitor.get(url).content).hexdigest() == digest


def whole_outfit(visitor: Visitor, outfit: dict[str, object]) -> None:
    """Read all files of an outfit that is said to be done."""
    for file in outfit["work"]["files"]:  # type: ignore[index]
        answer = visitor.get(file["url"])
        assert (answer.status_code, len(answer.content)) == (200, file["bytes"])
        if file["kind"] == "recording":
            blocks = unpack_blocks(answer.content)
            frames = sum(len(block.arrays["cloth"]) for block in blocks[1:])
            assert frames == blocks[0].meta["frames"]


def kill_workers(server: ShopServer, dice: random.Random) -> None:
    """Kill one of the server's processes, or all that sew."""
    workers = server.workers()
    for worker in workers if dice.random() < 0.5 else workers[:1]:
        os.kill(worker, signal.SIGKILL)


def killed_often(
    folder: Path, kills: int, seed: int, *options: str, told: Callable[[int], None] = lambda count: None
) -> dict[str, float]:
    """Kill a server so many times (every third time its workers first), check after each; return figures."""
    dice, receiver, had = random.Random(seed), Receiver(), Acknowledged()
    server = ShopServer(folder, "--workers", "1", "--rate", "0", *options)
    everything: set[str] = set()
    try:
        server.ready()
        with server.merchant() as merchant:
            merchant.post("/api/merchant/webhooks", json={"url": receiver.url}).raise_for_status()
        visitor = server.visitor()
        for number in range(kills):
            seconds = dice.uniform(*(LONGER if number % 5 == 4 else OFTEN))
            if number % 3 == 2:
                timer = threading.Timer(0.6 * seconds, kill_workers, (server, dice))
                timer.start()
            busy(server, visitor, had, seed, number, seconds)
            server.start()
            visitor.base_url = httpx.URL(server.address)
            check(visitor, had)
            everything |= set(had.orders)
            forget_checked(visitor, had)
            told(number + 1)
        ended = all_ended(visitor, had)
        # an order whose acknowledgement was lost has come through as well: the customer sees it
        mine = {order["number"] for order in visitor.get("/api/orders").json()["items"]}
        wait_for(lambda: everything | mine <= set(receiver.orders()), 120.0)
        found = receiver.orders()
        assert len(found) == len(set(found))
        whole_files(folder)
        return {
            "kills": kills, "orders": len(found), "messages": len(receiver.got), "outfits": len(had.outfits),
            "textures": len(had.textures), **ended,
        }  # fmt: skip
    finally:
        server.close()
        receiver.close()


def forget_checked(visitor: Visitor, had: Acknowledged) -> None:
    """Delete bodies that were found again, for a visitor may have only so many."""
    if len(had.bodies) > OWN_BODIES:
        for key in had.bodies:
            visitor.delete(f"/api/bodies/{key}").raise_for_status()
        had.bodies.clear()


def all_ended(visitor: Visitor, had: Acknowledged) -> dict[str, int]:
    """Wait until every acknowledged outfit came to an end, whichever; count the ends."""

    def states() -> dict[str, int]:
        count: dict[str, int] = {}
        for item in visitor.get("/api/tryons").json()["items"]:
            for work in (item["work"], *item["motions"]):
                count[work["state"]] = count.get(work["state"], 0) + 1
        return count

    return dict(wait_for(lambda: (found := states()).keys() <= {"done", "failed"} and found, 300.0))


def whole_files(folder: Path) -> None:
    """Compare every stored file with its name, and with the database if that lies in the folder."""
    names = set()
    for path in (folder / "files").glob("??/*"):
        if not path.name.startswith("."):
            assert sha256(path.read_bytes()).hexdigest() == path.name
            names.add(path.name)
    if (folder / "shop.sqlite").exists():
        database = sqlite3.connect(folder / "shop.sqlite")
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        named = {row[0] for row in database.execute("SELECT hash FROM files")}
        assert named <= names
