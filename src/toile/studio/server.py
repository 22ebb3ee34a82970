"""``toile studio``: listening, the first words on the terminal, a graceful end."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from toile.core.errors import ToileError
from toile.studio.app import LOOPBACK, Studio, make_app
from toile.studio.messages import MOST_TEXT

GRACE = 3
"""requests get so long to end [s]"""


def serve(
    folder: Path, *, host: str = "127.0.0.1", port: int = 8370, files: tuple[Path, ...] = (),
    opened: Callable[[str], None],
) -> None:  # fmt: skip
    """Serve until SIGINT or SIGTERM; opened is called with the address, token included."""
    for file in files:
        if not file.is_file():
            raise ToileError(f"{file}: there is no such file")
    folder.mkdir(parents=True, exist_ok=True)
    listening = _listen(host, port)
    token = "" if host in LOOPBACK else secrets.token_urlsafe(24)
    studio = Studio(folder, token=token, files=files)
    shown = f"[{host}]" if ":" in host else host
    words = [f"token={token}"] if token else []
    newest = "" if files else studio.sessions.newest()
    words += [f"session={newest}"] if newest else []
    address = f"http://{shown}:{listening.getsockname()[1]}/studio" + ("?" + "&".join(words) if words else "")
    config = uvicorn.Config(
        make_app(studio), log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE,
        server_header=False, ws="websockets-sansio", ws_max_size=MOST_TEXT, ws_per_message_deflate=False,
    )  # fmt: skip
    server = uvicorn.Server(config)
    opened(address)
    server.run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise ToileError(
            f"{host} port {port} cannot be used: {error.strerror}; choose another --port"
        ) from None
    listening.listen(64)
    return listening
