"""What belongs to a visitor: handed over, deleted from database and disk, forgotten after a while."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from sqlalchemy import Connection, Table, delete, select, update

from toile.shop.bodies import owner_of
from toile.shop.logs import tell
from toile.shop.schema import basket, bodies, files, jobs, orders, shares, tryons, visitors
from toile.shop.shop import Shop, remove_unused

DAY = 86400.0
OWN = (bodies, tryons, jobs, basket, orders, shares)
HIDDEN = ("token_hash", "once", "hash", "visitor_id")


def everything_of(shop: Shop, visitor_id: str) -> bytes:
    """Return all that is known of a visitor as a ZIP file."""
    with shop.reader.connect() as connection:
        content: dict[str, Any] = {"visitor": _rows(connection, visitors, visitors.c.id == visitor_id)}
        content |= {table.name: _rows(connection, table, table.c.visitor_id == visitor_id) for table in OWN}
        kept = list(connection.execute(select(files).where(files.c.visitor_id == visitor_id)).mappings())
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("my-data.json", json.dumps(content, indent=1))
        for row in kept:
            archive.writestr(f"{row['owner'].replace(':', '/')}/{row['name']}", shop.storage.get(row["hash"]))
    return target.getvalue()


def _rows(connection: Connection, table: Table, which: Any) -> list[dict[str, Any]]:
    rows = connection.execute(select(table).where(which)).mappings()
    return [{k: _opened(v) for k, v in row.items() if k not in HIDDEN} for row in rows]


def _opened(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value.startswith(("{", "[")) else value


def forget_visitor(shop: Shop, visitor_id: str) -> None:
    """Delete a visitor with all that is theirs; orders stay with the merchant, without the link to them."""
    with shop.engine.begin() as connection:
        hashes = list(
            connection.execute(select(files.c.hash).where(files.c.visitor_id == visitor_id)).scalars()
        )
        connection.execute(update(orders).where(orders.c.visitor_id == visitor_id).values(visitor_id=None))
        connection.execute(delete(files).where(files.c.visitor_id == visitor_id))
        connection.execute(delete(visitors).where(visitors.c.id == visitor_id))
    remove_unused(shop, hashes)


def forget_body(shop: Shop, visitor_id: str, body_id: str) -> bool:
    """Delete a body, all outfits on it and all their files; return whether it was there."""
    with shop.engine.begin() as connection:
        gone = delete(bodies).where(bodies.c.id == body_id, bodies.c.visitor_id == visitor_id)
        if not connection.execute(gone).rowcount:
            return False
        mine = (tryons.c.body_id == body_id, tryons.c.visitor_id == visitor_id)
        outfits = list(connection.execute(select(tryons.c.id).where(*mine)).scalars())
        hashes = drop_outfits(connection, outfits)
        owner = owner_of(body_id)
        hashes += connection.execute(select(files.c.hash).where(files.c.owner == owner)).scalars()
        connection.execute(delete(files).where(files.c.owner == owner))
        chosen = (visitors.c.id == visitor_id, visitors.c.body_id == body_id)
        connection.execute(update(visitors).where(*chosen).values(body_id="woman"))
    remove_unused(shop, hashes)
    return True


def drop_outfits(connection: Connection, outfits: list[str]) -> list[str]:
    """Delete outfits with their jobs, shares and rows of files; return the files' hashes."""
    if not outfits:
        return []
    owners = [
        f"job:{key}"
        for key in connection.execute(select(jobs.c.id).where(jobs.c.tryon_id.in_(outfits))).scalars()
    ]
    hashes = list(connection.execute(select(files.c.hash).where(files.c.owner.in_(owners))).scalars())
    connection.execute(delete(files).where(files.c.owner.in_(owners)))
    connection.execute(delete(tryons).where(tryons.c.id.in_(outfits)))
    return hashes


def forget_old(shop: Shop) -> int:
    """Delete visitors who did not come back within the retention time; return how many."""
    limit = shop.now() - shop.settings.retention_days * DAY
    with shop.reader.connect() as connection:
        old = list(connection.execute(select(visitors.c.id).where(visitors.c.seen < limit)).scalars())
    for visitor_id in old:
        forget_visitor(shop, visitor_id)
    if old:
        tell("forgotten", visitors=len(old))
    return len(old)
