"""Baskets and orders: an order and the news of it for the merchant are written together, or not at all."""

from __future__ import annotations

import json
import secrets
from typing import Any

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.engine import RowMapping

from toile.shop.catalogue import CatalogueView
from toile.shop.messages import Basket, BasketItem, Order, OrderRequest
from toile.shop.problems import RefusedError
from toile.shop.schema import basket, deliveries, orders
from toile.shop.secrets_kept import token_hash
from toile.shop.shop import Shop
from toile.shop.webhooks import add_event

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""nothing that is misread over the telephone"""


def basket_message(connection: Connection, view: CatalogueView, visitor_id: str) -> Basket:
    """Return a visitor's basket with today's prices; what is no longer sold is left out."""
    rows = connection.execute(
        select(basket).where(basket.c.visitor_id == visitor_id).order_by(basket.c.created, basket.c.id)
    )
    items, currency = [], "EUR"
    for row in rows.mappings():
        garment = view.garment(row["garment_id"])
        if garment is None or row["size"] not in garment.sizes:
            continue
        shot = next((p for p in garment.pictures if p.colour == row["colour"]), None) or next(
            iter(garment.pictures), None
        )
        currency = garment.currency
        items.append(
            BasketItem(
                id=row["id"],
                garment_id=garment.id,
                name=garment.name,
                size=row["size"],
                colour=row["colour"],
                quantity=row["quantity"],
                price=garment.price,
                picture_url=shot.url if shot else None,
            )
        )
    return Basket(items=items, total=sum(item.price * item.quantity for item in items), currency=currency)


def place_order(shop: Shop, view: CatalogueView, visitor_id: str, wanted: OrderRequest, key: str) -> str:
    """Order what is in the basket; return the number. The same key again is the same order."""
    once = token_hash(f"{visitor_id} {key}")
    with shop.engine.begin() as connection:
        earlier = connection.execute(select(orders.c.number).where(orders.c.once == once)).scalar()
        if earlier is not None:
            return str(earlier)
        bought = basket_message(connection, view, visitor_id)
        if not bought.items:
            raise RefusedError(409, "the basket is empty")
        if len({view.garment(item.garment_id).currency for item in bought.items}) > 1:  # type: ignore[union-attr]
            raise RefusedError(
                409, "the basket holds prices in different currencies: order them one after the other"
            )
        number = _number(connection)
        content = {"customer": wanted.model_dump(), **bought.model_dump()}
        connection.execute(
            insert(orders).values(
                number=number,
                visitor_id=visitor_id,
                once=once,
                content=json.dumps(content),
                created=shop.now(),
            )
        )
        add_event(
            shop, connection, "order.created", {"number": number, "created": shop.now(), **content}, number
        )
        connection.execute(delete(basket).where(basket.c.visitor_id == visitor_id))
    return number


def _number(connection: Connection) -> str:
    while True:
        word = "".join(secrets.choice(LETTERS) for _ in range(10))
        number = f"T-{word[:5]}-{word[5:]}"
        if connection.execute(select(orders.c.number).where(orders.c.number == number)).first() is None:
            return number


def order_message(shop: Shop, connection: Connection, row: RowMapping) -> Order:
    """Return an order as its customer sees it."""
    content: dict[str, Any] = json.loads(row["content"])
    waiting = select(deliveries.c.id).where(deliveries.c.order_number == row["number"])
    told = connection.execute(waiting).first() is not None
    left = connection.execute(waiting.where(deliveries.c.state != "acknowledged")).first() is not None
    checkout = shop.settings.checkout
    return Order(
        number=row["number"],
        state="acknowledged" if told and not left else "received",
        items=[BasketItem(**item) for item in content["items"]],
        total=content["total"],
        currency=content["currency"],
        created=row["created"],
        checkout_url=f"{checkout}?order={row['number']}" if checkout else None,
        next="You pay on the next page."
        if checkout
        else "The shop writes to you about payment and delivery.",
    )
