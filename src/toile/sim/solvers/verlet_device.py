"""Solver verlet on a graphics device: its links in an order for it, and whole steps that stay there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from toile.core.records import Floats, Ints, Scene, State
from toile.geometry.topology import colour_constraints
from toile.gpu.device import open_device
from toile.gpu.limb_maps import PartMaps
from toile.gpu.verlet import VerletCloth, grid_sweep, table_sweep
from toile.sim.solvers.edges import drift

if TYPE_CHECKING:
    from toile.sim.solvers.verlet import VerletSettings


def grid_cloth(
    rows: int, columns: int, ways: Sequence[tuple[int, int]], rest: Floats, share: Floats
) -> VerletCloth:
    """Return the cloth of a grid; ways are the links' rows and columns, rest their lengths [m], (6, n)."""
    return VerletCloth(open_device(), rows * columns, grid_sweep(rows, columns, ways, rest, share))


def mesh_cloth(count: int, edges: Ints, low: Floats, high: Floats, stiffness: float) -> VerletCloth:
    """Return the cloth of any mesh: a connectivity table by colours that share no particle."""
    colour = colour_constraints(edges, count)
    return VerletCloth(open_device(), count, table_sweep(edges, low, high, colour, stiffness))


def enqueue(cloth: VerletCloth, maps: PartMaps, settings: VerletSettings, scene: Scene, dt: float) -> None:
    """Enqueue dt seconds in substeps: maps, relaxation and contact; nothing comes back."""
    s, paper_step = settings, 0.01
    count = max(1, int(np.ceil(dt / s.substep - 1e-9)))
    h = dt / count
    for k in range(count):
        cloth.advance(
            h, s.keep ** (h / paper_step), scene.gravity, scene.wind, most=s.iterations, rounds=s.rounds,
            threshold=s.threshold, check_every=s.check_every, moving=s.moving,
            touch=maps, since=(k + 1) * h, thickness=s.thickness, travel=tuple(drift(scene)),
        )  # fmt: skip


def step(
    cloth: VerletCloth,
    maps: PartMaps,
    settings: VerletSettings,
    friction: Floats,
    state: State,
    scene: Scene,
    dt: float,
) -> tuple[State, int]:
    """Return the state dt seconds later and the sweeps of the last substep."""
    cloth.friction[:] = friction
    cloth.put(state.position, state.velocity)
    enqueue(cloth, maps, settings, scene, dt)
    position, velocity = cloth.get()
    return State(position, velocity, state.time + dt), cloth.sweeps
