"""The merchant adds garments from pattern files; problems are told in words; all of it goes into one file."""

import io

import pytest
from PIL import Image
from test_bodies import bomb, refused

from shop_server import ShopServer
from toile.body.model.make import named_body
from toile.pattern.drafts.library import draft
from toile.pattern.formats.dxf.write import to_dxf
from toile.pattern.formats.garmentcode import to_json

COLOURS = [{"id": "red", "name": "Red", "colour": "#aa2222"}]
GARMENT = {
    "id": "our-skirt", "name": "Our skirt", "kind": "skirt", "fabric": "wool", "price": 5000,
    "sizes": ["38", "40"], "colours": COLOURS,
}  # fmt: skip


def test_only_the_merchant_gets_in(server: ShopServer) -> None:
    with server.visitor() as visitor:
        assert visitor.get("/api/merchant/garments").status_code == 401
        wrong = {"Authorization": "Bearer wrong"}
        assert visitor.get("/api/merchant/garments", headers=wrong).status_code == 401
        assert visitor.get("/metrics").status_code == 200


def test_a_garment_from_a_dxf_whose_seams_are_confirmed(server: ShopServer) -> None:
    pattern = draft("skirt", named_body("woman").measurements)
    data = to_dxf(pattern)
    with server.merchant() as merchant, server.visitor() as visitor:
        body = data if isinstance(data, bytes) else data.encode()
        answer = merchant.post("/api/merchant/patterns", params={"file": "skirt.dxf"}, content=body)
        assert answer.status_code == 201, answer.text
        uploaded = answer.json()
        assert len(uploaded["pieces"]) == len(pattern.panels)
        assert uploaded["seams"]
        assert all(seam["reason"] for seam in uploaded["seams"])
        new = {**GARMENT, "pattern": uploaded["id"], "seams": uploaded["seams"]}
        unsure = {**new, "seams": [{**seam, "confirmed": False} for seam in uploaded["seams"]]}
        assert "confirmed" in merchant.post("/api/merchant/garments", json=unsure).json()["error"]
        new["seams"] = [{**seam, "confirmed": True} for seam in uploaded["seams"]]
        added = merchant.post("/api/merchant/garments", json=new)
        assert added.status_code == 201, added.text
        assert {drape["body"] for drape in added.json()["drapes"]} == {"woman", "woman-petite", "woman-curvy"}
        assert visitor.get("/api/catalogue/our-skirt").json()["price"] == 5000
        advice = visitor.get("/api/catalogue/our-skirt/size")
        assert advice.status_code == 200, advice.text
        assert {fit["size"] for fit in advice.json()["sizes"]} == {"38", "40"}
        assert (
            merchant.patch("/api/merchant/garments/our-skirt", json={"price": 4200}).json()["garment"][
                "price"
            ]
            == 4200
        )
        assert (
            merchant.patch("/api/merchant/garments/our-skirt", json={"published": False}).status_code == 200
        )
        assert visitor.get("/api/catalogue/our-skirt").status_code == 404
        assert merchant.delete("/api/merchant/garments/our-skirt").status_code == 200


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"fabric": "steel"}, "fabric"),
        ({"recipe": "spacesuit"}, "recipe"),
        ({"pattern": "0" * 32}, "pattern"),
        ({"recipe": "skirt", "pattern": "0" * 32}, "either"),
        ({"colours": COLOURS * 2, "recipe": "skirt"}, "colours"),
    ],
)
def test_what_is_wrong_with_a_garment_is_told(
    server: ShopServer, change: dict[str, object], word: str
) -> None:
    with server.merchant() as merchant:
        answer = merchant.post("/api/merchant/garments", json={**GARMENT, **change})
        assert 400 <= answer.status_code < 500
        assert word in answer.json()["error"]


@pytest.mark.shop
@pytest.mark.parametrize(
    "data",
    [b"", b"nonsense", b"0\nSECTION\n" * 1000, bomb(), b'{"pattern": ' + b"[" * 100_000, b"<svg>" * 30_000,
     b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>'],
    ids=["empty", "nonsense", "dxf", "bomb", "deep", "squares", "entity"],
)  # fmt: skip
def test_hostile_patterns_are_refused(server: ShopServer, data: bytes) -> None:
    with server.merchant() as merchant:
        refused(server, merchant, "/api/merchant/patterns", data, file="a.dxf")


def test_a_texture_is_written_anew(server: ShopServer) -> None:
    target = io.BytesIO()
    Image.new("RGB", (64, 32), (200, 30, 30)).save(target, "PNG", pnginfo=None)
    with server.merchant() as merchant, server.visitor() as visitor:
        found = merchant.post("/api/merchant/textures", content=target.getvalue() + b"hidden").json()
        assert (found["width"], found["height"]) == (64, 32)
        picture = visitor.get(found["url"])
        assert picture.headers["content-type"] == "image/png"
        assert b"hidden" not in picture.content
        assert merchant.post("/api/merchant/textures", content=b"GIF89a" + bytes(99)).status_code == 422


def test_the_catalogue_goes_into_one_file_and_back(server: ShopServer) -> None:
    pattern = to_json(draft("skirt", named_body("woman").measurements))
    data = pattern if isinstance(pattern, bytes) else pattern.encode()
    with server.merchant() as merchant, server.visitor() as visitor:
        uploaded = merchant.post("/api/merchant/patterns", params={"file": "s.json"}, content=data).json()
        merchant.post("/api/merchant/garments", json={**GARMENT, "pattern": uploaded["id"]})
        exported = merchant.get("/api/merchant/export").content
        merchant.delete("/api/merchant/garments/our-skirt")
        merchant.patch("/api/merchant/garments/tshirt", json={"price": 1})
        found = merchant.post("/api/merchant/import", content=exported)
        assert found.json()["added"] == 1, found.text
        assert visitor.get("/api/catalogue/tshirt").json()["price"] == 2900
        assert visitor.get("/api/catalogue/our-skirt").json()["name"] == "Our skirt"
        merchant.delete("/api/merchant/garments/our-skirt")
        for bad in (b"", b"PK\x03\x04", bomb()):
            assert 400 <= merchant.post("/api/merchant/import", content=bad).status_code < 500
