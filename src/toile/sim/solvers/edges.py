"""What solvers on mesh edges share: rest lengths, sweeps over edges, contact within a step."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from toile.core.records import Floats, Garment, Ints, Scene
from toile.geometry.topology import by_colour, colour_constraints, unique_edges
from toile.sim.colliders.contacts import advance_contacts, respond


def rest_lengths(garment: Garment) -> tuple[Ints, Floats]:
    """Return the edges between particles, (e, 2), and their lengths in the flat pieces [m], (e,).

    An edge along a welded seam lies in two pieces: the mean of both lengths.
    """
    edges, of_side = unique_edges(garment.triangles)
    corner = garment.uv[garment.triangles_uv]
    side = np.linalg.norm(np.roll(corner, -1, axis=1) - corner, axis=2).ravel()
    return edges, np.bincount(of_side, side) / np.bincount(of_side)


@dataclass(frozen=True, eq=False, slots=True)
class Sweep:
    """Distance constraints in groups that share no particle: one group is projected at a time."""

    pairs: tuple[Ints, ...]
    """per group, each (k, 2)"""
    length: tuple[Floats, ...]
    """wanted or longest length [m], each (k,)"""

    @staticmethod
    def over(pairs: Ints, length: Floats, count: int) -> Sweep:
        """Return the constraints in groups, for that many particles."""
        order, offsets = by_colour(colour_constraints(pairs, count))
        parts = [order[a:b] for a, b in pairwise(offsets)]
        return Sweep(tuple(pairs[p] for p in parts), tuple(length[p] for p in parts))

    def project(self, x: Floats, weight: Floats, share: float, *, only_long: bool = False) -> None:
        """Bring each pair nearer to its length, in place.

        Both ends together mend the part `share` of the difference, divided by their weights, (n,);
        only_long leaves alone what is too short.
        """
        for pairs, length in zip(self.pairs, self.length, strict=True):
            p, q = pairs[:, 0], pairs[:, 1]
            way = x[q] - x[p]
            now = np.sqrt(np.einsum("ij,ij->i", way, way))
            excess = now - length
            if only_long:
                excess = np.maximum(excess, 0.0)
            total = weight[p] + weight[q]
            scale = share * excess / np.maximum(now * total, 1e-30)
            pull = scale[:, None] * way
            x[p] += weight[p][:, None] * pull
            x[q] -= weight[q][:, None] * pull


def after_contact(
    scene: Scene, x: Floats, v: Floats, *, since: float, dt: float, thickness: float, friction: Floats
) -> tuple[Floats, Floats]:
    """Return position and velocity after contact with the skin as it is `since` seconds into the step."""
    found = scene.contacts(x)
    if not len(found.particle):
        return x, v
    return respond(x, v, advance_contacts(found, since), thickness=thickness, friction=friction, dt=dt)
