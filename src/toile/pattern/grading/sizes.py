"""Sizes: the girths of EN 13402-3 for women and men, patterns drafted in every size, the size for a body.

Size numbers are the continental ones: for women half the bust less 6 cm, up to 46; for men half the chest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.pattern.drafts.library import draft


@dataclass(frozen=True, slots=True)
class Size:
    """The body that a size is made for [m]."""

    name: str
    bust: float
    """bust girth of women, chest girth of men"""
    waist: float
    hips: float
    letter: str
    """XXS … 5XL"""

    def measurements(self, height: float) -> dict[str, float]:
        """Return the measurements from which a draft derives all others [m]."""
        return {"height": height, "bust": self.bust, "waist": self.waist, "hips": self.hips}


# EN 13402-3:2004: intervals of 4 cm in the middle of the range, then 6 cm (hips 5 cm)
_WOMEN_BUST = (76, 80, 84, 88, 92, 96, 100, 104, 110, 116, 122, 128, 134, 140, 146, 152)
_WOMEN_WAIST = (60, 64, 68, 72, 76, 80, 84, 88, 94, 100, 106, 112, 118, 124, 130, 136)
_WOMEN_HIPS = (84, 88, 92, 96, 100, 104, 108, 112, 117, 122, 127, 132, 137, 142, 147, 152)
_MEN_CHEST = (84, 88, 92, 96, 100, 104, 108, 112, 116, 120, 126, 132, 138, 144)
_MEN_WAIST = (72, 76, 80, 84, 88, 92, 96, 100, 104, 108, 114, 120, 126, 132)
_WOMEN_LETTERS = (74, 82, 90, 98, 107, 119, 131, 143, 155)
"""bust at which a letter ends [cm], XXS first (docs/sizes.md names the sources)"""
_MEN_LETTERS = (78, 86, 94, 102, 110, 118, 129, 141, 154)
_LETTERS = ("XXS", "XS", "S", "M", "L", "XL", "XXL", "3XL", "4XL", "5XL")

HEIGHT = {"woman": 1.68, "man": 1.80}
"""height that a size without its own is drafted for [m]"""


def _letter(girth: float, bounds: tuple[int, ...]) -> str:
    return _LETTERS[sum(girth >= bound for bound in bounds)]


def _women() -> dict[str, Size]:
    rows = enumerate(zip(_WOMEN_BUST, _WOMEN_WAIST, _WOMEN_HIPS, strict=True))
    return {
        str(32 + 2 * k): Size(str(32 + 2 * k), b / 100, w / 100, h / 100, _letter(b, _WOMEN_LETTERS))
        for k, (b, w, h) in rows
    }


def _men() -> dict[str, Size]:
    # the standard gives men no hips: close to the chest in slim sizes, behind it in stout ones
    return {
        str(c // 2): Size(str(c // 2), c / 100, w / 100, (0.72 * c + 27.0) / 100, _letter(c, _MEN_LETTERS))
        for c, w in zip(_MEN_CHEST, _MEN_WAIST, strict=True)
    }


SIZES: dict[str, dict[str, Size]] = {"woman": _women(), "man": _men()}
"""woman or man → size number → girths, ascending"""


def sizes_named(text: str, sex: str = "woman") -> list[Size]:
    """Return the sizes that a text names: ``38``, ``34-46``, ``S,M,L`` or ``all``."""
    table = _table(sex)
    if text.strip().lower() == "all":
        return list(table.values())
    found: list[Size] = []
    for word in re.split(r"[,\s]+", text.strip()):
        found += _sizes_of_word(word, table, sex)
    return found


def _sizes_of_word(word: str, table: Mapping[str, Size], sex: str) -> list[Size]:
    first, dash, last = word.partition("-")
    names = list(table)
    if dash and first in table and last in table and names.index(first) <= names.index(last):
        return [table[n] for n in names[names.index(first) : names.index(last) + 1]]
    if word in table:
        return [table[word]]
    lettered = [size for size in table.values() if size.letter == word.upper()]
    if not lettered:
        letters = ", ".join(dict.fromkeys(s.letter for s in table.values()))
        raise ToileError(f"there is no size '{word}' for a {sex}: choose {', '.join(names)} or {letters}")
    # a letter spans two numbers or more: its middle stands for it
    return [lettered[(len(lettered) - 1) // 2]]


def graded_drafts(
    name: str, sizes: Iterable[Size], *, sex: str = "woman", height: float = 0.0, **style: Any
) -> dict[str, Pattern]:
    """Return a drafted garment in each size, drafted anew for the girths of the size; height in metres."""
    tall = height or HEIGHT[_known(sex)]
    return {size.name: draft(name, size.measurements(tall), **style) for size in sizes}


def best_size(measurements: Mapping[str, float], sex: str = "woman", *, below: bool = False) -> Size:
    """Return the size whose girths are nearest; a garment may be wider than planned rather than tighter.

    below: a garment for the lower body, judged by waist and hips instead of bust and waist.
    """
    names = ("waist", "hips") if below else ("bust", "waist")
    missing = [n for n in names if n not in measurements]
    if missing:
        raise ToileError(f"measurement '{missing[0]}' is missing: the size cannot be chosen")

    def misfit(size: Size) -> float:
        gaps = [float(getattr(size, n)) - float(measurements[n]) for n in names]
        # tightness counts twice
        return float(sum((gap if gap > 0.0 else -2.0 * gap) ** 2 for gap in gaps))

    return min(_table(sex).values(), key=misfit)


def _table(sex: str) -> dict[str, Size]:
    return SIZES[_known(sex)]


def _known(sex: str) -> str:
    if sex not in SIZES:
        raise ToileError(f"there are no sizes for '{sex}': choose {', '.join(SIZES)}")
    return sex
