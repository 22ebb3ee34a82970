"""``toile play``: a recording in the browser, streamed frame by frame from this computer to itself."""

from __future__ import annotations

import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any

import numpy as np

from toile.core.errors import ToileError
from toile.render.smooth import Smoothed
from toile.store.record import Frame, RecordedFile, Source

FILES = {
    "/": ("player.html", "text/html; charset=utf-8"),
    "/player.js": ("player.js", "text/javascript; charset=utf-8"),
    "/player.css": ("player.css", "text/css; charset=utf-8"),
}
"""address → file beside this module, type"""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Show:
    """A recording as the page asks for it; it may still be growing."""

    def __init__(self, recorded: RecordedFile, smooth: int = 0) -> None:
        """Take an open recording; smooth: how often the cloth is refined for the page."""
        self._recorded, self._lock = recorded, threading.Lock()
        self._shown: Source = Smoothed(recorded, smooth) if smooth else recorded
        if not len(recorded):
            raise ToileError(f"{recorded.path} has no frame yet: wait for the first one")

    def about(self) -> bytes:
        """Return what there is, as JSON: the page asks again while the recording grows."""
        with self._lock:
            r, garment = self._recorded, self._shown.garment
            count = r.refresh()
            times = [r.time(0), r.time(1)] if count > 1 else [0.0, 1 / 30]
            owner = garment.particle_garment[garment.triangles[:, 0]].tolist()
            colour = [[float(c) for c in garment.fabrics[f].colour] for f in garment.triangle_fabric]
            parts = []
            for index, name in enumerate(garment.garment_names):
                if index in owner:
                    parts.append({"name": name, "colour": colour[owner.index(index)]})
            content = {
                "name": garment.name,
                "frames": count,
                "complete": r.complete,
                "fps": 1.0 / max(times[1] - times[0], 1e-4),
                "points": garment.particle_count,
                "skin": 0 if r.body is None else len(r.body.vertices),
                "garments": parts,
            }
        return json.dumps(content).encode()

    def mesh(self) -> bytes:
        """Return garment triangles with the garment of each, then the body's: counts first, 32 bit."""
        g, body = self._shown.garment, self._shown.body
        skin = np.zeros((0, 3), np.int32) if body is None else body.triangles
        owner = g.particle_garment[g.triangles[:, 0]] if len(g.triangles) else np.zeros(0, np.int32)
        parts = [np.array([len(g.triangles), len(skin)]), g.triangles, owner, skin]
        return b"".join(np.ascontiguousarray(part, dtype="<i4").tobytes() for part in parts)

    def frame(self, number: int) -> bytes:
        """Return the points of garments and body in a frame, 32-bit numbers [m]."""
        with self._lock:
            frame: Frame = self._shown.frame(number)
        parts = (frame.position, frame.body_vertices)
        return b"".join(np.ascontiguousarray(part, dtype="<f4").tobytes() for part in parts)

    def problems(self, number: int) -> bytes:
        """Return what the audit found wrong in a frame, as a list of lines; empty if it was not audited."""
        with self._lock:
            found = self._recorded.notes(number).get("problems", ())
        lines = [str(line)[:200] for line in found] if isinstance(found, list | tuple) else []
        return json.dumps(lines[:20]).encode()


def make_server(recorded: RecordedFile, port: int = 0, *, smooth: int = 0) -> ThreadingHTTPServer:
    """Return a server for this computer only; port 0 takes any free one. smooth: see Show."""
    show = Show(recorded, smooth)

    class Handler(_Handler):
        shown = show

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise ToileError(f"port {port} cannot be used: {error.strerror}; choose another") from error


class _Handler(BaseHTTPRequestHandler):
    shown: Show

    def do_GET(self) -> None:
        """Answer one request."""
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        if host not in ("127.0.0.1", "localhost"):
            # a page elsewhere must not read recordings through a name of its own
            self._send(HTTPStatus.FORBIDDEN, b"only for this computer", "text/plain")
            return
        try:
            content, kind = self._content(self.path.partition("?")[0])
        except ToileError as error:
            self._send(HTTPStatus.NOT_FOUND, str(error).encode(), "text/plain; charset=utf-8")
            return
        self._send(HTTPStatus.OK, content, kind)

    def _content(self, path: str) -> tuple[bytes, str]:
        if path in FILES:
            name, kind = FILES[path]
            return resources.files("toile.web").joinpath("player", name).read_bytes(), kind
        if path == "/about":
            return self.shown.about(), "application/json"
        if path == "/mesh":
            return self.shown.mesh(), "application/octet-stream"
        word, _, number = path.removeprefix("/").partition("/")
        if number.isascii() and number.isdigit() and len(number) < 9:
            if word == "frame":
                return self.shown.frame(int(number)), "application/octet-stream"
            if word == "problems":
                return self.shown.problems(int(number)), "application/json"
        raise ToileError("there is no such page")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""
