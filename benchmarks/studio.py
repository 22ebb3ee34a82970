"""The studio over its real connection: from input to frame, frames a second, from an edit to the drape.

    python benchmarks/studio.py [EDGE …]      # edge lengths [cm]; default: about 5,000 and 12,000 points

A page without a browser answers every frame at once, so that what is measured is everything but drawing.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from studio_client import Page, Server, children, page_of

SECONDS = 6.0


def run(page: Page, seconds: float) -> float:
    """Return the frames that arrive in a second."""
    count, numbers, end = 0, set(), time.monotonic() + seconds
    while time.monotonic() < end:
        page.take()
        frame = page.frames.get(0)
        if frame is not None and frame.number not in numbers:
            numbers.add(frame.number)
            count += 1
    return count / seconds


def processor_seconds(server: Server, session: str) -> float:
    """Return the processor time of a session's process [s]."""
    ticks = os.sysconf("SC_CLK_TCK")
    for pid in children(server.process.pid):
        if session.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            return (int(words[11]) + int(words[12])) / ticks
    return 0.0


def latency(page: Page) -> list[float]:
    """Return the times from a hand's input to the first frame that takes it into account [ms]."""
    times = []
    point = int(page.frame.position[:, 1].argmin())
    place = page.frame.position[point]
    for k in range(40):
        began = time.monotonic()
        page._id += 1
        wanted = page._id
        page.send("grab", id=wanted, particle=point, to=(place + np.array([0, 0.002 * k, 0.05])).tolist())
        page.wait(lambda wanted=wanted: page.frame.echo >= wanted)
        times.append(1000 * (time.monotonic() - began))
    page.do("let_go")
    return times


def edit_times(page: Page) -> list[float]:
    """Return the times from an edit of the hem to the first frame of the edited cloth [ms]."""
    times = []
    hem = [k for k, e in enumerate(page.pieces[0, "front"]["edges"]) if "hem" in e["name"]]
    for k in range(10):
        began = time.monotonic()
        page._id += 1
        wanted = page._id
        by = [0.0, -0.004 if k % 2 else 0.004]
        page.send("move_edges", id=wanted, piece="front", edges=hem, by=by, group="drag")
        page.wait(lambda wanted=wanted: 0 in page.frames and page.frame.echo >= wanted)
        times.append(1000 * (time.monotonic() - began))
    return times


def measure(server: Server, page: Page, edge: float) -> None:
    """Print the figures of one size."""
    page.do("set_mesh", edge_length=edge)
    page.do("add_draft", draft="skirt", style={"length": 0.6})
    page.do("add_draft", draft="tshirt")
    began = time.monotonic()
    page.wait(lambda: page.told.get("status", {}).get("sewn") and 0 in page.frames, 600)
    sewn = time.monotonic() - began
    page.do("move")
    run(page, 1.5)
    spent, first = processor_seconds(server, page.session), page.told["status"]["time"]
    fps = run(page, SECONDS)
    status = page.told["status"]
    each = (processor_seconds(server, page.session) - spent) / max(60 * (status["time"] - first), 1)
    hand = latency(page)
    edits = edit_times(page)
    print(
        f"{status['vertices']:>6} points: sewn in {sewn:.1f} s; walking {fps:.0f} fps "
        f"({status['frame_ms']:.1f} ms a frame by the clock, {1000 * each:.1f} ms of processor in all, "
        f"{status['dropped']} dropped); input to frame "
        f"{np.median(hand):.0f} ms (95 %: {np.percentile(hand, 95):.0f}); edit to drape "
        f"{np.median(edits):.0f} ms (largest {max(edits):.0f})"
    )


def main(edges: list[float]) -> None:
    """Measure outfits of several sizes, each in a session of its own."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            for edge in edges:
                with page_of(server) as page:
                    measure(server, page, edge / 100)
        finally:
            server.close()


if __name__ == "__main__":
    main([float(word) for word in sys.argv[1:]] or [1.75, 1.13])
