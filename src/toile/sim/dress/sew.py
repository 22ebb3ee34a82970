"""From flat panels round a body to a sewn garment at rest.

The seams shrink shut over simulated time without gravity, are welded, and gravity drapes the garment. A
closed gap proves nothing (a sleeve beside its arm closes too), so success is judged by audit/check.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from toile.audit.check import STILL
from toile.body.model.slipping import coming_out, narrow_ends
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, Ints, PosedBody, State
from toile.core.units import cm
from toile.core.work import may_go_on
from toile.garment.build import panel_coordinates, seam_gaps, weld, weld_positions
from toile.garment.particles import mean_of_each, sewn_labels
from toile.garment.place.limb_axes import heights
from toile.sim.colliders.base import Collider
from toile.sim.colliders.creases import CreaseMemory
from toile.sim.colliders.shapes import CombinedColliders, floor
from toile.sim.dress.open_seams import OpenSeam, open_seams, without_open
from toile.sim.dress.pinched_particles import PinchedParticles
from toile.sim.dress.watch import show
from toile.sim.frame.advance import GRAVITY, STILL_AIR, advance_frame
from toile.sim.frame.repair import Repair, Repaired
from toile.sim.solvers.xpbd import AT_ONCE, XpbdSettings, XpbdSolver, mean_speed, rubbing_drag

FIRST_REPAIRS = 6
"""repairs before held edges are fixed, at most"""
REPAIR_EVERY = 3
"""frames between two repairs while the garment falls"""
KEEPING = 0.5
"""share of the way back that a held edge goes in a frame"""
KEEPING_STEP = 0.003
"""… but not farther than this [m]: the cloth below a held edge must be able to follow"""
LIFT_STEP = 0.006
"""how far a garment is lifted in a frame, at most [m]"""
SLIP = (-0.01, 0.035)
"""how far a held edge may slip from its height, down and up [m]; held down too firmly a band turns over"""
NEAR_ENDS = 0.05
"""cloth that begins nearer than this to a narrow hand or foot lies round it or is caught by it [m]"""
COMING_OUT = 0.5
"""hands and feet come out in this share of the time in which seams close"""
SOLE = 0.02
"""thickness of a shoe's sole [m]: the floor is so far below bare feet, and a long hem has room under them"""
SHUT = 0.005
"""the sides of a seam that are nearer than this to its middle move alike [m]"""
RISE = 0.015
"""cloth that rises farther than this while seams close feels its weight [m]"""
SMOOTHING = 10.0
"""how strongly what hangs below the waist is drawn to the legs while another garment closes over it [m/s²]"""
CALM = 2
"""so many frames at rest, one after the other, end the drape"""
NONE = np.zeros(0, dtype=np.int32)
Progress = Callable[[str, float], object]
"""called with what is being done and how far it is, 0 … 1"""


