"""Outfits on bodies: what was asked for, the jobs that sew and move them, and their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.engine import RowMapping

import toile
from toile.core.errors import ToileError
from toile.shop.bodies import may_use_body, owner_of
from toile.shop.catalogue import CatalogueView
from toile.shop.messages import TryOn, Wear
from toile.shop.people import PEOPLE
from toile.shop.problems import RefusedError, missing
from toile.shop.queue import MOST_WAITING, Kind, add_job, keep_results, waiting_of, work_message
from toile.shop.schema import bodies, files, jobs, tryons
from toile.shop.secrets_kept import new_id
from toile.shop.shop import Shop, file_of, files_of, hash_of

LIKE = ("height", "bust", "waist", "hips")
"""measures by which bodies are similar"""


def chosen(view: CatalogueView, wear: list[Wear], sizes: dict[str, str]) -> list[Wear]:
    """Return what is worn with everything decided; sizes: those recommended, by garment."""
    found = []
    for one in wear:
        garment = view.garment(one.garment_id)
        if garment is None:
            raise missing("garment")
        size = one.size or sizes.get(one.garment_id) or garment.sizes[len(garment.sizes) // 2]
        colour = one.colour or garment.colours[0].id
        if size not in garment.sizes:
            raise RefusedError(422, f"{garment.name} does not come in size {size}", place="size")
        if colour not in {way.id for way in garment.colours}:
            raise RefusedError(422, f"{garment.name} does not come in that colour", place="colour")
        found.append(Wear(garment_id=garment.id, size=size, colour=colour, fabric=one.fabric))
    return found


def start_tryon(shop: Shop, view: CatalogueView, visitor_id: str, body_id: str, wear: list[Wear]) -> str:
    """Ask for an outfit to be sewn on a body; return its id."""
    if not may_use_body(shop, visitor_id, body_id):
        raise missing("body")
    parts = []
    for one in wear:
        content = dict(view.content(one.garment_id) or {})
        parts.append({**one.model_dump(), "content": content})
    tryon_id = new_id()
    with shop.engine.begin() as connection:
        if waiting_of(connection, visitor_id) >= MOST_WAITING:
            raise RefusedError(429, "so many of your outfits are still being sewn: wait for one", wait=5.0)
        connection.execute(
            insert(tryons).values(
                id=tryon_id, visitor_id=visitor_id, body_id=body_id, created=shop.now(),
                wear=json.dumps([one.model_dump() for one in wear]),
            )
        )  # fmt: skip
        request = {"body_id": body_id, "wear": parts}
        job_id = add_job(shop, connection, "dress", request, visitor_id=visitor_id, tryon_id=tryon_id)
        take_ready(shop, connection, job_id, visitor_id, request)
    return tryon_id


def ready_owner(shop: Shop, request: dict[str, Any]) -> str | None:
    """Return under which name an outfit on a standard body is kept for everybody; None: somebody's own."""
    if request["body_id"] not in PEOPLE:
        return None
    # what decides how it looks: not its price, not its words
    deciding = ("recipe", "pattern", "seams", "sex", "sizes", "colours", "fabric", "name")
    parts = [
        [one["size"], one["colour"], one["fabric"], *(one["content"][key] for key in deciding)]
        for one in request["wear"]
    ]
    text = json.dumps([toile.__version__, request["body_id"], shop.settings.edge, parts])
    return f"ready:{hash_of(text.encode())[:48]}"


def take_ready(
    shop: Shop, connection: Connection, job_id: str, visitor_id: str, request: dict[str, Any]
) -> None:
    """Finish a job at once whose outfit was sewn before on the same standard body."""
    owner = ready_owner(shop, request)
    found = [] if owner is None else files_of(connection, owner)
    for row in found:
        again = {**row, "id": new_id(), "owner": f"job:{job_id}", "visitor_id": visitor_id}
        connection.execute(insert(files).values(**again))
    if found:
        now = shop.now()
        values = {"state": "done", "stage": "done", "progress": 1.0, "started": now, "finished": now}
        connection.execute(update(jobs).where(jobs.c.id == job_id).values(**values))


def finish_dress(
    shop: Shop, connection: Connection, row: RowMapping, result: dict[str, Any], folder: Path
) -> None:
    """Keep the files of an outfit, for everybody if the body is a standard one."""
    finish_files(shop, connection, row, result, folder)
    owner = ready_owner(shop, json.loads(row["request"]))
    if owner is None or files_of(connection, owner):
        return
    for file in files_of(connection, f"job:{row['id']}"):
        everybody = {**file, "id": new_id(), "owner": owner, "visitor_id": None}
        connection.execute(insert(files).values(**everybody))


