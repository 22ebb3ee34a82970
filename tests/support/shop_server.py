"""Real servers for tests: the shop as a process, a receiver of webhooks, PostgreSQL in a temporary folder."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

START = 120.0
"""a loaded machine takes long to start a server [s]"""
QUICK = {"TOILE_SHOP_EDGE": "0.06", "TOILE_SHOP_PICTURES": "no", "TOILE_THREADS": "1"}


def wait_for(what: Callable[[], Any], seconds: float = 60.0, every: float = 0.1) -> Any:
    """Return what a function gives as soon as that is true."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(every)
    return found


class ShopServer:
    """A shop in a folder; killed and started again as often as a test wants."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.folder, self.options = folder, options
        self.environment = {**os.environ, **QUICK, **environment}
        self.process: subprocess.Popen[bytes] | None = None
        self.address = ""
        self.start()

    def start(self) -> None:
        log = self.folder.with_suffix(".log")
        command = [sys.executable, "-m", "toile", "serve", "--folder", str(self.folder), "--port", "0",
                   "--no-browser", *self.options]  # fmt: skip
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=file, env=self.environment
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        assert "open at" in line, f"{line} {log.read_text()[-2000:]}"
        self.address = line.split(" at ")[1].split(" ")[0].rstrip("/")

    @property
    def log(self) -> str:
        return self.folder.with_suffix(".log").read_text()

    @property
    def token(self) -> str:
        return (self.folder / "secrets.txt").read_text().split()[0]

    def workers(self) -> list[int]:
        """Return the numbers of the processes that sew: those that let others go before them most."""
        assert self.process is not None
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, IndexError):
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if int(stat[1]) == self.process.pid and b"toile.shop.worker" in words and b"10" in words:
                    found.append(int(entry.name))
        return found

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def visitor(self) -> Visitor:
        return Visitor(self)

    def merchant(self) -> httpx.Client:
        return httpx.Client(
            base_url=self.address, headers={"Authorization": f"Bearer {self.token}"}, timeout=60
        )

    def ready(self) -> None:
        """Wait until the standard bodies are made."""
        with self.visitor() as visitor:
            wait_for(lambda: len(visitor.get("/api/bodies").json()["standard"]) == 5, START)


class Visitor(httpx.Client):
    """A person with a cookie of their own."""

    def __init__(self, server: ShopServer) -> None:
        super().__init__(base_url=server.address, timeout=60)
        self.headers["X-CSRF-Token"] = self.get("/api/visitor").json()["csrf"]

    def __enter__(self) -> Visitor:
        # it was opened when the shop was asked who we are
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def try_on(self, *garments: str, body: str = "woman", **more: Any) -> dict[str, Any]:
        wear = [{"garment_id": key, "size": "40", **more} for key in garments]
        answer = self.post("/api/tryons", json={"body_id": body, "wear": wear})
        assert answer.status_code == 202, answer.text
        return dict(answer.json())

    def until(self, tryon: dict[str, Any], *states: str) -> dict[str, Any]:
        """Return an outfit when its sewing has come to one of these states."""

        def look() -> dict[str, Any] | None:
            found = self.get(f"/api/tryons/{tryon['id']}").json()
            return found if found["work"]["state"] in states else None

        return dict(wait_for(look, 180.0))

    def order(self, key: str) -> httpx.Response:
        who = {"name": "A. Person", "email": "a@example.org", "address": "1 Street, Town"}
        return self.post("/api/orders", json=who, headers={"Idempotency-Key": key})


class Receiver:
    """A merchant's system: notes what it gets, refuses the first so many messages."""

    def __init__(self, fails: int = 0) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.acknowledged: list[str] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                good = len(receiver.got) > fails
                if good:
                    receiver.acknowledged.append(self.headers["Idempotency-Key"])
                self.send_response(200 if good else 500)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/orders"

    def orders(self) -> list[str]:
        """Return the numbers of acknowledged orders, each message counted once by its key."""
        seen = {}
        for headers, body in self.got:
            if headers["Idempotency-Key"] in self.acknowledged:
                seen[headers["Idempotency-Key"]] = json.loads(body)["data"]["number"]
        return sorted(seen.values())

    def close(self) -> None:
        self._server.shutdown()


@contextlib.contextmanager
def postgres() -> Iterator[str | None]:
    """Yield the address of an empty PostgreSQL of our own; None: it is not installed."""
    initdb, server = shutil.which("initdb"), shutil.which("postgres")
    if initdb is None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        initdb, server = (str(found[-1]), str(found[-1].parent / "postgres")) if found else (None, None)
    if initdb is None or server is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="toile-pg-"))
    # it refuses to run as root
    user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    who = {"user": user} if os.geteuid() == 0 else {}
    shutil.chown(folder, user)
    process = None
    try:
        make = [initdb, "-D", str(folder / "data"), "-U", "toile", "--auth=trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(make, check=True, capture_output=True, cwd=folder, **who)
        run = [server, "-D", str(folder / "data"), "-k", str(folder), "-c", "listen_addresses="]
        process = subprocess.Popen(
            run, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **who
        )
        wait_for(lambda: any(folder.glob(".s.PGSQL.*[0-9]")), 60.0)
        time.sleep(0.5)
        yield f"postgresql+psycopg://toile@/postgres?host={folder}"
    finally:
        if process is not None:
            process.terminate()
            process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
