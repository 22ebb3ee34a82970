"""A sewn garment comes to rest on a still body, with any solver and any collider.

The default engine sews, unless the method does (solver spring, sewing=elastic): pulling seams shut round a
body is no part of the other published methods. From closed seams on, the chosen method drapes by itself.
"""

from __future__ import annotations

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Garment, Ints, PosedBody, State
from toile.garment.build import weld, weld_positions
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.dress.elastic_seams import sewn_by_springs
from toile.sim.dress.sew import Progress, Sewn, SewSettings, at_rest, check_gaps, close_seams, sew, silent
from toile.sim.frame.advance import advance_frame
from toile.sim.method import Method


def sew_with(
    method: Method,
    garment: Garment,
    position: Floats,
    body: PosedBody,
    *,
    settings: SewSettings,
    progress: Progress = silent,
    fixed: Ints | None = None,
    worn: Ints | None = None,
    order: Ints | None = None,
) -> Sewn:
    """Return the garment sewn round the body and draped with the method; position (n, 3) is its start [m].

    fixed, worn and order are those of sew.
    """
    if method.is_default:
        return sew(
            garment, position, body, method.make_collider(body.body),
            settings=settings, engine=method.solver_settings, progress=progress,
            fixed=fixed, worn=worn, order=order,
        )  # fmt: skip
    if method.sews_itself:
        own = sewn_by_springs(method, garment, position, body, settings, progress)
        return settle(method, own.garment, own.state.position, body, settings=settings, progress=progress)
    engine = method.sewing_settings
    skin = SurfaceCollider(body.body)
    state = close_seams(garment, position, body, skin, settings, engine, progress, fixed, worn)
    check_gaps(garment, state.position, settings.largest_gap)
    welded = weld(garment)
    start = weld_positions(garment, welded, state.position)
    return settle(method, welded, start, body, settings=settings, time=state.time, progress=progress)


def settle(
    method: Method,
    garment: Garment,
    position: Floats,
    body: PosedBody,
    *,
    settings: SewSettings,
    time: float = 0.0,
    progress: Progress = silent,
) -> Sewn:
    """Return a sewn garment after gravity has brought it to rest; held edges stay where they are.

    Between frames the air takes a share of all motion that grows with time, as in the default drape.
    """
    solver, collider = method.make_solver(garment, position), method.make_collider(body.body)
    if len(garment.hold_particle):
        solver.pin(garment.hold_particle)
    state = State(position=position, velocity=np.zeros_like(position), time=time)
    previous, dt = position, 1 / settings.fps
    longest = max(1, round(settings.drape * settings.fps))
    for frame in range(longest):
        previous = state.position
        rate = settings.drape_drag * (1 + 8 * max(0.0, frame / longest - 0.15))
        state = advance_frame(solver, collider, _slowed(state, rate * dt), body, body, dt)
        if not np.isfinite(state.position).all():
            raise ToileError(
                f"garment {garment.name}: solver {method.solver} with collider {method.collider} blew up: "
                "choose softer settings or another solver"
            )
        progress("draping", (frame + 1) / longest)
        if frame > 0.4 * settings.fps and at_rest(state.position - previous):
            break
    progress("draping", 1.0)
    return Sewn(garment=garment, state=state, previous=previous)


def _slowed(state: State, loss: float) -> State:
    return State(
        position=state.position, velocity=np.asarray(state.velocity * np.exp(-loss)), time=state.time
    )
