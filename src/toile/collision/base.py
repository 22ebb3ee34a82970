"""The contract between colliders and solvers, and contact with nothing.

A collider answers one question: which points are near the skin, how far, in which direction, and how does
the skin move there? What happens then is decided by the solver, or by `respond` in contacts.py.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from toile.types import ContactQuery, Contacts, Floats, PosedBody, as_floats, as_ints


class Collider(Protocol):
    """Knows one body. Everything constant is prepared in ``__init__(body, settings)``."""

    def at(self, body: PosedBody) -> ContactQuery:
        """Return the body at one instant, to be asked many times; once per body step."""


NO_CONTACTS = Contacts(
    particle=as_ints([], 0),
    gap=as_floats([], 0),
    normal=as_floats(np.zeros((0, 3)), 0, 3),
    velocity=as_floats(np.zeros((0, 3)), 0, 3),
)
"""nothing touches"""


class Nowhere:
    """Empty space: it has no contacts, so nobody need ask more than once a step."""

    nowhere = True

    def __call__(self, position: Floats) -> Contacts:
        """Return no contact at all."""
        return NO_CONTACTS


no_contacts = Nowhere()
"""the query of empty space"""
