"""MuJoCo's cloth (flex) on the ball scene; it has no pinned skirt on a moving mesh that compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from toile.bench.peer_scene import Arrays, serve

STEP = 0.002
"""[s], MuJoCo's own default"""


def run(scene: Arrays, timed: Callable[[Callable[[], None]], None]) -> tuple[Any, str]:
    """Return the cloth's last positions and the version."""
    if str(scene["kind"]) != "ball":
        raise SystemExit("no such scene")
    start, triangles = scene["start"], scene["triangles"]
    radius, (x, y, z) = float(scene["radius"]), (float(v) for v in scene["centre"])
    numbers = " ".join(f"{v:.6g}" for v in start.ravel())
    faces = " ".join(str(int(i)) for i in triangles.ravel())
    text = f"""<mujoco><option gravity="0 -9.81 0" timestep="{STEP}" integrator="implicitfast"/>
    <worldbody><geom type="sphere" size="{radius}" pos="{x} {y} {z}" friction="{float(scene["friction"])}"/>
    <flexcomp name="cloth" type="direct" dim="2" mass="{float(scene["mass"])}" radius="0.004"
    point="{numbers}" element="{faces}">
    <contact selfcollide="none"/><edge equality="true"/></flexcomp></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    steps, frames = round(float(scene["dt"]) / STEP), int(scene["frames"])

    def frame() -> None:
        for _ in range(max(1, steps)):
            mujoco.mj_step(model, data)

    for _ in range(frames):
        timed(frame)
    return np.array(data.flexvert_xpos), f"MuJoCo {mujoco.__version__}, steps of 2 ms"


if __name__ == "__main__":
    serve(run)
