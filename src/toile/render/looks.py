"""How each fabric looks: weave, gloss, sheen, cover, stitching; for pictures, GLB files and the browser.

`looks.json` beside this file is read by the viewer too. How cloth behaves stands in the fabric database.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from toile.core.errors import ToileError
from toile.render.weaves import WEAVES

PLAIN = "cotton"
"""the look of a fabric that has none of its own"""


@dataclass(frozen=True, slots=True)
class Look:
    """What the eye tells a fabric by, but for its colour."""

    weave: str
    """name in `weaves.WEAVES`"""
    tile: float
    """width of one tile of the weave [m]"""
    depth: float
    """between the crest of a thread and the ground [m]"""
    roughness: float
    """0 mirror, 1 matt"""
    sheen: float
    """light that fibres catch at the rim, 0 to 1"""
    uneven: float
    """how much the colour wanders along the threads, 0 to 1"""
    hem: float
    """distance of the hem's stitches from the edge [m]; 0: cut raw"""
    sheen_roughness: float = 0.5
    """0 a thin bright rim, 1 a wide soft one"""
    anisotropy: float = 0.0
    """gloss drawn out across the warp, 0 to 1"""
    cover: float = 1.0
    """share of what lies behind that the cloth hides"""
    stitch: str | None = None
    """colour of topstitches, "#rrggbb"; None: a shade beside the cloth's; empty: they do not show"""
    stitch_length: float = 0.0025
    """[m]"""

    def __post_init__(self) -> None:
        if self.weave not in WEAVES:
            raise ToileError(f"looks: there is no weave '{self.weave}'; choose {', '.join(WEAVES)}")
        if self.tile <= 0 or self.depth < 0:
            raise ToileError(f"looks: a tile of {self.tile:g} m and a depth of {self.depth:g} m cannot be")
        for name in ("roughness", "sheen", "uneven", "sheen_roughness", "anisotropy", "cover"):
            if not 0 <= getattr(self, name) <= 1:
                raise ToileError(f"looks: {name} is {getattr(self, name):g}, wanted 0 to 1")


@lru_cache(maxsize=1)
def looks() -> Mapping[str, Look]:
    """Return the looks by fabric."""
    text = resources.files("toile.render").joinpath("looks.json").read_text(encoding="utf-8")
    return {name: Look(**figures) for name, figures in json.loads(text).items()}


def look(fabric: str) -> Look:
    """Return the look of a fabric by name; of one that we do not know, that of plain cotton."""
    known = looks()
    return known.get(fabric, known[PLAIN])
