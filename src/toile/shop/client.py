"""A typed client of the shop's API, for scripts and for shops that embed it.

with ShopClient("http://127.0.0.1:8360") as shop:
    body = shop.create_body(BodyRequest(sex="female", measures={"height": 1.72, "waist": 0.74}))
    outfit = shop.wait(shop.try_on([Wear(garment_id="tshirt")], body.id))
    shop.save(outfit.work.files[0], "sewing.play")
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import httpx

from toile.core.atomic import replacing
from toile.core.errors import ToileError
from toile.shop.messages import (
    Basket,
    BasketAdd,
    Body,
    BodyList,
    BodyRequest,
    Catalogue,
    File,
    FitMap,
    Message,
    MotionRequest,
    Order,
    OrderRequest,
    Share,
    ShareRequest,
    SizeAdvice,
    TryOn,
    TryOnRequest,
    Visitor,
    Wear,
    Work,
)

T = TypeVar("T", bound=Message)
OPEN = ("queued", "running")


class ShopClient:
    """One visitor of a shop."""

    def __init__(self, address: str, *, timeout: float = 60.0) -> None:
        """address: of the shop, as it prints it."""
        self._client = httpx.Client(base_url=address.rstrip("/"), timeout=timeout)
        self._client.headers["X-CSRF-Token"] = self.visitor().csrf

    def visitor(self) -> Visitor:
        """Return who we are; the first time makes a visitor."""
        return self._get(Visitor, "/api/visitor")

    def catalogue(self, **filters: str | int) -> Catalogue:
        """Return what there is to wear; filters: kind, sex, colour, size, fabric, low, high, text, order."""
        return self._get(Catalogue, "/api/catalogue", filters)

    def bodies(self) -> BodyList:
        """Return standard bodies and our own."""
        return self._get(BodyList, "/api/bodies")

    def create_body(self, wanted: BodyRequest) -> Body:
        """Make a body from measures."""
        return self._post(Body, "/api/bodies", wanted)

    def upload_scan(self, path: str | os.PathLike[str], name: str = "My scan") -> Body:
        """Make a body from a scan."""
        data = Path(path).read_bytes()
        return self._read(Body, self._ask("POST", "/api/bodies/scan", params={"name": name}, content=data))

    def size(self, garment_id: str, body_id: str) -> SizeAdvice:
        """Return which size to take."""
        return self._get(SizeAdvice, f"/api/catalogue/{garment_id}/size", {"body_id": body_id})

    def try_on(self, wear: Sequence[Wear], body_id: str | None = None) -> TryOn:
        """Put on garments, inner first."""
        return self._post(TryOn, "/api/tryons", TryOnRequest(wear=list(wear), body_id=body_id))

    def move(self, outfit: TryOn, wanted: MotionRequest) -> Work:
        """Move in what was put on."""
        return self._post(Work, f"/api/tryons/{outfit.id}/motions", wanted)

    def wait(self, outfit: TryOn, seconds: float = 300.0) -> TryOn:
        """Return an outfit when all its work has ended; ToileError: the sewing failed, or it takes longer."""
        end = time.monotonic() + seconds
        while True:
            found = self._get(TryOn, f"/api/tryons/{outfit.id}")
            if not any(work.state in OPEN for work in (found.work, *found.motions)):
                if found.work.state != "done":
                    raise ToileError(f"the outfit was not sewn: {found.work.error or found.work.state}")
                return found
            if time.monotonic() > end:
                raise ToileError(f"the outfit was not sewn within {seconds:g} s")
            time.sleep(0.2)

    def fit(self, outfit: TryOn) -> FitMap:
        """Return how an outfit fits."""
        return self._get(FitMap, f"/api/tryons/{outfit.id}/fit")

    def share(self, outfit: TryOn, wanted: ShareRequest | None = None) -> Share:
        """Make a link to an outfit."""
        return self._post(Share, f"/api/tryons/{outfit.id}/share", wanted or ShareRequest())

    def save(self, file: File, path: str | os.PathLike[str]) -> None:
        """Write a result to a file."""
        data = self._ask("GET", file.url).content
        with replacing(path) as target:
            target.write(data)

    def add_to_basket(self, item: BasketAdd) -> Basket:
        """Put something into the basket."""
        return self._post(Basket, "/api/basket/items", item)

    def order(self, wanted: OrderRequest, key: str = "") -> Order:
        """Order what is in the basket; the same key again is the same order."""
        headers = {"Idempotency-Key": key or secrets.token_urlsafe(16)}
        answer = self._ask("POST", "/api/orders", json=wanted.model_dump(mode="json"), headers=headers)
        return self._read(Order, answer)

    def _get(self, kind: type[T], path: str, params: Mapping[str, str | int] | None = None) -> T:
        return self._read(kind, self._ask("GET", path, params=dict(params or {})))

    def _post(self, kind: type[T], path: str, message: Message) -> T:
        return self._read(kind, self._ask("POST", path, json=message.model_dump(mode="json")))

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            answer = self._client.request(method, path, **options)
        except httpx.HTTPError as error:
            raise ToileError(f"the shop does not answer: {type(error).__name__}") from None
        if answer.is_error:
            try:
                text = str(answer.json()["error"])
            except (ValueError, KeyError, TypeError):
                text = f"status {answer.status_code}"
            raise ToileError(f"the shop refused: {text}")
        return answer

    @staticmethod
    def _read(kind: type[T], answer: httpx.Response) -> T:
        return kind.model_validate_json(answer.content)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> ShopClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
