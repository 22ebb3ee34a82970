"""The same shaders in a browser's WebGPU, driven by web/gpu, give what they give here."""

import functools
import http.server
import json
import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose, vertex_normals
from toile.core.records import Scene, State
from toile.garment.shapes import flat_position, square_cloth
from toile.gpu.device import shader_code
from toile.sim.colliders.contacts import make_collider
from toile.sim.colliders.limb_maps import PARTS, LimbMapCollider, part_triangles, world_from_parts
from toile.sim.frame.advance import GRAVITY, STILL_AIR
from toile.sim.papers import PAPERS
from toile.sim.solvers.table import make_solver
from toile.sim.solvers.verlet import BENDING, GRID_LINKS, grid_lengths

WEB = Path(__file__).parents[2] / "web"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
STEPS, CELLS, SIZE = 6, 16, 224
OF_MAPS = ("every", "rim", "refine", "by_depth", "closed", "overlap")


def bundle(folder: Path) -> None:
    words = ["gpu/src/index.ts", "--format", "esm", "--file", folder / "gpu.js"]
    made = subprocess.run(
        [WEB / "node_modules/.bin/rolldown", *words],
        capture_output=True, text=True, timeout=120, cwd=WEB,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr[-2000:]


def four(values, last):
    return np.concatenate([values, np.full((len(values), 1), last)], axis=1).astype(np.float32)


def write_scene(folder: Path, start, body) -> None:
    from toile.gpu.verlet import grid_sweep

    cloth, posed = square_cloth(CELLS, CELLS), rest_pose(body)
    rows, rest = grid_lengths(cloth, CELLS)
    sweep = grid_sweep(rows, CELLS + 1, GRID_LINKS, rest, 0.5 * np.where(BENDING, 0.0, 1.0))
    triangles, part = part_triangles(body, 0)
    vertices = [np.unique(triangles[part == k]) for k in range(len(PARTS))]
    size, corners = np.array([len(v) for v in vertices]), 3 * np.bincount(part, minlength=len(PARTS))
    ranges = np.zeros((len(PARTS), 6), np.uint32)
    ranges[:, 0], ranges[:, 1] = np.cumsum(size) - size, size
    ranges[:, 2], ranges[:, 3] = np.cumsum(corners) - corners, corners
    collider = LimbMapCollider(body)
    world = world_from_parts(posed, collider._joint, collider._joint_from_part)
    frames = np.zeros((len(PARTS), 4, 4), np.float32)
    frames[:, :3, :3], frames[:, 3, :3] = world[:, :3, :3].transpose(0, 2, 1), world[:, :3, 3]
    skin = [posed.vertices, vertex_normals(posed.vertices, body.triangles), posed.velocity]
    arrays = {
        "links": sweep.links, "table": sweep.table, "rest": sweep.rest, "place": four(start, 1.0),
        "velocity": four(np.zeros_like(start), 0.0), "index": triangles.astype(np.uint32),
        "vertex": np.concatenate(vertices).astype(np.uint32), "ranges": ranges, "frames": frames,
        "skin": np.concatenate(skin, axis=1).astype(np.float32),
        "triangles": cloth.triangles.astype(np.uint32),
    }  # fmt: skip
    for name, values in arrays.items():
        (folder / name).write_bytes(np.ascontiguousarray(values).tobytes())
    # seen from above: x to the right, -z up, near is high
    clip = np.zeros((4, 4))
    middle, top = start.mean(axis=0), start[:, 1].max()
    clip[0, 0], clip[1, 2], clip[2, 1], clip[3, 3] = 1.2, -1.6, -0.5, 1.0
    clip[:3, 3] = -1.2 * middle[0], 1.6 * middle[2], 0.5 * top + 0.1
    scene = {
        "steps": STEPS,
        "clip": clip.T.ravel().tolist(),
        "cloth": {"count": len(start), "items": len(start), "rows": rows, "columns": CELLS + 1,
                  "entry": sweep.entry},
        "maps": {"parts": len(PARTS), "size": SIZE, "pixel": 0.005, "reach": 0.02, "every": 8},
        "step": {"dt": 0.01, "keep": 0.99, "gravity": GRAVITY.tolist(), "most": 40, "threshold": 5e-4,
                 "moving": 0, "thickness": 0.0, "since": 0.01, "travel": [0, 0, 0]},
    }  # fmt: skip
    (folder / "scene.json").write_text(json.dumps(scene))
    (folder / "shaders").mkdir()
    for name in ("cloth", "maps", "parts", "contact", "draw"):
        (folder / "shaders" / f"{name}.wgsl").write_text(shader_code(name))


def compiled(start, body):
    """Return the same fall by the processor."""
    tune = dict(PAPERS["004"].tune)
    of_maps = {k: tune.pop(k) for k in OF_MAPS}
    solver = make_solver("verlet", square_cloth(CELLS, CELLS), columns=CELLS, **tune)
    collider, posed = make_collider("limb_maps", body, **of_maps), rest_pose(body)
    state = State(start, np.zeros_like(start))
    for _ in range(STEPS):
        state = solver.step(state, Scene(posed, collider.at(posed), GRAVITY, STILL_AIR), 0.01)
    return state.position


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def run_page(folder: Path):
    from playwright.sync_api import sync_playwright

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flags = [
        "--enable-unsafe-webgpu",
        "--use-webgpu-adapter=swiftshader",
        "--no-sandbox",
        "--disable-gpu-watchdog",
    ]
    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=BROWSER, args=flags)
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/falling_page.html")
            page.wait_for_function("window.result !== undefined", timeout=120_000)
            found = page.evaluate("window.result")
            browser.close()
            return found
    finally:
        server.shutdown()


@pytest.mark.skipif(BROWSER is None, reason="no Chromium (Debian: apt install chromium)")
@pytest.mark.skipif(
    not (WEB / "node_modules/.bin/rolldown").exists(), reason="the page's packages are missing: make page"
)
def test_cloth_falls_in_the_browser_as_here(tmp_path):
    pytest.importorskip("playwright")
    body = named_body("woman")
    flat = flat_position(square_cloth(CELLS, CELLS))
    flat = flat - flat.mean(axis=0)
    start = np.stack([flat[:, 0], np.full(len(flat), body.vertices[:, 1].max() + 0.003), -flat[:, 1]], axis=1)
    shutil.copy(Path(__file__).with_name("falling_page.html"), tmp_path)
    bundle(tmp_path)
    write_scene(tmp_path, start, body)
    found = run_page(tmp_path)
    if "no graphics device" in found.get("failed", ""):
        pytest.skip(found["failed"])
    assert "failed" not in found, found["failed"]
    assert found["errors"] == []
    position = np.array(found["positions"]).reshape(-1, 4)[:, :3]
    off = np.linalg.norm(position - compiled(start, body), axis=1)
    assert 1 <= found["sweeps"] <= 40
    assert np.median(start[:, 1] - position[:, 1]) > 0.3 * 9.81 * (0.01 * STEPS) ** 2
    assert np.percentile(off, 50) < 0.002
    assert np.percentile(off, 95) < 0.02
    picture = np.array(found["shot"]).reshape(240, 320, 4)
    blue = picture[..., 2] > picture[..., 0] + 20
    assert 0.05 < blue.mean() < 0.95, "the cloth is drawn from its buffer"
