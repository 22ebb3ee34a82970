"""Pictures of the catalogue: rendered by us on several bodies, as jobs that anybody's try-on goes before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.engine import RowMapping

from toile.shop.bodies import owner_of
from toile.shop.queue import LATER, Kind, add_job, cancel
from toile.shop.schema import garments, jobs, pictures
from toile.shop.shop import Shop, file_of, keep_file
from toile.shop.tryons import _write

WANTED_BODIES = {
    "female": ("woman", "woman-petite", "woman-curvy"),
    "male": ("man", "man-broad"),
    "all": ("woman", "man"),
}
"""sex that a garment is for → bodies that it is shown on"""
SIZE = (600, 800)
"""of a picture [pixels]"""


def want_pictures(
    shop: Shop, connection: Connection, garment_id: str | None = None, *, again: bool = False
) -> int:
    """Ask for the pictures that are missing, of one garment or of all; return how many drapes that takes."""
    every = select(garments).order_by(garments.c.position)
    chosen = every if garment_id is None else every.where(garments.c.id == garment_id)
    made = {(row["garment_id"], row["body"]) for row in connection.execute(select(pictures)).mappings()}
    open_ = (jobs.c.kind == "drape_pictures", jobs.c.state.in_(("queued", "running", "failed")))
    asked: dict[tuple[str, str], str] = {}
    for row in connection.execute(select(jobs).where(*open_)).mappings():
        request = json.loads(row["request"])
        asked[request["garment_id"], request["body"]] = row["state"]
    rows = list(connection.execute(chosen).mappings())
    count = 0
    # first every garment on its first body: a catalogue without gaps comes before one with choice
    for turn in range(max(len(bodies) for bodies in WANTED_BODIES.values())):
        for row in rows:
            content = json.loads(row["content"])
            bodies = WANTED_BODIES[content["sex"]]
            if turn >= len(bodies):
                continue
            key = (row["id"], bodies[turn])
            state = asked.get(key)
            if (not again and (key in made or state is not None)) or state in ("queued", "running"):
                continue
            add_job(
                shop,
                connection,
                "drape_pictures",
                {"garment_id": key[0], "body": key[1]},
                urgency=LATER + turn,
            )
            count += 1
    return count


def cancel_drapes(shop: Shop, connection: Connection, garment_id: str) -> None:
    """Stop the drapes of a garment that is no longer sold."""
    open_ = (jobs.c.kind == "drape_pictures", jobs.c.state.in_(("queued", "running")))
    for row in connection.execute(select(jobs).where(*open_)).mappings().all():
        if json.loads(row["request"])["garment_id"] == garment_id:
            cancel(shop, connection, row["id"])


def _prepare(shop: Shop, row: RowMapping, folder: Path) -> dict[str, Any]:
    request: dict[str, Any] = json.loads(row["request"])
    with shop.reader.connect() as connection:
        found = connection.execute(
            select(garments.c.content).where(garments.c.id == request["garment_id"])
        ).scalar_one()
    content = json.loads(found)
    _write(shop, owner_of(request["body"]), "body.toile", folder / "body.toile")
    if content["pattern"]:
        _write(shop, f"pattern:{content['pattern']}", "pattern", folder / f"{content['pattern']}.pattern")
    for way in content["colours"]:
        if way.get("image_url"):
            digest = way["image_url"].rpartition("/")[2].partition(".")[0]
            (folder / f"{digest}.png").write_bytes(shop.storage.get(digest))
    return {**request, "content": content, "size": SIZE, "edge": shop.settings.edge}


def _finish(
    shop: Shop, connection: Connection, row: RowMapping, result: dict[str, Any], folder: Path
) -> None:
    request = json.loads(row["request"])
    garment_id, body = request["garment_id"], request["body"]
    if connection.execute(select(garments.c.id).where(garments.c.id == garment_id)).first() is None:
        return
    owner = f"drape:{garment_id}:{body}"
    connection.execute(delete(pictures).where(pictures.c.garment_id == garment_id, pictures.c.body == body))
    for shot in result["pictures"]:
        data = (folder / Path(shot["file"]).name).read_bytes()
        digest = keep_file(shop, connection, owner, shot["file"], data, "image/jpeg")
        connection.execute(
            insert(pictures).values(
                garment_id=garment_id, body=body, colour=shot["colour"], view=shot["view"], hash=digest,
                width=shot["width"], height=shot["height"],
            )
        )  # fmt: skip
    # outfits of visitors begin with it, see nearest_drape
    dressed = (folder / "dressed.toile").read_bytes()
    keep_file(shop, connection, owner, "dressed.toile", dressed, "application/octet-stream")
    data = json.dumps([line[:200] for line in result["problems"][:10]]).encode()
    keep_file(shop, connection, owner, "problems.json", data, "application/json")


def problems_of(shop: Shop, connection: Connection, garment_id: str, body: str) -> list[str]:
    """Return what the audit found in the drape behind a picture."""
    row = file_of(connection, f"drape:{garment_id}:{body}", "problems.json")
    return [] if row is None else list(json.loads(shop.storage.get(row["hash"])))


PICTURES = Kind("picture", _prepare, _finish)
