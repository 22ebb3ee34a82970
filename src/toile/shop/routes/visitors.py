"""Who the visitor is, what the shop knows of them, and how they are forgotten."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from sqlalchemy import select, update

from toile.shop.asking import Visiting, address_of, cookie_name, find_visitor, new_visitor, shop_of, take
from toile.shop.bodies import may_use_body
from toile.shop.forgetting import everything_of, forget_visitor
from toile.shop.messages import Done, Visitor, VisitorChange
from toile.shop.problems import missing
from toile.shop.schema import visitors
from toile.shop.shop import Shop

router = APIRouter(prefix="/api/visitor", tags=["visitor"])
DAY = 86400.0


def _message(shop: Shop, token: str, row: object) -> Visitor:
    values = dict(row)  # type: ignore[call-overload]
    days = shop.settings.retention_days
    return Visitor(
        csrf=shop.secrets.csrf(token), units=values["units"], language=values["language"],
        body_id=values["body_id"], retention_days=days, deleted_at=values["seen"] + days * DAY,
    )  # fmt: skip


@router.get("", response_model=Visitor, operation_id="getVisitor")
def get_visitor(request: Request, response: Response) -> Visitor:
    """Return who is asking; somebody new gets a place of their own and a cookie that names it."""
    shop = shop_of(request)
    token = request.cookies.get(cookie_name(shop), "")
    row = find_visitor(shop, token)
    if row is None:
        take(shop, "newcomer", address_of(request))
        token, row = new_visitor(shop, response)
    return _message(shop, token, row)


@router.patch("", response_model=Visitor, operation_id="changeVisitor")
def change_visitor(asker: Visiting, change: VisitorChange) -> Visitor:
    """Set units, language or the body that clothes are tried on."""
    if change.body_id is not None and not may_use_body(asker.shop, asker.id, change.body_id):
        raise missing("body")
    values = change.model_dump(exclude_none=True)
    with asker.shop.engine.begin() as connection:
        if values:
            connection.execute(update(visitors).where(visitors.c.id == asker.id).values(**values))
        row = connection.execute(select(visitors).where(visitors.c.id == asker.id)).mappings().first()
    if row is None:
        raise missing("visitor")
    return _message(asker.shop, asker.token, row)


@router.get(
    "/export", operation_id="exportVisitor", response_class=Response,
    responses={200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}},
)  # fmt: skip
def export_visitor(asker: Visiting) -> Response:
    """Return everything that the shop knows of the visitor as a ZIP file: JSON and all files."""
    asker.may("upload")
    headers = {"Content-Disposition": 'attachment; filename="my-data.zip"'}
    return Response(everything_of(asker.shop, asker.id), media_type="application/zip", headers=headers)


@router.delete("", response_model=Done, operation_id="deleteVisitor")
def delete_visitor(asker: Visiting, response: Response) -> Done:
    """Delete the visitor with all bodies, outfits and files; orders stay with the merchant."""
    forget_visitor(asker.shop, asker.id)
    response.delete_cookie(cookie_name(asker.shop), path="/")
    return Done()
