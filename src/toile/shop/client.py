"""A typed client of the shop's API, for scripts and for shops that embed it.

with ShopClient("http://127.0.0.1:8360") as shop:
    body = shop.create_body(BodyRequest(sex="female", measures={"height": 1.72, "waist": 0.74}))
    wear = [Wear(garment_id="tshirt")]
    outfit = shop.wait(shop.create_try_on(TryOnRequest(wear=wear, body_id=body.id)))
    shop.save(outfit.work.files[0], "sewing.play")

Its methods are made from the description of the API (api_client.py); here is what takes several requests.
"""

from __future__ import annotations

import os
import secrets
import time

from toile.core.atomic import replacing
from toile.core.errors import ToileError
from toile.shop.api_client import ApiClient
from toile.shop.messages import File, Order, OrderRequest, TryOn

OPEN = ("queued", "running")
LOOK = 0.2
"""between two looks whether something is done [s]"""


class ShopClient(ApiClient):
    """One visitor of a shop, or its merchant."""

    def wait(self, outfit: TryOn, seconds: float = 300.0) -> TryOn:
        """Return an outfit when all its work has ended; ToileError: the sewing failed, or it takes longer."""
        end = time.monotonic() + seconds
        while True:
            found = self.get_try_on(outfit.id)
            if not any(work.state in OPEN for work in (found.work, *found.motions)):
                if found.work.state != "done":
                    raise ToileError(f"the outfit was not sewn: {found.work.error or found.work.state}")
                return found
            if time.monotonic() > end:
                raise ToileError(f"the outfit was not sewn within {seconds:g} s")
            time.sleep(LOOK)

    def order(self, wanted: OrderRequest, key: str = "") -> Order:
        """Order what is in the basket; the same key again is the same order."""
        return self.place_order(wanted, idempotency_key=key or secrets.token_urlsafe(16))

    def save(self, file: File, path: str | os.PathLike[str]) -> None:
        """Write a result to a file."""
        data = self.fetch("GET", file.url)
        with replacing(path) as target:
            target.write(data)
