"""Orders reach the merchant signed, again and again until acknowledged, and count once."""

import json
import time

from shop_server import Receiver, ShopServer, wait_for
from toile.shop.webhooks import is_signed, pause_after

ITEM = {"garment_id": "tshirt", "size": "40", "colour": "white"}


def test_an_order_reaches_a_receiver_that_fails_twice_first(server: ShopServer) -> None:
    receiver = Receiver(fails=2)
    with server.visitor() as visitor, server.merchant() as merchant:
        hook = merchant.post("/api/merchant/webhooks", json={"url": receiver.url}).json()
        try:
            visitor.post("/api/basket/items", json=ITEM)
            basket = visitor.post("/api/basket/items", json=ITEM).json()
            assert (basket["items"][0]["quantity"], basket["total"]) == (2, 5800)
            order = visitor.order("first-order").json()
            assert order["state"] == "received"
            # the page sends it again because it did not hear the answer
            assert visitor.order("first-order").json()["number"] == order["number"]
            path = f"/api/orders/{order['number']}"
            wait_for(lambda: visitor.get(path).json()["state"] == "acknowledged", 60.0)
            assert receiver.orders() == [order["number"]]
            assert len(receiver.got) == 3
            keys = {headers["Idempotency-Key"] for headers, _ in receiver.got}
            assert len(keys) == 1
            for headers, body in receiver.got:
                assert is_signed(hook["secret"], headers["Toile-Signature"], body, time.time())
                assert not is_signed("wrong", headers["Toile-Signature"], body, time.time())
                assert not is_signed(hook["secret"], headers["Toile-Signature"], body + b" ", time.time())
                assert not is_signed(hook["secret"], headers["Toile-Signature"], body, time.time() + 3600)
                assert json.loads(body)["data"]["customer"]["email"] == "a@example.org"
            told = merchant.get("/api/merchant/deliveries").json()["items"]
            (delivery,) = [one for one in told if one["webhook_id"] == hook["id"]]
            assert [attempt["status"] for attempt in delivery["attempts"]] == [500, 500, 200]
            (mine,) = merchant.get("/api/merchant/orders", params={"number": order["number"]}).json()["items"]
            assert mine["address"] == "1 Street, Town"
            assert visitor.get("/api/basket").json()["items"] == []
            assert visitor.order("second-order").status_code == 409
        finally:
            merchant.delete(f"/api/merchant/webhooks/{hook['id']}")
            receiver.close()


def test_another_visitor_has_no_such_order(server: ShopServer) -> None:
    with server.visitor() as anna, server.visitor() as ben:
        anna.post("/api/basket/items", json=ITEM)
        number = anna.order("another-one").json()["number"]
        assert anna.get(f"/api/orders/{number}").status_code == 200
        assert ben.get(f"/api/orders/{number}").status_code == 404
        # the same key of another visitor is another order
        ben.post("/api/basket/items", json=ITEM)
        assert ben.order("another-one").json()["number"] != number


def test_pauses_grow_to_an_hour() -> None:
    pauses = [pause_after(tries) for tries in range(1, 40)]
    assert pauses[0] < 1.2
    assert all(pause < 1.1 * 3600.1 for pause in pauses)
    assert pauses[20] > 3000
