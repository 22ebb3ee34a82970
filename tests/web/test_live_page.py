"""A page that was exported: alive on a plain file server and from the disk, or with a word why not."""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import toile
from live_page import ENGINE, chromium, needs_engine, served
from toile.export.page import write_page
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.stream import record_walk
from toile.sim.walk.walker import AnimateSettings

pytestmark = needs_engine
THREE = ENGINE.parents[4] / "web" / "node_modules" / "three" / "build"
SLOW = 60_000
"""patience with a machine that has other work [ms]"""


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A walk in a wide skirt as a folder and as one file."""
    place = tmp_path_factory.mktemp("looks")
    body = toile.named_body("woman")
    pattern = toile.draft("circle_skirt", body.measurements)
    skirt = toile.dress([pattern], body, fabric=["wool"], edge_length=0.035)
    settings = AnimateSettings(seconds=0.5, lead=0.3, fps=30)
    plan = plan_walk(skirt, body, toile.read_motion("walk"), settings=settings)
    record_walk(place / "look.toile", skirt.garment, body, plan)
    write_page(place / "look.toile", place / "page")
    write_page(place / "look.toile", place / "look.html")
    return place


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 420, "height": 480})
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    yield page
    assert page.problems == []
    context.close()


def lives(page: Any, frames: int = 5) -> None:
    page.wait_for_function(
        "n => Number(document.querySelector('toile-viewer').stage?.canvas.dataset.live ?? 0) >= n",
        arg=frames,
        timeout=SLOW,
    )


def told(page: Any) -> str:
    return str(page.locator("toile-viewer .told").text_content())


def test_a_folder_lives_on_a_plain_file_server(looks: Path, page: Any) -> None:
    with served(looks / "page") as address:
        page.goto(address)
        lives(page)
        assert told(page) == ""
        assert page.evaluate("document.querySelector('toile-viewer').live.scene.threads") == 1
        assert page.locator("toile-viewer .bar label").all_inner_texts()[0].startswith("Wind")
        page.get_by_label("Wind").fill("6")
        page.get_by_label("Motion").select_option(label="Turn")
        page.get_by_label("Fabric").select_option(label="Silk")
        lives(page, int(page.locator("canvas").get_attribute("data-live")) + 20)
        assert told(page) == ""


def test_a_folder_uses_two_threads_where_it_may(looks: Path, page: Any) -> None:
    with served(looks / "page", isolated=True) as address:
        page.goto(address)
        lives(page)
        assert page.evaluate("document.querySelector('toile-viewer').live.scene.threads") == 2


def test_one_file_lives_from_the_disk(looks: Path, page: Any) -> None:
    page.goto((looks / "look.html").as_uri())
    lives(page)
    assert told(page) == ""


def test_cloth_follows_the_pointer(looks: Path, page: Any) -> None:
    with served(looks / "page") as address:
        page.goto(address)
        lives(page)
        # somebody who stands still, so that only the hand moves the cloth
        page.evaluate("document.querySelector('toile-viewer').live.scene.run({ do: 'speed', value: 0 })")
        lives(page, 20)
        box = page.locator("canvas").bounding_box()
        hem = page.evaluate(HEM)
        start = (box["x"] + hem["x"], box["y"] + hem["y"])
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(start[0] + 30, start[1], steps=4)
        number = int(page.locator("canvas").get_attribute("data-live"))
        lives(page, number + 30)
        pulled = page.evaluate(WHERE, hem["particle"])
        page.mouse.up()
        lives(page, number + 90)
        back = page.evaluate(WHERE, hem["particle"])
    assert pulled["x"] > hem["x"] + 15
    # let go it falls back, as far as its folds did not change
    assert back["x"] < pulled["x"] - 0.5 * (pulled["x"] - hem["x"])


SCREEN = """
  const viewer = document.querySelector("toile-viewer"), { stage } = viewer, camera = stage.eye.camera;
  const { positions } = await viewer.live.scene.state();
  const on = (p) => {
    const v = camera.position.clone().fromArray(positions, 3 * p).project(camera);
    const x = (v.x + 1) / 2 * stage.canvas.clientWidth, y = (1 - v.y) / 2 * stage.canvas.clientHeight;
    return { x, y, depth: v.z, particle: p };
  };
