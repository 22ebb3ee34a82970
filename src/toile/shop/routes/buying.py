"""Basket and orders."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from sqlalchemy import delete, insert, select, update

from toile.shop.asking import Asker, Visiting
from toile.shop.catalogue import CatalogueView
from toile.shop.messages import Basket, BasketAdd, BasketChange, Id, Order, OrderList, OrderRequest
from toile.shop.orders import basket_message, order_message, place_order
from toile.shop.problems import RefusedError, missing
from toile.shop.schema import basket, orders
from toile.shop.secrets_kept import new_id
from toile.shop.webhooks import Postman

router = APIRouter(prefix="/api", tags=["buying"])
MOST_ITEMS, MOST_PIECES = 50, 20
OnceKey = Annotated[
    str, Header(alias="Idempotency-Key", min_length=8, max_length=80, pattern=r"^[\x21-\x7e]+$",
                description="made once an order by the page: sent twice, it is still one order")
]  # fmt: skip


def _view(request: Request) -> CatalogueView:
    view: CatalogueView = request.app.state.catalogue
    return view


def _basket(asker: Asker, request: Request) -> Basket:
    with asker.shop.reader.connect() as connection:
        return basket_message(connection, _view(request), asker.id)


@router.get("/basket", response_model=Basket, operation_id="getBasket")
def get_basket(asker: Visiting, request: Request) -> Basket:
    """Return what is in the basket."""
    return _basket(asker, request)


@router.post("/basket/items", response_model=Basket, status_code=201, operation_id="addToBasket")
def add_item(asker: Visiting, request: Request, item: BasketAdd) -> Basket:
    """Put something into the basket; the same once more counts up."""
    garment = _view(request).garment(item.garment_id)
    if garment is None:
        raise missing("garment")
    if item.size not in garment.sizes or item.colour not in {way.id for way in garment.colours}:
        raise RefusedError(422, f"{garment.name} does not come in that size and colour")
    same = (
        basket.c.visitor_id == asker.id, basket.c.garment_id == item.garment_id, basket.c.size == item.size,
        basket.c.colour == item.colour,
    )  # fmt: skip
    with asker.shop.engine.begin() as connection:
        row = connection.execute(select(basket).where(*same)).mappings().first()
        if row is not None:
            most = min(row["quantity"] + item.quantity, MOST_PIECES)
            connection.execute(update(basket).where(*same).values(quantity=most))
        else:
            held = connection.execute(select(basket.c.id).where(basket.c.visitor_id == asker.id)).all()
            if len(held) >= MOST_ITEMS:
                raise RefusedError(409, f"the basket holds {MOST_ITEMS} different things at most")
            values = {
                "id": new_id(),
                "visitor_id": asker.id,
                "created": asker.shop.now(),
                **item.model_dump(),
            }
            connection.execute(insert(basket).values(**values))
    return _basket(asker, request)


@router.patch("/basket/items/{item_id}", response_model=Basket, operation_id="changeBasketItem")
def change_item(asker: Visiting, request: Request, item_id: Id, change: BasketChange) -> Basket:
    """Set how many; 0 takes it out."""
    mine = (basket.c.id == item_id, basket.c.visitor_id == asker.id)
    with asker.shop.engine.begin() as connection:
        if change.quantity:
            done = connection.execute(update(basket).where(*mine).values(quantity=change.quantity))
        else:
            done = connection.execute(delete(basket).where(*mine))
        if not done.rowcount:
            raise missing("item in the basket")
    return _basket(asker, request)


@router.delete("/basket/items/{item_id}", response_model=Basket, operation_id="removeBasketItem")
def remove_item(asker: Visiting, request: Request, item_id: Id) -> Basket:
    """Take something out."""
    return change_item(asker, request, item_id, BasketChange(quantity=0))


@router.post("/orders", response_model=Order, status_code=201, operation_id="placeOrder")
def create_order(asker: Visiting, request: Request, wanted: OrderRequest, key: OnceKey) -> Order:
    """Order what is in the basket. It is safe to send this again with the same Idempotency-Key."""
    number = place_order(asker.shop, _view(request), asker.id, wanted, key)
    postman: Postman = request.app.state.postman
    postman.wake()
    return get_order(asker, number)


@router.get("/orders", response_model=OrderList, operation_id="getOrders")
def get_orders(asker: Visiting) -> OrderList:
    """Return the visitor's orders, latest first."""
    with asker.shop.reader.connect() as connection:
        mine = (
            select(orders).where(orders.c.visitor_id == asker.id).order_by(orders.c.created.desc()).limit(100)
        )
        rows = connection.execute(mine).mappings().all()
        return OrderList(items=[order_message(asker.shop, connection, row) for row in rows])


@router.get("/orders/{number}", response_model=Order, operation_id="getOrder")
def get_order(asker: Visiting, number: Annotated[str, Path(pattern=r"^T-[0-9A-Z]{5}-[0-9A-Z]{5}$")]) -> Order:
    """Return one order."""
    with asker.shop.reader.connect() as connection:
        mine = (orders.c.number == number, orders.c.visitor_id == asker.id)
        row = connection.execute(select(orders).where(*mine)).mappings().first()
        if row is None:
            raise missing("order")
        return order_message(asker.shop, connection, row)
