"""The shop's database: SQLite with a write-ahead log, or PostgreSQL. Tables are made by migrations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from toile.core.errors import ToileError, one_line

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY = 10.0
"""how long a writer waits for another [s]"""


def open_database(address: str) -> Engine:
    """Return an engine whose tables are those of this version; older databases are brought up to date."""
    try:
        engine = _engine(address)
        migrate(engine)
    except ArgumentError:
        raise ToileError(
            "the database's address cannot be understood: write sqlite:////folder/shop.sqlite or "
            "postgresql+psycopg://user@host/name"
        ) from None
    except SQLAlchemyError as error:
        # the address may hold a password
        raise ToileError(f"the database cannot be used: {one_line(error).split('(Background')[0]}") from None
    return engine


def _engine(address: str) -> Engine:
    url = make_url(address)
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, poolclass=QueuePool, pool_size=8, max_overflow=32, pool_timeout=30)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_at_once)
        return engine
    if url.get_backend_name() == "postgresql":
        return create_engine(url, pool_size=8, max_overflow=32, pool_pre_ping=True)
    raise ToileError(f"databases of kind {url.get_backend_name()} are not supported: SQLite or PostgreSQL")


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # transactions are begun by _begin_at_once
    connection.isolation_level = None
    for word in (
        "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={int(BUSY * 1000)}",
        "secure_delete=ON",
    ):  # fmt: skip
        connection.execute(f"PRAGMA {word}").close()


def _begin_at_once(connection: Any) -> None:
    # two transactions that read first and write then would refuse each other
    write = connection.get_execution_options().get("write", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def reading(engine: Engine) -> Engine:
    """Return the engine for transactions that only read: they wait for nobody."""
    return engine.execution_options(write=False)


def migrate(engine: Engine) -> None:
    """Bring tables to this version."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            # two servers that start together: one migrates, the other waits
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(80815100)")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
