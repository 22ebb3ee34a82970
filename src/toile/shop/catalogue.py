"""The catalogue: garments as they are kept, and as the pages see them, held ready in memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.engine import RowMapping

from toile.shop.messages import Catalogue, ColourWay, Filters, Garment, Picture
from toile.shop.schema import garments, pictures
from toile.shop.shop import Shop
from toile.shop.starting_catalogue import FABRIC_WORDS, GARMENTS

FRESH = 1.0
"""another server's changes are seen after so long [s]"""
KEPT_ANSWERS = 500


def seed(connection: Connection) -> None:
    """Fill an empty catalogue."""
    if connection.execute(select(func.count()).select_from(garments)).scalar_one():
        return
    for position, content in enumerate(GARMENTS):
        connection.execute(
            insert(garments).values(
                id=content["id"], position=position, published=True, content=json.dumps(content)
            )
        )


def picture_message(row: RowMapping) -> Picture:
    """Return a picture's row as the pages see it."""
    return Picture(
        body=row["body"], colour=row["colour"], view=row["view"], url=f"/api/pictures/{row['hash']}.jpg",
        width=row["width"], height=row["height"],
    )  # fmt: skip


def garment_message(content: Mapping[str, Any], rows: list[RowMapping]) -> Garment:
    """Return a garment as the pages see it."""
    fabric = str(content["fabric"])
    return Garment(
        id=content["id"], name=content["name"], text=content["text"], kind=content["kind"],
        layer=content["layer"], fabric=fabric, fabric_words=FABRIC_WORDS.get(fabric, fabric),
        price=content["price"], currency=content["currency"], sizes=content["sizes"],
        colours=[ColourWay(**way) for way in content["colours"]],
        pictures=[picture_message(row) for row in rows], sex=content["sex"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a visitor filters by; empty: everything."""

    kind: str = ""
    sex: str = ""
    colour: str = ""
    size: str = ""
    fabric: str = ""
    low: int = 0
    high: int = 0
    text: str = ""
    order: str = "shop"

    def takes(self, garment: Garment) -> bool:
        """Say whether a garment passes."""
        words = f"{garment.name} {garment.text} {garment.fabric}".lower()
        return (
            self.kind in ("", garment.kind)
            and (not self.sex or garment.sex in (self.sex, "all"))
            and (not self.colour or any(self.colour == way.id for way in garment.colours))
            and (not self.size or self.size in garment.sizes)
            and self.fabric in ("", garment.fabric)
            and garment.price >= self.low
            and (not self.high or garment.price <= self.high)
            and self.text.lower() in words
        )


class CatalogueView:
    """All published garments in memory, read again when something changed."""

    def __init__(self, shop: Shop) -> None:
        self._shop, self._lock = shop, threading.Lock()
        self._read_at, self._stamp = -1e9, ""
        self._garments: dict[str, Garment] = {}
        self._contents: dict[str, dict[str, Any]] = {}
        self._answers: dict[Wanted, bytes] = {}

    def refresh(self, *, now: bool = False) -> None:
        """Read the garments again if they may have changed."""
        if not now and self._shop.now() - self._read_at < FRESH:
            return
        with self._lock:
            if not now and self._shop.now() - self._read_at < FRESH:
                return
            self._read()
            self._read_at = self._shop.now()

    def _read(self) -> None:
        with self._shop.reader.connect() as connection:
            rows = list(
                connection.execute(select(garments).order_by(garments.c.position, garments.c.id)).mappings()
            )
            shots = list(
                connection.execute(select(pictures).order_by(pictures.c.body, pictures.c.colour)).mappings()
            )
        stamp = repr([tuple(r.values()) for r in rows]) + repr([r["hash"] for r in shots])
        if stamp == self._stamp:
            return
        of_each: dict[str, list[RowMapping]] = {}
        for shot in shots:
            of_each.setdefault(shot["garment_id"], []).append(shot)
        contents = {row["id"]: json.loads(row["content"]) for row in rows}
        shown = {row["id"] for row in rows if row["published"]}
        self._contents = contents
        self._garments = {
            key: garment_message(content, of_each.get(key, []))
            for key, content in contents.items()
            if key in shown
        }
        self._stamp, self._answers = stamp, {}

    def garment(self, key: str) -> Garment | None:
        """Return a published garment; None: there is none."""
        self.refresh()
        return self._garments.get(key)

    def content(self, key: str) -> dict[str, Any] | None:
        """Return a garment as it is kept, published or not."""
        self.refresh()
        return self._contents.get(key)

    def answer(self, wanted: Wanted) -> bytes:
        """Return the catalogue as JSON, as it was when it was last read: nobody waits for the database."""
        if (ready := self._answers.get(wanted)) is None:
            ready = self._catalogue(wanted).model_dump_json().encode()
            if len(self._answers) < KEPT_ANSWERS:
                self._answers[wanted] = ready
        return ready

    def _catalogue(self, wanted: Wanted) -> Catalogue:
        everything = list(self._garments.values())
        found = [garment for garment in everything if wanted.takes(garment)]
        if wanted.order == "price":
            found.sort(key=lambda garment: garment.price)
        elif wanted.order == "price_down":
            found.sort(key=lambda garment: -garment.price)
        prices = [garment.price for garment in everything] or [0]
        ways = {way.id: way for garment in everything for way in garment.colours}
        filters = Filters(
            kinds=list(dict.fromkeys(garment.kind for garment in everything)),
            fabrics=sorted({garment.fabric for garment in everything}),
            sizes=sorted({size for garment in everything for size in garment.sizes}),
            colours=list(ways.values()),
            price_low=min(prices),
            price_high=max(prices),
        )
        return Catalogue(garments=found, total=len(found), filters=filters)
