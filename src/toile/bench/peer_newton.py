"""Newton's cloth solvers on our scene, on the CPU: XPBD, Style3D, VBD, set up as Newton's own examples do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import newton
import numpy as np
import warp as wp

from toile.bench.peer_scene import FLAT, START, Arrays, Watch, dummy_motion, moved, serve

RADIUS = 0.004
"""kept between particle and obstacle [m]"""
SWEEP = 0.25 if tuple(int(n) for n in newton.__version__.split(".")[:2]) < (1, 8) else 0.06
"""XPBD: springs of this many particle masses per step² [N/m]. Its sweep adds up what all springs of a
particle ask for at once: at 0.35 to 0.5 cloth of 64² blew up, here it is as stiff as the sweep can make it.
From 1.8 on multipliers add up over the iterations, so springs are as soft as they are said to be: at 0.25 the
ball's cloth blew up, at 0.12 the skirt"""


def place(scene: Arrays) -> Arrays:
    """Return where the cloth is, as Newton's builders take it."""
    return {
        "pos": wp.vec3(0.0, 0.0, 0.0),
        "rot": wp.quat_identity(),
        "scale": 1.0,
        "vel": wp.vec3(0.0, 0.0, 0.0),
        "vertices": [wp.vec3(*(float(v) for v in p)) for p in scene["start"]],
        "indices": [int(i) for i in scene["triangles"].ravel()],
        "density": float(scene["mass"]),
        "particle_radius": RADIUS,
    }


def add_xpbd(builder: Any, scene: Arrays, step: float) -> None:
    """Add cloth of springs along all edges, as stiff as the sweep bears."""
    mass = float(scene["mass"]) * float(scene["area"]) / len(scene["start"])
    builder.add_cloth_mesh(
        **place(scene),
        add_springs=True,
        spring_ke=SWEEP * mass / step**2,
        spring_kd=0.0,
        edge_ke=float(scene["bending"]),
        edge_kd=0.0,
    )


def add_style3d(builder: Any, scene: Arrays, step: float) -> None:
    """Add cloth with the stiffness of Newton's garment example, unstretched as its flat pieces are.

    With our fabric's 4000 to 6000 N/m, or with 1000, the skirt stays where it began: its linear solver stops
    long before such cloth moves.
    """
    bend, uv = float(scene["bending"]), scene["uv"]
    a, b, c = (uv[scene["triangles_uv"][:, k]] for k in range(3))
    if np.cross(b - a, c - a).sum() < 0:
        uv = uv * [-1.0, 1.0]  # it leaves triangles out that run clockwise
    newton.solvers.style3d.add_cloth_mesh(
        builder,
        **place(scene),
        panel_verts=uv.tolist(),
        panel_indices=[int(i) for i in scene["triangles_uv"].ravel()],
        tri_aniso_ke=wp.vec3(1.0e2, 1.0e2, 1.0e1),
        edge_aniso_ke=wp.vec3(bend, bend, bend),
    )


def add_vbd(builder: Any, scene: Arrays, step: float) -> None:
    """Add cloth of elastic triangles with the fabric's mean stiffness."""
    stiffness = float(scene["stiffness"])
    builder.add_cloth_mesh(
        **place(scene),
        tri_ke=stiffness,
        tri_ka=stiffness,
        tri_kd=0.0,
        edge_ke=float(scene["bending"]),
        edge_kd=0.0,
    )
    builder.color(include_bending=True)


Add = Callable[[Any, Arrays, float], None]
SOLVERS: dict[str, tuple[Add, Callable[[Any, int], Any], int, int, str]] = {
    "xpbd": (add_xpbd, lambda m, n: newton.solvers.SolverXPBD(model=m, iterations=n), 10, 10, START),
    "style3d": (add_style3d, lambda m, n: newton.solvers.SolverStyle3D(model=m, iterations=n), 10, 4, FLAT),
    "vbd": (add_vbd, lambda m, n: newton.solvers.SolverVBD(model=m, iterations=n), 10, 10, START),
}
"""name → cloth, solver, substeps a frame and iterations of Newton's examples, shape taken as unstretched"""


def add_obstacle(builder: Any, scene: Arrays) -> None:
    """Add the ball, or the dummy as a body that is moved by hand."""
    surface = builder.default_shape_cfg.copy()
    surface.mu = float(scene["friction"])
    if str(scene["kind"]) == "ball":
        there = wp.transform(wp.vec3(*(float(v) for v in scene["centre"])), wp.quat_identity())
        builder.add_shape_sphere(-1, xform=there, radius=float(scene["radius"]), cfg=surface)
        return
    mesh = newton.Mesh(scene["body"].astype(np.float32), scene["body_triangles"].ravel().astype(np.int32))
    builder.add_shape_mesh(builder.add_body(is_kinematic=True), mesh=mesh, cfg=surface)


def lead(states: list[Any], scene: Arrays, pinned: Any, when: float, step: float) -> None:
    """Put dummy and waist where they are at a time [s], with their velocities."""
    (angle, shift), (before, shift_before) = dummy_motion(when), dummy_motion(when - step)
    pose = [shift, 0.0, 0.0, 0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2)]
    speed = [(shift - shift_before) / step, 0.0, 0.0, 0.0, (angle - before) / step, 0.0]
    # Style3D sees the way of a body between the states, and finds the earlier pose where it was left
    for state in states[1:] if str(scene["variant"]) == "style3d" else states:
        state.body_q.assign(np.array([pose], np.float32))
        state.body_qd.assign(np.array([speed], np.float32))
    points = states[0].particle_q.numpy()
    points[pinned] = moved(scene["start"][pinned], when)
    states[0].particle_q.assign(points)


def run(scene: Arrays, watch: Watch) -> tuple[str, str]:
    """Run the scene with the solver that it names."""
    wp.config.quiet = True
    wp.set_device("cpu")
    name = str(scene["variant"])
    add_cloth, make_solver, substeps, iterations, rest = SOLVERS[name]
    step = watch.dt / substeps
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
    if name == "style3d":
        newton.solvers.SolverStyle3D.register_custom_attributes(builder)
    add_cloth(builder, scene, step)
    pinned = np.array(scene.get("pinned", []), np.int64)
    for i in pinned:
        builder.particle_mass[int(i)] = 0.0
    add_obstacle(builder, scene)
    model = builder.finalize()
    model.soft_contact_mu = float(scene["friction"])
    # our cloth does not collide with itself in these scenes: neither does theirs
    model.particle_max_radius, model.particle_grid = 0.0, None
    solver = make_solver(model, iterations)
    if name == "style3d":
        solver.collision.stiff_vf = solver.collision.stiff_ee = solver.collision.stiff_ef = 0.0
    states, control = [model.state(), model.state()], model.control()
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()

    def frame(number: int) -> None:
        for part in range(substeps):
            if len(pinned):
                lead(states, scene, pinned, (number - 1 + (part + 1) / substeps) * watch.dt, step)
            states[0].clear_forces()
            pipeline.collide(states[0], contacts)
            solver.step(states[0], states[1], control, contacts, step)
            states.reverse()

    watch.film(frame, lambda: states[0].particle_q.numpy(), untimed=1)
    return f"Newton {newton.__version__} {name}, {substeps} × {iterations}", rest


if __name__ == "__main__":
    serve(run)
