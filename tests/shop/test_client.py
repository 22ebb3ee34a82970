from pathlib import Path

import pytest

from shop_server import ShopServer
from toile.core.errors import ToileError
from toile.shop.client import ShopClient
from toile.shop.messages import BasketAdd, BodyRequest, OrderRequest, TryOnRequest, Wear


def test_a_script_dresses_and_orders(server: ShopServer, tmp_path: Path) -> None:
    with ShopClient(server.address) as shop:
        body = shop.create_body(BodyRequest(sex="female", measures={"height": 1.7}))
        assert (
            shop.get_size_advice("shell-top", body_id=body.id).recommended
            in shop.get_catalogue(kind="top").garments[0].sizes
        )
        wanted = TryOnRequest(wear=[Wear(garment_id="shell-top")], body_id=body.id)
        outfit = shop.wait(shop.create_try_on(wanted))
        file = next(file for file in outfit.work.files if file.name == "drape.play")
        shop.save(file, tmp_path / "look.play")
        assert (tmp_path / "look.play").stat().st_size == file.bytes
        assert shop.get_fit(outfit.id).lines
        shop.add_to_basket(BasketAdd(garment_id="shell-top", size="40", colour="ivory"))
        order = shop.order(OrderRequest(name="A", email="a@b", address="1 Street"))
        assert order.total == 6900
        with pytest.raises(ToileError, match="no such garment"):
            shop.get_size_advice("nothing", body_id=body.id)


def test_the_merchant_is_a_client_too(server: ShopServer) -> None:
    with ShopClient(server.address, merchant=server.token) as merchant:
        assert merchant.get_merchant_garments().items
        assert merchant.export_catalogue()[:2] == b"PK"
        assert "toile" in merchant.get_metrics()
    stranger = ShopClient(server.address, merchant="x" * 24)
    with stranger, pytest.raises(ToileError, match="refused"):
        stranger.get_merchant_garments()
