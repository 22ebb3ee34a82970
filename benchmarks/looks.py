"""How cloth looks: a circle skirt, a shirt and wide trousers walk, and stand.

Run: python benchmarks/looks.py -o looks [--edge 1.5] [--only shirt]
Each is simulated with the engine as it was (before: no head start, no long threads, full compression), as a
draft and in fine quality. Writes NAME.toile for each (those that exist are not made again), side-by-side
strips NAME.png (same frames, same camera; with and without --smooth) and looks.txt: stretch and clean frames
of the walk, and how many vertices move by more than 0.3 mm a frame after the dressed body has stood still.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from toile import draft, named_body, read_motion
from toile.bench.engine import STILL
from toile.cloth.xpbd import XpbdSettings, XpbdSolver
from toile.export.camera import Camera, frame_views
from toile.export.image import as_bytes
from toile.export.picture import Studio, frame_meshes, light_scene, render
from toile.export.smooth import Smoothed
from toile.motion.track import still
from toile.run.animate import plan_walk
from toile.run.dress import dress
from toile.run.method import make_method
from toile.run.record import RecordedFile, Source
from toile.run.stream import record_walk
from toile.run.walker import AnimateSettings, Walker
from toile.types import Recording

GARMENTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "circle skirt": ("circle_skirt", {}, "wool"),
    "shirt": ("shirt", {}, "cotton"),
    "wide trousers": ("trousers", {"hem": 0.60, "ease": 0.10}, "linen"),
}
"""name → draft, style, fabric"""
ENGINES = {
    "before": XpbdSettings(quality="draft", head_start=0.0, compression=1.0),
    "draft": XpbdSettings(quality="draft"),
    "fine": XpbdSettings(quality="fine"),
}
FPS = 60.0
WALK, STAND = 1.6, 4.5
"""seconds of walking, of standing"""
SHOWN = (0.3, 0.6, 0.9, 1.2, 1.5)
"""when pictures are taken [s]"""
CELL = (360, 480)


@contextmanager
def without_threads(off: bool) -> Iterator[None]:
    """Leave long threads out, as they were not there before."""
    usual = XpbdSolver._long_threads
    if off:
        XpbdSolver._long_threads = lambda *_: (np.zeros((0, 2), np.int32), np.zeros(0))  # type: ignore[method-assign]
    try:
        yield
    finally:
        XpbdSolver._long_threads = usual  # type: ignore[method-assign]


@cache
def dressed(name: str, edge: float) -> Recording:
    """Return the body in a garment, dressed with the default engine: what differs is the motion."""
    made, style, fabric = GARMENTS[name]
    body = named_body("woman")
    return dress([draft(made, body.measurements, **style)], body, fabric=fabric, edge_length=edge)


def walked(path: Path, name: str, engine: str, edge: float) -> None:
    """Walk into a file."""
    start = dressed(name, edge)
    assert start.body is not None
    plan = plan_walk(
        start,
        start.body,
        read_motion("walk"),
        settings=AnimateSettings(fps=FPS, seconds=WALK),
        method=make_method(engine=ENGINES[engine]),
    )
    part = path.with_suffix(".part.toile")
    record_walk(part, start.garment, start.body, plan, settings=start.settings)
    part.rename(path)


def moving_at_rest(name: str, engine: str, edge: float) -> float:
    """Return the share of vertices that move in the last frames of standing still."""
    start = dressed(name, edge)
    assert start.body is not None
    plan = plan_walk(
        start,
        start.body,
        still(start.body, FPS),
        settings=AnimateSettings(fps=FPS, seconds=STAND, lead=0.0),
        method=make_method(engine=ENGINES[engine]),
    )
    walker, seen = Walker(start.garment, start.body, plan), [start.positions[-1]]
    for _ in range(plan.settings.frame_count):
        seen = [*seen[-10:], walker.step().state.position]
    return float(np.mean([np.linalg.norm(b - a, axis=1) > STILL for a, b in pairwise(seen)]))


def line(name: str, engine: str, recorded: RecordedFile, moving: float) -> str:
    """Return what one recording measures."""
    notes = [recorded.notes(i) for i in range(min(len(recorded), round(WALK * FPS)))]
    clean = sum(not row["problems"] for row in notes)
    mean, most = (float(np.mean([r[key] for r in notes])) for key in ("stretch_mean", "stretch_99"))
    return (
        f"{name:<14} {engine:<7} {recorded.garment.particle_count:6d} vertices  stretch mean {mean:.2%}, "
        f"99 % {most:.2%}  clean {clean} of {len(notes)}  moving at rest {moving:.2%}"
    )


def camera_of(source: Source, number: int) -> Camera:
    """Return a camera that sees the garment, three quarters from the front."""
    ((camera, _),) = frame_views(source.frame(number).position, ["three_quarter"], *CELL, margin=0.04)
    return camera


def row(source: Source, numbers: list[int], cameras: list[Camera], label: str) -> Image.Image:
    """Return pictures of some frames side by side with a name."""
    studio = Studio(vignette=0.0)
    cells = [
        render(light_scene(frame_meshes(source.garment, source.body, source.frame(n)), studio), camera, *CELL)
        for n, camera in zip(numbers, cameras, strict=True)
    ]
    picture = Image.fromarray(as_bytes(np.concatenate(cells, axis=1)))
    ImageDraw.Draw(picture).text((12, 8), label, fill=(20, 20, 20), font=ImageFont.load_default(22))
    return picture


def strip(folder: Path, name: str) -> None:
    """Draw all engines of one garment, plain and smooth, one below the other."""
    files = {engine: RecordedFile(folder / f"{name} {engine}.toile") for engine in ENGINES}
    numbers = [min(round(t * FPS), len(files["fine"]) - 1) for t in SHOWN]
    cameras = [camera_of(files["fine"], n) for n in numbers]
    rows = [row(file, numbers, cameras, engine) for engine, file in files.items()]
    rows += [row(Smoothed(files[e], 1), numbers, cameras, f"{e}, --smooth 1") for e in ("draft", "fine")]
    whole = Image.new("RGB", (rows[0].width, sum(r.height for r in rows)))
    for index, picture in enumerate(rows):
        whole.paste(picture, (0, index * CELL[1]))
    whole.save(folder / f"{name}.png")
    for file in files.values():
        file.close()


def main() -> None:
    """Make what is missing, measure, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("looks"))
    parser.add_argument("--edge", type=float, default=1.5, help="cm")
    parser.add_argument("--only", default="", help="a garment")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    lines = []
    for name in (n for n in GARMENTS if options.only in n):
        for engine in ENGINES:
            path = options.output / f"{name} {engine}.toile"
            with without_threads(engine == "before"):
                if not path.exists():
                    walked(path, name, engine, options.edge / 100)
                moving = moving_at_rest(name, engine, options.edge / 100)
            with RecordedFile(path) as recorded:
                lines.append(line(name, engine, recorded, moving))
            print(lines[-1], flush=True)
        strip(options.output, name)
    (options.output / "looks.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
