"""The person that a pattern was cut for: a body of the size in which its girths are just wide enough."""

from __future__ import annotations

import re
import warnings

from toile.body.library import open_body
from toile.body.model.check_measures import BodyWarning
from toile.body.model.make import make_body
from toile.core.errors import ToileError
from toile.core.records import Body, Pattern
from toile.fit.girths import LEGS, TRUNK, Girth, girths
from toile.fit.size import SizeTable
from toile.garment.place.limb_axes import heights
from toile.garment.place.place import align_to_body
from toile.pattern.grading.sizes import HEIGHT

MEN = re.compile(r"(?<![a-z])(m|man|men|mens|male|herren|homme|uomo|hombre|homem|meski|choloviche)(?![a-z])")
EASE_SIZES = 1.0
"""sizes below the one that the garment would be just wide enough for: people wear clothes with some ease"""
UNEVEN = 0.08
"""waist and hips that are more uneven on a woman may be a man's [m]"""
CLEARLY = 0.6
"""a man's proportions must fit so much better than a woman's"""
CLEAR = 0.02
"""least height of a trouser hem above bare soles [m]"""
TALLEST = 1.95
"""people are made up to this height [m]"""
RANGE = {"woman": (0.0, 11.0), "man": (1.0, 11.0)}
"""sizes that a body is made in: others are taken as the nearest"""


def wearer_of(pattern: Pattern) -> tuple[str, Body]:
    """Return a body whose size the garment fits, and who that is in words.

    Sex is told by a word in the pattern's name, else by waist and hips of trousers and skirts: where they
    clearly have a man's proportions it is a man, else a woman. A garment that covers no girth, or whose
    pieces cannot be laid out, is put on the standard body.
    """
    said = "man" if MEN.search(re.sub(r"[\W_]+", " ", pattern.name.lower())) else ""
    women, men = (_trunk_girths(pattern, open_body(one)) for one in ("woman", "man"))
    unlike = _unlike("woman", women)
    manly = unlike > UNEVEN and _unlike("man", men) < CLEARLY * unlike
    sex = said or ("man" if manly else "woman")
    standard, found = open_body(sex), men if sex == "man" else women
    if not found:
        return f"{sex}, standard", standard
    table = SizeTable(sex, standard)
    low, high = RANGE[sex]
    step = round(min(max(table.base(found) - EASE_SIZES, low), high))
    size = table.sizes[step]
    tall = height_for_legs(pattern, standard, HEIGHT[sex])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BodyWarning)
        body = make_body(
            sex="female" if sex == "woman" else "male", height=tall,
            bust=size.bust, waist=size.waist, hips=size.hips,
        )  # fmt: skip
    return f"{sex} {size.name}" + (f", {round(100 * tall)} cm" if tall > HEIGHT[sex] else ""), body


def _trunk_girths(pattern: Pattern, body: Body) -> list[Girth]:
    """Return the garment's girths of the trunk; none if its pieces cannot be laid out."""
    try:
        return [g for g in girths(pattern, body) if g.name in TRUNK]
    except ToileError:
        return []


def _unlike(sex: str, found: list[Girth]) -> float:
    """Return how far girths are from the proportions of a sex [m]: how uneven they are in their best size.

    Boxy tops are worn by everybody: only waist and hips of what hangs from the waist tell.
    """
    if len(found) < 2 or any(g.name == "bust" for g in found):
        return 0.0
    table = SizeTable(sex, open_body(sex))
    step = table.base(found)
    slack = [g.garment - g.least - float(table.girth(g.name, step)) for g in found]
    return max(slack) - min(slack)


def height_for_legs(pattern: Pattern, body: Body, usual: float) -> float:
    """Return how tall the wearer is [m]: taller than usual if the legs would lie on the floor."""
    try:
        laid = [one for one in align_to_body(pattern, body).values() if one.limb in LEGS]
    except ToileError:
        return usual
    if not laid:
        return usual
    # trousers are cut for people of that height: their hem ends above the soles
    below = CLEAR - min(float(one.outline()[:, 1].min()) for one in laid)
    longer = 1.0 + max(0.0, below) / heights(body)["crotch"]
    return min(usual * longer, TALLEST)
