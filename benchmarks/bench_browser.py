"""The engine in Chromium against native code, in one run: time a frame, bits, first open, sizes, memory.

python benchmarks/bench_browser.py                     # 5,000 and 12,000 particles, 1 and 2 threads
python benchmarks/bench_browser.py --minutes 10        # also: does memory grow?
python benchmarks/bench_browser.py --edges 0.03 --frames 60
"""

import argparse
import gzip
import hashlib
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import toile
from toile._kernels import set_thread_count
from toile.export.page import write_page
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.stream import record_walk
from toile.sim.walk.walker import AnimateSettings

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
from live_page import ENGINE, chromium, python_frames, served

RUN = """
async ([threads, count]) => {
  const { LiveScene } = await import("/engine/index.js");
  const bytes = new Uint8Array(await (await fetch("/look.scene")).arrayBuffer());
  const start = performance.now();
  const scene = await LiveScene.open(bytes, { engine: "/engine", threads });
  const opened = performance.now() - start, took = [];
  scene.next();
  let came = () => {}, shown = null;
  scene.onFrame = () => came();
  for (let n = 0; n < count; n++) {
    const frame = new Promise((done) => (came = done));
    scene.want(1, shown ?? undefined);
    await frame;
    shown = scene.next();
    took.push(shown.took);
  }
  const { positions, memory } = await scene.state();
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", positions));
  scene.close();
  return { opened, took, memory, sum: [...sum].map((n) => n.toString(16).padStart(2, "0")).join("") };
}
"""
LONG = """
async (seconds) => {
  const { LiveScene } = await import("/engine/index.js");
  const bytes = new Uint8Array(await (await fetch("/look.scene")).arrayBuffer());
  const scene = await LiveScene.open(bytes, { engine: "/engine", threads: 2 });
  scene.next();
  let came = () => {}, shown = null;
  scene.onFrame = () => came();
  const memory = [], heap = [], motions = scene.head.meta.motions.length, start = performance.now();
  for (let n = 0; performance.now() - start < 1000 * seconds; n++) {
    // everything that hands do, over and over
    if (n % 400 === 0) scene.run({ do: "play", motion: (n / 400) % motions, seconds: 0.6 });
    if (n % 300 === 0) scene.run({ do: "fabric", index: (n / 300) % scene.fabrics.length });
    if (n % 200 === 0) scene.run({ do: "grab", particle: n % scene.particleCount });
    if (n % 200 === 40) scene.run({ do: "release" });
    if (n % 500 === 0) scene.run({ do: "wind", x: 0, y: 0, z: -(n % 8) });
    const frame = new Promise((done) => (came = done));
    scene.want(1, shown ?? undefined);
    await frame;
    shown = scene.next();
    if (n % 600 === 0) {
      memory.push((await scene.state()).memory);
      heap.push(performance.memory?.usedJSHeapSize ?? 0);
    }
  }
  const { number } = shown;
  scene.close();
  return { number, memory, heap };
}
"""


def make_look(folder: Path, edge: float) -> int:
    """Write a T-shirt over a skirt that walk as a page; return how many particles they have."""
    body = toile.named_body("woman")
    patterns = [toile.draft(name, body.measurements) for name in ("skirt", "tshirt")]
    outfit = toile.dress(patterns, body, fabric=["wool", "cotton"], edge_length=edge)
    plan = plan_walk(outfit, body, toile.read_motion("walk"), settings=AnimateSettings(seconds=0.5))
    record_walk(folder / "look.toile", outfit.garment, body, plan)
    write_page(folder / "look.toile", folder / "page")
    for file in ENGINE.glob("*.js"):
        (folder / "page" / "engine" / file.name).write_bytes(file.read_bytes())
    return outfit.garment.particle_count


