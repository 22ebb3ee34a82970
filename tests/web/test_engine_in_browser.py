"""The engine in a real browser: the bits of Python and of a C program, hands that reach in, damaged files."""

import gzip
import hashlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import toile
from live_page import ENGINE, chromium, needs_engine, python_frames, served
from toile.export.page_scene import engine_files, write_page_scene
from toile.io.blocks import Block, pack_blocks, unpack_blocks
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.stream import record_walk
from toile.sim.walk.walker import AnimateSettings

pytestmark = needs_engine
FRAMES = 90
PROGRAMS = [p for p in ENGINE.parents[4].glob("build/*/engine/toile_walk*") if p.is_file()]

OPEN = """
async ([threads, file]) => {
  const { LiveScene } = await import("/engine/index.js");
  const bytes = new Uint8Array(await (await fetch(file)).arrayBuffer());
  const scene = await LiveScene.open(bytes, { engine: "/engine", threads });
  let came = () => {};
  scene.onFrame = () => came();
  const problems = [];
  scene.onProblem = (message) => { problems.push(message); came(); };
  // one frame after the other; frames go back to be filled again
  const step = async (count) => {
    let shown = null;
    for (let n = 0; n < count; n++) {
      const frame = new Promise((done) => (came = done));
      scene.want(1, shown ?? undefined);
      await frame;
      if (problems.length) throw new Error(problems[0]);
      shown = scene.next() ?? shown;
    }
    return shown;
  };
  const hash = async () => {
    const { positions } = await scene.state();
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", positions));
    return [...sum].map((n) => n.toString(16).padStart(2, "0")).join("");
  };
  scene.next();
  Object.assign(window, { scene, step, hash });
  return { threads: scene.threads, isolated: crossOriginIsolated, fabrics: scene.fabrics.map((f) => f.name) };
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page's folder with a T-shirt over a skirt of 5,000 particles, which walk, and a skirt alone."""
    place = tmp_path_factory.mktemp("live")
    body = toile.named_body("woman")
    patterns = [toile.draft(name, body.measurements) for name in ("skirt", "tshirt")]
    outfit = toile.dress(patterns, body, fabric=["wool", "cotton"], edge_length=0.0175)
    settings = AnimateSettings(seconds=0.1, lead=0.3)
    plan = plan_walk(outfit, body, toile.read_motion("walk"), settings=settings)
    record_walk(place / "outfit.toile", outfit.garment, body, plan)
    write_page_scene(place / "outfit.toile", place / "outfit.scene", motions=(), fabrics=())
    skirt = toile.dress([patterns[0]], body, fabric=["cotton"], edge_length=0.03)
    write_page_scene(skirt, place / "skirt.scene", motions=("walk",), fabrics=("silk", "denim"))
    (place / "engine").symlink_to(ENGINE)
    (place / "index.html").write_text("<!doctype html><title>engine</title><link rel=icon href='data:,'>")
    return place


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Any]:
    with served(folder, isolated=True) as address, chromium() as browser:
        page = browser.new_page()
        page.goto(address)
        yield page


def hashes_of(page: Any, threads: int) -> list[str]:
    opened = page.evaluate(OPEN, [threads, "outfit.scene"])
    assert opened["threads"] == threads
    return page.evaluate(
        """async (count) => {
          const found = [];
          for (let n = 0; n < count; n++) { await step(1); found.push(await hash()); }
          scene.close();
          return found;
        }""",
        FRAMES,
    )


@pytest.fixture(scope="module")
def expected(folder: Path) -> list[np.ndarray]:
    return list(python_frames((folder / "outfit.scene").read_bytes(), FRAMES))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_browser_computes_the_bits_of_python(page: Any, expected: list[np.ndarray], threads: int) -> None:
    assert expected[0].shape[0] > 4500
    want = [hashlib.sha256(np.ascontiguousarray(p, "<f8").tobytes()).hexdigest() for p in expected]
    assert len(set(want)) == FRAMES
    assert hashes_of(page, threads) == want


