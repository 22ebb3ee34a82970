"""Secrets of a shop: made at the first start, kept in its folder, readable by its owner only."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from toile.core.atomic import replacing
from toile.core.errors import ToileError

FILE = "secrets.txt"


@dataclass(frozen=True, slots=True)
class Secrets:
    """What nobody else may know."""

    merchant: str
    """the merchant's token"""
    key: bytes
    """from which tokens against forged requests are derived"""

    def csrf(self, token: str) -> str:
        """Return what a visitor's page sends back with every change."""
        return hmac.new(self.key, f"csrf {token}".encode(), hashlib.sha256).hexdigest()[:32]

    def is_merchant(self, token: str) -> bool:
        """Say whether this is the merchant's token."""
        return hmac.compare_digest(token.encode(), self.merchant.encode())


def open_secrets(folder: Path, merchant: str = "") -> Secrets:
    """Return the secrets of a shop's folder; merchant: a token that goes before the kept one."""
    path = folder / FILE
    if not path.exists():
        with replacing(path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(f"{secrets.token_urlsafe(24)}\n{secrets.token_hex(32)}\n".encode())
    try:
        token, key = path.read_text(encoding="ascii").split()
        return Secrets(merchant or token, bytes.fromhex(key))
    except (OSError, ValueError):
        raise ToileError(f"{path}: cannot be read: two lines are wanted; remove it to get new ones") from None


def new_id() -> str:
    """Return 128 random bits as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def new_token() -> str:
    """Return a token that names somebody: 192 random bits."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    """Return what the database knows of a token: it cannot be used if the database is read."""
    return hashlib.sha256(token.encode()).hexdigest()
