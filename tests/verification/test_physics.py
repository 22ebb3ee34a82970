"""The default engine against closed forms. Symbols: σ kg/m², B N·m, Y N/m, g 9.81 m/s²."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

from toile.core.records import Contacts, Edge, Fabric, Floats, Garment, Mark, Panel, Pattern, Scene, State
from toile.garment.build import build
from toile.garment.particles import particle_mass
from toile.garment.shapes import flat_position, square_cloth
from toile.sim.colliders.base import no_contacts
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

G = 9.81


def cloth_of(**figures: float) -> Fabric:
    usual = {"mass": 0.2, "stretch_warp": 1000.0, "stretch_weft": 1000.0, "shear": 400.0, "bend_warp": 1e-9,
             "bend_weft": 1e-9, "damping": 0.0}  # fmt: skip
    return Fabric("test", **{**usual, **figures})


def reference(substep: float, **more: object) -> XpbdSettings:
    """Double precision, no coarse levels: only the physics."""
    return XpbdSettings(substep=substep, precision="double", levels=0, contact_queries=1, **more)  # type: ignore[arg-type]


def space(gravity: float = G, contacts: Callable[[Floats], Contacts] = no_contacts) -> Scene:
    return Scene(None, contacts, np.array([0.0, -gravity, 0.0]), np.zeros(3))


def after(
    solver: XpbdSolver, position: Floats, seconds: float, scene: Scene, velocity: Floats | None = None
) -> State:
    state = State(position.copy(), np.zeros_like(position) if velocity is None else velocity.copy())
    for _ in range(round(seconds * 60)):
        state = solver.step(state, scene, 1 / 60)
    return state


def energies(solver: XpbdSolver, state: State, frames: int) -> tuple[float, float]:
    """Return the most of motion and height together, and of motion alone, over some frames [J]."""
    mass = particle_mass(solver.garment)
    highest, motion = -math.inf, 0.0
    for _ in range(frames):
        state = solver.step(state, space(), 1 / 60)
        kinetic = 0.5 * float(mass @ (state.velocity**2).sum(axis=1))
        highest = max(highest, kinetic + G * float(mass @ state.position[:, 1]))
        motion = max(motion, kinetic)
    return highest, motion


def test_free_fall_is_the_integrator_s_own() -> None:
    # semi-implicit Euler: after n steps y = -g dt² n (n + 1) / 2
    cloth = square_cloth(4, 4, 0.2, 0.2, cloth_of())
    start = flat_position(cloth)
    state = after(XpbdSolver(cloth, reference(1 / 600)), start, 1.0, space())
    want = -G / 600**2 * 600 * 601 / 2
    assert np.abs((state.position - start)[:, 1] / want - 1.0).max() < 1e-9
    assert np.abs((state.position - start)[:, [0, 2]]).max() < 1e-12


def test_air_slows_down_at_the_fabric_s_rate() -> None:
    # v' = -k v: after one second e^{-k}
    cloth = square_cloth(2, 2, 0.1, 0.1, cloth_of(damping=2.0))
    velocity = np.tile([1.0, 0.0, 0.0], (9, 1))
    state = after(XpbdSolver(cloth, reference(1e-4)), flat_position(cloth), 1.0, space(0.0), velocity)
    assert np.allclose(state.velocity[:, 0], math.exp(-2.0), rtol=1e-3)


@pytest.mark.parametrize("along", ["warp", "weft"])
def test_a_hanging_strip_stretches_by_its_own_weight(along: str) -> None:
    # ΔL = σ g L² / 2 Y
    stiff = {"stretch_warp": 3000.0, "stretch_weft": 3000.0, f"stretch_{along}": 1000.0}
    cloth = square_cloth(1, 10, 0.1, 1.0, cloth_of(damping=5.0, **stiff))
    if along == "weft":
        cloth = square_cloth(10, 1, 1.0, 0.1, cloth_of(damping=5.0, **stiff))
    across, down = (cloth.uv[:, 1], cloth.uv[:, 0]) if along == "weft" else (cloth.uv[:, 0], cloth.uv[:, 1])
    start = np.stack([across, down, np.zeros(len(down))], axis=1)
    solver = XpbdSolver(cloth, reference(5e-5))
    solver.pin(np.flatnonzero(down > 1.0 - 1e-9).astype(np.int32))
    state = after(solver, start, 2.0, space())
    longer = (start - state.position)[down < 1e-9, 1].mean()
    assert longer == pytest.approx(0.2 * G * 1.0 / (2 * 1000.0), rel=0.015)


@pytest.mark.parametrize("ratio", [1.2, 1.5, 2.0])
def test_a_slack_strip_hangs_in_a_catenary(ratio: float) -> None:
    # length = 2 a sinh(d / 2a), sag = a (cosh(d / 2a) - 1)
    span, rows = 0.5, 30
    cloth = square_cloth(
        1, rows, 0.03, ratio * span, cloth_of(damping=4.0, stretch_warp=2e4, stretch_weft=2e4, shear=5e3)
    )
    u = cloth.uv[:, 1] / (ratio * span)
    depth = 0.5 * span * math.sqrt(ratio**2 - 1)
    start = np.stack([cloth.uv[:, 0], -depth * (1 - np.abs(2 * u - 1)), span * u], axis=1)
    solver = XpbdSolver(cloth, reference(1e-4))
    solver.pin(np.flatnonzero((u < 1e-9) | (u > 1 - 1e-9)).astype(np.int32))
    state = after(solver, start, 3.0, space())
    a = brentq(lambda a: 2 * a * math.sinh(span / 2 / a) - ratio * span, 0.02, 10.0)
    assert -state.position[:, 1].min() == pytest.approx(a * (math.cosh(span / 2 / a) - 1), rel=0.005)


def strip(width: float, edge: float, rows: int, fabric: Fabric, *, regular: bool) -> tuple[Garment, Floats]:
    """A strip along z from -2 to `rows` edges, with a row of vertices at 0 and one edge before."""
    height = (rows + 2) * edge
    if regular:
        cloth = square_cloth(max(2, round(width / edge)), rows + 2, width, height, fabric)
    else:
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]])
        lines = tuple(Mark("internal", np.array([[0, k * edge], [width, k * edge]])) for k in (1, 2))
        sides = tuple(Edge(i, (i + 1) % 4) for i in range(4))
        cloth = build(Pattern("strip", (Panel("strip", corners, sides, marks=lines),)), fabric, edge)
    u, v = cloth.uv.T
    return cloth, np.stack([u, np.zeros(len(u)), v - 2 * edge], axis=1)


def drop_over_reach(
    gamma: float,
    rows: int,
    rigidity: float = 1e-3,
    mass: float = 0.12,
    settings: XpbdSettings | None = None,
    *,
    regular: bool,
) -> float:
    """Cantilever with Γ = σ g L³ / B. Pinned up to z = 0, the strip is clamped half an edge before."""
    length = (gamma * rigidity / (mass * G)) ** (1 / 3)
    edge = length / (rows + 0.5)
    fabric = cloth_of(
        mass=mass, bend_warp=rigidity, bend_weft=rigidity, stretch_warp=4e4, stretch_weft=4e4, shear=1.3e4,
        damping=6.0,
    )  # fmt: skip
    cloth, start = strip(0.1, edge, rows, fabric, regular=regular)
    solver = XpbdSolver(cloth, settings or reference(5e-5))
    solver.pin(np.flatnonzero(start[:, 2] < 1e-9).astype(np.int32))
    state = after(solver, start, 2.5, space())
    _, y, z = state.position[start[:, 2] > start[:, 2].max() - 1e-9].mean(axis=0)
    return float(-y / (z + 0.5 * edge))


TRUTH = {5: 0.5857, 10: 1.0668, 50: 3.7056}
"""drop / reach of θ'' = -Γ (1 - s) cos θ, θ(0) = 0, θ'(1) = 0"""