@pytest.mark.skipif(not PROGRAMS, reason="the engine's programs are not built: make setup")
def test_a_program_in_c_computes_the_same_bits(
    folder: Path, expected: list[np.ndarray], tmp_path: Path
) -> None:
    for name, content in engine_files((folder / "outfit.scene").read_bytes()).items():
        (tmp_path / name).write_bytes(content)
    program = max(PROGRAMS, key=lambda p: p.stat().st_mtime)
    words = [str(program), "look.cloth", "walk.motion", str(FRAMES)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    sums = [f"{toile._kernels.scene_checksum(p.view(np.uint8).ravel()):016x}" for p in expected]
    assert done.stdout.split() == sums
    (tmp_path / "look.cloth").write_bytes(b"TOILARRS" + bytes(200))
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "look.cloth" in done.stderr


HANDS = """
async () => {
  const near = (p) => async () => [...(await scene.state()).positions.slice(3 * p, 3 * p + 3)];
  await step(40);
  const { positions } = await scene.state();
  let hem = 0;
  for (let p = 1; p < positions.length / 3; p++) if (positions[3 * p + 1] < positions[3 * hem + 1]) hem = p;
  const at = near(hem), start = await at(), way = [0, 0.05, 0.1];
  scene.run({ do: "grab", particle: hem });
  for (let n = 1; n <= 20; n++) {
    scene.run({ do: "drag", x: start[0], y: start[1] + (n / 20) * way[1], z: start[2] + (n / 20) * way[2] });
    await step(1);
  }
  await step(10);
  const pulled = await at();
  scene.run({ do: "release" });
  await step(90);
  return { start, pulled, back: await at(), target: start.map((x, k) => x + way[k]) };
}
"""


def test_a_grabbed_hem_follows_the_hand_and_falls_back(page: Any) -> None:
    opened = page.evaluate(OPEN, [1, "skirt.scene"])
    assert opened["fabrics"] == ["cotton", "silk", "denim"]
    found = {name: np.array(place) for name, place in page.evaluate(HANDS).items()}
    way = np.linalg.norm(found["target"] - found["start"])
    assert np.linalg.norm(found["pulled"] - found["target"]) < 0.3 * way
    assert np.linalg.norm(found["back"] - found["start"]) < 0.3 * way
    page.evaluate("scene.close()")


def test_wind_comes_and_goes(page: Any) -> None:
    page.evaluate(OPEN, [1, "skirt.scene"])
    found = page.evaluate(
        """async () => {
          const height = async () => {
            const { positions } = await scene.state();
            let z = 0;
            for (let i = 2; i < positions.length; i += 3) z += positions[i];
            return z / (positions.length / 3);
          };
          await step(40);
          const calm = await height();
          scene.run({ do: "wind", x: 0, y: 0, z: -8 });
          await step(60);
          const blown = await height();
          scene.run({ do: "wind", x: 0, y: 0, z: 0 });
          await step(120);
          return [calm, blown, await height()];
        }"""
    )
    calm, blown, after = found
    # the mean of the cloth goes back by a centimetre and comes again
    assert blown < calm - 0.01
    assert abs(after - calm) < 0.35 * (calm - blown)
    page.evaluate("scene.close()")


def test_the_fabric_is_changed_in_mid_walk(page: Any) -> None:
    page.evaluate(OPEN, [1, "skirt.scene"])
    found = page.evaluate(
        """async () => {
          scene.run({ do: "play", motion: 1, seconds: 0.5 });
          await step(60);
          const restart = async (index) => {
            const start = performance.now();
            scene.run({ do: "fabric", index });
            const frame = await step(1);
            return { took: performance.now() - start, number: frame.number };
          };
          const first = await restart(2), second = await restart(1);
          await step(60);
          const { positions } = await scene.state();
          return { first, second, finite: positions.every(Number.isFinite) };
        }"""
    )
    # frames go on from where they were
    assert (found["first"]["number"], found["second"]["number"]) == (61, 62)
    assert found["finite"]
    page.evaluate("scene.close()")


def test_commands_that_make_no_sense_are_refused_and_the_scene_lives_on(page: Any) -> None:
    page.evaluate(OPEN, [1, "skirt.scene"])
    found = page.evaluate(
        """async () => {
          const told = [];
          scene.onProblem = (message, fatal) => told.push([message, fatal]);
          for (const command of [
            { do: "wind", x: NaN, y: 0, z: 0 }, { do: "grab", particle: 1e9 },
            { do: "drag", x: 0, y: 0, z: 0 }, { do: "speed", value: -1 },
            { do: "play", motion: 77, seconds: 1 }, { do: "fabric", index: 9 },
            { do: "pin", particles: [-1] },
          ]) scene.run(command);
          await scene.state();
          scene.onProblem = null;
          const frame = await step(1);
          return { told, number: frame.number };
        }"""
    )
    assert [fatal for _, fatal in found["told"]] == [False] * 7
    assert all(message for message, _ in found["told"])
    assert found["number"] == 1
    page.evaluate("scene.close()")


def test_a_long_run_needs_no_more_memory(page: Any) -> None:
    page.evaluate(OPEN, [1, "skirt.scene"])
    before, after = page.evaluate(
        """async () => {
          scene.run({ do: "play", motion: 1, seconds: 0.5 });
          for (let n = 0; n < 12; n++) { scene.run({ do: "fabric", index: n % 3 }); await step(10); }
          const { memory } = await scene.state();
          for (let n = 0; n < 40; n++) {
            scene.run({ do: "fabric", index: n % 3 });
            scene.run({ do: "grab", particle: n });
            await step(8);
            scene.run({ do: "release" });
          }
          return [memory, (await scene.state()).memory];
        }"""
    )
    # lists that grow with the largest number of contacts so far do so by a little
    assert after - before <= 2**20
    page.evaluate("scene.close()")


def damaged(data: bytes) -> list[bytes]:
    """Return damaged copies: flipped bits before and after packing, files cut off, sizes that lie."""
    random = np.random.default_rng(27)
    content = gzip.decompress(data)
    found = []
    for number in range(100):
        packed = number % 2 == 0
        changed = bytearray(data if packed else content)
        changed[random.integers(len(changed))] ^= 1 << int(random.integers(8))
        found.append(bytes(changed) if packed else gzip.compress(bytes(changed), 1))
    found += [data[: len(data) * k // 7] for k in range(7)]
    found += [gzip.compress(content[: len(content) * k // 5], 1) for k in range(5)]
    blocks = unpack_blocks(data)
    for lie in LIES:
        found.append(pack_blocks([lie(block) for block in blocks]))
    return found


def _with(block: Block, name: str, change: Callable[[Any], Any]) -> Block:
    if name not in block.arrays:
        return block
    return Block(block.kind, {**block.arrays, name: change(np.array(block.arrays[name]))}, block.meta)


def _set(array: np.ndarray, value: float) -> np.ndarray:
    array.flat[array.size // 2] = value
    return array


LIES: list[Callable[[Block], Block]] = [
    # well-formed files with right checksums, whose content is wrong
    lambda b: _with(b, "cloth.triangles", lambda a: _set(a, 10**6)),
    lambda b: _with(b, "cloth.triangles", lambda a: _set(a, -1)),
    lambda b: _with(b, "body.vertices", lambda a: _set(a, np.nan)),
    lambda b: _with(b, "start.position", lambda a: a[:-1]),
    lambda b: _with(b, "joints.vertex", lambda a: _set(a, 9999)),
    lambda b: _with(b, "held.corners", lambda a: _set(a, 2**30)),
    lambda b: _with(b, "motion.turns", lambda a: _set(a, np.inf)),
    lambda b: _with(b, "motion.parents", lambda a: a[::-1].copy()),
    lambda b: _with(b, "motion.fps", lambda a: _set(a, 0.0)),
    lambda b: Block(b.kind, b.arrays, {}),
]


def test_damaged_scenes_are_refused_and_the_page_lives(page: Any, folder: Path) -> None:
    good = (folder / "skirt.scene").read_bytes()
    files = damaged(good)
    (folder / "damaged").write_bytes(b"".join(len(f).to_bytes(4, "little") + f for f in files))
    found = page.evaluate(DAMAGED)
    (folder / "damaged").unlink()
    assert len(found) == len(files) == 122
    # a flipped bit of the packing may leave the content as it was
    refused = [message for message in found if message != "opened"]
    assert len(refused) >= 115
    assert all(len(message) < 200 and "\n" not in message for message in refused)
    # none is a failure of the engine
    assert not [message for message in refused if "RuntimeError" in message or "unreachable" in message]
    opened = page.evaluate(OPEN, [1, "skirt.scene"])
    assert opened["fabrics"]
    assert page.evaluate("async () => (await step(2)).number") == 2
    page.evaluate("scene.close()")


DAMAGED = """
async () => {
  const { Simulation, ToileError } = await import("/engine/index.js");
  const all = new Uint8Array(await (await fetch("damaged")).arrayBuffer()), view = new DataView(all.buffer);
  const module = await WebAssembly.compile(await (await fetch("/engine/toile.wasm")).arrayBuffer());
  const found = [];
  for (let at = 0; at < all.length; ) {
    const size = view.getUint32(at, true);
    try {
      const scene = await Simulation.open(module, all.slice(at + 4, at + 4 + size));
      scene.frame();
      scene.close();
      found.push("opened");
    } catch (error) {
      found.push(error instanceof ToileError ? error.message : `${error.name}: ${error.message}`);
    }
    at += 4 + size;
  }
  return found;
}
"""
