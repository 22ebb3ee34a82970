"""The studio's addresses: the page, the live connection, files in and out of a session's folder."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import re
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse, JSONResponse
from starlette.requests import HTTPConnection

import toile
from toile.core.errors import ToileError
from toile.studio.messages import MOST_TEXT
from toile.studio.process import TEXT
from toile.studio.running import Running, Sessions
from toile.studio.shelf import safe_name

MOST_UPLOAD = 256 << 20
"""bytes of a file"""
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
FORBIDDEN, UNKNOWN, ELSEWHERE, CROWDED, DIED = 4403, 4404, 4409, 1013, 4500
"""close codes"""
INDEX = "studio/index.html"
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8", ".wasm": "application/wasm", ".json": "application/json",
    ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".ico": "image/x-icon",
    ".webp": "image/webp", ".jpg": "image/jpeg",
}  # fmt: skip
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; "
    "worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Studio:
    """Sessions, and who may use them."""

    def __init__(self, folder: Path, *, token: str = "", hosts: set[str] | None = None,
                 files: tuple[Path, ...] = ()) -> None:  # fmt: skip
        """token: to be shown with every request, empty on loopback; hosts: names of this server."""
        self.token, self._hosts = token, LOOPBACK | (hosts or set())
        self.sessions = Sessions(folder, confined=bool(token), files=files)

    def may(self, connection: HTTPConnection, token: str) -> bool:
        """Say whether a request is from this server's own page, and from somebody who has the token."""
        host = connection.headers.get("host", "")
        if not self.token and urlsplit(f"//{host}").hostname not in self._hosts:
            # a page elsewhere must not talk to this computer through a name of its own
            return False
        origin = connection.headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return False
        return not self.token or hmac.compare_digest(token.encode(), self.token.encode())


def bearer(request: Request) -> str:
    """Return the token of a request."""
    return request.headers.get("authorization", "").removeprefix("Bearer ").strip()


def make_router(studio: Studio) -> APIRouter:
    """Return the live connection and the files."""
    router = APIRouter(include_in_schema=False)

    @router.websocket("/studio/live")
    async def live(socket: WebSocket, session: str = "", token: str = "") -> None:
        await socket.accept()
        if not studio.may(socket, token):
            await socket.close(FORBIDDEN)
            return
        if session and not studio.sessions.known(session):
            await socket.close(UNKNOWN)
            return
        try:
            running = await studio.sessions.open(session)
        except ToileError as error:
            await socket.close(CROWDED, str(error))
            return
        if running.deliver is not None:
            await socket.close(ELSEWHERE)
            return
        await _serve(socket, running)

    @router.put("/studio/files/{session}/{name}")
    async def put(request: Request, session: str, name: str) -> Response:
        place = _place(studio, request, session, name)
        if isinstance(place, Response):
            return place
        part = place.with_name(f".{secrets.token_hex(6)}.part")
        try:
            size = await _take(request, part)
            if size > MOST_UPLOAD:
                return _problem(413, f"{name[:80]}: the file is larger than {MOST_UPLOAD >> 20} MB")
            part.replace(place)
        finally:
            part.unlink(missing_ok=True)
        return JSONResponse({"name": name, "bytes": size})

    @router.get("/studio/files/{session}/{name}")
    async def get(request: Request, session: str, name: str) -> Response:
        place = _place(studio, request, session, name)
        if isinstance(place, Response):
            return place
        if not place.is_file():
            return _problem(404, f"{name[:80]}: there is no such file")
        more = {**HEADERS, "Cache-Control": "no-store"}
        return FileResponse(place, filename=name, media_type="application/octet-stream", headers=more)

    return router


async def _take(request: Request, part: Path) -> int:
    """Write what is sent into a file, as far as it may go; return how much it was."""
    size = 0
    with open(part, "xb") as file:
        async for piece in request.stream():
            size += len(piece)
            if size > MOST_UPLOAD:
                break
            file.write(piece)
    return size


