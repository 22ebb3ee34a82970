"""Taichi's own cloth example (masses and springs on a ball, without friction), on our cloth and ball.

Taichi is a language, not a cloth simulator: what runs here is the example that is shipped with it, with the
number of points, the distances and the ball of our scene. Stiffness, damping and steps are the example's.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from toile.bench.peer_scene import START, Arrays, Watch, serve

EXAMPLE, SIZE = "mass_spring_3d_ggui.py", "\nn = 128\n"
EXAMPLE_STEP = 4e-2 / 128
"""[s]"""


def example(cells: int, folder: Path) -> Any:
    """Return the example as a module for cells × cells points on the CPU; nothing is shown."""
    os.environ["TI_ARCH"] = "x64"
    text = resources.files("taichi").joinpath("examples", "ggui_examples", EXAMPLE).read_text("utf-8")
    if SIZE not in text:
        raise SystemExit(f"{EXAMPLE} of this Taichi is another one")
    # its kernels are compiled from the lines of a file
    (folder / "shipped_example.py").write_text(text.replace(SIZE, f"\nn = {cells}\n"), encoding="utf-8")
    sys.path.insert(0, str(folder))
    return importlib.import_module("shipped_example")


def run(scene: Arrays, watch: Watch) -> tuple[str, str]:
    """Drop the cloth on the ball."""
    if str(scene["kind"]) != "ball":
        raise SystemExit("no such scene: Taichi's example knows a ball only")
    cells = round(np.sqrt(len(scene["start"])))
    cloth = example(cells, Path(sys.argv[1]).parent)
    # constants are read when a kernel is first compiled
    cloth.quad_size, cloth.ball_radius = 1.0 / (cells - 1), float(scene["radius"])
    cloth.ball_center[0] = scene["centre"].tolist()
    cloth.x.from_numpy(scene["start"].reshape(cells, cells, 3).astype(np.float32))
    cloth.v.fill(0.0)
    # with the step of a coarser grid it blows up: its springs are as stiff as in the example
    steps = round(watch.dt / min(cloth.dt, EXAMPLE_STEP))
    cloth.dt = watch.dt / steps

    def frame(number: int) -> None:
        for _ in range(steps):
            cloth.substep()
        cloth.ti.sync()

    watch.film(frame, lambda: cloth.x.to_numpy().reshape(-1, 3), untimed=1)
    return f"Taichi {'.'.join(map(str, cloth.ti.__version__))} example, {steps} steps, no friction", START


if __name__ == "__main__":
    serve(run)
