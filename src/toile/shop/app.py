"""The shop as an ASGI application, with everything that runs beside it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

import toile
from toile.shop.bodies import keep_folder, owner_of, work_folder
from toile.shop.catalogue import FRESH, CatalogueView, seed
from toile.shop.cluster import Cluster
from toile.shop.forgetting import forget_old
from toile.shop.logs import tell, tell_error
from toile.shop.people import PEOPLE
from toile.shop.pictures import PICTURES, want_pictures
from toile.shop.problems import RESPONSES, add_handlers, answer
from toile.shop.queue import Queue
from toile.shop.routes import bodies, buying, catalogue, merchant, system, tryons, visitors
from toile.shop.settings import is_loopback
from toile.shop.shell import Shell
from toile.shop.shop import Shop, file_of, keep_file, sweep_files
from toile.shop.sizes import AdviceKept
from toile.shop.tryons import DRESS, MOVE
from toile.shop.uploads import Uploads
from toile.shop.webhooks import Postman
from toile.shop.workers import Helpers, Limits
from toile.studio.app import Studio, add_studio_page, make_router

HELPERS = 2
SWEEP_EVERY, AGAIN = 600.0, 5.0
"""between two looks for what may go, and two tries to begin [s]"""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".ico": "image/x-icon",
    ".glb": "model/gltf-binary",
    ".bin": "application/octet-stream",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
INDEX = "shop/index.html"
FOREVER = "public, max-age=31536000, immutable"


def make_api() -> FastAPI:
    """Return the addresses without anything behind them: enough for the description."""
    app = FastAPI(
        title="Toile shop", version=toile.__version__, responses=RESPONSES, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json", redirect_slashes=False,
        description="Trying clothes on. Changes need the X-CSRF-Token of GET /api/visitor; the merchant's "
        "addresses need Authorization: Bearer and the merchant's token.",
    )  # fmt: skip
    for part in (visitors, bodies, catalogue, tryons, buying, merchant, system):
        app.include_router(part.router)
    add_handlers(app)
    return app


def openapi_text() -> str:
    """Return the description of the API as it is kept in web/shared/openapi.json."""
    return json.dumps(make_api().openapi(), indent=1, sort_keys=True) + "\n"


def make_app(shop: Shop, *, pages: Path | None = None) -> FastAPI:
    """Return the application of a shop; pages: folder of the built pages, else those of the package."""
    app = make_api()
    state = app.state
    state.shop, state.stopping = shop, False
    state.catalogue, state.advice = CatalogueView(shop), AdviceKept()
    state.helpers = Helpers(HELPERS, Limits(memory=2_000_000_000, seconds=60.0, nice=2))
    state.uploads, state.postman = Uploads(), Postman(shop)
    cluster = Cluster(shop.settings.cluster) if shop.settings.cluster else None
    state.queue = Queue(shop, {"dress": DRESS, "move": MOVE, "drape_pictures": PICTURES}, cluster)
    app.router.lifespan_context = _lifespan
    folder = pages or Path(str(resources.files("toile.web").joinpath("page")))
    state.studio = _studio(shop)
    app.include_router(make_router(state.studio))
    add_studio_page(app, folder)
    _add_pages(app, folder)
    app.add_middleware(Shell, shop=shop)
    return app


def _studio(shop: Shop) -> Studio:
    """Return the studio beside the shop: on other than loopback it wants the merchant's token."""
    settings = shop.settings
    public = urlsplit(settings.public).hostname
    token = "" if is_loopback(settings.host) and not public else shop.secrets.merchant
    return Studio(settings.folder / "studio", token=token, hosts={public} if public else set())


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    state = app.state
    shop: Shop = state.shop
    await run_in_threadpool(_open, app)
    ending = threading.Event()
    threading.Thread(target=_look_again, args=(app, ending), name="catalogue", daemon=True).start()
    keeper = threading.Thread(target=_keep_house, args=(shop, ending), name="housekeeper", daemon=True)
    keeper.start()
    tell("open", version=toile.__version__, workers=shop.settings.workers)
    try:
        yield
    finally:
        state.stopping = True
        ending.set()
        await state.studio.sessions.close()
        await run_in_threadpool(_close, app)
        tell("closed")


