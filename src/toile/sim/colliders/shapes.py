"""Analytic obstacles: sphere, plane, floor. For the ground under a body, for tests and for benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from toile._kernels import Ball, ball_contacts
from toile.core.records import ContactQuery, Contacts, Floats, Ints, PosedBody, as_floats
from toile.sim.colliders.base import Collider


def _still() -> Floats:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class Sphere(Collider, ContactQuery):
    """A ball."""

    centre: Floats
    """[m], (3,)"""
    radius: float
    """[m]"""
    velocity: Floats = field(default_factory=_still)
    """[m/s], (3,)"""
    reach: float = 0.05
    """points farther than this from the surface have no contact [m]"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", as_floats(self.centre, 3, name="centre of the ball"))

    def at(self, body: PosedBody | None = None) -> ContactQuery:
        """Return itself: the body does not matter."""
        return self

    @cached_property
    def ball(self) -> Ball:
        """Return it as an engine asks it by itself."""
        return Ball(
            self.centre, self.radius, self.reach, as_floats(self.velocity, 3, name="velocity of the ball")
        )

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3)."""
        near, gap, normal = ball_contacts(position, self.centre, self.radius, self.reach)
        return _contacts(near, gap, normal, self.velocity)


@dataclass(frozen=True, eq=False)
class Plane(Collider, ContactQuery):
    """A half-space: everything below a plane is solid."""

    point: Floats
    """on the plane [m], (3,)"""
    normal: Floats
    """out of the solid, any length, (3,)"""
    velocity: Floats = field(default_factory=_still)
    """[m/s], (3,)"""
    reach: float = 0.05
    """points farther than this from the surface have no contact [m]"""

    def __post_init__(self) -> None:
        normal = as_floats(self.normal, 3, name="plane normal")
        object.__setattr__(self, "normal", normal / np.linalg.norm(normal))

    def at(self, body: PosedBody | None = None) -> ContactQuery:
        """Return itself: the body does not matter."""
        return self

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all points [m], (n, 3)."""
        gap = (position - self.point) @ self.normal
        near = np.flatnonzero(gap < self.reach).astype(np.int32)
        return _contacts(near, gap[near], np.tile(self.normal, (len(near), 1)), self.velocity)


def floor(height: float = 0.0) -> Plane:
    """Return the ground at a height [m]."""
    return Plane(point=np.array([0.0, height, 0.0]), normal=np.array([0.0, 1.0, 0.0]))


def incline(angle: float) -> Plane:
    """Return a plane through the origin that falls towards +x by an angle [rad]."""
    return Plane(point=np.zeros(3), normal=np.array([np.sin(angle), np.cos(angle), 0.0]))


@dataclass(frozen=True, eq=False)
class CombinedColliders(Collider):
    """Several colliders at once, for example a body and the floor."""

    parts: Sequence[Callable[[PosedBody], ContactQuery]]
    """the `at` methods of the colliders"""

    def at(self, body: PosedBody) -> ContactQuery:
        """Return all of them at one instant."""
        queries = [part(body) for part in self.parts]
        return ContactQuery(lambda position: combine_contacts([query(position) for query in queries]))


def combine_contacts(lists: Sequence[Contacts]) -> Contacts:
    """Return several lists of contacts as one, sorted by particle; equal particles keep their order."""
    lists = [one for one in lists if len(one.particle)] or lists[:1]
    if len(lists) == 1:
        return lists[0]
    particle = np.concatenate([c.particle for c in lists])
    order = np.argsort(particle, kind="stable")
    return Contacts(
        particle=particle[order],
        gap=np.concatenate([c.gap for c in lists])[order],
        normal=np.concatenate([c.normal for c in lists])[order],
        velocity=np.concatenate([c.velocity for c in lists])[order],
        grip=_grips(lists)[order] if any(c.grip is not None for c in lists) else None,
    )


def _grips(lists: Sequence[Contacts]) -> Floats:
    return np.concatenate([np.ones(len(c.particle)) if c.grip is None else c.grip for c in lists])


def _contacts(particle: Ints, gap: Floats, normal: Floats, velocity: Floats) -> Contacts:
    everywhere = np.zeros((len(particle), 3))
    if np.any(velocity):
        everywhere += velocity
    return Contacts(particle=particle, gap=gap, normal=normal, velocity=everywhere)
