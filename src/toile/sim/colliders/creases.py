"""Cloth in a crease of the skin: an armpit, between the thighs, under a breast.

A collider tells of the nearest skin only. In a crease that is one side now and the other side a frame later,
and the cloth moves to and fro between them without end. So, while a body stands still, each point meets all
sides, or remembers the one on which it lay before, as contact manifolds of rigid bodies do, and meets both.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.records import ContactQuery, Contacts, Floats, Ints, PosedBody
from toile.sim.colliders.base import Collider
from toile.sim.colliders.surface import SurfaceCollider

OTHER = 0.95
"""cosine between normals below which they are two sides"""
NEAR = 0.012
"""a side farther from its point than this is forgotten [m]"""
FACED = 0.008
"""sides within this of a point are looked for [m]: twice what cloth keeps off the skin"""


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
    """A collider that finds all sides of a crease without remembering, for a body that does not move.

    A walk can be resumed at any frame, so it must not remember. A point meets every place of the skin that is
    nearer than the skin round it. Such a place vanishes only where the skin goes down from it to one that is
    nearer still: by then, as cloth keeps its distance from that one, it does not touch. So whatever pushes
    the cloth in one frame pushes it in the next.
    """

    def __init__(self, collider: SurfaceCollider) -> None:
        """Ask this collider."""
        self._collider = collider

    def at(self, body: PosedBody) -> ContactQuery:
        """Return the body at one instant."""
        query = self._collider.at(body)
        return ContactQuery(lambda position: self._with_all_sides(position, query(position), body))

    def _with_all_sides(self, position: Floats, found: Contacts, body: PosedBody) -> Contacts:
        """Return the contacts of points [m], (n, 3), and those with the other sides of their creases."""
        near = found.gap < FACED
        point = np.unique(found.particle[near])
        row, gap, normal, velocity = self._collider.tree.sides(position[point], FACED, body.velocity)
        # what is near is among them, but for skin that a point is inside of
        kept = ~near | (found.gap <= 0.0)
        particle = np.concatenate([found.particle[kept], point[row]])
        order = np.argsort(particle, kind="stable")
        # not tracked: asked again at each look, all sides count then too; hands that stand still grip
        return Contacts(
            particle=particle[order],
            gap=np.concatenate([found.gap[kept], gap])[order],
            normal=np.concatenate([found.normal[kept], normal])[order],
            velocity=np.concatenate([found.velocity[kept], velocity])[order],
        )


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
    way = b.foot - a.foot
    above = np.einsum("na,na->n", way, a.normal) > 0.0
    return np.asarray(above & (np.einsum("na,na->n", -way, b.normal) > 0.0))


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
