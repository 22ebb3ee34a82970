"""The outermost layer: every request passes it, whatever it asks for.

Names of this server only, bodies no larger than allowed, headers that protect the pages, one log line.
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toile.shop.logs import tell, tell_error
from toile.shop.problems import answer
from toile.shop.settings import is_loopback
from toile.shop.shop import Shop

POLICY = "; ".join(
    (
        "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'",
        "img-src 'self' data: blob:", "font-src 'self'", "connect-src 'self'", "worker-src 'self'",
        "manifest-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
    )
)  # fmt: skip
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
"""COOP and COEP let the page's engine use threads"""
NO_STORE = b"private, no-store"
LARGEST = 1_000_000
LARGEST_UPLOAD = 64_000_000
UPLOADS = ("/api/bodies/scan", "/api/merchant/patterns", "/api/merchant/textures", "/api/merchant/import")
STUDIO_FILES = "/studio/files/"
CHANGES = ("POST", "PUT", "PATCH", "DELETE")


PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": "content-type, x-csrf-token, idempotency-key",
    "access-control-max-age": "600",
}


def _shared_with(origin: str) -> dict[str, str]:
    """Return the headers that let a merchant's own page read an answer."""
    return {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "cross-origin-resource-policy": "cross-origin",
        "vary": "Origin",
    }


class TooLargeError(Exception):
    """More was sent than is read."""


class Shell:
    """Wraps the application (ASGI)."""

    def __init__(self, app: ASGIApp, shop: Shop) -> None:
        self._app, self._shop = app, shop
        public = urlsplit(shop.settings.public).hostname
        self._names = {"127.0.0.1", "localhost", "::1"} | ({public} if public else set())
        self._any_name = not is_loopback(shop.settings.host) and not public
        more = {"strict-transport-security": "max-age=31536000"} if shop.settings.is_secure else {}
        self._embedding = shop.settings.embedding
        self._headers = [(k.encode(), v.encode()) for k, v in (HEADERS | more).items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, seen = time.perf_counter(), _Seen()
        sender = self._sender(scope, send, seen)
        try:
            if (refusal := self._refusal(scope)) is not None:
                await refusal(scope, receive, sender)
            else:
                await self._app(scope, _capped(scope, receive), sender)
        except TooLargeError:
            if not seen.status:
                await answer(413, "the file is too large")(scope, receive, sender)
        except Exception:
            tell_error("fault", route=_route(scope))
            if not seen.status:
                await answer(500, "something went wrong on our side", code="fault")(scope, receive, sender)
        finally:
            self._note(scope, seen.status, time.perf_counter() - start)

    def _refusal(self, scope: Scope) -> Any:
        """Return the answer to a request that gets no further; None: it may pass."""
        host = _header(scope, b"host")
        name = urlsplit(f"//{host}").hostname if host else None
        if not self._any_name and name not in self._names:
            # a page elsewhere must not talk to this computer through a name of its own
            return answer(403, "this server is not known by that name")
        origin = _header(scope, b"origin")
        if scope["method"] in CHANGES and origin and origin != "null":
            allowed = {f"http://{host}", f"https://{host}", self._shop.settings.public.rstrip("/")}
            allowed |= self._embedding
            if origin not in allowed:
                return answer(403, "changes are taken from this shop's own pages only")
        if scope["method"] == "OPTIONS" and origin in self._embedding:
            # what a browser asks before it sends a change from a merchant's page
            return Response(status_code=204, headers=PREFLIGHT)
        if scope["method"] in CHANGES and origin == "null":
            return answer(403, "changes are taken from this shop's own pages only")
        length = _header(scope, b"content-length")
        if length and (not length.isdigit() or int(length) > _largest(scope)):
            return answer(413, f"the file is larger than {_largest(scope) // 1_000_000} MB")
        return None

    def _sender(self, scope: Scope, send: Send, seen: _Seen) -> Send:
        async def sender(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                names = {name.lower() for name, _ in message.get("headers", [])}
                more = [pair for pair in self._headers if pair[0] not in names]
                origin = _header(scope, b"origin")
                if origin in self._embedding:
                    more = [pair for pair in more if pair[0] != b"cross-origin-resource-policy"]
                    more += [(k.encode(), v.encode()) for k, v in _shared_with(origin).items()]
                if b"cache-control" not in names:
                    more.append((b"cache-control", NO_STORE))
                message["headers"] = [*message.get("headers", []), *more]
            await send(message)

        return sender

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = (
            _route(scope),
            scope["method"] if scope["method"] in (*CHANGES, "GET", "HEAD") else "?",
        )
        self._shop.metrics.requests.labels(route, method, str(status)).inc()
        self._shop.metrics.seconds.labels(route).observe(seconds)
        if status >= 400 or method in CHANGES:
            tell("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))


class _Seen:
    status = 0


def _route(scope: Scope) -> str:
    """Return the address's pattern: no ids, no tokens."""
    route = scope.get("route")
    return str(getattr(route, "path", "")) or "unknown"


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def _largest(scope: Scope) -> int:
    path = scope["path"]
    return LARGEST_UPLOAD if path in UPLOADS or path.startswith(STUDIO_FILES) else LARGEST


def _capped(scope: Scope, receive: Receive) -> Receive:
    """Return a receiver that stops when more comes than is allowed, whatever was announced."""
    got, most = 0, _largest(scope)

    async def capped() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > most:
            raise TooLargeError
        return message

    return capped
