"""A browser on a plain file server, with or without the headers that let a page share memory."""

import contextlib
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toile import _kernels
from toile._kernels import Scene, track_pose
from toile.core.records import Floats
from toile.io.blocks import unpack_blocks
from toile.sim.walk.scene import scene_bytes

ENGINE = Path(__file__).parents[2] / "src" / "toile" / "web" / "page" / "engine"
BUILT = all((ENGINE / name).is_file() for name in ("index.js", "toile.wasm", "toile-threads.wasm"))
needs_engine = pytest.mark.skipif(not BUILT, reason="the engine for browsers is not built: make page")
ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}


class _Files(http.server.SimpleHTTPRequestHandler):
    headers_too: dict[str, str] = {}  # noqa: RUF012

    def end_headers(self) -> None:
        for name, value in self.headers_too.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(folder: Path, *, isolated: bool = False) -> Iterator[str]:
    """Serve a folder; yield its address."""
    handler = type("Files", (_Files,), {"headers_too": ISOLATED if isolated else {}})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def chromium(*arguments: str) -> Iterator[Any]:
    """Yield a headless browser; skips where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    own = os.environ.get("TOILE_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser")
    with api.sync_playwright() as play:
        try:
            browser = play.chromium.launch(
                executable_path=own,
                args=["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", *arguments],
            )
        except api.Error as error:
            pytest.skip(f"no browser could be started: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


def python_frames(data: bytes, count: int) -> Iterator[Floats]:
    """Yield the positions after each frame of a page's scene in its first motion, computed from Python."""
    _, cloth, motion = unpack_blocks(data)[:3]
    scene = Scene(scene_bytes(cloth.arrays))
    track = {name: np.asarray(values) for name, values in motion.arrays.items()}
    turns, root = (track[f"motion.{name}"].astype(np.float64) for name in ("turns", "root"))
    fps, at = float(track["motion.fps"][0]), float(track["motion.start"][0])
    loop, last = bool(track["motion.loop"][0]), len(turns) - 1

    def pose() -> Floats:
        return track_pose(
            turns, root, track["motion.parents"], track["motion.offsets"].astype(np.float64), at, loop
        )

    _stand(scene, cloth.arrays, pose())
    for _ in range(count):
        at += 1.0 * (1 / 60) * fps
        if not loop and last > 0:
            at = float(np.fmod(at, last))
        assert scene.pose(pose())
        scene.frame(1 / 60)
        yield scene.position


def _stand(scene: Scene, arrays: dict[str, Any], world: Floats) -> None:
    """Put the skin where the motion begins."""
    rest = np.ascontiguousarray(arrays["body.vertices"], np.float64)
    weight = np.ascontiguousarray(arrays["joints.weight"], np.float64)
    moved = _kernels.from_rest(world, np.ascontiguousarray(arrays["joints.rest"], np.float64))
    dual = bool(arrays["joints.dual"][0])
    skin, _ = _kernels.skin(rest, arrays["joints.vertex"], weight, moved, rest, 1.0, dual)
    saved, first = scene.save(), 2 * scene.position.size
    saved[first : first + skin.size] = skin.ravel()
    assert scene.restore(saved)
