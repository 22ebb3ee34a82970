"""A running shop: its settings, database, files, secrets, limits and figures in one record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select, update
from sqlalchemy.engine import RowMapping

from toile.core.errors import ToileError
from toile.shop.database import open_database
from toile.shop.limits import Limiter
from toile.shop.metrics import Metrics
from toile.shop.schema import files
from toile.shop.secrets_kept import Secrets, new_id, open_secrets
from toile.shop.settings import ShopSettings
from toile.shop.storage import Storage, hash_of, open_storage


@dataclass(frozen=True, slots=True)
class Shop:
    """Everything that requests and jobs need."""

    settings: ShopSettings
    engine: Engine
    reader: Engine
    """the same database for transactions that only read"""
    storage: Storage
    secrets: Secrets
    limiter: Limiter
    metrics: Metrics
    clock: Callable[[], float] = field(default=time.time)
    live: dict[str, Path] = field(default_factory=dict)
    """jobs that run here → folder where their results grow"""

    def now(self) -> float:
        """Return the time [s since 1970]."""
        return self.clock()


def open_shop(settings: ShopSettings) -> Shop:
    """Return the shop in a folder, which is made if it is not there."""
    try:
        settings.folder.mkdir(parents=True, exist_ok=True)
        (settings.folder / "incoming").mkdir(exist_ok=True)
    except OSError as error:
        raise ToileError(
            f"{settings.folder}: cannot be made: {error.strerror}: choose another --folder"
        ) from None
    engine = open_database(settings.database_address)
    return Shop(
        settings=settings,
        engine=engine,
        reader=engine.execution_options(write=False),
        storage=open_storage(settings.storage, settings.folder / "files"),
        secrets=open_secrets(settings.folder, settings.secret),
        limiter=Limiter(settings.rate),
        metrics=Metrics(),
    )


# ---------------------------------------------------------------------------- files of somebody


def keep_file(
    shop: Shop,
    connection: Connection,
    owner: str,
    name: str,
    data: bytes,
    kind: str,
    *,
    visitor_id: str | None = None,
) -> str:
    """Keep a file for its owner under a name, over an older one; return the hash of its content."""
    _lock_contents(connection, "_shared")
    digest = shop.storage.put(data)
    # the row comes after the content: an interrupted write leaves content that sweep_files removes
    connection.execute(delete(files).where(files.c.owner == owner, files.c.name == name))
    connection.execute(
        insert(files).values(
            id=new_id(), owner=owner, visitor_id=visitor_id, name=name, hash=digest, size=len(data), type=kind
        )
    )
    return digest


def file_of(connection: Connection, owner: str, name: str) -> RowMapping | None:
    """Return the row of an owner's file; None: there is none."""
    row = connection.execute(select(files).where(files.c.owner == owner, files.c.name == name))
    return row.mappings().first()


def files_of(connection: Connection, owner: str) -> list[RowMapping]:
    """Return the rows of all files of an owner, by name."""
    rows = connection.execute(select(files).where(files.c.owner == owner).order_by(files.c.name))
    return list(rows.mappings())


def drop_files(connection: Connection, *owners: str) -> list[str]:
    """Forget the files of owners; return hashes to hand to remove_unused when the change is on the disk."""
    found = connection.execute(select(files.c.hash).where(files.c.owner.in_(owners))).scalars().all()
    connection.execute(delete(files).where(files.c.owner.in_(owners)))
    return list(found)


def remove_unused(shop: Shop, hashes: list[str]) -> None:
    """Remove contents that no row names any more from the disk."""
    for name in set(hashes):
        # under the writer's lock, so that nobody begins to use the content meanwhile
        with shop.engine.begin() as connection:
            _lock_contents(connection)
            if connection.execute(select(files.c.id).where(files.c.hash == name)).first() is None:
                shop.storage.remove(name)


def _lock_contents(connection: Connection, kind: str = "") -> None:
    """Let nobody remove contents while others begin to use them; SQLite has one writer anyhow."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock{kind}(80815101)")


def sweep_files(shop: Shop) -> int:
    """Remove contents that no row names, left by a process that was killed; return how many."""
    with shop.reader.connect() as connection:
        used = set(connection.execute(select(files.c.hash)).scalars())
    unused = [name for name in shop.storage.names() if name not in used]
    remove_unused(shop, unused)
    return len(unused)


def touch(connection: Connection, table: Any, key: str, values: Mapping[str, Any]) -> None:
    """Change the row with this id."""
    connection.execute(update(table).where(table.c.id == key).values(**values))


__all__ = [
    "Shop", "drop_files", "file_of", "files_of", "hash_of", "keep_file", "open_shop", "remove_unused",
    "sweep_files", "touch",
]  # fmt: skip
