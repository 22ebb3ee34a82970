"""Who asks: the visitor behind a cookie, the merchant behind a token, and how often they may."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request, Response
from sqlalchemy import insert, select, update
from sqlalchemy.engine import RowMapping

from toile.shop.problems import RefusedError
from toile.shop.schema import visitors
from toile.shop.secrets_kept import new_id, new_token, token_hash
from toile.shop.shop import Shop

STANDARD_BODY = "woman"
SEEN_EVERY = 3600.0
"""the time a visitor was last seen is noted no more often than this [s]"""
YEAR = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Asker:
    """A visitor who was recognised."""

    shop: Shop
    row: RowMapping
    token: str

    @property
    def id(self) -> str:
        """Return the visitor's id."""
        return str(self.row["id"])

    def may(self, kind: str) -> None:
        """Refuse if this visitor asks too often."""
        take(self.shop, kind, self.id)


def shop_of(request: Request) -> Shop:
    """Return the shop that answers."""
    shop: Shop = request.app.state.shop
    return shop


def take(shop: Shop, kind: str, asker: str) -> None:
    """Refuse if somebody asks too often."""
    wait = shop.limiter.wait(kind, asker)
    if wait:
        shop.metrics.limited.labels(kind).inc()
        raise RefusedError(429, f"too many requests: try again in {max(1, round(wait))} s", wait=wait)


def address_of(request: Request) -> str:
    """Return where a request comes from, for limits only."""
    return request.client.host if request.client else "?"


def cookie_name(shop: Shop) -> str:
    """Return the cookie's name; browsers hold the prefix to its promise."""
    return "__Host-toile" if shop.settings.is_secure else "toile_visitor"


def find_visitor(shop: Shop, token: str) -> RowMapping | None:
    """Return the visitor of a token; None: there is none."""
    if not 20 <= len(token) <= 64:
        return None
    with shop.reader.connect() as connection:
        found = connection.execute(select(visitors).where(visitors.c.token_hash == token_hash(token)))
        return found.mappings().first()


def new_visitor(shop: Shop, response: Response) -> tuple[str, RowMapping]:
    """Make a visitor and send the cookie."""
    token, now = new_token(), shop.now()
    values = {
        "id": new_id(), "token_hash": token_hash(token), "created": now, "seen": now, "units": "cm",
        "language": "en", "body_id": STANDARD_BODY,
    }  # fmt: skip
    with shop.engine.begin() as connection:
        connection.execute(insert(visitors).values(**values))
    response.set_cookie(
        cookie_name(shop), token, max_age=YEAR, path="/", httponly=True, samesite="lax",
        secure=shop.settings.is_secure,
    )  # fmt: skip
    row = find_visitor(shop, token)
    assert row is not None
    return token, row


def visitor(request: Request) -> Asker:
    """Return who asks; somebody unknown is refused, and a change without the page's token is."""
    shop = shop_of(request)
    token = request.cookies.get(cookie_name(shop), "")
    row = find_visitor(shop, token)
    if row is None:
        raise RefusedError(401, "open the shop's page first: it gives you a place of your own")
    if request.method not in ("GET", "HEAD"):
        sent = request.headers.get("x-csrf-token", "")
        if not hmac.compare_digest(sent.encode(), shop.secrets.csrf(token).encode()):
            raise RefusedError(403, "this change did not come from the shop's page: reload it", code="csrf")
        take(shop, "write", row["id"])
    else:
        take(shop, "read", row["id"])
    if shop.now() - row["seen"] > SEEN_EVERY:
        with shop.engine.begin() as connection:
            connection.execute(update(visitors).where(visitors.c.id == row["id"]).values(seen=shop.now()))
    return Asker(shop, row, token)


def anybody(request: Request) -> Shop:
    """Return the shop for what everybody may see."""
    shop = shop_of(request)
    take(shop, "read", address_of(request))
    return shop


def merchant(
    request: Request,
    authorization: Annotated[str, Header(description="Bearer and the merchant's token")] = "",
) -> Shop:
    """Return the shop for its merchant; whoever guesses is slowed down."""
    shop = shop_of(request)
    word, _, token = authorization.partition(" ")
    if word.lower() == "bearer" and shop.secrets.is_merchant(token):
        return shop
    take(shop, "wrong_token", address_of(request))
    raise RefusedError(401, "the merchant's token is missing or wrong", code="unknown_merchant")


Visiting = Annotated[Asker, Depends(visitor)]
Public = Annotated[Shop, Depends(anybody)]
Merchant = Annotated[Shop, Depends(merchant)]
