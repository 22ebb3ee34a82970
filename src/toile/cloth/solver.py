"""The contract of a cloth solver."""

from typing import Protocol

from toile.types import Scene, State


class Solver(Protocol):
    """Moves one garment. Everything constant is prepared in ``__init__(garment, settings)``."""

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later. The solver picks its own substeps inside dt."""
