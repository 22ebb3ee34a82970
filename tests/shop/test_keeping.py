"""What is kept: tables, files, backups, limits, settings; also on PostgreSQL and in a bucket."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, insert, inspect, select

from shop_server import postgres
from toile.core.errors import ToileError
from toile.shop.asking import STANDARD_BODY
from toile.shop.backup import read_backup, write_backup
from toile.shop.database import open_database
from toile.shop.forgetting import forget_old
from toile.shop.limits import LIMITS, Limiter
from toile.shop.people import PEOPLE
from toile.shop.schema import METADATA, files, visitors
from toile.shop.settings import ShopSettings, read_settings
from toile.shop.shop import Shop, drop_files, keep_file, open_shop, sweep_files
from toile.shop.storage import BucketStorage, FolderStorage


def new_shop(folder: Path, **more: object) -> Shop:
    return open_shop(ShopSettings(folder=folder, **more))  # type: ignore[arg-type]


def add_visitor(shop: Shop, key: str, seen: float) -> None:
    values = {"token_hash": key, "created": seen, "units": "cm", "language": "en", "body_id": STANDARD_BODY}
    with shop.engine.begin() as connection:
        connection.execute(insert(visitors).values(id=key, seen=seen, **values))


def same_tables(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, METADATA) == []
    assert set(METADATA.tables) <= set(inspect(engine).get_table_names())


def test_migrations_make_the_tables_of_this_version(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'a.sqlite'}")
    same_tables(engine)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    # a second start finds them as they are
    same_tables(open_database(f"sqlite:///{tmp_path / 'a.sqlite'}"))


def test_postgresql_is_the_same(tmp_path: Path) -> None:
    with postgres() as address:
        if address is None:
            pytest.skip("PostgreSQL is not installed: apt install postgresql")
        shop = new_shop(tmp_path / "shop", database=address)
        same_tables(shop.engine)
        add_visitor(shop, "a" * 32, shop.now() - 99 * 86400)
        with shop.engine.begin() as connection:
            keep_file(shop, connection, "body:x", "scan", b"a person", "text/plain", visitor_id="a" * 32)
        assert list(shop.storage.names())
        # the longest owners there are: a texture by its hash, a garment of the longest name on a body
        longest = max((f"drape:{'g' * 64}:{body}" for body in PEOPLE), key=len)
        for owner in (f"texture:{'f' * 64}", longest):
            with shop.engine.begin() as connection:
                keep_file(shop, connection, owner, "x", owner.encode(), "text/plain")
                drop_files(connection, owner)
        sweep_files(shop)
        assert forget_old(shop) == 1
        assert list(shop.storage.names()) == []
        shop.engine.dispose()


def test_visitors_who_stay_away_are_forgotten_with_their_files(tmp_path: Path) -> None:
    shop = new_shop(tmp_path / "shop", retention_days=10.0)
    add_visitor(shop, "old", shop.now() - 11 * 86400)
    add_visitor(shop, "new", shop.now() - 9 * 86400)
    with shop.engine.begin() as connection:
        for owner in ("old", "new"):
            keep_file(shop, connection, f"body:{owner}", "x", owner.encode(), "text/plain", visitor_id=owner)
            # the same content of two visitors is stored once, and stays while one of them is there
            keep_file(shop, connection, f"body:{owner}", "y", b"both", "text/plain", visitor_id=owner)
    assert len(list(shop.storage.names())) == 3
    assert forget_old(shop) == 1
    with shop.reader.connect() as connection:
        assert connection.execute(select(visitors.c.id)).scalars().all() == ["new"]
        assert len(connection.execute(select(files)).all()) == 2
    assert {shop.storage.get(name) for name in shop.storage.names()} == {b"new", b"both"}


def test_leftovers_of_killed_writers_are_swept(tmp_path: Path) -> None:
    shop = new_shop(tmp_path / "shop")
    shop.storage.put(b"nobody names me")
    part = tmp_path / "shop" / "files" / "ab" / ".0123.part"
    part.parent.mkdir(exist_ok=True)
    part.write_bytes(b"half")
    assert sweep_files(shop) == 1
    FolderStorage(tmp_path / "shop" / "files").sweep()
    assert not part.exists()


def test_a_backup_is_the_shop(tmp_path: Path) -> None:
    shop = new_shop(tmp_path / "shop")
    add_visitor(shop, "v", shop.now())
    with shop.engine.begin() as connection:
        digest = keep_file(shop, connection, "body:x", "x", b"content", "text/plain", visitor_id="v")
    assert write_backup(tmp_path / "shop", tmp_path / "b.zip") == 1
    read_backup(tmp_path / "b.zip", tmp_path / "again")
    again = new_shop(tmp_path / "again")
    assert again.secrets == shop.secrets
    assert again.storage.get(digest) == b"content"
    with pytest.raises(ToileError, match="not empty"):
        read_backup(tmp_path / "b.zip", tmp_path / "again")
    data = bytearray((tmp_path / "b.zip").read_bytes())
    data[data.index(b"SQLite format 3") + 600] ^= 1
    (tmp_path / "bad.zip").write_bytes(data)
    with pytest.raises(ToileError):
        read_backup(tmp_path / "bad.zip", tmp_path / "third")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "shop.example"])
def test_the_network_is_for_those_with_a_secret(tmp_path: Path, host: str) -> None:
    with pytest.raises(ToileError, match="TOILE_SHOP_SECRET"):
        ShopSettings(folder=tmp_path, host=host)
    with pytest.raises(ToileError, match="at least 24"):
        ShopSettings(folder=tmp_path, host=host, secret="short")
    assert ShopSettings(folder=tmp_path, host=host, secret="x" * 24).secret


def test_settings_come_from_the_environment_and_the_command_line(tmp_path: Path) -> None:
    environment = {"TOILE_SHOP_PORT": "9000", "TOILE_SHOP_PICTURES": "no", "TOILE_SHOP_WORKERS": "3"}
    settings = read_settings(environment, folder=tmp_path, workers=1, host=None)
    assert (settings.port, settings.pictures, settings.workers) == (9000, False, 1)
    with pytest.raises(ToileError, match="wanted a number"):
        read_settings({"TOILE_SHOP_PORT": "many"}, folder=tmp_path)


def test_a_limit_lets_a_burst_pass_and_then_so_many_a_second() -> None:
    now = 0.0
    limiter = Limiter(1.0, lambda: now)
    burst = int(LIMITS["work"].burst)
    assert [limiter.wait("work", "a") for _ in range(burst)] == [0.0] * burst
    wait = limiter.wait("work", "a")
    assert wait == pytest.approx(1.0 / LIMITS["work"].rate)
    # others are not held up, and time heals
    assert limiter.wait("work", "b") == 0.0
    now = wait
    assert limiter.wait("work", "a") == 0.0
    assert limiter.wait("work", "a") > 0.0


class Bucket:
    """As much of S3 as we use; signatures are computed anew by what the specification says."""

    def __init__(self) -> None:
        kept: dict[str, bytes] = {}
        seen: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def _do(self) -> None:
                data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                seen.append(self.headers.get("Authorization", ""))
                name = self.path.partition("?")[0].rpartition("/")[2]
                content, status = b"", 200
                if self.command == "PUT":
                    kept[name] = data
                elif self.command == "DELETE":
                    status = 204 if kept.pop(name, None) is not None else 404
                elif name == "bucket":
                    content = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in kept).encode()
                elif name in kept:
                    content = kept[name]
                else:
                    status = 404
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_DELETE = _do  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self.kept, self.seen = kept, seen
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def test_a_bucket_keeps_files_like_a_folder(tmp_path: Path) -> None:
    bucket = Bucket()
    port = bucket.server.server_address[1]
    storage = BucketStorage(f"http://127.0.0.1:{port}/bucket", "key", "secret")
    for store in (storage, FolderStorage(tmp_path / "files")):
        name = store.put(b"content")
        assert store.get(name) == b"content"
        assert list(store.names()) == [name]
        store.remove(name)
        store.remove(name)
        assert list(store.names()) == []
        with pytest.raises(ToileError):
            store.get(name)
        with pytest.raises(ToileError):
            store.get("../secrets.txt")
    bucket.kept["f" * 64] = b"damaged"
    with pytest.raises(ToileError, match="damaged"):
        storage.get("f" * 64)
    bucket.server.shutdown()


def test_requests_to_a_bucket_are_signed_as_published() -> None:
    # key, time and request of the example "GET Bucket (List Objects)" in the documentation of Version 4
    storage = BucketStorage("https://examplebucket.s3.amazonaws.com", "AKIAIOSFODNN7EXAMPLE",
                            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")  # fmt: skip
    headers = storage._signed(
        "GET", "https://examplebucket.s3.amazonaws.com", "max-keys=2&prefix=J", b"", 1369353600
    )
    signature = headers["authorization"].rpartition("Signature=")[2]
    assert signature == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
