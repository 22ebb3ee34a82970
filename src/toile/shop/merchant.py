"""What the merchant changes: garments, their pictures, receivers; and the catalogue as one file."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.engine import RowMapping

from toile.core.errors import ToileError
from toile.garment.fabric import FABRICS
from toile.pattern.drafts.library import draft_again
from toile.shop.catalogue import CatalogueView, garment_message
from toile.shop.merchant_messages import DrapePicture, Imported, MerchantGarment, NewGarment
from toile.shop.pictures import WANTED_BODIES, cancel_drapes, problems_of
from toile.shop.problems import RefusedError, missing
from toile.shop.schema import files, garments, jobs, patterns, pictures
from toile.shop.shop import Shop, drop_files, keep_file, remove_unused

MOST_GARMENTS = 2000
LARGEST_ENTRY, MOST_ENTRIES = 20_000_000, 5000
HUMAN = {"height": 1.68, "bust": 0.92, "waist": 0.76, "hips": 1.0}


def merchant_garment(shop: Shop, connection: Connection, row: RowMapping) -> MerchantGarment:
    """Return a garment as its merchant sees it."""
    content = json.loads(row["content"])
    asked = (
        select(pictures)
        .where(pictures.c.garment_id == row["id"])
        .order_by(pictures.c.body, pictures.c.colour)
    )
    shots = list(connection.execute(asked).mappings())
    return MerchantGarment(
        garment=garment_message(content, shots), published=row["published"], pattern=content["pattern"],
        recipe=content["recipe"], drapes=_drapes(shop, connection, row["id"], shots, content["sex"]),
    )  # fmt: skip


def _drapes(
    shop: Shop, connection: Connection, garment_id: str, shots: list[RowMapping], sex: str
) -> list[DrapePicture]:
    found = []
    done = {shot["body"]: shot["hash"] for shot in shots}
    asked = select(jobs).where(jobs.c.kind == "drape_pictures").order_by(jobs.c.created)
    latest: dict[str, RowMapping] = {}
    for row in connection.execute(asked).mappings():
        request = json.loads(row["request"])
        if request["garment_id"] == garment_id:
            latest[request["body"]] = row
    for body in WANTED_BODIES[sex]:
        job, digest = latest.get(body), done.get(body)
        failed = job is not None and job["state"] == "failed"
        problems = [job["error"]] if failed and job is not None and job["error"] else []
        if not failed and digest is not None:
            problems = problems_of(shop, connection, garment_id, body)
        state = "failed" if failed else "done" if digest else "waiting"
        url = f"/api/pictures/{digest}.jpg" if digest else None
        found.append(DrapePicture(body=body, state=state, problems=problems, url=url))  # type: ignore[arg-type]
    return found


def check_garment(shop: Shop, wanted: NewGarment) -> dict[str, Any]:
    """Return a garment as it is kept, or say what is wrong with it."""
    if wanted.fabric not in FABRICS:
        raise RefusedError(
            422, f"there is no fabric '{wanted.fabric}': choose {', '.join(FABRICS)}", place="fabric"
        )
    if len({way.id for way in wanted.colours}) < len(wanted.colours):
        raise RefusedError(422, "two colours have the same id", place="colours")
    if bool(wanted.pattern) == bool(wanted.recipe):
        raise RefusedError(422, "name either an uploaded pattern or a recipe of ours", place="pattern")
    if wanted.recipe:
        try:
            draft_again(wanted.recipe, HUMAN)
        except ToileError as error:
            raise RefusedError(422, str(error), place="recipe") from None
    else:
        with shop.reader.connect() as connection:
            if (
                connection.execute(select(patterns.c.id).where(patterns.c.id == wanted.pattern)).first()
                is None
            ):
                raise missing("pattern")
    if not all(seam.confirmed for seam in wanted.seams):
        raise RefusedError(422, "every seam must be confirmed before the garment is sewn", place="seams")
    return wanted.model_dump(mode="json")


def save_garment(connection: Connection, content: dict[str, Any], *, published: bool = True) -> bool:
    """Keep a garment over an older one of that id; return whether there was one."""
    key = content["id"]
    if connection.execute(select(garments.c.id).where(garments.c.id == key)).first() is not None:
        row = garments.update().where(garments.c.id == key)
        connection.execute(row.values(content=json.dumps(content), published=published))
        return True
    count, last = connection.execute(
        select(func.count(), func.max(garments.c.position)).select_from(garments)
    ).one()
    if count >= MOST_GARMENTS:
        raise RefusedError(409, f"the catalogue holds {MOST_GARMENTS} garments at most")
    connection.execute(
        insert(garments).values(
            id=key, position=(last or 0) + 1, published=published, content=json.dumps(content)
        )
    )
    return False


def forget_garment(shop: Shop, garment_id: str) -> bool:
    """Take a garment out of the catalogue with its pictures; return whether it was there."""
    with shop.engine.begin() as connection:
        owners = [f"drape:{garment_id}:{body}" for bodies in WANTED_BODIES.values() for body in bodies]
        hashes = drop_files(connection, *owners)
        connection.execute(delete(pictures).where(pictures.c.garment_id == garment_id))
        cancel_drapes(shop, connection, garment_id)
        gone = connection.execute(delete(garments).where(garments.c.id == garment_id)).rowcount
    remove_unused(shop, hashes)
    return bool(gone)


# ---------------------------------------------------------------------------- the catalogue as one file


def export_catalogue(shop: Shop) -> bytes:
    """Return all garments with their pattern files and textures as a ZIP file."""
    with shop.reader.connect() as connection:
        rows = connection.execute(select(garments).order_by(garments.c.position)).mappings().all()
        drafts = connection.execute(select(patterns)).mappings().all()
        wanted = files.c.owner.like("pattern:%") | files.c.owner.like("texture:%")
        kept = connection.execute(select(files).where(wanted)).mappings().all()
    content = {
        "toile_catalogue": 1,
        "garments": [{"published": row["published"], **json.loads(row["content"])} for row in rows],
        "patterns": [
            {"id": row["id"], "file": row["file"], "content": json.loads(row["content"])} for row in drafts
        ],
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("catalogue.json", json.dumps(content, indent=1))
        for row in kept:
            owner, _, key = row["owner"].partition(":")
            archive.writestr(f"{owner}/{key}", shop.storage.get(row["hash"]))
    return target.getvalue()


def import_catalogue(shop: Shop, view: CatalogueView, data: bytes) -> Imported:
    """Take in what export_catalogue wrote; garments of the same id are replaced."""
    entries = _entries(data)
    try:
        content = json.loads(entries["catalogue.json"])
        if content["toile_catalogue"] != 1:
            raise ValueError
        listed = [(bool(g.pop("published", True)), NewGarment(**g)) for g in content["garments"]]
        drafts = {str(p["id"]): p for p in content["patterns"]}
    except ValidationError as error:
        place = ".".join(str(word) for word in error.errors()[0]["loc"])
        raise RefusedError(
            422, f"a garment of the catalogue is not complete: {error.errors()[0]['msg']}", place=place
        ) from None
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        raise RefusedError(422, "this is no catalogue that was exported by this program") from None
    added = replaced = 0
    notes: list[str] = []
    with shop.engine.begin() as connection:
        for key, draft in drafts.items():
            _take_pattern(shop, connection, key, draft, entries)
        for name, image in entries.items():
            if name.startswith("texture/"):
                keep_file(shop, connection, f"texture:{name[8:]}", "texture", image, "image/png")
    for published, garment in listed:
        try:
            kept = check_garment(shop, garment)
        except RefusedError as error:
            notes.append(f"{garment.id}: {error}")
            continue
        with shop.engine.begin() as connection:
            again = save_garment(connection, kept, published=published)
        added, replaced = added + (not again), replaced + again
    view.refresh(now=True)
    return Imported(added=added, replaced=replaced, notes=notes)


def _take_pattern(
    shop: Shop, connection: Connection, key: str, draft: Any, entries: dict[str, bytes]
) -> None:
    from toile.shop.merchant_messages import PatternDraft

    try:
        message = PatternDraft(**draft["content"])
        data = entries[f"pattern/{key}"]
    except (ValidationError, KeyError, TypeError):
        raise RefusedError(422, "a pattern of the catalogue is not complete") from None
    if message.id != key:
        raise RefusedError(422, "a pattern of the catalogue is not complete")
    connection.execute(delete(patterns).where(patterns.c.id == key))
    connection.execute(
        insert(patterns).values(
            id=key, file=message.file[:120], content=message.model_dump_json(), created=shop.now()
        )
    )
    keep_file(shop, connection, f"pattern:{key}", "pattern", data, "application/octet-stream")


def _entries(data: bytes) -> dict[str, bytes]:
    """Return the files of a ZIP file, none larger than allowed whatever it claims."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = archive.infolist()
            if len(listed) > MOST_ENTRIES or sum(one.file_size for one in listed) > 10 * LARGEST_ENTRY:
                raise RefusedError(413, "the catalogue unpacks to more than is taken")
            found = {}
            for one in listed:
                with archive.open(one) as file:
                    found[one.filename] = file.read(LARGEST_ENTRY + 1)
                if len(found[one.filename]) > LARGEST_ENTRY:
                    raise RefusedError(413, "a file of the catalogue unpacks to more than is taken")
            return found
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError, EOFError, IndexError):
        raise RefusedError(422, "this is no ZIP file that can be read") from None
