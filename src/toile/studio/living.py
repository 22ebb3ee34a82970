"""Cloth that lives: advanced frame by frame with any method, while hands, wind and pins reach in.

The default method is the engine as a page has it (`Scene` of engine/frame/scene.h). All others are stepped by
sim/frame/advance.py; what grabs them is a soft pull on velocities.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from toile import _kernels
from toile.body.model.skin import pose_body, rest_pose
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, Ints, PosedBody, Scene, State
from toile.motion.track import still
from toile.sim.colliders.base import Collider, no_contacts
from toile.sim.colliders.shapes import Sphere
from toile.sim.colliders.surface import skin_arrays
from toile.sim.frame.advance import advance_frame
from toile.sim.frame.attach import Attachment
from toile.sim.frame.repair import Repair
from toile.sim.method import Method
from toile.sim.walk.scene import scene_bytes
from toile.sim.walk.walker import AnimateSettings, Plan, scene_arrays

HAND = 0.06
"""cloth so near to what is grabbed goes along [m]"""
CLOSING = 0.06
"""time in which a hand brings the cloth to where it is [s]"""
PATIENCE, LEAD = 0.25, 0.5
"""share of what is missing that a hand pulls harder by in each frame; at most so far beyond itself [m]"""
FASTEST = 12.0
"""of thrown or pulled cloth [m/s]"""


@dataclass(frozen=True, eq=False, slots=True)
class Air:
    """What acts on all cloth."""

    gravity: Floats
    """[m/s²], (3,)"""
    wind: Floats
    """velocity of the air [m/s], (3,)"""


class Living(ABC):
    """Cloth with a state, which goes from one frame to the next."""

    def __init__(self, garment: Garment, state: State) -> None:
        self.garment, self.state = garment, state
        self.left = 0
        """crossings that the last frame left"""
        self.pinned: Ints = np.zeros(0, dtype=np.int32)
        self._grabbed: tuple[Ints, Floats, Floats] | None = None
        """particles, their shares, their places seen from the hand [m]"""
        self._hand = np.zeros(3)
        self.ball: Sphere | None = None
        """what it lies over instead of a body; who moves it changes it"""

    @property
    def asleep(self) -> bool:
        """Return whether nothing moves."""
        return False

    @cached_property
    def mass(self) -> Floats:
        """Return the mass of each particle [kg], (n,)."""
        garment = self.garment
        a, b, c = (garment.uv[garment.triangles_uv[:, k]] for k in range(3))
        area = 0.5 * np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
        each = area / 3 * np.array([fabric.mass for fabric in garment.fabrics])[garment.triangle_fabric]
        found = np.bincount(garment.triangles.ravel(), np.repeat(each, 3), garment.particle_count)
        return found.astype(np.float64)

    @property
    def held(self) -> bool:
        """Return whether a hand holds it."""
        return self._grabbed is not None

    def put(self, state: State) -> None:
        """Go on from another state."""
        self._set_state(state)

    @abstractmethod
    def frame(self, before: PosedBody | None, after: PosedBody | None, dt: float, air: Air) -> None:
        """Advance by dt [s], in which the body goes from before to after."""

    @abstractmethod
    def _set_state(self, state: State) -> None:
        """Go on from another state."""

    @abstractmethod
    def _set_pins(self) -> None:
        """Let what is pinned stay where it is."""

    def pin(self, particles: Ints) -> None:
        """Pin these particles, and no others, where they are."""
        count = self.garment.particle_count
        if len(particles) and (particles.min() < 0 or particles.max() >= count):
            raise ToileError(f"there is no such point: the cloth has {count}")
        self.pinned = np.unique(particles).astype(np.int32)
        self._set_pins()

    def grab(self, particle: int, to: Floats) -> None:
        """Pull a particle, and what is near it, to a place [m] until it is let go."""
        if not 0 <= particle < self.garment.particle_count:
            raise ToileError(f"there is no point {particle}: the cloth has {self.garment.particle_count}")
        self._hand = np.asarray(to, np.float64)
        if self._grabbed is None or self._grabbed[0][0] != particle:
            away = self.state.position - self.state.position[particle]
            far = np.linalg.norm(away, axis=1)
            close = np.flatnonzero(far < HAND)
            near = close[np.argsort(far[close], kind="stable")].astype(np.int32)
            self._grabbed = near, 1 - far[near] / HAND, away[near]

    def let_go(self, velocity: Floats) -> None:
        """Let go what was grabbed, thrown with a velocity [m/s]."""
        grabbed, self._grabbed = self._grabbed, None
        speed = float(np.linalg.norm(velocity))
        if grabbed is None or not speed:
            return
        which, share, _ = grabbed
        thrown = np.array(self.state.velocity)
        thrown[which] += share[:, None] * velocity * min(1.0, FASTEST / speed)
        self._set_state(replace(self.state, velocity=thrown))

    def press(self, particle: int, radius: float) -> None:
        """Take all speed from the cloth round a particle, and lay it onto its mean plane: ironing."""
        if not 0 <= particle < self.garment.particle_count:
            raise ToileError(f"there is no point {particle}: the cloth has {self.garment.particle_count}")
        x = np.array(self.state.position)
        far = np.linalg.norm(x - x[particle], axis=1)
        near = np.flatnonzero(far < radius)
        if len(near) < 4:
            return
        centre = x[near].mean(axis=0)
        normal = np.linalg.svd(x[near] - centre)[2][2]
        share = (1 - (far[near] / radius) ** 2) * 0.5
        x[near] -= (share * ((x[near] - centre) @ normal))[:, None] * normal
        velocity = np.array(self.state.velocity)
        velocity[near] = 0.0
        self._set_state(State(x, velocity, self.state.time))


class EngineCloth(Living):
    """Cloth of the default method round a body."""

    def __init__(
        self, garment: Garment, body: Body, dressed: Floats, state: State, posed: PosedBody, method: Method,
        skin: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """dressed: where the cloth lay on the body in its rest pose [m]; posed: the body now."""
        super().__init__(garment, state)
        plan = Plan(
            start=dressed, track=still(body), settings=AnimateSettings(lead=0.0), method=method, audit=False
        )
        now = {"position": state.position, "velocity": state.velocity, "skin": posed.vertices}
        self.arrays = scene_arrays(garment, body, plan, skin) | {f"start.{k}": v for k, v in now.items()}
        self._scene = _kernels.Scene(scene_bytes(self.arrays))
        self._asleep = False
        self._lead = np.zeros(3)
        """how far beyond the hand the engine is told to pull [m]"""

    @property
    def asleep(self) -> bool:
        """Return whether nothing moves."""
        return self._asleep

    def frame(self, before: PosedBody | None, after: PosedBody | None, dt: float, air: Air) -> None:
        """Advance by dt [s]."""
        assert after is not None
        self._scene.set_wind(air.wind)
        self._scene.set_gravity(air.gravity)
        self._scene.pose_vertices(np.ascontiguousarray(after.vertices))
        if self._grabbed is not None:
            self._pull(int(self._grabbed[0][0]))
        self.left = self._scene.frame(dt)
        self._asleep = self._scene.sleeps
        self.state = State(self._scene.position, self._scene.velocity, self.state.time + dt)

    def _pull(self, particle: int) -> None:
        """Let the engine pull, the farther beyond the hand the longer heavy cloth does not come."""
        missing = self._hand - self.state.position[particle]
        self._lead = self._lead + PATIENCE * missing
        self._lead *= min(1.0, LEAD / max(float(np.linalg.norm(self._lead)), 1e-9))
        self._scene.grab(particle, self._hand + self._lead)

    def let_go(self, velocity: Floats) -> None:
        """Let go what was grabbed."""
        self._scene.let_go()
        self._lead = np.zeros(3)
        super().let_go(velocity)

    def _set_pins(self) -> None:
        self._scene.pin(self.pinned)

    def _set_state(self, state: State) -> None:
        numbers = np.array(self._scene.save())
        count = state.position.size
        numbers[:count], numbers[count : 2 * count] = state.position.ravel(), state.velocity.ravel()
        if not self._scene.restore(numbers):
            raise ToileError("the cloth cannot be put there")
        self.state = state


class MethodCloth(Living):
    """Cloth of any method, round a body, over a ball, or hanging free."""

    def __init__(
        self, garment: Garment, state: State, method: Method, *,
        collider: Collider | None = None, dressed: Floats | None = None, body: Body | None = None,
    ) -> None:  # fmt: skip
        super().__init__(garment, state)
        self._collider = collider
        self._worn = state.position if dressed is None else dressed
        self._make = method.make_solver
        self._solver = method.make_solver(garment, self._worn)
        self._held: Attachment | None = None
        if body is not None and len(garment.hold_particle):
            self._held = Attachment(garment.hold_particle, self._worn, rest_pose(body))
        self._repair: Repair | None = None
        if collider is not None and collider.skin is not None:
            self._repair = Repair(garment, collider.skin, state.position, garment.hold_particle)
        self._set_pins()

    def _set_pins(self) -> None:
        held = np.union1d(self.garment.hold_particle, self.pinned).astype(np.int32)
        self._solver = self._make(self.garment, self._worn)
        if len(held):
            self._solver.pin(held)

    def _set_state(self, state: State) -> None:
        self.state = state

    def frame(self, before: PosedBody | None, after: PosedBody | None, dt: float, air: Air) -> None:
        """Advance by dt [s]."""
        state = self.state
        if len(self.pinned):
            velocity = np.array(state.velocity)
            velocity[self.pinned] = 0.0
            state = replace(state, velocity=velocity)
        if self._held is not None and after is not None:
            state = self._held.carry(state, after, dt)
        state = self._pulled(state, dt)
        if self.ball is not None:
            scene = Scene(None, self.ball, air.gravity, air.wind)
            made = self._solver.step(state, scene, dt)
        elif self._collider is None or after is None or before is None:
            made = self._solver.step(state, Scene(None, no_contacts, air.gravity, air.wind), dt)
        else:
            made = advance_frame(
                self._solver, self._collider, state, before, after, dt, gravity=air.gravity, wind=air.wind
            )
        if not np.isfinite(made.position).all():
            raise ToileError("this method blew up: choose softer settings or another one, then reset")
        if self._repair is not None and after is not None:
            made = self._repair(made, after, state.position)
            self.left = self._repair.last.left
        self.state = made

    def _pulled(self, state: State, dt: float) -> State:
        """Return the state with the velocities that bring grabbed cloth to the hand, without swing."""
        if self._grabbed is None:
            return state
        which, share, away = self._grabbed
        way = (self._hand + away - state.position[which]) / max(CLOSING, dt)
        speed = np.linalg.norm(way, axis=1, keepdims=True)
        way *= np.minimum(1.0, FASTEST / np.maximum(speed, 1e-9))
        velocity = np.array(state.velocity)
        velocity[which] += share[:, None] * (way - velocity[which])
        return replace(state, velocity=velocity)


def carried_along(position: Floats, before: PosedBody, after: PosedBody) -> Floats:
    """Return cloth that goes with the skin from one body or pose to another of the same triangles [m]."""
    every = np.arange(len(position), dtype=np.int32)
    return Attachment(every, position, before).targets(after)


class BodySkin:
    """What contact knows of a body, computed once for all cloth on it."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._skins: dict[str, Mapping[str, Any]] = {}

    def arrays(self, method: Method) -> Mapping[str, Any]:
        """Return the skin for the default collider."""
        key = repr(method.collider_settings)
        if key not in self._skins:
            self._skins = {key: skin_arrays(self.body, method.collider_settings)}
        return self._skins[key]

    def posed(self, world: Floats, before: PosedBody | None, dt: float) -> PosedBody:
        """Return the body in a pose."""
        return pose_body(self.body, world, before, dt)

    def cloth(
        self, garment: Garment, dressed: Floats, state: State, posed: PosedBody, method: Method
    ) -> Living:
        """Return living cloth on this body."""
        if method.is_default:
            return EngineCloth(garment, self.body, dressed, state, posed, method, self.arrays(method))
        collider = method.make_collider(self.body)
        return MethodCloth(garment, state, method, collider=collider, dressed=dressed, body=self.body)
