"""What goes wrong, as the pages are told it: a status and one sentence."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from toile.core.errors import ToileError
from toile.shop.messages import Problem

WORDS = {
    400: "bad_request", 401: "unknown_visitor", 403: "forbidden", 404: "not_found", 405: "not_allowed",
    409: "conflict", 411: "bad_request", 413: "too_large", 415: "wrong_type", 422: "bad_input",
    429: "too_many", 503: "busy",
}  # fmt: skip
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503)
}
"""what every address may answer besides"""


class RefusedError(Exception):
    """A request that is not fulfilled."""

    def __init__(
        self, status: int, error: str, *, place: str = "", code: str = "", wait: float = 0.0
    ) -> None:
        super().__init__(error)
        self.status, self.place, self.code, self.wait = (
            status,
            place,
            code or WORDS.get(status, "error"),
            wait,
        )


def missing(what: str) -> RefusedError:
    """Return the answer for what is not there, or is somebody else's."""
    return RefusedError(404, f"there is no such {what}")


def answer(status: int, error: str, *, place: str = "", code: str = "", wait: float = 0.0) -> JSONResponse:
    """Return a problem as a response."""
    content = Problem(error=error, code=code or WORDS.get(status, "error"), place=place)
    headers = {"Retry-After": str(max(1, round(wait)))} if wait else {}
    return JSONResponse(content.model_dump(), status, headers)


def add_handlers(app: FastAPI) -> None:
    """Let all errors be told in one form."""

    @app.exception_handler(RefusedError)
    async def refused(_: Request, error: RefusedError) -> JSONResponse:
        return answer(error.status, str(error), place=error.place, code=error.code, wait=error.wait)

    @app.exception_handler(ToileError)
    async def impossible(_: Request, error: ToileError) -> JSONResponse:
        return answer(422, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        # what was sent is not repeated: it may be a person's measure
        first = error.errors()[0] if error.errors() else {"loc": (), "msg": "not understood"}
        place = ".".join(str(word) for word in first["loc"][1:])[:120]
        status = 400 if first.get("type") == "json_invalid" else 422
        return answer(status, str(first["msg"])[:200], place=place)

    @app.exception_handler(HTTPException)
    async def plain(_: Request, error: HTTPException) -> JSONResponse:
        words = {404: "there is no such page", 405: "this address does not do that"}
        response = answer(error.status_code, words.get(error.status_code, str(error.detail)[:200]))
        response.headers.update(error.headers or {})
        return response
