"""The table of colliders and the one contact response, `respond`. What a collider is stands in base.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from toile import _kernels
from toile.core.choices import make_method
from toile.core.records import Body, Contacts, Floats
from toile.sim.colliders.base import Collider
from toile.sim.colliders.bones import BoneCollider, BoneSettings
from toile.sim.colliders.boxes import BoxCollider, BoxSettings
from toile.sim.colliders.ellipsoids import EllipsoidCollider, EllipsoidSettings
from toile.sim.colliders.limb_maps import LimbMapCollider, LimbMapSettings
from toile.sim.colliders.maps import MapCollider, MapSettings
from toile.sim.colliders.surface import SurfaceCollider, SurfaceSettings

COLLIDERS: dict[str, tuple[Any, Any]] = {
    "surface": (SurfaceCollider, SurfaceSettings),
    "ellipsoids": (EllipsoidCollider, EllipsoidSettings),
    "maps": (MapCollider, MapSettings),
    "limb_maps": (LimbMapCollider, LimbMapSettings),
    "boxes": (BoxCollider, BoxSettings),
    "bones": (BoneCollider, BoneSettings),
}
"""name → (collider class, settings class)"""


def make_collider(name: str, body: Body, **settings: Any) -> Collider:
    """Return the named collider for a body; settings are the fields of its settings class."""
    made: Collider = make_method("collider", COLLIDERS, name, body, settings)
    return made


def respond(
    position: Floats,
    velocity: Floats,
    contacts: Contacts,
    *,
    thickness: ArrayLike = 0.0,
    friction: ArrayLike = 0.0,
    dt: float,
) -> tuple[Floats, Floats]:
    """Return position [m] and velocity [m/s] after contact; both (n, 3).

    `position` was reached with `velocity` in the last dt seconds and is where the contacts were asked for.
    thickness [m] and friction (Coulomb's μ) are numbers or one per particle. With u = v − v_skin, uₙ = u·n:

    - depth d = thickness − gap > 0: x ← x + d n
    - approaching, uₙ < 0: the normal impulse J = −uₙ (per mass) stops it; friction takes min(μ J, |u_t|)
      from the sliding speed |u_t|: all of it while the surface grips (static), μ J when it slides (kinetic)
    - what friction took from the velocity it also takes from this step's way: x ← x − dt Δu_t

    A particle with several contacts meets them one after the other. Depth is mended without giving speed.
    """
    count = len(position)
    found: tuple[Floats, Floats] = _kernels.respond(
        np.ascontiguousarray(position),
        np.ascontiguousarray(velocity),
        contacts.particle,
        contacts.gap,
        contacts.normal,
        contacts.velocity,
        _per_particle(thickness, count),
        contact_friction(contacts, _per_particle(friction, count)),
        dt,
    )
    return found


def advance_contacts(contacts: Contacts, time: float) -> Contacts:
    """Return the contacts with the skin moved on by time [s]: a query knows the start of a step only."""
    if time == 0.0 or not contacts.velocity.any():
        return contacts
    advance = np.einsum("ca,ca->c", contacts.normal, contacts.velocity) * time
    return replace(contacts, gap=contacts.gap - advance)


def _per_particle(value: ArrayLike, count: int) -> Floats:
    """Return a number, or one per particle, as one per particle, (n,)."""
    return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype=np.float64), count))


def contact_friction(contacts: Contacts, friction: Floats) -> Floats:
    """Return the friction of each particle, (n,), less where it lies on skin that grips less."""
    return friction if contacts.grip is None else friction * _least_grip(contacts, len(friction))


def contact_grip(contacts: Contacts) -> Floats:
    """Return the share of friction that acts at each contact, (c,): the least of its particle's contacts."""
    return _least_grip(contacts, int(contacts.particle.max(initial=-1)) + 1)[contacts.particle]


def _least_grip(contacts: Contacts, count: int) -> Floats:
    least = np.ones(count)
    if contacts.grip is not None:
        np.minimum.at(least, contacts.particle, contacts.grip)
    return least
