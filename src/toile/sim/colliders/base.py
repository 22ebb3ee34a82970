"""The contract between colliders and solvers, and contact with nothing.

A collider answers one question: which points are near the skin, how far, in which direction, and how does
the skin move there? What happens then is decided by the solver, or by `respond` in contacts.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from toile.core.records import ContactQuery, Contacts, Floats, PosedBody, as_floats, as_ints

if TYPE_CHECKING:
    from toile._kernels import SkinContact


class Collider(ABC):
    """Knows one body. Everything constant is prepared in ``__init__(body, settings)``.

    `at` is a must; what else is asked of a collider has defaults here.
    """

    follows: bool = False
    """its contacts can be tracked (`Contacts.tracked`): a solver follows them over the skin and asks less"""
    skin: SkinContact | None = None
    """the engine's contact with the skin itself, if that is what is asked: exact repair and rest need it"""

    @abstractmethod
    def at(self, body: PosedBody) -> ContactQuery:
        """Return the body at one instant, to be asked many times; once per body step."""

    def meanwhile(self, body: PosedBody, since: float, boxes: Floats) -> ContactQuery:
        """Return the body since [s] after `at`, where only skin near boxes (k, 2, 3) [m] moves fast.

        Asked of those that follow only. They may go on from the contacts of that time outside the boxes.
        """
        return self.at(body)


NO_CONTACTS = Contacts(
    particle=as_ints([], 0),
    gap=as_floats([], 0),
    normal=as_floats(np.zeros((0, 3)), 0, 3),
    velocity=as_floats(np.zeros((0, 3)), 0, 3),
)
"""nothing touches"""


class _Nowhere(ContactQuery):
    """Empty space."""

    nowhere = True


no_contacts = _Nowhere(lambda _: NO_CONTACTS)
"""the query of empty space"""
