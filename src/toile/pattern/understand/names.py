"""What a piece's name and label say: its part, whether it is worn in front or behind, left or right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from toile.core.records import Panel

LEAST_GLUED = 4
"""a word of at least so many letters is also found inside another: POCKETBACK, vorderhose"""
BESIDE = re.compile(
    r"\b(with|w|no|without|mit|ohne|fur|avec|sans|pour|con|sin|para|senza|per|com|sem|bez|dlya|dla)\b"
)
"""what follows describes another piece: FRONT_WITH_POCKET"""
CLOTH = re.compile(r"fabric|shell|self|main|stoff|tissu|tejido|tela|tessuto|tecido|tkanina|rib\b")
SIDES = ("left", "right")
LEFT_OUT = ("pattern", "interlining", "lining", "pocket", "facing", "placket", "binding", "trim")
"""parts that are not sewn as cloth of their own"""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What words say about a piece."""

    part: str = ""
    """of the vocabulary, empty: the words say nothing"""
    others: tuple[str, ...] = ()
    """parts that are named beside it"""
    side: str = ""
    """left or right of the wearer"""
    weak: bool = False
    """told by one or two letters only"""

    @property
    def face(self) -> str:
        """Return front or back if that is said."""
        said = {self.part, *self.others} & {"front", "back"}
        return said.pop() if len(said) == 1 else ""


@cache
def vocabulary() -> dict[str, str]:
    """Return word → part; where two parts share a word the first one has it."""
    words: dict[str, str] = {}
    for line in files(__package__).joinpath("vocabulary.txt").read_text(encoding="utf-8").splitlines():
        part, colon, row = line.partition(":")
        if colon and not line.startswith("#"):
            for word in row.split():
                words.setdefault(word, part)
    return words


@cache
def _ranks() -> dict[str, int]:
    return {part: k for k, part in enumerate(dict.fromkeys(vocabulary().values()))}


def plain(text: str) -> str:
    """Return a text in lower case, without accents, its words apart: frontLeft2 → front left 2."""
    text = re.sub(r"(?<=[a-zа-яіїє])(?=[A-ZА-ЯІЇЄ])", " ", text)
    text = re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", text)
    text = text.lower().replace("ł", "l").replace("ß", "ss")
    # й and ї are letters of their own, not letters with an accent
    text = "".join(
        c
        for k in text
        for c in (k if k in "йї" else unicodedata.normalize("NFD", k))
        if not unicodedata.combining(c)
    )
    return " ".join(re.sub(r"[\W_]+", " ", text).split())


def meaning(text: str) -> Meaning:
    """Return what a name or a label says."""
    words = plain(text)
    beside = BESIDE.search(words)
    if beside and words[: beside.start()].strip():
        words = words[: beside.start()]
    found: dict[str, bool] = {}
    for word in words.split():
        for part, weak in _parts_of(word):
            found[part] = found.get(part, True) and weak
    if "interlining" in found and CLOTH.search(words):  # cut of cloth, and once more of interlining
        del found["interlining"]
    sides = {side for side in SIDES if side in found}
    found = {part: weak for part, weak in found.items() if part not in SIDES}
    side = sides.pop() if len(sides) == 1 else ""
    if not found:
        return Meaning(side=side)
    # words in full before abbreviations, then by the order of the vocabulary
    order = sorted(found, key=lambda part: (found[part], _ranks()[part]))
    return Meaning(order[0], tuple(order[1:]), side, found[order[0]])


def _parts_of(word: str) -> list[tuple[str, bool]]:
    """Return the parts that a word names, each with whether an abbreviation does."""
    table = vocabulary()
    if table.get(word) == "neutral":
        return []
    if word in table:
        return [(table[word], len(word) < 3)]
    glued = [w for w in table if len(w) >= LEAST_GLUED and w in word]
    # of words within each other the longest counts
    longest = [w for w in glued if not any(w != other and w in other for other in glued)]
    return [(table[w], False) for w in longest]


def meanings(panels: Sequence[Panel]) -> list[Meaning]:
    """Return what the names and labels of all pieces of a file say, a style name before them cut off."""
    cut = _style_length([panel.name for panel in panels])
    return [_together(meaning(panel.name[cut:]), _label_meaning(panel.label)) for panel in panels]


def _label_meaning(label: str) -> Meaning:
    """Return what a label says; words such as 2XFABRIC are about the cloth, not the piece."""
    said = meaning(label)
    if said.part == "interlining" and CLOTH.search(plain(label)):
        return Meaning(said.others[0] if said.others else "", said.others[1:], said.side)
    return said


def _together(name: Meaning, label: Meaning) -> Meaning:
    """Return both as one: a label's full words count more than a name's letters."""
    if not label.part or name.part == label.part:
        others = tuple(dict.fromkeys((*name.others, *label.others)))
        return Meaning(
            name.part, others, name.side or label.side, name.weak and (label.weak or not label.part)
        )
    if not name.part:
        return Meaning(label.part, label.others, name.side or label.side, label.weak)
    first, second = (name, label) if not name.weak or label.weak else (label, name)
    # what is not cloth is not, whichever says so
    if second.part in LEFT_OUT and not second.weak:
        first, second = second, first
    beside = dict.fromkeys((*first.others, second.part, *second.others))
    beside.pop(first.part, None)
    return Meaning(first.part, tuple(beside), first.side or second.side, first.weak)


def _style_length(names: Sequence[str]) -> int:
    """Return how many letters all names begin with that tell nothing of the single piece."""
    if len(names) < 2:
        return 0
    low, high = min(names), max(names)
    same = next((k for k, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    if same < 3:
        return 0
    # unless it is what tells them: SLEEVE_1, SLEEVE_2
    apart = not low[same - 1 : same].isalnum() and any(meaning(name[same:]).part for name in names)
    return same if apart or not meaning(low[:same]).part else 0