def native(scene: bytes, frames: int, threads: int) -> tuple[float, str]:
    """Return the median of a frame [ms] from Python and the hash of the last one."""
    set_thread_count(threads)
    took, before = [], time.perf_counter()
    for position in python_frames(scene, frames):
        now = time.perf_counter()
        took.append(1e3 * (now - before))
        last, before = position, time.perf_counter()
    set_thread_count(0)
    # the first frame contains the opening
    return median(took[1:]), hashlib.sha256(np.ascontiguousarray(last, "<f8").tobytes()).hexdigest()


def compare(browser: Any, folder: Path, count: int, frames: int) -> None:
    """Print native code and browser beside each other, taken in turn so that other work hits both alike."""
    scene = (folder / "page" / "look.scene").read_bytes()
    print(f"{count} particles, scene {len(scene) / 1e6:.2f} MB", flush=True)
    with served(folder / "page", isolated=True) as address:
        page = browser.new_page()
        page.goto(address + "/assets/")
        for threads in (1, 2):
            own: list[float] = []
            theirs: list[float] = []
            for _ in range(3):
                took, want = native(scene, frames, threads)
                found = page.evaluate(RUN, [threads, frames])
                own.append(took)
                theirs.append(median(found["took"]))
                same = "same bits" if found["sum"] == want else "OTHER BITS"
            print(
                f"  threads {threads}: native {min(own):.1f} ms, Chromium {min(theirs):.1f} ms a frame"
                f" ({min(theirs) / min(own):.2f}x), {frames} frames {same};"
                f" first open {found['opened']:.0f} ms, {found['memory'] / 2**20:.0f} MB",
                flush=True,
            )
        page.close()


def displayed(browser: Any, folder: Path) -> None:
    """Print how many frames a second the exported page shows."""
    with served(folder / "page", isolated=True) as address:
        page = browser.new_page(viewport={"width": 480, "height": 640})
        page.goto(address)
        page.wait_for_function("document.querySelector('toile-viewer').live?.fps > 0", timeout=120_000)
        seen = []
        for _ in range(10):
            page.wait_for_timeout(1100)
            seen.append(page.evaluate("document.querySelector('toile-viewer').live?.fps ?? 0"))
        print(f"  display: {median(seen):.1f} frames a second (software rendering, 480 x 640)", flush=True)
        page.close()


def long_run(browser: Any, folder: Path, minutes: float) -> None:
    """Print whether memory grows over some minutes of everything that hands do."""
    with served(folder / "page", isolated=True) as address:
        page = browser.new_page()
        page.set_default_timeout(0)
        page.goto(address + "/assets/")
        found = page.evaluate(LONG, 60 * minutes)
        half, mega = len(found["memory"]) // 2, 2.0**20
        engine, heap = found["memory"], found["heap"]
        print(
            f"  {minutes:g} minutes, {found['number']:.0f} frames: engine {engine[0] / mega:.0f} MB at first,"
            f" {engine[half] / mega:.0f} half way, {engine[-1] / mega:.0f} at the end;"
            f" page {max(heap[:half]) / mega:.0f} and {max(heap[half:]) / mega:.0f} MB",
            flush=True,
        )
        page.close()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=float, nargs="+", default=[0.0177, 0.0113])
    parser.add_argument("--frames", type=int, default=240)
    parser.add_argument("--minutes", type=float, default=0.0)
    asked = parser.parse_args()
    for name in ("toile.wasm", "toile-threads.wasm"):
        content = (ENGINE / name).read_bytes()
        small = len(gzip.compress(content, 9, mtime=0))
        print(f"{name}: {len(content) / 1e3:.0f} kB, {small / 1e3:.0f} kB compressed")
    with tempfile.TemporaryDirectory() as place, chromium("--enable-precise-memory-info") as browser:
        for edge in asked.edges:
            folder = Path(place) / f"{edge:g}"
            folder.mkdir()
            compare(browser, folder, make_look(folder, edge), asked.frames)
            if edge == asked.edges[0]:
                displayed(browser, folder)
                if asked.minutes:
                    long_run(browser, folder, asked.minutes)


if __name__ == "__main__":
    main()
