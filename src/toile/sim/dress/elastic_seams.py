"""Panels round a body are sewn by the mass-spring solver itself (Vassilev & Spanlang 2001, section 1).

Forces along the seam lines pull the panels together without gravity; then the garment is welded and drapes.
"""

from __future__ import annotations

import numpy as np

from toile.core.records import ContactQuery, Floats, Garment, PosedBody, Scene, State
from toile.garment.build import weld, weld_positions
from toile.sim.dress.sew import Progress, Sewn, SewSettings, check_gaps
from toile.sim.frame.advance import STILL_AIR
from toile.sim.method import Method
from toile.sim.solvers.spring import Sewn as Pulled
from toile.sim.solvers.spring import SpringSolver

CLOSED = 0.01
"""a seam whose sides are nearer than this is closed [m]"""
MOST = 1500
"""Euler steps after which it will not close any more"""
SEAM_RATE = 25.0
"""pulled by velocities, a gap closes at this rate [1/s] …"""
SEAM_SPEED = 4.0
"""… but no faster than this [m/s]"""


def pull_shut(
    solver: SpringSolver,
    start: Floats,
    query: ContactQuery,
    body: PosedBody,
    closed: float = CLOSED,
    most: int = MOST,
) -> Pulled:
    """Return the cloth after its seams came together, or after the most steps, without gravity."""
    return solver.sew(
        State(start, np.zeros_like(start)),
        Scene(body, query, STILL_AIR, STILL_AIR),
        solver.garment.seam_uv,
        closed=closed,
        most=most,
        rate=SEAM_RATE,
        speed=SEAM_SPEED,
    )


def sewn_by_springs(
    method: Method,
    garment: Garment,
    position: Floats,
    body: PosedBody,
    settings: SewSettings,
    progress: Progress,
) -> Sewn:
    """Return the welded garment as its own springs have sewn it, not yet draped."""
    progress("sewing", 0.0)
    solver = SpringSolver(garment, method.solver_settings)
    found = pull_shut(solver, position, method.make_collider(body.body).at(body), body)
    # what stays open is told by the seam's name
    check_gaps(garment, found.state.position, max(CLOSED, settings.largest_gap))
    progress("sewing", 1.0)
    welded = weld(garment)
    start = weld_positions(garment, welded, found.state.position)
    return Sewn(welded, State(start, np.zeros_like(start), found.state.time), start)
