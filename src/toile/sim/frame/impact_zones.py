"""Cloth that cannot be moved apart travels as one piece: rigid zones of impact.

(Provot 1997; Bridson, Fedkiw & Anderson 2002.) In an armpit a fold of a sleeve has no room, and its two sides
pass through each other in every frame. When the frame began they did not. So what crosses, and the cloth
round it, is put back into the shape that it had then, where it is now: a rigid motion makes nothing cross
that did not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.core.records import Bools, Floats, Ints, State
from toile.geometry.rotation import nearest_rotation
from toile.geometry.topology import linked

FEWEST = 3
"""particles of a zone: fewer do not tell how it has turned"""


@dataclass(frozen=True, eq=False, slots=True)
class Cloth:
    """What is known of the cloth in which zones are."""

    triangles: Ints
    """(t, 3)"""
    label: Ints
    """sewn particles have the same, (n,)"""
    free: Bools
    """particles that may be moved, (n,)"""


def widened(cloth: Cloth, zone: Bools, crossing: Ints) -> Bools:
    """Return which particles belong to zones, (n,): the old ones, what crosses, and one ring round both.

    crossing: pairs of triangles, (k, 2).
    """
    wider = zone.copy()
    wider[cloth.triangles[crossing]] = True
    wider[cloth.triangles[wider[cloth.triangles].any(axis=1)]] = True
    # both sides of a seam, or it would open
    sewn = np.zeros_like(wider)
    sewn[cloth.label[wider]] = True
    return np.asarray(sewn[cloth.label])


def carried(cloth: Cloth, zone: Bools, crossing: Ints, start: Floats, end: State) -> State:
    """Return the end of a frame, each zone in the shape that it had at its start (n, 3) [m].

    A zone has one velocity, too: its particles have shared their momentum.
    """
    position, velocity = np.array(end.position), np.array(end.velocity)
    for mine in _pieces(cloth, zone, crossing):
        if len(mine) < FEWEST:
            continue
        moved = cloth.free[mine]
        position[mine[moved]] = _moved_rigidly(start[mine], end.position[mine])[moved]
        velocity[mine[moved]] = end.velocity[mine].mean(axis=0)
    return State(position, velocity, end.time)


def _pieces(cloth: Cloth, zone: Bools, crossing: Ints) -> list[Ints]:
    """Return the particles of each zone: what hangs together, is sewn to each other or crosses."""
    inner = cloth.triangles[zone[cloth.triangles].all(axis=1)]
    sewn = np.stack([np.arange(len(zone)), cloth.label], axis=1)
    pairs = np.concatenate([inner[:, :2], inner[:, 1:], cloth.triangles[crossing, 0], sewn])
    piece = linked(len(zone), pairs)
    return [np.flatnonzero(zone & (piece == n)).astype(np.int32) for n in np.unique(piece[zone])]


def _moved_rigidly(shape: Floats, place: Floats) -> Floats:
    """Return points (k, 3) turned and shifted to where others are on average (Kabsch 1976)."""
    middle, at = shape.mean(axis=0), place.mean(axis=0)
    # sums in one order, whatever the number of threads
    turned = nearest_rotation(np.einsum("na,nb->ab", shape - middle, place - at))
    return np.asarray((shape - middle) @ turned + at)
