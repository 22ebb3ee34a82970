"""Panels that elastic forces pull together round a body, as Vassilev & Spanlang 2001 dress people."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from toile.bench.papers.garments import Cut
from toile.bench.papers.records import clock
from toile.bench.papers.scene import Quality, quality
from toile.core.records import ContactQuery, Floats, Garment, PosedBody, Scene, State
from toile.core.units import cm
from toile.garment.build import weld, weld_positions
from toile.garment.place.place import place
from toile.sim.colliders.base import no_contacts
from toile.sim.colliders.contacts import make_collider
from toile.sim.colliders.maps import MapFrame, Maps
from toile.sim.dress.dress import dress_garments
from toile.sim.frame.advance import GRAVITY, STILL_AIR
from toile.sim.solvers.spring import Sewn, SpringSettings, SpringSolver

SEWN = 0.01
"""a seam whose sides are nearer than this is closed [m]"""
MOST = 1500
"""iterations after which it will not close any more"""
SEAM_RATE = 25.0
"""elastic forces close a gap at this rate [1/s] …"""
SEAM_SPEED = 4.0
"""… but no faster than this [m/s]"""
DRAPING = 50
"""the paper's "several more iterations" under gravity, after sewing"""
SEWING = SpringSettings(
    structural=8.0,
    shear=3.0,
    flexion=0.2,
    even_mass=True,
    contact_queries=0,
    damping=10.0,
    air=0.0,
    over_elongation="average",
    threshold=0.1,
    response="velocity",
    slide=1.0,
    grip=0.0,
)
"""soft springs and the papers' equal masses allow long steps (equation 4); without friction panels slip over
the shoulders"""
IMAGE, OBJECT = "maps", "boxes"
"""colliders in image space and in object space"""
CHOSEN = {IMAGE: SEWING, OBJECT: replace(SEWING, midpoints=False)}
"""the papers test the middles of faces in image space only"""


@dataclass(frozen=True, eq=False, slots=True)
class Dressed:
    """A garment that elastic seams have pulled shut and that has hung for a moment."""

    garment: Garment
    """welded"""
    position: Floats
    """[m], (n, 3)"""
    iterations: int
    """until the seams were closed"""
    seconds: float
    """CPU time of all iterations, sewing and draping [s]"""
    gap: float
    """widest seam before welding [m]"""

    @property
    def count(self) -> str:
        """Return the iterations, and how far the seams are open where they did not close."""
        closed = self.gap <= SEWN
        return str(self.iterations) if closed else f"{self.iterations}, open by {cm(self.gap)}"

    @property
    def per_iteration(self) -> float:
        """Return milliseconds per iteration."""
        return 1000 * self.seconds / (self.iterations + DRAPING)


def empty_maps() -> Maps:
    """Return maps of nothing: what the cloth costs without a body, in the same loop."""
    texels = np.zeros((1, 1, 2, 8), np.float32)
    texels[:, :, 0, 4], texels[:, :, 1, 4] = -np.inf, np.inf
    return Maps(MapFrame(0.0, 0.0, 1.0, 1, 1), texels, 0.02, False)


def dress_by_springs(made: Cut, body: PosedBody, collider: str, most: int = MOST) -> Dressed:
    """Return the garment sewn without gravity, then draped under it; maps and trees are made before."""
    garment = made.garment
    solver = SpringSolver(garment, CHOSEN[collider])
    query = make_collider(collider, body.body).at(body)
    start = place(garment, body.body)
    began = clock()
    sewn = sew(solver, start, query, body, SEWN, most)
    seconds = clock() - began
    welded = weld(garment)
    position = weld_positions(garment, welded, sewn.state.position)
    draping = SpringSolver(welded, CHOSEN[collider])
    began = clock()
    draped = draping.step(
        State(position, np.zeros_like(position)),
        Scene(body, query, GRAVITY, STILL_AIR),
        DRAPING * draping.longest_step,
    )
    seconds += clock() - began
    return Dressed(welded, draped.position, sewn.iterations, seconds, sewn.gap)


def sew(
    solver: SpringSolver, start: Floats, query: ContactQuery, body: PosedBody, closed: float, most: int
) -> Sewn:
    """Return the cloth after its seams came together, or after the most iterations."""
    return solver.sew(
        State(start, np.zeros_like(start)),
        Scene(body, query, STILL_AIR, STILL_AIR),
        solver.garment.seam_uv,
        closed=closed,
        most=most,
        rate=SEAM_RATE,
        speed=SEAM_SPEED,
    )


def iteration_times(
    made: Cut, body: PosedBody, collider: str, count: int, most: int = MOST
) -> tuple[float, float]:
    """Return cloth simulation and collision detection with response per iteration [ms].

    The same iterations, from panels that are sewn round the body, are run with and without it, in one loop of
    the kernel (image space) or in one of Python; the difference is what contact costs.
    """
    solver = SpringSolver(made.garment, CHOSEN[collider])
    query = make_collider(collider, body.body).at(body)
    maps = make_collider(IMAGE, body.body).at(body)
    start = sew(solver, place(made.garment, body.body), maps, body, SEWN, most).state.position

    def each(contacts: ContactQuery) -> float:
        spent = []
        for _ in range(3):
            began = clock()
            sew(solver, start, contacts, body, 0.0, count)
            spent.append((clock() - began) / count)
        return 1000 * float(np.median(spent))

    cloth = each(empty_maps())
    without = cloth if isinstance(query, Maps) else each(no_contacts)
    return cloth, max(0.0, each(query) - without)


def default_engine(made: Cut, body: PosedBody) -> tuple[float, Quality]:
    """Return how long the default engine takes to sew and drape the garment [s], and how it turned out."""
    began = clock()
    recording = dress_garments([made.garment], body.body)
    seconds = clock() - began
    return seconds, quality(recording.garment, recording.positions[-1], body)
