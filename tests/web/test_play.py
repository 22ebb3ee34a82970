"""The viewer: what it serves, and that a real browser shows it."""

import http.client
import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dressed_samples import recording
from toile.core.errors import ToileError
from toile.store.record import RecordedFile, RecordWriter, save_recording
from toile.web.play import Show, make_server


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    save_recording(recording(6), tmp_path / "look.toile")
    with RecordedFile(tmp_path / "look.toile") as recorded, make_server(recorded) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def get(port: int, path: str, host: str = "127.0.0.1") -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers={"Host": f"{host}:{port}"})
    answer = connection.getresponse()
    return answer.status, answer.read(), dict(answer.getheaders())


def test_what_the_page_asks_for(port: int) -> None:
    take = recording(6)
    about = json.loads(get(port, "/about")[1])
    assert (about["frames"], about["points"]) == (6, take.garment.particle_count)
    assert about["fps"] == pytest.approx(30)
    assert [part["name"] for part in about["garments"]] == ["tube"]
    mesh = np.frombuffer(get(port, "/mesh")[1], "<i4")
    assert mesh[0] == len(take.garment.triangles)
    np.testing.assert_array_equal(mesh[2 : 2 + 3 * mesh[0]].reshape(-1, 3), take.garment.triangles)
    points = np.frombuffer(get(port, "/frame/4")[1], "<f4").reshape(-1, 3)
    np.testing.assert_allclose(points[: about["points"]], take.positions[4], atol=1e-6)
    np.testing.assert_allclose(points[about["points"] :], take.body_vertices[4], atol=1e-6)


def test_the_page_runs_nothing_from_elsewhere(port: int) -> None:
    for path in ("/", "/player.js", "/player.css"):
        status, content, headers = get(port, path)
        assert status == 200
        assert b"http" not in content
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_is_told_what_is_wrong_with_a_frame(tmp_path: Path) -> None:
    take = recording(2)
    with RecordWriter.create(tmp_path / "look.toile", take.garment, take.body) as writer:
        for number, problems in enumerate(([], ["3 vertices are inside the body"])):
            skin = take.body_vertices[number]
            writer.append(number / 30, take.positions[number], skin, notes={"problems": problems})
    with RecordedFile(tmp_path / "look.toile") as recorded:
        show = Show(recorded)
        assert [json.loads(show.problems(n)) for n in (0, 1)] == [[], ["3 vertices are inside the body"]]
        with pytest.raises(ToileError):
            show.problems(2)


@pytest.mark.parametrize(
    "path",
    ["/problems/6", "/problems/x", "/frame/6", "/frame/-1", "/frame/x", "/../play.py", "/frame/99999999999"],
)
def test_what_is_not_there(port: int, path: str) -> None:
    assert get(port, path)[0] == 404


def test_another_host_name_is_refused(port: int) -> None:
    assert get(port, "/about", "evil.example")[0] == 403


def test_a_recording_without_frames(tmp_path: Path) -> None:
    RecordWriter.create(tmp_path / "empty.toile", recording(1).garment).close(done=False)
    with (
        RecordedFile(tmp_path / "empty.toile") as recorded,
        pytest.raises(ToileError, match="no frame yet"),
    ):
        make_server(recorded)


def test_a_browser_shows_it(port: int, tmp_path: Path) -> None:
    """Plays, scrubs and turns in a headless Chromium; the picture changes."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    own = os.environ.get("TOILE_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser")
    with api.sync_playwright() as play:
        try:
            browser = play.chromium.launch(
                executable_path=own, args=["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"]
            )
        except api.Error as error:
            pytest.skip(f"no browser could be started: {str(error).splitlines()[0]}")
        page = browser.new_page(viewport={"width": 640, "height": 480})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector("body[data-shown='0']", timeout=30000)
        first = page.screenshot(path=str(tmp_path / "first.png"))
        with Image.open(tmp_path / "first.png") as image:
            pixels = np.asarray(image.convert("RGB")).astype(int)
        paper = 255 * np.array([0.843, 0.847, 0.855])
        assert (np.abs(pixels - paper).max(axis=2) < 3).mean() > 0.3
        # the shadow on the floor, red cloth, skin
        assert (np.abs(pixels - 0.74 * paper).max(axis=2) < 5).sum() > 200
        assert (pixels[..., 0] - pixels[..., 2] > 60).sum() > 1000
        page.locator("#scrub").fill("5")
        page.wait_for_selector("body[data-shown='5']", timeout=30000)
        assert page.locator("#count").inner_text() == "6 / 6"
        page.mouse.move(300, 200)
        page.mouse.down()
        page.mouse.move(420, 220, steps=4)
        page.mouse.up()
        page.wait_for_timeout(500)
        assert page.screenshot() != first
        page.locator("#play").click()
        page.wait_for_selector("body:not([data-shown='5'])", timeout=30000)
        assert problems == []
        browser.close()