def _open(app: FastAPI) -> None:
    state, shop = app.state, app.state.shop
    with shop.engine.begin() as connection:
        seed(connection)
    state.catalogue.refresh(now=True)
    state.helpers.start()
    threading.Thread(target=_prepare, args=(app,), name="prepare", daemon=True).start()
    state.postman.start()


def _prepare(app: FastAPI) -> None:
    """Make what all visitors share, then begin with jobs; what does not work is tried again."""
    while not app.state.stopping:
        try:
            _prepared(app)
            return
        except Exception:
            tell_error("prepare")
            time.sleep(AGAIN)


def _prepared(app: FastAPI) -> None:
    state, shop = app.state, app.state.shop
    make_standard_bodies(shop, state.helpers)
    if shop.settings.pictures:
        with shop.engine.begin() as connection:
            want_pictures(shop, connection)
    state.uploads.start()
    if not state.stopping:
        state.queue.start()


def make_standard_bodies(shop: Shop, helpers: Helpers) -> None:
    """Make those standard bodies that are not kept yet."""
    for name, (sex, _) in PEOPLE.items():
        owner = owner_of(name)
        with shop.reader.connect() as connection:
            if file_of(connection, owner, "about.json") is not None:
                continue
        with work_folder(shop) as folder, helpers.one(wait=60.0) as worker:
            found, _blob = worker.run("standard", {"name": name}, folder=folder)
            about = json.dumps({"sex": sex, "measures": found["measures"]}).encode()
            with shop.engine.begin() as connection:
                keep_folder(shop, connection, owner, folder, found["files"], None)
                keep_file(shop, connection, owner, "about.json", about, "application/json")


def _look_again(app: FastAPI, ending: threading.Event) -> None:
    """See what another server changed in the catalogue, or a job drew."""
    while not ending.wait(FRESH):
        try:
            app.state.catalogue.refresh()
        except Exception:
            tell_error("catalogue")


def _keep_house(shop: Shop, ending: threading.Event) -> None:
    """Forget visitors who stayed away, and sweep what no row names."""
    while True:
        try:
            forget_old(shop)
            sweep_files(shop)
        except Exception:
            tell_error("housekeeping")
        if ending.wait(SWEEP_EVERY):
            return


def _close(app: FastAPI) -> None:
    state = app.state
    state.queue.stop()
    state.postman.stop()
    state.uploads.stop()
    state.helpers.stop()
    state.shop.engine.dispose()


def _add_pages(app: FastAPI, folder: Path) -> None:
    """Serve the built pages; addresses without an ending are the page's own, which it resolves itself."""

    @app.get("/{path:path}", include_in_schema=False)
    def page(request: Request, path: str) -> Response:
        if path.startswith("api/"):
            return answer(404, "there is no such page")
        name = path if "." in path.rpartition("/")[2] else INDEX
        file = (folder / name).resolve()
        if not file.is_relative_to(folder.resolve()) or file.suffix not in TYPES or not file.is_file():
            if name == INDEX:
                return Response(NO_PAGES, media_type="text/html; charset=utf-8")
            return answer(404, "there is no such page")
        # the names of built files hold a hash of their content
        lasting = FOREVER if path.startswith("assets/") else "no-cache"
        data = file.read_bytes()
        if name == INDEX:
            # the page is the same at every address, its files are not beside each of them
            data = data.replace(b'"../assets/', b'"/assets/')
        return Response(data, media_type=TYPES[file.suffix], headers={"Cache-Control": lasting})


NO_PAGES = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Toile</title>
<h1>The shop's pages are not built</h1>
<p>The API works: its description is at <a href="/api/openapi.json">/api/openapi.json</a>.
<code>make page</code> builds the pages, where Node is there.</p></html>"""
