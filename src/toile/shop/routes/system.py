"""Whether the shop lives, can work, and how it is doing: for those who run it."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from toile.shop.asking import shop_of
from toile.shop.messages import Done
from toile.shop.problems import RefusedError
from toile.shop.settings import is_loopback

router = APIRouter(tags=["system"])


@router.get("/healthz", response_model=Done, operation_id="getHealth")
async def health() -> Done:
    """Say that the process lives."""
    return Done()


@router.get("/readyz", response_model=Done, operation_id="getReadiness")
def ready(request: Request) -> Done:
    """Say that the database answers and the shop is not about to stop."""
    shop = shop_of(request)
    if getattr(request.app.state, "stopping", False):
        raise RefusedError(503, "the shop is closing")
    try:
        with shop.reader.connect() as connection:
            connection.execute(text("SELECT 1"))
    except SQLAlchemyError:
        raise RefusedError(503, "the database does not answer") from None
    return Done()


@router.get(
    "/metrics", operation_id="getMetrics", response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)  # fmt: skip
def metrics(request: Request) -> Response:
    """Return figures for Prometheus; off this computer only with the merchant's token."""
    shop = shop_of(request)
    here = request.client is None or is_loopback(request.client.host)
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not (here and is_loopback(shop.settings.host)) and not shop.secrets.is_merchant(token):
        raise RefusedError(401, "metrics need the merchant's token here", code="unknown_merchant")
    return Response(shop.metrics.text(), media_type="text/plain; version=0.0.4")
