from pathlib import Path

import pytest

from shop_server import ShopServer
from toile.core.errors import ToileError
from toile.shop.client import ShopClient
from toile.shop.messages import BasketAdd, BodyRequest, OrderRequest, Wear

pytestmark = pytest.mark.shop


def test_a_script_dresses_and_orders(server: ShopServer, tmp_path: Path) -> None:
    with ShopClient(server.address) as shop:
        body = shop.create_body(BodyRequest(sex="female", measures={"height": 1.7}))
        assert shop.size("shell-top", body.id).recommended in shop.catalogue(kind="top").garments[0].sizes
        outfit = shop.wait(shop.try_on([Wear(garment_id="shell-top")], body.id))
        file = next(file for file in outfit.work.files if file.name == "drape.play")
        shop.save(file, tmp_path / "look.play")
        assert (tmp_path / "look.play").stat().st_size == file.bytes
        assert shop.fit(outfit).lines
        shop.add_to_basket(BasketAdd(garment_id="shell-top", size="40", colour="ivory"))
        order = shop.order(OrderRequest(name="A", email="a@b", address="1 Street"))
        assert order.total == 6900
        with pytest.raises(ToileError, match="no such garment"):
            shop.size("nothing", body.id)
