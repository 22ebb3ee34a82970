"""Newton's XPBD solver on our scene, on the CPU: springs along the edges, ten substeps of two iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import newton
import numpy as np
import warp as wp

from toile.bench.peer_scene import Arrays, dummy_motion, moved, serve

SUBSTEPS, ITERATIONS = 10, 2


def run(scene: Arrays, timed: Callable[[Callable[[], None]], None]) -> tuple[Any, str]:
    """Return the cloth's last positions and the version."""
    wp.config.quiet = True
    wp.set_device("cpu")
    frames, dt = int(scene["frames"]), float(scene["dt"])
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
    builder.add_cloth_mesh(
        pos=wp.vec3(0.0, 0.0, 0.0), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0, 0.0, 0.0),
        vertices=[wp.vec3(*(float(v) for v in p)) for p in scene["start"]],
        indices=[int(i) for i in scene["triangles"].ravel()], density=float(scene["mass"]),
        edge_ke=0.01, edge_kd=0.0,
        add_springs=True, spring_ke=2000.0, spring_kd=0.0, particle_radius=0.004,
    )  # fmt: skip
    pinned = [int(i) for i in scene.get("pinned", [])]
    for i in pinned:
        builder.particle_mass[i] = 0.0
    surface = builder.default_shape_cfg.copy()
    surface.mu = float(scene["friction"])
    if str(scene["kind"]) == "ball":
        there = wp.transform(wp.vec3(*(float(v) for v in scene["centre"])), wp.quat_identity())
        builder.add_shape_sphere(-1, xform=there, radius=float(scene["radius"]), cfg=surface)
    else:
        body = builder.add_body(is_kinematic=True)
        mesh = newton.Mesh(scene["body"].astype(np.float32), scene["body_triangles"].ravel().astype(np.int32))
        builder.add_shape_mesh(body, mesh=mesh, cfg=surface)
    model = builder.finalize()
    model.soft_contact_mu = float(scene["friction"])
    solver = newton.solvers.SolverXPBD(model=model, iterations=ITERATIONS)
    now, then, control = model.state(), model.state(), model.control()
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()
    states = [now, then]

    def frame(number: int) -> None:
        for part in range(SUBSTEPS):
            state, after = states
            if pinned:
                when = (number - 1 + (part + 1) / SUBSTEPS) * dt
                place(state, when)
            state.clear_forces()
            pipeline.collide(state, contacts)
            solver.step(state, after, control, contacts, dt / SUBSTEPS)
            states.reverse()

    def place(state: Any, when: float) -> None:
        angle, shift = dummy_motion(when)
        state.body_q.assign(
            np.array([[shift, 0.0, 0.0, 0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2)]], np.float32)
        )
        points = state.particle_q.numpy()
        points[pinned] = moved(scene["start"][pinned], when)
        state.particle_q.assign(points)

    frame(1)  # compiles the kernels; not timed
    for number in range(2, frames + 1):
        timed(lambda number=number: frame(number))  # type: ignore[misc]
    return states[0].particle_q.numpy(), f"Newton {newton.__version__} XPBD, {SUBSTEPS} × {ITERATIONS}"


if __name__ == "__main__":
    serve(run)
