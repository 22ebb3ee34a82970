"""Cloth in a crease of the skin: an armpit, between the thighs, under a breast.

A collider tells of the nearest skin only. In a crease that is one side now and the other side a frame later,
and the cloth moves to and fro between them without end. So, while a body stands still, each point meets all
sides, or remembers the one on which it lay before, as contact manifolds of rigid bodies do, and meets both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from toile.core.records import ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.sim.colliders.base import Collider

if TYPE_CHECKING:
    from toile._kernels import SkinContact

OTHER = 0.95
"""cosine between normals below which they are two sides"""
NEAR = 0.012
"""a side farther from its point than this is forgotten [m]"""


class CreaseMemory(Collider):
    """A collider that remembers, for a body that does not move."""

    def __init__(self, collider: Collider, count: int) -> None:
        """Begin for so many points."""
        self._collider = collider
        self._last, self._before = _Sides(count), _Sides(count)

    def at(self, body: PosedBody) -> ContactQuery:
        """Return the body at one instant."""
        query = self._collider.at(body)
        return ContactQuery(lambda position: self.with_memory(position, query(position)))

    def with_memory(self, position: Floats, found: Contacts) -> Contacts:
        """Return the contacts of points [m], (n, 3), and those with the other side of their crease."""
        now = _Sides.nearest(position, found)
        turned = now.known & self._last.known & (_cosine(now, self._last) < OTHER)
        self._before.take(self._last, turned)
        self._last.take(now, now.known)
        before = self._before
        gap = np.einsum("na,na->n", position - before.foot, before.normal)
        before.known &= np.linalg.norm(position - before.foot, axis=1) < NEAR
        added = before.known & now.known & ~_like_any(before, found) & _hollow(now, before)
        particle = np.flatnonzero(added).astype(np.int32)
        return _merged(found, particle, gap[particle], before.normal[particle])


class AllSidesQuery(Collider):
    """The skin with all sides of its creases, for a body that does not move (engine/frame/skin_sides.h).

    A walk can be resumed at any frame, so it must not remember.
    """

    def __init__(self, skin: SkinContact) -> None:
        """Ask the engine's contact with the skin."""
        self._contact = skin

    def at(self, body: PosedBody) -> ContactQuery:
        """Return the body at one instant."""
        return ContactQuery(lambda x: Contacts(*self._contact.sides(body.vertices, body.velocity, x)))


class _Sides:
    """A plane of skin for each point, where there is one."""

    def __init__(self, count: int) -> None:
        self.known = np.zeros(count, dtype=bool)
        self.foot, self.normal = np.zeros((count, 3)), np.zeros((count, 3))

    @classmethod
    def nearest(cls, position: Floats, found: Contacts) -> _Sides:
        """Return each point's nearest contact."""
        sides = cls(len(position))
        far_first = np.argsort(-found.gap, kind="stable")
        particle, normal = found.particle[far_first], found.normal[far_first]
        sides.known[particle] = True
        sides.normal[particle] = normal
        sides.foot[particle] = position[particle] - found.gap[far_first, None] * normal
        return sides

    def take(self, other: _Sides, where: np.ndarray) -> None:
        """Take over some of another's planes."""
        for name in ("known", "foot", "normal"):
            getattr(self, name)[where] = getattr(other, name)[where]


def _cosine(a: _Sides, b: _Sides) -> Floats:
    return np.asarray(np.einsum("na,na->n", a.normal, b.normal))


def _hollow(a: _Sides, b: _Sides) -> np.ndarray:
    """Return where the skin between two feet is hollow: each lies above the other's plane."""
    between = b.foot - a.foot
    above = np.einsum("na,na->n", between, a.normal) > 0.0
    return np.asarray(above & (np.einsum("na,na->n", -between, b.normal) > 0.0))


def _like_any(side: _Sides, found: Contacts) -> np.ndarray:
    """Return which points' remembered side is among the contacts already."""
    cosine = np.einsum("ca,ca->c", side.normal[found.particle], found.normal)
    like = np.zeros(len(side.known), dtype=bool)
    like[found.particle[cosine >= OTHER]] = True
    return like


def _merged(found: Contacts, particle: Ints, gap: Floats, normal: Floats) -> Contacts:
    """Return the contacts with more of them on skin that stands still, in the order of their points."""
    if not len(particle):
        # asked again at each look: both sides count then too; hands that stand still grip
        return replace(found, tracked=None, grip=None)
    points = np.concatenate([found.particle, particle])
    order = np.argsort(points, kind="stable")
    return Contacts(
        particle=points[order],
        gap=np.concatenate([found.gap, gap])[order],
        normal=np.concatenate([found.normal, normal])[order],
        velocity=np.concatenate([found.velocity, np.zeros((len(particle), 3))])[order],
    )
