"""Garments drafted from measurements, each a short program in tailoring words."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from toile.core.choices import choose
from toile.core.errors import ToileError
from toile.core.records import Pattern
from toile.pattern.drafts.dress import dress, sleeved_dress
from toile.pattern.drafts.jacket import coat, hooded_jacket
from toile.pattern.drafts.limits import check_kind, check_number
from toile.pattern.drafts.measures import Measures
from toile.pattern.drafts.shirt import shirt
from toile.pattern.drafts.skirt import circle_skirt, pleated_skirt, skirt
from toile.pattern.drafts.top import top
from toile.pattern.drafts.trousers import shorts, trousers
from toile.pattern.drafts.tshirt import tshirt
from toile.pattern.model.check import check_pattern
from toile.pattern.model.curves import area

Draft = Callable[..., Pattern]

DRAFTS: dict[str, Draft] = {
    "skirt": skirt,
    "circle_skirt": circle_skirt,
    "pleated_skirt": pleated_skirt,
    "top": top,
    "tshirt": tshirt,
    "shirt": shirt,
    "trousers": trousers,
    "shorts": shorts,
    "dress": dress,
    "sleeved_dress": sleeved_dress,
    "hooded_jacket": hooded_jacket,
    "coat": coat,
}
"""name → program(measures, **style)"""


def draft(name: str, measurements: Mapping[str, float], **style: Any) -> Pattern:
    """Return the pattern of a garment for these measurements [m], with style options (see `options`)."""
    check_style(name, style)
    m = Measures(measurements)
    pattern = DRAFTS[name](m, **style)
    # defaults suit themselves to a body without a word; what was asked for does not change unsaid
    notes = tuple(f"{name}: {key}={style[key]}: {words}" for key, words in m.told.items() if key in style)
    return checked_draft(
        replace(pattern, recipe=recipe_text(name, style), notes=(*pattern.notes, *notes)), style
    )


def checked_draft(pattern: Pattern, style: Mapping[str, Any]) -> Pattern:
    """Return a drafted pattern if its pieces can be cut; the error names the style."""
    words = " ".join(f"{key}={value}" for key, value in style.items())
    try:
        check_pattern(pattern)
    except ToileError as error:
        raise ToileError(
            f"draft {pattern.name} with {words or 'no options'} cannot be cut: {error}"
        ) from None
    for panel in pattern.panels:
        if area(panel) <= LEAST_AREA:
            raise ToileError(
                f"draft {pattern.name} with {words} cannot be cut: nothing is left of {panel.name}"
            )
    return pattern


LEAST_AREA = 1e-4
"""of a piece [m²]"""


def check_style(name: str, style: Mapping[str, Any]) -> None:
    """Refuse a draft or a style option that there is not, and values that make no sense."""
    choose("draft", DRAFTS, name)
    known = options(name)
    for option, value in style.items():
        if option not in known:
            raise ToileError(f"draft {name} has no option '{option}': choose {', '.join(known)}")
        check_kind(name, option, value, known[option])
        if not isinstance(value, str):
            check_number(name, option, value)


def recipe_text(name: str, style: Mapping[str, Any]) -> str:
    """Return a draft and its style as one line, from which `draft_again` makes it anew."""
    return " ".join([name, *(f"{key}={value}" for key, value in style.items())])


def draft_again(recipe: str, measurements: Mapping[str, float]) -> Pattern:
    """Return the garment of a recipe for other measurements [m]."""
    name, *words = recipe.split()
    if name not in DRAFTS:
        raise ToileError(f"'{recipe[:60]}' is no recipe: it starts with one of {', '.join(DRAFTS)}")
    known, style = options(name), {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in known:
            raise ToileError(f"recipe '{recipe[:60]}': '{word[:30]}' is no option of {name}")
        style[key] = _value(value)
    return draft(name, measurements, **style)


def _value(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def options(name: str) -> dict[str, Any]:
    """Return the style options of a draft and their defaults."""
    parameters = inspect.signature(DRAFTS[name]).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
