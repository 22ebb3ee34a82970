"""Files by their content: a folder, or a bucket that speaks S3. A file is there whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

import httpx

from toile.core.atomic import replacing
from toile.core.errors import ToileError

_HASH = re.compile(r"^[0-9a-f]{64}$")
BLOCK = 1 << 20


def hash_of(data: bytes) -> str:
    """Return the name of a content."""
    return hashlib.sha256(data).hexdigest()


class Storage(Protocol):
    """Where results are kept, by the SHA-256 of their content."""

    def put(self, data: bytes) -> str:
        """Keep a content; return its hash. It is on the disk when this returns."""

    def get(self, name: str) -> bytes:
        """Return a content."""

    def remove(self, name: str) -> None:
        """Forget a content, if it is there."""

    def names(self) -> Iterator[str]:
        """Yield the hashes of all that is kept."""


class FolderStorage:
    """Files in a folder, named by their content, in 256 sub-folders."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which is made if it is not there."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        """Return where a content lies."""
        if not _HASH.match(name):
            raise ToileError("a stored file is named by 64 hexadecimal digits")
        return self.folder / name[:2] / name

    def put(self, data: bytes) -> str:
        """Keep a content; return its hash."""
        name = hash_of(data)
        path = self.path(name)
        if not path.is_file():
            path.parent.mkdir(exist_ok=True)
            with replacing(path) as file:
                file.write(data)
        return name

    def get(self, name: str) -> bytes:
        """Return a content."""
        try:
            return self.path(name).read_bytes()
        except OSError:
            raise ToileError(f"stored file {name[:12]}… is missing") from None

    def remove(self, name: str) -> None:
        """Forget a content."""
        with contextlib.suppress(FileNotFoundError):
            self.path(name).unlink()

    def names(self) -> Iterator[str]:
        """Yield the hashes of all that is kept."""
        for path in self.folder.glob("??/*"):
            if _HASH.match(path.name):
                yield path.name

    def sweep(self) -> int:
        """Remove what writers that died left behind; return how many files that were."""
        left = [path for path in self.folder.glob("??/.*.part*") if path.is_file()]
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)


class BucketStorage:
    """Objects in an S3-compatible bucket, signed by AWS Signature Version 4 (path style)."""

    def __init__(self, address: str, key: str, secret: str, region: str = "us-east-1") -> None:
        """address: http(s)://host[:port]/bucket[/prefix]."""
        self._address, self._key, self._secret, self._region = address.rstrip("/"), key, secret, region
        self._client = httpx.Client(timeout=30.0)

    def put(self, data: bytes) -> str:
        """Keep a content; return its hash."""
        name = hash_of(data)
        self._send("PUT", name, data)
        return name

    def get(self, name: str) -> bytes:
        """Return a content."""
        data = self._send("GET", name).content
        if hash_of(data) != name:
            raise ToileError(f"stored file {name[:12]}… came back damaged")
        return data

    def remove(self, name: str) -> None:
        """Forget a content."""
        self._send("DELETE", name)

    def names(self) -> Iterator[str]:
        """Yield the hashes of all that is kept, a page at a time."""
        more = ""
        while True:
            query = {"list-type": "2"} | ({"continuation-token": more} if more else {})
            text = self._send("GET", "", query=query).text
            for key in re.findall(r"<Key>([^<]*)</Key>", text):
                if _HASH.match(key.rpartition("/")[2]):
                    yield key.rpartition("/")[2]
            found = re.search(r"<NextContinuationToken>([^<]*)</NextContinuationToken>", text)
            if not found:
                return
            more = found.group(1)

    def _send(
        self, method: str, name: str, data: bytes = b"", query: dict[str, str] | None = None
    ) -> httpx.Response:
        if name and not _HASH.match(name):
            raise ToileError("a stored file is named by 64 hexadecimal digits")
        url = f"{self._address}/{name}" if name else self._address
        text = "&".join(f"{quote(k, safe='')}={quote(v, safe='')}" for k, v in sorted((query or {}).items()))
        headers = self._signed(method, url, text, data, time.time())
        try:
            answer = self._client.request(
                method, f"{url}?{text}" if text else url, content=data, headers=headers
            )
        except httpx.HTTPError as error:
            raise ToileError(f"the storage does not answer: {type(error).__name__}") from None
        if answer.status_code == 404 and method == "DELETE":
            return answer
        if answer.status_code >= 300:
            raise ToileError(f"the storage refused {method} with status {answer.status_code}")
        return answer

    def _signed(self, method: str, url: str, query: str, data: bytes, now: float) -> dict[str, str]:
        """Return the headers that prove who asks (AWS Signature Version 4)."""
        parts = urlsplit(url)
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        content = hash_of(data)
        headers = {"host": parts.netloc, "x-amz-content-sha256": content, "x-amz-date": stamp}
        names = ";".join(sorted(headers))
        lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        asked = "\n".join([method, quote(parts.path or "/"), query, lines, names, content])
        scope = f"{stamp[:8]}/{self._region}/s3/aws4_request"
        told = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hash_of(asked.encode())])
        key = f"AWS4{self._secret}".encode()
        for word in (stamp[:8], self._region, "s3", "aws4_request"):
            key = hmac.new(key, word.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, told.encode(), hashlib.sha256).hexdigest()
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self._key}/{scope}, SignedHeaders={names}, Signature={signature}"
        )
        return headers


def open_storage(address: str, folder: Path) -> Storage:
    """Return the storage of an address (s3+https://host/bucket), or the folder."""
    if not address:
        storage = FolderStorage(folder)
        storage.sweep()
        return storage
    kind, _, rest = address.partition("+")
    if kind != "s3" or not rest.startswith(("http://", "https://")):
        raise ToileError("the storage's address must look like s3+https://host/bucket")
    key, secret = os.environ.get("AWS_ACCESS_KEY_ID", ""), os.environ.get("AWS_SECRET_ACCESS_KEY", "")
    if not key or not secret:
        raise ToileError("storage in a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    return BucketStorage(rest, key, secret, os.environ.get("AWS_REGION", "us-east-1"))
