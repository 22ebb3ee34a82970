"""What solvers on mesh edges share: rest lengths, contact within a step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.core.records import Contacts, Floats, Garment, Ints, Scene
from toile.geometry.topology import unique_edges
from toile.sim.colliders.contacts import advance_contacts, respond


def rest_lengths(garment: Garment) -> tuple[Ints, Floats]:
    """Return the edges between particles, (e, 2), and their lengths in the flat pieces [m], (e,).

    An edge along a welded seam lies in two pieces: the mean of both lengths.
    """
    edges, of_side = unique_edges(garment.triangles)
    corner = garment.uv[garment.triangles_uv]
    side = np.linalg.norm(np.roll(corner, -1, axis=1) - corner, axis=2).ravel()
    return edges, np.bincount(of_side, side) / np.bincount(of_side)


def bias(garment: Garment) -> Floats:
    """Return how far each edge lies on the bias, (e,): sin² of twice its angle to the warp."""
    _, of_side = unique_edges(garment.triangles)
    corner = garment.uv[garment.triangles_uv]
    edge = (np.roll(corner, -1, axis=1) - corner).reshape(-1, 2)
    share = (2 * edge[:, 0] * edge[:, 1] / np.maximum((edge**2).sum(axis=1), 1e-24)) ** 2
    return np.asarray(np.bincount(of_side, share) / np.bincount(of_side))


def after_contact(
    scene: Scene, x: Floats, v: Floats, *, since: float, dt: float, thickness: float, friction: Floats
) -> tuple[Floats, Floats]:
    """Return position and velocity after contact with the skin as it is `since` seconds into the step."""
    found = contacts_then(scene, x, since)
    if not len(found.particle):
        return x, v
    return respond(x, v, advance_contacts(found, since), thickness=thickness, friction=friction, dt=dt)


def drift(scene: Scene) -> Floats:
    """Return the velocity with which the body travels as a whole [m/s], (3,)."""
    return np.zeros(3) if scene.body is None else np.asarray(scene.body.velocity.mean(axis=0))


def contacts_then(scene: Scene, x: Floats, since: float) -> Contacts:
    """Return the contacts of points [m], (n, 3), `since` seconds into the step, with the skin as it began.

    A query knows the skin where the step began. Cloth travels with the body, several centimetres in a frame,
    farther than contacts reach: it is asked where the point would have been then. The gap is that of the
    point from the skin as it was: less normal · skin velocity · since it is the gap now.
    """
    travel = drift(scene)
    found = scene.contacts(x - since * travel)
    if since == 0.0 or not len(found.particle):
        return found
    return replace(found, gap=found.gap + since * (found.normal @ travel))
