"""``toile serve``, ``toile backup``, ``toile restore``: the try-on shop."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from toile.cli.common import Commands
from toile.core.errors import ToileError

FOLDER = "shop"


def add_serve(commands: Commands) -> None:
    """Add ``toile serve``."""
    parser = commands.add_parser(
        "serve",
        description="Serves the shop to this computer's browser: catalogue, bodies, trying on, orders. All "
        "that it keeps lies in one folder. Options can also be set by TOILE_SHOP_PORT and so on. "
        "Ctrl-C ends it.",
        epilog="example: toile serve --folder shop",
    )
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help=f"database and files (default: {FOLDER})"
    )
    parser.add_argument("--host", metavar="ADDRESS", help="default: 127.0.0.1; others need TOILE_SHOP_SECRET")
    parser.add_argument("--port", type=int, metavar="N", help="default: 8360; 0: any free one")
    parser.add_argument(
        "--database", metavar="ADDRESS", help="postgresql://… instead of SQLite in the folder"
    )
    parser.add_argument("--storage", metavar="ADDRESS", help="s3+https://host/bucket instead of the folder")
    parser.add_argument("--workers", type=int, metavar="N", help="processes that sew (default: 2)")
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="tcp://host:port of a Dask scheduler: its nodes sew"
    )
    parser.add_argument(
        "--public", metavar="ADDRESS", help="how visitors reach it, as in https://shop.example"
    )
    parser.add_argument(
        "--embed", metavar="ORIGINS", help="own pages that show garments of this shop: https://www.example"
    )
    parser.add_argument("--checkout", metavar="ADDRESS", help="the merchant's own checkout, after ordering")
    parser.add_argument(
        "--retention-days", type=float, metavar="N", help="forget absent visitors (default: 30)"
    )
    parser.add_argument(
        "--rate", type=float, metavar="FACTOR", help="of the rate limits; 0: none, to measure"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.set_defaults(run=run_serve)


def run_serve(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    needed()
    from toile.shop.server import serve
    from toile.shop.settings import PREFIX, read_settings

    names = (
        "host",
        "port",
        "database",
        "storage",
        "workers",
        "cluster",
        "public",
        "embed",
        "checkout",
        "retention_days",
        "rate",
    )
    given = {name: getattr(options, name) for name in names}
    import os

    folder = options.folder or Path(os.environ.get(f"{PREFIX}FOLDER", FOLDER))
    settings = read_settings(folder=folder.resolve(), **given)

    def opened(address: str, token: str) -> None:
        print(f"the shop is open at {address} (Ctrl-C closes it)")
        print(f"the merchant's page asks for the token in {settings.folder / 'secrets.txt'}")
        sys.stdout.flush()
        if not options.no_browser:
            webbrowser.open(address)

    serve(settings, opened)
    print("closed")
    return 0


def needed() -> None:
    """Say what to install if it is not there."""
    try:
        import alembic  # noqa: F401
        import fastapi  # noqa: F401
        import httpx  # noqa: F401
        import prometheus_client  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ToileError(f"the shop needs {error.name}: pip install 'toile[serve]'") from None


def add_backup(commands: Commands) -> None:
    """Add ``toile backup``."""
    parser = commands.add_parser(
        "backup",
        description="Writes database, files and secrets of a shop's folder into one ZIP file. With "
        "PostgreSQL or a bucket, back those up by their own means.",
        epilog="example: toile backup shop -o shop.zip",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.zip")
    parser.set_defaults(run=run_backup)


def run_backup(options: argparse.Namespace) -> int:
    """Write a backup."""
    needed()
    from toile.shop.backup import write_backup

    count = write_backup(options.folder, options.output)
    print(f"wrote {options.output}: database and {count} files")
    return 0


def add_restore(commands: Commands) -> None:
    """Add ``toile restore``."""
    parser = commands.add_parser(
        "restore",
        description="Unpacks a backup into a new folder, after all its sums were checked.",
        epilog="example: toile restore shop.zip shop",
    )
    parser.add_argument("backup", type=Path, metavar="FILE.zip")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="must not exist, or be empty")
    parser.set_defaults(run=run_restore)


def run_restore(options: argparse.Namespace) -> int:
    """Read a backup."""
    needed()
    from toile.shop.backup import read_backup

    count = read_backup(options.backup, options.folder)
    print(f"restored {options.folder}: database and {count} files; toile serve --folder {options.folder}")
    return 0


COMMANDS = (add_serve, add_backup, add_restore)
