"""How people write lengths, angles and whose body it is: the same on every command."""

from __future__ import annotations

import argparse
import math
import sys

from toile.cli.talk import TALK
from toile.core.errors import ToileError
from toile.core.units import has_no_unit, parse_length

BARE: list[str] = []
"""numbers without a unit, in the words of this command line: told once, before the work starts"""
SEXES = {"woman": "woman", "female": "woman", "man": "man", "male": "man"}


def length(text: str) -> float:
    """Return metres from an option such as 1.5cm or 5ft 7in; a bare number means centimetres, and is told."""
    try:
        metres = parse_length(text)
    except ToileError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if has_no_unit(text) and metres != 0.0:
        BARE.append(text)
    return metres


def sex(text: str) -> str:
    """Return woman or man, as it is called in all commands; female and male mean the same."""
    if text.lower() not in SEXES:
        raise argparse.ArgumentTypeError(f"'{text[:20]}' is not known: write {', '.join(SEXES)}")
    return SEXES[text.lower()]


def angle(text: str) -> float:
    """Return radians from degrees, such as 30 or 30deg."""
    try:
        degrees = float(text.removesuffix("deg").removesuffix("°"))
    except ValueError:
        degrees = math.nan
    if not math.isfinite(degrees):
        raise argparse.ArgumentTypeError(f"'{text[:20]}' is not an angle: write degrees, such as 30deg")
    return math.radians(degrees)


def tell_bare_numbers() -> None:
    """Say once that numbers without a unit were read as centimetres."""
    if BARE and not TALK.quiet:
        words = ", ".join(dict.fromkeys(BARE))
        TALK.add("notes", f"without a unit, so read as cm: {words}")
        print(f"note: without a unit, so read as cm: {words}", file=sys.stderr)
        BARE.clear()
