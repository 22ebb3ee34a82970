"""A shop's folder as one file, consistent although the shop goes on; and back."""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
import zipfile
from pathlib import Path

from toile.core.atomic import replacing
from toile.core.errors import ToileError
from toile.shop.secrets_kept import FILE as SECRETS
from toile.shop.storage import FolderStorage, hash_of

DATABASE = "shop.sqlite"


def write_backup(folder: Path, target: Path) -> int:
    """Write database, secrets and all files that the database names; return how many files."""
    if not (folder / DATABASE).is_file():
        raise ToileError(f"{folder}: holds no {DATABASE}: is it the folder of a shop?")
    storage = FolderStorage(folder / "files")
    with tempfile.TemporaryDirectory(dir=folder) as place:
        copy = Path(place) / DATABASE
        # the database first: what it names was on the disk before, and is missing only if deleted since
        hashes = _copy(folder / DATABASE, copy)
        count = 0
        with replacing(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            archive.write(copy, DATABASE)
            archive.writestr("database.sha256", hashlib.sha256(copy.read_bytes()).hexdigest())
            if (folder / SECRETS).is_file():
                archive.write(folder / SECRETS, SECRETS)
            for name in hashes:
                if storage.path(name).is_file():
                    archive.write(storage.path(name), f"files/{name}")
                    count += 1
    return count


def _copy(source: Path, target: Path) -> list[str]:
    old, new = sqlite3.connect(source), sqlite3.connect(target)
    try:
        old.backup(new)
        return [row[0] for row in new.execute("SELECT DISTINCT hash FROM files ORDER BY hash")]
    except sqlite3.Error as error:
        raise ToileError(f"{source}: cannot be copied: {error}") from None
    finally:
        old.close()
        new.close()


def read_backup(source: Path, folder: Path) -> int:
    """Unpack a backup into an empty folder; return how many files."""
    if folder.exists() and any(folder.iterdir()):
        raise ToileError(f"{folder}: is not empty: name a new folder")
    try:
        with zipfile.ZipFile(source) as archive:
            return _unpack(archive, folder, source)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise ToileError(f"{source}: is no backup that can be read ({type(error).__name__})") from None


def _unpack(archive: zipfile.ZipFile, folder: Path, source: Path) -> int:
    database = archive.read(DATABASE)
    if hashlib.sha256(database).hexdigest().encode() != archive.read("database.sha256"):
        raise ToileError(f"{source}: the database in it is damaged")
    folder.mkdir(parents=True, exist_ok=True)
    storage, count = FolderStorage(folder / "files"), 0
    for entry in archive.namelist():
        if entry.startswith("files/"):
            data = archive.read(entry)
            if hash_of(data) != entry.removeprefix("files/"):
                raise ToileError(f"{source}: {entry} is damaged")
            storage.put(data)
            count += 1
    if SECRETS in archive.namelist():
        with replacing(folder / SECRETS) as file:
            (folder / file.name).chmod(0o600)
            file.write(archive.read(SECRETS))
    with replacing(folder / DATABASE) as file:
        file.write(database)
    return count
