"""How cloth looks: a circle skirt, a shirt and wide trousers walk, and stand.

Run: python benchmarks/looks.py -o looks [--edge 1.5] [--only shirt]
Each is simulated with the engine as it was (before: no head start, no long threads, full compression) and in
draft, normal and fine quality. Writes NAME.toile for each (those that exist are not made again), side-by-side
strips NAME.png (same frames, same camera; the last row with --smooth) and looks.txt: stretch, frames in which
nothing crosses or is inside, and frames that pass the whole audit (stretch too). Then the body stops dead in
the last pose of the walk, and the share of vertices that move by more than 0.3 mm a frame is told for some
times after it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from toile import draft, named_body, read_motion
from toile.bench.engine import STILL
from toile.core.records import Floats, Recording, State
from toile.render.camera import Camera, frame_views
from toile.render.image import as_bytes
from toile.render.picture import Studio, frame_meshes, light_scene, render
from toile.render.smooth import Smoothed
from toile.sim.dress.dress import dress
from toile.sim.method import make_method
from toile.sim.solvers import cloth_arrays
from toile.sim.solvers.xpbd import XpbdSettings
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.stream import record_walk
from toile.sim.walk.walker import AnimateSettings, Walker
from toile.store.record import RecordedFile, Source

GARMENTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "circle skirt": ("circle_skirt", {}, "wool"),
    "shirt": ("shirt", {}, "cotton"),
    "wide trousers": ("trousers", {"hem": 0.60, "ease": 0.10}, "linen"),
}
"""name → draft, style, fabric"""
ENGINES = {
    "before": XpbdSettings(quality="draft", head_start=0.0, compression=1.0),
    "draft": XpbdSettings(quality="draft"),
    "normal": XpbdSettings(),
    "fine": XpbdSettings(quality="fine"),
}
DRAWN = ("before", "draft", "fine")
"""engines whose frames are drawn"""
FPS = 60.0
WALK, STAND = 1.6, (1.0, 2.0, 3.0, 4.0, 5.0)
"""seconds of walking, and after which of standing the vertices that move are counted"""
SHOWN = (0.3, 0.7, 1.1, 1.5)
"""when pictures are taken [s]"""
CELL = (300, 400)
CROSSINGS = ("inside", "body_pairs", "self_pairs", "layer_pairs")


@contextmanager
def without_threads(off: bool) -> Iterator[None]:
    """Leave long threads out, as they were not there before."""
    usual = cloth_arrays.slack_threads
    if off:
        cloth_arrays.slack_threads = lambda *_: (np.zeros((0, 2), np.int32), np.zeros(0))  # type: ignore[assignment]
    try:
        yield
    finally:
        cloth_arrays.slack_threads = usual


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
    record_walk(part, start.garment, start.body, plan, provenance=start.provenance)
    part.rename(path)


class Stopped(Walker):
    """A walker whose body stops dead after the walk."""

    def pose(self, number: int) -> Floats:
        """Return the pose of a frame, those after the walk being its last."""
        return super().pose(min(number, round(WALK * FPS) - 1))


def moving_at_rest(path: Path, name: str, engine: str, edge: float) -> list[float]:
    """Return the share of vertices that move in the ten frames before each of the times in STAND."""
    start = dressed(name, edge)
    assert start.body is not None
    plan = plan_walk(
        start,
        start.body,
        read_motion("walk"),
        settings=AnimateSettings(fps=FPS, seconds=WALK + max(STAND)),
        method=make_method(engine=ENGINES[engine]),
    )
    walker, last = Stopped(start.garment, start.body, plan), round(WALK * FPS) - 1
    with RecordedFile(path) as recorded:
        before, seen = (recorded.frame(n).position for n in (last - 1, last))
    walker.go_to(last, State(seen, (seen - before) * FPS, WALK))
    moving = []
    for _ in range(round(max(STAND) * FPS)):
        position = walker.step().state.position
        moving.append(np.mean(np.linalg.norm(position - seen, axis=1) > STILL))
        seen = position
    ends = [round(t * FPS) for t in STAND]
    return [float(np.mean(moving[end - 10 : end])) for end in ends]


def line(name: str, engine: str, recorded: RecordedFile, moving: list[float]) -> str:
    """Return what one recording measures."""
    notes = [recorded.notes(i) for i in range(len(recorded))]
    apart = sum(not any(row[key] for key in CROSSINGS) for row in notes)
    passed = sum(not row["problems"] for row in notes)
    mean, most = (float(np.mean([r[key] for r in notes])) for key in ("stretch_mean", "stretch_99"))
    rest = ", ".join(f"{share:.2%} after {t:g} s" for t, share in zip(STAND, moving, strict=False))
    return (
        f"{name:<14} {engine:<7} {recorded.garment.particle_count:6d} vertices  stretch mean {mean:.2%}, "
        f"99 % {most:.2%}  no crossing in {apart}, audit passed in {passed} of {len(notes)} frames  "
        f"moving at rest {rest or 'not measured'}"
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
    files = {engine: RecordedFile(folder / f"{name} {engine}.toile") for engine in DRAWN}
    numbers = [min(round(t * FPS), len(files["fine"]) - 1) for t in SHOWN]
    cameras = [camera_of(files["fine"], n) for n in numbers]
    rows = [row(file, numbers, cameras, engine) for engine, file in files.items()]
    rows.append(row(Smoothed(files["draft"], 1), numbers, cameras, "draft, --smooth 1"))
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
        dressed(name, options.edge / 100)
        for engine in ENGINES:
            path = options.output / f"{name} {engine}.toile"
            with without_threads(engine == "before"):
                if not path.exists():
                    walked(path, name, engine, options.edge / 100)
                moving = moving_at_rest(path, name, engine, options.edge / 100) if engine != "before" else []
            with RecordedFile(path) as recorded:
                lines.append(line(name, engine, recorded, moving))
            print(lines[-1], flush=True)
        strip(options.output, name)
    (options.output / "looks.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
