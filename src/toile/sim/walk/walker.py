"""A dressed body in motion, one frame at a time: what decides it, and how it goes on from any frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol
from weakref import proxy

import numpy as np

from toile import _kernels
from toile.body.model.skin import Method as Skinning
from toile.body.model.skin import pose_body, rest_pose
from toile.core import defaults
from toile.core.arrays import as_kernel_arrays
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, Ints, PosedBody, State
from toile.motion.track import Track, lead_in
from toile.sim.colliders.creases import AllSidesQuery
from toile.sim.colliders.surface import skin_arrays
from toile.sim.frame.advance import GRAVITY, STILL_AIR, THIN_NUMBER, advance_frame
from toile.sim.frame.attach import Attachment
from toile.sim.frame.repair import Repaired, repair_arrays
from toile.sim.method import Method
from toile.sim.solvers.cloth_arrays import cloth_arrays
from toile.sim.solvers.constraints import mean_edge, skin_distance
from toile.sim.solvers.xpbd import solver_arrays

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


class Walker:
    """Simulates a plan frame by frame. It can start at any frame of which position and velocity are known.

    What a frame does stands in engine/frame/walker.h; here the motion is asked and the frames are counted.
    """

    def __init__(self, garment: Garment, body: Body, plan: Plan, guide: Guide | None = None) -> None:
        """Stand in the rest pose, dressed. guide moves the garments that were recorded before."""
        if (plan.inner is None) != (guide is None):
            raise ToileError("a walk over another one needs its recording")
        self.garment, self.body, self.plan = garment, body, plan
        if plan.start.shape != (garment.particle_count, 3):
            raise ToileError(f"the walk starts with {len(plan.start)} points, not {garment.particle_count}")
        self._dt = 1 / plan.settings.fps
        self.collider = plan.method.make_collider(body)
        self._guide = guide
        self._before = self._after = rest_pose(body)
        self._wind = STILL_AIR
        arrays = scene_arrays(garment, body, plan)
        # a proxy: the engine keeps what makes solvers, and must not keep the walker that keeps the engine
        make = None if plan.method.is_default else partial(Stepper, proxy(self))
        self._kernel = _kernels.Walker(arrays, self.collider.skin, make)
        self.state = State(np.array(plan.start), np.zeros_like(plan.start), -plan.settings.lead)
        self._done = 0

    @property
    def number(self) -> int:
        """Return the number of the recorded frame that comes next; negative: still on the way there."""
        return self._done - self.plan.settings.lead_count

    @property
    def skin(self) -> PosedBody:
        """Return the body at the end of the last frame."""
        return self._before

    def pose(self, number: int) -> Floats:
        """Return world_from_joint (j, 4, 4) in a recorded frame (negative: before the first)."""
        settings = self.plan.settings
        done = number + settings.lead_count + 1
        return lead_in(self.body, self.plan.track, done * self._dt, settings.lead)

    def go_to(self, number: int, state: State) -> None:
        """Continue after a recorded frame that ended in this state."""
        self._done = number + 1 + self.plan.settings.lead_count
        self._before = pose_body(self.body, self.pose(number), method=self.plan.settings.skinning)
        self._kernel.go_to(state.position, state.velocity, self._before.vertices)
        self.state = state

    def step(self) -> Step:
        """Simulate the next frame."""
        number, dt = self.number, self._dt
        skinning = self.plan.settings.skinning
        self._after = pose_body(self.body, self.pose(number), self._before, dt, skinning)
        self._wind = self.plan.wind(number)
        led = None if self._guide is None else self._guide(number)
        found = self._kernel.frame(self._after.vertices, GRAVITY, self._wind, led, dt)
        # times do not add up rounding errors: they follow from the frame's number
        time = (number + 1) * dt
        if self._kernel.sleeps:
            self.state = State(self.state.position, self.state.velocity, time)
        else:
            self.state = State(self._kernel.position, self._kernel.velocity, time)
        self._before, self._done = self._after, self._done + 1
        return Step(number, self.state, self._after, Repaired(*found))

    def touching(self) -> int:
        """Return how many particles touch the skin now."""
        contacts = self.collider.at(self._before)(self.state.position)
        thickness = getattr(self.plan.method.solver_settings, "thickness", 0.004)
        near = contacts.gap < 1.25 * skin_distance(mean_edge(self.garment), thickness)
        return len(np.unique(contacts.particle[near]))


class Stepper:
    """Any solver with any collider, as the engine calls them once a frame (Stepper in frame/walker.h)."""

    def __init__(self, walker: Walker) -> None:
        self._walker = walker
        self._solver = walker.plan.method.make_solver(walker.garment, walker.plan.start)

    def pin(self, particles: Ints) -> None:
        """Let these particles move with their velocity."""
        self._solver.pin(particles)

    def advance(self, position: Floats, velocity: Floats, all_sides: bool) -> tuple[Floats, Floats]:
        """Return position and velocity at the end of the frame that the walker computes."""
        walker, skin = self._walker, self._walker.collider.skin
        collider = AllSidesQuery(skin) if all_sides and skin is not None else walker.collider
        state = advance_frame(
            self._solver, collider, State(position, velocity), walker._before, walker._after, walker._dt,
            wind=walker._wind,
        )  # fmt: skip
        return np.ascontiguousarray(state.position), np.ascontiguousarray(state.velocity)


def scene_arrays(
    garment: Garment, body: Body, plan: Plan, skin: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return everything about a walk but its motion as arrays by name (engine/frame/scene_arrays.h).

    skin: what skin_arrays gave for the body before; it takes longer than all the rest.
    """
    held = Attachment(garment.hold_particle, plan.start, rest_pose(body))
    arrays: dict[str, Any] = {
        "cloth.triangles": garment.triangles,
        "body.vertices": body.vertices,
        "body.limb": body.limb,
        "body.thin": THIN_NUMBER,
        "start.position": plan.start,
        "walk.edge": np.array([mean_edge(garment)]),
        "walk.led": np.array([plan.inner.particle_count if plan.inner else 0]),
        "repair.on": np.array([plan.settings.repair]),
        "joints.rest": body.skeleton.world_from_joint,
        "joints.vertex": body.weight_joint,
        "joints.weight": body.weight,
        "joints.dual": np.array([plan.settings.skinning == "dual"]),
        **held.arrays(),
        **repair_arrays(garment),
    }
    if plan.method.is_default:
        settings = plan.method.solver_settings
        arrays |= cloth_arrays(garment, settings, worn=plan.start) | solver_arrays(settings)
        arrays |= skin_arrays(body, plan.method.collider_settings) if skin is None else skin
    return as_kernel_arrays(arrays)
