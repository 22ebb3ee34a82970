"""What belongs to whom, and what protects it."""

import io
import json
import sqlite3
import zipfile
from pathlib import Path

import httpx

from shop_server import ShopServer, Visitor

BODY = {"sex": "female", "measures": {"height": 1.7234567, "waist": 0.72}}


def own_body(visitor: Visitor, height: float = 1.7234567) -> str:
    answer = visitor.post(
        "/api/bodies", json={"sex": "female", "measures": {"height": height, "waist": 0.72}}
    )
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_the_cookie_is_for_the_server_only(server: ShopServer) -> None:
    with server.visitor() as visitor:
        assert "toile_visitor" in visitor.cookies
        assert "set-cookie" not in visitor.get("/api/visitor").headers
    cookie = httpx.get(f"{server.address}/api/visitor").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_every_answer_protects_the_page(server: ShopServer) -> None:
    for path in ("/", "/api/catalogue", "/nothing.js", "/api/nothing"):
        headers = httpx.get(f"{server.address}{path}").headers
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert "'wasm-unsafe-eval'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-embedder-policy"] == "require-corp"


def test_changes_need_the_page_s_token(server: ShopServer) -> None:
    with server.visitor() as visitor:
        for token in ("", "0" * 32, "ä"):
            answer = visitor.post("/api/bodies", json=BODY, headers={"X-CSRF-Token": token.encode("latin-1")})
            assert (answer.status_code, answer.json()["code"]) == (403, "csrf")
        elsewhere = visitor.post("/api/bodies", json=BODY, headers={"Origin": "https://elsewhere.example"})
        assert elsewhere.status_code == 403
        assert visitor.get("/api/bodies", headers={"Host": "elsewhere.example"}).status_code == 403


def test_two_visitors_do_not_see_each_other(server: ShopServer) -> None:
    with server.visitor() as anna, server.visitor() as ben:
        body = own_body(anna)
        assert anna.get(f"/api/bodies/{body}").status_code == 200
        for path in ("", "/vertices", "/mesh"):
            assert ben.get(f"/api/bodies/{body}{path}").status_code == 404
        assert ben.delete(f"/api/bodies/{body}").status_code == 404
        assert ben.patch(f"/api/bodies/{body}", json={"name": "mine"}).status_code == 404
        assert ben.patch("/api/visitor", json={"body_id": body}).status_code == 404
        wear = {"body_id": body, "wear": [{"garment_id": "tshirt", "size": "40"}]}
        assert ben.post("/api/tryons", json=wear).status_code == 404
        assert ben.get("/api/catalogue/tshirt/size", params={"body_id": body}).status_code == 404
        # an id that nobody has is answered in the same words
        nobody = ben.get(f"/api/bodies/{'0' * 32}")
        assert nobody.json() == ben.get(f"/api/bodies/{body}").json()


def test_everything_is_handed_over_and_deleted_from_disk(server: ShopServer) -> None:
    with server.visitor() as visitor:
        # nobody else has one like it: equal files are stored once
        body = own_body(visitor, 1.6812345)
        stored = visitor.get(f"/api/bodies/{body}/vertices").content
        found = zipfile.ZipFile(io.BytesIO(visitor.get("/api/visitor/export").content))
        told = json.loads(found.read("my-data.json"))
        assert told["bodies"][0]["id"] == body
        assert found.read(f"body/{body}/vertices.bin") == stored
        assert holds(server.folder, stored)
        assert visitor.delete(f"/api/bodies/{body}").status_code == 200
        assert visitor.get(f"/api/bodies/{body}").status_code == 404
        assert not holds(server.folder, stored)
        other = own_body(visitor, 1.6912345)
        stored = visitor.get(f"/api/bodies/{other}/vertices").content
        assert visitor.delete("/api/visitor").status_code == 200
        assert not holds(server.folder, stored)
    assert gone_from_tables(server.folder, other)


def holds(folder: Path, content: bytes) -> bool:
    return any(path.read_bytes() == content for path in (folder / "files").rglob("*") if path.is_file())


def gone_from_tables(folder: Path, key: str) -> bool:
    database = sqlite3.connect(folder / "shop.sqlite")
    rows = [
        str(row)
        for table in ("bodies", "files", "jobs")
        for row in database.execute(f"SELECT * FROM {table}")
    ]
    return not any(key in row for row in rows)


def test_logs_know_nothing_of_persons(server: ShopServer) -> None:
    with server.visitor() as visitor:
        body = own_body(visitor)
        visitor.get(f"/api/bodies/{'f' * 32}")
        visitor.post("/api/bodies", json={"sex": "female", "measures": {"height": 0.7771234}})
    log = server.log
    assert '"/api/bodies/{body_id}"' in log
    assert body not in log
    assert "0.7771234" not in log
    assert "1.7234567" not in log
    assert "127.0.0.1" not in log
