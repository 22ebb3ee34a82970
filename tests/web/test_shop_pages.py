"""The shop in a real browser: from measures to an order; phone, keyboard, offline; axe finds nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run 'make readers'")

from folders import ROOT  # noqa: E402
from shop_server import Receiver, ShopServer, wait_for  # noqa: E402
from toile.body.model.make import named_body  # noqa: E402
from toile.pattern.drafts.library import draft  # noqa: E402
from toile.pattern.formats.dxf.write import to_dxf  # noqa: E402

PAGE = ROOT / "src" / "toile" / "web" / "page" / "shop" / "index.html"
ENGINE = PAGE.parents[1] / "engine" / "toile.wasm"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
LONG = 120_000
"""a loaded machine sews slowly [ms]"""
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PHONE, WIDE = {"width": 375, "height": 812}, {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def shop(server: ShopServer) -> ShopServer:
    if not PAGE.is_file():
        pytest.skip("the pages are not built: make page, where Node is there")
    return server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    own = shutil.which("chromium") or shutil.which("chromium-browser")
    if own is None:
        pytest.skip("chromium is not installed")
    with api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=own, args=FLAGS + SOFTWARE)
        yield started
        started.close()


@pytest.fixture
def wrong() -> list[str]:
    """What the page's console complained about."""
    return []


def opened(browser: Any, shop: ShopServer, wrong: list[str], size: dict[str, int], path: str = "/") -> Any:
    context = browser.new_context(
        viewport=size, locale="en-GB", reduced_motion="reduce", base_url=shop.address
    )
    page = context.new_page()
    page.set_default_timeout(LONG)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None
    )
    page.goto(path)
    page.locator("main h1").first.wait_for()
    return page


