"""A shop that is killed at any moment: what it acknowledged must be there afterwards, and whole."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import struct
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from shop_server import Receiver, ShopServer, Visitor, wait_for

ITEM = {"garment_id": "tshirt", "size": "40", "colour": "white"}


@dataclass
class Acknowledged:
    """What the server said it has."""

    orders: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    outfits: list[str] = field(default_factory=list)


def busy(visitor: Visitor, had: Acknowledged, stop: threading.Event, name: str) -> None:
    """Order, upload and try on until the server is gone."""
    number = 0
    while not stop.is_set():
        number += 1
        try:
            visitor.post("/api/basket/items", json=ITEM)
            order = visitor.order(f"{name}-{number:04d}")
            if order.status_code == 201:
                had.orders.append(order.json()["number"])
            height = round(random.uniform(1.55, 1.85), 3)
            body = visitor.post("/api/bodies", json={"sex": "female", "measures": {"height": height}})
            if body.status_code == 201:
                had.bodies.append(body.json()["id"])
            wear = [{"garment_id": "shell-top", "size": "40"}]
            outfit = visitor.post("/api/tryons", json={"body_id": "woman", "wear": wear})
            if outfit.status_code == 202:
                had.outfits.append(outfit.json()["id"])
        except (httpx.HTTPError, ValueError):
            time.sleep(0.02)


def same_visitor(server: ShopServer, visitor: Visitor) -> None:
    """Let a visitor go on with a server that was started again, at its new address."""
    visitor.base_url = httpx.URL(server.address)


def check(server: ShopServer, visitor: Visitor, had: Acknowledged) -> None:
    """Find everything that was acknowledged, whole."""
    mine = {order["number"] for order in visitor.get("/api/orders").json()["items"]}
    assert set(had.orders[-100:]) <= mine
    own = {body["id"]: body for body in visitor.get("/api/bodies").json()["own"]}
    assert set(had.bodies) <= own.keys()
    for key in had.bodies[-5:]:
        data = visitor.get(own[key]["vertices_url"]).content
        (length,) = struct.unpack_from("<I", data)
        assert len(data) > length + 70_000
    known = {item["id"] for item in visitor.get("/api/tryons").json()["items"]}
    assert set(had.outfits[-30:]) <= known


def killed_often(folder: Path, kills: int, seed: int, *options: str) -> dict[str, float]:
    """Kill a server so many times (every third time a worker) and check after each; return figures."""
    dice, receiver, had = random.Random(seed), Receiver(), Acknowledged()
    server = ShopServer(folder, "--workers", "1", "--rate", "0", *options)
    try:
        server.ready()
        with server.merchant() as merchant:
            merchant.post("/api/merchant/webhooks", json={"url": receiver.url}).raise_for_status()
        visitor, kept = server.visitor(), Acknowledged()
        for number in range(kills):
            stop = threading.Event()
            thread = threading.Thread(target=busy, args=(visitor, had, stop, f"round-{seed}-{number}"))
            thread.start()
            time.sleep(dice.uniform(0.1, 1.5))
            if number % 3 == 2:
                for worker in server.workers():
                    os.kill(worker, signal.SIGKILL)
                time.sleep(0.2)
            server.kill()
            stop.set()
            thread.join()
            server.start()
            same_visitor(server, visitor)
            check(server, visitor, had)
            if len(had.bodies) > 12:
                # a visitor may have 20 bodies: what was checked may go
                for key in had.bodies:
                    visitor.delete(f"/api/bodies/{key}")
                had.bodies.clear()
            kept.orders += had.orders
        everything = sorted(set(kept.orders))
        # unacknowledged orders may have come through as well: the customer sees them
        mine = sorted(order["number"] for order in visitor.get("/api/orders").json()["items"])
        wait_for(lambda: set(everything) | set(mine) <= set(receiver.orders()), 120.0)
        found = receiver.orders()
        assert len(found) == len(set(found))
        sent = [headers["Idempotency-Key"] for headers, _ in receiver.got]
        whole_files(folder)
        return {"kills": kills, "orders": len(found), "messages": len(sent), "outfits": len(had.outfits)}
    finally:
        server.close()
        receiver.close()


def whole_files(folder: Path) -> None:
    """Compare every stored file with its name, and with the database if that lies in the folder."""
    from hashlib import sha256

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