@pytest.mark.parametrize("gamma", [10, 50])
@pytest.mark.parametrize("regular", [True, False], ids=["grid", "triangles"])
def test_a_cantilever_strip_bends_as_theory_says(gamma: int, regular: bool) -> None:
    # measured: -2.0, +3.9 % (Γ = 10) and -3.0, +2.4 % (Γ = 50)
    assert drop_over_reach(gamma, 16, regular=regular) == pytest.approx(TRUTH[gamma], rel=0.05)


@pytest.mark.parametrize("regular", [True, False], ids=["grid", "triangles"])
def test_half_as_many_elements_still_come_near(regular: bool) -> None:
    # measured -8.1 and +0.1 %
    assert drop_over_reach(10, 8, regular=regular) == pytest.approx(TRUTH[10], rel=0.10)


def sliding(slope: float, friction: float, settings: XpbdSettings | None = None) -> float:
    """How far a small cloth slides down a plane in one second [m]."""
    cloth = square_cloth(4, 4, 0.1, 0.1, cloth_of(friction=friction))
    normal = np.array([0.0, math.cos(slope), math.sin(slope)])
    down = np.array([0.0, -math.sin(slope), math.cos(slope)])
    start = cloth.uv[:, :1] * [1.0, 0.0, 0.0] + cloth.uv[:, 1:] * down + 0.002 * normal

    def plane(position: Floats) -> Contacts:
        count = len(position)
        return Contacts(
            np.arange(count, dtype=np.int32),
            position @ normal,
            np.tile(normal, (count, 1)),
            np.zeros((count, 3)),
        )

    solver = XpbdSolver(cloth, settings or reference(1 / 1200, thickness=0.002))
    state = after(solver, start, 1.0, space(contacts=plane))
    return float(((state.position - start) @ down).mean())