def own_tryon(connection: Connection, visitor_id: str, tryon_id: str) -> RowMapping:
    """Return the row of a visitor's outfit; anybody else's is not there."""
    asked = select(tryons).where(tryons.c.id == tryon_id, tryons.c.visitor_id == visitor_id)
    row = connection.execute(asked).mappings().first()
    if row is None:
        raise missing("outfit")
    return row


def tryon_message(shop: Shop, connection: Connection, row: RowMapping) -> TryOn:
    """Return an outfit as the pages see it."""
    found = connection.execute(
        select(jobs).where(jobs.c.tryon_id == row["id"]).order_by(jobs.c.created)
    ).mappings()
    work = [
        work_message(shop, connection, job, f"/api/tryons/{row['id']}/works/{job['id']}") for job in found
    ]
    return TryOn(
        id=row["id"],
        body_id=row["body_id"],
        wear=[Wear(**one) for one in json.loads(row["wear"])],
        work=work[0],
        motions=work[1:],
        created=row["created"],
    )


def dress_job(connection: Connection, tryon_id: str) -> RowMapping:
    """Return the job that sews an outfit."""
    asked = select(jobs).where(jobs.c.tryon_id == tryon_id, jobs.c.kind == "dress")
    return connection.execute(asked).mappings().one()


# ---------------------------------------------------------------------------- what workers get and give


def _write(shop: Shop, owner: str, name: str, path: Path) -> None:
    with shop.reader.connect() as connection:
        row = file_of(connection, owner, name)
    if row is None:
        raise ToileError("what this needs is not there any more: try it on again")
    path.write_bytes(shop.storage.get(row["hash"]))


def prepare_dress(shop: Shop, row: RowMapping, folder: Path) -> dict[str, Any]:
    """Put the body and the patterns of an outfit into the worker's folder."""
    request: dict[str, Any] = json.loads(row["request"])
    _write(shop, owner_of(request["body_id"]), "body.toile", folder / "body.toile")
    for part in request["wear"]:
        if pattern := part["content"].get("pattern"):
            _write(shop, f"pattern:{pattern}", "pattern", folder / f"{pattern}.pattern")
    if len(request["wear"]) == 1 and request["body_id"] not in PEOPLE:
        _lay_out_nearest(shop, request, folder)
    return {**request, "edge": shop.settings.edge}


def _lay_out_nearest(shop: Shop, request: dict[str, Any], folder: Path) -> None:
    """Put the garment as it was sewn on the most similar standard body into the folder, if it was."""
    with shop.reader.connect() as connection:
        asked = select(bodies.c.content).where(bodies.c.id == request["body_id"])
        content = connection.execute(asked).scalar()
        if content is None:
            return
        own, best, found = json.loads(content)["measures"], float("inf"), None
        for name in PEOPLE:
            row = file_of(connection, f"drape:{request['wear'][0]['garment_id']}:{name}", "dressed.toile")
            about = file_of(connection, owner_of(name), "about.json")
            if row is None or about is None:
                continue
            other = json.loads(shop.storage.get(about["hash"]))["measures"]
            apart = sum((own[k] - other[k]) ** 2 for k in LIKE if k in own and k in other)
            if apart < best:
                best, found = apart, row["hash"]
    if found is not None:
        (folder / "predraped.toile").write_bytes(shop.storage.get(found))


def prepare_move(shop: Shop, row: RowMapping, folder: Path) -> dict[str, Any]:
    """Put a dressed body into the worker's folder."""
    with shop.reader.connect() as connection:
        job = dress_job(connection, row["tryon_id"])
    request: dict[str, Any] = json.loads(row["request"])
    name = "stood.toile" if request["act"] == "live" else "dressed.toile"
    _write(shop, f"job:{job['id']}", name, folder / name)
    return request


def finish_files(
    shop: Shop, connection: Connection, row: RowMapping, result: dict[str, Any], folder: Path
) -> None:
    """Keep the files of a job."""
    keep_results(shop, connection, row, result["files"], folder)


DRESS = Kind("dress", prepare_dress, finish_dress)
MOVE = Kind("move", prepare_move, finish_files)
