"""How a shop is run: where it listens, where it keeps things, its limits. Read once at the start."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from urllib.parse import urlsplit

from toile.core.errors import ToileError

PREFIX = "TOILE_SHOP_"
"""environment variables that set what the command line does not"""
SECRET_LENGTH = 24
"""a shorter secret can be guessed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopSettings:
    """Everything that an operator decides."""

    folder: Path
    """holds database, files, secrets: the backup is this folder"""
    host: str = "127.0.0.1"
    port: int = 8360
    database: str = ""
    """SQLAlchemy address; empty: shop.sqlite in the folder"""
    storage: str = ""
    """s3+https://host/bucket or s3+http://…; empty: files in the folder"""
    secret: str = ""
    """merchant's token; empty: made at first start and kept in the folder. Needed by name off loopback"""
    checkout: str = ""
    """address of the merchant's own checkout that gets the customer after ordering; empty: none"""
    embed: str = ""
    """origins of the merchant's own pages that show garments of this shop, by commas: https://www.example"""
    workers: int = 2
    """processes that sew; with a cluster: jobs that are given to it at a time"""
    cluster: str = ""
    """tcp://host:port of a Dask scheduler whose nodes sew; empty: this machine does"""
    retention_days: float = 30.0
    """visitors that were not seen for so long are deleted with all that is theirs"""
    rate: float = 1.0
    """factor on all rate limits; 0: none, for measurements only"""
    job_seconds: float = 180.0
    """longest that a job may take [s]"""
    job_memory: int = 3_000_000_000
    """most memory of a worker [bytes]"""
    edge: float = 0.018
    """edge length of the cloth's mesh [m]: coarser is quicker"""
    pictures: bool = True
    """drape and render the catalogue by itself"""
    public: str = ""
    """address by which visitors reach the shop through a proxy, such as https://shop.example"""
    proxy: str = "127.0.0.1"
    """addresses of that proxy, or *: from there X-Forwarded-For tells who asks"""

    def __post_init__(self) -> None:
        if not 0 <= self.port < 65536:
            raise ToileError(f"port {self.port} does not exist: choose 1 to 65535, or 0 for any free one")
        if not 0 <= self.workers <= 64:
            raise ToileError(f"{self.workers} workers: choose 1 to 64 (0: this process takes no jobs)")
        if not 0.005 <= self.edge <= 0.1:
            raise ToileError(f"an edge length of {self.edge:g} m: choose 0.005 to 0.1")
        if self.cluster and not self.cluster.startswith(("tcp://", "tls://")):
            raise ToileError(f"--cluster {self.cluster[:60]}: wanted tcp://host:port of a Dask scheduler")
        for origin in self.embedding:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query:
                raise ToileError(
                    f"--embed {origin[:60]}: wanted the origin of a page, as in https://www.example"
                )
        if self.retention_days <= 0:
            raise ToileError("the retention time must be more than 0 days")
        if not is_loopback(self.host):
            _check_open(self.host, self.secret)

    @property
    def database_address(self) -> str:
        """Return the SQLAlchemy address of the database."""
        return self.database or f"sqlite:///{self.folder / 'shop.sqlite'}"

    @property
    def embedding(self) -> frozenset[str]:
        """Return the origins of pages that may ask from elsewhere."""
        return frozenset(one.strip().rstrip("/") for one in self.embed.split(",") if one.strip())

    @property
    def is_secure(self) -> bool:
        """Say whether visitors come by TLS, so that cookies may demand it."""
        return self.public.startswith("https://")


def is_loopback(host: str) -> bool:
    """Say whether an address is this computer's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_open(host: str, secret: str) -> None:
    if len(secret) < SECRET_LENGTH:
        raise ToileError(
            f"listening on {host} opens the shop to the network: set {PREFIX}SECRET to a merchant's token of "
            f"at least {SECRET_LENGTH} random characters (python -c 'import secrets; "
            "print(secrets.token_urlsafe(24))'); put a proxy with TLS before it and name its address with "
            "--public https://…, so that cookies are sent by TLS only; see docs/serve.md"
        )


def read_settings(environment: Mapping[str, str] = os.environ, **given: object) -> ShopSettings:
    """Return settings from the environment (TOILE_SHOP_PORT …), over which what is given goes first."""
    values: dict[str, object] = {}
    for field in fields(ShopSettings):
        text = environment.get(PREFIX + field.name.upper())
        if text is not None:
            values[field.name] = _parsed(field.name, str(field.type), text)
    values |= {name: value for name, value in given.items() if value is not None}
    return ShopSettings(**values)  # type: ignore[arg-type]


def _yes(text: str) -> bool:
    return {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}[text.lower()]


def _parsed(name: str, kind: str, text: str) -> object:
    parsers: dict[str, Callable[[str], object]] = {
        "int": int,
        "float": float,
        "Path": Path,
        "bool": _yes,
    }
    parse = parsers.get(kind, str)
    try:
        return parse(text)
    except (ValueError, KeyError):
        wanted = "yes or no" if kind == "bool" else "a number"
        raise ToileError(f"{PREFIX}{name.upper()} is '{text[:40]}': wanted {wanted}") from None
