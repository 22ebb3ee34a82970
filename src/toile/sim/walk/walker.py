"""A dressed body in motion, one frame at a time: what decides it, and how it goes on from any frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from toile.body.model.skin import Method as Skinning
from toile.body.model.skin import pose_body, rest_pose
from toile.core import defaults
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, PosedBody, State
from toile.motion.track import Track, lead_in
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.frame.advance import advance_frame
from toile.sim.frame.attach import Attachment
from toile.sim.frame.repair import Repair, Repaired
from toile.sim.frame.rest import Rest, stands_still
from toile.sim.method import Method
from toile.sim.solvers.base import Solver
from toile.sim.solvers.constraints import mean_edge, skin_distance

COARSE = 0.045
"""edges longer than this [m] cannot follow the skin, and zones of them are so large that carrying them along
shakes the whole garment"""
SHAKEN = 0.02
"""meshes of longer edges [m] are shaken by what stays in them; in finer ones it is too small a part, and
laying out limits round it would take longer than a frame"""
Wind = tuple[int, float, float, float]
"""the recorded frame from which it blows, velocity of the air [m/s]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnimateSettings:
    """Settings of an animation."""

    fps: float = defaults.FPS
    """frames a second"""
    seconds: float = defaults.SECONDS
    """length of what is recorded [s]"""
    lead: float = 1.0
    """time to go from the rest pose into the motion, not recorded [s]"""
    repair: bool = True
    """remove what still crosses at the end of each frame, by exact triangles"""
    skinning: Skinning = defaults.SKINNING
    """how the skin follows the joints; dual keeps the volume of strongly bent hips, knees and elbows"""

    def __post_init__(self) -> None:
        if not (1 <= self.fps <= 1000 and 0 < self.seconds <= 3600 and 0 <= self.lead <= 60):
            raise ToileError("an animation takes 1 to 1000 fps, up to 3600 s and a lead of up to 60 s")
        if self.frame_count < 1:
            raise ToileError(f"{self.seconds:g} s at {self.fps:g} fps is less than one frame: ask for more")

    @property
    def frame_count(self) -> int:
        """Return the number of recorded frames."""
        return round(self.seconds * self.fps)

    @property
    def lead_count(self) -> int:
        """Return the number of frames before the first recorded one."""
        return round(self.lead * self.fps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A recorded walk that lies under what is simulated: its garments move as they were recorded."""

    path: str
    particle_count: int
    """of its garments, the first ones of the outfit"""
    digest: str
    """of its cut and its first frame (sim/walk/layer_over.py)"""


class Guide(Protocol):
    """Where some particles, the first ones, are in each frame."""

    def __call__(self, number: int) -> Floats:
        """Return their positions in a recorded frame (negative: before the first) [m], (m, 3)."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Plan:
    """Everything besides garment and body that decides a walk: the same plan gives the same bits."""

    start: Floats
    """the garment as it was dressed in the rest pose [m], (n, 3)"""
    track: Track
    settings: AnimateSettings = field(default_factory=AnimateSettings)
    method: Method = field(default_factory=Method)
    winds: tuple[Wind, ...] = ((0, 0.0, 0.0, 0.0),)
    """in the order of their frames; before the first recorded frame the first one blows"""
    checkpoint_every: int = 10
    """frames after which a file gets what it needs to be resumed"""
    audit: bool = True
    """audit each frame and keep the findings with it"""
    inner: Inner | None = None
    """a recorded walk worn underneath"""
    loop_frames: int = 0
    """frames of one round of a walk that is to become a loop; 0: it just ends"""

    def __post_init__(self) -> None:
        if not np.isfinite(self.start).all() or not self.winds:
            raise ToileError("a walk needs a dressed garment and a wind (0 is one)")
        if not (np.isfinite(self.track.rotations).all() and np.isfinite(self.track.root).all()):
            raise ToileError(f"motion {self.track.name} holds NaN or infinite numbers: repair the file")

    def wind(self, number: int) -> Floats:
        """Return the velocity of the air in a recorded frame (negative: before the first) [m/s]."""
        blows = [w for w in self.winds if w[0] <= max(number, 0)] or self.winds[:1]
        return np.array(blows[-1][1:])

    def with_wind(self, number: int, wind: Floats) -> Plan:
        """Return the plan with another wind from a recorded frame on."""
        kept = tuple(w for w in self.winds if w[0] < number)
        x, y, z = (float(v) for v in wind)
        return replace(self, winds=(*kept, (number, x, y, z)))


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """One simulated frame."""

    number: int
    """of the recorded frame; negative: still on the way into the motion"""
    state: State
    body: PosedBody
    repaired: Repaired


@dataclass(frozen=True, eq=False, slots=True)
class Asleep:
    """A frame that ended as it had begun, with nothing led: those like it need not be computed."""

    state: State
    body: PosedBody
    """which stood still"""
    wind: Floats

    def goes_on(self, state: State, before: PosedBody, after: PosedBody, wind: Floats) -> bool:
        """Say whether the next frame is the same to the bit."""
        return (
            _same_skin(before, self.body)
            and _same_skin(after, self.body)
            and np.array_equal(wind, self.wind)
            and _unmoved(state, self.state)
        )


class Walker:
    """Simulates a plan frame by frame. It can start at any frame of which position and velocity are known."""

    def __init__(self, garment: Garment, body: Body, plan: Plan, guide: Guide | None = None) -> None:
        """Stand in the rest pose, dressed. guide moves the garments that were recorded before."""
        if (plan.inner is None) != (guide is None):
            raise ToileError("a walk over another one needs its recording")
        self.garment, self.body, self.plan = garment, body, plan
        if plan.start.shape != (garment.particle_count, 3):
            raise ToileError(f"the walk starts with {len(plan.start)} points, not {garment.particle_count}")
        self._dt = 1 / plan.settings.fps
        self.collider = plan.method.make_collider(body)
        self._solver = plan.method.make_solver(garment, plan.start)
        self._before = rest_pose(body)
        self._held = Attachment(garment.hold_particle, plan.start, self._before)
        self._guide = guide
        led = np.arange(plan.inner.particle_count if plan.inner else 0, dtype=np.int32)
        pinned = np.union1d(garment.hold_particle, led).astype(np.int32)
        if len(pinned):
            self._solver.pin(pinned)
        self._pinned = pinned
        self._holding: Solver | None = None
        self._stays = np.zeros(0, np.int32)
        # the exact repair belongs to contact with the skin itself: other colliders show what they can do
        self._repair: Repair | None = None
        self._rest: Rest | None = None
        if plan.settings.repair and isinstance(self.collider, SurfaceCollider):
            self._repair = Repair(garment, self.collider, plan.start, pinned)
            self._rest = Rest(garment, self.collider, plan.start)
        self._edge = mean_edge(garment)
        self.state = State(np.array(plan.start), np.zeros_like(plan.start), -plan.settings.lead)
        self._asleep: Asleep | None = None
        self._done = 0

    @property
    def number(self) -> int:
        """Return the number of the recorded frame that comes next; negative: still on the way there."""
        return self._done - self.plan.settings.lead_count

    def pose(self, number: int) -> Floats:
        """Return world_from_joint (j, 4, 4) in a recorded frame (negative: before the first)."""
        settings = self.plan.settings
        done = number + settings.lead_count + 1
        return lead_in(self.body, self.plan.track, done * self._dt, settings.lead)

    def go_to(self, number: int, state: State) -> None:
        """Continue after a recorded frame that ended in this state."""
        self._done = number + 1 + self.plan.settings.lead_count
        self._before = pose_body(self.body, self.pose(number), method=self.plan.settings.skinning)
        self.state = state

    def step(self) -> Step:
        """Simulate the next frame."""
        number, dt = self.number, self._dt
        after = pose_body(self.body, self.pose(number), self._before, dt, self.plan.settings.skinning)
        wind = self.plan.wind(number)
        if self._asleep and self._asleep.goes_on(self.state, self._before, after, wind):
            state, repaired = self.state, Repaired()
        else:
            state = self._held.carry(self.state, after, dt)
            led = None if self._guide is None else self._guide(number)
            state = state if led is None else _led(state, led, dt)
            state, repaired = self._advance(state, after, led, wind)
            same = led is None and _unmoved(self.state, state) and _same_skin(self._before, after)
            self._asleep = Asleep(state, after, wind) if same else None
        # times do not add up rounding errors: they follow from the frame's number
        self.state = State(state.position, state.velocity, (number + 1) * dt)
        self._before, self._done = after, self._done + 1
        return Step(number, self.state, after, repaired)

    def _advance(
        self, start: State, after: PosedBody, led: Floats | None, wind: Floats
    ) -> tuple[State, Repaired]:
        """Return the state at the end of a frame and what the repair left of its crossings."""
        rest = self._rest if self._rest and led is None and stands_still(self._before, after) else None
        end, found = self._frame(self._solver, start, after, led, wind, rest)
        if rest is None or self._repair is None or found.left:
            return end, found
        kept = rest.stay(start, end, self._repair.given, after, self._dt)
        if kept is not end and self._edge > SHAKEN:
            again = self._round(rest, start, kept, after, wind)
            far = max(_farthest(start, end), self._edge / 2)
            # cloth between particles that are held may be thrown about, whether or not the repair brings it
            # back: then it is left as it was kept
            if again and max(_farthest(start, again[0]), again[1].moved) <= far:
                kept, found = again
        if rest.asleep(start, kept, self._before, after, self._dt):
            kept = State(start.position, np.zeros_like(start.velocity), kept.time)
        return kept, found

    def _frame(
        self,
        solver: Solver,
        start: State,
        after: PosedBody,
        led: Floats | None,
        wind: Floats,
        rest: Rest | None,
    ) -> tuple[State, Repaired]:
        """Return the end of a frame, repaired, and what the repair left of its crossings."""
        collider = rest.collider if rest else self.collider
        state = advance_frame(solver, collider, start, self._before, after, self._dt, wind=wind)
        state = state if led is None else _placed(state, led)
        if self._repair is None:
            return state, Repaired()
        clean = start.position if self._edge < COARSE else None
        return self._repair(state, after, clean), self._repair.last

    def _round(
        self, rest: Rest, start: State, kept: State, after: PosedBody, wind: Floats
    ) -> tuple[State, Repaired] | None:
        """Return the frame computed again round what stays in it, which is pinned.

        Free, it is pulled at until the frame ends and pulls at the cloth round it, which would tremble for
        ever. None: nothing stays, or the frame is not clean.
        """
        stays = (kept.position == start.position).all(axis=1)
        stays[self._pinned] = False
        if not stays.any():
            return None
        held = np.union1d(self._pinned, np.flatnonzero(stays)).astype(np.int32)
        if self._holding is None:
            self._holding = self.plan.method.make_solver(self.garment, self.plan.start)
        # limits depend on what is pinned and take long: mostly the same particles stay in frame after frame
        if not np.array_equal(held, self._stays):
            self._holding.pin(held)
            self._stays = held
        velocity = np.where(stays[:, None], 0.0, start.velocity)
        state = State(start.position, velocity, start.time)
        end, found = self._frame(self._holding, state, after, None, wind, rest)
        if found.left or self._repair is None:
            return None
        return rest.stay(state, end, self._repair.given, after, self._dt), found

    def touching(self) -> int:
        """Return how many particles touch the skin now."""
        contacts = self.collider.at(self._before)(self.state.position)
        thickness = getattr(self.plan.method.solver_settings, "thickness", 0.004)
        near = contacts.gap < 1.25 * skin_distance(self._edge, thickness)
        return len(np.unique(contacts.particle[near]))


def _same_skin(one: PosedBody, other: PosedBody) -> bool:
    return np.array_equal(one.vertices, other.vertices)


def _farthest(start: State, end: State) -> float:
    """Return how far a particle gets at most [m]."""
    return float(np.linalg.norm(end.position - start.position, axis=1).max(initial=0.0))


def _unmoved(before: State, after: State) -> bool:
    """Say whether two states differ by their time only, and nothing moves."""
    still = not after.velocity.any() and not before.velocity.any()
    return still and np.array_equal(before.position, after.position)


def _led(state: State, target: Floats, dt: float) -> State:
    """Return the state with its first particles moving so that they reach their place in dt [s]."""
    velocity = np.array(state.velocity)
    velocity[: len(target)] = (target - state.position[: len(target)]) / dt
    return State(state.position, velocity, state.time)


def _placed(state: State, target: Floats) -> State:
    """Return the state with its first particles exactly at their place."""
    position = np.array(state.position)
    position[: len(target)] = target
    return State(position, state.velocity, state.time)
