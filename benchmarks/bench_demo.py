"""Milliseconds per stage of the demo (T-shirt over skirt), and nanoseconds per constraint against NumPy.

Run: python benchmarks/bench_demo.py [edge length in cm]
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from toile import draft, named_body
from toile.body.skin import rest_pose
from toile.cloth.xpbd import XpbdSettings, XpbdSolver, membrane
from toile.collision.surface import SurfaceCollider
from toile.garment.build import build, particle_mass, weld, weld_positions
from toile.garment.shapes import flat_position, square_cloth
from toile.run.advance import no_contacts
from toile.run.check import audit
from toile.run.dress import place_outfit
from toile.run.sew import SewSettings, close_seams, drape, silent
from toile.types import Floats, Garment, Scene, State


def timed(name: str, work: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    result = work()
    print(f"{name:<28} {1e3 * (time.perf_counter() - start):9.1f} ms")
    return result


def stages(edge_length: float) -> None:
    """Print what each stage of the demo takes."""
    body = timed("body", lambda: named_body("woman"))
    patterns = timed("draft", lambda: [draft(n, body.measurements) for n in ("skirt", "tshirt")])
    garments = timed("mesh and build", lambda: [build(p, "cotton", edge_length) for p in patterns])
    outfit, start = timed("place", lambda: place_outfit(garments, body))
    posed, collider = rest_pose(body), timed("body tree", lambda: SurfaceCollider(body))
    settings, engine = SewSettings(), XpbdSettings()
    closed = timed("sew", lambda: close_seams(outfit, start, posed, collider, settings, engine, silent))
    welded = timed("weld", lambda: weld(outfit))
    y = weld_positions(outfit, welded, closed.position)
    state = State(y, np.zeros_like(y))
    sewn = timed("drape", lambda: drape(welded, state, posed, collider, settings, engine, silent))
    found = timed("audit", lambda: audit(welded, sewn.state.position, posed, previous=sewn.previous))
    frames = round(sewn.state.time * settings.fps)
    print(
        f"{welded.particle_count} vertices, {frames} frames of drape, mean stretch {found.stretch.mean:.2%}"
    )


def numpy_sweep(garment: Garment, x: Floats, inverse_mass: Floats, dt: float) -> None:
    """One sweep over the weft constraints of all triangles at once: the cheapest that NumPy can do."""
    threads, t = membrane(garment), garment.triangles
    a = np.concatenate([-threads.weight[:, 0].sum(1, keepdims=True), threads.weight[:, 0]], axis=1)
    f = np.einsum("ti,tia->ta", a, x[t])
    length = np.linalg.norm(f, axis=1)
    total = (inverse_mass[t] * a**2).sum(1) + 1 / (threads.stiffness[:, 0] * dt**2)
    change = (
        ((1 - length) / (total * length))[:, None, None]
        * a[:, :, None]
        * f[:, None]
        * inverse_mass[t][:, :, None]
    )
    np.add.at(x, t, change / 6)


def constraints(size: int) -> None:
    """Print nanoseconds per constraint of the kernel and of NumPy on a square cloth."""
    garment = square_cloth(size, size)
    settings = XpbdSettings(levels=0, self_collision=False, contact_queries=1)
    solver, x = XpbdSolver(garment, settings), flat_position(garment)
    scene = Scene(None, no_contacts, np.array([0.0, 0.0, -9.81]), np.zeros(3))
    state = solver.step(State(x, np.zeros_like(x)), scene, 1 / 60)
    start = time.perf_counter()
    for _ in range(20):
        state = solver.step(state, scene, 1 / 60)
    kernel = (time.perf_counter() - start) / (20 * 20 * solver.constraint_count) * 1e9
    inverse_mass, position = 1 / particle_mass(garment), np.array(state.position)
    start = time.perf_counter()
    for _ in range(5):
        numpy_sweep(garment, position, inverse_mass, 1 / 1200)
    reference = (time.perf_counter() - start) / (5 * len(garment.triangles)) * 1e9
    print(
        f"{garment.particle_count} vertices, {solver.constraint_count} constraints: kernel {kernel:.2f} ns, "
        f"NumPy {reference:.0f} ns per constraint, ratio {reference / kernel:.0f}"
    )


if __name__ == "__main__":
    stages(float(sys.argv[1]) / 100 if len(sys.argv) > 1 else 0.015)
    for size in (32, 64, 128):
        constraints(size)
