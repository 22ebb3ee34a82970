"""Loose pieces understood by name and shape, and joined by the grammar of garments."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from toile.body.model.make import named_body
from toile.core.records import EdgeRef, Panel, Pattern
from toile.pattern.drafts.library import draft
from toile.pattern.library import read_pattern, write_pattern, write_seams
from toile.pattern.pieces.placement import Proposal, propose_seams_and_places
from toile.pattern.seams.compare import seams_compared
from toile.pattern.understand.names import meaning, meanings, plain, vocabulary
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


def test_words_of_the_table_are_written_as_names_are_searched() -> None:
    assert [word for word in vocabulary() if plain(word) != word] == []


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


# ---------------------------------------------------------------------------- joined

GERMAN = {
    "front": "Vorderteil", "back": "Rückenteil", "sleeve": "Ärmel", "band": "Bund", "left": "links",
    "right": "rechts",
}  # fmt: skip
TRADE = {"front": "FRT", "back": "BCK", "sleeve": "SLV", "band": "WB", "left": "LH", "right": "RH"}
UKRAINIAN = {
    "front": "перед", "back": "спинка", "sleeve": "рукав", "band": "пояс", "left": "лівий", "right": "правий",
}  # fmt: skip


def renamed(pattern: Pattern, words: dict[str, str]) -> tuple[Pattern, dict[str, str]]:
    """Return loose pieces under other names, and each new name's old one."""
    new = {}
    for panel in pattern.panels:
        name = panel.name
        for word, other in words.items():
            name = name.replace(word, other)
        new[panel.name] = f"STYLE 42 {name}"
    return loose(pattern, lambda p: replace(p, name=new[p.name])), {b: a for a, b in new.items()}


def named_back(pattern: Pattern, old: dict[str, str]) -> Pattern:
    """Return a pattern with the names that its pieces had."""

    def chain(refs: tuple[EdgeRef, ...]) -> tuple[EdgeRef, ...]:
        return tuple(replace(ref, panel=old[ref.panel]) for ref in refs)

    return replace(
        pattern,
        panels=tuple(replace(p, name=old[p.name]) for p in pattern.panels),
        seams=tuple(replace(s, a=chain(s.a), b=chain(s.b)) for s in pattern.seams),
    )


def assert_all_right(found: Proposal, old: dict[str, str], true: Pattern) -> None:
    score = seams_compared(named_back(found.pattern, old), true, found.unsure)
    assert score.right == score.true, found.remarks
    assert score.wrong_unmarked == 0


@pytest.mark.parametrize("words", [GERMAN, TRADE, UKRAINIAN], ids=["german", "trade", "ukrainian"])
@pytest.mark.parametrize("name", ["tshirt", "trousers"])
def test_garments_are_joined_whatever_language_names_their_pieces(name: str, words: dict[str, str]) -> None:
    pieces, old = renamed(sewn(name), words)
    assert_all_right(propose_seams_and_places(pieces), old, sewn(name))


@pytest.mark.parametrize("name", ["top", "circle_skirt", "sleeved_dress", "coat"])
def test_garments_of_other_kinds_are_joined(name: str) -> None:
    pieces, old = renamed(sewn(name), {})
    assert_all_right(propose_seams_and_places(pieces), old, sewn(name))


def test_a_tshirt_without_names_that_lay_sideways_is_joined() -> None:
    number = {panel.name: f"P{k}" for k, panel in enumerate(sewn("tshirt").panels)}
    lying = loose(sewn("tshirt"), lambda p: replace(quarter_turned(p, 3), name=number[p.name]))
    pieces = replace(lying, panels=tuple(upright(panel) for panel in lying.panels))
    assert_all_right(propose_seams_and_places(pieces), {b: a for a, b in number.items()}, sewn("tshirt"))


def test_a_piece_drawn_once_gets_its_twin() -> None:
    pieces = loose(sewn("tshirt"))
    once = replace(pieces, panels=tuple(p for p in pieces.panels if p.name != "left_sleeve"))
    once = replace(once, panels=tuple(replace(p, name=p.name.replace("right_", "")) for p in once.panels))
    found = propose_seams_and_places(once)
    assert len(found.pattern.seams) == 8  # shoulders, sides, underarms, caps in one
    assert "sleeve_mirrored added: cut twice, once for each side of the body" in found.pieces
    arms = {p.name: p.placement.around for p in found.pattern.panels if p.placement and "sleeve" in p.name}
    assert sorted(arms.values()) == ["left_arm", "right_arm"]


def test_lengths_that_contradict_are_not_sewn_silently() -> None:
    pieces = loose(sewn("tshirt"))
    short = tuple(
        replace(
            p,
            vertices=p.vertices * np.array([1.0, 0.7]),
            edges=tuple(replace(e, controls=e.controls * np.array([1.0, 0.7])) for e in p.edges),
        )
        if p.name == "back"
        else p
        for p in pieces.panels
    )
    found = propose_seams_and_places(replace(pieces, panels=short))
    sure = {s.name for k, s in enumerate(found.pattern.seams) if k not in found.unsure}
    assert not sure & {"left side", "right side"}


def test_doubtful_seams_are_marked_in_the_seam_file(tmp_path: Path) -> None:
    write_pattern(loose(sewn("coat")), tmp_path / "coat.dxf")
    base = read_pattern(tmp_path / "coat.dxf")
    found = propose_seams_and_places(base)
    write_seams(
        found.pattern, tmp_path / "coat.seams", remarks=found.remarks, base=base, unsure=found.unsure,
        told=found.pieces,
    )  # fmt: skip
    text = (tmp_path / "coat.seams").read_text()
    assert text.count("# DOUBTFUL") == len(found.unsure) > 0
    assert len(read_pattern(tmp_path / "coat.dxf").seams) == len(found.pattern.seams)


def test_a_cuff_that_may_be_pleated_or_buttoned_is_marked() -> None:
    """A shirt's cuff was sewn end to end and onto a longer sleeve without a mark."""
    shirt = loose(sewn("shirt"))

    def cut(panel: Panel) -> Panel:
        if "cuff" not in panel.name:
            return panel
        low, high = panel.vertices[:, 1].min(), panel.vertices[:, 1].max()
        middle = panel.vertices[:, 0].mean()
        # narrower all over, and corners cut at its free edge
        share = np.where(panel.vertices[:, 1] > (low + high) / 2.0, 0.85, 0.9)
        across = middle + share * (panel.vertices[:, 0] - middle)
        return replace(panel, vertices=np.column_stack([across, panel.vertices[:, 1]]))

    before, after = (propose_seams_and_places(p) for p in (shirt, loose(sewn("shirt"), cut)))
    marked = {s.name for k, s in enumerate(after.pattern.seams) if k in after.unsure}
    cuffs = {s.name for s in after.pattern.seams if "cuff" in s.name}
    assert len(cuffs) == 4
    assert cuffs <= marked
    assert {s.name for s in before.pattern.seams} == {s.name for s in after.pattern.seams}
