"""The measurements that a draft needs, with what can be derived from others when one is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from toile.core.errors import ToileError

_DERIVED: dict[str, Callable[[Measures], float]] = {
    "height": lambda m: m["waist_height"] / 0.62,
    "waist_height": lambda m: 0.62 * m["height"],
    "hip_height": lambda m: m["waist_height"] - 0.115 * m["height"],
    "crotch_height": lambda m: m.get("inseam", 0.465 * m["height"]),
    "inseam": lambda m: m.get("crotch_height", 0.465 * m["height"]),
    "knee_height": lambda m: 0.27 * m["height"],
    "bust_height": lambda m: 0.725 * m["height"],
    "shoulder_height": lambda m: 0.825 * m["height"],
    "nape_height": lambda m: m["waist_height"] + m["back_length"],
    "neck_height": lambda m: m["nape_height"] - 0.015 * m["height"],
    "neck_width": lambda m: 0.4 * m["neck"],
    "armpit_height": lambda m: m["shoulder_height"] - 0.07 * m["height"],
    "back_length": lambda m: 0.245 * m["height"],
    "front_over_bust": lambda m: m["neck_height"] - m["waist_height"] + 0.035 * m["bust"],
    "bust_front": lambda m: 0.56 * m["bust"],
    "bust_point_width": lambda m: 0.22 * m["bust"],
    "underbust": lambda m: 0.88 * m["bust"],
    "neck": lambda m: 0.17 * m["height"] + 0.06 * m["bust"],
    "shoulder_width": lambda m: 0.19 * m["height"] + 0.06 * m["bust"],
    "arm_length": lambda m: 0.345 * m["height"],
    "upper_arm": lambda m: 0.305 * m["bust"],
    "wrist": lambda m: 0.095 * m["height"],
    "thigh": lambda m: 0.57 * m["hips"],
    "knee": lambda m: 0.37 * m["hips"],
    "calf": lambda m: 0.36 * m["hips"],
    "ankle": lambda m: 0.135 * m["height"],
    "head": lambda m: 0.17 * m["height"] + 0.27,
}
"""rules of thumb of human proportion, used only where a body does not say"""

_LIMITS = (0.02, 3.0)

TOLD = 1e-4
"""smaller changes of what was asked for are not told [m]"""


@dataclass(frozen=True, slots=True)
class Measures:
    """A person's measurements in metres, by name; missing ones are derived from the others."""

    given: Mapping[str, float]
    told: dict[str, str] = field(default_factory=dict, compare=False)
    """option → how and why what was asked for was changed; see tell"""

    def tell(self, option: str, words: str) -> None:
        """Note that an option does not come out as it was asked for."""
        self.told[option] = words

    def __getitem__(self, name: str) -> float:
        """Return a measurement [m]; an error names what must be given."""
        if name in self.given:
            return _checked(name, self.given[name])
        if name not in _DERIVED or (name in ("height", "waist_height") and not self._has_size()):
            raise ToileError(f"measurement '{name}' is missing: give it in metres, as in {name}=0.9")
        return _DERIVED[name](self)

    def get(self, name: str, default: float) -> float:
        """Return a given measurement, or the default."""
        return _checked(name, self.given[name]) if name in self.given else default

    def _has_size(self) -> bool:
        return "height" in self.given or "waist_height" in self.given


def _checked(name: str, value: float) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value) or not _LIMITS[0] < value < _LIMITS[1]:
        raise ToileError(f"measurement '{name}' is {value!r}: wanted metres between 0.02 and 3")
    return float(value)
