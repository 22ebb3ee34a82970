"""The studio in a real browser, with its real server: person, seams by clicks, hands in the cloth, files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi")
api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: run 'make readers'")

from folders import ROOT  # noqa: E402
from studio_server import FLAGS, Hands, StudioServer  # noqa: E402

pytestmark = pytest.mark.shop

PAGE = ROOT / "src" / "toile" / "web" / "page" / "studio" / "index.html"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
TOURED = "localStorage.setItem('toile-studio', JSON.stringify({ toured: true }))"
SIDES = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    own = shutil.which("chromium") or shutil.which("chromium-browser")
    if own is None or not PAGE.is_file():
        pytest.skip("chromium is not installed, or the pages are not built: make page")
    with api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=own, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[StudioServer]:
    started = StudioServer(tmp_path_factory.mktemp("studio") / "studio")
    yield started
    started.close()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    opened = browser.new_context(viewport=SIDES, accept_downloads=True)
    opened.add_init_script(TOURED)
    yield opened
    opened.close()


@pytest.fixture
def hands(context: Any, server: StudioServer) -> Iterator[Hands]:
    """A studio of its own, in which nothing went wrong."""
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(server.address)
    yield Hands(page)
    assert not wrong


def overlaps(page: Any) -> list[Any]:
    page.evaluate(AXE.read_text())
    rules = "['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']"
    found = page.evaluate(f"() => axe.run(document, {{ runOnly: {rules} }})")
    return [(v["id"], [n["target"] for n in v["nodes"]][:4]) for v in found["violations"]]


def hem_height(hands: Hands) -> float:
    """Return how high the lowest cloth hangs [m]."""
    hands.until("view.sides[0].frame?.positions.length")
    heights = hands.state("Array.from(view.sides[0].frame?.positions ?? []).filter((_, i) => i % 3 === 1)")
    return float(np.percentile(heights, 2))


def test_a_skirt_on_her_measures(hands: Hands) -> None:
    """Sliders move the body; a hem that is dragged down 5 cm hangs 5 cm lower; seams turn and turn back."""
    hands.begin("skirt")
    page = hands.page

    # the waist of the body goes with its slider
    hands.tab("Person")
    before, mesh = hands.state("state.project.measures.waist"), hands.state("view.sides[0].host.dataset.body")
    slider = page.locator("input[type=range][name=waist]")
    slider.focus()
    for _ in range(8):
        slider.press("ArrowRight")
    hands.until(f"state.project.measures.waist > {before} + 0.01")
    hands.until(f"view.sides[0].host.dataset.body !== '{mesh}'")
    asked = "document.querySelector('input[name=waist]').valueAsNumber"
    hands.until(f"Math.abs(state.project.measures.waist - {asked}) < 0.002")
    page.keyboard.press("Control+z")
    hands.until(f"Math.abs(state.project.measures.waist - {before}) < 1e-3")
    hands.sewn()
    rests(hands)

    # both hems go down by 5 cm: one with the mouse, one with a figure that is reckoned
    old = hem_height(hands)
    hands.tab("Pattern")
    page.keyboard.press("a")
    hem = {name: edges_that(hands, name, "e.name.includes('hem')") for name in ("front", "back")}
    for name in hem:
        for edge in hem[name]:
            choose_edge(hands, name, edge, first=edge == hem[name][0])
        if name == "front":
            drag_down(hands, name, hem[name][0], 0.05)
    hands.number("Up", "-2*2.5cm")
    hands.until("state.project.garments[0].edited")
    hands.until("!state.working")
    for _ in range(200):
        page.wait_for_timeout(100)
        if 0.045 < old - hem_height(hands) < 0.055:
            break
    assert old - hem_height(hands) == pytest.approx(0.05, abs=0.005)

    # a seam is chosen from the list, reversed by its key, and put back
    hands.run("Let go of the selection")
    page.locator("summary", has_text="Seams").click()
    page.locator(".list .line-button", has_text="front – back").first.click()
    number = hands.until("state.selection.seam !== null ? state.selection.seam + 1 : 0") - 1
    ways = f"JSON.stringify(state.project.garments[0].seams[{number}].b)"
    was = hands.state(ways)
    page.locator("svg.table").focus()
    page.keyboard.press("r")
    hands.until(f"{ways} !== {json.dumps(was)}")
    page.keyboard.press("Control+z")
    hands.until(f"{ways} === {json.dumps(was)}")


def piece_of(name: str) -> str:
    return f"state.allPieces().find((p) => p.piece === '{name}')"


def edges_that(hands: Hands, piece: str, what: str) -> list[int]:
    """Return the numbers of a piece's edges for which an expression of `e` is true."""
    return list(hands.state(f"{piece_of(piece)}.edges.flatMap((e, i) => ({what} ? [i] : []))"))


