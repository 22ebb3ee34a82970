"""The merchant's side: garments, pictures, orders, receivers. Every address needs the merchant's token."""

from __future__ import annotations

import json
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy import delete, insert, select, update
from starlette.concurrency import run_in_threadpool

from toile.shop.asking import Merchant
from toile.shop.catalogue import CatalogueView
from toile.shop.merchant import (
    check_garment,
    export_catalogue,
    forget_garment,
    import_catalogue,
    merchant_garment,
    save_garment,
)
from toile.shop.merchant_messages import (
    Attempt,
    Deliveries,
    Delivery,
    GarmentChange,
    Imported,
    MerchantGarment,
    MerchantGarments,
    MerchantOrder,
    MerchantOrders,
    NewGarment,
    NewWebhook,
    PatternDraft,
    TextureImage,
    Webhook,
    Webhooks,
)
from toile.shop.messages import Done, Id, Slug
from toile.shop.orders import order_message
from toile.shop.pictures import want_pictures
from toile.shop.problems import RefusedError, missing
from toile.shop.routes.bodies import UPLOAD_BODY
from toile.shop.schema import attempts, deliveries, garments, orders, patterns, webhooks
from toile.shop.secrets_kept import new_id
from toile.shop.shop import Shop, keep_file
from toile.shop.webhooks import add_event

