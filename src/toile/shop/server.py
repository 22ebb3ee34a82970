"""``toile serve``: listening, the first words on the terminal, a graceful end."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn

from toile.core.errors import ToileError
from toile.shop.app import make_app
from toile.shop.logs import start_logs
from toile.shop.settings import ShopSettings
from toile.shop.shop import open_shop

GRACE = 8
"""requests get so long to end [s]"""
BACKLOG = 512


def serve(settings: ShopSettings, opened: Callable[[str, str], None]) -> None:
    """Serve until SIGINT or SIGTERM; opened is called with the address and the merchant's token."""
    listening = listen(settings)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = settings.public or f"http://{host}:{listening.getsockname()[1]}/"
    shop = open_shop(settings)
    start_logs()
    app = make_app(shop)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE, server_header=False,
        proxy_headers=bool(settings.public), forwarded_allow_ips=settings.proxy,
        h11_max_incomplete_event_size=32_768, limit_concurrency=2000, timeout_keep_alive=20,
    )  # fmt: skip
    server = _Server(config, lambda: opened(address, shop.secrets.merchant))
    server.run(sockets=[listening])


def listen(settings: ShopSettings) -> socket.socket:
    """Return a socket that listens."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as error:
        listening.close()
        raise ToileError(
            f"{settings.host} port {settings.port} cannot be used: {error.strerror}; choose another --port"
        ) from None
    listening.listen(BACKLOG)
    return listening


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, opened: Callable[[], None]) -> None:
        super().__init__(config)
        self._opened = opened

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End gracefully at a signal, and then go on: the exit is an ordinary one."""
        names = (signal.SIGINT, signal.SIGTERM)
        before = {name: signal.signal(name, self.handle_exit) for name in names}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        if self.started:
            self._opened()