def choose_edge(hands: Hands, piece: str, edge: int, *, first: bool) -> None:
    """Click an edge; not the first one: with shift."""
    if not first:
        hands.page.keyboard.down("Shift")
    hands.click_edge(piece, edge)
    hands.page.keyboard.up("Shift")
    hands.until(f"state.selection.pieces[0] === '{piece}' && state.selection.edges.includes({edge})")


def drag_down(hands: Hands, piece: str, edge: int, way: float) -> None:
    x, y = hands.edge(piece, edge)
    pixels = way * hands.state("table.scale")
    hands.page.mouse.move(x, y)
    hands.page.mouse.down()
    hands.page.mouse.move(x, y + pixels / 2, steps=3)
    hands.page.mouse.move(x, y + pixels, steps=3)
    hands.page.mouse.up()


def rests(hands: Hands, seconds: float = 20.0) -> None:
    """Wait until the cloth hangs still."""
    last = hem_height(hands)
    for _ in range(int(seconds / 0.4)):
        hands.page.wait_for_timeout(400)
        now = hem_height(hands)
        if abs(now - last) < 2e-4:
            return
        last = now


def test_pieces_without_seams_are_sewn_by_clicks_and_walk(hands: Hands, tmp_path: Path) -> None:
    from toile.core.pattern_records import Edge, Panel, Pattern
    from toile.pattern.library import write_pattern

    # two bare pieces of a skirt, as a CAD program hands them over
    corners = np.array([[0.0, 0.0], [0.62, 0.0], [0.53, 0.5], [0.09, 0.5]])
    edges = tuple(Edge(k, (k + 1) % 4) for k in range(4))
    panels = tuple(Panel(name, corners, edges) for name in ("front", "back"))
    write_pattern(Pattern("bare", panels), tmp_path / "bare.dxf")

    hands.begin()
    page = hands.page
    with page.expect_file_chooser() as chooser:
        page.locator("[data-command='file.open']").click()
    chooser.value.set_files(str(tmp_path / "bare.dxf"))
    hands.until("state.project.garments.length === 1 && state.allPieces().length === 2")
    assert hands.state("state.project.garments[0].seams.length") == 0
    names = hands.state("state.allPieces().map((p) => p.piece)")

    # each piece gets its place on the body from its list
    for name, place in zip(names, ("Front", "Back"), strict=True):
        page.keyboard.press("v")
        hands.state(f"(state.select({{ garment: 0, pieces: ['{name}'] }}), 1)")
        page.get_by_role("combobox", name="On the body").select_option(label=place)
        hands.until(f"state.allPieces().find((p) => p.piece === '{name}').place !== ''")
    page.keyboard.press("f")

    # both sides and the waist: side with side by two clicks each; the waist is held by the body
    rises = "Math.abs(e.line.at(-1)[1] - e.line[0][1]) > 0.8 * e.length"
    upright = {name: edges_that(hands, name, rises) for name in names}
    page.keyboard.press("s")
    for k, other in ((0, 1), (1, 0)):
        hands.click_edge(names[0], upright[names[0]][k])
        hands.click_edge(names[1], upright[names[1]][other])
        hands.until(f"state.project.garments[0].seams.length === {k + 1}")
    page.keyboard.press("p")
    for name in names:
        top = highest_edge(hands, name)
        hands.click_edge(name, top)
        hands.until(f"state.allPieces().find((p) => p.piece === '{name}').edges[{top}].held === 'pin'")
    page.keyboard.press("Control+Enter")
    hands.sewn()

    # it walks: the body moves, the cloth with it, and no cloth is crossed
    page.keyboard.press("w")
    hands.until("state.status.moving && state.status.motion_time > 0.3")
    first = hands.particle(0)
    hands.until(f"Math.abs(view.sides[0].positionOf(0)[2] - {first[2]}) > 0.002")
    hands.until("state.status.left === 0", 20)