def silent(what: str, done: float) -> None:
    """Show no progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SewSettings:
    """Settings of sewing and draping."""

    closing: float = 0.8
    """time in which the seams close [s]; under 0.5 s panels are torn past the body"""
    relax: float = 0.2
    """time that held edges get to find their length again after the seams are welded [s]"""
    drape: float = 2.5
    """longest time that gravity gets to bring the garment to rest [s]"""
    fps: float = 60.0
    """frames a second"""
    closing_drag: float = 8.0
    """how fast motion dies down while the seams close [1/s]"""
    drape_drag: float = 2.0
    """how fast motion dies down while the garment drapes; it grows with time [1/s]"""
    slip: float = 0.4
    """time in which the garment slips into place without friction [s]"""
    substep: float = 1 / 800
    """longest substep while sewing and draping [s]; twice as long ones leave twice the stretch"""
    largest_gap: float = 0.02
    """a seam that is still open by more cannot be welded [m]"""
    repair_frames: int = 120
    """longest that the drape goes on after that, until nothing crosses and all is at rest [frames]"""

    def __post_init__(self) -> None:
        if self.closing < 0.1 or self.drape < 0 or self.fps < 1:
            raise ToileError("sewing needs closing ≥ 0.1 s, drape ≥ 0 s and fps ≥ 1")


@dataclass(frozen=True, eq=False, slots=True)
class Sewn:
    """A garment on a body."""

    garment: Garment
    """welded"""
    state: State
    previous: Floats
    """positions one frame earlier [m], (n, 3)"""
    open_seams: tuple[OpenSeam, ...] = ()
    """what did not close; the rest is sewn"""


def sew(
    garment: Garment,
    position: Floats,
    body: PosedBody,
    collider: Collider,
    *,
    settings: SewSettings | None = None,
    engine: XpbdSettings | None = None,
    progress: Progress = silent,
    fixed: Ints | None = None,
    worn: Ints | None = None,
    order: Ints | None = None,
) -> Sewn:
    """Return the garment sewn round the body and draped; position (n, 3) is where its panels start [m].

    fixed are particles that stay where they are while the seams close, worn those of garments that hang on
    the body already. order are layers of the garments (g,) by which only the last repairs go, if they are not
    to count before (see sim/dress/dress.py).
    """
    # gathers and seams that close stretch edges unevenly for a while, by far more than evening is made for;
    # cloth that meets itself as it falls into place is braked anyhow, and must not be left too near
    engine = replace(engine or XpbdSettings(), evening=0.0, apart=AT_ONCE)
    settings = settings or SewSettings()
    state = close_seams(garment, position, body, collider, settings, engine, progress, fixed, worn)
    left_open = open_seams(garment, state.position, settings.largest_gap, body.body)
    welded = weld(without_open(garment, state.position, settings.largest_gap) if left_open else garment)
    start = weld_positions(garment, welded, state.position)
    still = State(position=start, velocity=np.zeros_like(start), time=state.time)
    fixed = welded_points(garment, welded, fixed if fixed is not None else NONE)
    still = _relaxed(welded, still, body, collider, settings, engine, fixed)
    parted = _parted(welded, still, body, collider, fixed)
    sewn = drape(welded, parted, body, collider, settings, engine, progress, fixed, order)
    if not left_open:
        return sewn
    # seams that stay open are seams all the same: the audit measures them
    whole = replace(sewn.garment, seam_uv=garment.seam_uv, seam_id=garment.seam_id)
    return replace(sewn, garment=whole, open_seams=left_open)


def welded_points(garment: Garment, welded: Garment, points: Ints) -> Ints:
    """Return the particles of a welded garment that these particles of the unsewn one have become."""
    label = np.zeros(garment.particle_count, dtype=np.int32)
    label[garment.uv_particle] = welded.uv_particle
    return np.unique(label[points])


def _relaxed(
    garment: Garment,
    state: State,
    body: PosedBody,
    collider: Collider,
    settings: SewSettings,
    engine: XpbdSettings,
    fixed: Ints,
) -> State:
    """Return the state after the cloth beside the seams has found its length again: held edges stay so.

    Welding puts the last millimetres of every seam into the edges beside it. Where a band is tight the coarse
    limits leave it so: they would pull a waist of many pleats to and fro.
    """
    if not len(garment.hold_particle):
        return state
    slow = replace(engine, drag=engine.drag + settings.closing_drag, substep=settings.substep)
    solver, kept = XpbdSolver(garment, slow, worn=state.position), _KeptHeights(garment, fixed)
    if len(fixed):
        solver.pin(fixed)
    solver.set_friction(0.0)
    for _ in range(round(settings.relax * settings.fps)):
        may_go_on("sewing")
        state = advance_frame(
            solver, collider, state, body, body, 1 / settings.fps, gravity=STILL_AIR, wind=STILL_AIR
        )
        state = kept(state)
        _check_finite(garment, state)
    return replace(state, velocity=np.zeros_like(state.velocity))


def _parted(garment: Garment, state: State, body: PosedBody, collider: Collider, fixed: Ints) -> State:
    """Return the state without crossings, as far as that goes: held edges are fixed for good after this."""
    if not len(garment.hold_particle):
        return state
    repair = _repair(garment, state, collider, fixed=fixed)
    for _ in range(FIRST_REPAIRS):
        may_go_on("sewing")
        state = repair(state, body)
        if not repair.last.left:
            break
    return state


def open_pairs(garment: Garment) -> Ints:
    """Return the pairs of particles that are still to be sewn together, (s, 2)."""
    pairs = garment.uv_particle[garment.seam_uv]
    return np.asarray(pairs[pairs[:, 0] != pairs[:, 1]])


def close_seams(
    garment: Garment,
    position: Floats,
    body: PosedBody,
    collider: Collider,
    settings: SewSettings,
    engine: XpbdSettings,
    progress: Progress,
    fixed: Ints | None = None,
    worn: Ints | None = None,
) -> State:
    """Return the state in which all seams have been pulled shut; only what is worn already feels gravity."""
    pairs = open_pairs(garment)
    gap = np.linalg.norm(position[pairs[:, 0]] - position[pairs[:, 1]], axis=1)
    slow = replace(
        engine, drag=engine.drag + settings.closing_drag, substep=settings.substep, contact_queries=1
    )
    dressed = worn is not None
    solver = XpbdSolver(garment, slow, seams=pairs, seam_gap=gap, worn=position if dressed else None)
    held = NONE if fixed is None else fixed
    if len(held):
        solver.pin(held)
    kept, hangs = _KeptHeights(garment, fixed), np.setdiff1d(NONE if worn is None else worn, held)
    solver.set_friction(0.0)  # otherwise the cloth sticks where it touches first and stretches unevenly
    state = State(position=position, velocity=np.zeros_like(position))
    repair = _repair(garment, state, collider, fixed=held)
    closing = round(settings.closing * settings.fps)
    settling = max(1, round(0.15 * settings.fps))  # for the cloth to follow the last millimetres
    bodies, sides = _slipped_in(body, position, closing, settling), _Sides(garment)
    frames = len(bodies) - 1
    for frame in range(frames):
        solver.close_seams(max(0.0, 1 - (frame + 1) / closing))
        state = _smoothed_down(state, hangs, body.body, 1 / settings.fps)
        state = _sunk(state, position, body.body, 1 / settings.fps)
        before, after = bodies[frame], bodies[frame + 1]
        state = advance_frame(
            solver, collider, state, before, after, 1 / settings.fps, gravity=STILL_AIR, wind=STILL_AIR
        )
        state = kept(state)
        _check_finite(garment, state)
        # A fold of what is worn that comes through must go back while it is small. Other cloth is parted now
        # and then while seams shut, and then in every frame until it is: crumpled sleeves take cuffs along.
        due = frame >= closing // 2 and frame % REPAIR_EVERY == REPAIR_EVERY - 1
        if dressed or due or repair.last.left:
            state = sides.together(state, repair(state, after))
        progress("sewing", (frame + 1) / frames)
        show(garment, state.position)
    return state


def _slipped_in(body: PosedBody, position: Floats, closing: int, settling: int) -> list[PosedBody]:
    """Return the body at the beginning and the end of each frame while seams close.

    Where cloth begins near hands or feet, they slip in made narrow and come out when the seams are shut: a
    sleeve that reaches them closed beside the thumb, a trouser leg behind the toes.
    """
    narrow = narrow_ends(body.body, body.vertices)
    moved = narrow[(narrow != body.vertices).any(axis=1)]
    near = cKDTree(position).query(moved, distance_upper_bound=NEAR_ENDS)[0] if len(moved) else np.inf
    if not np.isfinite(near).any():
        return [body] * (closing + settling + 1)
    opening = max(settling, round(COMING_OUT * closing))
    poses = [coming_out(body.body, body.vertices, done) for done in np.arange(opening) / opening]
    opens = [replace(body, vertices=vertices) for vertices in poses]
    return [opens[0]] * closing + opens + [body]


class _Sides:
    """The two sides of seams that are not welded yet, while repairs part what crosses."""

    def __init__(self, garment: Garment) -> None:
        self._label = sewn_labels(garment)
        self._sewn = np.bincount(self._label)[self._label] > 1

    def together(self, before: State, after: State) -> State:
        """Return the repaired state, in which both sides of a seam that was shut have moved alike.

        A repair moves one side only, away from what lies under it; the seam would gape again.
        """
        moved = after.position - before.position
        if not moved[self._sewn].any():
            return after
        middle = self._mean(before.position)
        far = np.linalg.norm(before.position - middle, axis=1)
        open_ = np.zeros(len(far), dtype=bool)
        open_[self._label[far > SHUT]] = True
        shut = self._sewn & ~open_[self._label]
        together = before.position + self._mean(moved)
        return replace(after, position=np.where(shut[:, None], together, after.position))

    def _mean(self, values: Floats) -> Floats:
        """Return the mean of values (n, 3) over the particles that are sewn together, for each of them."""
        return np.asarray(mean_of_each(self._label, values, len(values))[self._label])


def _smoothed_down(state: State, hangs: Ints, body: Body, dt: float) -> State:
    """Return the state after dt seconds in which these particles fall and are smoothed down below the waist.

    A wearer does so with both hands: a fold of a skirt that stands out would be caught in the open side seam
    of the jacket that closes over it.
    """
    if not len(hangs):
        return state
    pull = np.tile(GRAVITY, (len(hangs), 1))
    away = state.position[hangs] - body.vertices.mean(axis=0)
    away[:, 1] = 0.0
    low = state.position[hangs, 1] < heights(body)["waist"]
    far = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 0.05)
    pull[low] -= SMOOTHING * (away / far)[low]
    velocity = state.velocity.copy()
    velocity[hangs] += dt * pull
    return replace(state, velocity=velocity)


def _sunk(state: State, start: Floats, body: Body, dt: float) -> State:
    """Return the state after dt seconds in which what rises below the hips feels its weight.

    Closing seams flick the corners of hems up; weightless they would stay there, folded over. Higher up a
    garment may have to rise to where it belongs.
    """
    height = state.position[:, 1]
    weight = np.clip((height - start[:, 1]) / RISE - 1.0, 0.0, 3.0) * (height < heights(body)["hip"])
    if not weight.any():
        return state
    return replace(state, velocity=state.velocity + dt * weight[:, None] * GRAVITY)


class _KeptHeights:
    """Held edges of drafted garments stay near the height they were drafted for, until they are fixed.

    Without friction a waistband would slip down a belly that narrows below it, or up from hips that widen.
    Where much cloth goes inwards to a small edge, as in a pleated skirt, it draws that edge along: then the
    garment is lifted as a whole, as its wearer would pull it up.
    """

    def __init__(self, garment: Garment, fixed: Ints | None) -> None:
        height, particle = drafted_heights(garment), garment.hold_particle
        held = np.isfinite(height[particle])
        free = np.ones(garment.particle_count, dtype=bool)
        free[NONE if fixed is None else fixed] = False
        self.particle = particle[held & free[particle]]
        self.height = height[self.particle]
        owner = garment.particle_garment
        self._garments = [
            (np.flatnonzero(owner[self.particle] == g), np.flatnonzero((owner == g) & free))
            for g in np.unique(owner[self.particle])
        ]

    def _lifted(self, height: Floats) -> Floats:
        """Return the heights of all particles after each garment was lifted by what its edge sinks [m]."""
        for edge, whole in self._garments:
            sinks = (height[self.particle[edge]] - self.height[edge]).mean() - SLIP[0]
            if sinks < 0.0:
                height[whole] += min(-KEEPING * sinks, LIFT_STEP)
        return height

    def __call__(self, state: State) -> State:
        """Return the state with held edges that slipped nearer to their heights."""
        if not len(self.particle):
            return state
        position, velocity = state.position.copy(), state.velocity.copy()
        position[:, 1] = self._lifted(position[:, 1].copy())
        off = position[self.particle, 1] - self.height
        beyond = off - np.clip(off, *SLIP)
        slipped = self.particle[beyond != 0.0]
        back = KEEPING * beyond[beyond != 0.0]
        position[slipped, 1] -= np.clip(back, -KEEPING_STEP, KEEPING_STEP)
        velocity[slipped, 1] = 0.0
        return replace(state, position=position, velocity=velocity)


def drafted_heights(garment: Garment) -> Floats:
    """Return the height above the floor that each particle was drafted for [m], (n,); NaN: unknown."""
    panels = [(panel, pattern) for pattern in garment.patterns for panel in pattern.panels]
    height = np.full(garment.particle_count, np.nan)
    if len(panels) != len(garment.panel_names):
        return height
    known = [p.placement.translation[1] if p.placement and w.origin == "body" else np.nan for p, w in panels]
    height[garment.uv_particle] = np.array(known)[garment.uv_panel] + panel_coordinates(garment)[:, 1]
    return height


def drape(
    garment: Garment,
    state: State,
    body: PosedBody,
    collider: Collider,
    settings: SewSettings,
    engine: XpbdSettings,
    progress: Progress,
    fixed: Ints,
    order: Ints | None = None,
) -> Sewn:
    """Return the welded garment after gravity has brought it to rest; held edges stay where they are.

    A held edge that still crosses something near the end is moved off it, but not what is fixed; garments are
    then parted by their order (see sew).
    """
    loose = replace(engine, substep=settings.substep, contact_queries=1)
    solver = XpbdSolver(garment, loose, worn=state.position)
    if len(garment.hold_particle):
        solver.pin(garment.hold_particle)
    repair, clean = _repair(garment, state, collider, fixed=garment.hold_particle), True
    pinched = PinchedParticles(solver, garment.particle_count, garment.hold_particle)
    longest = max(1, round(settings.drape * settings.fps))
    ground = floor(float(body.vertices[:, 1].min()) - SOLE)
    around = CombinedColliders([CreaseMemory(collider, garment.particle_count).at, ground.at])
    previous, calm = state.position, 0
    slips = _slip_times(garment, state.position, body.body, settings.slip)
    for frame in range(longest + settings.repair_frames):
        previous = state.position
        # the garment slips into place first, then friction holds it and it comes quickly to rest
        solver.set_friction((frame >= slips * settings.fps).astype(np.float64))
        hurry = 1 + 8 * min(max(0.0, frame / longest - 0.15), 0.85)
        late = 1 + 4 * max(0.0, frame / longest - 1)
        rubbing = rubbing_drag(mean_speed(state.velocity))
        solver.set_drag(engine.drag + settings.drape_drag * hurry * late + rubbing)
        state = advance_frame(solver, around, state, body, body, 1 / settings.fps, gravity=GRAVITY)
        _check_finite(garment, state)
        progress("draping", (frame + 1) / (longest + settings.repair_frames))
        show(garment, state.position)
        # what crosses is parted now and then, and at every frame near the end
        if calm or frame >= longest or frame % REPAIR_EVERY == REPAIR_EVERY - 1:
            if frame == longest and not clean:
                layer = garment.garment_layer if order is None else order
                ordered = replace(garment, garment_layer=layer)
                repair = _repair(ordered, state, collider, fixed=fixed)
            pulled, state = state, repair(state, body)
            clean = not repair.last.left
            if frame >= longest:
                state = pinched.watch(pulled, state, clean)
        rests = frame > (settings.slip + 0.3) * settings.fps and at_rest(state.position - previous)
        calm = calm + 1 if rests else 0
        if calm > CALM and clean:
            break
    progress("draping", 1.0)
    return Sewn(garment=garment, state=state, previous=previous)


def _slip_times(garment: Garment, position: Floats, body: Body, slip: float) -> Floats:
    """Return how long each particle slides without friction [s], (n,).

    What hangs from the waist is held by nothing but friction: it gets a quarter of the time.
    """
    waist = heights(body)["waist"] + 0.06
    top = np.full(len(garment.garment_names), -np.inf)
    np.maximum.at(top, garment.particle_garment, position[:, 1])
    return np.asarray(np.where(top < waist, 0.25 * slip, slip)[garment.particle_garment])


class _NoRepair:
    """Colliders without an exact surface leave the state as it is."""

    last = Repaired()

    def __call__(self, state: State, body: PosedBody) -> State:
        return state


def _repair(garment: Garment, state: State, collider: Collider, *, fixed: Ints) -> Repair | _NoRepair:
    if collider.skin is None:
        return _NoRepair()
    return Repair(garment, collider.skin, state.position, fixed)


def check_gaps(garment: Garment, position: Floats, largest_gap: float) -> None:
    """Refuse to weld a seam that did not close, naming it."""
    gap = seam_gaps(garment, position)
    if gap.max(initial=0.0) <= largest_gap:
        return
    worst = int(gap.argmax())
    panels = " and ".join(garment.panel_names[garment.uv_panel[p]] for p in garment.seam_uv[worst])
    name = garment.seam_names[garment.seam_id[worst]]
    raise ToileError(
        f"garment {garment.name}: seam {name} between panels {panels} stays open by "
        f"{cm(gap[worst])}: is the body in the way, the seam reversed, or the garment too small? "
        "Try another placement or size"
    )


def at_rest(step: Floats) -> bool:
    """Say whether nearly all particles moved less than they may at rest in one frame's step [m], (n, 3)."""
    return bool(((step**2).sum(axis=1) < STILL**2).mean() > 0.997)


def _check_finite(garment: Garment, state: State) -> None:
    if not np.isfinite(state.position).all():
        raise ToileError(f"garment {garment.name}: the simulation blew up; try a shorter substep")
