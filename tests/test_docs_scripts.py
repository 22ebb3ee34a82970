"""The scripts in docs/exports.md, run as they stand there; what the other program shows is compared."""

import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree
from test_blender import PYTHON, run_blender

from dressed_samples import recording, tube, tube_position
from toile.core.records import Recording
from toile.export.library import export

DOCS = Path(__file__).parents[1] / "docs" / "exports.md"
THREE = Path(__file__).parents[1] / "node_modules" / "three"
pytestmark = pytest.mark.readers


def script(start: str) -> str:
    """Return the first indented block after the words."""
    lines = DOCS.read_text(encoding="utf-8").partition(start)[2].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("    "))
    block = []
    for line in lines[first:]:
        if line and not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block)


def large() -> Recording:
    """Ten thousand vertices, 240 frames at 60 a second."""
    garment = tube(100, 99)
    base = tube_position(garment)
    angle = np.arctan2(base[:, 0], base[:, 2])[:, None]
    wave = np.stack([np.sin(3 * angle + 0.05 * frame) for frame in range(240)])
    positions = base + 0.03 * (1 - base[:, 1:2]) * wave * np.array([1, 0.2, 1])
    return Recording(garment, None, np.arange(240) / 60, positions, np.zeros((240, 0, 3)))


# ---------------------------------------------------------------------------- Blender

blender = pytest.mark.skipif(not PYTHON.exists(), reason="no Blender: run 'make readers'")


def shown(
    tmp_path: Path, text: str, frames: list[int], monkeypatch: pytest.MonkeyPatch
) -> dict[str, np.ndarray]:
    (tmp_path / "script.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run_blender("blender_dump.py", tmp_path / "script.py", tmp_path / "dump.npz", 60, *frames)
    with np.load(tmp_path / "dump.npz", allow_pickle=False) as found:
        return dict(found)


@blender
def test_blender_shows_ten_thousand_vertices_at_240_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed (extra: usd)")
    take = large()
    export(take, tmp_path / "look.usdc")
    found = shown(tmp_path, script("**Blender**"), [1, 120, 240], monkeypatch)
    for frame in (1, 120, 240):
        np.testing.assert_allclose(found[f"tube@{frame}"], take.positions[frame - 1], atol=1e-5)


@blender
def test_blender_with_a_point_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = recording(9)
    export(take, tmp_path / "look.pc2")
    found = shown(tmp_path, script("PC2 and MDD move"), [1, 5, 9], monkeypatch)
    for frame in (1, 5, 9):
        points = next(v for k, v in found.items() if k.endswith(f"@{frame}") and "tube" in k.lower())
        # blender_dump takes z for up: the file's axes were left as they are
        points = points[:, [0, 2, 1]] * [1, -1, 1]
        assert cKDTree(points).query(take.positions[frame - 1])[0].max() < 1e-5


# ---------------------------------------------------------------------------- three.js

PAGE = """<!doctype html><script type="importmap">{"imports": {"three": "/three/build/three.module.js",
"three/addons/": "/three/examples/jsm/"}}</script><script type="module">
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
const world = new THREE.Scene(), mixers = [];
class AnimationMixer extends THREE.AnimationMixer {
  constructor(root) { super(root); mixers.push(this); }
  update(seconds) { return this.held ? this : super.update(seconds); }
}
window.vertices = (time) => {
  const found = {}, point = new THREE.Vector3();
  mixers[0].held = false;
  mixers[0].setTime(time);
  mixers[0].held = true;
  world.updateMatrixWorld(true);
  world.traverse((mesh) => {
    if (!mesh.isMesh) return;
    const values = [];
    for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
      mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld);
      values.push(point.x, point.y, point.z);
    }
    found[mesh.name] = values;
  });
  return found;
};
window.ready = () => mixers.length > 0 && mixers[0].time > 0;
SCRIPT
</script>"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "three").symlink_to(THREE)
    (tmp_path / "index.html").write_text(PAGE.replace("SCRIPT", script("**three.js**")), encoding="utf-8")
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path))
    ) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.mark.skipif(not THREE.exists(), reason="no three.js: run 'make readers'")
def test_three_shows_the_recording(tmp_path: Path, address: str) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run 'make readers'")
    own = os.environ.get("TOILE_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser")
    if own is None:
        pytest.skip("no browser: apt install chromium")
    take = recording(9)
    export(take, tmp_path / "look.glb")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=own, args=["--no-sandbox"])
        page = browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        page.wait_for_function("window.ready && window.ready()", timeout=30000)
        for frame in (0, 4, 8):
            found = page.evaluate("time => window.vertices(time)", frame / 30)
            for name, want in (("tube", take.positions[frame]), ("ball", take.body_vertices[frame])):
                parts = [values for key, values in found.items() if key.startswith(name)]
                points = np.concatenate(parts).reshape(-1, 3)
                assert cKDTree(points).query(want)[0].max() < 1e-3
                assert cKDTree(want).query(points)[0].max() < 1e-3
        browser.close()
        assert problems == []
