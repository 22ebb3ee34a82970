from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from toile.core.errors import ToileError
from toile.shop.settings import ShopSettings
from toile.shop.shell import Shell
from toile.shop.shop import open_shop

OWN, OTHER = "http://www.example", "http://elsewhere.example"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    app = FastAPI()

    @app.api_route("/api/thing", methods=["GET", "POST"])
    def thing() -> dict[str, int]:
        return {"thing": 1}

    shop = open_shop(ShopSettings(folder=tmp_path / "shop", embed=f"{OWN}, http://b.example/"))
    app.add_middleware(Shell, shop=shop)
    return TestClient(app, base_url="http://localhost")


def test_a_merchant_s_own_page_may_ask_and_no_other(client: TestClient) -> None:
    answer = client.post("/api/thing", headers={"Origin": OWN})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == OWN
    assert answer.headers["access-control-allow-credentials"] == "true"
    assert answer.headers["vary"] == "Origin"
    before = client.options("/api/thing", headers={"Origin": OWN, "Access-Control-Request-Method": "POST"})
    assert before.status_code == 204
    assert "x-csrf-token" in before.headers["access-control-allow-headers"]
    refused = client.post("/api/thing", headers={"Origin": OTHER})
    assert refused.status_code == 403
    for other in (refused, client.get("/api/thing", headers={"Origin": OTHER}), client.get("/api/thing")):
        assert "access-control-allow-origin" not in other.headers
        assert other.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("origin", ["www.example", "https://www.example/shop", "*", "ftp://a"])
def test_origins_are_named_exactly(tmp_path: Path, origin: str) -> None:
    with pytest.raises(ToileError, match="wanted the origin of a page"):
        ShopSettings(folder=tmp_path, embed=origin)