@pytest.mark.parametrize(("slope", "friction"), [(0.5, 0.3), (0.3, 0.1), (0.35, 0.0)])
def test_cloth_slides_down_an_incline(slope: float, friction: float) -> None:
    # x = ½ g (sin α - μ cos α) t²
    want = 0.5 * G * (math.sin(slope) - friction * math.cos(slope))
    assert sliding(slope, friction) == pytest.approx(want, rel=0.005)


def test_it_starts_to_slip_at_the_angle_of_friction() -> None:
    # slips if and only if tan α > μ
    assert abs(sliding(math.atan(0.3) * 0.99, 0.3)) < 1e-6
    assert sliding(math.atan(0.3) * 1.01, 0.3) > 0.005


def test_momentum_is_kept_in_free_flight() -> None:
    cloth = square_cloth(6, 5, 0.3, 0.25, cloth_of(bend_warp=1e-5, bend_weft=1e-5))
    rng = np.random.default_rng(3)
    start = flat_position(cloth) + rng.normal(0, 0.002, (42, 3))
    velocity = rng.normal(0, 0.3, (42, 3)) + np.array([0.5, 0.2, -0.1])
    mass = particle_mass(cloth)[:, None]
    state = after(XpbdSolver(cloth, reference(1e-3)), start, 1.0, space(0.0), velocity)
    before, now = (mass * velocity).sum(axis=0), (mass * state.velocity).sum(axis=0)
    assert np.abs(now - before).max() / np.linalg.norm(before) < 1e-9
    centre = ((mass * state.position).sum(axis=0) - (mass * start).sum(axis=0)) / mass.sum()
    assert np.allclose(centre, before / mass.sum(), rtol=1e-9, atol=1e-12)


def test_spin_dies_down_slowly_and_never_grows() -> None:
    cloth = square_cloth(6, 6, 0.3, 0.3, cloth_of(bend_warp=1e-5, bend_weft=1e-5))
    start = flat_position(cloth) - [0.15, 0.15, 0.0]
    velocity = np.stack([-start[:, 1], start[:, 0], np.zeros(49)], axis=1) * 2.0
    mass = particle_mass(cloth)[:, None]
    state = after(XpbdSolver(cloth, reference(1e-4)), start, 1.0, space(0.0), velocity)
    before, now = (
        (mass * np.cross(p, v)).sum(axis=0)[2]
        for p, v in ((start, velocity), (state.position, state.velocity))
    )
    assert now == pytest.approx(before, rel=0.01)


def test_a_swinging_cloth_never_gains_energy() -> None:
    # elastic energy is never negative, so motion + height can only be less than at the start
    cloth = square_cloth(8, 8, 0.3, 0.3, cloth_of(bend_warp=1e-5, bend_weft=1e-5))
    u, v = cloth.uv.T
    state = State(np.stack([u, np.zeros(len(u)), v], axis=1), np.zeros((len(u), 3)))
    solver = XpbdSolver(cloth, reference(2.5e-4))
    solver.pin(np.array([0, 8], dtype=np.int32))
    scale = particle_mass(cloth).sum() * G * 0.3
    highest, motion = energies(solver, state, 120)
    assert highest <= 1e-6 * scale
    assert motion > 0.3 * scale, "and it does swing"
