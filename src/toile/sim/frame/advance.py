"""The only place where time advances: one frame of cloth round a body that moves."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from toile._kernels import between as points_between
from toile._kernels import skin_travel
from toile.core.choices import check_derived
from toile.core.records import LIMBS, Floats, PosedBody, Scene, State
from toile.sim.colliders.base import Collider, no_contacts
from toile.sim.solvers.base import Solver

GRAVITY = np.array([0.0, -9.81, 0.0])
STILL_AIR = np.zeros(3)
LONGEST_SKIN_STEP = 0.02
"""the skin moves at most so far between two looks at it [m]: a quarter of a forearm's thickness"""
THIN_SKIN_STEP = 0.012
"""… for thin limbs [m]: two fifths of a hand's thickness"""
THIN_LIMBS = [LIMBS.index(f"{side}_{part}") for side in ("left", "right") for part in ("hand", "foot")]
_THIN_NUMBER = np.full(len(LIMBS), -1, np.int32)
_THIN_NUMBER[THIN_LIMBS] = np.arange(len(THIN_LIMBS))
LOOKS = 3
"""near cloth is searched for once in so many looks at the skin, and at the start of each frame"""
NEAR = 0.05
"""skin farther than this from the box round the cloth is not looked at [m]"""


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


def body_steps(before: PosedBody, after: PosedBody, state: State, dt: float) -> BodySteps:
    """Return into how many steps a frame of dt seconds is cut.

    No fast limb passes through the cloth. Only skin that is or comes near the cloth counts (thin limbs: near
    some of it), and only its motion against the cloth as a whole, which travels with a walking body.
    """
    if before is after or not len(state.position):
        return BodySteps(1, 1, (after.vertices - before.vertices) / dt, np.zeros((0, 2, 3)))
    broad, thin, velocity, boxes = skin_travel(
        before.vertices,
        after.vertices,
        np.asarray(before.body.limb, np.int32),
        _THIN_NUMBER,
        state.position,
        state.velocity,
        dt,
        NEAR,
    )
    wide = max(1, math.ceil(broad / LONGEST_SKIN_STEP))
    return BodySteps(max(wide, math.ceil(thin / THIN_SKIN_STEP)), wide, velocity, boxes)


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
    check_derived(solver, Solver)
    check_derived(collider, Collider)
    searches, broad, velocity, near_thin = body_steps(before, after, state, dt)
    # a solver that looks often gets the skin where it is then, not where it was when the frame began
    often = math.ceil(dt / solver.longest_look - 1e-6) if before is not after else 1
    count = max(searches, often)
    # hardly any skin comes near before the next search that was too far: contacts are followed meanwhile
    followed = solver.followed_looks if collider.follows else 1
    period = min(count // searches, followed)
    watched = searched = 0
    for step in range(0, count, period):
        now = between(before, after, step / count, velocity)
        # a swinging hand asks for more searches than the rest: these are for the cloth near it
        if followed > 1 and 0 < step < searched + count // broad:
            query = collider.meanwhile(now, (step - searched) * dt / count, near_thin)
        else:
            query, searched = collider.at(now), step
        taken = min(period, count - step)
        watch = 0.0
        if step + taken > watched:
            watched = step + max(LOOKS, taken)
            watch = dt / count * min(watched - step, count - step)
        state = solver.step(state, Scene(now, query, gravity, wind, watch), taken * dt / count)
    return state
