"""MuJoCo's cloth (flex) on the ball scene; it has no pinned skirt on a moving mesh that compares."""

from __future__ import annotations

import mujoco

from toile.bench.peer_scene import START, Arrays, Watch, serve

STEPS = 8
"""a frame: 2.1 ms each, about MuJoCo's default of 2 ms"""
SOFT = "0.005 1"
"""time constant [s] and damping of edges and contact; with the default of 0.02 s cloth stretches by 13 %"""


def run(scene: Arrays, watch: Watch) -> tuple[str, str]:
    """Drop the cloth on the ball."""
    if str(scene["kind"]) != "ball":
        # its meshes collide as their convex hulls, so that the dummy would have no waist
        raise SystemExit("no such scene: MuJoCo's meshes are convex")
    start, triangles = scene["start"], scene["triangles"]
    radius, (x, y, z) = float(scene["radius"]), (float(v) for v in scene["centre"])
    numbers = " ".join(f"{v:.6g}" for v in start.ravel())
    faces = " ".join(str(int(i)) for i in triangles.ravel())
    text = f"""<mujoco><option gravity="0 -9.81 0" timestep="{watch.dt / STEPS}" integrator="implicitfast"/>
    <worldbody><geom type="sphere" size="{radius}" pos="{x} {y} {z}" friction="{float(scene["friction"])}"
    solref="{SOFT}"/>
    <flexcomp name="cloth" type="direct" dim="2" mass="{float(scene["mass"])}" radius="0.004"
    point="{numbers}" element="{faces}">
    <contact selfcollide="none"/><edge equality="true" solref="{SOFT}"/></flexcomp></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)

    def frame(number: int) -> None:
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    watch.film(frame, lambda: data.flexvert_xpos)
    return f"MuJoCo {mujoco.__version__}, {STEPS} steps", START


if __name__ == "__main__":
    serve(run)
