from pathlib import Path

from fastapi import FastAPI
from starlette.testclient import TestClient

from folders import ROOT
from toile.shop.app import _add_pages
from toile.shop.starting_catalogue import FABRIC_WORDS, GARMENTS


def test_pages_are_served_from_their_folder_and_no_other(tmp_path: Path) -> None:
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "shop").mkdir()
    (page / "shop" / "index.html").write_text('<script src="../assets/a-1.js">')
    (page / "assets" / "a-1.js").write_text("1")
    (tmp_path / "secrets.txt").write_text("secret")
    app = FastAPI()
    _add_pages(app, page)
    client = TestClient(app)
    for path in ("/", "/garment/coat", "/shared/a/b"):
        assert '"/assets/a-1.js"' in client.get(path).text
    assert "immutable" in client.get("/assets/a-1.js").headers["cache-control"]
    for path in ("/../secrets.txt", "/%2e%2e/secrets.txt", "/assets/..%2f..%2fsecrets.txt", "/nothing.js"):
        assert "secret" not in client.get(path).text
    assert client.get("/nothing.js").status_code == 404


def test_the_starting_catalogue_is_translated() -> None:
    text = (ROOT / "web" / "shop" / "src" / "texts" / "de-catalogue.ts").read_text(encoding="utf-8")
    ways = [way["name"] for garment in GARMENTS for way in garment["colours"]]
    words = [garment[key] for garment in GARMENTS for key in ("name", "text")]
    every = {*words, *ways, *FABRIC_WORDS.values()}
    assert {word for word in every if f'"{word}": ' not in text and f" {word}: " not in text} == set()
