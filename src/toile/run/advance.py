"""The only place where time advances: one frame of cloth round a body that moves."""

from __future__ import annotations

import numpy as np

from toile.cloth.solver import Solver
from toile.collision.contacts import Collider
from toile.types import LIMBS, Contacts, Floats, Ints, PosedBody, Scene, State

GRAVITY = np.array([0.0, -9.81, 0.0])
STILL_AIR = np.zeros(3)
LONGEST_SKIN_STEP = 0.02
"""the skin moves at most so far between two looks at it [m]: a quarter of a forearm's thickness"""
THIN_SKIN_STEP = 0.008
"""… for thin limbs [m]: a quarter of a hand's thickness"""
THIN_LIMBS = [LIMBS.index(f"{side}_{part}") for side in ("left", "right") for part in ("hand", "foot")]
NEAR = 0.05
"""skin farther than this from the box round the cloth is not looked at [m]"""


def no_contacts(position: Floats) -> Contacts:
    """Return no contact at all: cloth in empty space."""
    nothing = np.zeros((0, 3))
    return Contacts(np.zeros(0, np.int32), np.zeros(0), nothing, nothing)


def between(before: PosedBody, after: PosedBody, fraction: float, dt: float) -> PosedBody:
    """Return the body at a fraction of the way between two poses dt seconds apart."""
    way = after.vertices - before.vertices
    return PosedBody(
        body=before.body,
        vertices=before.vertices + fraction * way,
        velocity=way / dt,
        world_from_joint=after.world_from_joint,
    )


def body_step_count(before: PosedBody, after: PosedBody, state: State, dt: float) -> int:
    """Return into how many steps a frame of dt seconds is cut: no fast limb passes through the cloth.

    Only skin that is or comes near the cloth counts, and only its motion against the cloth as a whole, which
    travels with a walking body.
    """
    if before is after or not len(state.position):
        return 1
    way = after.vertices - before.vertices
    near = _near(before, way, state.position)
    if not len(near):
        return 1
    way = np.linalg.norm(way[near] - dt * np.median(state.velocity, axis=0), axis=1)
    thin = np.isin(before.body.limb[near], THIN_LIMBS)
    steps = max(way[~thin].max(initial=0.0) / LONGEST_SKIN_STEP, way[thin].max(initial=0.0) / THIN_SKIN_STEP)
    return max(1, int(np.ceil(steps)))


def _near(before: PosedBody, way: Floats, position: Floats) -> Ints:
    """Return the skin vertices that are or come near the cloth: in its box, thin limbs within NEAR of it."""
    low, high = position.min(axis=0) - NEAR, position.max(axis=0) + NEAR
    start, end = before.vertices, before.vertices + way
    boxed = ((start > low) & (start < high)).all(axis=1) | ((end > low) & (end < high)).all(axis=1)
    # a hand beside the cloth matters only when some cloth is close to it
    for limb in THIN_LIMBS:
        thin = np.flatnonzero(boxed & (before.body.limb == limb))
        if len(thin):
            reach = np.concatenate([start[thin], end[thin]])
            inside = (position > reach.min(axis=0) - NEAR) & (position < reach.max(axis=0) + NEAR)
            boxed[thin] = bool(inside.all(axis=1).any())
    return np.flatnonzero(boxed).astype(np.int32)


def advance_frame(
    solver: Solver,
    collider: Collider | None,
    state: State,
    before: PosedBody | None,
    after: PosedBody | None,
    dt: float,
    *,
    gravity: Floats = GRAVITY,
    wind: Floats = STILL_AIR,
) -> State:
    """Return the state after one frame of dt seconds, during which the body goes from before to after."""
    if collider is None or before is None or after is None:
        return solver.step(state, Scene(None, no_contacts, gravity, wind), dt)
    count = body_step_count(before, after, state, dt)
    # a solver that looks often gets the skin where it is then, not where it was when the frame began
    if before is not after:
        count = max(count, int(np.ceil(dt / getattr(solver, "longest_look", np.inf) - 1e-6)))
    for step in range(count):
        now = between(before, after, step / count, dt)
        scene = Scene(now, collider.at(now), gravity, wind)
        state = solver.step(state, scene, dt / count)
    return state