"""
HEM = (
    "async () => {"
    + SCREEN
    + """
  // of those near the hem the one nearest to the camera
  const all = Array.from({ length: positions.length / 3 }, (_, p) => p);
  const low = Math.min(...all.map((p) => positions[3 * p + 1]));
  const above = (p) => positions[3 * p + 1] - low;
  const hem = all.filter((p) => above(p) > 0.03 && above(p) < 0.1).map(on);
  return hem.sort((a, b) => a.depth - b.depth)[0];
}"""
)
WHERE = "async (p) => {" + SCREEN + " return on(p); }"


@pytest.mark.parametrize("harm", ["cut", "garbage", "missing", "engine"])
def test_a_page_that_cannot_live_plays_and_says_why(
    looks: Path, page: Any, tmp_path: Path, harm: str
) -> None:
    shutil.copytree(looks / "page", tmp_path / "page")
    scene = tmp_path / "page" / "look.scene"
    if harm == "cut":
        scene.write_bytes(scene.read_bytes()[:5000])
    elif harm == "garbage":
        scene.write_bytes(b"nothing that a page can read" * 99)
    elif harm == "missing":
        scene.unlink()
    else:
        (tmp_path / "page" / "engine" / "toile.wasm").write_bytes(b"\0asm" + bytes(99))
    with served(tmp_path / "page") as address:
        page.goto(address)
        page.wait_for_function(
            "document.querySelector('toile-viewer').shadowRoot.querySelector('.told').textContent",
            timeout=SLOW,
        )
        page.wait_for_function("document.querySelector('toile-viewer').playback?.time > 0.1", timeout=SLOW)
        words = told(page)
    assert words.endswith(".")
    assert len(words) < 160
    assert page.get_by_role("button", name="Pause").is_visible()


def test_a_device_that_is_too_slow_plays_and_says_so(looks: Path, page: Any) -> None:
    with served(looks / "page") as address:
        page.goto(address)
        lives(page)
        # as if frames took a tenth of a second
        page.evaluate(
            """Object.defineProperties(document.querySelector("toile-viewer").live.scene,
              { frameTime: { get: () => 100 }, measured: { get: () => 60 } })"""
        )
        page.wait_for_function("document.querySelector('toile-viewer').playback?.time > 0.1", timeout=SLOW)
        assert "too slow" in told(page)
        assert "recording" in told(page)
        assert page.evaluate("document.querySelector('toile-viewer').live") is None
        assert page.get_by_role("button", name="Pause").is_visible()


def test_the_engine_lies_beside_the_page(looks: Path) -> None:
    for name in ("toile.wasm", "toile-threads.wasm"):
        assert (looks / "page" / "engine" / name).read_bytes() == (ENGINE / name).read_bytes()


def test_the_example_with_three_js_shows_moving_cloth(looks: Path, page: Any, tmp_path: Path) -> None:
    example = (ENGINE / "example.html").read_text(encoding="utf-8")
    assert len(example.splitlines()) <= 30
    shutil.copytree(ENGINE, tmp_path / "example")
    shutil.copyfile(looks / "page" / "look.scene", tmp_path / "example" / "look.scene")
    (tmp_path / "example" / "three").symlink_to(THREE)
    with served(tmp_path / "example") as address:
        page.goto(f"{address}/example.html")
        shots = []
        for _ in range(30):
            page.wait_for_timeout(400)
            shots.append(page.locator("canvas").screenshot())
            if len(set(shots)) >= 3:
                break
        # an empty picture, and at least two of cloth in motion
        assert len(set(shots)) >= 3
        with Image.open(io.BytesIO(shots[-1])) as image:
            pixels = np.asarray(image.convert("RGB")).astype(int)
        assert (pixels[..., 0] - pixels[..., 1] > 25).mean() > 0.005
