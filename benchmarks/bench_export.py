"""Milliseconds of rasteriser, pictures, recordings and exports. Run: python benchmarks/bench_export.py"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from dressed_samples import tube, tube_position
from toile.body.model.make import named_body
from toile.core.errors import ToileError
from toile.export.library import export
from toile.geometry.raster import rasterise, visible
from toile.render.picture import body_mesh, garment_mesh, render_views
from toile.store.record import RecordedFile, RecordWriter

FRAMES = 240


LIMITS = {".usdc": (1.5, None), ".abc": (1.0, None), ".glb": (None, 8.0)}
"""what is asked for: seconds of processor time, megabytes"""


def timed(name: str, work: Callable[[], object], repeat: int = 1) -> None:
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        try:
            work()
        except ToileError as error:
            print(f"{name:44s} skipped: {error}")
            return
        best = min(best, time.perf_counter() - start)
    print(f"{name:44s} {best * 1e3:10.1f} ms")


def main() -> None:
    body = named_body("woman")
    garment = tube(100, 99)
    base = tube_position(garment)
    scale = 340 / 1.75
    points = np.column_stack(
        [body.vertices[:, 0] * scale + 180, 350 - body.vertices[:, 1] * scale, -body.vertices[:, 2]]
    )
    count = len(body.triangles)
    timed(f"depth map, {count} triangles, 360 px", lambda: visible(points, body.triangles, 360, 360), 20)
    timed("the same with weights", lambda: rasterise(points, body.triangles, 360, 360), 20)
    meshes = [body_mesh(body), garment_mesh(garment, base)]
    timed("picture, 900 x 1200", lambda: render_views(meshes, width=900, height=1200), 3)
    with tempfile.TemporaryDirectory() as folder:
        files = {None: Path(folder) / "exact.toile", 5e-5: Path(folder) / "rounded.toile"}
        for error, path in files.items():
            timed(
                f"record {FRAMES} frames, error {error}", lambda e=error, p=path: record(p, garment, base, e)
            )
            with RecordedFile(path) as recorded:
                timed("  one frame at random", lambda r=recorded: r.frame(100), 20)
            print(f"  {path.stat().st_size / 1e6:.1f} MB for {garment.particle_count} points")
        print(f"exports of {garment.particle_count} vertices x {FRAMES} frames, processor time:")
        for suffix in (".glb", ".usdc", ".abc", ".pc2"):
            measure_export(files[None], Path(folder) / f"look{suffix}")


def measure_export(recording: Path, target: Path) -> None:
    """Print seconds and megabytes of an export, and what is asked for."""
    try:
        # the first call loads the other program's library
        export(recording, target, frames=[0, 1, 2])
        start = time.process_time()
        export(recording, target)
    except ToileError as error:
        print(f"  {target.suffix:6s} skipped: {error}")
        return
    seconds, size = time.process_time() - start, target.stat().st_size / 1e6
    most, largest = LIMITS.get(target.suffix, (None, None))
    asked = (f" (at most {most} s)" if most else "") + (f" (at most {largest} MB)" if largest else "")
    print(f"  {target.suffix:6s} {seconds:6.2f} s {size:8.1f} MB{asked}")


def record(path: Path, garment: object, base: np.ndarray, error: float | None) -> None:
    angle = np.arctan2(base[:, 0], base[:, 2])[:, None]
    with RecordWriter.create(path, garment, step=error) as writer:  # type: ignore[arg-type]
        for frame in range(FRAMES):
            wave = sum(np.sin(k * angle + 0.03 * k * frame) / k for k in range(1, 9))
            writer.append(frame / 60, base + 0.02 * (1 - base[:, 1:2]) * wave * [1, 0.2, 1])


if __name__ == "__main__":
    main()