router = APIRouter(prefix="/api/merchant", tags=["merchant"])
FileName = Annotated[str, Query(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f/\\]+$")]
ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get("/session", response_model=Done, operation_id="checkMerchant")
def session(shop: Merchant) -> Done:
    """Say whether the token is right."""
    return Done()


# ---------------------------------------------------------------------------- patterns, textures


@router.post(
    "/patterns",
    response_model=PatternDraft,
    status_code=201,
    operation_id="uploadPattern",
    openapi_extra=UPLOAD_BODY,
)
async def upload_pattern(
    shop: Merchant,
    request: Request,
    file: FileName,
    units: Annotated[str, Query(pattern="^(|mm|cm|in|m)$")] = "",
) -> PatternDraft:
    """Take a pattern file (DXF, SVG, HPGL, GarmentCode JSON, garment text) as the whole request body.

    Its pieces come back with the seams that we think are sewn; confirm them with the garment.
    """
    data = await request.body()
    if not data:
        raise RefusedError(422, "the file is empty")
    return await run_in_threadpool(_pattern, shop, request, data, file, units)


def _pattern(shop: Shop, request: Request, data: bytes, file: str, units: str) -> PatternDraft:
    found = request.app.state.uploads.run("pattern", {"file": file, "units": units}, data)
    draft = PatternDraft(id=new_id(), file=file, **found)
    with shop.engine.begin() as connection:
        connection.execute(
            insert(patterns).values(
                id=draft.id, file=file, content=draft.model_dump_json(), created=shop.now()
            )
        )
        keep_file(shop, connection, f"pattern:{draft.id}", "pattern", data, "application/octet-stream")
    return draft


@router.get("/patterns/{pattern_id}", response_model=PatternDraft, operation_id="getPattern")
def get_pattern(shop: Merchant, pattern_id: Id) -> PatternDraft:
    """Return an uploaded pattern."""
    with shop.reader.connect() as connection:
        found = connection.execute(select(patterns.c.content).where(patterns.c.id == pattern_id)).scalar()
    if found is None:
        raise missing("pattern")
    return PatternDraft(**json.loads(found))


@router.post(
    "/textures",
    response_model=TextureImage,
    status_code=201,
    operation_id="uploadTexture",
    openapi_extra=UPLOAD_BODY,
)
async def upload_texture(shop: Merchant, request: Request) -> TextureImage:
    """Take an image (PNG, JPEG, WebP) for a print, as the whole request body."""
    data = await request.body()
    if not data:
        raise RefusedError(422, "the file is empty")
    return await run_in_threadpool(_texture, shop, request, data)


def _texture(shop: Shop, request: Request, data: bytes) -> TextureImage:
    from toile.shop.bodies import work_folder

    with work_folder(shop) as folder:
        found = request.app.state.uploads.run("texture", {}, data, folder=folder)
        image = (folder / "texture.png").read_bytes()
    with shop.engine.begin() as connection:
        from toile.shop.shop import hash_of

        digest = keep_file(shop, connection, f"texture:{hash_of(image)}", "texture", image, "image/png")
    return TextureImage(
        hash=digest, url=f"/api/pictures/{digest}.png", width=found["width"], height=found["height"]
    )


# ---------------------------------------------------------------------------- garments


def _view(request: Request) -> CatalogueView:
    view: CatalogueView = request.app.state.catalogue
    return view


@router.get("/garments", response_model=MerchantGarments, operation_id="getMerchantGarments")
def get_garments(shop: Merchant) -> MerchantGarments:
    """Return all garments with their drapes on several bodies."""
    with shop.reader.connect() as connection:
        rows = connection.execute(select(garments).order_by(garments.c.position)).mappings().all()
        return MerchantGarments(items=[merchant_garment(shop, connection, row) for row in rows])


def _garment(shop: Shop, garment_id: str) -> MerchantGarment:
    with shop.reader.connect() as connection:
        row = connection.execute(select(garments).where(garments.c.id == garment_id)).mappings().first()
        if row is None:
            raise missing("garment")
        return merchant_garment(shop, connection, row)


@router.get("/garments/{garment_id}", response_model=MerchantGarment, operation_id="getMerchantGarment")
def get_garment(shop: Merchant, garment_id: Slug) -> MerchantGarment:
    """Return one garment with its drapes: problems are told in words."""
    return _garment(shop, garment_id)


@router.post("/garments", response_model=MerchantGarment, status_code=201, operation_id="addGarment")
def add_garment(shop: Merchant, request: Request, wanted: NewGarment) -> MerchantGarment:
    """Add a garment; it is draped on several bodies at once. The same id again replaces it."""
    content = check_garment(shop, wanted)
    with shop.engine.begin() as connection:
        save_garment(connection, content)
        want_pictures(shop, connection, wanted.id, again=True)
    _view(request).refresh(now=True)
    request.app.state.queue.wake()
    return _garment(shop, wanted.id)


@router.patch("/garments/{garment_id}", response_model=MerchantGarment, operation_id="changeGarment")
def change_garment(
    shop: Merchant, request: Request, garment_id: Slug, change: GarmentChange
) -> MerchantGarment:
    """Change a garment; new fabric or colours are draped anew."""
    with shop.reader.connect() as connection:
        row = connection.execute(select(garments).where(garments.c.id == garment_id)).mappings().first()
    if row is None:
        raise missing("garment")
    values = change.model_dump(exclude_none=True, mode="json")
    published = bool(values.pop("published", row["published"]))
    content = check_garment(shop, NewGarment(**{**json.loads(row["content"]), **values}))
    with shop.engine.begin() as connection:
        save_garment(connection, content, published=published)
        if {"fabric", "colours", "sizes"} & values.keys():
            want_pictures(shop, connection, garment_id, again=True)
    _view(request).refresh(now=True)
    request.app.state.queue.wake()
    return _garment(shop, garment_id)


@router.delete("/garments/{garment_id}", response_model=Done, operation_id="deleteGarment")
def delete_garment(shop: Merchant, request: Request, garment_id: Slug) -> Done:
    """Take a garment out of the catalogue."""
    if not forget_garment(shop, garment_id):
        raise missing("garment")
    _view(request).refresh(now=True)
    return Done()


@router.post(
    "/garments/{garment_id}/drape",
    response_model=MerchantGarment,
    status_code=202,
    operation_id="drapeGarment",
)
def drape_garment(shop: Merchant, request: Request, garment_id: Slug) -> MerchantGarment:
    """Drape a garment again on all its bodies and take the pictures anew."""
    found = _garment(shop, garment_id)
    with shop.engine.begin() as connection:
        want_pictures(shop, connection, garment_id, again=True)
    request.app.state.queue.wake()
    return found


# ---------------------------------------------------------------------------- orders, receivers


@router.get("/orders", response_model=MerchantOrders, operation_id="getMerchantOrders")
def get_orders(
    shop: Merchant, number: Annotated[str, Query(pattern=r"^(|T-[0-9A-Z]{5}-[0-9A-Z]{5})$")] = ""
) -> MerchantOrders:
    """Return the latest thousand orders, or the one of a number, with the customers' addresses."""
    with shop.reader.connect() as connection:
        every = select(orders).order_by(orders.c.created.desc()).limit(1000)
        rows = (
            connection.execute(every.where(orders.c.number == number) if number else every).mappings().all()
        )
        found = []
        for row in rows:
            customer = json.loads(row["content"])["customer"]
            found.append(MerchantOrder(order=order_message(shop, connection, row), **customer))
    return MerchantOrders(items=found)


@router.get("/webhooks", response_model=Webhooks, operation_id="getWebhooks")
def get_webhooks(shop: Merchant) -> Webhooks:
    """Return all receivers."""
    with shop.reader.connect() as connection:
        rows = connection.execute(select(webhooks).order_by(webhooks.c.created)).mappings().all()
    return Webhooks(items=[_webhook(row) for row in rows])


def _webhook(row: Any, secret: str | None = None) -> Webhook:
    return Webhook(id=row["id"], url=row["url"], created=row["created"], active=row["active"], secret=secret)


@router.post("/webhooks", response_model=Webhook, status_code=201, operation_id="addWebhook")
def add_webhook(shop: Merchant, wanted: NewWebhook) -> Webhook:
    """Tell orders to this address from now on; the secret that signs them is shown this once."""
    row = {
        "id": new_id(),
        "url": wanted.url,
        "secret": secrets.token_hex(24),
        "active": True,
        "created": shop.now(),
    }
    with shop.engine.begin() as connection:
        if len(connection.execute(select(webhooks.c.id)).all()) >= 20:
            raise RefusedError(409, "there are 20 receivers at most")
        connection.execute(insert(webhooks).values(**row))
    return _webhook(row, str(row["secret"]))


@router.delete("/webhooks/{webhook_id}", response_model=Done, operation_id="deleteWebhook")
def delete_webhook(shop: Merchant, webhook_id: Id) -> Done:
    """Tell orders there no more; what it was not told yet is dropped."""
    with shop.engine.begin() as connection:
        if not connection.execute(delete(webhooks).where(webhooks.c.id == webhook_id)).rowcount:
            raise missing("webhook")
    return Done()


@router.post("/webhooks/{webhook_id}/test", response_model=Done, status_code=202, operation_id="testWebhook")
def test_webhook(shop: Merchant, request: Request, webhook_id: Id) -> Done:
    """Send a test event there."""
    with shop.engine.begin() as connection:
        if connection.execute(select(webhooks.c.id).where(webhooks.c.id == webhook_id)).first() is None:
            raise missing("webhook")
        add_event(shop, connection, "test", {"hello": "from the shop"}, None, only=webhook_id)
    request.app.state.postman.wake()
    return Done()


@router.get("/deliveries", response_model=Deliveries, operation_id="getDeliveries")
def get_deliveries(shop: Merchant) -> Deliveries:
    """Return the latest events with every try to deliver them."""
    with shop.reader.connect() as connection:
        rows = (
            connection.execute(select(deliveries).order_by(deliveries.c.created.desc()).limit(200))
            .mappings()
            .all()
        )
        keys = [row["id"] for row in rows]
        asked = select(attempts).where(attempts.c.delivery_id.in_(keys)).order_by(attempts.c.at)
        tries: dict[str, list[Attempt]] = {}
        for one in connection.execute(asked).mappings():
            attempt = Attempt(at=one["at"], status=one["status"], error=one["error"], seconds=one["seconds"])
            tries.setdefault(one["delivery_id"], []).append(attempt)
    return Deliveries(items=[
        Delivery(
            id=row["id"], webhook_id=row["webhook_id"], event=row["event"], order=row["order_number"],
            state=row["state"], attempts=tries.get(row["id"], []), next_at=row["next_at"],
        )
        for row in rows
    ])  # fmt: skip


@router.post(
    "/deliveries/{delivery_id}/retry", response_model=Done, status_code=202, operation_id="retryDelivery"
)
def retry_delivery(shop: Merchant, request: Request, delivery_id: Id) -> Done:
    """Try again now."""
    waiting = (deliveries.c.id == delivery_id, deliveries.c.state == "waiting")
    with shop.engine.begin() as connection:
        if not connection.execute(update(deliveries).where(*waiting).values(next_at=shop.now())).rowcount:
            raise missing("delivery that waits")
    request.app.state.postman.wake()
    return Done()


# ---------------------------------------------------------------------------- all of it


@router.get("/export", operation_id="exportCatalogue", response_class=Response, responses=ZIP)
def export_all(shop: Merchant) -> Response:
    """Return the catalogue with patterns and textures as one ZIP file."""
    headers = {"Content-Disposition": 'attachment; filename="catalogue.zip"'}
    return Response(export_catalogue(shop), media_type="application/zip", headers=headers)


@router.post("/import", response_model=Imported, operation_id="importCatalogue", openapi_extra=UPLOAD_BODY)
async def import_all(shop: Merchant, request: Request) -> Imported:
    """Take in an exported catalogue as the whole request body; garments of the same id are replaced."""
    data = await request.body()
    found = await run_in_threadpool(import_catalogue, shop, _view(request), data)
    await run_in_threadpool(_pictures_of_all, shop)
    request.app.state.queue.wake()
    return found


def _pictures_of_all(shop: Shop) -> None:
    if not shop.settings.pictures:
        return
    with shop.engine.begin() as connection:
        want_pictures(shop, connection)
