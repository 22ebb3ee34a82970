"""One frame of cloth round a body that moves, with any solver and any collider."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from toile._kernels import between as points_between
from toile._kernels import body_steps as kernel_steps
from toile.core.choices import check_derived
from toile.core.records import LIMBS, Floats, PosedBody, Scene, State
from toile.sim.colliders.base import Collider, no_contacts
from toile.sim.solvers.base import Solver

GRAVITY = np.array([0.0, -9.81, 0.0])
STILL_AIR = np.zeros(3)
THIN_LIMBS = [LIMBS.index(f"{side}_{part}") for side in ("left", "right") for part in ("hand", "foot")]
THIN_NUMBER = np.full(len(LIMBS), -1, np.int32)
THIN_NUMBER[THIN_LIMBS] = np.arange(len(THIN_LIMBS))
"""of each limb: the number of a thin one, -1: broad, (l,)"""


def between(before: PosedBody, after: PosedBody, fraction: float, velocity: Floats) -> PosedBody:
    """Return the body at a fraction of the way between two poses, its skin moving with a velocity [m/s]."""
    if fraction == 0.0:
        return PosedBody(before.body, before.vertices, velocity, after.world_from_joint)
    vertices = points_between(before.vertices, after.vertices, fraction)
    return PosedBody(before.body, vertices, velocity, after.world_from_joint)


class BodySteps(NamedTuple):
    """Into how many steps a frame is cut."""

    searches: int
    broad: int
    """of them for broad limbs; thin ones alone ask for the others"""
    velocity: Floats
    """of the skin [m/s], (n, 3)"""
    near_thin: Floats
    """boxes of cloth that thin limbs may touch in this frame: low and high corners [m], (k, 2, 3)"""
    steps: list[tuple[float, float, float, float, bool]]
    """of each: share of the way between the poses where the skin is looked for; its length [s]; how long near
    cloth that is found now is gone on with [s]; time since the skin was searched as a whole [s], and whether
    contacts are followed from then"""


def body_steps(
    before: PosedBody,
    after: PosedBody,
    state: State,
    dt: float,
    longest_contact_step: float = math.inf,
    followed_updates: int = 1,
) -> BodySteps:
    """Return into how many steps a frame of dt seconds is cut.

    No fast limb passes through the cloth. Only skin that is or comes near the cloth counts (thin limbs: near
    some of it), and only its motion against the cloth as a whole, which travels with a walking body.
    """
    found = kernel_steps(
        before.vertices,
        after.vertices,
        np.asarray(before.body.limb, np.int32),
        THIN_NUMBER,
        state.position,
        state.velocity,
        dt,
        longest_contact_step,
        followed_updates,
    )
    return BodySteps(*found)


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
    """Return the state after one frame of dt seconds, during which the body goes from before to after.

    This is the frame of any solver with any collider; the default ones walk within the engine
    (engine/frame/walker.h), by the same steps.
    """
    if collider is None or before is None or after is None:
        return solver.step(state, Scene(None, no_contacts, gravity, wind), dt)
    check_derived(solver, Solver)
    check_derived(collider, Collider)
    followed = solver.followed_updates if collider.follows else 1
    plan = body_steps(before, after, state, dt, solver.longest_contact_step, followed)
    for share, length, watch, since, follow in plan.steps:
        now = between(before, after, share, plan.velocity)
        query = collider.meanwhile(now, since, plan.near_thin) if follow else collider.at(now)
        state = solver.step(state, Scene(now, query, gravity, wind, watch), length)
    return state