def highest_edge(hands: Hands, piece: str) -> int:
    mean = "(e) => e.line.reduce((s, p) => s + p[1], 0) / e.line.length"
    return int(np.argmax(hands.state(f"{piece_of(piece)}.edges.map({mean})")))


def test_hands_in_the_cloth(hands: Hands) -> None:
    """Methods and fabrics change while it runs; cloth is pulled, let go, pinned, blown."""
    hands.begin()
    page = hands.page
    hands.run("Cloth hung by an edge")
    hands.until("state.status.scene === 'hang_edge' && state.status.playing")
    hands.until("view.sides[0].frame?.positions.length")
    rests(hands, 8.0)

    # the lowest particle goes with the mouse, and falls when it is let go
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.wait_for_timeout(900)
    low = int(hands.state(LOWEST))
    at = hands.particle(low)
    x, y = hands.on_screen(low)
    page.mouse.move(x, y - 4)
    page.mouse.down()
    page.mouse.move(x, y - 60, steps=4)
    page.mouse.move(x, y - 120, steps=4)
    held = hands.until(f"view.sides[0].positionOf({low})[1] > {at[1]} + 0.05", 20)
    assert held
    page.wait_for_timeout(200)
    page.mouse.up()
    hands.until(f"view.sides[0].positionOf({low})[1] < {at[1]} + 0.03", 20)

    # a pin holds what the wind would carry away
    page.keyboard.press("p")
    rests(hands, 8.0)
    page.mouse.click(*hands.on_screen(hands.state("view.sides[0].cloth.particleCount >> 1")))
    hands.until("view.pinned.size === 1")
    pinned = hands.state("[...view.pinned][0]")
    place = hands.particle(pinned)
    page.locator("svg.wind").focus()
    for _ in range(8):
        page.keyboard.press("ArrowUp")
    hands.until("Math.hypot(...state.project.air.wind) > 3")
    page.wait_for_timeout(1500)
    assert np.abs(np.array(hands.particle(pinned)) - place).max() < 2e-3
    hands.run("Take all pins out")
    hands.until(f"view.sides[0].positionOf({pinned}).some((v, k) => Math.abs(v - {place}[k]) > 0.01)")

    # another method in mid-run: time goes on
    hands.tab("Simulate")
    page.get_by_role("combobox", name="Cloth", exact=True).select_option("verlet")
    hands.until("state.project.method.solver === 'verlet'")
    now = hands.state("view.sides[0].frame.number")
    hands.until(f"view.sides[0].frame.number > {now} + 5 && state.status.playing", 30)
    assert np.isfinite(hands.state("Array.from(view.sides[0].frame.positions)")).all()


LOWEST = (
    "Array.from(view.sides[0].frame.positions).map((v, i) => [v, i]).filter(([, i]) => i % 3 === 1)"
    ".reduce((a, b) => (b[0] < a[0] ? b : a))[1] / 3 | 0"
)


SAME = """
import json
from toile.pattern.model.curves import edge_length
panels = [panel for worn in project.garments for panel in worn.pattern.panels]
sizes = [edge_length(panel, k) for panel in panels for k in range(len(panel.edges))]
print(json.dumps([recording.garment.particle_count, *sizes]))
"""


