"""The only place where time advances: one frame of cloth round a body that moves."""

from __future__ import annotations

import numpy as np

from toile.cloth.solver import Solver
from toile.collision.contacts import Collider
from toile.types import Bools, Contacts, Floats, PosedBody, Scene, State

GRAVITY = np.array([0.0, -9.81, 0.0])
STILL_AIR = np.zeros(3)
LONGEST_SKIN_STEP = 0.02
"""the skin moves at most so far between two looks at it [m]: a quarter of a forearm's thickness"""
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


def body_step_count(before: PosedBody, after: PosedBody, position: Floats) -> int:
    """Return into how many steps a frame is cut so that no fast limb passes through the cloth.

    Only skin that is or comes near the cloth (n, 3) [m] counts, and only its motion against the whole of
    it: cloth travels with a walking body.
    """
    if before is after or not len(position):
        return 1
    low, high = position.min(axis=0), position.max(axis=0)
    way = after.vertices - before.vertices
    near = np.flatnonzero(_within(before.vertices, low, high) | _within(before.vertices + way, low, high))
    if not len(near):
        return 1
    way = way[near]
    farthest = np.sqrt(((way - np.median(way, axis=0)) ** 2).sum(axis=1).max())
    return max(1, int(np.ceil(farthest / LONGEST_SKIN_STEP)))


def _within(points: Floats, low: Floats, high: Floats) -> Bools:
    return np.asarray(((points > low - NEAR) & (points < high + NEAR)).all(axis=1))


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
    count = body_step_count(before, after, state.position)
    for step in range(count):
        now = between(before, after, step / count, dt)
        scene = Scene(now, collider.at(now), gravity, wind)
        state = solver.step(state, scene, dt / count)
    return state
