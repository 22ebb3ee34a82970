"""Hand proxies: the convex hull that cloth touches instead of spread fingers.

A fingertip is finer than the mesh of most cloth. A swinging hand would catch a fold with its thumb: one
vertex before the tip, its neighbours past it on both sides, and the edges between them stretched to twice
their length. Contact sees the convex hull of each hand instead, made of the hand's own vertices, so that it
moves with them. It encloses the true skin, which the audit still asks. A hand whose fingers bend has another
hull: then contact sees the skin itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from toile._kernels import most_bent
from toile.core.records import LIMBS, Body, Bools, Floats, Ints

HANDS = ("left_hand", "right_hand")
FEET = ("left_foot", "right_foot")
FEWEST = 12
"""a hand of fewer vertices has no fingers"""
BEND = 0.004
"""fingertips that move by more than this against each other bend [m]"""
FARTHEST = 6
"""vertices of each hand that are watched, those farthest out"""


@dataclass(frozen=True, eq=False, slots=True)
class HandProxies:
    """The skin of one body as contact sees it."""

    triangles: Ints
    """(t, 3), of the body's own vertices"""
    watched: Ints
    """pairs of fingertips of one hand, (p, 2)"""
    apart: Floats
    """their distances at rest [m], (p,)"""

    def fit(self, vertices: Floats) -> bool:
        """Return whether no finger bends in this pose: posed skin (n, 3) [m]."""
        return bool(most_bent(vertices, self.watched, self.apart) < BEND)


def _distances(vertices: Floats, pairs: Ints) -> Floats:
    """Return how far the two vertices of each pair are from each other, (p,) [m]."""
    delta = vertices[pairs[:, 0]] - vertices[pairs[:, 1]]
    return np.asarray(np.sqrt(np.einsum("pa,pa->p", delta, delta)))


def with_hulls(body: Body) -> Body:
    """Return the body with convex hands and feet: while it is dressed no finger or toe comes through."""
    made = hand_proxies(body, (*HANDS, *FEET))
    return body if made is None else replace(body, triangles=made.triangles)


def hand_proxies(body: Body, names: Sequence[str] = HANDS) -> HandProxies | None:
    """Return the hand proxies of a body in its rest pose; None: it has no hands."""
    made = [hand for hand in (_hand_hull(body, LIMBS.index(name)) for name in names) if hand is not None]
    if not made:
        return None
    bare = np.logical_or.reduce([covered for covered, _, _ in made])
    triangles = np.concatenate([body.triangles[~bare], *(hull for _, hull, _ in made)])
    watched = np.array([pair for _, _, some in made for pair in combinations(some.tolist(), 2)], np.int32)
    return HandProxies(triangles, watched, _distances(body.vertices, watched))


def _hand_hull(body: Body, limb: int) -> tuple[Bools, Ints, Ints] | None:
    """Return the skin triangles that a proxy covers, its own triangles, and its outermost vertices."""
    mine = body.limb == limb
    hand = np.flatnonzero(mine)
    corners = mine[body.triangles]
    covered = corners.all(axis=1)
    # vertices where the hand joins the arm
    wrist = np.zeros(len(mine), dtype=bool)
    wrist[body.triangles[corners.any(axis=1) & ~covered]] = True
    wrist &= mine
    if len(hand) < FEWEST or not wrist.any():
        return None
    try:
        hull = ConvexHull(body.vertices[hand])
    except QhullError:  # flat
        return None
    triangles = _outward(hand[hull.simplices], body.vertices, hull.equations[:, :3])
    # the lid lies within the arm
    triangles = triangles[~wrist[triangles].all(axis=1)].astype(body.triangles.dtype)
    out = hand[hull.vertices]
    far = np.linalg.norm(body.vertices[out] - body.vertices[wrist].mean(axis=0), axis=1)
    return covered, triangles, out[np.argsort(-far)[:FARTHEST]].astype(np.int32)


def _outward(triangles: Ints, vertices: Floats, normal: Floats) -> Ints:
    """Return triangles (t, 3) turned so that their corners run round their outward normals (t, 3)."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    inward = np.einsum("ta,ta->t", np.cross(b - a, c - a), normal) < 0
    return np.where(inward[:, None], triangles[:, ::-1], triangles)