def _place(studio: Studio, request: Request, session: str, name: str) -> Path | Response:
    """Return where a file of a session lies, or why it is not handed out."""
    token = bearer(request) or request.query_params.get("token", "")
    if not studio.may(request, token):
        return _problem(403, "this needs the token that the studio printed, and its own page")
    if not studio.sessions.known(session):
        return _problem(404, "there is no such session")
    try:
        return studio.sessions.place(session) / safe_name(name)
    except ToileError as error:
        return _problem(400, str(error))


def _problem(code: int, text: str) -> Response:
    return JSONResponse({"error": text}, status_code=code, headers=HEADERS)


async def _serve(socket: WebSocket, running: Running) -> None:
    """Carry messages between a page and its session until one of them goes."""

    async def deliver(kind: int, data: bytes) -> None:
        if kind == TEXT:
            await socket.send_text(data.decode())
        else:
            await socket.send_bytes(data)

    await running.attach(deliver)
    hearing = asyncio.create_task(_hear(socket, running))
    ending = asyncio.create_task(running.ended.wait())
    try:
        await asyncio.wait({hearing, ending}, return_when=asyncio.FIRST_COMPLETED)
        if running.ended.is_set():
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await socket.close(DIED)
    finally:
        for task in (hearing, ending):
            task.cancel()
        await running.detach()


async def _hear(socket: WebSocket, running: Running) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            message: dict[str, Any] = dict(await socket.receive())
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None or len(text) > MOST_TEXT:
                await socket.close(1003)
                return
            await running.say(text)


def add_studio_page(app: FastAPI, folder: Path) -> None:
    """Serve the built page, and the engine that it can compute with."""

    @app.get("/studio", include_in_schema=False)
    def studio_page() -> Response:
        return page_response(folder, INDEX)

    @app.get("/engine/{name}", include_in_schema=False)
    def engine(name: str) -> Response:
        return page_response(folder, f"engine/{name}")


def add_pages(app: FastAPI, folder: Path) -> None:
    """Serve the built page and what it consists of, where there is nothing else."""
    add_studio_page(app, folder)

    @app.get("/assets/{path:path}", include_in_schema=False)
    def asset(path: str) -> Response:
        return page_response(folder, f"assets/{path}")

    @app.get("/", include_in_schema=False)
    def root() -> Response:
        return Response(status_code=307, headers={"Location": "/studio"})


def page_response(folder: Path, name: str) -> Response:
    """Return a file of the built pages."""
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()) or file.suffix not in TYPES or not file.is_file():
        text = NO_PAGE if name == INDEX else "there is no such page"
        code = 200 if name == INDEX else 404
        return Response(text, status_code=code, media_type="text/html; charset=utf-8", headers=HEADERS)
    data = file.read_bytes()
    lasting = "public, max-age=31536000, immutable" if name.startswith("assets/") else "no-cache"
    if name == INDEX:
        data = re.sub(rb'"(?:\.\./)+assets/', b'"/assets/', data)
    return Response(data, media_type=TYPES[file.suffix], headers={**HEADERS, "Cache-Control": lasting})


NO_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Toile studio</title>
<h1>The studio's page is not built</h1>
<p>The live connection works: see docs/studio-protocol.md. <code>make page</code> builds the page,
where Node is there.</p></html>"""


def page_folder() -> Path:
    """Return where the built pages lie."""
    return Path(str(resources.files("toile.web").joinpath("page")))


def make_app(
    studio: Studio, *, pages: Path | None = None, opened: Callable[[], None] | None = None
) -> FastAPI:
    """Return the studio by itself, without the shop."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await studio.sessions.close()

    app = FastAPI(
        title="Toile studio", version=toile.__version__, docs_url=None, redoc_url=None, openapi_url=None,
        lifespan=lifespan, redirect_slashes=False,
    )  # fmt: skip
    app.include_router(make_router(studio))
    add_pages(app, pages or page_folder())
    return app