def keep(page: Any, name: str) -> None:
    """Leave a picture for people in the folder that TOILE_SHOTS names."""
    if folder := os.environ.get("TOILE_SHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), timeout=LONG, animations="disabled")


def test_from_measures_to_an_order_that_arrives(shop: ShopServer, browser: Any, wrong: list[str]) -> None:
    receiver = Receiver(fails=2)
    with shop.merchant() as merchant:
        hook = merchant.post("/api/merchant/webhooks", json={"url": receiver.url}).json()["id"]
    page = opened(browser, shop, wrong, WIDE, "/body?for=everyday-skirt")
    # measures: the slider moves, the body is asked for, and taken
    slider = page.locator("#measure-waist")
    before = slider.input_value()
    with page.expect_response("**/api/bodies/preview"):
        slider.focus()
        slider.press("ArrowRight")
    assert slider.input_value() != before
    page.get_by_role("button", name="Use this body").click()
    page.wait_for_url("**/garment/everyday-skirt")
    # try on, in the size that is recommended for this body
    best = page.locator(".size.best input")
    assert best.is_checked()
    page.get_by_role("button", name="Sew it on me").click()
    acts = page.get_by_role("group", name="Movement")
    acts.wait_for()
    page.locator(".stage.seen").wait_for()
    keep(page, "dressed")
    # another size is sewn at once
    sizes = page.locator(".size input")
    last = sizes.count() - 1
    with page.expect_response(lambda r: r.url.endswith("/api/tryons") and r.request.method == "POST"):
        sizes.nth(last).check(force=True)
    acts.wait_for()
    page.get_by_role("button", name="Walk").click()
    page.locator('.act[aria-pressed="true"]', has_text="Walk").wait_for()
    keep(page, "walk")
    fits = page.get_by_role("button", name="How it fits")
    fits.click()
    assert page.locator(".legend li").all_inner_texts() == ["loose", "easy", "close", "tight", "too tight"]
    assert page.locator(".ease tr").count() >= 2
    keep(page, "fit")
    page.get_by_label("Compare sizes").select_option(index=1)
    page.locator(".stages.two .stage.seen").nth(1).wait_for()
    keep(page, "compare")
    page.get_by_role("button", name="Put in basket").click()
    page.get_by_role("link", name="Basket, 1 items").click()
    page.get_by_role("link", name="Order", exact=True).click()
    # what is missing is told at its field
    page.get_by_role("button", name="Place the order").click()
    assert page.locator("#order-name-wrong").inner_text() == "Please fill this in."
    fields = {
        "name": "Ada Example", "email": "ada@example.org", "street": "1 Loom Lane", "postcode": "12345",
        "city": "Weaverton", "country": "Utopia",
    }  # fmt: skip
    for name, value in fields.items():
        page.locator(f"#order-{name}").fill(value)
    page.get_by_role("button", name="Place the order").click()
    page.wait_for_url("**/thanks/*")
    number = page.locator(".number").inner_text().removeprefix("Order number ")
    # the receiver refuses twice, and gets it all the same
    wait_for(lambda: number in receiver.orders(), 90)
    with shop.merchant() as merchant:
        assert merchant.delete(f"/api/merchant/webhooks/{hook}").status_code == 200
    receiver.close()
    page.context.close()
    assert wrong == []


@pytest.mark.skipif(not ENGINE.is_file(), reason="the page's engine is not built: make page")
def test_an_outfit_lives_on_the_visitor_s_device(shop: ShopServer, browser: Any, wrong: list[str]) -> None:
    page = opened(browser, shop, wrong, {"width": 1000, "height": 640}, "/garment/circle-skirt")
    page.locator(".size.best").wait_for()
    with page.expect_response("**/live.scene"), page.expect_response("**/worker-*.js"):
        page.get_by_role("button", name="Sew it on me").click()
    page.get_by_role("group", name="Movement").wait_for()
    # the scene is opened a moment after its worker came; until then a recording would be shown
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Walk").click()
    page.locator("canvas[data-live]").wait_for()
    began = int(page.locator("canvas").get_attribute("data-live"))
    wait_for(lambda: int(page.locator("canvas").get_attribute("data-live")) > began + 20, 60)
    page.get_by_label("Gust").check(force=True)
    page.get_by_role("button", name="How it fits").click()
    page.locator(".legend").wait_for()
    keep(page, "live")
    # nothing was recorded for it
    assert (
        page.evaluate("performance.getEntriesByType('resource').some(e => e.name.endsWith('walk.play'))")
        is False
    )
    page.context.close()
    assert wrong == []


def test_a_scan_is_uploaded_and_what_is_doubtful_is_asked(
    shop: ShopServer, browser: Any, wrong: list[str], tmp_path: Path
) -> None:
    person = named_body("woman")
    obj = [f"v {x:.1f} {y:.1f} {z:.1f}" for x, y, z in 1000 * person.vertices]
    obj += [f"f {a} {b} {c}" for a, b, c in person.triangles + 1]
    (tmp_path / "me.obj").write_text("\n".join(obj))
    page = opened(browser, shop, wrong, PHONE, "/body")
    page.get_by_label("From a scan").check(force=True)
    page.locator('input[type="file"]').set_input_files(tmp_path / "me.obj")
    page.locator(".question").wait_for()
    assert page.locator(".question p").inner_text() == "Is this person 168\u202fcm tall?"
    page.locator(".stage.seen").wait_for()
    keep(page, "scan")
    page.get_by_role("button", name="No", exact=True).click()
    page.locator('input[name="height"]').fill("170")
    page.locator("form.row").get_by_role("button", name="Yes").click()
    page.get_by_text("We know this body now").wait_for()
    page.get_by_role("button", name="Use this body").click()
    page.get_by_text("This is your body now").wait_for()
    # the file's name is the body's
    page.get_by_label("A standard body").check(force=True)
    mine = page.locator(".person", has=page.get_by_text("me", exact=True))
    assert mine.locator("input").is_checked()
    page.context.close()
    assert wrong == []


def test_a_merchant_hangs_a_garment_from_a_dxf_on_the_rail(
    shop: ShopServer, browser: Any, wrong: list[str], tmp_path: Path
) -> None:
    made = to_dxf(draft("skirt", named_body("woman").measurements))
    (tmp_path / "Wrap.dxf").write_bytes(made if isinstance(made, bytes) else made.encode())
    page = opened(browser, shop, wrong, WIDE, "/merchant")
    page.get_by_label("Merchant key").fill("not the key")
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("alert").get_by_text("does not open the shop").wait_for()
    page.get_by_label("Merchant key").fill(shop.token)
    page.get_by_role("button", name="Enter").click()
    page.get_by_role("link", name="Add a garment").click()
    page.locator("#pattern-file").set_input_files(tmp_path / "Wrap.dxf")
    page.get_by_role("button", name="Read the pattern").click()
    page.get_by_role("button", name="The seams are right").wait_for()
    assert page.locator(".seam-list li").count() > 3
    keep(page, "seams")
    page.get_by_role("button", name="The seams are right").click()
    page.locator("#add-price").fill("49,50")
    page.locator("#add-kind").select_option("skirt")
    page.locator("#add-sizes").fill("38 40")
    page.get_by_role("button", name="Hang it on the rail").click()
    page.get_by_role("heading", name="Wrap is in the shop.").wait_for()
    keep(page, "added")
    with shop.visitor() as visitor, shop.merchant() as merchant:
        found = visitor.get("/api/catalogue/wrap").json()
        assert (found["price"], found["sizes"]) == (4950, ["38", "40"])
        assert merchant.delete("/api/merchant/garments/wrap").status_code == 200
    page.context.close()
    assert wrong == []


def test_two_visitors_do_not_share_basket_body_or_outfit(
    shop: ShopServer, browser: Any, wrong: list[str]
) -> None:
    first = opened(browser, shop, wrong, WIDE, "/garment/tshirt")
    first.get_by_role("button", name="Put in basket").click()
    first.get_by_role("link", name="Basket, 1 items").wait_for()
    tryon = first.evaluate(
        """async () => {
          const { csrf } = await (await fetch("/api/visitor")).json();
          const headers = { "X-CSRF-Token": csrf, "Content-Type": "application/json" };
          const body = JSON.stringify({ wear: [{ garment_id: "shell-top", size: "40" }] });
          return (await (await fetch("/api/tryons", { method: "POST", headers, body })).json()).id;
        }"""
    )
    second = opened(browser, shop, wrong, WIDE, "/basket")
    second.get_by_role("heading", name="Your basket is empty").wait_for()
    ask = "async path => (await fetch(path)).status"
    assert first.evaluate(ask, f"/api/tryons/{tryon}") == 200
    assert second.evaluate(ask, f"/api/tryons/{tryon}") == 404
    for page in (first, second):
        page.context.close()
    assert wrong == []


@pytest.mark.parametrize(
    "path", ["/", "/body", "/garment/tshirt", "/outfit", "/basket", "/order", "/merchant", "/nowhere/at-all"]
)
def test_a_phone_shows_every_page_without_scrolling_sideways(
    shop: ShopServer, browser: Any, wrong: list[str], path: str
) -> None:
    page = browser.new_page(viewport=PHONE, base_url=shop.address, reduced_motion="reduce", locale="de-DE")
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(path)
    page.locator("main h1, main h2").first.wait_for(timeout=LONG)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    small = "[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && e.textContent.trim() && parseFloat(getComputedStyle(e).fontSize) < 14).length"  # noqa: E501
    assert page.evaluate(small) == 0
    assert page.locator("html").get_attribute("lang") == "de"
    keep(page, f"phone{path.replace('/', '-')}")
    page.close()
    assert wrong == []


def test_keyboard_alone_leads_from_the_rail_to_the_basket(
    shop: ShopServer, browser: Any, wrong: list[str]
) -> None:
    page = opened(browser, shop, wrong, WIDE)
    page.locator(".card").first.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('href')") == "/garment/tshirt":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/garment/tshirt")
    # not that of the page before
    page.get_by_role("heading", name="T-shirt", level=1).wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if "Put in basket" in page.evaluate("document.activeElement.textContent"):
            break
    # what has the focus is seen
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "dashed"
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Basket, 1 items").wait_for()
    page.context.close()
    assert wrong == []


