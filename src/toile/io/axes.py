"""What a 3D file means by its numbers: which way is up, how long a unit is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats

UPS = {"Y": np.eye(3), "Z": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])}
"""up axis of a file → turn to y up"""


@dataclass(frozen=True, slots=True)
class Axes:
    """What a file means by its numbers."""

    up: str = "Y"
    """Y or Z"""
    metres: float = 1.0
    """in one of its units"""
    first: float = 1.0
    """the number of its first frame"""

    def __post_init__(self) -> None:
        if self.up not in UPS or not 1e-6 <= self.metres <= 1e6 or not np.isfinite(self.first):
            raise ToileError(f"axes {self.up} up with {self.metres:g} m a unit cannot be used")

    @property
    def ours_from_file(self) -> Floats:
        """Return the turn and scale to metres, y up, (3, 3)."""
        return np.asarray(UPS[self.up] * self.metres)
