"""The person that a pattern was cut for: a body of the size in which its girths are just wide enough."""

from __future__ import annotations

import re
import warnings

from toile.body.library import open_body
from toile.body.model.check_measures import BodyWarning
from toile.body.model.make import make_body
from toile.core.errors import ToileError
from toile.core.records import Body, Pattern
from toile.fit.girths import TRUNK, girths
from toile.fit.size import SizeTable
from toile.pattern.grading.sizes import HEIGHT

MEN = re.compile(r"(?<![a-z])(m|man|men|mens|male|herren|homme|uomo|hombre|homem|meski|choloviche)(?![a-z])")
EASE_SIZES = 1.0
"""sizes below the one that the garment would be just wide enough for: people wear clothes with some ease"""
RANGE = {"woman": (0.0, 11.0), "man": (1.0, 11.0)}
"""sizes that a body is made in: others are taken as the nearest"""


def wearer_of(pattern: Pattern) -> tuple[str, Body]:
    """Return a body whose size the garment fits, and who that is in words.

    Sex is told by a word in the pattern's name, else it is a woman. A garment that covers no girth, or whose
    pieces cannot be laid out, is put on the standard body.
    """
    sex = "man" if MEN.search(re.sub(r"[\W_]+", " ", pattern.name.lower())) else "woman"
    standard = open_body(sex)
    try:
        found = [g for g in girths(pattern, standard) if g.name in TRUNK]
    except ToileError:
        found = []
    if not found:
        return f"{sex}, standard", standard
    table = SizeTable(sex, standard)
    low, high = RANGE[sex]
    step = round(min(max(table.base(found) - EASE_SIZES, low), high))
    size = table.sizes[step]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BodyWarning)
        body = make_body(
            sex="female" if sex == "woman" else "male", height=HEIGHT[sex],
            bust=size.bust, waist=size.waist, hips=size.hips,
        )  # fmt: skip
    return f"{sex} {size.name}", body
