"""A real studio for tests: the process, its page, and hands on its panels."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

START = 120.0
"""a loaded machine takes long to start [s]"""
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip


class StudioServer:
    """``toile studio`` in a folder; killed and started again as often as a test wants."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None
        self.address = ""
        self.start()

    def start(self) -> None:
        log = self.folder.with_suffix(".log")
        command = [sys.executable, "-m", "toile", "studio", "--port", "0", "--no-browser"]
        command += ["--folder", str(self.folder)]
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=file, env={**os.environ, "TOILE_THREADS": "1"},
                start_new_session=True,
            )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        assert "open at" in line, f"{line} {log.read_text()[-2000:]}"
        # without the session that it would go on with
        self.address = line.split(" at ")[1].split(" ")[0].partition("?")[0]

    def kill(self) -> None:
        """End it and its sessions without a word, as when the power goes."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()
            self.process = None

    close = kill


class Hands:
    """What a person does with the page, and sees on it."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def state(self, expression: str) -> Any:
        """Return what the page knows: an expression of `state`, `view`, `table`."""
        given = "const { state, view, table } = studio;"
        return self.page.evaluate(f"() => {{ {given} return {expression}; }}")

    def until(self, expression: str, seconds: float = 30.0) -> Any:
        """Return an expression's value as soon as it is true."""
        end = time.monotonic() + seconds
        while not (found := self.state(expression)):
            assert time.monotonic() < end, f"not in time: {expression}; {self.told()}"
            self.page.wait_for_timeout(50)
        return found

    def told(self) -> Any:
        """Return what the page says of itself: for failures."""
        said = self.page.locator("#said").inner_text()
        return said, self.state("[state.line, state.status, state.working, state.selection]")

    def run(self, command: str) -> None:
        """Choose a command of the palette by its name, as somebody who types it."""
        self.page.keyboard.press("Control+k")
        self.page.locator("#palette input").fill(command)
        self.page.keyboard.press("Enter")

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()

    def number(self, label: str, text: str) -> None:
        """Type into a field."""
        field = self.page.get_by_role("spinbutton", name=label, exact=True)
        field.focus()
        field.fill(text)
        field.press("Enter")

    def begin(self, draft: str = "", edge: str = "4.5cm") -> None:
        """Wait for the studio, make the mesh coarse, and sew a draft."""
        self.until("state.project && state.hello", START)
        self.tab("Simulate")
        self.number("Triangle edge", edge)
        self.until("state.project.mesh.edge_length > 0.03")
        self.tab("Pattern")
        if draft:
            self.page.get_by_role("combobox", name="Draft").select_option(draft)
            self.sewn()

    def sewn(self) -> None:
        self.until("state.status?.sewn && !state.working && view.sides[0].frame?.positions.length", 120)

    def edge(self, piece: str, edge: int, share: float = 0.5) -> tuple[float, float]:
        """Return where a share of an edge lies on the screen."""
        found = self.page.evaluate(
            """([piece, edge, share]) => {
              const { state, table } = studio, one = state.allPieces().find((p) => p.piece === piece);
              const line = one.edges[edge].line;
              const sizes = line.slice(1).map((p, i) => Math.hypot(p[0] - line[i][0], p[1] - line[i][1]));
              let rest = share * sizes.reduce((a, b) => a + b, 0), i = 0;
              while (i < sizes.length - 1 && rest > sizes[i]) rest -= sizes[i++];
              const t = rest / sizes[i], mix = (k) => line[i][k] + t * (line[i + 1][k] - line[i][k]);
              const at = [mix(0) + one.table[0], mix(1) + one.table[1]];
              const p = table.toScreen(at), box = document.querySelector('svg.table').getBoundingClientRect();
              return [box.left + p[0], box.top + p[1]];
            }""",
            [piece, edge, share],
        )
        return float(found[0]), float(found[1])

    def click_edge(self, piece: str, edge: int, share: float = 0.5) -> None:
        self.page.mouse.click(*self.edge(piece, edge, share))

    def particle(self, number: int) -> list[float]:
        return list(self.state(f"view.sides[0].positionOf({number})"))

    def on_screen(self, number: int) -> tuple[float, float]:
        """Return where a particle is seen."""
        found = self.page.evaluate(
            """(number) => {
              const side = studio.view.sides[0], box = side.host.getBoundingClientRect();
              const seen = side.stage.seen(side.positionOf(number));
              return [box.left + seen[0], box.top + seen[1]];
            }""",
            number,
        )
        return float(found[0]), float(found[1])
