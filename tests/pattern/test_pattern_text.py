import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from folders import ROOT
from pattern_cases import patterns
from toile.core.errors import ToileError
from toile.pattern.formats.text.read import add_seams, parse, parse_outfit
from toile.pattern.formats.text.write import outfit_to_text, seams_to_text, to_text
from toile.pattern.library import read_outfit, read_pattern, write_pattern
from toile.pattern.model import curves
from toile.pattern.model.check import check_pattern
from toile.pattern.model.compare import differences

SKIRT = """
# a skirt of two pieces
garment skirt
origin waist
fabric cotton

panel front
  at 0 -30 20
  around torso
  corner top_left -18 0
  from -30 -60
  curve 0 -64 to 30 -60 as hem      # one control point
  line to 18 0 as left
  arc 0 -1 to top_left as waist
  line to start as right
  notch left 0.5 as A
  mark fold angle 90  0 0  0 -60 as crease

panel back copy of front
  at 0 -30 -20
  turn 0 180 0

seam left: front.left = -back.right
seam front.right = -back.left ease 1.02
pin front.waist
elastic back.waist 0.8
"""


def test_a_hand_written_skirt_reads_as_meant():
    pattern = parse(SKIRT, "file", "skirt.txt")
    check_pattern(pattern)
    front, back = pattern.panels
    assert pattern.name == "skirt"
    assert pattern.origin == "waist"
    assert [edge.name for edge in front.edges] == ["hem", "left", "waist", "right"]
    assert [edge.kind for edge in front.edges] == ["quadratic", "line", "arc", "line"]
    assert front.vertices[front.edges[0].start] == pytest.approx([-0.30, -0.60])
    assert back.placement.rotation == pytest.approx(np.diag([-1.0, 1.0, -1.0]))
    assert back.placement.around == "torso"
    assert back.fabric == "cotton"
    assert pattern.seams[0].b[0] == pattern.seams[0].b[0].__class__("back", 3, True)
    assert pattern.seams[1].ease == 1.02
    assert [h.kind for h in pattern.holds] == ["pin", "elastic"]
    assert front.marks[0].angle == pytest.approx(np.pi / 2)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(patterns())
def test_any_pattern_reads_back_equal(pattern):
    again = parse(to_text(pattern), "other", "x.txt")
    assert differences(pattern, again) == []


def test_units_are_read_and_lengths_are_exact():
    text = "units in\npanel p\n from 0 0\n line to 10 0\n line to 10 10\n line to 0 0\n"
    assert parse(text, "p", "p.txt").panels[0].vertices[1, 0] == 0.254
    text = text.replace("units in", "units mm").replace("10", "0.1")
    assert parse(text, "p", "p.txt").panels[0].vertices[1, 0] == 0.0001


def test_a_mirrored_panel_stands_on_the_other_side():
    text = "panel left_sleeve\n at 50 0 0\n turn 0 0 -40\n around left_arm\n"
    text += "from 1 0\n line to 20 0\n line to 20 30\n line to start\n"
    pattern = parse(text + "panel right_sleeve mirror of left_sleeve\n", "p", "p.txt")
    left, right = pattern.panels
    assert right.placement.around == "right_arm"
    world = [p.placement.translation + p.vertices @ p.placement.rotation[:, :2].T for p in (left, right)]
    assert world[1] == pytest.approx(world[0] * [-1, 1, 1])
    assert curves.area(right) == pytest.approx(-curves.area(left))


def test_ranges_stand_for_several_edges():
    square = "panel {}\n from 0 0\n line to 9 0\n line to 9 9\n line to 0 9\n line to start\n"
    text = square.format("a") + square.format("b") + "seam a.0..2 = b.3..1\n"
    seam = parse(text, "p", "p.txt").seams[0]
    assert [(r.edge, r.reversed) for r in seam.a] == [(0, False), (1, False), (2, False)]
    assert [(r.edge, r.reversed) for r in seam.b] == [(3, True), (2, True), (1, True)]


