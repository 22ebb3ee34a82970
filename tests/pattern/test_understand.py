"""Loose pieces understood by name and shape, and joined by the grammar of garments."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from toile.body.model.make import named_body
from toile.core.records import Panel, Pattern
from toile.pattern.drafts.library import draft
from toile.pattern.understand.names import meaning, meanings, vocabulary
from toile.pattern.understand.recognise import recognise
from toile.pattern.understand.upright import quarter_turned, upright


@cache
def sewn(name: str) -> Pattern:
    return draft(name, named_body("woman").measurements)


def loose(pattern: Pattern, change: Callable[[Panel], Panel] = lambda p: p) -> Pattern:
    """Return the pieces as a CAD file has them: without seams, places and names of edges."""
    panels = tuple(
        change(
            replace(
                panel, placement=None, edges=tuple(replace(edge, name="") for edge in panel.edges), label=""
            )
        )
        for panel in pattern.panels
    )
    return replace(pattern, panels=panels, seams=(), holds=(), recipe="")


# ---------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("FRT", "front"), ("BCK", "back"), ("SLV_L", "sleeve"), ("CLR", "collar"), ("FRONT POCKET", "pocket"),
        ("COLLAR STAND", "stand"), ("WB", "waistband"), ("PKT BAG", "pocket"), ("FRONT FACING", "facing"),
        ("Vorderteil", "front"), ("Rückenteil", "back"), ("Ärmel", "sleeve"), ("Bündchen", "cuff"),
        ("devant", "front"), ("dos", "back"), ("manche gauche", "sleeve"), ("empiècement dos", "yoke"),
        ("delantero", "front"), ("espalda", "back"), ("puño", "cuff"), ("davanti", "front"),
        ("dietro", "back"), ("manica", "sleeve"), ("costas", "back"), ("cós", "waistband"),
        ("przód", "front"), ("tył", "back"), ("rękaw", "sleeve"), ("kołnierz", "collar"),
        ("Пілочка", "front"), ("Спинка", "back"), ("рукав", "sleeve"), ("комір", "collar"),
        ("pilochka", "front"), ("spynka", "back"), ("qianpian", "front"), ("houpian", "back"),
        ("xiuzi", "sleeve"), ("SLEEVE_CUFF", "cuff"), ("FRONT_WITH_POCKET", "front"),
        ("PLACKET INTERLINING", "interlining"), ("1XFABRIC 1X INTERLIN, COLLAR", "collar"),
        ("sleevePlacketOverlap", "placket"), ("POCKETBACK", "pocket"), ("vorderhose", "front"),
        ("Pattern2D_768528", ""), ("piece_3", ""),
    ],
)  # fmt: skip
def test_words_of_the_trade_name_parts(text: str, part: str) -> None:
    assert meaning(text).part == part


def test_left_and_right_are_told() -> None:
    assert meaning("manche gauche").side == "left"
    assert meaning("frontRight").side == "right"
    assert meaning("FRONT").side == ""


def test_a_style_name_before_all_names_says_nothing() -> None:
    panels = [replace(sewn("tshirt").panels[0], name=f"ORILEG WB {word}", label="") for word in ("WB", "LL")]
    assert [m.part for m in meanings(panels)] == ["waistband", "leg"]
    panels = [replace(panels[0], name=f"SLEEVE_{k}") for k in (1, 2)]
    assert [m.part for m in meanings(panels)] == ["sleeve", "sleeve"]


def test_a_label_in_full_words_counts_more_than_letters_of_the_name() -> None:
    panels = [
        replace(sewn("tshirt").panels[0], name=name, label=label)
        for name, label in (("X12 FR", "1XFABRIC, FRONT"), ("X12 C2", "1XFABRIC 1XINTERLINI, LOWER COLLAR"))
    ]
    assert [m.part for m in meanings(panels)] == ["front", "collar"]


def test_each_word_of_the_table_stands_for_one_part() -> None:
    for word in vocabulary():
        assert word == meaning_word(word)


def meaning_word(word: str) -> str:
    """Return a word as names are searched: the table must hold words that can be found."""
    from toile.pattern.understand.names import plain

    return plain(word)


# ---------------------------------------------------------------------------- shapes


@pytest.mark.parametrize("name", ["tshirt", "shirt", "trousers", "shorts", "skirt", "sleeved_dress"])
def test_pieces_without_any_name_are_known_by_their_shape(name: str) -> None:
    pattern = sewn(name)
    numbered = {panel.name: f"{k}" for k, panel in enumerate(pattern.panels)}
    known = recognise(loose(pattern, lambda p: replace(p, name=numbered[p.name])))
    wanted = {"front": "front", "back": "back", "sleeve": "sleeve"}
    wrong = []
    for panel, one in zip(pattern.panels, known, strict=True):
        part = next((part for word, part in wanted.items() if word in panel.name), None)
        if "band" in panel.name:
            assert one.kind == "strip"
        elif part and one.part and one.part != part and one.face != part:
            wrong.append((panel.name, one.part, one.kind))
    assert wrong == []


# ---------------------------------------------------------------------------- turned pieces


def test_pieces_that_lie_along_their_grain_are_turned_upright() -> None:
    front = next(p for p in sewn("tshirt").panels if "front" in p.name)
    for times in (1, 3):
        lying = quarter_turned(front, times)
        assert abs(lying.grain) == pytest.approx(math.pi / 2)
        assert upright(lying).vertices == pytest.approx(front.vertices)
    bias = replace(front, grain=math.radians(45))
    assert upright(bias) is bias