def test_kept_and_handed_over(context: Any, tmp_path: Path) -> None:
    """Recorded, exported, saved, killed, found again; the script makes the same."""
    server = StudioServer(tmp_path / "studio")
    try:
        page = context.new_page()
        page.goto(server.address)
        hands = Hands(page)
        hands.begin("skirt", edge="5cm")
        page.locator("[data-command=record]").click()
        hands.until("state.status.recording !== ''")
        page.wait_for_timeout(700)
        page.locator("[data-command=record]").click()
        hands.until("state.status.recording === '' && state.files.some((f) => f.endsWith('.toile'))")

        page.keyboard.press("Control+e")
        page.get_by_role("combobox", name="Format").select_option("glb")
        with page.expect_download(timeout=60_000) as download:
            page.locator("dialog .small.main").click()
        assert Path(download.value.path()).read_bytes()[:4] == b"glTF"

        # fabric in mid-run
        hands.tab("Cloth")
        before = hands.state("state.project.garments[0].fabric")
        other = hands.state(f"state.hello.fabrics.find((f) => f.name !== '{before}').name")
        page.get_by_role("combobox", name="Fabric").select_option(other)
        hands.until(f"state.project.garments[0].fabric === '{other}'")
        page.keyboard.press("Control+s")
        hands.until("state.project.saved && state.files.some((f) => f.endsWith('.studio'))")

        # the script makes the same pieces
        page.keyboard.press("Control+j")
        text = hands.until("state.script?.text")
        page.keyboard.press("Escape")
        folder = next((tmp_path / "studio").rglob("*.studio")).parent
        (folder / "again.py").write_text(text + SAME)
        command = [sys.executable, "again.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        particles, *sizes = json.loads(done.stdout.splitlines()[-1])
        assert particles == hands.state("state.status.vertices")
        seen = hands.state("state.allPieces().flatMap((p) => p.edges.map((e) => e.length))")
        assert sorted(sizes) == pytest.approx(sorted(seen), abs=1e-9)

        # killed in mid-air, and found as it was
        hands.tab("Pattern")
        page.get_by_role("button", name="Empty garment").click()
        hands.until("state.project.garments.length === 2")
        lengths = "JSON.stringify(state.allPieces().map((p) => p.edges.map((e) => e.length)))"
        cut = hands.state(lengths)
        server.kill()
        hands.until("state.line === 'lost'")
        server.start()
        session = page.evaluate("sessionStorage.getItem('toile-studio-session')")
        page.goto(f"{server.address}?session={session}")
        hands.until("state.hello && state.project && state.allPieces().length", 60)
        hands.until(f"{lengths} === {json.dumps(cut)}")
        assert hands.state("state.project.garments[0].fabric") == other
    finally:
        server.close()


@pytest.mark.parametrize("size", [SIDES, {"width": 820, "height": 1180}, {"width": 375, "height": 812}])
def test_nothing_in_anyones_way(browser: Any, server: StudioServer, size: dict[str, int]) -> None:
    """No violation of WCAG in any panel, in light and dark; nothing is wider than the screen."""
    context = browser.new_context(viewport=size, color_scheme="dark" if size["width"] == 820 else "light")
    context.add_init_script(TOURED)
    page = context.new_page()
    page.goto(server.address)
    hands = Hands(page)
    hands.until("state.project && state.hello", 120)
    page.wait_for_timeout(300)
    for tab in ("Person", "Pattern", "Cloth", "Simulate", "See"):
        if size["width"] <= 900:
            page.locator(".switcher button").last.click()
        hands.tab(tab)
        assert overlaps(page) == [], tab
    page.keyboard.press("Control+k")
    assert overlaps(page) == []
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    context.close()


def test_one_catalogue_of_texts() -> None:
    """No words of people stand in templates: they come from the catalogue."""
    source = ROOT / "web" / "studio" / "src"
    words = re.compile(r">\s*([A-Z][a-z]+(?: [a-z]+)+)\s*<")
    files = [path for path in source.rglob("*.ts") if "texts" not in path.parts]
    found = {path.name: words.findall(path.read_text()) for path in files}
    assert len(files) > 20
    assert not any(found.values()), found