def test_seam_file_adds_seams_names_and_places_to_pieces_read_elsewhere():
    whole = parse(SKIRT, "skirt", "skirt.txt")
    pieces = type(whole)("skirt", whole.panels)
    added = add_seams(seams_to_text(whole), pieces, "skirt.seams")
    assert differences(added.seams, whole.seams) == []
    assert added.holds == whole.holds
    named = add_seams(
        "panel front\n edge 0 as bottom\n at 1 2 3\nseam front.bottom = -back.hem\n", pieces, "s"
    )
    assert named.panels[0].edges[0].name == "bottom"
    assert named.panels[0].placement.translation == pytest.approx([0.01, 0.02, 0.03])
    assert named.seams[0].a[0].edge == 0


def test_an_outfit_holds_several_garments(tmp_path):
    garments = parse_outfit(SKIRT + SKIRT.replace("garment skirt", "garment coat\nlayer 1"), "x", "x.txt")
    assert [g.name for g in garments] == ["skirt", "coat"]
    assert [g.layer for g in garments] == [0, 1]
    path = tmp_path / "outfit.txt"
    path.write_text(outfit_to_text(garments))
    assert [g.name for g in read_outfit(path)] == ["skirt", "coat"]
    with pytest.raises(ToileError, match="2 garments"):
        read_pattern(path)


def test_files_are_written_and_read(tmp_path):
    pattern = parse(SKIRT, "skirt", "skirt.txt")
    write_pattern(pattern, tmp_path / "skirt.txt")
    assert differences(read_pattern(tmp_path / "skirt.txt"), pattern) == []
    assert [p.name for p in tmp_path.iterdir()] == ["skirt.txt"]
    with pytest.raises(ToileError, match="ending"):
        write_pattern(pattern, tmp_path / "skirt.xyz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("arc 0 -1 to top_left", "arc 0 -1 to nowhere"), "there is no corner 'nowhere'"),
        (("line to start as right", "line to 0 -30"), "^skirt.txt, line 7: panel 'front': the outline"),
        (("from -30 -60\n", ""), "the outline starts with"),
        (("curve 0 -64 to", "curve 0 to"), "points come in pairs"),
        (("curve 0 -64 to", "curve 0 1 2 3 4 5 to"), "write 'curve"),
        (("curve 0 -64 to", "curve 0 nan to"), "'nan' is not a number"),
        (("at 0 -30 20", "at 0 -30 1e999"), "1e999"),
        (("at 0 -30 20", "at 0 -30"), "write 'at X Y Z'"),
        (("= -back.right", "= -back.cap"), "panel 'back': there is no edge 'cap': the edges are"),
        (("= -back.right", "= -sleeve.right"), "there is no panel 'sleeve'"),
        (("= -back.right", "= -back.9"), "there is no edge 9 in panel 'back'"),
        (("= -back.right", "-back.right"), "write 'seam"),
        (("ease 1.02", "ease 0"), "ease is"),
        (("panel back", "panel front"), "two panels are called 'front'"),
        (("fabric cotton", "colour red"), "'colour' is unknown"),
        (("as crease", 'as "crease'), "a quote is not closed"),
        (("notch left", "notch l"), "there is no edge 'l'"),
    ],
)  # fmt: skip
def test_errors_name_file_and_line(change, message):
    assert change[0] in SKIRT
    with pytest.raises(ToileError, match=message) as error:
        parse(SKIRT.replace(*change), "skirt", "skirt.txt")
    line = SKIRT[: SKIRT.index(change[0])].count("\n") + 1
    assert re.match(rf"skirt.txt, line ({line}|7): ", str(error.value))
    assert "\n" not in str(error.value)


def test_the_reference_page_holds_working_examples():
    page = (ROOT / "docs" / "text-format.md").read_text()
    examples = re.findall(r"```garment\n(.*?)```", page, re.S)
    assert len(examples) >= 3
    for example in examples:
        for garment in parse_outfit(example, "example", "docs"):
            check_pattern(garment, "docs")
