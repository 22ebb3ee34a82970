"""The studio beside the shop: /studio of toile serve."""

from __future__ import annotations

from pathlib import Path

import httpx
from websockets.sync.client import connect

from shop_server import ShopServer
from studio_client import Page


def test_the_shop_has_a_studio(tmp_path: Path) -> None:
    shop = ShopServer(tmp_path / "shop")
    try:
        answer = httpx.get(f"{shop.address}/studio")
        assert answer.status_code == 200
        assert "studio" in answer.text.lower()
        live = f"ws{shop.address[4:]}/studio/live"
        with connect(live, max_size=None, max_queue=None) as socket:
            page = Page(socket)
            page.do("set_name", name="beside the shop")
            where = f"{shop.address}/studio/files/{page.session}/large.dxf"
            # more than the shop takes elsewhere
            assert httpx.put(where, content=b"0" * 2_000_000).status_code == 200
            assert page.ask("open", file="large.dxf")["type"] == "refused"
    finally:
        shop.stop()
