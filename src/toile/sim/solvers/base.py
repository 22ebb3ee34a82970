"""The contract of a cloth solver."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from toile.core.records import Floats, Garment, Ints, Scene, State


class Solver(ABC):
    """Moves one garment. Everything constant is prepared in ``__init__(garment, settings)``.

    `pin` and `step` are musts; what else is asked of a solver has defaults here.
    """

    @classmethod
    def worn_on(cls, garment: Garment, settings: Any, worn: Floats) -> Self:
        """Return the solver of a garment that sits on a body at worn [m], (n, 3); most need not know that."""
        make: Callable[..., Self] = cls
        return make(garment, settings)

    @property
    def longest_contact_step(self) -> float:
        """Return the longest time between two contact updates [s]."""
        return math.inf

    @property
    def followed_updates(self) -> int:
        """Return in how many contact updates the skin is searched once; contacts are followed between."""
        return 1

    @abstractmethod
    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever forces act on them."""

    @abstractmethod
    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later. The solver picks its own substeps inside dt."""


Substep = Callable[[Floats, Floats, Scene, float, float], tuple[Floats, Floats]]
"""(position, velocity, scene, length [s], time since the step began [s]) → position and velocity after it"""


def in_substeps(substep: Substep, longest: float, state: State, scene: Scene, dt: float) -> State:
    """Return the state dt seconds later, in equal substeps of at most `longest` seconds."""
    count = max(1, int(np.ceil(dt / longest - 1e-9)))
    h = dt / count
    x, v = state.position, state.velocity
    for k in range(count):
        x, v = substep(x, v, scene, h, (k + 1) * h)
    return State(position=x, velocity=v, time=state.time + dt)
