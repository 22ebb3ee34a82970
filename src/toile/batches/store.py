"""Where a batch's results lie: a folder (also on NFS), or an S3-compatible store. Whole files, or none."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from toile.core.errors import ToileError

MARK = "batch.json"
"""a store without it has vanished: nothing is written then"""
PART = ".part"
"""ending of a file that is being written"""
TRIES = 3
"""to write a file that others tidy away"""


class StoreLost(Exception):  # noqa: N818 - says what happened
    """The store is full, gone or does not answer: the batch stops and can be gone on with."""


class Store(Protocol):
    """A place for files by name; a name holds either a whole file or nothing."""

    url: str

    def get(self, name: str) -> bytes | None:
        """Return a file's content; None: there is none."""

    def put(self, name: str, data: bytes | Path) -> None:
        """Store content under a name, at once or not at all."""

    def remove(self, name: str) -> None:
        """Remove a file."""

    def names(self, prefix: str) -> Iterator[str]:
        """Yield the names that begin with a folder's name."""

    def tidy(self) -> None:
        """Remove what writers that were killed left; another who is just writing tries again."""


def open_store(url: str | os.PathLike[str], *, make: bool = False) -> Store:
    """Return the store of an address: s3://BUCKET/PREFIX, or a folder; make: begin a new one."""
    text = os.fspath(url)
    if text.startswith("s3://"):
        return S3Store(text)
    return FolderStore(text, make=make)


class FolderStore:
    """Results in a folder, on a disk or shared by NFS."""

    def __init__(self, path: str | os.PathLike[str], *, make: bool = False) -> None:
        """Take a folder; make: it may be a new one."""
        self.path = Path(path).resolve()
        self.url = str(self.path)
        if make:
            self.path.mkdir(parents=True, exist_ok=True)
        elif not self.path.is_dir():
            raise ToileError(f"{path}: there is no such folder: name the folder of a batch")

    def file(self, name: str) -> Path:
        """Return where a file lies, without looking whether it is there."""
        return self.path / name

    def get(self, name: str) -> bytes | None:
        """Return a file's content; None: there is none."""
        try:
            return self.file(name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            if self.path.is_dir():
                return None
            raise StoreLost(f"{self.path} is gone: bring it back and say the same again") from None
        except OSError as error:
            raise StoreLost(f"{self.path} cannot be read: {error.strerror or error}") from None

    def put(self, name: str, data: bytes | Path) -> None:
        """Store content under a name, at once or not at all."""
        if name != MARK and not self.file(MARK).is_file():
            raise StoreLost(f"{self.path} is gone: bring it back and say the same again")
        for _ in range(TRIES):
            if self._written(self.file(name), data):
                return
        raise StoreLost(f"{self.file(name)}: cannot be written: it is removed again and again")

    def _written(self, final: Path, data: bytes | Path) -> bool:
        """Write a file and move it to its place; False: somebody tidied it away meanwhile."""
        part = final.with_name(f".{secrets.token_hex(6)}{PART}")
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            with open(part, "xb") as file:
                file.write(data if isinstance(data, bytes) else data.read_bytes())
                file.flush()
                os.fsync(file.fileno())
            try:
                os.replace(part, final)
            except FileNotFoundError:
                return False
            return True
        except OSError as error:
            raise StoreLost(f"{final}: cannot be written: {error.strerror or error}") from None
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        """Remove a file."""
        self.file(name).unlink(missing_ok=True)

    def names(self, prefix: str) -> Iterator[str]:
        """Yield the names that begin with a folder's name, in order."""
        for folder, below, files in os.walk(self.file(prefix)):
            below.sort()
            for name in sorted(files):
                if not name.endswith(PART):
                    yield str((Path(folder) / name).relative_to(self.path))

    def tidy(self) -> None:
        """Remove what writers that were killed left; another who is just writing tries again."""
        for folder, _, files in os.walk(self.path):
            for name in files:
                if name.startswith(".") and name.endswith(PART):
                    (Path(folder) / name).unlink(missing_ok=True)


class S3Store:
    """Results in a bucket; keys and address come from the usual variables (AWS_ENDPOINT_URL …)."""

    def __init__(self, url: str) -> None:
        """Take s3://BUCKET/PREFIX."""
        try:
            import boto3
            from botocore.exceptions import BotoCoreError, ClientError
        except ImportError:
            raise ToileError("s3:// needs the extra s3: pip install 'toile[s3]'") from None
        self.url = url.rstrip("/")
        self._bucket, _, prefix = self.url.removeprefix("s3://").partition("/")
        self._prefix = f"{prefix}/" if prefix else ""
        if not self._bucket:
            raise ToileError(f"{url}: write s3://BUCKET/PREFIX")
        self._errors = (BotoCoreError, ClientError)
        self._client: Any = boto3.client("s3")

    def get(self, name: str) -> bytes | None:
        """Return a file's content; None: there is none."""
        try:
            content: bytes = self._client.get_object(Bucket=self._bucket, Key=self._prefix + name)[
                "Body"
            ].read()
            return content
        except self._errors as error:
            code = getattr(error, "response", {}).get("Error", {}).get("Code", "")
            if code == "NoSuchKey":
                return None
            raise StoreLost(f"{self.url} does not answer: {str(error)[:200]}") from None

    def put(self, name: str, data: bytes | Path) -> None:
        """Store content under a name; an S3 object appears whole or not at all."""
        body = data if isinstance(data, bytes) else data.read_bytes()
        try:
            self._client.put_object(Bucket=self._bucket, Key=self._prefix + name, Body=body)
        except self._errors as error:
            raise StoreLost(f"{self.url}: cannot be written: {str(error)[:200]}") from None

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._client.delete_object(Bucket=self._bucket, Key=self._prefix + name)

    def names(self, prefix: str) -> Iterator[str]:
        """Yield the names that begin with a folder's name, in order."""
        pages = self._client.get_paginator("list_objects_v2")
        try:
            for page in pages.paginate(Bucket=self._bucket, Prefix=f"{self._prefix}{prefix}"):
                for entry in page.get("Contents", ()):
                    yield entry["Key"].removeprefix(self._prefix)
        except self._errors as error:
            raise StoreLost(f"{self.url} does not answer: {str(error)[:200]}") from None

    def tidy(self) -> None:
        """Do nothing: what was not written wholly does not show."""