def test_what_was_opened_works_offline(shop: ShopServer, browser: Any, wrong: list[str]) -> None:
    page = opened(browser, shop, wrong, PHONE)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.locator(".card").first.wait_for()
    page.locator('a.way[href="/basket"]').click()
    page.get_by_role("heading", name="Your basket is empty").wait_for()
    page.context.set_offline(True)
    page.goto("/")
    page.locator(".card").first.wait_for()
    page.get_by_text("You are offline").wait_for()
    page.locator('a.way[href="/basket"]').click()
    page.get_by_role("heading", name="Your basket is empty").wait_for()
    page.context.close()


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: make page, where Node is there")
@pytest.mark.parametrize("path", ["/", "/body", "/garment/tshirt", "/basket", "/merchant"])
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.shop)])
def test_axe_finds_nothing(shop: ShopServer, browser: Any, path: str, scheme: str) -> None:
    page = browser.new_page(
        viewport=PHONE, base_url=shop.address, reduced_motion="reduce", color_scheme=scheme, locale="en-GB"
    )
    page.goto(path)
    page.locator("main h1").first.wait_for(timeout=LONG)
    page.wait_for_timeout(500)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    found = page.evaluate("rules => axe.run(document, rules)", rules)
    told = [f"{v['id']}: {[n['target'] for n in v['nodes']][:3]}" for v in found["violations"]]
    page.close()
    assert told == []
