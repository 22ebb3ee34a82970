"""Asking a shop over HTTP: cookie, token against forged requests, merchant's token, errors in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from toile.core.errors import ToileError
from toile.shop.messages import Message, Visitor

T = TypeVar("T", bound=Message)


class Asked:
    """One visitor of a shop, or its merchant."""

    def __init__(self, address: str, *, merchant: str = "", timeout: float = 60.0) -> None:
        """address: of the shop, as it prints it; merchant: the token of its owner."""
        self._client = httpx.Client(base_url=address.rstrip("/"), timeout=timeout)
        if merchant:
            self._client.headers["Authorization"] = f"Bearer {merchant}"
        self._client.headers["X-CSRF-Token"] = self.read("GET", "/api/visitor", kind=Visitor).csrf

    def read(
        self,
        method: str,
        path: str,
        *,
        kind: type[T],
        query: Mapping[str, Any] | None = None,
        message: Message | None = None,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Return what is answered, checked against its type."""
        answer = self._ask(method, path, query=query, message=message, data=data, headers=headers)
        return kind.model_validate_json(answer.content)

    def fetch(self, method: str, path: str, *, message: Message | None = None) -> bytes:
        """Return the bytes of an answer."""
        return self._ask(method, path, message=message).content

    def text(self, method: str, path: str) -> str:
        """Return the text of an answer."""
        return self._ask(method, path).text

    def _ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        message: Message | None = None,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        sent: dict[str, Any] = {}
        if message is not None:
            sent["json"] = message.model_dump(mode="json", exclude_unset=True)
        if data is not None:
            sent["content"] = data
        params = {key: value for key, value in (query or {}).items() if value is not None}
        try:
            answer = self._client.request(method, path, params=params, headers=headers, **sent)
        except httpx.HTTPError as error:
            raise ToileError(f"the shop does not answer: {type(error).__name__}") from None
        if answer.is_error:
            try:
                text = answer.json()["error"]
            except (ValueError, KeyError, TypeError):
                text = f"status {answer.status_code}"
            raise ToileError(f"the shop refused: {text}")
        return answer

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()
