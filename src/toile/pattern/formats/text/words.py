"""Words and numbers of the garment text file: quoting, exact lengths and angles, edge references."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from toile.core.errors import ToileError

METRES = {"mm": Decimal("0.001"), "cm": Decimal("0.01"), "m": Decimal(1), "in": Decimal("0.0254")}
"""length units of a file"""

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_BARE = r"[^\W\d][\w-]*"
_TOKEN = re.compile(
    rf"(?P<ref>-?(?:{_QUOTED}|{_BARE})\.(?:\d+(?:\.\.\d+)?(?![\w.-])|{_QUOTED}|{_BARE}(?![\w.-]))(?:\[[^\]\s]*\])?)"
    rf"|(?P<quoted>{_QUOTED})|(?P<sign>[=,:])|(?P<word>[^\s\"#=,:]+)"
)
_REF = re.compile(
    rf"(?P<back>-?)(?P<panel>{_QUOTED}|{_BARE})\."
    rf"(?:(?P<low>\d+)(?:\.\.(?P<high>\d+))?|(?P<edge>{_QUOTED}|{_BARE}))(?:\[(?P<part>[^\]\s]*)\])?$"
)
_PLAIN = re.compile(_BARE)
_RESERVED = frozenset({"start", "to", "as", "ease", "gather", "angle", "of", "mirror", "copy"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a line: kind is ref, quoted, sign or word."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Ref:
    """An edge or a range of edges of a panel, as written."""

    panel: str
    low: int
    """first edge, -1: known by name"""
    high: int
    name: str
    backwards: bool
    part: str = ""
    """LOW..HIGH of a part of the edge, as written; empty: all of it"""


def tokens_of(line: str) -> list[Token]:
    """Return the words of a line without its comment."""
    found: list[Token] = []
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        if line[at] == "#":
            break
        match = _TOKEN.match(line, at)
        if match is None:
            raise ToileError(f"a quote is not closed: {line[at : at + 30]}")
        found.append(Token(str(match.lastgroup), match.group()))
        at = match.end()
    return found


def name_of(token: Token) -> str:
    """Return a name, quoted or bare."""
    if token.kind == "quoted":
        return _unquote(token.text)
    if token.kind == "sign":
        raise ToileError(f"a name is wanted, not '{token.text}'")
    return token.text


def ref_of(token: Token) -> Ref:
    """Return the edge reference ``panel.edge``, ``-panel.edge``, ``panel.2..5``, ``panel.edge[3..12.5]``."""
    match = _REF.match(token.text) if token.kind == "ref" else None
    if match is None:
        raise ToileError(f"'{token.text[:40]}' is not an edge: write panel.name or panel.number")
    panel, edge = (_maybe_quoted(match[key] or "") for key in ("panel", "edge"))
    low = int(match["low"][:9]) if match["low"] else -1
    high = int(match["high"][:9]) if match["high"] else low
    part = match["part"]
    if part is not None and (".." not in part or high != low):
        raise ToileError(f"'{token.text[:40]}': write a part of one edge as panel.edge[3..12.5]")
    return Ref(panel, low, high, edge, bool(match["back"]), part or "")


def _maybe_quoted(text: str) -> str:
    return _unquote(text) if text.startswith('"') else text


def _unquote(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError as error:
        raise ToileError(f"{text[:40]} is not a quoted text") from error


def quote(name: str) -> str:
    """Return a name as it is written: bare where possible, else quoted."""
    if _PLAIN.fullmatch(name) and name not in _RESERVED:
        return name
    return json.dumps(name, ensure_ascii=False)


# ---------------------------------------------------------------------------- numbers


def number_of(token: Token) -> float:
    """Return a plain finite number."""
    return float(_decimal(token))


def length_of(token: Token, unit: Decimal) -> float:
    """Return metres; decimal arithmetic, so that a written length is read back bit for bit."""
    return _finite(_decimal(token) * unit, token)


def angle_of(tokens: list[Token]) -> float:
    """Return radians from ``NUMBER`` in degrees or ``NUMBER rad``."""
    value = number_of(tokens[0])
    return value if len(tokens) > 1 and tokens[1].text == "rad" else math.radians(value)


def _decimal(token: Token) -> Decimal:
    text = token.text
    try:
        if token.kind not in ("word", "ref") or len(text) > 60 or not text.isascii() or "_" in text:
            raise InvalidOperation
        value = Decimal(text)
        if not value.is_finite() or abs(value.adjusted()) > 400:
            raise InvalidOperation
    except InvalidOperation as error:
        raise ToileError(f"'{text[:40]}' is not a number") from error
    _finite(value, token)
    return value


def _finite(value: Decimal, token: Token) -> float:
    result = float(value)
    if not math.isfinite(result):
        raise ToileError(f"the number {token.text[:40]} is too large")
    return result


def length_text(metres: float, unit: Decimal = METRES["cm"]) -> str:
    """Return the shortest decimal that reads back as exactly this length, in units of a power of ten."""
    value = (Decimal(repr(float(metres))) / unit).normalize()
    return format(value, "f") if abs(value.adjusted()) < 18 else str(value)


def angle_text(radians: float) -> str:
    """Return degrees where they read back exactly, else radians."""
    degrees = math.degrees(radians)
    for digits in (0, 1, 2, 3, 4, 6, 8, 10, 12, 14):
        text = repr(round(degrees, digits) + 0.0)
        if math.radians(float(text)) == radians:
            return text.removesuffix(".0")
    if math.radians(degrees) == radians:
        return repr(degrees)
    return f"{radians!r} rad"
